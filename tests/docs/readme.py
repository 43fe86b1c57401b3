#!/usr/bin/env python3
"""Holds README.md against the program: its first example, the table of packages and the version that hooks name.

    readme.py <sparsecfg> <root of the project>
"""

import re
import subprocess
import sys
from pathlib import Path

program, root = sys.argv[1], Path(sys.argv[2])
readme = (root / "README.md").read_text(encoding="utf-8")


def first_example():
    """The first command of the program's and the block of text after it."""
    command, printed = re.search(r"^sparsecfg ([^\n]*)\n```\n\n```\n(.*?)```", readme, re.MULTILINE | re.DOTALL).groups()
    result = subprocess.run([program, *command.split()], cwd=root, capture_output=True, text=True, check=False)
    assert result.stdout + result.stderr == printed, result.stdout + result.stderr


def packages():
    """The table names for each distribution what the build asks for."""
    asked = re.findall(r'^set\(packages_(\S+) "(.*)"\)', (root / "cmake/libraries.cmake").read_text(encoding="utf-8"), re.MULTILINE)
    assert asked
    for library, columns in asked:
        row = re.search(rf"^\| {re.escape(library)}(?: \(headers\))? \|(.*)\|$", readme, re.MULTILINE)
        assert row, library
        cells = [each.strip().replace("`", "").replace(",", "") for each in row[1].split("|")]
        assert cells == columns.split("|"), (library, cells, columns)
    debian = {columns.split("|")[0] for _, columns in asked}
    assert debian <= set((root / "packages.txt").read_text(encoding="utf-8").split()), debian


def version():
    """Tags and file names in the documents are those of the version that CMakeLists.txt states."""
    stated = re.search(r"project\(sparsecfg VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    for name in ("README.md", "docs/ci.md", "CONTRIBUTING.md"):
        text = (root / name).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:\bv|sparsecfg_)([0-9]+\.[0-9]+\.[0-9]+)", text))
        assert named <= {stated}, f"{name} names {named}, the version is {stated}"
    assert f"## [{stated}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8"), "the changelog has no such version"


first_example()
packages()
version()
