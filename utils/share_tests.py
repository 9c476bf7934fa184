"""pytest for processes that are given the same tests and run each file once among them.

    utils/share_tests.py FOLDER ARGUMENTS OF PYTEST...

A process that is free takes the next file by making an entry for it in FOLDER, which is empty
before. Files with many tests come first, so that none is left alone with a long one at the end.
"""

import pathlib
import sys

import pytest


class Sharing:
    """The plugin of one of the processes."""

    def __init__(self, folder):
        self.folder = folder

    def take(self, path):
        """Whether the file is this process's to run."""
        try:
            (self.folder / str(path).strip("/").replace("/", "%")).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def pytest_runtestloop(self, session):
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors while tests were collected")
        files = {}
        for item in session.items:
            files.setdefault(item.path, []).append(item)
        for path, items in sorted(files.items(), key=lambda entry: len(entry[1]), reverse=True):
            if not self.take(path):
                continue
            # No next item behind the last: what the file has set up is taken down.
            for item, following in zip(items, [*items[1:], None]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        return True


if __name__ == "__main__":
    sys.path[0] = ""  # not this folder: as for python -m pytest
    sys.exit(pytest.main(sys.argv[2:], plugins=[Sharing(pathlib.Path(sys.argv[1]))]))
