"""Builds the tests from sources that hold many mutants, in a copy of the project in build/mutation."""
import filecmp
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import sources

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / "build" / "mutation"
PROGRAMS = {name: COPY / "build" / "dev" / "tests" / path for name, path in
            {"golden": "golden/golden", "sheets": "golden/sheets", "unit": "unit_tests", "schema": "../sparsecfg",
             "property": "property/property_tests"}.items()}
FOLDERS = ("check", "timeline", "convert", "rescale", "ir", "model", "regex", "dialect")
KNOWN = Path(__file__).with_name("known.txt")
DROPPED = COPY / "dropped.json"  # keys of mutants that do not compile
PLACE = r"^(?:[^\s:]*/)?(lib/[^\s:]+)"  # in messages of the compiler
OPTIONS = "-w -O0 -g0 -D_GLIBCXX_ASSERTIONS"


def folder_of(file):
    """The name of a file's folder in reports: "check", "dialect/nni"."""
    parts = Path(file).parts[1:-1]
    return "/".join(parts[:2])


def known_mutants():
    """Lines of known.txt: name | file | text of it | what replaces the text, in which MUTANT is true for the mutant."""
    found = []
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, file, was, now = (part.strip() for part in line.split(" | "))
        path = ROOT / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text.count(was) != 1:
            print(f"known mutant {name}: {file} has `{was}` {text.count(was)} times")
            continue
        begin = text.index(was)
        edit = (begin, begin + len(was), now.replace("MUTANT", "::mutation::is_active({n})"))
        mutant = sources.Mutant("known", f"{name}: {now}", begin, begin + len(was), [edit])
        mutant.file, mutant.line = file, text.count("\n", 0, begin) + 1
        mutant.last = mutant.line + was.count("\n")
        mutant.in_constant = sources.Source(file, text).is_constant(begin)
        found.append(mutant)
    return found


def all_sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / "lib" / folder).rglob("*.cpp")):
            if "schema" in path.name:  # the test `schema` compares the output byte by byte
                continue
            file = str(path.relative_to(ROOT))
            yield sources.Source(file, path.read_text(encoding="utf-8"))


def choose(count, seed):
    """The sources, and as many mutants in random places, besides those of known.txt."""
    known = known_mutants()
    texts = {source.file: source for source in all_sources()}
    candidates = []
    for source in texts.values():
        own = [(each.begin, each.end) for each in known if each.file == source.file]
        candidates += [each for each in source.mutants() if not any(begin <= each.end and each.begin <= end for begin, end in own)]
    chosen = known + random.Random(seed).sample(candidates, min(count, len(candidates)))
    for number, mutant in enumerate(chosen):
        mutant.number = number
        mutant.key = f"{mutant.file}: {sources.short(texts[mutant.file].line_text(mutant.line))} [{mutant.rule}: {mutant.shown}]"
    dropped = set(json.loads(DROPPED.read_text(encoding="utf-8"))) if DROPPED.exists() else set()
    return texts, [each for each in chosen if each.key not in dropped]


def update(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def copy_project(mutated):
    """Copies what changed, so that only that is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", ":!testdata"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {file for file in listed.stdout.splitlines() if (ROOT / file).is_file()}
    for folder in ("lib", "cmd", "tests/unit", "tests/property"):
        for path in (COPY / folder).rglob("*.cpp"):
            if str(path.relative_to(COPY)) not in files:
                path.unlink()
    for file in files - set(mutated) - {"lib/CMakeLists.txt"}:
        if not (COPY / file).exists() or not filecmp.cmp(ROOT / file, COPY / file, shallow=False):
            (COPY / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, COPY / file)
    if not (COPY / "testdata").exists():
        (COPY / "testdata").symlink_to(ROOT / "testdata")
    update(COPY / "lib/mutation/mutation.h", Path(__file__).with_name("mutation.h").read_text(encoding="utf-8"))
    update(COPY / "lib/CMakeLists.txt", (ROOT / "lib/CMakeLists.txt").read_text(encoding="utf-8") +
           f"target_compile_options(sparsecfg_lib PRIVATE {OPTIONS})\n")


def write_mutated(texts, chosen, strict):
    """`strict`: files whose constants stay constexpr."""
    for file, source in texts.items():
        mutants = [each for each in chosen if each.file == file]
        update(COPY / file, sources.mutated_text(source, mutants, file not in strict) if mutants else source.text)


def compile_copy(jobs):
    """The output of the compiler where it fails."""
    done = subprocess.run(["cmake", "--build", "--preset", "dev", f"-j{jobs}", "--target", "sparsecfg", "golden", "sheets", "unit_tests", "property_tests", "--", "-k", "0"],
                          cwd=COPY, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def drop_what_fails(output, chosen, strict):
    """The mutants without those in lines that the compiler names."""
    named, swapped = set(), set()
    for file, line, what in re.findall(PLACE + r":(\d+):\d+: (.*)", output, re.MULTILINE):
        (swapped if "operands to" in what and "?:" in what else named).add((file, int(line)))
        if "constant" in what or "constexpr" in what:
            strict.add(file)
    kept = []
    for mutant in chosen:
        lines = {(mutant.file, line) for line in range(mutant.line, mutant.last + 1)}
        hit = lines & named or (mutant.rule == "arguments" and lines & swapped)
        if not hit and not (mutant.in_constant and mutant.file in strict):
            kept.append(mutant)
    return kept


def build(count, seed, jobs):
    texts, chosen = choose(count, seed)
    strict = set()
    copy_project({each.file for each in chosen})
    subprocess.run(["cmake", "--preset", "dev", "-DSPARSECFG_BATCH=48"], cwd=COPY, stdout=subprocess.DEVNULL, check=True)
    while True:
        write_mutated(texts, chosen, strict)
        output = compile_copy(jobs)
        if not output:
            break
        kept = drop_what_fails(output, chosen, strict)
        if len(kept) == len(chosen):  # the line does not tell which mutant is at fault
            files = set(re.findall(PLACE + r":\d+:\d+: ", output, re.MULTILINE))
            kept = [each for each in chosen if each.file not in files]
        print(f"{len(chosen) - len(kept)} of {len(chosen)} mutants do not compile")
        if len(kept) == len(chosen):
            raise SystemExit(output[-4000:])
        dropped = json.loads(DROPPED.read_text(encoding="utf-8")) if DROPPED.exists() else []
        DROPPED.write_text(json.dumps(dropped + sorted({each.key for each in chosen} - {each.key for each in kept})), encoding="utf-8")
        chosen = kept
    rows = [{"number": each.number, "folder": folder_of(each.file), "file": each.file, "line": each.line, "rule": each.rule,
             "shown": each.shown, "key": each.key} for each in chosen]
    (COPY / "reached.json").unlink(missing_ok=True)
    (COPY / "mutants.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"{len(rows)} mutants")
