#!/usr/bin/env python3
"""Random recipes, converted and run by both real frameworks: what the report claims against what happens.

  conversions.py FROM TO --binary build/dev/sparsecfg [--seed N] [--count N] [--keep DIR] [--show N]

Each recipe that its own framework runs is converted with `--allow-loss`. The zeros of every weight and the learning
rates of both runs are compared: a part that is kept has to be equal, but for the rounding of counts; one that is
approximated may differ by as much as is said; what is lost, and the weights that it touches, may differ in any way.
Environment: SPARSECFG_REAL, the folder of `batch.py`; without it the exit status is 77.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from sources import STEPS, Source

SKIPPED, RATE = 77, 0.1
RANKED = re.compile(r"filter|channel|structure|Structure|Norm|FPGM|[Bb]lock")
# Of what the report says is left out: masks that the weights get only for the forward pass.
FORWARD = re.compile(r"mask_on_forward_only|use_double_copies")


def expand(runs, rows):
    out = []
    for (row, value), following in zip(runs, [r for r, _ in runs[1:]] + [rows]):
        out += [value] * (max(following, row) - row)
    return out[:rows] + [out[-1] if out else None] * (rows - len(out))


def job_of(kind, case, text, steps, epochs):
    job = {"text": text, "params": case["params"], "steps_per_epoch": steps, "epochs": epochs, "initial_lr": RATE, "zeros": True}
    if kind == "sparseml":
        job["layers"] = True
    elif kind == "nni":
        job["net"], job["lean"] = case["net"], True
    return job


def run_real(kind, jobs):
    lines = "".join(json.dumps({"id": at, **job}) + "\n" for at, job in enumerate(jobs))
    done = subprocess.run([str(Path(os.environ["SPARSECFG_REAL"]) / "batch.py"), kind], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(jobs):
        sys.exit(f"{len(answers)} answers to {len(jobs)} jobs\n{done.stderr[-2000:]}")
    return answers


class Converter:
    def __init__(self, binary, source, target, folder):
        self.binary, self.source, self.target, self.folder = binary, source, target, folder

    def files(self, case):
        (self.folder / "params.json").write_text(json.dumps(case["params"]), encoding="utf-8")
        arguments = ["--params", str(self.folder / "params.json")]
        if case["modules"]:
            rows = (f"{m['name']}\t{m['type']}" + ("\t" + "x".join(map(str, m["shape"])) if m["shape"] else "") for m in case["modules"])
            (self.folder / "modules.tsv").write_text("".join(row + "\n" for row in rows), encoding="utf-8")
            arguments += ["--modules", str(self.folder / "modules.tsv")]
        return arguments

    def convert(self, case):
        """The text and the report; the text is None where nothing is written."""
        path, out = self.folder / "source.yaml", self.folder / "out.yaml"
        path.write_text(case["text"], encoding="utf-8")
        out.unlink(missing_ok=True)
        rates = [] if self.source == "nni" else ["--initial-lr", repr(RATE)]
        done = subprocess.run([self.binary, "convert", str(path), "--from", self.source, "--to", self.target, "-o", str(out), "--report", "json",
                               "--allow-loss", "--steps-per-epoch", str(STEPS[self.source]), "--epochs", repr(case["epochs"]), *rates,
                               *self.files(case)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        report = json.loads(done.stderr) if done.stderr.startswith("{") else None
        return out.read_text(encoding="utf-8") if out.exists() else None, report, done.returncode


def rate_of(report):
    """What the report tells the trainer to start from, if it does."""
    found = re.search(r"--lr ([-+.0-9e]+)`", " ".join(report["notes"]))
    return float(found.group(1)) if found else RATE


def shares(answer, rows):
    """The share of zeros of each weight before each step. NNI's are those that the masks were made with."""
    series = answer.get("zeros") or {name: runs for name, runs in (answer.get("targets") or {}).items() if isinstance(runs, list)}
    return {name: [0 if value is None else value for value in expand(runs, rows)] for name, runs in series.items()}


def units_of(shape):
    count = 1
    for length in shape:
        count *= length
    return count


class Tagged(yaml.SafeLoader):
    """Reads a modifier as its name and its fields."""


