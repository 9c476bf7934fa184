"""Times of kernels on a GPU, without those of their launches: the host queues them, with the events
around them, while the GPU is kept busy by something else.
"""

import statistics
import time

import torch


def bench(fn, rep=30, warm=5):
    """Milliseconds of what fn launches, without the launch: it is queued, with both events, while
    the GPU sleeps. An event around a launch on an idle GPU would count what the host takes to
    launch.
    """
    for _ in range(warm):
        fn()
    torch.cuda.synchronize()
    return statistics.median(queued(fn, rep))


def bursts(fn, milliseconds=6, rest=0.05, rep=5):
    """Milliseconds of one launch, of as many as take that long together, after a rest: what keeps
    the tensor cores busy is slower by a fifth and more, whoever made it, once the power limit has
    brought down the clock.
    """
    count = max(1, min(200, round(milliseconds / bench(fn, rep=3, warm=3))))

    def several():
        for _ in range(count):
            fn()

    return statistics.median(queued(several, rep, rest)) / count


def cold(fn, rep=15):
    """The same as `bench`, where nothing of the arguments is in the L2, and nothing in it has to be
    written back.
    """
    other = torch.ones(1 << 26, device="cuda")
    for _ in range(3):
        fn()
    torch.cuda.synchronize()
    return statistics.median(queued(fn, rep, before=lambda: other.sum()))


def queued(fn, rep, rest=0, before=lambda: None):
    """The milliseconds of `rep` calls, each queued behind a sleep of the GPU and what `before`
    queues.
    """
    ts, cycles = [], 200_000
    while len(ts) < rep:
        s = torch.cuda.Event(enable_timing=True)
        e = torch.cuda.Event(enable_timing=True)
        time.sleep(rest)
        torch.cuda._sleep(cycles)
        before()
        s.record()
        fn()
        e.record()
        awake = s.query()  # the GPU waited for the host: sleep longer
        e.synchronize()
        if not awake:
            ts.append(s.elapsed_time(e))
        elif cycles < 1 << 30:
            cycles *= 2
        else:
            raise RuntimeError("the host never queues the launch while the GPU sleeps")
    return ts
