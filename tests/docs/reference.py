#!/usr/bin/env python3
"""Checks the reference pages that the program prints: the manual pages by mandoc, and the headings in Markdown.

    reference.py <sparsecfg>
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SUBJECTS = ("diagnostics", "sparseml", "distiller", "ai8x", "nni", "llm-compressor", "compressed-tensors", "autoround",
            "gptqmodel", "torchao", "modelopt", "checkpoint", "mlx", "gguf")


def printed(program, *arguments):
    return subprocess.run([program, "explain", *arguments], capture_output=True, text=True, check=True).stdout


def check_man(program, subject, folder):
    """mandoc reports no warning. Its remarks on style are allowed: examples have long lines."""
    page = folder / f"sparsecfg-{subject}.7"
    page.write_text(printed(program, "--format", "man", subject), encoding="utf-8")
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True, text=True, check=False)
    return [f"{subject}: {line}" for line in lint.stdout.splitlines()]


def check_markdown(program, subject):
    """A document has one title, and a rule has its page as one."""
    text = re.sub(r"^```.*?^```$", "", printed(program, "--format", "markdown", subject), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^# .*", text, re.MULTILINE)
    return [] if len(titles) == 1 else [f"{subject}: the titles are {titles}"]


def check_index(program):
    """The index has a link to each rule, once."""
    codes = [line.split()[0] for line in printed(program, "codes").splitlines()]
    links = re.findall(r"\[(\w+)\]\(\1\.md\)", printed(program, "--list", "--format", "markdown"))
    return [] if sorted(links) == codes else ["the index of rules does not link each rule once"]


def main():
    program = sys.argv[1]
    failures = check_index(program)
    for subject in (*SUBJECTS, "SP202"):
        failures += check_markdown(program, subject)
    mandoc = shutil.which("mandoc")
    if mandoc:
        with tempfile.TemporaryDirectory() as folder:
            for subject in SUBJECTS:
                failures += check_man(program, subject, Path(folder))
    print("\n".join(failures))
    if failures:
        return 1
    if not mandoc:
        print("skipped: mandoc is not installed (apt-get install -y mandoc)")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
