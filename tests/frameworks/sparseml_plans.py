"""Whole SparseML plans: variables, formulas, groups, stages and modifiers that belong together, in the styles and with
the mistakes of people.
"""
import sparseml_values
from choices import Choices
from slips import Slips
from styles import Raw, Style, Tagged

GROUPS = {"training": ("training_modifiers", "trainable_modifiers", "modifiers"), "pruning": ("pruning_modifiers", "constant_modifiers"),
          "quantization": ("quantization_modifiers", "quant_modifiers"), "distillation": ("distillation_modifiers",), "regularization": ("regularization_modifiers",)}


class Plans(Choices):
    def __init__(self, rng):
        super().__init__(rng)
        self.params = self.pick(sparseml_values.MODELS)
        self.weights = [n for n, s in self.params.items() if len(s) > 1]
        self.layers = sorted({n.rpartition(".")[0] for n in self.params})
        self.formulas = self.pick([0, .4, .9])
        self.used = {}

    # --- values
    def variable(self, name, value):
        """A value that may be a variable of the recipe."""
        if not self.chance(self.formulas):
            return value
        self.used.setdefault(name, value)
        return Raw(f"eval({name})") if self.used[name] == value else value

    def epoch(self, value, name=None):
        if name and self.chance(.7):
            return self.variable(name, value)
        if self.chance(self.formulas * .5):
            total = self.used.setdefault("num_epochs", self.epochs)
            share = round(value / total, 3)
            return Raw(self.weighted([(f"eval(num_epochs * {share})", 6), (f"eval(num_epochs - {round(total - value, 3)})", 4), (f"eval({value} + 0)", 1), (f"eval(min(num_epochs, {value}))", 2),
                                      (f"eval(round(num_epochs * {share}))", 1), (f"eval(math.floor({value}))", .2), (f"eval({share} * num_epochs + {self.pick([0, 0, .5])})", 2)]))
        return self.pick([value, float(value), float(value)])

    def selectors(self):
        names = self.rng.sample(self.weights, self.rng.randint(1, len(self.weights)))
        parts = names[0].split(".")
        cut = ".".join(parts[:self.rng.randint(1, len(parts))])
        return self.weighted([("__ALL_PRUNABLE__", 4), (["__ALL_PRUNABLE__"], 1), (names, 5), ([f"re:{parts[0]}.*weight"], 2), ([f"re:{cut}.*weight"], .5), (["re:.*weight"], 1), ([f"re:.*{parts[-2]}.weight"], 2),
                              ([f"re:{cut}", *names[:1]], 1), (names[0], .4), ("__ALL__", .3), (["re:.*(fc|head|query|conv).*weight"], 1), (["sections.0.0.conv.weight"], .15)])

    def window(self, low, high):
        start = self.weighted([(low, 5), (low + .5, 1), (low + 1, 2)])
        end = max(start + .5, self.weighted([(high, 5), (high - .5, 2), (high - 1, 2)]))
        return start, end

    # --- modifiers
    def ranges(self, low, high):
        return Tagged("EpochRangeModifier", {"start_epoch": self.epoch(low), "end_epoch": self.epoch(high, "num_epochs")})

    def warmup(self, low):
        return Tagged("LearningRateFunctionModifier", {"start_epoch": self.epoch(low), "end_epoch": self.epoch(low + 1, "warmup_epochs"), "lr_func": "linear", "init_lr": self.pick([.0, 1e-3, .01]),
                                                        "final_lr": self.variable("init_lr", .1)})

    def rates(self, low, high):
        kind = self.weighted([("set", 4), ("function", 6), ("cyclic", 1.5), ("step", 3), ("multi", 3), ("exponential", 2), ("restarts", 2)])
        start = low + self.pick([0, 0, 1, .5])
        first = self.variable("init_lr", self.pick([.1, .01, .05, .001]))
        if kind == "set":
            fields = {"start_epoch": self.epoch(start), "learning_rate": first}
            if self.chance(.2):
                fields["param_groups"] = self.pick([[0], [0, 1], None])
            return [Tagged("SetLearningRateModifier", fields)]
        if kind in ("function", "cyclic"):
            fields = {"start_epoch": self.epoch(start), "end_epoch": self.epoch(high, "num_epochs"), "lr_func": "cyclic_linear" if kind == "cyclic" else self.pick(["linear", "cosine"]),
                      "init_lr": first, "final_lr": self.variable("final_lr", self.pick([0.0, 1e-3, .0001]))}
            if kind == "cyclic":
                fields["cycle_epochs"] = self.pick([1.0, 2.0, 1.5, .5])
            return [Tagged("LearningRateFunctionModifier", fields)]
        marks = sorted({round(low + (high - low) * share, 2) for share in (.5, .75)})
        kwargs = {"step": {"step_size": self.pick([1.0, 2.0, .5, 1]), "gamma": self.variable("gamma", .1)}, "multi": {"milestones": [self.epoch(m) for m in marks], "gamma": .1},
                  "exponential": {"gamma": self.pick([.9, .95])}, "restarts": {"lr_min": self.pick([0.0, .001]), "cycle_epochs": self.pick([1, 2, 3, 1, 2.0])}}[kind]
        name = {"step": "StepLR", "multi": "MultiStepLR", "exponential": "ExponentialLR", "restarts": "CosineAnnealingWarmRestarts"}[kind]
        fields = {"start_epoch": self.epoch(start), "lr_class": name, "lr_kwargs": kwargs, "init_lr": first}
        if self.chance(.4):
            fields["end_epoch"] = self.pick([-1.0, high])
        return [Tagged("LearningRateModifier", fields)]

    def pruner(self, low, high):
        start, end = self.window(low, high)
        fields = {"params": self.selectors(), "init_sparsity": self.variable("init_sparsity", self.pick([.05, .05, .1, .3, 0.0])), "final_sparsity": self.variable("final_sparsity", self.pick([.8, .9, .85, .5])),
                  "start_epoch": self.epoch(start, "pruning_start_epoch"), "end_epoch": self.epoch(end, "pruning_end_epoch"),
                  "update_frequency": self.variable("pruning_update_frequency", self.pick([.5, 1.0, .25, .1, 1]))}
        name = self.weighted([("GMPruningModifier", 8), ("MagnitudePruningModifier", 3), ("GlobalMagnitudePruningModifier", 1.5), ("MovementPruningModifier", 1.5), ("OBSPruningModifier", 1),
                              ("MFACPruningModifier", .7), ("ACDCPruningModifier", 1), ("RigLPruningModifier", 1), ("TopKASTPruningModifier", .7), ("StructuredPruningModifier", 1)])
        if self.chance(.12) and name in ("GMPruningModifier", "MagnitudePruningModifier", "OBSPruningModifier"):
            names = self.rng.sample(self.weights, min(2, len(self.weights)))
            fields["final_sparsity"] = {share: [each] for share, each in zip((.8, .6), names)}
            fields["params"] = []
        if name in ("OBSPruningModifier", "MFACPruningModifier"):
            fields.update(num_grads=4, fisher_block_size=4)
            if name[0] == "M" and self.chance(.3):
                fields["use_gradient_buffering"] = self.pick([True, True, None])
        elif name == "ACDCPruningModifier":
            fields = {"compression_sparsity": .9, "start_epoch": float(int(low)), "end_epoch": float(int(high)), "update_frequency": self.pick([1, 2, 1.0]), "params": fields["params"],
                      "global_sparsity": self.pick([True, False])}
        elif name == "RigLPruningModifier":
            fields = {k: v for k, v in fields.items() if k != "init_sparsity"}
            fields["final_sparsity"] = .8 if isinstance(fields["final_sparsity"], dict) else fields["final_sparsity"]
            fields["sparsity_strategy"] = self.pick(["uniform", "erdos_renyi", "erdos_renyi_kernel"])
        elif name == "TopKASTPruningModifier":
            fields = {"forward_sparsity": .8, "backward_sparsity": .5, "start_epoch": fields["start_epoch"], "end_epoch": fields["end_epoch"], "update_frequency": fields["update_frequency"],
                      "params": fields["params"]}
        elif name == "StructuredPruningModifier":
            fields["mask_type"] = self.pick(["filter", "channel"])
        extra = {"leave_enabled": self.pick([True, True, False]), "inter_func": self.pick(["cubic", "linear", "inverse_cubic"]), "mask_type": self.pick(["unstructured", "unstructured", "block4", [1, 4]])}
        for key, value in extra.items():
            if name in ("GMPruningModifier", "MagnitudePruningModifier", "GlobalMagnitudePruningModifier") and self.chance(.35):
                fields[key] = value
        return Tagged(name, fields)

    def constant(self, low):
        fields = {"start_epoch": self.epoch(low)} if self.chance(.8) else {}
        return Tagged("ConstantPruningModifier", {**fields, "params": self.selectors()})

    def quantizer(self, low, high):
        fields = {"start_epoch": self.epoch(low, "quantization_start_epoch")}
        style = self.weighted([("older", 4), ("newer", 6)])
        if style == "older":
            if self.chance(.5):
                fields["submodules"] = self.rng.sample(self.layers, self.rng.randint(1, min(3, len(self.layers))))
            for key, value in (("quantize_linear_activations", False), ("reduce_range", True), ("weight_bits", 8), ("activation_bits", 8), ("exclude_module_types", ["LayerNorm"]),
                               ("activation_qconfig_kwargs", {"averaging_constant": .05}), ("tensorrt", False)):
                if self.chance(.2):
                    fields[key] = value
        else:
            if self.chance(.6):
                fields["scheme"] = self.pick(["default", "deepsparse", "tensorrt", {"input_activations": {"num_bits": 8, "symmetric": False}, "weights": {"num_bits": 4, "symmetric": True, "strategy": "channel"}},
                                              {"weights": {"num_bits": 8, "kwargs": {"reduce_range": True}}}])
            if self.chance(.4):
                fields["ignore"] = self.rng.sample(self.layers, min(2, len(self.layers))) + (["Embedding"] if self.chance(.1) else [])
            if self.chance(.3):
                fields["scheme_overrides"] = {self.pick([*self.layers, "Embedding", "Linear"]): {"input_activations": None, "weights": {"num_bits": 8, "symmetric": False}}}
        for key, share in (("disable_quantization_observer_epoch", .6), ("freeze_bn_stats_epoch", .8)):
            if self.chance(.5):
                fields[key] = self.epoch(round(low + (high - low) * share, 2), self.pick(["observer_freeze_epoch", "bn_freeze_epoch"]))
        if self.chance(.15):
            fields["model_fuse_fn_name"] = self.pick(["no_fuse", "conv_bn_relus", "fuse_module"])
        return Tagged("QuantizationModifier", fields)

    def others(self, low, high):
        """Modifiers that some plans have besides."""
        start = self.epoch(low)
        name = self.pick([n for n in self.params if n.endswith("bias")] or ["fc.bias"])
        zeros = [0.0] * (self.params.get(name) or [4])[0]
        return self.weighted([
            (Tagged("SetWeightDecayModifier", {"start_epoch": start, "weight_decay": self.variable("weight_decay", self.pick([0.0, 1e-3, .01]))}), 3),
            (Tagged("TrainableParamsModifier", {"params": self.pick([[name], "__ALL__", ["re:.*bias"], self.rng.sample(self.weights, 1)]), "trainable": self.pick([False, True]), "start_epoch": start,
                                                **({"end_epoch": self.epoch(high)} if self.chance(.5) else {})}), 3),
            (Tagged("DistillationModifier", {"hardness": .5, "temperature": 2.0, "distill_output_keys": ["logits"]}), 2),
            (Tagged("SetParamModifier", {"params": [name], "val": zeros, "start_epoch": start}), 1),
            (Tagged("GradualParamModifier", {"params": [name], "init_val": zeros, "final_val": [1.0 for _ in zeros], "start_epoch": start, "end_epoch": self.epoch(high), "update_frequency": 1.0}), 1),
            (Tagged("SparsificationLoggingModifier", {"start_epoch": start, "end_epoch": self.epoch(high), "update_frequency": 1.0}), .5),
            (Tagged("PowerpropagationModifier", {"start_epoch": start, "end_epoch": self.epoch(high), "params": self.rng.sample(self.weights, 1), "alpha": 2.0}), .5),
            (Tagged("LayerPruningModifier", {"layers": self.rng.sample(self.layers, 1), "start_epoch": start}), .5),
        ])

    # --- plans
    def modifiers(self, low, high, purpose):
        """(group, modifier) of one plan or stage."""
        out = [("training", self.ranges(low, high))]
        if self.chance(.3):
            out.append(("training", self.warmup(low)))
        for _ in range(self.weighted([(1, 8), (2, 2), (0, 1)])):
            out += [("training", each) for each in self.rates(low, high)]
        middle = low + round((high - low) * .7, 1)
        if "prune" in purpose:
            out += [("pruning", self.pruner(low, middle if "quantize" in purpose else high)) for _ in range(self.weighted([(1, 5), (2, 4), (3, 2)]))]
        elif self.chance(.8):
            out.append(("pruning", self.constant(low)))
        if "quantize" in purpose:
            out.append(("quantization", self.quantizer(self.pick([middle, middle, low]), high)))
        out += [(self.pick(["regularization", "training", "distillation"]), self.others(low, high)) for _ in range(self.weighted([(0, 5), (1, 4), (2, 1)]))]
        return out

    def grouped(self, pairs):
        one = self.chance(.4)
        out = {}
        names = {kind: self.pick(choices) for kind, choices in GROUPS.items()}
        for kind, modifier in pairs:
            out.setdefault("modifiers" if one else names[kind], []).append(modifier)
        return out

    def doc(self):
        purposes = [["prune"], ["prune", "quantize"], ["quantize"], ["transfer"]]
        if not self.chance(.3):
            self.epochs = self.rng.randint(3, 8)
            body = self.grouped(self.modifiers(0, self.epochs, self.pick(purposes)))
            return self.with_variables(body)
        stages, low = {}, 0
        for name, purpose in self.pick([(("dense_stage", ["transfer"]), ("sparse_stage", ["prune"])), (("pruning", ["prune"]), ("quantization", ["quantize"])),
                                         (("pre_stage_0", ["prune"]), ("prune_stage", ["prune"]), ("qat_stage", ["quantize"]))]):
            self.epochs = low + self.rng.randint(2, 4)
            self.used, outer = {}, self.used
            body = self.grouped(self.modifiers(low, self.epochs, purpose))
            stages[name] = self.with_variables(body) if self.chance(.6) else body
            if stages[name] is body:
                outer.update(self.used)
            self.used = outer
            if self.chance(.1):
                stages[name]["__metadata__"] = self.pick([None, {"framework": "pytorch"}])
            low = self.epochs
        return self.with_variables(stages)

    def with_variables(self, body):
        head = dict(self.used)
        if self.chance(.2):
            head["version"] = "1.1.0"
        items = list(head.items())
        self.rng.shuffle(items)
        return {**dict(items), **body}

    def text(self):
        text = Slips(self.rng).applied(Style(self.rng).dump(self.doc()))
        if self.chance(.1):
            return f"---\n{text}---\n\n# How it was trained\n", ".md"
        return text, ".yaml"
