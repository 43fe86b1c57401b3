"""Compares the output of `inspect --format json` with the recordings of a script.

An output recipe agrees with a recorded recipe if each known value equals the recorded value:

    {"$unknown": why}          any value; as an element of a list, any number of elements
    "**" as a field            any further fields
    "optional" in a modifier   a modifier that is possibly missing

`calls` lists the lines of the calls that accept an output recipe. Without it, the output consists of modifiers that the
reader found, but whose call it does not know. Such modifiers must only be modifiers of some run.

A script with inputs has one recording per combination of inputs. Each output recipe must agree with a recorded recipe of at
least one run, and each recorded recipe must agree with an output recipe at its place.
"""

import ast
import collections

import standins

# Keys that validators add. The value of `strategy` is checked.
DERIVED = {"observer", "zp_dtype", "scale_dtype", "strategy", "requires_calibration_data"}


def derived_strategy(fields):
    """Returns the strategy that the validator of QuantizationArgs chooses."""
    size = fields.get("group_size")
    return "tensor" if size is None else "channel" if size == -1 else "group"


def is_derived(key, value, want):
    """Returns true for a key that validators add to a constructed mapping, with the value that they choose."""
    if not isinstance(want, standins.Constructed) or key not in DERIVED:
        return False
    return key != "strategy" or is_unknown(value) or value == derived_strategy(want)


class Difference(Exception):
    """A known value that is not the recorded one."""

    def __init__(self, place, known, recorded):
        super().__init__(place)
        self.place, self.known, self.recorded = place, known, recorded


def is_unknown(value):
    return isinstance(value, dict) and "$unknown" in value or isinstance(value, str) and "\u27e6" in value


def leaves(value):
    if isinstance(value, dict):
        return sum(map(leaves, value.values())) or 1
    if isinstance(value, list):
        return sum(map(leaves, value)) or 1
    return 1


def compare(got, want, place):
    """Returns the number of leaves of `want` that are known, or raises Difference."""
    if is_unknown(got) or isinstance(want, dict) and want.keys() == {"object"}:
        return 0  # also for an object that the stand-ins do not model
    if isinstance(want, dict) and isinstance(got, dict):
        return compare_mappings(got, want, place)
    if isinstance(want, list) and isinstance(got, list):
        return compare_lists(got, want, place)
    if type(got) is not type(want) or got != want:
        raise Difference(place, got, want)
    return 1


def compare_mappings(got, want, place):
    is_open = "**" in got
    if is_open and not is_unknown(got["**"]):
        raise Difference(f"{place}.**", got["**"], "no field of this name")
    for key in got:
        if key not in want and key != "**" and not is_derived(key, got[key], want):
            raise Difference(f"{place}.{key}", got[key], "no such key")
    known = 0
    for key, value in want.items():
        if key in got and key == "targets" and isinstance(got[key], str) and value == [got[key]]:
            known += 1  # a validator makes a list of a string
        elif key in got:
            known += compare(got[key], value, f"{place}.{key}")
        elif not is_open:
            raise Difference(f"{place}.{key}", "no such key", value)
    return known or int(not want)


def compare_lists(got, want, place):
    if not any(map(is_unknown, got)):
        if len(got) != len(want):
            raise Difference(f"{place} (length)", got, want)
        return sum(compare(a, b, f"{place}[{at}]") for at, (a, b) in enumerate(zip(got, want))) or int(not want)
    return sequence(got, want, place, compare, is_unknown, lambda _: False)


def sequence(got, want, place, compare_one, is_any, is_optional):
    """Compares lists with elements that match any number of elements, or none."""
    if not got:
        if want:
            raise Difference(f"{place} (length)", "no further element", want)
        return 0
    first, *rest = got
    faults = []
    choices = range(len(want) + 1) if is_any(first) else (0, 1) if is_optional(first) else (1,)
    for count in choices:
        try:
            if count > len(want):
                raise Difference(f"{place} (length)", got, want)
            own = compare_one(first, want[0], place) if count == 1 and not is_any(first) else 0
            return own + sequence(rest, want[count:], place, compare_one, is_any, is_optional)
        except Difference as fault:
            faults.append(fault)
    raise faults[0]


def compare_modifier(got, want, place):
    name = got["class"].rsplit(".", 1)[-1] if not is_unknown(got["class"]) else want["class"]
    if name not in (want["class"], want.get("compressor")):
        raise Difference(f"{place} (class)", name, want["class"])
    # An entry of NNI also has the arguments of the class that receives its list.
    own = {key: value for key, value in got["fields"].items() if key not in want.get("settings", ())}
    return compare(own, want["fields"], f"{place}{name}")


def by_class(modifiers):
    return sorted(modifiers, key=lambda modifier: modifier["class"])


def compare_recipe(got, want):
    """Returns the number of known leaves, or raises Difference."""
    if is_unknown(got["modifiers"]):
        return 0
    order = by_class if got.get("dialect") == "sparseml" else list  # SparseML sorts its modifiers
    return sequence(order(got["modifiers"]), order(want["modifiers"]), "", compare_modifier, is_unknown, lambda m: bool(m.get("optional")))


