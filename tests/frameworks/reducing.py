"""Small reproductions: removes parts of a recipe while the framework and sparsecfg still disagree in the same way."""
import re

ROUNDS = 12  # of removals
TOGETHER = 4  # recipes that are tried at the same time


def parts_of(lines):
    """Ranges of lines that belong together: a line and the lines below it that are indented more."""
    for at, line in enumerate(lines):
        depth = len(line) - len(line.lstrip(" "))
        end = at + 1
        while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip(" ")) > depth:
            end += 1
        yield at, end


def smaller(lines):
    """All recipes without one part, and without one entry of a flow mapping or list; the shortest first."""
    found = ["".join(lines[:at] + lines[end:]) for at, end in parts_of(lines)]
    for at, line in enumerate(lines):
        for entry in re.finditer(r"[\w.'*]+: [^,{}\[\]]+, |, [\w.'*]+: [^,{}\[\]]+(?=})", line):
            found.append("".join([*lines[:at], line[: entry.start()] + line[entry.end():], *lines[at + 1:]]))
    return sorted(set(found), key=len)


def reduced(job, kinds):
    """Returns the job with a shorter recipe. `kinds` returns what each of several recipes shows."""
    text = job["text"]
    wanted = kinds([text])[0]
    for _ in range(ROUNDS):
        shorter = first_of(smaller(text.splitlines(keepends=True)), wanted, kinds)
        if shorter is None:
            break
        text = shorter
    return {**job, "text": text}


def first_of(texts, wanted, kinds):
    """Returns the first text that shows what is wanted, or None."""
    for start in range(0, len(texts), TOGETHER):
        some = texts[start: start + TOGETHER]
        found = [text for text, kind in zip(some, kinds(some)) if kind == wanted]
        if found:
            return found[0]
    return None
