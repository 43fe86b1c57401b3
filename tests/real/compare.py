#!/usr/bin/env python3
"""Random recipes: what sparsecfg says of them against what the real framework does.

  compare.py nni|distiller --binary build/dev/sparsecfg [--seed N] [--count N] [--keep DIR] [--show N]

Environment: SPARSECFG_REAL, the folder of `nets.py`, which is called with `nni` or `distiller`, reads jobs as JSON
lines, builds the model that a job describes (models.py) and writes what the framework made of the file. Without it
the exit status is 77.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import importlib
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import models

SKIPPED = 77
SPARSITY_ABS, RATE_REL = 1e-12, 1e-9
NNI_STEPS, DISTILLER_STEPS = 10, 2
RATE = 1e-4  # low, so that no run of a toy diverges
# Codes that may be errors in a recipe that the framework runs, because it drops a part of it.
SILENT = set("SP101 SP105 SP111 SP115 SP206 SP301 SP408 SP605 SP607 SP610 SP611 SP615 SP619 SP803 DP908 MD902".split())


def expand(runs, rows):
    """[[row, value], ...] -> one value a row."""
    out = []
    for (row, value), following in zip(runs, [r for r, _ in runs[1:]] + [rows]):
        out += [value] * (max(following, row) - row)
    return out


class Side:
    """One framework: its recipes, its jobs and what its answers say."""

    def __init__(self, kind):
        self.kind = kind
        self.recipes = importlib.import_module(f"{kind}_recipes")
        self.modules = models.modules_of(self.recipes.NET)
        self.parameters = models.parameters_of(self.recipes.NET)

    def recipe(self, seed, number):
        maker = self.recipes.Recipes(random.Random(f"{self.kind} {seed} {number}"))
        return maker.make(), getattr(maker, "epochs", None)

    def job(self, case):
        if self.kind == "nni":
            return {"id": case["id"], "file": str(case["path"]), "net": self.recipes.NET, "lean": True, "steps_per_epoch": NNI_STEPS}
        return {"id": case["id"], "file": str(case["path"]), "net": self.recipes.NET, "params": self.parameters, "initial_lr": RATE,
                "steps_per_epoch": DISTILLER_STEPS, "epochs": case["epochs"]}

    def run_options(self, case, answer):
        """Options that say how long the run was."""
        if self.kind == "nni":
            steps = answer.get("steps") or 0
            length = ["--epochs", repr(steps / NNI_STEPS)] if steps else []
            return ["--steps-per-epoch", str(NNI_STEPS)] + length
        return ["--steps-per-epoch", str(DISTILLER_STEPS), "--epochs", str(case["epochs"])]


class Runner:
    def __init__(self, binary, folder, side):
        self.binary, self.side = binary, side
        modules = folder / "modules.tsv"
        modules.write_text("".join(f"{m['name']}\t{m['type']}" + ("\t" + "x".join(map(str, m["shape"])) if m["shape"] else "") + "\n" for m in side.modules))
        parameters = folder / "parameters.json"
        parameters.write_text(json.dumps(side.parameters))
        self.model = ["--from", side.kind, "--modules", str(modules), "--params", str(parameters)]

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def validate(self, case, answer):
        code, out = self.run("validate", str(case["path"]), "--format", "json", *self.model, *self.side.run_options(case, answer))
        if code not in (0, 1):
            return None
        return [(d["code"], d["message"]) for f in json.loads(out)["files"] for d in f["diagnostics"] if d["severity"] == "error"]

    def timeline(self, case, answer):
        options = self.side.run_options(case, answer)
        if "--epochs" not in options:
            options += ["--epochs", "0.1"]
        code, out = self.run("timeline", str(case["path"]), "--format", "csv", "--initial-lr", repr(RATE), *self.model, *options)
        if code != 0:
            return None
        table = list(csv.reader(io.StringIO(out)))
        number = lambda cell: None if cell == "" else float(cell)
        columns = list(zip(*table[1:]))
        # targets of one pruner that happen to be equal are one column
        apart = dict.fromkeys((label.split("[")[0], column) for label, column in zip(table[0][3:], columns[3:]))
        return [number(x) for x in columns[2]], [[number(x) for x in c] for _, c in apart]

    def match(self, case, answer):
        code, out = self.run("match", str(case["path"]), "--format", "json", *self.model, *self.side.run_options(case, answer))
        return json.loads(out) if code in (0, 1) and out else None


def same(a, b, near):
    return a is b if a is None or b is None else near(a, b)


def column_difference(want, got):
    near = lambda a, b: abs((0 if math.isnan(a) else min(max(a, 0), 1)) - b) <= SPARSITY_ABS  # NNI masks within 0 and 1
    want = [c for c in want if any(v is not None for v in c)]
    got = [c for c in got if any(v is not None for v in c)]
    for column in want:
        twin = next((c for c in got if len(c) == len(column) and all(same(a, b, near) for a, b in zip(column, c))), None)
        if twin is None:
            return f"column {compact(column)} expected, there are {[compact(c) for c in got]}"
        got.remove(twin)
    return f"column {compact(got[0])} not expected" if got else None


def compact(column):
    out = []
    for at, value in enumerate(column):
        if not out or out[-1][1] != value:
            out.append([at, value])
    return out


def timeline_difference(side, answer, found):
    want = answer.get("timeline")
    if side.kind == "nni" and want is None:
        series = []
        for runs in (answer.get("targets") or {}).values():
            if runs not in series:
                series.append(runs)
        if answer.get("mode") != "pruning" or not series:
            return "nothing"
        want = {"rows": 2, "lr": None, "sparsity": [{"series": s} for s in series]}
        if found is not None:  # two entries with the same ratio have a column each
            found = (found[0], [list(c) for c in {tuple(c) for c in found[1]}])
    if want is None:
        return "nothing"
    if found is None:
        return "no timeline"
    rates, columns = found
    if len(rates) != want["rows"]:
        return f"{len(rates)} rows, expected {want['rows']}"
    if want["lr"] is not None:
        for row, (a, b) in enumerate(zip(expand(want["lr"], want["rows"]), rates)):
            a = None if isinstance(a, str) else a  # a complex rate, set by the end of the run
            if not same(a, b, lambda x, y: math.isclose(x, y, rel_tol=RATE_REL, abs_tol=1e-15)):
                return f"rate of row {row}: {b!r}, expected {a!r}"
    return column_difference([expand(s["series"], want["rows"]) for s in want["sparsity"]], columns)


def idle_names(doc, shapes):
    """Parameters that a pruner of Distiller's may take without removing anything of them: levels of 0, and shares of too few structures."""
    idle = set()
    sections = [doc.get("pruners") or {}, {n: (p.get("pruner") or {}).get("args") or {} for n, p in enumerate(doc.get("policies") or [])}]
    for part in [p for section in sections for p in section.values() if isinstance(p, dict)]:
        levels = part.get("levels") if isinstance(part.get("levels"), dict) else {}
        idle |= set(shapes) if levels.get("*") == 0 else {n for n, v in levels.items() if v == 0}
        share = part.get("desired_sparsity", part.get("initial_sparsity"))
        for name in part.get("weights") or []:
            shape = shapes.get(name, [0])
            count = shape[1] if part.get("group_type") in ("Channels", "Rows") and len(shape) > 1 else shape[0]
            if "Ranked" in str(part.get("class")) and isinstance(share, (int, float)) and share * count < 1:
                idle.add(name)
    return idle


