#!/usr/bin/env python3
"""Compare the modules that sparsecfg derives from a config.json with public checkpoints, which are not in the repository.

  tests/models.py [--binary build/release/sparsecfg] [--cases DIR]

Without --cases, they are in `cases/models` of the folder that the environment variable SPARSECFG_COMPARISON_DATA names.
Each case has a configuration, the names of the tensors in its checkpoint, and their total size. Names and sizes must be
equal, or differ for a reason that the case itself shows: files that a quantization tool wrote, tensors that older
releases stored in addition, and missing sizes. If a tool renamed modules, the names must be equal after the
replacements below. Prints one line per architecture and the reasons. Fails if a difference has no reason, or if fewer
cases are accepted than the number below.
"""
import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = 53  # of 74 cases; the others are models that are not known
# Cases whose repository has its own code, which builds other modules than the class of the same name in transformers.
OWN_CODE = ("DeepseekV3ForCausalLM-310cef836c", "InternLMForSequenceClassification-fd0cb92318")
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
# Stored by older releases, although the model computes them.
COMPUTED = re.compile(r"(rotary_emb\.inv_freq|attention\.(masked_)?bias|position_ids)$")
# Stored in addition by releases that did not drop shared tensors.
SHARED = {"lm_head.weight", "language_model.lm_head.weight", "cls.predictions.decoder.weight"}
QUANTIZED = re.compile(r"\.(weight\.\w+|weight_packed|weight_scale|weight_shape|scales|biases|SCB|qweight|qzeros)$")
# Quantized cases with other names of modules than the model: the reason, and replacements that lead to its names.
RENAMED = {
    "Qwen3_5ForConditionalGeneration-dac0a88b6f": ("quantized, other prefix", (
        (r"^language_model\.(lm_head)$", r"\1"), (r"^language_model\.model\.", "model.language_model."),
        (r"^vision_tower\.", "model.visual."))),
    "Gemma4ForConditionalGeneration-a3cb92f7b8": ("quantized, one module per expert", (
        (r"(\.experts)\.\d+\.\w+$", r"\1"),)),
}
# One byte for each value: two numbers of four bits, or an exponent.
SINGLE_BYTE = re.compile(r"_(blocks|scales)$")
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


