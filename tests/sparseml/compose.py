#!/usr/bin/env python3
"""Compare `sparsecfg compose` with the recorded results of SparseML's function `compose_staged`.

  compose.py --binary build/dev/sparsecfg --cases testdata/truth/sparseml/compose.jsonl

Each case names two recipes and has the modifiers of the composed recipe with all fields, or the error. Every field that
sparsecfg writes must have the recorded value. Each field that it omits must have the default of its class. Milestones and
the ends of modifiers that never end may differ, because SparseML could not run its own result.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import yaml

ENDLESS = {"QuantizationModifier", "SetLearningRateModifier", "SetWeightDecayModifier", "LayerThinningModifier"}


class Loader(yaml.SafeLoader):
    """Modifiers as pairs of their class and their fields."""


Loader.add_multi_constructor("!", lambda loader, tag, node: (tag, loader.construct_mapping(node, deep=True)))


def modifiers_of(text):
    """(stage, class, fields) of each modifier, in any order."""
    out = []
    for stage, groups in yaml.load(text, Loader).items():
        for group, modifiers in groups.items():
            if "modifiers" in group:
                out += [(stage, name, fields) for name, fields in modifiers]
    return out


def same(mine, theirs):
    """A field as SparseML keeps it: mappings are kept as text."""
    if isinstance(theirs, str) and not isinstance(mine, str):
        return str(mine) == theirs
    return mine == theirs


def explains(mine, recorded):
    stage, name, fields = mine
    if (stage, name) != (recorded["stage"], recorded["class"]):
        return False
    known = recorded["props"]
    for field, value in fields.items():
        if field == "lr_kwargs":
            continue
        if not same(value, known.get(field)):
            return False
    absent = {"start_epoch": -1.0, "end_epoch": -1.0}
    return all(field in fields or known.get(field, default) == default or (name in ENDLESS and field == "end_epoch")
               for field, default in absent.items())


def difference(case, folder, binary):
    command = [binary, "compose", str(folder / case["base"]), str(folder / case["additional"])]
    command += ["--keep-epochs"] * case["keep_epochs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if case["verdict"] == "reject":
        return None if done.returncode == 1 and not done.stdout else f"exit status {done.returncode}, and SparseML refuses: {case['error']}"
    if not done.stdout or done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr}"
    left = list(case["modifiers"])
    for mine in modifiers_of(done.stdout):
        found = next((each for each in left if explains(mine, each)), None)
        if found is None:
            return f"SparseML has no {mine}"
        left.remove(found)
    return f"SparseML has also {left}" if left else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", required=True, type=Path)
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.cases.read_text(encoding="utf-8").splitlines()]
    failed = 0
    for case in cases:
        found = difference(case, options.cases.parent / "recipes", options.binary)
        if found:
            failed += 1
            print(f"{case['id']}: {found}")
    print(f"{len(cases)} cases, {failed} differences")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
