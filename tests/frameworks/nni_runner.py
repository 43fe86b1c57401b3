#!/usr/bin/python3
"""Runs lists with NNI 3.0: `nni_runner.py CHECKOUT`, see runner.py.

A recipe is a mapping as in testdata/truth: `config_list`, `pruner`, `quantizer` or `distiller` with a class and its
arguments, and `compress` with the arguments of its method. The answer has `epochs`, because the class decides how many
steps a run has.
"""
import copy
import logging
import os
import sys
import types
import warnings

import yaml

import runner

sys.dont_write_bytecode = True
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
runner.stub("json_tricks")
# Only the package itself is replaced, because it imports the search for hyperparameters.
PACKAGE = types.ModuleType("nni")
PACKAGE.__path__ = [os.path.join(sys.argv[1], "nni")]
PACKAGE.__version__ = "3.0"
sys.modules["nni"] = PACKAGE

import nni.common.serializer as serializer  # noqa: E402

PACKAGE.trace, PACKAGE.dump, PACKAGE.load = serializer.trace, serializer.dump, serializer.load

import torch  # noqa: E402

torch.set_num_threads(1)

import nni.compression.distillation as distillation  # noqa: E402
import nni.compression.pruning as pruning  # noqa: E402
import nni.compression.quantization as quantization  # noqa: E402
from nni.compression.utils import TorchEvaluator  # noqa: E402

CLASSES = {name: value for package in (pruning, quantization, distillation) for name, value in vars(package).items() if isinstance(value, type)}
SCHEDULED = ("AGPPruner", "LinearPruner")
# The constructors of these require an evaluator, which trains the model.
TRAINED = ("SlimPruner", "TaylorPruner", "MovementPruner", "QATQuantizer", "DoReFaQuantizer", "BNNQuantizer", "LsqQuantizer", "LsqPlusQuantizer",
           "PtqQuantizer", "DynamicLayerwiseDistiller", "Adaptive1dLayerwiseDistiller")
DEFAULT_STEPS = 4  # of quantizers and distillers, whose `compress` requires a length


KINDS = ("pruner", "quantizer", "distiller")


def default_of(entries):
    """Returns the component that runs a list without a class."""
    keys = {key for entry in entries if isinstance(entry, dict) for key in entry}
    if keys & {"quant_dtype", "quant_scheme", "quant_types", "quant_bits", "fuse_names", "quant_start_step"}:
        return {"class": "QATQuantizer"}
    return {"class": "DynamicLayerwiseDistiller" if keys & {"lambda", "link"} else "LevelPruner"}


class Net(torch.nn.Module):
    """Applies its children one after the other. A child with `side` has an input of its own."""

    def __init__(self, rows):
        super().__init__()
        self.sides = {}
        for name, kind, arguments in rows[1:]:
            arguments = dict(arguments)
            side = arguments.pop("side", None)
            parent, _, last = name.rpartition(".")
            self.get_submodule(parent).add_module(last, getattr(torch.nn, kind)(**arguments))
            if side is not None:
                self.sides[name] = torch.ones(side, dtype=torch.long) if kind == "Embedding" else torch.ones(side)

    def forward(self, x):
        extra = 0.0
        for name, module in self.named_children():
            if name in self.sides:
                extra = extra + module(self.sides[name]).float().mean()
            else:
                x = x.flatten(1) if name == "fc1" else x
                for each in module if isinstance(module, torch.nn.ModuleList) else [module]:
                    x = each(x)
        return x + extra


def component_of(doc):
    """Returns the class and its arguments. Arguments may stand beside the class or below `args`."""
    arguments = dict(doc)
    name = arguments.pop("class", arguments.pop("type", None))
    arguments.update(arguments.pop("args", None) or {})
    return name, arguments


def with_tuples(entries):
    """YAML has no tuples, so items of `fuse_names` are read as tuples (docs/semantics/nni.md#f1-5)."""
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("fuse_names"), list):
            entry["fuse_names"] = [tuple(names) if isinstance(names, list) else names for names in entry["fuse_names"]]
    return entries


def ratio_of(space):
    """Returns the ratio that a mask is generated with: between the limits of the target, and at most all weights. A
    dependency group has no limits.
    """
    ratio, least, most = space.sparse_ratio, space.min_sparse_ratio, space.max_sparse_ratio
    if getattr(space, "dependency_group_id", None) is not None:
        return ratio
    return max(min(max(ratio, least or 0.0), most or 1.0), 0.0)  # the upper limit wins if the limits are crossed


