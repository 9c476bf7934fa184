"""tritium explain: changes that are tried. Where nothing helps, none is shown."""

import pytest
from explaining import explained
from fake_ptxas import ptxas

HEAD = "import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"

COPY = HEAD + """
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
"""


@pytest.fixture
def hintsFor(tmp_path):
    def run(text, signature, *arguments, options=()):
        path = tmp_path / "kernel.py"
        path.write_text(text)
        chosen = [part for option in options for part in ("--option", option)]
        document = explained(path, "--signature", signature, "--target", "cuda:90", *chosen,
                             *arguments)
        for hint in document["hints"]:
            gain = hint["gain"]
            assert gain["worst"] <= gain["expected"] <= gain["best"]
        assert len(document["hints"]) <= 4
        return document["hints"]
    return run


COPIED = ("--constexpr", "BLOCK=4096", "--arg", "x=n", "--arg", "out=n", "--arg", "n=4194304",
          "--grid", "cdiv(n, BLOCK)")


def test_a_copy_at_the_speed_of_memory(hintsFor):
    assert hintsFor(COPY, "*fp16:16,*fp16:16,i32:16", *COPIED) == []


ROWS = HEAD + """
def double(x, pitch, BLOCK: tl.constexpr):
    i = tl.program_id(0) * pitch + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)
"""


@pytest.mark.parametrize("pitch, isNarrow", [(4097, True), (4104, False)])
def test_which_number_keeps_a_launch_from_the_wide_version(hintsFor, pitch, isNarrow):
    hints = hintsFor(ROWS, "*fp16:16,i32", "--constexpr", "BLOCK=4096", "--arg", "x=2048*pitch",
                     "--arg", f"pitch={pitch}", "--grid", "2048")
    titles = [hint["title"] for hint in hints]
    assert ("pass multiples of 8 as pitch" in titles) == isNarrow, titles


def test_code_is_assembled_once(tmp_path, monkeypatch):
    """However often it is counted: on some CTAs, on more, in trials of grids."""
    monkeypatch.setenv("TRITON_PTXAS_PATH", ptxas(tmp_path, f"""
        import hashlib
        open({str(tmp_path / "assembled")!r}, "a").write(
            hashlib.sha256(ptx.encode()).hexdigest() + "\\n")
    """))
    monkeypatch.setenv("TRITIUM_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "kernel.py"
    path.write_text(COPY)
    document = explained(path, "--signature", "*fp16:16,*fp16:16,i32:16", "--target", "cuda:90",
                         *COPIED)
    assert document["resources"]["registers"]["value"] == 40
    assembled = (tmp_path / "assembled").read_text().split()
    # The launch itself once more, with its stages.
    assert len(assembled) <= len(set(assembled)) + 1 and len(set(assembled)) > 4
