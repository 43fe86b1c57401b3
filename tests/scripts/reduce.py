"""Makes a failing script smaller: removes lines, then statements, and replaces expressions by their parts."""

import ast
import copy

EXPRESSION_PARTS = 12


def without_lines(text, fails):
    lines = text.splitlines()
    size = max(1, len(lines) // 2)
    while size >= 1:
        at = 0
        while at < len(lines):
            shorter = lines[:at] + lines[at + size :]
            if fails("\n".join(shorter) + "\n"):
                lines = shorter
            else:
                at += size
        size //= 2
    return "\n".join(lines) + "\n"


def bodies(tree):
    """Yields each list of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                yield getattr(node, name)


def inner_statements(statement):
    """Returns the bodies that can replace a compound statement."""
    found = [body for body in bodies(statement) if body and not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    return found + [case.body for case in getattr(statement, "cases", [])] + [handler.body for handler in getattr(statement, "handlers", [])]


def edits_of_statements(tree):
    """Yields functions that make the tree smaller in place, and return a function that restores it."""
    for body in list(bodies(tree)):
        for at in range(len(body) - 1, -1, -1):
            for replacement in [[], *inner_statements(body[at])]:
                def edit(body=body, at=at, replacement=replacement):
                    before = list(body)
                    body[at : at + 1] = replacement
                    return lambda: body.__setitem__(slice(None), before)
                yield edit


def parts(node):
    """Returns simpler expressions: the direct parts, or a short literal."""
    found = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr) and not isinstance(getattr(child, "ctx", ast.Load()), ast.Store)]
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            found.append(child.value)
        if isinstance(child, ast.comprehension):
            found.append(child.iter)
    return [each for each in found if not isinstance(each, (ast.Starred, ast.Slice, ast.FormattedValue))][:EXPRESSION_PARTS]


def edits_of_expressions(tree):
    for node in list(ast.walk(tree)):
        for name, value in list(ast.iter_fields(node)):
            slots = [(None, value)] if isinstance(value, ast.expr) else list(enumerate(value)) if isinstance(value, list) else []
            for at, child in slots:
                if isinstance(child, ast.keyword):
                    yield removal(value, at)
                if not isinstance(child, ast.expr) or isinstance(getattr(child, "ctx", ast.Load()), (ast.Store, ast.Del)):
                    continue
                if at is not None and isinstance(node, (ast.List, ast.Tuple, ast.Call, ast.BoolOp)):
                    yield removal(value, at)
                for part in parts(child):
                    yield replacement(node, name, at, part)


def removal(values, at):
    def edit():
        before = list(values)
        del values[at : at + 1]
        return lambda: values.__setitem__(slice(None), before)
    return edit


def replacement(node, name, at, part):
    def edit():
        values = getattr(node, name)
        if at is None:
            setattr(node, name, part)
            return lambda: setattr(node, name, values)
        if at >= len(values):
            return lambda: None
        before = values[at]
        values[at] = part
        return lambda: values.__setitem__(at, before)
    return edit


def text_of(tree):
    try:
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except Exception:
        return None


def without_parts(text, fails):
    if not fails(text_of(ast.parse(text))):
        return text  # the fault depends on the layout
    for edits in (edits_of_statements, edits_of_expressions):
        progress = True
        while progress:
            progress = False
            tree = ast.parse(text)
            for edit in edits(tree):
                restore = edit()
                shorter = text_of(tree)
                if shorter is not None and len(shorter) < len(text) and fails(shorter):
                    text, progress = shorter, True
                    break
                restore()
    return text


def reduce(text, fails, limit=1500):
    """Returns a smaller script for which `fails` is still true. Calls `fails` at most `limit` times."""
    calls = [0]
    seen = {}

    def bounded(candidate):
        if candidate not in seen:
            calls[0] += 1
            seen[candidate] = calls[0] <= limit and fails(candidate)
        return seen[candidate]

    text = without_lines(text, bounded)
    text = without_parts(text, bounded)
    return without_lines(text, bounded)
