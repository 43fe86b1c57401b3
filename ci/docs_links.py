#!/usr/bin/env python3
"""Checks the links of the built documentation site.

    docs_links.py <site>

Each local link must lead to a file and an anchor that exist. Pages must load nothing from other hosts.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(sys.argv[1]).resolve()
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
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
    links = 0
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
            links += 1
            target = target_of(path, unquote(parts.path))
            if not target.is_file():
                FAILURES.append(f"{name}: {link} does not exist")
            elif parts.fragment.startswith("r=") and target.parent.name == "playground":
                continue  # a recipe, read by the script of the playground
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors | {"__tabbed"}:
                FAILURES.append(f"{name}: {link} has no such anchor")
    return len(pages), links


def main():
    pages, links = check_site()
    print("\n".join([*FAILURES, f"{pages} pages, {len(FAILURES)} of {links} local links are broken"]))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
