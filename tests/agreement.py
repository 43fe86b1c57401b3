#!/usr/bin/env python3
"""Hold a built sparsecfg against the recorded behaviour of the frameworks, where that collection is at hand.

  tests/agreement.py [--binary build/release/sparsecfg] [--record]

Each run of agreement.json runs ../shared/oracle/agreement. A crash fails, and so does a figure that is worse than
the recorded one. --record takes over figures that are as good or better.
"""
import argparse
import collections
import importlib.machinery
import importlib.util
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_suffix(".json")
ORACLE = ROOT.parent / "shared" / "oracle" / "agreement"

MORE_IS_BETTER = ("agree", "dialect told", "timeline equal")
LESS_IS_BETTER = ("crash", "false accept", "stricter", "silent loss", "timeline different", "timeline missing")


def load_oracle():
    """The oracle's script as a module. It takes a shape for a list of sizes, and some collections have `64x128`."""
    loader = importlib.machinery.SourceFileLoader("agreement_oracle", str(ORACLE))
    oracle = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(oracle)
    row = oracle.module_row

    def module_row(module):
        shape = module.get("shape")
        return row({**module, "shape": shape.split("x")} if isinstance(shape, str) else module)

    oracle.module_row = module_row
    return oracle


def measure(binary, arguments):
    """The figures of one run, from the case by case results that the oracle writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.json"
        sys.argv = [str(ORACLE), "--binary", str(binary), "--json", str(out), *arguments]
        status = load_oracle().main()
        if not out.exists():
            sys.exit(f"the oracle gave no results, exit status {status}")
        results = json.loads(out.read_text(encoding="utf-8"))
    counts = collections.Counter(result["cell"] for result in results)
    counts.update(f"timeline {result['timeline']}" for result in results if result["timeline"])
    counts["dialect told"] = sum(1 for result in results if result["told"])
    return {"cases": len(results), **{name: counts[name] for name in MORE_IS_BETTER + LESS_IS_BETTER}}


def worse(recorded, measured):
    """What got worse, one line each."""
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
    parser.add_argument("--record", action="store_true", help="take over figures that are no worse")
    options = parser.parse_args()
    runs = json.loads(RECORD.read_text(encoding="utf-8"))
    failures = []
    for name, run in runs.items():
        print(f"== {name}", flush=True)
        measured = measure(options.binary.resolve(), run["arguments"])
        failures += [f"{name}: {line}" for line in worse(run["figures"], measured)]
        run["figures"] = measured
    print("\n".join(failures) if failures else "agreement is as recorded or better")
    if options.record and not failures:
        RECORD.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
