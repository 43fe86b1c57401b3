"""Writes random scripts that cover the grammar of Python and the library functions that the reader models.

Each statement is executed while the script is written, and a statement that raises is left out. The kinds of values are
`str`, `words` (a list of strings), `int`, `float`, `bool`, `args` (arguments of weights), `group`, `kw` (arguments of a
modifier), `mod` and `mods`. `Writer.expr(kind)` returns an expression of a kind.
"""

import random
import sys
import textwrap

import record
import standins

PRESETS = ["W8A8", "W4A16", "FP8", "FP8_DYNAMIC", "W8A16", "INT8"]
WORDS = ["lm_head", "Linear", "re:.*mlp.*", "re:.*self_attn.*", "re:.*gate$", "re:.*down_proj", "model.layers.0", "router", " head ", "q_proj,k_proj"]
SCHEME_CLASSES = ["QuantizationModifier", "GPTQModifier"]

HEADER = """\
import argparse, asyncio, contextlib, copy, functools, json, os, sys, textwrap, yaml
from dataclasses import dataclass, field, replace
from pathlib import Path
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier
from llmcompressor.modifiers.smoothquant import SmoothQuantModifier
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, preset_name_to_scheme
from compressed_tensors.quantization.quant_scheme import FP8_DYNAMIC, INT8_W8A8, W4A16
"""

KINDS = ("str", "words", "int", "float", "bool", "args", "group", "kw", "mod", "mods")


def indented(lines, by=1):
    return ["    " * by + line for line in lines]


