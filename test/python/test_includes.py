"""Rooms include what docs/architecture.md lets them (utils/lint_includes.py)."""

import importlib.util
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("lint_includes", ROOT / "utils" / "lint_includes.py")
lint_includes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lint_includes)


def files():
    listed = [path.relative_to(ROOT).as_posix() for root in ("lib", "include/tritium")
              for path in (ROOT / root).rglob("*") if path.suffix in (".h", ".hpp", ".cpp")]
    assert len(listed) > 300
    return listed


def test_the_tree_keeps_to_the_page():
    assert list(lint_includes.problems(files())) == []


def test_a_room_that_looks_up_is_found(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "architecture.md").write_text((ROOT / lint_includes.PAGE).read_text())
    folder = tmp_path / "lib" / "Layout"
    folder.mkdir(parents=True)
    (folder / "Up.cpp").write_text('#include "tritium/Layout/Swizzle.h"\n'
                                   '#include "tritium/Pipeline/Passes.h"\n')
    monkeypatch.setattr(lint_includes, "ROOT", tmp_path)
    assert list(lint_includes.problems(["lib/Layout/Up.cpp"])) == [
        "lib/Layout/Up.cpp:2: Layout may not include Pipeline (docs/architecture.md)"]
    assert list(lint_includes.problems(["lib/Cellar/Down.cpp"])) == [
        "lib/Cellar/Down.cpp: lies in no room of docs/architecture.md"]
