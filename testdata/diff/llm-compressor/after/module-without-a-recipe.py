IGNORED = ["lm_head", "embed"]
