#!/usr/bin/env python3
"""Holds pictures and pages against what people need of them.

  pictures.py <sparsecfg> <root of the project>

Of every recipe in testdata/timeline, and of some made here, the SVG is read: all texts lie within the picture and none on
another one, texts and lines have a contrast of 4.5 with their ground in light and in dark, no panel is empty, values on
the axes fit, and there are a title and a description. The HTML page needs nothing from elsewhere, its links lead
somewhere, and it is smaller than 300 KB.
"""
import collections
import html.parser
import itertools
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
CONTRAST = 4.5
MAX_PAGE = 300_000
WIDE, NARROW = "mwMW@%", " .,:;|'!ijltfrI()[]{}/\\-"


def width_of(text, size):
    """The mean of what usual fonts need."""
    return size * sum(0.95 if c in WIDE else 0.34 if c in NARROW else 0.66 if c.isupper() else 0.6 for c in text)


def luminance(color):
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colors_of(style):
    """For light and dark the colours of texts and lines, and that of the ground."""
    light, _, dark = style.partition("@media(prefers-color-scheme:dark)")
    for part in (light, dark):
        rules = re.findall(r"([^{}]+)\{[^{}]*?(?:fill|stroke):(#[0-9a-f]{6})", part)
        ground = next(color for names, color in rules if "ground" in names)
        yield ground, {names: color for names, color in rules if not re.search("ground|grid|halo", names)}


def box_of(text):
    size = 15 if text.get("class") == "title" else 12
    width, x, y = width_of(text.text or "", size), float(text.get("x")), float(text.get("y"))
    kind = (text.get("class") or "").split()
    left = x - width if "y" in kind else x - width / 2 if "x" in kind else x
    return left, y - 0.75 * size, left + width, y + 0.2 * size, text.text


def overlap(a, b):
    return a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1


def faults_of_picture(source):
    root = ET.fromstring(source)
    width, height = map(float, root.get("viewBox").split()[2:])
    boxes = [box_of(text) for text in root.iter(f"{SVG}text")]
    for box in boxes:
        if box[0] < 0 or box[1] < 0 or box[2] > width + 8 or box[3] > height:
            yield f"{box[4]!r} reaches beyond the picture"
    for one, other in itertools.combinations(boxes, 2):
        if overlap(one, other):
            yield f"{one[4]!r} lies on {other[4]!r}"
    for ground, colors in colors_of(root.find(f"{SVG}style").text):
        for names, color in colors.items():
            if contrast(ground, color) < CONTRAST:
                yield f"{names}: {color} on {ground} has a contrast of {contrast(ground, color):.2f}"
    for panel in root.iter(f"{SVG}svg"):
        if panel is not root and not list(panel):
            yield f"the panel {panel.get('data-kind')} is empty"
    for name in ("title", "desc"):
        if not (root.findtext(f"{SVG}{name}") or "").strip():
            yield f"no {name}"
    keys = [(path.get("class"), path.get("d")) for path in root.findall(f"{SVG}path") if "line" in (path.get("class") or "")]
    if len({kind for kind, _ in keys}) != len(keys):
        yield "two entries of the legend look alike"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.outside = collections.Counter(), set(), []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids[value] += 1
            elif name == "href" and value.startswith("#"):
                self.links.add(value[1:])
            elif name in ("href", "src", "srcset", "action"):
                self.outside.append(value)


def faults_of_page(source):
    page = Page()
    page.feed(source)
    if len(source.encode()) > MAX_PAGE:
        yield f"{len(source.encode())} bytes"
    yield from (f"{value} is not in the page" for value in page.outside)
    yield from (f"there are several #{name}" for name, count in page.ids.items() if count > 1)
    yield from (f"#{name} leads nowhere" for name in page.links if name not in page.ids)
    if re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", source):
        yield "something is fetched from elsewhere"
    for picture in re.findall(r'<svg xmlns=.*?id="(?:wide|narrow)".*?\n</svg>\n(?=</div>)', source, re.S):
        yield from faults_of_picture(picture)


def pruners(count, epochs):
    lines = ["modifiers:", "- !EpochRangeModifier", "  start_epoch: 0.0", f"  end_epoch: {epochs}.0"]
    for number in range(count):
        lines += ["- !GMPruningModifier", f"  params: ['re:.*a_rather_long_name_of_a_layer{number}.*weight', 're:another{number}.*']",
                  "  init_sparsity: 0.05", f"  final_sparsity: {0.3 + number / 30:.2f}", f"  start_epoch: {number}.0",
                  f"  end_epoch: {epochs - number - 1}.0", "  update_frequency: 1.0"]
    return "\n".join(lines) + "\n"


def recipes(project, folder):
    for recipe in sorted((project / "testdata" / "timeline").glob("*/*.yaml")):
        args = recipe.with_suffix(".args")
        words = shlex.split(args.read_text().replace("{dir}", str(recipe.parent))) if args.is_file() else []
        kept = [words[at:at + 2] for at, word in enumerate(words)
                if word in ("--steps-per-epoch", "--epochs", "--from", "--params", "--modules", "--initial-lr", "--nni", "--framework", "--pruner", "--set")]
        yield recipe, [word for pair in kept for word in pair]
    for count, epochs in ((12, 300), (30, 90)):
        recipe = folder / f"a-name-that-is-long-enough-to-reach-beyond-the-right-border-of-the-picture-with-{count}-pruners-and-more-words.yaml"
        recipe.write_text(pruners(count, epochs))
        yield recipe, ["--steps-per-epoch", "500"]


def main():
    program, project = sys.argv[1], Path(sys.argv[2])
    failures = drawn = 0
    with tempfile.TemporaryDirectory() as folder:
        for recipe, args in recipes(project, Path(folder)):
            for form, faults in (("svg", faults_of_picture), ("html", faults_of_page)):
                done = subprocess.run([program, "timeline", str(recipe), *args, "--format", form], capture_output=True, text=True, check=False)
                if not done.stdout:
                    continue
                drawn += 1
                for fault in sorted(set(faults(done.stdout)))[:5]:
                    failures += 1
                    print(f"{recipe.name}, {form}: {fault}")
    print(f"{drawn} pictures and pages, {failures} failures")
    return 1 if failures or drawn < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
