"""Every example, on every back end, at small sizes that divide nothing; its kernels compiled for a
GPU of compute capability 9.0; and as the program that it is."""

import pathlib
import re
import runpy

import numpy as np
import pytest

import attention
import block_scaled_matmul
import dependent_launch
import device_library
import dropout
import grouped_matmul
import layer_norm
import matmul
import persistent_matmul
import softmax
import tritium as triton
import vector_add
from conftest import select
from support import assert_same, random_array
from tritium.compiler import ASTSource, GPUTarget

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def close(results, expected, **tolerance):
    for result, exact in zip(results, expected, strict=True):
        np.testing.assert_allclose(result.astype(np.float64), exact, **tolerance)


def wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


def each_config(kernel, monkeypatch):
    """Every configuration of a tuned kernel, as the only one; those too that pruning drops."""
    for config in list(kernel.configs):
        with monkeypatch.context() as patch:
            patch.setattr(kernel, "configs", [config])
            patch.setattr(kernel, "early_config_prune", None)
            kernel.cache.clear()
            yield config
    kernel.cache.clear()


def check_vector_add(rng, monkeypatch):
    x, y = random_array(rng, (2, 5000), "float32")
    assert_same(vector_add.add(x, y), x + y)


def check_softmax(rng, monkeypatch):
    x = random_array(rng, (7, 781), "float32")
    results = (softmax.softmax(x), softmax.softmax_grid_stride(x, softmax.resident_programs(x)))
    close(results, [softmax.softmax_numpy(*wide(x))] * 2, rtol=1e-5)


def check_matmul(rng, monkeypatch):
    a, b = random_array(rng, (70, 51), "float32"), random_array(rng, (51, 33), "float32")
    exact = a.astype(np.float64) @ b.astype(np.float64)
    activated = {"leaky_relu": np.where(exact >= 0, exact, 0.01 * exact),
                 "relu": np.maximum(exact, 0),
                 "sigmoid": 1 / (1 + np.exp(-exact)), "": exact}
    for name, expected in activated.items():
        close([matmul.multiply(a, b, name, BM=32, BN=32)], [expected], rtol=1e-5, atol=1e-4)
    for _ in each_config(matmul.tuned_matmul, monkeypatch):
        close([matmul.multiply_tuned(a, b)], [exact], rtol=1e-5, atol=1e-4)


def check_dropout(rng, monkeypatch):
    x, keep = random_array(rng, 2500, "float32"), rng.random(2500) > 0.3
    close([dropout.masked_dropout(x, keep, 0.25)], [np.where(keep, x / 0.75, 0)], rtol=3e-7)
    once, twice, other = (dropout.dropout(x, 0.5, seed) for seed in (3, 3, 4))
    close([once], [dropout.dropout_numpy(x, 0.5, 3)], rtol=3e-7)
    assert_same(once, twice)
    assert ((once == 0) != (other == 0)).any()


def check_layer_norm(rng, monkeypatch):
    x, dy = random_array(rng, (2, 19, 100), "float32")
    weight, bias = random_array(rng, (2, 100), "float32")
    y, mean, rstd = layer_norm.layer_norm(x, weight, bias)
    close([y], [layer_norm.layer_norm_numpy(*wide(x, weight, bias))], atol=1e-5)
    # More rows than groups, and groups without a row.
    for groups in (3, 32):
        close(layer_norm.layer_norm_backward(dy, x, weight, mean, rstd, groups),
              layer_norm.layer_norm_backward_numpy(*wide(dy, x, weight)), atol=2e-5)


def check_attention(rng, monkeypatch):
    q, k, v, do = random_array(rng, (4, 2, 70, 40), "float32")
    for causal in (True, False):
        exact = attention.attention_numpy(*wide(q, k, v), causal)
        for _ in each_config(attention.tuned_forward_kernel, monkeypatch):
            o, lse = attention.attention_forward(q, k, v, causal)
            close([o], [exact], atol=1e-5)
        close(attention.attention_backward(do, q, k, v, o, lse, causal),
              attention.attention_backward_numpy(*wide(do, q, k, v), causal), atol=3e-5)
    q, k, v, do = (random_array(rng, (1, 50, 32), "float16") for _ in range(4))
    o, lse = attention.attention_forward(q, k, v)
    close(attention.attention_backward(do, q, k, v, o, lse),
          attention.attention_backward_numpy(*wide(do, q, k, v)), atol=3e-2)


def check_device_library(rng, monkeypatch):
    x = np.append(rng.uniform(-1, 1, 1500), [-1, 0, 1])
    for dtype, rtol in ((np.float32, 1e-6), (np.float64, 1e-15)):
        y = x.astype(dtype)
        close([device_library.asin(y)], [np.arcsin(y.astype(np.float64))], rtol=rtol)
    assert np.isnan(device_library.asin(np.array([1.5]))).all()


