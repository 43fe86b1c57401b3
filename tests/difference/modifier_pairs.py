#!/usr/bin/env python3
"""Compare pairs of one-shot recipes whose meaning is known: all modifiers, their orders, and other spellings.

    modifier_pairs.py SPARSECFG [--seed N] [--count N | --all] [--verbose]

Two recipes have the same meaning if they have the same key below. `diff` must exit with 0 for the same meaning and with
1 for another one, if it has a model. Without a model, it may also state that the entries were not compared (2), but it
must not contradict the verdict.
"""

import argparse
import collections
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GROUP = "num_bits: {bits}, type: int, symmetric: {symmetric}, strategy: group, group_size: {size}"


def layers():
    rows = [("", "LlamaForCausalLM", ""), ("model", "LlamaModel", ""), ("model.embed_tokens", "Embedding", "256x128"),
            ("model.layers", "ModuleList", "")]
    for at in range(2):
        block = f"model.layers.{at}"
        rows += [(block, "LlamaDecoderLayer", ""), (f"{block}.input_layernorm", "LlamaRMSNorm", "128"),
                 (f"{block}.self_attn", "LlamaAttention", "")]
        rows += [(f"{block}.self_attn.{name}_proj", "Linear", "128x128") for name in "qkvo"]
        rows += [(f"{block}.post_attention_layernorm", "LlamaRMSNorm", "128"), (f"{block}.mlp", "LlamaMLP", "")]
        rows += [(f"{block}.mlp.{name}_proj", "Linear", "256x128") for name in ("gate", "up")]
        rows += [(f"{block}.mlp.down_proj", "Linear", "128x256")]
    rows += [("model.norm", "LlamaRMSNorm", "128"), ("lm_head", "Linear", "256x128")]
    return "".join("\t".join(row[:2] + row[2:] * bool(row[2])) + "\n" for row in rows)


def written_out(bits, size=128, symmetric="true"):
    weights = GROUP.format(bits=bits, size=size, symmetric=symmetric)
    return f"config_groups: {{a: {{targets: [Linear], weights: {{{weights}}}}}}}"


def spellings(name, more=""):
    """Returns the spellings of a modifier that quantizes weights, by meaning."""
    head, rest = "ignore: [lm_head]", f", {more}" if more else ""
    yield f"{name} int4 {more}", [
        f"{name}: {{scheme: W4A16, targets: Linear, {head}{rest}}}",
        f"{name}: {{scheme: W4A16, targets: [Linear], {head}{rest}}}",
        f"{name}: {{scheme: W4A16, {head}{rest}}}",
        f"{name}: {{scheme: {{W4A16: [Linear]}}, {head}{rest}}}",
        f"{name}: {{{written_out(4)}, {head}{rest}}}",
        f"{name}: {{scheme: W4A16, ignore: ['re:.*lm_head$']{rest}}}",
        f"{name}: {{scheme: W4A16, targets: ['re:.*_proj$']{rest}}}"]
    yield f"{name} int8 {more}", [f"{name}: {{scheme: W8A16, targets: Linear, {head}{rest}}}",
                                  f"{name}: {{{written_out(8)}, {head}{rest}}}"]
    yield f"{name} int4 asymmetric {more}", [f"{name}: {{{written_out(4, symmetric='false')}, {head}{rest}}}"]
    yield f"{name} int4 in groups of 64 {more}", [f"{name}: {{{written_out(4, size=64)}, {head}{rest}}}"]
    yield f"{name} int4 with inputs {more}", [f"{name}: {{scheme: W4A8, {head}{rest}}}"]
    yield f"{name} int4 without down_proj {more}", [
        f"{name}: {{scheme: W4A16, ignore: [lm_head, 're:.*down_proj']{rest}}}",
        f"{name}: {{scheme: W4A16, ignore: ['re:.*down_proj$', lm_head]{rest}}}"]


