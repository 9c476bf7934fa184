"""A browser without a screen, driven over a pipe by Chromium's DevTools protocol."""

import fcntl
import json
import os
import select
import signal
import time

CHROMIUM = "/usr/bin/chromium"


def far(descriptor):
    """The same file under a number that neither 3 nor 4 can be."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return copy


class Browser:
    """One page at a time. `problems`: errors and messages of its console; `requests`: addresses."""

    def __init__(self, folder):
        theirs, self.output = map(far, os.pipe())
        self.input, back = map(far, os.pipe())
        self.process = os.posix_spawn(
            CHROMIUM, [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
                       "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}",
                       "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
                       "about:blank"],
            os.environ | {"HOME": str(folder)},
            file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 3), (os.POSIX_SPAWN_DUP2, back, 4),
                          (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)],
            setpgroup=0)
        os.close(theirs)
        os.close(back)
        self.number, self.held, self.session = 0, b"", None
        self.problems, self.requests, self.loaded = [], [], set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.input)
        os.close(self.output)

    def message(self, deadline):
        while b"\0" not in self.held:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self.input, 1 << 16)
            assert read, "the browser has ended"
            self.held += read
        text, self.held = self.held.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, method, params):
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self.loaded.add(params["loaderId"])
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.problems.append(params)
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.output, json.dumps(asked).encode() + b"\0")
        deadline = time.monotonic() + 120
        while (answer := self.message(deadline)).get("id") != self.number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, address):
        # From an empty page, as another line of the same file would load nothing.
        for url in ("about:blank", address):
            self.problems, self.requests = [], []
            loader = self.call("Page.navigate", url=url)["loaderId"]
            deadline = time.monotonic() + 120
            while loader not in self.loaded:
                self.message(deadline)

    def value(self, expression):
        """Of JavaScript, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys):
        for key in keys:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
