"""Checks that the comparison notices wrong outputs, and that the small YAML agrees with PyYAML if that is installed."""

import copy
import os
import tempfile
import textwrap

import judge
import record
import reduce
import small_yaml
import standins

SCRIPT = """\
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier
from compressed_tensors.quantization import QuantizationArgs

def run(scheme):
    oneshot(model="m", recipe=QuantizationModifier(targets="Linear", scheme=scheme, ignore=["lm_head", "gate"]))

run("W8A8")
run("FP8")
group = {"targets": ["Linear"], "weights": QuantizationArgs(num_bits=4)}
oneshot(model="m", recipe=[GPTQModifier(config_groups={"g": group}), GPTQModifier(scheme="W4A16", block_size=128)])

def never():
    oneshot(model="m", recipe=QuantizationModifier(scheme="FP8"))
"""
UNKNOWN = {"$unknown": "a reason"}


def quantization(scheme):
    fields = {"targets": "Linear", "scheme": scheme, "ignore": ["lm_head", "gate"]}
    return {"form": "objects", "lines": [6, 6], "static": True, "modifiers": [{"class": "QuantizationModifier", "fields": fields}]}


def correct():
    weights = {"num_bits": 4, "observer": "memoryless_minmax"}
    groups = {"g": {"targets": ["Linear"], "weights": weights}}
    modifiers = [{"class": "GPTQModifier", "fields": {"config_groups": groups}}, {"class": "GPTQModifier", "fields": {"scheme": "W4A16", "block_size": 128}}]
    return [quantization("W8A8"), quantization("FP8"), {"form": "objects", "lines": [11, 11], "static": True, "modifiers": modifiers}]


def changed(at, change):
    recipes = correct()
    change(recipes[at])
    return recipes


def fields(recipe, at=0):
    return recipe["modifiers"][at]["fields"]


def uncalled():
    return [*correct(), {"lines": [14, 14], "modifiers": [{"class": "QuantizationModifier", "fields": {"scheme": "FP8"}}]}]


def dropping(recipe):
    del recipe["modifiers"][0]


def adding(recipe):
    recipe["modifiers"].insert(1, {"class": "SmoothQuantModifier", "fields": {}})


# (outputs, expected counts)
OUTPUTS = {
    "correct": (correct(), {"equal": 3}),
    "function that is never called": (uncalled(), {"equal": 3, "unreached": 1}),
    "nothing": ([], {"missed": 3}),
    "unknown value": (changed(0, lambda r: fields(r).update(scheme=UNKNOWN) or r.update(static=False)), {"partly": 1}),
    "unknown elements": (changed(0, lambda r: fields(r).update(ignore=["lm_head", UNKNOWN]) or r.update(static=False)), {"partly": 1}),
    "unknown fields": (changed(2, lambda r: fields(r, 1).pop("scheme") and fields(r, 1).update({"**": UNKNOWN}) or r.update(static=False)), {"partly": 1}),
    "possibly missing modifier": (changed(2, lambda r: adding(r) or r["modifiers"][1].update(optional="a reason") or r.update(static=False)), {"partly": 1}),
    "wrong value": (changed(0, lambda r: fields(r).update(scheme="W4A16")), {"wrong": 1}),
    "value of another type": (changed(2, lambda r: fields(r, 1).update(block_size="128")), {"wrong": 1}),
    "bool instead of number": (changed(2, lambda r: fields(r, 1).update(block_size=True)), {"wrong": 1}),
    "other order": (changed(0, lambda r: fields(r)["ignore"].reverse()), {"wrong": 1}),
    "missing element": (changed(0, lambda r: fields(r)["ignore"].pop()), {"wrong": 1}),
    "element after unknown elements": (changed(0, lambda r: fields(r).update(ignore=[UNKNOWN, "x"]) or r.update(static=False)), {"wrong": 1}),
    "missing field": (changed(0, lambda r: fields(r).pop("ignore")), {"wrong": 1}),
    "further field": (changed(0, lambda r: fields(r).update(group_size=3)), {"wrong": 1}),
    "further argument of weights": (changed(2, lambda r: fields(r)["config_groups"]["g"].update(other="x")), {"wrong": 1}),
    "other value of weights": (changed(2, lambda r: fields(r)["config_groups"]["g"]["weights"].update(num_bits=8)), {"wrong": 1}),
    "missing modifier": (changed(2, dropping), {"wrong": 1}),
    "further modifier": (changed(2, adding), {"wrong": 1}),
    "other class": (changed(0, lambda r: r["modifiers"][0].update({"class": "GPTQModifier"})), {"wrong": 1}),
    "invented recipe": ([*correct(), quantization("INT8")], {"extra": 1}),
    "one of two calls": (correct()[1:], {"wrong": 1}),
    "call with other modifiers": (changed(2, lambda r: dropping(r) or r.update(calls=[11])), {"wrong": 1}),
    "modifiers without a known call": ([quantization(s) | {"calls": [6]} for s in ("W8A8", "FP8")] + changed(2, dropping)[2:], {"equal": 2, "missed": 1, "loose": 1}),
    "static with an unknown value": (changed(0, lambda r: fields(r).update(scheme=UNKNOWN)), {"wrong": 1}),
}

