"""Mistakes that people make when they write a recipe, as changes of its text."""
import re

from choices import Choices

KEY = re.compile(r"^(\s*(?:- )?)([A-Za-z_]\w*)(:)")
NUMBER = re.compile(r"(?<![\w.*&])\d+\.?\d*(?![\w.])")


class Slips(Choices):
    def applied(self, text):
        """Returns the text with some slips."""
        for _ in range(self.weighted([(0, 45), (1, 40), (2, 12), (3, 3)])):
            text = self.one(text)
        return text

    def one(self, text):
        lines = text.split("\n")
        if not text.strip():
            return text
        at = self.pick([n for n, line in enumerate(lines) if line.strip()])
        kind = self.weighted([(self.misspell, 10), (self.number, 16), (self.value, 12), (self.remove, 8), (self.repeat, 3), (self.indent, 6), (self.punctuation, 8),
                              (self.swap, 4), (self.name, 8), (self.extra, 5)])
        changed = kind(lines, at)
        return text if changed is None else "\n".join(changed)

    @staticmethod
    def replaced(lines, at, line):
        return [*lines[:at], line, *lines[at + 1:]]

    def misspelled(self, word):
        at = self.rng.randrange(max(1, len(word) - 1))
        return self.pick([word[:at] + word[at + 1:], word[:at] + word[at + 1:at + 2] + word[at:at + 1] + word[at + 2:], word + "s", word.rstrip("s"), word.replace("_", ""),
                          word.replace("_", "-"), word.capitalize(), word[:at] + word[at] + word[at:]])

    def misspell(self, lines, at):
        found = KEY.match(lines[at])
        return found and self.replaced(lines, at, found[1] + self.misspelled(found[2]) + lines[at][found.end(2):])

    def name(self, lines, at):
        """Misspells a word of a value: a class, a choice, a layer or a variable."""
        words = [m for m in re.finditer(r"[A-Za-z_][\w]{3,}", lines[at]) if lines[at][m.end():m.end() + 1] != ":"]
        if not words:
            return None
        word = self.pick(words)
        return self.replaced(lines, at, lines[at][:word.start()] + self.misspelled(word[0]) + lines[at][word.end():])

    def number(self, lines, at):
        numbers = list(NUMBER.finditer(lines[at]))
        if not numbers:
            return None
        found = self.pick(numbers)
        text, value = found[0], float(found[0])
        new = self.pick([f"{value * 100:g}", f"-{text}", f"'{text}'", text.replace(".", ","), text + "%", f"{value / 10:g}", f"{value * 10:g}", "1e-4", "0", "1", "1.0", str(int(value)),
                         f"{value:.1f}", text + " epochs", "null", "", "~", f"[{text}]", f"{text}f", "0.5", "100", f"{value + 1:g}", f"{value + .5:g}", ".5", "5e-1", "1_000", "01", "none"])
        return self.replaced(lines, at, lines[at][:found.start()] + new + lines[at][found.end():])

    def value(self, lines, at):
        found = re.match(r"^(\s*(?:- )?[\w'\"]+: )(.+)$", lines[at])
        if not found:
            return None
        text = found[2]
        new = self.pick(["", "null", "None", "'" + text.strip("'\"") + "'", f"[{text}]", f"[{text}", text.strip("[]"), text.strip("'\""), "true", "True", "yes", "no", "'false'", "{}", "[]",
                         text + " " + text, f"${{{text}}}", f"eval({text})", f"eval({text}", text.upper(), text.lower(), text.replace(",", " "), "auto", f"!{text}"])
        return self.replaced(lines, at, found[1] + new)

    def remove(self, lines, at):
        return lines[:at] + lines[at + 1:]

    def repeat(self, lines, at):
        return lines[:at + 1] + lines[at:]

    def indent(self, lines, at):
        line = lines[at]
        more = self.pick([1, 2, -1, -2, 4])
        if more < 0 and not line.startswith(" " * -more):
            return None
        end = at + 1
        depth = len(line) - len(line.lstrip())
        if self.chance(.4):  # the whole block
            while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
                end += 1
        moved = [" " * more + each if more > 0 else each[-more:] for each in lines[at:end]]
        return lines[:at] + moved + lines[end:]

    def punctuation(self, lines, at):
        line = lines[at]
        changes = [line.replace(": ", ":", 1), line.replace(":", "", 1), line.replace("- ", "-", 1), line.replace("- ", "", 1), line.replace("]", "", 1), line.replace("[", "", 1), line.replace("}", "", 1),
                   line.replace("'", "", 1), line.replace('"', "", 1), line.replace(", ", " ", 1), line.replace("!", "", 1), line.replace("re:", "", 1), line.replace(".", "\\.", 1), line.replace("  ", "\t", 1),
                   line.replace(":", " =", 1), line + ":", line + ",", line.replace("__", "_"), line.replace("*", "", 1), line.replace(":", "::", 1)]
        changes = [each for each in changes if each != line]
        return self.replaced(lines, at, self.pick(changes)) if changes else None

    def swap(self, lines, at):
        """Exchanges the values of two fields, such as the start and the end."""
        found = KEY.match(lines[at])
        near = [n for n in range(max(0, at - 4), min(len(lines), at + 5)) if n != at and KEY.match(lines[n]) and not lines[n].rstrip().endswith(":")]
        if not found or not near or lines[at].rstrip().endswith(":"):
            return None
        other = self.pick(near)
        second = KEY.match(lines[other])
        mine, theirs = lines[at][found.end():], lines[other][second.end():]
        return self.replaced(self.replaced(lines, at, lines[at][:found.end()] + theirs), other, lines[other][:second.end()] + mine)

    def extra(self, lines, at):
        found = KEY.match(lines[at])
        if not found:
            return None
        pad = " " * len(found[1])
        return [*lines[:at + 1], pad + self.pick(["name: run_1", "enabled: true", "verbose: 1", "comment: 'best so far'", "mask_type: unstructured", "end_epoch: 3.0", "frequency: 1", "strict: false",
                                                  "sparsity: 0.8", "version: 2", "seed: 42", "targets: [Linear]", "op_types: [Linear]"]), *lines[at + 1:]]
