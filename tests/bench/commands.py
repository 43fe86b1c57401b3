#!/usr/bin/env python3
"""What `diff` and `rescale` of a recipe of about 2 KB take, as multiples of the time of `validate`.

    commands.py <sparsecfg> [rounds]

The recipes are those of the folder `recipes`, of each dialect, some with a pattern for each pruner. Whole processes are
run in turn, and the shortest of each are compared; `diff` compares with the recipe of which one goal is another number.
Ends with 1 if any ratio is above 1.5. Takes the release build.
"""
import os
import sys
import tempfile
import time
from pathlib import Path

GOAL = 1.5


def run_once(command):
    """The seconds that a process takes; its output is thrown away."""
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=null)
    status = os.waitpid(process, 0)[1]
    taken = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) > 1:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return taken


def ratios(binary, recipe, other, rounds):
    commands = {"validate": [recipe], "diff": [recipe, other], "rescale": [recipe, "--factor", "2"]}
    if "llm-compressor" in recipe:
        del commands["rescale"]  # it is applied to a trained model, so nothing in it lasts
    shortest = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for name, arguments in commands.items():
            shortest[name] = min(shortest[name], run_once([binary, name, *arguments]))
    validate = shortest.pop("validate")
    return validate, {name: taken / validate for name, taken in shortest.items()}


def main():
    binary, rounds = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    worst = 0
    with tempfile.TemporaryDirectory() as scratch:
        for recipe in sorted((Path(__file__).parent / "recipes").iterdir()):
            other = Path(scratch) / recipe.name
            other.write_text(recipe.read_text().replace("0.85", "0.9", 1))
            validate, found = ratios(binary, str(recipe), str(other), rounds)
            worst = max(worst, *found.values())
            print(f"{recipe.stem:32} validate {1000 * validate:.2f} ms" + "".join(f", {name} {ratio:.2f} times" for name, ratio in found.items()))
    print(f"at most {worst:.2f} times (goal: at most {GOAL})")
    return 1 if worst > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
