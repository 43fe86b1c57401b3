#!/usr/bin/env python3
"""Measures the server for editors: the time from a keystroke in a recipe of 2 KB to the findings on it, and the memory
after 100 and after 10,000 edits.

    lsp_bench.py <sparsecfg>
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


def main():
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


if __name__ == "__main__":
    main()
