#!/usr/bin/env python3
"""Checks the links of the documents that people read in the repository. ci/docs.sh checks those of the site.

    links.py <root of the project>

Each relative link must lead to a committed file or folder, and its anchor to a heading or an `id`.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
FENCE = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
LINKS = (re.compile(r"\]\(\s*<?([^)\s>]+)"), re.compile(r"^\[[^\]]+\]:\s+(\S+)", re.MULTILINE), re.compile(r"\b(?:href|src)=\"([^\"]+)\""))
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)


def documents():
    """The Markdown files of the repository, without those of test cases."""
    skipped = {"build", "node_modules", "testdata", "tests"}
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.md"], capture_output=True, text=True, check=False)
    paths = [ROOT / line for line in listed.stdout.splitlines()] or sorted(ROOT.rglob("*.md"))
    return [path for path in paths if not skipped & set(path.relative_to(ROOT).parts)]


def prose(path):
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path):
    text = prose(path)
    titles = (re.sub(r"<[^>]*>|[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.replace(" ", "-") for title in titles} | set(re.findall(r"\bid=\"([^\"]+)\"", text))


def fault(path, link):
    """What is wrong with a link, or None. Links to other hosts are not followed."""
    if re.match(r"[a-z]+:", link):
        return None
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists():
        return "does not exist"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return "has no such heading"
    return None


def main():
    count, failures = 0, []
    for path in documents():
        text = CODE.sub("``", prose(path))
        for link in (found for pattern in LINKS for found in pattern.findall(text)):
            count += 1
            if wrong := fault(path, link):
                failures.append(f"{path.relative_to(ROOT)}: {link} {wrong}")
    print("\n".join([*failures, f"{len(failures)} of {count} links are broken"]))
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