INPUTS = """\
import sys
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier
scheme = "FP8" if sys.argv[1] == "fp8" else "W4A16"
oneshot(model="m", recipe=QuantizationModifier(scheme=scheme, targets="Linear"))
"""


def recorded(text):
    with tempfile.TemporaryDirectory() as folder:
        return record.record(os.path.join(folder, "script.py"), text)


def counts_of(recipes, text, recordings):
    verdict = judge.judge({"recipes": recipes}, recordings, text)
    return {kind: count for kind, count in verdict.recipes.items() if count}


def check_outputs():
    recordings = recorded(SCRIPT)
    for name, (recipes, expected) in OUTPUTS.items():
        got = counts_of(copy.deepcopy(recipes), SCRIPT, recordings)
        wrong = {kind: got.get(kind, 0) for kind in ("wrong", "extra")} if not {"wrong", "extra"} & expected.keys() else {}
        assert all(got.get(kind, 0) == count for kind, count in expected.items()) and not any(wrong.values()), (name, got, expected)


def check_inputs():
    """A value that depends on an input is neither of its values."""
    recordings = recorded(INPUTS)
    one = {"lines": [5, 5], "modifiers": [{"class": "QuantizationModifier", "fields": {"scheme": "FP8", "targets": "Linear"}}]}
    other = copy.deepcopy(one)
    fields(other)["scheme"] = "W4A16"
    assert counts_of([one], INPUTS, recordings).get("wrong"), "a value of one run"
    assert counts_of([one, other], INPUTS, recordings) == {"equal": 2}, "the values of both runs"
    fields(one)["scheme"] = UNKNOWN
    assert counts_of([one], INPUTS, recordings) == {"partly": 2}, "an unknown value"


MODELS = """\
import sys
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier
from transformers import AutoModelForCausalLM
from tuning import change
recipe = QuantizationModifier(scheme="FP8", targets="Linear")
oneshot(model=AutoModelForCausalLM.from_pretrained("a/b"), recipe=recipe)
oneshot(model="b/" + sys.argv[1], recipe=recipe)
model = AutoModelForCausalLM.from_pretrained("a/c")
model.lm_head = change
oneshot(model=model, recipe=recipe)
"""


def check_models():
    """A known model is the model of every run, and its modules are those of its id."""
    recordings = recorded(MODELS)
    modifiers = [{"class": "QuantizationModifier", "fields": {"scheme": "FP8", "targets": "Linear"}}]
    loaded = {"id": "a/b", "class": "AutoModelForCausalLM"}

    def recipes(first, second=None, third=None):
        models = zip((7, 8, 11), (first, second, third))
        return [{"lines": [6, 6], "calls": [line], "modifiers": modifiers, "model": model} for line, model in models]

    def wrong(*models):
        return counts_of(recipes(*models), MODELS, recordings).get("wrong", 0)

    assert not wrong(loaded) and not wrong(None) and not wrong(loaded | {"class": None}), "correct and unknown models"
    assert wrong(loaded | {"id": "a/d"}) and wrong(loaded | {"class": "AutoModel"}), "another id or class"
    assert wrong(loaded, loaded | {"id": "b/fp8"}), "a model of one run"
    assert wrong(loaded, None, loaded | {"id": "a/c"}), "a model that the script changes"
    verdict = judge.judge({"recipes": recipes(loaded)}, recordings, MODELS)
    assert verdict.models["known"] == 1 and verdict.models["sure"] == 1, verdict.models


