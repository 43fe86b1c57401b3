#!/usr/bin/env python3
"""Holds what sparsecfg writes against the frameworks themselves, where they can be run.

  real_frameworks.py --binary BINARY fix|normalize [--random N] [--limit N] [--show N]

Needs SPARSECFG_REAL, the folder of `batch.py`, which answers jobs in JSON lines with the verdict and the timeline of a
framework; without it the exit status is 77, which ctest counts as skipped. Recipes come from ../shared, from testdata
and, with --random, from mutations of those that a framework accepts.

fix:       after the safe fixes the framework's verdict is not worse, and a file that sparsecfg called wrong and the
           framework still rejects is not called good.
normalize: verdict and timeline are the same, every comment is still there, and a second time changes nothing.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
SKIPPED = 77
FLAVOURS = {"pytorch", "new-framework", "schedule", "v3", ""}


def collected():
    """Yields the real recipes as jobs with the text in them."""
    for index in sorted(SHARED.glob("corpus/*/index.jsonl")):
        for line in index.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            file = index.parent / case["file"]
            known = case.get("dialect") in ("sparseml", "distiller", "nni") and case.get("flavour", "") in FLAVOURS
            if known and file.exists() and file.suffix != ".py" and not case.get("options", {}).get("set"):
                job = {key: case[key] for key in ("id", "dialect", "flavour", "options", "params", "modules", "model")
                       if key in case}
                job["suffix"] = file.suffix
                job["text"] = file.read_bytes().decode("utf-8", "surrogateescape")
                job["accepted"] = case.get("verdict") == "accept"
                yield job


def written_by_us():
    validate = ROOT / "testdata" / "validate"
    for file in sorted(validate.rglob("*.yaml")):
        dialect = file.relative_to(validate).parts[0]
        of_2020 = b"KSModifier" in file.read_bytes()  # read by another release
        known = dialect in ("sparseml", "distiller", "nni") and not of_2020
        if known and not file.with_suffix(".args").exists():
            flavour = {"sparseml": "pytorch", "distiller": "schedule", "nni": "v3"}[dialect]
            yield {"id": f"testdata/{file.stem}", "dialect": dialect, "flavour": flavour, "suffix": ".yaml",
                   "options": {"steps_per_epoch": 4}, "accepted": False, "real_qat": False,
                   "text": file.read_bytes().decode("utf-8", "surrogateescape")}


def substitute(pattern, replacement):
    def change(text, rng):
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        at = rng.choice(found)
        new = replacement(at, rng) if callable(replacement) else at.expand(replacement)
        return text[: at.start()] + new + text[at.end():]

    return change


def drop_letter(match, rng):
    word = match.group(0)
    at = rng.randrange(1, len(word) - 1)
    return word[:at] + word[at + 1:]


MUTATIONS = [
    substitute(r"\b0\.(\d)\b", r"\g<1>0"),  # 0.8 -> 80
    substitute(r"\b(\d+)\.0\b", r"\1"),  # a float becomes an int
    substitute(r"\b0\.(\d+)\b", r"0,\1"),
    substitute(r"\b0\.(\d)\b", r"\g<1>0%"),
    substitute(r"\b(\d+)\.(\d+)\b", r"'\1.\2'"),
    substitute(r"\b0\.0*(\d)\b", r"\1e-3"),
    substitute(r"(?i)\btrue\b|\bfalse\b", lambda m, r: r.choice(["yes", "'true'", "'False'", "on", "1"])),
    substitute(r"__ALL_PRUNABLE__", lambda m, r: r.choice(
        ["__ALL_PRUNEABLE__", "__ALL_PRUNABLE", "ALL_PRUNABLE", "all", "'*'", "re:.*weight", "conv1.weight"])),
    substitute(r"\['?(re:[^',\]]*)'?\]", r"\1"),
    substitute(r"re:", lambda m, r: r.choice(["", "RE:", "re: ", "re::"])),
    substitute(r"[a-z]+_[a-z_]+(?=:)", drop_letter),
    substitute(r"![A-Za-z]+Modifier", drop_letter),
    substitute(r"(?m)^( *)([a-z_]+: [^\n]*)$", r"\1\2\n\1\2"),  # a line twice
    substitute(r"(?m)^ +[a-z_]+: [^\n]*\n", ""),  # a line less
    substitute(r"(?m)^( +)- !", r"\1!"),
    substitute(r"(?m)^modifiers:", lambda m, r: r.choice(["modifier:", "Modifiers:", "mods:"])),
    substitute(r"(?m)^( +)(start_epoch|starting_epoch): ([\d.]+)", r"\1\2: 99\3"),
    substitute(r"\[([^\[\],]+)\]", r"\1"),
]


def mutated(jobs, number):
    rng = random.Random(16)
    valid = [job for job in jobs if job["accepted"] and len(job["text"]) < 3000]
    for count in range(number if valid else 0):
        job = dict(rng.choice(valid))
        for _ in range(rng.choice([1, 1, 2])):
            job["text"] = rng.choice(MUTATIONS)(job["text"], rng)
        job["id"] = f"random/{count}/{job['id']}"
        job["accepted"] = False
        yield job


def ask(real, jobs):
    """The framework's answers by id."""
    lines = "\n".join(json.dumps({k: v for k, v in job.items() if k not in ("accepted", "suffix")}) for job in jobs)
    command = [os.path.join(real, "batch.py"), "auto", "--timeout", "120"]
    out = subprocess.run(command, input=lines, capture_output=True, text=True, check=False).stdout
    answers = {}
    for line in out.splitlines():
        answer = json.loads(line)
        if answer.get("rejects_at") != "oracle":
            answers[answer["id"]] = answer
    return answers


