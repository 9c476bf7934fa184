"""What ptxas says of kernels: in remarks, in errors, and to the tuner."""

import re

import pytest

from fake_driver import run
from fake_ptxas import SERIALIZED, ptxas
from test_warp_groups import narrow_keys

import tritium as triton
from tritium.compiler import ASTSource, GPUTarget


def ptxas_that_says(folder, said):
    """What it says of a kernel with so many threads."""
    return ptxas(folder, f"""
        import re
        threads = int(re.search(r"(?:reqntid|maxntid) *(\\d+)", ptx)[1])
        print({said!r}.get(threads, ""))
    """)


SPILLED = "    72 bytes stack frame, 64 bytes spill stores, 68 bytes spill loads"

TUNED = """
    import ctypes
    fake = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
    fake.fakeDriverCost.argtypes = [ctypes.c_int, ctypes.c_double]
    # What a launch with so many threads takes, in ms.
    for threads, cost in ((64, 1.0), (128, 2.0), (256, 3.0), (512, 4.0)):
        fake.fakeDriverCost(threads, cost)

    def tuned(*warps, debug=False):
        @triton.autotune([triton.Config({}, num_warps=w) for w in warps], key=["n"])
        @triton.jit
        def increment(x, n, BLOCK: tl.constexpr):
            tl.device_assert(n > 0)
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)

        launched = increment[(2,)](Tensor(), 64, BLOCK=32, debug=debug)
        print(launched.metadata.num_warps, increment.source,
              sorted(config.num_warps for config in increment.dropped))
        return increment, launched
"""


def test_tuning_sets_aside_what_ptxas_says_is_slow(tmp_path):
    said = ptxas_that_says(tmp_path, {64: SERIALIZED, 128: SPILLED, 512: SPILLED})
    out = run(tmp_path, TUNED + """
    increment, _ = tuned(2, 4, 8)
    for config, why in increment.dropped.items():
        print(config.num_warps, why)
    tuned(2, 4, 8)
    # Without the others those are compared that were not, though one of them may have a time.
    tuned(4, 16)
    tuned(2, 4)
    tuned(2, 4)
    tuned(2, 4, 8)
    """, TRITON_PTXAS_PATH=said, TRITON_PRINT_AUTOTUNING="1")
    table = [line for line in out.splitlines() if "num_warps:" in line or "Auto" in line]
    lines = [line for line in out.splitlines() if line not in table]
    assert lines == [
        "8 measured [2, 4]",
        "2 products of warp groups wait for one another, and nothing runs beside them: registers "
        "do not suffice for the products in flight (ptxas, C7511) (other configurations do not "
        "have that; TRITIUM_TUNING=always measures all)",
        "4 registers do not suffice: 64 bytes a thread are spilled to memory at 40 registers "
        "(other configurations do not have that; TRITIUM_TUNING=always measures all)",
        "8 recorded [2, 4]", "4 measured []", "2 measured []", "2 recorded []", "2 recorded []"]
    assert "not measured: registers do not suffice: 64 bytes" in table[2]


def test_tuning_measures_where_nothing_better_is(tmp_path):
    said = ptxas_that_says(tmp_path, {64: SERIALIZED, 128: SPILLED, 256: SPILLED})
    assert run(tmp_path, TUNED + "    tuned(2, 4, 8)", TRITON_PTXAS_PATH=said) == (
        "2 measured []\n")
    # No ptxas: the driver assembles, and says nothing.
    assert run(tmp_path, TUNED + "    tuned(2, 4, 8)", TRITON_PTXAS_PATH="none") == (
        "2 measured []\n")


def test_tuning_always_measures_all(tmp_path):
    said = ptxas_that_says(tmp_path, {64: SERIALIZED, 128: SPILLED})
    assert run(tmp_path, TUNED + "    tuned(2, 4, 8)", TRITON_PTXAS_PATH=said,
               TRITIUM_TUNING="always") == "2 measured []\n"


