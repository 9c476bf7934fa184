"""What the NumPy texts of random kernels call (numpy_text.py): memory, and the operations of the
language that are not one of NumPy's.

Tiles are arrays of their element type, scalars are arrays without dimensions, and a pointer is a
count of elements from the beginning of the array that it points into.
"""

import numpy as np

FAR = 1 << 16  # Elements that a window holds.


class Undefined(Exception):
    """The language gives the program no single result, or one too large to look at."""


def element_type(name):
    import ml_dtypes
    special = {"bfloat16": ml_dtypes.bfloat16, "float8e4nv": ml_dtypes.float8_e4m3fn,
               "float8e5": ml_dtypes.float8_e5m2, "int1": np.bool_}
    return np.dtype(special.get(name, name))


class Memory:
    """An array. Indices outside of it are an error: a kernel of the generators has none."""

    def __init__(self, data):
        self.data = data
        # The program that wrote an element, and the one that read it. -1: none, -2: several.
        self.writer = np.full(data.size, -1, np.int32)
        self.reader = np.full(data.size, -1, np.int32)
        self.program = 0

    def places(self, indices):
        if indices.size and (indices.min() < 0 or indices.max() >= self.data.size):
            raise Undefined("an index outside of an array")
        return indices

    def read(self, indices):
        places = self.places(indices)
        writer = self.writer[places]
        if ((writer != -1) & (writer != self.program)).any():
            raise Undefined("a program reads what another one writes")
        reader = self.reader[places]
        self.reader[places] = np.where((reader == -1) | (reader == self.program),
                                       self.program, -2)
        return self.data[places]

    def claim(self, indices):
        """The places of elements that this program alone touches."""
        places = self.places(indices)
        for owner in (self.writer[places], self.reader[places]):
            if ((owner != -1) & (owner != self.program)).any():
                raise Undefined("a program writes what another one reads or writes")
        self.writer[places] = self.program
        return places

    def write(self, indices, values):
        places = self.claim(indices)
        self.data[places] = values
        if not same(self.data[places], values).all():
            raise Undefined("a statement stores two values to one element")

    def atomically(self, update, indices, values):
        """`update(old, value)` at each index in order; returns the old values."""
        places, old = self.places(indices), np.empty_like(values)
        for i, place in enumerate(places):
            old[i] = self.data[place]
            self.data[place] = update(self.data[place], values[i])
        return old


class Window(Memory):
    """An array whose ends the program decides: it reaches from the least to the largest index
    that is used. Elements repeat those of `table`."""

    def __init__(self, table):
        super().__init__(np.resize(table, FAR))
        self.reach = []  # least and largest index

    def places(self, indices):
        if indices.size:
            low, high = int(indices.min()), int(indices.max())
            if self.reach:
                low, high = min(low, self.reach[0]), max(high, self.reach[1])
            if high - low >= FAR - 64:  # with room for a layout to round up
                raise Undefined("an array of too many elements")
            self.reach[:] = [low, high]
        return indices & (FAR - 1)

    def elements(self, low, high):
        return self.data[np.arange(low, high) & (FAR - 1)]


class Shifted:
    """A memory whose index 0 is the element `first` of another one."""

    def __init__(self, memory, first):
        self.memory, self.first, self.data = memory, first, memory.data

    def read(self, indices):
        return self.memory.read(indices + self.first)

    def write(self, indices, values):
        self.memory.write(indices + self.first, values)

    def atomically(self, update, indices, values):
        return self.memory.atomically(update, indices + self.first, values)


def same(x, y):
    return (x == y) | ((x != x) & (y != y))


def lanes(offset, *others):
    """The arguments in one shape, flat, and that shape."""
    arrays = np.broadcast_arrays(offset, *others)
    return [array.reshape(-1) for array in arrays], arrays[0].shape


def load(memory, offset, mask=True, other=0):
    dtype = memory.data.dtype
    (offset, mask, other), shape = lanes(offset, mask, np.asarray(other).astype(dtype))
    result = np.array(other)
    result[mask] = memory.read(offset[mask])
    return result.reshape(shape)


def store(memory, offset, value, mask=True):
    (offset, value, mask), _ = lanes(offset, cast(value, memory.data.dtype), mask)
    memory.write(offset[mask], value[mask])


def atomic(memory, update, offset, value, mask=True):
    """Returns the old values; of lanes that are masked off, zero."""
    (offset, value, mask), shape = lanes(offset, cast(value, memory.data.dtype), mask)
    result = np.zeros(value.shape, memory.data.dtype)
    result[mask] = memory.atomically(update, offset[mask], value[mask])
    return result.reshape(shape)


def compare_and_swap(memory, offset, expected, value):
    dtype = memory.data.dtype
    (offset, expected, value), shape = lanes(offset, cast(expected, dtype), cast(value, dtype))
    result = np.empty_like(value)
    for i in range(value.size):
        one = slice(i, i + 1)
        result[one] = memory.atomically(lambda old, new: new if old == expected[i] else old,
                                        offset[one], value[one])
    return result.reshape(shape)


def cast(x, dtype):
    x, dtype = np.asarray(x), np.dtype(dtype)
    return x != 0 if dtype == np.bool_ else x.astype(dtype)


