# The default of an option decides a condition: its branch is assumed, and the other one may run.
import argparse

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier


def recipe_of(args):
    ignore = ["lm_head"]
    if args.keep_gates:
        ignore.append("re:.*gate_proj")
    if args.method == "rtn":
        return QuantizationModifier(targets=["Linear"], scheme="FP8_DYNAMIC", ignore=ignore)
    elif args.method == "gptq":
        return GPTQModifier(targets=["Linear"], scheme=args.scheme, ignore=ignore)
    raise ValueError(args.method)


parser = argparse.ArgumentParser()
parser.add_argument("--method", default="gptq")
parser.add_argument("--scheme", default=None)
parser.add_argument("--keep-gates", action="store_true")
args = parser.parse_args()
if args.scheme is None:
    args.scheme = "W4A16"
oneshot(model="Qwen/Qwen3-8B", recipe=recipe_of(args), dataset="open_platypus")