Tagged.add_multi_constructor("!", lambda loader, name, node: (name, loader.construct_mapping(node, deep=True)))


def modifiers_of(value):
    if isinstance(value, tuple):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from modifiers_of(item)


def ranked_together(params, text):
    """Lists of the parameters that a recipe of SparseML's ranks together; none of another framework's."""
    def takes(term, name):
        return term == name or term.startswith("__ALL") or (term.startswith("re:") and re.match(term[3:], name))

    groups = []
    for name, fields in modifiers_of(yaml.load(text, Tagged)):
        terms = fields.get("params") if name == "GlobalMagnitudePruningModifier" else None
        terms = [str(term) for term in (terms if isinstance(terms, list) else [terms])]
        groups.append([name for name in params if any(takes(term, name) for term in terms)])
    return [group for group in groups if len(group) > 1]


class Judge:
    """What a report claims of the zeros and of the rates."""
    MASKING = ("Prun", "Level", "Constant", "Regularizer", "config_list")

    def __init__(self, case, report, text):
        actions = [a for a in report["actions"] if self.masks(a)]
        self.lost = [a for a in actions if a["fidelity"] in ("dropped", "not_converted")]
        kept = [a for a in actions if a not in self.lost]
        self.open = any(FORWARD.search(a["reason"]) or a["difference"] is not None and a["difference"]["max"] is None for a in kept)
        self.claimed = max([a["difference"]["max"] for a in kept if a["difference"] is not None and a["difference"]["max"] is not None], default=0)
        self.whole = any(RANKED.search(a["class"] + a["reason"]) for a in kept) or "StructuredPruning" in case["text"]
        self.rates = [a for a in report["actions"] if "LR" in a["class"] or "LearningRate" in a["class"] or "Restarts" in a["class"]]
        self.params = case["params"]
        self.together = ranked_together(case["params"], text)
        self.biases = any("biases are not masked" in a["reason"] for a in kept)

    @classmethod
    def masks(cls, action):
        return any(part in action["class"] for part in cls.MASKING) and "Layer" not in action["class"]

    def tolerance(self, name):
        shape = self.params.get(name, [1])
        if self.whole and len(shape) > 1:
            return self.claimed + 1.01 / min(shape[:2]) + 1e-5
        return self.claimed + 2.02 / max(units_of(shape), 1) + 1e-5  # each side rounds

    def zeros(self, mine, theirs):
        if self.lost or self.open:
            return None
        for names in self.together:
            wrong = self.total(names, mine, theirs)
            if wrong:
                return wrong
        single = (set(mine) | set(theirs)) - {name for names in self.together for name in names}
        for name in sorted(single):
            one, other = mine.get(name), theirs.get(name)
            length = min(len(each) for each in (one, other) if each is not None)
            # What is 0 from the first step on are biases that begin so, and NNI's masks of biases are told of otherwise.
            if (one or other)[0] == 1 or (other or one)[0] == 1 or (self.biases and name.endswith(".bias")):
                continue
            for row in range(length):
                a, b = (one or [0] * length)[row], (other or [0] * length)[row]
                if abs(a - b) > self.tolerance(name):
                    return f"{name} at step {row}: {a} and {b}, {self.claimed:.3g} is claimed"
        return None

    def total(self, names, mine, theirs):
        """Of weights that are ranked together the sum counts: which of them loses how much, their values decide."""
        sizes = {name: units_of(self.params[name]) for name in names}
        rows = min((len(runs[name]) for runs in (mine, theirs) for name in names if name in runs), default=0)
        allowed = self.claimed + 2.02 * len(names) / sum(sizes.values()) + 1e-5
        for row in range(rows):
            one, other = (sum(runs[n][row] * size for n, size in sizes.items() if n in runs) / sum(sizes.values()) for runs in (mine, theirs))
            if abs(one - other) > allowed:
                return f"{', '.join(names)} together at step {row}: {one} and {other}, {self.claimed:.3g} is claimed"
        return None

    def learning_rates(self, one, other, rows):
        numbers = [a["difference"]["max"] if a["difference"] else 0 for a in self.rates]
        if one is None or other is None or None in numbers or any(a["fidelity"] in ("dropped", "not_converted") for a in self.rates):
            return None
        claimed = max(numbers, default=0)
        for row, (a, b) in enumerate(zip(expand(one, rows), expand(other, rows))):
            if isinstance(a, str) or isinstance(b, str):
                return None
            if abs(a - b) > claimed + 1e-9 * max(abs(a), 1e-12):
                return f"learning rate at step {row}: {a} and {b}"
        return None


