"""Python ends while threads tune, launch and print: nothing crashes, nothing hangs."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parent / "exiting.py"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("TRITIUM_NUM_THREADS", "2")


def run(*arguments):
    return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True,
                          timeout=60)


@pytest.mark.parametrize("work", ["tune", "talks"])
def test_threads_stay_where_they_are(tmp_path, work):
    for _ in range(3):
        ended = run(work, tmp_path)
        assert ended.returncode == 0, ended.stderr


# Its threads, which are not Python's, need the GIL as long as it waits for them.
@pytest.mark.parametrize("function", ["late", "in_a_child"])
def test_a_kernel_is_tuned_by_the_last_function_of_atexit(tmp_path, function):
    ended = run("tune", tmp_path, function)
    assert ended.returncode == 0, ended.stderr
    assert "late: 128.0" in ended.stdout
