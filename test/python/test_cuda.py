"""CUDA arrays as arguments: how launches reach the driver."""

import pytest

from fake_driver import run


def test_launch_and_what_it_answers(tmp_path):
    out = run(tmp_path, """
        x, y = Tensor(), Tensor()
        kernel = scale[(2,)](x, y, 64, 2.5, BLOCK=32, num_warps=2)
        print(kernel.metadata.target, kernel.metadata.num_warps, kernel.metadata.shared)
        print(list(kernel.asm), ".entry scale" in kernel.asm["ptx"])
        print(kernel.n_regs > 0, kernel.n_spills, kernel.n_max_threads)
        print("ttg.num-warps" in kernel.asm["ttgir"], "nvvm" in kernel.asm["llir"])
        again = scale[(2,)](x, y, 64, 2.5, BLOCK=32, num_warps=2)
        other = scale[(2,)](x, y, 64, 2.5, BLOCK=32, num_warps=4)
        print(again is kernel, other is kernel, other.metadata.num_warps)
    """)
    assert out.splitlines() == [
        "cuda:90 2 0", "['ttir', 'ttgir', 'llir', 'ptx', 'cubin'] True", "True 0 64",
        "True True", "True False 4"]


def test_host_arrays_run_on_the_host(tmp_path):
    out = run(tmp_path, """
        x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
        print(scale[(2,)](x, y, 64, 2.5, BLOCK=32).metadata.target, y.sum())
    """)
    assert out.split() == ["cpu", "160.0"]


def test_parameters_and_subclasses(tmp_path):
    out = run(tmp_path, """
        class Subclass(Tensor): pass
        for kind in (torch.nn.Parameter, Subclass):
            print(scale[(2,)](kind(), kind(), 64, 2.5, BLOCK=32).metadata.target)
    """)
    assert out.split() == ["cuda:90"] * 2


def test_each_device_has_its_code(tmp_path):
    out = run(tmp_path, """
        for index in (0, 1):
            print(scale[(2,)](Tensor(index=index), Tensor(index=index), 64, 2.5,
                              BLOCK=32).metadata.target)
        try:
            scale[(2,)](Tensor(index=0), Tensor(index=1), 64, 2.5, BLOCK=32)
        except triton.ArgumentError as error:
            print(error)
    """)
    assert out.splitlines() == [
        "cuda:90", "cuda:80",
        "kernel 'scale': argument 'x' is on the GPU 0, but 'y' is on the GPU 1; the arrays of a "
        "launch must be on one GPU"]


def test_host_and_gpu_do_not_mix(tmp_path):
    out = run(tmp_path, """
        try:
            scale[(2,)](Tensor(), np.zeros(64, np.float32), 64, 2.5, BLOCK=32)
        except triton.ArgumentError as error:
            print(error)
    """)
    assert out.startswith("kernel 'scale': argument 'y' is in host memory, but 'x' is on the "
                          "GPU 0; copy it to the GPU, or pin it")


@pytest.mark.parametrize("variable", [{"TRITIUM_BACKEND": "cpu"}, {"TRITON_INTERPRET": "1"}])
def test_the_environment_decides(tmp_path, variable):
    out = run(tmp_path, """
        try:
            scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)
        except triton.ArgumentError as error:
            print(error)
    """, **variable)
    assert "kernels run on the host" in out


def test_without_a_driver(tmp_path):
    out = run(tmp_path, """
        try:
            scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)
        except triton.errors.CUDAError as error:
            print(error)
        x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
        print(scale[(2,)](x, y, 64, 2.5, BLOCK=32).metadata.target, triton._C.cuda_device_count())
    """, TRITON_LIBCUDA_PATH="/nonexistent/libcuda.so.1")
    first, last = out.splitlines()
    assert "kernel 'scale' is to run on a GPU, but the CUDA driver cannot be opened" in first
    assert last == "cpu 0"


