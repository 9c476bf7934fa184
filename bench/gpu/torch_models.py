"""Steps of training under torch.compile on a GPU, with the kernels that Inductor writes compiled by
IMPL ('tritium' or 'triton'). Prints one JSON line a figure, as kernels.py does.

    IMPL=tritium python bench/gpu/torch_models.py machine transformer convolutions flex templates

ms: a step, forward and backward, with the queue kept full; eager_ms: without torch.compile;
compile_s: the first compiled step with no cache; err: the largest relative difference of a gradient
from eager torch in float32, eager_err: that of eager torch in the network's own type.
"""

import copy
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

IMPL = os.environ.get("IMPL", "triton")
os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
if IMPL == "tritium":
    import tritium

    tritium.install_as_triton()

import torch  # noqa: E402
import torch._inductor.config as inductor  # noqa: E402
import triton  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "test" / "torch"))
from models import Convolutions, Transformer  # noqa: E402

inductor.force_disable_caches = True


def out(**row):
    print(json.dumps({**row, "impl": IMPL}), flush=True)


def milliseconds(step, repeats=20):
    """The median time of a step on the GPU, which has work waiting throughout."""
    for _ in range(5):
        step()
    begins, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(repeats)]
                    for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(200_000_000)
    for begin, end in zip(begins, ends):
        begin.record()
        step()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(b.elapsed_time(e) for b, e in zip(begins, ends))


def difference(found, wanted):
    """The largest difference of one of several tensors, relative to its largest element or, where
    that is more, a thousandth of that of all: some gradients are zero but for rounding."""
    wanted = [w.detach().double() for w in wanted]
    sizes = [w.abs().max().item() for w in wanted]
    return max((f.detach().double() - w).abs().max().item() / max(size, max(sizes) / 1000)
               for f, w, size in zip(found, wanted, sizes))


def train(name, network, arguments, dtype, **options):
    """Measures a step of a network whose forward gives the loss."""
    network = network.cuda()
    exact = copy.deepcopy(network)
    exact(*arguments).backward()
    network = network.to(dtype)
    eager = copy.deepcopy(network)
    cast = [a.to(dtype) if a.is_floating_point() else a for a in arguments]
    compiled = torch.compile(network, **options)

    def step(module):
        for parameter in module.parameters():
            parameter.grad = None
        loss = module(*cast)
        loss.backward()
        return loss

    begin = time.perf_counter()
    step(compiled)
    torch.cuda.synchronize()
    compile_s = time.perf_counter() - begin
    step(eager)
    found, of_eager, wanted = ([p.grad for p in module.parameters()]
                               for module in (network, eager, exact))
    out(bench=name, err=difference(found, wanted), eager_err=difference(of_eager, wanted),
        ms=milliseconds(lambda: step(compiled)), eager_ms=milliseconds(lambda: step(eager)),
        compile_s=round(compile_s, 2), dtype=str(dtype)[6:])


def t_transformer():
    tokens = torch.randint(0, 1000, (16, 512), device="cuda")
    train("transformer", Transformer(1000, 512, 512), (tokens, tokens.roll(1, 1)), torch.bfloat16)


def t_convolutions():
    arguments = torch.randn(256, 3, 64, 64, device="cuda"), torch.arange(256, device="cuda") % 10
    train("convolutions", Convolutions(), arguments, torch.float32)


def t_templates():
    """Matrix products by Inductor's own templates."""
    tokens = torch.randint(0, 1000, (16, 512), device="cuda")
    with inductor.patch(max_autotune_gemm=True, max_autotune_gemm_backends="TRITON"):
        train("templates", Transformer(1000, 512, 512), (tokens, tokens.roll(1, 1)),
              torch.bfloat16)


def t_flex():
    """Attention with a mask that is a function of the user."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def causal(batch, head, query, key):
        return query >= key

    mask = create_block_mask(causal, None, None, 2048, 2048)
    q, k, v = (torch.randn(4, 16, 2048, 64, device="cuda", dtype=torch.bfloat16,
                           requires_grad=True) for _ in range(3))
    attend = torch.compile(flex_attention)

    def step(function):
        q.grad = k.grad = v.grad = None
        o = function(q, k, v)
        o.backward(o.detach())
        return o

    def plain(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    begin = time.perf_counter()
    found = [step(lambda q, k, v: attend(q, k, v, block_mask=mask)), q.grad, k.grad, v.grad]
    torch.cuda.synchronize()
    compile_s = time.perf_counter() - begin
    wanted = [step(plain), q.grad, k.grad, v.grad]
    out(bench="flex", compile_s=round(compile_s, 2), err=difference(found, wanted),
        ms=milliseconds(lambda: step(lambda q, k, v: attend(q, k, v, block_mask=mask))),
        eager_ms=milliseconds(lambda: step(plain)), dtype="bfloat16")


def t_machine():
    out(bench="machine", version=triton.__version__, gpu=torch.cuda.get_device_name(),
        cpu=os.cpu_count(), load=round(os.getloadavg()[0], 1), torch=torch.__version__,
        cuda=torch.version.cuda)


if __name__ == "__main__":
    torch.manual_seed(0)
    for section in sys.argv[1:]:
        try:
            globals()["t_" + section]()
        except Exception as error:  # the other sections go on
            import traceback

            traceback.print_exc()
            out(bench=section, error=f"{type(error).__name__}: {error}"[:3000])
