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
    _local.held = []
    wanted = None
    while True:
        if wanted is not None:  # by itself: threads may take several, in any order
            with wanted:
                pass
        for lock in _locks:
            if not lock.acquire(blocking=False):
                wanted = lock
                _release()
                break
            _local.held.append(lock)
        else:
            return


def _release():
    while _local.held:
        _local.held.pop().release()


os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