def check_grouped_matmul(rng, monkeypatch):
    sizes = [(32, 32, 32), (70, 33, 50), (1, 8, 65)]
    a, b = ([grouped_matmul.padded(rng.integers(-3, 4, shape).astype(np.float16))
             for shape in shapes]
            for shapes in ([(M, K) for M, N, K in sizes], [(K, N) for M, N, K in sizes]))
    for kernel in (grouped_matmul.tuned_kernel, grouped_matmul.tuned_descriptors_kernel):
        for _ in each_config(kernel, monkeypatch):
            for x, y, z in zip(a, b, grouped_matmul.grouped_matmul(a, b, kernel), strict=True):
                assert_same(np.ascontiguousarray(z), grouped_matmul.matmul_numpy(x, y))


def check_persistent_matmul(rng, monkeypatch):
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((130, 72), (136, 72)))
    expected = persistent_matmul.matmul_numpy(a, b)
    assert_same(persistent_matmul.multiply_by_pointers(a, b, BM=32), expected)
    for halves in (True, False):
        assert_same(persistent_matmul.multiply_by_kernel_descriptors(a, b, halves=halves), expected)
    for _ in each_config(persistent_matmul.host_descriptors_kernel, monkeypatch):
        assert_same(persistent_matmul.multiply_by_host_descriptors(a, b), expected)


def check_block_scaled_matmul(rng, monkeypatch):
    # Numbers that every format has, and scales that differ.
    a, b = (rng.integers(-3, 4, (rows, 256)) * 2.0 ** rng.integers(-2, 3, (rows, 8)).repeat(32, 1)
            for rows in (130, 40))
    for forms in (("e2m1", "e2m1"), ("e4m3", "e5m2"), ("e4m3", "e2m1")):
        x, y = (block_scaled_matmul.Microscaled(m, form) for m, form in zip((a, b), forms))
        assert_same(x.values, a.astype(np.float32))
        assert_same(block_scaled_matmul.block_scaled_matmul(x, y), (a @ b.T).astype(np.float32))


def check_dependent_launch(rng, monkeypatch):
    x, coefficients = rng.uniform(-1, 1, 3000).astype(np.float32), (0.5, -2.0, 1.0, 3.0)
    # GPUs before compute capability 9.0 refuse launches that shall overlap.
    for overlap in (None, False) if triton.knobs.runtime.backend == "sim:sm_80" else (None, True):
        close([dependent_launch.polynomial(x, coefficients, overlap)],
              [np.polyval(coefficients, *wide(x))], atol=1e-6)


CHECKS = {name.removeprefix("check_"): check for name, check in list(globals().items())
          if name.startswith("check_")}


def launched(name, rng, monkeypatch):
    """Checks an example; the kernels that it has launched."""
    monkeypatch.setenv("TRITIUM_TUNING", "first")
    kernels = {}
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.launch_enter_hook.add(
            lambda launch: kernels.setdefault(launch.get()["function"].hash,
                                              launch.get()["function"]))
        CHECKS[name](rng, monkeypatch)
    return list(kernels.values())


@pytest.mark.parametrize("name", CHECKS)
def test_example(backend, rng, monkeypatch, name):
    if backend == "cuda" and name == "grouped_matmul":
        pytest.skip("addresses of host arrays")
    assert launched(name, rng, monkeypatch)


@pytest.mark.parametrize("name", CHECKS)
def test_compiled_for_a_gpu(rng, monkeypatch, tmp_path, name):
    """The tile IR of all that a CPU has run. Where there is ptxas, it takes the code."""
    select("cpu", monkeypatch)
    monkeypatch.delenv("TRITON_F32_DEFAULT")
    kernels = launched(name, rng, monkeypatch)
    assert kernels
    for number, kernel in enumerate(kernels):
        path = tmp_path / f"{number}.ttir"
        path.write_text(kernel.asm["ttir"])
        compiled = triton.compile(str(path), GPUTarget("cuda", 90, 32),
                                  {"num_warps": kernel.metadata.num_warps})
        assert ".target sm_90" in compiled.asm["ptx"]
        assert compiled.metadata.shared <= 227 * 1024


def test_overlapping_launches_wait():
    """The kernel waits for the one before it between its two loads."""
    kernel = dependent_launch.multiply_and_add_kernel
    types = dict(zip(kernel.arg_names, "*fp32 *fp32 *fp32 i32 fp32 constexpr constexpr".split()))
    compiled = triton.compile(ASTSource(kernel, types, {"BLOCK_SIZE": 128, "OVERLAP": True}),
                              GPUTarget("cuda", 90, 32), {"launch_pdl": True})
    order = re.findall(r"ld\.global|st\.global|griddepcontrol\.\w+", compiled.asm["ptx"])
    assert order == ["ld.global", "griddepcontrol.launch_dependents", "griddepcontrol.wait",
                     "ld.global", "st.global"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_program(monkeypatch, capsys, path):
    assert path.stem in CHECKS
    select("cpu", monkeypatch)
    runpy.run_path(str(path), run_name="__main__")
    assert "NumPy" in capsys.readouterr().out
