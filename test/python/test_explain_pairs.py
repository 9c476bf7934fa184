"""Slow and fast kernels, one table: the first hint for the slow one is the change that makes the
fast one; and kernels for which nothing is proposed. Rows whose `fails` says why are not right yet:
docs/explain.md lists them, and one that has become right fails here. What takes long to compile and
to count in many ways runs with TRITIUM_MATRIX=all."""

import dataclasses
import os

import pytest
from explaining import ROOT, explained, tritium

KERNELS = ROOT / "test" / "python" / "explain_kernels"
HALF = "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16"
HALVES = "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16"


@dataclasses.dataclass
class Row:
    name: str
    kernel: str  # "file kernel"
    signature: str
    constants: str
    arguments: str
    grid: str
    first: tuple = ()  # the code of the first hint and what it says; (): there is no hint
    options: str = ""
    target: str = "cuda:90"
    fails: str = ""

    def arguments_of_the_command(self):
        file, kernel = self.kernel.split()
        command = [KERNELS / f"{file}.py", "--kernel", kernel, "--signature", self.signature,
                   "--target", self.target, "--grid", self.grid]
        for name, items in (("--constexpr", self.constants), ("--arg", self.arguments),
                            ("--option", self.options)):
            for item in items.split():
                command += [name, item]
        return command


def products(extent, depth):
    return f"a=M*K b=K*N c=M*N M={extent} N={extent} K={depth}"


