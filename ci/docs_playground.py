"""Links from the pages of rules to the playground, each with a golden case that shows the rule."""

import base64
import json
import re
import shlex
import subprocess
import tempfile
import zlib
from pathlib import Path

MOST_TRIED = 12
LARGEST = 6_000  # characters of a recipe with its names, so that addresses stay short
FIELDS = {"--params": "params", "--modules": "modules"}
REJECTED = {"--format", "--qat-policy", "--skip-unknown", "--report"}
RECIPES = (".yaml", ".yml", ".json", ".py", ".md")


def state_of(case, recipe, folder):
    """The state of the playground that runs a case, or None if the playground cannot. `folder` is that of the dialect."""
    state = {"text": recipe.read_text(encoding="utf-8"), "name": recipe.name, "steps": "", "tab": "timeline"}
    file = case.with_suffix(".args")
    words = shlex.split(file.read_text(encoding="utf-8").replace("{dir}", str(folder))) if file.is_file() else []
    options = []
    while words:
        word = words.pop(0)
        if word in REJECTED:
            return None
        if word in FIELDS:
            state[FIELDS[word]] = Path(words.pop(0)).read_text(encoding="utf-8")
        elif word == "--steps-per-epoch":
            state["steps"] = words.pop(0)
        elif word == "--to":
            state.update(to=words.pop(0), tab="convert")
        elif word == "--allow-loss":
            state["loss"] = "1"
        elif word != "--verbose":
            options.append(word)
    state["options"] = shlex.join(options)
    return state


def run(program, state, command, own):
    """Runs a command as the playground does."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".git").mkdir()
        Path(folder, state["name"]).write_text(state["text"], encoding="utf-8", newline="")
        names = [option for option, field in FIELDS.items() if field in state]
        for option in names:
            Path(folder, FIELDS[option] + ".txt").write_text(state[FIELDS[option]], encoding="utf-8", newline="")
        common = ["--steps-per-epoch", state["steps"]] if state["steps"] else []
        common += [word for option in names for word in (option, FIELDS[option] + ".txt")]
        words = [program, command, state["name"], *own, *common, *shlex.split(state["options"])]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def shows(program, state, code):
    """Whether the playground reports the code for a state."""
    if "to" in state:
        own = ["--to", state["to"], "--report", "json", *(["--allow-loss"] if state.get("loss") else [])]
        done = run(program, state, "convert", own)
    else:
        done = run(program, state, "validate", ["--format", "json"])
    return f'"{code}"' in done.stdout + done.stderr


def completed(program, state, code):
    """Adds steps per epoch for the timeline, if the code is still reported. Without a timeline, shows the settings."""
    if not state["steps"] and shows(program, {**state, "steps": "100"}, code):
        state["steps"] = "100"
    if state["tab"] == "timeline" and run(program, state, "timeline", ["--format", "html"]).returncode != 0:
        state["tab"] = "inspect"
    return state


def fragment(state):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()
    packed = compressor.compress(text) + compressor.flush()
    return "#r=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


class Examples:
    def __init__(self, program, testdata):
        self.program = program
        self.testdata = testdata
        self.cases = {}
        for case in sorted([*testdata.glob("validate/**/*.out"), *testdata.glob("convert/**/*.err")]):
            recipe = next((case.with_suffix(kind) for kind in RECIPES if case.with_suffix(kind).is_file()), None)
            if recipe is None or recipe.stat().st_size > LARGEST:
                continue
            printed = case.read_text(encoding="utf-8", errors="replace")
            for code in set(re.findall(r"\b[A-Z]{2}\d{3}\b", "\n".join(re.findall(r"\[([A-Z0-9, ]+)\]:?", printed)))):
                self.cases.setdefault(code, []).append((case, recipe))

    def link_of(self, code, page):
        """The fragment of the playground's address that shows a rule, or None without such a case."""
        shown = re.search(r"^ *--> ([^\s:]+):\d", page, re.MULTILINE)

        def order(candidate):
            case, recipe = candidate
            return (shown is None or recipe.name != shown[1], code not in case.name, case.name.startswith("near"), recipe.stat().st_size)

        for case, recipe in sorted(self.cases.get(code, []), key=order)[:MOST_TRIED]:
            try:
                folder = self.testdata.joinpath(*case.relative_to(self.testdata).parts[:2])  # validate/sparseml
                state = state_of(case, recipe, folder)
            except (OSError, UnicodeDecodeError):
                continue
            if state and sum(map(len, state.values())) <= LARGEST and shows(self.program, state, code):
                return fragment(completed(self.program, state, code))
        return None
