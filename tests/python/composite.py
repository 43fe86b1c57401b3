"""Runs the steps of a composite action of GitHub's on this machine, with the environment that its runner gives them.

    composite.py <folder of action.yml> [NAME=VALUE...]

The values are inputs. Steps that use other actions are not run but printed with their inputs. The exit status is 1 if a
step fails, after which only steps with `always()` follow.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

folder = Path(sys.argv[1]).resolve()
action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
given = dict(each.split("=", 1) for each in sys.argv[2:])
unknown = set(given) - set(action["inputs"])
assert not unknown, f"no such inputs: {unknown}"
inputs = {name: given.get(name, each.get("default", "")) for name, each in action["inputs"].items()}


RUN = {"runner.temp": os.environ["RUNNER_TEMP"], "runner.os": "Linux", "runner.arch": "X64", "github.action_ref": "v1"}


def expanded(text):
    """A text of the file with inputs and values of the run replaced; any other expression is an error here."""
    values = RUN | {f"inputs.{name}": value for name, value in inputs.items()}
    out = re.sub(r"\$\{\{\s*([a-z_.]+)\s*\}\}", lambda found: values.get(found[1], found[0]), text)
    assert "${{" not in out, out
    return out


def due(step, failed):
    """True if the condition of a step holds: `always()` and comparisons of inputs, joined by `&&`."""
    parts = [each.strip() for each in step.get("if", "").split("&&") if each.strip()]
    for part in parts:
        found = re.fullmatch(r"inputs\.([a-z]+) == '([^']*)'", part)
        assert part == "always()" or found, part
        if found and inputs[found[1]] != found[2]:
            return False
    return not failed or "always()" in parts


failed = False
for step in action["runs"]["steps"]:
    if not due(step, failed):
        continue
    if "uses" in step:
        print("uses", step["uses"], *(f"{name}={expanded(value)}" for name, value in step["with"].items()))
        continue
    variables = {name: expanded(value) for name, value in step.get("env", {}).items()}
    paths = Path(os.environ["GITHUB_PATH"]).read_text(encoding="utf-8").split()
    environment = {**os.environ, **variables, "GITHUB_ACTION_PATH": str(folder),
                   "PATH": ":".join([*reversed(paths), os.environ["PATH"]])}
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", expanded(step["run"])]
    failed = subprocess.run(command, env=environment, check=False).returncode != 0 or failed
sys.exit(1 if failed else 0)
