#!/usr/bin/env python3
"""Writes concepts of one system into recipes of another, and follows the advice of sparsecfg.

    conceptual.py SPARSECFG [--seed N] [--rounds N] [--verbose] [PATTERN]

Each case is a recipe with one conceptual mistake, and knows the recipe that the user intends. The result of a case:

    found     there is an error or a warning that the intended recipe does not have
    located   ... on a line of the mistake
    findings  number of such findings
    fixed     after `--fix --unsafe-fixes`, or after the help of a finding is written literally, there is none
    restored  ... and the outcome or the schedule is the intended one
    harmful   ... and it is another one. Must be 0.
    open      ... and it could not be compared

Fails if a remedy is harmful, or if a figure is below the limits that a suite of any seed passes.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import concepts
from mistakes import Program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "advice"))

LIMITS = {"found": 0.95, "located": 0.95, "restored": 0.8}
MOST_FINDINGS = 1.1


class Case:
    def __init__(self, concept, chance):
        self.concept = concept
        state = chance.getstate()
        right, self.file = concepts.written(concept, concept.right, chance)
        self.intended = ["\n".join(right) + "\n"]
        for fields in concept.same:
            chance.setstate(state)
            self.intended.append("\n".join(concepts.written(concept, fields, chance)[0]) + "\n")
        chance.setstate(state)
        wrong, _ = concepts.written(concept, concept.wrong, chance)
        self.text = "\n".join(wrong) + "\n"
        self.places = {at + 1 for at, line in enumerate(wrong) if line not in right} or set(range(1, len(wrong) + 1))


def compare(program, folder, file, one, other):
    """Returns the exit status of diff: 0 the same, 1 different, 2 not compared."""
    paths = []
    for name, text in (("intended", one), ("after", other)):
        place = folder / name
        place.mkdir(exist_ok=True)
        (place / file).write_text(text, encoding="utf-8")
        paths.append(f"{name}/{file}")
    return subprocess.run([program.path, "diff", *paths], capture_output=True, cwd=folder, check=False, timeout=60).returncode


def helped(finding, text, file):
    """Returns the recipes that a user may write who follows the help of a finding literally."""
    try:
        import suggestions
    except ImportError:  # without PyYAML
        return
    if not file.endswith(".yaml"):
        return
    begin, end = (len(text.encode()[:finding["span"][each]["byte"]].decode()) for each in ("start", "end"))
    for suggestion in suggestions.suggestions(finding["help"]):
        yield from suggestions.written(text, begin, end, suggestion, finding["code"])


class Judge:
    """Judges all cases together: starting the program once for each of them would take most of the time."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.count = 0

    def write(self, name, texts):
        """Writes (file, text) pairs to folders named by their numbers."""
        self.count += 1
        place = self.folder / f"{name}{self.count}"
        for number, (file, text) in enumerate(texts):
            (place / f"{number:05d}").mkdir(parents=True)
            (place / f"{number:05d}" / file).write_text(text, encoding="utf-8")
        return place

    def findings(self, texts):
        found = self.program.findings(self.write("found", texts)) if texts else {}
        return [found.get(f"{number:05d}", []) for number in range(len(texts))]

    def fixed(self, texts):
        place = self.write("fixed", texts)
        self.program.fix(place)
        return [(place / f"{number:05d}" / file).read_text(encoding="utf-8") for number, (file, _) in enumerate(texts)]

    def verdicts(self, remedies):
        """Returns what each remedy, a case and a text, reaches. None: it leaves a finding."""
        left = self.findings([(case.file, text) for case, text in remedies])
        return [self.verdict(case, text, [each for each in found if key(each) not in case.known])
                for (case, text), found in zip(remedies, left)]

    def verdict(self, case, text, left):
        if text == case.text or left:
            return None
        if text in case.intended:
            return "restored"
        results = [compare(self.program, self.folder, case.file, intended, text) for intended in case.intended]
        return "restored" if 0 in results else "open" if all(each == 2 for each in results) else "harmful"

    def judge(self, cases):
        for case, known in zip(cases, self.findings([(case.file, case.intended[0]) for case in cases])):
            case.known = {key(each) for each in known}
        texts = [(case.file, case.text) for case in cases]
        for case, found, after in zip(cases, self.findings(texts), self.fixed(texts)):
            case.findings = [each for each in found if key(each) not in case.known]
            case.after = after
        for case, verdict in zip(cases, self.verdicts([(case, case.after) for case in cases])):
            case.verdict = verdict
        self.follow([case for case in cases if case.verdict is None])
        return [result_of(case) for case in cases]

    def follow(self, cases):
        """Writes the helps of findings literally, where no fix leads to a recipe without findings."""
        remedies = [(case, text) for case in cases for each in case.findings for text in helped(each, case.text, case.file)]
        for (case, text), verdict in zip(remedies, self.verdicts(remedies)):
            if verdict is not None and case.verdict != "restored":
                case.verdict, case.after = verdict, text


