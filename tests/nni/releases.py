#!/usr/bin/env python3
"""Hold `--nni 2.x` and `--nni 1.x` against what NNI 2.10 and 1.9 made of lists.

    releases.py <sparsecfg> <folder with other.jsonl>

Of 2.10: whether a list is refused, and which module got which sparsity. Of 1.9: the sparsity of each epoch.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import recorded  # noqa: E402


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def modules_file(folder, modules):
    path = os.path.join(folder, "modules.tsv")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{module['name']}\t{module['type']}\n" for module in modules)
    return path


def sparsities(schedule):
    """By module, from the schedule that `convert --to ir` prints."""
    found = {}
    for action in schedule["actions"]:
        for target in action["effect"].get("targets", []):
            found.update({term["text"]: target["sparsity"] for term in target["selector"]["terms"]})
    return found


def wanted_sparsities(resolved):
    return {name: setting["total_sparsity"] for name, setting in resolved.items()}


def check_list(program, case, path, folder):
    options = [path, "--from", "nni", "--nni", "2.x", "--modules", modules_file(folder, case["modules"])]
    status = run(program, "validate", *options).returncode
    if status != (0 if case["verdict"] == "accept" else 1):
        return f"exit status {status}, but it {case['verdict']}s"
    if case["verdict"] != "accept":
        return None
    got = sparsities(json.loads(run(program, "convert", "--to", "ir", *options).stdout))
    want = wanted_sparsities(case["resolved"])
    return None if got == want else f"{got} instead of {want}"


def check_epochs(program, case, folder):
    path = os.path.join(folder, "epochs.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"AGPruner": {"config": [{**case["config"], "op_types": ["default"]}]}}, file)
    done = run(program, "timeline", path, "--nni", "1.x", "--steps-per-epoch", "1", "--epochs", str(len(case["epochs"])), "--format", "csv")
    if any("error" in epoch for epoch in case["epochs"]):
        return None if done.returncode == 1 else f"exit status {done.returncode}, but it stops"
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    for row, epoch in zip(rows, case["epochs"]):
        got, want = float(row[3] or 0), epoch["held"] or 0
        if abs(got - want) > 1e-12:
            return f"epoch {epoch['epoch']}: {got} instead of {want}"
    return None if len(rows) == len(case["epochs"]) + 1 else f"{len(rows)} rows"


def check(program, case, collection):
    with tempfile.TemporaryDirectory() as folder:
        if "config" in case:
            return check_epochs(program, case, folder)
        return check_list(program, case, os.path.join(collection, case["file"]), folder)


if __name__ == "__main__":
    sys.exit(recorded.run(check, "older releases"))
