#!/usr/bin/env python3
"""Change one number of an accepted recipe, and check that `diff` never claims that nothing changed.

    changed_numbers.py SPARSECFG TESTDATA [--seed N] [--count N] [--folder FOLDER...] [--verbose]

The recipes are those of TESTDATA/validate that have no errors. In each case, one number of one recipe is replaced, and
the new recipe has no errors either. `diff` may exit with 0 only if the values of both recipes are known and equal:
`timeline` prints the same numbers at every step without a gap, or, for recipes without steps, `match --format json --all`
prints the same outcomes. Otherwise `diff` must name a change (1) or state that a part was not compared (2).
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SUFFIXES = {".yaml", ".json"}
SKIPPED = {"models", "names", "after", "next", "negative", "wrapped"}
NUMBER = re.compile(r"(?<![\w.'\"-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.:'\"])")
IGNORED = re.compile(r"num_calibration_steps|sequential_update|log_frequency")  # fields that a framework ignores
OPTIONS = ["--steps-per-epoch", "7", "--initial-lr", "0.1"]


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False, timeout=120)

    def accepts(self, path):
        return self.run("validate", "-q", str(path)).returncode == 0

    def timeline(self, path):
        """Returns the steps of a recipe, or None if it has no steps."""
        shown = self.run("timeline", "--every-step", "--format", "jsonl", *OPTIONS, str(path))
        return shown.stdout if shown.returncode == 0 and shown.stdout else None

    def is_known(self, steps):
        """Returns true if no value of a timeline is missing."""
        return "null" not in steps


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


def is_without_effect(start):
    """Returns true for the start of a line that ends in a comment or names an ignored field."""
    return "#" in start or IGNORED.search(start) is not None


def mutant(text, rng):
    """Returns the text with one other number, or None if it has no number."""
    places = [each for each in NUMBER.finditer(text) if not is_without_effect(text[text.rfind("\n", 0, each.start()) + 1:each.start()])]
    if not places:
        return None
    place = rng.choice(places)
    other = changed(place[0], rng)
    return None if other == place[0] else text[:place.start()] + other + text[place.end():]


def verdict(program, before, after):
    """Returns "named", "not compared", "equal" or "silent"."""
    status = program.run("diff", str(before), str(after)).returncode
    if status != 0:
        return {1: "named", 2: "not compared"}.get(status, f"exit {status}")
    one, other = program.timeline(before), program.timeline(after)
    if one is not None and other is not None:
        return "equal" if one == other and program.is_known(one) else "silent"
    return "written" if same_values(before, after) else "silent"


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
        while sum(counts.values()) < options.count and tries < options.count * 30:
            tries += 1
            dialect, path = rng.choice(recipes)
            text = mutant(path.read_text(encoding="utf-8", errors="surrogateescape"), rng)
            if text is None:
                continue
            before, after = pathlib.Path(folder, "a" + path.suffix), pathlib.Path(folder, "b" + path.suffix)
            before.write_text(path.read_text(encoding="utf-8", errors="surrogateescape"), encoding="utf-8", errors="surrogateescape")
            after.write_text(text, encoding="utf-8", errors="surrogateescape")
            if not program.accepts(before) or not program.accepts(after):
                continue
            found = verdict(program, before, after)
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
