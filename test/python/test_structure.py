"""The tree has the shape that utils/lint_structure.py says."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("lint_structure",
                                              ROOT / "utils" / "lint_structure.py")
lint_structure = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lint_structure)


def test_tests_mirror_what_they_test():
    assert list(lint_structure.mirrorProblems()) == []


def test_nothing_of_the_core_is_long():
    found = [problem for top in lint_structure.CORE for path in sorted((ROOT / top).rglob("*"))
             if path.suffix in (".cpp", ".hpp", ".h", ".c", ".td", ".def")
             for problem in lint_structure.lengthProblems(path.relative_to(ROOT).as_posix(),
                                                          path.read_text())]
    assert found == []


def test_a_stray_test_and_a_pass_without_one_are_found(tmp_path):
    passes = tmp_path / "include" / "tritium" / "Dialect" / "Tile" / "Transforms"
    for folder in (passes, tmp_path / "lib" / "Dialect" / "Tile", tmp_path / "runtime",
                   tmp_path / "unittests" / "Attic", tmp_path / "test" / "Dialect" / "Tile"):
        folder.mkdir(parents=True)
    (passes / "Passes.td").write_text('def A : Pass<"tt-fold"> {}\ndef B : Pass<"tt-bend"> {}\n')
    (tmp_path / "unittests" / "Attic" / "OldTest.cpp").touch()
    (tmp_path / "test" / "Dialect" / "Tile" / "fold.mlir").touch()
    stray, missing = lint_structure.mirrorProblems(tmp_path)
    assert stray.startswith("unittests/Attic: no folder of lib/ or runtime/")
    assert missing.endswith("pass 'bend' has no test/Dialect/Tile/bend.mlir")


def test_long_functions_are_found():
    body = "void f(int x) {\n  for (;;) {\n" + "  g(\"}\"); // }\n" * 77 + "  }\n}\n"
    assert list(lint_structure.lengthProblems("lib/A.cpp", body)) == [
        "lib/A.cpp:1: f has 81 lines; split it (the limit is 80)"]
    assert list(lint_structure.lengthProblems("unittests/A.cpp", body)) == []
    assert list(lint_structure.lengthProblems("lib/B.td", "\n" * 501)) == [
        "lib/B.td: 501 lines; split it (the limit is 500)"]
