# Settings that several scripts share.
IGNORE = ["lm_head", "re:.*mlp.gat$"]

SMOOTHING = {"smoothing_strength": 1.5}
