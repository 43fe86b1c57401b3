#!/usr/bin/python3
"""Runs schedules with Distiller: `distiller_runner.py CHECKOUT`, see runner.py."""
import io
import logging
import sys
import warnings

import runner

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
runner.stub("torchnet", "tabulate", "pandas", "matplotlib", "git", "pydot", "scipy", "sklearn", "xlsxwriter", "tensorboardX",
            "pretrainedmodels", "qgrid", "bqplot", "IPython", "ipywidgets", "graphviz", "gym", "rl_coach", "tensorboard")
warnings.simplefilter("ignore")

import torch  # noqa: E402

torch.set_num_threads(1)
torch.Tensor.cuda = lambda self, *_, **__: self

import distiller  # noqa: E402
import distiller.config  # noqa: E402

logging.getLogger().setLevel(logging.CRITICAL)

CALLBACKS = ("on_epoch_begin", "on_minibatch_begin", "before_backward_pass", "before_parameter_optimization", "on_minibatch_end", "on_epoch_end")


class Net(torch.nn.Module):
    """Applies its leaves one after the other."""

    def __init__(self, rows):
        super().__init__()
        self.leaves = [name for name, kind, _ in rows if kind not in ("Net", "Module")]
        for name, kind, arguments in rows[1:]:
            parent, _, last = name.rpartition(".")
            made = torch.nn.Module() if kind == "Module" else getattr(torch.nn, kind)(**arguments)
            self.get_submodule(parent).add_module(last, made)

    def forward(self, x):
        for name in self.leaves:
            module = self.get_submodule(name)
            x = module(x.flatten(1) if name.startswith("fc") else x)
        return x


RANDOM = ("RandomLevelStructureParameterPruner",)  # its targets are random


class Targets:
    """Observes the sparsity that each policy requests for each parameter."""

    def __init__(self):
        self.applied = {}  # (number of the policy, class of its pruner) -> parameter -> target
        self.policy = None
        self.requested = None

    def watch(self, scheduler):
        """Wraps the callbacks of the policies and the pruners that they call."""
        pruners = set()
        for number, policy in enumerate(scheduler.sched_metadata):
            for name in CALLBACKS:
                setattr(policy, name, self.within((number, policy), getattr(policy, name)))
            pruner = getattr(policy, "pruner", None)
            if pruner is not None and id(pruner) not in pruners:
                pruners.add(id(pruner))
                pruner.set_param_mask = self.observed(pruner, pruner.set_param_mask)

    def within(self, policy, callback):
        def call(*arguments, **named):
            self.policy = policy
            return callback(*arguments, **named)

        return call

    def observed(self, pruner, set_param_mask):
        def call(parameter, name, masks, meta):
            self.requested = None
            set_param_mask(parameter, name, masks, meta)
            if self.requested is not None and type(pruner).__name__ not in RANDOM:
                self.applied.setdefault((self.policy[0], type(pruner).__name__), {})[name] = float(self.requested)

        return call

    def request(self, target):
        """Keeps the first target, which others are computed from."""
        if self.requested is None:
            self.requested = target


TARGETS = Targets()


def observe_rate(rate):
    step = rate.step

    def call(self, *arguments, **named):
        target = step(self, *arguments, **named)
        TARGETS.request(target)
        return target

    rate.step = call


def observe_level():
    create = distiller.create_mask_level_criterion

    def call(tensor, desired_sparsity):
        TARGETS.request(desired_sparsity)
        return create(tensor, desired_sparsity)

    distiller.create_mask_level_criterion = call


def observe_structures(ranked):
    apply = ranked._set_param_mask_by_sparsity_target

    def call(self, parameter, name, masks, target, model=None):
        if name in self.params_names:
            TARGETS.request(target)
        else:
            TARGETS.requested = None
        return apply(self, parameter, name, masks, target, model)

    ranked._set_param_mask_by_sparsity_target = call


def observe():
    observe_rate(distiller.pruning.AutomatedGradualPruner.__init__.__defaults__[-1])
    observe_level()
    classes = distiller.config.L1RankedStructureParameterPruner.__mro__
    observe_structures(next(each for each in classes if each.__name__ == "_RankedStructureParameterPruner"))


def load(job, model, optimizer):
    """Returns the scheduler that file_config makes of the text."""
    real = open
    __builtins__.open = lambda name, *a, **k: io.StringIO(job["text"]) if name == "recipe.yaml" else real(name, *a, **k)
    try:
        return distiller.file_config(model, optimizer, "recipe.yaml")
    finally:
        __builtins__.open = real


def train_step(scheduler, model, optimizer, epoch, step, steps):
    """One minibatch. Returns the learning rate that the optimizer used."""
    generator = torch.Generator().manual_seed(epoch * 1000 + step)
    loss = (model(torch.randn((2, 3, 8, 8), generator=generator)) ** 2).mean()
    loss = scheduler.before_backward_pass(epoch, step, steps, loss, optimizer=optimizer)
    optimizer.zero_grad()
    loss.backward()
    scheduler.before_parameter_optimization(epoch, step, steps, optimizer)
    rate = optimizer.param_groups[0]["lr"]
    optimizer.step()
    scheduler.on_minibatch_end(epoch, step, steps, optimizer)
    return rate


def train(job, scheduler, model, optimizer):
    steps, epochs = job["options"]["steps_per_epoch"], job["options"]["epochs"]
    timeline = runner.Timeline(has_rate="ReduceLROnPlateau" not in job["text"])
    for epoch in range(epochs):
        with runner.stage("run", {"epoch": epoch}):
            scheduler.on_epoch_begin(epoch)
        for step in range(steps):
            with runner.stage("run", {"epoch": epoch, "step": step}):
                scheduler.on_minibatch_begin(epoch, step, steps, optimizer)
                targets = {action: dict(values) for action, values in TARGETS.applied.items()}
                timeline.add(epoch * steps + step, train_step(scheduler, model, optimizer, epoch, step, steps), targets)
        with runner.stage("run", {"epoch": epoch}):
            scheduler.on_epoch_end(epoch, optimizer, metrics={"min": 1.0, "max": 50.0})
    timeline.add(epochs * steps, optimizer.param_groups[0]["lr"], TARGETS.applied)
    return timeline.as_json(epochs * steps + 1)


def run(job):
    torch.manual_seed(0)
    model = Net(job["net"])
    optimizer = torch.optim.SGD(model.parameters(), lr=job["options"]["initial_lr"], momentum=0.9)
    with runner.stage("load"):
        scheduler = load(job, model, optimizer)
    TARGETS.watch(scheduler)
    return train(job, scheduler, model, optimizer)


observe()
runner.serve(run)
