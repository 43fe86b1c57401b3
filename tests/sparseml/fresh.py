#!/usr/bin/env python3
"""Compare sparsecfg with the real SparseML on fresh random recipes.

  fresh.py --binary build/dev/sparsecfg [--vintage 2020] [--count N] [--seed S] [--show N] [--keep FOLDER]

SPARSECFG_REAL names the folder of `batch.py`: `batch.py sparseml` (or `ks`, the framework of 2020) reads jobs as JSON lines (id, file, params with shapes, steps_per_epoch, epochs, initial_lr) and writes for each of
them verdict, rejects_at, error and timeline. Exit status 77 where it isn't set.
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import recipes
import recipes_2020

# Errors on recipes that the framework loads and runs, because it ignores a part of them silently.
SILENT = set("SP004 SP005 SP009 SP010 SP017 SP018 SP019 SP101 SP105 SP106 SP107 SP108 SP111 SP115 SP206 SP207 SP208 SP301 "
             "SP408 SP410 SP601 SP610 SP611 SP612 SP614 SP615 SP619 SP622 SP709 SP710 SP803 SP904 SP912 MD901 MD902".split())
# Failures of the run's surroundings, not of the recipe.
SURROUNDINGS = ("Timeout", "Crash")
# What depends on layers without parameters and on methods of the model, which names of parameters don't tell.
BEYOND_NAMES = ("do not match to any submodules", "model_fuse_fn_name", "provided submodules to quantize")


def run_real(command, kind, jobs):
    lines = "".join(json.dumps({k: v for k, v in job.items() if k not in ("text", "ending")}) + "\n" for job in jobs)
    done = subprocess.run([*command, kind], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(jobs):
        sys.exit(f"{len(answers)} answers to {len(jobs)} jobs: {done.stderr[-500:]}")
    return answers


def arguments(job):
    return ["--from", "sparseml", "--params", job["names"], "--modules", job["modules_file"], "--steps-per-epoch", str(job["steps_per_epoch"]), "--epochs", repr(job["epochs"])]


def type_of(name, shape):
    """The class of the layer with a weight of that name and shape; names tell embeddings from linear layers."""
    if len(shape) == 1:
        return "BatchNorm2d" if name.endswith("bn") else "LayerNorm"
    return {4: "Conv2d", 2: "Embedding" if "embed" in name else "Linear"}[len(shape)]


def modules_of(params):
    """The model's modules for --modules: layers, and the containers that their names imply."""
    rows = {"": "Net"}
    for name, shape in params.items():
        layer, _, tensor = name.rpartition(".")
        parts = layer.split(".")
        for at in range(1, len(parts)):
            rows.setdefault(".".join(parts[:at]), "Module")
        if tensor == "weight":
            rows[layer] = f"{type_of(layer, shape)}\t{'x'.join(map(str, shape))}"
    return "".join(f"{name}\t{row}\n" for name, row in rows.items())


