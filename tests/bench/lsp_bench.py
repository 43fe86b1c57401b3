#!/usr/bin/env python3
"""Measures the server for editors: the time from a keystroke in a recipe of 2 KB to the findings on it, and the memory
after 100 and after 10,000 edits. Then documents of up to 1 MiB, on one line and on many: the first and the longest later
answer to each request, 10,000 changes in one message, and the memory. Fails if a request takes longer than the limits.

    lsp_bench.py <sparsecfg> [--large | --typing]     --large: without the keystrokes in the small recipe
                                                      --typing: only keystrokes in a document of 1 MiB
"""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
from client import Client, position  # noqa: E402

URI = "file:///nowhere/recipe.yaml"
MODIFIER = """
  - !GMPruningModifier
    params: ["re:layer{0}.*weight", fc{0}.weight]
    init_sparsity: 0.05
    final_sparsity: 0.8
    start_epoch: {0}.0
    end_epoch: eval(num_epochs - 2)
    update_frequency: 0.5
"""
RECIPE = """# A recipe of 2 KB.
num_epochs: 30.0

modifiers:
  - !EpochRangeModifier
    start_epoch: 0.0
    end_epoch: eval(num_epochs)
""" + "".join(MODIFIER.format(number) for number in range(1, 9))
TYPED = "    # typed key by key\n    leave_enabled: true\n"


def keystrokes(client, count):
    """Types a text at the end of the first pruner and deletes it again; returns the times in milliseconds."""
    at = RECIPE.index("    update_frequency")
    times = []
    for version in range(2, count + 2):
        phase = (version - 2) % (2 * len(TYPED))
        length = min(phase, 2 * len(TYPED) - phase)  # of what is typed already
        text = RECIPE[:at] + TYPED[:length]
        here = position(text, len(text))
        if phase < len(TYPED):
            change = {"range": {"start": here, "end": here}, "text": TYPED[phase]}
        else:
            change = {"range": {"start": position(text, len(text) - 1), "end": here}, "text": ""}
        start = time.perf_counter()
        client.change(URI, version, change)
        client.diagnostics(URI)
        times.append((time.perf_counter() - start) * 1000)
    return times


def memory(client):
    """Resident memory in KiB."""
    status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1])


