#!/usr/bin/env python3
"""Time of `validate` on a folder of Python files without recipes, as a ratio to reading the files.

  scripts.py <sparsecfg> [FILES]
"""
import pathlib
import subprocess
import sys
import tempfile
import time

MAX_RATIO = 3.0
ROUNDS = 5

TEXT = '''import math


class Layer{0}:
    """A layer that modifies nothing."""

    def __init__(self, width={0}):
        self.width = width
        self.names = [f"layer.{{index}}" for index in range(width)]

    def forward(self, values):
        return [math.tanh(value * {0}) for value in values]


def main():
    layer = Layer{0}()
    print(layer.forward([1.0, 2.0, 3.0]), layer.names)


if __name__ == "__main__":
    main()
'''


def write_files(folder, count):
    for index in range(count):
        path = folder / f"package{index // 500}" / f"module{index}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(TEXT.format(index) + "# filler\n" * (index % 200))


def best_of(action):
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def read_all(folder):
    # Reads in another process, as the program does.
    subprocess.run(["find", folder, "-name", "*.py", "-exec", "cat", "{}", "+"], check=True, stdout=subprocess.DEVNULL)


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder, count)
        reading = best_of(lambda: read_all(name))
        checking = best_of(lambda: subprocess.run([program, "validate", name], check=True, stdout=subprocess.DEVNULL))
    ratio = checking / reading
    print(f"{count} files: {checking * 1000:.0f} ms, reading them {reading * 1000:.0f} ms, ratio {ratio:.2f}")
    return 0 if ratio <= MAX_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
