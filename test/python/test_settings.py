"""Environment variables: one table (include/tritium/Support/Settings.def), of which keys of caches,
knobs, help texts and docs/settings.md are made."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium import _C

ROOT = pathlib.Path(__file__).parents[2]
SETTINGS = _C.settings()
# Values that are not what is usual, of those that are no flags.
SAMPLES = {"TRITIUM_BACKEND": "sim:sm_80", "TRITIUM_CPU": "x86-64-v3", "TRITON_F32_DEFAULT": "tf32",
           "TRITON_PTXAS_PATH": "none", "PTXAS_OPTIONS": "-v"}


@triton.jit
def double(x_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * 2)


def other_value(setting):
    if setting["type"] == "flag":
        return "0" if setting["usual"] == "1" else "1"
    return SAMPLES[setting["variable"]]


@pytest.fixture
def unset(monkeypatch):
    for setting in SETTINGS:
        if setting["effect"] != "run":
            monkeypatch.delenv(setting["variable"], raising=False)


@pytest.mark.parametrize("variable", [s["variable"] for s in SETTINGS if s["effect"] != "run"])
def test_what_changes_code_changes_the_key(variable, unset, monkeypatch):
    """A kernel object that has launched before takes no code, its own or the cache's, that was made
    under another value."""
    x = np.ones(16, np.float32)
    before = double[(1,)](x, 16)
    setting = next(s for s in SETTINGS if s["variable"] == variable)
    monkeypatch.setenv(variable, other_value(setting))
    assert double[(1,)](x, 16).hash != before.hash
    monkeypatch.delenv(variable)
    assert double[(1,)](x, 16).hash == before.hash


def test_knobs_are_those_of_the_table():
    for setting in SETTINGS:
        if setting["knob"]:
            group, attribute = setting["knob"].split(".")
            knob = getattr(type(getattr(triton.knobs, group)), attribute)
            assert knob.variable == setting["variable"] and knob.__doc__ == setting["doc"]


def test_defaults(monkeypatch):
    for setting in SETTINGS:
        monkeypatch.delenv(setting["variable"], raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    assert triton.knobs.cache.home_dir == "/home/someone"
    assert triton.knobs.cache.override_dir == "/home/someone/.tritium/override"
    assert triton.knobs.runtime.backend is None and triton.knobs.runtime.num_threads is None
    assert triton.knobs.runtime.wait_seconds == 10.0
    assert triton.knobs.language.default_fp_fusion is True
    assert triton.knobs.autotuning.tuning == "measure"
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "perhaps")
    assert triton.knobs.language.default_fp_fusion is True


def page():
    """docs/settings.md as the table has it."""
    effects = {"code": "code", "kernel": "kernels", "run": ""}
    lines = ["| variable | usually | changes | |", "|---|---|---|---|"]
    for setting in SETTINGS:
        usual = f"`{setting['usual']}`" if setting["usual"] else ""
        knob = f"; `knobs.{setting['knob']}`" if setting["knob"] else ""
        lines.append(f"| `{setting['variable']}` | {usual} | {effects[setting['effect']]} | "
                     f"{setting['doc']}{knob} |")
    return "\n".join(lines) + "\n"


def test_page():
    text = (ROOT / "docs" / "settings.md").read_text()
    assert text[text.index("| variable"):] == page(), "what it should be:\n" + page()


def test_help():
    command = pathlib.Path(os.sys.executable).parent / "tritium"

    def listed(*arguments):
        text = subprocess.run([command, *arguments], text=True, capture_output=True,
                              check=True).stdout
        assert all(len(line) <= 90 for line in text.splitlines())
        return {line.split()[0] for line in text.splitlines() if line.startswith("  ")}

    users = {s["variable"] for s in SETTINGS if s["for_users"]}
    others = {s["variable"] for s in SETTINGS if not s["for_users"]}
    assert listed("help", "environment") >= users | others
    assert listed("--help") >= users and not listed("--help") & others
