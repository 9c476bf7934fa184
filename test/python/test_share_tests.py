"""utils/share_tests.py: processes that share tests run each once."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils" / "share_tests.py"

# Each process waits at its first test until the other is at one, too.
FILE = """
import pathlib, time, pytest

@pytest.fixture(scope="module")
def opened():
    seen = pathlib.Path(__file__).with_suffix(".opened")
    seen.touch(exist_ok=False)
    yield seen
    seen.unlink()

@pytest.mark.parametrize("i", range({count}))
def test(opened, i):
    assert opened.exists()
    folder = opened.parent
    end = time.monotonic() + 60
    while len(list(folder.glob("*.opened"))) < 2 and not (folder / "both").exists():
        assert time.monotonic() < end, "the other process has no test"
        time.sleep(0.01)
    (folder / "both").touch()
"""


def start(folder, number):
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder / "claims"), "-q", "-p",
         "no:cacheprovider", f"--junitxml={folder}/{number}.xml", str(folder)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_each_test_runs_once(tmp_path):
    (tmp_path / "claims").mkdir()
    for i, count in enumerate((1, 3, 2, 1)):
        (tmp_path / f"test_{i}.py").write_text(FILE.format(count=count))
    processes = [start(tmp_path, number) for number in range(2)]
    for process in processes:
        output = process.communicate(timeout=120)[0]
        assert process.returncode == 0, output
    run = []
    for number in range(2):
        cases = xml.etree.ElementTree.parse(tmp_path / f"{number}.xml").getroot().iter("testcase")
        names = [f"{case.get('classname')}[{case.get('name')}]" for case in cases]
        assert names
        run += names
    assert sorted(run) == sorted(f"test_{file}[test[{i}]]"
                                 for file, count in enumerate((1, 3, 2, 1)) for i in range(count))
    assert not list(tmp_path.glob("*.opened"))


def test_files_that_cannot_be_read_are_an_error(tmp_path):
    (tmp_path / "claims").mkdir()
    (tmp_path / "test_a.py").write_text("def test(): pass\n")
    (tmp_path / "test_b.py").write_text("import nothing_of_this_name\n")
    process = start(tmp_path, 0)
    output = process.communicate(timeout=120)[0]
    assert process.returncode not in (0, 5), output
    assert "nothing_of_this_name" in output and "passed" not in output
