"""Times that `tritium explain` estimates beside those that an H200 took: bench/gpu/predictions.py
measures them. All launches with TRITIUM_MATRIX=all, else those that are counted quickly."""

import ast
import json
import os

import pytest
from explain_launches import CHANGES, PAIRS, TIMED, examples_and_suite
from explain_rates import RATES
from explaining import ROOT, explained, tritium
from made_launches import model_of

MEASURED = json.loads((ROOT / "test" / "python" / "explain_times.json").read_text())["microseconds"]
# Farther off, of what changes gain: the docs say why.
FAR_GAINS = {"14", "26"}
QUICK = {"histogram", "product of pages", "product by words of 4 bits", "sums of columns", "search",
         "convolution", "two drawings of a mask", "rows added up by atomics",
         "a loop for each element", "sum of Triton-C"}
ROWS = [row for row in examples_and_suite()
        if row.name in QUICK or os.environ.get("TRITIUM_MATRIX") == "all"]


def estimated(row, *options):
    """Microseconds on an H200, whatever the row's target."""
    return model_of(row, *options, target="cuda:90")["microseconds"]["expected"]


def test_the_suite_has_twenty_rows():
    rows = examples_and_suite()
    assert sum(row.kernel.startswith("test/integration/") for row in rows) == 20
    assert {row.name for row in rows} <= set(MEASURED)
    # All kernels of examples but one, which is not counted.
    left_out = {"layer_norm_backward_kernel"}
    kernels = {row.kernel for row in rows}
    for file in sorted((ROOT / "examples").glob("*.py")):
        tree = ast.parse(file.read_text())
        for function in tree.body:
            # What is launched has a grid, so its name ends so, or is the file's.
            if isinstance(function, ast.FunctionDef) and function.decorator_list and (
                    function.name.endswith("_kernel") or function.name == file.stem):
                name = f"examples/{file.name} {function.name}"
                assert (name in kernels) != (function.name in left_out), name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_estimate_is_near_what_was_measured(row):
    ratio = estimated(row, "--gpu", "H200") / MEASURED[row.name]
    assert abs(ratio - 1) <= 0.2, ratio


@pytest.mark.parametrize("size", [17, 69])
def test_what_the_l2_holds_is_read_once(size):
    """Each program reads what is its own eight times: 17 MB, or more than the L2 has."""
    (row,) = [row for row in RATES if row.name == f"{size} MB, each program its own 8 times"]
    model = model_of(row, "--gpu", "H200")
    (clocks,) = [each["clocks"] for each in model["resources"] if each["name"] == "memory"]
    times = clocks * 132 * 19.4 / (size << 20)
    assert abs(times - (1 if size == 17 else 8)) < 0.5, times
    assert abs(model["microseconds"]["expected"] / MEASURED[row.name] - 1) <= 0.2


@pytest.mark.parametrize("name", [
    "100 atomics on the same 32 numbers, 132 programs",
    "100 atomics on the same 512 numbers, 132 programs",
    "100 histograms of 4096 numbers 0 apart, 1 programs",
    "100 conversions of 4096 from fp16 to fp32 by 4 warps",
])
def test_rates(name):
    """Atomics of many programs on the same sectors, atomics of shared memory, conversions."""
    (row,) = [row for row in RATES if row.name == name]
    ratio = model_of(row, "--gpu", "H200")["microseconds"]["expected"] / MEASURED[name]
    assert abs(ratio - 1) <= 0.2, ratio


@pytest.mark.parametrize("name", ["1", "4", "8", "10", "12", "14", "18", "20", "26"])
def test_so_is_what_a_change_gains(name):
    (row,) = [row for row in PAIRS if row.name.split()[0] == name]
    gain = estimated(row) / estimated(row.faster())
    measured = MEASURED[row.name] / MEASURED[f"{row.name}, fast"]
    assert (abs(gain / measured - 1) <= 0.15) != (name in FAR_GAINS), (gain, measured)


def test_a_hint_to_change_memory_once_leaves_no_atomics_behind():
    """Neither those of lanes nor those of requests: half of the gain was lost to the latter."""
    (row,) = [row for row in PAIRS if row.name.startswith("23 ")]
    hint = explained(*row.arguments_of_the_command("cuda:90"), "--gpu", "H200")["hints"][0]
    measured = MEASURED[row.name] / MEASURED[f"{row.name}, fast"]
    assert abs(hint["gain"]["expected"] / measured - 1) <= 0.35


def test_code_for_an_older_gpu_on_a_newer_one():
    (row,) = [row for row in CHANGES if row.name.endswith("as sm_86, num_stages=3")]
    command = row.arguments_of_the_command()
    model = explained(*command, "--keep-options", "--gpu", "H200")["model"]
    assert (model["gpu"], model["multiprocessors"]) == ("H200", 132)
    assert abs(model["microseconds"]["expected"] / MEASURED[row.name] - 1) <= 0.2


def test_what_the_first_cache_has_and_which_arrays_move():
    (row,) = [row for row in PAIRS if row.name.startswith("4 ")]
    slow, fast = (explained(*each.arguments_of_the_command(), "--keep-options")["counters"]
                  for each in (row, row.faster()))
    # Every other element, and then the others of the same sectors.
    total = slow["total"]
    assert total["global_sectors_cached"] > total["global_sectors"] / 3
    assert fast["total"]["global_sectors_cached"] == 0
    assert [(array["name"], array["read"], array["written"]) for array in slow["memory"]] == [
        ("x", True, False), ("out", False, True)]


def test_a_gpu_is_named():
    (row,) = [row for row in TIMED if row.name == "copy of one tile"]
    command = row.arguments_of_the_command()
    for gpu in ("H100", "H200"):
        assert explained(*command, "--keep-options", "--gpu", gpu)["model"]["gpu"] == gpu
    assert "no GPU 'B300' is known of the target; there are: H100, H200" in tritium(
        "explain", *command, "--gpu", "B300", status=1)


def test_the_slower_memory_takes_longer():
    (row,) = [row for row in TIMED if row.name == "two drawings of a mask"]
    (copy,) = [row for row in PAIRS if row.name.startswith("4 ")]
    assert estimated(copy.faster(), "--gpu", "H100") > estimated(copy.faster(), "--gpu", "H200")
    assert estimated(row, "--gpu", "H100") == pytest.approx(
        estimated(row, "--gpu", "H200"), rel=0.1)
