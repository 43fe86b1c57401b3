"""Damages scripts, and compares the verdict of the script reader with that of CPython.

A script that the reader rejects must be one that CPython rejects: this has no exceptions. The opposite has, because some
errors of CPython are not of its grammar, such as `return` outside of a function.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import warnings

BRACKETS = "()[]{}"
# Errors that CPython finds after it has parsed the text, or inside of f-strings.
LATER = ("outside function", "outside loop", "f-string", "cannot assign", "cannot delete", "positional argument follows",
         "keyword argument repeated", "duplicate argument", "expression cannot contain", "invalid escape", "not properly in loop",
         "annotated", "illegal target", "used prior to global", "non-default argument", "parameter without a default",
         "named arguments must follow", "default 'except:' must be last", "unicode error", "bytes can only contain",
         "expected 'except' or 'finally' block", "cannot mix", "inconsistent use of tabs", "from __future__", "null bytes")


def damage(text, generator):
    """Returns the text with one mistake, as people make them."""
    kind = generator.choice(("bracket", "colon", "quote", "indent", "delete", "swap", "insert"))
    places = {
        "bracket": [at for at, letter in enumerate(text) if letter in BRACKETS],
        "colon": [at for at, letter in enumerate(text) if letter == ":"],
        "quote": [at for at, letter in enumerate(text) if letter in "'\""],
        "indent": [at for at in range(len(text)) if at == 0 or text[at - 1] == "\n"],
    }.get(kind, range(len(text)))
    at = generator.choice(places or [0])
    if kind == "indent":
        return text[:at] + (" " * generator.choice((1, 2, 4)) + text[at:] if generator.random() < 0.5 else text[at:].lstrip(" "))
    if kind == "swap":
        return text[:at] + text[at + 1:at + 2] + text[at:at + 1] + text[at + 2:]
    if kind == "insert":
        return text[:at] + generator.choice(BRACKETS + ":,=\"' ") + text[at:]
    return text[:at] + text[at + 1:]


def error_of(text):
    """Returns the message of CPython's SyntaxError and its line; None for a valid script."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "script", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.msg, error.lineno
    except (ValueError, RecursionError, MemoryError):
        return "another error", 0
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    scripts = [path.read_text() for path in sorted(options.folder.rglob("*.py"))]
    scripts = [text for text in scripts if error_of(text) is None]
    texts = scripts + [damage(generator.choice(scripts), generator) for _ in range(options.count)]
    asked = "".join(json.dumps(text) + "\n" for text in texts)
    answers = subprocess.run([options.program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    rejected, false, missed, lines = 0, [], [], 0
    for text, answer in zip(texts, map(json.loads, answers), strict=True):
        error = error_of(text)
        if answer["fault"] and error is None:
            false.append((answer, text))
        elif error and not answer["fault"] and not any(part in error[0] for part in LATER):
            missed.append((error, text))
        elif error and answer["fault"]:
            rejected += 1
            lines += answer["line"] == error[1]
    for title, found in (("rejected, but valid", false), ("accepted, but not valid", missed)):
        for verdict, text in found[:options.show]:
            print(f"{title}: {verdict}\n{text}\n")
    print(f"{len(scripts)} scripts and {options.count} with a mistake: {rejected} rejected, {lines} of them at the line of CPython, "
          f"{len(missed)} accepted that are not valid, {len(false)} rejected that are valid")
    sys.exit(bool(false) or len(missed) > 0.01 * rejected or rejected < options.count / 5)


if __name__ == "__main__":
    main()