class Run:
    def __init__(self, job):
        with runner.stage("parse"):
            self.doc = yaml.safe_load(job["text"])
        torch.manual_seed(0)
        self.model, self.x = Net(job["net"]), torch.randn(4, 3, 8, 8)
        self.steps, self.timeline, self.per_epoch = 0, runner.Timeline(has_rate=False), job["options"]["steps_per_epoch"]
        self.name, self.compressor, self.applied = "", None, {}
        self.lengths = []  # of the schedules, in steps

    def evaluator(self):
        def train(model, optimizer, training_step, _=None, max_steps=None, max_epochs=None):
            steps = max_steps if max_steps is not None else self.per_epoch * (max_epochs or 1)
            done = 0
            while done < steps:
                done += 1
                optimizer.zero_grad()
                training_step(self.x, model).backward()
                optimizer.step()
                self.steps += 1
                self.note(self.steps)

        optimizer = PACKAGE.trace(torch.optim.SGD)(self.model.parameters(), lr=0.01)
        return TorchEvaluator(train, optimizer, lambda batch, model: model(batch).float().pow(2).mean())

    def watch(self, name, pruner):
        """Keeps the targets with which the pruner generates masks."""
        generate = pruner.generate_masks

        action = (len(self.applied), name)
        self.applied[action] = {}

        def call():
            self.applied[action] = {f"{module}.{target}": ratio_of(space) for module, targets in pruner._target_spaces.items()
                                    for target, space in targets.items() if getattr(space, "sparse_ratio", None) is not None}
            return generate()

        pruner.generate_masks = call

    def note(self, row):
        self.timeline.add(row, None, self.applied)

    def made(self, name, arguments, entries):
        """Constructs a compressor. Each one after the first takes the model over from the one before."""
        if self.compressor is not None:
            return CLASSES[name].from_compressor(self.compressor, entries, **arguments)
        arguments = dict(arguments)
        if name in TRAINED:
            arguments.setdefault("evaluator", self.evaluator())
        if name.endswith("Distiller"):
            arguments.update(teacher_model=copy.deepcopy(self.model), teacher_predict=lambda batch, model: model(batch))
        return CLASSES[name](self.model, entries, **arguments)

    def scheduled(self, name, arguments, entries):
        """Constructs a pruner that changes the ratios of another one."""
        inner, own = component_of(arguments.pop("pruner"))
        base = self.made(inner, own, entries)
        self.watch(name, base)
        evaluator = {} if inner in TRAINED or self.compressor is not None else {"evaluator": self.evaluator()}
        return CLASSES[name](base, **evaluator, **arguments)

    def construct(self, part):
        entries = with_tuples(part["config_list"])
        self.name, arguments = component_of(next((part[key] for key in KINDS if key in part), default_of(entries)))
        if self.name in SCHEDULED:
            self.compressor = self.scheduled(self.name, arguments, entries)
            self.lengths.append(self.compressor.interval_steps * self.compressor.total_times)
            return
        self.compressor = self.made(self.name, arguments, entries)
        if self.name == "MovementPruner":
            self.lengths.append(self.compressor.cooldown_begin_step)
        if hasattr(self.compressor, "generate_masks"):
            self.watch(self.name, self.compressor)

    def parts(self):
        """Returns the compressors of the recipe, each with a list of its own."""
        fused = self.doc.get("compressors")
        if not fused:
            return [self.doc]
        return [{"config_list": each["config_list"], KINDS[0]: {key: value for key, value in each.items() if key != "config_list"}} for each in fused]

    def names_class(self):
        return bool({*KINDS, "compressors"} & set(self.doc))

    def length(self):
        """Returns the arguments of `compress`: those of the recipe, or the length of the schedule."""
        given = self.doc.get("compress") or {}
        if given and self.names_class():
            return {"max_steps": None, "max_epochs": None, **given}
        steps = max(self.lengths) if self.lengths else None if self.name.endswith("Pruner") else DEFAULT_STEPS
        return {"max_steps": steps, "max_epochs": None}

    def answer(self):
        with runner.stage("construct"):
            for part in self.parts():
                self.construct(part)
        with runner.stage("compress"):
            if self.name == "Adaptive1dLayerwiseDistiller":
                self.compressor.track_forward(self.x)
            self.compressor.compress(**self.length())
        if not self.names_class():
            return None
        self.note(self.steps)
        steps = max(self.steps, 1)
        return {**self.timeline.as_json(steps + 1), "epochs": steps / self.per_epoch}


def run(job):
    return Run(job).answer()


runner.serve(run)
