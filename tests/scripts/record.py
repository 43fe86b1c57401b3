"""Runs scripts with the stand-ins and records their recipes."""

import contextlib
import copy
import functools
import io
import itertools
import json
import os
import signal
import sys
import textwrap

import standins

STEPS = 30_000
SECONDS = 1  # of CPU time
# Values that a script gets from outside. A script that uses none of them runs once.
ARGUMENTS = ("w4a16", "fp8", "w8a8")
MODES = (None, "a")
USES_INPUT = ("sys.argv", "environ", "getenv", "tuning")


# Modules that a script may change.
SHARED = (os, os.path, json, copy, functools, textwrap, contextlib)


class Stop(BaseException):
    """The script takes too long."""


def inputs_of(text):
    if not any(word in text for word in USES_INPUT):
        return [{"argument": None, "mode": None, "external": False}]
    arguments = ARGUMENTS if "sys.argv" in text else (None,)
    modes = MODES if "environ" in text or "getenv" in text else (None,)
    external = (False, True) if "tuning" in text else (False,)
    return [{"argument": a, "mode": m, "external": e} for a, m, e in itertools.product(arguments, modes, external)]


class Steps:
    """Counts and collects the lines that are executed."""

    def __init__(self, filename):
        self.filename, self.left, self.lines = filename, STEPS, set()

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename != self.filename:
            return None
        if event == "line":
            self.lines.add(frame.f_lineno)
        self.left -= 1
        if self.left < 0:
            raise Stop
        return self


@contextlib.contextmanager
def environment(path, inputs, own_folder=None):
    """The arguments, variables and current folder of a script."""
    argv, folder, mode, modules = sys.argv, os.getcwd(), os.environ.pop("MODE", None), set(sys.modules)
    shared = [dict(vars(module)) for module in SHARED]
    limit, paths = sys.getrecursionlimit(), list(sys.path)
    sys.argv = [path] if inputs["argument"] is None else [path, inputs["argument"]]
    if inputs["mode"] is not None:
        os.environ["MODE"] = inputs["mode"]
    os.chdir(own_folder or os.path.dirname(path))
    sys.path.insert(0, os.path.dirname(path))
    sys.setrecursionlimit(400)
    try:
        yield
    finally:
        for module, before in zip(SHARED, shared):
            vars(module).update(before)
        sys.setrecursionlimit(limit)
        sys.argv, sys.path[:] = argv, paths
        os.chdir(folder)
        os.environ.pop("MODE", None)
        if mode is not None:
            os.environ["MODE"] = mode
        for name in set(sys.modules) - modules:
            if os.path.dirname(getattr(sys.modules[name], "__file__", None) or "") == os.path.dirname(path):
                del sys.modules[name]  # a sibling module
        standins.forget()


def out_of_time(*_):
    raise Stop


def execute(code, path, inputs, namespace=None):
    """Returns the recording of one run, with `error` and the lines that were executed."""
    standins.start(path, inputs)
    steps = Steps(path)
    error = None
    names = {"__name__": "__main__", "__file__": path} if namespace is None else namespace
    signal.signal(signal.SIGVTALRM, out_of_time)
    with environment(path, inputs), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        sys.settrace(steps)
        try:
            exec(code, names)
        except SystemExit as exit_request:
            error = None if exit_request.code in (None, 0) else "SystemExit"
        except BaseException as fault:
            error = type(fault).__name__ + ": " + str(fault)[:200]
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        recording = standins.finish()
    recording["files"] += recipes_in_strings(names)
    recording.update(error=error, executed=steps.lines)
    return recording


def recipes_in_strings(names):
    """Returns the recipes in the strings of a module, which the script need not pass to a call."""
    out = []
    for text in names.values():
        if isinstance(text, str) and "Modifier" in text:
            with contextlib.suppress(Exception):
                out.append({"lines": set(), "modifiers": standins.modifiers_of_text(text)})
    return out


def record(path, text=None):
    """Returns the recordings of a script, one per combination of inputs; None if it does not parse."""
    if text is None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    try:
        code = compile(text, path, "exec")
    except (SyntaxError, ValueError):
        return None
    return [execute(code, path, inputs) for inputs in inputs_of(text)]


NAME = "/nowhere/script.py"


class Session:
    """Runs a script statement by statement while it is written."""

    def __init__(self, inputs, namespace):
        self.inputs, self.namespace = inputs, namespace

    def __enter__(self):
        standins.start(NAME, self.inputs)
        self.environment = environment(NAME, self.inputs, os.getcwd())
        self.environment.__enter__()
        return self

    def __exit__(self, *_):
        self.environment.__exit__(None, None, None)
        standins.finish()

    def run(self, text):
        """Returns true if the statements run without an exception."""
        try:
            code = compile(text, NAME, "exec")
        except (SyntaxError, ValueError):
            return False
        signal.signal(signal.SIGVTALRM, out_of_time)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        sys.settrace(Steps(NAME))
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(code, self.namespace)
        except BaseException:
            return False
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return True
