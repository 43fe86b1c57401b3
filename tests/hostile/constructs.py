#!/usr/bin/env python3
"""Runs every reader with the constructs of `tests/growth/readers`, many times and in pairs, and with hostile values.

    constructs.py <sparsecfg> [--size BYTES] [--values N] [--seed N] [--seconds S] [--megabytes M] [--table] [part of a name]

A run fails if it ends with another exit status than 0, 1 or 2, writes control characters, or takes more CPU time or memory
than the limits. --values limits the number of hostile values, which are a random sample. --table also prints the CPU time
and the memory for a quarter of the size and for the whole size.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "growth"))
from constructs import all_kinds, with_hostile_values  # noqa: E402

CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]")


def run(given, seed, content):
    """Writes the files of a seed and runs its command. Returns what is wrong, CPU seconds and megabytes."""
    for name, text in (*seed.files.items(), (seed.file, content)):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    seconds = int(given.seconds) + 1

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open("out", "wb+") as out:
        process = subprocess.Popen([given.program, *seed.command, seed.checked or seed.file], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=out, preexec_fn=limit)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = 0
        out.seek(0)
        text = out.read()
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    code = os.waitstatus_to_exitcode(status)
    faults = []
    if code not in (0, 1, 2):
        faults.append(f"exit status {code}: {text[-200:].decode(errors='replace')}")
    if CONTROLS.search(text):
        faults.append(f"control character {CONTROLS.search(text).group()}")
    if cpu > given.seconds or memory > given.megabytes:
        faults.append("too much")
    return "; ".join(faults), cpu, memory


def check_growth(given, report):
    rows = []
    for kind in all_kinds(given.wanted):
        measured = []
        for size in (given.size // 4, given.size):
            content = kind.content(kind.repetitions_for(size))
            why, cpu, memory = run(given, kind.seed, content)
            report(f"{kind.name}, {len(content)} bytes: {why} ({cpu:.2f} s, {memory:.0f} MB)" if why else "")
            measured += [cpu, memory]
        rows.append((kind.name, measured))
    if given.table:
        print("| construct | s, quarter | s | MB, quarter | MB |\n| --- | --- | --- | --- | --- |")
        for name, (less_cpu, less_memory, cpu, memory) in sorted(rows, key=lambda row: -row[1][2]):
            print(f"| {name} | {less_cpu:.2f} | {cpu:.2f} | {less_memory:.0f} | {memory:.0f} |")


def check_values(given, report):
    cases = [case for case in with_hostile_values() if given.wanted in case[0].name]
    for seed, content in random.Random(given.seed).sample(cases, min(given.values, len(cases))):
        why, cpu, memory = run(given, seed, content)
        report(f"{seed.name}: {why} ({cpu:.2f} s, {memory:.0f} MB)\n{content[:2000]}" if why else "")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=os.path.abspath)
    options.add_argument("--size", type=int, default=8_000, help="bytes of the larger input of each construct")
    options.add_argument("--values", type=int, default=300, help="number of hostile values")
    options.add_argument("--seed", type=int, default=1, help="of the random sample")
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--megabytes", type=float, default=400.0)
    options.add_argument("--table", action="store_true")
    options.add_argument("wanted", nargs="?", default="")
    given = options.parse_args()
    runs, faults = 0, []

    def report(fault):
        nonlocal runs
        runs += 1
        if fault:
            faults.append(fault)
            print(fault, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir(".git")
        check_growth(given, report)
        check_values(given, report)
        os.chdir("/")
    print(f"{runs} runs, {len(faults)} fail")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
