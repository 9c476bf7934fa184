"""Slow and fast kernels, one table: the first hint for the slow one is the change that makes the
fast one; and kernels for which nothing is proposed. Rows whose `fails` says why are not right yet:
docs/explain.md lists them, and one that has become right fails here. What takes long to compile and
to count in many ways runs with TRITIUM_MATRIX=all."""

import json
import os

import pytest
from explain_launches import NULLS, PAIRS
from explaining import ROOT, explained, tritium

SLOW = {"7", "12", "13", "16", "17", "18", "19", "20", "22"}


def hintsFor(row):
    document = explained(*row.arguments_of_the_command())
    assert len(document["hints"]) <= 4 and "refused" not in document
    for hint in document["hints"]:
        gain = hint["gain"]
        assert gain["worst"] <= gain["expected"] <= gain["best"] and gain["expected"] >= 1.02
    return document["hints"]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.name.split()[0])
def test_the_first_hint_is_the_change(row):
    if row.name.split()[0] in SLOW and os.environ.get("TRITIUM_MATRIX") != "all":
        pytest.skip("only with TRITIUM_MATRIX=all")
    hints = hintsFor(row)
    code, title = row.first
    isRight = bool(hints) and hints[0]["code"] == code and title in hints[0]["title"]
    assert isRight != bool(row.fails), hints


@pytest.mark.parametrize("row", NULLS, ids=lambda row: row.name)
def test_nothing_is_proposed(row):
    hints = hintsFor(row)
    assert (hints == []) != bool(row.fails), hints


def test_what_does_something_else_is_no_hint():
    """A tile that is shorter than the row would be faster, and leaves its end out."""
    (row,) = [row for row in PAIRS if row.name.startswith("9 ")]
    command = row.arguments_of_the_command()
    assert [hint for hint in hintsFor(row) if hint["code"] == "BLOCK"] == []
    # So it is found where the row is as short.
    short = [item.replace("width=2112", "width=1024") if isinstance(item, str) else item
             for item in command]
    assert "BLOCK=2048" in [hint["title"] for hint in explained(*short)["hints"]]


def test_hints_have_80_columns():
    (row,) = [row for row in PAIRS if row.name.startswith("2 ")]
    text = tritium("explain", *row.arguments_of_the_command())
    assert max(map(len, text.splitlines())) <= 80
    assert "(estimated), line 20" in " ".join(text.split())


def gainsOf(row):
    """What the change of a pair gains on an H200: estimated, and measured."""
    if not row.fast:
        return "", ""
    times = json.loads((ROOT / "test/python/explain_times.json").read_text())["microseconds"]
    slow, fast = (explained(*each.arguments_of_the_command("cuda:90"), "--keep-options", "--gpu",
                            "H200")["model"]["microseconds"]["expected"]
                  for each in (row, row.faster()))
    took = times.get(f"{row.name}, fast")
    return f"{slow / fast:.2f}", f"{times[row.name] / took:.2f}" if took else "not yet"


def main():
    """Writes the table of docs/explain.md."""
    print("| slow kernel | first hint | gain, by the hint | of the change: estimated "
          "| measured | |")
    print("|---|---|---|---|---|---|")
    for row in PAIRS + NULLS:
        hints = hintsFor(row)
        title, gain, how = "none", "", ""
        if hints:
            title, gain = hints[0]["title"], f"{hints[0]['gain']['expected']:.2f}"
            how = hints[0]["certainty"]
        estimated, measured = gainsOf(row)
        print(f"| {row.name} | {title} | {gain} | {estimated} | {measured} | "
              f"{'not right: ' + row.fails if row.fails else how} |", flush=True)


if __name__ == "__main__":
    main()
