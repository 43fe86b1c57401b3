"""Finds mutants in C++ sources and writes sources that hold them all, each behind a switch (mutation.h).

The rules look at the text only. They rely on the layout of clang-format: binary operators have spaces around them, and the
brackets of templates have none. What they get wrong does not compile and is dropped by build.py.
"""
import bisect
import re

# In the order of the expressions: what may be replaced, and what stands in its place.
OPERATORS = {"<": ("<=", "Less"), "<=": ("<=", "LessEqual"), ">": ("<=", "Greater"), ">=": ("<=", "GreaterEqual"),
             "==": ("==", "Equal"), "!=": ("==", "NotEqual"), "+": ("+", "Plus"), "-": ("+", "Minus")}
MUTATED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+"}

LITERALS = re.compile(r'R"(\w*)\((?s:.*?)\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?s:.*?)\*/|^[ ]*#(?:\\\n|[^\n])*',
                      re.MULTILINE)
OPENING, CLOSING = "([{", ")]}"


def masked(text):
    """The text with strings, characters, comments and directives blanked, of the same length and lines."""
    def blank(match):
        kept = re.sub(r"[^\n]", "\0", match[0])
        return kept if match[0].lstrip()[:1] in "#/" else '"' + kept[1:-1] + '"'
    return LITERALS.sub(blank, text).replace("\0", " ")


class Mutant:
    """Edits are triples of begin, end and text; {n} stands for the number of the mutant."""

    def __init__(self, rule, shown, begin, end, edits, in_constant=False):
        self.rule, self.shown, self.begin, self.end, self.edits = rule, shown, begin, end, edits
        self.in_constant = in_constant
        self.file = self.line = self.last = self.key = self.number = None


class Source:
    def __init__(self, file, text):
        self.file, self.text, self.code = file, text, masked(text)
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.constants = list(self.find_constants())
        self.excluded = list(self.find_excluded())

    def line_of(self, at):
        return bisect.bisect_right(self.starts, at)

    def line_text(self, line):
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return self.text[self.starts[line - 1]:end]

    def find_constants(self):
        """Ranges of the initializers of constexpr variables, with the place of the word."""
        for match in re.finditer(r"\bconstexpr\b(?![^;{}=(]*\()[^;{}=(]*[={]", self.code):
            if self.code[:match.start()].rstrip().endswith("if"):
                continue
            yield match.start(), self.skip(match.end() - 1, ";")

    def find_excluded(self):
        """Ranges of what is evaluated by the compiler."""
        patterns = (r"\benum\b[^;{]*\{", r"\bstatic_assert\(", r"\bif constexpr \(", r"\brequires\b", r"\bnoexcept\(", r"\bdecltype\(")
        for match in re.finditer("|".join(patterns), self.code):
            yield match.start(), self.skip(match.end(), ";{")
        for match in re.finditer(r"\bcase [^:]*:|\btemplate <[^\n]*|\w<[^<>;(){}\n]*(?:<[^<>;(){}\n]*>[^<>;(){}\n]*)*>", self.code):
            yield match.start(), match.end()

    def skip(self, at, ends):
        """The place of the first of `ends` that is at the depth of `at`."""
        depth = 0
        while at < len(self.code):
            if self.code[at] in ends and depth == 0:
                return at
            depth += (self.code[at] in OPENING) - (self.code[at] in CLOSING)
            if depth < 0:
                return at
            at += 1
        return at

    def is_excluded(self, at):
        return any(begin <= at < end for begin, end in self.excluded)

    def is_constant(self, at):
        return any(begin <= at < end for begin, end in self.constants)

    def mutants(self):
        for rule in RULES:
            for mutant in rule(self):
                if self.is_excluded(mutant.begin):
                    continue
                mutant.in_constant = self.is_constant(mutant.begin)
                mutant.file, mutant.line, mutant.last = self.file, self.line_of(mutant.begin), self.line_of(mutant.end)
                yield mutant

    def operand_after(self, at):
        """The range of the operand of `&&` or `||` that begins at `at`, without blanks around it."""
        end, depth = at, 0
        while end < len(self.code):
            if depth == 0 and (self.code.startswith(("&&", "||"), end) or self.code[end] in ",;?:" and not self.code.startswith("::", end)
                               and self.code[end - 1:end + 1] != "::"):
                break
            depth += (self.code[end] in OPENING) - (self.code[end] in CLOSING)
            if depth < 0:
                break
            end += 1
        return self.stripped(at, end)

    def operand_before(self, end):
        at, depth = end, 0
        while at > 0:
            before = self.code[at - 1]
            if depth == 0 and (self.code[at - 2:at] in ("&&", "||") or before in ",;?" or before == ":" and self.code[at - 2] == " "
                               or re.search(r"(\breturn|[^=!<>]=)$", self.code[at - 8:at]) and self.code[at:at + 1] == " "):
                break
            depth += (before in CLOSING) - (before in OPENING)
            if depth < 0:
                break
            at -= 1
        return self.stripped(at, end)

    def stripped(self, begin, end):
        while begin < end and self.code[begin].isspace():
            begin += 1
        while begin < end and self.code[end - 1].isspace():
            end -= 1
        return begin, end


