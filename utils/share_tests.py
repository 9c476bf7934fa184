"""A pytest plugin: processes that are given the same tests run each file once among them.

    pytest -p share_tests --share FOLDER ...

A process that is free takes the next file by making an entry for it in FOLDER, which is empty
before. Files with many tests come first, so that none is left alone with a long one at the end.
"""

import pathlib


def pytest_addoption(parser):
    parser.addoption("--share", metavar="FOLDER", type=pathlib.Path, required=True)


def take(folder, path):
    """Whether the file is this process's to run."""
    try:
        (folder / str(path).strip("/").replace("/", "%")).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def pytest_runtestloop(session):
    if session.testsfailed:
        raise session.Interrupted(f"{session.testsfailed} errors while tests were collected")
    files = {}
    for item in session.items:
        files.setdefault(item.path, []).append(item)
    for path, items in sorted(files.items(), key=lambda entry: len(entry[1]), reverse=True):
        if not take(session.config.option.share, path):
            continue
        # No next item behind the last: what the file has set up is taken down.
        for item, following in zip(items, [*items[1:], None]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
    return True
