"""Tensors of torch on GPUs, with a driver and a torch that are none.

Both ways by which a launch reads a tensor are run: by handles, which torch's C interface
answers for, and by attributes. A Python object may have become another tensor since the
last launch, so nothing of it is remembered.
"""

import textwrap

import pytest

from fake_driver import BUILD, run

FAKE_TORCH = BUILD / "lib" / "FakeTorch"

PROLOGUE = '''
import ctypes, importlib.util, importlib.machinery
library = FAKE_TORCH + "/libtorch_cpu.so"
ctypes.CDLL(FAKE_TORCH + "/libtorch_cuda.so")
loader = importlib.machinery.ExtensionFileLoader("fake_torch", library)
fake_torch = importlib.util.module_from_spec(
    importlib.machinery.ModuleSpec("fake_torch", loader, origin=library))
loader.exec_module(fake_torch)
fake_torch.displace(0 if WAY == "handles" else 8)

class DType:
    def __init__(self, name): self.name = name
    def __str__(self): return "torch." + self.name
    def __reduce__(self): return self.name
types_of = {"float32": (6, DType("float32")), "float16": (5, DType("float16")),
            "int32": (3, DType("int32")), "complex64": (9, DType("complex64"))}

memory = np.zeros(4096, np.float32)
base = memory.ctypes.data + 63 & ~63

def change(tensor, offset=0, dtype="float32", index=0, place=1, shape=(64,), strides=(1,),
           storage=None):
    """Makes a tensor of the memory at that many bytes; a storage is at some, too, and has some."""
    number, kind = types_of[dtype]
    tensor.set(base + offset if offset is not None else 0, number, kind, place, index,
               shape, strides, *((base + storage[0], storage[1]) if storage else ()))
    return tensor

class Parameter(fake_torch.Tensor): pass
class Subclass(fake_torch.Tensor):
    """Means something else by its methods."""
    shape, device = (64,), Device(0)
    def data_ptr(self): return base + 2048
    def element_size(self): return 4
    def stride(self): return (1,)
torch.Tensor, torch.nn.Parameter = fake_torch.Tensor, Parameter

def new(kind=fake_torch.Tensor, **content): return change(kind(), **content)

driver = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
driver.fakeDriverParameter.restype = driver.fakeDriverStream.restype = ctypes.c_uint64
driver.fakeDriverKeep(2)
def launched(x, y, **options):
    """Offsets that the driver was given, and the kernel."""
    kernel = scale[(1,)](x, y, 64, 2.5, BLOCK=32, **options)
    return [driver.fakeDriverParameter(i) - base for i in (0, 1)], kernel
'''


@pytest.fixture(params=["handles", "attributes"])
def torch(request, tmp_path):
    """Runs a script, and answers its lines. Where the handle is not in its place, tensors are
    read by their attributes."""
    if not FAKE_TORCH.exists():
        pytest.skip("the fake torch is not built")
    names = (f"FAKE_TORCH, WAY = {str(FAKE_TORCH)!r}, {request.param!r}")

    def script(text):
        return run(tmp_path, names + PROLOGUE + textwrap.dedent(text)).splitlines()

    script.way = request.param
    return script


def test_a_tensor_may_become_another_one(torch):
    assert torch("""
        x, y = new(), new(offset=1024)
        print(launched(x, y)[0])
        print(launched(change(x, offset=512), y)[0])
        print(launched(change(x, offset=516), y)[0])
        for dtype in ("float16", "int32", "float32"):
            print(launched(change(x, dtype=dtype), y)[1].metadata.parameters[0].type)
        for index in (1, 0):
            change(x, index=index)
            kernel = launched(x, change(y, offset=1024, index=index))[1]
            print(kernel.metadata.target)
    """) == ["[0, 1024]", "[512, 1024]", "[516, 1024]", "*fp16", "*i32", "*fp32", "cuda:80",
             "cuda:90"]


def test_alignment_chooses_the_code(torch):
    assert torch("""
        x, y = new(), new(offset=1024)
        aligned = launched(x, y)[1]
        shifted = launched(change(x, offset=4), y)[1]
        print(shifted is aligned, launched(change(x, offset=16), y)[1] is aligned,
              launched(change(x, offset=8), y)[1] is shifted)
    """) == ["False True True"]


def test_parameters_and_subclasses(torch):
    assert torch("""
        print(launched(new(Parameter, offset=256), new(Subclass))[0])
        print(launched(new(Subclass), new(Parameter, offset=256))[0])
    """) == ["[256, 2048]", "[2048, 256]"]


def test_streams(torch):
    lines = torch("""
        for index in (0, 1):
            launched(new(index=index), new(offset=1024, index=index))
            print(hex(driver.fakeDriverStream()))
    """)
    assert lines == (["0x300", "0x301"] if torch.way == "handles" else ["0x100", "0x101"])


def test_streams_of_other_classes(torch):
    """What the general path reads is used on torch's current stream, too."""
    assert torch("""
        for x in (new(Subclass), triton.reinterpret(new(Subclass), tl.int32)):
            launched(x, new(offset=1024))
            print(hex(driver.fakeDriverStream()))
    """) == ["0x100", "0x100"]


