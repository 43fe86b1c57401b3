from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])]


def run[T](dataset: T, /, *, steps=lambda: 0, **more) -> None:
    match dataset:
        case {"name": str(name)} if (found := name):
            oneshot(model="Qwen/Qwen3-8B", dataset=found, recipe=recipe)
        case _: pass


run({"name": "open_platypus"})
