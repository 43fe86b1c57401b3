#!/usr/bin/env python3
"""Hold what `sparsecfg create` writes against what it promises.

  create.py SPARSECFG TESTDATA [--update]

The grid is tried in part; all of it with SPARSECFG_FULL_TESTS in the environment.

Typical choices: TESTDATA/<case>.args holds the arguments, <case>.out the recipe and <case>.err the report.
The grid of all choices: every recipe that is written validates without an error or warning, stays valid for other
lengths, and reaches the sparsity that it was asked for; every refusal says why.
"""
import concurrent.futures
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
        if case.stem.startswith("bad-") != (done.returncode != 0):
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


def last_pruning_epoch(choice):
    """Half of the epochs that quantization leaves, whole ones where the algorithm needs those."""
    epochs = 7.5 if choice["--set"] == "num_epochs=7.5" else 20
    left = (epochs - (min(5, epochs / 4) if choice["--quantization"] == "true" else 0)) / 2
    return max(1, int(left)) if choice["--pruning"] == "acdc" else left


def check_variables(program):
    """Each variable of the schema is explained with its default, and a misspelt one is told its name."""
    failures = []
    for name, row in json.loads(run(program, ["schema", "create"]).stdout)["properties"].items():
        text = " ".join(run(program, ["explain", name]).stdout.split())
        default = json.dumps(row["default"]).strip('"')
        if f"{name} (sparsecfg create)" not in text or f"default: {default}" not in text:
            failures.append(f"explain {name}: {text}")
        misspelt = run(program, ["create", "--set", f"{name}x=1"])
        if misspelt.returncode != 2 or f"did you mean `{name}`?" not in misspelt.stderr:
            failures.append(f"--set {name}x: {misspelt.stderr}")
    return failures


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
    if prunes and report["sparsity_epoch"] > last_pruning_epoch(choice) + 0.01:  # the step at which it is done
        failures.append(f"{arguments}: reaches it at epoch {report['sparsity_epoch']}")
    return failures


def grid():
    return [dict(zip(GRID, values)) for values in itertools.product(*GRID.values())]


def check_grid(program):
    full = bool(os.environ.get("SPARSECFG_FULL_TESTS"))
    choices = grid()[::1 if full else 37]
    lengths = [(None, *LENGTHS) if full else (None, LENGTHS[index % len(LENGTHS)]) for index in range(len(choices))]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = pool.map(lambda each: check_choice(program, *each), zip(choices, lengths))
        failures = [failure for result in results for failure in result]
    return failures, len(choices)


def main():
    program, folder, *more = sys.argv[1:]
    program = str(Path(program).resolve())
    failures = check_cases(program, Path(folder), "--update" in more) + check_variables(program)
    choices, tried = ([], 0) if "--update" in more else check_grid(program)
    failures += choices
    print("\n".join(failures))
    print(f"{tried} choices tried, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
