#!/usr/bin/env python3
"""Time and memory of the server for documents that grow: the kinds of tests/growth/repetitions.py that editors open.

    lsp_growth.py <sparsecfg> [part of a name]

Opens each kind with 64 KiB, 256 KiB and 1 MiB, changes one character, and asks for everything that an editor asks for.
Prints the CPU time and the memory of the largest document, and fails if opening it or an answer takes more than a
second, or grows faster than the document. Takes the release build.
"""

import argparse
import json
import os
import pathlib
import queue
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / part) for part in ("growth", "lsp")]
from client import Client, position, uri_of  # noqa: E402
from repetitions import every_kind  # noqa: E402

SIZES = (64 << 10, 256 << 10, 1 << 20)
LANGUAGES = {".yaml": "yaml", ".py": "python", ".md": "markdown", ".ipynb": "jupyter", ".json": "json"}
TICKS = os.sysconf("SC_CLK_TCK")


def requests(uri, text):
    middle = text.find("\n", len(text) // 2)
    middle = len(text) // 2 if middle < 0 else middle + 1
    document = {"textDocument": {"uri": uri}}
    at = {**document, "position": position(text, min(middle + 6, len(text)))}
    everything = {"range": {"start": position(text, 0), "end": position(text, len(text))}}
    return {
        "documentSymbol": document, "hover": at, "completion": at, "definition": at, "documentHighlight": at,
        "references": {**at, "context": {"includeDeclaration": True}}, "prepareRename": at, "rename": {**at, "newName": "other"},
        "inlayHint": {**document, **everything}, "codeAction": {**document, **everything, "context": {"diagnostics": []}},
        "foldingRange": document, "documentLink": document, "formatting": {**document, "options": {"tabSize": 2, "insertSpaces": True}},
    }


def cpu_seconds(client):
    fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mebibytes(client):
    status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) / 1024


def measure(program, kind, size):
    """The bytes of a document, the longest step with its CPU seconds, and the MiB at most."""
    with open(kind.seed.file, "wb") as file:
        content = kind.content(kind.repetitions_for(size))
        file.write(content)
    text, uri, times = content.decode(), uri_of(kind.seed.file), {}
    client = Client(program)
    client.open(uri, text, language=LANGUAGES[os.path.splitext(kind.seed.file)[1]])
    client.diagnostics(uri)
    times["open"] = before = cpu_seconds(client)
    client.change(uri, 2, {"range": {"start": position(text, len(text)), "end": position(text, len(text))}, "text": "\n"})
    client.diagnostics(uri)
    for name, params in {"change": None, **requests(uri, text)}.items():
        if params is not None:
            client.ask(f"textDocument/{name}", params)
        times[name], before = cpu_seconds(client) - before, cpu_seconds(client)
    memory = peak_mebibytes(client)
    assert client.stop() == 0
    slowest = max(times, key=times.get)
    return len(content), slowest, times[slowest], memory


def fault_of(runs):
    size, _, time, memory = runs[-1]
    if time > 1:
        return "time"
    if memory > 128 + 200 * size / (1 << 20):
        return "memory"
    size_before, _, time_before, _ = runs[-2]
    return "growth" if time > 0.25 and time / max(time_before, 0.02) > 1.6 * size / size_before else ""


def grow(program, kind):
    runs = []
    for size in SIZES:
        runs.append(measure(program, kind, size))
        if runs[-1][2] > 3:
            break
    size, slowest, time, memory = runs[-1]
    fault = fault_of(runs) if len(runs) > 1 else "time"
    print(f"{kind.name:74} {size >> 10:5} {slowest:17} {time:6.2f} {memory:5.0f}{'  <-- ' + fault if fault else ''}", flush=True)
    return fault != ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sparsecfg")
    options.add_argument("wanted", nargs="?", default="")
    given = options.parse_args()
    program, bad, count = os.path.abspath(given.sparsecfg), 0, 0
    print(f"{'kind':74} {'KiB':>5} {'slowest':17} {'s':>6} {'MiB':>5}")
    for kind in every_kind():
        document = kind.seed.file == "config.json" or kind.seed.file.startswith("r.")
        if not document or given.wanted not in kind.name:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.mkdir(".git")
            try:
                bad += grow(program, kind)
            except (AssertionError, OSError, json.JSONDecodeError, queue.Empty) as fault:
                bad += 1
                print(f"{kind.name}: {type(fault).__name__} {str(fault)[:80]}  <-- fault", flush=True)
            os.chdir("/")
    print(f"{count} kinds of documents, {bad} beyond the bars")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
