"""`tl.debug_barrier`: the threads of a program wait for each other."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, is_gpu, random_array


@pytest.fixture
def gpu(backend):
    if not is_gpu(backend):
        pytest.skip("a GPU's assembly")
    return backend


@triton.jit
def reverse_in_memory(x_ptr, out_ptr, rows, N: tl.constexpr):
    offs = tl.arange(0, N)
    for i in range(rows):
        tl.store(out_ptr + offs, tl.load(x_ptr + i * N + offs))
        tl.debug_barrier()
        y = tl.load(out_ptr + (N - 1 - offs))
        if tl.load(out_ptr) > 0:
            tl.debug_barrier()
            tl.store(out_ptr + offs, y)


@pytest.mark.parametrize("n", [3, 128, 781])
def test_barriers_change_nothing(backend, rng, n):
    x = random_array(rng, (4, n), "int32", -50, 50)
    x[3, 0] = 7
    out = np.zeros(n, np.int32)
    reverse_in_memory[(1,)](x, out, 4, N=n)
    assert_same(out, x[3, ::-1])


def barriers(compiled):
    return compiled.asm["ptx"].count("bar.sync")


@triton.jit
def exchange(x_ptr, out_ptr, BARRIERS: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs))
    for _ in tl.static_range(BARRIERS):
        tl.debug_barrier()
    y = tl.load(out_ptr + (N - 1 - offs))
    tl.debug_barrier()
    tl.store(x_ptr + offs, y)


def test_the_compiler_adds_none_to_it(gpu, rng):
    x = random_array(rng, 256, "int32")
    out, before = np.zeros(256, np.int32), x.copy()
    assert barriers(exchange[(1,)](x, out, BARRIERS=1, N=256)) == 2
    assert_same(x, before[::-1])
    # One for what it orders, where the kernel has none there.
    assert barriers(exchange[(1,)](x, out, BARRIERS=0, N=256)) == 2
    # Of two in a row the second has nothing to wait for.
    assert barriers(exchange[(1,)](x, out, BARRIERS=2, N=256)) == 2


@triton.jit
def double_rows(x_ptr, out_ptr, rows, N: tl.constexpr):
    offs = tl.arange(0, N)
    for i in tl.range(0, rows, num_stages=3):
        x = tl.load(x_ptr + i * N + offs)
        tl.debug_barrier()
        tl.store(out_ptr + i * N + offs, x * 2)


def test_loads_of_a_loop_run_ahead(backend, rng):
    x = random_array(rng, (7, 512), "float32")
    out = np.zeros_like(x)
    compiled = double_rows[(1,)](x, out, 7, N=512)
    assert_same(out, x * 2)
    if is_gpu(backend) and backend != "sim:sm_75":
        assert "cp.async" in compiled.asm["ptx"]


@triton.jit
def gives_back(lock_ptr, x_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(x_ptr + offs, offs)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 1, sem="relaxed")


def test_all_have_stored_before_a_relaxed_atomic(gpu):
    lock, x = np.zeros(1, np.int32), np.zeros(256, np.int32)
    text = gives_back[(1,)](lock, x, N=256).asm["ptx"]
    assert text.index("st.global") < text.index("bar.sync") < text.index("atom.")
    assert_same(x, np.arange(256, dtype=np.int32))


# Of what assembly writes the compiler knows nothing.


@triton.jit
def by_assembly(x_ptr, scratch_ptr, out_ptr, rows, ARE_THERE: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    for i in range(rows):
        x = tl.load(x_ptr + i * N + offs)
        if tl.load(x_ptr) >= 0:
            tl.inline_asm_elementwise("st.global.u32 [$1], $2; mov.u32 $0, 0;", "=r,l,r,~{memory}",
                                      [scratch_ptr + offs, x], tl.int32, is_pure=False, pack=1)
            if ARE_THERE:
                tl.debug_barrier()
            tl.store(out_ptr + i * N + offs, tl.load(scratch_ptr + (N - 1 - offs)))
        if ARE_THERE:
            tl.debug_barrier()


def launch_by_assembly(rng, are_there):
    x = random_array(rng, (3, 256), "int32", 0, 50)
    scratch, out = np.zeros(256, np.int32), np.zeros_like(x)
    by_assembly[(1,)](x, scratch, out, 3, ARE_THERE=are_there, N=256)
    assert_same(out, x[:, ::-1])


def test_it_orders_what_assembly_writes(gpu, rng):
    launch_by_assembly(rng, True)


def test_without_it_the_simulator_sees_the_race(gpu, rng, unrecorded):
    if not gpu.startswith("sim"):
        pytest.skip("a GPU may get away with it")
    with pytest.raises(triton.SimulatorError, match="race"):
        launch_by_assembly(rng, False)


def test_triton_c():
    kernel = triton.c.kernel("""
__global__ void twice(int *x, int waits) {
  int *p[128] = x + 0 ... 128;
  if (waits) __debug_barrier();
  *p = *p * 2;
}
""", num_warps=4)
    x = np.ones(128, np.int32)
    counted = [kernel.simulate(x, waits, grid=1, arch="sm_80").barriers for waits in (0, 7)]
    assert counted == [0, 4]  # of four warps
    assert_same(x, np.full(128, 4, np.int32))


@triton.jit
def keep_first(a, b):
    tl.debug_barrier()
    return a


@triton.jit
def combines(x_ptr):
    tl.store(x_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 4)), 0, keep_first))


@triton.jit
def maps(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr + tl.arange(0, 4), tl.map_elementwise(keep_first, x, x))


@pytest.mark.parametrize("kernel,words", [(combines, "it can only compute"),
                                          (maps, "is a barrier")])
def test_no_barrier_for_single_elements(backend, kernel, words):
    with pytest.raises(triton.CompilationError, match=words):
        kernel[(1,)](np.zeros(4, np.int32))
