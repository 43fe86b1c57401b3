"""Runs the tests on mutants and counts those that no test notices."""
import collections
import concurrent.futures
import json
import os
import random
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import build

REACHED = build.COPY / "reached.json"
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
FIRST = 60  # golden cases before the unit tests


class Test:
    """Cases that run together, with the mutants that they evaluate."""

    def __init__(self, program, names, reached=(), seconds=0.0):
        self.program, self.names, self.reached, self.seconds = program, tuple(names), frozenset(reached), seconds


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "MUTANT", "MUTANTS_REACHED")}
    return {**kept, **{name: str(value) for name, value in more.items()}}


def catch_filter(name):
    return "".join("\\" + letter if letter in ",[]*\"\\" else letter for letter in name)


def command(program, names):
    if program == "schema":
        return [build.PROGRAMS[program], "schema", *names]
    if program in ("golden", "sheets"):
        return [build.PROGRAMS[program], "--until-failure", *names]
    return [build.PROGRAMS[program], "--abort", ",".join(catch_filter(name) for name in names)]


def passes(program, names, seconds, mutant=-1, reached=""):
    """Returns true if the tests pass. `seconds`: of the processor, after which they fail."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if program == "schema" and len(names) > 1:
        return all(passes(program, [name], seconds, mutant, reached) for name in names)
    more = {"MUTANTS_REACHED": reached} if reached else {"MUTANT": mutant}
    done = subprocess.run(command(program, names), cwd=build.COPY, env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, preexec_fn=limit, check=False)
    return done.returncode == 0 and (program != "schema" or done.stdout == schema_path(names[0]).read_bytes())


def schema_path(name):
    return build.ROOT / "schemas" / f"{name}.schema.json"


def groups_of(program):
    """The names of the cases. Cases of sheets take a millisecond, so that several of them run together."""
    if program == "schema":
        return [[path.name.removesuffix(".schema.json")] for path in sorted(schema_path("*").parent.glob("*.schema.json"))]
    options = ["--list"] if program in ("golden", "sheets") else ["--list-test-names-only"]
    done = subprocess.run([build.PROGRAMS[program], *options], cwd=build.COPY, env=environment(), capture_output=True, text=True, check=False)
    names, size = done.stdout.splitlines(), 8 if program == "sheets" else 1
    return [names[at:at + size] for at in range(0, len(names), size)]


def follow(program, names):
    """The test of some cases; None if they fail."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        begin = time.monotonic()
        passed = passes(program, names, 300, reached=file.name)
        seconds = time.monotonic() - begin
        return Test(program, names, map(int, file.read().split()), seconds) if passed else None


def load_tests():
    rows = json.loads(REACHED.read_text(encoding="utf-8")) if REACHED.exists() else []
    return [Test(*row) for row in rows]


def reach(jobs):
    """Follows the tests that are new since the last build."""
    known = {(each.program, each.names): each for each in load_tests()}
    groups = [(program, tuple(names)) for program in build.PROGRAMS for names in groups_of(program)]
    new = [each for each in groups if each not in known]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        followed = dict(zip(new, pool.map(lambda each: follow(*each), new)))
    for program, names in (each for each in new if followed[each] is None):
        print("fails without a mutant:", program, *names)
    tests = [each for each in ({**known, **followed}.get(group) for group in groups) if each]
    REACHED.write_text(json.dumps([[each.program, each.names, sorted(each.reached), each.seconds] for each in tests]), encoding="utf-8")
    print(f"{len(tests)} tests, {sum(each.seconds for each in tests):.0f} s")


def plan(tests, number):
    """Lists of tests to run one after the other: those that reach fewer mutants come first, since they say more of each."""
    reaching = sorted((each for each in tests if number in each.reached), key=lambda each: len(each.reached))
    of = {program: [each for each in reaching if each.program == program] for program in build.PROGRAMS}
    steps = [of["sheets"], of["golden"][:FIRST], of["unit"], of["golden"][FIRST:], of["schema"], of["property"]]
    return [step for step in steps if step]


def judge(tests, number):
    """The tests that notice a mutant: a key of PROGRAMS; else "survived" or "not reached"."""
    steps = plan(tests, number)
    for step in steps:
        seconds = 20 + 5 * sum(each.seconds for each in step)
        if not passes(step[0].program, [name for each in step for name in each.names], seconds, mutant=number):
            return step[0].program
    return "survived" if steps else "not reached"


def equivalent():
    """The keys of the mutants that change nothing: lines of `key` that follow a line `# reason`."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def sample(mutants, count, seed):
    """`count` mutants, of each folder in proportion to its number of mutants but at least 10."""
    generator = random.Random(seed)
    folders = collections.defaultdict(list)
    for mutant in mutants:
        folders[mutant["folder"]].append(mutant)
    chosen = []
    for folder, own in sorted(folders.items()):
        wanted = max(10, round(count * len(own) / len(mutants)))
        chosen += generator.sample(own, min(wanted, len(own)))
    generator.shuffle(chosen)
    return chosen


def report(results):
    folders = collections.defaultdict(collections.Counter)
    for mutant, verdict in results:
        folders[mutant["folder"]][verdict] += 1
        folders["all"][verdict] += 1
    columns = [*build.PROGRAMS, "survived", "not reached", "equivalent"]
    print(f"{'folder':22} mutants " + " ".join(f"{name:>11}" for name in columns) + "    caught")
    for folder, counts in sorted(folders.items()):
        caught = sum(counts[name] for name in build.PROGRAMS)
        counted = counts.total() - counts["equivalent"]
        print(f"{folder:22} {counts.total():7} " + " ".join(f"{counts[name]:11}" for name in columns) + f" {100 * caught / max(counted, 1):7.1f} %")


def run(count, seed, jobs, only):
    mutants = json.loads((build.COPY / "mutants.json").read_text(encoding="utf-8"))
    tests = load_tests()
    same = equivalent()
    if only:
        chosen = [each for each in mutants if any(part in each["key"] for part in only)]
    else:
        chosen = sample([each for each in mutants if each["rule"] != "known"], count, seed)

    def verdict(mutant):
        return "equivalent" if mutant["key"] in same else judge(tests, mutant["number"])

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(zip(chosen, pool.map(verdict, chosen)))
    for mutant, what in sorted(results, key=lambda each: each[0]["key"]):
        if what in ("survived", "not reached"):
            print(f"{what}: {mutant['line']}: {mutant['key']}")
    report(results)
