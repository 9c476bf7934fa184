#!/usr/bin/env python3
"""Compares the simulator with a GPU: the same PTX, the same inputs, the same bits, the same
counts?

    check_simulator.py prepare DIR           # here: all kernels, as PTX and by ptxas
    check_simulator.py gpu DIR OUT           # on a machine with a GPU: results
    check_simulator.py profile DIR OUT       # there, with Nsight Compute (ncu): counts
    check_simulator.py sim DIR SIM           # here: results and counts of the simulator
    check_simulator.py compare DIR OUT SIM
    check_simulator.py counters DIR OUT SIM  # the table of docs/simulator.md

DIR holds all that the GPU's machine needs beside this folder: Python, NumPy, a driver. Results
are equal bit by bit, but for approximate instructions, whose error against the GPU's result is
bounded by the case.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import simulator_cases
import simulator_counts

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cases(folder):
    return simulator_cases.nvcc_cases(folder) + simulator_cases.own_cases(folder)


def prepare(folder, arch):
    folder.mkdir(parents=True, exist_ok=True)
    import simulator_kernels
    simulator_kernels.write(folder, arch)
    for name in ("kernels", "counted"):
        shutil.copy(simulator_cases.FIXTURES / f"{name}.ptx", folder)
    for module, text in {case.module: case.ptx for case in cases(folder)}.items():
        (folder / f"{module}.ptx").write_text(text)
        subprocess.run(["ptxas", "-arch=sm_90", "-lineinfo", folder / f"{module}.ptx", "-o",
                        folder / f"{module}.cubin"], check=True)
    return 0


def outcome(case, index, result):
    """What of a buffer is worth keeping: of an instruction's rows the results, and of what a
    kernel left as it was a sign of that."""
    if case.entry == "k":
        return result[:, 3]
    before = [a for a in case.arguments if isinstance(a, np.ndarray)][index]
    return np.zeros(0, result.dtype) if result.tobytes() == before.tobytes() else result


def on_gpu(folder, out, counted):
    from simulator_driver import Driver
    driver = Driver()
    results, failed = {}, 0
    chosen = cases(folder)
    if counted is not None:
        chosen = [case for case in chosen if case.counted][counted::simulator_counts.PARTS]
    for case in chosen:
        try:
            image = (folder / f"{case.module}.cubin").read_bytes()
            for i, result in enumerate(driver.run(image, case)):
                results[f"{case.name}/{i}"] = outcome(case, i, result)
        except (OSError, RuntimeError) as error:
            failed += 1
            print(f"{case.name}: {error}", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    if counted is None:
        np.savez_compressed(out / "results.npz", **results)
    return failed


def on_simulator(folder, out, tool):
    out.mkdir(parents=True, exist_ok=True)
    results, faults = {}, 0
    all_cases = cases(folder)
    for case in all_cases:
        command = [tool, "sim", folder / f"{case.module}.ptx", "--entry", case.entry,
                   "--grid", ",".join(map(str, case.grid)), "--shared", str(case.shared),
                   "--block", ",".join(map(str, case.block)), "--json", out / f"{case.name}.json"]
        buffers = []
        for i, argument in enumerate(case.arguments):
            if isinstance(argument, np.ndarray):
                argument.tofile(out / f"in{i}")
                command += ["--arg", f"u8[{argument.nbytes}]=@{out / f'in{i}'}", "--dump",
                            f"{i}={out / f'out{i}'}"]
                buffers.append((i, argument))
            else:
                kind = argument.dtype.kind + str(8 * argument.dtype.itemsize)
                command += ["--arg", f"{kind}:{argument}"]
        status = subprocess.run(command, capture_output=True, text=True)
        if status.returncode:
            faults += 1
            print(f"{case.name}: {status.stderr.strip()}", file=sys.stderr)
        for k, (i, argument) in enumerate(buffers):
            dump = out / f"out{i}"
            if dump.exists():
                result = np.fromfile(dump, argument.dtype).reshape(argument.shape)
                results[f"{case.name}/{k}"] = outcome(case, k, result)
                dump.unlink()
            (out / f"in{i}").unlink()
    np.savez_compressed(out / "results.npz", **results)
    print(f"{len(all_cases)} kernels, {faults} with faults")
    return faults


def floats(case, result):
    """The results of an approximate case as numbers."""
    if case.entry == "k":
        return result.astype(np.uint32).view(np.float32).astype(np.float64)
    return result.astype(np.float64)


def close(case, theirs, ours):
    x, y = floats(case, theirs), floats(case, ours)
    with np.errstate(invalid="ignore"):
        bound = np.maximum(case.relative * np.abs(x), case.absolute)
        return np.all((x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= bound))


def compare(folder, gpu, sim):
    theirs, ours = np.load(gpu / "results.npz"), np.load(sim / "results.npz")
    same = near = bad = missing = 0
    for case in cases(folder):
        names = [n for n in theirs.files if n.startswith(case.name + "/") and n in ours.files]
        missing += not names
        worst = 0
        for name in names:
            a, b = theirs[name], ours[name]
            if a.tobytes() == b.tobytes():
                continue
            bounded = (case.relative or case.absolute) and a.dtype.kind in "fu"
            if bounded and a.shape == b.shape and close(case, a, b):
                worst = max(worst, 1)
                continue
            worst = 2
            if a.shape != b.shape:
                print(f"{name}: written by one of them only")
                continue
            where = np.argwhere((a != b).reshape(len(a), -1).any(axis=1))[:, 0]
            where = where if len(where) else [0]
            print(f"{name}: {len(where)} of {len(a)} differ, such as row {where[0]}:"
                  f" GPU {a[where[0]]} simulator {b[where[0]]}")
        same += bool(names) and worst == 0
        near += worst == 1
        bad += worst == 2
    print(f"{same} kernels give the same bits, {near} approximate ones are within their bound, "
          f"{bad} differ, {missing} did not run")
    return bad + missing


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, *folders):
        made = commands.add_parser(name)
        for folder in ("folder", *folders):
            made.add_argument(folder, type=pathlib.Path)
        return made

    command("prepare").add_argument("--arch", type=int, default=80)
    command("gpu", "out").add_argument("--counted", type=int, metavar="PART")
    command("profile", "out").add_argument("--seconds", type=int, default=80)
    command("sim", "out").add_argument("--tool", default=ROOT / "build" / "bin" / "tritium")
    command("compare", "gpu", "sim")
    command("counters", "gpu", "sim")
    options = parser.parse_args()
    if options.command == "prepare":
        return prepare(options.folder, options.arch)
    if options.command == "gpu":
        return on_gpu(options.folder, options.out, options.counted)
    if options.command == "profile":
        return simulator_counts.profile(options.folder, options.out, options.seconds)
    if options.command == "sim":
        return on_simulator(options.folder, options.out, options.tool)
    if options.command == "compare":
        return compare(options.folder, options.gpu, options.sim)
    counted = [case for case in cases(options.folder) if case.counted]
    return simulator_counts.table(counted, options.gpu, options.sim)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
