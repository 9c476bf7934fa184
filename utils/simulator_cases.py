"""The kernels that utils/check_simulator.py runs on a GPU and on the simulator: single
instructions on many operands, kernels made by nvcc (unittests/Simulator/ptx), and kernels of
our own compiler (simulator_kernels.py)."""

import dataclasses
import json
import pathlib
import re
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "unittests" / "Simulator" / "ptx"
ROWS = 4096


@dataclasses.dataclass
class Case:
    name: str
    module: str  # the name of its PTX file
    ptx: str
    entry: str
    grid: tuple
    block: tuple
    arguments: list  # numpy arrays (buffers) and numpy scalars
    relative: float = 0.0  # error of f32, f64 or f16 results; 0: the same bits
    absolute: float = 0.0
    counted: bool = False
    shared: int = 0


# One instruction on rows of three operands: text, kind of the result, kind of the inputs.
INSTRUCTIONS = [
    ("add.s32 %rd, %ra, %rb;", "r", "i"), ("add.sat.s32 %rd, %ra, %rb;", "r", "i"),
    ("sub.s64 %dd, %da, %db;", "d", "i"), ("mul.hi.s32 %rd, %ra, %rb;", "r", "i"),
    ("mul.wide.s32 %dd, %ra, %rb;", "d", "i"), ("mul.hi.u64 %dd, %da, %db;", "d", "i"),
    ("mad.lo.s32 %rd, %ra, %rb, %rc;", "r", "i"), ("mul24.lo.s32 %rd, %ra, %rb;", "r", "i"),
    ("div.s32 %rd, %ra, %rb;", "r", "i"), ("rem.s32 %rd, %ra, %rb;", "r", "i"),
    ("div.u64 %dd, %da, %db;", "d", "i"), ("sad.s32 %rd, %ra, %rb, %rc;", "r", "i"),
    ("dp4a.s32.u32 %rd, %ra, %rb, %rc;", "r", "i"), ("dp2a.lo.s32.s32 %rd, %ra, %rb, %rc;", "r",
                                                     "i"),
    ("shf.l.wrap.b32 %rd, %ra, %rb, %rc;", "r", "i"), ("shf.r.clamp.b32 %rd, %ra, %rb, %rc;", "r",
                                                       "i"),
    ("shl.b32 %rd, %ra, %rb;", "r", "i"), ("shr.s32 %rd, %ra, %rb;", "r", "i"),
    ("bfe.s32 %rd, %ra, %rb, %rc;", "r", "i"), ("bfi.b32 %rd, %ra, %rb, 7, 11;", "r", "i"),
    ("bfind.s32 %rd, %ra;", "r", "i"), ("brev.b32 %rd, %ra;", "r", "i"),
    ("prmt.b32 %rd, %ra, %rb, %rc;", "r", "i"), ("prmt.b32.b4e %rd, %ra, %rb, %rc;", "r", "i"),
    ("lop3.b32 %rd, %ra, %rb, %rc, 0x2d;", "r", "i"), ("clz.b64 %rd, %da;", "r", "i"),
    ("add.rn.f32 %fd, %fa, %fb;", "f", "f"), ("add.rz.f32 %fd, %fa, %fb;", "f", "f"),
    ("add.rm.ftz.f32 %fd, %fa, %fb;", "f", "f"), ("mul.rp.f32 %fd, %fa, %fb;", "f", "f"),
    ("mul.ftz.sat.f32 %fd, %fa, %fb;", "f", "f"), ("fma.rn.f32 %fd, %fa, %fb, %fc;", "f", "f"),
    ("fma.rz.ftz.f32 %fd, %fa, %fb, %fc;", "f", "f"), ("div.rn.f32 %fd, %fa, %fb;", "f", "f"),
    ("div.rn.ftz.f32 %fd, %fa, %fb;", "f", "f"), ("sqrt.rn.f32 %fd, %fa;", "f", "f"),
    ("rcp.rn.f32 %fd, %fa;", "f", "f"), ("min.f32 %fd, %fa, %fb;", "f", "f"),
    ("max.NaN.f32 %fd, %fa, %fb;", "f", "f"), ("add.rn.f64 %gd, %ga, %gb;", "g", "g"),
    ("fma.rp.f64 %gd, %ga, %gb, %gc;", "g", "g"), ("div.rn.f64 %gd, %ga, %gb;", "g", "g"),
    ("sqrt.rz.f64 %gd, %ga;", "g", "g"), ("add.f16 %hd, %ha, %hb;", "h", "i"),
    ("fma.rn.f16x2 %rd, %ra, %rb, %rc;", "r", "i"), ("fma.rn.bf16x2 %rd, %ra, %rb, %rc;", "r", "i"),
    ("mul.ftz.f16x2 %rd, %ra, %rb;", "r", "i"), ("min.f16x2 %rd, %ra, %rb;", "r", "i"),
    ("fma.rn.relu.f16 %hd, %ha, %hb, %hc;", "h", "i"), ("cvt.rzi.s32.f32 %rd, %fa;", "r", "f"),
    ("cvt.rni.u64.f32 %dd, %fa;", "d", "f"), ("cvt.rmi.s64.f64 %dd, %ga;", "d", "g"),
    ("cvt.rn.f16.f32 %hd, %fa;", "h", "f"), ("cvt.rz.bf16.f32 %hd, %fa;", "h", "f"),
    ("cvt.rn.f32.u64 %fd, %da;", "f", "i"), ("cvt.rp.f32.s64 %fd, %da;", "f", "i"),
    ("cvt.rn.f64.s64 %gd, %da;", "g", "i"), ("cvt.f32.f16 %fd, %ha;", "f", "i"),
    ("cvt.sat.u8.s32 %rd, %ra;", "r", "i"), ("cvt.rn.satfinite.e4m3x2.f32 %hd, %fa, %fb;", "h",
                                             "f"),
    ("cvt.rna.tf32.f32 %rd, %fa;", "r", "f"), ("setp.leu.f32 %pd, %fa, %fb;", "p", "f"),
    ("setp.lt.or.s32 %pd, %ra, %rb, %pa;", "p", "i"), ("copysign.f32 %fd, %fa, %fb;", "f", "f"),
    ("rem.u32 %rd, %ra, %rb;", "r", "i"), ("rem.s64 %dd, %da, %db;", "d", "i"),
    ("rem.u64 %dd, %da, %db;", "d", "i"), ("div.s64 %dd, %da, %db;", "d", "i"),
    ("rem.s16 %hd, %ha, %hb;", "h", "i"), ("div.u16 %hd, %ha, %hb;", "h", "i"),
    ("rem.u16 %hd, %ha, %hb;", "h", "i"), ("div.u32 %rd, %ra, %rb;", "r", "i"),
    ("szext.clamp.s32 %rd, %ra, %rb;", "r", "i"), ("bmsk.wrap.b32 %rd, %ra, %rb;", "r", "i"),
    ("cvt.rn.satfinite.e5m2x2.f32 %hd, %fa, %fb;", "h", "f"),
    ("cvt.rn.f16x2.e4m3x2 %rd, %ha;", "r", "i"), ("cvt.rn.f16x2.f32 %rd, %fa, %fb;", "r", "f"),
    ("cvt.rn.bf16x2.relu.f32 %rd, %fa, %fb;", "r", "f"), ("cvt.rzi.s32.f64 %rd, %ga;", "r", "g"),
    ("cvt.rn.f32.f64 %fd, %ga;", "f", "g"), ("cvt.rpi.f32.f32 %fd, %fa;", "f", "f"),
    ("cvt.f64.f32 %gd, %fa;", "g", "f"), ("cvt.rn.f16.s32 %hd, %ra;", "h", "i"),
    ("max.bf16x2 %rd, %ra, %rb;", "r", "i"), ("min.NaN.f16 %hd, %ha, %hb;", "h", "i"),
    ("abs.f32 %fd, %fa;", "f", "f"), ("neg.ftz.f32 %fd, %fa;", "f", "f"),
    ("testp.subnormal.f32 %pd, %fa;", "p", "f"), ("set.gt.u32.f32 %rd, %fa, %fb;", "r", "f"),
    ("min.f64 %gd, %ga, %gb;", "g", "g"), ("slct.s32.f32 %rd, %ra, %rb, %fc;", "r", "f"),
    ("neg.f32 %fd, %fa;", "f", "f"), ("abs.ftz.f32 %fd, %fa;", "f", "f"),
    ("neg.f64 %gd, %ga;", "g", "g"), ("abs.f64 %gd, %ga;", "g", "g"),
    ("neg.f16 %hd, %ha;", "h", "i"), ("abs.f16x2 %rd, %ra;", "r", "i"),
    ("neg.bf16x2 %rd, %ra;", "r", "i"), ("abs.bf16 %hd, %ha;", "h", "i"),
    ("cvt.f64.f16 %gd, %ha;", "g", "i"), ("cvt.rn.f16.f64 %hd, %ga;", "h", "g"),
    ("max.f64 %gd, %ga, %gb;", "g", "g"), ("min.ftz.f32 %fd, %fa, %fb;", "f", "f"),
    ("cvt.sat.f32.f32 %fd, %fa;", "f", "f"), ("cvt.rni.f64.f64 %gd, %ga;", "g", "g"),
    ("cvt.rn.bf16.f32 %hd, %fa;", "h", "f"), ("cvt.f32.bf16 %fd, %ha;", "f", "i"),
    ("sub.rn.ftz.f32 %fd, %fa, %fb;", "f", "f"), ("rcp.rn.f64 %gd, %ga;", "g", "g"),
    ("sqrt.rn.ftz.f32 %fd, %fa;", "f", "f"), ("mul.f64 %gd, %ga, %gb;", "g", "g"),
    ("fma.rn.bf16 %hd, %ha, %hb, %hc;", "h", "i"), ("mul.rn.bf16x2 %rd, %ra, %rb;", "r", "i"),
    ("add.rn.bf16x2 %rd, %ra, %rb;", "r", "i"), ("sub.f16x2 %rd, %ra, %rb;", "r", "i"),
    ("add.sat.f16x2 %rd, %ra, %rb;", "r", "i"), ("setp.nan.f32 %pd, %fa, %fb;", "p", "f"),
    ("setp.gt.f64 %pd, %ga, %gb;", "p", "g"), ("shr.u64 %dd, %da, %rb;", "d", "i"),
    ("shl.b64 %dd, %da, %rb;", "d", "i"), ("mad.hi.s32 %rd, %ra, %rb, %rc;", "r", "i"),
    ("popc.b64 %rd, %da;", "r", "i"), ("bfe.u64 %dd, %da, %rb, %rc;", "d", "i"),
    ("min.s64 %dd, %da, %db;", "d", "i"), ("abs.s32 %rd, %ra;", "r", "i"),
    # Approximate: relative and absolute error, as PTX states them.
    ("rcp.approx.ftz.f32 %fd, %fa;", "f", "f", 2**-22), ("rsqrt.approx.f32 %fd, %fa;", "f", "f",
                                                         2**-22),
    ("sqrt.approx.f32 %fd, %fa;", "f", "f", 2**-22), ("ex2.approx.ftz.f32 %fd, %fa;", "f", "s",
                                                      2**-21),
    ("div.full.f32 %fd, %fa, %fb;", "f", "s", 2**-22), ("div.approx.f32 %fd, %fa, %fb;", "f", "s",
                                                        2**-22),
    ("lg2.approx.f32 %fd, %fa;", "f", "p", 2**-22, 2**-22),
    ("sin.approx.f32 %fd, %fa;", "f", "t", 0, 2**-20),
    ("cos.approx.f32 %fd, %fa;", "f", "t", 0, 2**-20),
    ("tanh.approx.f32 %fd, %fa;", "f", "s", 2**-10),
]


