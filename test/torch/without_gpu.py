"""Has torch's compiler write kernels for a GPU that is not there, and compiles them for cuda:90.

Prints for each kernel its name and the bytes of its PTX and its cubin (0 without ptxas). torch is
told of an H200; its tensors have no memory, and nothing is launched.
"""

import types

import tritium

tritium.install_as_triton()

import torch  # noqa: E402
import torch._inductor.compile_fx as compile_fx  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch._dynamo.device_interface import get_interface_for_device  # noqa: E402
from torch._inductor.decomposition import select_decomp_table  # noqa: E402
from torch._inductor.runtime.triton_helpers import skip_gpu_driver_setup  # noqa: E402
from torch._inductor.virtualized import V  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

H200 = types.SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, warp_size=32,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
    max_threads_per_block=1024, total_memory=140 << 30, shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=227 << 10, shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=60 << 20)


class Driver(tritium.runtime.driver.CUDADriver):
    """Of that GPU."""

    def get_current_target(self):
        return tritium.compiler.GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0


def pretend():
    """Tells torch of the GPU."""
    def answer(holder, **answers):
        for name, value in answers.items():
            function = (lambda value: lambda *args: value)(value)
            setattr(holder, name, staticmethod(function) if isinstance(holder, type) else function)

    answer(torch.cuda, is_available=True, device_count=1, current_device=0, synchronize=None,
           get_device_properties=H200, get_device_capability=(9, 0), _lazy_init=None,
           _exchange_device=0, _maybe_exchange_device=0, set_rng_state=None,
           get_rng_state=torch.zeros(16, dtype=torch.uint8))
    interface = get_interface_for_device("cuda")
    answer(interface, exchange_device=0, maybe_exchange_device=0, synchronize=None,
           get_compute_capability=90, get_device_properties=H200, get_multi_processor_count=132)
    answer(interface.Worker, get_device_properties=H200)
    tritium.runtime.driver.set_active(Driver())


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


CASES = [
    (lambda x: torch.softmax(torch.sin(x), -1), lambda: (normal(64, 300),)),
    (lambda x: (F.layer_norm(x, (20000,)), x.argmax(1), x.cumsum(1)), lambda: (normal(8, 20000),)),
    (lambda x: (torch.sort(x), x.var(1), x.sum(0), x.sum()), lambda: (normal(64, 200),)),
    (lambda x: F.gelu(x) * torch.erf(x), lambda: (normal(64, 300),)),
    (lambda x, i: (F.embedding(i, x), x.abs().amin(1)),
     lambda: (normal(100, 64), torch.randint(0, 100, (7,), device="cuda"))),
    (lambda x: (F.softmax(x, -1), F.max_pool2d(x, 2)),
     lambda: (normal(2, 3, 16, 16, dtype=torch.bfloat16),)),
    (lambda x: x.cumsum(0), lambda: (normal(300000),)),
    (lambda x: x.to(torch.float8_e4m3fn).float() + torch.special.i0(x), lambda: (normal(300),)),
]


def compile_and_print(source, target=None, options=None):
    kernel = compile_it(source, target=target, options=options)
    assert target == ("cuda", 90, 32), target
    print(source.fn.__name__, len(kernel.asm["ptx"]),
          len(kernel.asm["cubin"]) if "cubin" in kernel.asm else 0)
    return kernel


compile_it = tritium.compile
tritium.compile = compile_and_print
pretend()
for function, arguments in CASES:
    with FakeTensorMode() as mode, V.set_fake_mode(mode), skip_gpu_driver_setup():
        inputs = arguments()
        graph = make_fx(lambda *args: torch.utils._pytree.tree_leaves(function(*args)),
                        decomposition_table=select_decomp_table())(*inputs)
        compile_fx.compile_fx_inner(graph, list(inputs))
