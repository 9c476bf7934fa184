"""The kernels of bench/gpu/workloads.py leave PyTorch's results, at small sizes, on a CPU."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def lines(*arguments):
    done = subprocess.run([sys.executable, ROOT / "bench/gpu/workloads.py", *arguments],
                          env={**os.environ, "IMPL": "tritium"}, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def results():
    return lines("--small", "--backend", "cpu")


def test_all_kernels_agree_with_torch(results):
    assert len(results) > 50
    assert [r for r in results if not r["ok"] or "refused" in r] == []


def test_a_word_chooses_kernels(results):
    chosen = lines("--small", "--backend", "cpu", "cumsum")
    names = [r["name"] for r in results if "cumsum" in r["name"]]
    assert len(names) > 1 and [r["name"] for r in chosen] == names
