"""What `tritium explain` predicts beside what a GPU takes.

    predictions.py --measure FILE.json     times of all launches of explain_launches.py, on a GPU
    predictions.py --measure FILE.json --of changes rates
                                           of those in these lists, beside what FILE.json has
    predictions.py FILE.json               the tables, with predictions made here
    predictions.py --estimate FILE.json    predictions for an H200 of launches that were not
                                           measured: those of explain_held_out.json; what stands
                                           there stays

Needs `test/python` of the repository; to measure, torch, and Tritium as PYTHONPATH has it. Times
are those of the kernel alone, microseconds, with nothing of the arguments in the L2: the model
counts what comes from memory.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("test/python", "test/integration", "examples")]

from explain_launches import (  # noqa: E402
    CHANGES,
    HELD_OUT_AT_LAST,
    NULLS,
    ONCE_HELD_OUT,
    PAIRS,
    RATES,
    TIMED,
)

TYPES = {"fp16": "float16", "fp32": "float32", "i8": "int8", "i32": "int32", "i64": "int64",
         "fp8e5": "float8_e5m2"}


def launches(lists=("known",)):
    """The rows of these lists, by what the table calls them; a fast one is "NAME, fast"."""
    known = {row.name: row for row in TIMED + NULLS + PAIRS + ONCE_HELD_OUT}
    known |= {f"{row.name}, fast": row.faster() for row in PAIRS if row.fast}
    others = {"changes": CHANGES, "rates": RATES, "at-last": HELD_OUT_AT_LAST}
    all_lists = {"known": known} | {name: {row.name: row for row in rows}
                                    for name, rows in others.items()}
    return {name: row for each in lists for name, row in all_lists[each].items()}


# ---------------------------------------------------------------- measured


def number(text):
    return float(text) if "." in text else int(text)


class Launch:
    """A row as a launch from Python; texts as the command takes them."""

    def __init__(self, row):
        import tritium

        spec = importlib.util.spec_from_file_location(row.file.stem, row.file)
        module = sys.modules.setdefault(row.file.stem, importlib.util.module_from_spec(spec))
        if not hasattr(module, "__file__") or row.kernel.split()[1] not in vars(module):
            spec.loader.exec_module(module)
        kernel = getattr(module, row.kernel.split()[1])
        self.constants = dict(item.split("=") for item in row.constants.split())
        self.constants = {name: {"True": True, "False": False}.get(text) if text in
                          ("True", "False") else number(text)
                          for name, text in self.constants.items()}
        self.options = dict(item.split("=") for item in row.options.split())
        self.options = {name: int(text) if text.isdigit() else text
                        for name, text in self.options.items()}
        given = dict(item.split("=") for item in row.arguments.split())
        names = [name for name in kernel.arg_names if name in given]
        types = dict(zip(names, row.signature.split(","), strict=True))
        self.numbers = dict(self.constants)
        for name in names:
            if not types[name].startswith("*"):
                self.numbers[name] = number(given[name])
        self.arguments = {name: self.array(types[name], given[name]) if types[name][0] == "*" else
                          self.numbers[name] for name in names}
        # What the signature does not promise is not to be found out, either.
        free = [name for name in names if not types[name].endswith(":16") and
                types[name] != "fp32"]
        self.kernel = tritium.jit(kernel.fn, do_not_specialize=free) if free else kernel
        self.grid = tuple(int(self.value(extent)) for extent in self.extents(row.grid))
        self.compiled = self.compile(kernel, types, row.target) if row.own_code else None

    def compile(self, kernel, types, target):
        """Code for an older GPU than the one that runs it, whose driver assembles it."""
        from tritium import knobs
        from tritium.compiler import ASTSource, GPUTarget, compile

        promised = {name: [["tt.divisibility", 16]] for name, kind in types.items()
                    if kind.endswith(":16")}
        source = ASTSource(kernel, {name: kind.split(":")[0] for name, kind in types.items()},
                           self.constants, promised)
        with knobs.nvidia.scope():
            knobs.nvidia.ptxas = "none"
            return compile(source, GPUTarget("cuda", int(target.split(":")[1]), 32), self.options)

    def extents(self, text):
        """The parts between commas that are in no brackets."""
        depth, parts = 0, [""]
        for letter in text:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        return parts

    def value(self, text):
        known = {"cdiv": lambda a, b: -(-a // b), **self.numbers}
        return eval(text.replace("/", "//"), {}, known)  # noqa: S307: our own table

    def array(self, kind, text):
        import torch

        count, _, fill = text.partition(":")
        shape, dtype = (self.value(count),), getattr(torch, TYPES[kind[1:].split(":")[0]])
        if fill == "iota":
            return torch.arange(*shape, device="cuda").to(dtype)
        if fill == "ones" or not dtype.is_floating_point:
            return torch.full(shape, int(fill == "ones"), device="cuda", dtype=dtype)
        return (torch.rand(shape, device="cuda") * 2 - 1).to(dtype)

    def __call__(self):
        if self.compiled:
            return self.compiled[self.grid](*self.arguments.values())
        self.kernel[self.grid](**self.arguments, **self.constants, **self.options)


def measure(path, lists):
    import torch
    from timing import cold

    before = json.loads(path.read_text()) if path.exists() else {}
    times, failed = before.get("microseconds", {}), {}
    for name, row in launches(lists).items():
        try:
            launch = Launch(row)
            launch()
            times[name] = round(1000 * statistics.median(cold(launch) for _ in range(3)), 2)
        except Exception as error:  # a table with a gap is worth more than none
            failed[name] = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        print(name, times.get(name, failed.get(name)), flush=True)
    path.write_text(json.dumps({"device": torch.cuda.get_device_name(0), "microseconds": times,
                                "failed": failed}, indent=1) + "\n")


# ---------------------------------------------------------------- predicted


def estimates(rows, gpu, jobs):
    """Microseconds, by the names of the rows."""
    from explaining import explained

    def estimated(row):
        # Rows for other GPUs are predicted for Hopper, which measured them.
        command = row.arguments_of_the_command(row.target if row.own_code else "cuda:90")
        model = explained(*command, "--keep-options", "--gpu", gpu)["model"]
        return model["microseconds"]["expected"]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(rows, pool.map(estimated, rows.values())))


def estimate(path, jobs):
    known = json.loads(path.read_text()) if path.exists() else {}
    rows = {name: row for name, row in launches(["at-last"]).items()
            if name not in known}
    known |= {name: round(time, 1) for name, time in estimates(rows, "H200", jobs).items()}
    path.write_text(json.dumps(known, indent=1) + "\n")


def tables(path, jobs):
    measured = json.loads(path.read_text())
    times = measured["microseconds"]
    gpu = next(name for name in ("H100", "H200") if name in measured["device"])
    rows = {name: row for name, row in launches().items() if name in times}
    others = {name: row for name, row in launches(["changes", "at-last"]).items()
              if name in times}

    expected = estimates(rows | others, gpu, jobs)
    for names in (rows, others):
        print(f"| {gpu} | predicted, us | measured, us | ratio |\n|---|---|---|---|")
        for name in names:
            print(f"| {name} | {expected[name]:.1f} | {times[name]:.1f} | "
                  f"{expected[name] / times[name]:.2f} |")
        print()
    close = {name for name in rows if abs(expected[name] / times[name] - 1) <= 0.2}
    timed = {row.name for row in TIMED} & set(rows)
    print(f"within 20 %: {len(close)} of {len(rows)}, of examples and the suite "
          f"{len(close & timed)} of {len(timed)}")
    print("\n| change | predicted | measured | ratio |\n|---|---|---|---|")
    near = count = 0
    for row in PAIRS:
        fast = f"{row.name}, fast"
        if row.name not in rows or fast not in rows:
            continue
        guess, truth = expected[row.name] / expected[fast], times[row.name] / times[fast]
        near, count = near + (abs(guess / truth - 1) <= 0.15), count + 1
        print(f"| {row.name} | {guess:.2f} | {truth:.2f} | {guess / truth:.2f} |")
    print(f"\nwithin 15 %: {near} of {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--of", nargs="+", metavar="LIST",
                        default=["known", "changes", "rates", "at-last"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("path", type=pathlib.Path)
    given = parser.parse_args()
    if given.measure:
        measure(given.path, given.of)
    elif given.estimate:
        estimate(given.path, given.jobs)
    else:
        tables(given.path, given.jobs)


if __name__ == "__main__":
    main()
