# Functions that are compositions of others.


def softmax(x, dim=None, keep_dims: tl.constexpr = False, ieee_rounding: tl.constexpr = False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - tl.max(x, axis, keep_dims=True)
    numerator = tl.exp(shifted)
    return tl.fdiv(numerator, tl.sum(numerator, axis, keep_dims=True), ieee_rounding)


def swizzle2d(i, j, size_i, size_j, size_g):
    # Tiles are numbered down groups of size_g rows, so that a group shares its columns.
    index = i * size_j + j
    per_group = size_g * size_j
    first_row = index // per_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = index % per_group
    return first_row + within % rows, within // rows


def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    tl.static_assert(pointer.dtype.is_ptr() and len(pointer.shape) == 0,
                     "tl.atomic_poll reads one element, through a scalar pointer")
    element: tl.constexpr = pointer.dtype.element_ty
    tl.static_assert(element.is_int() and element.primitive_bitwidth in (16, 32, 64),
                     "tl.atomic_poll waits for an integer of 16, 32 or 64 bits")
    tl.static_assert(not pointer.dtype.is_const(),
                     "tl.atomic_poll goes through a tl.const pointer; it reads by an atomic that "
                     "may write, so remove the tl.const annotation of the parameter")
    order: tl.constexpr = "acquire" if sem is None else sem
    tl.static_assert(order == "acquire" or order == "relaxed",
                     "'sem' of tl.atomic_poll must be 'acquire' or 'relaxed'")
    expected = tl.cast(expected_value, element)
    found = tl.atomic_or(pointer, 0, None, order, scope) == expected
    if timeout_ns is None:
        while not found:
            found = tl.atomic_or(pointer, 0, None, order, scope) == expected
    elif timeout_ns != 0:
        begin = tl.extra.cuda.globaltimer()
        while (not found) & (tl.extra.cuda.globaltimer() - begin < timeout_ns):
            found = tl.atomic_or(pointer, 0, None, order, scope) == expected
    return found


# What reductions combine elements by.


def _sum_combine(a, b):
    return a + b


def _prod_combine(a, b):
    return a * b


def _xor_combine(a, b):
    return a ^ b


def _or_combine(a, b):
    return a | b


def _elementwise_max(a, b):
    return tl.maximum(a, b)


def _elementwise_min(a, b):
    return tl.minimum(a, b)


def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 > value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 < value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)
