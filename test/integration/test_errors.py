"""A user's error names the kernel, the file, the line with a caret, the rule and what was found."""

import re
import textwrap

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from

# Each case: name, kernel body (the line in error ends in `# HERE`), and what the message must
# hold (regular expressions, any case).
BODIES = [
    ("undefined_name", "x = nowhere + 1  # HERE", ["undefined name 'nowhere'"]),
    ("unknown_library_name", "x = tl.laod(x_ptr)  # HERE", ["laod", "load"]),
    ("gather_of_a_scalar", "x = tl.gather(1.0, tl.arange(0, 16), 0)  # HERE",
     [r"tl\.gather needs a tile", "tl.full"]),
    ("gather_by_floats", "x = tl.gather(tl.arange(0, 16), tl.arange(0, 16) * 0.5, 0)  # HERE",
     ["index of tl.gather", "integers", r"\.to\(tl\.int32\)"]),
    ("gather_along_no_axis", "x = tl.arange(0, 16).gather(tl.arange(0, 16), -2)  # HERE",
     ["axis of tl.gather", r"\[-1, 1\)", "-2"]),
    ("gather_by_another_rank",
     "x = tl.gather(tl.zeros((4, 8), tl.int32), tl.arange(0, 8), 1)  # HERE",
     ["rank", r"\[8\]|\(8,?\)", "4", "tl.broadcast_to"]),
    ("gather_of_other_rows",
     "x = tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((2, 8), tl.int32), axis=1)  # HERE",
     ["index of tl.gather", "axis 1", "2", "4"]),
    ("gather_along_an_argument", "x = tl.gather(tl.arange(0, 16), tl.arange(0, 16), n)  # HERE",
     ["axis of tl.gather"]),
    ("scan_of_a_scalar", "x = tl.cumsum(n)  # HERE", [r"tl\.cumsum needs a tile", "tl.full"]),
    ("scan_along_no_axis", "x = tl.cumprod(tl.arange(0, 16), 1)  # HERE",
     ["axis of tl.cumprod", r"\[-1, 1\)", "1"]),
    ("scan_along_all_axes", "x = tl.associative_scan(tl.arange(0, 4), None, two_results)  # HERE",
     ["axis of tl.associative_scan", "None"]),
    ("scan_from_either_end", "x = tl.arange(0, 4).cumsum(reverse=n > 3)  # HERE", ["'reverse'"]),
    ("scan_in_bools", "x = tl.cumsum(tl.arange(0, 4), dtype=tl.int1)  # HERE",
     ["tl.cumsum cannot add in", "int1|bool"]),
    ("scan_of_pointers", "x = tl.cumsum(x_ptr + tl.arange(0, 4))  # HERE",
     ["tl.cumsum is not defined on"]),
    ("scan_combiner_arity", "x = tl.associative_scan(tl.arange(0, 4), 0, bad_combiner)  # HERE",
     ["bad_combiner"]),
    ("scan_combiner_count", "x = tl.associative_scan(tl.arange(0, 4), 0, two_results)  # HERE",
     ["combine function of tl.associative_scan must return 1 value"]),
    ("scan_combiner_type", "x = tl.associative_scan(tl.arange(0, 4), 0, float_result)  # HERE",
     ["combine function of tl.associative_scan must return a scalar of type int32", "float32"]),
    ("scan_of_two_shapes",
     "x = tl.associative_scan((tl.arange(0, 4), tl.arange(0, 8)), 0, bad_combiner)  # HERE",
     ["inputs of tl.associative_scan must have one shape", "4", "8"]),
    ("combiner_with_an_effect", "x = tl.reduce(tl.arange(0, 4), 0, printing)  # HERE",
     ["combine function", "can only compute", "print"]),
    ("scan_by_no_function", "x = tl.associative_scan(tl.arange(0, 4), 0, 3)  # HERE",
     ["combine function of tl.associative_scan must be a jit function", "3"]),
    ("map_by_no_function", "x = tl.map_elementwise(3, n)  # HERE",
     [r"first argument of tl\.map_elementwise must be a jit function", "3"]),
    ("map_of_nothing", "x = tl.map_elementwise(bad_combiner)  # HERE",
     [r"tl\.map_elementwise needs at least one input"]),
    ("map_of_pointers", "x = tl.map_elementwise(two_results, x_ptr, x_ptr)  # HERE",
     ["tl.map_elementwise takes numbers", "pass the values"]),
    ("map_in_groups_of_none", "x = tl.map_elementwise(two_results, n, n, pack=0)  # HERE",
     ["'pack' of tl.map_elementwise must be from 1 to 64", "0"]),
    ("map_in_groups_of_n", "x = tl.map_elementwise(two_results, n, n, pack=n)  # HERE",
     ["'pack' of tl.map_elementwise must be an integer that is known at compile time"]),
    ("map_returns_too_few", "x = tl.map_elementwise(bad_combiner, n, pack=2)  # HERE",
     ["bad_combiner"]),
    ("map_prints", "x = tl.map_elementwise(printing, tl.arange(0, 4), n)  # HERE",
     ["applied to one element after the other", "can only compute", "line \\d+", "prints"]),
    ("map_returns_nothing", "x = tl.map_elementwise(returns_nothing, tl.arange(0, 4))  # HERE",
     ["must return a value for each element", "None"]),
    ("map_makes_tiles", "x = tl.map_elementwise(makes_a_tile, tl.arange(0, 4))  # HERE",
     ["on scalars", "makes or combines tiles"]),
    ("map_in_pairs_of_two_types",
     "x = tl.map_elementwise(two_types, tl.arange(0, 4), pack=2)  # HERE",
     ["one type", "int32", "float32"]),
    ("map_in_pairs_returns_one",
     "x = tl.map_elementwise(float_result, tl.arange(0, 4), pack=2)  # HERE",
     ["with pack=2 a function returns a multiple of so many values", "found 1"]),
    ("flip_of_a_scalar", "x = tl.flip(n)  # HERE", [r"tl\.flip needs a tile", "int32|i32"]),
    ("flip_along_no_dim", "x = tl.arange(0, 16).flip(1)  # HERE",
     ["dim of tl.flip", r"\[-1, 1\)"]),
    ("cat_of_scalars", "x = tl.cat(n, 2)  # HERE", [r"tl\.cat needs tiles", "tl.full"]),
    ("cat_of_ranks", "x = tl.cat(tl.arange(0, 16), tl.zeros((4, 4), tl.int32))  # HERE",
     ["tl.cat", "one rank", r"\[16\]|\(16,?\)", "4, 4"]),
    ("cat_of_other_rows",
     "x = tl.cat(tl.zeros((2, 4), tl.int32), tl.zeros((4, 4), tl.int32), dim=1)  # HERE",
     ["tl.cat", "dimension 1", "2, 4", "4, 4"]),
    ("sort_of_a_scalar", "x = tl.sort(n)  # HERE", [r"tl\.sort needs a tile"]),
    ("sort_of_pointers", "x = tl.sort(x_ptr + tl.arange(0, 16))  # HERE",
     [r"tl\.sort is not defined", "pointer"]),
    ("sum_of_float8", "x = tl.sum(tl.zeros((16,), tl.float8e4b15))  # HERE",
     [r"tl\.sum is not defined on float8e4b15", r"\.to\(tl\.float32\)"]),
    ("max_of_float8", "x = tl.max(tl.zeros((16,), tl.float8e4b8))  # HERE",
     [r"tl\.max is not defined on float8e4b8", r"\.to\(tl\.float32\)"]),
    ("scan_of_float8", "x = tl.cumsum(tl.zeros((16,), tl.float8e5b16))  # HERE",
     [r"tl\.cumsum is not defined on float8e5b16", r"\.to\(tl\.float32\)"]),
    ("nan_of_no_format", """
p = b_ptr.to(tl.pointer_type(tl.float8e4b15))
d = tl.make_tensor_descriptor(p, [32], [1], [16], "nan")  # HERE
""", ["padding_option", "float8e4b15 has none", "'zero'"]),
    ("sort_along_no_dim", "x = tl.sort(tl.arange(0, 16), 1)  # HERE",
     ["dim of tl.sort", r"\[-1, 1\)"]),
    ("sort_in_an_unknown_order", "x = tl.sort(tl.arange(0, 16), 0, n)  # HERE", ["descending"]),
    ("topk_of_too_many", "x = tl.topk(tl.arange(0, 16), 17)  # HERE",
     ["k of tl.topk", "16", "found 17"]),
    ("topk_of_none", "x = tl.topk(tl.zeros((4, 8), tl.float32), 0, 0)  # HERE",
     ["k of tl.topk", "dimension 0", "found 0"]),
    ("bitonic_merge_of_a_scalar", "x = tl.bitonic_merge(1.0)  # HERE",
     [r"tl\.bitonic_merge needs a tile"]),
    ("histogram_of_floats", "x = tl.histogram(tl.zeros((16,), tl.float32), 4)  # HERE",
     ["tl.histogram", "integers", "float32|fp32"]),
    ("histogram_of_rows", "x = tl.histogram(tl.zeros((4, 4), tl.int32), 4)  # HERE",
     ["tl.histogram", "one dimension", r"\.ravel\(\)"]),
    ("histogram_without_bins", "x = tl.arange(0, 16).histogram(0)  # HERE",
     ["num_bins of tl.histogram", "found 0"]),
    ("histogram_of_unknown_bins", "x = tl.histogram(tl.arange(0, 16), n)  # HERE",
     ["num_bins of tl.histogram"]),
    ("histogram_under_floats",
     "x = tl.histogram(tl.arange(0, 16), 4, tl.zeros((16,), tl.float32))  # HERE",
     ["mask of tl.histogram", "float32|fp32"]),
    ("missing_argument", "x = helper(n)  # HERE", ["helper", "missing"]),
    ("too_many_arguments", "x = helper(n, n, n)  # HERE", ["helper", "argument"]),
    ("unknown_keyword", "x = helper(n, c=n)  # HERE", ["helper", r"\bc\b"]),
    ("library_arity", "x = tl.zeros()  # HERE", ["zeros"]),
    ("library_keyword", "x = tl.load(x_ptr, maks=n > 0)  # HERE", ["load", "maks"]),
    ("incompatible_shapes", "x = tl.arange(0, 16) + tl.arange(0, 32)  # HERE", ["16", "32"]),
    ("type_changes_in_loop", """
acc = 0
for i in range(n):
    acc = acc + 1.5  # HERE
tl.store(x_ptr, acc)""", ["acc", "int32", "float32|fp32"]),
    ("shape_changes_in_loop", """
acc = tl.zeros((4,), dtype=tl.float32)
for i in range(n):
    acc = acc[:, None] + tl.zeros((4, 8), dtype=tl.float32)  # HERE
""", ["acc", "4", "8"]),
    ("type_differs_over_branches", """
if n > 0:
    y = 1
else:
    y = 1.5  # HERE
tl.store(x_ptr, y)""", [r"\by\b", "int32", "float32|fp32"]),
    ("defined_in_one_branch", """
if n > 0:
    y = 1
tl.store(x_ptr, y)  # HERE""", [r"\by\b"]),
    ("store_through_value", "tl.store(n, 1)  # HERE", ["store", "pointer", "int32|i32"]),
    ("load_through_value", "x = tl.load(n)  # HERE", ["load", "pointer"]),
    ("mask_of_wrong_shape",
     "x = tl.load(x_ptr + tl.arange(0, 16), mask=tl.arange(0, 32) < n)  # HERE",
     ["mask", "16", "32"]),
    ("mask_of_wrong_type", "x = tl.load(x_ptr + tl.arange(0, 16), mask=1.5)  # HERE", ["mask"]),
    ("other_without_mask", "x = tl.load(x_ptr, other=0.0)  # HERE", ["other", "mask"]),
    ("dot_dimensions", """
a = tl.zeros((16, 32), dtype=tl.float32)
b = tl.zeros((16, 8), dtype=tl.float32)
c = tl.dot(a, b)  # HERE""", ["dot", "32", "16"]),
    ("dot_types", """
a = tl.zeros((16, 16), dtype=tl.float32)
c = tl.dot(a, a.to(tl.float16))  # HERE""", ["dot", "float16|fp16", "float32|fp32"]),
    ("dot_rank", "c = tl.dot(tl.zeros((16,), tl.float32), tl.zeros((16,), tl.float32))  # HERE",
     ["dot"]),
    ("constexpr_not_known", "x = tl.arange(0, n)  # HERE", ["constexpr|constant|compile"]),
    ("shape_not_known", "x = tl.zeros((n, 4), dtype=tl.float32)  # HERE",
     ["constexpr|constant|compile"]),
    ("tile_too_large", "x = tl.zeros((2048, 2048), dtype=tl.float32)  # HERE",
     ["1048576|1,048,576"]),
    ("empty_range", "x = tl.arange(4, 4)  # HERE", ["arange"]),
    ("mixed_signs", "x = tl.arange(0, 4) // tl.arange(1, 5).to(tl.uint32)  # HERE", ["sign"]),
    ("floor_division_of_floats", "x = (n * 1.5) // (n * 2.5)  # HERE", ["//|floor|integer"]),
    ("pointer_plus_pointer", "x = x_ptr + x_ptr  # HERE", ["pointer"]),
    ("store_through_const", "tl.store(c_ptr, 1.0)  # HERE", ["const"]),
    ("function_of_integer", "x = tl.exp(tl.arange(0, 4))  # HERE", ["exp", "int32|float"]),
    ("reshape_count", "x = tl.reshape(tl.arange(0, 12), (5, 2))  # HERE", ["12", "10"]),
    ("bitcast_width", "x = tl.arange(0, 4).to(tl.float16, bitcast=True)  # HERE",
     ["bitcast", "32", "16"]),
    ("axis_out_of_range", "x = tl.sum(tl.arange(0, 4), axis=1)  # HERE", ["axis"]),
    ("program_axis", "x = tl.program_id(3)  # HERE", ["axis", "3"]),
    ("unpacking", "a, b = helper(n, n), 1, 2  # HERE", ["2", "3"]),
    ("tile_as_condition", """
if tl.arange(0, 4) > 2:  # HERE
    tl.store(x_ptr, 1.0)""", ["condition|scalar"]),
    ("value_from_kernel", "return n  # HERE", ["return"]),
    ("scalar_out_of_range", "x = tl.arange(0, 4).to(tl.uint8) + 300  # HERE", ["300", "uint8|u8"]),
    ("negative_with_unsigned", "x = tl.arange(0, 4).to(tl.uint8) + (-1)  # HERE", ["uint8|u8"]),
    ("unusable_global", "x = n + SETTINGS  # HERE", ["SETTINGS", "the object {'size': 4}"]),
    ("list_comprehension", "x = [i for i in range(n)]  # HERE", ["range"]),
    ("in_at_run_time", "x = n in (1, 2)  # HERE", [r"\bin\b"]),
    ("rebound_constexpr", """
SIZE: tl.constexpr = 4
SIZE: tl.constexpr = 5  # HERE""", ["SIZE"]),
    ("recursion", "x = endless(n)", ["endless", "recurs"]),
    ("attribute", "x = n.sizes  # HERE", ["sizes"]),
    ("permutation", "x = tl.permute(tl.zeros((2, 3), tl.int32), (0, 0))  # HERE", ["permut|order"]),
    ("broadcast_to", "x = tl.broadcast_to(tl.arange(0, 4)[:, None], (5, 8))  # HERE", ["4", "5"]),
    ("where_condition_shape",
     "x = tl.where(tl.arange(0, 4) > 1, tl.arange(0, 8), 0)  # HERE", ["4", "8"]),
    ("combiner_arity", "x = tl.reduce(tl.arange(0, 4), 0, bad_combiner)  # HERE", ["bad_combiner"]),
    ("atomic_type", "x = tl.atomic_add(b_ptr.to(tl.pointer_type(tl.float8e5)), 1)  # HERE",
     ["atomic_add", "float8e5", "float16"]),
    ("cast_to_nothing", "x = n.to(17)  # HERE", ["17|dtype|type"]),
    ("loop_over_tile", """
for i in tl.arange(0, 4):  # HERE
    pass""", ["range"]),
    ("step_of_zero", """
for i in range(0, n, 0):  # HERE
    pass""", ["step|zero|0"]),
    ("static_range_bound", """
for i in tl.static_range(n):  # HERE
    pass""", ["static_range|constexpr|compile"]),
    ("descriptor_base", "d = tl.make_tensor_descriptor(n, [16], [1], [16])  # HERE",
     ["make_tensor_descriptor", "pointer", "int32"]),
    ("descriptor_base_tile",
     "d = tl.make_tensor_descriptor(x_ptr + tl.arange(0, 4), [16], [1], [16])  # HERE",
     ["base", "one pointer"]),
    ("descriptor_rank", "d = tl.make_tensor_descriptor(x_ptr, [1] * 6, [1] * 6, [1] * 6)  # HERE",
     ["1 to 5 dimensions", "6"]),
    ("descriptor_no_dimension", "d = tl.make_tensor_descriptor(x_ptr, [], [], [])  # HERE",
     ["1 to 5 dimensions", "0"]),
    ("descriptor_size",
     "d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [2048, 2048])  # HERE", ["1048576"]),
    ("descriptor_extent", "d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [0, 16])  # HERE",
     ["positive", "0"]),
    ("descriptor_run_time_block", "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [n])  # HERE",
     ["block_shape", "compile time"]),
    ("descriptor_lengths", "d = tl.make_tensor_descriptor(x_ptr, [n], [n, 1], [8, 8])  # HERE",
     ["shape", "2", "found 1"]),
    ("descriptor_strides_count",
     "d = tl.make_tensor_descriptor(x_ptr, [n, n], [1], [8, 8])  # HERE", ["strides", "found 1"]),
    ("descriptor_last_stride",
     "d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 2], [8, 8])  # HERE",
     ["last stride", "constant 1", "found 2"]),
    ("descriptor_unknown_last_stride",
     "d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, n], [8, 8])  # HERE",
     ["last stride", "run time"]),
    ("descriptor_stride_alignment",
     "d = tl.make_tensor_descriptor(x_ptr, [n, n], [6, 1], [8, 8])  # HERE",
     ["16 bytes", "4 elements", "float32", "found 6"]),
    ("descriptor_negative_shape",
     "d = tl.make_tensor_descriptor(x_ptr, [n, -4], [n, 1], [8, 8])  # HERE", ["negative", "-4"]),
    ("descriptor_float_shape",
     "d = tl.make_tensor_descriptor(x_ptr, [n, 1.5], [n, 1], [8, 8])  # HERE",
     ["shape", "integers", "1.5"]),
    ("descriptor_padding",
     "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8], padding_option='one')  # HERE",
     ["padding_option", "zero", "one"]),
    ("descriptor_nan_of_ints",
     "d = tl.make_tensor_descriptor(b_ptr, [n], [1], [16], padding_option='nan')  # HERE",
     ["nan", "int8", "zero"]),
    ("descriptor_offsets", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
x = d.load([0])  # HERE""", ["offsets", "2", "found 1"]),
    ("descriptor_offset_type", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
x = d.load([0, 1.5])  # HERE""", ["offsets", "integers", "1.5"]),
    ("descriptor_offset_tile", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
x = d.load([0, tl.arange(0, 8)])  # HERE""", ["offsets", "scalars", "8"]),
    ("descriptor_value_shape", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
d.store([0, 0], tl.zeros([8, 4], tl.float32))  # HERE""", [r"\[8, 8\]", r"\[8, 4\]"]),
    ("descriptor_value_scalar", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
d.store([0, 0], 1.0)  # HERE""", [r"\[8, 8\]", "1.0"]),
    ("descriptor_value_type", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
d.store([0], x_ptr + tl.arange(0, 8))  # HERE""", ["pointer", "float32"]),
    ("descriptor_store_through_const", """
d = tl.make_tensor_descriptor(c_ptr, [n], [1], [8])
d.store([0], tl.zeros([8], tl.float32))  # HERE""", ["const"]),
    ("descriptor_atomic_type", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [16])
d.atomic_or([0], tl.zeros([16], tl.float32))  # HERE""", ["atomic_or", "float32"]),
    ("descriptor_as_pointer", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
x = tl.load(d)  # HERE""", ["tl.load", "tensor descriptor"]),
    ("load_of_no_descriptor", "x = tl.load_tensor_descriptor(x_ptr, [0])  # HERE",
     ["tensor descriptor", "make_tensor_descriptor"]),
    ("gather_block", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [8, 8])
x = d.gather(tl.arange(0, 8), 0)  # HERE""", ["one row", r"\[8, 8\]"]),
    ("gather_rows", """
d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 8])
x = d.gather(n, 0)  # HERE""", ["rows", "one dimension"]),
    ("descriptor_attribute", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
x = d.layout  # HERE""", ["tensor descriptor", "layout"]),
    ("descriptors_of_two_shapes", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
if n > 4:
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [16])
x = d.load([0])  # HERE""", [r"\bd\b", r"\[8\]", r"\[16\]"]),
    ("arithmetic_on_descriptors", """
d = tl.make_tensor_descriptor(x_ptr, [n], [1], [8])
x = d + 1  # HERE""", [r"\+", "tensor descriptor"]),
    ("block_pointer_order",
     "p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (8, 8), (1, 1))  # HERE",
     ["order", "each of the 2 dimensions", r"\[1, 1\]"]),
    ("block_pointer_lengths",
     "p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0,), (8, 8), (1, 0))  # HERE",
     ["offsets", "2", "found 1"]),
    ("block_pointer_mask", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
x = tl.load(p, mask=n > 0)  # HERE""", ["mask", "boundary_check"]),
    ("block_pointer_other", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
x = tl.load(p, other=0.0)  # HERE""", ["other", "padding_option"]),
    ("block_pointer_store_mask", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
tl.store(p, tl.zeros([8], tl.float32), mask=n > 0)  # HERE""", ["mask", "boundary_check"]),
    ("boundary_check_range", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
x = tl.load(p, boundary_check=(1,))  # HERE""", ["boundary_check", "dimension 1", "0 to 0"]),
    ("boundary_check_twice", """
p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (8, 8), (1, 0))
x = tl.load(p, boundary_check=(1, 1))  # HERE""", ["boundary_check", "twice"]),
    ("block_pointer_nan_of_ints", """
p = tl.make_block_ptr(b_ptr, (n,), (1,), (0,), (8,), (0,))
x = tl.load(p, boundary_check=(0,), padding_option="nan")  # HERE""", ["nan", "int8"]),
    ("block_pointer_value_shape", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
tl.store(p, tl.zeros([4], tl.float32))  # HERE""", [r"\[8\]", r"\[4\]"]),
    ("boundary_check_of_pointers", "x = tl.load(x_ptr, boundary_check=(0,))  # HERE",
     ["boundary_check", "block pointers only"]),
    ("advance_of_pointer", "p = tl.advance(x_ptr, (1,))  # HERE", ["advance", "block pointers"]),
    ("advance_lengths", """
p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (8,), (0,))
p = tl.advance(p, (1, 1))  # HERE""", ["advance", "found 2"]),
    ("split_of_other_shape", "x = tl.split(tl.arange(0, 4))  # HERE", ["split", "last dimension"]),
    ("unroll_without_end", """
for i in tl.static_range(100000000):  # HERE
    pass""", ["static_range|unroll"]),
]

UNSUPPORTED = [
    ("try", "try:  # HERE\n    x = 1\nexcept ValueError:\n    x = 2"),
    ("yield", "yield n  # HERE"),
    ("import", "import os  # HERE"),
    ("class", "class A:  # HERE\n    pass"),
    ("set", "x = {1, 2}  # HERE"),
    ("delete", "del n  # HERE"),
    ("global", "global COUNTER  # HERE"),
    ("raise", "raise ValueError  # HERE"),
    ("attribute_assignment", "n.x = 1  # HERE"),
    ("match", "match n:  # HERE\n    case 1:\n        pass"),
]

TEMPLATE = """
COUNTER = 17
SETTINGS = {"size": 4}

@triton.jit
def helper(a, b):
    return a + b

@triton.jit
def endless(a):
    return endless(a - 1)

@triton.jit
def printing(a, b):
    tl.device_print("a", a)
    return a + b

@triton.jit
def bad_combiner(a):
    return a

@triton.jit
def two_results(a, b):
    return a, b

@triton.jit
def float_result(a, b):
    return (a + b) * 0.5

@triton.jit
def two_types(a, b):
    return a, b * 0.5

@triton.jit
def returns_nothing(a):
    b = a + 1

@triton.jit
def makes_a_tile(a):
    return tl.sum(a + tl.arange(0, 4))

@triton.jit
def culprit(x_ptr, b_ptr, c_ptr: tl.const, n):
{body}
"""


def launch(body):
    """Compiles the body as a kernel and returns the error with the line that it should name."""
    source = TEMPLATE.replace("{body}", textwrap.indent(body.strip(), "    "))
    module = kernels_from(source)
    with open(module.__file__) as file:
        lines = file.read().splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# HERE" in line]
    x, b = np.zeros(64, np.float32), np.zeros(64, np.int8)
    with pytest.raises(triton.CompilationError) as caught:
        module.culprit[(1,)](x, b, x, 5)
    return module.__file__, marked[0] if marked else None, lines, caught


def check(body, patterns):
    file, line, lines, caught = launch(body)
    message = str(caught.value)
    for pattern in patterns:
        assert re.search(pattern, message, re.IGNORECASE), f"{pattern!r} is not in:\n{message}"
    assert "culprit" in message, f"the kernel is not named:\n{message}"
    assert "^" in message, message
    assert re.search(re.escape(file) + r":\d+:\d+", message), message
    if line:
        assert re.search(re.escape(f"{file}:{line}:") + r"\d+", message), f"line {line}:\n{message}"
        assert lines[line - 1].strip() in message, message
    return caught


@pytest.fixture(params=("interpret", "cpu"), autouse=True)
def either_backend(request, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", request.param)


@pytest.mark.parametrize("body,patterns", [case[1:] for case in BODIES], ids=[c[0] for c in BODIES])
def test_compilation_error(body, patterns):
    check(body, patterns)


@pytest.mark.parametrize("body", [case[1] for case in UNSUPPORTED], ids=[c[0] for c in UNSUPPORTED])
def test_unsupported_construct(body):
    caught = check(body, [])
    assert isinstance(caught.value, triton.UnsupportedLanguageConstruct)


def test_static_assert():
    caught = check("tl.static_assert(4 < 3, 'four is not less')  # HERE", ["four is not less"])
    assert isinstance(caught.value, triton.CompileTimeAssertionFailure)


CHAIN = """
@triton.jit
def innermost(p):
    return tl.load(p, other=1)  # HERE

@triton.jit
def middle(p):
    return innermost(p)  # CALL

@triton.jit
def outermost(p):
    tl.store(p, middle(p))  # CALL
"""


def test_call_chain_as_notes():
    module = kernels_from(CHAIN)
    with open(module.__file__) as file:
        lines = file.read().splitlines()
    with pytest.raises(triton.CompilationError) as caught:
        module.outermost[(1,)](np.zeros(4, np.float32))
    message = str(caught.value)
    for number, line in enumerate(lines, 1):
        if "# HERE" in line or "# CALL" in line:
            assert f"{module.__file__}:{number}:" in message, message
    assert "note" in message and "outermost" in message


@triton.jit
def fill(x_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offs, value, mask=offs < n)


@triton.jit
def read_only(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + tl.arange(0, N)))


def message_of(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_missing_argument():
    x = np.zeros(8, np.float32)
    assert "n" in message_of(TypeError, lambda: fill[(1,)](x, 1.0, BLOCK=8))
    assert "BLOCK" in message_of(TypeError, lambda: fill[(1,)](x, 1.0, 8))


def test_misspelt_argument_or_option():
    x = np.zeros(8, np.float32)
    for wrong in ("BLOK", "num_wraps", "nn"):
        message = message_of((TypeError, KeyError),
                             lambda: fill[(1,)](x, 1.0, 8, BLOCK=8, **{wrong: 4}))
        assert wrong in message and "fill" in message


def test_too_many_arguments():
    x = np.zeros(8, np.float32)
    message_of(TypeError, lambda: fill[(1,)](x, 1.0, 8, 8, 9))
    message_of(TypeError, lambda: fill[(1,)](x, 1.0, 8, 8, BLOCK=8))


def test_array_that_is_read_only():
    x = np.zeros(8, np.float32)
    x.flags.writeable = False
    message = message_of((ValueError, TypeError), lambda: fill[(1,)](x, 1.0, 8, BLOCK=8))
    assert "x_ptr" in message and re.search("read-only|writ", message)
    # It may be read.
    out = np.ones(8, np.float32)
    read_only[(1,)](x, out, N=8)
    assert not out.any()


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([object()]), np.zeros(4, complex),
                                   np.zeros(4, [("a", int)]), np.zeros(4, ">i4")],
                         ids=lambda a: str(a.dtype))
def test_array_of_wrong_type(array):
    assert "x_ptr" in message_of(TypeError, lambda: fill[(1,)](array, 1, 4, BLOCK=4))


@pytest.mark.parametrize("value", ["text", {}, [1, 2], object(), 3 + 4j])
def test_argument_of_wrong_type(value):
    x = np.zeros(8, np.float32)
    # Strings and tuples are compile-time values: using one as a number is the kernel's error.
    message = message_of((TypeError, triton.CompilationError),
                         lambda: fill[(1,)](x, value, 8, BLOCK=8))
    assert "value" in message and "fill" in message


def test_integer_too_large():
    x = np.zeros(8, np.float32)
    message = message_of(TypeError, lambda: fill[(1,)](x, 1.0, 1 << 70, BLOCK=8))
    assert "n" in message


class OnAnotherDevice:
    dtype = np.dtype(np.float32)
    __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (4096, False),
                                "version": 3}


def test_array_on_another_device(monkeypatch):
    # Where there is a GPU, the launch would run there.
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    message = message_of((ValueError, TypeError),
                         lambda: fill[(1,)](OnAnotherDevice(), 1.0, 8, BLOCK=8))
    assert re.search("on the GPU", message, re.IGNORECASE)


@pytest.mark.parametrize("grid", [(-1,), (1, 1, 1, 1), (), ("a",), (1.5,),
                                  (1 << 40,), lambda meta: (-1,), lambda meta: None])
def test_bad_grid(grid):
    x = np.zeros(8, np.float32)
    assert "grid" in message_of((ValueError, TypeError), lambda: fill[grid](x, 1.0, 8, BLOCK=8))
    assert not x.any()


def test_call_without_grid():
    message_of((RuntimeError, TypeError), lambda: fill(np.zeros(8, np.float32), 1.0, 8, BLOCK=8))


def test_kernel_from_a_terminal_has_no_source():
    namespace = {"triton": triton, "tl": tl}
    with pytest.raises((ValueError, OSError, triton.TritonError)):
        exec("@triton.jit\ndef kernel(x):\n    pass\nkernel[(1,)](1)", namespace)


def test_a_launch_after_errors_works():
    x = np.zeros(8, np.float32)
    for _ in range(3):
        with pytest.raises(triton.CompilationError):
            fill[(1,)](x, 1.0, 8, BLOCK=0)
        fill[(1,)](x, 2.0, 8, BLOCK=8)
    assert (x == 2).all()
