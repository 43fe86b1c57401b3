#!/usr/bin/env python3
"""Hold `validate` against what Distiller's loader of single components made of files for post-training quantization.

    components.py <sparsecfg> <folder with other.jsonl>
"""

import json
import os
import subprocess
import sys

# Whether a file of statistics lies where the run looks for it is not to be known from the schedule.
NOT_IN_THE_FILE = "Model activation stats file not found"


def main():
    program, collection = sys.argv[1:]
    index = os.path.join(collection, "other.jsonl")
    if not os.path.exists(index):
        print("skipped: no recorded behaviour of the loader of components at hand")
        return 77
    with open(index, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    failures = 0
    for case in cases:
        knowable = NOT_IN_THE_FILE not in (case["error"] or {}).get("message", "")
        path = os.path.join(collection, case["file"])
        status = subprocess.run([program, "validate", "--from", "distiller", path], capture_output=True, check=False).returncode
        if status != (1 if case["verdict"] == "reject" and knowable else 0):
            failures += 1
            print(f"{case['id']}: exit status {status}, but it {case['verdict']}s")
    print(f"{len(cases)} cases, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