def test_element_types(tmp_path):
    out = run(tmp_path, """
        @triton.jit
        def copy(x, y):
            tl.store(y, tl.load(x))
        for name in ("float16", "bfloat16", "int64", "uint8", "float8_e4m3fn"):
            x = Tensor(dtype="torch." + name)
            print(copy[(1,)](x, x).metadata.parameters[0].type)
        try:
            scale[(1,)](Tensor(dtype="torch.complex64"), Tensor(), 64, 2.5, BLOCK=32)
        except triton.ArgumentError as error:
            print(error)
    """)
    lines = out.splitlines()
    assert lines[:5] == ["*fp16", "*bf16", "*i64", "*u8", "*fp8e4nv"]
    assert "argument 'x': arrays of complex64 cannot be passed" in lines[5]


def test_other_arrays(tmp_path):
    out = run(tmp_path, """
        import ctypes
        class Interface:
            def __init__(self):
                self.array = np.zeros(64, np.float32)
                self.__cuda_array_interface__ = {
                    "data": (self.array.ctypes.data, False), "typestr": "<f4", "shape": (64,),
                    "version": 3}
        class DLPack:
            def __init__(self): self.array = np.zeros(64, np.float32)
            def __dlpack_device__(self): return (2, 1)
            def __dlpack__(self, stream=None):
                assert stream == 1
                return self.array.__dlpack__()
        print(scale[(2,)](Interface(), Interface(), 64, 2.5, BLOCK=32).metadata.target)
        print(scale[(2,)](DLPack(), DLPack(), 64, 2.5, BLOCK=32).metadata.target)
    """)
    assert out.split() == ["cuda:90", "cuda:80"]


def test_arrays_of_cupy(tmp_path):
    out = run(tmp_path, """
        cupy = types.ModuleType("cupy")
        class Stream:
            def __init__(self, ptr): self.ptr = ptr
        class OnDevice:
            current = 0
            def __init__(self, index): self.index = index
            def __enter__(self): self.before, OnDevice.current = OnDevice.current, self.index
            def __exit__(self, *_): OnDevice.current = self.before
        asked = []
        def get_current_stream():
            asked.append(OnDevice.current)
            return Stream(0x200 + OnDevice.current)
        cupy.cuda = types.SimpleNamespace(Device=OnDevice, get_current_stream=get_current_stream)
        class ndarray:
            def __init__(self, index):
                self.array, self.index = np.zeros(64, np.float32), index
                self.__cuda_array_interface__ = {
                    "data": (self.array.ctypes.data, False), "typestr": "<f4", "shape": (64,),
                    "version": 3}
            def __dlpack_device__(self): return (2, self.index)
        ndarray.__module__ = "cupy"
        cupy.ndarray = ndarray
        sys.modules["cupy"] = cupy
        for index in (0, 1):
            print(scale[(2,)](ndarray(index), ndarray(index), 64, 2.5, BLOCK=32).metadata.target)
        print(asked)
        try:
            scale[(2,)](ndarray(0), ndarray(1), 64, 2.5, BLOCK=32)
        except triton.ArgumentError as error:
            print(error)
    """)
    first, second, asked, error = out.splitlines()
    assert (first, second, asked) == ("cuda:90", "cuda:80", "[0, 1]")
    assert "argument 'x' is on the GPU 0, but 'y' is on the GPU 1" in error


def test_constant_tables_are_copied_to_the_gpu(tmp_path):
    out = run(tmp_path, """
        import ctypes
        import tritium.c
        driver = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
        driver.fakeDriverCalls.argtypes = [ctypes.c_char_p]
        calls = lambda name: driver.fakeDriverCalls(name)
        kernel = tritium.c.kernel('''
            char __constant__* TABLE = calloc(32);
            void look(float *out, int i) {
              int __constant__* p = (int __constant__*)TABLE;
              *out = *(p + i);
            }''', constants={"TABLE": np.arange(8, dtype=np.int32)})
        for _ in range(3):
            kernel(Tensor(), 3, grid=(1,))
            print(calls(b"cuMemcpyHtoDAsync_v2"))
        kernel(Tensor(index=1), 3, grid=(1,))
        print(calls(b"cuMemcpyHtoDAsync_v2"))
        kernel.fill("TABLE", np.arange(4, dtype=np.int32))
        print(calls(b"cuMemFree_v2"))
        kernel(Tensor(), 3, grid=(1,))
        print(calls(b"cuMemcpyHtoDAsync_v2"))
    """)
    assert out.split() == ["1", "1", "1", "2", "2", "3"]