def key(finding):
    return finding["code"], finding["message"]


def result_of(case):
    found = bool(case.findings)
    located = any(each["span"]["start"]["line"] in case.places for each in case.findings)
    return {"found": found, "located": located, "findings": len(case.findings), "fixed": case.verdict is not None,
            "restored": case.verdict == "restored", "harmful": found and case.verdict == "harmful", "open": case.verdict == "open"}


def show(case, result):
    print(f"--- {case.concept.name} ({case.file}): {[name for name, value in result.items() if value is True]}")
    print("".join(f"    {line}\n" for line in case.text.splitlines()), end="")
    for finding in case.findings:
        fix = f" [{finding['fix']['applicability']} fix]" if "fix" in finding else ""
        print(f"  {finding['span']['start']['line']}: {finding['code']} {finding['message']}\n     help: {finding['help']}{fix}")
    if case.after != case.text:
        print("  after:\n" + "".join(f"    {line}\n" for line in case.after.splitlines() if line not in case.text.splitlines()), end="")


def table(results):
    by_frame = collections.defaultdict(list)
    for frame, row in results:
        by_frame[frame].append(row)
    by_frame["all"] = [row for _, row in results]
    print(f"{'frame':18} {'cases':>5} {'found':>6} {'located':>7} {'findings':>8} {'fixed':>6} {'restored':>8} {'harmful':>7} {'open':>5}")
    for name, rows in by_frame.items():
        found = max(sum(row["found"] for row in rows), 1)
        count = lambda key: sum(row[key] for row in rows)  # noqa: B023, E731
        print(f"{name:18} {len(rows):5} {count('found') / len(rows):6.0%} {count('located') / found:7.0%} "
              f"{count('findings') / found:8.2f} {count('fixed') / len(rows):6.0%} {count('restored') / len(rows):8.0%} "
              f"{count('harmful'):7} {count('open'):5}")
    return by_frame["all"]


def failures(rows):
    found = max(sum(row["found"] for row in rows), 1)
    figures = {"found": found / len(rows), "located": sum(row["located"] for row in rows) / found,
               "restored": sum(row["restored"] for row in rows) / len(rows)}
    out = [f"{name}: {figures[name]:.1%} is below {limit:.0%}" for name, limit in LIMITS.items() if figures[name] < limit]
    findings = sum(row["findings"] for row in rows) / found
    out += [f"{findings:.2f} findings per mistake"] if findings > MOST_FINDINGS else []
    harmful = sum(row["harmful"] for row in rows)
    return out + ([f"{harmful} harmful remedies"] if harmful else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="cases of each concept")
    parser.add_argument("--verbose", action="store_true", help="show every case that is not restored")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Program(arguments.program), pathlib.Path(folder))
        cases = [Case(concept, chance) for _ in range(arguments.rounds) for concept in concepts.all_concepts(chance)]
        cases = [case for case in cases if arguments.pattern in case.concept.name]
        for case, result in zip(cases, judge.judge(cases)):
            results.append((case.concept.frame, result))
            excellent = result["restored"] and result["located"] and result["findings"] == 1
            if result["harmful"] or (arguments.verbose and not excellent):
                show(case, result)
    print(f"{len(results)} mistakes, seed {arguments.seed}")
    failed = failures(table(results))
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
