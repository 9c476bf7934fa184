"""Where a program is in its scopes."""

from .scope import path


def depth(session=0):
    """How many scopes the current thread is in.

    Args:
        session: taken; scopes belong to all sessions.
    """
    return len(path())
