"""Slow and fast kernels for CPUs: explanations name what makes the slow one slow, on its line, and
say nothing of it for the fast one."""

import dataclasses
import re
import shutil
import subprocess

import pytest
from explaining import ROOT, explained, tritium

FILE = ROOT / "test" / "python" / "explain_kernels" / "cpu.py"
FLOATS, BRAINS = "*fp32,*fp32,i32", "*bf16,*bf16,*fp32,i32"


@dataclasses.dataclass
class Kernel:
    name: str
    signature: str
    constants: str
    target: str = "cpu:skylake-avx512"

    def remarks(self):
        constants = [part for item in self.constants.split() for part in ("--constexpr", item)]
        return explained(FILE, "--kernel", self.name, "--signature", self.signature, *constants,
                         "--target", self.target)


PAIRS = {
    "gather": (Kernel("by_index", "*fp32,*i32,*fp32", "BLOCK=1024"),
               Kernel("by_start", "*fp32,*i32,*fp32", "BLOCK=1024"),
               "tile-to-cpu/gathered", "the index is loaded", "tl.load(x + tl.load(index"),
    "column": (Kernel("column", FLOATS, "BLOCK=1024"), Kernel("columns", FLOATS, "BLOCK=64"),
               "tile-to-cpu/gathered", "the stride is known only as the kernel runs",
               "tl.load(x + i * pitch"),
    "tiles": (Kernel("product", "*fp32,*fp32,*fp32,i32", "BM=128 BN=256 BK=64"),
              Kernel("product", "*fp32,*fp32,*fp32,i32", "BM=32 BN=32 BK=32"),
              "tile-to-cpu/scratch", "372992 bytes in scratch memory", "def product("),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_was_missed(name):
    slow, fast, code, cause, text = PAIRS[name]
    document = slow.remarks()
    (missed,) = [remark for remark in document["remarks"] if remark["kind"] == "missed"]
    assert missed["code"] == code and cause in missed["message"]
    assert missed["fix"]["kind"] == "source"
    (line,) = [line for line in document["lines"] if line["line"] == missed["place"]["line"]]
    assert text in line["text"]
    assert [remark for remark in fast.remarks()["remarks"] if remark["kind"] == "missed"] == []


def arguments(kernel, case, name):
    return {remark["arguments"][name] for remark in kernel.remarks()["remarks"]
            if remark["code"] == f"tile-to-cpu/{case}"}


def test_masks_that_are_looked_at_for_each_element():
    assert arguments(Kernel("some", FLOATS, "BLOCK=1024"), "lanes", "masks") == {"in each round"}
    assert arguments(Kernel("first", FLOATS, "BLOCK=1024"), "lanes", "masks") == {"looked at once"}


def test_products_without_instructions_for_their_type():
    slow = Kernel("product", BRAINS, "BM=32 BN=32 BK=32")
    fast = dataclasses.replace(slow, target="cpu:sapphirerapids")
    assert arguments(slow, "product", "unit") == {"registers"}
    assert arguments(slow, "product", "k_at_once") == {"1"}
    assert arguments(fast, "product", "unit") == {"AMX"}
    blocks = dataclasses.replace(slow, target="cpu:neoverse-v1")
    assert arguments(blocks, "product", "k_at_once") == {"4"}
    (message,) = {remark["message"] for remark in blocks.remarks()["remarks"]
                  if remark["code"] == "tile-to-cpu/product"}
    assert "takes 4 of k of two rows and two columns at once, by BFMMLA, in blocks" in message


SOFTMAX = ("examples/softmax.py", "--kernel", "softmax_kernel", "--signature",
           "*fp16:16,*fp16:16,i32,i32,i32", "--constexpr", "BLOCK_SIZE=4096", "--target")


def test_clocks_of_loops_are_those_of_llvm_mca():
    program = shutil.which("llvm-mca-19") or shutil.which("llvm-mca")
    if not program:
        pytest.skip("there is no llvm-mca")
    document = explained(*SOFTMAX, "cpu:sapphirerapids")
    text = document["stages"]["asm"].splitlines()
    assert len(document["loops"]) >= 4
    for loop in document["loops"]:
        rows = text[loop["first"] - 1:loop["last"]]
        body = "\n".join(row for row in rows if not row.startswith(("\t.loc", "\t.p2align")))
        clocks = []
        for rounds in (200, 400):
            said = subprocess.run(
                [program, "-mtriple=x86_64", "-mcpu=sapphirerapids", f"-iterations={rounds}"],
                input=body + "\n", capture_output=True, text=True, check=True).stdout
            clocks.append(int(re.search(r"Total Cycles: +(\d+)", said)[1]))
        assert loop["simulated"]["value"] == pytest.approx((clocks[1] - clocks[0]) / 200, abs=0.25)
        assert loop["simulated"]["grade"] == loop["least"]["grade"] == "estimated"
        assert loop["least"]["value"] >= float(re.search(r"RThroughput: +([\d.]+)", said)[1])
        assert loop["least"]["value"] <= loop["simulated"]["value"] + 0.01


def test_loops_belong_to_lines():
    document = explained(*SOFTMAX, "cpu:sapphirerapids")
    text = document["stages"]["asm"].splitlines()
    lines = {line["line"]: line for line in document["lines"]}
    largest = max(document["loops"], key=lambda loop: loop["instructions"])
    assert sum(part["clocks"] for part in largest["lines"]) == pytest.approx(
        largest["least"]["value"], abs=0.05)
    (exponential,) = [line for line in lines.values() if "tl.exp" in line.get("text", "")]
    assert max(largest["lines"], key=lambda part: part["clocks"])["line"] == exponential["line"]
    rows = [text[row - 1] for first, last in exponential["assembly"]
            for row in range(first, last + 1)]
    code = [row for row in rows if re.match(r"\t[a-z]", row)]
    assert exponential["instructions"]["value"] == len(code)
    assert any("vfmadd" in row for row in code)


def test_loops_without_clocks():
    documents = {cpu: explained(*SOFTMAX, "cpu:" + cpu) for cpu in ("x86-64-v3", "k8")}
    reasons = {cpu: {loop["not_estimated"] for loop in document["loops"]}
               for cpu, document in documents.items()}
    assert reasons == {"x86-64-v3": {"'x86-64-v3' stands for many CPUs: name one"},
                       "k8": {"LLVM has no scheduling model of k8"}}
    amx = explained(FILE, "--kernel", "product", "--signature", BRAINS, "--constexpr", "BM=64",
                    "--constexpr", "BN=64", "--constexpr", "BK=64", "--target",
                    "cpu:sapphirerapids")
    said = [loop.get("not_estimated") for loop in amx["loops"]]
    assert "LLVM's times of AMX are not to be trusted" in said and None in said
    assert "not estimated: LLVM has no" in tritium("explain", *SOFTMAX, "cpu:k8")