def recipes():
    """Returns (meaning, text) of all recipes."""
    out = []
    for name, more in (("QuantizationModifier", ""), ("GPTQModifier", ""), ("GPTQModifier", "block_size: 64"),
                       ("GPTQModifier", "dampening_frac: 0.1"), ("GPTQModifier", "actorder: group"),
                       ("AutoRoundModifier", ""), ("AutoRoundModifier", "iters: 100")):
        for meaning, texts in spellings(name, more):
            out += [(meaning, [text]) for text in texts]
    out += [("GPTQModifier int4 ", ["GPTQModifier: {scheme: W4A16, ignore: [lm_head], block_size: 128}"]),
            ("GPTQModifier int4 ", ["GPTQModifier: {scheme: W4A16, ignore: [lm_head], actorder: static}"]),
            ("AutoRoundModifier int4 ", ["AutoRoundModifier: {scheme: W4A16, ignore: [lm_head], iters: 200}"])]
    for name in ("SparseGPTModifier", "WandaPruningModifier"):
        for sparsity, mask in ((0.5, "0:0"), (0.6, "0:0"), (0.5, "2:4")):
            out.append((f"{name} {sparsity} {mask}", [f"{name}: {{sparsity: {sparsity}, mask_structure: '{mask}', targets: [Linear]}}"]))
        out.append((f"{name} 0.5 0:0", [f"{name}: {{sparsity: 0.50, targets: ['re:.*_proj$', lm_head]}}"]))
        out.append((f"{name} 0.5 without head", [f"{name}: {{sparsity: 0.5, targets: ['re:.*_proj$']}}"]))
    gptq, smooth = "GPTQModifier: {scheme: W8A8, ignore: [lm_head]}", "SmoothQuantModifier: {smoothing_strength: 0.8}"
    rtn = "QuantizationModifier: {scheme: W8A8, ignore: [lm_head]}"
    out += [("smooth, gptq", [smooth, gptq]), ("gptq, smooth", [gptq, smooth]), ("gptq W8A8", [gptq]),
            ("smooth 0.5, gptq", ["SmoothQuantModifier: {}", gptq]), ("smooth 0.5, gptq", ["SmoothQuantModifier: {smoothing_strength: 0.5}", gptq]),
            ("awq, rtn", ["AWQModifier: {}", rtn]), ("smooth 0.5, rtn", ["SmoothQuantModifier: {}", rtn]), ("rtn W8A8", [rtn]),
            ("awq 10, rtn", ["AWQModifier: {n_grid: 10}", rtn]), ("awq without duo, rtn", ["AWQModifier: {duo_scaling: false}", rtn]),
            ("quip, rtn", ["QuIPModifier: {rotations: [v], transform_type: hadamard, targets: [Linear], ignore: [lm_head]}", rtn]),
            ("spin, rtn", ["SpinQuantModifier: {rotations: [R1], transform_type: hadamard}", rtn]),
            ("spin R1 R2, rtn", ["SpinQuantModifier: {rotations: [R1, R2], transform_type: hadamard}", rtn]),
            ("cache", ["QuantizationModifier: {scheme: W8A8, ignore: [lm_head], kv_cache_scheme: {num_bits: 8, type: float, strategy: tensor}}"]),
            ("cache", ["QuantizationModifier: {scheme: W8A8, ignore: [lm_head], kv_cache_scheme: {type: float, num_bits: 8, strategy: tensor, dynamic: false, symmetric: true}}"]),
            ("int cache", ["QuantizationModifier: {scheme: W8A8, ignore: [lm_head], kv_cache_scheme: {num_bits: 8, type: int, strategy: tensor}}"]),
            ("sparse, gptq", ["SparseGPTModifier: {sparsity: 0.5, targets: [Linear]}", gptq]),
            ("gptq, sparse", [gptq, "SparseGPTModifier: {sparsity: 0.5, targets: [Linear]}"])]
    return [(meaning, "default_stage:\n  default_modifiers:\n" + "".join(f"    {each}\n" for each in texts)) for meaning, texts in out]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sparsecfg")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    everything = recipes()
    pairs = [(*pair, with_model) for pair in itertools.combinations_with_replacement(range(len(everything)), 2) for with_model in (True, False)]
    same = [pair for pair in pairs if everything[pair[0]][0] == everything[pair[1]][0]]
    if not options.all:
        rng = random.Random(options.seed)
        pairs = rng.sample(pairs, options.count // 2) + rng.sample(same, options.count // 2)
    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "model.tsv")
        model.write_text(layers(), encoding="utf-8")
        paths = []
        for at, (_, text) in enumerate(everything):
            paths.append(pathlib.Path(folder, f"{at}.yaml"))
            paths[-1].write_text(text, encoding="utf-8")
        for one, other, with_model in pairs:
            arguments = [options.sparsecfg, "diff", "--llmc", "main", *(["--modules", str(model)] if with_model else []), str(paths[one]), str(paths[other])]
            shown = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
            expected = 0 if everything[one][0] == everything[other][0] else 1
            good = shown.returncode == expected or (not with_model and shown.returncode == 2 and "not compared" in shown.stdout)
            counts[f"{'model' if with_model else 'no model'}, expected {expected}, exit {shown.returncode}"] += 1
            if not good:
                wrong += 1
                print(f"expected {expected}, got {shown.returncode}{' with the model' if with_model else ''}:\n{everything[one][1]}{everything[other][1]}{shown.stdout}{shown.stderr}")
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