class Sparsecfg:
    """Runs the program in a folder with a recipe and a configuration."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        (folder / "recipe.yaml").write_text(RECIPE, encoding="utf-8")

    def run(self, *args):
        return subprocess.run([self.binary, *args, self.folder / "recipe.yaml"], capture_output=True, text=True,
                              timeout=60, check=False)

    def derive(self, config):
        """Returns the shapes of all tensors by name, or the reason of a rejection."""
        path = self.folder / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        run = self.run("match", "--format", "json", "--model", path)
        if not run.stdout:
            return run.stderr.strip().replace(str(path), "config.json").splitlines()[0]
        return {each["name"]: each.get("shape", []) for each in json.loads(run.stdout)["parameters"]}

    def lacks(self, stored):
        """Returns true if an index with these tensors lacks modules, under any of the names of the architecture."""
        index = self.folder / "model.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": dict.fromkeys(stored, "model.safetensors")}), encoding="utf-8")
        run = self.run("validate", "--format", "json", "--model", self.folder)
        index.unlink()
        return "the files lack" in json.loads(run.stdout)["files"][0].get("model", "")


def owner(tensor):
    """Returns the module of a tensor, also of `q_proj.weight.absmax` and `q_proj.weight.quant_state.nf4`."""
    return re.sub(r"\.weight(\..*)?$|\.\w+$", "", tensor)


def compare_quantized(case, stored, tensors):
    """Returns why the names of the tensors differ although the modules are the same."""
    reason, replacements = RENAMED.get(case, ("quantized, same modules", ()))
    modules = set(map(owner, stored))
    for pattern, replacement in replacements:
        modules = {re.sub(pattern, replacement, module) for module in modules}
    return reason if modules == set(map(owner, tensors)) else "unexplained"


def compare_names(tool, case, stored, tensors):
    """Returns why the names differ; empty if they are equal."""
    plain = {name for name in stored if not COMPUTED.search(name)}
    names = set(tensors)
    if names <= plain and plain - names <= SHARED:
        return ""
    if any(QUANTIZED.search(name) for name in stored):
        return compare_quantized(case, plain, names)
    return "" if len(plain) == len(names) and not tool.lacks(plain) else "unexplained"


def type_of(config):
    nested = config.get("text_config", {})
    return next((each[key] for each in (config, nested) for key in ("torch_dtype", "dtype") if each.get(key)), None)


def compare_sizes(case, stored, tensors):
    """Returns why the sizes differ; empty if they are equal."""
    known = BYTES.get(type_of(case["config"]))

    def size(name, width):
        out = 1 if SINGLE_BYTE.search(name) else width
        for length in tensors[name]:
            out *= length
        return out

    totals = [sum(size(name, width) for name in tensors) for width in ([known] if known else [2, 4])]
    if not case["total_size"]:
        return "no size recorded"
    if case["total_size"] in totals:
        return ""
    if any(QUANTIZED.search(name) for name in stored):
        return "quantized"
    if known and case["total_size"] in [sum(size(name, width) for name in tensors) for width in (2, 4)]:
        return "stored with another type"
    extra = set(stored) - set(tensors)
    embedding = next((name for name in tensors if re.search(r"(embed\w*|wte)\.weight$", name)), None)
    if extra and extra <= SHARED:
        shared = [total + size(embedding, width) for total, width in zip(totals, [known] if known else [2, 4])]
        return "" if case["total_size"] in shared else "unexplained"
    return "tensors of older releases" if any(map(COMPUTED.search, extra)) else "unexplained"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/sparsecfg", type=Path)
    parser.add_argument("--cases", default=Path(os.environ.get("SPARSECFG_COMPARISON_DATA", "/nonexistent")) / "cases/models", type=Path)
    args = parser.parse_args()
    if not args.cases.is_dir():
        print("skipped: the collection of model configurations is not available")
        sys.exit(77)
    counts = collections.defaultdict(collections.Counter)
    differences, rejected = [], []
    with tempfile.TemporaryDirectory() as folder:
        tool = Sparsecfg(args.binary.resolve(), Path(folder))
        for path in sorted(args.cases.glob("*.json")):
            case = json.loads(path.read_text(encoding="utf-8"))
            tensors = tool.derive(case["config"])
            if isinstance(tensors, str):
                rejected.append(f"  {path.stem}: {tensors}")
                continue
            stored = {name for pattern in case["names"] for name in expand(pattern)}
            if path.stem in OWN_CODE and "auto_map" in case["config"]:
                reasons = {"names": "own code", "size": "own code"}
            else:
                reasons = {"names": compare_names(tool, path.stem, stored, tensors),
                           "size": compare_sizes(case, stored, tensors)}
            row = counts[path.stem.rpartition("-")[0]]
            row.update(cases=1, names=not reasons["names"], size=not reasons["size"])
            differences += [f"  {path.stem}: {kind}: {reason}" for kind, reason in reasons.items() if reason]
    total = collections.Counter()
    for family, row in sorted(counts.items()):
        print(f"{family:45} {row['cases']:3} cases {row['names']:3} names equal {row['size']:3} sizes equal")
        total.update(row)
    print(f"{total['cases']} cases: names of {total['names']} and sizes of {total['size']} are equal")
    print(f"{len(differences)} differences:", *differences, sep="\n")
    print(f"{len(rejected)} rejected:", *rejected, sep="\n")
    sys.exit(1 if total["cases"] < ACCEPTED or any("unexplained" in each for each in differences) else 0)


if __name__ == "__main__":
    main()
