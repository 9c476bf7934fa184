"""The prompt at which a program stops, in the words of pdb."""

import cmd
import linecache
import os
import pprint
import sys
import traceback

import numpy as np

from . import NEXT, OUT, QUIT, RUN, STEP, breakpoints
from .stop import FAILURE, elements

_names = {}  # that were assigned at the prompt, which all programs share
_UNWRITTEN = ("*** '{}' belongs to the kernel, and its variables cannot be written: the program "
              "keeps its value; another name holds yours")


class Prompt(cmd.Cmd):
    """Commands on one program that has stopped. `resume` is how it goes on."""

    prompt = "(tritium) "

    def __init__(self, stop, stdin=None, stdout=None):
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self.stop = stop
        self.current = len(stop.frames) - 1
        self.index = stop.index
        self.resume = RUN
        self.listed = None

    @property
    def frame(self):
        return self.stop.frames[self.current]

    def say(self, *parts):
        print(*parts, file=self.stdout)

    def fail(self, message):
        self.say("***", message)

    def _text(self, frame):
        return linecache.getline(frame.file, frame.line).strip()

    def _show(self, frame):
        self.say(f"> {frame.file}({frame.line}){frame.function}() {self.stop.title()}")
        if self._text(frame):
            self.say("->", self._text(frame))

    def begin(self):
        if self.stop.reason == FAILURE:
            self.fail(self.stop.message)
        self._show(self.frame)

    # -- Going on ----------------------------------------------------------

    def _go(self, resume):
        if self.stop.reason == FAILURE and resume != QUIT:
            self.say("--the program has failed; the launch ends--")
        self.resume = resume
        return True

    def do_next(self, _):
        """n(ext): to the next statement of this function, or of its caller."""
        return self._go(NEXT)

    def do_step(self, _):
        """s(tep): to the next statement, also of a function that is called."""
        return self._go(STEP)

    def do_return(self, _):
        """r(eturn): to the caller."""
        return self._go(OUT)

    def do_continue(self, _):
        """c(ont(inue)): until something stops a program again."""
        return self._go(RUN)

    def do_quit(self, _):
        """q(uit): ends the launch, which raises KeyboardInterrupt."""
        return self._go(QUIT)

    def do_EOF(self, _):
        """The end of the input quits."""
        self.say()
        return self._go(QUIT)

    # -- Where -------------------------------------------------------------

    def do_where(self, _):
        """w(here): the functions that are being called, the kernel first."""
        for number, frame in enumerate(self.stop.frames):
            mark = ">" if number == self.current else " "
            self.say(f"{mark} {frame.file}({frame.line}){frame.function}()")
            if self._text(frame):
                self.say("->", self._text(frame))

    def _move(self, by, end):
        if not 0 <= self.current + by < len(self.stop.frames):
            return self.fail(end)
        self.current += by
        self.listed = None
        self._show(self.frame)

    def do_up(self, _):
        """u(p): to the caller's variables."""
        self._move(-1, "Oldest frame")

    def do_down(self, _):
        """d(own): back to the variables of the function that it calls."""
        self._move(1, "Newest frame")

    def do_list(self, argument):
        """l(ist) [LINE]: eleven lines around the current one, or around that; again: those
        behind."""
        lines = linecache.getlines(self.frame.file)
        if not lines:
            return self.fail(f"the text of {self.frame.file} is not there")
        try:
            first = int(argument) - 5 if argument else self.listed or self.frame.line - 5
        except ValueError:
            return self.fail(f"list takes the number of a line, found {argument!r}")
        first = max(first, 1)
        for number in range(first, min(first + 11, len(lines) + 1)):
            mark = "->" if number == self.frame.line else ""
            self.say(f"{number:3} {mark:2} {lines[number - 1].rstrip()}")
        self.listed = first + 11

    def do_program(self, _):
        """program: which program of the grid this is (also `pid`)."""
        self.say(f"kernel {self.stop.kernel}, {self.stop.title()}")

    # -- Values ------------------------------------------------------------

    def _evaluate(self, text):
        return self.stop.evaluate(self.frame, text, _names)

    def _attempt(self, function, *arguments):
        try:
            function(*arguments)
        except Exception as error:  # the author's expression, whatever it raises
            self.fail("".join(traceback.format_exception_only(type(error), error)).strip())

    def do_p(self, text):
        """p EXPRESSION: its value; `np`, `pid` and `grid` are names, too."""
        self._attempt(lambda: self.say(repr(self._evaluate(text))))

    def do_pp(self, text):
        """pp EXPRESSION: its value, laid out."""
        self._attempt(lambda: pprint.pprint(self._evaluate(text), stream=self.stdout))

    def do_whatis(self, text):
        """whatis NAME: the type of a variable in the kernel, or of an expression here."""
        known = self.frame.variables.types.get(text)
        if known is not None:
            return self.say(known or f"known at compile time: {self.frame.variables.values[text]}")
        self._attempt(lambda: self.say(type(self._evaluate(text))))

    def do_vars(self, _):
        """a(rgs), vars: the variables of this function."""
        for name, value in self.frame.variables.values.items():
            kind = self.frame.variables.types.get(name, "")
            isTile = isinstance(value, np.ndarray) and value.size > 8
            shown = (np.array2string(value, threshold=8, edgeitems=3).replace("\n", " ") if isTile
                     else repr(value))
            self.say(f"{name}: {kind} = {shown}" if kind else f"{name} = {shown}")

    do_args = do_vars

    def do_element(self, text):
        """element I[, J...]: what each variable has at these coordinates of a tile; without them at
        the last ones, or at those of the element that failed."""
        if text:
            try:
                self.index = tuple(int(part) for part in text.strip("()[] ").split(","))
            except ValueError:
                return self.fail(f"element takes coordinates as 3, 5, found {text!r}")
        if not self.index:
            return self.fail("element takes coordinates as 3, 5: none were given so far")
        self.say(f"element {list(self.index)}")
        for name, value in self.frame.variables.values.items():
            one = elements(value, self.index)
            if one is not None and value.shape:
                self.say(f"  {name} = {one!r}")

    def default(self, line):
        text = line[1:].strip() if line.startswith("!") else line
        self._attempt(self._execute, text)

    def _execute(self, text):
        names = {**_names, **self.stop.names(self.frame)}
        before = dict(names)
        displayed = sys.displayhook
        sys.displayhook = lambda value: value is None or self.say(repr(value))
        try:
            exec(compile(text + "\n", "<tritium debug>", "single"),
                 {"__builtins__": __builtins__}, names)
        finally:
            sys.displayhook = displayed
        kernels = {**self.frame.variables.values, "pid": 0, "grid": 0}
        for name, value in names.items():
            if name in kernels and value is not before.get(name):
                self.say(_UNWRITTEN.format(name))
            elif name not in kernels and name != "np":
                _names[name] = value

    # -- Breakpoints -------------------------------------------------------

    def do_break(self, text):
        """b(reak) [FILE:]LINE [PID]: stops before that line, only in program PID (3,0,0) if it is
        given; without arguments lists them."""
        if not text:
            for number, each in enumerate(breakpoints.all_of_them(), 1):
                self.say(f"{number}: {each}")
            return
        place, _, pid = text.partition(" ")
        if ":" not in place:
            place = f"{self.frame.file}:{place}"
        try:
            self.say("Breakpoint", breakpoints.add(breakpoints.parse(place, pid)))
        except ValueError as error:
            self.fail(error)

    def do_clear(self, text):
        """cl(ear) [NUMBER]: takes a breakpoint out, or all."""
        try:
            breakpoints.remove(int(text) if text else None)
        except (ValueError, IndexError):
            self.fail(f"there is no breakpoint {text!r}; `break` lists them")

    def emptyline(self):
        return self.onecmd(self.last) if self.last else None

    last = ""

    def precmd(self, line):
        word = line.split(" ", 1)[0]
        line = _SHORT.get(word, word) + line[len(word):]
        if line.strip():
            self.last = line
        return line

    def help_exec(self):
        self.say("Anything else is a statement of Python on the variables, which it cannot change.")


_SHORT = {"n": "next", "s": "step", "r": "return", "c": "continue", "cont": "continue", "q": "quit",
          "w": "where", "bt": "where", "u": "up", "d": "down", "l": "list", "a": "args",
          "b": "break", "cl": "clear", "h": "help", "pid": "program", "e": "element"}


def interact(stop):
    """Shows the program and reads commands until one lets it go on."""
    prompt = Prompt(stop) if sys.stdin is sys.__stdin__ and os.isatty(0) else Prompt(
        stop, sys.stdin, sys.stdout)
    prompt.begin()
    prompt.cmdloop()
    return prompt.resume
