"""Counters of the simulator against Nsight Compute's, for utils/check_simulator.py."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

GLOBAL = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors")
          for op in ("ld", "st", "red", "atom", "ldgsts_cache_access", "ldgsts_cache_bypass")]
LOCAL = [f"l1tex__t_{what}_pipe_lsu_mem_local_op_{op}.sum" for what in ("requests", "sectors")
         for op in ("ld", "st")]
SHARED = [f"l1tex__data_{what}_pipe_lsu{how}_mem_shared{op}.sum"
          for what, how in (("pipe_lsu_wavefronts", ""), ("bank_conflicts", ""))
          for op in ("", "_op_ld", "_op_st", "_op_atom")]
SHARED = [name.replace("wavefronts_pipe_lsu", "wavefronts") for name in SHARED]
EXECUTED = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
            "smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed_op_branch.sum",
            "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
            "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_shared_atom.sum",
            "smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
            "smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum",
            "smsp__inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_local_ld.sum",
            "smsp__inst_executed_op_local_st.sum", "smsp__inst_executed_pipe_tensor.sum",
            "sm__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tensor_op_hmma.sum",
            "sm__inst_executed_pipe_tensor_op_imma.sum",
            "sm__inst_executed_pipe_tensor_op_dmma.sum"]
LAUNCH = ["launch__registers_per_thread", "launch__occupancy_limit_registers",
          "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
          "launch__occupancy_limit_blocks", "launch__shared_mem_per_block",
          "sm__maximum_warps_per_active_cycle_pct"]
SASS_OPS = ["global_ld", "global_st", "global_atom", "global_red", "shared_ld", "shared_st",
            "shared_atom", "local_ld", "local_st", "ldsm", "ldgsts", "branch", "barrier"]
SASS = ([f"smsp__sass_inst_executed_op_{op}.sum" for op in SASS_OPS] +
        [f"smsp__sass_l1tex_data_{what}_pipe_lsu_mem_shared{op}.sum"
         for what in ("bank_conflicts",) for op in ("", "_op_ld", "_op_st", "_op_ldsm",
                                                    "_op_ldgsts", "_op_atom")] +
        [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared{op}.sum"
         for op in ("", "_op_ld", "_op_st", "_op_ldsm", "_op_ldgsts", "_op_atom", "_ideal")] +
        [f"smsp__sass_l1tex_t_{what}_pipe_lsu_mem_global_op_{op}.sum"
         for what in ("requests", "sectors") for op in ("ld", "st", "ldgsts_cache_access",
                                                        "ldgsts_cache_bypass")] +
        [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in (
            "integer", "conversion", "control", "memory", "bit", "inter_thread_communication",
            "misc", "fp16", "fp32", "fp64", "fadd", "fmul", "ffma")] +
        ["smsp__sass_branch_targets.sum", "smsp__sass_branch_targets_threads_divergent.sum",
         "smsp__sass_branch_targets_threads_uniform.sum"])
SOURCE = ["memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
          "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal",
          "memory_l1_tag_requests_global", "sass__inst_executed_per_opcode",
          "sass__thread_inst_executed_true_per_opcode"]
PARTS = 2  # runs of ncu a group, so that a limit of time loses only the last
GROUPS = {"hardware": EXECUTED + GLOBAL + LOCAL + SHARED + LAUNCH, "source": SOURCE, "code": SASS}


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
                       "values", "--metrics", ",".join(asked), "--log-file",
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