def sampled(values, steps, wanted):
    """The values of the steps at which another count of steps has one too."""
    return values[:: steps // wanted] if steps % wanted == 0 else values


class Comparison:
    def __init__(self, source, target, show):
        self.source, self.target, self.left = source, target, show
        self.counts = collections.Counter()

    def lie(self, case, what):
        self.counts["lies"] += 1
        if self.left > 0:
            self.left -= 1
            print(f"{case['id']}: {what}")

    def run(self, converter, cases):
        steps = STEPS[self.source]
        mine = run_real(self.source, [job_of(self.source, c, c["text"], steps, c["epochs"]) for c in cases])
        runnable = [(c, a) for c, a in zip(cases, mine) if a["verdict"] == "accept"]
        self.counts["recipes"], self.counts["run by their framework"] = len(cases), len(runnable)
        ready = []
        for case, answer in runnable:
            text, report, status = converter.convert(case)
            worst = max((("exact", "equivalent", "not_compared", "not_converted", "approximated", "dropped").index(a["fidelity"]) for a in (report or {}).get("actions", [])), default=None)
            if status == 70:
                self.lie(case, "exit status 70")
            elif report is None or worst is None:
                self.counts["refused"] += 1
            else:
                self.counts[("kept", "kept", "kept", "announced", "announced", "lossy")[worst]] += 1
                if text is not None:
                    ready.append((case, answer, text, report))
        theirs = run_real(self.target, [{**job_of(self.target, c, text, steps, c["epochs"]), "initial_lr": rate_of(report)} for c, _, text, report in ready])
        for (case, answer, text, report), other in zip(ready, theirs):
            self.judge(case, answer, case["text"] if self.source == "sparseml" else text, report, other)

    def judge(self, case, answer, text, report, other):
        """`text` is the recipe of the two that names parameters as SparseML does."""
        self.counts["written"] += 1
        if other["verdict"] != "accept":
            unknown = other["verdict"] == "unknown"
            self.counts["not run"] += unknown
            if not unknown:
                self.lie(case, f"refused by the target: {other.get('rejects_at')} {other['error']}")
            return
        judge = Judge(case, report, text)
        rows = int(round(case["epochs"] * STEPS[self.source]))
        if self.source == "nni" and answer.get("steps"):
            rows = min(rows, answer["steps"] + 1)  # a shorter run
        found = judge.zeros(shares(answer, rows), shares(other, rows))
        rates = None if self.source == "nni" else judge.learning_rates((answer.get("timeline") or {}).get("lr"), (other.get("timeline") or {}).get("lr"), rows)
        if found or rates:
            self.lie(case, found or rates)
        else:
            self.counts["as claimed"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", choices=sorted(STEPS))
    parser.add_argument("target", choices=["distiller", "sparseml"])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="folder for the recipes")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    if not (Path(os.environ.get("SPARSECFG_REAL", "")) / "batch.py").is_file():
        return SKIPPED
    source = Source(options.source)
    with tempfile.TemporaryDirectory() as scratch:
        cases = [{"id": f"{options.source}-{options.seed}-{n:05}", **source.case(options.seed, n)} for n in range(options.count)]
        for case in cases if options.keep else ():
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{case['id']}.yaml").write_text(case["text"], encoding="utf-8")
        comparison = Comparison(options.source, options.target, options.show)
        comparison.run(Converter(str(Path(options.binary).resolve()), options.source, options.target, Path(scratch)), cases)
    print(f"{options.source} -> {options.target}: " + ", ".join(f"{count} {what}" for what, count in comparison.counts.items()))
    return 1 if comparison.counts["lies"] else 0


if __name__ == "__main__":
    sys.exit(main())
