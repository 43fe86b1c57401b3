#!/usr/bin/env python3
"""Follows each advice alone and fails if it does not hold.

    advice.py SPARSECFG TESTDATA [--full] [--folder FOLDER...] [--verbose] [PATTERN]

Applies each fix alone, and writes each concrete value that a help line suggests, to recipes of the golden cases, the
sheets and the given folders. Afterwards the finding must be gone, and its lines must not have a new error. A safe fix
leaves the schedule unchanged or makes a rejected recipe accepted, and does not invent the value of a missing field.

Without --full, a sample: each mistake of sheets/mistakes.txt and one in SAMPLE of the other recipes.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import zlib

try:
    import yaml  # noqa: F401
except ImportError:
    sys.exit(77)

import recipes
import suggestions

SAMPLE = 8

# Findings about a part that is not read before they are fixed, so other mistakes in it appear only then: syntax, unknown
# classes, misplaced groups, masks, expressions, and tags that are checked by the rules of 2020 until they are renamed.
HIDING = ("SP0", "SP102", "SP106", "SP107", "SP108", "SP111", "SP116", "SP405", "SP905", "DP911", "LC101", "LC102",
          "LC103")


class Advice:
    """A recipe changed as a finding advises, with the lines that the change touched, before and after."""

    def __init__(self, what, text, before, after, choice=False):
        self.what = what
        self.text = text
        self.before = before
        self.after = after
        self.choice = choice


def lines_of(text, begin, end):
    first = text.count(b"\n", 0, begin) + 1
    return set(range(first, first + text.count(b"\n", begin, max(begin, end)) + 1))


class Trial:
    def __init__(self, program, testdata, recipe):
        self.program = program
        self.testdata = testdata
        self.recipe = recipe
        self.failures = []
        self.count = 0

    def ask(self, command, text, *more):
        arguments = [self.program, command, "-", *self.recipe.arguments, *more]
        return subprocess.run(arguments, input=text, capture_output=True, cwd=self.testdata, check=False,
                              timeout=60).stdout

    def findings(self, text):
        report = json.loads(self.ask("validate", text, "--format", "json"))
        return [finding for file in report["files"] for finding in file["diagnostics"]]

    # --- what to try ---

    def fixed(self, finding):
        text = self.recipe.text
        before, after, shift = set(), set(), 0
        result = b""
        at = 0
        for edit in sorted(finding["fix"]["edits"], key=lambda each: each["span"]["start"]["byte"]):
            begin, end = edit["span"]["start"]["byte"], edit["span"]["end"]["byte"]
            new = edit["text"].encode("utf-8", "surrogatepass")
            result += text[at:begin] + new
            before |= lines_of(text, begin, end)
            first = result.count(b"\n") - new.count(b"\n") + 1
            after |= set(range(first, first + new.count(b"\n") + 1))
            at = end
        place = finding["span"]["start"]["line"]
        for edit in finding["fix"]["edits"]:
            begin, end = edit["span"]["start"]["byte"], edit["span"]["end"]["byte"]
            if edit["span"]["end"]["line"] <= place and begin < finding["span"]["start"]["byte"]:
                shift += edit["text"].count("\n") - text.count(b"\n", begin, end)
        return Advice("its fix", result + text[at:], before | {place}, after | {place + shift})

    def suggested(self, finding):
        if not self.recipe.file.endswith((".yaml", ".yml")):
            return
        text = self.recipe.text.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        start, stop = finding["span"]["start"], finding["span"]["end"]
        begin = len(self.recipe.text[:start["byte"]].decode("utf-8", "surrogateescape"))
        end = len(self.recipe.text[:stop["byte"]].decode("utf-8", "surrogateescape"))
        for suggestion in suggestions.suggestions(finding["help"]):
            if self.is_of_fix(finding, suggestion):
                continue
            results = []
            for changed in suggestions.written(text, begin, end, suggestion, finding["code"]):
                new = changed.encode("utf-8", "surrogateescape")
                shift = new.count(b"\n") - self.recipe.text.count(b"\n")
                results.append(Advice(str(suggestion), new, {start["line"]},
                                      set(range(start["line"], start["line"] + max(shift, 0) + 1)), suggestion.choice))
            if results:
                yield results

    @staticmethod
    def is_of_fix(finding, suggestion):
        edits = finding["fix"]["edits"] if "fix" in finding else []
        texts = [edit["text"].replace("\\\\", "\\") for edit in edits if edit["text"].strip()]
        return any(text in new or new in text for text in texts for new in suggestion.texts)

    # --- what must hold ---

    def check_any(self, finding, advices, before):
        """At least one of the recipes that an advice may mean must be good."""
        self.count += 1
        known = list(self.failures)
        for advice in advices:
            self.failures = list(known)
            self.check(finding, advice, before)
            if len(self.failures) == len(known):
                return

    def check(self, finding, advice, before):
        after = self.findings(advice.text)
        same = lambda found, lines: sum(  # noqa: E731
            each["code"] == finding["code"] and each["span"]["start"]["line"] in lines for each in found)
        if same(after, advice.after) >= same(before, advice.before):
            self.fail(finding, advice, "the finding stays")
        if not finding["code"].startswith(HIDING):
            self.check_place(finding, advice, before, after)
        if advice.what == "its fix" and finding["fix"]["applicability"] == "safe":
            self.check_safe(finding, advice, before, after)

    def check_place(self, finding, advice, before, after):
        known = collections.Counter((each["code"], each["message"]) for each in before)
        for each in after:
            known[each["code"], each["message"]] -= 1
            new = known[each["code"], each["message"]] < 0 and each["severity"] == "error"
            if new and each["span"]["start"]["line"] in advice.after and not advice.choice:
                self.fail(finding, advice, f"then {each['code']}: {each['message']}")

    def check_safe(self, finding, advice, before, after):
        errors = [sum(each["severity"] == "error" for each in found) for found in (before, after)]
        if finding["code"] == "SP103":
            self.fail(finding, advice, "a safe fix invents a value")
        if errors[0] == 0 and self.timeline(self.recipe.text) != self.timeline(advice.text):
            self.fail(finding, advice, "a safe fix changes the schedule")
        hides = finding["code"].startswith(HIDING)
        if finding["severity"] == "error" and errors[1] >= errors[0] and not hides:
            self.fail(finding, advice, "a safe fix leaves as many errors")

    def timeline(self, text):
        steps = [] if "--steps-per-epoch" in self.recipe.arguments else ["--steps-per-epoch", "7"]
        table = self.ask("timeline", text, "--format", "csv", *steps)
        return table[table.find(b"\n"):]  # without the header: a fix may give an action another class

    def fail(self, finding, advice, why):
        line = finding["span"]["start"]["line"]
        self.failures.append(f"{self.recipe.name}:{line}: {finding['code']} {finding['message']}\n"
                             f"    help: {finding['help']}\n    {advice.what}: {why}")

    def run(self):
        before = self.findings(self.recipe.text)
        tried = set()
        for finding in before:
            advices = list(self.suggested(finding))
            if "fix" in finding:
                advices.insert(0, [self.fixed(finding)])
            for advice in advices:
                if (advice[0].text, finding["code"]) not in tried:
                    tried.add((advice[0].text, finding["code"]))
                    self.check_any(finding, advice, before)
        return self


def chosen(arguments):
    testdata = arguments.testdata
    mistakes = {recipe.name for recipe in recipes.mistakes(testdata)}
    every = [*recipes.goldens(testdata), *recipes.sheets(testdata, arguments.full)]
    for folder in arguments.folder:
        every += recipes.below(folder)
    for recipe in every:
        sampled = zlib.crc32(recipe.name.encode()) % SAMPLE == 0
        if arguments.pattern in recipe.name and (arguments.full or arguments.pattern or sampled or recipe.name in mistakes):
            yield recipe


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("testdata", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--folder", action="append", default=[])
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        trials = list(pool.map(lambda each: Trial(arguments.program, arguments.testdata, each).run(), chosen(arguments)))
    failures = [failure for trial in trials for failure in trial.failures]
    count = sum(trial.count for trial in trials)
    print("\n".join(failures + [f"{count} advices on {len(trials)} recipes, {len(failures)} do not hold"]))
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
