"""Editors stop kernels by the Debug Adapter Protocol: a client speaks it with the server."""

import json
import os
import re
import socket
import subprocess
import sys

import pytest

KERNEL = '''\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def twice(value):
    return value * 2


@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pair = (i, n)
    x = tl.load(x_ptr + i, mask=i < n)
    y = twice(x)
    tl.store(y_ptr + i, y, mask=i < n)


x = np.arange(30, dtype=np.float32)
y = np.zeros(30, dtype=np.float32)
add[(2,)](x, y, 30, BLOCK=16)
print("written", y.sum())
'''
I_LINE, CALL_LINE, STORE_LINE = 13, 16, 17


class Client:
    """An editor's half of the protocol."""

    def __init__(self, reader, writer, process):
        self.reader, self.writer, self.process = reader, writer, process
        self.number, self.events, self.output = 0, [], ""

    def send(self, text):
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.writer.flush()

    def message(self):
        header = self.reader.readline()
        assert header.startswith(b"Content-Length: "), header
        assert self.reader.readline() == b"\r\n"
        message = json.loads(self.reader.read(int(header.split()[1])))
        if message["type"] == "event":
            self.events.append(message)
            if message["event"] == "output":
                self.output += message["body"]["output"]
        return message

    def ask(self, command, **arguments):
        """A request; answers the response to it."""
        self.number += 1
        self.send(json.dumps({"seq": self.number, "type": "request", "command": command,
                              "arguments": arguments}).encode())
        while (answer := self.message())["type"] != "response":
            pass
        assert answer["request_seq"] == self.number and answer["command"] == command
        return answer

    def body(self, command, **arguments):
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        return answer["body"]

    def wait(self, event):
        """The body of the next such event, which may have come already."""
        while True:
            for at, known in enumerate(self.events):
                if known["event"] == event:
                    del self.events[:at + 1]
                    return known["body"]
            self.message()

    def begin(self, script, lines=(), **launch):
        """What every editor does first; `lines`: of breakpoints, or pairs with a condition."""
        capabilities = self.body("initialize", adapterID="tritium", linesStartAt1=True)
        assert capabilities["supportsConfigurationDoneRequest"]
        self.wait("initialized")
        self.body("launch", program=str(script), **launch)
        wanted = [{"line": line} if isinstance(line, int)
                  else {"line": line[0], "condition": line[1]} for line in lines]
        found = self.body("setBreakpoints", source={"path": str(script)}, breakpoints=wanted)
        self.body("configurationDone")
        return found["breakpoints"]

    def stopped(self):
        """The stop that comes, and the innermost frame of the program."""
        stop = self.wait("stopped")
        return stop, self.body("stackTrace", threadId=stop["threadId"])["stackFrames"]

    def variables(self, number, **which):
        return {each["name"]: each for each in self.body(
            "variables", variablesReference=number, **which)["variables"]}

    def locals(self, frame):
        scope, = self.body("scopes", frameId=frame["id"])["scopes"]
        return self.variables(scope["variablesReference"])


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    return file


@pytest.fixture(params=["pipe", "socket"])
def client(request, tmp_path):
    yield from connected(request.param)


@pytest.fixture
def piped(tmp_path):
    yield from connected("pipe")


