import argparse

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

args = argparse.ArgumentParser().parse_args()
scheme = "FP8" if args.fast else "W4A16"
oneshot(model=args.model, recipe=QuantizationModifier(targets="Linear", scheme=scheme, ignore=args.ignore))
