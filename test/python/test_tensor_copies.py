"""Copies of boxes (TMA) in kernels of tile IR with layouts, by hand: on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import tritium as triton
from tritium import _C
from tritium.compiler import CompiledKernel

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = ROOT / "test/Conversion/TileGPUToLLVM/add-to-boxes.mlir"
COMMAND = pathlib.Path(triton.__file__).absolute().parents[2] / "bin" / "tritium-opt"
TARGET = "cuda:90" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:90"

ROWS_128 = "#ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"


def lowered(text, *passes):
    return subprocess.run([COMMAND, "-tritium-ttgir-threads", *passes], input=text, check=True,
                          capture_output=True, text=True, timeout=100).stdout


def compiled(change=lambda text: text):
    text = lowered(change(KERNEL.read_text()))
    return CompiledKernel(_C.compile_ttir(text, "kernel.ttgir", {}, TARGET))


def matrices(m, pitch):
    x = np.random.default_rng(7).integers(-99, 99, (m, pitch)).astype(np.float16)
    return x, np.zeros_like(x)


def expect_places_added(kernel, m, n, pitch, tile=(64, 64)):
    x, y = matrices(m, pitch)
    kernel[(-(-m // tile[0]), -(-n // tile[1]))](x, y, m, n, pitch)
    row, column = np.ogrid[:m, :n]
    places = 16 * (row % tile[0]) + column % tile[1]
    np.testing.assert_array_equal(y[:, :n], x[:, :n] + places.astype(np.float16))
    np.testing.assert_array_equal(y[:, n:], 0)


# Boxes that lie inside, and such that the tensor cuts in either dimension.
@pytest.mark.parametrize("m,n,pitch", [(128, 128, 128), (100, 72, 80), (64, 8, 16), (1, 64, 64)])
def test_places_added(m, n, pitch):
    expect_places_added(compiled(), m, n, pitch)


# The layouts of a tile: rows as they are, and exchanged in 64 and 32 bytes; panels.
LAYOUTS = {
    "rows": ("#ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", 64),
    "64 bytes": ("#ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", 32),
    "32 bytes": ("#ttg.shared<{vec = 8, perPhase = 4, maxPhase = 2, order = [1, 0]}>", 16),
    "panels": ("#ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, "
               "1, 2, 4, 8, 16, 32, 4096], shape = [64, 128]}>", 128)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    encoding, columns = LAYOUTS[layout]

    def change(text):
        text = text.replace(ROWS_128, encoding).replace("64x64x", f"64x{columns}x")
        text = text.replace("64xi32, #ttg.slice<{dim = 0", f"{columns}xi32, #ttg.slice<{{dim = 0")
        text = text.replace("%q0 = tt.make_range {start = 0 : i32, end = 64",
                            f"%q0 = tt.make_range {{start = 0 : i32, end = {columns}")
        text = text.replace("1x64xi32", f"1x{columns}xi32")
        text = text.replace("%j = arith.muli %pid1, %c64", "%j = arith.muli %pid1, %width")
        width = f"  %width = arith.constant {columns} : i32\n"
        text = text.replace("  %one =", width + "  %one =")
        return text.replace("expect %bar, 8192", f"expect %bar, {128 * columns}")

    expect_places_added(compiled(change), 70, 136, 136, (64, columns))


def copy_of_a_box(tile, tensor, strides):
    """A kernel that copies a box of `tile` from the beginning of a tensor of constant extents."""
    rank = len(tile)
    memory = f"!ttg.memdesc<{'x'.join(map(str, tile))}xf32, #m, mutable>"
    bar = "!ttg.memdesc<1xi64, #b, mutable>"
    numbers = "".join(f"    %n{d} = arith.constant {tensor[d]} : i64\n"
                      f"    %s{d} = arith.constant {strides[d]} : i64\n" for d in range(rank))
    box = (f"[{', '.join(['%c0'] * rank)}] shape [{', '.join(f'%n{d}' for d in range(rank))}] "
           f"strides [{', '.join(f'%s{d}' for d in range(rank))}]")
    return f"""
