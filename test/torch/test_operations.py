"""Operations that torch's compiler writes kernels for: each agrees with eager torch."""

import pytest
import torch
import torch.nn.functional as F

normal, integers = torch.randn, torch.randint


def nans(x):
    return torch.where(x > 1, float("nan"), x)


# name -> (function, what makes its arguments, tolerance)
OPERATIONS = {
    "pointwise": (lambda x, y: torch.relu(x) * y - torch.exp(x) + torch.sin(x),
                  lambda: (normal(37, 53), normal(37, 1)), 1e-5),
    "activations": (lambda x: F.gelu(x, approximate="tanh") + F.silu(x) + F.gelu(x)
                    + torch.sigmoid(x) + torch.tanh(x) + torch.erf(x),
                    lambda: (normal(64, 300),), 1e-4),
    "powers": (lambda x: x ** 2 + x.abs() ** 0.5 + x.abs() ** 1.7 + torch.rsqrt(x.abs() + 1)
               + torch.log1p(x.abs()) + torch.expm1(x), lambda: (normal(64, 300),), 1e-4),
    "rounding": (lambda x: (torch.floor(x), torch.ceil(x), torch.round(x), torch.trunc(x),
                            torch.sign(x), torch.fmod(x, 0.3), torch.remainder(x, 0.3)),
                 lambda: (normal(64, 300),), 1e-5),
    "integers": (lambda x, y: (x // y, x % y, x << 1, x & y,
                               torch.div(x, y, rounding_mode="trunc")),
                 lambda: (integers(-50, 50, (777,)), integers(1, 9, (777,))), 0),
    "casts": (lambda x: (x.to(torch.int32), x.to(torch.int8), x.bfloat16(), x.double(), x > 0),
              lambda: (normal(64, 300),), 0),
    "float8": (lambda x: x.to(torch.float8_e4m3fn).float() + x.to(torch.float8_e5m2).float(),
               lambda: (normal(300),), 0),
    "device_library": (lambda x: (torch.lgamma(x), torch.erfinv(x.clamp(-.9, .9)),
                                  torch.atan2(x, x + 1), torch.asinh(x), torch.special.i0(x),
                                  torch.nextafter(x, x + 1), torch.frexp(x),
                                  torch.digamma(x.abs() + 1)), lambda: (normal(40, 60),), 1e-4),
    "nan": (lambda x: (torch.isnan(nans(x)), torch.nan_to_num(nans(x)),
                       torch.maximum(nans(x), x), torch.fmax(nans(x), x), nans(x).amax(1),
                       nans(x).argmax(1)), lambda: (normal(40, 60),), 1e-5),
    "reductions": (lambda x: (x.sum(0), x.mean(0), x.amax(0), x.amin(1), x.prod(1), x.sum(),
                              (x > 0).any(1), (x > -9).all(), x.norm(dim=1)),
                   lambda: (normal(64, 300),), 1e-3),
    "reductions_in_loops": (lambda x: (x.sum(1), x.amax(0), x.mean(), x.argmax(1), x.max(1)),
                            lambda: (normal(8, 5000),), 1e-3),
    "variance": (lambda x: (x.var(1), x.std(0), torch.var_mean(x)), lambda: (normal(64, 300),),
                 1e-4),
    "argmax": (lambda x: (x.argmax(1), x.argmin(0), x.argmax()), lambda: (normal(64, 300),), 0),
    "softmax": (lambda x: (F.softmax(x, -1), F.log_softmax(x, 0), torch.logsumexp(x, 1)),
                lambda: (normal(64, 300),), 1e-4),
    "softmax_in_loops": (lambda x: F.log_softmax(x, -1), lambda: (normal(8, 50000),), 1e-4),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (300,), w, b),
                   lambda: (normal(64, 300), normal(300), normal(300)), 1e-4),
    "layer_norm_in_loops": (lambda x: F.layer_norm(x, (20000,)), lambda: (normal(8, 20000),),
                            1e-4),
    "norms": (lambda x, w, b: (F.batch_norm(x, None, None, w, b, True), F.group_norm(x, 2)),
              lambda: (normal(4, 6, 8, 8), normal(6), normal(6)), 1e-4),
    "scans": (lambda x: (x.cumsum(-1), x.cumsum(0), x.cumprod(-1), torch.logcumsumexp(x, 1)),
              lambda: (normal(64, 300),), 1e-3),
    "scan_in_loops": (lambda x: (x.cumsum(0), x.cummax(0)), lambda: (normal(5000),), 1e-3),
    "scan_of_several_programs": (lambda x: x.cumsum(0), lambda: (integers(-5, 5, (300000,)),), 0),
    "sort": (lambda x: torch.sort(x, dim=-1), lambda: (normal(64, 200),), 0),
    "stable_sort": (lambda x: torch.sort(x, dim=-1, stable=True, descending=True),
                    lambda: (integers(0, 9, (64, 200)),), 0),
    "gathers": (lambda w, i: (F.embedding(i, w), torch.gather(w, 1, i % 64), w[i[0]],
                              torch.index_select(w, 0, i[0])),
                lambda: (normal(100, 64), integers(0, 100, (7, 11))), 0),
    "scatters": (lambda x, i, v: (x.scatter_add(0, i, v), x.scatter_reduce(0, i, v, "amax"),
                                  x.index_add(0, i[:, 0], v)),
                 lambda: (torch.zeros(50, 64), integers(0, 50, (30, 64)), normal(30, 64)), 1e-4),
    "views": (lambda x: ((x.t() + 1).contiguous(), x.view(60, 40) * 2, torch.flip(x, [0]),
                         x.roll(3, 1), torch.cat([x, x + 1]), torch.tril(x)),
              lambda: (normal(40, 60),), 0),
    "images": (lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.pad(x, (1, 2, 3, 4)),
                          F.interpolate(x, scale_factor=2, mode="bilinear")),
               lambda: (normal(2, 3, 16, 16),), 1e-4),
    "bfloat16": (lambda x: (F.softmax(torch.sin(x) * 2, -1), F.layer_norm(x, (300,)), x.sum(0)),
                 lambda: (normal(64, 300).bfloat16(),), 5e-2),
    "float16": (lambda x: (F.softmax(torch.sin(x) * 2, -1), F.layer_norm(x, (300,)), x.sum(0)),
                lambda: (normal(64, 300).half(),), 1e-2),
    "float64": (lambda x: (F.softmax(torch.sin(x), -1), torch.exp(x), torch.pow(x, 3)),
                lambda: (normal(64, 300).double(),), 1e-9),
    "cross_entropy": (F.cross_entropy, lambda: (normal(40, 60), integers(0, 60, (40,))), 1e-4),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_agrees_with_eager(compiled, name):
    function, arguments, tolerance = OPERATIONS[name]
    arguments = arguments()
    found = torch.compile(function)(*arguments)
    torch.testing.assert_close(found, function(*arguments), rtol=tolerance, atol=tolerance,
                               equal_nan=True)
    assert compiled


def test_dropout(compiled):
    x = torch.randn(10000)
    kept = torch.compile(lambda x: F.dropout(x, 0.3, True))(x) != 0
    assert compiled and abs(kept.float().mean() - 0.7) < 0.03


def test_random_numbers(compiled):
    uniform, gauss, whole = torch.compile(lambda x: (
        torch.rand_like(x), torch.randn_like(x), torch.randint(0, 5, x.shape)))(torch.zeros(9999))
    assert compiled and 0 <= uniform.min() and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.02 and abs(gauss.mean()) < 0.05
    assert abs(gauss.std() - 1) < 0.05 and whole.unique().tolist() == [0, 1, 2, 3, 4]


def test_no_kernel_without_the_setting(compiled):
    with torch._inductor.config.patch(cpu_backend="cpp"):
        torch.compile(torch.sin)(torch.zeros(9))
    assert not compiled
