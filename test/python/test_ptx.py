"""Kernels compiled for every architecture: ptxas, where there is one, takes what is emitted."""

import pathlib
import re

import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    row = tl.program_id(0) * stride
    v = tl.load(x + row + c, c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + c, e / tl.sum(e, axis=0), c < n)


@triton.jit
def matmul(a, b, c, K, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + i[:, None] * K + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * B + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * B + i[None, :], total)


@triton.jit
def count(x, out, B: tl.constexpr):
    tl.atomic_add(out + tl.load(x + tl.arange(0, B)), 1)


@triton.jit
def halvings(x):
    steps = 0
    while x > 1:
        x = x // 2
        steps += 1
    return steps


@triton.jit
def elements(x, out, TEXT: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    low, high = tl.inline_asm_elementwise(TEXT, "=&r,=r,r", [v], (tl.int8, tl.int8), True, 4)  # ASM
    if tl.target_info.cuda_capability_geq(9):
        tl.extra.cuda.gdc_wait()
    time = tl.extra.cuda.globaltimer() + tl.extra.cuda.smid()
    tl.store(out + i, tl.map_elementwise(halvings, low + high + v) + time)
    if tl.target_info.cuda_capability_geq(9):
        tl.extra.cuda.gdc_launch_dependents()


NIBBLES = """{
    .reg .b32 t;
    and.b32 $0, $2, 0x0f0f0f0f;
    shr.u32 t, $2, 4;
    and.b32 $1, t, 0x0f0f0f0f;
}"""

SOURCES = {
    "elements": (elements, {"x": "*i8", "out": "*i64"}, {"TEXT": NIBBLES, "B": 300}),
    "add": (add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1000}),
    "softmax": (softmax, {"x": "*fp32", "out": "*fp32", "stride": "i32", "n": "i32"},
                {"BLOCK": 781}),
    "matmul": (matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}, {"B": 64}),
    "count": (count, {"x": "*i32", "out": "*i32"}, {"B": 256}),
}


@pytest.mark.parametrize("arch", [75, 80, 86, 89, 90, 100])
@pytest.mark.parametrize("name", SOURCES)
def test_assembles(name, arch, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = triton.compile(ASTSource(*SOURCES[name]), GPUTarget("cuda", arch, 32))
    assert f".entry {name}(" in kernel.asm["ptx"]
    if kernel.n_regs == 0:
        pytest.skip("no ptxas")
    assert kernel.asm["cubin"][:4] == b"\x7fELF"
    # Products on 7.5 are done without tensor cores, from registers that do not suffice.
    assert kernel.n_spills == 0 or (name, arch) == ("matmul", 75)


@pytest.mark.parametrize("block,warps,maxnreg", [
    (256, 8, None), (256, 16, None), (256, 32, None), (64, 4, 40), (64, 4, 64), (64, 4, 32)])
def test_products_of_warp_groups_have_registers(block, warps, maxnreg, monkeypatch):
    """An instruction of many columns needs many registers; with the fewest there is none."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    function, signature, _ = SOURCES["matmul"]
    options = {"num_warps": warps, "num_stages": 1, **({"maxnreg": maxnreg} if maxnreg else {})}
    kernel = triton.compile(ASTSource(function, signature, {"B": block}),
                            GPUTarget("cuda", 90, 32), options)
    assert ("wgmma" in kernel.asm["ptx"]) == (maxnreg != 32)
    if kernel.n_regs == 0:
        pytest.skip("no ptxas")
    assert kernel.asm["cubin"][:4] == b"\x7fELF"


@triton.jit
def looped_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    columns = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@pytest.mark.parametrize("tile,warps,words", [
    ((64, 64, 32), 4, []), ((128, 128, 64), 8, []), ((128, 256, 64), 8, []),
    ((256, 128, 64), 8, []),
    ((128, 256, 64), 4, ["registers do not suffice", "wait for one another"])])
def test_what_ptxas_says_of_products(tile, warps, words, monkeypatch):
    """Of the usual tiles nothing; where registers do not suffice, what that means."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    source = ASTSource(looped_matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32",
                                       "N": "i32", "K": "i32"},
                       dict(zip(("BM", "BN", "BK"), tile)),
                       {name: [["tt.divisibility", 16]] for name in "abcMNK"})
    kernel = triton.compile(source, GPUTarget("cuda", 90, 32),
                            {"num_warps": warps, "num_stages": 3})
    assert "wgmma" in kernel.asm["ptx"]
    if kernel.n_regs == 0:
        pytest.skip("no ptxas")
    said = [remark for remark in kernel.remarks if remark.pass_ == "ptxas"]
    assert len(said) == len(words), said
    for remark, word in zip(said, words):
        assert word in remark.message and pathlib.Path(remark.file).name == "test_ptx.py"
        assert remark.line == looped_matmul.fn.__code__.co_firstlineno + 1
    assert (kernel.n_spills > 4) == bool(words)


@triton.jit
def narrow(a, b, c, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           OUT: tl.constexpr, IMPRECISE: tl.constexpr, ACROSS: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), OUT)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (start + k)[None, :])
        y = tl.load(b + ((start + k)[:, None] * BN + n[None, :] if ACROSS else
                         (start + k)[:, None] + n[None, :] * K))
        total = tl.dot(x, y, total, max_num_imprecise_acc=IMPRECISE)
    tl.store(c + m[:, None] * BN + n[None, :], total)


