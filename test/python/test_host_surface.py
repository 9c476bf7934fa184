"""What programs written for Triton look into on the host: compiled kernels, listeners, caches,
limits of GPUs, ragged descriptors."""

import os
import shutil
import stat
import subprocess
import sys
import time
import types

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from tritium import knobs, testing
from tritium.compiler import ASTSource, GPUTarget
from tritium.runtime import build, cache, driver
from tritium.tools import disasm, ragged_tma


@triton.jit(repr=lambda s: f"add_{s.constants['BLOCK']}_{s.signature['x_ptr'][1:]}")
def add(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)


def ones():
    return np.ones(16, np.float32)


def test_compiled_kernel():
    x = ones()
    kernel = add[(1,)](x, 16, BLOCK=16)
    metadata = kernel.metadata
    assert kernel.name == "add_16_fp32" and metadata._asdict()["shared"] == 0
    assert metadata.target == "cpu" == metadata.target.backend and metadata.target.warp_size == 1
    assert metadata.tmem_size == metadata.global_scratch_size == metadata.profile_scratch_size == 0
    assert metadata.triton_version == triton.__version__ and not metadata.debug
    assert kernel.constants == {"BLOCK": 16} == kernel.src.constexprs
    assert kernel.src.fn is add and kernel.src.signature["x_ptr"] == "*fp32"
    assert kernel.kernel == kernel.asm["obj"] and kernel.result() is kernel
    assert kernel.packed_metadata == (4, 1, 0, 1, 1, 1)
    assert all(os.path.exists(path) for path in kernel.metadata_group.values())
    told = []
    assert kernel.launch_metadata((1,), 0, x, 16) is None
    kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, "data", told.append, None, x,
               16)
    assert x[0] == 3 and told == ["data"]
    launcher = driver.active.launcher_cls(kernel.src, metadata)
    launcher(1, 1, 1, 0, kernel.function, None, None, None, told.append, x, 16)
    assert x[0] == 4 and told == ["data", None]
    with pytest.raises(triton.ArgumentError, match="needs the `function` of a CompiledKernel"):
        launcher(1, 1, 1, 0, 17, None, None, None, None, x, 16)
    with pytest.raises(triton.ArgumentError, match="stream 5: the CPU has one stream"):
        kernel.run(1, 1, 1, 5, kernel.function, None, None, None, None, x, 16)