PAIRS = [
    Row("1 copy, base not known to be aligned", "memory copy", "*fp16,*fp16:16,i32:16",
        "BLOCK=4096", "x=n out=n n=1048576", "cdiv(n,BLOCK)", ("promise-multiple", "16 divides x")),
    Row("2 row offset loaded from memory", "memory rows_of_list", "*fp16:16,*i32:16,*fp16:16",
        "BLOCK=4096", "x=1048576 starts=512 out=512*BLOCK", "512",
        ("coalesce/narrow", "tl.multiple_of(offsets, 8)")),
    Row("3 pitch of 3001", "memory add_rows", "*fp16:16,*fp16:16,*fp16:16,i32,i32", "BLOCK=3072",
        "x=256*pitch y=256*pitch out=256*pitch pitch=3001 width=3000", "256",
        ("coalesce/narrow", "pitch"),
        fails="code has a version of its own for such rows, and memory bounds both by the model"),
    Row("4 loads of every second element", "memory evens_and_odds", "*fp16:16,*fp16:16",
        "BLOCK=4096", "x=4194304 out=2097152", "512", ("coalesce/scattered", "tl.split")),
    Row("7 conversion in the loop", "products scaled_product",
        "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16", "BM=128 BN=128 BK=64",
        "a=1408*K scale=1408*BK b=K*N c=1408*N N=1408 K=512", "11,11",
        ("convert-layout/in-loop", "before the loop"), "num_warps=8"),
    Row("8 mask that changes from one to the next", "memory every_other", "*fp16:16,*fp16:16",
        "BLOCK=4096", "x=1048576 out=1048576", "256", ("coalesce/mask", "tl.where")),
    Row("9 tile of 4096 for rows of 2100", "memory decay_rows", "*fp32:16,*fp32:16,i32:16",
        "BLOCK=4096", "x=512*width out=512*width width=2112", "512", ("BLOCK", "BLOCK=2112"),
        fails="a tile of 2112 elements takes the instructions of one of 4096"),
    Row("10 16 warps for 128 elements", "memory copy", "*fp16:16,*fp16:16,i32:16", "BLOCK=128",
        "x=n out=n n=1048576", "cdiv(n,BLOCK)", ("num_warps", "num_warps=4"), "num_warps=16"),
    Row("11 sum of 128 by 4 warps", "sums row_totals", "*fp32:16,*fp32:16,i32:16", "BLOCK=128",
        "x=rows*BLOCK out=rows rows=16896", "4224", ("num_warps", "num_warps=1")),
    Row("12 tile of 256x256, which spills", "products product", HALF, "BM=256 BN=256 BK=64",
        products(1536, 128), "cdiv(M,BM),cdiv(N,BN)", ("BM", "BM=128"), "num_warps=8"),
    Row("13 maxnreg=64, which spills", "products product", HALF, "BM=128 BN=128 BK=32",
        products(1408, 256), "cdiv(M,BM),cdiv(N,BN)", ("maxnreg", "no maxnreg"), "maxnreg=64",
        target="cuda:80"),
    Row("14 132 programs that stream", "memory stream", "*fp16:16,*fp16:16,i32:16", "BLOCK=2048",
        "x=n out=n n=1048576", "132", ("programs", " programs")),
    Row("15 num_stages=1", "products product", HALF, "BM=128 BN=128 BK=64", products(1408, 256),
        "cdiv(M,BM),cdiv(N,BN)", ("num_stages", "num_stages="), "num_warps=8 num_stages=1"),
    Row("16 5 stages that leave room for one CTA", "products product", HALVES,
        "BM=128 BN=128 BK=32", "a=M*K b=K*N c=M*N M=3072 N=1792 K=128",
        "cdiv(M,BM),cdiv(N,BN)", ("num_stages", "num_stages=3"), "num_warps=4 num_stages=5",
        target="cuda:86"),
    Row("17 8 warps of 32x64 of the result", "products product", HALF, "BM=128 BN=128 BK=32",
        "a=M*K b=K*N c=M*N M=1536 N=1152 K=512", "cdiv(M,BM),cdiv(N,BN)",
        ("num_warps", "num_warps=4"), "num_warps=8", target="cuda:80"),
    Row("18 BK=16", "products product", HALF, "BM=128 BN=128 BK=16", products(1408, 256),
        "cdiv(M,BM),cdiv(N,BN)", ("BK", "BK="), "num_warps=8"),
    Row("19 f32 by ieee", "products product",
        "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "BM=64 BN=64 BK=32",
        products(704, 512), "cdiv(M,BM),cdiv(N,BN)",
        ("accelerate-matmul/precision", "default_dot_input_precision=tf32"),
        "default_dot_input_precision=ieee"),
    Row("20 product of 8 rows", "products product",
        "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16", "BM=8 BN=64 BK=64",
        "a=M*K b=K*N c=M*N M=8 N=16384 K=64", "cdiv(M,BM),cdiv(N,BN)", ("BM", "BM=")),
    Row("21 int8, right operand row-major", "products integer_product",
        "*i8:16,*i8:16,*i32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=128",
        products(1408, 1408), "cdiv(M,BM),cdiv(N,BN)", ("convert-layout/turned", "transposed"),
        "num_warps=8"),
    Row("22 fp8, right operand row-major", "products product",
        "*fp8e5:16,*fp8e5:16,*fp32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=128",
        products(1408, 1408), "cdiv(M,BM),cdiv(N,BN)", ("convert-layout/turned", "transposed"),
        "num_warps=8"),
    Row("23 atomics of all elements on one number", "sums total_by_elements", "*fp32:16,*fp32:16",
        "BLOCK=1024", "x=262144 out=1", "256", ("atomics", "tl.sum")),
    Row("24 histogram in memory", "sums histogram_in_memory", "*i32:16,*i32:16",
        "BLOCK=4096 BINS=256", "x=262144 out=256", "64", ("atomics", "tl.histogram")),
    Row("26 133 programs", "memory decay_rows", "*fp32:16,*fp32:16,i32:16", "BLOCK=4096",
        "x=133*width out=133*width width=4096", "133", ("last-wave", "evenly")),
    Row("27 exp of products", "memory softmaxes", "*fp16:16,*fp16:16,i32:16", "BLOCK=1024",
        "out=264*width x=264*width width=1024", "264", ("exp2", "tl.exp2")),
]

