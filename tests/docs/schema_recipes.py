#!/usr/bin/env python3
"""Holds the schema against recipes: those of the golden cases that pass must fit it, those below must not.

    schema_recipes.py <sparsecfg> <root of the project>

Each recipe is looked at twice: as an editor sees it, to which a tag's mapping is a plain mapping, and
with the tag as the one key of a mapping.
"""

import glob
import json
import os
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (apt-get install -y python3-jsonschema python3-yaml)")
    sys.exit(77)

BROKEN = {
    "a misspelt field": "modifiers: [!EpochRangeModifier {start_epoch: 0.0, end_epoc: 3.0}]",
    "an epoch below -1": "modifiers: [!EpochRangeModifier {start_epoch: -2.0, end_epoch: 3.0}]",
    "an epoch that is a word": "modifiers: [!EpochRangeModifier {start_epoch: soon, end_epoch: 3.0}]",
    "a learning rate above 1": "lr_modifiers: [!SetLearningRateModifier {learning_rate: 1.5}]",
    "an unknown word": "modifiers: [!LearningRateFunctionModifier {lr_func: sine, init_lr: 0.1, final_lr: 0.0, "
                       "start_epoch: 0.0, end_epoch: 3.0}]",
    "selectors that are a name": "modifiers: [!TrainableParamsModifier {params: fc.weight, trainable: false}]",
    "an item that is a word": "modifiers: [EpochRangeModifier]",
    "a fault within a stage": "first: {modifiers: [!EpochRangeModifier {start_epoch: 0.0, end_epoc: 3.0}]}",
    "a misspelt field in a newer stage": "a_stage: {b_modifiers: {ConstantPruningModifier: {targets: x, strt: 0}}}",
    "a field missing in a newer stage": "a_stage: {b_modifiers: {ConstantPruningModifier: {start: 0}}}",
    "a start that is a word": "a_stage: {b_modifiers: {ConstantPruningModifier: {targets: x, start: soon}}}",
    "an unknown modifier in a newer stage": "stages: {a: {b_modifiers: {ConstantPruning: {targets: x}}}}",
}
# Only the form with the tag can tell which modifier is meant.
BROKEN_TAGGED = {
    "a field missing": "modifiers: [!EpochRangeModifier {start_epoch: 0.0}]",
    "a tag that is none": "modifiers: [!EpochRangModifier {start_epoch: 0.0, end_epoch: 3.0}]",
    "fields of another modifier": "modifiers: [!SetWeightDecayModifier {start_epoch: 0.0, end_epoch: 3.0}]",
}


class Plain(yaml.SafeLoader):
    """Tags are dropped, as an editor does after `yaml.customTags`."""


class Tagged(yaml.SafeLoader):
    """A tag is the one key of a mapping, as SparseML writes it before it loads a recipe."""


def plain(loader, _, node):
    return loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else None


def tagged(loader, suffix, node):
    return {"!" + suffix: plain(loader, suffix, node)}


Plain.add_multi_constructor("!", plain)
Tagged.add_multi_constructor("!", tagged)


def as_json(text, loader):
    """The recipe with the keys that JSON has: texts."""
    return json.loads(json.dumps(yaml.load(text, Loader=loader), default=str))


def passing(program, root):
    """The golden cases without an error or a warning; those of another reader have arguments that say so."""
    paths = [path for path in sorted(glob.glob(os.path.join(root, "testdata/validate/sparseml/*.yaml")))
             if "--framework" not in arguments_of(path)]
    run = subprocess.run([program, "validate", "--format", "json", *paths], capture_output=True, text=True, check=False)
    for report in json.loads(run.stdout)["files"]:
        if not any(each["severity"] != "info" for each in report["diagnostics"]):
            yield report["path"]


def arguments_of(path):
    sidecar = os.path.splitext(path)[0] + ".args"
    return open(sidecar, encoding="utf-8").read() if os.path.exists(sidecar) else ""


def main():
    program, root = sys.argv[1:]
    with open(os.path.join(root, "schemas/sparseml.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = 0
    count = 0
    for path in passing(program, root):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for loader in (Plain, Tagged):
            for error in validator.iter_errors(as_json(text, loader)):
                failures += 1
                print(f"{path}, {loader.__name__}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        count += 1
    for cases, loaders in ((BROKEN, (Plain, Tagged)), (BROKEN_TAGGED, (Tagged,))):
        for what, text in cases.items():
            for loader in loaders:
                if validator.is_valid(as_json(text, loader)):
                    failures += 1
                    print(f"{what} fits the schema, {loader.__name__}: {text}")
    print(f"{count} recipes, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
