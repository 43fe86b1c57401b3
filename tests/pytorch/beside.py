#!/usr/bin/env python3
"""Run what `convert --to pytorch` writes beside the framework itself: masks bit by bit, rates, at every step.

    beside.py sparseml|distiller --binary SPARSECFG [--limit N] [--random N --seed N] PATH...

Of each recipe that is written without a loss, of those below the paths and of N random ones, both get the same model of
small weights, the same gradients and the same optimizer. SPARSECFG_REAL names the folder in which the frameworks can be run; without it this is skipped (77).
"""

import argparse
import collections
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings

REAL = os.environ.get("SPARSECFG_REAL", "")
sys.path.insert(0, os.path.join(REAL, "sml/shims/pyd2"))  # before torch imports older packages of the same names
try:
    import torch
except ImportError:
    sys.exit(77)
if not os.path.isdir(REAL):
    sys.exit(77)

import recipes
import toy

STEPS = 3


def gradients(model, step):
    """Pulls every weight towards a place that changes with each step."""
    generator = torch.Generator().manual_seed(step)
    places = {name: torch.randn(p.shape, generator=generator) for name, p in model.named_parameters()}
    trained = [((p - places[name]) ** 2).sum() * 0.05 for name, p in model.named_parameters() if p.requires_grad]
    return sum(trained) if trained else None


def optimizer_of(model, schedule):
    optimizer = recipes.optimizer_of(model, schedule)
    for group in optimizer.param_groups:
        group["momentum"] = 0.9
        group["weight_decay"] = 1e-4
    return optimizer


class SparseML:
    """The manager of a recipe, which wraps the optimizer."""

    def __init__(self, path, model, optimizer):
        self.manager = oracle.load(path)
        self.optimizer = optimizer
        with contextlib.redirect_stdout(io.StringIO()):
            self.manager.initialize(model, epoch=0)
            self.wrapped = self.manager.modify(model, optimizer, steps_per_epoch=STEPS, epoch=0)
        self.pruners = [m for _, m in oracle.staged(self.manager) if isinstance(m, BasePruningModifier)]

    def step(self, model, step):
        """The rate of the step, and the masks after it."""
        loss = gradients(model, step)
        if loss is not None:
            loss.backward()
        with contextlib.redirect_stdout(io.StringIO()):
            self.wrapped.step()
        rate = self.optimizer.param_groups[0]["lr"]
        self.optimizer.zero_grad()
        return rate, self.masks()

    def masks(self):
        masks = {}
        for pruner in self.pruners:
            of = pruner.module_masks
            if of is not None and of.enabled:
                for layer, parameter, mask in zip(of.layer_names, of.param_names, of.param_masks):
                    name = f"{layer}.{parameter}"
                    masks[name] = masks[name] * mask if name in masks else mask.clone()
        return masks


class Distiller:
    """Its scheduler, called as its sample trainer calls it."""

    def __init__(self, path, model, optimizer):
        self.scheduler = distiller.file_config(model, optimizer, path)
        self.optimizer = optimizer

    def step(self, model, step):
        epoch, batch = divmod(step, STEPS)
        if batch == 0:
            self.scheduler.on_epoch_begin(epoch)
        self.scheduler.on_minibatch_begin(epoch, batch, STEPS, self.optimizer)
        rate, masks = self.optimizer.param_groups[0]["lr"], self.masks()
        loss = gradients(model, step)
        loss = self.scheduler.before_backward_pass(epoch, batch, STEPS, loss, optimizer=self.optimizer)
        self.optimizer.zero_grad()
        loss.backward()
        self.scheduler.before_parameter_optimization(epoch, batch, STEPS, self.optimizer)
        self.optimizer.step()
        self.scheduler.on_minibatch_end(epoch, batch, STEPS, self.optimizer)
        if batch == STEPS - 1:
            self.scheduler.on_epoch_end(epoch, self.optimizer, metrics={"min": 1.0, "max": 50.0})
        return rate, masks

    def masks(self):
        return {name: m.mask.clone() for name, m in self.scheduler.zeros_mask_dict.items() if m.mask is not None}


class Ours:
    def __init__(self, module, model, optimizer):
        self.optimizer = optimizer
        self.schedule = module.Schedule(model, optimizer, steps_per_epoch=STEPS)
        self.late = any(a.when.within_step for a in self.schedule.actions if hasattr(a, "rank") or hasattr(a, "terms"))

    def step(self, model, step):
        rate, before = self.optimizer.param_groups[0]["lr"], self.masks()
        loss = gradients(model, step)
        if loss is not None:
            (loss + self.schedule.penalty()).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.schedule.step()
        return rate, before if self.framework is Distiller else self.masks()

    def masks(self):
        return dict(self.schedule.mask)


