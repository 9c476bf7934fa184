"""Locks that a forked child, which has only the thread that forked, finds free."""

import os
import threading

_locks = []
_local = threading.local()


def table_lock():
    """A reentrant lock over a table of a module, to be held for a moment.

    A fork waits until no other thread holds it, so that the table is whole in the child.
    """
    lock = threading.RLock()
    _locks.append(lock)
    return lock


def _take():
    held = []  # of this fork: another one may begin in the middle of it, in a signal's handler
    _local.__dict__.setdefault("forks", []).append(held)
    wanted = None
    while True:
        if wanted is not None:  # by itself: threads may take several, in any order
            with wanted:
                pass
        for lock in _locks:
            if not lock.acquire(blocking=False):
                wanted = lock
                _release_all(held)
                break
            held.append(lock)
        else:
            return


def _release_all(held):
    while held:
        held.pop().release()


def _release():
    _release_all(_local.forks.pop())


os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
