#!/usr/bin/env python3
"""Convert every recipe of testdata/truth into every dialect, and the recipes of a collection outside of the repository.

  tests/convert_pairs.py [--binary build/release/sparsecfg] [--only ID] [--show N] [--more OPTIONS]

The collection is `corpus` in the folder that the environment variable SPARSECFG_COMPARISON_DATA names, if it is set.
Recipes with errors are skipped. Each output must be readable without an error, each difference announced, and
normalizing twice must be the same as once. Prints a table of counts for each pair of dialects.
"""
import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRUTH = ROOT / "testdata" / "truth"
CORPUS = Path(os.environ.get("SPARSECFG_COMPARISON_DATA", "/nonexistent")) / "corpus"
FRAMEWORKS = {"keras": ["--framework", "keras"], "tensorflow_v1": ["--framework", "tensorflow"]}
READING = ("framework", "distiller", "nni", "ai8x", "steps_per_epoch", "epochs")
KINDS = ("exact", "equivalent", "not_compared", "not_converted", "approximated", "dropped")
FILES = ("recipes", "kept", "announced", "lossy", "empty", "no run", "failed")


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def handwritten_cases():
    for path in [TRUTH / framework / "cases.jsonl" for framework in ("distiller", "llm-compressor", "nni", "sparseml")]:
        for case in lines_of(path):
            options = case.get("options", {})
            names = {key: path.parent / "names" / case[key] for key in ("params", "modules") if key in case}
            yield {"id": case["id"], "dialect": options.get("from", path.parent.name), "options": options, "real": False,
                   "path": path.parent / "recipes" / case.get("recipe", case["id"] + ".yaml"), "names": names}


def real_cases():
    for path in sorted(CORPUS.glob("*/index.jsonl")):
        for case in lines_of(path):
            if case.get("file") and case.get("options") is not None:
                yield {**case, "path": path.parent / case["file"], "real": True}


