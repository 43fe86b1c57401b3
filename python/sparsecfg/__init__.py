"""Validate sparsification recipes, compute their schedules and convert them.

Each function accepts the path of a recipe, or its contents as the keyword argument `text`. Further keyword arguments are
command-line options: `validate("recipe.yaml", steps_per_epoch=100, params="model.safetensors")`. The functions run the
executable `sparsecfg` that is installed with this module, or the one in the environment variable SPARSECFG_EXECUTABLE.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

__all__ = ["Action", "Conversion", "Edit", "Error", "Finding", "Match", "MatchedName", "Position", "Report",
           "Selection", "Timeline", "convert", "explain", "match", "timeline", "validate", "version"]

PathLike = Union[str, "os.PathLike[str]"]
Option = Union[str, int, float, bool, None, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]

# Options that change what a function of this module reads from the executable.
_RESERVED = {
    "validate": ("diff", "format", "output", "show-files", "statistics", "watch", "write-baseline"),
    "timeline": ("format", "output", "summary"),
    "convert": ("format", "output", "report", "to"),
    "match": ("format", "output"),
}


class Error(Exception):
    """An option or file is invalid, or the recipe has errors that prevent a result."""


@dataclass(frozen=True)
class Position:
    """A position in a file. Line and column start at 1. Columns count code points. `byte` is the offset in bytes."""

    line: int
    column: int
    byte: int


@dataclass(frozen=True)
class Edit:
    """Replaces the text from `start` to `end` with `text`."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True)
class Finding:
    """A problem in a recipe."""

    code: str
    name: str
    severity: str  # "error", "warning" or "info"
    message: str
    help: str
    start: Position
    end: Position
    labels: Tuple[Tuple[Position, Position, str], ...] = ()
    fix: Tuple[Edit, ...] = ()
    fix_is_safe: bool = True


