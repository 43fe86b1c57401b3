#!/usr/bin/env python3
"""Makes mistakes in valid recipes and follows the advice of sparsecfg.

    mistakes.py SPARSECFG TESTDATA [--seed N] [--count N] [--folder FOLDER...] [--verbose]

A recipe is valid if sparsecfg has no errors and no warnings about it. Each case is one valid recipe with one mistake.
The result of a case:

    found     there is a new error or warning
    located   ... on a line of the mistake
    findings  number of new errors and warnings
    fixed     after `--fix --unsafe-fixes` there is none
    restored  ... and the recipe has the meaning of the original
    harmful   ... and it has another meaning. Must be 0.

A change that leaves the meaning as it was and has no finding is no mistake, and does not count. Fails if a fix is
harmful, or if a figure is below the limits that a suite of any seed passes.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import mutations

LIMITS = {"found": 0.9, "located": 0.9, "fixed": 0.8, "restored": 0.95}
MOST_FINDINGS = 1.2
UNCOMPARED = {"line", "column", "span", "place"}
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
SUFFIXES = {".yaml", ".json", ".py"}
SKIPPED = {"models", "names", "after", "next", "negative", "wrapped", "ir"}  # folders


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, cwd):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=cwd, check=False, timeout=600)

    def findings(self, folder):
        """Returns the errors and warnings of the files of a folder."""
        report = json.loads(self.run("validate", "--format", "json", ".", cwd=folder).stdout)
        return {pathlib.Path(file["path"]).parts[-2]: [each for each in file["diagnostics"] if each["severity"] != "info"]
                for file in report["files"]}

    def fix(self, folder):
        self.run("validate", "--fix", "--unsafe-fixes", ".", cwd=folder)

    def meaning(self, file):
        """Returns what the recipe does, without places."""
        shown = self.run("convert", "--to", "ir", "-q", file.name, cwd=file.parent)
        try:
            return without_places(json.loads(shown.stdout))
        except json.JSONDecodeError:
            return None


def without_places(value):
    """Returns a part of a schedule without places, and with numbers and booleans in quotes as plain ones, which the frameworks read alike."""
    if isinstance(value, dict):
        return {key: without_places(each) for key, each in value.items() if key not in UNCOMPARED}
    if isinstance(value, list):
        return [without_places(each) for each in value]
    if isinstance(value, bool):
        return str(value).lower()
    return float(value) if NUMBER.fullmatch(str(value)) else value


def name_of(recipe):
    return "config.json" if recipe.suffix == ".json" else "recipe" + recipe.suffix


def write(folder, number, name, text):
    place = folder / f"{number:05d}"
    place.mkdir()
    (place / name).write_text(text, encoding="utf-8")


def sources(testdata, folders):
    roots = [testdata / "validate", testdata / "convert", *folders]
    for root in roots:
        for path in sorted(root.rglob("*")):
            skipped = SKIPPED & set(path.relative_to(root).parts)
            if path.suffix in SUFFIXES and not skipped and not path.with_suffix(".args").exists():
                yield path


def valid_recipes(program, testdata, folders):
    """Returns the recipes without errors and warnings that contain something to change."""
    paths = list(sources(testdata, folders))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, path in enumerate(paths):
            write(folder, number, name_of(path), path.read_bytes().decode("utf-8", "replace"))
        found = program.findings(folder)
    good = [path for number, path in enumerate(paths) if found.get(f"{number:05d}") == []]
    recipes = [mutations.Recipe(path, path.read_text(encoding="utf-8", errors="replace")) for path in good]
    return [recipe for recipe in recipes if any(True for _ in recipe.entries())]


class Case:
    def __init__(self, recipe, mutation, lines, places):
        self.recipe = recipe
        self.name = mutation.__name__
        self.text = "\n".join(lines)
        self.places = {at + 1 for at in places}


def invent(recipes, chance, count):
    """Spreads the cases over kinds of files and mistakes."""
    by_kind = collections.defaultdict(list)
    for recipe in recipes:
        by_kind[recipe.kind, recipe.path.parts[-2]].append(recipe)
    groups = sorted(by_kind)
    cases = []
    while len(cases) < count:
        recipe = chance.choice(by_kind[chance.choice(groups)])
        mutation = chance.choice(mutations.ALL)
        changed = mutation(recipe, chance)
        if changed:
            cases.append(Case(recipe, mutation, *changed))
    return cases


def follow(program, cases):
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        before, after, originals = root / "before", root / "after", root / "originals"
        for folder in (before, originals):
            folder.mkdir()
        for number, case in enumerate(cases):
            write(before, number, name_of(case.recipe.path), case.text)
            write(originals, number, name_of(case.recipe.path), "\n".join(case.recipe.lines))
        shutil.copytree(before, after)
        found = program.findings(before)
        program.fix(after)
        left = program.findings(after)
        for number, case in enumerate(cases):
            key = f"{number:05d}"
            name = name_of(case.recipe.path)
            case.findings = found.get(key, [])
            case.left = left.get(key, [])
            case.after = (after / key / name).read_text(encoding="utf-8")
            original = "\n".join(case.recipe.lines)
            case.same = case.after == original
            if not case.same and (not case.left or not case.findings):
                meanings = [program.meaning(folder / key / name) for folder in (originals, after)]
                case.same = meanings[0] is not None and meanings[0] == meanings[1]


def judge(case):
    """Returns the results of a case, or None if the change is no mistake."""
    if not case.findings and case.same:
        return None
    found = bool(case.findings)
    located = any(each["span"]["start"]["line"] in case.places for each in case.findings)
    fixed = found and not case.left and case.after != case.text
    return {"found": found, "located": located, "findings": len(case.findings), "fixed": fixed,
            "restored": fixed and case.same, "harmful": fixed and not case.same}


def show(case, results):
    print(f"--- {case.name} {case.recipe.path}: {[name for name, value in results.items() if value is True]}")
    for at, (old, new) in enumerate(zip(case.recipe.lines, case.text.split("\n"))):
        if old != new:
            print(f"{at + 1:4} - {old}\n     + {new}")
    for finding in case.findings:
        print(f"     {finding['span']['start']['line']}: {finding['code']} {finding['message']} / {finding['help']}")
    if results["fixed"] or results["harmful"]:
        for old, new in zip(case.text.split("\n"), case.after.split("\n")):
            if old != new:
                print(f"     fix: {old} -> {new}")


def table(results):
    names = collections.defaultdict(list)
    for name, each in results:
        names[name].append(each)
    names["all"] = [each for _, each in results]
    print(f"{'mistake':18} {'cases':>5} {'found':>6} {'located':>7} {'findings':>8} {'fixed':>6} {'restored':>8} {'harmful':>7}")
    for name, rows in names.items():
        total = len(rows)
        found = sum(row["found"] for row in rows)
        fixed = sum(row["fixed"] for row in rows)
        print(f"{name:18} {total:5} {found / total:6.0%} {sum(row['located'] for row in rows) / max(found, 1):7.0%} "
              f"{sum(row['findings'] for row in rows) / max(found, 1):8.2f} {fixed / total:6.0%} "
              f"{sum(row['restored'] for row in rows) / max(fixed, 1):8.0%} {sum(row['harmful'] for row in rows):7}")
    return names["all"]


def failures(rows):
    found = sum(row["found"] for row in rows)
    fixed = sum(row["fixed"] for row in rows)
    figures = {"found": found / len(rows), "located": sum(row["located"] for row in rows) / found,
               "fixed": fixed / len(rows), "restored": sum(row["restored"] for row in rows) / fixed}
    out = [f"{name}: {figures[name]:.1%} is below {limit:.0%}" for name, limit in LIMITS.items() if figures[name] < limit]
    findings = sum(row["findings"] for row in rows) / found
    out += [f"{findings:.2f} findings per mistake"] if findings > MOST_FINDINGS else []
    harmful = sum(row["harmful"] for row in rows)
    return out + ([f"{harmful} harmful fixes"] if harmful else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("testdata", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--folder", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--verbose", action="store_true", help="show every case that is not restored")
    arguments = parser.parse_args()
    program = Program(arguments.program)
    recipes = valid_recipes(program, arguments.testdata, arguments.folder)
    cases = invent(recipes, random.Random(arguments.seed), arguments.count)
    follow(program, cases)
    results = []
    for case in cases:
        judged = judge(case)
        if judged is not None:
            results.append((case.name, judged))
            if judged["harmful"] or (arguments.verbose and not judged["restored"]):
                show(case, judged)
    print(f"{len(recipes)} recipes, {len(cases)} changes, {len(results)} mistakes, seed {arguments.seed}")
    failed = failures(table(results))
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