def test_two_devices(torch):
    first, second = torch("""
        launched(new(), new(offset=1024))
        for place, index in ((1, 1), (0, 0)):
            try:
                launched(new(), new(offset=1024, place=place, index=index))
            except triton.ArgumentError as error:
                print(error)
    """)
    assert "'x' is on the GPU 0, but 'y' is on the GPU 1" in first
    # The general path asks for attributes that this tensor does not have.
    assert "'y' is in host memory" in second or torch.way == "attributes"


def test_element_types_that_kernels_lack(torch):
    lines = torch("""
        launched(new(), new(offset=1024))
        try:
            launched(new(dtype="complex64"), new(offset=1024))
        except triton.ArgumentError as error:
            print(error)
    """)
    assert "argument 'x': arrays of complex64 cannot be passed" in lines[0]


def test_a_tensor_without_memory_at_first(torch):
    """It shows nothing of how tensors are laid out; the next one does."""
    assert torch("""
        try:
            launched(new(offset=None), new(offset=1024))
        except Exception as error:
            print("refused")
        print(launched(new(), new(offset=1024))[0])
    """)[-1] == "[0, 1024]"


def test_a_change_of_the_environment_is_seen(torch):
    lines = torch("""
        x, y = new(), new(offset=1024)
        launched(x, y)
        for name in ("TRITON_INTERPRET", "TRITIUM_BACKEND"):
            os.environ[name] = {"TRITIUM_BACKEND": "cpu"}.get(name, "1")
            try:
                launched(x, y)
            except triton.ArgumentError as error:
                print("kernels run on the host" in str(error))
            del os.environ[name]
            print(launched(x, y)[0])
    """)
    assert lines == ["True", "[0, 1024]"] * 2


def test_a_global_that_changes_compiles_again(torch):
    assert torch("""
        FACTOR: tl.constexpr = 2
        @triton.jit
        def times(x, y):
            tl.store(y, tl.load(x) * FACTOR)
        x, y = new(), new(offset=1024)
        first = times[(1,)](x, y)
        same = times[(1,)](x, y)
        OTHER = 3
        also = times[(1,)](x, y)
        FACTOR = tl.constexpr(5)
        print(same is first, also is first, times[(1,)](x, y) is first)
    """) == ["True True False"]


def test_more_kinds_of_calls_than_are_remembered(torch):
    assert torch("""
        x, y = new(), new(offset=1024)
        offsets = (0, 4)
        def variants():
            return [(i, j, n, scale[(1,)](change(x, offset=i), change(y, offset=1024 + j), n, 2.5,
                                          BLOCK=32))
                    for i in offsets for j in offsets for n in (1, 64, 65, 1 << 40)]
        first, again = variants(), variants()
        print(len({id(kernel) for *_, kernel in first}),
              all(a[3] is b[3] for a, b in zip(first, again)))
    """) == ["16 True"]


def test_options_and_keywords(torch):
    assert torch("""
        x, y = new(), new(offset=1024)
        eight = scale[(1,)](x, y, 64, 2.5, BLOCK=32, num_warps=8)
        named = scale[(1,)](y=y, x=x, f=2.5, n=64, BLOCK=32, num_warps=8)
        four = scale[(1,)](x, y, 64, 2.5, BLOCK=32, num_warps=4)
        plain = scale[(1,)](x, y, 64, 2.5, BLOCK=32)
        print(named is eight, four is eight, plain.metadata.num_warps)
    """) == ["True False 4"]


def test_arrays_that_overlap_partly(torch):
    """The code that runs keeps the order of its accesses where a written array overlaps another."""
    assert torch("""
        driver.fakeDriverCalls.argtypes = [ctypes.c_char_p]
        def codes(x, y):
            launched(x, y)
            return driver.fakeDriverCalls(b"cuModuleLoadDataEx")
        x, y = new(), new(offset=256)
        print("apart", codes(x, y))
        print("just below", codes(change(x, offset=256), change(y, offset=0)))
        print("rows", codes(change(x, shape=(2, 8), strides=(32, 1)), change(y, offset=256)))
        print("empty", codes(change(x, shape=(0, 64), strides=(64, 1)), change(y)))
        print("last element", codes(change(x), change(y, offset=240)))
    """) == ["apart 1", "just below 1", "rows 1", "empty 1", "last element 2"]


def test_tensors_of_one_storage(torch):
    """A kernel may reach from one into the other."""
    assert torch("""
        driver.fakeDriverCalls.argtypes = [ctypes.c_char_p]
        def codes(x, y):
            launched(x, y)
            return driver.fakeDriverCalls(b"cuModuleLoadDataEx")
        x, y = new(), new(offset=1024)
        print("two storages", codes(x, y))
        print("one", codes(change(x, storage=(0, 2048)), change(y, offset=1024, storage=(0, 2048))))
        print("two halves", codes(change(x, storage=(0, 1024)),
                                  change(y, offset=1024, storage=(1024, 1024))))
    """) == ["two storages 1", "one 2", "two halves 2"]
