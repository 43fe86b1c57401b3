#!/usr/bin/env python3
"""Holds the schema against recipes: those of the golden cases that pass must fit it, those below must not.

    schema_recipes.py <sparsecfg> <root of the project>

Each recipe of SparseML is looked at twice: as an editor sees it, to which a tag's mapping is a plain mapping, and
with the tag as the one key of a mapping. Configurations of NNI have no tags.
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
    "a percentage": "modifiers: [!GMPruningModifier {params: __ALL__, init_sparsity: 0.0, final_sparsity: 80, start_epoch: 0.0, "
                    "end_epoch: 3.0, update_frequency: 1.0}]",
    "a field without those that belong to it": "modifiers: [!GMPruningModifier {params: __ALL__, init_sparsity: 0.0, "
                                               "start_epoch: 0.0, end_epoch: 3.0, update_frequency: 1.0}]",
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

BROKEN_NNI = {
    "a misspelt key": "config_list: [{op_types: [Linear], sparse_ratoi: 0.5}]",
    "a type that is no list": "[{op_types: Linear, sparse_ratio: 0.5}]",
    "nothing that selects": "[{sparse_ratio: 0.5}]",
    "keys of two modes": "[{op_types: [Linear], sparse_ratio: 0.5, link: auto}]",
    "a bound outside its range": "[{op_types: [Linear], max_sparse_ratio: 0.0}]",
    "an alignment with a part missing": "[{op_types: [Linear], align: {target_name: weight, dims: [0]}}]",
    "an argument that no class has": "{pruner: {class: LevelPruner, level: 3}, config_list: []}",
    "a run that is no mapping": "{compress: 100, config_list: []}",
}


POLICIES = "policies: [{pruner: {instance_name: p}, starting_epoch: 0, ending_epoch: 9, frequency: 1}]"
BROKEN_DISTILLER = {
    "an unknown class": f"pruners: {{p: {{class: LevelPruner}}}}\n{POLICIES}",
    "a misspelt argument": f"pruners: {{p: {{class: SensitivityPruner, sensitivity: {{a: 1}}}}}}\n{POLICIES}",
    "a missing argument": f"pruners: {{p: {{class: SparsityLevelParameterPruner}}}}\n{POLICIES}",
    "a class of another section": f"regularizers: {{p: {{class: SensitivityPruner, sensitivities: {{a: 1}}}}}}\n{POLICIES}",
    "a section that is a list": f"pruners: []\n{POLICIES}",
    "a policy of nothing": "policies: [{epochs: [1]}]",
    "a policy without a frequency": "policies: [{pruner: {instance_name: p}, starting_epoch: 0, ending_epoch: 9}]",
    "an epoch with a point": POLICIES.replace("0", "0.5"),
}

SCHEDULE = '{"format": 1, "dialect": "nni", "actions": [%s]}'
ACTION = '{"effect": %s, "cadence": {"kind": "drifting"}, "origin": {"class": "X", "ordinal": 1, "fields": {}}}'
BROKEN_IR = {
    "a later format": SCHEDULE.replace("1", "2", 1) % "",
    "no actions": '{"format": 1, "dialect": "nni"}',
    "an unknown effect": SCHEDULE % ACTION % '{"kind": "Prunes"}',
    "a missing field": SCHEDULE % ACTION % '{"kind": "SetLearningRate"}',
    "a field of another effect": SCHEDULE % ACTION % '{"kind": "EpochRange", "rate": 0.1}',
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


def passing(program, root, dialect):
    """The golden cases without an error or a warning; those of another reader have arguments that say so."""
    suffix = "json" if dialect == "ir" else "yaml"
    paths = [path for path in sorted(glob.glob(os.path.join(root, f"testdata/validate/{dialect}/**/*.{suffix}"), recursive=True))
             if not {"--framework", "--nni"} & set(arguments_of(path).split())]
    run = subprocess.run([program, "validate", "--format", "json", *paths], capture_output=True, text=True, check=False)
    for report in json.loads(run.stdout)["files"]:
        other = any(each["code"] == "LC131" for each in report["diagnostics"])  # read as SparseML
        if not other and not any(each["severity"] != "info" for each in report["diagnostics"]):
            yield report["path"]


def arguments_of(path):
    sidecar = os.path.splitext(path)[0] + ".args"
    return open(sidecar, encoding="utf-8").read() if os.path.exists(sidecar) else ""


def check(program, root, dialect, accepting, broken):
    """The number of recipes looked at, and of failures. `accepting`: how recipes are loaded; `broken`: what must not
    fit, and how that is loaded."""
    with open(os.path.join(root, f"schemas/{dialect}.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = 0
    count = 0
    for path in passing(program, root, dialect):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for loader in accepting:
            for error in validator.iter_errors(as_json(text, loader)):
                failures += 1
                print(f"{path}, {loader.__name__}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        count += 1
    for cases, loaders in broken:
        for what, text in cases.items():
            for loader in loaders:
                if validator.is_valid(as_json(text, loader)):
                    failures += 1
                    print(f"{what} fits the schema, {loader.__name__}: {text}")
    print(f"{dialect}: {count} recipes, {failures} failures")
    return count, failures


def main():
    program, root = sys.argv[1:]
    results = [
        check(program, root, "sparseml", (Plain, Tagged), ((BROKEN, (Plain, Tagged)), (BROKEN_TAGGED, (Tagged,)))),
        check(program, root, "distiller", (Plain,), ((BROKEN_DISTILLER, (Plain,)),)),
        check(program, root, "nni", (Plain,), ((BROKEN_NNI, (Plain,)),)),
        check(program, root, "llm-compressor", (Plain,), ()),
        check(program, root, "ir", (Plain,), ((BROKEN_IR, (Plain,)),)),
    ]
    return 1 if any(failures or not count for count, failures in results) else 0


if __name__ == "__main__":
    sys.exit(main())
