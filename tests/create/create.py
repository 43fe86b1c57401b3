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
# Calls of the old generator with values that are refused here (a target that it does not know, a word for quantization
# that it takes for false, a sparsity above 1), and a page with its prose.
NO_COUNTERPART = ("17_target_unknown", "31_quant_string_vnni", "40_sparsity_1_5", "36_md_file")


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


# --- the old generator's texts ---

OLD_DEFAULTS = {"pruning": None, "quantization": False, "final_lr": 0.0}  # of the template
CREATE_DEFAULTS = {"pruning": True, "quantization": True}  # of Sparsify Create
OPTIONS = ("pruning", "quantization", "lr", "target")


def old_arguments(case, given):
    """Our options for the arguments of a recorded call; nothing where it has no counterpart here."""
    given = dict(given)
    variables = given.pop("recipe_variables", {})
    call = {**(CREATE_DEFAULTS if case.startswith("S") else OLD_DEFAULTS), **given, **variables}
    if variables:
        call.setdefault("final_lr", 0.0)  # of a mapping of variables, others have the template's own defaults
    out = ["--compat", *(["--params", "names/three.txt"] if case.startswith("S") else [])]  # Create hands its model on
    for name, value in call.items():
        if name == "distillation":
            out += ["--distillation"] if value else []
        elif name == "model":
            out += ["--params", "names/tiny.txt"]
        elif name in OPTIONS and not (name == "target" and value is None):
            out += [f"--{name}", "none" if value is None else str(value).lower()]
        elif name not in ("target", "file_name"):
            out += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    return out


def check_old_texts(program, folder):
    """Texts of the old generator that SparseML loads, where they are recorded."""
    recorded = Path(__file__).parents[3] / "shared/corpus/sparsify-create"
    if not (recorded / "examples.tsv").exists():
        return [], 0
    failures, same = [], 0
    for line in (recorded / "examples.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        case, arguments, _, _, loads, *_ = line.split("\t")
        text = recorded / f"{case}.yaml"
        if loads.lower() not in ("true", "yes") or not text.exists() or case in NO_COUNTERPART:
            continue
        given = old_arguments(case, json.loads(arguments))
        done = run(program, ["create", *given], folder=folder)
        same += done.stdout == text.read_text(encoding="utf-8")
        if done.stdout != text.read_text(encoding="utf-8"):
            failures.append(f"{case}: {given}: another text\n{done.stderr}")
    return failures, same


def main():
    program, folder, *more = sys.argv[1:]
    program = str(Path(program).resolve())
    failures = check_cases(program, Path(folder), "--update" in more) + check_variables(program)
    choices, tried = ([], 0) if "--update" in more else check_grid(program)
    old, same = ([], 0) if "--update" in more else check_old_texts(program, Path(folder))
    failures += choices + old
    print("\n".join(failures))
    print(f"{tried} choices tried, {same} texts of the old generator equal, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
