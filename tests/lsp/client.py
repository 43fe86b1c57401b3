"""A client of the Language Server Protocol for the tests of `sparsecfg lsp`."""

import json
import pathlib
import queue
import subprocess
import threading

TIMEOUT = 60  # seconds; no answer takes as long


class Client:
    """A server and what it says. `notifications` keeps those that nobody asked for, in their order."""

    def __init__(self, program, initialize=True, **parameters):
        self.process = subprocess.Popen([program, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.notifications = []
        self.last_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        if initialize:
            self.server = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **parameters})
            self.notify("initialized", {})

    def _read(self):
        out = self.process.stdout
        while line := out.readline():
            length = int(line.split(b":")[1])
            assert out.readline() == b"\r\n"
            self.messages.put(json.loads(out.read(length)))
        self.messages.put(None)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    @staticmethod
    def frame(message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def send(self, *messages):
        """Writes messages at once, so that they arrive together."""
        self.write(b"".join(map(self.frame, messages)))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def read(self):
        """Returns the next message, None after the last one."""
        return self.messages.get(timeout=TIMEOUT)

    def new_id(self):
        self.last_id += 1
        return self.last_id

    def ask(self, method, params):
        """Returns the whole answer."""
        number = self.new_id()
        self.send({"id": number, "method": method, "params": params})
        return self.answer(number)

    def answer(self, number):
        while (message := self.read()) is not None:
            if message.get("id") == number and "method" not in message:
                return message
            self.notifications.append(message)
        raise AssertionError("the server ended without an answer")

    def request(self, method, params):
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def diagnostics(self, uri):
        """Waits for the next findings of a document."""
        while True:
            message = self.notifications.pop(0) if self.notifications else self.read()
            assert message is not None, "the server ended"
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message["params"]["diagnostics"]

    def open(self, uri, text, version=1, language="yaml"):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                               "contentChanges": list(changes)})

    def stop(self):
        """Ends the session in order and returns the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(TIMEOUT)


def uri_of(path):
    return pathlib.Path(path).resolve().as_uri()


def position(text, offset):
    """The place of a character of a text (counted in code points) as the protocol counts it."""
    before = text[:offset]
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    lines = before.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    return {"line": lines, "character": len(before[start:].encode("utf-16-le")) // 2}
