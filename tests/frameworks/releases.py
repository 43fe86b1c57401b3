#!/usr/bin/env python3
"""Compares the fields of the modifiers in every release of llm-compressor with those that sparsecfg accepts.

    releases.py <sparsecfg> <checkout with tags> [--tags 0.13.0,0.14.0] [--class AWQModifier]

Reads the classes from the sources of each tag, without running them. Prints one line for each field that only one of both
has, as the row that the table needs: class, field, and the releases that have it. The exit status is 1 if any differs.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile

FOLDER = "src/llmcompressor"
TAG = re.compile(r"v?\d+\.\d+(\.\d+)?$")
# Fields of the base class that belong to the run, and are not part of a recipe.
OF_THE_RUN = {"model_config", "group"}
NOT_A_FIELD = {"SP105", "LC107", "LC121", "LC122", "LC402", "LC701", "LC702"}


def git(checkout, *arguments):
    return subprocess.run(["git", "-C", checkout, *arguments], capture_output=True, text=True, check=True).stdout


def classes_of(checkout, tag):
    """{class: (bases, fields)} of all modules of a tag."""
    out = {}
    files = [name for name in git(checkout, "ls-tree", "-r", "--name-only", tag, FOLDER).splitlines()
             if name.endswith(".py") and "/modifiers/" in name]
    for name in files:
        for node in ast.walk(ast.parse(git(checkout, "show", f"{tag}:{name}"))):
            if isinstance(node, ast.ClassDef):
                bases = [base.id if isinstance(base, ast.Name) else base.attr for base in node.bases
                         if isinstance(base, (ast.Name, ast.Attribute))]
                fields = {item.target.id for item in node.body
                          if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)}
                # Old names of a class are empty classes elsewhere.
                if len(fields) >= len(out.get(node.name, ((), ()))[1]):
                    out[node.name] = (bases, fields)
    return out


def fields_of(name, classes, seen=()):
    if name not in classes or name in seen:
        return set()
    bases, fields = classes[name]
    return fields.union(*(fields_of(base, classes, (*seen, name)) for base in bases), set())


def modifiers_of(classes):
    """The modifiers that a recipe can name, with their fields."""
    out = {}
    for name in classes:
        if name.endswith("Modifier") and name != "Modifier":
            fields = {field for field in fields_of(name, classes) if not field.endswith("_") and not field.startswith("_")}
            out[name] = fields - OF_THE_RUN
    return out


def accepted(program, tag, name, fields):
    """The fields that sparsecfg accepts in a release; None if it does not have the class."""
    lines = ["s_stage:", "  m_modifiers:", f"    {name}:", *(f"      {field}: null" for field in fields)]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        result = subprocess.run([program, "validate", "--from", "llm-compressor", "--llmc", tag, "--format", "json", file.name],
                                capture_output=True, text=True, check=False)
    findings = json.loads(result.stdout)["files"][0]["diagnostics"]
    lost = {place["span"]["start"]["line"] for finding in findings if finding["code"] in NOT_A_FIELD
            for place in (finding, *finding["labels"])}
    if 3 in lost:
        return None
    return {field for at, field in enumerate(fields) if at + 4 not in lost}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("checkout")
    parser.add_argument("--tags", default="")
    parser.add_argument("--class", dest="only", default="")
    given = parser.parse_args()
    tags = given.tags.split(",") if given.tags else [tag for tag in git(given.checkout, "tag").splitlines() if TAG.match(tag)]
    releases = {tag: modifiers_of(classes_of(given.checkout, tag)) for tag in tags}
    every = {}
    for modifiers in releases.values():
        for name, fields in modifiers.items():
            every.setdefault(name, set()).update(fields)
    differing, compared = {}, 0
    for tag, modifiers in releases.items():
        for name in sorted(every):
            if given.only and name != given.only:
                continue
            fields = sorted(every[name])
            ours = accepted(given.program, tag, name, fields)
            theirs = modifiers.get(name)
            if (ours is None) != (theirs is None):
                differing.setdefault((name, "", "has the class" if ours is not None else "lacks the class"), []).append(tag)
                continue
            for field in fields if theirs is not None else ():
                compared += 1
                if (field in ours) != (field in theirs):
                    differing.setdefault((name, field, "accepts" if field in ours else "rejects"), []).append(tag)
    for (name, field, what), where in sorted(differing.items()):
        print(f"{name}\t{field}\tsparsecfg {what}, unlike {', '.join(where)}")
    print(f"{compared} fields of {len(every)} classes in {len(tags)} releases compared, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