def difference(framework, case, module, schedule, shape):
    names = case.shapes or toy.names_for(schedule)
    theirs, ours = toy.model_of(names, shape), toy.model_of(names, shape)
    if not list(ours.parameters()):
        return None, 0
    one = framework(case.path, theirs, optimizer_of(theirs, schedule))
    other = Ours(module, ours, optimizer_of(ours, schedule))
    other.framework = framework
    for step in range(min(other.schedule.total, 600)):
        (rate, masks), (own_rate, own_masks) = one.step(theirs, step), other.step(ours, step)
        if abs(rate - own_rate) > 1e-12 * max(abs(rate), 1e-12):
            return f"step {step}: rate {own_rate} instead of {rate}", step
        masks = {toy_name(name): mask for name, mask in masks.items()}
        for name in sorted(masks.keys() | own_masks.keys()):
            mask, own = masks.get(name), own_masks.get(name)
            mask, own = torch.ones_like(own) if mask is None else mask, torch.ones_like(mask) if own is None else own
            if not torch.equal(mask, own):
                return f"step {step}: {int((mask != own).sum())} elements of the mask of {name}", step
    return None, other.schedule.total


def toy_name(name):
    """Without the `module.` of models that are wrapped, as the written file counts names."""
    return ".".join(part for part in name.split(".") if part != "module")


def random_recipes(framework, count, seed, folder):
    """Files of random recipes, with the shapes of the weights that each is made for and the epochs of its run."""
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "real/sources.py")
    done = subprocess.run([sys.executable, script, framework, "--count", str(count), "--seed", str(seed)], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        made = json.loads(line)
        path = os.path.join(folder, made["id"] + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(made["text"])
        yield path, {name: tuple(shape) for name, shape in made["params"].items()}, made["epochs"]


def cases_of(arguments, folder):
    usual = ["--steps-per-epoch", str(STEPS)]
    for path in recipes.files_below(arguments.paths):
        options = recipes.options_of(path)
        if options is None:
            continue
        case = recipes.Case(arguments.binary, path, [*options, *usual])
        case.shapes = None
        yield case
    for path, shapes, epochs in random_recipes(arguments.framework, arguments.random, arguments.seed, folder):
        case = recipes.Case(arguments.binary, path, ["--from", arguments.framework, "--epochs", str(epochs), *usual])
        case.shapes = shapes
        yield case


def run(framework, case, outcomes):
    """Counts what becomes of a case; returns the number of steps that were compared."""
    if case.ask("validate", "-q").returncode != 0:
        return 0
    text, lost = case.written()
    if not text or lost or case.differs:
        outcomes["announced as different" if text and not lost else "not written whole"] += 1
        return 0
    schedule = case.schedule()
    if any(action["cadence"]["kind"] == "per_batch" for action in schedule["actions"]):
        return 0  # stages are another framework's
    shape = (16, 8, 3, 3) if four_dimensions(schedule) else (16, 16)
    try:
        wrong, count = difference(framework, case, recipes.load(text), schedule, shape)
    except Exception as error:  # pylint: disable=broad-except
        outcomes["not run"] += 1
        print(f"{case.path}: {type(error).__name__}: {str(error)[:150]}")
        return 0
    outcomes["different" if wrong else "equal"] += 1
    if wrong:
        print(f"{case.path}: DIFFERENT: {wrong}")
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("framework", choices=["sparseml", "distiller"])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_intermixed_args()
    framework = start(arguments.framework)
    outcomes, steps = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of(arguments, folder):
            if outcomes["equal"] + outcomes["different"] >= arguments.limit:
                break
            steps += run(framework, case, outcomes)
    print(", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())), f"; {steps} steps")
    return 1 if outcomes["different"] else 0


def four_dimensions(schedule):
    effects = [action["effect"] for action in schedule["actions"]]
    kinds = {effect.get("structure", {}).get("kind") for effect in effects}
    penalties = {strength.get("group") for effect in effects for strength in effect.get("strengths", [])}
    penalties |= {effect.get("norm") for effect in effects}
    return bool(kinds & {"filter", "channel", "block"} or penalties & {"2D", "3D", "4D", "Channels", "group_variance"})


def start(name):
    global oracle, BasePruningModifier, distiller
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if name == "sparseml":
        os.environ.setdefault("SPARSEML_SRC", os.path.join(REAL, "peers/sparseml/src"))
        sys.path.insert(0, os.path.join(REAL, "sml/oracle"))
        import bootstrap
        import oracle
        from sparseml.pytorch.sparsification.pruning import BasePruningModifier

        return SparseML
    os.environ.setdefault("DISTILLER_ROOT", os.path.join(REAL, "peers/distiller"))
    arguments, sys.argv = sys.argv, ["x"]
    sys.path[:0] = [os.path.join(REAL, "dst/oracle")]
    import distiller_oracle

    sys.argv = arguments
    distiller = distiller_oracle.distiller
    return Distiller


if __name__ == "__main__":
    sys.exit(main())
