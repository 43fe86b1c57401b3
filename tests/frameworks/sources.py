"""Random recipes of each framework, with the model and the run that they are made for."""
import random

import yaml

import distiller_recipes
import models
import sparseml_recipes

STEPS = {"distiller": 2}


def distiller(seed, number):
    maker = distiller_recipes.Recipes(random.Random(f"distiller {seed} {number}"))
    text = yaml.safe_dump(maker.make(), sort_keys=False, default_flow_style=None, width=1000)
    return {"text": text, "net": distiller_recipes.NET, "params": models.parameters_of(distiller_recipes.NET),
            "modules": models.modules_of(distiller_recipes.NET),
            "options": {"steps_per_epoch": STEPS["distiller"], "epochs": maker.epochs, "initial_lr": 1e-4}}  # low: no run may diverge


def layer_row(name, shape):
    """The class of the layer with a weight of this name and shape."""
    kind = {4: "Conv2d", 2: "Embedding" if "embed" in name else "Linear", 1: "BatchNorm2d" if name.endswith("bn") else "LayerNorm"}[len(shape)]
    return {"name": name, "type": kind, "shape": shape}


def modules_of(params):
    """The layers with these parameters, after the modules that contain them."""
    rows = {"": {"name": "", "type": "Net"}}
    for name, shape in params.items():
        layer, _, tensor = name.rpartition(".")
        parts = layer.split(".")
        for parent in (".".join(parts[:at]) for at in range(1, len(parts))):
            rows.setdefault(parent, {"name": parent, "type": "Module"})
        if tensor == "weight":
            rows[layer] = layer_row(layer, shape)
    return list(rows.values())


def sparseml(seed, number):
    made = sparseml_recipes.Maker(f"{seed} {number}").job(number)
    options = {key: made[key] for key in ("steps_per_epoch", "epochs", "initial_lr")}
    return {"text": made["text"], "suffix": "." + made["ending"], "params": made["params"], "modules": modules_of(made["params"]), "options": options}


def job(framework, seed, number):
    """Returns one recipe as a job for the runner. The same seed and number give the same recipe."""
    made = {"distiller": distiller, "sparseml": sparseml}[framework](seed, number)
    return {"id": f"{framework}-{seed}-{number:05}", "suffix": ".yaml", **made}
