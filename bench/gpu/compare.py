"""Tritium and Triton side by side on one GPU: runs kernels.py for both by turns, prints one table.

    python bench/gpu/compare.py [--out FOLDER] [--rounds N] [SECTION...]

Sections: compile launch add softmax layernorm copy cumsum sort matmul (the default), fp8 attention,
and of PyTorch's compiler, torch_models.py: transformer convolutions flex templates. In each round
every section runs once for each of the two, each in a process of its own, and the one that begins
changes. A figure is the median of the rounds; a ratio says how much better Tritium is, within a
round, as the median and the range of the rounds. FOLDER receives the rows as JSON lines
and, after each round, the table as Markdown. Of a compilation, compiler_ms is all of it but what
ptxas alone takes for the PTX that came out; `apart` says that CTAs do not loop over programs
(persistent=False), where Tritium may choose that they do; `us` is what a launch costs the host,
while all other figures are of kernels alone.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
NAMES = ("tritium", "triton")
TORCH_SECTIONS = ("transformer", "convolutions", "flex", "templates")
SECTIONS = ("compile", "launch", "add", "softmax", "layernorm", "copy", "cumsum", "sort", "matmul")
# Fields that say what was measured, those that are results, and whether more is better.
PARAMETERS = ("kernel", "n", "M", "N", "K", "dtype", "promoted", "B", "H", "D", "causal")
RESULTS = {"ms": False, "compiler_ms": False, "us": False, "gbs": True, "pointers": True,
           "pointers_nt": True, "pointers_apart": True, "pointers_nt_apart": True,
           "tma_persistent_nt": True, "kernel": True}
VENDOR = {"ms": "eager_ms", "gbs": "torch_gbs", "pointers": ("cublas", "torch_scaled_mm"),
          "pointers_nt": "cublas_nt", "tma_persistent_nt": "cublas_nt",
          "pointers_apart": "cublas", "pointers_nt_apart": "cublas_nt",
          "kernel": ("cudnn", "flash2")}


def isNumber(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def measure(implementation, section, out, seconds):
    """The rows of a section of an implementation."""
    program = "torch_models.py" if section in TORCH_SECTIONS else "kernels.py"
    try:
        done = subprocess.run([sys.executable, str(HERE / program), "machine", section],
                              env={**os.environ, "IMPL": implementation}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds)
        text, trouble = done.stdout, done.stderr[-600:] if done.returncode else ""
    except subprocess.TimeoutExpired as expired:
        text = (expired.stdout or b"").decode()
        trouble = f"stopped after {seconds} s"
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if trouble:
        rows.append({"bench": section, "error": trouble, "impl": implementation})
    for row in rows:
        if "error" in row:
            print(f"{implementation} {row['bench']}: {row['error']}", flush=True)
    if out:
        with open(out / f"{implementation}.jsonl", "a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return rows


class Figure:
    """One result of one piece of work: by implementation, what each round measured."""

    def __init__(self):
        self.values = {name: {} for name in NAMES}
        self.vendor = []
        self.error = ""
        self.trouble = {}

    def cell(self, name):
        if name in self.trouble:
            return self.trouble[name]
        values = list(self.values[name].values())
        return f"{statistics.median(values):.4g}" if values else ""

    def ratio(self, moreIsBetter):
        """Median and range of the rounds that both have measured."""
        ours, theirs = (self.values[name] for name in NAMES)
        ratios = [ours[r] / theirs[r] if moreIsBetter else theirs[r] / ours[r]
                  for r in ours if r in theirs and ours[r] and theirs[r]]
        if not ratios:
            return ""
        return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


class Table:
    """The figures of all rounds."""

    def __init__(self):
        self.figures = collections.defaultdict(Figure)
        self.machines = {}
        self.rounds = 0

    def add(self, name, number, rows):
        for row in rows:
            if row["bench"] == "machine":
                self.machines[name] = row
            elif "error" in row:
                figure = self.figures[(row["bench"],), "error"]
                figure.trouble[name] = row["error"][:80].splitlines()[0].replace("|", "/")
            elif row["bench"] != "section":
                self.addRow(name, number, row)

    def addRow(self, name, number, row):
        # `kernel` names what was compiled or launched, but is a result of attention.
        parameters = tuple(f"{p}={row[p]}" for p in PARAMETERS
                           if p in row and not (p == "kernel" and "flash2" in row))
        for result in RESULTS:
            if result not in row or (result == "kernel" and "flash2" not in row):
                continue
            figure = self.figures[(row["bench"], *parameters), result]
            if isNumber(row[result]):
                figure.values[name][number] = row[result]
            else:
                figure.trouble[name] = str(row[result])[:70].replace("|", "/")
            vendors = VENDOR.get(result, ())
            vendors = [vendors] if isinstance(vendors, str) else vendors
            figure.vendor += [row[v] for v in vendors if isNumber(row.get(v))][:1]
            if name == NAMES[0]:
                figure.error = row.get("err", row.get(result + "_err", ""))

    def markdown(self):
        lines = ["| work | Tritium | Triton | vendor | ratio to Triton (range) | error |",
                 "|---|---|---|---|---|---|"]
        for (work, result), figure in self.figures.items():
            vendor = f"{statistics.median(figure.vendor):.4g}" if figure.vendor else ""
            lines.append(f"| {' '.join(work)} {result} | {figure.cell('tritium')} | "
                         f"{figure.cell('triton')} | {vendor} | "
                         f"{figure.ratio(RESULTS.get(result, True))} | {figure.error} |")
        lines += ["", f"Rounds: {self.rounds}. " + "; ".join(
            f"{name} {m['version']}: {m['gpu']}, {m['cpu']}, load {m['load']}, "
            f"torch {m['torch']}, CUDA {m['cuda']}" for name, m in self.machines.items())]
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=SECTIONS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=120, help="limit of one section")
    parser.add_argument("--budget", type=int, default=540,
                        help="seconds after which nothing new begins")
    options = parser.parse_args()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (options.out / f"{name}.jsonl").unlink(missing_ok=True)
    table, begin = Table(), time.monotonic()
    for number in range(options.rounds):
        for section in options.sections:
            for name in NAMES[::-1] if number % 2 else NAMES:
                left = options.budget - (time.monotonic() - begin)
                if left > 0:
                    seconds = min(options.seconds, left + 5)
                    table.add(name, number, measure(name, section, options.out, seconds))
        if time.monotonic() - begin >= options.budget:
            print(f"out of time in round {number + 1} of {options.rounds}", flush=True)
            table.rounds += number == 0
            break
        table.rounds += 1
        if options.out:
            (options.out / "table.md").write_text(table.markdown())
    print(table.markdown())
    if options.out:
        (options.out / "table.md").write_text(table.markdown())


if __name__ == "__main__":
    main()
