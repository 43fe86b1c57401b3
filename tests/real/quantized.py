#!/usr/bin/env python3
"""Random recipes that quantize, converted from SparseML to NNI: which layers both frameworks quantize, and to how many bits.

  quantized.py --binary build/dev/sparsecfg [--seed N] [--count N]

Compared are linear and convolutional layers, as the report says. Environment: SPARSECFG_REAL, the folder of `batch.py`;
without it the exit status is 77.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import models
from conversions import SKIPPED, run_real
from nni_recipes import NET

LAYERS = ("Linear", "Conv2d", "Conv3d")
STEPS = 4


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.names = [name for name, _, _ in NET if name]
        self.types = sorted({kind for _, kind, _ in NET})

    def arguments(self):
        return {"num_bits": self.rng.choice([2, 4, 8]), "symmetric": self.rng.random() < 0.5, "strategy": self.rng.choice(["tensor", "channel"])}

    def scheme(self):
        made = {part: self.rng.choice([None, self.arguments()]) for part in ("weights", "input_activations") if self.rng.random() < 0.6}
        return self.rng.choice([None, "deepsparse", "tensorrt", made, made, made])

    def some(self, choices):
        return self.rng.sample(choices, self.rng.randint(1, 3))

    def fields(self):
        fields = {"start_epoch": float(self.rng.randint(0, 1))}
        if self.rng.random() < 0.2:
            return {**fields, "submodules": self.some([name for name in self.names if "." not in name]), "weight_bits": self.rng.choice([4, 8])}
        fields["model_fuse_fn_name"] = "no_fuse"
        scheme = self.scheme()
        if scheme is not None:
            fields["scheme"] = scheme
        if self.rng.random() < 0.5:
            fields["ignore"] = self.some(self.names + self.types)
        if self.rng.random() < 0.5:
            fields["scheme_overrides"] = {name: self.scheme() or {} for name in self.some(self.names + ["Linear", "Conv2d"])}
        return fields

    def make(self):
        lines = ["modifiers:", "- !EpochRangeModifier", "  start_epoch: 0.0", "  end_epoch: 2.0", "- !QuantizationModifier"]
        return "\n".join(lines + [f"  {name}: {json.dumps(value)}" for name, value in self.fields().items()]) + "\n"


def convert(binary, text, folder):
    (folder / "source.yaml").write_text(text, encoding="utf-8")
    rows = (f"{m['name']}\t{m['type']}\n" for m in models.modules_of(NET))
    (folder / "modules.tsv").write_text("".join(rows), encoding="utf-8")
    done = subprocess.run([binary, "convert", str(folder / "source.yaml"), "--to", "nni", "--steps-per-epoch", str(STEPS), "--modules",
                           str(folder / "modules.tsv")], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout, done.returncode


def layers(found):
    kinds = {name: kind for name, kind, _ in NET}
    return {name: bits for name, bits in found.items() if kinds.get(name) in LAYERS}


def bits_of_nni(answer):
    """Of each module the bits of its weight."""
    out = {}
    for name, module in (answer.get("resolved") or {}).items():
        weight = module["targets"].get("weight")
        if weight is not None:
            out[name] = int(weight["quant_dtype"].removeprefix("int"))
    return layers(out)


def bits_of_sparseml(answer):
    return layers({name: (high - low + 1).bit_length() - 1 for name, (low, high) in (answer.get("quantized") or {}).items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    if not (Path(os.environ.get("SPARSECFG_REAL", "")) / "batch.py").is_file():
        return SKIPPED
    texts = [Maker(random.Random(f"quantized {options.seed} {number}")).make() for number in range(options.count)]
    mine = run_real("sparseml", [{"text": text, "net": NET, "params": models.parameters_of(NET), "steps_per_epoch": STEPS, "epochs": 2,
                                  "real_qat": True} for text in texts])
    ready = []
    lies = 0
    with tempfile.TemporaryDirectory() as scratch:
        for text, answer in zip(texts, mine):
            written, status = convert(options.binary, text, Path(scratch)) if answer["verdict"] == "accept" else ("", 1)
            if status not in (0, 1):
                lies += 1
                print(f"exit status {status}\n{text}")
            elif written:
                ready.append((text, answer, written))
    theirs = run_real("nni", [{"text": written, "net": NET} for _, _, written in ready])
    for (text, answer, written), other in zip(ready, theirs):
        one, two = bits_of_sparseml(answer), bits_of_nni(other)
        if other["verdict"] != "accept" or one != two:
            lies += 1
            print(f"{one}\n{two} {other.get('error')}\n{text}{written}")
    print(f"{options.count} recipes, {sum(a['verdict'] == 'accept' for a in mine)} run by SparseML, {len(ready)} written, {lies} lies")
    return 1 if lies or not ready else 0


if __name__ == "__main__":
    sys.exit(main())
