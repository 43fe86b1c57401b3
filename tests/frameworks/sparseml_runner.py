#!/usr/bin/python3
"""Runs recipes with SparseML: `sparseml_runner.py CHECKOUT PYDANTIC_2`, see runner.py."""
import logging
import os
import sys
import types
import warnings

import runner

sys.dont_write_bytecode = True
os.environ["NM_DISABLE_ANALYTICS"] = "true"
SOURCE = os.path.join(sys.argv[1], "src")
sys.path[:0] = [sys.argv[2]]  # a folder with pydantic 2
runner.stub("compressed_tensors", "sparsezoo", "pandas", "GPUtil", "tqdm", "click", "merge_args", "matplotlib", "toposort", "onnxruntime",
            "progressbar", "sklearn", "transformers", "accelerate", "datasets", "deepsparse", "torchmetrics", "geocoder", "ultralytics", "wandb",
            "tensorboard", "tensorboardX", "psutil", "requests", "cv2", "IPython", "seaborn", "scipy", "safetensors", "huggingface_hub",
            "networkx", "evaluate", "yolov5")
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
# Only the package itself is replaced, because it imports every integration.
PACKAGE = types.ModuleType("sparseml")
PACKAGE.__path__ = [os.path.join(SOURCE, "sparseml")]
sys.modules["sparseml"] = PACKAGE

import torch  # noqa: E402
from torch import nn  # noqa: E402

torch.set_num_threads(1)

import sparseml.pytorch.sparsification  # noqa: E402,F401
from sparseml.pytorch.optim.manager import ScheduledModifierManager  # noqa: E402
from sparseml.pytorch.sparsification.pruning import BasePruningModifier  # noqa: E402

# The targets of these depend on the weights, not only on the step.
MEASURED = ("ConstantPruningModifier", "RigLPruningModifier")
LAYERS = {"Conv2d": lambda s, bias: nn.Conv2d(s[1], s[0], s[2], bias=bias), "Linear": lambda s, bias: nn.Linear(s[1], s[0], bias=bias),
          "Embedding": lambda s, bias: nn.Embedding(s[0], s[1]), "BatchNorm2d": lambda s, bias: nn.BatchNorm2d(s[0]),
          "LayerNorm": lambda s, bias: nn.LayerNorm(s[0])}


class Net(nn.Module):
    """A tree of layers. Its output depends on every parameter, whatever the input is."""

    def forward(self, x):
        return sum((each * each).sum() for each in self.parameters()) * torch.as_tensor(x, dtype=torch.float).mean()

    def fuse_module(self, **_):
        pass


def build(job):
    torch.manual_seed(0)
    model = Net()
    for row in job["modules"][1:]:
        parent, _, last = row["name"].rpartition(".")
        bias = row["name"] + ".bias" in job["params"]
        made = LAYERS[row["type"]](row["shape"], bias) if row.get("shape") else nn.Module()
        model.get_submodule(parent).add_module(last, made)
    return model


class Optimizer(torch.optim.SGD):
    """Keeps the learning rates of the last step."""

    used = ()

    def step(self, closure=None):
        self.used = [group["lr"] for group in self.param_groups]
        return super().step(closure)


def batches(**_):
    while True:
        yield [torch.randn(4, 8)], {}, torch.zeros(4)


def modifiers_of(manager):
    """Returns all modifiers in the order in which they were loaded."""
    groups = manager.modifiers
    return [each for group in groups.values() for each in group] if isinstance(groups, dict) else list(groups)


def pruned_names(masks):
    return [f"{layer}.{name}" for layer, name in zip(masks._layer_names, masks._param_names)]


def targets_of(modifiers):
    """Returns the last target of each parameter by pruner."""
    found = {}
    for number, modifier in enumerate(modifiers):
        name = type(modifier).__name__
        masks = getattr(modifier, "_module_masks", None)
        if not isinstance(modifier, BasePruningModifier) or masks is None or name in MEASURED:
            continue
        names, applied = pruned_names(masks), modifier._applied_sparsity
        applied = applied if isinstance(applied, (list, tuple)) else [applied] * len(names)
        found[number, name] = {each: None if value is None else float(value) for each, value in zip(names, applied)}
    return found


def start(manager, model, job, optimizer):
    """Attaches the recipe to the model. Returns the optimizer that updates the modifiers."""
    sampler = {"data_loader_builder": lambda *_, **__: batches(),
               "loss_function": lambda output, *_: (output if torch.is_tensor(output) else output[0]).pow(2).mean()}
    manager.initialize(model, epoch=0, distillation_teacher=build(job), grad_sampler=sampler)
    return manager.modify(model, optimizer, steps_per_epoch=job["options"]["steps_per_epoch"], epoch=0)


def train(job, manager, model, modifiers, optimizer, wrapped):
    epochs = job["options"]["epochs"] if "epochs" in job["options"] else manager.max_epochs
    steps = round(epochs * job["options"]["steps_per_epoch"])
    timeline = runner.Timeline()
    for step in range(steps):
        for parameter in model.parameters():
            parameter.grad = torch.randn_like(parameter) * 1e-3 if parameter.requires_grad else None
        with runner.stage("step", {"step": step}):
            wrapped.step()
        if len(set(optimizer.used)) > 1:
            timeline.rate = None
        timeline.add(step, optimizer.used[0], targets_of(modifiers))
    with runner.stage("finalize"):
        manager.finalize(model)
    if steps:
        timeline.add(steps, optimizer.used[0], {action: {name: series.runs[-1][1] for name, series in values.items()}
                                                for action, values in timeline.targets.items()})
    return timeline.as_json(steps + 1)


def run(job):
    with runner.stage("parse"):
        manager = ScheduledModifierManager.from_yaml(job["text"])
    with runner.stage("max_epochs"):
        manager.max_epochs
    modifiers, model = modifiers_of(manager), build(job)
    for modifier in modifiers:
        if isinstance(getattr(modifier, "_num_grads", None), int):
            modifier._num_grads = min(modifier._num_grads, 8)
    optimizer = Optimizer(list(model.parameters()), lr=job["options"]["initial_lr"], momentum=0.9, weight_decay=1e-4)
    with runner.stage("initialize"):
        wrapped = start(manager, model, job, optimizer)
    return train(job, manager, model, modifiers, optimizer, wrapped)


runner.serve(run)