def test_more_shared_memory_than_there_is(tmp_path):
    out = run(tmp_path, """
        @triton.jit
        def turn(x, y, N: tl.constexpr):
            i = tl.arange(0, N)
            v = tl.load(x + i[:, None] * N + i[None, :])
            tl.store(y + i[:, None] * N + i[None, :], tl.trans(v))
        try:
            turn[(1,)](Tensor(), Tensor(), 256, num_warps=32)
        except triton.OutOfResources as error:
            print(error)
        print(turn[(1,)](Tensor(), Tensor(), 64).metadata.shared)
    """)
    first, second = out.splitlines()
    assert "kernel 'turn'" in first and "shared memory, required: 26" in first
    assert "limit: 232448" in first and int(second) > 0


def test_options_that_the_gpu_lacks(tmp_path):
    out = run(tmp_path, """
        for options in ({"num_ctas": 2}, {"maxnreg": 8}, {"num_warps": 3}):
            try:
                scale[(2,)](Tensor(index=1), Tensor(index=1), 64, 2.5, BLOCK=32, **options)
                print("no error")
            except triton.TritonError as error:
                print(type(error).__name__, str(error).splitlines()[0])
    """)
    clusters, registers, warps = out.splitlines()
    assert "num_ctas" in clusters and "9.0" in clusters
    assert "'maxnreg' must be an int from 16 to 255" in registers
    assert "num_warps" in warps


def test_too_many_resources(tmp_path):
    out = run(tmp_path, """
        try:
            scale[(2,)](Tensor(), Tensor(), 64, 2.5, BLOCK=32, num_warps=64)
        except triton.OptionError as error:
            print(error)
        try:
            scale[(1, 70000)](Tensor(), Tensor(), 64, 2.5, BLOCK=32)
        except triton.GridError as error:
            print(error)
    """)
    first, second = out.splitlines()
    assert "option 'num_warps' must be an int from 1 to 32 on a GPU, but got 64" in first
    assert "the grid (1, 70000, 1) is over the limits of Fake H100" in second


def test_ahead_of_time(tmp_path):
    out = run(tmp_path, """
        from tritium.compiler import ASTSource, GPUTarget
        source = ASTSource(scale, {"x": "*fp32", "y": "*fp32", "n": "i32", "f": "fp32"},
                           {"BLOCK": 32})
        for arch in (75, 80, 90):
            kernel = triton.compile(source, GPUTarget("cuda", arch, 32))
            print([line for line in kernel.asm["ptx"].splitlines() if ".target" in line][0])
    """)
    assert out.splitlines() == [".target sm_75", ".target sm_80", ".target sm_90a"]


def test_tuning_on_a_gpu(tmp_path):
    """Memory of the GPU is copied by its driver; the record is of this GPU."""
    out = run(tmp_path, """
        @triton.autotune([triton.Config({"BLOCK": b}) for b in (32, 64)], key=["n"])
        @triton.jit
        def add(x, y, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(y + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

        x, y = Tensor(), Tensor()
        y.array[:] = 7
        print(add[(2,)](x, y, 64).metadata.target, add.source, y.array.min(), y.array.max())
        add.cache.clear()
        add[(2,)](x, y, 64)
        print(add.source)
        add.cache.clear()
        add[(2,)](x.array, y.array, 64)
        print(add.source)

        k = triton.c.kernel("void k(float *x, int n) { int i[T] = 0 ... T; *(x + i) += n; }",
                            defines={"T": [32, 64]})
        print(k(x, 1, grid=(2,)).metadata.target, k.source)
    """)
    assert out.splitlines() == ["cuda:90 measured 7.0 7.0", "recorded", "measured",
                                "cuda:90 measured"]


