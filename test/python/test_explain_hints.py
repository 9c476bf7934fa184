"""tritium explain: changes that are tried. Where nothing helps, none is shown."""

import pytest
from explaining import explained

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
