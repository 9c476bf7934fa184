"""The calls in a second text (numpy_text.py): what each function of the language is in NumPy."""

import ast
import itertools

from numpy_nodes import Block, Node

FUNCTIONS = {"floor": "np.floor({0})", "ceil": "np.ceil({0})", "exp": "np.exp({0})",
             "exp2": "np.exp2({0})", "log": "np.log({0})", "log2": "np.log2({0})",
             "sin": "np.sin({0})", "cos": "np.cos({0})", "sqrt": "np.sqrt({0})",
             "sigmoid": "1 / (1 + np.exp(-{0}))", "erf": "np.vectorize(math.erf)({0})"}
ATOMICS = {"add": "old + new", "max": "max(old, new)", "min": "min(old, new)", "and": "old & new",
           "or": "old | new", "xor": "old ^ new", "xchg": "new"}
# Result types of reductions, by the operand's.
NARROW = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32",
          "int1": "uint32"}
PRODUCTS = {"int8": "int32", "uint8": "int32", "float64": "float64"}


class Calls:
    """The part of a Writer that writes calls."""

    def value_Call(self, node):
        function = node.func
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if isinstance(function, ast.Name):
            if function.id in self.functions:
                return self.called(self.functions[function.id], node.args, keywords)
            return getattr(self, "call_" + function.id)(*node.args, **keywords)
        if isinstance(function.value, ast.Name) and function.value.id == "tl":
            name, arguments = function.attr, node.args
        else:
            name, arguments = function.attr, [function.value, *node.args]
        if name in FUNCTIONS:
            x = self.value(arguments[0])
            return self.define(FUNCTIONS[name], x.dtype, x)
        if name in ("sum", "max", "min", "xor_sum", "reduce_or", "argmax", "argmin"):
            return self.reduction(name, *arguments, **keywords)
        if name.startswith("atomic_") and name != "atomic_cas":
            return self.atomic(name.removeprefix("atomic_"), *arguments, **keywords)
        return getattr(self, "call_" + name)(*arguments, **keywords)

    def called(self, function, arguments, keywords):
        """A call of a function of the kernel's, which is written out where it has no branches."""
        names = [argument.arg for argument in function.args.args]
        given = {name: self.value(value) for name, value in
                 [*zip(names, arguments), *keywords.items()]}
        if branches(function):
            values = [self.own(given[name]) for name in names]
            label, dtypes = self.function(function, [value.dtype for value in values])
            return self.several(f"{label}({places(values)})", dtypes, values)
        outer, self.names = self.names, given
        self.block(function.body[:-1])
        result = self.value(function.body[-1].value)
        self.names = outer
        return result

    def function(self, function, dtypes):
        """Writes a function of the kernel's as one of Python's, for arguments of these types;
        returns its name and its results' types. Without branches, it takes arrays as well."""
        label = f"f{next(self.count)}"
        parameters = {argument.arg: Node(f"{label}_{argument.arg}", dtype)
                      for argument, dtype in zip(function.args.args, dtypes)}
        outer = self.names, self.loops, self.results
        self.names, self.loops, self.results = parameters, [], None
        self.emit(f"def {label}({', '.join(node.text for node in parameters.values())}):")
        self.indent += 1
        isLambda = isinstance(function, ast.Lambda)
        self.block([ast.Return(function.body)] if isLambda else function.body)
        self.indent -= 1
        dtypes = self.results
        self.names, self.loops, self.results = outer
        return label, dtypes

    def several(self, form, dtypes, operands):
        """The results of an operation that has several; of one result, that."""
        both = self.define(form, "", *operands)
        results = [self.define(f"{{0}}[{i}]", dtype, both) for i, dtype in enumerate(dtypes)]
        return results[0] if len(results) == 1 else results

    def argument_function(self, node):
        return node if isinstance(node, ast.Lambda) else self.functions[node.id]

    def literal(self, node):
        return ast.literal_eval(node)

    def extents(self, nodes):
        if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple):
            nodes = nodes[0].elts
        return tuple(self.value(node).number for node in nodes)

    def dtype(self, node):
        return node.attr

    def call_program_id(self, axis):
        return self.define(f"np.asarray(program_id[{axis.value}], 'int32')", "int32")

    def call_num_programs(self, axis):
        return self.define(f"np.asarray(num_programs[{axis.value}], 'int32')", "int32")

    def call_arange(self, start, end):
        start, end = self.value(start).number, self.value(end).number
        return self.define(f"np.arange({start}, {end}, dtype='int32')", "int32")

    def call_zeros(self, shape, dtype):
        return self.call_full(shape, ast.Constant(0), dtype)

    def call_full(self, shape, value, dtype):
        dtype = self.dtype(dtype)
        return self.define(f"np.full({self.extents([shape])}, {{0}})", dtype,
                           self.typed(self.value(value), dtype))

    def call_to(self, x, dtype):
        return self.typed(self.own(self.value(x)), self.dtype(dtype))

    def call_load(self, pointer, mask=None, other=None, **_):
        pointer = self.value(pointer)
        if isinstance(pointer, Block):
            place = self.block_place(pointer, mask)
            return self.define(f"m.load(memory['{place.base}'], *{{0}})", place.dtype, place)
        operands = [pointer] + [self.own(self.value(node)) for node in (mask, other)
                                if node is not None]
        return self.define(f"m.load(memory['{pointer.base}'], {places(operands)})", pointer.dtype,
                           *operands)

    def call_store(self, pointer, value, mask=None, **_):
        pointer = self.value(pointer)
        if isinstance(pointer, Block):
            # Offsets come first where it is a descriptor.
            value, offsets = (value, None) if pointer.offsets else (mask, value)
            return self.store_block(self.block_place(pointer, offsets), value)
        operands = [pointer, self.own(self.value(value))]
        operands += [] if mask is None else [self.value(mask)]
        self.define(f"m.store(memory['{pointer.base}'], {places(operands)})", "", *operands)

    def atomic(self, name, pointer, value, mask=None, **_):
        pointer = self.value(pointer)
        update = f"lambda old, new: {ATOMICS[name]}"
        if isinstance(pointer, Block):
            place, value = self.block_place(pointer, value), self.own(self.value(mask))
            return self.define(f"m.atomic(memory['{place.base}'], {update}, {{0}}[0], {{1}}, "
                               "{0}[1])", "", place, value)
        operands = [pointer, self.own(self.value(value))]
        operands += [] if mask is None else [self.value(mask)]
        return self.define(f"m.atomic(memory['{pointer.base}'], {update}, {places(operands)})",
                           pointer.dtype, *operands)

    def call_atomic_cas(self, pointer, expected, value):
        pointer = self.value(pointer)
        return self.define(f"m.compare_and_swap(memory['{pointer.base}'], {{0}}, {{1}}, {{2}})",
                           pointer.dtype, pointer, self.own(self.value(expected)),
                           self.own(self.value(value)))

    def call_where(self, condition, a, b):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define("np.where({0}, {1}, {2})", a.dtype, self.value(condition), a, b)

    def call_minimum(self, a, b, name="minimum"):
        a, b = self.pair(self.value(a), self.value(b))
        if a.dtype == "bfloat16":
            a, b = self.typed(a, "float32"), self.typed(b, "float32")
        return self.define(f"np.{name}({{0}}, {{1}})", a.dtype, a, b)

    def call_maximum(self, a, b):
        return self.call_minimum(a, b, "maximum")

    call_min, call_max = call_minimum, call_maximum

    def call_abs(self, x):
        x = self.value(x)
        return self.define("np.abs({0})", x.dtype, x)

    def call_cdiv(self, x, y):
        x, y = self.value(x), self.value(y)
        one = Node("", "", number=1)
        return self.binary("//", self.binary("+", x, self.binary("-", y, one)), y)

    def call_trans(self, x, *axes):
        if axes:
            return self.call_permute(x, *axes)
        return self.shape("np.swapaxes({0}, -1, -2)", self.value(x))

    def call_permute(self, x, *axes):
        return self.shape(f"np.transpose({{0}}, {self.extents(axes)})", self.value(x))

    def call_gather(self, x, index, axis):
        x = self.value(x)
        if isinstance(x, Block):
            place = self.rows_place(x, index, axis)
            return self.define(f"m.load(memory['{place.base}'], *{{0}})", place.dtype, place)
        x = self.own(x)
        return self.define(f"np.take_along_axis({{0}}, {{1}}, {axis.value})", x.dtype, x,
                           self.value(index))

    def call_flip(self, x, dim):
        return self.shape(f"np.flip({{0}}, {dim.value})", self.value(x))

    def call_cat(self, a, b, can_reorder, dim):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define(f"np.concatenate([{{0}}, {{1}}], {dim.value})", a.dtype, a, b)

    def call_sort(self, x, dim, descending):
        x = self.own(self.value(x))
        form = f"np.sort({{0}}, {dim.value})"
        form = f"np.flip({form}, {dim.value})" if descending.value else form
        return self.define(form, x.dtype, x)

    def call_topk(self, x, k, dim, descending):
        x = self.call_sort(x, dim, descending)
        return self.define(f"np.take({{0}}, range({k.value}), {dim.value})", x.dtype, x)

    def call_reshape(self, x, *shape):
        return self.shape(f"np.reshape({{0}}, {self.extents(shape)})", self.value(x))

    def call_ravel(self, x):
        return self.shape("np.ravel({0})", self.value(x))

    def call_expand_dims(self, x, axis):
        return self.shape(f"np.expand_dims({{0}}, {axis.value})", self.value(x))

    def call_broadcast_to(self, x, *shape):
        return self.shape(f"np.broadcast_to({{0}}, {self.extents(shape)})", self.value(x))

    def call_join(self, a, b, name="join"):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define(f"m.{name}({{0}}, {{1}})", a.dtype, a, b)

    def call_interleave(self, a, b):
        return self.call_join(a, b, "interleave")

    def call_split(self, x):
        x = self.value(x)
        return [self.define(f"{{0}}[..., {i}]", x.dtype, x) for i in (0, 1)]

    def reduction(self, name, x, axis=None, return_indices=None, keep_dims=None):
        x = self.value(x)
        axis = axis.value if axis is not None else None
        kept = f"axis={axis}" + (", keepdims=True" if keep_dims is not None else "")
        if name in ("argmax", "argmin"):
            return self.define(f"m.chosen({{0}}, {axis}, {name == 'argmax'})", "int32", x)
        dtype = x.dtype if return_indices is not None else NARROW.get(x.dtype, x.dtype)
        if name in ("xor_sum", "reduce_or"):
            dtype = x.dtype
        if name in ("max", "min") and return_indices is None and x.dtype in ("float16", "bfloat16"):
            dtype = "float32"
        wide = self.typed(x, dtype)
        function = {"sum": f"np.sum({{0}}, {kept}, dtype={self.type_text(dtype)})",
                    "xor_sum": f"np.bitwise_xor.reduce({{0}}, {kept})",
                    "reduce_or": f"np.bitwise_or.reduce({{0}}, {kept})",
                    "max": f"np.max({{0}}, {kept})", "min": f"np.min({{0}}, {kept})"}
        result = self.define(function[name], dtype, wide)
        if return_indices is None:
            return result
        return [result, self.define(f"m.chosen({{0}}, {axis}, {name == 'max'})", "int32", x)]

    def scan(self, name, x, axis, reverse, dtype):
        x, axis = self.typed(self.value(x), dtype), axis.value
        text = f"np.{name}({{0}}, axis={axis}, dtype={self.type_text(dtype)})"
        if reverse is not None and reverse.value:
            text = text.replace("{0}", f"np.flip({{0}}, {axis})")
            text = f"np.flip({text}, {axis})"
        return self.define(text, dtype, x)

    def call_cumsum(self, x, axis, reverse=None):
        dtype = self.value(x).dtype
        return self.scan("cumsum", x, axis, reverse, NARROW.get(dtype, dtype))

    def call_cumprod(self, x, axis, reverse=None):
        return self.scan("cumprod", x, axis, reverse, self.value(x).dtype)

    def combining(self, form, operands, axis, function, rest=""):
        """What goes along an axis with a function of two elements, or of two tuples of them."""
        values = self.value(operands)
        values = [self.own(node) for node in (values if isinstance(values, list) else [values])]
        function = self.argument_function(function)
        dtypes = [node.dtype for node in values]
        label, _ = self.function(function, dtypes * 2)
        label = f"m.each({label})" if branches(function) else label
        axis = self.value(axis).number
        return self.several(f"m.{form}({label}, [{places(values)}], {axis}{rest})", dtypes, values)

    def call_reduce(self, operands, axis, function):
        return self.combining("folded", operands, axis, function)

    def call_associative_scan(self, operands, axis, function, reverse=None):
        return self.combining("scanned", operands, axis, function,
                              f", {reverse is not None and reverse.value}")

    def call_map_elementwise(self, function, *arguments):
        function = self.functions[function.id]
        values = [self.own(self.value(argument)) for argument in arguments]
        label, dtypes = self.function(function, [node.dtype for node in values])
        types = ", ".join(map(self.type_text, dtypes))
        return self.several(f"m.mapped({label}, [{types}], {places(values)})", dtypes, values)

    def call_histogram(self, x, bins, mask=None):
        operands = [self.value(node) for node in (x, mask) if node is not None]
        return self.define(f"m.histogram({{0}}, {bins.value}{', {1}' if mask else ''})", "int32",
                           *operands)

    def call_dot(self, a, b, acc=None, **_):
        a, b = self.value(a), self.value(b)
        dtype = PRODUCTS.get(a.dtype, "float32")
        total = self.value(acc) if acc is not None else Node("np.int64(0)", dtype)
        return self.define(f"m.dot({{0}}, {{1}}, {{2}}, '{dtype}')", dtype, a, b, total)

    def call_dot_scaled(self, a, a_scale, a_format, b, b_scale, b_format, acc=None,
                        lhs_k_pack=None, rhs_k_pack=None):
        operands, parts = [], []
        for x, scale, form, pack, axis in ((a, a_scale, a_format, lhs_k_pack, 1),
                                           (b, b_scale, b_format, rhs_k_pack, 0)):
            values = [self.value(x)]
            if not (isinstance(scale, ast.Constant) and scale.value is None):
                values.append(self.value(scale))
            k_pack = pack is None or pack.value
            parts.append(f"m.scaled({form.value!r}, {axis}, {k_pack}, "
                         f"{places(values, len(operands))})")
            operands += values
        operands.append(Node("np.int64(0)", "float32") if acc is None else self.value(acc))
        return self.define(f"m.dot({parts[0]}, {parts[1]}, {{{len(operands) - 1}}}, 'float32')",
                           "float32", *operands)

    # Blocks of arrays.

    def block_value(self, base, shape, strides, extents, offsets=None):
        lists = [[self.own(value) for value in self.value(node)] if node is not None else None
                 for node in (shape, strides, offsets)]
        return Block(self.value(base), *lists[:2], self.extents([ast.Tuple(extents.elts)]),
                     lists[2])

    def call_make_tensor_descriptor(self, base, shape, strides, block_shape):
        return self.block_value(base, shape, strides, block_shape)

    def call_make_block_ptr(self, base, shape, strides, offsets, block_shape, **_):
        return self.block_value(base, shape, strides, block_shape, offsets)

    def call_advance(self, pointer, offsets):
        block = self.value(pointer)
        moved = [self.binary("+", old, self.value(offset))
                 for old, offset in zip(block.offsets, offsets.elts)]
        return Block(block.base, block.shape, block.strides, block.extents, moved)

    def block_place(self, block, offsets=None, rows=None):
        """Where the elements of a block lie, and which of them are within the array. `rows`: what
        takes the place of the first dimension."""
        offsets = block.offsets or [self.own(value) for value in self.value(offsets)]
        self.addresses += [*block.shape, *block.strides, *offsets]
        lists, texts, first = (block.shape, block.strides, offsets), [], 1
        for each in lists:
            texts.append(f"[{places(each, first)}]")
            first += len(each)
        last = [] if rows is None else [rows]
        return self.define(
            f"m.block({{0}}, {', '.join(texts)}, {block.extents}"
            f"{f', {{{first}}}' if last else ''})", block.base.dtype, block.base,
            *itertools.chain(*lists), *last, kind="block", base=block.base.base)

    def store_block(self, place, value):
        self.define(f"m.store(memory['{place.base}'], {{0}}[0], {{1}}, {{0}}[1])", "", place,
                    self.own(self.value(value)))

    def rows_place(self, block, rows, column):
        offsets = ast.List([ast.Constant(0), column])
        return self.block_place(block, offsets, self.value(rows))

    def call_scatter(self, block, value, rows, column):
        self.store_block(self.rows_place(self.value(block), rows, column), value)


def branches(function):
    """Whether a function takes ways that depend on its arguments."""
    return any(isinstance(node, (ast.If, ast.For, ast.While)) for node in ast.walk(function))


def places(operands, first=0):
    """Text with a place for each of the operands, for Writer.define."""
    return ", ".join(f"{{{first + i}}}" for i in range(len(operands)))
