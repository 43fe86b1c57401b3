from llmcompressor import oneshot

oneshot(model="a", recipe="bad-recipe-of-a-script.yaml")