def test_tuning_falls_back_on_what_was_set_aside(tmp_path):
    """The only configuration without a handicap does not run."""
    said = ptxas_that_says(tmp_path, {64: SERIALIZED, 128: SPILLED})
    out = run(tmp_path, TUNED + """
    fake.fakeDriverFailAssert(0)
    tuned(2, 4, 8, debug=True)
    """, TRITON_PTXAS_PATH=said)
    assert out == "2 measured [8]\n"


def test_remarks_of_ptxas(tmp_path):
    said = ptxas_that_says(tmp_path, {64: SERIALIZED + "\n" + SPILLED})
    out = run(tmp_path, TUNED + """
    increment, launched = tuned(2)
    for remark in launched.remarks:
        if remark.pass_ == "ptxas":
            print(remark.line, remark.message)
    print(launched.n_regs, launched.n_spills)
    """, TRITON_PTXAS_PATH=said)
    _, spills, products, numbers = out.splitlines()
    line = spills.split()[0]
    assert spills == (f"{line} registers do not suffice: 64 bytes a thread are spilled to memory "
                      "at 40 registers; use smaller tiles, more warps, or a larger maxnreg")
    assert products == (f"{line} products of warp groups wait for one another, and nothing runs "
                        "beside them: registers do not suffice for the products in flight (ptxas, "
                        "C7511); use smaller tiles, more warps, or a larger maxnreg")
    assert int(line) > 0 and numbers == "40 16"


@pytest.mark.parametrize("own", [None, "glibc.malloc.tcache_count=0"])
def test_environment_of_ptxas(own, tmp_path, monkeypatch):
    """It is given large pages, unless the user's own settings say otherwise; all else is ours."""
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    said = tmp_path / "said"
    path = ptxas(tmp_path, f"""
        import os
        names = ("GLIBC_TUNABLES", "MARK")
        open({str(said)!r}, "w").write(" ".join(os.environ.get(name, "-") for name in names))
    """)
    run(tmp_path, "scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)",
        TRITON_PTXAS_PATH=path, MARK="seen", **({"GLIBC_TUNABLES": own} if own else {}))
    given, mark = said.read_text().split()
    assert mark == "seen"
    assert given == own if own else given.startswith("glibc.malloc.hugetlb=1:")


def test_ptxas_starts_before_there_is_ptx(tmp_path):
    """It gets ready while its input is compiled, and is gone where that fails."""
    said = tmp_path / "said"
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nif [ $1 = --version ]; then\n"
                     "echo 'Cuda compilation tools, release 13.0, V13.0.0'\nexit\nfi\n"
                     "for last; do case $last in *.ptx) source=$last;; esac; done\n"
                     f"[ -p $source ] && echo waits $$ >>{said}\n"
                     "cat $source >$last\n")
    ptxas.chmod(0o755)
    out = run(tmp_path, """
        kernel = scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)
        print(kernel.asm["ptx"].startswith(kernel.asm["cubin"].decode()))

        @triton.jit
        def wrong(x, BLOCK: tl.constexpr):
            tl.store(x + tl.arange(0, BLOCK), y)

        try:
            wrong[(2,)](Tensor(), BLOCK=32)
        except triton.CompilationError:
            print("refused")
        # No child is left, also none that waits to be asked for its status.
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("alone")
    """, TRITON_PTXAS_PATH=str(ptxas))
    assert out == "True\nrefused\nalone\n"
    assert "waits" in said.read_text()


@pytest.mark.parametrize("limit,spills", [("", 0), (", maxnreg=32", 160)])
def test_registers_are_asked_for_where_some_are_spilled(limit, spills, tmp_path):
    """An assembler that spends few until one CTA a multiprocessor is enough; the author's limit
    stays.
    """
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nif [ $1 = --version ]; then\n"
                     "echo 'Cuda compilation tools, release 13.0, V13.0.0'\nexit\nfi\n"
                     "for last; do case $last in *.ptx) source=$last;; esac; done\n"
                     "if grep -q '^.minnctapersm 1$' $source; then\n"
                     "echo 'ptxas info    : Used 80 registers'\nelse\n"
                     "echo '    640 bytes stack frame, 640 bytes spill stores, "
                     "640 bytes spill loads'\n"
                     "echo 'ptxas info    : Used 32 registers'\nfi\n"
                     "echo cubin >$last\n")
    ptxas.chmod(0o755)
    out = run(tmp_path, f"""
        kernel = scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32{limit})
        print(kernel.n_spills, "minnctapersm 1\\n" in kernel.asm["ptx"])
    """, TRITON_PTXAS_PATH=str(ptxas))
    assert out == f"{spills} {not spills}\n"


