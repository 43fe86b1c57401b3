#!/usr/bin/env python3
"""Compare the modules that sparsecfg derives from a config.json with public checkpoints, which are not in the repository.

  tests/models.py [--binary build/release/sparsecfg] [--cases ../shared/cases/models]

Each case has a configuration, the names of the tensors in its checkpoint, and the total size. The names must be equal,
apart from tensors that older releases stored in addition, and from the tensors of quantized layers. The sum of the
tensors with the type of the configuration must equal the total size. Prints one line per architecture, and fails if
fewer cases are equal than the numbers below.
"""
import argparse
import collections
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUAL_NAMES, EQUAL_SIZES = 43, 33  # of 74 cases, 26 of which are rejected
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
# Stored by older releases, although the model computes them.
EXTRA = re.compile(r"(rotary_emb\.inv_freq|attention\.(masked_)?bias|position_ids)$")
RECIPE = "modifiers:\n  - !ConstantPruningModifier\n    params: __ALL__\n    start_epoch: 0\n"


def expand(pattern):
    """Expands `layers.{0-3,7}.weight`."""
    parts = re.split(r"\{([\d,\-]+)\}", pattern)
    ranges = []
    for text in parts[1::2]:
        bounds = [piece.split("-") for piece in text.split(",")]
        ranges.append([number for low, *high in bounds for number in range(int(low), int((high or [low])[0]) + 1)])
    for numbers in itertools.product(*ranges):
        yield parts[0] + "".join(f"{number}{text}" for number, text in zip(numbers, parts[2::2]))


def derive(binary, config, folder):
    """Returns the shapes of all tensors by name, or the reason of a rejection."""
    path, recipe = folder / "config.json", folder / "recipe.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    recipe.write_text(RECIPE, encoding="utf-8")
    run = subprocess.run([binary, "match", "--format", "json", "--params", path, recipe], capture_output=True,
                         text=True, timeout=60, check=False)
    if not run.stdout:
        return run.stderr.strip().replace(str(path), "config.json").splitlines()[0]
    return {each["name"]: each.get("shape", []) for each in json.loads(run.stdout)["parameters"]}


def size_of(shape):
    out = 1
    for size in shape:
        out *= size
    return out


def verdict(case, tensors):
    """Returns whether the names and the total size are equal."""
    stored = {name for pattern in case["names"] for name in expand(pattern) if not EXTRA.search(name)}
    names = set(tensors)
    extra = stored - names
    # A shared output head may be stored, too.
    tied = extra <= {"lm_head.weight", "language_model.lm_head.weight", "cls.predictions.decoder.weight"}
    config = case["config"]
    kind = config.get("torch_dtype") or config.get("dtype") or config.get("text_config", {}).get("dtype") or \
        config.get("text_config", {}).get("torch_dtype")
    total = sum(map(size_of, tensors.values())) * BYTES.get(kind, 4)
    return names <= stored and tied, total == case["total_size"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/sparsecfg", type=Path)
    parser.add_argument("--cases", default=ROOT.parent / "shared/cases/models", type=Path)
    args = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    reasons = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(args.cases.glob("*.json")):
            case = json.loads(path.read_text(encoding="utf-8"))
            tensors = derive(args.binary, case["config"], Path(folder))
            if isinstance(tensors, str):
                reasons.append(f"  {path.stem}: {tensors}")
                continue
            same_names, same_size = verdict(case, tensors)
            row = counts[path.stem.rpartition("-")[0]]
            row.update(cases=1, names=same_names, size=same_size)
            if not same_names:
                row["different"] += 1
    total = collections.Counter()
    for family, row in sorted(counts.items()):
        print(f"{family:45} {row['cases']:3} cases {row['names']:3} names equal {row['size']:3} sizes equal")
        total.update(row)
    print(f"{total['cases']} cases: names of {total['names']} and sizes of {total['size']} are equal")
    print(f"{len(reasons)} rejected:", *reasons, sep="\n")
    sys.exit(0 if total["names"] >= EQUAL_NAMES and total["size"] >= EQUAL_SIZES else 1)


if __name__ == "__main__":
    main()