def test_autotune_measures_on_the_gpu(tmp_path):
    out = run(tmp_path, """
        import ctypes
        fake = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
        fake.fakeDriverCost.argtypes = [ctypes.c_int, ctypes.c_double]
        # What a launch with so many threads takes, in ms.
        for threads, cost in ((64, 3.0), (128, 1.0), (256, 2.0)):
            fake.fakeDriverCost(threads, cost)

        @triton.autotune([triton.Config({}, num_warps=w) for w in (2, 4, 8)], key=["n"])
        @triton.jit
        def increment(x, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)

        x = Tensor()
        print(increment[(2,)](x, 64, BLOCK=32).metadata.num_warps)
        print(increment.best_config.num_warps, sorted(
            (config.num_warps, round(times[0], 3))
            for config, times in increment.configs_timings.items()))
        # The host cannot read a GPU's memory: what trial runs change goes through the driver.
        print(fake.fakeDriverCalls(b"cuMemcpyDtoHAsync_v2") > 0)
    """)
    assert out.splitlines() == ["4", "4 [(2, 3.0), (4, 1.0), (8, 2.0)]", "True"]


def test_alignment_that_was_promised_is_checked_in_debug_mode(tmp_path):
    out = run(tmp_path, """
        from tritium.compiler import ASTSource, GPUTarget
        source = ASTSource(scale, {"x": "*fp32", "y": "*fp32", "n": "i32", "f": "fp32"},
                           {"BLOCK": 32}, {"x": [["tt.divisibility", 16]]})
        class Shifted(Tensor):
            def data_ptr(self): return self.array.ctypes.data + 4
        for debug in (False, True):
            kernel = triton.compile(source, GPUTarget("cuda", 90, 32), {"debug": debug})
            try:
                kernel[(1,)](Shifted(), Tensor(), 32, 1.5)
                print("launched")
            except triton.ArgumentError as error:
                print(error)
    """)
    first, second = out.splitlines()
    assert first == "launched"
    assert "it was compiled for a 'x' that 16 divides, but the address is" in second


def test_a_failed_device_assert_names_its_line(tmp_path):
    out = run(tmp_path, """
        import ctypes
        fake = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])

        @triton.jit
        def checked(x, n):
            tl.device_assert(n > 0, "n is positive")
            tl.device_assert(n < 9, "n is small")
            tl.store(x, n)

        checked[(4,)](Tensor(), 3, debug=True)
        fake.fakeDriverFailAssert(1)
        try:
            checked[(4,)](Tensor(), 3, debug=True)
        except triton.DeviceAssertionError as error:
            print(error.message)
            print(open(__file__).read().splitlines()[error.line - 1].strip())
        checked[(4,)](Tensor(), 3, debug=True)
    """)
    assert out.splitlines() == [
        "kernel 'checked': assertion failed in program (3, 0, 0): n is small",
        'tl.device_assert(n < 9, "n is small")']


def test_the_stream_of_a_variant_that_is_run(tmp_path):
    """run(x, y, z, stream, ...) takes the stream that it is given, and 0 for the default one; a
    launch without one the arrays' current stream."""
    out = run(tmp_path, """
        import ctypes
        driver = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
        driver.fakeDriverStream.restype = ctypes.c_uint64
        arguments = (Tensor(), Tensor(), 64, 2.5)
        kernel = scale[(2,)](*arguments, BLOCK=32)
        print(hex(driver.fakeDriverStream()))
        for stream in (0x300, 0x301, 0, None):
            kernel.run(2, 1, 1, stream, kernel.function, None, None, None, None, *arguments)
            print(hex(driver.fakeDriverStream()))
        kernel[(2,)](*arguments)
        print(hex(driver.fakeDriverStream()))
    """)
    assert out.split() == ["0x100", "0x300", "0x301", "0x0", "0x100", "0x100"]