def test_tuning_with_the_real_ptxas(tmp_path):
    """A lane holds 64 numbers, which 32 registers do not."""
    out = run(tmp_path, """
        @triton.autotune([triton.Config({}, num_warps=1, maxnreg=n) for n in (32, 128)], key=[])
        @triton.jit
        def center(x, y, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            v = tl.load(x + i)
            tl.store(y + i, v - tl.sum(v) / BLOCK)

        launched = center[(1,)](Tensor(2048), Tensor(2048), BLOCK=2048)
        print(launched.n_regs > 0, "cubin" in launched.asm, launched.n_spills)
        for config, why in center.dropped.items():
            print(config.maxnreg, why.split(":")[0])
    """)
    lines = out.splitlines()
    if lines[0].split()[1] == "False":
        pytest.skip("no ptxas")
    assert lines == ["True True 0", "32 registers do not suffice"]


def test_a_product_that_no_thread_has_registers_for(tmp_path):
    """ptxas's own words stand behind the line of the kernel, the rule and what helps."""
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nif [ $1 = --version ]; then\n"
                     "echo 'Cuda compilation tools, release 13.0, V13.0.0'\nexit\nfi\n"
                     "echo 'ptxas fatal   : (C7602) Insufficient registers (24) to compile "
                     "instruction at line 451 in function scale'\nexit 255\n")
    ptxas.chmod(0o755)
    out = run(tmp_path, """
        try:
            scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)
        except triton.PTXASError as error:
            print(open(error.file).read().splitlines()[error.line - 1])
            print(error)
    """, TRITON_PTXAS_PATH=str(ptxas))
    where, meaning, *said = out.splitlines()
    assert where.startswith("def scale")
    assert meaning.endswith(": error: kernel 'scale': one product of warp groups takes more "
                            "registers than a thread has (ptxas, C7602); use fewer columns a "
                            "tile, fewer warps, or a larger maxnreg")
    assert "script.py:" in meaning and "Insufficient registers (24)" in "".join(said)


# One after the other, each with what was left before it: operands in registers, the loop over
# programs, the warp for copies. What the author asks for stays.
@pytest.mark.parametrize("options, left", [
    ({}, ["in registers", "in a loop over programs", "with a warp for copies"]),
    ({"warp_specialize": True}, ["in registers", "in a loop over programs"]),
    ({"persistent": True}, ["in registers", "with a warp for copies"])])
def test_what_ptxas_finds_slow_is_left(tmp_path, monkeypatch, options, left):
    types = {"q_ptr": "*fp16", "k_ptr": "*i8", "v_ptr": "*i8", "o_ptr": "*fp32", "scale": "fp32",
             "n": "i32"}
    source = ASTSource(narrow_keys, types, {"D": 128, "BM": 128, "BN": 128},
                       {name: [["tt.divisibility", 16]] for name in types})
    options = {"num_warps": 8, "num_stages": 2, **options}

    def compiled():
        kernel = triton.compile(source, GPUTarget("cuda", 90, 32), options)
        reasons = [re.search(r": (in registers|in a loop over programs|with a warp for copies), "
                             "products of warp groups wait", r.message) for r in kernel.remarks]
        return kernel, [reason[1] for reason in reasons if reason]

    kernel, reasons = compiled()
    ttgir = kernel.asm["ttgir"]
    assert "ttng.keep_operand" in ttgir and "ttg.warp_groups" in ttgir and not reasons
    monkeypatch.setenv("TRITON_PTXAS_PATH", ptxas(tmp_path, f"print({SERIALIZED!r})"))
    kernel, reasons = compiled()
    ttgir = kernel.asm["ttgir"]
    assert reasons == left and "ttng.keep_operand" not in ttgir
    assert kernel.metadata.persistent == ("persistent" in options)
    assert ("ttg.warp_groups" in ttgir) == ("warp_specialize" in options)
