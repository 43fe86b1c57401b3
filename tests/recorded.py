"""Holds sparsecfg against recorded behaviour of a framework, one JSON object a line in `other.jsonl`."""

import json
import os
import sys


def run(check, what):
    """Calls check(program, case, collection) for each case, which returns why it fails or None. Returns the exit status."""
    program, collection = sys.argv[1:]
    index = os.path.join(collection, "other.jsonl")
    if not os.path.exists(index):
        print(f"skipped: no recorded behaviour of {what} at hand")
        return 77
    with open(index, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    failures = 0
    for case in cases:
        failure = check(program, case, collection)
        if failure:
            failures += 1
            print(f"{case['id']}: {failure}")
    print(f"{len(cases)} cases, {failures} failures")
    return 1 if failures or not cases else 0
