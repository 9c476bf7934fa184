"""Going on from a stage that was written out."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget


@triton.jit
def copied(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, i < n) * 2, i < n)


@triton.jit
def product(a, b, c, K, B: tl.constexpr):
    i, acc = tl.arange(0, B), tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + i[:, None] * K + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * B + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * B + i[None, :], acc)


SOURCES = {
    "copied": (copied, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"B": 128}),
    "product": (product, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}, {"B": 32})}
TARGETS = {"cpu": None, "sm_80": GPUTarget("cuda", 80, 32), "sm_90": GPUTarget("cuda", 90, 32)}


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", SOURCES)
def test_ttgir_goes_on_to_the_same_code(tmp_path, name, target):
    kernel = triton.compile(ASTSource(*SOURCES[name]), TARGETS[target])
    path = tmp_path / "kernel.ttgir"
    path.write_text(kernel.asm["ttgir"])
    again = triton.compile(path, TARGETS[target])
    # The last line says of the parameters what is known from .ttir.
    code, right = (k.asm["ptx"].rpartition("// tritium: ")[0] for k in (again, kernel))
    assert code and code == right and again.asm["ttgir"]
    for field in ("name", "num_warps", "shared"):
        assert getattr(again.metadata, field) == getattr(kernel.metadata, field)
    assert [(p.name, p.type, p.written) for p in again.metadata.parameters] == [
        (p.name, p.type, p.written) for p in kernel.metadata.parameters]


def test_ttgir_is_for_a_gpu(tmp_path):
    path = tmp_path / "kernel.ttgir"
    path.write_text(triton.compile(ASTSource(*SOURCES["copied"]), TARGETS["sm_80"]).asm["ttgir"])
    with pytest.raises(triton.CompilationError, match="is for a GPU: name one as the target"):
        triton.compile(path)


def written(tmp_path, kernel, stage):
    path = tmp_path / f"kernel.{stage}"
    path.write_text(kernel.asm[stage])
    return path


def described(kernel):
    fields = {"cached", "compile_ms", "hash", "remarks", "n_regs", "n_spills", "parameters"}
    return ({k: v for k, v in kernel.metadata._asdict().items() if k not in fields},
            [vars(p) for p in kernel.metadata.parameters])


@pytest.mark.parametrize("name", SOURCES)
def test_llir_of_a_cpu_goes_on(tmp_path, name):
    kernel = triton.compile(ASTSource(*SOURCES[name]))
    again = triton.compile(written(tmp_path, kernel, "llir"))
    assert again.asm["obj"] == kernel.asm["obj"] and described(again) == described(kernel)
    assert again.asm["asm"] == kernel.asm["asm"]


def test_edited_llir_runs(tmp_path):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = copied[(1,)](x, y, 100, B=128)
    path = written(tmp_path, kernel, "llir")
    again = triton.compile(path)
    again[(1,)](x, y * 0, 100)
    text = path.read_text()
    assert "float 2.0" in text
    path.write_text(text.replace("float 2.0", "float 3.0"))
    triton.compile(path)[(1,)](x, y, 100)
    np.testing.assert_array_equal(y, 3 * x)
    # It was compiled for arrays that do not overlap.
    with pytest.raises(triton.ArgumentError, match="for arguments that do not overlap only"):
        again[(1,)](x, x, 100)


@pytest.mark.parametrize("line,found", [
    ("define i32", "llir:.* error: "),  # no syntax
    ("@x = appending global i32 0", "Only global arrays")])  # syntax that is not valid
def test_bad_llir(tmp_path, line, found):
    path = written(tmp_path, triton.compile(ASTSource(*SOURCES["copied"])), "llir")
    text, mark, last = path.read_text().rpartition("; tritium: ")
    path.write_text(text + line + "\n" + mark + last)
    with pytest.raises(triton.CompilationError, match=found):
        triton.compile(path)


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("stage", ["llir", "ptx"])
@pytest.mark.parametrize("name", SOURCES)
def test_later_stages_of_a_gpu_go_on(tmp_path, name, stage, target):
    kernel = triton.compile(ASTSource(*SOURCES[name]), TARGETS[target])
    again = triton.compile(written(tmp_path, kernel, stage), TARGETS[target])
    assert again.asm["ptx"] == kernel.asm["ptx"] and described(again) == described(kernel)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stage", ["llir", "ptx", "asm", "cubin"])
def test_what_cannot_go_on(tmp_path, target, stage):
    kernel = triton.compile(ASTSource(*SOURCES["copied"]), TARGETS[target])
    path = tmp_path / f"kernel.{stage}"
    if stage == "cubin":
        path.write_bytes(b"\x7fELF\xff\xfe")
    elif stage not in kernel.asm:
        pytest.skip("no such stage")
    else:
        path.write_text(kernel.asm[stage].rpartition("tritium: ")[0] or kernel.asm[stage])
    with pytest.raises(triton.CompilationError) as error:
        triton.compile(path, TARGETS[target])
    assert type(error.value) is triton.CompilationError and "bug" not in str(error.value)
    if stage != "asm":
        assert "go on from tile IR" in str(error.value)


def test_a_text_is_for_its_target(tmp_path):
    path = written(tmp_path, triton.compile(ASTSource(*SOURCES["copied"])), "llir")
    with pytest.raises(triton.CompilationError, match="its text is for a CPU, but the target is"):
        triton.compile(path, TARGETS["sm_80"])
    path = written(tmp_path, triton.compile(ASTSource(*SOURCES["copied"]), TARGETS["sm_80"]), "ptx")
    with pytest.raises(triton.CompilationError, match="its text is for a GPU, but the target is"):
        triton.compile(path)


NARROW = """
module attributes {"ttg.num-warps" = 1 : i32} {
  llvm.func @narrow(%x: !llvm.ptr<1>, %h: f16, %b: bf16, %s: f32, %d: f64, %i: i16) {
    %0 = llvm.fpext %h : f16 to f32
    %1 = llvm.fpext %b : bf16 to f32
    %2 = llvm.fadd %0, %1 : f32
    %3 = llvm.fadd %2, %s : f32
    llvm.store %3, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}
"""


def test_types_of_a_kernel_in_the_llvm_dialect(tmp_path):
    path = tmp_path / "narrow.mlir"
    path.write_text(NARROW)
    kernel = triton.compile(path, TARGETS["sm_80"])
    assert [p.type for p in kernel.metadata.parameters] == [
        "*i8", "fp16", "bf16", "fp32", "fp64", "i16"]
    path.write_text(NARROW.replace("%i: i16", "%i: vector<2xf32>"))
    with pytest.raises(triton.CompilationError, match="parameter 5 of kernel 'narrow' is of type"):
        triton.compile(path, TARGETS["sm_80"])
