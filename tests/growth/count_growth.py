#!/usr/bin/env python3
"""Counts the work for inputs of n, 2n and 4n repetitions, and fails if it grows faster than the input.

    count_growth.py <sparsecfg> <libcount_work.so> [--shard N/M] [--size BYTES] [--files FILE...] [--pairs N] [--any N]
                    [--constructs] [--seed N] [part of a name]

The counts (comparisons, bytes copied and searched, allocations) do not depend on the machine and its load, so the inputs
can be small. --files takes recipes as seeds instead of the own ones. --pairs tries so many random pairs of parts that grow
together, and --any so many random kinds. If the work is proportional to the input, each increase is twice the one before; if it is quadratic, four
times.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from random import Random

from constructs import all_kinds
from repetitions import every_kind, random_pairs, seed_of_file, seeds

COUNTS = ("comparisons", "bytes copied", "bytes searched", "allocations", "bytes allocated")
# Smaller increases are no growth: a table that is allocated at once may be as large.
LEAST = (12_000, 1_000_000, 1_000_000, 10_000, 2_000_000)
MOST = 3.0  # n log n and buffers that double stay below it
# Some comparisons of all pairs stop at a few hundred. Inputs that seem to grow too fast are tried again with more parts.
LARGER = 12


def counts_of(program, library, arguments):
    """The counts of a run; or None, and what went wrong."""
    file = os.path.abspath("counts.out")
    environment = {**os.environ, "LD_PRELOAD": library, "GROWTH_COUNTS": file}
    try:
        result = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return None, "takes more than a minute"
    if result.returncode not in (0, 1, 2):
        return None, f"exit status {result.returncode}"
    if not os.path.exists(file):
        return None, "counts nothing"
    with open(file, encoding="ascii") as lines:
        counts = [int(each) for each in lines.readline().split()]
    os.remove(file)
    return counts, ""


def write(name, content):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(content)


def grow(program, library, kind, size):
    """Returns why the work for a kind grows too fast, or an empty string."""
    seed = kind.seed
    least = kind.repetitions_for(size)
    all_counts, sizes = [], []
    for repetitions in (least, 2 * least, 4 * least):
        content = kind.content(repetitions)
        sizes.append(len(content))
        write(seed.file, content)
        counts, why = counts_of(program, library, [*seed.command, seed.checked or seed.file])
        if counts is None:
            return f"{why} for {sizes[-1]} bytes"
        all_counts.append(counts)
    first, second, third = all_counts
    faults = []
    for at, name in enumerate(COUNTS):
        before, after = second[at] - first[at], third[at] - second[at]
        if after > LEAST[at] and after > MOST * max(before, 1):
            faults.append(f"{name} {first[at]}, {second[at]}, {third[at]}")
    return "; ".join(faults) + f" for {sizes} bytes" if faults else ""


def check(program, library, kind, size):
    for name, text in kind.seed.files.items():
        write(name, text.encode())
    why = grow(program, library, kind, size)
    return grow(program, library, kind, LARGER * size) if why and "status" not in why else why


def wanted_kinds(given):
    random = Random(given.seed)
    files = [seed for seed in map(seed_of_file, given.files) if seed]
    if given.pairs:
        return list(random_pairs(files or list(seeds()), random, given.pairs))
    kinds = list(all_kinds() if given.constructs else every_kind(files or None))
    return random.sample(kinds, min(given.any, len(kinds))) if given.any else kinds


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("library")
    options.add_argument("--shard", default="0/1")
    options.add_argument("--size", type=int, default=3000, help="of the smallest input")
    options.add_argument("--files", nargs="+", default=[])
    options.add_argument("--pairs", type=int, default=0, help="number of random pairs")
    options.add_argument("--any", type=int, default=0, help="number of random kinds")
    options.add_argument("--constructs", action="store_true", help="the tables of readers/")
    options.add_argument("--seed", type=int, default=1, help="of the random numbers")
    options.add_argument("wanted", nargs="?", default="")
    given = options.parse_args()
    shard, shards = map(int, given.shard.split("/"))
    program, library = os.path.abspath(given.program), os.path.abspath(given.library)
    kinds = [kind for at, kind in enumerate(wanted_kinds(given)) if at % shards == shard and given.wanted in kind.name]
    bad = 0
    if counts_of(program, library, ["--version"])[0] is None:
        print("skipped: the program cannot be measured, because it is linked statically")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            inner = tempfile.mkdtemp(dir=folder)
            os.mkdir(os.path.join(inner, ".git"))
            os.chdir(inner)
            if why := check(program, library, kind, given.size):
                bad += 1
                print(f"{kind.name}: {why}", flush=True)
        os.chdir("/")
    print(f"{len(kinds)} kinds of inputs, {bad} grow too fast")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
