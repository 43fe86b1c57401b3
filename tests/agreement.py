#!/usr/bin/env python3
"""Compare sparsecfg with the recorded verdicts of the frameworks on real recipes, which are not in the repository.

  tests/agreement.py [--binary build/release/sparsecfg] [--record]

The environment variable SPARSECFG_COMPARISON_DATA names their folder: `corpus` in it has the recipes with their recorded
verdicts, and `oracle/agreement` compares them. Each run in the part `real` of agreement.json has the arguments and the
figures. A crash fails, and so does a figure that is worse than the recorded one. --record stores figures that are as good
or better. The test `truth` compares the handwritten cases.
"""
import argparse
import collections
import importlib.machinery
import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_suffix(".json")
DATA = Path(os.environ.get("SPARSECFG_COMPARISON_DATA", "/nonexistent"))
ORACLE = DATA / "oracle" / "agreement"
CORPUS = DATA / "corpus"

MORE_IS_BETTER = ("agree", "dialect told", "timeline equal")
LESS_IS_BETTER = ("crash", "false accept", "stricter", "silent loss", "timeline different", "timeline missing")


def load_oracle():
    """Returns the script as a module that also accepts a shape such as `64x128`, as some collections have it.

    The verdicts of llm-compressor, whose recipes have the flavor `stages`, come from its branch before 0.14.
    """
    loader = importlib.machinery.SourceFileLoader("agreement_oracle", str(ORACLE))
    oracle = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(oracle)
    row = oracle.module_row

    def module_row(module):
        shape = module.get("shape")
        return row({**module, "shape": shape.split("x")} if isinstance(shape, str) else module)

    oracle.module_row = module_row
    oracle.FLAVOUR_ARGS["stages"] = ["--llmc", "main"]
    return oracle


def measure(binary, arguments):
    """Returns the figures of one run, counted from the results of all cases."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.json"
        sys.argv = [str(ORACLE), "--binary", str(binary), "--json", str(out), "--cases", str(CORPUS), *arguments]
        status = load_oracle().main()
        if not out.exists():
            sys.exit(f"no results, exit status {status}")
        results = json.loads(out.read_text(encoding="utf-8"))
    counts = collections.Counter(result["cell"] for result in results)
    counts.update(f"timeline {result['timeline']}" for result in results if result["timeline"])
    counts["dialect told"] = sum(1 for result in results if result["told"])
    return {"cases": len(results), **{name: counts[name] for name in MORE_IS_BETTER + LESS_IS_BETTER}}


def worse(recorded, measured):
    """Returns one line for each figure that is worse."""
    lines = ["crash: none is allowed"] if measured["crash"] else []
    if recorded.get("cases") not in (None, measured["cases"]):
        print(f"the collection has changed: {measured['cases']} cases, {recorded['cases']} recorded; not compared")
        return lines
    for name in MORE_IS_BETTER + LESS_IS_BETTER:
        before, now = recorded.get(name, measured[name]), measured[name]
        if now < before if name in MORE_IS_BETTER else now > before:
            lines.append(f"{name}: {now}, was {before}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "sparsecfg")
    parser.add_argument("--record", action="store_true", help="store figures that are no worse")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print("skipped: SPARSECFG_COMPARISON_DATA names no folder with real recipes")
        return 77
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    failures = []
    for name, run in record["real"].items():
        print(f"== {name}", flush=True)
        measured = measure(options.binary.resolve(), run["arguments"])
        failures += [f"{name}: {line}" for line in worse(run["figures"], measured)]
        run["figures"] = measured
    print("\n".join(failures) if failures else "agreement is as recorded or better")
    if options.record and not failures:
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
