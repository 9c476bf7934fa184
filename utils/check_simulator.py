#!/usr/bin/env python3
"""Compares the simulator with a GPU: the same PTX, the same inputs, the same bits?

On a machine with a GPU (needs numpy and libcuda, no toolkit):

    check_simulator.py gpu OUT_DIR [--cubins DIR]

On any machine, with the `tritium` tool:

    check_simulator.py cubins DIR            # if the GPU's driver cannot read this PTX
    check_simulator.py sim OUT_DIR [--tool build/bin/tritium]
    check_simulator.py compare GPU_OUT SIM_OUT

Counters, with Nsight Compute on the GPU machine:

    ncu --csv --metrics METRICS check_simulator.py gpu OUT_DIR --counted > ncu.csv
    check_simulator.py metrics               # prints METRICS
    check_simulator.py counters ncu.csv SIM_OUT

A case's results are equal bit by bit, but for approximate instructions, whose error
against the GPU's result is bounded by the case.
"""

import argparse
import csv
import ctypes
import dataclasses
import json
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURE = ROOT / "unittests" / "Simulator" / "ptx" / "kernels.ptx"
ROWS = 4096
METRICS = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors loaded",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors stored",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "wavefronts loaded",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "wavefronts stored",
}


@dataclasses.dataclass
class Case:
    name: str
    ptx: str
    entry: str
    grid: tuple
    block: tuple
    arguments: list  # numpy arrays (buffers) and numpy scalars
    relative: float = 0.0  # of f32 or f64 results; 0: the same bits
    counted: bool = False


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
    ("rcp.approx.ftz.f32 %fd, %fa;", "f", "f", 2**-22), ("rsqrt.approx.f32 %fd, %fa;", "f", "f",
                                                         2**-22),
    ("ex2.approx.ftz.f32 %fd, %fa;", "f", "s", 2**-21), ("lg2.approx.f32 %fd, %fa;", "f", "p",
                                                         2**-19),
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
    if kind in "sp":
        values = random.uniform(-20, 20, (ROWS, 4)).astype(np.float32)
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


