#!/usr/bin/env python3
"""Hold `validate` against what Distiller's loader of single components made of files for post-training quantization.

    components.py <sparsecfg> <folder with other.jsonl>
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import recorded  # noqa: E402

# Whether a file of statistics lies where the run looks for it is not to be known from the schedule.
NOT_IN_THE_FILE = "Model activation stats file not found"


def check(program, case, collection):
    knowable = NOT_IN_THE_FILE not in (case["error"] or {}).get("message", "")
    path = os.path.join(collection, case["file"])
    status = subprocess.run([program, "validate", "--from", "distiller", path], capture_output=True, check=False).returncode
    expected = 1 if case["verdict"] == "reject" and knowable else 0
    return None if status == expected else f"exit status {status}, but it {case['verdict']}s"


if __name__ == "__main__":
    sys.exit(recorded.run(check, "the loader of components"))
