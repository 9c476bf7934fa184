"""Times of launches on a GPU (TRITIUM_TEST_BACKENDS=cuda, with torch): what `tritium.profile()`
says agrees with events around the same launches."""

import os

import pytest
import tritium as triton
import tritium.language as tl

if os.environ.get("TRITIUM_TEST_BACKENDS") != "cuda":
    pytest.skip("wants a GPU", allow_module_level=True)
torch = pytest.importorskip("torch")


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, i < n), i < n)


def launch(x, y):
    copy[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)


@pytest.mark.parametrize("elements", (1 << 26, 1 << 28))
def test_times_agree_with_events(elements):
    x = torch.ones(elements, device="cuda")
    y = torch.empty_like(x)
    launch(x, y)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(10):
        launch(x, y)
    end.record()
    torch.cuda.synchronize()
    wanted = begin.elapsed_time(end) * 1e-3
    with triton.profile() as run:
        for _ in range(10):
            launch(x, y)
    kernel, = run.kernels
    print(run.table(), f"\nevents around all: {wanted * 1e3:.3f} ms")
    assert (kernel.name, kernel.launches, kernel.device) == ("copy", 10, "CUDA")
    assert abs(kernel.seconds / wanted - 1) < 0.1


def test_a_breakpoint_costs_nothing_on_a_gpu():
    @triton.jit
    def stops(x_ptr):
        breakpoint()
        tl.store(x_ptr, 1.0)

    x = torch.zeros(1, device="cuda")
    compiled = stops[(1,)](x)
    assert x.item() == 1 and "brkpt" not in compiled.asm["ptx"]
