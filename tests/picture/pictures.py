#!/usr/bin/env python3
"""Holds pictures and pages against what people need of them.

  pictures.py <sparsecfg> <root of the project>

Of every recipe in testdata/timeline, and of some made here, the SVG is read: all texts lie within the picture and none on
another one, texts have a contrast of 4.5 with their ground and lines one of 3 in light and in dark, colors of curves also
differ for color-blind people, no panel is empty, values on the axes fit, text for phones has 11 pixels, and there are a title
and a description. The HTML page needs nothing from elsewhere, its links lead
somewhere, and it is smaller than 300 KB.
"""
import collections
import html.parser
import itertools
import math
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
CONTRAST_OF_TEXT, CONTRAST_OF_LINES = 4.5, 3
MIN_DISTANCE = 20  # of two colors of curves in CIELAB
PHONE, MIN_TEXT = 370, 11  # pixels
# How people without one kind of cone see linear colors (Machado, Oliveira and Fernandes 2009), and all others.
VISIONS = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)
MAX_PAGE = 300_000
WIDE, NARROW = "mwMW@%", " .,:;|'!ijltfrI()[]{}/\\-"


def width_of(text, size):
    """The mean of what usual fonts need."""
    return size * sum(0.95 if c in WIDE else 0.34 if c in NARROW else 0.66 if c.isupper() else 0.6 for c in text)


def linear(color):
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(color):
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab(color, vision):
    """The color in CIELAB, as this vision sees it."""
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear(color))))) for row in vision)
    x, y, z = ((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
               (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883)
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colors_of(style):
    """For light and dark the colours of texts and lines, and that of the ground."""
    light, _, dark = style.partition("@media(prefers-color-scheme:dark)")
    for part in (light, dark):
        rules = re.findall(r"([^{}]+)\{[^{}]*?(?:fill|stroke):(#[0-9a-f]{6})", part)
        ground = next(color for names, color in rules if "ground" in names)
        bar = re.search(r"\.bar\{fill:(#[0-9a-f]{6});stroke:(#[0-9a-f]{6})", part)
        yield ground, bar.groups(), {names: color for names, color in rules if not re.search("ground|grid|bar", names)}


def faults_of_colors(style):
    for ground, (bar, border), colors in colors_of(style):
        for names, color in colors.items():
            line = re.search(r"\.(c\d|all)$", names)
            if contrast(ground, color) < (CONTRAST_OF_LINES if line else CONTRAST_OF_TEXT):
                yield f"{names}: {color} on {ground} has a contrast of {contrast(ground, color):.2f}"
        text = next(color for names, color in colors.items() if names.endswith(".pic text"))
        if contrast(text, bar) < CONTRAST_OF_TEXT or contrast(border, ground) < CONTRAST_OF_LINES:
            yield f"the bar {bar} with the border {border} has too little contrast"
        lines = [color for names, color in colors.items() if re.search(r"\.(c\d|all)$", names)]
        if len(lines) != 7:
            yield f"{len(lines)} colors of curves"
        for (one, other), vision in itertools.product(itertools.combinations(lines, 2), VISIONS):
            if math.dist(lab(one, vision), lab(other, vision)) < MIN_DISTANCE:
                yield f"{one} looks like {other} to some people"


def box_of(text):
    size = 15 if text.get("class") == "title" else 12
    width, x, y = width_of(text.text or "", size), float(text.get("x")), float(text.get("y"))
    kind = (text.get("class") or "").split()
    left = x - width if "y" in kind else x - width / 2 if "x" in kind else x
    return left, y - 0.75 * size, left + width, y + 0.2 * size, text.text


def overlap(a, b):
    return a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1


def faults_of_layout(part, width, height):
    boxes = [box_of(text) for text in part.iter(f"{SVG}text")]
    for box in boxes:
        if box[0] < 0 or box[1] < 0 or box[2] > width + 8 or box[3] > height:
            yield f"{box[4]!r} reaches beyond the picture"
    for one, other in itertools.combinations(boxes, 2):
        if overlap(one, other):
            yield f"{one[4]!r} lies on {other[4]!r}"
    for panel in part.iter(f"{SVG}svg"):
        if panel is not part and not list(panel):
            yield f"the panel {panel.get('data-kind')} is empty"
    kinds = [group.find(f"{SVG}path").get("class") for group in part.iter(f"{SVG}g") if group.get("class") == "end" and group.get("data-series") != "rate"]
    if len(set(kinds)) != len(kinds):
        yield "two labelled curves look alike"
    if part.find(f".//{SVG}svg") is not None and part.find(f".//{SVG}g[@class='end']") is None:
        yield "no curve has a label"


def faults_of_picture(source):
    root = ET.fromstring(source)
    layouts = [group for group in root.findall(f"{SVG}g") if group.get("class") in ("wide", "narrow")] or [root]
    for part in layouts:
        ground = part.find(f"{SVG}rect[@class='ground']")
        width = float(ground.get("width"))
        yield from faults_of_layout(part, width, float(ground.get("height")))
        if width < 600 and 12 * PHONE / width < MIN_TEXT:
            yield "text is too small for a phone"
    yield from faults_of_colors(root.find(f"{SVG}style").text)
    for name in ("title", "desc"):
        if not (root.findtext(f"{SVG}{name}") or "").strip():
            yield f"no {name}"


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
    for picture in re.findall(r'<svg xmlns=.*?id="(?:wide|medium|narrow)".*?\n</svg>\n(?=</div>)', source, re.S):
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
