"""Random recipes of each framework, with the model and the run that they are made for."""
import random

import yaml

import distiller_plans
import distiller_recipes
import llmcompressor_plans
import models
import nni_plans
import nni_recipes
import sparseml_plans
import sparseml_recipes

STEPS = {"distiller": 2, "nni": 10}


def as_yaml(doc):
    return yaml.safe_dump(doc, sort_keys=False, default_flow_style=None, width=1000)


def with_net(net, text, **options):
    return {"text": text, "net": net, "params": models.parameters_of(net), "modules": models.modules_of(net), "options": options}


def distiller(seed, number):
    maker = distiller_recipes.Recipes(random.Random(f"distiller {seed} {number}"))
    text = as_yaml(maker.make())
    return with_net(distiller_recipes.NET, text, steps_per_epoch=STEPS["distiller"], epochs=maker.epochs, initial_lr=1e-4)  # no run may diverge


def nni(seed, number):
    """The framework decides how many steps a run has. Entries of a list with equal targets have one column."""
    text = as_yaml(nni_recipes.Recipes(random.Random(f"nni {seed} {number}")).make())
    return {**with_net(nni_recipes.NET, text, steps_per_epoch=STEPS["nni"]), "merge": True}


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


# --- whole plans
def distiller_plan(rng):
    maker = distiller_plans.Plans(rng)
    text, suffix = maker.text()
    return {**with_net(distiller_recipes.NET, text, steps_per_epoch=maker.pick([2, 2, 3, 1]), epochs=maker.epochs, initial_lr=1e-4), "suffix": suffix}


def nni_plan(rng):
    text, suffix = nni_plans.Plans(rng).text()
    return {**with_net(nni_recipes.NET, text, steps_per_epoch=STEPS["nni"]), "suffix": suffix, "merge": True}


def sparseml_plan(rng):
    """The recipe decides the length of the run."""
    maker = sparseml_plans.Plans(rng)
    text, suffix = maker.text()
    options = {"steps_per_epoch": maker.pick([1, 2, 4, 5, 10, 3]), "initial_lr": .1}
    return {"text": text, "suffix": suffix, "params": maker.params, "modules": modules_of(maker.params), "options": options}


def llm_compressor_plan(rng):
    maker = llmcompressor_plans.Plans(rng)
    text, suffix = maker.text()
    return {"text": text, "suffix": suffix, "model": maker.model, "modules": llmcompressor_plans.modules_of(maker.model), "options": {}}


VALUES = {"distiller": distiller, "nni": nni, "sparseml": sparseml}
PLANS = {"distiller": distiller_plan, "nni": nni_plan, "sparseml": sparseml_plan, "llm-compressor": llm_compressor_plan}


def job(framework, seed, number, generator="values"):
    """Returns one recipe as a job for the runner. The same seed and number give the same recipe. `generator` is `values`
    (short recipes with odd values) or `plans` (long ones as people write them).
    """
    plans = generator == "plans" or framework not in VALUES
    made = PLANS[framework](random.Random(f"{framework} {seed} {number}")) if plans else VALUES[framework](seed, number)
    name = f"{framework}-plans" if plans else framework
    return {"id": f"{name}-{seed}-{number:05}", "suffix": ".yaml", **made}
