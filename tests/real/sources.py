#!/usr/bin/env python3
"""Random recipes of a framework, each with the model and the run that it is made for.

  sources.py distiller|sparseml|nni [--seed N] [--count N]      prints them as lines of JSON
"""
import argparse
import json
import random
import sys
from pathlib import Path

import yaml

import models

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "sparseml"))
STEPS = {"distiller": 2, "sparseml": 4, "nni": 10}  # an epoch


class Source:
    """Recipes of one framework, each with the model and the run that it is made for."""

    def __init__(self, kind):
        self.kind = kind

    def case(self, seed, number):
        rng = random.Random(f"conversions {self.kind} {seed} {number}")
        if self.kind == "sparseml":
            return self.of_sparseml(rng)
        made = __import__(f"{self.kind}_recipes")
        maker = made.Recipes(rng)
        doc = maker.make()
        epochs = getattr(maker, "epochs", None) or self.epochs_of(doc)
        return {"text": yaml.safe_dump(doc, sort_keys=False, default_flow_style=None, width=1000), "net": made.NET,
                "params": models.parameters_of(made.NET), "modules": models.modules_of(made.NET), "epochs": epochs}

    @staticmethod
    def epochs_of(doc):
        """Long enough for what is counted in steps, with one epoch after it."""
        part = doc.get("pruner") or {}
        inner = part.get("pruner") if isinstance(part.get("pruner"), dict) else {}
        number = lambda value: value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
        last = max(number(part.get("interval_steps")) * number(part.get("total_times")), number(part.get("cooldown_begin_step")),
                   number(part.get("training_steps")), number(inner.get("training_steps")), STEPS["nni"])
        return int(min(last, 400) // STEPS["nni"]) + 2

    @staticmethod
    def of_sparseml(rng):
        import recipes
        maker = recipes.Maker(rng.random())
        maker.odd = False
        kinds = ["epoch_range"] + rng.choices(["magnitude", "structured", "constant", "set_rate", "rate_function", "scheduler", "weight_decay",
                                               "acdc", "trainable"], [10, 3, 3, 3, 3, 4, 1, 1, 1], k=rng.randint(1, 4))
        lines = [line for kind in kinds for line in maker.modifier(kind)]
        head = [f"{name}: {value}" for name, value in maker.variables.items()]
        return {"text": "\n".join([*head, "modifiers:", *lines]) + "\n", "net": None, "params": maker.params, "modules": None, "epochs": maker.last}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=sorted(STEPS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    source = Source(options.kind)
    for number in range(options.count):
        print(json.dumps({"id": f"{options.kind}-{options.seed}-{number:05}", **source.case(options.seed, number)}))


if __name__ == "__main__":
    main()
