"""Launches that `tritium explain` speaks of: slow kernels and what makes them fast, kernels for
which nothing is to be proposed (test_explain_pairs.py), and others whose times are predicted;
explain_rates.py has those that measure what the model takes for granted. What
bench/gpu/predictions.py measures of them stands in explain_times.json."""

import ast
import dataclasses
import functools
import pathlib
import tempfile

from explaining import ROOT

KERNELS = ROOT / "test" / "python" / "explain_kernels"
HALF = "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16"
HALVES = "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16"


FAMILIES = tempfile.TemporaryDirectory(prefix="families")


@functools.cache
def family(name):
    """A file with the kernels of a module of bench/gpu/families. There they take the language from
    one that chooses the implementation, which a file that is read and not run cannot say."""
    source = (ROOT / "bench" / "gpu" / "families" / f"{name}.py").read_text()
    text = "import tritium as triton\nimport tritium.language as tl\n"
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef) and "triton.jit" in map(ast.unparse,
                                                                         function.decorator_list):
            text += "\n\n@triton.jit\n" + ast.get_source_segment(source, function) + "\n"
    file = pathlib.Path(FAMILIES.name) / f"{name}.py"
    file.write_text(text)
    return file


@dataclasses.dataclass
class Row:
    name: str
    kernel: str  # "file kernel"; "families/module kernel": of bench/gpu
    signature: str  # "@fp16": a descriptor of such numbers
    constants: str
    # Of a descriptor the extents of the array and of a block: a=M,K:BM,BK. Addresses of two arrays
    # of halves: a=2:addresses:fp16:M*K.
    arguments: str
    grid: str
    first: tuple = ()  # the code of the first hint and what it says; (): there is no hint
    options: str = ""
    target: str = "cuda:90"
    fails: str = ""
    own_code: bool = False  # it is measured as code for its target, else for the GPU that measures
    fast: dict = dataclasses.field(default_factory=dict)  # what the fast one has instead

    @property
    def file(self):
        file = self.kernel.split()[0]
        if file.startswith("families/"):
            return family(file.removeprefix("families/"))
        return ROOT / file if "/" in file else KERNELS / f"{file}.py"

    @property
    def is_triton_c(self):
        return self.file.suffix == ".tc"

    @property
    def is_of_python(self):
        """The command makes no descriptors and no addresses: made_launches.py does."""
        return "@" in self.signature or ":addresses:" in self.arguments

    def faster(self):
        return dataclasses.replace(self, **self.fast)

    def arguments_of_the_command(self, target=None):
        """`target`: another than the row's."""
        kernel = self.kernel.split()[1]
        command = [self.file, "--kernel", kernel, "--signature", self.signature,
                   "--target", target or self.target, "--grid", self.grid]
        for name, items in (("-D" if self.is_triton_c else "--constexpr", self.constants),
                            ("--arg", self.arguments), ("--option", self.options)):
            for item in items.split():
                command += [name + item] if name == "-D" else [name, item]
        return command


def products(extent, depth):
    return f"a=M*K b=K*N c=M*N M={extent} N={extent} K={depth}"


