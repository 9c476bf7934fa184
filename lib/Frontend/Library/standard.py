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