def match_difference(side, answer, found, case):
    order = case["order"]
    if found is None:
        return "no answer"
    real, told = collections.defaultdict(set), None
    if side.kind == "nni":
        for target, entry in (answer.get("claims") or answer.get("owner") or {}).items():
            real[target.split(" ")[-1].rsplit(".", 1)[0]].add(entry + 1)
        names = found.get("modules", [])
    else:  # of policies that have pruned something
        told = set()
        for policy, parameters in (answer.get("targets") or {}).items():
            for name in parameters:
                real[name].add(order[int(policy.split()[1])])
            told |= {order[int(policy.split()[1])]} if parameters else set()
        names = found.get("parameters", [])
    for each in names:
        ours = {int(c["action"].rsplit("#", 1)[1]) for c in each["claims"] if c["decides"]}
        ours &= ours if told is None else told
        if each["name"] in case["idle"] and real.get(each["name"], set()) <= ours:
            continue
        if ours != real.get(each["name"], set()):
            return f"{each['name']}: {sorted(ours)}, expected {sorted(real.get(each['name'], set()))}"
    return None


def examine(runner, case, answer):
    side, result = runner.side, {"id": case["id"], "cell": "unknown", "detail": "", "timeline": None, "match": None}
    if answer["verdict"] == "unknown":
        result["detail"] = str(answer.get("error"))
        return result
    errors = runner.validate(case, answer)
    codes = {code for code, _ in errors or []}
    if errors is None:
        result["cell"] = "crash"
    elif (answer["verdict"] == "accept") == (not errors):
        result["cell"] = "agree"
    elif answer["verdict"] == "accept":
        result["cell"] = "silent loss" if codes <= SILENT else "stricter"
        result["detail"] = "; ".join(f"{c} {m}" for c, m in errors)
    else:
        result["cell"] = "false accept"
        result["detail"] = f"{answer['rejects_at']} {answer.get('at') or ''}: {answer['error']['class']}: {answer['error']['message'][:200]}"
    if answer["verdict"] == "accept":
        difference = timeline_difference(side, answer, runner.timeline(case, answer))
        result["timeline"] = difference or "equal"
        result["match"] = match_difference(side, answer, runner.match(case, answer), case) or "equal"
    return result


