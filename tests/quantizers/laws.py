#!/usr/bin/env python3
"""Checks laws of the dialects of quantizers on random configurations.

    laws.py <sparsecfg> [--count N] [--seed N] [--system gptqmodel|autoround|torchao]

Each configuration is written as a script and read with `match`. The laws:
- An entry that decides about no module can be removed.
- An entry that matches nothing can be added at either end.
- GPTQModel: entries that exclude layers can be moved to the end.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

PARTS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
LAYERS = 12


def modules():
    rows = ["\tModel", "model\tModel", "model.layers\tModuleList"]
    for layer in range(LAYERS):
        block = f"model.layers.{layer}"
        rows += [f"{block}\tBlock", f"{block}.self_attn\tAttention", f"{block}.mlp\tMlp"]
        for part in PARTS:
            owner = "self_attn" if part[1] == "_" else "mlp"
            rows.append(f"{block}.{owner}.{part}\tLinear\t256x256")
    return "\n".join([*rows, "lm_head\tLinear\t512x256"]) + "\n"


class GptqModel:
    name = "gptqmodel"
    nothing = "+:nothing", {"bits": 2}

    @staticmethod
    def entry(r):
        part, layer = r.choice(PARTS), r.randrange(LAYERS)
        pattern = r.choice([rf".*\.{part}$", f".*{part}", rf"model\.layers\.{layer}\..*", rf".*layers\.{layer}\.mlp.*", ".*self_attn.*",
                            rf".*\.(?:1[0-1]|[0-3])\..*", "(?i).*Q_PROJ"])
        sign = r.choice(["+:", "", "-:"])
        return sign + pattern, {} if sign == "-:" else r.choice([{"bits": 8}, {"bits": 8, "group_size": 64}, {"bits": 2}, {"group_size": 32}])

    @staticmethod
    def script(entries):
        return f"from gptqmodel import QuantizeConfig\n\nconfig = QuantizeConfig(bits=4, group_size=128, dynamic={dict(entries)!r})\n"


class AutoRound:
    name = "autoround"
    nothing = "nothing", {"bits": 2}

    @staticmethod
    def entry(r):
        part, layer = r.choice(PARTS), r.randrange(LAYERS)
        key = r.choice([part, f"self_attn.{part}", f"model.layers.{layer}.mlp.{part}", f".*{part}", f"{part}$", f"layers.{layer}.", "(q|k)_proj",
                        "layers.[0-3].mlp", rf".*\.{part}$"])
        return key, r.choice([{"bits": 8}, {"bits": 16}, {"bits": 2, "group_size": 32}, {"group_size": 64}, {"bits": 3}])

    @staticmethod
    def script(entries):
        return f"from auto_round import AutoRound\n\nautoround = AutoRound(model, scheme='W4A16', layer_config={dict(entries)!r})\n"


class TorchAo:
    name = "torchao"
    nothing = "re:nothing", "Int8WeightOnlyConfig()"

    @staticmethod
    def entry(r):
        part, layer = r.choice(PARTS), r.randrange(LAYERS)
        owner = "self_attn" if part[1] == "_" else "mlp"
        key = r.choice([f"re:.*{part}", rf"re:model\.layers\.{layer}\..*_proj", f"model.layers.{layer}.{owner}.{part}", rf"re:.*mlp\..*_proj", "lm_head"])
        return key, r.choice(["Int8WeightOnlyConfig()", "Int4WeightOnlyConfig(group_size=64)", "Float8WeightOnlyConfig()", "None"])

    @staticmethod
    def script(entries):
        pairs = ", ".join(f"{key!r}: {value}" for key, value in dict(entries).items())
        return ("from torchao.quantization import (Float8WeightOnlyConfig, FqnToConfig, Int4WeightOnlyConfig, Int8WeightOnlyConfig,\n"
                f"                                  quantize_)\n\nquantize_(model, FqnToConfig({{{pairs}}}), filter_fn=None)\n")


class Checker:
    def __init__(self, given):
        self.given, self.runs, self.faults = given, 0, []

    def outcome(self, system, entries):
        """The outcome by module, and the entries that decide."""
        with open("quantize.py", "w", encoding="utf-8") as file:
            file.write(system.script(entries))
        done = subprocess.run([self.given.program, "match", "--format", "json", "--all", "--modules", "modules.tsv", "quantize.py"],
                              capture_output=True, text=True, check=False)
        self.runs += 1
        if done.returncode not in (0, 1):
            self.faults.append(f"exit status {done.returncode}: {done.stderr}\n{system.script(entries)}")
            return {}, set()
        modules = json.loads(done.stdout)["modules"]
        deciding = {each["outcome"]["by"]["entry"] for each in modules if each["outcome"] and each["outcome"]["by"]}
        keep = ("weights", "inputs")
        return {each["name"]: each["outcome"] and {k: each["outcome"][k] for k in keep} for each in modules}, deciding

    def expect(self, what, system, before, after, entries):
        if before != after:
            name = next(n for n in before if before[n] != after.get(n))
            self.faults.append(f"{what}: {name} is {after.get(name)}, not {before[name]}\n{system.script(entries)}")

    def check(self, system, r):
        entries = list(dict(system.entry(r) for _ in range(r.randint(1, 4))).items())
        before, deciding = self.outcome(system, entries)
        for other in ([system.nothing, *entries], [*entries, system.nothing]):
            self.expect("an entry that matches nothing", system, before, self.outcome(system, other)[0], other)
        if system is GptqModel:
            moved = [e for e in entries if not e[0].startswith("-")] + [e for e in entries if e[0].startswith("-")]
            self.expect("exclusions at the end", system, before, self.outcome(system, moved)[0], moved)
        # Excluded modules are not quantized, so the entries that decide about them are not printed.
        idle = [e for e in entries if e[0] not in deciding and e[1] not in ({}, "None", {"bits": 16})]
        if idle and system is not AutoRound:
            rest = [e for e in entries if e is not idle[0]]
            self.expect(f"without {idle[0][0]}", system, before, self.outcome(system, rest)[0], rest)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=os.path.abspath)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--system", default="")
    given = options.parse_args()
    checker = Checker(given)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("modules.tsv", "w", encoding="utf-8") as file:
            file.write(modules())
        for system in (GptqModel, AutoRound, TorchAo):
            r = random.Random(f"{given.seed} {system.name}")
            for _ in range(given.count if given.system in ("", system.name) else 0):
                checker.check(system, r)
        os.chdir("/")
    print("\n".join(checker.faults[:10]))
    print(f"{checker.runs} runs, {len(checker.faults)} fail")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
