"""Every example of docs/blocks.md does what the page says."""

import pathlib
import re

import pytest
from support import kernels_from

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "blocks.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def test_there_are_examples():
    assert len(EXAMPLES) == 3 and all("assert" in example for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: re.search(r"def (\w+)", text)[1])
def test_example(backend, example):
    # Under another name for each back end, so that it runs again; its assertions run with it.
    assert kernels_from(f"# {backend}\n{example}")