@pytest.mark.parametrize("element,out,instruction,block,warps,imprecise,sums,across", [
    ("fp8e4nv", "fp32", "k32.f32.e4m3.e4m3", (128, 256, 128), 8, None, 0, False),
    ("fp8e4nv", "fp32", "k32.f32.e4m3.e4m3", (128, 256, 128), 8, None, 0, True),
    ("fp8e4nv", "fp32", "k32.f32.e4m3.e4m3", (128, 128, 128), 4, None, 0, False),
    ("fp8e4nv", "fp32", "k32.f32.e4m3.e4m3", (64, 64, 128), 4, 0, 4, False),
    ("fp8e5", "fp32", "k32.f32.e5m2.e5m2", (128, 256, 128), 8, 128, 2, False),
    ("fp8e5", "fp32", "k32.f32.e5m2.e5m2", (128, 128, 128), 8, 64, 2, True),
    ("i8", "i32", "k32.s32.s8.s8", (128, 256, 128), 8, None, 0, False),
    ("u8", "i32", "k32.s32.u8.u8", (128, 128, 128), 4, None, 0, True),
    ("fp32", "fp32", "k8.f32.tf32.tf32", (128, 256, 32), 8, None, 0, False),
    ("fp32", "fp32", "k8.f32.tf32.tf32", (128, 256, 32), 8, None, 0, True),
    ("fp32", "fp32", "k8.f32.tf32.tf32", (128, 128, 32), 4, None, 0, True),
    ("fp16", "fp16", "k16.f16.f16.f16", (128, 256, 64), 8, None, 0, True)])
def test_narrow_products_of_warp_groups(element, out, instruction, block, warps, imprecise, sums,
                                        across, monkeypatch):
    """ptxas lets them run on their own, with registers for all; what may be imprecise for some
    products only begins anew as often, in halves where registers do not suffice."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    constants = dict(zip(("BM", "BN", "BK"), block), K=1024, IMPRECISE=imprecise, ACROSS=across,
                     OUT={"fp32": tl.float32, "i32": tl.int32, "fp16": tl.float16}[out])
    signature = {"a": f"*{element}", "b": f"*{element}", "c": f"*{out}"}
    aligned = {name: [["tt.divisibility", 16]] for name in signature}
    kernel = triton.compile(ASTSource(narrow, signature, constants, aligned),
                            GPUTarget("cuda", 90, 32), {"num_warps": warps, "num_stages": 3})
    assert f"{instruction} " in kernel.asm["ptx"] and "mma.sync" not in kernel.asm["ptx"]
    assert kernel.asm["ptx"].count("setp.ne.b32 p, 0, 0") == sums
    if kernel.n_regs == 0:
        pytest.skip("no ptxas")
    assert kernel.n_spills == 0
    assert [r for r in kernel.remarks if r.pass_ == "ptxas"] == []


@pytest.mark.parametrize("text,words", [
    ("nonsense.b32 $0, $2; mov.b32 $1, $2;", "nonsense"),
    ("mov.b32 $0, $2; mov.b32 $1, undeclared;", "undeclared"),
    ("mov.b32 $0, $2; mov.b32 $1, $2", ""),  # it ends too soon
])
def test_assembly_that_ptxas_refuses(text, words, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    if triton.compile(ASTSource(*SOURCES["elements"]), GPUTarget("cuda", 90, 32)).n_regs == 0:
        pytest.skip("no ptxas")
    function, signature, _ = SOURCES["elements"]
    source = ASTSource(function, signature, {"TEXT": text, "B": 256})
    with pytest.raises(Exception) as caught:
        triton.compile(source, GPUTarget("cuda", 90, 32))
    lines = pathlib.Path(__file__).read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.endswith("# ASM"))
    message = str(caught.value)
    assert f"test_ptx.py:{line}:" in message, message
    assert "does not take this assembly" in message and words in message, message


@triton.jit
def places_of_greatest(x, y, out, n, BLOCK: tl.constexpr):
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    at = tl.zeros([BLOCK], tl.int32)
    wanted = tl.load(y)
    seen = tl.zeros([BLOCK], tl.int32)
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=-float("inf"))
        at = tl.where(v > best, i, at)
        best = tl.maximum(v, best)
        seen += (i == wanted).to(tl.int32)
    tl.store(out + tl.arange(0, BLOCK), at + seen)


@pytest.mark.parametrize("wanted", ["*i32", "*i64"])
def test_indices_have_their_constants_last(wanted, monkeypatch):
    """16 indices of a thread are one number and a constant each, in a loop, too, but for those of
    which addresses are made: were the constants added to what stays the same, as many registers
    more would be taken over the loop, or as pairs twice as many.
    """
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    source = ASTSource(places_of_greatest, {"x": "*fp32", "y": wanted, "out": "*i32", "n": "i32"},
                       {"BLOCK": 4096}, {"x": [["tt.divisibility", 16]]})
    ptx = triton.compile(source, GPUTarget("cuda", 90, 32), {"num_warps": 8}).asm["ptx"]
    constants = {1024 * k + i for k in range(4) for i in (1, 2, 3)}
    loop = ptx[ptx.index("setp.ge"):]
    for width in ("32", "64")[:1 if wanted == "*i32" else 2]:
        added = {int(c) for c in re.findall(rf"add\.s{width} \s*%\w+, %\w+, (\d+);", loop)}
        assert constants <= added, (width, constants - added)
