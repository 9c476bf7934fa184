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
           "TRITON_PTXAS_PATH": "none", "PTXAS_OPTIONS": "-v", "TRITIUM_CLOCKS": "scopes"}


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


@pytest.mark.parametrize("variable", [s["variable"] for s in SETTINGS
                                      if s["effect"] in ("code", "kernel")])
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
    effects = {"code": "code", "kernel": "kernels", "run": "", "nothing": "nothing"}
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
    others = {s["variable"] for s in SETTINGS
              if not s["for_users"] and s["effect"] != "nothing"}
    idle = {s["variable"] for s in SETTINGS if s["effect"] == "nothing"}
    assert listed("help", "environment") >= users | others
    assert idle and not listed("help", "environment") & idle
    assert listed("--help") >= users and not listed("--help") & others


IDLE = [s for s in SETTINGS if s["effect"] == "nothing"]


@pytest.mark.parametrize("setting", IDLE, ids=lambda s: s["knob"])
def test_what_has_no_effect_says_so_once(setting, monkeypatch):
    triton.knobs._say_once.cache_clear()
    monkeypatch.delenv(setting["variable"], raising=False)
    group, attribute = setting["knob"].split(".")
    group = getattr(triton.knobs, group)
    value = (not getattr(group, attribute)) if setting["type"] == "flag" else 7
    with group.scope(), pytest.warns(UserWarning) as told:
        setattr(group, attribute, value)
        setattr(group, attribute, value)
        assert getattr(group, attribute) in (value, str(value))
    assert [str(w.message) for w in told] == [
        f"knobs.{setting['knob']} has no effect: {setting['doc']}"]
    assert told[0].filename == __file__


def test_the_environment_is_told_of_as_well():
    def said(value):
        return subprocess.run([os.sys.executable, "-c", "import tritium"], text=True, check=True,
                              env={**os.environ, "AMDGCN_ENABLE_DUMP": value},
                              capture_output=True).stderr

    assert "AMDGCN_ENABLE_DUMP has no effect: there is no back end for AMD's" in said("1")
    assert "AMDGCN_ENABLE_DUMP" not in said("0")


def test_the_environment_is_where_settings_are(monkeypatch):
    triton.knobs._say_once.cache_clear()
    assert triton.knobs.propagate_env and triton.knobs.refresh_knobs() is None
    with pytest.warns(UserWarning, match="propagate_env = False has no effect"):
        triton.knobs.propagate_env = False
    monkeypatch.setenv("NVPTX_ENABLE_DUMP", "some_kernel")
    assert triton.knobs.nvidia.dump_nvptx == "some_kernel"
    triton.knobs.nvidia.dump_nvptx = True
    assert os.environ["NVPTX_ENABLE_DUMP"] == "1" and triton.knobs.nvidia.dump_nvptx is True


def test_classes(monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "tritium.runtime.cache:FileCacheManager")
    assert triton.knobs.cache.manager_class is triton.runtime.cache.FileCacheManager
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "nowhere:Manager")
    with pytest.raises(ValueError, match="'nowhere:Manager', and must name a class as MODULE"):
        triton.knobs.cache.manager_class
