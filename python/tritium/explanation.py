"""What became of a kernel's lines: `kernel.explain(grid, ...)` answers it."""

import collections
import json
import pathlib

from . import _C, _scopes
from .errors import OptionError

__all__ = ["Comparison", "Explanation"]


class Comparison:
    """What is different between two explanations; `str()` is a table of it.

    Attributes:
        json: a dict, as `tritium explain --diff --json` writes it.
        worse: what is worse of the second, each a dict with "kind", "message", and "line" where
            one can be named.
    """

    def __init__(self, text, encoded):
        self.json = json.loads(encoded)
        self.worse = self.json["worse"]
        self._text = text

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<comparison of {self.json['kernel']}: {len(self.worse)} worse>"


def _by_scope(document):
    """What the lines of each `tl.scope` have together, by its name."""
    counted = []
    for line in document["lines"]:
        numbers = {name: line[name]["value"] for name in ("share", "instructions") if name in line}
        if numbers and line["file"] >= 0:
            counted.append(((document["files"][line["file"]], line["line"]), numbers))
    sums = collections.defaultdict(dict)
    for (_, name), numbers in _scopes.tally(counted).items():
        for which, number in numbers.items():
            sums[name][which] = sums[name].get(which, 0) + number
    return dict(sums)


class Explanation:
    """What the compiler did with a kernel, and what a launch of it costs; `str()` is what
    `tritium explain` prints.

    Attributes:
        json: a dict, whose fields docs/explain.md has.
        hints: its changes that were tried, the best first; empty: nothing that was tried helps.
        scopes: for each `tl.scope`, by its name behind those of the scopes around it, a dict: the
            "instructions" of its lines, and of a launch with a model their "share" of what bounds
            the kernel, 0 to 1, estimated.
    """

    def __init__(self, text, all_text, encoded, page):
        self._text = text
        self._all_text = all_text
        self._encoded = encoded
        self._page = page
        self.json = json.loads(encoded)
        self.hints = self.json.get("hints", [])
        self.scopes = _by_scope(self.json)

    def text(self, all_lines=False):
        """For a terminal of 80 columns; `all_lines`: also those on which there is nothing to
        say."""
        return self._all_text if all_lines else self._text

    def to_json(self):
        """Everything as JSON text."""
        return self._encoded

    def html(self, path=None):
        """The page, which needs no other file. With `path` it is written there."""
        if path is None:
            return self._page
        pathlib.Path(path).write_text(self._page, encoding="utf-8")
        return None

    def compare(self, other, slowdown=1.03):
        """A `Comparison` of this and `other`, an `Explanation` or the text of its JSON, which is
        worse if it takes more than `slowdown` times as long by the model."""
        encoded = other.to_json() if isinstance(other, Explanation) else other
        if not isinstance(encoded, str):
            raise OptionError(f"other={other!r}: it wants an Explanation, or JSON text of one")
        return Comparison(*_C.compare_explanations(self._encoded, encoded, float(slowdown)))

    def __str__(self):
        return self._text

    def __repr__(self):
        model = self.json.get("model")
        time = f", {model['microseconds']['expected']:.1f} us estimated" if model else ""
        return f"<explanation of {self.json['kernel']} on {self.json['target']}{time}>"


_OPTIONS = ("target", "keep_options", "gpu")


def take_options(kwargs, arg_names=()):
    """Takes explain's own options out of the keywords of a call."""
    return {name: kwargs.pop(name) for name in _OPTIONS
            if name in kwargs and name not in arg_names}


def run(candidate, grid=None, target="cuda:90", keep_options=False, gpu=None):
    """Explains what `KernelBase._candidate` made. `grid`: a function of integer constants, as a
    dict, for the grid; None: it depends on none."""
    if target is not None and not isinstance(target, str):
        raise OptionError(f"target={target!r}: it wants a name such as 'cuda:90', or None")
    if gpu is not None and not isinstance(gpu, str):
        raise OptionError(f"gpu={gpu!r}: it wants a name such as 'H200', or None")
    return Explanation(*_C.explain(candidate, target, bool(keep_options), grid, gpu))
