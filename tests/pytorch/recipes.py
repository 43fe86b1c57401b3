#!/usr/bin/env python3
"""Run what `convert --to pytorch` writes and hold it against the timeline, step by step.

    recipes.py --binary SPARSECFG [--sample K] [--list] PATH...

Of each recipe below the paths: it is written, or refused with a reason; what is written runs with torch on a small
model, the rates of each step are those of the timeline, and of each weight as many elements are masked as the timeline
says. Exits with 77 where torch is missing.
"""

import argparse
import collections
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import types
import warnings

try:
    import torch
except ImportError:
    sys.exit(77)

import toy

STEPS = 3  # an epoch
RATE = 0.1
MOST_STEPS = 1200
ENDINGS = (".yaml", ".md", ".json", ".py")


def sparsecfg(binary, *arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=False, timeout=60)


class Case:
    """One recipe: how it is read, its schedule, and the rows of its timeline."""

    def __init__(self, binary, path, options):
        self.binary, self.path, self.options, self.lost = binary, path, options, set()
        self.differs = False  # whether the report announces a difference

    def ask(self, command, *more):
        return sparsecfg(self.binary, command, self.path, *self.options, *more)

    def written(self):
        """The text of the file, and the reasons of what is lost."""
        done = self.ask("convert", "--to", "pytorch", "--initial-lr", str(RATE), "--allow-loss", "--report", "json")
        report = json.loads(done.stderr) if done.stderr.startswith("{") else None
        if report is None:
            return "", [done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "nothing is said"]
        lost = [action for action in report["actions"] if action["fidelity"] == "dropped"]
        self.lost = {f"{action['class']}#{action['ordinal']}" for action in lost}
        self.differs = any(action["fidelity"] == "approximated" for action in report["actions"])
        return done.stdout, [action["reason"] for action in lost]

    def schedule(self):
        return json.loads(self.ask("convert", "--to", "ir").stdout)

    def rows(self):
        """The rows of the first steps; a timeline may have billions of them, of which no more are read."""
        command = [self.binary, "timeline", self.path, *self.options, "--format", "csv", "--every-step", "--initial-lr", str(RATE)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
            rows = list(itertools.islice(csv.DictReader(running.stdout), MOST_STEPS))
            running.stdout.close()
            return rows


def load(text):
    module = types.ModuleType("written")
    exec(compile(text, "written.py", "exec"), module.__dict__)
    return module


# --- what the timeline says ------------------------------------------------------------------------------------


def takes(term, name, prunable):
    kind, text = term["kind"], term["text"]
    if kind == "pattern":
        return re.match(text, name) is not None
    if kind == "part":
        return name in text
    return kind == "all" or (kind == "all_prunable" and name in prunable) or text.replace("module.", "") == name


def selected(selector, name, prunable, modules):
    """Whether a selector takes a parameter; of modules the weights."""
    terms = selector["terms"]
    if selector["over"] != "modules":
        return any(takes(term, name, prunable) for term in terms)
    path, _, last = name.rpartition(".")
    kind = type(modules[path]).__name__
    named = [t for t in terms if t["kind"] != "module_type"]
    typed = [t for t in terms if t["kind"] == "module_type"]
    left = selector.get("excluded", [])
    fits = not named or any(takes(term, path, prunable) for term in named)
    fits = fits and (not typed or any(t["text"] == kind for t in typed))
    kept = not any(t["text"] == kind if t["kind"] == "module_type" else takes(t, path, prunable) for t in left)
    return last == "weight" and fits and kept


def owners(schedule, names, prunable, modules):
    """By column and parameter: the masks that the timeline has a number for; and how many masks each one has."""
    columns, masks = collections.defaultdict(list), collections.Counter()
    for action in schedule["actions"]:
        effect, origin = action["effect"], action["origin"]
        if effect["kind"] in ("HoldMask", "ThresholdPrune"):
            masks.update(names)
        if effect["kind"] != "Prune":
            continue
        label, free = f"{origin['class']}#{origin.get('ordinal', 0)}", list(names)
        for target in effect["targets"]:
            taken = [n for n in free if selected(target["selector"], n, prunable, modules)]
            free = [n for n in free if n not in taken]
            masks.update(taken)
            whole = label if len(effect["targets"]) == 1 else f"{label}[{target['sparsity']!r}]"
            columns[whole] += taken
    return columns, masks


def end_of_masks(schedule, label):
    """The epoch from which on a column's masks are gone; None where they stay."""
    for action in schedule["actions"]:
        effect, origin, cadence = action["effect"], action["origin"], action["cadence"]
        mine = label.split("[")[0] == f"{origin['class']}#{origin.get('ordinal', 0)}"
        if mine and effect.get("hold_after_end") is False and cadence["kind"] == "since_last_update":
            return cadence["end"]
    return None


def effect_of(schedule, label):
    names = {f"{a['origin']['class']}#{a['origin'].get('ordinal', 0)}": a["effect"] for a in schedule["actions"]}
    return names.get(label.split("[")[0], {})


def group_of(weight, structure):
    """How many elements of a weight are removed together."""
    kind = structure.get("kind")
    if kind in ("filter", "channel"):
        return weight.numel() // weight.shape[0 if kind == "filter" else 1]
    return structure["n"] * structure["m"] if kind == "block" else 1


def optimizer_of(model, schedule):
    """With as many groups of parameters as the recipe names."""
    count = 1 + max((group for a in schedule["actions"] for group in a["effect"].get("groups") or []), default=0)
    every = list(model.parameters())
    groups = [{"params": every[index::count]} for index in range(count)]
    return torch.optim.SGD(groups, lr=RATE)


def shape_for(schedule):
    """Four dimensions where groups of kernels are regularized, which weights of two don't have."""
    strengths = [strength for a in schedule["actions"] for strength in a["effect"].get("strengths", [])]
    kernels = {"2D", "3D", "4D", "Channels"}
    return (8, 16, 2, 2) if any(strength.get("group") in kernels for strength in strengths) else (8, 16)


def shapes_for(schedule, names):
    """By name: the shape for all, or that of the list of values to which a parameter is set."""
    shapes = dict.fromkeys(names, shape_for(schedule))
    for effect in (action["effect"] for action in schedule["actions"]):
        if effect["kind"] == "SetParameter" and isinstance(effect.get("to"), list):
            shape = tuple(torch.tensor(effect["to"]).shape)
            shapes.update((name, shape) for name in names if any(takes(t, name, names) for t in effect["selector"]["terms"]))
    return shapes


class Watcher:
    """Compares a run with the rows, step by step."""

    def __init__(self, case, module, schedule):
        self.rows, self.schedule, self.lost = case.rows(), schedule, case.lost
        self.model = toy.model_of(shapes_for(schedule, toy.names_for(schedule)))
        self.optimizer = optimizer_of(self.model, schedule)
        self.run = module.Schedule(self.model, self.optimizer, steps_per_epoch=STEPS)
        self.names = list(self.run.parameters)
        self.columns, self.masks = owners(schedule, self.names, self.run.prunable, self.run.modules)
        self.most = collections.Counter()  # elements masked so far, where masks only grow
        generator = torch.Generator().manual_seed(1)
        self.pull = {n: torch.randn(p.shape, generator=generator) * 1e-3 for n, p in self.run.parameters.items()}
        self.late = any(a.when.within_step for a in self.run.actions if type(a).__name__ in ("Prune", "PruneInTurns", "Hold"))

    def compare(self):
        """The first difference; None where there is none."""
        for step in range(min(self.run.total, MOST_STEPS)):
            row = self.rows[step]
            wrong = self.rate(row) or (None if self.late else self.sparsity(row))
            if wrong:
                return f"step {step}: {wrong}"
            self.train()
            wrong = self.sparsity(row) if self.late else None
            if wrong:
                return f"step {step}: {wrong}"
        return None

    def train(self):
        trained = [(p * self.pull[n]).sum() for n, p in self.run.parameters.items() if p.requires_grad]
        if trained:
            (sum(trained) + self.run.penalty()).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.run.step()

    def rate(self, row):
        if not row.get("lr"):
            return None
        want, got = float(row["lr"]), self.optimizer.param_groups[0]["lr"]
        return None if abs(got - want) <= 1e-12 * max(abs(want), 1e-12) else f"rate {got} instead of {want}"

    def sparsity(self, row):
        for label, names in self.columns.items():
            shared = any(self.masks[name] > 1 for name in names)
            if not row.get(label) or shared or label.split("[")[0] in self.lost:
                continue
            end = end_of_masks(self.schedule, label)
            share = 0.0 if end is not None and 0 <= end <= float(row["epoch"]) else float(row[label])
            effect = effect_of(self.schedule, label)
            for group in [names] if effect.get("global") else [[name] for name in names]:
                wrong = self.zeros(group, share, effect.get("structure", {}))
                if wrong:
                    return f"{label}: {wrong}"
        return None

    def zeros(self, names, share, structure):
        """What is wrong with the masks of weights that are ranked together."""
        got, size = 0, sum(self.run.parameters[name].numel() for name in names)
        for name in names:
            mask = self.run.mask.get(name)
            got += 0 if mask is None else int((mask == 0).sum())
            if mask is not None and bool((self.run.parameters[name][mask == 0] != 0).any()):
                return f"{name}: a masked element is not zero"
        exact = self.schedule["dialect"] == "sparseml"
        whole = group_of(self.run.parameters[names[0]], structure)
        share = 0.0 if exact and share > 1 else share  # of which SparseML makes no mask
        if structure.get("kind") == "n_of_m" and share > 0:
            share = 1 - structure["n"] / structure["m"]  # which the recipe says to a hundredth
        count = round(size // whole * share) if exact else int(size // whole * share)
        want = min(max(count * whole, 0), size)
        if not exact:
            want = self.most[names[0]] = max(want, self.most[names[0]])
        return None if got == want else f"{names[0]}: {got} of {size} masked instead of {want}"


def check(case):
    """What became of a recipe: "written", "lost: ...", "refused: ..." or what is wrong with it."""
    text, lost = case.written()
    if not text:
        return "refused: " + "; ".join(sorted(set(lost)))
    long_lines = [line for line in text.splitlines() if len(line) > 100 and not line.startswith("#")]
    if long_lines:
        return f"WRONG: a line of {len(long_lines[0])} characters: {long_lines[0][:60]}"
    schedule = case.schedule()
    # SparseML finds no parameter of the model itself.
    names = [name for name in toy.names_for(schedule) if "." in name or schedule["dialect"] != "sparseml"]
    for term, over in toy.terms_of(schedule):
        if term["kind"] == "exact" and over == "parameters" and not toy.usable(term["text"]):
            return "not run: no parameter can be called " + term["text"]
        if term["kind"] == "pattern" and not any(re.match(term["text"], name) for name in names):
            return "not run: no name is found for " + term["text"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = Watcher(case, load(text), schedule).compare()
    if wrong:
        return "WRONG: " + wrong
    return "written" if not lost else "lost: " + "; ".join(sorted(set(lost)))


# --- recipes ---------------------------------------------------------------------------------------------------


def files_below(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(ENDINGS))


def options_of(path):
    """Options of the case that say how its recipe is read; None where it is one for a certain model."""
    beside = os.path.splitext(path)[0] + ".args"
    words = open(beside, encoding="utf-8").read().split() if os.path.exists(beside) else []
    if "--params" in words or "--modules" in words:
        return None
    kept, index = [], 0
    while index < len(words):
        if words[index] in ("--set", "--from", "--framework", "--nni", "--epochs") and index + 1 < len(words):
            kept += words[index : index + 2]
            index += 1
        index += 1
    return kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--sample", type=int, default=1, help="tries each K-th recipe alone, all if SPARSECFG_ALL_RECIPES is set")
    parser.add_argument("--list", action="store_true", help="prints what became of each")
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    outcomes = collections.Counter()
    failures = 0
    sample = 1 if os.environ.get("SPARSECFG_ALL_RECIPES") else arguments.sample
    for path in list(files_below(arguments.paths))[::sample]:
        options = options_of(path)
        if options is None:
            continue
        case = Case(arguments.binary, path, [*options, "--steps-per-epoch", str(STEPS)])
        if case.ask("validate", "-q").returncode != 0:
            continue  # an error, or no recipe
        if "add --epochs" in case.ask("convert", "--to", "pytorch").stderr:
            case.options += ["--epochs", "6"]
        try:
            outcome = check(case)
        except Exception as error:  # pylint: disable=broad-except
            outcome = f"WRONG: {type(error).__name__}: {error}"
        outcomes[outcome.split(":")[0]] += 1
        if outcome.startswith("WRONG"):
            failures += 1
            print(f"{path}: {outcome}")
        elif arguments.list:
            print(f"{path}: {outcome}")
    print(", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))
    return 1 if failures or not outcomes["written"] else 0


if __name__ == "__main__":
    sys.exit(main())