def has_unknown(value):
    if is_unknown(value):
        return True
    if isinstance(value, dict):
        return "**" in value or any(map(has_unknown, value.values())) or bool(value.get("optional"))
    return isinstance(value, list) and any(map(has_unknown, value))


def overlaps(got, lines):
    """Returns true if an output is about the lines: those of a call that accepts it, or of the calls that construct it."""
    if got.get("calls"):
        return any(line in lines for line in got["calls"])
    first, last = got["lines"]
    return any(first <= line <= last for line in lines)


def is_claim(got, all_outputs):
    """Returns true if an output is a recipe that a call accepts, and not modifiers without a known call."""
    return bool(got.get("calls")) or not any(each.get("calls") for each in all_outputs)


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def constructors(tree, lines):
    """Returns the calls in these lines that construct modifiers by the name of a class."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in calls if "Modifier" in ast.unparse(node.func) and lines[0] <= node.lineno <= lines[1]]


def around(tree, line, kinds):
    return [node for node in ast.walk(tree) if isinstance(node, kinds) and node.lineno <= line <= node.end_lineno]


def uses(tree, names):
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree))


def is_unreached(recipe, recordings, text):
    """Returns true if no run executes the calls that accept the recipe, or a call that constructs one of its modifiers."""
    executed = set().union(*(r["executed"] for r in recordings))
    first, last = recipe["lines"]
    if not executed & set(recipe.get("calls") or range(first, last + 1)):
        return True
    if recipe.get("form") != "objects":
        return False
    constructed = set().union(*(r["constructed"] for r in recordings)) - {None}
    inside = {position for position in constructed if first <= position[0] <= last}
    return not inside or not {standins.position_of(node) for node in constructors(ast.parse(text), recipe["lines"])} <= constructed


def statements_skipped(tree, executed):
    """Returns the statements that no run executes. It is not known for those in the line of a `def`."""
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    one_line = [node for each in functions for node in each.body if node.lineno == each.lineno]
    return one_line + [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno not in executed]


def is_of_other_values(recipe, recordings, text):
    """Returns true if the modifier is constructed with other values than in all runs.

    That is possible if code that is not executed calls the function around the call, or in a loop that ends early. The arguments
    that do not depend on names of the function or loop must be the recorded ones.
    """
    tree = ast.parse(text)
    calls = constructors(tree, recipe["lines"])
    if recipe.get("calls") or len(calls) != 1 or len(recipe["modifiers"]) != 1:
        return False
    line = recipe["lines"][0]
    skipped = statements_skipped(tree, set().union(*(r["executed"] for r in recordings)))
    functions = [node for node in around(tree, line, FUNCTIONS) if any(uses(each, {node.name}) for each in skipped)]
    loops = [node for node in around(tree, line, LOOPS) if any(isinstance(each, (ast.Break, ast.Continue, ast.Return)) for each in ast.walk(node))]
    if not functions and not loops:
        return False
    inside = [node for each in functions + loops for node in ast.walk(each)]
    local = {node.arg for node in inside if isinstance(node, ast.arg)}
    local |= {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    fixed = {argument.arg for argument in calls[0].keywords if argument.arg and not uses(argument.value, local)}
    [modifier] = recipe["modifiers"]
    fields = {key: value for key, value in modifier["fields"].items() if key in fixed} | {"**": {"$unknown": "other values"}}
    return is_loose({"modifiers": [modifier | {"fields": fields}]}, recordings)


def is_loose(recipe, recordings):
    """Returns true if each modifier of a recipe without a known call is a modifier of one run."""
    consumed = [] if recipe.get("calls") else ["recipes"]
    def modifiers(r):
        return r["loose"] + [m for kind in consumed for want in r[kind] for m in want["modifiers"]]
    return any(all(is_unknown(m) or any(agrees(m, each) for each in modifiers(r)) for m in recipe["modifiers"]) for r in recordings)


def is_alternative(recipe, recordings, got):
    """Returns true if all modifiers of a recipe without a known call are possibly missing, and those of another recipe of the
    same place are modifiers of one run."""
    optional = not recipe.get("calls") and all(is_unknown(m) or m.get("optional") for m in recipe["modifiers"])
    others = [each for each in got if each is not recipe and each["lines"] == recipe["lines"] and not each.get("calls")]
    return optional and any(is_loose(each, recordings) for each in others)


def agrees(got, want):
    try:
        compare_recipe({"modifiers": [got]}, {"modifiers": [want]})
        return True
    except Difference:
        return False


def is_same_model(known, recorded):
    """Returns true if the known model of an output is the recorded one. The class can be unknown."""
    return bool(recorded) and not recorded["changed"] and known["id"] == recorded["id"] and known["class"] in (None, recorded["class"])


def is_of_every_run(want, recordings):
    """Returns true if a run always passes this model here."""
    model = want.get("model")
    if not model or model["changed"]:
        return False
    return all(any(each["lines"] == want["lines"] and each.get("model") == model for each in r["recipes"]) for r in recordings)


def judge_model(verdict, agreeing, want, recordings):
    """Judges the model of the output recipes that agree with a recorded one."""
    known = [each["model"] for each in agreeing if each.get("model")]
    equal = any(is_same_model(each, want.get("model")) for each in known)
    verdict.models["known" if equal else "unknown"] += 1
    if is_of_every_run(want, recordings):
        verdict.models["sure"] += 1
        verdict.models["sure and known"] += equal
    if not equal and known and len(known) == len(agreeing):
        verdict.fault("wrong", "model", known[0], want.get("model"), want["lines"])


def judge_claimed_model(verdict, each, wanted):
    """A known model must be the model of one of the recorded recipes that the output agrees with."""
    recorded = [want.get("model") for want in wanted if agrees_with(each, want)]
    if each.get("model") and recorded and not any(is_same_model(each["model"], model) for model in recorded):
        verdict.fault("wrong", "model", each["model"], recorded[0], each["lines"])


def agrees_with(each, want):
    try:
        compare_recipe(each, want)
        return True
    except Difference:
        return False


class Verdict:
    """The result for one script. `faults` lists (kind, place, known, recorded, lines)."""

    def __init__(self):
        self.recipes = collections.Counter()  # equal, partly, missed, wrong, extra
        self.models = collections.Counter()  # of recorded recipes: known, unknown, sure, sure and known
        self.known = self.total = 0
        self.faults = []

    def fault(self, kind, place, known, recorded, lines=()):
        self.recipes[kind] += 1
        self.faults.append({"kind": kind, "place": place, "known": known, "recorded": recorded, "lines": sorted(lines)})


def best(got, want):
    """Returns (known leaves, output recipe) of the output recipe that agrees best; otherwise the first difference."""
    agreeing, faults = [], []
    for each in got:
        try:
            agreeing.append((compare_recipe(each, want), each))
        except Difference as fault:
            faults.append((fault, each))
    return max(agreeing, key=lambda pair: pair[0], default=None), faults


def judge_recorded(verdict, got, want, recordings):
    at_place = [each for each in got if is_claim(each, got) and overlaps(each, want["lines"])]
    found, faults = best(at_place, want)
    if found is None:
        # Modifiers without a known call may be listed at another place. A recipe of another call does not count.
        found, _ = best([each for each in got if not each.get("calls")], want)
    total = sum(leaves(m["fields"]) for m in want["modifiers"])
    verdict.total += total
    if found is None and faults:
        fault, each = faults[0]
        verdict.fault("wrong", fault.place, fault.known, fault.recorded, want["lines"])
    elif found is None:
        verdict.recipes["missed"] += 1
    else:
        verdict.known += min(found[0], total)
        whole = not has_unknown(found[1]["modifiers"])
        verdict.recipes["equal" if whole else "partly"] += 1
        agreeing = [each for each in at_place if agrees_with(each, want)] or [found[1]]
        judge_model(verdict, agreeing, want, recordings)


def judge_output(verdict, each, recordings, text, got):
    """Each output recipe must be a recipe of some run, apart from code that no run reaches."""
    if each.get("static") and has_unknown(each["modifiers"]):
        verdict.fault("wrong", "static", True, "unknown values", each["lines"])
    wanted = [want for r in recordings for want in r["recipes"] + r["files"] if not want["lines"] or overlaps(each, want["lines"])]
    found, faults = best_of_recorded(each, wanted)
    if found:
        judge_claimed_model(verdict, each, wanted)
    if found or not any(not is_unknown(m) for m in each["modifiers"]):
        return
    if is_loose(each, recordings) or is_alternative(each, recordings, got):
        verdict.recipes["loose"] += 1
        return
    if is_unreached(each, recordings, text) or is_of_other_values(each, recordings, text):
        verdict.recipes["unreached"] += 1
        return
    if not faults:
        _, faults = best_of_recorded(each, [{"modifiers": [m]} for r in recordings for m in r["loose"]])
    if not verdict.faults:  # otherwise a consequence of a fault that is reported
        fault = faults[0] if faults else Difference("recipe", [m.get("class") for m in each["modifiers"]], "no recipe")
        verdict.fault("extra", fault.place, fault.known, fault.recorded, each["lines"])


def best_of_recorded(each, wanted):
    faults = []
    for want in wanted:
        try:
            compare_recipe(each, want)
            return True, []
        except Difference as fault:
            faults.append(fault)
    return False, faults


def merged(recordings):
    """Returns the different recipes of all runs."""
    out = []
    for recording in recordings:
        for want in recording["recipes"]:
            if not any(all(each.get(key) == want.get(key) for key in ("modifiers", "lines", "model")) for each in out):
                out.append(want)
    return out


def judge(output, recordings, text):
    """Returns the verdict on the output for a script; `output` is None if it is no JSON."""
    verdict = Verdict()
    got = output.get("recipes", []) if output else []
    for want in merged(recordings):
        judge_recorded(verdict, got, want, recordings)
    for each in got:
        judge_output(verdict, each, recordings, text, got)
    return verdict
