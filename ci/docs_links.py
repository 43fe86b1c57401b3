#!/usr/bin/env python3
"""Checks the links of the built documentation site, and those of the documents that are read in the repository.

    docs_links.py <site> <root of the project>

Each local link must lead to a file and an anchor that exist. Pages must load nothing from other hosts.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
GENERATED = re.compile(r"docs/(?:rules/|commands\.md|dialects/reference/)")
FAILURES = []


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            if value and (tag, name) in LOADED:
                self.loaded.append(value)
            if value and name in ("href", "src"):
                self.links.append(value)


def target_of(page, path):
    target = (SITE / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve() if path else page
    return target / "index.html" if target.is_dir() else target


def check_site():
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(SITE.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(SITE)
        FAILURES.extend(f"{name} loads {url}" for url in page.loaded if urlsplit(url).netloc)
        if name.name == "404.html":  # its links start at the root of the host
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = target_of(path, unquote(parts.path))
            if not target.is_file():
                FAILURES.append(f"{name}: {link} does not exist")
            elif parts.fragment.startswith("r=") and target.parent.name == "playground":
                continue  # a recipe, read by the script of the playground
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors | {"__tabbed"}:
                FAILURES.append(f"{name}: {link} has no such anchor")
    return len(pages)


def check_repository():
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "lib" / "README.md"]:
        text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", text):
            if "://" in target or target.startswith("mailto:"):
                continue
            file = (path.parent / target).resolve()
            if not file.exists() and not GENERATED.match(str(file.relative_to(ROOT))):
                FAILURES.append(f"{path.relative_to(ROOT)}: {target} does not exist")


def main():
    pages = check_site()
    check_repository()
    print("\n".join([*FAILURES, f"{pages} pages, {len(FAILURES)} broken links"]))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
