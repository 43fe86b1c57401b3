#!/usr/bin/env python3
"""Writes the sources of the documentation site: the pages of docs/, and those that the program prints.

    docs_pages.py <sparsecfg> <root of the project> <folder> [<folder of the bundled playground>]
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from docs_playground import Examples

PROGRAM, ROOT, OUT = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
PLAYGROUND = Path(sys.argv[4]) if len(sys.argv) > 4 else None
PAGES = OUT / "docs"
DIALECTS = ("sparseml", "llm-compressor", "compressed-tensors", "distiller", "ai8x", "nni")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def write(name, text):
    path = PAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def code(text):
    return re.sub(r"(?<!`)(--[a-z][a-z-]+|eval\(\.\.\.\)|\.[a-z]+\.yaml|\.gitignore)(?![`a-z])", r"`\1`", text).replace("<", "&lt;")


def help_sections(text):
    """The sections of a help text: its name, and its entries, each with a head and a description."""
    for section in re.split(r"\n\n(?=[A-Z][a-z]+:\n)", text)[1:]:
        name, body = section.split(":\n", 1)
        entries = re.findall(r"^  (\S.*)\n((?:      .*\n?)*)", body, re.MULTILINE)
        yield name, [(head, re.sub(r"(?<=[^.]) Values: ", ". Values: ", " ".join(doc.split()))) for head, doc in entries]


def command_page():
    overview = printed("help")
    lists = overview.split("Commands:")[1].split("Options:")[0].split("Aliases:")
    commands, aliases = (re.findall(r"^  ([a-z]+) {2,}(.*)$", part, re.MULTILINE) for part in lists)
    shared = dict(dict(help_sections(overview))["Options"])
    out = ["# Commands", "", "`sparsecfg help COMMAND` prints the same text. These options belong to every command:", ""]
    out += [f"- **`{head}`**: {code(doc)}" for head, doc in shared.items()]
    out += ["", "Other names: " + ", ".join(f"`{name}` is `{meant}`" for name, meant in aliases) + "."]
    for name, doc in commands:
        if name in ("help", "version"):
            continue
        text = printed("help", name)
        usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE)[1]
        out += ["", f"## {name}", "", f"{code(doc)}.", "", "```text", usage, "```", ""]
        for _, entries in help_sections(text):
            out += [f"- **`{head}`**: {code(doc)}" for head, doc in entries if head not in shared]
    return "\n".join(out) + "\n"


def rule_pages():
    examples = Examples(PROGRAM, ROOT / "testdata") if PLAYGROUND else None
    linked_rules = 0
    index = printed("explain", "--list", "--format", "markdown")
    write("rules/index.md", index)
    for family in json.loads(printed("explain", "--list", "--format", "json"))["families"]:
        for rule in family["rules"]:
            page = printed("explain", "--format", "markdown", rule["code"])
            link = examples.link_of(rule["code"], page) if examples else None
            linked_rules += link is not None
            links = ([f"[Open in the playground](../playground/index.html{link})"] if link else []) + ["[All rules](index.md)"]
            write(f"rules/{rule['code']}.md", page + "\n" + " · ".join(links) + "\n")
    if examples:
        print(f"{linked_rules} rules with an example in the playground")


def playground():
    """Copies the bundled playground into the site, and adds it to the navigation."""
    shutil.copytree(PLAYGROUND, PAGES / "playground")
    config = OUT / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("\n- Rules:", "\n- Playground: playground/index.html\n- Rules:"), encoding="utf-8")
    page = PAGES / "browser.md"
    text = page.read_text(encoding="utf-8")
    write(page.name, text.replace("the folder `playground/`", "the folder [`playground/`](playground/index.html)"))


def linked(text, page, source):
    """Adapts links of a page. `source` is its place in the repository, `page` that in the site. Files that the site
    lacks are named without a link."""

    def link(match):
        image, label, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        file = os.path.normpath(os.path.join(os.path.dirname(source), target))
        inside = os.path.relpath(file, "docs") if file.startswith("docs/") else {"README.md": "index.md"}.get(file, file)
        if not (PAGES / inside).is_file():
            return label
        return f"{image}[{label}]({os.path.relpath(inside, os.path.dirname(page) or '.')}{anchor})"

    parts = FENCE.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES)
    shutil.copy(ROOT / "mkdocs.yml", OUT)
    shutil.copy(ROOT / "LICENSE", PAGES)
    if PLAYGROUND:
        playground()
    write("commands.md", command_page())
    rule_pages()
    for dialect in DIALECTS:
        write(f"dialects/reference/{dialect}.md", printed("explain", "--format", "markdown", dialect))
    sources = {"index.md": "README.md", **{name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}}
    for page, source in sources.items():
        write(page, (ROOT / source).read_text(encoding="utf-8"))
    sources.update({str(page.relative_to(ROOT / "docs")): str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")})
    for page, source in sources.items():
        text = (PAGES / page).read_text(encoding="utf-8")
        write(page, linked(text, page, source))


main()
