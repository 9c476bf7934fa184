"""Tests of PyTorch's compiler on Tritium; make test-torch runs them."""

import os

import tritium

tritium.install_as_triton()

import pytest  # noqa: E402
import torch  # noqa: E402
import torch._dynamo  # noqa: E402
import torch._inductor.config as inductor  # noqa: E402


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """The names of the kernels that Tritium compiles for torch's compiler during a test, none of
    which comes from a cache."""
    names = []
    compile_it = tritium.compile

    def compile_and_note(source, *args, **kwargs):
        kernel = compile_it(source, *args, **kwargs)
        names.append(source.fn.__name__)
        return kernel

    monkeypatch.setattr(tritium, "compile", compile_and_note)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", os.path.join(tmp_path, "kernels"))
    torch._dynamo.reset()
    torch.manual_seed(0)
    with inductor.patch(cpu_backend="triton", force_disable_caches=True):
        yield names
