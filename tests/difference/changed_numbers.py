#!/usr/bin/env python3
"""Change one number of an accepted recipe, and check that `diff` never claims that nothing changed.

    changed_numbers.py SPARSECFG TESTDATA [--seed N] [--count N] [--folder FOLDER...] [--verbose]

The recipes are those of TESTDATA/validate that have no errors. In each case, one number of one recipe is replaced, and
the new recipe has no errors either. `diff` must name a change (1) or state that a part was not compared (2). It may exit
with 0 only for one of these reasons:

- equal: `timeline` prints the same values at every step, and all of them are known. No mask is a sparsity of 0.
- hidden: `match --format json --all` prints the same known outcome of each layer, and it prints the changed number.
- no effect: `explain` or a finding at the number states that the framework ignores it or has no such version, or all fields of all modifiers are
  equal although metadata or a variable differ.
- written: the texts differ only in the spelling of the number.
"""

import argparse
import collections
import functools
import json
import operator
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import modifier_pairs

SUFFIXES = {".yaml", ".json"}
SKIPPED = {"models", "names", "after", "next", "negative", "wrapped"}
NUMBER = re.compile(r"(?<![\w.'\"-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.:'\"])")
WITHOUT_EFFECT = re.compile(r"no effect|no program reads|has no version|ignore|overwrites|never|not used|removes \S+ of the weights, not")
KEY = re.compile(r"[\"']?([A-Za-z_]\w*)[\"']?\s*:[^:]*$")  # before a value
LABELS = {"ordinal", "format"}  # fields of a schedule in JSON that only name an action or the version
PRINTED = {"num_bits", "group_size", "sparsity", "bits", "block_sizes"}  # fields that the outcome of a layer prints
OPTIONS = ["--steps-per-epoch", "7", "--initial-lr", "0.1"]


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False, timeout=120)

    def accepts(self, path):
        return self.run("validate", "-q", str(path)).returncode == 0

    def timeline(self, path):
        """Returns the values of each step of a recipe, or None if it has no steps."""
        shown = self.run("timeline", "--every-step", "--format", "jsonl", *OPTIONS, str(path))
        if shown.returncode != 0 or not shown.stdout.startswith('{"format"'):
            return None
        head, *steps = [json.loads(line) for line in shown.stdout.splitlines()]
        rated = 0 if head.get("initial_lr") is None else head["steps"]  # no step uses a later rate
        return [(each["lr"] if each["step"] < rated else [], each["weight_decay"], each["sparsity"]) for each in steps if "step" in each]

    def outcomes(self, path, modules):
        """Returns the outcomes of all layers, or None if one of them is unknown or there are none."""
        shown = self.run("match", "--format", "json", "--all", "--modules", str(modules), str(path))
        if shown.returncode != 0:
            return None
        found = [(each.get("name"), each.get("outcome")) for each in json.loads(shown.stdout).get("modules", [])]
        given = [outcome for _, outcome in found if outcome]
        return found if given and not any(outcome.get("unknown") for outcome in given) else None

    def inspect(self, path):
        return json.loads(self.run("inspect", "--format", "json", str(path)).stdout or "{}")

    def findings_at(self, path, line):
        """Returns the texts of the findings at a line."""
        report = json.loads(self.run("validate", "-v", "--format", "json", str(path)).stdout)
        return [each["message"] + " " + each.get("help", "") for each in diagnostics_of(report) if line in lines_of(each)]

    @functools.lru_cache(maxsize=None)
    def explains_no_effect(self, dialect, field):
        """Returns true if all entries of a field in a dialect state that it has no effect."""
        texts = re.split(rf"(?m)^{re.escape(field)} \((?=[A-Z a-z])", self.run("explain", field).stdout)[1:]
        own = [each for each in texts if each.lower().startswith(dialect)]
        return bool(own) and all(re.search("ignores it|overwrites it|no effect", each, re.IGNORECASE) for each in own)


def diagnostics_of(report):
    files = report.get("files", [report])
    return [each for file in files for each in file.get("diagnostics", file.get("findings", []))]


def lines_of(finding):
    spans = [each["span"] for each in [finding, *finding.get("labels", [])] if each.get("span")]
    return {line for each in spans for line in range(each["start"]["line"], each["end"]["line"] + 1)}


