"""Compares the evaluation of `eval(...)` texts with SparseML's rules on Python's own parser.

    expression_differential.py PATH_OF_expression_eval [--count N] [--seed N] [--show N]

Exit status 1 if values, types, kinds of errors or names differ and `known_difference` gives no
reason.
"""
import argparse
import ast
import json
import operator
import random
import subprocess
import sys
import warnings


class Refused(Exception):
    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
FUNCTIONS = {"abs": abs, "float": float, "int": int, "max": max, "min": min, "round": round}


def checked(value):
    if isinstance(value, complex):
        raise Refused("unsupported")
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        raise Refused("too_large")
    return value


def endless(op, left, right):
    """Powers that Python would compute for longer than anyone waits."""
    return op is ast.Pow and isinstance(left, int) and isinstance(right, int) and abs(left) > 1 and right > 100


def evaluated(node, variables):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex):
        return checked(node.value)
    if isinstance(node, ast.Name):
        if node.id not in variables:
            raise Refused("unknown_variable")
        return variables[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        left, right = evaluated(node.left, variables), evaluated(node.right, variables)
        if endless(type(node.op), left, right):
            raise Refused("too_large")
        return checked(OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        positional = [evaluated(argument, variables) for argument in node.args]
        named = {keyword.arg: evaluated(keyword.value, variables) for keyword in node.keywords}
        digits = positional[1] if len(positional) > 1 else named.get("ndigits")
        if isinstance(digits, int) and digits < -400 and node.func.id == "round" and len(positional) + len(named) == 2:
            return evaluated(ast.parse("0.0" if isinstance((positional + [named.get("number")])[0], float) else "0").body[0].value, {})
        return checked(FUNCTIONS[node.func.id](*positional, **named))
    raise Refused("unsupported")


def names_in(node):
    """All names that are read, but for those of functions, in the order of the text."""
    called = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    found = [name for name in ast.walk(node)
             if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and id(name) not in called]
    return [name.id for name in sorted(found, key=lambda name: (name.lineno, name.col_offset))]


def python_answer(text, variables):
    try:
        body = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return {"error": "syntax", "names": []}
    if not body:
        return {"error": "syntax", "names": []}
    names = names_in(body[0]) if isinstance(body[0], ast.Expr) else None
    try:
        if not isinstance(body[0], ast.Expr):
            raise Refused("unsupported")
        value = evaluated(body[0].value, variables)
        return {"type": type(value).__name__, "value": repr(value), "names": names}
    except Refused as refused:
        kind = refused.kind
    except ZeroDivisionError:
        kind = "division_by_zero"
    except OverflowError:
        kind = "too_large"
    except (TypeError, ValueError):
        kind = "type_error"
    return {"error": kind, "names": names}


def known_difference(text, python, ours):
    message = ours.get("message", "")
    begun = ("lambda", "yield", "await", "async", "for", "class", "def", "if", "try", "while", "with")
    if ours.get("error") == "unsupported" and message in [f"`{word}` is not supported by SparseML" for word in begun]:
        return f"what follows `{message.split('`')[1]}` is not parsed"
    if "nested more than 100" in message or "more than 500 levels" in message or "longer than" in message:
        return "nesting and length are limited"
    if any(quote in text for quote in "\"'"):
        return "texts in quotes are not looked into"
    if not text.isascii() and "error" in python:
        return "letters of names beyond ASCII are not looked up"
    return None


VARIABLES = {"a": 3, "b": 0.5, "n": 0, "t": True, "f": False, "big": 2**62, "neg": -7, "x1": -2.5, "inf": 1e308, "min": 4,
             "epochs": 100, "lr": 0.001}
NUMBERS = """0 1 2 3 7 10 100 1_000 0x1F 0b101 0o17 0x_ff 00 0_0 9223372036854775807 9223372036854775808 4611686018427387904 9007199254740993
3037000500 0.0 1.0 0.5 2.5 3.5 .5 1. 1e3 1E-3 1e22 1e308 1e-308 5e-324 1e400 2.675 0.1 0.2 1.15 1e16 123456789.987654321 1_0.0_1e1_0
0777.5 0777e1 0.30000000000000004 50.0 60.0 150 250 25 35 45""".split()
ODD_NUMBERS = "0777 0x 1__0 1_ 09 0o8 0b2 1e 1e+ 1j 1.5j 1if 3or 1else 0xfor 1_000_ 12abc 1.2.3 0_7 00_0 1._5 1.e5 1.real 0b 0B1 0O7 0XfF".split()
NAMES = "a b n t f big neg x1 inf min epochs lr nope max True None".split()
INFIX = "+ - * / // % ** + - * / // % ** < <= == != > and or in is | & ^ << >> @ if:else not:in is:not".split()
TOKENS = """+ - * / // % ** ( ) [ ] { } , . : ; = == != <> ! ~ @ := -> += if else and or not in is lambda for import from as pass del True None ... ' "
\\ # \n \t $ ? ` a b 1 2.5 0x1 min( max( round( abs( int( float( number= ndigits= * ** é \u00a0 \0 \r\n""".split(" ") + ["\n", " ", "\n "]
LATER = ["; import os", "; import os.path as p, sys", "; from . import a", "; from ..a.b import (c as d, e,)", "; from a import *", "; pass",
         "; b = 2", "; b += 1", "; b: int", "; b: int = 3", "; del b", "; del 1", "; assert b, c", "; return", "; return 1, 2", "; raise a from b",
         "; global c", "; break", "; @", ";", ";;", "; 1 = 2", "; a() = 2", "; a.b = c[1] = 2", "; (a, *b) = c", "; a, b += 1", "; (a): int = 1",
         "\n2", "\n 2", " # comment", "\n# comment\n2", "\\\n+ 1", "; x = ", "; import", "; from import x", "; f(x)[1:2, ::3].y", "; [a, *b]",
         "; {1: 2, **a}", "; {1, 2}", "; {1: 2, 3}", "; ()", "; (*a)", "; (*a,)", "; a := 1", "; (a := 1)", "; not a in b", "; 1 not in b is not c",
         "; a if b else c", "; ...", "; assert", "; raise", "; if a: b", "; f(a=1, 2)", "; f(**a, *b)", "; f(*a, b, c=1, *d, **e)", "; a[]", "; -a ** -b",
         "; a <> b", "; a!b", "; nonlocal d", "; a = b = c", "; a = 1 = c", "; *a, b = c", "; 'a' 'b'", "; print 1"]
FIRST = ["a = 1", "import os", "pass", "a += 1", "a: int", "del a", "", " ", "#", "\n", "eval(1)", "a) + eval(b", "1, 2", "a,", "*a", "(a)", "((a))",
         "a.b", "a.b()", "a[0]", "[1]", "{}", "()", "f(1)", "round(2.5)(1)", "(min)(1, 2)", "not a", "~a", "+a", "-a", "-nope", "nope - -a", "1 < nope",
         "nope + [1]", "[1] + nope", "(1 | nope)", "(nope ** 2) | 1", "pow(nope, 2)", "abs(nope, [1])", "abs([1], nope)", "min(1, *[2])", "round(ndigits=nope, *[1])",
         "max(1, 2, default=3)", "max(1, 2, key=3)", "min(key=1)", "min()", "min(1)", "max(2, 1, 2.0)", "max(1, True)", "max(True, 1)", "min(1.0, 1)",
         "int(x=1)", "int(1, 2)", "int(1, base=2)", "int()", "float()", "float(x=1)", "float(1, 2)", "abs()", "abs(x=1)", "abs(t)", "round(t)",
         "round(t, 0)", "round()", "round(number=2.5)", "round(2.5, ndigits=0)", "round(1, number=2)", "round(ndigits=1)", "round(1, 2, 3)",
         "round(2.5, None)", "round(1, 1.0)", "round(1, t)", "round(**a)", "round(**nope)", "abs(**a)", "round(number=1, number=2.5)", "int(1e400)",
         "int(1e400 - 1e400)", "round(1e400)", "round(1e400, 2)", "round(1e400 - 1e400)", "max(1e400 - 1e400, 1)", "max(1, 1e400 - 1e400)",
         "9**9**9", "(0-1)**0.5", "(0-8) ** (1/3)", "0 ** (0-1)", "0.0 ** (0-1)", "0.0 ** (0-1e400)", "(0-1e400) ** 0.5", "10.0**400", "1e308*10",
         "2**63", "2**62*2", "(0-2)**63", "(0-2)**63 // (0-1)", "(0-2)**63 % (0-1)", "abs((0-2)**63)", "1/0", "1//0", "1%0", "1.0/0", "1//0.0", "1.0 % 0.0",
         "7 // (0-2)", "7 % (0-2)", "(0-7) // 2", "(0-7) % 2", "7.5 // (0-2)", "(0-7.5) % 2", "7.0 % (0-7)", "0.0 // (0-1)", "1e308 % 3e-308", "-1**2", "2**-1", "2**3**2",
         "9007199254740993 / 1", "9223372036854775807 / 9223372036854775806", "4611686018427387905 / 3", "max(9007199254740993, 9007199254740992.0)",
         "min(9007199254740993, 9007199254740992.0)", "max(9223372036854775807, 9223372036854775808.0)", "round(5e18, 0-18)",
         "round(9223372036854775807, 0-19)", "round(4611686018427387904, 0-19)", "round(5000000000000000000, 0-19)", "round(15, 0-1)", "round(25, 0-1)", "round(35, 0-1)",
         "round(1.7e308, 0-308)", "round(50.0, 0-2)", "round(50.00000001, 0-2)", "round(150.0, 0-2)", "round(1e22, 0-22)", "round(5e22, 0-23)", "round(0-2.5)",
         "round(0-0.4)", "round(0-0.4, 0)", "round(2.675, 2)", "round(5e-324, 323)", "round(5e-324, 324)", "round(1.5, 0-400)", "round(15, 0-1000)",
         "True", "None", "1 if a else 2", "1 if a", "a and b", "lambda: 1", "(lambda x: x)(1)", "[x for x in a]", "min(x for x in a)", "yield", "await a", "if a: b",
         "while a: b", "def f(): pass", "'text'", "b'x'", "f'{a}'", "r'\\'", "'''a\nb'''", "'a", "a b", "a 1", "1 a", "()()", "a..b", "...", "a.1", "a.if",
         "(" * 60 + "1" + ")" * 60, "(" * 90 + "1" + ")" * 90, "(" * 250 + "1" + ")" * 250, "+".join(["1"] * 400), "2**" * 20 + "1", "~" * 50 + "a",
         "1 +\n 2", "(1 +\n 2)", "1 \\\n + 2", "1 \\ + 2", "1 \\", "\u00a01 + 2\u3000", "\x1c1", "1\x0c+ 2", "1\v+ 2", "1\r\n2", "é", "é + 1", "×", "1;", ";1", "1;2", "1; 2 3"]


def generated(rng, depth=0):
    choice = rng.random()
    if depth > 3 or choice < 0.3:
        return rng.choice(rng.choices([NUMBERS, NAMES, ODD_NUMBERS], [60, 40, 1])[0])
    inner = lambda: generated(rng, depth + 1)
    if choice < 0.7:
        infix = rng.choice(INFIX[:14] if rng.random() < 0.9 else INFIX)
        first, _, second = infix.partition(":")
        if first == "if":
            return f"{inner()} if {inner()} else {inner()}"
        return rng.choice(["{} {} {}", "{}{}{}", "({} {} {})"]).format(inner(), f" {first} {second} " if first[0].isalpha() else first, inner())
    if choice < 0.92:
        arguments = [inner() for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        name = rng.choice(["abs", "float", "int", "max", "min", "round", "round", "pow"])
        if rng.random() < 0.15 and arguments:
            arguments[-1] = rng.choice(["number=", "ndigits=", "x=", "key=", "*", "**"]) + arguments[-1]
        if name == "round" and len(arguments) > 1 and rng.random() < 0.7:
            arguments[1] = rng.choice(["0", "1", "2", "3", "15", "(0-1)", "(0-2)", "(0-19)"])
        return f"{name}({', '.join(arguments)})"
    return rng.choice(["-{}", "+{}", "~{}", "not {}", "[{}]", "({},)", "{}[0]", "{}.real", "{{{}}}", "({})", "(0-{})", "{}()"]).format(inner())


def mutated(text, rng):
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        end = at + rng.choice([0, 0, 1, 2])
        text = text[:at] + rng.choice(TOKENS + [""]) + text[end:]
    return text


def texts(count, rng):
    yield from FIRST
    yield from ("a" + later for later in LATER)
    yield from NUMBERS + ODD_NUMBERS
    for number in range(count):
        text = generated(rng)
        if number % 5 == 0:
            text = mutated(text, rng)
        elif number % 10 == 1:
            text += rng.choice(LATER)
        elif number % 50 == 2:
            text = mutated(rng.choice(FIRST) + rng.choice(LATER), rng)
        yield text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")

    asked = list(texts(args.count, random.Random(args.seed)))
    lines = "".join(json.dumps({"text": text, "variables": VARIABLES}) + "\n" for text in asked)
    answers = subprocess.run([args.binary], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    differences, known, kinds = 0, {}, {}
    for text, line in zip(asked, answers, strict=True):
        ours, python = json.loads(line), python_answer(text, VARIABLES)
        kind = python.get("error") or python["type"]
        kinds[kind] = kinds.get(kind, 0) + 1
        same = all(ours.get(key) == python.get(key) for key in ("type", "value", "error"))
        # What a statement that is no expression reads is nobody's concern.
        if same and python["names"] in (None, ours["names"]) and ours.get("offset", 0) <= len(text.encode()):
            continue
        reason = known_difference(text, python, ours)
        if reason:
            known[reason] = known.get(reason, 0) + 1
            continue
        differences += 1
        if differences <= args.show:
            print(f"{text!r}:\n  python {python}\n  ours   {ours}")
    print(f"{len(asked)} texts: {kinds}")
    for reason, number in known.items():
        print(f"  listed: {reason}: {number}")
    print(f"{differences} differences")
    return differences != 0


if __name__ == "__main__":
    sys.exit(main())
