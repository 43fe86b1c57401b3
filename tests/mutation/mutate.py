#!/usr/bin/env python3
"""Measure how many small mistakes in the library the tests notice.

  tests/mutation/mutate.py build [--mutants N] [--seed N]   compile the tests with N mutants in the library
  tests/mutation/mutate.py reach                            find out which tests evaluate which mutants
  tests/mutation/mutate.py run [--count N] [--seed N]       run a random sample, or the mutants whose keys contain PART
                               [--only PART]...

`build` copies the project to build/mutation. Each mutant is behind a switch, so that one build contains thousands. `run` gives
a mutant only the tests that evaluate it, until the first one fails. Mutants that change nothing are listed in
equivalent.txt with the reason. known.txt contains mutants that tests missed once; `--only "[known"` runs them.
"""
import argparse

import build
import run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("build", "reach", "run"))
    parser.add_argument("--mutants", type=int, default=3000)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[])
    arguments = parser.parse_args()
    if arguments.command == "build":
        build.build(arguments.mutants, arguments.seed, arguments.jobs)
    elif arguments.command == "reach":
        run.reach(arguments.jobs)
    else:
        run.run(arguments.count, arguments.seed, arguments.jobs, arguments.only)


if __name__ == "__main__":
    main()
