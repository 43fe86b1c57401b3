IGNORED = ["lm_head"]
