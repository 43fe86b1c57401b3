"""What sparsecfg says about a job, and how it differs from the answer of the framework."""
import collections
import csv
import io
import json
import math
import re
import subprocess
from pathlib import Path

import recording

ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = {"sparseml": ["--parameter-groups", "1"], "llm-compressor": ["--llmc", "main"]}  # of the runs
SPARSITY_TOLERANCE, RATE_TOLERANCE = 1e-12, 1e-9
SILENT = {code for line in (ROOT / "testdata/truth/silent-losses.txt").read_text(encoding="utf-8").splitlines()
          if not line.startswith("#") for code in line.split()}
# Rejections that depend on more than the recipe and the names, classes and shapes of the model.
BEYOND_NAMES = ("Could not find attribute", "do not match to any submodules", "model_fuse_fn_name", "provided submodules to quantize", "saturation_min must be smaller")
BAD = ("crash", "false accept", "stricter", "timeline")


class Sparsecfg:
    """Runs the program on jobs, in a folder of its own."""

    def __init__(self, binary, folder, framework):
        self.binary, self.folder, self.framework = str(binary), Path(folder), framework

    def run_all(self, *arguments):
        """Returns the exit status, the output and the error output."""
        done = subprocess.run([self.binary, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def run(self, *arguments):
        return self.run_all(*arguments)[:2]

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def options(self, job):
        """Returns the options that describe the model and the run of a job."""
        run = job["options"]
        names = ["--params", self.written(job["id"] + ".json", json.dumps(job["params"]))] if "params" in job else []
        given = [word for name in ("steps_per_epoch", "epochs") if name in run for word in ("--" + name.replace("_", "-"), run[name])]
        return ["--from", self.framework, "--modules", self.written(job["id"] + ".tsv", recording.module_lines(job["modules"])), *names, *given, *SETTINGS.get(self.framework, [])]

    def answer(self, job):
        """Returns the codes of the errors, and the rows of the timeline. `codes` is None after a crash."""
        path, options = self.written(job["id"] + job["suffix"], job["text"]), self.options(job)
        status, out = self.run("validate", path, "--format", "json", *options)
        if status not in (0, 1):
            return {"codes": None, "timeline": None}
        found = [each for file in json.loads(out)["files"] for each in file["diagnostics"]]
        codes = sorted({each["code"] for each in found if each["severity"] == "error"})
        if self.framework == "llm-compressor":
            status, out = self.run("inspect", path, "--format", "json", *options)
            storage = json.loads(out).get("storage") if status in (0, 1) and out else None
            return {"codes": codes, "schemes": storage and storage["schemes"]}
        status, table = self.run("timeline", path, "--format", "csv", "--initial-lr", job["options"].get("initial_lr", 0.1), *options)
        return {"codes": codes,
                "timeline": list(csv.reader(io.StringIO(table))) if status == 0 else None}


def expanded(runs, rows):
    """[[row, value], ...] -> one value per row."""
    values = []
    for (row, value), following in zip(runs, [row for row, _ in runs[1:]] + [rows]):
        values += [value] * (following - row)
    return values


def near(a, b, relative, absolute):
    return a is b if a is None or b is None else math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def measured_classes(text):
    """Classes of modifiers that measure their initial sparsity."""
    found, name = set(), ""
    for line in text.splitlines():
        name = line.split("!")[1].strip() if "- !" in line else name
        if "__FROM_PARAM__" in line:
            found.add(name)
    return found


def columns_of(table, merge):
    """Returns the rates, and one (class, values) for each different column of an action; of a class if `merge`."""
    rows = [[float(cell) if cell else None for cell in row] for row in table[1:]]
    columns = []
    for at, label in enumerate(table[0]):
        column = (label.split("#" if merge else "[")[0], [row[at] for row in rows])
        if at > 2 and column not in columns and any(value is not None for value in column[1]):
            columns.append(column)
    return [row[2] for row in rows], [(label.split("#")[0], values) for label, values in columns]


def rate_difference(want, got):
    for row, (a, b) in enumerate(zip(want, got)):
        if not near(a, b, RATE_TOLERANCE, 1e-15):
            return f"learning rate in row {row}: {b!r} instead of {a!r}"
    return None


def timeline_difference(job, recorded, table):
    """Returns one line about the first difference, or None."""
    if table is None:
        return "there is no timeline"
    rates, columns = columns_of(table, job.get("merge", False))
    rows = recorded["rows"]
    if len(rates) != rows:
        return f"{len(rates)} rows instead of {rows}"
    found = rate_difference(expanded(recorded["lr"], rows), rates) if recorded["lr"] else None
    measured = measured_classes(job["text"])
    columns = [column for column in columns if column[0] not in measured]
    for series in recorded["sparsity"]:
        values = expanded(series["series"], rows)
        if found or series["name"] in measured or all(value is None for value in values):
            continue
        twin = next((c for c in columns if c[0] == series["name"] and all(near(a, b, 0, SPARSITY_TOLERANCE) for a, b in zip(values, c[1]))), None)
        if twin is None:
            return f"no column of {series['name']} is {series['series']}"
        columns.remove(twin)
    return found or (f"{columns[0][0]} has a column that the framework has not" if columns else None)


# --- schemes
def words_of(part):
    """int8 token dynamic -> int8 per token, dynamic"""
    if part == "-":
        return ""
    kind, strategy, *flags = part.split()
    group = re.match(r"(?:tensor_)?group(\d+)$", strategy)
    block = re.match(r"block(\d+)x(\d+)$", strategy)
    text = f"{kind} " + (f"in groups of {group[1]}" if group else f"in blocks of {block[1]} x {block[2]}" if block else f"per {strategy}")
    return text + (", asymmetric" if "asym" in flags else "") + (", dynamic" if {"dynamic", "local"} & set(flags) else "")


def scheme_difference(job, recorded, lines):
    """Compares the number of layers of each scheme. Modules without a weight are not counted."""
    weighted = {row["name"] for row in job["modules"] if len(row.get("shape") or []) > 1}
    want, got = collections.Counter(), collections.Counter()
    for scheme, modules in recorded.items():
        parts = zip(("weights", "inputs", "outputs"), (words_of(part.split(": ", 1)[1]) for part in scheme.split("; ")))
        words = "; ".join(f"{name} {words}" for name, words in parts if words)
        if words:
            want[words] += len(weighted & set(modules))
    for line in lines:
        words, _, layers = line.rpartition(": ")
        got[words] += int(layers.split()[0])
    return None if +want == +got else f"{dict(got)} instead of {dict(want)}"


def result_difference(job, real, own):
    if real.get("timeline"):
        return timeline_difference(job, real["timeline"], own["timeline"])
    if real.get("schemes") is not None:
        return scheme_difference(job, real["schemes"], own["schemes"] or [])
    return None


def judge(job, real, own):
    """Returns the kind of (dis)agreement, and its cause."""
    if own["codes"] is None:
        return "crash", ""
    if real["verdict"] == "unknown":
        return "unknown", real["error"]
    if real["verdict"] == "reject":
        if own["codes"]:
            return "agree", ""
        beyond = any(text in real["error"] for text in BEYOND_NAMES)
        return "not knowable" if beyond else "false accept", f"{real['fails_at']}: {real['error'][:160]}"
    if own["codes"] and not set(own["codes"]) <= SILENT:
        return "stricter", " ".join(own["codes"])
    difference = result_difference(job, real, own)
    if difference:
        return "timeline", difference
    return ("silent loss", " ".join(own["codes"])) if own["codes"] else ("agree", "")
