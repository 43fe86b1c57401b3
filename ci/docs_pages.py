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
DIALECTS = ("sparseml", "llm-compressor", "compressed-tensors", "checkpoint", "mlx", "gguf", "distiller", "ai8x", "nni",
            "autoround", "gptqmodel", "torchao", "modelopt")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
REFERENCE = re.compile(r"(?P<heading>^#.*$)|(?P<link>\[[^\]]*\]\([^)]*\))|`(?:(?P<rule>[A-Z]{2}\d{3})|(?P<command>sparsecfg (?:explain|help) [\w-]+))`",
                       re.MULTILINE)
GENERATED = {"sparsecfg explain --list": "rules/index.md", "sparsecfg help COMMAND": "commands.md",
             **{f"sparsecfg explain {dialect}": f"dialects/reference/{dialect}.md" for dialect in DIALECTS}}
SHARED = 6  # commands with an option, from which on the page of commands describes it once
STATEMENT = re.compile(r"(?:docs|https?://\S+)/semantics/([a-z-]+)(?:\.md|/)#([a-z0-9-]+)")
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
    """The sections of a help text: its name, and its entries, each with a head and a description. Examples have none."""
    for section in re.split(r"\n\n(?=[A-Z][a-z]+:\n)", text)[1:]:
        name, body = section.split(":\n", 1)
        if name == "Examples":
            continue
        entries = re.findall(r"^  (\S.*)\n((?:      .*\n?)*)", body, re.MULTILINE)
        yield name, [(head, re.sub(r"(?<=[^.]) Values: ", ". Values: ", " ".join(doc.split()))) for head, doc in entries]


def items(entries):
    return [f"- **`{head}`**: {code(doc)}" for head, doc in entries]


def shared_options(texts):
    """Options that several commands have, with the same description."""
    commands = {}
    for name, text in texts.items():
        for _, entries in help_sections(text):
            for entry in entries:
                commands.setdefault(entry, []).append(name)
    return [entry for entry, names in commands.items() if len(names) >= SHARED]


def command_page():
    overview = printed("help")
    lists = overview.split("Commands:")[1].split("Options:")[0].split("Aliases:")
    commands, aliases = (re.findall(r"^  ([a-z]+) {2,}(.*)$", part, re.MULTILINE) for part in lists)
    texts = {name: printed("help", name) for name, _ in commands if name not in ("help", "version")}
    shared = shared_options(texts)
    out = ["# Commands", "", "`sparsecfg help COMMAND` prints the same text.", ""]
    out += ["Other names: " + ", ".join(f"`{name}` is `{meant}`" for name, meant in aliases) + "."]
    for name, doc in commands:
        if name not in texts:
            continue
        usage = re.search(r"^Usage: (.*)$", texts[name], re.MULTILINE)[1]
        entries = [entry for _, section in help_sections(texts[name]) for entry in section]
        common = [f"`{re.findall('--[a-z0-9-]+', head)[0]}`" for head, _ in entries if (head, _) in shared]
        examples = re.search(r"^Examples:\n((?:  .*\n)+)", texts[name], re.MULTILINE)
        shown = [usage] + ([""] + [line.strip() for line in examples[1].splitlines()] if examples else [])
        out += ["", f"## {name}", "", f"{code(doc)}.", "", "```text", *shown, "```", ""]
        out += items(entry for entry in entries if entry not in shared)
        out += ["", f"[Common options](#common-options): {', '.join(common)}"]
    out += ["", "## Common options", "", "Several commands have these options.", "", *items(shared)]
    return "\n".join(out) + "\n"


def number(anchor):
    """The number of a statement: "C3.5" for the anchor "c3-5"."""
    return anchor.upper().replace("-", ".")


def source_links(text):
    """Adds links to the files of a page about a framework. Its first table has the repository and the commit of each key."""
    for key, row in re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE):
        place = re.search(r"\((https://github\.com/[^)]*)\) at `([0-9a-f]{40})`", row)
        if place:
            folder = re.search(r"paths below `([^`]*)`", row)
            base = f"{place[1]}/blob/{place[2]}/{folder[1] if folder else ''}"
            text = re.sub(rf"(?<=[\[ ]){key} ([\w/.-]+):(\d+)", rf"[{key} \1:\2]({base}\1#L\2)", text)
    return text


def rule_pages():
    examples = Examples(PROGRAM, ROOT / "testdata") if PLAYGROUND else None
    linked_rules = 0
    families = json.loads(printed("explain", "--list", "--format", "json"))["families"]
    rule_index(families)
    rules = [(family, rule["code"]) for family in families for rule in family["rules"]]
    for at, (family, rule) in enumerate(rules):
        page = printed("explain", "--format", "markdown", rule)
        page = STATEMENT.sub(lambda found: f"[{found[1]} {number(found[2])}](../semantics/{found[1]}.md#{found[2]})", page)
        link = examples.link_of(rule, page) if examples else None
        linked_rules += link is not None
        links = [f"[Open in the playground](../playground/index.html{link})"] if link else []
        links += [f"[← {before}]({before}.md)" for _, before in rules[max(at - 1, 0):at]]
        links += [f"[{after} →]({after}.md)" for _, after in rules[at + 1:at + 2]]
        title, body = page.split("\n", 1)
        above = f"[All rules](index.md) › [{family['prefix']}: {family['name']}]({family['prefix']}.md)"
        write(f"rules/{rule}.md", f"{title}\n\n{above}\n{body}\n{' · '.join(links)}\n")
    if examples:
        print(f"{linked_rules} rules with an example in the playground")


def rule_index(families):
    """Writes a page per family, and the index of all rules, in which docs/rules.js adds a filter."""
    index = printed("explain", "--list", "--format", "markdown")
    intro, *sections = re.split(r"^(?=## )", index, flags=re.MULTILINE)
    folded = intro + '<div id="rule-filter"></div>\n\n'
    for family, section in zip(families, sections):
        heading, scope, table = section.strip().split("\n\n")
        prefix, count = family["prefix"], len(family["rules"])
        write(f"rules/{prefix}.md", f"{heading[1:]}\n\n{scope}\n\n{table}\n\n[All rules](index.md)\n")
        folded += f'{heading}\n\n{scope}\n\n<details markdown="1">\n<summary>{count} rules</summary>\n\n{table}\n\n</details>\n\n'
    write("rules/index.md", folded)
    pages = "\n".join(f"  - {family['prefix']} {family['name']}: rules/{family['prefix']}.md" for family in families)
    config = OUT / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("- Rules: rules/index.md", f"- Rules:\n  - All rules: rules/index.md\n{pages}"), encoding="utf-8")


def playground():
    """Copies the bundled playground into the site, and adds it to the navigation."""
    shutil.copytree(PLAYGROUND, PAGES / "playground")
    config = OUT / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("\n- Rules:", "\n- Playground: playground/index.html\n- Rules:", 1), encoding="utf-8")
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
    return "".join(part if part.startswith("```") else with_references(LINK.sub(link, part), page) for part in parts)


def with_references(text, page):
    """Links rules and `sparsecfg explain NAME` in prose to their pages, which only the site has."""

    def reference(match):
        if match["link"] or match["heading"]:
            return match[0]
        target = GENERATED.get(match["command"], f"rules/{match['rule']}.md")
        if not (PAGES / target).is_file():
            return match[0]
        return f"[{match[0]}]({os.path.relpath(target, os.path.dirname(page) or '.')})"

    return REFERENCE.sub(reference, text)


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
        if page.startswith("semantics/"):
            text = source_links(text)
        write(page, linked(text, page, source))


main()
