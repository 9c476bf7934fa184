"""The kernels of bench/gpu/workloads.py leave PyTorch's results, at small sizes, on a CPU."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def test_all_kernels_agree_with_torch():
    done = subprocess.run(
        [sys.executable, ROOT / "bench/gpu/workloads.py", "--small", "--backend", "cpu"],
        env={**os.environ, "IMPL": "tritium"}, capture_output=True, text=True)
    assert not done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) > 50
    assert [r for r in results if not r["ok"] or "refused" in r] == []