class Writer:
    def __init__(self, rng, inputs, namespace, only=()):
        self.rng, self.inputs, self.values, self.only = rng, inputs, namespace, only
        self.names = {kind: [] for kind in KINDS}
        self.functions = {kind: [] for kind in KINDS}  # call expressions with holes, such as "f1({str})"
        self.count = 0
        self.in_function = False
        self.globals = {kind: [] for kind in KINDS}  # assignable only after a `global` statement
        self.budget = 0

    # Helpers

    def one(self, *choices):
        return self.rng.choice(choices)

    def chance(self, probability):
        return self.rng.random() < probability

    def fresh(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def declare(self, kind, name=None):
        name = name or self.fresh()
        if name not in self.names[kind]:
            self.names[kind].append(name)
        return name

    def var(self, kind):
        """A name of the kind, or None."""
        return self.rng.choice(self.names[kind]) if self.names[kind] else None

    def some(self, kind, depth=0):
        """A name of the kind if there is one, otherwise an expression."""
        return self.var(kind) or self.expr(kind, depth)

    def place(self, kind):
        """A name to assign to: a known or a new one."""
        return self.var(kind) if self.names[kind] and self.chance(0.6) else self.declare(kind)

    def plain_name(self):
        """A name whose value is a word, which does not change the structure of a text around it; or None."""
        values = [(name, self.values.get(name)) for name in self.names["str"]]
        plain = [name for name, value in values if isinstance(value, str) and value.isidentifier()]
        return self.rng.choice(plain) if plain else None

    def scoped(self, write):
        """Runs `write` and forgets the names that it declares, because a branch may not run."""
        names = {kind: list(each) for kind, each in self.names.items()}
        functions = {kind: list(each) for kind, each in self.functions.items()}
        try:
            return write()
        finally:
            self.names, self.functions = names, functions

    def block(self, depth, size=2):
        return self.scoped(lambda: [line for _ in range(self.rng.randint(1, size)) for line in self.statement(depth + 1)])

    # Expressions

    def expr(self, kind, depth=2):
        general = [self.general] if depth > 0 else []
        if self.chance(0.35) and self.names[kind]:
            return self.var(kind)
        if depth <= 0:
            return self.var(kind) if self.names[kind] and self.chance(0.5) else self.literal(kind)
        if general and self.chance(0.2):
            return self.general(kind, depth - 1)
        if self.functions[kind] and self.chance(0.25):
            return self.call(kind, depth - 1)
        return getattr(self, f"{kind}_")(depth - 1)

    def call(self, kind, depth):
        text = self.rng.choice(self.functions[kind])
        for hole in KINDS:
            while "{" + hole + "}" in text:
                text = text.replace("{" + hole + "}", self.expr(hole, min(depth, 1)), 1)
        return text

    def literal(self, kind):
        r = self.rng
        if kind == "str":
            return repr(r.choice(PRESETS if self.chance(0.4) else WORDS))
        if kind == "words":
            return "[" + ", ".join(repr(r.choice(WORDS)) for _ in range(r.randint(1, 3))) + "]"
        if kind == "int":
            return str(r.choice((0, 1, 2, 3, 4, 8, 16, 128)))
        if kind == "float":
            return r.choice(("0.5", "0.01", "1.0", ".25", "1e-2"))
        if kind == "bool":
            return r.choice(("True", "False"))
        if kind == "args":
            return f'{{"num_bits": {r.choice((4, 8))}, "group_size": {r.choice((32, 64, 128))}, "symmetric": {r.choice((True, False))}}}'
        if kind == "group":
            return f'{{"targets": {self.literal("words")}, "weights": {self.literal("args")}}}'
        if kind == "kw":
            return f'{{"targets": {self.literal("words")}, "scheme": {r.choice(PRESETS)!r}, "ignore": {self.literal("words")}}}'
        if kind == "mod":
            return f'{r.choice(SCHEME_CLASSES)}(targets="Linear", scheme={r.choice(PRESETS)!r}, ignore={self.literal("words")})'
        return f"[{self.literal('mod')}]"

    def general(self, kind, depth):
        """Forms that exist for every kind."""
        e = lambda k=kind: self.expr(k, depth)
        name = self.fresh("t")
        return self.rng.choice((
            lambda: f"({e()} if {e('bool')} else {e()})",
            lambda: f"({e()} or {e()})",
            lambda: f"({e()} and {e()})",
            lambda: f"({name} := {e()})",
            lambda: f"[{e()}, {e()}][{self.one('0', '1', '-1', e('bool'))}]",
            lambda: f"({e()}, {e()})[{self.one('0', '1', '-2')}]",
            lambda: f'{{"a": {e()}, "b": {e()}}}[{self.one(repr("a"), repr("b"))}]',
            lambda: f'{{"a": {e()}}}.get({self.one(repr("a"), repr("c"))}, {e()})',
            lambda: f"dict(a={e()}, b={e()}).pop({self.one(repr('a'), repr('b'))})",
            lambda: f"(lambda x: x)({e()})",
            lambda: f"(lambda x, y={e()}: {self.one('y', 'x')})({e()})",
            lambda: f"(lambda *xs, **kw: {self.one('xs[0]', 'xs[-1]', 'kw[chr(97)]')})({e()}, {e()}, a={e()})",
            lambda: f"functools.partial(lambda x, y: {self.one('x', 'y')}, {e()})({e()})",
            lambda: f"next(iter([{e()}]))",
            lambda: f"[x for x in [{e()}, {e()}] if {self.one('x', 'True', 'not x', 'x is not None')} or True][-1]",
            lambda: f"next((x for x in [{e()}, {e()}] if {e('bool')}), {e()})",
            lambda: f"copy.{self.one('copy', 'deepcopy')}({e()})",
            lambda: f"(None or {e()})",
            lambda: f"max([{e()}, {e()}], key=lambda x: {self.one('len(str(x))', '0', 'str(x) < chr(99)')})",
            lambda: f"tuning.{self.one('same', 'pick')}({e()})" if self.inputs and kind not in ("int", "bool", "float") and self.chance(0.5) else e(),
            lambda: f"tuning.pick([{e()}, {e()}])" if self.inputs else e(),
        ))()

    def str_(self, depth):
        e = lambda k="str": self.expr(k, depth)
        name = self.one("n", "k")
        forms = (
            lambda: f'f"{{{e().replace(chr(34), chr(39))}}}"' if "\\" not in (t := e()) else t,
            lambda: f"f're:.*layers.{{{self.some('int')}}}.*'" if "'" not in self.some("int") else repr("x"),
            lambda: 'f"{%s:%s}"' % (self.var("int") or "7", self.one("02d", ">3", "<4d", "x", "b", "+d", "^5", ",")),
            lambda: 'f"{%s:%s}"' % (self.var("float") or "0.25", self.one(".2f", ".1%", "g", "8.3f", ".0f", "e")),
            lambda: 'f"{%s!r:>{%s}}"' % (self.var("str") or "1", self.var("int") or "4"),
            lambda: 'f"{%s=}"' % (self.var("str") or self.var("int") or "1"),
            lambda: f"{e()} + {e()}",
            lambda: f"({e()} + '.' + {e()})",
            lambda: f'"re:.*layers.%d.*" % {e("int")}',
            lambda: f'"%s.%s" % ({e()}, {e("int")})',
            lambda: f'"%(k)s_%(n)03d" % {{"k": {e()}, "n": {e("int")}}}',
            lambda: f'"{self.one("%5s", "%-8s|", "%r", "%.3s", "%%%s")}" % {e()}',
            lambda: f'"{{}}.{{}}".format({e()}, {e("int")})',
            lambda: f'"{{{name}}}-{{{name}!s:>4}}".format({name}={e()})',
            lambda: f'"{{1}}{{0}}".format({e()}, {e()})',
            lambda: f'"{{0[0]}}".format({e("words")})',
            lambda: f'({e()}).{self.one("strip()", "lower()", "upper()", "title()", "capitalize()", "swapcase()", "lstrip()", "rstrip()", "casefold()")}',
            lambda: f'({e()}).{self.one("strip", "lstrip", "rstrip")}({self.one(repr("re:."), repr("W8"), repr(" "))})',
            lambda: f'({e()}).replace({self.one(repr("4"), repr("."), repr("_"))}, {self.one(repr("8"), repr(""), repr("-"))}{self.one("", ", 1")})',
            lambda: f'({e()}).{self.one("split", "rsplit")}({self.one(repr("."), repr("_"), repr(","), "")})[{self.one("0", "-1")}]',
            lambda: f'({e()}).split("_", 1)[-1]',
            lambda: f'({e()}).{self.one("partition", "rpartition")}("_")[{self.one("0", "2")}]',
            lambda: f'({e()}).{self.one("removeprefix", "removesuffix")}({self.one(repr("re:"), repr("head"), repr("A16"))})',
            lambda: f'({e()}).{self.one("center(14)", "ljust(12, chr(42))", "rjust(9)", "zfill(10)")}',
            lambda: f'({e()}).splitlines()[0]',
            lambda: f'({e()}).translate(str.maketrans("W.", "w_"))',
            lambda: f'{self.one(repr("."), repr("|"), repr(", "))}.join({e("words")})',
            lambda: f'"re:(" + "|".join({e("words")}) + ")"',
            lambda: f'" ".join(w.strip() for w in {e("words")} if {self.one("w", "len(w) > 5", "w != chr(97)")})',
            lambda: f'({e("words")})[{self.one("0", "-1")}]',
            lambda: f'{self.one("max", "min")}({e("words")})',
            lambda: f'sorted({e("words")}{self.one("", ", reverse=True", ", key=len")})[{self.one("0", "-1")}]',
            lambda: f'({e()})[{self.one("1:", ":3", "::-1", "::2", "-4:", "1:-1", "3:1", "-1", "0")}]',
            lambda: f'({e()}) * {self.one("1", "2", "True")}',
            lambda: f'str({e(self.one("int", "float", "bool", "words", "str"))})',
            lambda: f'"W{{}}A{{}}".format({self.one(4, 8)}, {self.one(8, 16)})',
            lambda: f'f"W{{{self.one(4, 8)}}}A{{{self.one(8, 16)}}}"',
            lambda: f'repr({e(self.one("str", "int", "words"))})',
            lambda: f'chr({self.one(65, 97)} + {self.one(0, 1)})',
            lambda: f'os.path.{self.one("basename", "dirname", "normpath")}(os.path.join("a", {e()}))',
            lambda: f'os.path.splitext({e()})[{self.one(0, 1)}]',
            lambda: f'str(Path("a") / {e()})' if self.chance(0.3) else f'Path("x/y.{self.one("yaml", "tar.gz")}").{self.one("name", "stem", "suffix")}',
            lambda: f'textwrap.dedent("  a\\n    b\\n  " + {e()})',
            lambda: f'json.dumps({e(self.one("str", "words", "int", "bool", "args"))}{self.one("", ", sort_keys=True", ", indent=2")})',
            lambda: f'json.loads({self.one(repr(chr(34) + "W8A8" + chr(34)), "json.dumps(" + e() + ")")})',
            lambda: f'yaml.safe_load("a: {self.one("W8A8", "FP8", "[lm_head]")}")["a"]',
            lambda: f'(lambda s: s.{self.one("upper", "strip", "lower")}())({e()})',
            lambda: f'functools.reduce(lambda a, b: a + b, {e("words")})',
            lambda: f'str.{self.one("upper", "lower", "strip")}({e()})',
            lambda: f'({e("kw")})["scheme"]',
            lambda: f'({e("kw")}).get("scheme", {e()})',
            lambda: f'getattr({self.var("mod")}, "scheme", {e()})' if self.var("mod") else e(),
            lambda: f'({e()} if {e()} in {e("words")} else {e()})',
            lambda: f'{{w: i for i, w in enumerate({e("words")})}} and {e()}',
            lambda: f'list({e("kw")})[{self.one(0, -1)}]',
            lambda: f'("a" "b" {self.literal("str")})',
            lambda: f'''({e()}
    + {e()})''',
            lambda: 'sys.argv[1]' if self.inputs else e(),
            lambda: f'os.environ.get("MODE", {e()})' if self.inputs else e(),
            lambda: f'(os.getenv("MODE") or {e()})' if self.inputs else e(),
        )
        return self.rng.choice(forms)()

    def words_(self, depth):
        e = lambda k="words": self.expr(k, depth)
        forms = (
            lambda: f"[{e('str')}, {e('str')}]",
            lambda: f"[*{e()}, {e('str')}]",
            lambda: f"[{e('str')}, *{e()}, *{e()}]",
            lambda: f"{e()} + {e()}",
            lambda: f"({e()}) * {self.one(1, 2)}",
            lambda: f"({e()})[{self.one('1:', ':-1', '::-1', '::2', ':1', '-2:', ':', '5:', '1:0', '-1:0:-1')}]",
            lambda: f"list({e()})",
            lambda: f"({e()}).copy()",
            lambda: f"sorted({e()}{self.one('', ', reverse=True', ', key=len', ', key=lambda w: (len(w), w)', ', key=str.lower')})",
            lambda: f"list(reversed({e()}))",
            lambda: f"[w for w in {e()}]",
            lambda: f"[w.{self.one('upper()', 'strip()', 'split(chr(46))[-1]')} for w in {e()} if {self.one('len(w) > 6', 'w.startswith(chr(114))', 'chr(46) not in w', 'w', 'w in ' + self.some('words'))}]",
            lambda: f"[a + b for a in {e()} for b in ('1', '2') if a != b]",
            lambda: f"[f'{{i}}.{{w}}' for i, w in enumerate({e()}{self.one('', ', 1', ', start=2')})]",
            lambda: f"[a + b for a, b in zip({e()}, {e()})]",
            lambda: f"[a for a, *_ in zip({e()}, {e()}, range(2))]",
            lambda: f"[f're:.*layers.{{i}}.*' for i in range({self.one('2', '1, 3', '4, 0, -2', e('int') + ' % 4')})]",
            lambda: f"[w for ws in [{e()}, {e()}] for w in ws]",
            lambda: f"list(map({self.one('str.upper', 'lambda w: w + chr(33)', 'str')}, {e()}))",
            lambda: f"list(filter({self.one('None', 'lambda w: len(w) > 7')}, {e()}))",
            lambda: f"list(dict.fromkeys({e()}))",
            lambda: f"sorted(set({e()}){self.one('', ' | {' + self.literal('str') + '}', ' - set(' + self.some('words') + ')', ' & set(' + self.some('words') + ')')})",
            lambda: f"sorted({{w.lower() for w in {e()}}})",
            lambda: f"list({e('kw')})",
            lambda: f"list(({e('kw')}).keys())",
            lambda: f"[k for k, v in ({e('kw')}).items() if {self.one('v', 'isinstance(v, str)', 'k != chr(97)', 'isinstance(v, (list, tuple))')}]",
            lambda: f"[str(v) for v in ({e('kw')}).values()]",
            lambda: f"[k for k in {{w: len(w) for w in {e()}}}]",
            lambda: f"({e('str')}).split({self.one(repr(','), repr('.'), '', repr('_'))})",
            lambda: f'"lm_head gate router".split()[{self.one("0:", "1:", ":2")}]',
            lambda: f"sum([{e()}, {e()}], [])",
            lambda: f"[*(w for w in {e()} if w)]",
            lambda: f"json.loads('[\"a\", \"lm_head\"]')",
            lambda: f"json.loads(json.dumps({e()}))",
            lambda: f'yaml.safe_load("- a\\n- re:.*gate$\\n")',
            lambda: f"({e('kw')}).get('ignore', {e()})",
            lambda: f"({e('kw')})['targets']",
            lambda: f"list(({e('str')}, {e('str')}))",
            lambda: f"[x for x in {e()} if not any(x == y for y in {e()})]",
            lambda: f"[(y := w) for w in {e()}] and {e()}",
            lambda: f"[{e('str')} for _ in range(2)]",
            lambda: f"(lambda *a: list(a))(*{e()})",
            lambda: f"(lambda first, *rest, last='z': [first, *rest, last])(*{e()})",
            lambda: f"[w for _, w in sorted(enumerate({e()}), key=lambda p: -p[0])]",
            lambda: f"[*{{**dict.fromkeys({e()}), 'z': 1}}]",
            lambda: f"list(({e('str')})[:3])",
            lambda: f"[w[::-1] for w in {e()}]",
            lambda: f"[x if {self.one('len(x) > 7', 'x in ' + e())} else {e('str')} for x in {e()}]",
            lambda: f"{self.var('mod')}.ignore" if self.var("mod") else e(),
        )
        return self.rng.choice(forms)()

    def int_(self, depth):
        e = lambda k="int": self.expr(k, depth)
        forms = (
            lambda: f"({e()} {self.one('+', '-', '*')} {e()})",
            lambda: f"({e()} {self.one('//', '%')} {self.one(2, 3, 7, -3)})",
            lambda: f"({e()} {self.one('|', '&', '^')} {e()})",
            lambda: f"({e()} {self.one('<<', '>>')} {self.one(1, 2)})",
            lambda: f"(2 ** {self.one(2, 3, 5)})",
            lambda: f"{self.one('-', '+', '~')}{e()}",
            lambda: f"len({e(self.one('words', 'str', 'kw', 'mods'))})",
            lambda: f"{self.one('max', 'min')}({e()}, {e()})",
            lambda: f"sum([{e()}, {e()}]{self.one('', ', 5')})",
            lambda: f"sum(len(w) for w in {e('words')})",
            lambda: f"abs({e()})",
            lambda: f"int({self.one(repr('4'), repr(' 12 '), '3.7', e('float'), 'True', repr('0x10') + ', 16')})",
            lambda: f"round({e('float')} * 10)",
            lambda: f"({e('str')}).{self.one('count', 'find', 'rfind')}({self.one(repr('e'), repr('.'), repr('A'))})",
            lambda: f"({e('words')}).count({e('str')})",
            lambda: f"divmod({e()}, 3)[{self.one(0, 1)}]",
            lambda: f"ord({self.one(repr('a'), repr('Z'))})",
            lambda: f"(True + {e()})",
            lambda: f"range({self.one(10)})[{self.one(3, -1)}]",
            lambda: f"len(range({e()} % 9, 20, 3))",
            lambda: f"({e('args')})['num_bits']",
            lambda: f"len([w for w in {e('words')} if {self.one('w', 'len(w) > 6')}])",
        )
        return self.rng.choice(forms)()

    def float_(self, depth):
        e = lambda k="float": self.expr(k, depth)
        forms = (
            lambda: f"({e()} {self.one('+', '-', '*')} {e()})",
            lambda: f"({e('int')} / {self.one(2, 4, 8)})",
            lambda: f"round({e()} / 3, {self.one(1, 2, 3)})",
            lambda: f"float({self.one(repr('0.5'), repr(' 1e-3 '), e('int'))})",
            lambda: f"{self.one('max', 'min')}({e()}, {e()})",
            lambda: f"abs(-{e()})",
            lambda: f"({e()} ** 2)",
            lambda: f"({e()} // 0.3)",
            lambda: f"({e()} % 0.4)",
            lambda: f"sum([{e()}, {e()}])",
        )
        return self.rng.choice(forms)()

    def bool_(self, depth):
        e = lambda k="bool": self.expr(k, depth)
        forms = (
            lambda: f"({e('int')} {self.one('<', '>', '<=', '>=', '==', '!=')} {e('int')})",
            lambda: f"({e('str')} {self.one('==', '!=', 'in', 'not in', '<')} {e('str')})",
            lambda: f"({e('str')} {self.one('in', 'not in')} {e('words')})",
            lambda: f"(0 {self.one('<', '<=')} {e('int')} {self.one('<', '<=', '!=')} {e('int')})",
            lambda: f"(not {e()})",
            lambda: f"({e()} {self.one('and', 'or')} {e()})",
            lambda: f"({e('words')} == {e('words')})",
            lambda: f"({self.some('words')} is {self.some('words')})" if self.var("words") else e(),
            lambda: f"({e('str')} is {self.one('', 'not ')}None)",
            lambda: f"isinstance({e(self.one('str', 'int', 'bool', 'words', 'kw'))}, {self.one('str', 'int', 'list', '(dict, tuple)', 'bool')})",
            lambda: f"({e('str')}).{self.one('startswith', 'endswith')}({self.one(repr('re:'), repr('head'), '(' + repr('W') + ', ' + repr('F') + ')')})",
            lambda: f"({e('str')}).{self.one('isdigit()', 'isupper()', 'islower()', 'isidentifier()', 'isalnum()', 'isalpha()', 'isspace()')}",
            lambda: f"{self.one('any', 'all')}({self.one('w', 'len(w) > 6', 'w.islower()')} for w in {e('words')})",
            lambda: f"bool({e(self.one('str', 'int', 'words', 'kw'))})",
            lambda: f"({e()} {self.one('&', '|', '^')} {e()})",
            lambda: f"({self.one(repr('ignore'), repr('scheme'), repr('x'))} {self.one('in', 'not in')} {e('kw')})",
            lambda: f"hasattr({e('str')}, {self.one(repr('upper'), repr('append'))})",
            lambda: f"callable({self.one('len', repr('len'))})",
            lambda: f"({e('float')} {self.one('<', '>=')} {e('float')} {self.one('<', '!=')} {e('int')})",
            lambda: f"(sys.argv[1] == {self.one(repr('w4a16'), repr('fp8'))})" if self.inputs else e(),
            lambda: "('MODE' in os.environ)" if self.inputs else e(),
            lambda: f"tuning.flag({e('words')})" if self.inputs else e(),
        )
        return self.rng.choice(forms)()

    def args_(self, depth):
        e = lambda k="args": self.expr(k, depth)
        forms = (
            lambda: f'{{"num_bits": {e("int")}, "symmetric": {e("bool")}}}',
            lambda: f'dict(num_bits={e("int")}, strategy="channel")',
            lambda: f'{{**{e()}, "group_size": {e("int")}}}',
            lambda: f'({e()} | {{"symmetric": {e("bool")}}})',
            lambda: f'dict({e()}, num_bits={e("int")})',
            lambda: f'dict([("num_bits", {e("int")}), ("type", "int")])',
            lambda: f'dict(zip(["num_bits", "group_size"], [{e("int")}, {e("int")}]))',
            lambda: f'{{k: v for k, v in ({e()}).items() if k != {self.one(repr("symmetric"), repr("x"))}}}',
            lambda: f'({e()}).copy()',
            lambda: f'yaml.safe_load("num_bits: {self.one(4, 8)}\\nsymmetric: {self.one("true", "false")}\\n")',
            lambda: f"json.loads('{{\"num_bits\": {self.one(4, 8)}, \"actorder\": null}}')",
        )
        return self.rng.choice(forms)()

    def group_(self, depth):
        e = lambda k="group": self.expr(k, depth)
        forms = (
            lambda: f'{{"targets": {e("words")}, "weights": {e("args")}}}',
            lambda: f'dict(targets={e("words")}, weights={e("args")}, input_activations=None)',
            lambda: f'QuantizationScheme(targets={e("words")}, weights=QuantizationArgs(**{e("args")}))',
            lambda: f'QuantizationScheme(targets={e("words")}, weights=QuantizationArgs(num_bits={e("int")}, group_size=128))',
            lambda: f'QuantizationScheme(targets={e("words")}, **{self.one("W4A16", "INT8_W8A8", "FP8_DYNAMIC")})',
            lambda: f'{{**copy.deepcopy({self.one("W4A16", "INT8_W8A8")}), "targets": {e("words")}}}',
            lambda: f'preset_name_to_scheme({self.one(repr("W4A16"), repr("W8A8"))}, {e("words")})',
        )
        return self.rng.choice(forms)()

    def kw_(self, depth):
        e = lambda k="kw": self.expr(k, depth)
        forms = (
            lambda: f'{{"targets": {e("words")}, "scheme": {e("str")}, "ignore": {e("words")}}}',
            lambda: f'dict(targets={e("words")}, scheme={e("str")}, ignore={e("words")})',
            lambda: f'{{**{e()}, "scheme": {e("str")}}}',
            lambda: f'{{"ignore": {e("words")}, **{e()}}}',
            lambda: f'({e()} | {{"ignore": {e("words")}}})',
            lambda: f'dict({e()}, targets={e("words")})',
            lambda: f'{{k: v for k, v in ({e()}).items() if k != {self.one(repr("ignore"), repr("scheme"))}}} | {{"scheme": {e("str")}}}',
            lambda: f'({e()}).copy()',
            lambda: f'dict(zip(("targets", "scheme", "ignore"), ({e("words")}, {e("str")}, {e("words")})))',
            lambda: f'dict.fromkeys(["targets", "ignore"], {e("words")}) | dict(scheme={e("str")})',
            lambda: f'dict(({e()}).items())',
            lambda: f'json.loads(json.dumps({e()}))',
            lambda: f'{{key: value for key, value in [("targets", {e("words")}), ("scheme", {e("str")})]}}',
            lambda: f'yaml.safe_load("targets: [Linear]\\nscheme: {self.one("W8A8", "FP8")}\\nignore:\\n- lm_head\\n")',
        )
        return self.rng.choice(forms)()

    def mod_(self, depth):
        e = lambda k: self.expr(k, depth)
        name = lambda: self.rng.choice(SCHEME_CLASSES)
        forms = (
            lambda: f'{name()}(targets={e("words")}, scheme={e("str")}, ignore={e("words")})',
            lambda: f'{name()}(targets={e("words")}, scheme={e("str")})',
            lambda: f'{name()}(**{e("kw")})',
            lambda: f'{name()}(**{{**{e("kw")}, "ignore": {e("words")}}})',
            lambda: f'{name()}(config_groups={{"group_0": {e("group")}}}, ignore={e("words")})',
            lambda: f'{name()}(config_groups={{f"g{{i}}": g for i, g in enumerate([{e("group")}, {e("group")}])}})',
            lambda: f'GPTQModifier(targets="Linear", scheme={e("str")}, block_size={e("int")}, dampening_frac={e("float")})',
            lambda: f'SmoothQuantModifier(smoothing_strength={e("float")})',
            lambda: f'functools.partial({name()}, scheme={e("str")})(targets={e("words")}, ignore={e("words")})',
            lambda: f'functools.partial({name()}, scheme={e("str")}, targets="Linear")(scheme={e("str")})',
            lambda: f'{{"gptq": GPTQModifier, "rtn": QuantizationModifier}}[{self.one(repr("gptq"), repr("rtn"))}](targets={e("words")}, scheme={e("str")})',
            lambda: f'(GPTQModifier if {e("bool")} else QuantizationModifier)(**{e("kw")})',
            lambda: f'(lambda **kw: {name()}(ignore=["lm_head"], **kw))(scheme={e("str")}, targets={e("words")})',
            lambda: f'{name()}(targets=[{e("str")}], scheme={e("str")}, ignore=[*{e("words")}, {e("str")}])',
        )
        return self.rng.choice(forms)()

    def mods_(self, depth):
        e = lambda k="mods": self.expr(k, depth)
        forms = (
            lambda: f"[{e('mod')}]",
            lambda: f"[{e('mod')}, {e('mod')}]",
            lambda: f"{e()} + [{e('mod')}]",
            lambda: f"[*{e()}, {e('mod')}]",
            lambda: f"({e()})[{self.one('1:', ':1', '::-1', ':-1', ':')}] or [{e('mod')}]",
            lambda: f"[{self.rng.choice(SCHEME_CLASSES)}(targets=[t], scheme={e('str')}) for t in {e('words')}]",
            lambda: f"[{self.rng.choice(SCHEME_CLASSES)}(targets='Linear', scheme=s, ignore={e('words')}) for s in ({e('str')}, {e('str')})]",
            lambda: f"list(reversed({e()}))",
            lambda: f"[m for m in {e()} if {self.one('isinstance(m, GPTQModifier)', 'm')}] or [{e('mod')}]",
        )
        return self.rng.choice(forms)()

    # Statements

    def statement(self, depth):
        self.budget -= 1
        if self.only and depth == 0 and self.chance(0.6):
            return getattr(self, self.rng.choice(self.only))(depth)
        simple = (self.assign, self.assign, self.assign, self.assign_many, self.augment, self.change_list, self.change_list, self.change_mapping,
                  self.change_object, self.small)
        compound = (self.branch, self.branch, self.loop, self.loop, self.while_loop, self.handle, self.context, self.match, self.function,
                    self.function, self.method, self.class_, self.outside, self.iterator, self.options, self.namespace, self.generator_function, self.shadow,
                    self.operators, self.hooks, self.late)
        if self.inputs and not self.in_function and self.chance(0.12):
            return self.outside(depth)
        chosen = self.rng.choice(simple if depth >= 3 or self.budget <= 0 or self.chance(0.45) else compound)
        return chosen(depth)

    def kind(self):
        return self.one("str", "str", "words", "words", "words", "int", "float", "bool", "args", "group", "kw", "kw", "mod", "mods")

    def assign(self, depth):
        kind = self.kind()
        value = self.expr(kind, 2)
        return self.rng.choice((
            lambda: [f"{self.place(kind)} = {value}"],
            lambda: [f"{self.place(kind)} = {value}"],
            lambda: [f"{self.place(kind)}: {self.one('object', 'list[str]', repr('Any'))} = {value}"] if not self.in_function else [f"{self.place(kind)} = {value}"],
            lambda: [f"{self.place(kind)} = {self.declare(kind)} = {value}"],
            lambda: [f"{self.declare(kind)} = {self.var(kind)}"] if self.var(kind) else [f"{self.place(kind)} = {value}"],
            lambda: [f"({self.place(kind)}) = ({value})"],
            lambda: [f"if ({self.declare(kind)} := {value}):", "    pass"],
        ))()

    def assign_many(self, depth):
        a, b = self.kind(), self.kind()
        x, y = self.expr(a, 2), self.expr(b, 2)
        def star():
            first, rest = self.declare("str"), self.declare("words")
            return [f"{self.one(f'{first}, *{rest}', f'*{rest}, {first}', f'[{first}, *{rest}]')} = {self.expr('words', 2)}"]
        def swap():
            names = self.names["str"]
            return [f"{names[0]}, {names[-1]} = {names[-1]}, {names[0]}"] if len(names) > 1 else star()
        def nested():
            return [f"({self.declare(a)}, ({self.declare(b)}, _)), _ = [({x}, ({y}, 1)), 2]"]
        return self.rng.choice((
            lambda: [f"{self.declare(a)}, {self.declare(b)} = {x}, {y}"],
            star, star, swap, nested,
            lambda: [f"for {self.declare(a)}, {self.declare(b)} in [({x}, {y})]: pass"],
            lambda: [f"{self.declare('str')}, _, {self.declare('str')} = {self.expr('str', 1)}.partition('_')"],
        ))()

    def augment(self, depth):
        def on(kind, operators):
            name = self.var(kind)
            return [f"{name} {self.rng.choice(operators)} {self.expr(kind, 2)}"] if name else self.assign(depth)
        name = self.var("kw")
        return self.rng.choice((
            lambda: on("words", ("+=",)),
            lambda: on("str", ("+=",)),
            lambda: on("int", ("+=", "-=", "*=", "|=", "^=")),
            lambda: on("float", ("+=", "*=")),
            lambda: on("mods", ("+=",)),
            lambda: on("args", ("|=",)),
            lambda: [f"{name} |= {{'ignore': {self.expr('words', 1)}}}"] if name else self.assign(depth),
            lambda: [f"{name}['ignore'] += {self.expr('words', 1)}"] if name else self.assign(depth),
            lambda: [f"{self.var('words')} *= 2"] if self.var("words") else self.assign(depth),
        ))()

    def change_list(self, depth):
        kind = self.one("words", "words", "words", "mods")
        name = self.var(kind)
        if name is None:
            return [f"{self.declare(kind)} = {self.expr(kind, 2)}"]
        item = lambda: self.expr("str" if kind == "words" else "mod", 1)
        many = lambda: self.expr(kind, 1)
        alias = self.declare(kind)
        return self.rng.choice((
            lambda: [f"{name}.append({item()})"],
            lambda: [f"{name}.extend({many()})"],
            lambda: [f"{name}.insert({self.one(0, 1, -1, 5)}, {item()})"],
            lambda: [f"{name}.pop({self.one('', '0', '-1')})"],
            lambda: [f"{name}.remove({name}[{self.one(0, -1)}])"],
            lambda: [f"{name}.reverse()"],
            lambda: [f"{name}.sort({self.one('', 'key=len', 'reverse=True', 'key=lambda w: w[-1:]') if kind == 'words' else 'key=id and (lambda m: 0)'})"],
            lambda: [f"del {name}[{self.one('0', '-1', ':1', '1:', '::2')}]"],
            lambda: [f"{name}[{self.one(0, -1)}] = {item()}"],
            lambda: [f"{name}[{self.one('1:', ':1', '1:1', ':0', '-1:', ':')}] = {many()}"],
            lambda: [f"{name}.clear()", f"{name}.append({item()})"],
            lambda: [f"{alias} = {name}", f"{alias}.append({item()})"],
            lambda: [f"{alias} = {self.one(f'{name}[:]', f'list({name})', f'{name}.copy()', f'copy.copy({name})', f'{name}')}", f"{alias}.{self.one('append(' + item() + ')', 'reverse()', 'pop()')}"],
            lambda: [f"{alias} = [{name}, []]", f"{alias}[{self.one(0, 1)}].append({item()})", f"{alias} = {alias}[0]"],
            lambda: [f"append = {name}.append", f"append({item()})"],
            lambda: [f"list.append({name}, {item()})"],
            lambda: [f"{alias} = {name}.pop() and {name}"],
            lambda: [f"for w in {name}[:]:", f"    if {self.one('len(str(w)) > 8', 'w', 'str(w).isupper()')} and len({name}) > 1: {name}.remove(w)"],
        ))()

    def change_mapping(self, depth):
        kind = self.one("kw", "kw", "args")
        name = self.var(kind)
        if name is None:
            return [f"{self.declare(kind)} = {self.expr(kind, 2)}"]
        key, value_kind = self.rng.choice((("scheme", "str"), ("ignore", "words"), ("targets", "words"))) if kind == "kw" else \
            self.rng.choice((("num_bits", "int"), ("symmetric", "bool"), ("group_size", "int")))
        value = lambda: self.expr(value_kind, 1)
        alias = self.declare(kind)
        return self.rng.choice((
            lambda: [f"{name}[{key!r}] = {value()}"],
            lambda: [f"{name}.update({key}={value()})"],
            lambda: [f"{name}.update({{{key!r}: {value()}}})"],
            lambda: [f"{name}.update([({key!r}, {value()})])"],
            lambda: [f"{name}.pop({key!r}{self.one('', ', None')})"],
            lambda: [f"del {name}[{key!r}]"],
            lambda: [f"{name}.setdefault({key!r}, {value()})"],
            lambda: [f"{name}.popitem()"],
            lambda: [f"{alias} = {name}", f"{alias}[{key!r}] = {value()}"],
            lambda: [f"{alias} = {self.one(f'{name}.copy()', f'dict({name})', f'{{**{name}}}', f'copy.deepcopy({name})')}", f"{alias}[{key!r}] = {value()}"],
            lambda: [f"{alias} = {self.one(f'dict({name})', f'copy.copy({name})', f'copy.deepcopy({name})')}", f"{alias}['ignore'].append({self.expr('str', 1)})"],
            lambda: [f"{name}['ignore'].{self.one('append(' + self.expr('str', 1) + ')', 'reverse()', 'pop()', 'clear()')}"],
            lambda: [f"for k in list({name}):", f"    if {self.one('len(k) > 6', 'isinstance(' + name + '[k], bool)')}: del {name}[k]"],
            lambda: [f"{name} = {{k: {self.one('v', 'copy.copy(v)')} for k, v in {name}.items()}}"],
            lambda: [f"{name}.clear()", f"{name}.update({self.expr(kind, 1)})"],
            lambda: [f"for k, v in {self.expr(kind, 1)}.items():", f"    {name}[k] = v"],
        ))()

    def change_object(self, depth):
        name = self.var("mod")
        if name is None:
            return [f"{self.declare('mod')} = {self.expr('mod', 2)}"]
        mods = self.var("mods") or f"[{name}]"
        alias = self.declare("mod")
        attribute, kind = self.rng.choice((("scheme", "str"), ("ignore", "words"), ("targets", "words")))
        return self.rng.choice((
            lambda: [f"{name}.{attribute} = {self.expr(kind, 2)}"],
            lambda: [f"setattr({name}, {attribute!r}, {self.expr(kind, 2)})"],
            lambda: [f"{alias} = {name}", f"{alias}.{attribute} = {self.expr(kind, 1)}"],
            lambda: [f"{alias} = copy.{self.one('copy', 'deepcopy')}({name})", f"{alias}.{attribute} = {self.expr(kind, 1)}"],
            lambda: [f"{name}.ignore.append({self.expr('str', 1)})"],
            lambda: [f"{name}.ignore += {self.expr('words', 1)}"],
            lambda: [f"{name}.ignore[0] = {self.expr('str', 1)}"],
            lambda: [f"{mods}[{self.one(0, -1)}].{attribute} = {self.expr(kind, 1)}"],
            lambda: [f"for m in {mods}:", f"    m.{attribute} = {self.expr(kind, 1)}"],
            lambda: [f"{name}.{attribute}, {self.declare('int')} = {self.expr(kind, 1)}, 1"],
        ))()

    def small(self, depth):
        new = sys.version_info >= (3, 12)
        return self.rng.choice((
            lambda: [f"type {self.fresh('T')} = list[str]"] if new and not self.in_function else ["pass"],
            lambda: [f"{self.declare('str')} = f\"{{'a' + {self.literal('str').replace(chr(39), chr(34))}}} {{'b'!r:{{'>'}}6}}\""] if new else ["pass"],
            lambda: ["pass"],
            lambda: [self.expr(self.kind(), 2)],
            lambda: [f"assert {self.expr('bool', 1)} or True, 'message'"],
            lambda: [f"print({self.expr(self.kind(), 1)})"],
            lambda: ['"""A text."""'],
            lambda: [f"{self.declare('str')} = {self.one(repr(b'lm_head'), 'str(3).encode()')}.decode()"],
            lambda: [f"{self.fresh('w')} = ({self.one('...', '1j', 'b' + repr('x'), 'None')}, *())"],
            lambda: [f"{self.fresh('w')} = 1; {self.declare('str')} = {self.expr('str', 1)}"],
            lambda: ["x, y = 1, 2; del x, y"],
            lambda: ["class At:", f"    def __matmul__(self, x): return {self.one('x', repr('at'))}", f"{self.declare('str')} = At() @ {self.expr('str', 1)}"],
            lambda: [f"import copy as c{self.count}", f"from functools import partial as p{self.count}"],
            lambda: [f"{self.declare(k)} = {self.var(k)}" for k in KINDS[:2] if self.var(k)] or ["..."],
        ))()

    def branch(self, depth):
        lines = [f"if {self.expr('bool', 2)}:", *indented(self.block(depth))]
        if self.chance(0.35):
            lines += [f"elif {self.expr('bool', 1)}:", *indented(self.block(depth))]
        if self.chance(0.6):
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def exits(self, depth, keyword=None):
        """Lines that leave a loop, under a condition on the loop variable `w`."""
        condition = self.one("len(str(w)) > 7", f"w == {self.expr(self.one('str', 'int'), 0)}", self.expr("bool", 1), "not w", "isinstance(w, int) and w > 1")
        return [f"if {condition}:", *indented(self.block(depth + 1, 1) if self.chance(0.5) else ["pass"]), f"    {keyword or self.one('break', 'continue')}"]

    def loop(self, depth):
        name = self.var("words")
        header, variable = self.rng.choice((
            lambda: (f"for w in {self.expr('words', 2)}:", "str"),
            lambda: (f"for w in ({self.expr('str', 1)}, {self.expr('str', 1)}):", "str"),
            lambda: (f"for i, w in enumerate({self.expr('words', 1)}):", "str"),
            lambda: (f"for w, i in zip({self.expr('words', 1)}, range(5)):", "str"),
            lambda: (f"for w in range({self.one('3', '1, 4', '3, 0, -1', self.expr('int', 1) + ' % 4')}):", "int"),
            lambda: (f"for w, v in {self.expr('kw', 1)}.items():", "str"),
            lambda: (f"for w in sorted({self.expr('words', 1)}):", "str"),
            lambda: (f"for w in {self.expr('str', 0)}[:3]:", "str"),
            lambda: (f"for w in reversed({self.expr('words', 1)}):", "str"),
        ))()
        def body():
            self.declare(variable, "w")
            lines = []
            if self.chance(0.5):
                lines += self.exits(depth)
            if name and self.chance(0.6):
                lines += [f"if len({name}) < 9: {name}.append(str(w))"] if self.chance(0.6) else [f"{self.declare('words', name)} = {name} + [str(w)]"]
            lines += self.block(depth + 1)
            if self.chance(0.3):
                lines += self.exits(depth)
            return lines
        lines = [header, *indented(self.scoped(body))]
        if self.chance(0.3):
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def while_loop(self, depth):
        counter = self.fresh("n")
        limit = self.one("3", "2", f"len({self.some('words')}) % 4")
        body = [f"{counter} += 1"]
        if self.chance(0.6):
            body += [f"if {counter} == {self.one(1, 2)} {self.one('', 'or ' + self.expr('bool', 1), 'and ' + self.expr('bool', 1))}:", f"    {self.one('break', 'continue')}"]
        body += self.block(depth)
        lines = [f"{counter} = 0", f"while {self.one(f'{counter} < {limit}', f'{counter} != 3', f'not {counter} >= {limit}')}:", *indented(body)]
        if self.chance(0.35):
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def raising(self):
        """A statement that possibly raises, and the name of its exception."""
        return self.rng.choice((
            lambda: (f"{self.expr('kw', 1)}[{self.one(repr('scheme'), repr('missing'))}]", "KeyError"),
            lambda: (f"{self.expr('words', 1)}[{self.one(0, 9)}]", "IndexError"),
            lambda: (f"int({self.one(repr('4'), repr('x'), self.expr('str', 1))})", "ValueError"),
            lambda: (f"if {self.expr('bool', 1)}: raise ValueError({self.expr('str', 0)})", "ValueError"),
            lambda: (f"raise KeyError({self.expr('str', 0)})", "LookupError"),
            lambda: (f"1 / {self.one(0, 1, 'len(' + self.some('words') + ')')}", "ZeroDivisionError"),
            lambda: (f"assert {self.expr('bool', 1)}", "AssertionError"),
            lambda: (f"{self.expr('words', 1)}.index({self.expr('str', 1)})", "ValueError"),
            lambda: ("undefined_name", "NameError"),
            lambda: (f"({self.expr('str', 1)}).missing", "AttributeError"),
            lambda: (f"next(iter({self.expr('words', 1)}[:{self.one(0, 1)}]))", "StopIteration"),
        ))()

    def handle(self, depth):
        statement, name = self.raising()
        body = self.block(depth, 1) + [statement] + (self.block(depth, 1) if self.chance(0.7) else [])
        lines = ["try:", *indented(body)]
        groups = self.chance(0.08)
        handled = self.one(name, f"({name}, TypeError)", "Exception", f"{name} as e")
        if groups:
            return [*lines, f"except* {name}:", *indented(self.block(depth)), "except* Exception:", "    pass"]
        if self.chance(0.3):
            lines += ["except OSError:", *indented(self.block(depth))]
        text = [f"{self.place('str')} = type(e).__name__"] if " as e" in handled and self.chance(0.5) and not self.in_function else []
        lines += [f"except {handled}:", *indented(text + self.block(depth))]
        if " as e" not in handled and self.chance(0.2):
            lines[-1:] = [lines[-1]]
        if self.chance(0.3):
            lines += ["else:", *indented(self.block(depth))]
        if self.chance(0.4):
            lines += ["finally:", *indented(self.block(depth))]
        return lines

    def context(self, depth):
        statement, name = self.raising()
        manager = self.fresh("C")
        value = self.kind()
        x = self.declare("str")
        return self.rng.choice((
            lambda: [f"with contextlib.suppress({name}, TypeError):", *indented(self.block(depth, 1) + [statement] + self.block(depth, 1))],
            lambda: [f"with contextlib.nullcontext({self.expr(value, 1)}) as {self.declare(value)}:", *indented(self.block(depth, 1))],
            lambda: ["@contextlib.contextmanager", f"def {manager}(x):", f"    {self.one('yield x', 'yield x.upper()', 'yield x + x')}",
                     f"with {manager}({self.expr('str', 1)}) as {x}:", *indented(self.block(depth, 1))],
            lambda: [f"class {manager}:", "    def __enter__(self): return " + self.expr("str", 0),
                     f"    def __exit__(self, *args): return {self.one('True', 'False', 'args[0] is not None')}",
                     f"{x} = 'before'", f"with {manager}() as {x}:", *indented(self.block(depth, 1) + ([statement] if self.chance(0.4) else []) + self.block(depth, 1))],
            lambda: [f"{x} = 'kept'", "try:", f"    with open('missing.txt') as file: {x} = file.read()", "except OSError:", f"    {self.one('pass', x + ' = ' + repr('W8A8'))}"],
        ))()

    def match(self, depth):
        cases = []
        def case(pattern, guard=""):
            cases.append(f"    case {pattern}{guard}:")
            cases.extend(indented(self.block(depth), 2))
        guard = lambda: f" if {self.expr('bool', 1)}" if self.chance(0.25) else ""
        subject = self.one("str", "words", "int", "kw", "tuple", "bool", "mod")
        x, rest = self.fresh("c"), self.fresh("c")
        if subject == "str":
            for _ in range(self.rng.randint(1, 3)):
                case(self.one(self.literal("str"), f"{self.literal('str')} | {self.literal('str')}", f"({self.literal('str')} | {self.literal('str')}) as {x}"), guard())
        elif subject == "words":
            case(self.one("[]", "[_]", f"[{x}]", f"[{x}, *{rest}]", f"[*_, {x}]", f"[{self.literal('str')}, *_]", f"({x}, _)", f"[str() as {x}, _, *{rest}]"), guard())
            case(self.one("[_, _]", f"[*{rest}]", f"[{self.literal('str')} | {self.literal('str')}, *_]"), guard())
        elif subject == "int":
            case(self.one("0", "1 | 2", "-1", "4", "int(4)", "1.0"), guard())
            case(self.one(f"{x}", "8 | 16", f"int({x})", f"float() | int() as {x}"), guard() if self.chance(0.7) else " if True")
        elif subject == "kw":
            case(self.one(f'{{"scheme": {x}}}', f'{{"scheme": {self.literal("str")}}}', f'{{"ignore": [{x}, *_], **{rest}}}', '{"missing": _}', "{}", f'{{"scheme": str({x}), "targets": [_]}}'), guard())
        elif subject == "bool":
            case(self.one("True", "False", "None"), guard())
        elif subject == "mod":
            case(self.one(f"GPTQModifier(scheme={x})", "GPTQModifier()", f"QuantizationModifier(scheme={self.literal('str')})"), guard())
        else:
            case(self.one(f"({x}, 1)", f"({self.literal('str')}, {x})", f"(str(), int() as {x})"), guard())
        if self.chance(0.6):
            case(self.one("_", x if subject != "x" else "_"))
        value = f"({self.expr('str', 1)}, {self.expr('int', 1)})" if subject == "tuple" else self.expr(subject, 1)
        return [f"match {value}:", *cases]

    # Functions

    def enter(self, parameters):
        """Starts a function: outer names can be read, and only new names are assigned."""
        saved = (self.names, self.functions, self.in_function)
        self.names = {kind: [] for kind in KINDS}
        self.in_function = True
        for kind, name in parameters:
            self.names[kind].append(name)
        return saved

    def leave(self, saved):
        self.names, self.functions, self.in_function = saved

    def function(self, depth):
        return self.rng.choice((self.plain_function, self.plain_function, self.early_return, self.argument_changer, self.global_function, self.global_function,
                                self.closure, self.star_function, self.default_function, self.decorated, self.recursive, self.async_function))(depth)

    def define(self, kind, head, body, call, before=()):
        """A function that later expressions can call."""
        self.functions[kind].append(call)
        return [*before, head, *indented(body)]

    def plain_function(self, depth):
        name, kind, a = self.fresh("f"), self.kind(), self.kind()
        saved = self.enter([(a, "x")])
        body = [line for _ in range(self.rng.randint(0, 2)) for line in self.statement(2)]
        result = self.expr(kind, 2)
        self.leave(saved)
        note = self.one("", "", f": {self.one('str', 'list', repr('T'))}")
        generic = self.one("", "[T]", "[*Ts, **P]") if sys.version_info >= (3, 12) else ""
        return self.define(kind, f"def {name}{generic}(x{note}){self.one('', ' -> object')}:", [*body, f"return {result}"], f"{name}({self.one('', 'x=')}{{{a}}})")

    def early_return(self, depth):
        name, kind = self.fresh("f"), self.kind()
        saved = self.enter([("str", "x"), ("words", "xs")])
        values = [self.expr(kind, 1) for _ in range(4)]
        condition = self.expr("bool", 1)
        body = self.rng.choice((
            lambda: [f"if x == {self.literal('str')} or {condition}:", f"    return {values[0]}", f"if len(xs) > {self.one(1, 2)}:", f"    return {values[1]}", f"return {values[2]}"],
            lambda: ["for w in xs:", f"    if w == x or {condition}:", f"        return {values[0]}", f"return {values[1]}"],
            lambda: ["for w in xs:", f"    if len(w) > 6: break", f"    if {condition}: return {values[2]}", "else:", f"    return {values[0]}", f"return {values[1]}"],
            lambda: ["try:", f"    if {condition}: return {values[0]}", f"    {self.one('int(x)', 'xs[5]', '{}[x]')}", "except (ValueError, LookupError):", f"    return {values[1]}",
                     *(["finally:", f"    {self.one('xs = []', 'xs.clear()', 'pass', f'return {values[3]}')}"] if self.chance(0.5) else []), f"return {values[2]}"],
            lambda: ["while True:", f"    xs = xs[1:]", f"    if not xs or {condition}: return {values[0]}", f"    if len(xs) > 3: continue", f"    return {values[1]}"],
            lambda: ["with contextlib.suppress(Exception):", f"    {self.one('int(x)', 'pass')}", f"    return {values[0]}", f"return {values[1]}"],
            lambda: ["match x:", f"    case {self.literal('str')}: return {values[0]}", f"    case _ if {condition}: return {values[1]}", f"return {values[2]}"],
            lambda: [f"return {values[0]}", f"return {values[1]}"],
        ))()
        self.leave(saved)
        return self.define(kind, f"def {name}(x, xs):", body, f"{name}({{str}}, {{words}})")

    def argument_changer(self, depth):
        name, kind = self.fresh("f"), self.one("words", "words", "kw", "mod", "mods")
        saved = self.enter([(kind, "x")])
        lines = {"words": self.change_list, "mods": self.change_list, "kw": self.change_mapping, "mod": self.change_object}[kind](3)
        self.leave(saved)
        target = self.var(kind)
        out = self.define(kind, f"def {name}(x):", [*lines, *(["return x"] if self.chance(0.7) else [])], f"({name}(t := {{{kind}}}) or t)")
        return out + ([f"{name}({target})"] if target else [])

    def global_function(self, depth):
        kind = self.kind()
        target, name = self.var(kind), self.fresh("f")
        if target is None or self.in_function:
            return self.assign(depth)
        saved = self.enter([])
        self.names[kind].append(target)
        value = self.expr(kind, 1)
        self.leave(saved)
        body = [f"global {target}", f"{target} = {value}"]
        call = self.one([f"{name}()"], [f"if {self.expr('bool', 1)}: {name}()"], [f"for _ in range(2): {name}()"], [f"list(map({name}, []))", f"[{name}() for _ in 'a']"], [])
        return [f"def {name}():", *indented(body), *call]

    def closure(self, depth):
        kind = self.one("words", "str", "int")
        outer, inner, result = self.fresh("f"), self.fresh("f"), self.declare(kind)
        step = {"words": self.one("x.append('n')", "x = x + ['n']"), "str": "x = x + '_'", "int": "x += 1"}[kind]
        lines = [f"def {outer}(x):", f"    def {inner}():", "        nonlocal x", f"        {step}", "        return x"]
        if self.chance(0.4):
            lines += [f"    {inner}()", f"    {self.one(step, 'pass')}", "    return x", f"{result} = {outer}({self.expr(kind, 1)})"]
        elif self.chance(0.5):
            made = self.fresh("f")
            lines += [f"    return {inner}", f"{made} = {outer}({self.expr(kind, 1)})", *[f"{result} = {made}()"] * self.rng.randint(1, 3)]
            self.functions[kind].append(f"{made}()")
        else:
            made = self.fresh("fs")
            lines = [f"{made} = [lambda: w for w in {self.expr('words', 1)}]", f"{self.declare('str', result + 's')} = {made}[0]()", f"{result} = {self.expr(kind, 1)}"]
        return lines

    def star_function(self, depth):
        name = self.fresh("q")
        cls = self.rng.choice(SCHEME_CLASSES)
        return self.rng.choice((
            lambda: self.define("mod", f"def {name}(*targets, **kw):", [f"return {cls}(targets=list(targets), **kw)"], f"{name}({{str}}, {{str}}, scheme={{str}})"),
            lambda: self.define("mod", f"def {name}(*targets, **kw):", ["kw.setdefault('ignore', ['lm_head'])", f"return {cls}(targets=[*targets], **kw)"], f"{name}(*{{words}}, **{{{{'scheme': {{str}}}}}})".replace("{{{{", "{").replace("}}}}", "}")),
            lambda: self.define("mod", f"def {name}(scheme, /, targets='Linear', *, ignore=('lm_head',)):", [f"return {cls}(scheme=scheme, targets=targets, ignore=list(ignore))"], f"{name}({{str}}, ignore={{words}})"),
            lambda: self.define("words", f"def {name}(first, *rest, last='z', **more):", [f"return {self.one('[first, *rest, last]', 'list(rest) + [last, *more]', '[*more.values(), first]')}"], f"{name}({{str}}, {{str}}, {self.one('', 'last={str}, ')}a={{str}})"),
            lambda: self.define("mod", f"def {name}(kw):", [f"return {cls}(**kw)"], f"{name}({{kw}})"),
            lambda: self.define("mod", f"def {name}(scheme='W8A8', **kw):", [f"return {cls}(scheme=scheme, **kw)"], f"{name}(**{{kw}})"),
        ))()

    def default_function(self, depth):
        name, kind = self.fresh("f"), self.kind()
        return self.rng.choice((
            lambda: self.define("words", f"def {name}(x, xs=[]):", ["xs.append(x)", f"return {self.one('xs', 'list(xs)')}"], f"{name}({{str}})"),
            lambda: self.define(kind, f"def {name}(x={self.expr(kind, 1)}):", ["return x"], self.one(f"{name}()", f"{name}({{{kind}}})")),
            lambda: self.define("str", f"def {name}(a, b='B', *, c='C'):", ["return f'{a}{b}{c}'"], self.one(f"{name}({{str}})", f"{name}({{str}}, c={{str}})", f"{name}(b={{str}}, a={{str}})")),
            lambda: self.define("words", f"def {name}(x, extra=None):", ["extra = extra or []", "return [x] + extra"], f"{name}({{str}}, {self.one('{words}', 'None')})"),
        ))()

    def decorated(self, depth):
        deco, name, kind = self.fresh("deco"), self.fresh("f"), self.one("str", "words")
        value = self.expr(kind, 1)
        twice = self.one("r + r", "r", "r[1:]", "r[:1] + r")
        head = self.rng.choice((
            lambda: ([f"def {deco}(f):", "    def inner(*a, **k):", "        r = f(*a, **k)", f"        return {twice}", "    return inner"], f"@{deco}"),
            lambda: ([f"def {deco}(n):", "    def wrap(f):", "        @functools.wraps(f)", "        def inner(*a):", "            return f(*a) * n", "        return inner", "    return wrap"], f"@{deco}({self.one(1, 2)})"),
            lambda: ([f"def {deco}(f):", f"    return lambda *a: {value}"], f"@{deco}"),
            lambda: ([], self.one("@functools.cache", "@functools.lru_cache(maxsize=None)")),
            lambda: ([f"{deco} = []", ], f"@(lambda f: {deco}.append(f) or f)"),
            lambda: (["import tuning"], "@tuning.decorator") if self.inputs else ([], "@functools.lru_cache"),
        ))()
        return self.define(kind, f"def {name}(x):", [f"return {self.one('x', value)}"], f"{name}({{str}})" if kind == "str" else f"{name}('a') and {{words}}", [*head[0], head[1]])

    def recursive(self, depth):
        name = self.fresh("f")
        return self.define("words", f"def {name}(n, xs=()):", [f"if n <= 0: return list(xs)", f"return {name}(n - 1, (*xs, f'l{{n}}'))"], f"{name}({self.one(1, 2, 3)})")

    def async_function(self, depth):
        name, kind, result = self.fresh("f"), self.one("str", "words"), self.fresh("v")
        saved = self.enter([(kind, "x")])
        value = self.expr(kind, 1)
        self.leave(saved)
        body = self.one([f"return {value}"], ["await asyncio.sleep(0)", f"return {value}"],
                        ["async def g():", "    yield x", "async for y in g():", "    x = y", f"return {value}"],
                        ["@contextlib.asynccontextmanager", "async def g():", "    yield x", "async with g() as y:", "    x = y", f"return [z async for z in h()][0] if 0 else {value}"])
        lines = [f"async def {name}(x):", *indented(body), f"{result} = asyncio.run({name}({self.expr(kind, 1)}))"]
        if self.in_function:
            return self.assign(depth)
        self.declare(kind, result)
        return lines

    def generator_function(self, depth):
        name, result = self.fresh("g"), self.declare("words")
        body = self.one(["yield x", "yield x + '2'"], ["yield from [x, 'y']", f"return {self.literal('str')}"], ["for i in range(3):", "    if i == 1: continue", "    yield f'{x}{i}'"],
                        ["y = yield x", "yield str(y)"])
        use = self.one(f"list({name}({self.expr('str', 1)}))", f"[*{name}({self.expr('str', 1)})]", f"sorted({name}({self.expr('str', 1)}))")
        return [f"def {name}(x):", *indented(body), f"{result} = {use}"]

    def iterator(self, depth):
        it, a, b = self.fresh("it"), self.declare("words"), self.declare("words")
        source = self.one("iter({})", "map(str.upper, {})", "(w for w in {})", "reversed({})", "filter(None, {})").format(self.expr("words", 1))
        return [f"{it} = {source}", self.one(f"next({it}, None)", f"{self.declare('str')} = next({it}, 'end')", "pass"), f"{a} = list({it})", f"{b} = [*{it}, 'rest']"]

    def class_(self, depth):
        name, obj, kind = self.fresh("C"), self.fresh("o"), self.kind()
        value, other = self.expr(kind, 1), self.expr(kind, 1)
        words = self.expr("words", 1)
        def use(attribute):
            self.functions[kind].append(f"{obj}.{attribute}")
        def simple():
            use("a")
            return [f"class {name}:", f"    a = {value}", f"    {self.one('b = a', 'pass', 'c: int = 3')}", f"{obj} = {name}{self.one('', '()')}",
                    *self.one([], [f"{name}.a = {other}"], [f"{obj}.a = {other}"], [f"setattr({obj}, 'a', {other})"], [f"del {name}.a", f"{name}.a = {other}"])]
        def instance():
            use("a")
            return [f"class {name}:", f"    def __init__(self, a, n=1):", "        self.a = a", f"    def set(self, a):", "        self.a = a", "        return self",
                    f"{obj} = {name}({value})", *self.one([], [f"{obj}.set({other})"], [f"{name}.set({obj}, {other})"], [f"{obj} = {obj}.set({other})"], [f"{obj}.__dict__['a'] = {other}"],
                                                          [f"{obj}.__dict__.update(a={other})"], [f"vars({obj}).update(a={other})"])]
        def properties():
            use("a")
            return [f"class {name}:", "    @property", f"    def a(self): return {value}", f"{obj} = {name}()"]
        def methods():
            self.functions[kind].append(self.one(f"{obj}.s()", f"{obj}.c()", f"{name}.s()"))
            return [f"class {name}:", f"    k = {other}", "    @staticmethod", f"    def s(): return {value}", "    @classmethod", "    def c(cls): return cls.k", f"{obj} = {name}()"]
        def inherited():
            use("a")
            return [f"class {name}:", f"    a = {value}", "    def __init__(self): self.n = 1", f"class {name}B({name}):", *self.one(["    pass"], [f"    a = {other}"], ["    def __init__(self):", f"        super({self.one('', f'{name}B, self')}).__init__()", f"        self.a = {other}"]), f"{obj} = {name}B()"]
        def bases():
            self.functions[kind].append(f"{obj}.get()")
            chosen = self.one("", f"{name}C, self", f"{name}B, self", "*()")
            return [f"class {name}:", f"    def get(self): return {value}", f"class {name}B({name}):", *self.one(["    pass"], [f"    def get(self): return {other}"]),
                    f"class {name}C({name}B):", "    def get(self):", f"        return super({chosen}).get()", f"{obj} = {name}C()"]
        def data():
            use("a")
            mutable = self.chance(0.5)
            attribute = f"a: list = field(default_factory=lambda: {value})" if mutable else "a: object = None"
            return ["@dataclass" + self.one("", "()", "(frozen=True)", "(kw_only=True)"), f"class {name}:", f"    {attribute}", "    n: int = 3", f"{obj} = {name}({self.one('', f'a={other}') if mutable else f'a={value}'})",
                    *self.one([], [f"{obj} = replace({obj}, a={other})"], [f"{obj} = replace({obj}, n=4)"])]
        def shared():
            self.declare("words", f"{obj}x")
            return [f"class {name}:", f"    xs = {words}", "    def add(self, x): self.xs.append(x)", f"{obj}, {obj}b = {name}(), {name}()", f"{obj}.add({self.expr('str', 1)})", f"{obj}x = {obj}b.xs"]
        def special():
            self.functions["str"].append(self.one(f"{obj}({{str}})", f"{obj}[{{str}}]", f"({obj} + {{str}})", f"({obj} @ {{str}})", f"str({obj})", f"f'{{{obj}}}'", f"{obj}.anything", f"next(iter({obj}))"))
            return [f"class {name}:", "    def __call__(self, x): return x + '!'", "    def __getitem__(self, k): return k.upper()", "    def __add__(self, x): return 'sum ' + x", "    def __matmul__(self, x): return 'at ' + x",
                    f"    def __str__(self): return {self.literal('str')}", "    def __getattr__(self, k): return 'attr ' + k", "    def __iter__(self): return iter(['it'])",
                    "    def __bool__(self): return False", "    def __eq__(self, o): return True", "    def __len__(self): return 9", "    def __contains__(self, x): return True", f"{obj} = {name}()"]
        def truth():
            self.functions["bool"].append(self.one(f"bool({obj})", f"({obj} == 1)", f"(1 in {obj})", f"(len({obj}) > 3)", f"(not {obj})"))
            return [f"class {name}:", "    def __bool__(self): return False", "    def __eq__(self, o): return True", "    def __len__(self): return 9", "    def __contains__(self, x): return True", f"{obj} = {name}()"]
        def body():
            use("a")
            return [f"class {name}:", f"    a = {value}", f"    for w in range(2):", f"        if w: a = {other}", f"    if {self.expr('bool', 1)}:", f"        a = {other}", f"{obj} = {name}()"]
        def enumeration():
            self.functions["str"].append(self.one(f"{name}.A.value", f"{name}['B'].value", f"{name}.A.name", f"{name}('x').name"))
            return ["import enum", f"class {name}(enum.Enum):", "    A = 'x'", f"    B = {self.literal('str')}"]
        def named():
            self.functions["str"].append(self.one(f"{obj}.a", f"{obj}[0]", f"{obj}._replace(a={{str}}).a"))
            return ["import collections", f"{name} = collections.namedtuple('{name}', 'a b')", f"{obj} = {name}({self.expr('str', 1)}, b=2)"]
        def external():
            use("a")
            return ["import tuning", f"class {name}(tuning.Base):", f"    a = {value}", f"{obj} = {name}()"] if self.inputs else simple()
        def slots():
            use("a")
            return [f"class {name}:", "    __slots__ = ('a',)", f"    def __init__(self): self.a = {value}", "    def __setattr__(self, k, v): object.__setattr__(self, k, v)", f"{obj} = {name}()", f"{obj}.a = {other}"]
        def subclass():
            self.functions["words"].append(f"list({obj})")
            return [f"class {name}(list):", f"    def append(self, x): super({self.one('', f'{name}, self')}).append(x + '+')", f"{obj} = {name}()", f"{obj}.append({self.expr('str', 1)})", f"{obj}.extend({words})"]
        if self.in_function:
            return self.assign(depth)
        return self.rng.choice((simple, simple, instance, instance, properties, methods, inherited, bases, data, data, shared, special, truth, body, enumeration, named, external, slots, subclass))()

    def operators(self, depth):
        """Operations that run a method of a class, which changes a list."""
        name = self.var("words")
        if name is None or self.in_function:
            return self.assign(depth)
        type_name, o = self.fresh("D"), self.fresh("d")
        method, result, operations = self.rng.choice((
            ("__iter__(self)", "iter(())", (f"for _ in {o}: pass", f"[*{o}]", f"list({o})", f"sorted({o})", f"dict({o})", f"''.join({o})", f"[].extend({o})", f"print(*{o})")),
            ("__repr__(self)", "'d'", (f"str({o})", f"print([{o}])", f"f'{{{o}}}'", f"'%s' % ({o},)", f"'{{}}'.format({o})", f"repr({{1: {o}}})")),
            ("__eq__(self, x)", "True", (f"{o} == 1", f"[{o}] == [1]", f"1 in [{o}]", f"[1, {o}].index({o})", f"{o} != {o}")),
            ("__lt__(self, x)", "True", (f"{o} < 1", f"sorted([{o}, {o}])", f"min([{o}, {o}])", f"0 < 1 > {o}")),
            ("__bool__(self)", "False", (f"not {o}", f"bool({o})", f"{o} and 1", f"any([{o}])", f"1 if {o} else 2", f"[1 for _ in 'a' if {o}]")),
            ("__getitem__(self, k)", "'d'", (f"{o}[0]", f"'%(a)s' % {o}")),
            ("__setitem__(self, k, v)", "None", (f"{o}[0] = 1",)),
            ("__contains__(self, x)", "True", (f"1 in {o}", f"1 not in {o}")),
            ("__getattr__(self, k)", "1", (f"{o}.a", f"getattr({o}, 'a', 2)", f"hasattr({o}, 'a')")),
            ("__hash__(self)", "1", (f"{{{o}}}", f"{{{o}: 1}}", f"{{}}.get({o})", f"hash({o})")),
            ("__add__(self, x)", "self", (f"{o} + 1", f"{o} += 1", f"sum([{o}], {o})")),
            ("__enter__(self)", "self", (f"with contextlib.suppress(Exception), {o}: pass",)),
            ("__call__(self, *x)", "1", (f"{o}()", f"list(map({o}, 'ab'))", f"sorted('ab', key={o})", f"next(filter({o}, 'a'))")),
            ("__format__(self, s)", "'d'", (f"f'{{{o}:x}}'", f"format({o}, 'x')")),
            ("__len__(self)", "1", (f"len({o})", f"bool({o})")),
            ("__index__(self)", "0", (f"['a'][{o}]", f"['a'][{o}:]", f"range({o})", f"'a' * {o}")),
        ))
        change = self.one(f"{name}.append('s')", f"{name}.insert(0, 's')", f"{name}[:] = ['s']", f"self.seen = {name}.append('s')")
        exit_method = ["    def __exit__(self, *x): pass"] if method.startswith("__enter__") else []
        return [f"class {type_name}:", f"    def {method}:", f"        {change}", f"        return {result}", *exit_method, f"{o} = {type_name}()", self.rng.choice(operations)]

    def hooks(self, depth):
        """Classes whose attributes other code determines."""
        if self.in_function:
            return self.assign(depth)
        name, helper, o = self.fresh("C"), self.fresh("B"), self.fresh("o")
        value, other = self.expr("str", 1), self.literal("str")
        self.functions["str"].append(self.one(f"{name}.a", f"{o}.a", f"getattr({o}, 'a')", f"{o}.get()"))
        body = [f"    a = {value}", "    def get(self): return self.a"]
        return self.rng.choice((
            lambda: [f"class {helper}:", f"    def __init_subclass__(cls, **kw): cls.a = {other}", f"class {name}({helper}):", *body],
            lambda: [f"class {helper}(type):", "    def __new__(m, n, b, d):", f"        d['a'] = {other}", "        return super().__new__(m, n, b, d)",
                     f"class {name}(metaclass={helper}):", *body],
            lambda: [f"class {helper}:", f"    def __set_name__(self, owner, n): owner.a = {other}", f"class {name}:", *body, f"    d = {helper}()"],
            lambda: [f"class {helper}:", f"    def __get__(self, x, t=None): return {other}", f"class {name}:", f"    a = {helper}()", "    def get(self): return self.a"],
            lambda: [f"class {name}:", *body, f"    def __getattribute__(self, k): return object.__getattribute__(self, k) if k == 'get' else {other}"],
            lambda: [f"class {helper}:", f"    __a = {value}", "    @property", "    def a(self): return self.__a", "    get = lambda self: self.a", f"class {name}({helper}):", f"    __a = {other}"],
            lambda: ["@dataclass", f"class {helper}:", f"    a: str = {value}", "    def get(self): return self.a", f"class {name}({helper}): {self.one('pass', f'a = {other}')}"],
            lambda: [f"class {name}:", *body, f"type({name}()).a = {other}"],
            lambda: [f"class {name}:", *body, f"class {helper}:", f"    a = {other}", "    def get(self): return self.a", f"def {o}_of():", f"    x = {name}()", f"    x.__class__ = {helper}", "    return x", f"{name}.get = {o}_of().get"],
        ))() + [f"{o} = {name}()"]

    def late(self, depth):
        """Functions that unknown code runs before their names change, and recipes that change through other references."""
        if not self.inputs or self.in_function:
            return self.assign(depth)
        name, f, x = self.var("str"), self.fresh("f"), self.fresh("x")
        words, mod = self.var("words"), self.var("mod")
        if name is None or words is None:
            return self.assign(depth)
        recipe = f"oneshot(model='m', recipe=QuantizationModifier(targets='Linear', scheme={name}, ignore={words}))"
        change = self.one([f"{name} = {self.expr('str', 1)}"], [f"{words}.append('late')"], [f"{words} = {self.expr('words', 1)}"], [])
        return self.rng.choice((
            lambda: [f"def {f}():", f"    {recipe}", f"tuning.run({f})", *change],
            lambda: [f"async def {f}():", f"    {recipe}", f"asyncio.run({f}())", *change],
            lambda: [f"def {f}():", f"    {recipe}", "    yield 1", f"for _ in {f}(): pass", *change],
            lambda: [f"class {f}:", f"    def run(self): {recipe}", f"tuning.run({f}().run)", *change],
            lambda: [f"tuning.keep({mod})", f"{x} = tuning.pick([{mod}, {mod}])", f"{x}.scheme = {name}", f"oneshot(model='m', recipe=[{mod}])"] if mod else change,
            lambda: [f"{x} = [{mod}]", f"tuning.keep({x})", f"{x}.append({self.literal('mod')})", f"oneshot(model='m', recipe={x})"] if mod else change,
        ))()

    def method(self, depth):
        """Changes through methods of bound objects, and `functools.partial`."""
        name = self.fresh("p")
        if self.in_function:
            return self.assign(depth)
        return self.rng.choice((
            lambda: self.bind("mod", name, f"{name} = functools.partial({self.rng.choice(SCHEME_CLASSES)}, targets={self.expr('words', 1)})", f"{name}(scheme={{str}}, ignore={{words}})"),
            lambda: self.bind("str", name, f"{name} = '{{}}-{{}}'.format", f"{name}({{str}}, {{int}})"),
            lambda: self.bind("mod", name, f"{name} = {self.rng.choice(SCHEME_CLASSES)}", f"{name}(**{{kw}})"),
            lambda: self.bind("str", name, f"{name} = lambda x, y={self.expr('str', 1)}: x + y", self.one(f"{name}({{str}})", f"{name}({{str}}, {{str}})")),
            lambda: self.bind("kw", name, f"{name} = dict", f"{name}(targets={{words}}, scheme={{str}})"),
        ))()

    def bind(self, kind, name, line, call):
        self.functions[kind].append(call)
        return [line]

    def outside(self, depth):
        """Calls of code that the reader cannot see."""
        if not self.inputs or self.in_function:
            return self.assign(depth)
        kind = self.one("words", "words", "kw", "mod", "mods")
        name = self.var(kind)
        if name is None:
            return self.assign(depth)
        f, o = self.fresh("f"), self.fresh("o")
        return ["import tuning", *self.rng.choice((
            lambda: [f"tuning.change({name})"],
            lambda: [f"tuning.keep({name})", *self.block(depth, 1), "tuning.flush()"],
            lambda: [f"{self.declare(kind)} = tuning.same({name})"],
            lambda: [f"for x in [{name}]: tuning.change(x)"],
            lambda: [f"list(map(tuning.change, [{name}]))"],
            lambda: [f"def {f}():", f"    global {name}", f"    {name} = {self.literal(kind)}", f"tuning.run({f})"],
            lambda: [f"def {f}(): {self.one(f'{name}.append(1)', f'{name}.clear()') if kind in ('words', 'mods') else 'pass'}", f"tuning.run({f})"],
            lambda: [f"class {o}: pass", f"{o}.xs = {self.var('words') or '[]'}", f"tuning.change({o})"],
            lambda: [f"with contextlib.suppress(Exception): tuning.change({name})"],
            lambda: [f"if tuning.flag(): {name} = {self.literal(kind)}"],
            lambda: [f"sorted([{name}], key=tuning.change)"],
            lambda: [f"{o} = functools.partial(tuning.change, {name})", f"{o}()"],
            lambda: [f"while tuning.flag():", f"    {name} = {self.literal(kind)}", "    break"],
            lambda: [f"try:", f"    if tuning.flag(): raise ValueError", f"    {name} = {self.literal(kind)}", "except ValueError: pass"],
        ))()]

    def options(self, depth):
        """Defaults of command line options. The script runs without options."""
        if self.inputs or self.in_function:
            return self.assign(depth)
        parser, result, kind = self.fresh("parser"), self.fresh("args"), self.kind()
        name = self.one("a", "long_name")
        option = f"'--{name.replace('_', '-')}'"
        lines = [f"{parser} = argparse.ArgumentParser()", f"{parser}.add_argument({self.one('', repr('-z') + ', ')}{option}, default={self.expr(kind, 1)})"]
        lines += self.one([], [f"{parser}.add_argument('--flag', action='{self.one('store_true', 'store_false')}')"], [f"{parser}.add_argument('rest', nargs='*')"],
                          [f"{parser}.add_argument('--n', type=int, default={self.one(3, repr('4'))})"], [f"{parser}.set_defaults({name}={self.expr(kind, 1)})"])
        if "--flag" in lines[-1]:
            self.functions["bool"].append(f"{result}.flag")
        if "--n" in lines[-1]:
            self.functions["int"].append(f"{result}.n")
        self.functions[kind].append(self.one(f"{result}.{name}", f"vars({result})[{name!r}]", f"getattr({result}, {name!r})"))
        return [*lines, f"{result} = {parser}.{self.one('parse_args()', 'parse_args([])', 'parse_known_args()[0]')}",
                *self.one([], [f"{result}.{name} = {self.expr(kind, 1)}"])]

    def namespace(self, depth):
        """Changes of names through mappings and strings of code."""
        kind = self.one("str", "words")
        name = self.var(kind)
        if name is None or self.in_function:
            return self.assign(depth)
        value = self.expr(kind, 1)
        return self.rng.choice((
            lambda: [f"globals()[{name!r}] = {value}"],
            lambda: [f"exec({(name + ' = ' + self.literal(kind))!r})"],
            lambda: [f"{name} = eval({self.literal(kind)!r})"],
            lambda: [f"vars()[{name!r}] = {value}"],
            lambda: [f"globals().update({name}={value})"],
            lambda: [f"locals()[{name!r}] = {value}"],
            lambda: ["import builtins", f"{name} = builtins.{self.one('str', 'sorted') if kind == 'str' else 'list'}({self.expr(kind, 1)}) and {value}"],
        ))()

    def shadow(self, depth):
        """New meanings of names that the reader knows."""
        if self.in_function or not self.chance(0.3):
            return self.statement(3)
        return self.rng.choice((
            lambda: ["def sorted(xs, **kw): return list(xs)"],
            lambda: ["len = lambda x: 3"],
            lambda: ["str = repr"],
            lambda: ["def list(x): return [*x, 'shadow']"],
            lambda: ["class dict(dict):", "    def get(self, k, d=None): return d"],
            lambda: ["QuantizationModifier = GPTQModifier"],
            lambda: ["QuantizationModifier, GPTQModifier = GPTQModifier, QuantizationModifier"],
            lambda: ["W4A16['targets'] = ['Linear']"],
            lambda: ["W4A16['weights'].num_bits = 3"],
            lambda: ["copy.deepcopy = lambda x: x"],
            lambda: ["json.loads = lambda s: ['patched']"],
            lambda: ["os.path.join = lambda *a: 'joined'"],
            lambda: ["def max(*xs, key=None): return xs[0] if key is None else xs[0][0]"],
        ))()

    # Recipes

    def recipe(self):
        """The statements that pass a recipe to a call."""
        call = lambda value: f"oneshot({self.one('', 'model=')}'m', recipe={value}{self.one('', ', dataset=' + repr('d'))})"
        forms = (
            lambda: [call(self.expr("mod", 2))],
            lambda: [call(self.expr("mods", 2))],
            lambda: [call(f"[{self.some('mod', 2)}]")],
            lambda: [call(self.some("mods", 2))],
            lambda: [call(f"QuantizationModifier(targets={self.some('words')}, scheme={self.some('str')}, ignore={self.some('words')})")],
            lambda: [call(f"QuantizationModifier(targets={self.some('words')}, scheme={self.some('str')}, ignore={self.some('words')})")],
            lambda: [call(f"GPTQModifier(**{self.some('kw')})")],
            lambda: [call(f"GPTQModifier(config_groups={{'g': {self.some('group')}}}, ignore={self.some('words')})")],
            lambda: [f"for w in {self.expr('words', 1)}:", f"    {call(f'GPTQModifier(targets=[w], scheme={self.some(chr(115) + chr(116) + chr(114))}, ignore={self.some(chr(119) + chr(111) + chr(114) + chr(100) + chr(115))})')}"],
            lambda: [f"for s in ({self.expr('str', 1)}, {self.expr('str', 1)}):", f"    if s == {self.literal('str')}: {self.one('continue', 'break')}", "    " + call("QuantizationModifier(targets='Linear', scheme=s, ignore=['lm_head'])")],
            lambda: [f"def run(scheme, ignore=('lm_head',)):", "    " + call("QuantizationModifier(targets='Linear', scheme=scheme, ignore=list(ignore))"),
                     f"run({self.expr('str', 1)})", f"run({self.expr('str', 1)}, {self.expr('words', 1)})"],
            lambda: [f"if {self.expr('bool', 2)}:", "    " + call(self.expr("mod", 1)), "else:", "    " + call(self.expr("mods", 1))],
            lambda: [f"if __name__ == '__main__':", "    " + call(self.expr("mods", 2))],
            lambda: ["def main():", f"    recipe = {self.expr('mods', 1)}", "    " + call("recipe"), "main()"],
            lambda: ["kwargs = {}", f"kwargs['recipe'] = {self.expr('mods', 1)}", "oneshot(model='m', **kwargs)"],
            lambda: [f"recipe = {self.text_recipe()}", call("recipe")],
            self.nni_recipe,
            lambda: [f"head = {'quant_stage:' + chr(10) + '  quant_modifiers:' + chr(10)!r}",
                     f"head += f'    QuantizationModifier: {{{{scheme: {{{self.plain_name() or repr(5)}}}, targets: [Linear]}}}}'", call("head")],
            lambda: [f"try:", "    " + self.raising()[0], "    " + call(self.expr("mod", 1)), "except Exception:", "    " + call(self.expr("mod", 1))],
            lambda: [f"[oneshot(model='m', recipe=m) for m in {self.expr('mods', 1)}]"],
            lambda: [f"m1 = {self.expr('mod', 1)}", call("m1"), f"m1.scheme = {self.expr('str', 1)}", call("m1")],
            lambda: [f"run = functools.partial(oneshot, model='m')", f"run(recipe={self.expr('mod', 1)})"],
        )
        return self.rng.choice(forms)()

    def nni_recipe(self):
        entry = lambda: self.rng.choice((
            lambda: f"{{'op_names': {self.expr('words', 1)}, 'sparse_ratio': {self.expr('float', 1)}}}",
            lambda: f"dict(op_types=['Conv2d', 'Linear'], sparse_ratio={self.expr('float', 1)})",
            lambda: "{'op_names': ['fc'], 'exclude': True}",
        ))()
        name = self.fresh("config_list")
        change = self.one([], [f"{name}.append({entry()})"], [f"{name}[0]['sparse_ratio'] = {self.expr('float', 1)}"], [f"{name} += [{entry()}]"], [f"del {name}[0]"], [f"{name} = {name}[::-1]"])
        return ["from nni.compression.pruning import L1NormPruner", f"{name} = [{', '.join(entry() for _ in range(self.rng.randint(1, 2)))}]", *change,
                f"pruner = L1NormPruner(None, {self.one('', 'config_list=')}{name})"]

    def text_recipe(self):
        stage = {"quant_stage": {"quant_modifiers": {self.rng.choice(SCHEME_CLASSES): {"scheme": self.rng.choice(PRESETS), "targets": ["Linear"], "ignore": ["lm_head", self.rng.choice(WORDS[2:5])]}}}}
        import json
        import small_yaml
        text = small_yaml.dump(stage, sort_keys=False)
        scheme = f"{{{self.plain_name() or 5}}}"
        lines = ["s_stage:", "  g_modifiers:", "    GPTQModifier:", f"      scheme: {scheme}", "      targets: [Linear]"]
        quoted = '"""\n' + text + '"""'
        return self.rng.choice((
            lambda: quoted,
            lambda: "textwrap.dedent(" + '"""\n' + textwrap.indent(text, "        ") + '    """)',
            lambda: 'f"""\n' + "\n".join(lines) + '\n"""',
            lambda: repr(json.dumps(stage)),
            lambda: f"json.dumps({stage!r})",
            lambda: f"yaml.dump({stage!r}{self.one('', ', sort_keys=False')})",
            lambda: f'"\\n".join({[line.replace(scheme, "FP8") for line in lines]!r})',
            lambda: quoted + self.one(".strip()", " % ()", "[1:]", ".lstrip()", ".rstrip() + chr(10)", ".replace('lm', 'x')"),
            lambda: '"s_stage:\\n  g_modifiers:\\n    GPTQModifier: {scheme: %s, targets: [Linear], block_size: %d}\\n" % (' + f"{self.rng.choice(PRESETS)!r}, {self.some('int')})",
        ))()


def write(rng, only=()):
    """Returns a random script that runs without an exception for the first combination of inputs.

    `only` names methods of Writer that write most of the statements.
    """
    inputs = rng.random() < 0.3
    namespace = {"__name__": "__main__", "__file__": record.NAME}
    writer = Writer(rng, inputs, namespace, only)
    lines = HEADER.splitlines() + (["import tuning"] if inputs else [])
    environment = {"argument": record.ARGUMENTS[0] if inputs else None, "mode": None, "external": False}
    session = record.Session(environment, namespace)
    with session:
        session.run("\n".join(lines))
        for _ in range(rng.randint(4, 12)):
            attempt(writer, session, lines, lambda: writer.statement(0))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            attempt(writer, session, lines, writer.recipe)
            if rng.random() < 0.3:
                attempt(writer, session, lines, lambda: writer.statement(0))
        if rng.random() < 0.05:
            lines += [rng.choice(("sys.exit(0)", "raise SystemExit", "exit()")), "oneshot(model='m', recipe=GPTQModifier(scheme='W8A8', targets='never'))"]
    return "\n".join(lines) + "\n"


def attempt(writer, session, lines, write_lines):
    """Adds lines that run. Tries several times."""
    for _ in range(4):
        writer.budget = 8
        names = {kind: list(each) for kind, each in writer.names.items()}
        functions = {kind: list(each) for kind, each in writer.functions.items()}
        try:
            new = write_lines()
        except IndexError:
            new = None
        if new is not None and sum(map(len, new)) < 3000 and session.run("\n".join(new)):
            lines += new
            return
        writer.names, writer.functions = names, functions