def instruction_kernel(text, kind):
    loads = "".join(f"ld.global.{t} %{r}{x}, [%at+{8 * i}];\n" for i, x in enumerate("abc")
                    for r, t in (("h", "u16"), ("r", "u32"), ("d", "u64"), ("f", "f32"), ("g",
                        "f64")))
    store = {"p": "selp.u64 %dd, 1, 0, %pd;\nst.global.u64 [%at+24], %dd;",
             "h": "cvt.u64.u16 %dd, %hd;\nst.global.u64 [%at+24], %dd;",
             "r": "cvt.u64.u32 %dd, %rd;\nst.global.u64 [%at+24], %dd;",
             "f": "st.global.f32 [%at+24], %fd;", "g": "st.global.f64 [%at+24], %gd;",
             "d": "st.global.u64 [%at+24], %dd;"}[kind]
    return f""".version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .pred %pa, %pd; .reg .b16 %ha, %hb, %hc, %hd; .reg .b32 %ra, %rb, %rc, %rd, %r<4>;
.reg .b64 %da, %db, %dc, %dd, %at, %base; .reg .f32 %fa, %fb, %fc, %fd;
.reg .f64 %ga, %gb, %gc, %gd;
ld.param.u64 %base, [p];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
mad.lo.u32 %r0, %r1, %r2, %r0;
mad.wide.u32 %at, %r0, 32, %base;
{loads}setp.ne.u32 %pa, %ra, 0;
{text}
{store}
ret;
}}
"""


