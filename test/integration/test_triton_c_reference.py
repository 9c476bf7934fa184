"""Every example of docs/triton-c.md does what the page says."""

import pathlib
import re

import numpy as np
import pytest

import tritium as triton

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "triton-c.md"
BLOCK = re.compile(r"^```c\n(.*?)^```\n```(result|error)\n(.*?)^```\n", re.M | re.S)
DTYPES = {"int": "int32", "long": "int64", "float": "float32", "double": "float64"}


def examples():
    text = PAGE.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield pytest.param(*match.groups(), id=f"line{line}")


EXAMPLES = list(examples())


def kernel(code, ctype):
    if "void example" not in code:
        code = f"void example({ctype} *out, float *x, int *k) {{\n{code}}}\n"
    return triton.c.kernel(code)


def test_every_block_is_an_example():
    """A block that the pattern does not match would not be run."""
    assert PAGE.read_text().count("```c\n") == len(EXAMPLES) >= 40


@pytest.mark.parametrize("code, kind, expected", EXAMPLES)
def test_example(code, kind, expected, backend):
    ctype, *values = expected.split() if kind == "result" else ["int"]
    dtype = DTYPES[ctype]
    out = np.zeros(256, dtype)
    arguments = out, np.arange(256, dtype="float32"), np.arange(256, dtype="int32")
    if kind == "error":
        with pytest.raises(triton.CompilationError) as caught:
            kernel(code, ctype)(*arguments, grid=(1,))
        assert expected.strip() in str(caught.value)
        assert re.search(r":\d+:\d+: error: ", str(caught.value))
        return
    kernel(code, ctype)(*arguments, grid=(1,))
    np.testing.assert_array_equal(out[:len(values)], np.array(values, dtype))
    assert not out[len(values):].any()
