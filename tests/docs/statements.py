#!/usr/bin/env python3
"""Checks the pages on framework behavior (docs/semantics/) and everything that cites them.

    statements.py <sparsecfg> <root of the project>

Anchors are unique and equal to the number of their statement, every statement has a source, every citation in comments
and documents resolves, and docs/semantics/rules.tsv has every rule, except those of WITHOUT_STATEMENT. A group of a sheet about one framework, and a
rule of one framework, cite statements of this framework. Nothing cites pages outside the repository.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

PROGRAM, ROOT = sys.argv[1], Path(sys.argv[2]).resolve()
PAGES = ROOT / "docs" / "semantics"
ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
STATEMENT = re.compile(r'<a id="(?P<anchor>[^"]*)"></a>\*\*(?P<number>[A-H]\d+\.\d+)\*\* (?P<text>.*)$')
SOURCE = re.compile(r"\[(?P<sources>(?:[^\[\]]|\[[^\[\]]*\])*)\](?: \|)?$")
KEYS = re.compile(r"^\| (?P<keys>`\w[^|]*) \|", re.MULTILINE)
SPACE = r"(?:\s+(?://\s+)?)"
CITATION = re.compile(rf"docs/semantics/(?P<page>[a-z-]+)\.md(?P<anchors>#[a-z0-9-]+(?:,{SPACE}?#[a-z0-9-]+)*)?")
LINK = re.compile(r"\]\((?P<page>[a-z./-]*\.md)?#(?P<anchor>[a-z0-9-]+)\)")
# docs/dialects links the pages that are generated.
OUTSIDE = re.compile(r"(?<!dialects/)\breference/[a-z0-9-]+\.md|\breference \d+(?:\.\d+)*\b|\.\./shared/(?:corpus|cases|oracle)\b")
GROUP = re.compile(r"^## (?P<name>.*)\nwhy: .*\ncites: (?P<cites>.*)$", re.MULTILINE)
# The pages with statements on a framework: by its name at the start of the title of a group, and by the family of a rule.
# `yaml` has statements on PyYAML, which several frameworks use.
PAGES_OF = {"SparseML": {"sparseml", "yaml"}, "Distiller": {"distiller", "yaml"}, "NNI": {"nni", "yaml"},
            "ai8x": {"ai8x"}, "llm-compressor": {"llm-compressor", "compressed-tensors", "yaml"},
            "compressed-tensors": {"compressed-tensors", "llm-compressor"}}
FAMILIES = {"AR": {"autoround"}, "AX": {"ai8x"}, "CT": {"compressed-tensors", "llm-compressor"}, "GG": {"gguf"},
            "GQ": {"gptqmodel"}, "LC": {"llm-compressor", "compressed-tensors", "python"}, "MO": {"modelopt"}, "MX": {"mlx"},
            "QC": {"checkpoint"}, "TA": {"torchao"}}
# Rules that rely on no statement, by the reason. A rule about a framework belongs in rules.tsv instead.
WITHOUT_STATEMENT = {
    "Limits of sparsecfg, and what it cannot check":
        "SP014 SP033 SP034 SP036 SP049 SP616 SP617 SP911",
    "How sparsecfg reads the input: the system, the mode, other files and comments":
        "LC108 LC131 SP021 SP035 SP037 SP038 SP053 SP120",
    "Python and the file system":
        "SP050 SP051 SP052",
    "Checks of ranges that several constructors make, each by the bounds in its own table of fields":
        "SP123",
    "Redundant or contradictory text that every framework accepts":
        "SP203 SP619 SP811 SP907",
    "Judgments on values that every framework accepts":
        "SP402 SP406 SP505 SP506 SP513 SP514 SP530 SP703 SP712",
    "Facts about the model that the user names, and what the entries select in it":
        "MD903 MD904 MD908 MD910 MD911 MD917 MD922 MD923 MD924 MD925",
    "Model types of Auto classes, from the table of the releases of transformers":
        "MD926",
    "What a conversion of sparsecfg writes":
        "PT001 PT002 PT007 PT009 PT010 PT013 PT014",
}
FOLDERS = ("cmd", "ci", "docs", "include", "lib", "testdata/sheets", "tests", "tools")
SUFFIXES = {".cpp", ".h", ".def", ".md", ".py", ".txt", ".cmake", ".in", ".sh"}
FAILURES = []


def fail(path, line, message):
    FAILURES.append(f"{path.relative_to(ROOT)}:{line}: {message}")


def recorded_cases(page):
    """The names of the recorded cases of a framework."""
    path = ROOT / "testdata" / "truth" / page / "cases.jsonl"
    return {json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()} if path.is_file() else set()


def check_statement(path, line, found, keys, cases):
    """The anchor is that of the number, and the last bracket of the line names keys of the table at the head, and recorded
    cases."""
    if found["anchor"] != found["number"].lower().replace(".", "-"):
        fail(path, line, f"the anchor of {found['number']} is {found['anchor']}")
    source = SOURCE.search(found["text"])
    if not source:
        fail(path, line, f"{found['number']} has no source")
        return
    for part in re.split(r"; |, (?=[A-Z]+\d? [\w/.]+\.py)", source["sources"]):
        if part.split()[0].rstrip(",") not in keys:
            fail(path, line, f"{found['number']} cites `{part}`, but the table at the head has no such key")
        for name in part.removeprefix("case ").split(", ") if part.startswith("case ") else ():
            if name not in cases:
                fail(path, line, f"{found['number']} cites the case {name}, which is not recorded")


def read_pages():
    """The anchors of each page, and the number of statements of each page."""
    anchors, statements = {}, {}
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        keys = {key for found in KEYS.finditer(text.split("\n## ")[0]) for key in re.findall(r"`([^`]+)`", found["keys"])}
        names = ANCHOR.findall(text) if path.name != "index.md" else []
        anchors[path.stem] = set(names)
        for name in anchors[path.stem]:
            if names.count(name) > 1:
                fail(path, 1, f"the anchor {name} occurs twice")
        statements[path.stem] = 0
        cases = recorded_cases(path.stem)
        for number, line in enumerate(text.splitlines(), 1):
            found = STATEMENT.search(line) if path.name != "index.md" else None
            if found:
                statements[path.stem] += 1
                check_statement(path, number, found, keys, cases)
            elif line.startswith("- <a id=") or line.startswith("| <a id="):
                fail(path, number, "a statement starts with an anchor and its number")
    return anchors, {page: count for page, count in statements.items() if page != "index"}


def check_anchor(path, line, page, anchor, anchors):
    if page not in anchors:
        fail(path, line, f"docs/semantics/{page}.md does not exist")
    elif anchor and anchor not in anchors[page]:
        fail(path, line, f"docs/semantics/{page}.md has no anchor {anchor}")


def check_text(path, anchors):
    """Checks the citations of a file, and returns their number."""
    text, count = path.read_text(encoding="utf-8", errors="replace"), 0
    for found in CITATION.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        for anchor in re.findall(r"#([a-z0-9-]+)", found["anchors"] or "#") or [""]:
            check_anchor(path, line, found["page"], anchor, anchors)
            count += 1
    for found in LINK.finditer(text):
        target = (path.parent / found["page"]).resolve() if found["page"] else path
        if target.parent == PAGES:
            check_anchor(path, text.count("\n", 0, found.start()) + 1, target.stem, found["anchor"], anchors)
            count += 1
    for found in () if path.parent.name == "dialects" else OUTSIDE.finditer(text):
        fail(path, text.count("\n", 0, found.start()) + 1, f"{found[0]} is not in the repository")
    return count


def check_groups(path):
    """A group about one framework cites a statement of it, or no statement but a page of the documentation."""
    text = path.read_text(encoding="utf-8")
    for found in GROUP.finditer(text):
        own = PAGES_OF.get(found["name"].partition(":")[0])
        cited = {each["page"] for each in CITATION.finditer(found["cites"])}
        if own and cited and not own & cited:
            fail(path, text.count("\n", 0, found.start()) + 1, f"`{found['name']}` cites only {', '.join(sorted(cited))}")


def explained(*arguments):
    return subprocess.run([PROGRAM, "explain", *arguments], capture_output=True, text=True, check=True).stdout


def check_printed(path, rows):
    """The page of each rule names its statements."""
    sections = re.split(r"^## (\w+)$", explained("diagnostics", "--format", "markdown"), flags=re.MULTILINE)
    pages = dict(zip(sections[1::2], sections[2::2]))
    for line, row in enumerate(rows, 1):
        missing = [each for each in row[1].split(" ") if "#" + each.partition("#")[2] not in pages.get(row[0], "")]
        if missing:
            fail(path, line, f"the page of {row[0]} does not name {', '.join(missing)}")


def check_complete(path, codes, listed):
    """Every rule has a row or a reason for having none, and not both."""
    excepted = [code for group in WITHOUT_STATEMENT.values() for code in group.split()]
    for code in sorted(codes - listed - set(excepted)):
        fail(path, 1, f"{code} has no row: add one, or add the code to WITHOUT_STATEMENT")
    for code in excepted:
        if code in listed or code not in codes or excepted.count(code) > 1:
            fail(path, 1, f"WITHOUT_STATEMENT has {code}, which has a row, is no rule, or occurs twice")


def check_rules(anchors):
    """Checks the table of rules, and returns the number of its rules and that of all rules."""
    path = PAGES / "rules.tsv"
    listed = json.loads(explained("--list", "--format", "json"))
    codes = {rule["code"] for family in listed["families"] for rule in family["rules"]}
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    for line, row in enumerate(rows, 1):
        if len(row) != 2 or row[0] not in codes:
            fail(path, line, f"no rule {row[0]}, or no statement")
            continue
        for statement in row[1].split(" "):
            page, _, anchor = statement.partition(".md#")
            check_anchor(path, line, page, anchor or "?", anchors)
        cited = {statement.partition(".md#")[0] for statement in row[1].split(" ")}
        if not FAMILIES.get(row[0][:2], cited) & cited:
            fail(path, line, f"{row[0]} cites only {', '.join(sorted(cited))}")
    if [row[0] for row in rows] != sorted({row[0] for row in rows}):
        fail(path, 1, "the codes are not sorted, or one occurs twice")
    check_complete(path, codes, {row[0] for row in rows})
    check_printed(path, rows)
    return len(rows), len(codes)


def main():
    anchors, statements = read_pages()
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    citations = sum(check_text(path, anchors) for path in [*sorted(ROOT.glob("*.md")), *files] if path != Path(__file__).resolve())
    for path in sorted((ROOT / "testdata" / "sheets").glob("*.txt")):
        check_groups(path)
    rules, known = check_rules(anchors)
    print("\n".join(FAILURES))
    print(f"{sum(statements.values())} statements on {len(statements)} pages: "
          + ", ".join(f"{page} {count}" for page, count in statements.items()))
    print(f"{citations} citations, {rules} of {known} rules with a statement, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


sys.exit(main())