def cases():
    random = np.random.default_rng(1)
    made = []
    for index, (text, kind, inputs, *bound) in enumerate(INSTRUCTIONS):
        made.append(Case(f"i{index:02d}_{text.split()[0].replace('.', '_')}",
                         instruction_kernel(text, kind),
                         "k", (ROWS // 128, 1, 1), (128, 1, 1), [rows(inputs, random)],
                         bound[0] if bound else 0.0))
    text = FIXTURE.read_text()

    def kernel(entry, grid, block, arguments, **more):
        made.append(Case(entry, text, entry, grid, block, arguments, **more))

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
    return made


class Driver:
    """Just enough of the CUDA driver."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with {status}")

    def run(self, image, case):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, case.entry.encode())
        values, buffers = [], []
        for argument in case.arguments:
            if isinstance(argument, np.ndarray):
                pointer = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(argument.nbytes))
                self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(argument.ctypes.data),
                          ctypes.c_size_t(argument.nbytes))
                buffers.append((pointer, argument))
                values.append(pointer)
            else:
                values.append(ctypes.create_string_buffer(argument.tobytes()))
        table = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        self.call("cuLaunchKernel", function, *case.grid, *case.block, 0, None, table, None)
        self.call("cuCtxSynchronize")
        results = []
        for pointer, argument in buffers:
            result = np.empty_like(argument)
            self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), pointer,
                      ctypes.c_size_t(result.nbytes))
            self.call("cuMemFree_v2", pointer)
            results.append(result)
        self.call("cuModuleUnload", module)
        return results


def on_gpu(out, counted, cubins):
    driver = Driver()
    results = {}
    for case in cases():
        if counted and not case.counted:
            continue
        image = case.ptx.encode() + b"\0"
        if cubins:
            own = case.name if case.name.startswith("i") and case.entry == "k" else "kernels"
            image = (cubins / f"{own}.cubin").read_bytes()
        try:
            for i, result in enumerate(driver.run(image, case)):
                results[f"{case.name}/{i}"] = result
        except RuntimeError as error:
            print(f"{case.name}: {error}", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "results.npz", **results)


def make_cubins(folder):
    folder.mkdir(parents=True, exist_ok=True)
    texts = {case.name if case.entry == "k" else "kernels": case.ptx for case in cases()}
    for name, text in texts.items():
        (folder / f"{name}.ptx").write_text(text)
        subprocess.run(["ptxas", "-arch=sm_90", folder / f"{name}.ptx", "-o",
                        folder / f"{name}.cubin"],
                       check=True)
        (folder / f"{name}.ptx").unlink()


def on_simulator(out, tool):
    out.mkdir(parents=True, exist_ok=True)
    results, faults = {}, 0
    types = {"f": "f", "u": "u", "i": "i"}
    for case in cases():
        (out / "kernel.ptx").write_text(case.ptx)
        command = [tool, "sim", out / "kernel.ptx", "--entry", case.entry,
                   "--grid", ",".join(map(str, case.grid)), "--block", ",".join(map(str,
                       case.block)),
                   "--json", out / f"{case.name}.json"]
        buffers = []
        for i, argument in enumerate(case.arguments):
            if isinstance(argument, np.ndarray):
                argument.tofile(out / f"in{i}")
                command += ["--arg", f"u8[{argument.nbytes}]=@{out / f'in{i}'}", "--dump",
                            f"{i}={out / f'out{i}'}"]
                buffers.append((i, argument))
            else:
                name = types[argument.dtype.kind] + str(8 * argument.dtype.itemsize)
                command += ["--arg", f"{name}:{argument}"]
        status = subprocess.run(command, capture_output=True, text=True)
        if status.returncode:
            faults += 1
            print(f"{case.name}: {status.stderr.strip()}", file=sys.stderr)
        for k, (i, argument) in enumerate(buffers):
            if (out / f"out{i}").exists():
                results[f"{case.name}/{k}"] = np.fromfile(out / f"out{i}",
                                                          argument.dtype).reshape(argument.shape)
    np.savez_compressed(out / "results.npz", **results)
    print(f"{len(cases())} kernels, {faults} with faults")
    return faults


def floats(case, result):
    """The results of an approximate case as numbers."""
    if case.entry == "k":
        return result[:, 3].astype(np.uint32).view(np.float32).astype(np.float64)
    return result.astype(np.float64)


def compare(gpu, sim):
    theirs, ours = np.load(gpu / "results.npz"), np.load(sim / "results.npz")
    bad = 0
    for case in cases():
        for name in (n for n in theirs.files if n.startswith(case.name + "/")):
            a, b = theirs[name], ours[name]
            if a.tobytes() == b.tobytes():
                continue
            if case.relative and a.dtype.kind in "fu":
                x, y = floats(case, a), floats(case, b)
                same = (x == y) | (np.isnan(x) & np.isnan(y))
                if np.all(same | (np.abs(x - y) <= case.relative * np.maximum(np.abs(x), 1e-30))):
                    continue
            bad += 1
            where = np.argwhere((a != b).reshape(len(a), -1).any(axis=1))[:, 0]
            print(f"{name}: {len(where)} of {len(a)} differ, such as row {where[0]}:"
                  f" GPU {a[where[0]]} simulator {b[where[0]]}")
    print(f"{len(cases())} kernels, {bad} buffers differ")
    return bad


def counters(table, sim):
    lines = [line for line in table.read_text().splitlines() if line.startswith('"')]
    measured = {}
    for row in csv.DictReader(lines):
        if row.get("Metric Name") in METRICS:
            kernel = measured.setdefault(row["Kernel Name"].split("(")[0], {})
            kernel[METRICS[row["Metric Name"]]] = int(row["Metric Value"].replace(",",
                "").split(".")[0])
    bad = 0
    for kernel, numbers in measured.items():
        total = json.loads((sim / f"{kernel}.json").read_text())["total"]
        for what, ours in (("sectors", total["global_sectors"]), ("wavefronts",
            total["shared_wavefronts"])):
            gpu = numbers.get(f"{what} loaded", 0) + numbers.get(f"{what} stored", 0)
            bad += gpu != ours
            print(f"{kernel:20} {what:12} GPU {gpu:8} simulator {ours:8} {'' if gpu == ours else '<-- differs'}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    gpu = commands.add_parser("gpu")
    gpu.add_argument("out", type=pathlib.Path)
    gpu.add_argument("--counted", action="store_true")
    gpu.add_argument("--cubins", type=pathlib.Path)
    commands.add_parser("cubins").add_argument("folder", type=pathlib.Path)
    sim = commands.add_parser("sim")
    sim.add_argument("out", type=pathlib.Path)
    sim.add_argument("--tool", default=ROOT / "build" / "bin" / "tritium")
    for name, first in (("compare", "gpu"), ("counters", "table")):
        command = commands.add_parser(name)
        command.add_argument(first, type=pathlib.Path)
        command.add_argument("sim", type=pathlib.Path)
    commands.add_parser("metrics")
    options = parser.parse_args()
    if options.command == "gpu":
        return on_gpu(options.out, options.counted, options.cubins)
    if options.command == "cubins":
        return make_cubins(options.folder)
    if options.command == "sim":
        return on_simulator(options.out, options.tool)
    if options.command == "compare":
        return compare(options.gpu, options.sim)
    if options.command == "counters":
        return counters(options.table, options.sim)
    print(",".join(METRICS))
    return 0


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
