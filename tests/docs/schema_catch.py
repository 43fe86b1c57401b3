#!/usr/bin/env python3
"""Counts what the schemas alone say of the bad recipes of the golden cases: how many get one message at each place where
`validate` has an error, how many get several or one elsewhere, and how many none.

    schema_catch.py <sparsecfg> <root of the project> [--list]

Recipes are looked at as editors see them, without tags, and with each tag as the one key of a mapping. Cases that have
arguments, that are no YAML or that are about something else than a schema could know are counted with the rest.
"""

import glob
import json
import os
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (apt-get install -y python3-jsonschema python3-yaml)")
    sys.exit(77)

DIALECTS = ("sparseml", "distiller", "nni", "llm-compressor")


def error_lines(program, paths):
    """For each recipe the lines (from 0) of its errors and of their labels."""
    run = subprocess.run([program, "validate", "--format", "json", *paths], capture_output=True, text=True, check=False)
    out = {}
    for report in json.loads(run.stdout)["files"]:
        lines = set()
        for finding in report["diagnostics"]:
            if finding["severity"] == "error":
                for place in (finding["span"], *(label["span"] for label in finding.get("labels", []))):
                    lines.update(range(place["start"]["line"] - 1, place["end"]["line"]))
        out[report["path"]] = lines
    return out


def value_of(node, loader, tagged):
    """The value of a node, with string keys as JSON has them, or None for what can't be built."""
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        value = {str(key.value): value_of(inner, loader, tagged) for key, inner in node.value}
    elif isinstance(node, yaml.SequenceNode):
        value = [value_of(inner, loader, tagged) for inner in node.value]
    elif node.tag.startswith("!"):
        value = None
    else:
        value = json.loads(json.dumps(loader.construct_object(node), default=str))
    return {node.tag: value} if tagged and node.tag.startswith("!") else value


def line_of(node, path, key=None):
    """The line of the node at a path; of one of its keys if one is named."""
    for part in path:
        if isinstance(part, str) and part.startswith("!") and node.tag == part:
            continue
        if isinstance(node, yaml.MappingNode):
            found = [pair for pair in node.value if str(pair[0].value) == str(part)]
            if not found:
                break
            name, node = found[-1]
            start = name.start_mark.line
        else:
            node = node.value[part]
            start = node.start_mark.line
    if isinstance(node, yaml.MappingNode) and key is not None:
        return next(name.start_mark.line for name, _ in node.value if str(name.value) == key)
    return start if path and not isinstance(node, yaml.MappingNode) else node.start_mark.line


def places(error, node):
    """The lines that an error points at."""
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        patterns = error.schema.get("patternProperties", {})
        extra = [key for key in error.instance if key not in error.schema.get("properties", {}) and not patterns]
        return {line_of(node, error.absolute_path, key) for key in extra if not key.startswith("!")} or {
            line_of(node, error.absolute_path)}
    if error.validator in ("propertyNames", "enum", "pattern") and "propertyNames" in error.absolute_schema_path:
        return {line_of(node, error.absolute_path, error.instance)}
    return {line_of(node, error.absolute_path)}


def verdict(validator, text, wanted, tagged):
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        value = value_of(node, loader, tagged)
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError):
        return "unreadable"
    errors = list(validator.iter_errors(value))
    if not errors:
        return "none"
    lines = [places(error, node) for error in errors]
    right = all(each & wanted for each in lines)
    if len(errors) == 1:
        return "one right" if right else "one elsewhere"
    # A recipe may have several mistakes.
    distinct = len({min(each) for each in lines}) == len(lines)
    return "one right for each of several mistakes" if right and distinct else "several"


def main():
    program, root = sys.argv[1:3]
    for dialect in DIALECTS:
        with open(os.path.join(root, f"schemas/{dialect}.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        paths = sorted(glob.glob(os.path.join(root, f"testdata/validate/{dialect}/**/bad-*.yaml"), recursive=True))
        wanted = error_lines(program, paths)
        for tagged in (False, True)[:2 if dialect == "sparseml" else 1]:
            counts = {}
            for path in paths:
                with open(path, encoding="utf-8", errors="replace") as file:
                    result = verdict(validator, file.read(), wanted.get(path, set()), tagged)
                counts[result] = counts.get(result, 0) + 1
                if "--list" in sys.argv:
                    print(f"{os.path.basename(path)}: {result}")
            shares = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
            form = ", with tags" if tagged else ""
            right = sum(count for name, count in counts.items() if name.startswith("one right"))
            seen = len(paths) - counts.get("none", 0) - counts.get("unreadable", 0)
            print(f"{dialect}{form}: {len(paths)} bad recipes: {shares}; one message at the right place for each mistake: "
                  f"{100 * right / len(paths):.1f} % of all, {100 * right / max(seen, 1):.1f} % of those that it refuses")


main()
