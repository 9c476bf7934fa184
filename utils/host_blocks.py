"""The blocks of tensor descriptors that a package's host code makes for a kernel.

A kernel says how many dimensions the block of a descriptor has, and nothing of its extents. Those
are in the host code: in the `pre_hook` of a configuration, which is run, or where the descriptor
is made for a launch, which is read.
"""

import ast
import inspect
import sys
import types


def byHook(wrappers, names, arguments):
    """Name -> block, of the descriptors whose blocks the first configuration's hook sets."""
    for wrapper in wrappers:
        for config in getattr(wrapper, "configs", None) or ():
            if config.pre_hook is None:
                break
            made = {name: types.SimpleNamespace(block_shape=None) for name in names}
            try:
                config.pre_hook({**arguments, **made})
            except Exception:  # the arguments are none of the package's
                break
            return {name: list(descriptor.block_shape) for name, descriptor in made.items()
                    if descriptor.block_shape}
    return {}


def atLaunch(kernel, names, constants):
    """Name -> block, of the descriptors that functions of the kernel's module make for its launch
    by names, with blocks of numbers and of names of compile-time values."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[kernel.fn.__module__]))
    except (OSError, KeyError, SyntaxError):
        return {}
    found = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            made = madeIn(function, constants)
            for name, given in launchesIn(function, kernel):
                if name in names and given in made:
                    found[name] = made[given]
    return found


def madeIn(function, constants):
    """Variable -> block, of the descriptors that a function assigns to variables."""
    made = {}
    for node in ast.walk(function):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
                and "TensorDescriptor" in ast.unparse(node.value.func)):
            continue
        call, keywords = node.value, {k.arg: k.value for k in node.value.keywords}
        position = 1 if ast.unparse(call.func).endswith("from_tensor") else 3
        block = keywords.get("block_shape")
        if block is None and len(call.args) > position:
            block = call.args[position]
        extents = [part.value if isinstance(part, ast.Constant) else
                   constants.get(getattr(part, "id", None)) for part in getattr(block, "elts", ())]
        if extents and all(type(extent) is int for extent in extents):
            made.update((target.id, extents) for target in node.targets
                        if isinstance(target, ast.Name))
    return made


def launchesIn(function, kernel):
    """(parameter, variable) of the variables that launches of a kernel in a function get."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript) and getattr(
                call.func.value, "id", None) == kernel.fn.__name__:
            given = [*zip(kernel.arg_names, call.args), *((k.arg, k.value) for k in call.keywords)]
            yield from ((name, value.id) for name, value in given if isinstance(value, ast.Name))
