"""Random C programs do as Triton-C what the host's C compiler makes of them."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "fuzz" / "kernels"))

import c_programs  # noqa: E402
import host_compiler  # noqa: E402


@pytest.mark.skipif(host_compiler.find() is None, reason="there is no C compiler")
@pytest.mark.parametrize("seed", [1, 1000])
def test_programs_agree(seed, backend):
    assert c_programs.check(seed, 20) == []
