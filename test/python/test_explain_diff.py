"""tritium explain --diff: two kernels, files or sets of options side by side; a guard in CI."""

import json
import re

import pytest
from explain_baselines import BASELINES, EXAMPLES, explained
from explaining import ROOT, tritium

HEAD = "import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"
SUM = HEAD + """def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    tl.store(out + row, tl.sum(v.to(tl.float32), axis=0))
"""
LAUNCH = ["--arg", "x=1024*n", "--arg", "out=1024", "--arg", "n=1024", "--grid", "1024"]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "total.py"
    path.write_text(SUM)
    return path


def command(source, *more, target="cuda:90"):
    return ["explain", source, "--signature", "*fp16:16,*fp32:16,i32:16", "--constexpr",
            "BLOCK=1024", "--target", target, *LAUNCH, *more]


def compared(*arguments, status=0):
    done = tritium(*arguments, "--json", "-", status=status, output=True)
    return json.loads(done)


def kinds(comparison):
    return [one["kind"] for one in comparison["worse"]]


def test_the_same_is_not_worse(source):
    comparison = compared(*command(source), "--diff", "", "", "--fail-on", "worse")
    assert (comparison["lines"], comparison["numbers"], comparison["choices"]) == ([], {}, {})
    assert comparison["worse"] == [] and comparison["time"]["change"] == 0
    assert comparison["unchanged_lines"] >= 6


def test_a_narrower_access_is_named_with_its_line(source):
    narrow = "--signature *fp16,*fp32:16,i32"
    comparison = compared(*command(source), "--diff", "", narrow, "--fail-on", "access", status=3)
    assert comparison["choices"]["x"] == {"a": "*fp16:16", "b": "*fp16"}
    (access,) = [one for one in comparison["worse"] if one["kind"] == "access"]
    assert access["line"] == 8 and "a load moves 2 bytes a lane, 16 before" in access["message"]
    # What is wider is not worse.
    comparison = compared(*command(source), "--diff", narrow, "", "--fail-on", "access")
    assert "access" not in kinds(comparison)


def test_a_barrier_more_is_named_with_its_line(source):
    sides = ["--option num_warps=1", "--option num_warps=8"]
    comparison = compared(*command(source), "--diff", *sides, "--fail-on", "barrier", status=3)
    (barrier,) = [one for one in comparison["worse"] if one["kind"] == "barrier"]
    assert barrier["line"] == 9
    assert comparison["numbers"]["barriers"]["a"] == 0
    compared(*command(source), "--diff", *sides[::-1], "--fail-on", "barrier")
    compared(*command(source), "--diff", *sides, "--fail-on", "spill")


def test_time_is_compared_and_how_much_may_be_said(source):
    sides = ["", "--arg n=1024 --constexpr BLOCK=16384"]
    comparison = compared(*command(source), "--diff", *sides, "--fail-on", "time", status=3)
    (time,) = [one for one in comparison["worse"] if one["kind"] == "time"]
    change = comparison["time"]["change"]
    assert change > 0.03 and f"+{change * 100:.1f} %" in time["message"]
    compared(*command(source), "--diff", *sides, "--fail-on", f"time={change * 100 + 1}%")
    compared(*command(source), "--diff", *sides, "--fail-on", f"time={change * 100 - 1}%", status=3)


def test_a_spill_is_worse(tmp_path):
    matmul = ["explain", ROOT / "examples" / "matmul.py", "--kernel", "matmul", "--signature",
              "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "--constexpr", "BM=128",
              "--constexpr", "BN=128", "--constexpr", "BK=64", "--target", "cuda:80"]
    comparison = compared(*matmul, "--diff", "", "--option maxnreg=64", "--fail-on", "spill",
                          status=3)
    assert kinds(comparison) == ["spill"]
    assert comparison["numbers"]["spill_bytes"]["b"] > 0
    # Without launches there is nothing to say of time, and a guard does not pass for it.
    assert "time" not in comparison
    error = tritium(*matmul, "--diff", "", "", "--fail-on", "time", status=1)
    assert "not both have a launch that was counted" in error


def test_lines_that_moved_and_lines_that_were_edited(source, tmp_path):
    edited = tmp_path / "edited.py"
    edited.write_text(SUM.replace("\n    row =", "\n\n    # Comment\n    row =")
                      .replace("other=0.0", "other=1.0"))
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, file in zip([source, edited], files, strict=True):
        tritium(*command(path), "--keep-options", "--json", file)
    comparison = compared("explain", "--diff", *files)
    assert [(line.get("a", {}).get("line"), line.get("b", {}).get("line"))
            for line in comparison["lines"]] == [(None, 7), (None, 8), (8, 10)]
    text = tritium("explain", "--diff", *files)
    assert max(map(len, text.splitlines())) <= 80
    assert "    8    10 |     v = tl.load(x + row * n + i, mask=i < n, other=1.0)" in text


def test_a_file_against_what_is_there_now(source, tmp_path):
    kept = tmp_path / "kept.json"
    tritium(*command(source), "--keep-options", "--json", kept)
    assert compared(*command(source), "--diff", kept, "", "--fail-on", "worse")["worse"] == []


@pytest.mark.parametrize("text, message", [
    ("{", "is no JSON"),
    ("[]", "is not what tritium explain --json writes"),
    ('{"format": "tritium-explain", "version": 0}',
     "is of version 0, and this program reads version 1"),
    ('{"format": "tritium-explain"}', "is of version unknown"),
])
def test_files_that_cannot_be_read(tmp_path, text, message):
    path = tmp_path / "old.json"
    path.write_text(text)
    error = tritium("explain", "--diff", path, path, status=1)
    assert f"{path}: {message}" in error


def test_wrong_command_lines(source, tmp_path):
    for given, message in [(["--diff", ""], "needs a value"),
                           (["--diff", "", "", "--fail-on", "speed"], "no 'speed'"),
                           (["--diff", "", "", "--fail-on", "time=x"], "wants a share"),
                           (["--diff", "", "--json x"], "has what is compiled and launched"),
                           (["--fail-on", "fast"], "wants a gain")]:
        assert message in tritium(*command(source), *given, status=2)
    missing = tmp_path / "missing.json"
    assert f"{missing}: cannot be read" in tritium("explain", "--diff", missing, missing, status=1)


def test_fail_on_of_one_kernel(source):
    many = command(source, "--option", "num_warps=16")
    text = tritium(*many, "--fail-on", "1.1", status=3, output=True)
    assert re.search(r"1\.\d\dx  num_warps=[48] \(tried\)", text)
    tritium(*many, "--fail-on", "9")
    error = tritium(*many[:8], "--fail-on", "1.1", status=1)
    assert "has no launch on which changes were tried" in error


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_as_good_as_they_were(name, tmp_path):
    """The failure has the comparison; explain_baselines.py accepts what is meant to be so."""
    now = tmp_path / f"{name}.json"
    now.write_text(json.dumps(explained(name)))
    kept = BASELINES / f"{name}.json"
    text = tritium("explain", "--diff", kept, now)
    worse = [row for row in text.splitlines() if row.startswith("worse")]
    assert worse == [], text
    tritium("explain", "--diff", kept, now, "--fail-on", "worse")