def order_of(doc):
    """The numbers of Distiller's policies in the order in which they are added: those of rates come last."""
    policies = doc.get("policies") or []
    return sorted(range(1, len(policies) + 1), key=lambda n: not {"pruner", "regularizer", "quantizer"} & set(policies[n - 1]) and "lr_scheduler" in policies[n - 1])


def cases_of(side, seed, count, folder):
    import yaml
    for number in range(count):
        doc, epochs = side.recipe(seed, number)
        path = folder / f"{side.kind}-{seed}-{number:05}.yaml"
        path.write_text(yaml.safe_dump(doc, sort_keys=False, default_flow_style=None, width=1000), encoding="utf-8")
        yield {"id": path.stem, "path": path, "epochs": epochs, "order": order_of(doc),
               "idle": idle_names(doc, side.parameters) if side.kind == "distiller" else set()}


def real_answers(side, cases, cache):
    if cache.exists():
        return [json.loads(line) for line in cache.read_text(encoding="utf-8").splitlines()]
    jobs = "".join(json.dumps(side.job(case)) + "\n" for case in cases)
    done = subprocess.run([str(Path(os.environ["SPARSECFG_REAL"]) / "nets.py"), side.kind], input=jobs, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"{len(answers)} answers to {len(cases)} jobs\n{done.stderr[-2000:]}")
    cache.write_text(done.stdout, encoding="utf-8")
    return answers


def report(results, show):
    cells = collections.Counter(r["cell"] for r in results)
    judged = max(1, sum(cells[c] for c in ("agree", "false accept", "stricter", "crash")))
    for what in ("timeline", "match"):
        told = [r for r in results if r[what] not in (None, "nothing")]
        print(f"{what}: {sum(r[what] == 'equal' for r in told)} of {len(told)} equal")
        for r in [r for r in told if r[what] != "equal"][:show]:
            print(f"  {r['id']} {r[what]}")
    for cell in ("crash", "false accept", "stricter", "silent loss", "unknown"):
        for r in [r for r in results if r["cell"] == cell][:show]:
            print(f"  {cell}: {r['id']} {r['detail']}")
    print(f"{len(results)} recipes: {dict(cells)}; {100 * cells['agree'] / judged:.2f} % agree")
    return cells["agree"] / judged >= .995 and all(r[w] in (None, "nothing", "equal") for r in results for w in ("timeline", "match"))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("kind", choices=["nni", "distiller"])
    p.add_argument("--binary", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--keep", type=Path, help="folder for recipes and answers; answers that are there are used again")
    p.add_argument("--show", type=int, default=20)
    o = p.parse_args()
    if not (Path(os.environ.get("SPARSECFG_REAL", "")) / "nets.py").is_file() and not o.keep:
        return SKIPPED
    side = Side(o.kind)
    with tempfile.TemporaryDirectory() as scratch:
        folder = o.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases = list(cases_of(side, o.seed, o.count, folder))
        answers = real_answers(side, cases, folder / f"{o.kind}-{o.seed}-{o.count}.answers")
        runner = Runner(o.binary, folder, side)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda pair: examine(runner, *pair), zip(cases, answers)))
    return 0 if report(results, o.show) else 1


if __name__ == "__main__":
    sys.exit(main())
