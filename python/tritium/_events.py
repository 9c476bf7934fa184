"""Clocks of a GPU: events of the library that its arrays are of."""

import sys


class EventClock:
    """Events in the current stream.

    Args:
        cuda: `torch.cuda` or `cupy.cuda`.
    """

    def __init__(self, cuda):
        self._cuda = cuda
        self._is_torch = hasattr(cuda, "synchronize")

    def is_capturing(self):
        """Whether launches go into a graph: events among them say nothing."""
        if self._is_torch:
            return self._cuda.is_current_stream_capturing()
        return self._cuda.get_current_stream().is_capturing()

    def record(self):
        """An event that the current stream reaches behind what it was given so far."""
        event = self._cuda.Event(enable_timing=True) if self._is_torch else self._cuda.Event()
        event.record()
        return event

    def milliseconds(self, begin, end):
        """From one event to the other; waits until both have been reached."""
        end.synchronize()
        return (begin.elapsed_time(end) if self._is_torch
                else self._cuda.get_elapsed_time(begin, end))


def event_clock():
    """The `EventClock` of torch or CuPy, whichever this process has; None without one."""
    for name in ("torch", "cupy"):
        cuda = getattr(sys.modules.get(name), "cuda", None)
        if cuda is not None:
            return EventClock(cuda)
    return None
