"""Counters of the simulator against Nsight Compute's, for utils/check_simulator.py."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

# What the hardware counts.
OPS = ("ld", "st", "red", "atom")
REQUESTS = [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in OPS]
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in OPS]
CONFLICTS = [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
             for op in ("ld", "st", "atom")]
EXECUTED = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
            "smsp__thread_inst_executed_pred_on.sum"]
LAUNCH = ["launch__registers_per_thread", "launch__occupancy_limit_registers",
          "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
          "launch__occupancy_limit_blocks"]
# What is counted in the code, instruction by instruction, as ncu's source page shows it.
SOURCE = ["memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
          "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal",
          "memory_l1_tag_requests_global", "sass__inst_executed_per_opcode",
          "sass__thread_inst_executed_true_per_opcode"]
PARTS = 2  # runs of ncu a group, so that a limit of time loses only the last
csv.field_size_limit(1 << 24)  # instances of a metric stand in one field
GROUPS = {"hardware": EXECUTED + REQUESTS + SECTORS + CONFLICTS + LAUNCH, "source": SOURCE}


def known_metrics(out):
    """The base names that ncu knows on this GPU; empty if it does not say."""
    names = set()
    for collection in ("profiling", "source", "launch"):
        done = subprocess.run(["ncu", "--query-metrics", "--query-metrics-collection", collection],
                              capture_output=True, text=True, timeout=40)
        names |= {line.split()[0] for line in done.stdout.splitlines() if "__" in line
                  or line.startswith("memory_")}
    (out / "metrics.txt").write_text("\n".join(sorted(n for n in names if n[0] in "lmst")))
    return names


def profile(folder, out, seconds):
    """Runs the counted kernels under ncu, group by group; what takes too long is cut off."""
    out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    known = known_metrics(out)
    for group, metrics in GROUPS.items():
        asked = [m for m in metrics if m.split(".")[0] in known] or metrics
        print(f"{group}: asks for {len(asked)} of {len(metrics)} metrics; not known: "
              f"{sorted(set(metrics) - set(asked))}")
        for part in range(PARTS):
            name = f"{group}{part}"
            command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv",
                       "--page", "raw", "--print-units", "base", "--print-metric-instances",
                       "details", "--metrics", ",".join(asked), "--log-file",
                       out / f"{name}.csv", sys.executable,
                       Path(__file__).parent / "check_simulator.py", "gpu", folder, out,
                       "--counted", str(part)]
            with open(out / f"{name}.log", "w") as log:
                try:
                    status = subprocess.run(command, stdout=log, stderr=log,
                                            timeout=max(5, end - time.monotonic()))
                    print(f"{name}: status {status.returncode}, {end - time.monotonic():.0f} s "
                          "left")
                except subprocess.TimeoutExpired:
                    print(f"{name}: out of time")
                    return 1
    return 0


# Classes of the simulator and the opcodes of machine code that they become. Of threads with a
# true guard, so that a branch and a predicate count the same.
CLASSES = {
    "global_load": ("LDG",), "global_store": ("STG",), "shared_load": ("LDS",),
    "shared_store": ("STS",), "async_copy": ("LDGSTS",), "matrix_memory": ("LDSM", "STSM"),
    "matrix": ("HMMA", "IMMA", "DMMA"), "atomic": ("ATOM", "ATOMG", "ATOMS", "RED", "REDG"),
    "barrier": ("BAR",),
}


def number(text):
    digits = text.split("(")[0].replace(",", "").split(".")[0].strip()
    return int(digits) if digits.isdigit() else 0


def opcodes(text):
    """"12 (LDG: 8; STG: 4)" as a dict."""
    parts = text.partition("(")[2].rstrip(")").split(";")
    pairs = [part.rsplit(":", 1) for part in parts if ":" in part]
    return {name.strip().split(".")[0]: number(count) for name, count in pairs}


def measured(cases, folder):
    """Case name -> metric -> text, from the runs' files."""
    made = {case.name: {} for case in cases}
    for group in GROUPS:
        for part in range(PARTS):
            lines = [line for line in (folder / f"{group}{part}.csv").read_text().splitlines()
                     if line.startswith('"')]
            rows = list(csv.DictReader(lines))[1:]  # the first has the units
            own = cases[part::PARTS]
            assert [row["Kernel Name"] for row in rows] == [case.entry for case in own]
            for case, row in zip(own, rows):
                made[case.name].update(row)
    return made


def table(cases, gpu, sim):
    """Prints a line a kernel: GPU's number, and the simulator's where it is another one."""
    values = measured(cases, gpu)
    columns = ["kernel", "requests", "sectors", "ideal", "wavefronts", "ideal", "CTAs",
               "instructions"]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    equal = 0
    for case in cases:
        theirs = values[case.name]
        counters = json.loads((sim / f"{case.name}.json").read_text())
        ours = counters["total"]
        pairs = [
            (sum(number(theirs[name]) for name in REQUESTS), ours["global_requests"]),
            (number(theirs["memory_l2_theoretical_sectors_global"]), ours["global_sectors"]),
            (number(theirs["memory_l2_theoretical_sectors_global_ideal"]),
             ours["global_sectors_ideal"]),
            (number(theirs["memory_l1_wavefronts_shared"]), ours["shared_wavefronts"]),
            (number(theirs["memory_l1_wavefronts_shared_ideal"]),
             ours["shared_wavefronts_ideal"]),
        ]
        executed = opcodes(theirs["sass__thread_inst_executed_true_per_opcode"])
        differences = []
        for kind, names in CLASSES.items():
            here = ours["thread_classes"].get(kind, 0)
            there = sum(executed.get(name, 0) for name in names)
            if here != there:
                differences.append(f"{kind} {there} ({here})")
        ctas = min(number(theirs[f"launch__occupancy_limit_{name}"])
                   for name in ("registers", "shared_mem", "warps", "blocks"))
        pairs.append((ctas, next(o["ctas"] for o in counters["occupancy"]
                                 if o["architecture"] == 90)))
        cells = [str(a) if a == b else f"{a} ({b})" for a, b in pairs]
        cells.append("; ".join(differences) or "equal")
        equal += not differences and all(a == b for a, b in pairs)
        print(f"| {case.name} | " + " | ".join(cells) + " |")
    print(f"{equal} of {len(cases)} kernels have equal counts")
    return len(cases) - equal
