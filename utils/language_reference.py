#!/usr/bin/env python3
"""Writes docs/reference and the stubs (`*.pyi`) of the Python package, from the docstrings.

    PYTHONPATH=build/python .venv/bin/python utils/language_reference.py

Both are checked in; test/python/test_language_reference.py finds them old. A docstring's "Args:"
and the like become lists, its "Example:" a block of code.
"""

import importlib
import inspect
import pathlib
import re
import textwrap

import tritium as triton
import tritium.language as tl
import tritium.language.standard
import tritium.tools.experimental_descriptor
import tritium.tools.mxfp
import tritium.tools.ragged_tma
import tritium.tools.tensor_descriptor
from tritium.language._builtin import Builtin

from language_stubs import stubs

# The package has lists of names by these names.
_control, _descriptor, _extern, _memory, _reduction, _shape, types = (
    importlib.import_module(f"tritium.language.{name}") for name in
    ("_control", "_descriptor", "_extern", "_memory", "_reduction", "_shape", "types"))

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
LETTERS = {"i": "int32", "u": "uint32", "l": "int64", "L": "uint64", "f": "float32",
           "d": "float64"}
SECTION = re.compile(r"^((?:Args|Attributes)[^:]*|Example):$")
ITEM = re.compile(r"^    ([\w, .*]+): (.*)$")
# By page: its title, what its names are written behind, and modules with them.
LANGUAGE = {
    "tiles": ("Tiles: making, shaping, converting", "tl.", [_shape]),
    "memory": ("Memory, descriptors, atomics", "tl.", [_memory]),
    "math": ("Arithmetic and mathematics", "tl.", [tl.math, _extern]),
    "reductions": ("Reductions, scans, sorting, products", "tl.", [_reduction]),
    "control": ("Loops, hints, debugging", "tl.", [_control]),
    "random": ("Random numbers", "tl.", [tl.random]),
    "types": ("Types, tiles as objects, constants", "tl.", [types, _descriptor]),
    "targets": ("Targets", "", [tl.target_info, tl.extra.cuda]),
    "libdevice": ("The device library", "tl.extra.libdevice.", [tl.extra.libdevice]),
    "standard": ("tl.standard", "tl.standard.", [tl.standard]),
}
HOST = {
    "triton": ("The host: kernels, launches, compiling", "triton.", [triton]),
    "tuning": ("Tuning", "triton.", [triton]),
    "errors": ("Errors", "triton.", [triton]),
    "testing": ("triton.testing", "triton.testing.", [triton.testing]),
    "tools": ("triton.tools", "triton.tools.", [
        triton.tools.tensor_descriptor, triton.tools.experimental_descriptor, triton.tools.mxfp,
        triton.tools.ragged_tma]),
}
TUNING = {"tritium.tune", "tritium._heuristics"}
INTRODUCTION = """# The language, name by name

Made by `utils/language_reference.py` from the docstrings of `python/tritium`, which `help()` shows,
too: {count} names. The tests run the examples.

In the examples of kernels an expression stands behind `>>>`, and below it what it is: the element
type and the elements of a tile or a scalar, a line for each item of a tuple, a constant as Python
writes it, or the error that the compiler reports. `floats` and `ints` point to 16 numbers 0, 1, ..,
15, float32 and int32. Each has been run by the interpreter and by the CPU back end.

"Beyond Triton" tells what kernels could not do there; [language.md](../language.md) has the rules
of the whole: promotion, offsets, hints, grids.

"""


def place(module, prefix):
    """What the names of a module are written behind."""
    if prefix in ("", "triton.tools."):
        return module.__name__.replace("tritium.language", "tl").replace("tritium", "triton") + "."
    return prefix


def public(module):
    """The functions and classes of a module, by name, in the order of its __all__."""
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__]
    return {name: getattr(module, name) for name in names
            if callable(getattr(module, name)) and not isinstance(getattr(module, name), tl.dtype)}


def page_of(value, module):
    """The page of a name of the package itself; None: that of its module."""
    if inspect.isclass(value) and issubclass(value, Exception):
        return "errors"
    if module is not triton:
        return None
    return "tuning" if value.__module__ in TUNING else "triton"


def members(value):
    """The methods of a class that have a docstring, by name."""
    return {name: member for name, member in vars(value).items()
            if (isinstance(member, Builtin) or inspect.isfunction(member))
            and (member.__doc__ or "").strip() and name not in types.TILE_METHODS
            and (not name.startswith("_") or name == "__not__")}


def default_text(value):
    return f"tl.PropagateNan.{value.name}" if isinstance(value, tl.PropagateNan) else repr(value)