def rows(kind, random):
    """ROWS x 4 words; the last is the result's."""
    data = random.integers(0, 2**64, (ROWS, 4), dtype=np.uint64)
    if kind in "spt":
        span = 3.14159 if kind == "t" else 20
        values = random.uniform(-span, span, (ROWS, 4)).astype(np.float32)
        values = np.abs(values) + 1e-3 if kind == "p" else values
        data = values.view(np.uint32).astype(np.uint64)
    edges = {"i": [0, 1, 31, 32, 33, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 2**63,
                   2**64 - 1],
             "f": [0, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x807fffff,
                   0x800000,
                   0x7f7fffff],
             "g": [0, 2**63, 0x3ff << 52, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 1,
                   1 << 52]}.get(kind)
    if edges:
        pick = random.integers(0, len(edges), (ROWS // 4, 4))
        data[: ROWS // 4] = np.array(edges, dtype=np.uint64)[pick]
    data[:, 3] = 0
    return data


def random_of(name):
    """The data of a case is its own, whatever other cases there are."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def nvcc_cases(folder):
    """Single instructions, and what nvcc made of unittests/Simulator/ptx (copied to folder)."""
    made = []
    for text, kind, inputs, *bound in INSTRUCTIONS:
        name = "i_" + text.split()[0].replace(".", "_")
        random = random_of(name)
        made.append(Case(name, name, instruction_kernel(text, kind),
                         "k", (ROWS // 128, 1, 1), (128, 1, 1), [rows(inputs, random)], *bound))
    text = (folder / "kernels.ptx").read_text()

    random = random_of("kernels")

    def kernel(entry, grid, block, arguments, **more):
        made.append(Case(entry, "kernels", text, entry, grid, block, arguments, **more))

    def f32(n, low=-1.0, high=1.0):
        return random.uniform(low, high, n).astype(np.float32)

    def whole(n, high, kind=np.int32):
        return random.integers(0, high, n).astype(kind)

    n = np.int32(5000)
    kernel("saxpy", (40, 1, 1), (128, 1, 1), [f32(5000), f32(5000), np.float32(1.7), n],
           counted=True)
    kernel("reduce", (20, 1, 1), (256, 1, 1), [whole(5000, 9, np.float32), np.zeros(1, np.float32),
                                               n],
           counted=True)
    for entry in ("transpose", "transposeConflict"):
        kernel(entry, (4, 4, 1), (32, 8, 1), [f32(128 * 128), np.zeros(128 * 128, np.float32),
                                              np.int32(128)],
               counted=True)
    kernel("collatz", (40, 1, 1), (128, 1, 1), [whole(5000, 9000, np.uint32), np.zeros(5000,
        np.uint32), n],
           counted=True)
    kernel("fibonacci", (1, 1, 1), (32, 1, 1), [np.zeros(32, np.int32)], counted=True)
    kernel("choose", (40, 1, 1), (128, 1, 1), [whole(5000, 9), f32(5000, 0, 9), n], counted=True)
    kernel("lastBlock", (20, 1, 1), (256, 1, 1),
           [whole(5000, 100), np.zeros(20, np.int32), np.zeros(1, np.int32), n], counted=True)
    kernel("histogram", (4, 1, 1), (256, 1, 1), [whole(5000, 256, np.uint8), np.zeros(256,
        np.uint32), n],
           counted=True)
    kernel("halves", (40, 1, 1), (128, 1, 1),
           [whole(10000, 2**15, np.uint16), whole(10000, 2**15, np.uint16),
            whole(10000, 2**15, np.uint16), whole(10000, 2**15, np.uint16), n], counted=True)
    kernel("matmul", (4, 4, 1), (32, 1, 1),
           [whole(4096, 8).astype(np.float16), whole(4096, 8).astype(np.float16),
            np.zeros(4096, np.float32), np.int32(64)], counted=True)
    kernel("math", (40, 1, 1), (128, 1, 1), [f32(5000, -9, 9), np.zeros(5000, np.float32), n],
           relative=1e-5)
    kernel("doubles", (40, 1, 1), (128, 1, 1),
           [random.uniform(-9, 9, 5000), np.zeros(5000, np.float64), n], relative=1e-14)
    kernel("votes", (1, 1, 1), (32, 1, 1), [whole(32, 50), np.zeros(32, np.uint32)], counted=True)
    kernel("locals", (1, 1, 1), (32, 1, 1), [whole(16, 99), np.zeros(32, np.int32)], counted=True)
    kernel("integers", (40, 1, 1), (128, 1, 1),
           [random.integers(-2**62, 2**62, 5000), np.zeros(5000, np.int64), n], counted=True)
    text = (folder / "counted.ptx").read_text()
    for entry in re.findall(r"\.entry (\w+)", text):
        random = random_of(entry)
        made.append(Case(entry, "counted", text, entry, (4, 1, 1), (128, 1, 1),
                         [whole(16384, 2**31), np.zeros(16384, np.int32)], counted=True))
    return made


def own_cases(folder):
    """What simulator_kernels.write left in the folder."""
    made = []
    for path in sorted(folder.glob("own_*.json")):
        launch = json.loads(path.read_text())
        with np.load(path.with_suffix(".npz")) as stored:
            arguments = [stored[f"arr_{i}"] for i in range(len(stored.files))]
        arguments = [a if a.ndim else a[()] for a in arguments]
        made.append(Case(path.stem, path.stem, path.with_suffix(".ptx").read_text(),
                         launch["entry"], launch["grid"], launch["block"], arguments,
                         *launch["bounds"], counted=True, shared=launch["shared"]))
    return made
