"""Slow and fast kernels for CPUs: explanations name what makes the slow one slow, on its line, and
say nothing of it for the fast one."""

import dataclasses

import pytest
from explaining import ROOT, explained

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
