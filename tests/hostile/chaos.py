#!/usr/bin/env python3
"""Interrupts, starves and cuts off sparsecfg: files are whole afterwards, nothing is left behind, and what it says is
one clear line.

    chaos.py <sparsecfg> [rounds]
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HEAD = "modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n"
# With a fix: `end_epoch` has no effect there.
FIXABLE = HEAD + "- !SetLearningRateModifier\n  start_epoch: 1.0\n  end_epoch: 2.0\n  learning_rate: 0.1\n"
FAILURES = []


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def run(*arguments, program=None, **options):
    return subprocess.run([program or SPARSECFG, *arguments], capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          **options)


def leftovers(folder="."):
    return [name for name in os.listdir(folder) if name.startswith(".sparsecfg-")]


def check_kills(rounds):
    """Killed at any moment, each file is the old one or the new one; only SIGKILL may leave a temporary file."""
    padding = "# a comment\n" * 2000
    forms = {("validate", "--fix"): FIXABLE, ("normalize", "--write"): FIXABLE.replace(": ", ":   ")}
    for number in range(rounds):
        (form, text), deadly = list(forms.items())[number % 2], (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[number % 3]
        names = [f"kill{at}.yaml" for at in range(12)]
        before = text + padding
        for name in names:
            write(name, before)
        after = text_of_result(form, before)
        with subprocess.Popen([SPARSECFG, *form, *names], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(RANDOM.random() * 0.2)
            process.send_signal(deadly)
        for name in names:
            check(text_of(name) in (before, after), f"{form} ended by {deadly}: {name} is torn")
        check(deadly == signal.SIGKILL or not leftovers(), f"{form} ended by {deadly}: leaves {leftovers()}")
        for name in leftovers():
            os.unlink(name)
        check(run(*form, *names).returncode == 0, f"{form} after {deadly}: does not run again")
        check(all(text_of(name) == after for name in names), f"{form} after {deadly}: is not carried out")


RESULTS = {}


def text_of_result(form, before):
    if form not in RESULTS:
        write("result.yaml", before)
        run(*form, "result.yaml")
        RESULTS[form] = text_of("result.yaml")
        check(RESULTS[form] != before, f"{form}: changes nothing")
    return RESULTS[form]


def check_file_size():
    """No room for the output: the file stays, and nothing is left beside it."""
    limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    for form, text in ((("validate", "--fix"), FIXABLE), (("normalize", "--write"), FIXABLE.replace(": ", ":   "))):
        write("full.yaml", text)
        result = run(*form, "full.yaml", preexec_fn=limit)
        check(result.returncode == 2 and text_of("full.yaml") == text, f"{form} without room: {result}")
        check(not leftovers(), f"{form} without room: leaves {leftovers()}")
    write("full.yaml", FIXABLE)
    result = run("timeline", "--steps-per-epoch", "100", "-o", "table", "full.yaml", preexec_fn=limit)
    check(result.returncode == 2 and not os.path.exists("table") and not leftovers(), f"-o without room: {result}")


def has_sanitizers():
    """What is built with them needs terabytes of addresses, and a thread at its end."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    return run("--version", preexec_fn=limit).returncode != 0


def check_memory():
    """Too little memory is exit status 70 or a result, never an abort, also beside other threads."""
    os.makedirs("many", exist_ok=True)
    for number in range(20):
        write(f"many/{number}.yaml", HEAD + "".join(f"name{at}: {at}\n" for at in range(4000)))
    statuses = set()
    for megabytes in (30, 45, 60, 80, 120, 200):
        limit = lambda size=megabytes << 20: resource.setrlimit(resource.RLIMIT_AS, (size, size))
        for paths in (["many"], ["many/1.yaml"]):
            result = run("validate", *paths, preexec_fn=limit)
            if result.returncode == 127:  # the loader finds no room for the libraries
                continue
            statuses.add(result.returncode)
            check(result.returncode in (0, 70), f"{megabytes} MB, {paths}: exit status {result.returncode}: {result.stderr}")
            check(result.returncode == 0 or b"internal error" in result.stderr, f"{megabytes} MB: {result.stderr}")
    check(0 in statuses, "no amount of memory is enough")


def check_processes():
    """Where no thread can be started, one does all."""
    if os.geteuid() != 0:
        return
    def limit():
        os.setgroups([])
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setuid(65534)
    os.chmod(".", 0o755)
    # Another user may not be allowed to enter the folders above the executable and its library, such as /root.
    program = shutil.copy(SPARSECFG, "program")
    for library in pathlib.Path(SPARSECFG).parent.glob("lib/*.so"):
        shutil.copy(library, ".")
    result = run("validate", "many", program=os.path.abspath(program), preexec_fn=limit, env={"LD_LIBRARY_PATH": os.getcwd()})
    check(result.returncode == 0 and b"20 files checked" in result.stdout, f"without threads: {result}")


def check_names():
    """The name of a file that is not UTF-8 can be had from the JSON; a folder that is gone is an error."""
    name = b"n\xff\x1b[31m.yaml"
    with open(name, "w", encoding="utf-8") as file:
        file.write(FIXABLE)
    file = json.loads(run("validate", "--format", "json", name).stdout)["files"][0]
    check(file.get("path_uri") == "n%FF%1B%5B31m.yaml", f"the name of a file in JSON: {file['path']}")
    for form in (["validate"], ["validate", "--diff"], ["normalize", "--diff"], ["timeline", "--steps-per-epoch", "2"]):
        result = run(*form, name)
        check(b"\x1b" not in result.stdout + result.stderr, f"{form}: the escape of a file's name")
    os.unlink(name)
    os.mkdir("gone")
    result = subprocess.run(["sh", "-c", f"cd gone && rmdir ../gone && exec '{SPARSECFG}' validate"], capture_output=True,
                            check=False)
    check(result.returncode == 2, f"in a folder that is gone: {result}")


def check_settings():
    """A file of settings that leads elsewhere is not read, and no line of it is shown."""
    os.makedirs("project", exist_ok=True)
    write("secret", "root:secret\n")
    write("project/recipe.yaml", FIXABLE)
    os.symlink("../secret", "project/.sparsecfg.yaml")
    result = run("validate", "project/recipe.yaml")
    check(result.returncode == 2 and b"root" not in result.stdout + result.stderr, f"settings behind a link: {result}")


def main():
    global SPARSECFG, RANDOM
    SPARSECFG = os.path.abspath(sys.argv[1])
    RANDOM = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_kills(int(sys.argv[2]) if len(sys.argv) > 2 else 12)
        check_file_size()
        if not has_sanitizers():
            check_memory()
            check_processes()
        check_names()
        check_settings()
        os.chdir("/")
    print("\n".join(FAILURES) or "nothing is lost")
    return 1 if FAILURES else 0


sys.exit(main())
