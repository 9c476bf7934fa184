"""Tritium and Triton side by side on one GPU: runs kernels.py for both, prints one table.

    python bench/gpu/compare.py [--out FOLDER] [SECTION...]

Sections: compile launch add softmax layernorm matmul fp8 attention (default: the first
six). FOLDER receives the rows of each as JSON lines and the table as Markdown. Of a
compilation, compiler_ms is all of it but what ptxas alone takes for the PTX that came out.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SECTIONS = ("compile", "launch", "add", "softmax", "layernorm", "matmul")
# Fields that say what was measured, those that are results, and whether more is better.
PARAMETERS = ("kernel", "n", "M", "N", "K", "dtype", "B", "H", "D", "causal")
RESULTS = {"ms": False, "compiler_ms": False, "us": False, "gbs": True, "pointers": True,
           "pointers_nt": True, "tma_persistent_nt": True}
VENDOR = {"gbs": "torch_gbs", "pointers": "cublas", "pointers_nt": "cublas_nt",
          "tma_persistent_nt": "cublas_nt"}


def measure(implementation, sections, out, seconds):
    """The rows that kernels.py prints for an implementation."""
    rows = []
    for section in sections:
        try:
            done = subprocess.run([sys.executable, str(HERE / "kernels.py"), section],
                                  env={**os.environ, "IMPL": implementation}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=seconds)
            text, trouble = done.stdout, done.stderr[-600:] if done.returncode else ""
        except subprocess.TimeoutExpired as expired:
            text = (expired.stdout or b"").decode()
            trouble = f"stopped after {seconds} s"
        found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if trouble:
            found.append({"bench": section, "error": trouble})
        for row in found:
            if "error" in row:
                print(f"{implementation} {row['bench']}: {row['error']}", flush=True)
        rows += found
        if out:
            with open(out / f"{implementation}.jsonl", "a") as file:
                file.writelines(json.dumps(row) + "\n" for row in found)
    return rows


def key_of(row):
    return (row["bench"], *(f"{name}={row[name]}" for name in PARAMETERS if name in row))


def table(ours, theirs):
    """Markdown: one line a figure, with the ratio that says how much better ours is."""
    theirs = {key_of(row): row for row in theirs}
    lines = ["| work | Tritium | Triton | vendor | ratio | error |", "|---|---|---|---|---|---|"]
    for row in ours:
        if row["bench"] == "section":
            continue
        other = theirs.get(key_of(row), {})
        name = " ".join(key_of(row))
        if "error" in row:
            lines.append(f"| {name} | {row['error'][:80].splitlines()[0]} | | | | |")
        for result, more_is_better in RESULTS.items():
            if result not in row:
                continue
            mine, reference = row[result], other.get(result)
            ratio = ""
            if all(isinstance(x, (int, float)) and x for x in (mine, reference)):
                ratio = f"{mine / reference if more_is_better else reference / mine:.2f}x"
            vendor = row.get(VENDOR.get(result, ""), "")
            error = row.get("err", row.get(result + "_err", ""))
            lines.append(f"| {name} {result} | {str(mine)[:70]} | {str(reference)[:70]} | "
                         f"{vendor} | {ratio} | {error} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=SECTIONS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=120, help="limit of one section")
    options = parser.parse_args()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    results = {name: measure(name, options.sections, options.out, options.seconds)
               for name in ("tritium", "triton")}
    text = table(results["tritium"], results["triton"])
    print(text)
    if options.out:
        (options.out / "table.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
