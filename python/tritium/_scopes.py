"""Where the scopes of kernels are: `with tl.scope(NAME):` in the text of a file.

A scope is its lines, so what a simulated GPU counts by lines adds up to what it counts of scopes.
"""

import ast
import collections
import functools
import linecache

__all__ = ["Scope", "scopes_of", "tally"]


class Scope(collections.namedtuple("Scope", "name file first last")):
    """A scope of a kernel: `name`, behind those of the scopes around it, "tile/load"; and the first
    and the last line of what stands in it, in `file`."""


def _name_of(manager):
    """What a scope is called, as far as the text tells; None: the manager is no scope."""
    if not isinstance(manager, ast.Call):
        return None
    called = getattr(manager.func, "attr", getattr(manager.func, "id", ""))
    given = [*manager.args, *(word.value for word in manager.keywords)]
    if called != "scope" or len(given) != 1:
        return None
    argument, = given
    is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return argument.value if is_text else ast.unparse(argument)


def _find(node, file, around, found):
    for child in ast.iter_child_nodes(node):
        names = around
        if isinstance(child, ast.With):
            names += tuple(filter(None, (_name_of(item.context_expr) for item in child.items)))
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = ()
        if len(names) > len(around):
            found.append(Scope("/".join(names), file, child.body[0].lineno, child.end_lineno))
        _find(child, file, names, found)


@functools.lru_cache(maxsize=64)
def _in(text, file):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    found = []
    _find(tree, file, (), found)
    return tuple(found)


def scopes_of(file):
    """The `Scope`s in a file of Python, in their order; none if it cannot be read."""
    return _in("".join(linecache.getlines(file)), file)


def tally(lines):
    """Sums by scope of what was counted by line.

    Args:
        lines: pairs, (file, number) of a line, and a dict of its counts.

    Returns a dict, (file, name) of a scope -> a Counter, in the order of the files' text, with the
    scopes in which something was counted. Scopes of one name in a file are one.
    """
    lines = list(lines)
    found = {}
    for file in dict.fromkeys(file for (file, _), _ in lines):
        for scope in scopes_of(file):
            for (where, number), counts in lines:
                if where == file and scope.first <= number <= scope.last:
                    found.setdefault((file, scope.name), collections.Counter()).update(counts)
    return found
