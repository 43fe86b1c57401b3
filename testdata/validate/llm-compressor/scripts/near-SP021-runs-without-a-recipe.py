from llmcompressor import oneshot

oneshot(model="a", recipe=None, dataset="d", pipeline="sequential")
