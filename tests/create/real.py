#!/usr/bin/env python3
"""Run recipes that `sparsecfg create` writes in the real SparseML.

  real.py SPARSECFG [--count N] [--seed S] [--keep FILE]

SPARSECFG_REAL names the folder of `batch.py`. Each recipe of a sample of the grid has to load, to train a small model to
its end, and to leave its weights as sparse as was asked for; some of them with another `num_epochs`. Exit status 77
where the framework is not at hand.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import create

CONVOLUTIONS = {"conv1.weight": [8, 4, 3, 3], "conv2.weight": [16, 8, 3, 3], "conv3.weight": [16, 16, 1, 1]}
LINEAR = {"layer1.weight": [16, 32], "layer2.weight": [16, 16], "fc.weight": [12, 32]}
STEPS_PER_EPOCH = 2
LENGTHS = (None, None, 5, 13)


def write(program, choice):
    """The recipe of a choice and its report; nothing where it is refused."""
    done = create.run(program, ["create", "--report", "json", *create.arguments_of(choice)])
    return (done.stdout, json.loads(done.stderr)) if done.returncode == 0 else None


def params_of(choice):
    """A model that SparseML can make the mask of: for some it has linear layers alone."""
    linear = choice["--target"] == "tensorrt" or (choice["--target"] == "vnni" and choice["--pruning"] == "mfac")
    return LINEAR if linear else {**CONVOLUTIONS, "fc.weight": [12, 32]}


def job_of(number, choice, text, report, length):
    epochs = length or report["max_epochs"]
    return {"id": number, "text": text, "params": params_of(choice), "layers": True, "steps_per_epoch": STEPS_PER_EPOCH,
            "epochs": epochs, "initial_lr": 0.1, "vars": {"num_epochs": float(length)} if length else {}}


def jobs_of(program, count, seed):
    choices = create.grid()
    random.Random(seed).shuffle(choices)
    jobs = []
    for choice in choices:
        written = write(program, choice)
        if written:
            job = job_of(len(jobs), choice, *written, LENGTHS[len(jobs) % len(LENGTHS)])
            jobs.append((choice, job, written[1]["sparsity"]))
        if len(jobs) == count:
            break
    return jobs


def problem_of(answer, sparsity):
    if answer["verdict"] == "unknown":
        return None
    if answer["verdict"] != "accept":
        return f"{answer['verdict']} at {answer.get('rejects_at')}: {answer.get('error')}"
    reached = [course["series"][-1][1] for course in answer["timeline"]["sparsity"] if course["series"]]
    if sparsity is not None and (not reached or any(abs(each - sparsity) > 1e-9 for each in reached)):
        return f"reaches {reached}, not {sparsity}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where to leave the answers")
    options = parser.parse_args()
    real = os.environ.get("SPARSECFG_REAL")
    if not real or not (Path(real) / "batch.py").exists():
        print("SPARSECFG_REAL names no folder with batch.py")
        return 77
    jobs = jobs_of(str(Path(options.program).resolve()), options.count, options.seed)
    lines = "".join(json.dumps(job) + "\n" for _, job, _ in jobs)
    done = subprocess.run([str(Path(real) / "batch.py"), "sparseml", "--timeout", "120"], input=lines, capture_output=True, text=True, check=False)
    if options.keep:
        options.keep.write_text(done.stdout, encoding="utf-8")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(jobs):
        print(f"{len(answers)} answers to {len(jobs)} jobs: {done.stderr[-500:]}")
        return 1
    problems = 0
    for (choice, job, sparsity), answer in zip(jobs, answers):
        why = problem_of(answer, sparsity)
        if why:
            problems += 1
            print(f"{create.arguments_of(choice)} with {job['epochs']} epochs: {why}")
    unknown = sum(answer["verdict"] == "unknown" for answer in answers)
    print(f"{len(jobs)} recipes run, {problems} of them not as asked, {unknown} stopped by the time limit")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