def divide(x, y):
    """Towards zero; 0 where y is 0."""
    if x.dtype.kind == "u":
        return np.where(y == 0, 0, x // np.where(y == 0, 1, y)).astype(x.dtype)
    negative = (x < 0) != (y < 0)
    # The least value has no positive counterpart in its type, but in the unsigned one.
    wide = np.dtype(f"u{x.dtype}")
    p, q = np.abs(x).astype(wide), np.abs(y).astype(wide)
    quotient = (p // np.where(q == 0, 1, q)).astype(x.dtype)
    return np.where(y == 0, 0, np.where(negative, -quotient, quotient)).astype(x.dtype)


def remainder(x, y):
    """With the sign of x; x where y is 0."""
    if x.dtype.kind == "f":
        return np.fmod(x, y)
    return x - divide(x, y) * y


def shift_right(x, count, arithmetic):
    """Of the bits of x, filled with its sign or with zeros."""
    kind = np.dtype(x.dtype.name.replace("uint", "int") if arithmetic else
                    x.dtype.name if x.dtype.kind == "u" else f"u{x.dtype.name}")
    return (x.astype(kind) >> count.astype(kind)).astype(x.dtype)


def dot(a, b, accumulator, dtype):
    exact = np.int64 if np.dtype(dtype).kind == "i" else np.float64
    product = np.matmul(np.asarray(a).astype(exact), np.asarray(b).astype(exact))
    return (product + np.asarray(accumulator).astype(exact)).astype(dtype)


def chosen(x, axis, largest):
    """The indices of the largest or smallest elements; the first of equal ones."""
    return (np.argmax if largest else np.argmin)(x, axis=axis).astype(np.int32)


def lines(arrays, axis):
    """The arrays in one shape, with the axis first."""
    return [np.moveaxis(array, axis, 0) for array in np.broadcast_arrays(*arrays)]


def scanned(function, arrays, axis, reverse):
    """tl.associative_scan: one element after another, from either end."""
    parts = [part[::-1] if reverse else part for part in lines(arrays, axis)]
    results = [np.array(part) for part in parts]
    for i in range(1, len(parts[0])):
        state = function(*[result[i - 1] for result in results], *[part[i] for part in parts])
        for result, new in zip(results, state):
            result[i] = new
    return [np.moveaxis(result[::-1] if reverse else result, 0, axis) for result in results]


def folded(function, arrays, axis):
    """tl.reduce."""
    return [np.moveaxis(result, axis, 0)[-1]
            for result in scanned(function, arrays, axis, False)]


def each(function):
    """A function of scalars for the elements of arrays."""
    def of_arrays(*arrays):
        flat, shape = lanes(*arrays)
        columns = zip(*[function(*elements) for elements in zip(*flat)])
        return [np.array([np.asarray(value)[()] for value in column], np.asarray(column[0]).dtype)
                .reshape(shape) for column in columns]
    return of_arrays


def mapped(function, dtypes, *arrays):
    """tl.map_elementwise."""
    return [result.astype(dtype) for result, dtype in zip(each(function)(*arrays), dtypes)]


def histogram(x, bins, mask=True):
    (x, mask), _ = lanes(x, mask)
    counted = mask & (x >= 0) & (x < bins)
    return np.bincount(x[counted].astype(np.int64), minlength=bins).astype(np.int32)


def assigned(x, value, places):
    result = np.array(x)
    result[places] = value
    return result


# The numbers of e2m1, by their four bits.
FOURS = np.array([sign * number for sign in (1, -1) for number in (0, .5, 1, 1.5, 2, 3, 4, 6)])


def scaled(form, axis, k_pack, x, scale=None):
    """An operand of tl.dot_scaled, whose axis K is `axis`, as numbers."""
    if form == "e2m1":
        packed = axis if k_pack else 1 - axis
        x = np.stack([FOURS[x & 15], FOURS[x >> 4]], axis=packed + 1)
        x = x.reshape([-1 if d == packed else x.shape[d if d < packed else d + 1]
                       for d in range(2)])
    x = x.astype(np.float64)
    if scale is None:
        return x
    groups = np.repeat(np.exp2(scale.astype(np.float64) - 127), x.shape[axis] // scale.shape[1], 1)
    return x * (groups if axis == 1 else groups.T)


def join(a, b):
    return np.stack(np.broadcast_arrays(a, b), axis=-1)


def interleave(a, b):
    pairs = join(a, b)
    return pairs.reshape(*pairs.shape[:-2], -1)


def block(base, shape, strides, offsets, extents, rows=None):
    """Where the elements of a block of an array lie, and which of them are within it. The block
    has `rows` of the array where they are given."""
    position, inside, rank = base, np.bool_(True), len(extents)
    for d in range(rank):
        index = np.arange(extents[d])
        if d == 0 and rows is not None:
            index = np.asarray(rows).astype(np.int64)
        index = index.reshape([-1 if i == d else 1 for i in range(rank)]) + np.int64(offsets[d])
        position = position + index * np.int64(strides[d])
        inside = inside & (0 <= index) & (index < np.int64(shape[d]))
    return position, inside
