"""A server of the Debug Adapter Protocol: editors stop kernels at their own lines.

One process is the adapter and the program: a thread answers the editor while the main thread runs
the script, whose programs wait where they have stopped.
"""

import os
import queue
import sys
import threading
import traceback

from .. import _C
from . import NEXT, OUT, RUN, STEP, breakpoints, set_handler
from .command import prepare
from .protocol import Output, ProtocolError
from .stop import BREAKPOINT, FAILURE
from .tree import Tree, line

_HOST = 1  # the thread that stands for the script while no program has stopped
_RESUME = {"continue": RUN, "next": NEXT, "stepIn": STEP, "stepOut": OUT}
_CAPABILITIES = {"supportsConfigurationDoneRequest": True, "supportsConditionalBreakpoints": True,
                 "supportsEvaluateForHovers": True, "supportsTerminateRequest": True}


class Refused(Exception):
    """A request that cannot be answered; the text says why."""


class Adapter:
    """Answers one editor. `run` is called with the script's arguments once it is configured."""

    def __init__(self, connection):
        self.connection = connection
        self.stop = None  # the program that has stopped
        self.tree = self.scopes = None
        self.conditions = {}  # (file, line) -> an expression
        self.asked = RUN  # how the last program went on
        self._has_ended = False  # the script
        self._editor_gone = threading.Event()
        self._resumes = queue.SimpleQueue()
        self._launched = queue.SimpleQueue()  # the arguments of launch, when all is set

    # -- The program's side ------------------------------------------------

    def serve(self, run):
        """Runs the script that the editor launches; answers its exit status."""
        set_handler(self.stopped)
        threading.Thread(target=self._answer_all, name="editor", daemon=True).start()
        status = 1
        try:
            status = run(self._launched.get())
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            self.connection.event("output", category="stderr", output=traceback.format_exc())
        self._has_ended = True
        self.connection.event("exited", exitCode=status or 0)
        self.connection.event("terminated")
        self._editor_gone.wait()
        return status

    def stopped(self, stop):
        """Shows a program to the editor until it lets it go on."""
        frame = stop.frames[-1]
        condition = self.conditions.get((os.path.realpath(frame.file), frame.line))
        if condition and self.asked == RUN and stop.reason not in (BREAKPOINT, FAILURE):
            try:
                if not stop.evaluate(frame, condition):
                    return RUN
            except Exception as error:
                self.connection.event("output", category="stderr", output=(
                    f"{frame.file}:{frame.line}: the condition {condition!r}: {error}\n"))
        self.tree, self.scopes, self.stop = Tree(), {}, stop
        reason = ("exception" if stop.reason == FAILURE else "breakpoint" if self.asked == RUN
                  else "step")
        self.connection.event("stopped", reason=reason, threadId=self._thread(stop),
                              allThreadsStopped=True, text=stop.message,
                              description=stop.message or stop.title())
        self.asked = self._resumes.get()
        self.stop = self.tree = None
        return self.asked

    @staticmethod
    def _thread(stop):
        """A number for each program of the grid."""
        x, y, z = stop.pid
        return _HOST + 1 + x + stop.grid[0] * (y + stop.grid[1] * z)

    # -- The editor's side -------------------------------------------------

    def _answer_all(self):
        try:
            while (request := self.connection.read()) is not None:
                if request.get("type") == "request":
                    self._answer(request)
                if request.get("command") in ("disconnect", "terminate"):
                    break
        except ProtocolError as error:
            print(f"tritium debug: the editor sent {error}", file=sys.__stderr__)
        self._end()

    def _answer(self, request):
        command = str(request.get("command"))
        answer = {"request_seq": request.get("seq", 0), "command": command}
        function = getattr(self, f"on_{command}", None)
        arguments = request.get("arguments") or {}
        try:
            if function is None:
                raise Refused(f"the request {command!r} is not known here")
            body = function(arguments)
            self.connection.send("response", success=True, body=body or {}, **answer)
        except Refused as error:
            self._refuse(answer, str(error))
        except Exception as error:  # a request with other parts than the protocol's
            self._refuse(answer, f"{command}: {type(error).__name__}: {error}")
        if command == "initialize":
            self.connection.event("initialized")

    def _refuse(self, answer, text):
        self.connection.send("response", success=False, message=text, body={
            "error": {"id": 1, "format": text.replace("{", "(").replace("}", ")")}}, **answer)

    def _end(self):
        """The editor has gone, and the program, if it still runs, with it."""
        self._editor_gone.set()
        if not self._has_ended:
            os._exit(0)

    def _frame(self, number):
        if self.stop is None:
            raise Refused("no program has stopped")
        if not isinstance(number, int) or not 1 <= number <= len(self.stop.frames):
            raise Refused(f"there is no frame {number}")
        return self.stop.frames[number - 1]

    def on_initialize(self, _):
        return _CAPABILITIES

    def on_launch(self, arguments):
        if not arguments.get("program") and not arguments.get("module"):
            raise Refused("launch wants a 'program', the path of a script, or a 'module'")
        self._arguments = arguments

    def on_setBreakpoints(self, arguments):
        path = arguments["source"].get("path", "")
        found, known = [], []
        self.conditions = {key: condition for key, condition in self.conditions.items()
                           if key[0] != os.path.realpath(path)}
        for wanted in arguments.get("breakpoints", ()):
            try:
                place = breakpoints.parse(f"{path}:{wanted['line']}")
            except ValueError as error:
                found.append({"verified": False, "message": str(error)})
                continue
            known.append(place)
            if wanted.get("condition"):
                self.conditions[place.file, place.line] = wanted["condition"]
            found.append({"verified": True, "line": place.line})
        breakpoints.replace(path, known)
        return {"breakpoints": found}

    def on_setExceptionBreakpoints(self, _):
        return {"breakpoints": []}

    def on_configurationDone(self, _):
        arguments = getattr(self, "_arguments", None)
        if arguments is None:
            raise Refused("nothing was launched")
        if arguments.get("stopOnEntry"):
            _C.stop_next((-1, -1, -1))
        self._launched.put(arguments)

    def on_threads(self, _):
        stop = self.stop
        threads = [{"id": _HOST, "name": "host"}]
        if stop is not None:
            threads.append({"id": self._thread(stop), "name": f"{stop.kernel}: {stop.title()}"})
        return {"threads": threads}

    def on_stackTrace(self, arguments):
        stop = self.stop
        if stop is None or arguments.get("threadId") != self._thread(stop):
            return {"stackFrames": [], "totalFrames": 0}
        frames = [{"id": number, "name": frame.function, "line": frame.line,
                   "column": max(frame.column, 1),
                   "source": {"name": os.path.basename(frame.file),
                              "path": os.path.realpath(frame.file)}}
                  for number, frame in enumerate(stop.frames, 1)][::-1]
        first, count = arguments.get("startFrame", 0), arguments.get("levels", 0)
        return {"stackFrames": frames[first:first + count if count else None],
                "totalFrames": len(frames)}

    def on_scopes(self, arguments):
        variables = self._frame(arguments.get("frameId")).variables
        number = self.tree.hold_parts(list(variables.values.items()))
        self.scopes[number] = variables.types
        return {"scopes": [{"name": self.stop.title(), "presentationHint": "locals",
                            "variablesReference": number, "expensive": False}]}

    def on_variables(self, arguments):
        if self.tree is None:
            raise Refused("no program has stopped")
        number = arguments["variablesReference"]
        return {"variables": self.tree.variables(number, arguments.get("start", 0),
                                                 arguments.get("count", 0),
                                                 self.scopes.get(number))}

    def on_evaluate(self, arguments):
        frame = self._frame(arguments.get("frameId", self.stop and len(self.stop.frames)))
        try:
            value = self.stop.evaluate(frame, arguments["expression"])
        except Exception as error:  # the author's expression, whatever it raises
            raise Refused(f"{type(error).__name__}: {error}") from error
        return {"result": line(value), "variablesReference": self.tree.hold(value)}

    def _resume(self, command):
        if self.stop is None:
            raise Refused("no program has stopped")
        self._resumes.put(_RESUME[command])
        return {"allThreadsContinued": True}

    def on_continue(self, _):
        return self._resume("continue")

    def on_next(self, _):
        return self._resume("next")

    def on_stepIn(self, _):
        return self._resume("stepIn")

    def on_stepOut(self, _):
        return self._resume("stepOut")

    def on_pause(self, _):
        _C.stop_next((-1, -1, -1))

    def on_disconnect(self, _):
        return None

    def on_terminate(self, _):
        return None


def _run(arguments):
    """The script of a launch, in its folder."""
    from ..__main__ import main

    if arguments.get("cwd"):
        os.chdir(arguments["cwd"])
    os.environ.update({name: str(value) for name, value in (arguments.get("env") or {}).items()})
    prepare()
    words = ["-m", arguments["module"]] if arguments.get("module") else [arguments["program"]]
    return main(["run", *words, *map(str, arguments.get("args") or [])])


def serve(connection):
    """Speaks with one editor until it or the program ends; answers the program's exit status."""
    sys.stdout, sys.stderr = Output(connection, "stdout"), Output(connection, "stderr")
    try:
        return Adapter(connection).serve(_run)
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
