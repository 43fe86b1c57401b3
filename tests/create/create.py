#!/usr/bin/env python3
"""Hold what `sparsecfg create` writes against what it promises.

  create.py SPARSECFG TESTDATA [--update]

Typical choices: TESTDATA/<case>.args holds the arguments, <case>.out the recipe and <case>.err the report.
The grid of all choices: every recipe that is written validates without an error or warning, stays valid for other
lengths, and reaches the sparsity that it was asked for; every refusal says why.
"""
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

GRID = {
    "--pruning": ["true", "false", "acdc", "mfac", "movement", "obs", "constant", "structured"],
    "--quantization": ["true", "false"],
    "--target": ["none", "vnni", "tensorrt"],
    "--lr": ["linear", "cosine", "cyclic_linear", "constant", "stepped", "exponential"],
    "--distillation": [False, True],
    "--set": ["sparsity=0.8", "sparsity=0.5", "global_sparsity=false", "num_epochs=7.5"],
}
LENGTHS = (5, 13, 60, 200)


def run(program, arguments, text=None, folder=None):
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=False, cwd=folder)


def check_cases(program, folder, update):
    failures = []
    for case in sorted(folder.glob("*.args")):
        done = run(program, ["create", *case.read_text(encoding="utf-8").split()], folder=folder)
        for suffix, got in ((".out", done.stdout), (".err", done.stderr)):
            path = case.with_suffix(suffix)
            if update:
                path.write_text(got, encoding="utf-8")
            elif path.read_text(encoding="utf-8") != got:
                failures.append(f"{path.name} differs:\n{got}")
        if case.stem.startswith("bad-") != (done.returncode == 2):
            failures.append(f"{case.name}: exit status {done.returncode}")
    return failures


def arguments_of(choice):
    out = []
    for name, value in choice.items():
        out += [name] if value is True else [] if value is False else [name, value]
    return out


def problems_of(program, text, length):
    more = [] if length is None else ["--set", f"num_epochs={length}"]
    report = json.loads(run(program, ["validate", "--format", "json", *more, "-"], text).stdout)
    return [each for each in report["files"][0]["diagnostics"] if each["severity"] != "info"]


def check_choice(program, choice, lengths):
    arguments = arguments_of(choice)
    done = run(program, ["create", "--report", "json", *arguments])
    if done.returncode == 2:
        return [] if done.stderr.startswith("sparsecfg: error: ") else [f"{arguments}: no reason: {done.stderr}"]
    if done.returncode != 0:
        return [f"{arguments}: {done.stderr}"]
    failures = [f"{arguments} with {length} epochs: {each['code']} {each['message']}"
                for length in lengths for each in problems_of(program, done.stdout, length)]
    report = json.loads(done.stderr)
    prunes = choice["--pruning"] not in ("false", "constant")
    asked = 0.5 if choice["--target"] == "tensorrt" or choice["--set"] == "sparsity=0.5" else 0.8
    if prunes and (report["sparsity"] is None or abs(report["sparsity"] - asked) > 1e-12):
        failures.append(f"{arguments}: reaches {report['sparsity']}, not {asked}")
    return failures


def check_grid(program):
    choices = [dict(zip(GRID, values)) for values in itertools.product(*GRID.values())]
    stride = 1 if os.environ.get("SPARSECFG_FULL_TESTS") else 37
    failures = []
    for index, choice in enumerate(choices[::stride]):
        failures += check_choice(program, choice, (None, LENGTHS[index % len(LENGTHS)]))
    return failures, len(choices[::stride])


def main():
    program, folder, *more = sys.argv[1:]
    program = str(Path(program).resolve())
    failures = check_cases(program, Path(folder), "--update" in more)
    grid, tried = ([], 0) if "--update" in more else check_grid(program)
    print("\n".join(failures + grid))
    print(f"{tried} choices tried, {len(failures + grid)} failures")
    return 1 if failures or grid else 0


if __name__ == "__main__":
    sys.exit(main())
