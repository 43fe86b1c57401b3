#!/usr/bin/env python3
"""Writes the linker script that puts together the functions which runs on one recipe execute.

usage: start_order.py EXECUTABLE MAP SCRIPT RECIPE...

Runs `validate`, `diff` and `rescale` of EXECUTABLE, which was linked with -Map=MAP, under callgrind once for each recipe.
"""
import bisect
import re
import subprocess
import sys
import tempfile


def sections_of(path):
    """The pieces of code in the executable: address, size, section, file it is from."""
    found, name = [], None
    with open(path) as lines:
        for line in lines:
            if alone := re.match(r" (\.text\S*)$", line.rstrip("\n")):
                name = alone[1]
                continue
            if row := re.match(r" (\.text\S*)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (.+)", line):
                section, size = row[1] or name, int(row[3], 16)
                if section and size > 0:
                    found.append((int(row[2], 16), size, section, row[4]))
            name = None
    return sorted(found)


def executed(executable, arguments):
    """The addresses of the instructions that one run executes."""
    with tempfile.NamedTemporaryFile("r") as profile:
        subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
                        "--callgrind-out-file=" + profile.name, executable, *arguments], capture_output=True)
        return {int(line.split()[0], 16) for line in profile if line.startswith("0x")}


def pattern(section, file):
    """What names a piece in a linker script; None for one that is too large because it is not from a library."""
    if section.startswith(".text._Z"):
        return f"*({section})"
    library = re.search(r"([^/]+\.a)\((.+)\)$", file)
    return None if library is None or "sparsecfg" in library[1] else f"*{library[1]}:{library[2]}({section})"


def patterns_of(executable, sections, arguments):
    starts = [section[0] for section in sections]
    found = set()
    for address in executed(executable, arguments):
        start, size, section, file = sections[bisect.bisect_right(starts, address) - 1]
        if start <= address < start + size:
            found.add(pattern(section, file))
    return found - {None}


def commands_of(recipe):
    return [["validate", recipe], ["diff", recipe, recipe], ["rescale", recipe, "--factor", "2"]]


def main(executable, map_file, script, *recipes):
    sections = sections_of(map_file)
    commands = [command for recipe in recipes for command in commands_of(recipe)]
    runs = [patterns_of(executable, sections, command) for command in commands]
    # What the same runs have executed stands together, and what more of them have comes first.
    members = {each: [each not in run for run in runs] for run in runs for each in run}
    with open(script, "w") as out:
        out.write("/* Made by the target update-start-order. */\nSECTIONS\n{\n  .text.start :\n  {\n")
        for each in sorted(members, key=lambda each: (sum(members[each]), members[each], each)):
            out.write(f"    {each}\n")
        out.write("  }\n}\nINSERT BEFORE .text;\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