def is_same(one, other):
    """Returns true if all values of two timelines are equal, except for rounding."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return one == other or (isinstance(one, float) and isinstance(other, float) and abs(one - other) <= 1e-12)


def with_zeros(steps):
    """Returns the steps with a sparsity of 0 where no mask applies."""
    return [(rates, decays, {name: value or 0.0 for name, value in sparsity.items()}) for rates, decays, sparsity in steps]


def is_known(steps):
    """Returns true if no value is missing: a sparsity is only missing before its first mask and after its last one."""
    if any(rate is None for rates, _, _ in steps for rate in rates):
        return False
    decays = {decay is None for _, each, _ in steps for decay in each}
    series = [[sparsity[name] is not None for _, _, sparsity in steps] for name in (steps[0][2] if steps else {})]
    return len(decays) < 2 and all(any(each) and sum(map(operator.ne, each, each[1:])) <= 2 for each in series)


def accepted_recipes(program, testdata, folders):
    for folder in folders or sorted(each.name for each in (testdata / "validate").iterdir() if each.is_dir()):
        for path in sorted((testdata / "validate" / folder).rglob("*")):
            parts = set(path.relative_to(testdata).parts)
            if path.suffix in SUFFIXES and not parts & SKIPPED and not path.with_suffix(".args").exists():
                yield folder, path


def changed(number, rng):
    """Returns another number of the same kind."""
    if re.fullmatch(r"-?\d+", number):
        value = int(number)
        return str(rng.choice([value + 1, value + 2, value * 2 + 1, max(value - 1, 0)]))
    value = float(number)
    return repr(rng.choice([value * 0.5, value * 0.9, value + 0.125 if value >= 1 else value * 0.75]))


def mutant(text, rng):
    """Returns the text with one other number, and its place; None if it has no number."""
    begin = max(text.find('"quantization'), 0) if '"architectures"' in text else 0  # the sizes of a model are no recipe
    places = [each for each in NUMBER.finditer(text, begin) if "#" not in text[text.rfind("\n", 0, each.start()) + 1:each.start()]]
    if not places:
        return None
    place = rng.choice(places)
    other = changed(place[0], rng)
    return None if other == place[0] else (text[:place.start()] + other + text[place.end():], place.start())


def states_no_effect(program, paths, at):
    """Returns true if the program states that the number at a place of both texts has no effect."""
    text = paths[0].read_text(errors="surrogateescape")
    line, key = text.count("\n", 0, at) + 1, KEY.search(text[:at])
    shown = [program.inspect(path) for path in paths]
    if key and key[1] in LABELS:
        return True
    if key and program.explains_no_effect(shown[0].get("dialect", ""), key[1]):
        return True
    if any(WITHOUT_EFFECT.search(each) for path in paths for each in program.findings_at(path, line)):
        return True
    # The fields of all modifiers are equal, so only metadata or variables changed.
    rest = [{name: value for name, value in each.items() if name not in ("metadata", "path", "variables")} for each in shown]
    return shown[0].get("dialect") == "sparseml" and rest[0] == rest[1] and shown[0] != {**shown[1], "path": shown[0].get("path")}


def verdict(program, before, after, modules, at):
    """Returns "named", "not compared", "equal", "hidden", "no effect", "written" or "silent"."""
    status = program.run("diff", str(before), str(after)).returncode
    if status != 0:
        return {1: "named", 2: "not compared"}.get(status, f"exit {status}")
    if same_values(before, after):
        return "written"
    steps = program.timeline(before)
    others = program.timeline(after)
    if steps and others and is_known(steps) and is_known(others) and is_same(with_zeros(steps), with_zeros(others)):
        return "equal"
    key = KEY.search(before.read_text(errors="surrogateescape")[:at])
    outcomes = program.outcomes(before, modules) if key and key[1] in PRINTED else None
    if outcomes is not None and outcomes == program.outcomes(after, modules):
        return "hidden"
    return "no effect" if states_no_effect(program, (before, after), at) else "silent"


def same_values(before, after):
    """Returns true if both texts differ only in the spelling of numbers."""
    values = [[float(each) for each in NUMBER.findall(path.read_text(errors="surrogateescape"))] for path in (before, after)]
    return values[0] == values[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sparsecfg")
    parser.add_argument("testdata", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    program, rng = Program(options.sparsecfg), random.Random(options.seed)
    recipes = list(accepted_recipes(program, options.testdata, options.folder))
    counts, silent, tries = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        modules = pathlib.Path(folder, "modules.tsv")
        modules.write_text(modifier_pairs.layers(), encoding="utf-8")
        while sum(counts.values()) < options.count and tries < options.count * 30:
            tries += 1
            dialect, path = rng.choice(recipes)
            found = mutant(path.read_text(encoding="utf-8", errors="surrogateescape"), rng)
            if found is None:
                continue
            text, at = found
            before, after = pathlib.Path(folder, "a" + path.suffix), pathlib.Path(folder, "b" + path.suffix)
            before.write_text(path.read_text(encoding="utf-8", errors="surrogateescape"), encoding="utf-8", errors="surrogateescape")
            after.write_text(text, encoding="utf-8", errors="surrogateescape")
            if not program.accepts(before) or not program.accepts(after):
                continue
            found = verdict(program, before, after, modules, at)
            counts[found] += 1
            if found == "silent" or found.startswith("exit"):
                silent.append((dialect, path, text))
                print(f"{found}: {path}")
                if options.verbose:
                    print(text)
    print(json.dumps(dict(sorted(counts.items()))))
    return 1 if silent or sum(counts.values()) < options.count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