PAIRS = [
    Row("1 sums of bytes, base not known to be aligned", "sums totals", "*i8,*i32:16,i32:16",
        "BLOCK=4096", "x=n out=1056 n=65536", "1056", ("promise-multiple", "16 divides x"),
        fast=dict(signature="*i8:16,*i32:16,i32:16")),
    Row("2 row offset loaded from memory", "memory rows_of_list", "*fp16:16,*i32:16,*fp16:16",
        "BLOCK=4096", "x=1048576 starts=512 out=512*BLOCK", "512",
        ("coalesce/narrow", "tl.multiple_of(offsets, 8)"),
        fast=dict(kernel="memory rows_of_list_promised")),
    Row("3 pitch of 3001", "memory add_rows", "*fp16:16,*fp16:16,*fp16:16,i32,i32", "BLOCK=3072",
        "x=256*pitch y=256*pitch out=256*pitch pitch=3001 width=3000", "256",
        ("version-tails", "pass multiples of 8 as pitch"),
        fast=dict(signature="*fp16:16,*fp16:16,*fp16:16,i32:16,i32",
                  arguments="x=256*pitch y=256*pitch out=256*pitch pitch=3008 width=3000")),
    Row("4 loads of every second element", "memory evens_and_odds", "*fp16:16,*fp16:16",
        "BLOCK=4096", "x=4194304 out=2097152", "512", ("coalesce/scattered", "tl.split"),
        fast=dict(kernel="memory evens_and_odds_split")),
    Row("7 conversion in the loop", "products scaled_product",
        "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16", "BM=128 BN=128 BK=64",
        "a=4096*K scale=4096*BK b=K*N c=4096*N N=4096 K=1024", "32,32",
        ("convert-layout/in-loop", "before the loop"), "num_warps=8"),
    Row("8 mask that changes from one to the next", "sums totals_of_even", "*i8:16,*i32:16,i32:16",
        "BLOCK=4096", "x=n out=1056 n=65536", "1056", ("coalesce/mask", "tl.where"),
        fast=dict(kernel="sums totals_of_even_chosen")),
    Row("9 tile of 4096 for rows of 2100", "memory decay_rows", "*fp32:16,*fp32:16,i32:16",
        "BLOCK=4096", "x=512*width out=512*width width=2112", "512", ("num_warps", "num_warps=8"),
        fast=dict(options="num_warps=8")),
    Row("10 16 warps for 128 elements", "memory copy", "*fp16:16,*fp16:16,i32:16", "BLOCK=128",
        "x=n out=n n=1048576", "8192", ("num_warps", "num_warps=4"), "num_warps=16",
        fast=dict(options="num_warps=4")),
    Row("11 sum of 128 by 4 warps", "sums row_totals", "*fp32:16,*fp32:16,i32:16", "BLOCK=128",
        "x=rows*BLOCK out=rows rows=16896", "4224", ("num_warps", "num_warps=1"),
        fast=dict(options="num_warps=1")),
    Row("12 tile of 256x256, which spills", "products product", HALF, "BM=256 BN=256 BK=64",
        products(3072, 512), "cdiv(M,BM),cdiv(N,BN)", ("BM", "BM=128"), "num_warps=8",
        fast=dict(constants="BM=128 BN=256 BK=64")),
    Row("13 maxnreg=64, which spills", "products product", HALF, "BM=128 BN=128 BK=32",
        products(4096, 512), "cdiv(M,BM),cdiv(N,BN)", ("maxnreg", "no maxnreg"), "maxnreg=64",
        target="cuda:80",
        fast=dict(options="")),
    Row("14 132 programs that stream", "memory stream", "*fp16:16,*fp16:16,i32:16", "BLOCK=2048",
        "x=n out=n n=1048576", "132", ("programs", " programs"),
        fast=dict(grid="1056")),
    Row("15 num_stages=1", "products product", HALF, "BM=128 BN=128 BK=64", products(4096, 1024),
        "cdiv(M,BM),cdiv(N,BN)", ("num_stages", "num_stages="), "num_warps=8 num_stages=1",
        fast=dict(options="num_warps=8 num_stages=3")),
    Row("16 5 stages that leave room for one CTA", "products product", HALVES,
        "BM=128 BN=128 BK=32", "a=M*K b=K*N c=M*N M=4096 N=4096 K=512",
        "cdiv(M,BM),cdiv(N,BN)", ("num_stages", "num_stages=3"), "num_warps=4 num_stages=5",
        target="cuda:86",
        fast=dict(options="num_warps=4 num_stages=3")),
    Row("17 8 warps of 32x64 of the result", "products product", HALF, "BM=128 BN=128 BK=32",
        "a=M*K b=K*N c=M*N M=4096 N=4096 K=1024", "cdiv(M,BM),cdiv(N,BN)",
        ("num_warps", "num_warps=4"), "num_warps=8", target="cuda:80",
        fast=dict(options="num_warps=4")),
    Row("18 BK=16", "products product", HALF, "BM=128 BN=128 BK=16", products(4096, 1024),
        "cdiv(M,BM),cdiv(N,BN)", ("BK", "BK="), "num_warps=8",
        fast=dict(constants="BM=128 BN=128 BK=64")),
    Row("19 f32 by ieee", "products product",
        "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "BM=64 BN=64 BK=32",
        products(2048, 512), "cdiv(M,BM),cdiv(N,BN)",
        ("accelerate-matmul/precision", "default_dot_input_precision=tf32"),
        "default_dot_input_precision=ieee",
        fast=dict(options="default_dot_input_precision=tf32")),
    Row("20 product of 8 rows", "products product",
        "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16", "BM=8 BN=64 BK=64",
        "a=M*K b=K*N c=M*N M=8 N=16384 K=64", "cdiv(M,BM),cdiv(N,BN)", ("BM", "BM="),
        fast=dict(constants="BM=16 BN=64 BK=64")),
    Row("21 int8, right operand row-major", "products integer_product",
        "*i8:16,*i8:16,*i32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=128",
        products(4096, 2048), "cdiv(M,BM),cdiv(N,BN)", ("convert-layout/turned", "transposed"),
        "num_warps=8",
        fast=dict(constants="BM=128 BN=128 BK=128 BN_LIES_ACROSS=True")),
    Row("22 fp8, right operand row-major", "products product",
        "*fp8e5:16,*fp8e5:16,*fp32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=128",
        products(4096, 2048), "cdiv(M,BM),cdiv(N,BN)", ("convert-layout/turned", "transposed"),
        "num_warps=8",
        fast=dict(constants="BM=128 BN=128 BK=128 BN_LIES_ACROSS=True")),
    Row("23 atomics of all elements on one number", "sums total_by_elements", "*fp32:16,*fp32:16",
        "BLOCK=1024", "x=262144 out=1", "256", ("atomics", "tl.sum"),
        fast=dict(kernel="sums total_by_programs")),
    Row("24 histogram in memory", "sums histogram_in_memory", "*i32:16,*i32:16",
        "BLOCK=4096 BINS=256", "x=262144 out=256", "64", ("atomics", "tl.histogram"),
        fast=dict(kernel="sums histogram_in_tile")),
    Row("26 133 programs", "memory decay_rows", "*fp32:16,*fp32:16,i32:16", "BLOCK=4096",
        "x=133*width out=133*width width=4096", "133", ("last-wave", "evenly"),
        fast=dict(arguments="x=132*width out=132*width width=4096", grid="132")),
    Row("27 exponentials with all digits", "memory softmaxes_of_all_digits",
        "*fp16:16,*fp16:16,i32:16", "BLOCK=1024", "out=264*width x=264*width width=1024", "264",
        ("exp", "tl.exp"), fast=dict(kernel="memory softmaxes")),
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

# Examples and kernels of the integration suite, of which only the time is asked.
GROUPED = ("*i64:16,*i64:16,*i64:16,*i32:16,*i32:16,i32", "BM=64 BN=64 BK=32 PROGRAMS=128",
           "a_addresses=4:addresses:fp16:1048576 b_addresses=4:addresses:fp16:1048576 "
           "c_addresses=4:addresses:fp16:1048576 sizes_ptr=12:1024 strides_ptr=12:1024 "
           "n_products=4", "PROGRAMS")
TIMED = [
    Row("copy of one tile", "memory copy", "*fp16:16,*fp16:16,i32:16", "BLOCK=4096",
        "x=n out=n n=4096", "1"),
    Row("vector add", "examples/vector_add.py add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16",
        "BLOCK_SIZE=4096", "x_ptr=n_elements y_ptr=n_elements output_ptr=n_elements "
        "n_elements=16777216", "cdiv(n_elements,BLOCK_SIZE)"),
    Row("four products of addresses", "examples/grouped_matmul.py grouped_matmul_kernel",
        *GROUPED),
    Row("four products by descriptors of addresses",
        "examples/grouped_matmul.py grouped_matmul_descriptors_kernel", *GROUPED),
    Row("softmax of 1024 columns", "examples/softmax.py softmax_kernel",
        "*fp32:16,*fp32:16,i32:16,i32:16,i32:16",
        "BLOCK_SIZE=1024", "output_ptr=16384*n_cols input_ptr=16384*n_cols "
        "input_row_stride=1024 output_row_stride=1024 n_cols=1024", "16384"),
    Row("softmax of rows in a loop", "examples/softmax.py softmax_grid_stride_kernel",
        "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16", "BLOCK_SIZE=1024 num_stages=2",
        "output_ptr=16384*n_cols input_ptr=16384*n_cols input_row_stride=1024 "
        "output_row_stride=1024 n_rows=16384 n_cols=1024", "528"),
    Row("layer norm", "examples/layer_norm.py layer_norm_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32",
        "BLOCK_SIZE=4096", "x_ptr=8192*n_cols y_ptr=8192*n_cols weight_ptr=n_cols bias_ptr=n_cols "
        "mean_ptr=8192 rstd_ptr=8192 stride=4096 n_cols=4096 eps=0.00001", "8192"),
    Row("sums of columns", "examples/layer_norm.py add_rows_kernel",
        "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16", "BLOCK_ROWS=32 BLOCK_COLS=128",
        "dweight_ptr=n_cols dbias_ptr=n_cols partial_dweight_ptr=n_rows*n_cols "
        "partial_dbias_ptr=n_rows*n_cols n_rows=256 n_cols=16384", "cdiv(n_cols,BLOCK_COLS)"),
    Row("dropout by a seed", "examples/dropout.py dropout_kernel",
        "*fp32:16,*fp32:16,i32:16,fp32,i32", "BLOCK_SIZE=4096", "x_ptr=n_elements "
        "output_ptr=n_elements n_elements=16777216 p=0.5 seed=123", "cdiv(n_elements,BLOCK_SIZE)"),
    Row("dropout by a mask", "examples/dropout.py masked_dropout_kernel",
        "*fp32:16,*i8:16,*fp32:16,i32:16,fp32", "BLOCK_SIZE=1024", "x_ptr=n_elements "
        "keep_ptr=n_elements output_ptr=n_elements n_elements=16777216 p=0.5",
        "cdiv(n_elements,BLOCK_SIZE)"),
    Row("arc sine", "examples/device_library.py asin_kernel", "*fp32:16,*fp32:16,i32:16",
        "BLOCK_SIZE=1024", "x_ptr=n_elements y_ptr=n_elements n_elements=16777216",
        "cdiv(n_elements,BLOCK_SIZE)"),
    Row("polynomial", "examples/dependent_launch.py multiply_and_add_kernel",
        "*fp32:16,*fp32:16,*fp32:16,i32:16,fp32", "BLOCK_SIZE=1024 OVERLAP=False",
        "previous_ptr=n_elements x_ptr=n_elements output_ptr=n_elements n_elements=16777216 "
        "addend=0.5", "cdiv(n_elements,BLOCK_SIZE)"),
    Row("product", "examples/matmul.py matmul", HALVES, "BM=128 BN=128 BK=64",
        "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048", "cdiv(M,BM)*cdiv(N,BN)",
        options="num_warps=8"),
    Row("product of f32", "examples/matmul.py matmul",
        "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=32",
        "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048", "cdiv(M,BM)*cdiv(N,BN)",
        options="num_warps=8"),
    Row("product in a loop over tiles", "examples/persistent_matmul.py pointers_kernel", HALVES,
        "BM=128 BN=128 BK=64 GROUP_M=8", "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048",
        "132", options="num_warps=8"),
    Row("attention", "examples/attention.py attention_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16", "D=64 BM=128 BN=64 CAUSAL=False",
        "q_ptr=32*N*D k_ptr=32*N*D v_ptr=32*N*D o_ptr=32*N*D scale=0.125 N=2048", "cdiv(N,BM),32",
        options="num_warps=8"),
    Row("adam", "test/integration/test_kernels.py adam",
        "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,fp32,fp32,fp32,fp32", "BLOCK=1024",
        "p_ptr=n g_ptr=n m_ptr=n v_ptr=n:ones n=8388608 lr=0.01 beta1=0.9 beta2=0.999 "
        "eps=0.00000001", "cdiv(n,BLOCK)"),
    Row("cross entropy", "test/integration/test_kernels.py cross_entropy",
        "*fp32:16,*i64:16,*fp32:16,i32:16", "BLOCK=1024",
        "logits_ptr=4096*n_cols label_ptr=4096 loss_ptr=4096 n_cols=8192", "4096"),
    Row("convolution", "test/integration/test_kernels.py convolution",
        "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16", "TAPS=3 BW=512",
        "x_ptr=H*W w_ptr=9 out_ptr=H*W H=2048 W=2048", "H,cdiv(W,BW)"),
    Row("attention by a two-dot loop", "test/integration/test_workloads.py attention_forward",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,i32:16", "D=128 BM=128 BN=64",
        "q_ptr=16*N*D k_ptr=16*N*D v_ptr=16*N*D o_ptr=16*N*D lse_ptr=16*N scale=0.09 N=2048",
        "cdiv(N,BM),16", options="num_warps=8"),
    Row("scaled int8", "test/integration/test_workloads.py scaled_int8",
        "*i8:16,*i8:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "BM=128 BN=128 BK=128",
        "a_ptr=M*K b_ptr=N*K sa_ptr=M*K/BK sb_ptr=N*K/BK c_ptr=M*N M=2048 N=2048 K=2048",
        "cdiv(M,BM),cdiv(N,BN)", options="num_warps=8"),
    Row("two drawings of a mask", "test/integration/test_workloads.py dropout_twice",
        "*fp32:16,*fp32:16,i32:16,fp32,i32", "BLOCK=1024",
        "x_ptr=n y_ptr=n n=16777216 p=0.5 seed=123", "cdiv(n,BLOCK)"),
    Row("search", "test/integration/test_workloads.py binary_search",
        "*fp32:16,*fp32:16,*i32:16,i32:16,i32:16", "BLOCK=1024",
        "sorted_ptr=n:iota x_ptr=m out_ptr=m n=4096 m=4194304", "cdiv(m,BLOCK)"),
    Row("product by block pointers", "test/integration/test_block_pointers.py matmul",
        "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,i32,i32:16,i32,i32:16,i32",
        "BM=128 BN=128 BK=64", "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048 sam=2048 sak=1 "
        "sbk=2048 sbn=1 scm=2048 scn=1", "cdiv(M,BM),cdiv(N,BN)", options="num_warps=8"),
    Row("product by descriptors", "test/integration/test_descriptors.py matmul", HALVES,
        "BM=128 BN=128 BK=64", "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048",
        "cdiv(M,BM),cdiv(N,BN)", options="num_warps=8"),
]


def changed(row, what, **changes):
    """A row of PAIRS or NULLS, by its number, with other options or constants."""
    (found,) = [each for each in PAIRS + NULLS if each.name.split()[0] == row]
    return dataclasses.replace(found, name=f"{found.name}, {what}", **changes)


# What hints propose beside the pairs' changes, and code for older GPUs on the one that measures.
CHANGES = [
    changed("9", "BLOCK=2112", constants="BLOCK=2112"),
    changed("11", "num_warps=2", options="num_warps=2"),
    changed("13", "as sm_80", own_code=True),
    changed("13", "as sm_80, no maxnreg", own_code=True, options=""),
    changed("15", "num_stages=2", options="num_warps=8 num_stages=2"),
    changed("16", "as sm_86", own_code=True),
    changed("16", "as sm_86, num_stages=3", own_code=True, options="num_warps=4 num_stages=3"),
    changed("17", "as sm_80", own_code=True),
    changed("17", "as sm_80, num_warps=4", own_code=True, options="num_warps=4"),
    changed("18", "num_warps=4", options="num_warps=4"),
    changed("18", "BK=32", constants="BM=128 BN=128 BK=32"),
    *[changed("25", f"num_warps={warps}", options=f"num_warps={warps}") for warps in (2, 8, 16)],
]

# Launches that were held out, and whose times the model has been changed by since.
ONCE_HELD_OUT = [
    Row("rows copied in parts", "test/integration/test_shapes.py row_at_a_time",
        "*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "BLOCK=1024", "x_ptr=4096*n_cols "
        "out_ptr=4096*n_cols stride_x=4096 stride_out=4096 n_cols=4096", "4096"),
    Row("softmax of 8192 columns", "memory softmax", "*fp16:16,*fp16:16,i32:16", "BLOCK=8192",
        "out=2112*width x=2112*width width=8192", "2112", options="num_warps=8"),
    Row("product by tiles of 64x256", "examples/matmul.py matmul", HALVES, "BM=64 BN=256 BK=64",
        "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=4096 N=4096 K=2048", "cdiv(M,BM)*cdiv(N,BN)",
        options="num_warps=4"),
    Row("product of 64 rows", "examples/matmul.py matmul", HALVES, "BM=64 BN=64 BK=128",
        "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=64 N=8192 K=4096", "cdiv(M,BM)*cdiv(N,BN)",
        options="num_warps=4"),
    Row("attention with a diagonal", "examples/attention.py attention_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16", "D=128 BM=128 BN=64 CAUSAL=True",
        "q_ptr=16*N*D k_ptr=16*N*D v_ptr=16*N*D o_ptr=16*N*D scale=0.09 N=2048", "cdiv(N,BM),16",
        options="num_warps=8"),
    Row("gradients of attention's keys", "examples/attention.py attention_backward_keys_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,*fp16:16,fp32,i32:16",
        "D=64 BM=64 BN=64 CAUSAL=False", "q_ptr=32*N*D k_ptr=32*N*D v_ptr=32*N*D do_ptr=32*N*D "
        "lse_ptr=32*N delta_ptr=32*N dk_ptr=32*N*D dv_ptr=32*N*D scale=0.125 N=1024",
        "cdiv(N,BN),32"),
    Row("sums of products of rows", "examples/attention.py row_products_kernel",
        "*fp16:16,*fp16:16,*fp32:16,i32:16", "D=128 BM=64",
        "o_ptr=32*N*D do_ptr=32*N*D delta_ptr=32*N N=4096", "cdiv(N,BM),32"),
    Row("loop until all are done", "test/integration/test_workloads.py collatz",
        "*i64:16,*i32:16,i32:16", "BLOCK=256", "x_ptr=n:iota out_ptr=n n=131072",
        "cdiv(n,BLOCK)"),
    Row("atomics on different numbers", "test/integration/test_kernels.py histogram_by_atomics",
        "*i32:16,*i32:16,i32:16", "BLOCK=1024", "x_ptr=n:iota out_ptr=n n=4194304",
        "cdiv(n,BLOCK)"),
    Row("recurrence by scans", "test/integration/test_scans.py recurrence",
        "*fp32:16,*fp32:16,*fp32:16,i32", "T=32 D=32", "gate_ptr=n*T*D x_ptr=n*T*D "
        "out_ptr=n*T*D n=64", "1"),
    Row("gradients of attention's queries", "examples/attention.py "
        "attention_backward_queries_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,fp32,i32:16",
        "D=64 BM=64 BN=64 CAUSAL=True", "q_ptr=32*N*D k_ptr=32*N*D v_ptr=32*N*D do_ptr=32*N*D "
        "lse_ptr=32*N delta_ptr=32*N dq_ptr=32*N*D scale=0.125 N=1024", "cdiv(N,BM),32"),
    Row("attention's gradient with atomics", "test/integration/test_workloads.py "
        "attention_backward",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,fp32,"
        "i32:16", "D=64 BM=64 BN=64", "q_ptr=16*N*D k_ptr=16*N*D v_ptr=16*N*D o_ptr=16*N*D "
        "do_ptr=16*N*D lse_ptr=16*N dq_ptr=16*N*D dk_ptr=16*N*D dv_ptr=16*N*D scale=0.125 N=1024",
        "cdiv(N,BN),16"),
    Row("product by descriptors in a loop over tiles", "examples/persistent_matmul.py "
        "kernel_descriptors_kernel", HALVES, "BM=128 BN=256 BK=64 GROUP_M=8 HALVES=False",
        "a_ptr=M*K b_ptr=N*K c_ptr=M*N M=4096 N=4096 K=2048", "132", options="num_warps=8"),
    Row("product in one loop over steps", "test/integration/test_workloads.py persistent_product",
        "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32", "BM=128 BN=128 BK=64",
        "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=1024 GROUP=8", "132",
        options="num_warps=8"),
    Row("scans along both axes", "test/integration/test_scans.py in_a_loop",
        "*i32:16,*i32:16,i32", "M=64 N=64", "x_ptr=M*N out_ptr=M*N n=100", "1"),
    Row("gathers of a tile from itself", "test/integration/test_gather.py permute_rows",
        "*i32:16,*i32:16,i32", "M=64 N=128", "x_ptr=M*N out_ptr=M*N n=200", "1"),
    Row("fp8 products of products", "test/integration/test_dot.py chained_narrow",
        "*fp8e5:16,*fp8e5:16,*fp8e5:16,*fp32:16,i32", "N=64 IMPRECISE=32",
        "a_ptr=N*N b_ptr=n*N*N c_ptr=n*N*N out_ptr=N*N n=100", "1"),
    Row("places of maxima", "rows places_of_maxima", "*fp32:16,*i32:16,i32:16", "BLOCK=4096",
        "x=528*n out=528 n=65536", "528", options="num_warps=8"),
    Row("weighted means", "rows weighted_means",
        "*fp32:16,*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16", "BLOCK=64",
        "decay=channels keys=8*steps*channels values=8*steps*channels out=8*steps*channels "
        "steps=512 channels=4096", "64,8", options="num_warps=1"),
    Row("running sums", "rows running_sums", "*fp32:16,*fp32:16,i32:16", "BLOCK=1024",
        "x=2048*n out=2048*n n=8192", "2048"),
]

# Launches that are estimated, in explain_held_out.json, before they are measured.
HELD_OUT_AT_LAST = [
    Row("states of chunks", "families/recurrences chunk_state_kernel",
        "*fp16:16,*fp16:16,*fp32:16,*fp16:16,*fp32:16,i32:16", "D=128 V=128 CHUNK=64 BV=64",
        "k_ptr=64*T*D v_ptr=64*T*V g_ptr=64*T h_ptr=64*T/CHUNK*D*V last_ptr=64*D*V T=2048",
        "V/BV,64"),
    Row("retention", "families/recurrences retention_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32", "D=128 BLOCK_T=64 BLOCK_S=64",
        "q_ptr=32*T*D k_ptr=32*T*D v_ptr=32*T*D o_ptr=32*T*D scale=0.09 T=2048 heads=8",
        "cdiv(T,BLOCK_T),32"),
    Row("delta rule", "families/recurrences delta_rule_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,fp32,i32:16", "D=128 V=128 BV=16",
        "q_ptr=64*T*D k_ptr=64*T*D v_ptr=64*T*V g_ptr=64*T beta_ptr=64*T o_ptr=64*T*V scale=0.09 "
        "T=256", "V/BV,64", options="num_warps=1"),
    Row("selective scan", "families/recurrences selective_scan_kernel",
        "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16", "N=16 BLOCK=64",
        "x_ptr=2*channels*T dt_ptr=2*channels*T a_ptr=channels*N b_ptr=2*T*N c_ptr=2*T*N "
        "o_ptr=2*channels*T T=1024 channels=1536", "channels,2"),
    Row("best experts", "families/rows topk_kernel",
        "*fp32:16,*fp32:16,*i32:16,i32:16,i32:16,i32:16",
        "K=8 ROWS=16 BLOCK=128", "x_ptr=rows*n weight_ptr=rows*K id_ptr=rows*K rows=32768 n=128 "
        "stride=128", "cdiv(rows,ROWS)"),
    Row("sorts of pairs", "families/rows sort_pairs_kernel",
        "*fp32:16,*fp32:16,*i32:16,i32:16,i32:16", "BLOCK=1024", "x_ptr=4096*n key_ptr=4096*n "
        "at_ptr=4096*n stride=1024 n=1024", "4096"),
    Row("two rows by a matrix", "families/products gemv_kernel",
        "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16", "ROWS=2 BN=8 BK=512",
        "x_ptr=2*K w_ptr=N*K o_ptr=2*N N=14336 K=4096 sx=4096 sw=4096", "cdiv(N,BN)"),
    Row("norms of groups", "families/norms group_norm_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,fp32", "BLOCK=4096",
        "x_ptr=512*size y_ptr=512*size w_ptr=512 b_ptr=512 size=65536 per_group=16 hw=4096 "
        "groups=32 eps=0.00001", "512", options="num_warps=8"),
    Row("product by weights of 4 bits", "families/narrow_products int4_kernel",
        "*fp16:16,*i32:16,*fp16:16,*i32:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,"
        "i32:16,i32:16", "GROUP=128 BM=16 BN=64 BK=128 GM=8",
        "a_ptr=M*K b_ptr=K/8*N scale_ptr=K/GROUP*N zero_ptr=K/GROUP*N/8 c_ptr=M*N M=16 N=14336 "
        "K=4096 sam=4096 sbk=14336 ssg=14336 szg=1792 scm=14336", "cdiv(M,BM)*cdiv(N,BN)"),
    Row("int8 product by factors of rows and columns", "families/narrow_products int8_kernel",
        "*i8:16,*i8:16,*fp32:16,*fp32:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16",
        "BM=128 BN=128 BK=128 GM=8", "a_ptr=M*K b_ptr=N*K as_ptr=M bs_ptr=N c_ptr=M*N M=2048 "
        "N=4096 K=4096 sam=4096 sbn=4096 scm=4096", "cdiv(M,BM)*cdiv(N,BN)"),
]

# What makes examples and twenty kernels of the integration suite whole, chosen by what they do;
# they are estimated, in explain_held_out.json, before they are measured.
HELD_OUT_OF_THE_SUITE = [
    Row("attention with sums of its rows", "examples/attention.py attention_forward_kernel",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,i32:16",
        "D=128 BM=128 BN=64 CAUSAL=False", "q_ptr=16*N*D k_ptr=16*N*D v_ptr=16*N*D o_ptr=16*N*D "
        "lse_ptr=16*N scale=0.09 N=2048", "cdiv(N,BM),16", options="num_warps=8"),
    Row("product by the host's descriptors", "examples/persistent_matmul.py "
        "host_descriptors_kernel", "@fp16,@fp16,@fp16,i32:16,i32:16,i32:16",
        "BM=128 BN=128 BK=64 GROUP_M=8 HALVES=True", "a=M,K:BM,BK b=N,K:BN,BK c=M,N:BM,BN/2 "
        "M=4096 N=2048 K=2048", "132", options="num_warps=8"),
    Row("product of scaled fp8", "examples/block_scaled_matmul.py block_scaled_matmul_kernel",
        "@fp8e4nv,@u8,@fp8e4nv,@u8,@fp32,i32:16", "A_FORMAT=e4m3 B_FORMAT=e4m3 BM=128 BN=128 "
        "BK=128", "a_desc=2048,K:BM,BK a_scale_desc=16,K/128,32,16:1,1,32,16:127 "
        "b_desc=2048,K:BN,BK b_scale_desc=16,K/128,32,16:1,1,32,16:127 c_desc=2048,2048:BM,BN "
        "K=2048", "16,16"),
    Row("sum of Triton-C", "examples/triton-c/add.tc add", "*fp32:16,*fp32:16,*fp32:16,i32:16",
        "TYPE=float SIZE=1024", "x=n y=n z=n n=8388608", "cdiv(n,SIZE)"),
    Row("product of Triton-C", "examples/triton-c/matmul.tc matmul", "*fp16:16,*fp16:16,*fp16:16,"
        "i32:16,i32:16,i32:16,i32:16,i32:16,i32:16", "TYPE=half TM=128 TN=128 TK=64",
        "A=M*K B=K*N C=M*N M=2048 N=2048 K=2048 lda=2048 ldb=2048 ldc=2048",
        "cdiv(M,TM)*cdiv(N,TN)", options="num_warps=8"),
    Row("transposition of Triton-C", "examples/triton-c/transpose.tc transpose",
        "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16", "TYPE=float TM=32 TN=32",
        "X=M*N Y=M*N M=4096 N=2048 ldx=2048 ldy=4096", "cdiv(M,TM),cdiv(N,TN)"),
    Row("attention by descriptors", "test/integration/test_attention.py attend",
        "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32:16", "CAUSAL=True BM=128 BN=128 D=64",
        "q_ptr=heads*n*D k_ptr=heads*n*D v_ptr=heads*n*D o_ptr=heads*n*D scale=0.18 n=2048 "
        "heads=32", "cdiv(n,BM),heads", options="num_warps=8"),
    Row("product by columns", "test/integration/test_dot.py blocked",
        "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,i32:16",
        "sam=1 sbn=1 BM=128 BN=128 BK=64", "a_ptr=M*K b_ptr=K*N c_ptr=M*N M=2048 N=2048 K=2048 "
        "sak=2048 sbk=2048", "cdiv(M,BM),cdiv(N,BN)", options="num_warps=8"),
    Row("histogram", "test/integration/test_histogram.py add_up", "*i32:16,*i32:16,i32:16",
        "BLOCK=8192 BINS=512", "x_ptr=n:random out_ptr=BINS n=8388608", "cdiv(n,BLOCK)"),
    Row("rows added up by atomics", "test/integration/test_vector_atomics.py add_to_rows",
        "*fp32:16,*i32:16,*fp32:16,i32:16", "ROWS=16 N=128",
        "x_ptr=rows*N at_ptr=rows:iota out_ptr=rows*N rows=32768", "cdiv(rows,ROWS)"),
    Row("softmax of short rows", "test/integration/test_rows_in_tiles.py narrow_weights",
        "*fp16:16,*fp16:16,i32:16,i32", "R=16 BLOCK=64",
        "x_ptr=rows*n y_ptr=rows*n rows=131072 n=50", "cdiv(rows,R)"),
    Row("rows by an index", "test/integration/test_gather.py rows_by_product",
        "*fp32:16,*fp32:16,*i32:16", "", "x_ptr=8192*1024 out_ptr=8192*1024 sign_ptr=8192*16",
        "8192"),
    Row("copy by descriptors", "test/integration/test_descriptors.py double_all",
        "*fp32:16,*fp32:16,i32:16,i32:16,i32:16", "BM=32 BN=64 PADDING=zero",
        "x_ptr=M*N out_ptr=M*N M=8192 N=1024 stride=1024", "cdiv(M,BM)"),
    Row("product of pages", "test/integration/test_index_arithmetic.py paged_matmul",
        "*fp32:16,*i32:16,*fp32:16,*fp32:16,i32", "M=32 N=64 K=32",
        "a=steps*M*K pages=steps:iota b=steps*K*N c=M*N steps=32", "1"),
    Row("product by words of 4 bits", "test/integration/test_packed_words.py product",
        "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16",
        "M=64 N=128 BK=64 ALONG_K=True GROUP=64", "a_ptr=M*K b_ptr=K/8*N scale_ptr=K/GROUP*N "
        "c_ptr=M*N K=4096 sbk=128 zero=0", "1"),
    Row("running softmax", "test/integration/test_online_sums.py online",
        "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32", "ROWS=16 COLUMNS=128 BASE_2=True BRANCH=False",
        "x=ROWS*n*COLUMNS tops=ROWS first=ROWS out=ROWS n=100", "1"),
    Row("a loop for each element", "test/integration/test_elements.py in_a_loop",
        "*i32:16,*i32:16,i32", "N=256", "x_ptr=N:iota out_ptr=N rounds=10", "1"),
]


def examples_and_suite():
    """Launches of the kernels of examples that are counted, and of twenty of the suite."""
    rows = [row for row in TIMED if "/" in row.kernel] + HELD_OUT_OF_THE_SUITE
    kernels = {row.kernel for row in rows}
    return rows + [row for row in ONCE_HELD_OUT if row.kernel.startswith("examples/")
                   and row.kernel not in kernels]
