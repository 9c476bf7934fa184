"""Kernels that torch's compiler writes only under settings of its own, and kernels of users."""

import pytest
import torch
import torch._inductor.config as inductor
import torch.nn.functional as F
import triton
import triton.language as tl

normal = torch.randn
# Epilogues are not timed: torch's timer of fused kernels has no device guard for a CPU.
TEMPLATES = {"max_autotune": True, "max_autotune_gemm_backends": "TRITON",
             "max_autotune_conv_backends": "TRITON", "benchmark_template_fusion": False}


def summed(x):
    return torch.softmax(x, -1), x.t() + x.sum(1)


# name -> (settings, function, what makes its arguments, how a kernel's name begins)
CASES = {
    "block_pointers": ({"triton.use_block_ptr": True}, summed, lambda: (normal(64, 64),),
                       "triton_"),
    "tensor_descriptors": ({"triton.use_tensor_descriptor": True}, summed,
                           lambda: (normal(64, 64),), "triton_"),
    "cooperative": ({"triton.force_cooperative_reductions": True},
                    lambda x: (x.sum(), x.var(), F.softmax(x, -1)), lambda: (normal(4, 9000),),
                    "triton_unk"),
    "combined": ({"combo_kernels": True}, lambda x, y: (x.sin(), y.cos(), x.sum(1), y.sum(1)),
                 lambda: (normal(40, 60), normal(30, 70)), "triton_"),
    "mixed_order": ({"triton.mix_order_reduction": True}, lambda x: (x.sum(0), x.sum(1)),
                    lambda: (normal(4096, 512),), "triton_red"),
    "loops": ({"triton.persistent_reductions": False},
              lambda x: (F.softmax(x, -1), F.layer_norm(x, (300,)), x.argmax(1), x.cumsum(1)),
              lambda: (normal(64, 300),), "triton_red"),
    "several_kernels": ({"triton.multi_kernel": 1}, lambda x: F.softmax(x, -1),
                        lambda: (normal(64, 300),), "triton_per"),
    "tuned_by_descent": ({"coordinate_descent_tuning": True}, lambda x: F.softmax(x, -1),
                         lambda: (normal(64, 300),), "triton_per"),
    "mm": (TEMPLATES, lambda x, y: torch.relu(x @ y), lambda: (normal(64, 48), normal(48, 80)),
           "triton_tem"),
    "addmm": (TEMPLATES, torch.addmm, lambda: (normal(80), normal(64, 48), normal(48, 80)),
              "triton_tem"),
    "bmm": (TEMPLATES, torch.bmm, lambda: (normal(3, 64, 48), normal(3, 48, 80)), "triton_tem"),
    "convolution": (TEMPLATES, F.conv2d, lambda: (normal(2, 3, 16, 16), normal(8, 3, 3, 3)),
                    "triton_"),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_eager(compiled, name):
    settings, function, arguments, kernel = CASES[name]
    arguments = arguments()
    with inductor.patch(settings):
        found = torch.compile(function)(*arguments)
    torch.testing.assert_close(found, function(*arguments), rtol=1e-3, atol=1e-3)
    assert any(each.startswith(kernel) for each in compiled), compiled


def test_extents_known_at_run_time(compiled):
    function = torch.compile(lambda x: F.softmax(x, -1) + x.sum(), dynamic=True)
    for shape in ((33, 70), (5, 9), (64, 128)):
        x = normal(shape)
        torch.testing.assert_close(function(x), F.softmax(x, -1) + x.sum(), rtol=1e-4, atol=1e-4)
    assert len(set(compiled)) < 6


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


tuned = triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=[])(add)


@pytest.mark.parametrize("is_tuned", [False, True])
def test_kernels_of_users(compiled, is_tuned):
    def plain_sum(x, y):
        out = torch.empty_like(x)
        add[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)
        return out * 2

    def tuned_sum(x, y):
        out = torch.empty_like(x)
        tuned[lambda args: (triton.cdiv(args["n"], args["BLOCK"]),)](x, y, out, x.numel())
        return out * 2

    x, y = normal(1000), normal(1000)
    found = torch.compile(tuned_sum if is_tuned else plain_sum, fullgraph=True)(x, y)
    torch.testing.assert_close(found, (x + y) * 2)
    assert "add" in compiled
