"""Several Python interpreters in a process: the first one that imports the package has it."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import _xxsubinterpreters as interpreters

attempt = "import sys; sys.path[:] = %r" % sys.path + '''
try:
    import tritium
    print("imported")
except ImportError as error:
    print(error)
sys.stdout.flush()
'''

def elsewhere():
    other = interpreters.create()
    interpreters.run_string(other, attempt)
    interpreters.destroy(other)

def here():
    exec(attempt)

for step in sys.argv[1:]:
    globals()[step]()
"""


# What the module keeps, also of an interpreter that is over, is nothing for another one.
@pytest.mark.parametrize("steps, first", [(["here", "elsewhere", "here"], 0),
                                          (["elsewhere", "here"], 1)])
def test_others_are_refused(steps, first):
    pytest.importorskip("_xxsubinterpreters")
    ended = subprocess.run([sys.executable, "-c", PROGRAM, *steps], capture_output=True, text=True,
                           timeout=60)
    assert ended.returncode == 0, ended.stderr
    refused = (f"one interpreter of a process can import tritium, and interpreter {first} has done "
               "so; run kernels there, or in another process")
    assert ended.stdout.splitlines() == ["imported", refused, "imported"][:len(steps)]