# 5, 6, 25: the compiler does it by itself.
NULLS = [
    Row("copy", "memory copy", "*fp16:16,*fp16:16,i32:16", "BLOCK=4096", "x=n out=n n=4194304",
        "cdiv(n,BLOCK)"),
    Row("softmax", "memory softmax", "*fp16:16,*fp16:16,i32:16", "BLOCK=2048",
        "out=1056*width x=1056*width width=2048", "1056"),
    Row("copy by 48 of 64 warps", "memory copy", "*fp16:16,*fp16:16,i32:16", "BLOCK=8192",
        "x=n out=n n=8650752", "cdiv(n,BLOCK)"),
    Row("load of 2 % of the bytes, not known to be aligned", "memory add_to_rows",
        "*fp16:16,*fp16,*fp16:16,i32:16", "BLOCK=1024",
        "x=528*48*BLOCK row=BLOCK out=528*48*BLOCK rows=48", "528"),
    Row("conversion that runs once, at the end", "memory sum_turned",
        "*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "T=32",
        "x=n*m*count out=n*m n=1056 m=1024 count=32", "33,32"),
    Row("5 transposed store: goes through a tile", "memory transpose",
        "*fp32:16,*fp32:16,i32:16,i32:16", "T=64", "x=n*m out=n*m n=2048 m=2048", "32,32"),
    Row("6 conversion: its tile is swizzled", "memory transpose",
        "*fp16:16,*fp16:16,i32:16,i32:16", "T=64", "x=n*m out=n*m n=2048 m=2048", "32,32"),
    Row("25 load of a broadcast tile: loaded once", "memory scale_tile",
        "*fp32:16,*fp32:16,*fp32:16,i32:16", "M=16 N=256",
        "x=16384*width factors=16384 out=16384*width width=256", "1024"),
]


SLOW = {"7", "12", "13", "16", "17", "18", "19", "20", "22"}


def hintsFor(row):
    document = explained(*row.arguments_of_the_command())
    assert len(document["hints"]) <= 4 and "refused" not in document
    for hint in document["hints"]:
        gain = hint["gain"]
        assert gain["worst"] <= gain["expected"] <= gain["best"] and gain["expected"] >= 1.02
    return document["hints"]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.name.split()[0])
def test_the_first_hint_is_the_change(row):
    if row.name.split()[0] in SLOW and os.environ.get("TRITIUM_MATRIX") != "all":
        pytest.skip("only with TRITIUM_MATRIX=all")
    hints = hintsFor(row)
    code, title = row.first
    isRight = bool(hints) and hints[0]["code"] == code and title in hints[0]["title"]
    assert isRight != bool(row.fails), hints


@pytest.mark.parametrize("row", NULLS, ids=lambda row: row.name)
def test_nothing_is_proposed(row):
    assert hintsFor(row) == []


def test_what_does_something_else_is_no_hint():
    """A tile that is shorter than the row would be faster, and leaves its end out."""
    (row,) = [row for row in PAIRS if row.name.startswith("9 ")]
    command = row.arguments_of_the_command()
    assert [hint for hint in hintsFor(row) if hint["code"] == "BLOCK"] == []
    # So it is found where the row is as short.
    short = [item.replace("width=2112", "width=1024") if isinstance(item, str) else item
             for item in command]
    assert "BLOCK=2048" in [hint["title"] for hint in explained(*short)["hints"]]


def test_hints_have_80_columns():
    (row,) = [row for row in PAIRS if row.name.startswith("2 ")]
    text = tritium("explain", *row.arguments_of_the_command())
    assert max(map(len, text.splitlines())) <= 80
    assert "(estimated), line 19" in " ".join(text.split())


def main():
    """Writes the table of docs/explain.md."""
    print("| slow kernel | first hint | gain | |\n|---|---|---|---|")
    for row in PAIRS + NULLS:
        hints = hintsFor(row)
        title, gain, how = "none", "", ""
        if hints:
            title, gain = hints[0]["title"], f"{hints[0]['gain']['expected']:.2f}"
            how = hints[0]["certainty"]
        print(f"| {row.name} | {title} | {gain} | "
              f"{'not right yet: ' + row.fails if row.fails else how} |", flush=True)


if __name__ == "__main__":
    main()