def short(text):
    return re.sub(r"\s+", " ", text).strip()


def operators(source):
    for match in re.finditer(r"(?<=[\w)\]}\"] )(<=|>=|==|!=|<|>|\+|-)(?=\s)(?!\s*\{)", source.code):
        sign = match[1]
        line = source.line_text(source.line_of(match.start()))
        if sign in "+-" and '"' in line or re.search(r"\boperator|\btemplate\b", line):
            continue
        outer, kind = OPERATORS[sign]
        edit = (match.start(), match.end(), f"{outer} ::mutation::{kind}{{{{n}}}} {outer}")
        yield Mutant("operator", f"{sign} -> {MUTATED[sign]}", match.start(), match.end(), [edit])


def operands(source):
    for match in re.finditer(r" (&&|\|\|)(?=\s)", source.code):
        differs = "false" if match[1] == "&&" else "true"
        ranges = [source.operand_after(match.end())]
        before = source.operand_before(match.start())
        if not re.search(r"(&&|\|\|)\s*$", source.code[:before[0]]):
            ranges.append(before)
        for begin, end in ranges:
            if begin < end and " = " not in source.code[begin:end].split("{")[0]:
                yield Mutant("operand", f"without {short(source.text[begin:end])}", begin, end,
                             [(begin, begin, "::mutation::condition({n}, static_cast<bool>("), (end, end, f"), {differs})")])


def branches(source):
    for match in re.finditer(r"\bif \(", source.code):
        end = source.skip(match.end(), "")
        init = source.skip(match.end(), ";")
        begin, end = source.stripped(init + 1 if init < end else match.end(), end)
        condition = source.code[begin:end]
        if " = " in re.sub(r"\{.*\}", "", condition, flags=re.DOTALL):
            continue
        yield Mutant("branch", f"never if ({short(source.text[begin:end])})", begin, end,
                     [(begin, begin, "::mutation::condition({n}, static_cast<bool>("), (end, end, "), true)")])


def numbers(source):
    for match in re.finditer(r"(?<![\w.\[<'])(0x[0-9a-fA-F']+|\d[\d']*(?:\.\d+)?(?:e-?\d+)?)(?![\w.'])(?!\s*(?:>(?!=)(?! )|\]))", source.code):
        yield Mutant("number", f"{match[1]} -> next", match.start(), match.end(),
                     [(match.start(), match.end(), f"::mutation::number({{n}}, {match[1]})")])


def booleans(source):
    for match in re.finditer(r"\b(?:true|false)\b", source.code):
        other = "false" if match[0] == "true" else "true"
        yield Mutant("boolean", f"{match[0]} -> {other}", match.start(), match.end(),
                     [(match.start(), match.end(), f"({match[0]} != ::mutation::is_active({{n}}))")])


