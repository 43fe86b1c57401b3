#!/usr/bin/env python3
"""Holds the manual page against mandoc and against what each command says of itself.

    man.py <sparsecfg> <sparsecfg.1>

The options of a command are those under the headings of its section that name it, and those of every command.
"""

import itertools
import re
import shutil
import subprocess
import sys

EVERY = "every command"
COMMANDS = re.compile(r"^  ([a-z]+) {2,}", re.MULTILINE)
MACRO = re.compile(r"[A-Z][a-z]")
OPTION = re.compile(r"^  (-[^\s,]+(?:, --[^\s,]+)?)", re.MULTILINE)


def help_of(program, *command):
    return subprocess.run([program, *command, "--help-all" if command else "--help"], capture_output=True, text=True, check=True).stdout


def commands_of(program):
    found = COMMANDS.findall(help_of(program).split("Commands:")[1].split("\n\n")[0])
    return [each for each in found if each not in ("help", "version")]


def options_of(program, command):
    text = help_of(program, command)
    return {name for names in OPTION.findall(text) for name in names.split(", ")}


def documented(page, commands):
    """For each command the options that the page gives it."""
    options = {command: set() for command in commands}
    current = []
    for line in page:
        if line.startswith(".Ss "):
            heading = line[4:].strip()
            current = commands if EVERY in heading else [each for each in commands if each in re.findall("[a-z]+", heading)]
        elif line.startswith(".Sh "):
            current = []
        elif line.startswith(".It Fl "):
            for command in current:
                options[command].update(names_in(line.split()[2:]))
    return options


def names_in(words):
    """The options of an item: `.It Fl o , \\-output Ar out` names -o and --output."""
    names = itertools.takewhile(lambda word: not MACRO.fullmatch(word), words)
    return {"-" + name.replace("\\-", "-") for name in names if name != ","}


def main():
    program, path = sys.argv[1:]
    failures = 0
    with open(path, encoding="utf-8") as file:
        page = file.read().splitlines()
    commands = commands_of(program)
    in_page = documented(page, commands)
    for command in commands:
        in_help = options_of(program, command)
        for option in sorted(in_help ^ in_page[command]):
            failures += 1
            print(f"{command} {option}: {'not in the manual page' if option in in_help else 'only in the manual page'}")
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not installed (apt-get install -y mandoc)")
        return 1 if failures else 77
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "style", path], capture_output=True, text=True, check=False)
    print(lint.stdout + lint.stderr, end="")
    print(f"{len(commands)} commands, {failures} failures")
    return 1 if failures or lint.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
