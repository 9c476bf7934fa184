"""What a session has recorded so far."""

from . import session as _session


def get(session=0):
    """The session's tree, as `finalize` would write it: a list of its root and of a description of
    the devices. Waits for the kernels that are on their way."""
    return _session.find(session).tree()
