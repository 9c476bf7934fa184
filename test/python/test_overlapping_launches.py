"""Launches that are started while the one in front of them ends: what is in their code, and with
TRITIUM_TEST_BACKENDS=cuda and PyTorch, on a GPU of compute capability 9.0, that they read what that
one has written."""

import os
import re

import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget
from tritium.language.extra import cuda

torch = pytest.importorskip("torch") if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else None


@triton.jit
def rotate(x, y, n, step, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + (i + step) % n) + 1)


@triton.jit
def product(a, b, c, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    m, n = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    acc = tl.zeros((TM, TN), tl.float32)
    for i in range(0, K, TK):
        x = tl.load(a + m[:, None] * K + i + k[None, :])
        y = tl.load(b + n[None, :] * K + i + k[:, None])
        acc = tl.dot(x, y, acc)
    at = m[:, None] * (tl.num_programs(1) * TN) + n[None, :]
    tl.store(c + at, acc.to(tl.float16))


@triton.jit
def triggers_and_waits_late(x, y):
    cuda.gdc_launch_dependents()
    v = tl.load(x)
    cuda.gdc_wait()
    tl.store(y, v)


def compiled(kernel, types, constants, capability=90, **options):
    signature = dict(zip(kernel.arg_names, types.split()))
    attributes = {(i,): [["tt.divisibility", 16]]
                  for i, t in enumerate(signature.values()) if t[0] == "*" or t == "i32"}
    return triton.compile(ASTSource(kernel, signature, constants, attributes),
                          GPUTarget("cuda", capability, 32), options)


def rotation(capability=90, **options):
    return compiled(rotate, "*i32 *i32 i32 i32 constexpr", {"BLOCK": 1024}, capability, **options)


def order(kernel):
    """What its PTX does with barriers, other launches and memory, each the first time."""
    text = kernel.asm["ptx"]
    found = re.findall(r"mbarrier\.init|griddepcontrol\.\w+|ld\.global|st\.global|cp\.async|"
                       r"red\.global|atom\.global", text)
    return list(dict.fromkeys(found))


def test_waits_before_memory():
    kernel = rotation()
    assert order(kernel) == ["griddepcontrol.wait", "ld.global", "st.global"]
    assert kernel.metadata.waits_for_launches


@pytest.mark.parametrize("options", [{"warp_specialize": False}, {"warp_specialize": True},
                                     {"split_k": 4}, {"stream_k": True}, {"tensor_copies": False},
                                     {"dynamic_scheduling": True}, {"persistent": False}])
def test_products_wait(options):
    """Barriers are made before; copies come behind, whoever makes them."""
    kernel = compiled(product, "*fp16 *fp16 *fp16 i32 constexpr constexpr constexpr",
                      {"TM": 128, "TN": 128, "TK": 64}, num_warps=8, **options)
    found = order(kernel)
    assert kernel.metadata.waits_for_launches
    assert found[:found.index("griddepcontrol.wait")] in ([], ["mbarrier.init"])
    assert "griddepcontrol.launch_dependents" not in found
    assert kernel.asm["ptx"].count("griddepcontrol") == 1


@pytest.mark.parametrize("capability, options", [
    (80, {}), (90, {"launch_pdl": False}), (90, {"launch_cooperative_grid": True}),
    (90, {"launch_pdl": True})])
def test_where_the_compiler_leaves_it_out(capability, options):
    kernel = rotation(capability, **options)
    assert "griddepcontrol" not in kernel.asm["ptx"]
    assert not kernel.metadata.waits_for_launches


def test_none_is_the_default():
    assert rotation(launch_pdl=None).asm["ptx"] == rotation().asm["ptx"]


def test_an_author_who_waits_late():
    """Without launch_pdl the launch waits as any other."""
    kernel = compiled(triggers_and_waits_late, "*fp32 *fp32", {})
    assert order(kernel) == ["griddepcontrol.wait", "ld.global", "st.global"]
    assert kernel.asm["ptx"].count("griddepcontrol") == 1


@pytest.mark.parametrize("options", [{"launch_pdl": False}, {"launch_cooperative_grid": True}])
def test_launches_apart_do_nothing_about_others(options):
    kernel = compiled(triggers_and_waits_late, "*fp32 *fp32", {}, **options)
    assert "griddepcontrol" not in kernel.asm["ptx"]
    assert not kernel.metadata.waits_for_launches


def test_an_author_who_says_how():
    kernel = compiled(triggers_and_waits_late, "*fp32 *fp32", {}, launch_pdl=True)
    assert order(kernel) == ["griddepcontrol.launch_dependents", "ld.global", "griddepcontrol.wait",
                             "st.global"]


@pytest.mark.parametrize("stage", ["ptx", "llir"])
def test_text_that_was_changed(tmp_path, stage):
    """Its launch waits for the one in front of it, whatever the code does."""
    path = tmp_path / f"rotate.{stage}"
    text = rotation().asm[stage]
    for changed, waits in ((text, True), (text.replace("griddepcontrol.wait;", ""), False),
                           (text.replace("\n", "\n\n", 1), False)):
        path.write_text(changed)
        compiled = triton.compile(str(path), GPUTarget("cuda", 90, 32))
        assert compiled.metadata.waits_for_launches == waits


def test_its_ttgir_has_the_wait(tmp_path):
    path = tmp_path / "rotate.ttgir"
    text = rotation().asm["ttgir"]
    assert text.count("tt.grid_dependency wait") == 1
    path.write_text(text)
    assert triton.compile(str(path), GPUTarget("cuda", 90, 32)).metadata.waits_for_launches
    path.write_text(re.sub(r"tt\.grid_dependency wait( loc\(.*\))?", "", text))
    assert not triton.compile(str(path), GPUTarget("cuda", 90, 32)).metadata.waits_for_launches


#===-- On a GPU -------------------------------------------------------------===#

on_a_gpu = pytest.mark.skipif(not torch, reason="TRITIUM_TEST_BACKENDS=cuda")


@pytest.fixture
def stream(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        yield stream
    torch.cuda.synchronize()


def chain(x, y, launches, between=lambda i: None, **options):
    """Each launch reads, elsewhere, what the one in front of it has written."""
    n = x.numel()
    for i in range(launches):
        rotate[(n // 1024,)](x, y, n, 7 * 1024 + 13, BLOCK=1024, **options)
        between(i)
        x, y = y, x
    return x


def expected(x, launches):
    return x.roll(-(7 * 1024 + 13) * launches) + launches


@on_a_gpu
@pytest.mark.parametrize("n", [1 << 14, 1 << 17, 1 << 20, 1 << 24])
@pytest.mark.parametrize("warps", [1, 4, 8])
def test_reads_what_the_launch_before_has_written(stream, n, warps):
    x = torch.arange(n, device="cuda", dtype=torch.int32)
    launches = 301
    found = chain(x.clone(), torch.empty_like(x), launches, num_warps=warps)
    assert torch.equal(found, expected(x, launches))


@on_a_gpu
@pytest.mark.parametrize("n", [1 << 14, 1 << 20])
def test_in_a_graph(stream, n):
    x = torch.arange(n, device="cuda", dtype=torch.int32)
    a, b = x.clone(), torch.empty_like(x)
    chain(a, b, 2)
    other, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()

    def fork(i):
        """Now and then another stream reads, and this one waits for it."""
        if i % 10 == 5:
            other.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(other):
                seen.copy_(b if i % 2 == 0 else a)
            torch.cuda.current_stream().wait_stream(other)

    seen = torch.empty_like(x)
    with torch.cuda.graph(graph):
        found = chain(a, b, 100, fork)
    a.copy_(x)
    for _ in range(3):
        graph.replay()
    assert torch.equal(found, expected(x, 300))
    assert torch.equal(seen, expected(x, 200 + 96))


@on_a_gpu
def test_between_kernels_of_others(stream):
    x = torch.arange(1 << 20, device="cuda", dtype=torch.int32)
    a, b = x.clone(), torch.empty_like(x)
    both = [a, b]

    def between(i):
        if i % 3 == 0:
            both[(i + 1) % 2].add_(1)
        if i % 5 == 0:
            torch.cuda.Event().record()

    found = chain(a, b, 150, between)
    assert torch.equal(found, expected(x, 150) + 50)


@on_a_gpu
@pytest.mark.parametrize("options", [{}, {"split_k": 4}, {"stream_k": True},
                                     {"dynamic_scheduling": True, "warp_specialize": True},
                                     {"tensor_copies": False}, {"num_stages": 1}])
@pytest.mark.parametrize("captured", [False, True])
def test_products_in_a_chain(stream, options, captured):
    """Products by a permutation, whose results are what the next one multiplies."""
    n, launches = 512, 40
    a = torch.randn(n, n, device="cuda", dtype=torch.float16)
    places = torch.randperm(n, device="cuda")
    b = torch.eye(n, device="cuda", dtype=torch.float16)[places].contiguous()
    x, y = a.clone(), torch.empty_like(a)

    def run(x, y):
        for _ in range(launches):
            product[(n // 128, n // 128)](x, b, y, n, 128, 128, 64, num_warps=8, **options)
            x, y = y, x
        return x

    if captured:
        run(x, y)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = run(x, y)
        x.copy_(a)
        graph.replay()
    else:
        found = run(x, y)
    want = a
    for _ in range(launches):
        want = want[:, places]
    assert torch.equal(found, want)
