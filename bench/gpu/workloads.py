"""Times kernels as inference engines, training and state-space-model libraries run them, in one
Triton-language implementation, on one GPU.

    IMPL=tritium|triton python bench/gpu/workloads.py [WORD ...]        # names that have a word
    IMPL=triton python bench/gpu/workloads.py --jobs 8 > triton.jsonl   # compiles ahead, see below
    python bench/gpu/workloads.py --compare tritium.jsonl triton.jsonl  # a table of both
    python bench/gpu/workloads.py --small --backend cpu                 # results alone, no GPU
    python bench/gpu/workloads.py --compile [--all]                     # for cuda:90, no GPU

Prints a JSON line for each kernel: the median of its microseconds in the best of its
configurations, which are the same for both implementations, and the largest error of all of them
against PyTorch. A time is of all launches of a case together, without what they cost the host. What
raises says so in its line. --backend takes what TRITIUM_BACKEND takes, with tensors of the host.
--jobs has that many processes fill the cache of kernels first: Triton's compiler takes a while.
--compile prints what a configuration compiles to (the first; with --all each): registers, bytes of
spills and of shared memory, and how many instructions of products and copies are in its PTX.
"""

import argparse
import concurrent.futures
import contextlib
import importlib
import json
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import torch

import families  # noqa: F401
import timing
from families import case


def say(**fields):
    print(json.dumps(fields), flush=True)


def short(exception):
    lines = [line for line in str(exception).splitlines() if line.strip()]
    return f"{type(exception).__name__}: {' / '.join(lines[:3])[:300]}"


def check(work, config):
    """The largest error of a configuration's results."""
    for tensor in work.outputs:
        case.poison(tensor)
    if work.reset:
        work.reset()
    work.launch(**config)
    return max(case.error(a, b) for a, b in zip(work.outputs, work.expected, strict=True))


def measure(which, device, sizes):
    """The line of a case."""
    work = which.make(device, **sizes)
    work.expected = work.reference()
    line = dict(impl=case.IMPL, name=which.name)
    times, errors, refused = [], [], []
    for config in which.configs:
        try:
            errors.append(check(work, config))
            us = timing.bench(lambda: work.launch(**config), 7, 2) * 1e3 if timed(device) else 0
            times.append((us, config))
        except Exception as exception:
            refused.append(f"{config}: {short(exception)}")
    if times:
        us, config = min(times, key=lambda pair: pair[0])
        if timed(device):
            line["us"] = round(timing.bench(lambda: work.launch(**config), 20, 2) * 1e3, 2)
            line["config"] = config
        # max() does not see what is not a number.
        worst = next((e for e in errors if math.isnan(e)), max(errors))
        line.update(error=float(f"{worst:.2e}"), ok=worst <= which.bound)
    else:
        line["ok"] = False
    if refused:
        line["refused"] = refused
    return line


def timed(device):
    return device == "cuda"


def compileAhead(name):
    """Leaves the configurations of a case in the cache, in a process of its own; what cannot be
    compiled is told of where it is measured.
    """
    which = next(c for c in case.CASES if c.name == name)
    case.compiled = lambda kernel: None
    for config in which.configs:
        with contextlib.suppress(Exception):
            which.make("meta", **which.full).launch(**config)


def run(cases, options):
    if options.jobs:
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(options.jobs, spawn) as pool:
            list(pool.map(compileAhead, [c.name for c in cases]))
    device = "cpu" if options.backend else "cuda"
    wrong = 0
    for which in cases:
        torch.manual_seed(0)
        begin = time.monotonic()
        try:
            line = measure(which, device, which.small if options.small else which.full)
        except Exception as exception:
            line = dict(impl=case.IMPL, name=which.name, ok=False, refused=[short(exception)])
        wrong += not line["ok"] or "refused" in line
        say(**line, s=round(time.monotonic() - begin, 1))
    return 1 if wrong else 0


# ---------------------------------------------------------------- compilation
INSTRUCTIONS = {
    "wgmma": r"wgmma\.mma_async", "mma": r"\bmma\.sync", "cp_async": r"cp\.async\.c[ag]",
    "tma": r"cp\.async\.bulk", "ldmatrix": r"ldmatrix", "local": r"\b(?:ld|st)\.local",
}  # fmt: skip


