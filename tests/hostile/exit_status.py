#!/usr/bin/env python3
"""Holds the exit status of each form of each command under each condition against the table of the manual.

    exit_status.py <sparsecfg> <source folder>

The manual page and docs/ci.md have to name the same statuses, and every one that is seen.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

CLEAN = """modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: 4.0
- !GMPruningModifier
  params: [fc.weight]
  init_sparsity: 0.05
  final_sparsity: 0.8
  start_epoch: 0.0
  end_epoch: 3.0
  update_frequency: 0.5
"""
RECIPES = {
    "clean": CLEAN,
    "warning": CLEAN + "- !SetLearningRateModifier\n  start_epoch: 1.0\n  end_epoch: 2.0\n  learning_rate: 0.1\n",
    "error": CLEAN.replace("init_sparsity", "initial"),
    "unread": "modifiers: [\n",
    "spaced": CLEAN.replace(": ", ":   "),
}
# What is done, and the exit status for a recipe that is clean, has a warning, has an error, is no YAML, is no file,
# is an empty folder, and for two clean ones.
FORMS = {
    "validate": (0, 0, 1, 1, 2, 0, 0),
    "validate --format json": (0, 0, 1, 1, 2, 0, 0),
    "validate --format sarif": (0, 0, 1, 1, 2, 0, 0),
    "validate --fail-on warning": (0, 1, 1, 1, 2, 0, 0),
    "validate --diff": (0, 0, 1, 1, 2, 0, 0),
    "validate --fix": (0, 0, 1, 1, 2, 0, 0),
    "timeline --steps-per-epoch 4": (0, 0, 1, 1, 2, 2, 2),
    "timeline --steps-per-epoch 4 --format csv": (0, 0, 1, 1, 2, 2, 2),
    "timeline --steps-per-epoch 4 --format jsonl": (0, 0, 1, 1, 2, 2, 2),
    "timeline --steps-per-epoch 4 --format svg": (0, 0, 1, 1, 2, 2, 2),
    "timeline --steps-per-epoch 4 --summary": (0, 0, 1, 1, 2, 2, 2),
    "timeline --steps-per-epoch 4 --summary --format json": (0, 0, 1, 1, 2, 2, 2),
    "convert --to ir": (0, 0, 1, 1, 2, 2, 2),
    "convert --to sparseml": (0, 0, 1, 1, 2, 2, 2),
    "convert --to sparseml --report json": (0, 0, 1, 1, 2, 2, 2),
    "convert --to pytorch": (0, 0, 1, 1, 2, 2, 2),
    "normalize": (0, 0, 0, 1, 2, 0, 0),
    "normalize --diff": (0, 0, 0, 1, 2, 0, 0),
    "normalize --check": (0, 0, 0, 1, 2, 0, 0),
    "normalize --write": (0, 0, 0, 1, 2, 0, 0),
    "match --params names.txt": (0, 0, 1, 1, 2, 2, 2),
    "inspect": (0, 0, 1, 1, 2, 2, 2),
    "rescale --epochs 8": (0, 0, 1, 1, 2, 2, 2),
}
CONDITIONS = (["clean.yaml"], ["warning.yaml"], ["error.yaml"], ["unread.yaml"], ["missing.yaml"], ["empty"],
              ["clean.yaml", "second.yaml"])
FAILURES = []
SEEN = set()


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def status_of(arguments, **options):
    options.setdefault("stdout", subprocess.DEVNULL)
    result = subprocess.run([SPARSECFG, *arguments], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, **options)
    return result.returncode if result.returncode >= 0 else 128 - result.returncode


def expect(status, arguments, **options):
    seen = status_of(arguments, **options)
    SEEN.add(seen)
    check(seen == status, f"{' '.join(arguments)} {options or ''}: exit status {seen}, not {status}")


def write_recipes():
    for name, text in RECIPES.items():
        with open(name + ".yaml", "w", encoding="utf-8") as file:
            file.write(text)
    with open("second.yaml", "w", encoding="utf-8") as file:
        file.write(CLEAN)
    with open("names.txt", "w", encoding="utf-8") as file:
        file.write("fc.weight\n")
    os.makedirs("empty", exist_ok=True)


def to_gone_reader(arguments):
    """A reader of the output that goes away before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as end:
        expect(128 + signal.SIGPIPE, arguments, stdout=end,
               preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as end:
        expect(2, arguments, stdout=end, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))


def check_forms():
    for form, statuses in FORMS.items():
        words = form.split()
        for files, status in zip(CONDITIONS, statuses):
            expect(status, [*words, *files])
            write_recipes()
        expect(2, [*words, "--no-such-option", "clean.yaml"])
        expect(2, [*words, "--params", "missing.txt", "clean.yaml"])
    expect(1, ["normalize", "--check", "spaced.yaml"])
    expect(1, ["normalize", "--diff", "spaced.yaml"])


def check_outputs():
    silent = ("validate --fix", "normalize --check", "normalize --diff", "normalize --write", "validate --diff")
    for form in FORMS:
        if form not in silent:
            to_gone_reader([*form.split(), "clean.yaml"])
            with open("/dev/full", "wb") as full:
                expect(2, [*form.split(), "clean.yaml"], stdout=full)
    for form in (["explain", "SP202"], ["schema", "report"], ["create", "--help"], ["diff", "clean.yaml", "spaced.yaml"]):
        expect(0, form)
    expect(1, ["diff", "clean.yaml", "warning.yaml"])
    expect(2, ["diff", "clean.yaml", "missing.yaml"])
    expect(2, ["timeline", "--summary", "--format", "csv", "--steps-per-epoch", "4", "clean.yaml"])
    expect(2, ["explain", "no such thing"])
    expect(2, ["schema", "no such thing"])


def check_documents(source):
    with open(os.path.join(source, "man", "sparsecfg.1"), encoding="utf-8") as file:
        manual = file.read().split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
    with open(os.path.join(source, "docs", "ci.md"), encoding="utf-8") as file:
        guide = file.read().split("| exit status | meaning |")[1].split("\n\n")[0]
    of_manual = re.findall(r"^\.It (\d+(?: \+ n)?)$", manual, re.MULTILINE)
    of_guide = re.findall(r"^\| (\d+(?: \+ N)?) \|", guide, re.MULTILINE)
    check(of_manual == [each.lower() for each in of_guide], f"the manual has {of_manual}, docs/ci.md {of_guide}")
    for status in SEEN:
        named = str(status) if status <= 128 else "128 + n"
        check(named in of_manual, f"the manual does not name the exit status {status}")
    check("141" in manual and "141" in guide, "141 is not explained")


def main():
    global SPARSECFG
    SPARSECFG = os.path.abspath(sys.argv[1])
    source = os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_recipes()
        check_forms()
        check_outputs()
        os.chdir("/")
    check_documents(source)
    print("\n".join(FAILURES) or "all exit statuses are as documented")
    return 1 if FAILURES else 0


sys.exit(main())