class Pairs:
    def __init__(self, binary, show, more=()):
        self.binary, self.left, self.more = binary, show, list(more)
        self.files = collections.defaultdict(collections.Counter)
        self.actions = collections.defaultdict(collections.Counter)
        self.distiller = collections.Counter()
        self.causes = collections.defaultdict(collections.Counter)
        self.folder = Path(tempfile.mkdtemp())

    def run(self, *arguments):
        done = subprocess.run([self.binary, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def options(self, case):
        options = case["options"]
        arguments = list(FRAMEWORKS.get(case.get("flavour"), []))
        if case.get("flavour") == "1.x":
            arguments += ["--nni", "1.x"]
        for key in READING:
            if key in options:
                arguments += ["--" + key.replace("_", "-"), options[key]]
        for key, file in {**self.written_names(case), **case.get("names", {})}.items():
            arguments += ["--" + key, file]
        return arguments

    def written_names(self, case):
        """Writes the names in a case to files. Returns the files by option."""
        lines = {"params": [name + "\n" for name in case.get("params") or []],
                 "modules": [f"{m['name']}\t{m['type']}\n" for m in case.get("modules") or [] if case["dialect"] != "sparseml"]}
        files = {key: self.folder / key for key in lines if lines[key]}
        for key, file in files.items():
            file.write_text("".join(lines[key]), encoding="utf-8")
        return files

    @staticmethod
    def variables(case):
        arguments = []
        for key, value in (case["options"].get("set") or {}).items():
            arguments += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        return arguments

    def complain(self, case, pair, what):
        self.files[pair]["failed"] += 1
        if self.left > 0:
            self.left -= 1
            print(f"{case['id']} -> {pair[1]}: {what}")

    def handle(self, case, targets):
        arguments = self.options(case)
        reading = [*arguments, *self.variables(case)]
        if self.run("validate", case["path"], "--from", case["dialect"], *reading)[0] != 0:
            return
        rate = case["options"].get("initial_lr")
        rates = ["--initial-lr", rate] if rate is not None else []
        for target in targets:
            self.convert(case, target, [*reading, *rates], arguments)

    def convert(self, case, target, arguments, reading):
        pair = (case["dialect"], target, "real" if case["real"] else "hand-made")
        out = self.folder / "out.yaml"
        out.unlink(missing_ok=True)
        status, _, errors = self.run("convert", case["path"], "--from", case["dialect"], "--to", target, "-o", out, "--report", "json",
                                     "--allow-loss", *arguments, *self.more)
        self.files[pair]["recipes"] += 1
        if status == 2 and not errors.startswith("{"):
            self.files[pair]["no run"] += 1
            return
        try:
            report = json.loads(errors)
        except json.JSONDecodeError:
            self.complain(case, pair, f"exit status {status}: {errors.strip()[:200]}")
            return
        kinds = [action["fidelity"] for action in report["actions"]]
        self.actions[pair].update(kinds)
        self.count_policies(pair, report)
        if status not in (0, 1) or (status == 1 and "dropped" not in kinds and out.exists()):
            faults = [each["message"] for each in report["diagnostics"] if each["code"] in ("PT009", "PT010")]
            self.complain(case, pair, f"exit status {status}: {'; '.join(faults)}")
            return
        worst = max((KINDS.index(kind) for kind in kinds), default=0)
        empty = status == 1 and "dropped" not in kinds
        self.files[pair]["empty" if empty else ("kept", "kept", "kept", "announced", "announced", "lossy")[worst]] += 1
        for action in report["actions"] if worst == len(KINDS) - 1 and case["real"] else ():
            if action["fidelity"] == "dropped":
                self.causes[pair][re.sub(r"`[^`]*`", "`...`", action["reason"])] += 1
        if status == 0:
            self.check_output(case, pair, out, reading)

    def count_policies(self, pair, report):
        """Distiller's policies of gradual pruning, of levels and of learning rates, and those that are kept."""
        for action in report["actions"] if pair[:2] == ("distiller", "sparseml") else ():
            name = action["class"]
            kind = "AGP" if name == "AutomatedGradualPruner" else "level" if name == "SparsityLevelParameterPruner" else \
                "LR" if name.endswith("LR") or "WarmRestarts" in name else None
            if kind and action["ordinal"] > 0:
                self.distiller[kind, action["fidelity"] in ("exact", "equivalent")] += 1

    def check_output(self, case, pair, out, reading):
        status, text, _ = self.run("validate", out, "--from", pair[1], *reading)
        if status != 0:
            self.complain(case, pair, f"the output has errors: {text.strip()[:300]}")
            return
        status, again, errors = self.run("normalize", out, "--from", pair[1], *reading)
        if status != 0:
            self.complain(case, pair, f"the output can't be normalized: {errors.strip()[:300]}")
        elif again != out.read_text(encoding="utf-8") and pair[0] == pair[1]:
            self.complain(case, pair, "normalized twice is not the same as once")

    def show(self):
        print(f"{'pair':34}" + "".join(f"{name:>10}" for name in FILES) + "   actions:" + "".join(f"{kind:>14}" for kind in KINDS))
        for pair in sorted(self.files):
            files, actions = self.files[pair], self.actions[pair]
            print(f"{' -> '.join(pair[:2]) + ', ' + pair[2]:34}" + "".join(f"{files[name]:10}" for name in FILES) + "           " +
                  "".join(f"{actions[kind]:14}" for kind in KINDS))
        for kind in ("AGP", "level", "LR"):
            kept, lost = self.distiller[kind, True], self.distiller[kind, False]
            if kept + lost:
                print(f"Distiller's policies of {kind}: {kept} of {kept + lost} exact or equivalent, {100 * kept / (kept + lost):.1f} %")
        for pair in sorted(self.causes):
            print(f"lost of real recipes, {pair[0]} -> {pair[1]}:")
            for cause, times in self.causes[pair].most_common():
                print(f"{times:6}  {cause}")
        return sum(files["failed"] for files in self.files.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build" / "release" / "sparsecfg", type=Path)
    parser.add_argument("--only", default="", help="part of the id of the cases to convert")
    parser.add_argument("--to", action="append", help="dialects to write (default: all that can be)")
    parser.add_argument("--show", default=20, type=int, help="failures to print")
    parser.add_argument("--more", default="", help="further options of convert: '--assume-gaussian --pruner LevelPruner'")
    options = parser.parse_args()
    pairs = Pairs(options.binary.resolve(), options.show, shlex.split(options.more))
    for case in [*handwritten_cases(), *real_cases()]:
        if options.only in case["id"]:
            pairs.handle(case, options.to or ("sparseml", "distiller", "nni", "ir"))
    return 1 if pairs.show() else 0


if __name__ == "__main__":
    sys.exit(main())