#b = #ttg.shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#m = #ttg.shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {list(range(rank))[::-1]}}}>
module attributes {{ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 1 : i32}} {{
  tt.func @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {{
    %c0 = arith.constant 0 : i32
{numbers}    %bar = ttg.local_alloc : {bar}
    %tile = ttg.local_alloc {{alignment = 128 : i32}} : {memory}
    ttng.mbarrier_init %bar, 1 : {bar}
    ttng.mbarrier_expect %bar, {4 * np.prod(tile)} : {bar}
    ttng.tma_load %x{box}, %tile, %bar : !tt.ptr<f32>, {memory}, {bar}
    ttng.mbarrier_wait %bar, %c0 : {bar}
    ttng.tma_store %tile, %y{box} : {memory}, !tt.ptr<f32>
    tt.return
  }}
}}"""


# The tensor ends before the box does, in each dimension; ptxas takes the code where there is one.
@pytest.mark.parametrize("rank", range(1, 6))
def test_ranks(rank):
    tile, tensor = (2, 4, 3, 2, 16)[-rank:], (1, 3, 2, 1, 12)[-rank:]
    x = np.random.default_rng(3).random(tile, np.float32)
    y = np.zeros_like(x)
    text = lowered(copy_of_a_box(tile, tensor, [n // 4 for n in x.strides]))
    CompiledKernel(_C.compile_ttir(text, "copy.ttgir", {}, TARGET))[(1,)](x, y)
    inside = tuple(slice(n) for n in tensor)
    np.testing.assert_array_equal(y[inside], x[inside])
    assert np.count_nonzero(y) == np.prod(tensor)
    code = CompiledKernel(_C.compile_ttir(text, "copy.ttgir", {}, "cuda:90")).asm["ptx"]
    assert code.count(f"cp.async.bulk.tensor.{rank}d.") == 2


RING = """
#b = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1],
                      order = [1, 0]}>