def connected(kind):
    how = ["--dap"] if kind == "pipe" else ["--dap-port", "0"]
    process = subprocess.Popen([sys.executable, "-m", "tritium", "debug", *how],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if kind == "pipe":
        yield Client(process.stdout, process.stdin, process)
    else:
        said = process.stdout.readline().decode()
        port = re.fullmatch(r"tritium debug: waits for an editor at 127\.0\.0\.1:(\d+)\n", said)[1]
        with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as stream:
            with stream.makefile("rwb") as file:
                yield Client(file, file, process)
    process.stdin.close()
    process.stdout.close()
    process.terminate()
    process.wait(60)


def test_a_session(client, script):
    assert client.begin(script, [CALL_LINE, 999]) == [
        {"verified": True, "line": CALL_LINE},
        {"verified": False, "message": f"{script} has 23 lines, found line 999"}]
    stop, (frame,) = client.stopped()
    assert stop["reason"] == "breakpoint" and stop["allThreadsStopped"]
    assert (frame["name"], frame["line"]) == ("add", CALL_LINE)
    assert frame["source"]["path"] == os.path.realpath(script)
    names = [thread["name"] for thread in client.body("threads")["threads"]]
    assert names == ["host", "add: program (0, 0, 0) of (2, 1, 1)"]

    variables = client.locals(frame)
    assert variables["BLOCK"]["value"] == "16" and "y" not in variables
    x = variables["x"]
    assert (x["type"], x["indexedVariables"]) == ("float32[16]", 16)
    assert x["value"] == "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, ...]"
    some = client.variables(x["variablesReference"], start=14, count=2)
    assert {name: each["value"] for name, each in some.items()} == {"[14]": "14.0", "[15]": "15.0"}
    pair = client.variables(variables["pair"]["variablesReference"])
    assert pair["[1]"]["value"] == "30"
    pointer = client.variables(variables["x_ptr"]["variablesReference"])
    assert (pointer["argument"]["value"], pointer["offsets"]["value"]) == ("'x_ptr'", "0")

    assert client.body("evaluate", expression="x.sum() + pid[0]", frameId=frame["id"],
                       context="watch")["result"] == "120.0"
    wrong = client.ask("evaluate", expression="z", frameId=frame["id"])
    assert not wrong["success"] and wrong["message"] == "NameError: name 'z' is not defined"

    client.body("stepIn", threadId=stop["threadId"])
    stop, frames = client.stopped()
    assert [(f["name"], f["line"]) for f in frames] == [("twice", 8), ("add", CALL_LINE)]
    assert stop["reason"] == "step" and client.locals(frames[1])["n"]["value"] == "30"
    client.body("stepOut", threadId=stop["threadId"])
    stop, (frame,) = client.stopped()
    assert frame["line"] == STORE_LINE and "y" in client.locals(frame)
    client.body("next", threadId=stop["threadId"])

    # A step ends with its program; the breakpoint stops the next one.
    stop, (frame,) = client.stopped()
    assert client.locals(frame)["i"]["value"].startswith("[16, 17,")
    # What was not loaded is masked.
    assert client.body("evaluate", expression="x[-1]", frameId=frame["id"])["result"] == "masked"
    client.body("continue", threadId=stop["threadId"])
    assert client.wait("exited")["exitCode"] == 0
    client.wait("terminated")
    assert "written 870.0" in client.output
    client.ask("disconnect")
    assert client.process.wait(60) == 0


def test_conditions_and_entry(piped, script):
    piped.begin(script, [(STORE_LINE, "pid[0] == 1 and y[2] > 30")], stopOnEntry=True)
    stop, (frame,) = piped.stopped()
    assert frame["line"] == I_LINE
    piped.body("continue", threadId=stop["threadId"])
    stop, (frame,) = piped.stopped()
    assert frame["line"] == STORE_LINE
    assert piped.body("evaluate", expression="pid", frameId=frame["id"])["result"] == "(1, 0, 0)"
    piped.body("continue", threadId=stop["threadId"])
    piped.wait("terminated")


def test_a_failure_is_an_exception(piped, script):
    script.write_text(KERNEL.replace("y, mask=i < n)", "y, mask=i <= n)"))
    piped.begin(script)
    stop, (frame,) = piped.stopped()
    assert stop["reason"] == "exception" and frame["line"] == STORE_LINE
    assert "store of 4 bytes" in stop["text"] and "by lane [14]" in stop["text"]
    piped.body("continue", threadId=stop["threadId"])
    assert piped.wait("exited")["exitCode"] == 1 and "InterpreterError" in piped.output


def test_what_cannot_be_answered(piped, script):
    """A wrong request is refused with a reason, and the session goes on."""
    piped.body("initialize")
    for command, arguments, wanted in [
            ("launch", {}, "launch wants a 'program'"),
            ("configurationDone", {}, "nothing was launched"),
            ("readMemory", {}, "the request 'readMemory' is not known here"),
            ("scopes", {"frameId": 1}, "no program has stopped"),
            ("variables", {"variablesReference": 1}, "no program has stopped"),
            ("continue", {"threadId": 1}, "no program has stopped"),
            ("setBreakpoints", {}, "setBreakpoints: KeyError")]:
        answer = piped.ask(command, **arguments)
        assert not answer["success"] and wanted in answer["message"], answer
    piped.begin(script, [STORE_LINE])
    stop, _ = piped.stopped()
    assert "there is no frame 7" in piped.ask("scopes", frameId=7)["message"]
    assert piped.variables(4711) == {}
    piped.ask("disconnect")
    assert piped.process.wait(60) == 0


@pytest.mark.parametrize("text", [b"{", b"[]"])
def test_what_is_no_message_ends_the_session(piped, text):
    piped.send(text)
    assert piped.process.wait(60) == 0


def test_the_editor_that_goes_takes_the_program_with_it(piped, script):
    piped.begin(script, [STORE_LINE])
    piped.stopped()
    piped.writer.close()
    assert piped.process.wait(60) == 0


def test_samples_for_editors_are_json():
    folder = os.path.join(os.path.dirname(__file__), "../../examples/debugger/vscode")
    with open(os.path.join(folder, "package.json")) as file:
        debugger, = json.load(file)["contributes"]["debuggers"]
    with open(os.path.join(folder, "launch.json")) as file:
        configurations = json.load(file)["configurations"]
    known = debugger["configurationAttributes"]["launch"]["properties"]
    for configuration in configurations:
        assert configuration["type"] == debugger["type"]
        assert set(configuration) - {"name", "type", "request", "debugServer"} <= set(known)
