"""Texts in YAML that recipes seldom hold, and random changes of a text."""
import re

# Constructs that recipes seldom hold, as seeds for the mutations.
SNIPPETS = [
    "%TAG !e! tag:example.com,,2000:\n---\na: !e!b,,c d\nb: [!<tag:yaml.org,,2002:x> e, !<tag:yaml.org,2002:str> f]\n",
    "  \ufeffa: 1\n  b: [\ufeffc, d\ufeff]\n",
    "a: &x [1, 2.5, yes]\nb: *x\nc: {<<: {k: 1}, k: 2}\n",
    "base: &b {lr: 1.0e-4, n: 010}\nm:\n  - <<: *b\n    lr: 1e-4\n  - <<: [*b, {n: 2, p: 3}]\n",
    "- !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: 4\n- !SetLearningRateModifier {learning_rate: 0.1}\n",
    "text: |\n  one\n   two\n\n  three\nfolded: >-\n  a\n  b\n\n  c\nkeep: |+\n  x\n\nlast: 1\n",
    "q: 'it''s'\nd: \"a\\tb\\u00e9\\n\"\nlong: 'one\n  two\n\n  three'\nplain: one\n  two # no\nx: 2:4\n",
    "? complex\n: value\n? [a, b]\n: c\n? only\nset: {a, b: , ? c, ? d : e}\nlist: [a: b, ? c : d, {e: f}]\n",
    "%YAML 1.1 # v\n%TAG !e! tag:example.com,2000: # t\n# c\n---\na: !e!t x\nb: !<tag:yaml.org,2002:str> 1\n...\n",
    "%RESERVED any\tword # here\n--- # start\n- a\n-\n- - b\n  - c\n-   # gap\n  d: e\n",
    "i: [0, -1, +1, 0x1F, 0b101, 0o17, 017, 1_000, 190:20:30, 99999999999999999999, 08]\n"
    "f: [1.5, .5, -.5, 1., 1.5e+3, 1e3, .inf, -.INF, .nan, 1:30.5, 1_0.5]\n"
    "t: [2024-01-02, 2024-01-02T10:00:00Z, 2024-1-2 3:04:05.6 -1:30]\nn: [~, null, NULL, '']\n",
    "date: 2024-13-45\n",
    "s: !!str 1\ni: !!int '7'\nf: !!float 3\nb: !!bool yes\nn: !!null x\nm: !!map {a: 1}\nq: !!seq [a]\n"
    "t: !!set {a, b}\no: !!omap [a: 1]\np: !!pairs [a: 1, a: 2]\ny: !!binary aGk=\n! x: ! 'yes'\n",
    "{\"json\": [1, 2.0, true, null, \"x\\/y\"], \"o\": {\"k\":\"v\"}, \"e\": [], \"m\": {}}\n",
    "{a:[1,2], b:{c: d}, e:, f: [g:, h], 'i':j, \"k\":1, l:m, n :o}\n",
    "tabbed: |\n\n  \tone\n  two\t\n\nmore:\n  - >-\n    \tx\n\nname: \"a\tb\"  # c\tc\n",
    "\u00e9: caf\u00e9 # \u00fc\nk\u00f6: ['\u4e2d', \"\U0001f600 x\"]\nnel: a\u0085  b\nls: 'a\u2028b'\n",
    "a: 1\r\nb:\r\n  - x\r\n  - 'y\r\n    z'\r\nc: |\r\n  t\r\n  u\r\n# end\r\n",
    "1: int\n1.0: float\ntrue: bool\nnull: none\n~: again\na: 1\na: 2\n=: value\n",
    "- &a !t x\n- !t &b y\n- &c\n  - 1\n- !u # why\n  k: v\n- &d !v\n- *a\n- [*b, *c]\n- {*a : 1, k: *d}\n",
]

INSERTS = list("-?:,[]{}#&*!|>'\"%@`\t \n\r~=<\\") + [
    "- ", "? ", ": ", ", ", "# c\n", " #c", "&a ", "*a ", "!x ", "!!int ", "!!str ", "! ", "<<: ", "---\n", "--- ",
    "...\n", "%YAML 1.1\n", "%FOO\n", "|\n", "|2\n", "|-\n", ">+\n", "''", '""', "[a]", "{a: b}", "{a:[b]}", "1:30", "0x1F",
    ".inf", "yes", "2024-01-02", "1e-4", "\\u00e9", "\\ud83d", "\u00e9", "\u0085", "\u2028", "\ufeff", "  ", "\n\n", "\n  ",
    "\n\t", "\x1b", "a: ", "k: v\n"]


def mutate(text, chance):
    """The text after one to three changes, which `chance`, a random.Random, chooses."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        lines = text.split("\n")
        line = chance.randrange(len(lines))
        kind = chance.choice(["insert", "insert", "insert", "delete", "double", "swap", "indent", "dedent", "cut", "join", "tab", "copy"])
        if kind == "insert":
            text = text[:at] + chance.choice(INSERTS) + text[at:]
        elif kind == "delete":
            text = text[:at] + text[at + chance.randint(1, 3):]
        elif kind == "double":
            text = text[:at] + text[at:at + 1] + text[at:]
        elif kind == "cut":
            text = text[:max(at, 1)]
        else:
            other = chance.randrange(len(lines))
            if kind == "swap":
                lines[line], lines[other] = lines[other], lines[line]
            elif kind == "indent":
                lines[line] = " " * chance.randint(1, 3) + lines[line]
            elif kind == "dedent":
                lines[line] = lines[line][min(len(lines[line]) - len(lines[line].lstrip(" ")), chance.randint(1, 3)):]
            elif kind == "join":
                lines[line] += " "
                lines[line:line + 2] = ["".join(lines[line:line + 2])]
            elif kind == "tab":
                lines[line] = re.sub(" +", "\t", lines[line], count=1)
            else:
                lines.insert(other, lines[line])
            text = "\n".join(lines)
    return text
