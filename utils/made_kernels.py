"""Kernels that a package makes of others, by functions that transform a kernel's text.

Where such a function is called for a kernel, as `unroll(kernel, N=len(parts))` in a host function,
`make` calls it: what the call gives as a number is that number, anything else is 2.
"""

import ast
import importlib
import inspect
import os
import re
import sys

MAKES = re.compile(r"\bjit\(|\bJITFunction\(")


def nameOf(kernel):
    """Module and name of a kernel; of one that is in no file also what its text is known by."""
    name = f"{kernel.fn.__module__}.{kernel.fn.__qualname__}"
    file = kernel.fn.__code__.co_filename
    return name if os.path.exists(file) else f"{name} {file}"


def templates(kernels):
    """The functions of which others, whose texts are in no file, are made."""
    made = {(kernel.fn.__module__, kernel.fn.__qualname__) for kernel in kernels
            if not os.path.exists(kernel.fn.__code__.co_filename)}
    return {kernel.fn for kernel in kernels
            if (kernel.fn.__module__, kernel.fn.__qualname__) in made
            and os.path.exists(kernel.fn.__code__.co_filename)}


def namesIn(module, tree):
    """What the names of a module, those that its functions import, too, stand for."""
    names = dict(vars(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            path = "." * node.level + (node.module or "")
            try:
                held = importlib.import_module(path, module.__package__)
            except BaseException:  # a module may do anything
                continue
            for alias in node.names:
                names.setdefault(alias.asname or alias.name, getattr(held, alias.name, None))
    return names


def isMaker(function, package):
    try:
        function = inspect.unwrap(function)
        return inspect.isfunction(function) and function.__module__.split(".")[
            0] == package and MAKES.search(inspect.getsource(function))
    except (OSError, TypeError, AttributeError, ValueError):
        return False


def valueOf(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return 2


def make(package, kind):
    """Makes what the modules of a package make of kernels (of the type `kind`)."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] != package or not getattr(module, "__file__", None):
            continue
        try:
            tree = ast.parse(inspect.getsource(module))
        except (OSError, SyntaxError):
            continue
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
                 and isinstance(node.func, ast.Name) and len(node.args) == 1
                 and isinstance(node.args[0], ast.Name)]
        names = namesIn(module, tree) if calls else {}
        for call in calls:
            maker, kernel = names.get(call.func.id), names.get(call.args[0].id)
            if isinstance(kernel, kind) and isMaker(maker, package):
                maker(kernel, **{given.arg: valueOf(given.value) for given in call.keywords})
