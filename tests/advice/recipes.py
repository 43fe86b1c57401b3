"""The recipes of the repository whose findings are tried: golden cases of `validate` and sheets."""

import pathlib
import shlex

SUFFIXES = {".yaml", ".yml", ".md", ".json", ".py", ".ipynb"}
NEEDED = {"after", "models", "names", "next"}  # folders with other inputs of cases
READ = {"--from", "--framework", "--nni", "--set", "--params", "--modules", "--steps-per-epoch", "--epochs", "--max-size",
        "--llmc", "--pruner", "--stage", "--stdin-filename"}


class Recipe:
    """One recipe with the options that decide what a framework does with it."""

    def __init__(self, name, text, arguments, file):
        self.name = name
        self.text = text
        self.arguments = arguments + ["--stdin-filename", file]
        self.file = file


def reading_options(words, folder):
    options = []
    for option, value in zip(words, words[1:]):
        if option in READ and option != "--stdin-filename":
            options += [option, value.replace("{dir}", folder)]
    return options


def goldens(testdata):
    for path in sorted((testdata / "validate").rglob("*")):
        if path.suffix not in SUFFIXES or NEEDED & set(path.parent.parts):
            continue
        name = path.relative_to(testdata)
        sidecar = path.with_suffix(".args")
        words = shlex.split(sidecar.read_text()) if sidecar.exists() else []
        yield Recipe(str(name), path.read_bytes(), reading_options(words, "/".join(name.parts[:2])), str(name))


def sheet(path):
    for case in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, command, rest = case.split("\n", 2)
        if command.startswith("expect: "):
            command, rest = rest.split("\n", 1)
        words = shlex.split(command[2:])
        if words[0] != "validate":
            continue
        text = rest[:rest.index("\n=> ") + 1] if not rest.startswith("=> ") else ""
        file = words[words.index("--stdin-filename") + 1] if "--stdin-filename" in words else "recipe.yaml"
        yield Recipe(f"{path.name}: {title}", text.encode(), reading_options(words, ""), file)


# Sheets that give fields odd values one after the other, several in a recipe. Where one error hides another, the other
# appears after the advice.
ODD = ("ai8x", "conditions", "fields", "models", "rules", "schemes", "shapes", "stages")


def sheets(testdata, odd):
    for path in sorted((testdata / "sheets").glob("*.txt")):
        if odd or not path.stem.endswith(ODD):
            yield from sheet(path)


def mistakes(testdata):
    yield from sheet(testdata / "sheets" / "mistakes.txt")


def below(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            yield Recipe(str(path), path.read_bytes(), [], path.name)
