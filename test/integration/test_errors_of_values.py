"""What a kernel may not do with a value: each message names the rule and what was found."""

import numpy as np
import pytest
import tritium as triton
from support import kernels_from


@pytest.mark.parametrize("body,message", [
    ("x = ...", "'...' is only supported within a subscript"),
    ("x = n[..., ...]", "stands once within the subscript of a tile"),
    ("for i in range(1, 2, 3, 4):\n        pass", "takes start, stop and step"),
    ("for i in range():\n        pass", "needs at least one argument"),
    ("x = n << -1", "ValueError: negative shift count -1"),
    ("p = out + 1.5", "a pointer moves by an integer, found"),
    ("p = out + out", "cannot combine two pointers"),
    ("x = out == 1.5", "a pointer compares with a pointer only"),
    ("x = (n,) * 70000", "a tuple may have at most 65536 elements"),
    ("x = (n, 1) == (n, 2)", "tuples of tensors cannot be compared"),
    ("tl.atomic_add(out, 1, scope='all')", "scope' must be one of"),
    ("tl.advance(out, (1,))", "tl.advance moves block pointers, found"),
    ("tl.make_tensor_descriptor(out, (n,), (n,), (16,))", "last stride .* constant 1"),
    ("tl.make_tensor_descriptor(out, (n,), (1,), (16,), padding_option='x')",
     "padding_option' .*must be 'zero' or 'nan'"),
    ("tl.make_tensor_descriptor(out, (n,), (1,), (16,), padding_option='nan')",
     "is 'nan', but the elements are int32"),
    ("tl.make_tensor_descriptor(out, (1.5,), (1,), (16,))", "must be integers, found"),
    ("tl.make_tensor_descriptor(1, (n,), (1,), (16,))", "needs a pointer or a tile of pointers"),
    ("tl.load_tensor_descriptor(out, [0])", "needs a tensor descriptor, found"),
    ("tl.arange(0, 2**40)", "the bounds of tl.arange must fit int32"),
    ("tl.zeros_like('x')", "a number or a tensor is needed here"),
    ("x = tl.arange(0, 4)\n    y = x[x > 2]", "cannot be subscripted with a tile of booleans"),
    ("x = tl.arange(0, 4)[2:2]", "this slice of dimension 0, which has 4 elements, is empty"),
    ("x = tl.arange(0, 4)[4]", "subscript constexpr 4 is out of range for dimension 0"),
    ("x = tl.arange(0, 4)\n    x[n:] = 1", "bounds of a slice of a tile must be known"),
    ("tl.assume(1 > 2)", "tl.assume of a condition that is false at compile time"),
    ("tl.multiple_of(tl.arange(0, 4), (2, 2))", "needs one value for each dimension: 1, found 2"),
    ("tl.multiple_of(tl.arange(0, 4), 0)", "must be positive 32-bit integers, found 0"),
    ("tl.max_contiguous('x', 2)", "a number or a tensor is needed here"),
    ("tl.split(tl.arange(0, 4))", "tl.split needs a tile whose last dimension is 2"),
    ("tl.flip(n)", "tl.flip needs a tile, found"),
    ("tl.cat(n, n)", "tl.cat needs tiles, found"),
    ("tl.gather(n, n, 0)", "tl.gather needs a tile, found"),
    ("tl.gather(tl.arange(0, 4), 1.5 + tl.arange(0, 4), 0)",
     "index of tl.gather must hold integers"),
    ("tl.topk(tl.arange(0, 4), 8)", "the k of tl.topk must be from 1 to the extent of dimension"),
    ("tl.histogram(tl.arange(0, 4), 0)", "num_bins of tl.histogram must be 1 or more"),
    ("tl.cumsum(n)", "needs a tile, found"),
    ("tl.sum(n, 0)", "needs a tile, found"),
    ("tl.sort(n)", "needs a tile, found"),
    ("tl.reduce(tl.arange(0, 4), 0, 5)", "combine function of .* must be a jit function"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), "
     "input_precision='tf32', allow_tf32=True)",
     "takes 'input_precision' or 'allow_tf32', not both"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), "
     "input_precision='best')", "'input_precision' must be one of 'ieee', 'tf32'"),
    ("tl.map_elementwise(5, tl.arange(0, 4))", "must be a jit function, found"),
    ("tl.map_elementwise(lambda a: tl.arange(0, 4), tl.arange(0, 4))",
     "must return scalars, found"),
    ("tl.map_elementwise(lambda a: tl.load(a), out + tl.arange(0, 4))",
     "takes numbers, found pointer<int32>.*; load before, and pass the values"),
    ("len(n)", "len\\(\\) needs a tuple, a string or a tile, found int32"),
    ("float('x')", "float\\(\\) cannot convert"),
    ("int('x')", "int\\(\\) cannot convert"),
    ("isinstance(n, 5)", "isinstance\\(\\) cannot test for"),
    ("max()", "needs at least one value"),
    ("'a'.replace('', 'b')", "the text to replace must not be empty"),
    ("'a'.split('')", "the separator must not be empty"),
    ("'{x}'.format(1)", "takes arguments by position"),
    ("'{2}'.format(1)", "has no argument 2"),
    ("tl.str_to_ty('int33')", "there is no type 'int33'"),
    ("tl.device_print(n)", "the first argument of tl.device_print is a text"),
    ("tl.zeros((4,), tl.float8e5) < tl.zeros((4,), tl.float8e5)", "float8e5.*convert"),
    ("tl.static_range(3)", "cannot be called here; it is written after 'for ... in'"),
])
def test_messages(body, message):
    kernel = kernels_from(f"@triton.jit\ndef kernel(out, n):\n    {body}\n").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(16, np.int32), 7)
