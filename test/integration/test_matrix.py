"""Every name of the language in every element type and many shapes against NumPy.

A third of the cases is run, in which each row meets each of its types and each of its shapes;
TRITIUM_MATRIX=all runs all of them."""

import os
import re

import matrix_elementwise
import matrix_memory
import matrix_tiles
import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from matrix import FLOAT8, SHAPES, TYPES, Case, is_reason, judge, packs, refusal

ROWS = matrix_elementwise.ROWS + matrix_tiles.ROWS + matrix_memory.ROWS

# Names that no row has, and why.
ELSEWHERE = {
    "a type, or its parts": (
        "dtype pointer_type block_type tuple_type constexpr_type str_to_ty constexpr const tensor "
        "tuple tensor_descriptor tensor_descriptor_base tensor_descriptor_type void pi32_t"),
    "arrays of it are made of codes: test_float8.py": "float8e4b15",
    "numbers of the launch: test_kernels.py": "program_id num_programs",
    "statements: test_control.py": "range static_range condition",
    "it says what is so already, or prints: test_hints.py, test_errors.py, test_runtime_errors.py":
        "assume static_print static_assert device_print device_assert expect_zero "
        "must_use_result debug_barrier",
    "an option of tl.minimum: test_elementwise.py": "PropagateNan",
    "waits, subscripts and objects: test_machine.py, test_indexing.py, test_aggregates.py":
        "atomic_poll slice aggregate_replace",
    "modules, whose functions have tests of their own: test_libdevice_matrix.py, test_machine.py":
        "math extra random target_info",
    "a name of some lines, which makes no code: test_scopes.py": "scope",
    "a number": "TRITON_MAX_TENSOR_NUMEL",
}


def test_every_name_is_somewhere():
    text = "\n".join(row.text for row in ROWS)
    named = {name for name in tl.__all__ if re.search(rf"\btl\.{name}\b", text)}
    elsewhere = {name for names in ELSEWHERE.values() for name in names.split()}
    # The kernels hold these beside what they test.
    beside = {"constexpr", "static_assert"}
    assert elsewhere - set(tl.__all__) == set()
    assert set(tl.__all__) - named - elsewhere == set()
    assert named & elsewhere - beside == set()
    scalars = {name for name in tl.__all__ if isinstance(getattr(tl, name), tl.dtype)}
    assert scalars - set(TYPES) - elsewhere == set()


def cases_of(row):
    number = ROWS.index(row)
    taken = [(i + j, Case(row, dtype, shape)) for i, dtype in enumerate(TYPES)
             for j, shape in enumerate(SHAPES) if not row.types(dtype) and not row.shapes(shape)]
    every = len(taken) <= 22 or os.environ.get("TRITIUM_MATRIX") == "all"
    return [case for k, case in taken if every or (number + k) % 3 == 0]


def refused_of(row):
    """Each type and each shape that is not taken, and what is said of it."""
    dtype = next(dtype for dtype in reversed(TYPES) if not row.types(dtype))
    shape = next(shape for shape in reversed(SHAPES) if not row.shapes(shape))
    found = [(Case(row, other, shape), row.types(other)) for other in TYPES]
    found += [(Case(row, dtype, other), row.shapes(other)) for other in SHAPES]
    return [(case, message) for case, message in found if message and not is_reason(message)]


def test_every_row_meets_its_types_and_shapes():
    for row in ROWS:
        types = [dtype for dtype in TYPES if not row.types(dtype)]
        shapes = [shape for shape in SHAPES if not row.shapes(shape)]
        cases = [(case.dtype, case.shape) for case in cases_of(row)]
        assert {dtype for dtype, _ in cases} == set(types), row.name
        assert {shape for _, shape in cases} == set(shapes), row.name


FAMILIES = {
    "operators": matrix_elementwise.OPERATORS, "functions": matrix_elementwise.FUNCTIONS,
    "casts": matrix_elementwise.CASTS, "hints": matrix_elementwise.HINTS,
    "shapes": matrix_tiles.SHAPED, "indices": matrix_tiles.INDEXED,
    "combined": matrix_tiles.COMBINED, "order": matrix_tiles.ORDERED,
    "products": matrix_tiles.PRODUCTS, "memory": matrix_memory.MEMORY,
    "atomics": matrix_memory.ATOMICS, "random": matrix_memory.RANDOM}


def test_every_row_is_in_a_family():
    assert sum(FAMILIES.values(), []) == ROWS


pytestmark = pytest.mark.usefixtures("unrecorded")  # kernels of many cases are long


@pytest.mark.parametrize("family", FAMILIES)
def test_agrees(family, backend):
    cases = [case for row in FAMILIES[family] if backend.startswith(row.backends)
             for case in cases_of(row)]
    assert [wrong for group in packs(cases) for wrong in judge(group)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_refuses(family, backend):
    refused = [pair for row in FAMILIES[family] if backend.startswith(row.backends)
               for pair in refused_of(row)]
    said = [(case, message, refusal(case)) for case, message in refused]
    assert [f"{case}: {text}" for case, message, text in said if not re.search(message, text)] == []
