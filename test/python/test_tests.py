"""No test is one that cannot fail (utils/lint_tests.py), and those that cannot are found."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("lint_tests", ROOT / "utils" / "lint_tests.py")
lint_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lint_tests)


@pytest.fixture
def tree(tmp_path):
    """A function that writes files of a tree and answers what is found in it."""
    for folder in ("test/python", "test/integration", "unittests/Unit"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "unittests" / "Unit" / "CMakeLists.txt").touch()

    def found(**files):
        for name, text in files.items():
            folder, _, rest = name.partition("__")
            place = {"unit": "unittests/Unit", "lit": "test", "python": "test/python"}[folder]
            suffix = {"unit": ".cpp", "lit": ".mlir", "python": ".py"}[folder]
            (tmp_path / place / (rest + suffix)).write_text(text)
        return lint_tests.problems(tmp_path)

    return found


def test_every_test_can_fail():
    assert lint_tests.problems() == []


def test_python(tree):
    good = "def helper(x):\n    assert x\n\n\ndef test_a():\n    helper(1)\n"
    assert tree(python__good=good) == []
    bad = good.replace("assert x", "print(x)").replace("helper", "show").replace("_a", "_b")
    assert tree(python__bad=bad) == ["test/python/bad.py:5: test_b asserts nothing"]


def test_googletest(tree):
    assert tree(unit__good='void is(int x, Options o = {}) {\n  EXPECT_EQ(x, 1) << "}";\n}\n'
                           "TEST(A, B) { is(1); }\n") == []
    assert tree(unit__bad='TEST(A, C) {\n  // EXPECT_EQ(1, 2);\n  run("EXPECT_TRUE(");\n}\n') == [
        "unittests/Unit/bad.cpp:1: A.C asserts nothing"]


def test_clock(tree):
    deadline = "TEST(A, B) {\n  EXPECT_TRUE(ends(std::chrono::steady_clock::now() + minute));\n}\n"
    assert tree(unit__deadline=deadline) == []
    text = "TEST(A, B) {\n  EXPECT_LT(std::chrono::duration<double>(b - a).count(), 1);\n}\n"
    found, = tree(unit__clock=text)
    assert found.startswith("unittests/Unit/clock.cpp:2: a unit test measures time")


def test_lit(tree):
    good = "// RUN: tritium-opt %s -a | FileCheck %s\n// CHECK: x\n"
    assert tree(lit__good=good) == []
    found, = tree(lit__same=good.replace("-a", "-b"))
    assert found == ("test/same.mlir:1: is good.mlir but for its RUN lines: make it another RUN "
                     "line there")
    found = tree(lit__diff="// RUN: tritium-opt %s > %t\n// RUN: diff %s %t\n")
    assert "test/diff.mlir:1: compares with nothing of its own" in found[0]