!bar = !ttg.memdesc<1xi64, #b, mutable>
!bars = !ttg.memdesc<2x1xi64, #b, mutable>
!tile = !ttg.memdesc<64x64xf16, #s, mutable>
!tiles = !ttg.memdesc<2x64x64xf16, #s, mutable>
!sum = tensor<64x64xf16, #rows>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
  tt.func @sums(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %count: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %n64 = arith.constant 64 : i64
    %width = arith.muli %count, %c64 : i32
    %pitch = arith.extsi %width : i32 to i64
    %zeros = arith.constant dense<0.0> : !sum
    %bars = ttg.local_alloc : !bars
    %tiles = ttg.local_alloc {alignment = 1024 : i32} : !tiles
    %b0 = ttg.memdesc_index %bars[%c0] : !bars -> !bar
    %b1 = ttg.memdesc_index %bars[%c1] : !bars -> !bar
    %t0 = ttg.memdesc_index %tiles[%c0] : !tiles -> !tile
    ttng.mbarrier_init %b0, 1 : !bar
    ttng.mbarrier_init %b1, 1 : !bar
    ttng.mbarrier_expect %b0, 8192 : !bar
    ttng.tma_load %x[%c0, %c0] shape [%n64, %pitch] strides [%pitch, %one], %t0, %b0
      : !tt.ptr<f16>, !tile, !bar
    %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zeros) -> (!sum) : i32 {
      %here = arith.remsi %i, %c2 : i32
      %round = arith.divsi %i, %c2 : i32
      %next = arith.addi %i, %c1 : i32
      %there = arith.remsi %next, %c2 : i32
      %more = arith.cmpi slt, %next, %count : i32
      scf.if %more {
        %column = arith.muli %next, %c64 : i32
        %b = ttg.memdesc_index %bars[%there] : !bars -> !bar
        %t = ttg.memdesc_index %tiles[%there] : !tiles -> !tile
        ttng.mbarrier_expect %b, 8192 : !bar
        ttng.tma_load %x[%c0, %column]
          shape [%n64, %pitch] strides [%pitch, %one], %t, %b : !tt.ptr<f16>, !tile, !bar
      }
      %b = ttg.memdesc_index %bars[%here] : !bars -> !bar
      %t = ttg.memdesc_index %tiles[%here] : !tiles -> !tile
      ttng.mbarrier_wait %b, %round : !bar
      %v = ttg.local_load %t : !tile -> !sum
      %w = arith.addf %acc, %v : !sum
      scf.yield %w : !sum
    }
    ttg.local_store %sum, %t0 : !sum, !tile
    ttng.tma_store %t0, %y[%c0, %c0] shape [%n64, %n64] strides [%n64, %one]
      : !tile, !tt.ptr<f16>
    tt.return
  }
}"""


# Two buffers in turn, whose barriers go through several phases. Passes place what waits.
@pytest.mark.parametrize("count", [1, 2, 5])
def test_ring(count):
    kernel = CompiledKernel(_C.compile_ttir(lowered(RING), "sums.ttgir", {}, TARGET))
    x = np.random.default_rng(5).integers(-99, 99, (64, 64 * count)).astype(np.float16)
    y = np.zeros((64, 64), np.float16)
    kernel[(1,)](x, y, count)
    np.testing.assert_array_equal(y, x.reshape(64, count, 64).sum(1))


# A tensor that begins further on, at a place that arguments decide.
def test_begins_behind_the_argument():
    def change(text):
        moved = ("  %two = arith.constant 2 : i32\n  %skipped = arith.muli %pitch, %two : i32\n"
                 "  %later = tt.addptr %x, %skipped : !tt.ptr<f16>, i32\n")
        text = text.replace("  %one =", moved + "  %one =")
        return text.replace("tma_load %x", "tma_load %later")

    kernel = compiled(change)
    x, y = matrices(66, 64)
    kernel[(1, 1)](x, y, 64, 64, 64)
    row, column = np.ogrid[:64, :64]
    np.testing.assert_array_equal(y[:64], x[2:] + (16 * row + column).astype(np.float16))
    with pytest.raises(triton.ArgumentError, match="at 'x': where it begins .* does not fit its"):
        kernel[(1, 1)](x, y, 64, 64, 1 << 30)


def test_what_a_launch_cannot_describe():
    kernel = compiled()
    x, y = matrices(64, 64)
    with pytest.raises(triton.ArgumentError, match="kernel 'add_places': the kernel copies boxes "
                       r"of the tensor at 'x': its address must be a multiple of 16, and is \d+"):
        kernel[(1, 1)](x.reshape(-1)[1:], y, 63, 60, 64)
    with pytest.raises(triton.ArgumentError, match="at 'x': its strides must be multiples of 8 "
                       "elements .16 bytes., positive and less than 2.40 bytes, and one is 60"):
        kernel[(1, 1)](x, y, 64, 60, 60)
    with pytest.raises(triton.ArgumentError, match="at 'x': its extents must be from 1 to "):
        kernel[(1, 1)](x, y, 64, 0, 64)
    np.testing.assert_array_equal(y, 0)


def test_metadata():
    maps = compiled().metadata.tensor_maps
    assert [(m["parameter"], m["box"], m["swizzle"], m["element_bytes"]) for m in maps] == [
        ("x", [64, 64], 128, 2), ("y", [64, 64], 128, 2)]


@pytest.mark.parametrize("stage", ["llir", "ptx"])
def test_goes_on_from_later_stages(stage):
    kernel = compiled()
    again = CompiledKernel(_C.compile_ttir(kernel.asm[stage], f"kernel.{stage}", {}, TARGET))
    assert again.metadata.tensor_maps == kernel.metadata.tensor_maps
    expect_places_added(again, 100, 72, 80)


# The LLVM dialect does not say what maps are made of.
def test_module_in_the_llvm_dialect():
    text = lowered(KERNEL.read_text(), "-convert-ttg-to-llvm")
    with pytest.raises(triton.CompilationError, match="parameter 5 of kernel 'add_places' is of "
                       "type !llvm.ptr by value, which no launch can pass"):
        _C.compile_ttir(text, "kernel.mlir", {}, TARGET)


# What the copies go through is what the kernel reads and writes.
def test_array_that_may_not_be_written():
    x, y = matrices(64, 64)
    y.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match="writes to 'y', but that array is read-only"):
        compiled()[(1, 1)](x, y, 64, 64, 64)


def test_no_header():
    with pytest.raises(triton.OptionError, match="takes tensor maps, which only the runtime makes"):
        compiled()._native.stage("header")


# The passes put in the fence and the barriers that a copy of a box needs.
def test_fences_and_barriers_are_placed():
    def change(text):
        for line in ("  ttng.fence_async_proxy\n", "  ttg.barrier\n"):
            assert line in text
            text = text.replace(line, "")
        return text

    expect_places_added(compiled(change), 100, 72, 80)


@pytest.mark.skipif(TARGET != "sim:90", reason="a GPU would wait for ever")
@pytest.mark.parametrize("line", ["ttng.mbarrier_wait", "ttng.mbarrier_init",
                                  "ttng.mbarrier_expect"])
def test_simulator_finds_what_is_missing(line):
    def change(text):
        lines = text.split("\n")
        assert sum(line in each for each in lines) == 1
        return "\n".join(each for each in lines if line not in each)

    x, y = matrices(64, 64)
    with pytest.raises(triton.SimulatorError):
        compiled(change)[(1, 1)](x, y, 64, 64, 64)
