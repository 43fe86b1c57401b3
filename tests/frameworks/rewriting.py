"""Recipes that sparsecfg rewrites: the framework must do the same with both versions."""
import json

from comparing import RATE_TOLERANCE, SPARSITY_TOLERANCE, expanded, near

FACTOR = 2  # of rescaled recipes
KEPT = ("exact", "equivalent")


def rewritten_file(own, job, command, *arguments):
    """Runs a command that changes a file in place. Returns the new text, or None after a failure."""
    path = own.written(job["id"] + job["suffix"], job["text"])
    status, _ = own.run(command, path, "--from", own.framework, *arguments)
    return path.read_text(encoding="utf-8") if status in (0, 1) else None


def normalize(own, job):
    return rewritten_file(own, job, "normalize", "--write")


def fix(own, job):
    return rewritten_file(own, job, "validate", "--fix")


def rescale(own, job):
    """Twice as many epochs with half as many steps have the same steps."""
    path = own.written(job["id"] + job["suffix"], job["text"])
    status, out = own.run("rescale", path, "--from", own.framework, "--factor", FACTOR, "--frequencies")
    return out if status == 0 else None


REWRITES = {"normalize": normalize, "fix": fix, "rescale": rescale}


def original_of(job, mode):
    """Returns the job that the rewritten one is compared with."""
    options = job["options"]
    steps = options["steps_per_epoch"] * (FACTOR if mode == "rescale" else 1)
    return {**job, "options": {**options, "steps_per_epoch": steps}}


def rewritten_of(job, text, mode):
    options = job["options"]
    epochs = options["epochs"] * (FACTOR if mode == "rescale" else 1)
    return {**job, "id": job["id"] + "-" + mode, "text": text, "options": {**options, "epochs": epochs}}


def convert(own, job, target):
    """Returns the recipe for another framework, or None if the report does not claim the same schedule."""
    path = own.written(job["id"] + job["suffix"], job["text"])
    status, text, report = own.run_all("convert", path, "--to", target, "--report", "json", "--initial-lr", job["options"]["initial_lr"],
                                       *own.options(job))
    same = status == 0 and all(action["fidelity"] in KEPT for action in json.loads(report)["actions"])
    return text if same else None


def columns(timeline):
    rows = timeline["rows"]
    found = [expanded(series["series"], rows) for series in timeline["sparsity"]]
    return [each for at, each in enumerate(found) if each not in found[:at] and any(value is not None for value in each)]


def difference(one, other):
    """Returns the first difference of two answers of frameworks, whatever the names of the actions are; or None."""
    if one["verdict"] != other["verdict"]:
        return f"{one['verdict']} before, {other['verdict']} after: {other.get('error', '')}"
    if one["verdict"] != "accept":
        return None
    a, b = one["timeline"], other["timeline"]
    if a["rows"] != b["rows"]:
        return f"{a['rows']} rows before, {b['rows']} after"
    if a["lr"] and b["lr"]:
        steps = a["rows"] - 1  # the last row has the rate after the training, which frameworks define differently
        for row, (x, y) in enumerate(zip(expanded(a["lr"], a["rows"])[:steps], expanded(b["lr"], b["rows"])[:steps])):
            if not near(x, y, RATE_TOLERANCE, 1e-15):
                return f"learning rate in row {row}: {x!r} before, {y!r} after"
    left = columns(b)
    for column in columns(a):
        twin = next((each for each in left if all(near(x, y, 0, SPARSITY_TOLERANCE) for x, y in zip(column, each))), None)
        if twin is None:
            return "a sparsity has no counterpart after"
        left.remove(twin)
    return "a sparsity has no counterpart before" if left else None
