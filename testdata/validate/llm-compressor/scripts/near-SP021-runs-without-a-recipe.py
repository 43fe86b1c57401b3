from llmcompressor import oneshot

oneshot(model="a", recipe=None, dataset="c4", pipeline="sequential")
