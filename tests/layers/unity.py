"""Detects names at file scope that two sources of one namespace define.

Sources are compiled in batches, and which files share a batch changes with every file that is added. So a static
function, a constant, an alias or a class of one source must not have the name that another one has in the same
namespace, whether or not the two share a batch today. Functions may be overloaded.

    unity.py ROOT      checks lib/ and cmd/ below ROOT
    unity.py --test    checks that collisions are detected and overloads are not
"""

import collections
import pathlib
import re
import sys

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'(?!\w)|^[ \t]*#(?:\\\n|[^\n])*',
    re.S | re.M)
# A row of a rule, which has no semicolon.
ROW = re.compile(r"^DIAGNOSTIC\([^()]*(?:\([^()]*\)[^()]*)*\)", re.M)
TOKEN = re.compile(r"\w+|::|&&|[^\s\w]")
OPENING, CLOSING = "([{<", ")]}>"


def statements(text):
    """Yields (namespace, declaration, has_body) for each declaration at the scope of a namespace."""
    text = ROW.sub(" ", NOISE.sub(" ", text))
    namespaces, start, at = [], 0, 0
    while at < len(text):
        if text[at] == ";":
            yield "::".join(filter(None, namespaces)), text[start:at].split("{")[0].strip(), False
            start = at + 1
        elif text[at] == "{":
            head = text[start:at].strip()
            opened = re.fullmatch(r"(?:inline )?namespace\s*([\w:]*)", head)
            if opened:
                namespaces.append(opened[1])
                start = at + 1
            else:
                depth = 1
                while depth > 0 and at + 1 < len(text):
                    at += 1
                    depth += (text[at] == "{") - (text[at] == "}")
                yield "::".join(filter(None, namespaces)), head, True
                if is_function(head):
                    start = at + 1
        elif text[at] == "}" and namespaces:
            namespaces.pop()
            start = at + 1
        at += 1


def is_function(head):
    return "(" in head.split("=")[0] and not re.match(r"(template\s*<.*>\s*)?(struct|class|enum|union)\b", head)


def split_parameters(text):
    parts, depth = [""], 0
    for char in text:
        depth += (char in OPENING) - (char in CLOSING)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part.strip()]


def type_of(parameter):
    """Returns a parameter's type without qualifying namespaces, its name and its default value."""
    tokens = TOKEN.findall(parameter.split("=")[0])
    words = [token for token in tokens if re.match(r"\w", token) and token != "const"]
    if len(tokens) > 1 and len(words) > 1 and re.match(r"\w", tokens[-1]) and tokens[-2] != "::":
        tokens.pop()
    return re.sub(r"\w+\s?::\s?", "", " ".join(tokens))


def parameters_of(head, opening):
    depth = 0
    for at in range(opening, len(head)):
        depth += (head[at] == "(") - (head[at] == ")")
        if depth == 0:
            return tuple(type_of(part) for part in split_parameters(head[opening + 1:at]))
    return ()


def definition(head, has_body):
    """Returns (name, parameters, is_static) of what a declaration defines; None if it defines nothing of its own."""
    head = re.sub(r"\[\[.*?\]\]", "", head).strip()
    if re.match(r"template\s*<\s*>", head):
        return None
    head = re.sub(r"^template\s*<.*?>\s*(requires [^;]*?\s)?(?=(static|inline|struct|class|constexpr|void|auto|\w))", "",
                  head, flags=re.S)
    alias = re.match(r"using\s+(\w+)\s*=(.*)", head, re.S)
    if alias:
        return alias[1], ("=", " ".join(alias[2].split())), True
    kind = re.match(r"(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)\b(?!\s*::)", head)
    if kind:
        return (kind[1], None, True) if has_body else None
    opening = head.split("=")[0].find("(")
    if opening > 0:
        name = re.search(r"([\w:~]+|operator\S+)\s*$", head[:opening])
        plain = name and "::" not in name[1] and "operator" not in name[1]
        is_static = head.startswith("static ")
        return (name[1], parameters_of(head, opening), is_static) if plain and (has_body or is_static) else None
    constant = re.match(r"(?:static |inline |constexpr |const )+[^=]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)", head)
    return (constant[1], None, True) if constant and not head.startswith("extern") else None


def collisions(sources):
    """Returns a line for each name that two of the sources, given as {path: text}, define alike."""
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, text in sources.items():
        for namespace, head, has_body in statements(text):
            defined = definition(head, has_body)
            if defined:
                found[namespace, defined[0]][defined[1]].add(path)
    lines = []
    for (namespace, name), by_form in sorted(found.items()):
        others = [form for form in by_form if form is None or form[:1] == ("=",)]
        groups = [by_form[form] for form in by_form if form not in others]
        if len(others) > 1 or None in others:
            groups.append(set().union(*(by_form[form] for form in others)))
        lines += [f"{namespace}::{name} is defined in {' and '.join(sorted(group))}" for group in groups if len(group) > 1]
    return lines


def self_test():
    one = {"a.cpp": "namespace x {\nstatic int f(const doc::Node& n, int k = 1) { return k; }\nconstexpr int kA = 1;\n}"}
    bad = ["namespace {\nDIAGNOSTIC(AB1, n, error, (Text), \"a\")\nconstexpr int kA = 2;\n}", "static void f(const Node& m, int) {}", "constexpr char kA[] = \"}\";", "struct kA { int a; };"]
    good = ["static void f(const Node& m) {}", "static int g(int f) { return f; }", "struct B; int h();",
            "namespace y { constexpr int kA = 2; }", "/* constexpr int kA = 1; */ int C::f(const Node& n, int k) {}"]
    for body in bad:
        assert collisions({**one, "b.cpp": "namespace x {" + body + "}"}), body
    for body in good:
        assert not collisions({**one, "b.cpp": "namespace x {" + body + "}"}), body


def main():
    if sys.argv[1:] == ["--test"]:
        self_test()
        return
    root = pathlib.Path(sys.argv[1])
    paths = [path for top in ("lib", "cmd") for path in sorted((root / top).rglob("*")) if path.suffix in (".cpp", ".h")
             and "platform/wasi" not in path.as_posix()]  # compiled instead of platform/posix
    lines = collisions({str(path.relative_to(root)): path.read_text() for path in paths})
    print("\n".join(lines) or f"{len(paths)} files")
    sys.exit(bool(lines))


main()