def compiled_for_a_gpu():
    source = ASTSource(add, {"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 32})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32)), source


def test_another_architecture(monkeypatch):
    kernel, source = compiled_for_a_gpu()
    assert kernel.metadata.target.arch == 90 and kernel.src is source
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", "sm80")
    assert compiled_for_a_gpu()[0].metadata.target == "cuda:80"
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", "fast")
    with pytest.raises(triton.ArgumentError, match="TRITON_OVERRIDE_ARCH is 'fast'"):
        compiled_for_a_gpu()


def test_machine_code_as_text(tmp_path, monkeypatch):
    tool = tmp_path / "nvdisasm"
    tool.write_text("#!/bin/sh\necho code of $(wc -c < $1) bytes\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(tool))
    assert disasm.get_sass(b"12345") == "code of 5 bytes\n"
    monkeypatch.setenv("PATH", "")
    with pytest.raises(triton.TritonError, match="as text: cuobjdump is not there"):
        disasm.get_sass(b"12345", fun="f")
    with pytest.raises(KeyError, match="the stages are: ttir, plan"):
        add[(1,)](ones(), 16, BLOCK=16).asm["sass"]


def test_log_of_ptxas(monkeypatch, capfd):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    if "cubin" not in compiled_for_a_gpu()[0].asm or not shutil.which(
            "ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin"):
        pytest.skip("there is no ptxas")
    assert "ptxas info" not in capfd.readouterr().err
    monkeypatch.setenv("TRITON_DUMP_PTXAS_LOG", "1")
    compiled_for_a_gpu()
    assert "ptxas info" in capfd.readouterr().err


def test_listeners():
    told = []
    with knobs.compilation.scope(), knobs.runtime.scope():
        knobs.compilation.listener = lambda **what: told.append(what)
        add[(1,)](ones(), 16, BLOCK=16)
        add[(1,)](ones(), 16, BLOCK=16)
        compiled_for_a_gpu()
        loads = []
        knobs.runtime.kernel_load_start_hook.add(lambda *what: loads.append(what))
        knobs.runtime.kernel_load_end_hook.add(lambda *what: loads.append(what))
        for _ in range(2):
            kernel = add[(1,)](ones(), 16, BLOCK=16)
    assert [what["src"].constexprs["BLOCK"] for what in told] == [16, 32]
    assert told[0]["metadata"]["name"] == "add" and set(told[0]) == {
        "src", "metadata", "metadata_group", "times", "cache_hit"}
    assert told[0]["cache_hit"] == (told[0]["times"].total == 0)
    assert [what[:3] for what in loads] == [(None, None, "add_16_fp32"),
                                            (kernel.module, kernel.function, "add_16_fp32")]
    with pytest.raises(TypeError, match="knobs.compilation.listener is called"):
        knobs.compilation.listener = 3


def test_listener_of_tuning():
    tuned = triton.autotune([triton.Config({"BLOCK": b}) for b in (8, 16)], ["n"])(add)
    told = []
    with knobs.autotuning.scope():
        knobs.autotuning.listener = lambda **what: told.append(what)
        for _ in range(2):
            tuned[(2,)](ones(), 16)
    assert len(told) == 1 and told[0]["best_config"] is tuned.best_config
    assert told[0]["fn"] is add and told[0]["key"][0] == 16


@pytest.mark.parametrize("name", ["kernel_unload_hook", "add_stages_inspection_hook"])
def test_hooks_that_are_not_called_say_so(name):
    knobs._say_once.cache_clear()
    with knobs.runtime.scope(), pytest.warns(UserWarning, match=f"{name} is not called"):
        setattr(knobs.runtime, name, lambda *what: None)


def test_another_text():
    @triton.jit
    def store(x_ptr):
        tl.store(x_ptr, 1)

    x = ones()
    store[(1,)](x)
    store._unsafe_update_src(store.src.replace("1)", "5)"))
    store[(1,)](x)
    assert x[0] == 5 and "5)" in store.src
    with pytest.raises(AttributeError, match="_unsafe_update_src"):
        store.src = "def store(x_ptr): pass"
    for text, rule in (("def store(y): pass", "with the parameters x_ptr"), ("def", "not Python")):
        with pytest.raises(triton.TritonError, match=rule):
            store._unsafe_update_src(text)


def test_remote_cache(tmp_path, monkeypatch):
    kept = {}

    class Storage(cache.RemoteCacheBackend):
        def __init__(self, key):
            self.key = key

        def get(self, filenames):
            return {f: kept[self.key, f] for f in filenames if (self.key, f) in kept}

        def put(self, filename, data):
            kept[self.key, filename] = data

    with knobs.cache.scope():
        knobs.cache.manager_class = cache.RemoteCacheManager
        with pytest.raises(ValueError, match="needs a storage"):
            cache.get_cache_manager("ab" * 32)
        knobs.cache.remote_manager_class = Storage
        knobs.cache.dir = str(tmp_path / "one")
        manager = cache.get_cache_manager("ab" * 32)
        manager.put_group("all", {"a": manager.put(b"code", "a")})
        knobs.cache.dir = str(tmp_path / "other")
        paths = cache.get_cache_manager("ab" * 32).get_group("all")
        assert open(paths["a"], "rb").read() == b"code" and "other" in paths["a"]
    assert type(cache.get_cache_manager("ab" * 32)) is cache.FileCacheManager


def test_modules_in_c(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    text = """#include <Python.h>
    static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tiny", "text", -1, NULL};
    PyMODINIT_FUNC PyInit_tiny(void) { return PyModule_Create(&module); }"""
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(triton.TritonError, match="knobs.build.cc .CC. is 'no-such-compiler'"):
        build.compile_module_from_src(text, "tiny")
    monkeypatch.delenv("CC")
    with knobs.build.scope():
        knobs.build.impl = lambda *what: what[0]
        assert build._build("tiny", "x.c", ".") == "tiny"


def gpu(monkeypatch, capability, processors=132):
    properties = {"capability": capability, "multiprocessor_count": processors,
                  "mem_clock_rate": 2619000, "mem_bus_width": 5120}
    monkeypatch.setattr(driver._Active, "_set", types.SimpleNamespace(
        get_current_target=lambda: GPUTarget("cuda", capability, 32), get_current_device=lambda: 0,
        utils=types.SimpleNamespace(get_device_properties=lambda device: properties)))


def test_limits_of_gpus(monkeypatch):
    with pytest.raises(triton.CUDAError, match="get_dram_gbps is a question to a GPU"):
        testing.get_dram_gbps()
    gpu(monkeypatch, 90)  # H100 SXM5: 989 TFLOPS of fp16 and 67 of fp32 at 1830 and 1980 MHz
    assert round(testing.get_max_tensorcore_tflops("fp16", 1830000)) == 989
    assert round(testing.get_max_tensorcore_tflops(tl.float8e4nv, 1830000)) == 1979
    assert round(testing.get_max_simd_tflops(tl.float32, 1980000)) == 67
    assert round(testing.get_dram_gbps()) == 3352
    gpu(monkeypatch, 80, 108)  # A100: 312 TFLOPS of fp16, 156 of tf32 at 1410 MHz
    assert round(testing.get_max_tensorcore_tflops("torch.bfloat16", 1410000)) == 312
    assert round(testing.get_max_tensorcore_tflops("fp32", 1410000)) == 156
    with pytest.raises(ValueError, match="no rate for fp8; it has for fp16"):
        testing.get_max_tensorcore_tflops("fp8", 1)
    gpu(monkeypatch, 61)
    with pytest.raises(ValueError, match="does not know GPUs of compute capability 6.1"):
        testing.get_max_simd_tflops("fp32", 1)


def test_clocks(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(triton.CUDAError, match="nvidia-smi is not in PATH"):
        testing.nvsmi(["clocks.current.sm"])
    with pytest.raises(triton.CUDAError, match="nvidia-smi is not in PATH"):
        with testing.set_gpu_clock():
            pass
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 1350, 1215\n")
    tool.chmod(0o755)
    assert testing.nvsmi(["clocks.current.sm", "clocks.current.memory"]) == [1350, 1215]
    gpu(monkeypatch, 80, 108)
    with testing.set_gpu_clock() as (tflops, gbps):
        assert round(tflops) == 299 and round(gbps) == 1555
    with pytest.raises(triton.CUDAError, match="runs at 1350 and 1215 MHz, not at 900"):
        with testing.set_gpu_clock(900):
            pass


@pytest.mark.parametrize("name", ["do_bench_cudagraph", "do_bench_proton",
                                  "do_bench_cudagraph_proton"])
def test_other_ways_to_measure(name):
    testing._note.cache_clear()
    with pytest.warns(UserWarning, match=f"{name} measures as do_bench"):
        assert getattr(testing, name)(lambda: time.sleep(0.002), rep=4, quantiles=[0.5]) > 1


def test_types_of_a_launcher():
    assert driver.CPUDriver().map_python_to_cpp_type("*fp32") == "void*"
    cuda = driver.CUDADriver()
    types = [cuda.map_python_to_cpp_type(t) for t in ("*fp32", "i64", "u8", "fp16")]
    assert types == ["CUdeviceptr", "int64_t", "uint8_t", "double"]
    with pytest.raises(ValueError, match="no type 'i33'"):
        cuda.map_python_to_cpp_type("i33")
    with pytest.raises(triton.TritonError, match="kernel 'k' is loaded by its first launch"):
        cuda.utils.load_binary("k", b"", 0, 0)


@triton.jit
def ragged(src, dst, total, offset, size, row, ROWS: tl.constexpr, DIM: tl.constexpr):
    coords = [row, 0] if DIM == 0 else [0, row, 0]
    tile = ragged_tma.load_ragged(src, offset, size, coords, DIM)
    ragged_tma.store_ragged(dst, offset, size, coords, tile * 2, DIM)
    ragged_tma.atomic_add_ragged(total, offset, size, coords, tile, DIM)


@pytest.mark.parametrize("backend", ["cpu", "interpret", "sim:sm_80", "sim:sm_90"])
@pytest.mark.parametrize("dim", [0, 1])
def test_ragged(monkeypatch, backend, dim):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    shape = (12, 16) if dim == 0 else (2, 12, 16)
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    dst, total = np.full(shape, -1, np.float32), np.ones(shape, np.float32)
    block = [8, 16] if dim == 0 else [2, 8, 16]
    described = [ragged_tma.create_ragged_descriptor(a, block, dim) for a in (x, dst, total)]
    ragged[(1,)](*described, 3, 6, 1, ROWS=8, DIM=dim)
    part = (slice(None),) * dim + (slice(4, 9),)
    want_dst, want_total = np.full(shape, -1, np.float32), np.ones(shape, np.float32)
    want_dst[part], want_total[part] = x[part] * 2, 1 + x[part]
    np.testing.assert_array_equal(dst, want_dst)
    np.testing.assert_array_equal(total, want_total)


def test_ragged_errors():
    x = np.zeros((4, 16), np.float32)
    with pytest.raises(ValueError, match="ragged_dim is 1, and must be one of the 2"):
        ragged_tma.create_ragged_descriptor(x, [4, 16], 1)
    with pytest.raises(ValueError, match="of 2 or 3 dimensions"):
        ragged_tma.create_ragged_descriptor(x[0], [16])


def test_commands_of_the_program():
    ran = subprocess.run([sys.executable, "-m", "tritium", "compile", "--help"], text=True,
                         capture_output=True)
    assert ran.returncode == 0 and "--target" in ran.stdout
    assert subprocess.run([sys.executable, "-m", "tritium", "nonsense"],
                          capture_output=True).returncode != 0