def pretend():
    """Has the implementation compile for a GPU that is not there: Tritium for the simulated one."""
    if case.IMPL == "tritium":
        os.environ["TRITIUM_BACKEND"] = "sim:sm_90"
        return
    GPUTarget = importlib.import_module(case.IMPL + ".backends.compiler").GPUTarget
    answers = {"get_current_target": GPUTarget("cuda", 90, 32), "get_current_device": 0,
               "get_current_stream": 0,
               "get_active_torch_device": torch.device("cuda", 0),
               "get_device_properties": {"multiprocessor_count": 132, "max_shared_mem": 232448}}
    constant = lambda value: lambda *args, **kwargs: value
    driver = type("Driver", (), {name: constant(a) for name, a in answers.items()})()
    driver.utils = driver
    case.triton.runtime.driver.set_active(driver)


def assembled(ptx):
    """Registers of a thread, and bytes of them that are spilled."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        told = subprocess.run(["ptxas", "-v", "-arch=sm_90a", file.name, "-o", "/dev/null"],
                              capture_output=True, text=True).stderr
    numbers = {"registers": r"Used (\d+) registers", "spilled": r"(\d+) bytes spill stores"}
    return {name: max(map(int, re.findall(text, told)), default=-1)
            for name, text in numbers.items()} | (
                {"serialized": True} if "serialized" in told else {})


def facts(kernel):
    """What is known of a kernel without a GPU."""
    ptx = kernel.asm["ptx"]
    found = {name: len(re.findall(text, ptx)) for name, text in INSTRUCTIONS.items()}
    found = {name: count for name, count in found.items() if count}
    numbers = assembled(ptx)
    if numbers["spilled"] > 0 and ".minnctapersm" in ptx:
        # As Tritium itself does: what spills goes without a wish for several CTAs side by side.
        ptx = re.sub(r"\n\.minnctapersm.*", "", ptx)
        numbers = assembled(ptx)
    if numbers["spilled"] > 128 and numbers["registers"] < 128 and case.IMPL == "tritium":
        one = assembled(re.sub(r"(\n\.reqntid.*)", r"\1\n.minnctapersm 1", ptx))
        numbers = min(numbers, one, key=lambda found: found["spilled"])
    return {"kernel": kernel.name, "shared": kernel.metadata.shared, **found, **numbers}


def compileAll(cases, options):
    pretend()
    wrong = 0
    for which in cases:
        for config in which.configs if options.all else which.configs[:1]:
            kernels = []
            case.compiled = lambda kernel: kernels.append(facts(kernel))
            line = dict(name=which.name, config=config)
            try:
                which.make("meta", **which.full).launch(**config)
            except Exception as exception:
                line["refused"] = short(exception)
                wrong += 1
            say(**line, kernels=kernels)
    return 1 if wrong else 0


# ---------------------------------------------------------------- comparison
def compare(ours, theirs):
    """Both files' times, the slowest kernels of the first in proportion to the second's first. What
    is wrong has no ratio.
    """
    rows = [{}, {}]
    for found, file in zip(rows, (ours, theirs), strict=True):
        for line in pathlib.Path(file).read_text().splitlines():
            if line.startswith("{"):
                found[json.loads(line)["name"]] = json.loads(line)
    names = list(rows[0]) + [name for name in rows[1] if name not in rows[0]]
    pairs = {name: [found.get(name, {}) for found in rows] for name in names}
    ratio = {name: b["us"] / a["us"] for name, (a, b) in pairs.items()
             if all("us" in line and line["ok"] for line in (a, b))}
    print(f"| kernel | {pathlib.Path(ours).stem}, us | {pathlib.Path(theirs).stem}, us | ratio |\n"
          "|---|---|---|---|")
    for name in sorted(names, key=lambda name: ratio.get(name, 0)):
        shown = [cell(line) for line in pairs[name]]
        print(f"| {name} | {' | '.join(shown)} | "
              + (f"{ratio[name]:.2f} |" if name in ratio else "|"))
    if ratio:
        mean = math.exp(sum(map(math.log, ratio.values())) / len(ratio))
        print(f"\nGeometric mean of {len(ratio)} kernels: {mean:.3f}")


def cell(line):
    if not line:
        return ""
    wrong = "" if line["ok"] else f" (error {line['error']})" if "error" in line else ""
    return (str(line["us"]) if "us" in line else line.get("refused", ["?"])[0][:60]) + wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--backend")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--compare", nargs=2, metavar=("OURS", "THEIRS"))
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="workloads")
    if options.backend:
        os.environ["TRITIUM_BACKEND"] = options.backend
    cases = [c for c in case.CASES if not options.words or any(w in c.name for w in options.words)]
    if not cases:
        parser.error(f"no kernel's name has one of: {' '.join(options.words)}; they are "
                     + " ".join(c.name for c in case.CASES))
    return compileAll(cases, options) if options.compile else run(cases, options)


if __name__ == "__main__":
    sys.exit(main())
