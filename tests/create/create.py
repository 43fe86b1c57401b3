#!/usr/bin/env python3
"""Hold what `sparsecfg create` writes against what it promises.

  create.py SPARSECFG TESTDATA [--update]

The grid is tried in part; all of it with SPARSECFG_FULL_TESTS in the environment.

Typical choices: TESTDATA/<case>.args holds the arguments, <case>.out the recipe and <case>.err the report.
The grid of all choices: every recipe that is written validates without an error or warning, stays valid for other
lengths, and reaches the sparsity that it was asked for; every refusal says why.
Recipes and scripts of llm-compressor: without a finding for twelve models, or refused with the reason.
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


# Well-known ids of dense models, of models with experts, and of models that also read images.
MODELS = ["Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "Qwen/Qwen2.5-VL-7B-Instruct", "meta-llama/Llama-3.1-8B-Instruct",
          "mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mixtral-8x7B-Instruct-v0.1", "google/gemma-3-12b-it",
          "deepseek-ai/DeepSeek-V2-Lite", "openai/gpt-oss-20b", "microsoft/phi-4", "ibm-granite/granite-3b-code-instruct-128k",
          "google/gemma-2-9b-it"]
METHODS = ["awq", "smoothquant", "autoround", "gptq", "rtn"]


def schemes(program):
    """The names in the refusal of an unknown scheme."""
    text = run(program, ["create", "--to", "llm-compressor", "--scheme", "none-of-them"]).stderr
    return [name.strip() for name in text.split("write one of ")[1].split(",")]


def check_one_shot(program, arguments, script):
    more = ["--script"] if script else []
    name = "recipe.py" if script else "recipe.yaml"
    created = run(program, ["create", "--to", "llm-compressor", *arguments, *more])
    if created.returncode == 2 and created.stderr.startswith("sparsecfg: error: "):
        return []
    model = [] if script else arguments[-2:]
    checked = run(program, ["validate", "--format", "json", "--stdin-filename", name, *model, "-"], created.stdout)
    file = json.loads(checked.stdout)["files"][0]
    found = [each for each in file["diagnostics"] if each["severity"] != "info"]
    failures = [f"{arguments} {name}: {each['code']} {each['message']}" for each in found]
    if created.returncode != 0 or file.get("not_checked") or "model_unknown" in file:
        failures.append(f"{arguments} {name}: {created.stderr}{file}")
    return failures


def check_one_shots(program):
    """All schemes, methods and pruners on all models, as a recipe and as a script: clean, or refused with the reason."""
    choices = [["--scheme", name] for name in schemes(program)] + [["--method", name] for name in METHODS]
    choices += [["--pruning", "true"], ["--pruning", "true", "--scheme", "W4A16"]]
    runs = [(program, [*choice, "--model", model], script)
            for choice in choices for model in MODELS for script in (False, True)]
    runs = runs[::1 if os.environ.get("SPARSECFG_FULL_TESTS") else 23]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return [failure for failures in pool.map(lambda each: check_one_shot(*each), runs) for failure in failures]


def main():
    program, folder, *more = sys.argv[1:]
    program = str(Path(program).resolve())
    failures = check_cases(program, Path(folder), "--update" in more) + check_variables(program)
    choices, tried = ([], 0) if "--update" in more else check_grid(program)
    failures += choices + ([] if "--update" in more else check_one_shots(program))
    print("\n".join(failures))
    print(f"{tried} choices tried, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