@dataclass(frozen=True)
class Report:
    """The findings of `validate` in a recipe."""

    dialect: Optional[str]
    findings: Tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True if the recipe has no errors."""
        return all(each.severity != "error" for each in self.findings)


@dataclass(frozen=True)
class Timeline:
    """The schedule of a recipe in columns of equal length. Values are None if they are unknown or not set yet.

    `sparsity` has a column for each pruning action, such as `GMPruningModifier#2`. The columns can be passed to
    `numpy.array(timeline.sparsity[name], dtype=float)` and `pandas.DataFrame(timeline.columns())`.
    """

    step: List[int]
    epoch: List[float]
    lr: List[Optional[float]]
    sparsity: Dict[str, List[Optional[float]]] = field(default_factory=dict)

    def columns(self) -> Dict[str, List[Any]]:
        """Return all columns by name."""
        return {"step": self.step, "epoch": self.epoch, "lr": self.lr, **self.sparsity}


@dataclass(frozen=True)
class Action:
    """The conversion result of one action of a recipe."""

    name: str
    line: int
    fidelity: str  # "exact", "equivalent", "not_compared", "approximated", "not_converted" or "dropped"
    reason: str


@dataclass(frozen=True)
class Conversion:
    """A converted recipe with the results of its actions."""

    text: str
    actions: Tuple[Action, ...]
    notes: Tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """The names that one term of a selector matches in the model."""

    action: str  # "GMPruningModifier#2" is the second action of the recipe
    selector: int  # index within the action, from 0
    term: str
    names: Tuple[str, ...]


@dataclass(frozen=True)
class MatchedName:
    """A parameter or module of the model and the actions that select it."""

    name: str
    shape: Optional[Tuple[int, ...]]  # None if unknown
    actions: Tuple[str, ...]  # actions that apply to it
    losing_actions: Tuple[str, ...]  # actions that also select it, but are overridden by another
    type: Optional[str] = None  # class of a module


@dataclass(frozen=True)
class Match:
    """The names that the selectors of a recipe match in a model."""

    selections: Tuple[Selection, ...]
    parameters: Tuple[MatchedName, ...] = ()
    modules: Tuple[MatchedName, ...] = ()


def _executable() -> str:
    given = os.environ.get("SPARSECFG_EXECUTABLE")
    if given:
        return given
    # Installation folders of pip: default, with --user, and with --target.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               str(Path(__file__).resolve().parent.parent / "bin")]
    found = next(filter(None, (shutil.which("sparsecfg", path=folder) for folder in folders)), None)
    found = found or shutil.which("sparsecfg")
    if not found:
        raise Error("the executable `sparsecfg` is not installed")
    return found


def _flag(name: str) -> str:
    return "--" + name.rstrip("_").replace("_", "-")


def _check_options(command: str, options: Dict[str, Option]) -> None:
    for name in options:
        if _flag(name)[2:] in _RESERVED[command]:
            raise TypeError(f"{command}() does not support the option `{name}`; run the executable instead")


def _json(command: str, text: str) -> Any:
    """Parse the output of a command. An option may have changed it, such as `help=True`."""
    try:
        return json.loads(text)
    except ValueError:
        raise Error(f"`sparsecfg {command}` printed no JSON, because an option changes its output") from None


def _environment() -> Dict[str, str]:
    """Return the environment without the variables by which the executable detects the log of a CI job."""
    return {name: value for name, value in os.environ.items()
            if name not in ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")}


def _arguments(options: Dict[str, Option]) -> List[str]:
    """Convert keyword arguments to command-line options: `steps_per_epoch=3` becomes `--steps-per-epoch 3`."""
    out: List[str] = []
    for name, value in options.items():
        flag = _flag(name)
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, (str, int, float, os.PathLike)):
            out += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
        else:
            for each in value:
                out += [flag, os.fspath(each) if isinstance(each, os.PathLike) else str(each)]
    return out


def _run(command: str, path: Optional[PathLike], text: Optional[str], options: Dict[str, Option],
         *more: str) -> "subprocess.CompletedProcess[str]":
    if (path is None) == (text is None):
        raise TypeError("pass either a path or text")
    _check_options(command, options)
    arguments = [_executable(), command, *more, *_arguments(options), "--", "-" if path is None else os.fspath(path)]
    if any("\0" in each for each in arguments):
        raise Error("a path or an option contains a NUL character")
    try:
        result = subprocess.run(arguments, input=text or "", capture_output=True, text=True, encoding="utf-8", check=False,
                                env=_environment())
    except UnicodeEncodeError:
        raise Error("the recipe, a path or an option contains half of a surrogate pair") from None
    if result.returncode not in (0, 1):
        raise Error(_complaint(result))
    return result


def _complaint(result: "subprocess.CompletedProcess[str]") -> str:
    return result.stderr.strip() or f"sparsecfg exited with code {result.returncode}"


def _position(data: Dict[str, int]) -> Position:
    return Position(data["line"], data["column"], data["byte"])


def _finding(data: Dict[str, Any]) -> Finding:
    fix = data.get("fix", {"applicability": "safe", "edits": []})
    return Finding(
        data["code"], data["name"], data["severity"], data["message"], data["help"],
        _position(data["span"]["start"]), _position(data["span"]["end"]),
        tuple((_position(each["span"]["start"]), _position(each["span"]["end"]), each["text"]) for each in data["labels"]),
        tuple(Edit(_position(each["span"]["start"]), _position(each["span"]["end"]), each["text"]) for each in fix["edits"]),
        fix["applicability"] == "safe")


def version() -> str:
    """Return the version of the executable."""
    result = subprocess.run([_executable(), "--version"], capture_output=True, text=True, check=True)
    return result.stdout.split()[1]


def validate(path: Optional[PathLike] = None, *, text: Optional[str] = None, **options: Option) -> Report:
    """Check a recipe and return its findings. Raises Error if it cannot be read or an option is invalid."""
    report = _json("validate", _run("validate", path, text, options, "--format", "json").stdout)
    files = report["files"]
    if not files:
        return Report(None, ())
    return Report(files[0]["dialect"], tuple(_finding(each) for each in files[0]["diagnostics"]))


def timeline(path: Optional[PathLike] = None, *, text: Optional[str] = None, **options: Option) -> Timeline:
    """Return the values at every step with a change.

    Raises Error if the recipe has errors or is applied in one shot.
    """
    result = _run("timeline", path, text, options, "--format", "jsonl")
    if result.returncode != 0:
        raise Error(_complaint(result))
    header, *rows = [_json("timeline", line) for line in result.stdout.rstrip("\n").split("\n")]
    if header.get("one_shot"):
        raise Error("the recipe is applied in one shot, so it has no timeline")
    names = [column["label"] for column in header["columns"]]

    def number(value: Union[float, str, None]) -> Optional[float]:
        return None if value is None else float(value)

    return Timeline(
        [row["step"] for row in rows], [row["epoch"] for row in rows],
        [number(row["lr"][0]) if row["lr"] else None for row in rows],
        {name: [number(row["sparsity"][name]) for row in rows] for name in names})


def convert(path: Optional[PathLike] = None, *, to: str, text: Optional[str] = None, **options: Option) -> Conversion:
    """Convert a recipe to another dialect. Raises Error if it has errors or if parts would be dropped."""
    result = _run("convert", path, text, options, "--to", to, "--report", "json")
    if result.returncode != 0:
        raise Error(_complaint(result))
    report = _json("convert", result.stderr) if result.stderr.lstrip().startswith("{") else {}
    actions = tuple(Action(each["class"], each["line"], each["fidelity"], each["reason"]) for each in report.get("actions", []))
    return Conversion(result.stdout, actions, tuple(report.get("notes", [])))


def _matched_name(data: Dict[str, Any]) -> MatchedName:
    shape = data.get("shape")
    decides: Dict[bool, Dict[str, None]] = {True: {}, False: {}}
    for claim in data["claims"]:
        decides[claim["decides"]][claim["action"]] = None
    return MatchedName(data["name"], None if shape is None else tuple(shape), tuple(decides[True]), tuple(decides[False]),
                       data.get("class"))


def match(path: Optional[PathLike] = None, *, text: Optional[str] = None, **options: Option) -> Match:
    """Return the names that each selector matches in the model.

    Pass the model as `model`, or lists of names as `params` or `modules`. Raises Error if the recipe has errors that prevent matching, or without a
    model.
    """
    result = _run("match", path, text, options, "--format", "json")
    if not result.stdout:
        raise Error(_complaint(result))
    data = _json("match", result.stdout)
    return Match(
        tuple(Selection(each["action"], each["selector"], each["term"], tuple(each["takes"])) for each in data["selectors"]),
        tuple(_matched_name(each) for each in data.get("parameters", [])),
        tuple(_matched_name(each) for each in data.get("modules", [])))


def explain(topic: str) -> str:
    """Return the page of a diagnostic, modifier, class or key. Raises Error for an unknown topic."""
    result = subprocess.run([_executable(), "explain", "--", topic], capture_output=True, text=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        raise Error(_complaint(result))
    return result.stdout