def run_ours(binary, job):
    done = subprocess.run([binary, "validate", job["file"], "--format", "json", *arguments(job)], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode not in (0, 1):
        return {"verdict": "crash", "codes": [done.stderr[-200:]]}
    found = json.loads(done.stdout)["files"][0]["diagnostics"]
    out = {"verdict": "reject" if done.returncode else "accept", "codes": [d["code"] for d in found if d["severity"] == "error"],
           "warnings": [d["code"] for d in found if d["severity"] == "warning"]}
    done = subprocess.run([binary, "timeline", job["file"], "--format", "csv", "--initial-lr", "0.1", *arguments(job)], capture_output=True, text=True, timeout=20, check=False)
    out["timeline"] = list(csv.reader(io.StringIO(done.stdout))) if done.returncode == 0 else None
    return out


def expand(runs, rows):
    out = []
    for (row, value), following in zip(runs, [r for r, _ in runs[1:]] + [rows]):
        out += [value] * (following - row)
    return out


def same(a, b, relative, absolute):
    return a is b if a is None or b is None else math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def measured_by(text):
    """The classes of modifiers that measure their initial sparsity."""
    found, name = set(), ""
    for line in text.splitlines():
        if "- !" in line:
            name = line.split("!")[1].strip()
        elif "__FROM_PARAM__" in line:
            found.add(name)
    return found


def difference(real, ours, measured):
    """One line about the first number that differs; None where all are equal."""
    if ours is None:
        return "no timeline"
    rows = real["rows"]
    table = [[float(c) if c else None for c in row] for row in ours[1:]]
    if len(table) != rows:
        return f"{len(table)} rows instead of {rows}"
    if real["lr"] is not None:
        for at, (a, b) in enumerate(zip(expand(real["lr"], rows), (row[2] for row in table))):
            if not same(a, b, 1e-9, 1e-15):
                return f"rate at step {at}: {a!r}, ours {b!r}"
    columns = [(label.split("[")[0], [row[at] for row in table]) for at, label in enumerate(ours[0]) if at > 2]
    columns = [c for at, c in enumerate(columns) if c not in columns[:at]]  # targets of one pruner that happen to be equal
    have = [(label.split("#")[0], values) for label, values in columns if any(v is not None for v in values)]
    for series in real["sparsity"]:
        name, values = series["name"].split("[")[0], expand(series["series"], rows)
        if all(v is None for v in values):
            continue
        if name in measured:  # what begins with the zeros that the weights have is no number
            have = [c for c in have if c[0] != name]
            continue
        twin = next((c for c in have if c[0] == name and all(same(a, b, 0, 1e-12) for a, b in zip(values, c[1]))), None)
        if twin is None:
            return f"{name}: {series['series']}, ours {[c[1] for c in have if c[0] == name]}"[:400]
        have.remove(twin)
    return f"{have[0][0]} has a column that the framework has not" if have else None


def judge(job, real, ours):
    if ours["verdict"] == "crash":
        return "crash", ours["codes"][0]
    if real["verdict"] == "unknown" or (real.get("error") or {}).get("class") in SURROUNDINGS:
        return "unknown", str(real.get("error"))[:200]
    if real["verdict"] == "reject":
        error = real["error"]
        if ours["verdict"] == "accept" and any(text in error["message"] for text in BEYOND_NAMES):
            return "beyond names", error["message"][:160]
        told = f"{real['rejects_at']} {real.get('at_step', '')} {error['class']}: {error['message'][:160]}"
        return ("agree", "") if ours["verdict"] == "reject" else ("false accept", f"{told} | {ours['warnings']}")
    if ours["verdict"] == "reject" and not set(ours["codes"]) <= SILENT:
        return "stricter", str(sorted(set(ours["codes"])))
    unlike = difference(real["timeline"], ours["timeline"], measured_by(job["text"])) if real.get("timeline") else None
    if unlike:
        return "timeline", f"{unlike} {ours['codes']}"
    return ("silent loss", str(ours["codes"])) if ours["codes"] else ("agree", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=15)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--vintage", choices=["final", "2020"], default="final")
    options = parser.parse_args()
    batch = Path(os.environ.get("SPARSECFG_REAL", "")) / "batch.py"
    if not batch.is_file() and not options.keep:
        print("SPARSECFG_REAL names no folder with the frameworks: skipped")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        maker = recipes_2020.Maker2020 if options.vintage == "2020" else recipes.Maker
        jobs = []
        for at in range(options.seed, options.seed + options.count):
            job = maker(at).job(at)
            job["file"] = str(folder / f"{at}.{job['ending']}")
            job["real_qat"] = job["layers"] = True
            job["names"] = str(folder / f"{at}.json")
            Path(job["file"]).write_text(job["text"], encoding="utf-8")
            Path(job["names"]).write_text(json.dumps(job["params"]), encoding="utf-8")
            job["modules_file"] = str(folder / f"{at}.tsv")
            Path(job["modules_file"]).write_text(modules_of(job["params"]), encoding="utf-8")
            jobs.append(job)
        cache = folder / f"answers-{options.vintage}-{options.seed}-{options.count}.jsonl"
        if cache.exists():
            answers = [json.loads(line) for line in cache.read_text().splitlines()]
        else:
            answers = run_real([str(batch)], maker.KIND, jobs)
            cache.write_text("".join(json.dumps(a) + "\n" for a in answers))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ours = list(pool.map(lambda job: run_ours(options.binary, job), jobs))
    cells = collections.defaultdict(list)
    for job, answer, own in zip(jobs, answers, ours):
        cell, detail = judge(job, answer, own)
        cells[cell].append((job["id"], detail))
    for cell in ("crash", "false accept", "stricter", "timeline", "unknown"):
        for name, detail in cells[cell][:options.show]:
            print(f"{cell} {name}: {detail}")
    print({cell: len(found) for cell, found in sorted(cells.items())},
          "accepted by the framework:", sum(a["verdict"] == "accept" for a in answers))
    bad = sum(len(cells[c]) for c in ("crash", "false accept", "stricter", "timeline"))
    judged = len(jobs) - len(cells["unknown"]) - len(cells["beyond names"])
    print(f"{judged} judged, {100 * (judged - bad) / max(1, judged):.2f} % agree")
    return 1 if bad > 0.005 * judged else 0


if __name__ == "__main__":
    sys.exit(main())
