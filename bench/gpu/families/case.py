"""What the families of workloads share: the implementation, sizes, and how a kernel is started.

A case is a function from a device and sizes to a `Work`. It is registered with the sizes that it
is measured at, small ones for tests of its results, the configurations that are tried, and the
largest error that its results may have.
"""

import dataclasses
import importlib
import os
from typing import Callable

import torch

IMPL = os.environ.get("IMPL", "tritium")
triton = importlib.import_module(IMPL)
tl = importlib.import_module(IMPL + ".language")

LOG2_E = tl.constexpr(1.4426950408889634)
CASES = []


@dataclasses.dataclass
class Work:
    """Arrays and what is done with them.

    Attributes:
        launch: starts the kernels, by the values of a configuration.
        outputs: the tensors that it leaves its results in.
        reference: PyTorch's results, one for each of outputs.
        reset: what has to be done before a launch whose results count, None: nothing.
    """

    launch: Callable
    outputs: tuple
    reference: Callable
    reset: Callable = None


@dataclasses.dataclass
class Case:
    """A registered function; `bound` is of `error` below."""

    name: str
    make: Callable
    full: dict
    small: dict
    configs: list
    bound: float


def case(configs, full, small, bound=2e-3, name=None):
    """Registers a function, under another name where it serves several cases."""

    def register(make):
        CASES.append(Case(name or make.__name__, make, full, small, configs, bound))
        return make

    return register


def config(num_warps=4, num_stages=2, **constants):
    """A configuration, as what a launch is given by name."""
    return {**constants, "num_warps": num_warps, "num_stages": num_stages}


def warps(*numbers, **constants):
    """Configurations that differ in their numbers of warps alone."""
    return [config(num_warps=n, **constants) for n in numbers]


compiled = None


def start(kernel, grid, *args, **kwargs):
    """Launches a kernel. Where there is no memory behind the tensors it is compiled, and `compiled`
    is told of it.
    """
    if not any(isinstance(a, torch.Tensor) and a.is_meta for a in args):
        return kernel[grid](*args, **kwargs)
    types = [a.dtype if isinstance(a, torch.Tensor) else a for a in args]
    compiled(kernel.warmup(*types, grid=grid, **kwargs))


def poison(tensor):
    """No element is a number then, or all bits of an integer are set: what a kernel does not write
    is seen.
    """
    tensor.view(torch.uint8).fill_(255)


def error(result, expected):
    """The norm of the difference by the norm of what is expected; of integers, the share of
    elements that differ.
    """
    if not result.dtype.is_floating_point:
        return (result != expected).float().mean().item()
    difference = (result.float() - expected.float()).norm()
    return (difference / expected.float().norm()).item()


def normal(device, *shape, dtype=torch.float16, scale=1.0):
    return (torch.randn(*shape, device=device) * scale).to(dtype)


def rows_of_lengths(device, lengths):
    """Where rows of these lengths begin in an array that has them one behind the other."""
    total = [0]
    for length in lengths:
        total.append(total[-1] + length)
    return torch.tensor(total, dtype=torch.int32, device=device), total