def run_all(binary, folder, jobs, arguments):
    """Runs sparsecfg once for each file. Returns nothing; files are changed in place."""
    for number, job in enumerate(jobs):
        path = folder / f"{number}{job['suffix']}"
        path.write_bytes(job["text"].encode("utf-8", "surrogateescape"))
        subprocess.run([binary, *arguments, str(path)], capture_output=True, check=False)


def after(folder, number, job):
    return (folder / f"{number}{job['suffix']}").read_bytes().decode("utf-8", "surrogateescape")


def errors(binary, folder, name, text):
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    out = subprocess.run([binary, "validate", "--format", "json", str(path)], capture_output=True, check=False).stdout
    return json.loads(out)["summary"]["errors"]


def changed_jobs(binary, folder, jobs, arguments):
    run_all(binary, folder, jobs, arguments)
    pairs = []
    for number, job in enumerate(jobs):
        text = after(folder, number, job)
        if text != job["text"]:
            pairs.append((job, dict(job, text=text)))
    return pairs


def check_fix(binary, real, folder, jobs):
    pairs = changed_jobs(binary, folder, jobs, ["validate", "--fix"])
    before = ask(real, [old for old, _ in pairs])
    answers = ask(real, [new for _, new in pairs])
    for old, new in pairs:
        was, is_now = before.get(old["id"], {}), answers.get(old["id"], {})
        if was.get("verdict") == "accept" and is_now.get("verdict") == "reject":
            yield old["id"], f"accepted before, now {is_now.get('error')}"
        wrong = errors(binary, folder, "x" + old["suffix"], old["text"]) > 0
        if wrong and is_now.get("verdict") == "reject" and not old.get("params") and not is_now.get("needs_params"):
            if errors(binary, folder, "x" + old["suffix"], new["text"]) == 0:
                yield old["id"], f"called good, but {is_now.get('error')}"
    print(f"{len(jobs)} recipes, {len(pairs)} fixed, {len(answers)} answers")


def comments(text):
    return sorted(match.strip() for match in re.findall(r"#[^\n]*", text))


def check_normalize(binary, real, folder, jobs):
    pairs = changed_jobs(binary, folder, jobs, ["normalize", "--write", "--skip-unknown"])
    for number, (old, new) in enumerate(pairs):
        if comments(old["text"]) != comments(new["text"]):
            yield old["id"], "comments differ"
        path = folder / f"again{number}{old['suffix']}"
        path.write_bytes(new["text"].encode("utf-8", "surrogateescape"))
        if subprocess.run([binary, "normalize", "--check", str(path)], capture_output=True, check=False).returncode != 0:
            yield old["id"], "changes again"
    before = ask(real, [old for old, _ in pairs])
    answers = ask(real, [new for _, new in pairs])
    for old, _ in pairs:
        was, is_now = before.get(old["id"]), answers.get(old["id"])
        if was and is_now:
            for part in ("verdict", "timeline"):
                if was.get(part) != is_now.get(part):
                    yield old["id"], f"another {part}"
    print(f"{len(jobs)} recipes, {len(pairs)} changed, {len(answers)} answers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["fix", "normalize"])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    real = os.environ.get("SPARSECFG_REAL", "")
    if not os.path.exists(os.path.join(real, "batch.py")):
        print("SPARSECFG_REAL names no folder with the frameworks: skipped")
        return SKIPPED
    jobs = list(collected()) + list(written_by_us())
    jobs += list(mutated(jobs, options.random))
    if options.limit:
        random.Random(1).shuffle(jobs)
        jobs = jobs[: options.limit]
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as folder:
        check = check_fix if options.what == "fix" else check_normalize
        failures = list(check(binary, real, pathlib.Path(folder), jobs))
    for name, why in failures[: options.show]:
        print(f"{name}: {why}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