PARTS = """\
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier

def part(scheme): return QuantizationModifier(scheme=scheme, targets=["a" or "b"])

def never(): return part("FP8")

part("W8A8")
try:
    oneshot(model="m", recipe=GPTQModifier(scheme=undefined))
except NameError:
    pass
part("INT8") if False else None
"""


def check_unreached():
    """Code that runs must agree, also in functions that other code would call, and beside conditions."""
    recordings = recorded(PARTS)
    place = {"form": "objects", "lines": [4, 4]}
    right = {"class": "QuantizationModifier", "fields": {"scheme": "W8A8", "targets": ["a"]}}
    other = {"class": "QuantizationModifier", "fields": {"scheme": "FP8", "targets": ["a"]}}
    wrong = {"class": "QuantizationModifier", "fields": {"scheme": "FP8", "targets": ["b"]}}
    raised = {"form": "objects", "lines": [10, 10], "calls": [10], "modifiers": [{"class": "GPTQModifier", "fields": {"scheme": UNKNOWN}}]}
    assert counts_of([place | {"modifiers": [right]}], PARTS, recordings) == {"loose": 1}
    assert counts_of([place | {"modifiers": [other]}], PARTS, recordings) == {"unreached": 1}
    missing = {"class": "AWQModifier", "fields": {"scheme": "FP8"}, "optional": "a condition"}
    assert counts_of([place | {"modifiers": [missing]}, place | {"modifiers": [right]}], PARTS, recordings) == {"loose": 2}
    assert counts_of([place | {"modifiers": [missing]}, place | {"modifiers": [wrong]}], PARTS, recordings) == {"extra": 1}
    assert counts_of([place | {"modifiers": [missing]}], PARTS, recordings) == {"extra": 1}
    assert counts_of([place | {"modifiers": [wrong]}], PARTS, recordings) == {"extra": 1}
    assert counts_of([raised], PARTS, recordings) == {"unreached": 1}


def check_reduction():
    text = "\n".join(f"a{n} = {n}" for n in range(30)) + "\nif a3 == 3:\n    b = [a7 + 1, (a8, 'needed')]\nprint(b)\n"
    small = reduce.reduce(text, lambda candidate: candidate is not None and "needed" in candidate and compiles(candidate))
    assert small == "b = 'needed'\n", small


def compiles(text):
    try:
        compile(text, "text", "exec")
    except SyntaxError:
        return False
    return True


TEXTS = ["a: 1", "a:\n  - b\n  - {c: [1, 2.5], d: null}\n", "- a\n- b: c\n  d: e\n-\n  - 1\n", "s:\n  m:\n    M: {targets: [Linear], ignore: ['re:.*a', \"b\"]}\n",
         "a: 're:.*x' # why\nb: re:.*y$\nc: yes\nd: 1e-3\ne: .5\nf: -1\n", '{"a": ["b", 1, true, null]}', "a: [x,\n  y, z]\nb: ~\n", "a: W8A8\n\n# only\nb:\n- 1\n- 'it''s'\n"]
VALUES = [{"b": [1, 2.5, None], "a": {"x": True, "y": "re:.*a$"}}, ["a", {"b": "c", "d": ["e"]}, []], {"a": "", "b": "yes", "c": "1", "d": "a: b", "e": {}, "f": "*x"}]


def check_yaml():
    for text in TEXTS:
        small_yaml.load(text)
    try:
        import yaml
    except ImportError:
        return
    for text in TEXTS:
        assert small_yaml.load(text) == yaml.safe_load(text), text
    for value in VALUES:
        assert small_yaml.dump(value) == yaml.dump(value), (small_yaml.dump(value), yaml.dump(value))


def main():
    check_yaml()
    standins.install()
    for check in (check_outputs, check_inputs, check_models, check_unreached, check_reduction):
        check()
    print(f"compared {len(OUTPUTS)} outputs as expected")
    return 0