def signature_text(function, without=()):
    """A parameter list."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    parts, is_behind_star = [], False
    for parameter in parameters:
        if parameter.name in without:
            continue
        text = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, "") + parameter.name
        if parameter.kind is parameter.KEYWORD_ONLY and not is_behind_star:
            parts.append("*")
        is_behind_star |= parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        if parameter.default is not parameter.empty:
            text += "=" + default_text(parameter.default)
        parts.append(text)
    return f"({', '.join(parts)})"


def items(lines):
    """An "Args:" block as a list; a line that begins no item goes on with the one before."""
    result = []
    for line in lines:
        found = ITEM.match(line)
        if found:
            names = ", ".join(f"`{name.strip()}`" for name in found[1].split(","))
            result.append(f"- {names}: {found[2]}")
        elif line.strip():
            result.append("  " + line.strip())
    return result


def body_text(docstring):
    """A docstring as Markdown."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    result, at = [], 0
    while at < len(lines):
        found = SECTION.match(lines[at])
        if not found:
            result.append(re.sub(r"^(Beyond Triton|Differs from Triton):", r"**\1:**", lines[at]))
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (lines[end].startswith(" ") or not lines[end]):
            end += 1
        block = lines[at + 1:end]
        if found[1] == "Example":
            result += ["```python", *textwrap.dedent("\n".join(block)).strip("\n").splitlines(),
                       "```", ""]
        else:
            heading = "" if found[1] == "Args" else f"{found[1]}:"
            result += [*([heading, ""] if heading else []), *items(block), ""]
        at = end
    return re.sub(r"\n{3,}", "\n\n", "\n".join(result)).strip() + "\n"


def entry(prefix, name, value, methods):
    """A name with what is known of it."""
    is_enum = inspect.isclass(value) and hasattr(value, "__members__")
    text = f"## `{prefix}{name}`\n\n"
    if not is_enum:
        text += f"```python\n{prefix}{name}{signature_text(value, ('self',))}\n```\n\n"
    text += body_text(value.__doc__)
    if name in methods and prefix == "tl.":
        text += f"\nAlso a method of tiles: `x.{name}(...)`.\n"
    for method, member in members(value).items() if inspect.isclass(value) else ():
        text += (f"\n### `{name}.{method}{signature_text(member, ('self', 'input'))}`\n\n"
                 + body_text(member.__doc__))
    return text


def libdevice_table():
    """The device library, a line for each function."""
    types_of = {name: text for name, _, text, _ in triton._C.builtins()}
    lines = [inspect.cleandoc(tl.extra.libdevice.__doc__), "",
             "| function | types | example | |", "|---|---|---|---|"]
    for name, value in public(tl.extra.libdevice).items():
        doc = inspect.cleandoc(value.__doc__)
        what = doc.splitlines()[0].split(": ", 1)[1].replace("|", "\\|")
        call, gives = re.search(r">>> tl\.extra\.libdevice\.(.*)\n\s*(.*)", doc).groups()
        choices = " or ".join(", ".join(map(LETTERS.get, word))
                              for word in types_of[f"libdevice.{name}"].split())
        lines.append(f"| `{name}{signature_text(value)}` | {choices} | `{call}` is `{gives}` "
                     f"| {what} |")
    return "\n".join(lines) + "\n"


def knobs_table():
    """The groups of triton.knobs and what is in them."""
    lines = ["## `triton.knobs`", "", "Settings of a process, as attributes. Each goes by the "
             "environment variable that [settings.md](../settings.md) tells of, until it is "
             "assigned.", "", "| knob | variable | |", "|---|---|---|"]
    for setting in sorted(triton._C.settings(), key=lambda setting: setting["knob"]):
        if setting["knob"]:
            lines.append(f"| `knobs.{setting['knob']}` | `{setting['variable']}` | "
                         + setting["doc"].replace("|", "\\|") + " |")
    return "\n".join(lines) + "\n"


def pages():
    """The pages, by the names of their files."""
    methods = {name for name, _, _, is_method in triton._C.builtins() if is_method}
    result, seen, index, count = {}, set(), "", 0
    for table, heading in ((LANGUAGE, "In kernels"), (HOST, "On the host")):
        index += f"## {heading}\n\n"
        for page, (title, prefix, modules) in table.items():
            text, names = f"# {title}\n", []
            for module in modules:
                before = place(module, prefix)
                for name, value in public(module).items():
                    if (id(value) in seen or not value.__doc__
                            or page_of(value, module) not in (page, None)):
                        continue
                    seen.add(id(value))
                    names.append(before + name)
                    if page != "libdevice":
                        text += "\n" + entry(before, name, value, methods)
            if page == "libdevice":
                text += "\n" + libdevice_table()
            if page == "triton":
                text += "\n" + knobs_table()
            result[f"{page}.md"] = text
            count += len(names)
            shown = [name.removeprefix("tl.").removeprefix("triton.") for name in names]
            shown = [f"`{name}`" for name in shown] if page != "libdevice" else [
                f"{len(names)} functions"]
            index += "\n".join(textwrap.wrap(f"- [{title}]({page}.md): {' '.join(shown)}", 100,
                                             subsequent_indent="  ",
                                             break_on_hyphens=False)) + "\n"
        index += "\n"
    result["README.md"] = INTRODUCTION.format(count=count) + index.rstrip() + "\n"
    return result


def files():
    """All that is generated: path -> text."""
    made = {PAGES / name: text for name, text in pages().items()}
    made.update({ROOT / "python" / path: text for path, text in stubs().items()})
    return made


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text)
