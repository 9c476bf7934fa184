"""Messages of the Debug Adapter Protocol on a pair of streams."""

import io
import itertools
import json
import threading

_MOST = 1 << 26  # bytes of a message


class ProtocolError(Exception):
    """What came is no message of the protocol."""


class Connection:
    """Reads messages on one thread and writes them on any."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def read(self):
        """The next message as a dict; None at the end."""
        length = None
        while True:
            line = self._reader.readline(1024)
            if not line:
                return None
            line = line.strip()
            if not line:
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                if not value.strip().isdigit() or int(value) > _MOST:
                    raise ProtocolError(f"a message of {value.strip().decode('latin1')} bytes")
                length = int(value)
        if length is None:
            raise ProtocolError("a message without Content-Length")
        text = self._reader.read(length)
        if len(text) < length:
            return None
        try:
            message = json.loads(text)
        except ValueError as error:
            raise ProtocolError(f"a message that is no JSON: {error}") from error
        if not isinstance(message, dict):
            raise ProtocolError("a message that is no object")
        return message

    def send(self, kind, **parts):
        """Writes a message; one that nobody reads any more is dropped."""
        with self._lock:
            text = json.dumps({"seq": next(self._numbers), "type": kind, **parts}).encode()
            try:
                self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
                self._writer.flush()
            except (OSError, ValueError):
                pass

    def event(self, name, **body):
        self.send("event", event=name, body=body)


class Output(io.TextIOBase):
    """What a program writes, as events."""

    def __init__(self, connection, category):
        self._connection, self._category = connection, category

    def writable(self):
        return True

    def write(self, text):
        self._connection.event("output", category=self._category, output=text)
        return len(text)
