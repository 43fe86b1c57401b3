"""The part of a runner that all frameworks share.

A runner imports a framework from a checkout, reads jobs from standard input, one JSON object per line, and writes one
answer per job: `verdict` (accept, reject, unknown), `fails_at`, `place`, `error`, and `timeline` or `schemes` in the format
of testdata/truth. Each job runs in a process of its own, so that no recipe changes the state of the next.
"""
import contextlib
import importlib.abc
import importlib.machinery
import io
import json
import os
import signal
import sys
import traceback
import types

TIME_LIMIT = 120  # seconds per job
ENVIRONMENT = (MemoryError, KeyboardInterrupt)  # errors of the machine, not of a recipe


class PlaceholderType(type):
    """The class of placeholder classes, which have every attribute."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return PlaceholderType(name, (Placeholder,), {})


class Placeholder(metaclass=PlaceholderType):
    """An object that accepts every call and has every attribute."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        return Placeholder()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder()


class Stub(types.ModuleType):
    """A module whose attributes are placeholder classes."""

    __path__ = []
    __version__ = "1.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "model_names":  # some packages iterate over it
            return []
        made = PlaceholderType(name, (Placeholder,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Supplies packages that a framework imports, but does not need to read and to run a recipe."""

    def __init__(self, packages):
        self.packages = set(packages)

    def find_spec(self, name, path=None, target=None):
        known = name.split(".")[0] in self.packages
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def stub(*packages):
    """Replaces packages that are not installed."""
    sys.meta_path.append(StubFinder(packages))


class Failure(Exception):
    """The framework stopped: the stage, the place in the run, and the exception."""

    def __init__(self, stage, error, place=None):
        super().__init__(str(error))
        self.stage, self.error, self.place = stage, error, place


@contextlib.contextmanager
def stage(name, place=None):
    """Turns an exception of the framework into a Failure of this stage."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except ENVIRONMENT:
        raise
    except BaseException as error:
        raise Failure(name, error, dict(place or {})) from error


class Series:
    """Values by row, run-length coded: [[row, value], ...]."""

    def __init__(self):
        self.runs = []

    def add(self, row, value):
        if not self.runs or self.runs[-1][1] != value:
            self.runs.append([row, value])


class Timeline:
    """The learning rate and the targets of each action at every step."""

    def __init__(self, has_rate=True):
        self.rate = Series() if has_rate else None
        self.targets = {}  # (number of the action, name of its class) -> parameter -> Series

    def add(self, row, rate, targets):
        """`targets` has, for each action, the last target of each parameter."""
        if self.rate is not None:
            self.rate.add(row, rate)
        for action, values in targets.items():
            for name, value in values.items():
                series = self.targets.setdefault(action, {}).setdefault(name, Series())
                if row and not series.runs:
                    series.add(0, None)
                series.add(row, value)

    def as_json(self, rows):
        sparsity = []
        for (_, name), parameters in sorted(self.targets.items()):
            distinct = []
            for series in parameters.values():
                if series.runs not in distinct:
                    distinct.append(series.runs)
            sparsity += [{"name": name, "series": runs} for runs in distinct]
        return {"rows": rows, "lr": self.rate.runs if self.rate else None, "sparsity": sparsity}


def answer_to(run, job, result):
    try:
        return {"id": job["id"], "verdict": "accept", result: run(job)}
    except Failure as failure:
        error = f"{type(failure.error).__name__}: {failure.error}".strip()[:400]
        return {"id": job["id"], "verdict": "reject", "fails_at": failure.stage, "place": failure.place, "error": error}
    except BaseException:
        return {"id": job["id"], "verdict": "unknown", "error": traceback.format_exc()[-600:]}


def in_process(run, job, result):
    """Runs a job in a child process. Returns its answer as text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(TIME_LIMIT)
        with os.fdopen(write, "w") as out:
            out.write(json.dumps(answer_to(run, job, result)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text or json.dumps({"id": job["id"], "verdict": "unknown", "error": "the process was stopped"})


def serve(run, result="timeline"):
    """Answers all jobs. `run` takes a job, and returns its timeline (or other result) or raises Failure."""
    for line in sys.stdin:
        print(in_process(run, json.loads(line), result), flush=True)
