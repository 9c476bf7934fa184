"""Runs the examples of docstrings.

An example is what stands behind "Example:": lines of a kernel behind `>>>` and `...`, and under an
expression what it is: `int32 [0, 1]`, a line for each item of a tuple, or a constant as Python
writes it. "CompilationError: text" is an error whose message has the text. Kernels find `tl`,
`floats` and `ints`, pointers to 16 float32 and int32 numbers 0, 1, .., 15. A first line
`# on a GPU` asks for the simulator, `# on the host` for Python, where an expression's `repr` is
below it.
"""

import importlib.util
import re
import sys
import textwrap

import numpy as np

import tritium as triton
import tritium.language as tl

ERROR = re.compile(r"(\w+Error|\w+Failure): (.*)")
WIDTH, ITEMS, STEPS = 64, 8, 8  # of what an example shows: elements, items of a tuple, steps
notes = {}


@triton.constexpr_function
def _note(slot, what):
    notes[slot] = what
    return 0


@triton.jit
def _show_item(slot: tl.constexpr, item: tl.constexpr, data, x):
    if isinstance(x, tl.tensor):
        _note((slot, item), (x.dtype, x.shape))
        y = x.to(tl.float32).to(tl.float64) if x.dtype.is_fp8() else x.to(tl.float64)
        first = data + (slot % 8 * 8 + item) * 64
        tl.store(first + tl.arange(0, x.numel), tl.reshape(y, (x.numel,)))
    else:
        _note((slot, item), x)


@triton.jit
def show(slot: tl.constexpr, data, x):
    """Keeps `x`: its type at compile time, its elements in `data`."""
    if isinstance(x, tuple):
        for i in tl.static_range(len(x)):
            _show_item(slot, i, data, x[i])
    else:
        _show_item(slot, 0, data, x)


def steps(docstring):
    """The examples of a docstring: pairs of a statement and the lines below it."""
    _, found, text = (docstring or "").partition("Example:\n")
    result = []
    for line in textwrap.dedent(text).splitlines() if found else ():
        if line.startswith(">>> "):
            result.append([line[4:], []])
        elif line.startswith("..."):
            result[-1][0] += "\n" + line[4:]
        elif line.strip():
            result[-1][1].append(line.strip())
        else:
            break
    return result


def on(place, documented):
    """Those of the docstrings whose examples are for "a GPU" or "the host"; None: for neither."""
    def place_of(doc):
        first = steps(doc)[0][0]
        return first[len("# on "):] if first.startswith("# on ") else None

    return {name: doc for name, doc in documented.items() if steps(doc) and place_of(doc) == place}