def statements(source):
    pattern = re.compile(r"^ +((?![^\n]*\.reserve\(|return\b|else\b|delete\b|throw\b|case\b|default\b|using\b)(?:\+\+|--|\*)?\w[\w.:>()\[\]*-]*(?:\(| \+= | -= | = |;)[^\n]*;)[ ]*$",
                         re.MULTILINE)
    for match in pattern.finditer(source.code):
        before = source.code[:match.start()].rstrip()
        words = match[1]
        if not before.endswith((";", "{", "}")) or words.count("(") != words.count(")") or words.count("{") != words.count("}"):
            continue
        if re.match(r"(break|continue);", words):
            continue
        yield Mutant("statement", f"without {short(source.text[match.start(1):match.end(1)])}", match.start(1), match.end(1),
                     [(match.start(1), match.start(1), "if (!::mutation::is_active({n})) { "), (match.end(1), match.end(1), " }")])


def arguments(source):
    name = r"[A-Za-z_](?:\w|\.|->)*"
    for match in re.finditer(rf"\b([a-z_]\w*)\(({name}), ({name})\)", source.code):
        function, first, second = match.groups()
        if function in ("max", "min", "swap", "tie", "pair", "tuple", "emplace", "move", "insert") or first == second or {first, second} & {"true", "false", "nullptr", "this"}:
            continue
        switch = "::mutation::is_active({n}) ? "
        yield Mutant("arguments", f"{match[0]} with arguments swapped", match.start(2), match.end(3),
                     [(match.start(2), match.end(2), f"{switch}{second} : {first}"), (match.start(3), match.end(3), f"{switch}{first} : {second}")])


def extremes(source):
    for match in re.finditer(r"\bstd::(max|min)\(", source.code):
        kind = match[1].capitalize()
        other = "min" if kind == "Max" else "max"
        yield Mutant("extreme", f"std::{match[1]} -> std::{other}", match.start(), match.end() - 1,
                     [(match.start(), match.end() - 1, f"::mutation::{kind}{{{{n}}}}")])


def elements(source):
    """Strings in lists of strings."""
    for match in re.finditer(r'\{((?:\s*"[^"\n]*",?)+)\s*\}', source.code):
        for part in re.finditer(r'"[^"\n]*"', source.code[match.start():match.end()]):
            begin, end = match.start() + part.start(), match.start() + part.end()
            yield Mutant("element", f"without {source.text[begin:end]}", begin, end,
                         [(begin, begin, "::mutation::text({n}, "), (end, end, ")")])


RULES = (operators, operands, branches, numbers, booleans, statements, arguments, extremes, elements)


def mutated_text(source, mutants, relaxed):
    """The source with its mutants. `relaxed`: the constants that contain mutants are initialized at the start of the program."""
    edits = []
    for index, mutant in enumerate(mutants):
        for begin, end, text in mutant.edits:
            # At one place what ends an expression comes first, the inner one before the outer one, then what begins one.
            closes = begin == end == mutant.end
            order = (0, -mutant.begin, -index) if closes else (1, -mutant.end, index) if begin == end else (2, 0, 0)
            if mutant.in_constant:
                text = text.replace("::mutation::", "::mutation::at_start::")
            edits.append((begin, *order, end, text.replace("{n}", str(mutant.number))))
    if relaxed:
        for begin, end in source.constants:
            if any(begin <= mutant.begin < end for mutant in mutants):
                edits.append((begin, 2, 0, 0, begin + len("constexpr"), "const    "))
    edits.sort(key=lambda edit: edit[:4])
    out, at = [], 0
    for begin, _, _, _, end, text in edits:
        if begin < at:
            raise ValueError(f"{source.file}: edits overlap at line {source.line_of(begin)}")
        out += [source.text[at:begin], text]
        at = end
    return f'#include "mutation/mutation.h"\n#line 1 "{source.file}"\n' + "".join(out) + source.text[at:]
