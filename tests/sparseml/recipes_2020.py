"""Random recipes for the releases of 2020."""
from recipes import Maker


class Maker2020(Maker):
    KIND = "ks"
    KINDS = (("gradual", 30), ("hold", 12), ("set_rate", 14), ("scheduler", 16), ("trainable", 10), ("epoch_range", 6))

    def __init__(self, seed):
        super().__init__(seed)
        self.odd = self.chance(0.3)

    def number(self, value):
        if self.chance(0.015):
            return self.pick(f"'{value!r}'", f"eval({value!r})")
        return str(int(value)) if value == int(value) and self.chance(0.2) else repr(value)

    def selectors(self, tokens=True):
        if tokens and self.chance(0.25):
            return self.pick("__ALL__", "__ALL__", "[]", "__ALL_PRUNABLE__", "null")
        return "[" + ", ".join(self.selector() for _ in range(self.pick(1, 1, 2))) + "]"

    def gradual(self):
        f = {"init_sparsity": self.real(self.pick(0.0, 0.05, 0.5)), "final_sparsity": self.real(self.pick(0.8, 0.9, 1.0, self.sparsity()))}
        self.window(f, 0.03)
        f["update_frequency"] = self.frequency()
        if self.chance(0.95):
            f["params"] = self.selectors()
        self.optional(f, inter_func=self.pick("linear", "cubic", "inverse_cubic"), leave_enabled=self.pick("true", "false", "'False'"),
                      mask_type=self.pick("unstructured", "filter", "channel", "[1, 4]", "block4"))
        return self.pick("GradualKSModifier", "GradualKSModifier", "pytorch.GradualKSModifier"), f

    def hold(self):
        f = {"params": self.selectors()} if self.chance(0.95) else {}
        if self.chance(0.5):
            self.window(f, 0.3)
        return "ConstantKSModifier", f

    def set_rate(self):
        f = {"learning_rate": self.pick(self.rate(), self.rate(), self.rate(), "null", "1.5")}
        if self.chance(0.8):
            self.start(f)
        self.optional(f, log_types=self.pick("__ALL__", "python", "[python]"), constant_logging="true")
        return "SetLearningRateModifier", f

    def trainable(self):
        f = {"params": self.selectors()}
        if self.chance(0.93):
            f["trainable"] = self.pick("false", "true")
        if self.chance(0.5):
            self.window(f, 0.3)
        self.optional(f, params_strict="false")
        return "TrainableParamsModifier", f

    def text(self):
        kinds = ["epoch_range", self.pick("gradual", "gradual", "hold")] + [None] * self.pick(0, 1, 2, 3)
        items = [self.modifier(kind) for kind in kinds]
        self.r.shuffle(items)
        if self.chance(0.05):
            return "\n".join(line for item in items for line in item) + "\n"
        out = ["version: 1.0.0"] if self.chance(0.1) else []
        last = items.pop() if self.chance(0.06) else []
        out += ["modifiers:"] + [line for item in items for line in item]
        return "\n".join(out + (["pruning_modifiers:"] + last if last else [])) + "\n"