def _load(path, text, **names):
    """A module of that text; Python and the compiler read kernels in its file."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _value(slot, item, data):
    """What was shown, as docstrings write it, and its numbers, if it is a tile."""
    what = notes[slot, item]
    if not (isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], tl.dtype)):
        return repr(what), None
    dtype, shape = what
    start = (slot * ITEMS + item) * WIDTH
    values = data[start:start + int(np.prod(shape))].reshape(shape)
    if dtype.is_int():
        values = values.astype(bool if dtype.is_bool() else np.int64)
    return f"{repr(dtype)[3:]} {values.tolist()}", values


def _agree(wanted, text, values):
    if values is None:
        return wanted == text
    kind, _, numbers = wanted.partition(" ")
    if not re.fullmatch(r"[-+\[\], .\w]+", numbers):
        return False
    expected = np.array(eval(numbers, {"nan": np.nan, "inf": np.inf}), dtype=np.float64)
    tolerances = {} if "float" in kind else {"rtol": 0, "atol": 0}
    return (kind == text.split(" ")[0] and expected.shape == values.shape
            and np.allclose(expected, values, equal_nan=True,
                            **({"rtol": 1e-4, "atol": 1e-6} | tolerances)))


class Example:
    """Statements of a kernel, and what some of them are, by the numbers of the steps.

    An error ends a kernel: a docstring is an example for each error, and one without them.
    """

    def __init__(self, name, number, statements, wanted, error=None):
        self.name, self.number, self.wanted, self.error = name, number, wanted, error
        shown = [f"show({number * STEPS + step}, data, ({source}))" if step in wanted else source
                 for step, source in statements]
        self.text = (f"@triton.jit\ndef example_{number}(data, floats, ints):\n"
                     + textwrap.indent("\n".join(shown), "    ") + "\n    pass\n")

    def call(self):
        at = self.number * STEPS * ITEMS * WIDTH
        return (f"example_{self.number}(data + {at}, floats + {16 * self.number}, "
                f"ints + {16 * self.number})")

    def differences(self, data):
        for step, (source, lines) in self.wanted.items():
            slot = self.number * STEPS + step
            items = sum(noted == slot for noted, _ in notes)
            found = [_value(slot, item, data) for item in range(items)]
            if len(found) != len(lines) or not all(
                    _agree(line, *value) for line, value in zip(lines, found)):
                yield (f"{self.name}:\n>>> {source}\n" + "\n".join(text for text, _ in found))


def _examples(documented):
    count = 0
    for name, docstring in documented.items():
        plain, wanted = [], {}
        for step, (source, lines) in enumerate(steps(docstring)):
            error = ERROR.match(lines[0]) if lines else None
            if error:
                yield Example(name, count, [*plain, (step, source)], {}, error)
                count += 1
                continue
            plain.append((step, source))
            if lines:
                wanted[step] = (source, lines)
        assert len(plain) < STEPS
        yield Example(name, count, plain, wanted)
        count += 1


def _launch(kernel, data):
    """Runs a kernel of examples; what it shows is in `data` and `notes`."""
    count = len(data) // (STEPS * ITEMS * WIDTH)
    numbers = np.tile(np.arange(16), count)
    kernel[(1,)](data, numbers.astype(np.float32), numbers.astype(np.int32))


def run_in_kernels(documented, folder):
    """Runs the examples of docstrings, by name, in kernels. Yields what is not as it says."""
    examples = list(_examples(documented))
    plain = [example for example in examples if not example.error]
    text = ["import tritium as triton", "import tritium.language as tl",
            "from docstring_examples import show", "", *(example.text for example in examples)]
    # Many in one kernel, as each kernel costs some 0.1 s; one of its own where that fails.
    groups = [plain[at:at + 20] for at in range(0, len(plain), 20)]
    for kernel, group in [*((f"group_{at}", group) for at, group in enumerate(groups)),
                          *((f"alone_{one.number}", [one]) for one in examples)]:
        calls = "".join(f"    {example.call()}\n" for example in group)
        text.append(f"@triton.jit\ndef {kernel}(data, floats, ints):\n{calls}")
    module = _load(folder / "examples_of_docstrings.py", "\n".join(text))
    data = np.zeros(len(examples) * STEPS * ITEMS * WIDTH)
    notes.clear()
    alone = [example for example in examples if example.error]
    for at, group in enumerate(groups):
        try:
            _launch(getattr(module, f"group_{at}"), data)
        except triton.TritonError:
            alone += group
            continue
        for example in group:
            yield from example.differences(data)
    for example in alone:
        try:
            _launch(getattr(module, f"alone_{example.number}"), data)
        except triton.TritonError as found:
            error = example.error
            if not error or type(found).__name__ != error[1] or error[2] not in str(found):
                yield f"{example.name}: {type(found).__name__}: {found}"
            continue
        if example.error:
            yield f"{example.name}: no {example.error[0]}"
        else:
            yield from example.differences(data)


def run_on_host(documented, folder):
    """Runs the examples of docstrings, by name, in Python. Yields what is not as it says."""
    for count, (name, docstring) in enumerate(documented.items()):
        results, lines = {}, ["import numpy as np", "import tritium as triton",
                              "import tritium.language as tl", ""]
        examples = steps(docstring)
        for number, (source, wanted) in enumerate(examples):
            if wanted:
                source = f"RESULTS[{number}] = repr({source})"
            lines.append(source)
        _load(folder / f"host_examples_{count}.py", "\n".join(lines) + "\n", RESULTS=results)
        for number, (source, wanted) in enumerate(examples):
            if wanted and results[number] != "\n".join(wanted):
                yield f"{name}:\n>>> {source}\n{results[number]}"