def type_into_large(program, count=200):
    """Types into the middle of a valid document of 1 MiB and deletes it again. Prints the time from a keystroke to the
    findings, and to the answer of a completion that is requested with the keystroke."""
    text = large_document(1 << 20, False)
    at = text.index("    end_epoch", len(text) // 2)
    client = Client(program)
    client.open(URI, text)
    client.diagnostics(URI)
    findings, completions = [], []
    for version in range(2, count + 2):
        phase = (version - 2) % (2 * len(TYPED))
        length = min(phase, 2 * len(TYPED) - phase)
        here = position(text, at)
        line = here["line"] + TYPED[:length].count("\n")
        here = {"line": line, "character": length - TYPED.rfind("\n", 0, length) - 1}
        if phase < len(TYPED):
            change = {"range": {"start": here, "end": here}, "text": TYPED[phase]}
        else:
            begin = {"line": line - (TYPED[length - 1] == "\n"),
                     "character": length - 1 - TYPED.rfind("\n", 0, length - 1) - 1}
            change = {"range": {"start": begin, "end": here}, "text": ""}
        start = time.perf_counter()
        client.change(URI, version, change)
        client.ask("textDocument/completion", {"textDocument": {"uri": URI}, "position": here})
        completions.append((time.perf_counter() - start) * 1000)
        client.diagnostics(URI)
        findings.append((time.perf_counter() - start) * 1000)
    assert client.stop() == 0
    for name, times in (("completion", sorted(completions)), ("findings", sorted(findings))):
        print(f"lsp: {len(text) >> 10} KiB, keystroke to {name}: median {statistics.median(times):.1f} ms, "
              f"99 % below {times[len(times) * 99 // 100]:.1f} ms, longest {times[-1]:.1f} ms")


ITEM = ("!GMPruningModifier {{params: [{name}], init_sparsity: 0.05, final_sparsity: eval(goal), start_epoch: {start}, "
        "end_epoch: 8.0, update_frequency: 0.5}}")
LINES = """  - !GMPruningModifier
    params: [{name}]
    init_sparsity: 0.05
    final_sparsity: eval(goal)
    start_epoch: {start}
    end_epoch: 8.0
    update_frequency: 0.5
"""
NAME = "backbone.stages.{0}.blocks.{0}.attention.projection.in_features.layers.{0}.weight"
MAX_REQUEST = 50  # milliseconds, but for the first request of a kind and for renaming, which reads the result
MAX_CHANGES = 1000
EXEMPT = "rename"


def large_document(size, one_line):
    head = "{goal: 0.8, modifiers: [" if one_line else "goal: 0.8\nmodifiers:\n"
    parts = []
    length = len(head)
    while length < size:
        name = NAME.format(len(parts))
        part = (ITEM if one_line else LINES).format(name=name, start="'0'" if len(parts) % 100 == 7 else "0.0")
        parts.append(part)
        length += len(part) + (2 if one_line else 0)
    return head + (", ".join(parts) + "]}\n" if one_line else "".join(parts))


def requests(text):
    middle = text.index("eval(goal)", len(text) // 2) + 6
    class_at = text.index("GMPruningModifier", len(text) // 2) + 2
    key_at = text.index("init_sparsity", len(text) // 2) + 4
    document = {"textDocument": {"uri": URI}}
    everything = {"range": {"start": position(text, 0), "end": position(text, len(text))}}
    at = {"position": position(text, middle)}
    return {
        "documentSymbol": document,
        "hover": {**document, "position": position(text, class_at)},
        "completion": {**document, "position": position(text, key_at)},
        "definition": {**document, **at},
        "references": {**document, **at, "context": {"includeDeclaration": True}},
        "prepareRename": {**document, **at},
        "rename": {**document, **at, "newName": "other"},
        "inlayHint": {**document, **everything},
        "codeAction": {**document, **everything, "context": {"diagnostics": []}},
        "formatting": {**document, "options": {"tabSize": 2, "insertSpaces": True}},
    }


def timed(action):
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def measure_requests(program, size, one_line):
    """Returns the requests that take too long."""
    text = large_document(size, one_line)
    client = Client(program)
    client.open(URI, text)
    opened = timed(lambda: client.diagnostics(URI))
    slow = []
    shown = []
    for name, params in requests(text).items():
        first = timed(lambda: client.ask(f"textDocument/{name}", params))
        later = max(timed(lambda: client.ask(f"textDocument/{name}", params)) for _ in range(5))
        shown.append(f"{name} {first:.0f}, {later:.1f}")
        if later > MAX_REQUEST and name != EXEMPT:
            slow.append(name)
    kind = "one line" if one_line else "many lines"
    print(f"lsp: {len(text) >> 10} KiB on {kind}, ms: findings {opened:.0f}; first and longest later answer: "
          f"{'; '.join(shown)}; memory {memory(client) >> 10} MiB")
    assert client.stop() == 0
    return slow


def measure_changes(program, one_line):
    """Returns the milliseconds of 10,000 changes in one message, without the findings on the result."""
    lines = 1 if one_line else 12900
    text = "\n".join(["# " + "x" * ((1 << 20) // lines - 3)] * lines) + "\n"
    client = Client(program)
    client.open(URI, text)
    client.diagnostics(URI)
    places = [{"line": at * 7 % lines, "character": 2 + at * 97 % ((1 << 20) // lines - 10)} for at in range(10000)]
    changes = [{"range": {"start": at, "end": at}, "text": "y"} for at in places]
    client.change(URI, 2, *changes)
    taken = timed(lambda: client.diagnostics(URI))
    print(f"lsp: 10,000 changes in a message to 1 MiB on {'one line' if one_line else 'many lines'}: {taken:.0f} ms "
          f"with the findings; memory {memory(client) >> 10} MiB")
    assert client.stop() == 0
    return taken


def measure_large(program):
    slow = []
    for size in (72 << 10, 289 << 10, 1 << 20):
        for one_line in (True, False):
            slow += measure_requests(program, size, one_line)
    assert not slow, f"more than {MAX_REQUEST} ms: {slow}"
    assert max(measure_changes(program, one_line) for one_line in (True, False)) < MAX_CHANGES


def main():
    if "--typing" in sys.argv:
        type_into_large(sys.argv[1])
        return
    if "--large" in sys.argv:
        measure_large(sys.argv[1])
        return
    client = Client(sys.argv[1])
    client.open(URI, RECIPE)
    client.diagnostics(URI)
    keystrokes(client, 100)
    early = memory(client)
    times = sorted(keystrokes(client, 10000))
    late = memory(client)
    assert client.stop() == 0
    print(f"lsp: {len(RECIPE)} bytes, keystroke to findings: median {statistics.median(times):.2f} ms, "
          f"99 % below {times[len(times) * 99 // 100]:.2f} ms, longest {times[-1]:.2f} ms")
    print(f"lsp: memory after 100 edits {early} KiB, after 10,100 edits {late} KiB")
    measure_large(sys.argv[1])


if __name__ == "__main__":
    main()
