#!/usr/bin/env python3
"""Checks README.md and docs/ against the program.

    documents.py <sparsecfg> <root of the project> [--update]

Commands of `console` blocks are run in a copy of docs/examples, and their output is compared with the block. A block
`yaml title="NAME"` shows that file of docs/examples. The output of a `python` block is the `text` block after it. The
table of packages in docs/install.md, the version and the picture are compared with their sources. `--update` writes
the new text into the documents.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
UPDATE = "--update" in sys.argv[3:]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
PICTURE = ("timeline", "testdata/validate/sparseml/prune-and-quantize.yaml", "--steps-per-epoch", "500", "--format", "svg")
FAILURES = []


def scratch(folder):
    """A folder with the example recipes, in which paths of the repository are valid too."""
    shutil.copytree(ROOT / "docs" / "examples", folder, dirs_exist_ok=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "sparsecfg").symlink_to(PROGRAM)
    for name in ("docs", "testdata"):
        (folder / name).symlink_to(ROOT / name)


def run(command, folder):
    environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"),
                   "PYTHONDONTWRITEBYTECODE": "1", "SPARSECFG_EXECUTABLE": PROGRAM}
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR"):
        environment.pop(name, None)
    result = subprocess.run(command, cwd=folder, env=environment, text=True, check=False, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.stdout


def console(body, folder):
    """The block with the output that its commands have now. A line that ends in a backslash goes on."""
    out = ""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)[0]
        out += f"$ {command}{run(['bash', '-c', command], folder)}"
    return out


def checked(path, match, folder):
    """The block as it must be."""
    info, body, printed = match["info"], match["body"], match["printed"]
    whole = match[0]
    if title := TITLE.search(info):
        example = ROOT / "docs" / "examples" / title[1]
        whole = whole.replace(body, example.read_text(encoding="utf-8"), 1)
    elif info == "console":
        whole = whole.replace(body, console(body, folder), 1)
    elif info == "python" and printed is not None:
        now = run([shutil.which("python3", path="/usr/bin") or sys.executable, "-c", body], folder)
        whole = whole.replace(f"```text\n{printed}", f"```text\n{now}", 1)
    if whole != match[0] and not UPDATE:
        FAILURES.append(f"{path.relative_to(ROOT)}: expected:\n{whole}")
    return whole


def check_examples(path):
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scratch(folder)
        now = BLOCK.sub(lambda match: checked(path, match, folder), text)
    if UPDATE and now != text:
        path.write_text(now, encoding="utf-8")


def check_picture():
    committed = ROOT / "docs" / "images" / "timeline.svg"
    now = subprocess.run([PROGRAM, *PICTURE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if UPDATE:
        committed.write_text(now, encoding="utf-8")
    elif committed.read_text(encoding="utf-8") != now:
        FAILURES.append(f"docs/images/timeline.svg is not what `sparsecfg {' '.join(PICTURE)}` prints")


def check_packages():
    """The table has the packages of each distribution that the build asks for."""
    install = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    asked = re.findall(r'^set\(packages_(\S+) "(.*)"\)', (ROOT / "cmake/libraries.cmake").read_text(encoding="utf-8"), re.MULTILINE)
    assert asked
    for library, columns in asked:
        row = re.search(rf"^\| {re.escape(library)}(?: \(headers\))? \|(.*)\|$", install, re.MULTILINE)
        cells = [each.strip().replace("`", "").replace(",", "") for each in row[1].split("|")] if row else None
        if cells != columns.split("|"):
            FAILURES.append(f"docs/install.md: {library} is {columns} in cmake/libraries.cmake")
    debian = {columns.split("|")[0] for _, columns in asked}
    missing = debian - set((ROOT / "packages.txt").read_text(encoding="utf-8").split())
    if missing:
        FAILURES.append(f"packages.txt lacks {missing}")


def check_version():
    """Tags and file names in the documents have the version that CMakeLists.txt states."""
    stated = re.search(r"project\(sparsecfg VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    for path in (*DOCUMENTS, ROOT / "CONTRIBUTING.md"):
        named = set(re.findall(r"(?:\bv|sparsecfg[_-])([0-9]+\.[0-9]+\.[0-9]+)", path.read_text(encoding="utf-8")))
        if not named <= {stated}:
            FAILURES.append(f"{path.relative_to(ROOT)} names {named}, the version is {stated}")
    if f"## [{stated}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        FAILURES.append(f"CHANGELOG.md has no version {stated}")


def main():
    for path in DOCUMENTS:
        check_examples(path)
    check_picture()
    check_packages()
    check_version()
    print("\n".join(FAILURES))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
