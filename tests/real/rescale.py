#!/usr/bin/env python3
"""Random recipes, rescaled and run by the real SparseML: the same run, stretched.

  rescale.py --binary build/dev/sparsecfg [--seed N] [--count N] [--show N]

Each recipe is run as it is, with eight steps in an epoch, and twice as long, with four: the zeros of every weight and
the learning rates have to be the same at every step. A recipe of which the report says that something does not follow
is counted apart.
Environment: SPARSECFG_REAL, the folder of `batch.py`; without it the exit status is 77.
"""
import argparse
import collections
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conversions import SKIPPED, Source, expand, job_of, run_real, shares

STEPS, FACTOR = 8, 2


def rescaled(binary, path, text):
    """The recipe twice as long and what its report says; None where it is refused."""
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([binary, "rescale", str(path), "--factor", str(FACTOR), "--frequencies", "--report", "json"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode > 2:
        sys.exit(f"exit status {done.returncode}: {done.stderr[-2000:]}")
    return (done.stdout, json.loads(done.stderr)["remarks"]) if done.returncode == 0 else (None, None)


def units_of(shape):
    return math.prod(shape)


def total(series, params, rows):
    return [sum(runs[row] * units_of(params[name]) for name, runs in series.items()) / sum(map(units_of, params.values())) for row in range(rows)]


def different(one, other, rows, params, together):
    """Where the two runs part; None if nowhere."""
    mine, theirs = shares(one, rows), shares(other, rows)
    if together:  # of weights that are ranked together the values decide which of them loses how much
        mine, theirs = {"all": total(mine, params, rows)}, {"all": total(theirs, params, rows)}
    allowed = 2.02 / sum(map(units_of, params.values())) if together else 1e-9
    for name in sorted(set(mine) | set(theirs)):
        for row, (a, b) in enumerate(zip(mine.get(name, [0] * rows), theirs.get(name, [0] * rows))):
            if abs(a - b) > allowed:
                return f"{name} at step {row}: {a} and {b}"
    rates = [(answer.get("timeline") or {}).get("lr") for answer in (one, other)]
    if None in rates:
        return None if rates[0] == rates[1] else "only one of them has learning rates"
    for row, (a, b) in enumerate(zip(*(expand(each, rows) for each in rates))):
        if a != b and (isinstance(a, str) or isinstance(b, str) or a is None or b is None or abs(a - b) > 1e-9 * max(abs(a), 1e-12)):
            return f"learning rate at step {row}: {a} and {b}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    if not (Path(os.environ.get("SPARSECFG_REAL", "")) / "batch.py").is_file():
        return SKIPPED
    source, counts, ready = Source("sparseml"), collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.count):
            case = source.case(options.seed, number)
            text, remarks = rescaled(str(Path(options.binary).resolve()), Path(scratch) / "recipe.yaml", case["text"])
            counts["refused" if text is None else "with remarks" if remarks else "without"] += 1
            if text is not None and not remarks:
                ready.append((number, case, text))
    runs = []
    for at in (0, 1):
        runs.append(run_real("sparseml", [job_of("sparseml", case, (case["text"], text)[at], STEPS // FACTOR**at, case["epochs"] * FACTOR**at)
                                          for _, case, text in ready]))
    for (number, case, _), one, other in zip(ready, *runs):
        verdicts = {one["verdict"], other["verdict"]}
        found = different(one, other, int(round(case["epochs"] * STEPS)), case["params"], "lobal" in case["text"] or "ACDC" in case["text"]) if verdicts == {"accept"} else None
        if len(verdicts) > 1 and "unknown" not in verdicts:
            found = f"{one['verdict']} and {other['verdict']}: {one.get('error') or other.get('error')}"
        counts["different" if found else "same run" if verdicts == {"accept"} else "not run"] += 1
        if found and counts["different"] <= options.show:
            print(f"{options.seed}-{number:05}: {found}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
