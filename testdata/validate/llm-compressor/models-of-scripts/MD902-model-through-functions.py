import argparse

from transformers import AutoModelForCausalLM, AutoTokenizer
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier


def load(name):
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype="auto").eval()
    model.config.use_cache = False
    return model, AutoTokenizer.from_pretrained(name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="Qwen/Qwen3-8B")
    args = parser.parse_args()
    model, tokenizer = load(args.model)
    ignore = ["lm_head", "re:.*mlp.gate$"]
    oneshot(model=model, recipe=QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=ignore))


main()
