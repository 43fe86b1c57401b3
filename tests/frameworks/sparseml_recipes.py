"""Random SparseML recipes: most of them valid, each with the model and the run that it is checked for.

A recipe is made of text, not of objects, so that every way to write a value can occur.
"""
from sparseml_values import Values

ODD = ("null", "true", "'1.0'", "'x'", "[]", "{}", "1e-1", "-1", "0", "1", "2.5", "-0.5", "0.5", ".nan", ".inf", "'none'", "''",
       "[1]", "12", "0x1", "1_0", "'-1'", "false", "'0'", "[0.5]", "eval(2)", "eval(1/2)", "eval(nosuch)")
SCHEME_ODD = ("null", "2", "maybe", "[]", "8.5", "8.0", "'8'", ".nan", ".inf", "true", "'true'", "yes", "0", "1", "3", "{}",
              "'null'", "'on'", "'1'", "1.0", "0.5", "''", "tensor", "channel", "{a: 1}")


class Maker(Values):
    # --- modifiers -------------------------------------------------------------------------------
    def epoch_range(self):
        f = {"start_epoch": "0.0", "end_epoch": self.number(self.last)}
        if self.chance(0.15):
            self.window(f)
        return "EpochRangeModifier", f

    def set_rate(self):
        f = {"learning_rate": self.rate()}
        if self.chance(0.85):
            self.start(f)
        self.optional(f, constant_logging="true", param_groups=self.pick("[0]", "[0, 1]", "null", "[]"), end_epoch="3.0")
        return "SetLearningRateModifier", f

    def rate_function(self):
        f = {"lr_func": self.pick("linear", "cosine", "cyclic_linear"), "init_lr": self.rate(), "final_lr": self.rate()}
        self.window(f, 0.02)
        if self.chance(0.08):
            f["start_epoch"], f["end_epoch"] = "-1", self.pick("0", "0.5", "1")
        if f["lr_func"] == "cyclic_linear" or self.chance(0.05):
            f["cycle_epochs"] = self.number(self.pick(1.0, 0.5, 0.3, 2.0, 1.5, 0.25))
        return "LearningRateFunctionModifier", f

    def scheduler(self):
        f = {"init_lr": self.rate()}
        start, end = self.window(f, 0.4)
        kind = f["lr_class"] = self.pick("StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingWarmRestarts")
        k = {"gamma": self.pick("0.1", "0.5", "0.95", "1", "2.0")}
        if kind == "StepLR":
            k["step_size"] = self.pick("1", "0.5", "2", "0.25", "0.1", "1.0")
        elif kind == "MultiStepLR":
            low = max(start, 0)
            k["milestones"] = "[" + ", ".join(self.number(self.epoch(low, max(end, low + 1))) for _ in range(self.pick(1, 2, 3))) + "]"
        elif kind == "CosineAnnealingWarmRestarts":
            k = {"lr_min": self.pick("0.001", "0.0", "0", "1e-4"), "cycle_epochs": self.pick("1", "2", "3", "1.0", "1.5")}
            self.optional(k, T_mult=self.pick("1", "2", "1.5"))
        if self.odd and self.chance(0.1):
            k[self.pick(*k, "step", "last_epoch", "verbose")] = self.pick(*ODD, "3", "[1.0, 2.0]", "{1: 2}")
        f["lr_kwargs"] = "{" + ", ".join(f"{n}: {v}" for n, v in k.items()) + "}"
        return "LearningRateModifier", f

    def weight_decay(self):
        f = {"weight_decay": self.number(self.pick(0.0, 0.01, 0.0005))}
        if self.chance(0.7):
            self.start(f)
        return "SetWeightDecayModifier", f

    def masks(self):
        return self.pick("unstructured", "unstructured", "block4", "'2:4'", "tensorrt", "[1, 4]", "[4, 1]", "[2, 2]", "'1:4'", "2:4")

    def gradual_fields(self, low=0.0):
        f = {"init_sparsity": self.real(self.pick(0.0, 0.05, 0.3, 0.5) if low == 0.0 else low), "final_sparsity": self.real(self.sparsity())}
        self.window(f, 0.05)
        f["update_frequency"] = self.frequency()
        f["params"] = self.selectors()
        if self.chance(0.12):
            keys = self.r.sample((0.5, 0.6, 0.7, 0.8, 0.9), self.pick(2, 2, 3))
            f["final_sparsity"] = "{" + ", ".join(f"{k}: {self.selectors(False)}" for k in keys) + "}"
            f["params"] = "[]"
        self.optional(f, inter_func=self.pick("linear", "cubic", "inverse_cubic"), leave_enabled=self.pick("true", "false", "false", "'f'"))
        if self.chance(0.05):
            f["init_sparsity"] = "__FROM_PARAM__"
        return f

    def magnitude(self):
        f = self.gradual_fields()
        name = self.pick("GMPruningModifier", "GMPruningModifier", "MagnitudePruningModifier", "GlobalMagnitudePruningModifier", "MovementPruningModifier")
        if self.chance(0.25):
            f["mask_type"] = self.masks()
            if ":" in f["mask_type"] or "rt" in f["mask_type"]:
                f["init_sparsity"], f["final_sparsity"] = self.pick(("0.0", "0.5"), ("0.5", "0.5"), ("0.75", "0.75"))
        return name, f

    def structured(self):
        f = self.gradual_fields()
        self.optional(f, mask_type=self.pick("filter", "channel"))
        return "StructuredPruningModifier", f

    def second_order(self):
        f = self.gradual_fields()
        name = self.pick("OBSPruningModifier", "MFACPruningModifier")
        f["num_grads"] = self.pick("2", "4")
        self.optional(f, fisher_block_size=self.pick("4", "8", "50"), mask_type=self.pick("unstructured", "block4"), num_recomputations="2")
        if name[0] == "M":
            f.pop("num_recomputations", None)
        return name, f

    def constant(self):
        f = {"params": self.selectors()}
        if self.chance(0.4):
            self.window(f, 0.3)
        return "ConstantPruningModifier", f

    def acdc(self):
        start = self.r.randint(0, int(self.last) - 1)
        f = {"compression_sparsity": self.real(self.sparsity()), "start_epoch": self.pick(str(start), f"{start}.0"),
             "end_epoch": str(start + self.pick(0, 1, 2, 3)), "update_frequency": self.pick("1", "2", "1.0", "'1'"), "params": self.selectors()}
        self.optional(f, global_sparsity="false", leave_enabled="false", momentum_buffer_reset="false", mask_type=self.masks)
        return "ACDCPruningModifier", f

    def topkast(self):
        f = {"forward_sparsity": self.real(self.sparsity()), "backward_sparsity": self.real(self.sparsity()), "update_frequency": self.frequency(),
             "params": self.selectors()}
        self.window(f, 0.03)
        self.optional(f, global_sparsity="false", leave_enabled="false", active_weight_decay="0.0")
        return "TopKASTPruningModifier", f

    def rigl(self):
        f = {"final_sparsity": self.real(self.sparsity()), "update_frequency": self.frequency(), "params": self.selectors()}
        self.window(f, 0.03)
        if self.chance(0.15):
            f["end_epoch"] = f["start_epoch"]
        self.optional(f, sparsity_strategy=self.pick("uniform", "erdos_renyi", "erdos_renyi_kernel"), leave_enabled="false", init_update_fraction="0.5")
        return "RigLPruningModifier", f

    def trainable(self):
        f = {"params": self.selectors(), "trainable": self.pick("false", "false", "False", "true", "'no'", "'false'")}
        if self.chance(0.5):
            self.window(f, 0.3)
        self.optional(f, params_strict="false")
        return "TrainableParamsModifier", f

    def set_param(self):
        name = self.name("bias")
        size = self.params[name]
        value = "[" + ", ".join(["0.5"] * (size[0] if len(size) == 1 else 2)) + "]"
        f = {"params": f"['{name}']", "val": value}
        self.optional(f, start_epoch=self.number(self.epoch()))
        return "SetParamModifier", f

    def gradual_param(self):
        name = self.name("bias")
        n = self.params[name][0] if len(self.params[name]) == 1 else 2
        f = {"params": f"['{name}']", "init_val": "[" + ", ".join(["0.5"] * n) + "]", "final_val": "[" + ", ".join(["0.0"] * n) + "]",
             "update_frequency": self.frequency()}
        self.window(f, 0.02)
        return "GradualParamModifier", f

    def modules(self):
        return sorted({n.rpartition(".")[0] for n in self.params})

    def argument(self):
        out = {"num_bits": self.pick("8", "4"), "symmetric": self.pick("true", "false"), "strategy": self.pick("tensor", "channel"), "kwargs": "{}"}
        keep = {k: v for k, v in out.items() if self.chance(0.6)}
        if self.odd and self.chance(0.4):
            keep[self.pick(*out)] = self.pick(*SCHEME_ODD)
        return "{" + ", ".join(f"{k}: {v}" for k, v in keep.items()) + "}"

    def scheme(self):
        if self.chance(0.4):
            return self.pick("default", "deepsparse", "tensorrt", "null")
        out = {k: self.argument() for k in ("input_activations", "weights", "output_activations") if self.chance(0.5)}
        if self.chance(0.2):
            out["target_hardware"] = self.pick("tensorrt", "deepsparse", "null", "x")
        if self.odd and self.chance(0.15):
            out[self.pick("weights", "input_activations", "target_hardware")] = self.pick(*SCHEME_ODD)
        return "{" + ", ".join(f"{k}: {v}" for k, v in out.items()) + "}"

    def quantization(self):
        f = {}
        if self.chance(0.8):
            self.start(f)
        if self.chance(0.6):
            self.optional(f, scheme=self.scheme, scheme_overrides=lambda: "{" + f"{self.pick('Linear', *self.modules())}: {self.scheme()}" + "}",
                          ignore=lambda: self.pick("[Linear]", "[Conv2d]", f"['{self.r.choice(self.modules())}']", "[]", "null", "[nolayer]", "Linear"),
                          strict=self.pick("true", "false"))
        else:
            self.optional(f, submodules=lambda: self.pick(f"['{self.r.choice(self.modules())}']", "null", "[nosuch]", "seq", "[]"), tensorrt=self.pick("true", "false"),
                          quantize_embeddings="false", reduce_range="true", weight_bits=self.pick("8", "4", "'4'"), activation_bits=self.pick("8", "4", "'4'", "null"),
                          exclude_module_types=self.pick("[Linear]", "[]"), activation_qconfig_kwargs=self.pick("{}", "3", "null"))
        self.optional(f, disable_quantization_observer_epoch=self.number(self.epoch()), freeze_bn_stats_epoch=self.number(self.epoch()),
                      model_fuse_fn_name=self.pick("no_fuse", "none", "conv_bn_relus", "fuse_module", "nofuse"), model_fuse_fn_kwargs=self.pick("{}", "null", "3"))
        return "QuantizationModifier", f

    def distillation(self):
        f = {}
        self.optional(f, hardness="0.5", temperature="2.0", distill_output_keys="[a]")
        if self.chance(0.6):
            self.window(f, 0.3)
        return "DistillationModifier", f

    def layer_pruning(self):
        f = {"layers": self.pick(f"['{self.r.choice(self.modules())}']", "__ALL_PRUNABLE__", "['nosuch']", "['re:.*fc']")}
        if self.chance(0.5):
            self.window(f, 0.3)
        return "LayerPruningModifier", f

    def thinning(self):
        name = self.name("weight")
        f = {"param_group_dependency_map": "{'" + name + "': []}"}
        self.optional(f, start_epoch=self.number(self.epoch()), update_epochs=self.pick("[1.0, 2.0]", "[2.0, 1.0]", "[]", "'false'"), structure_type=self.pick("filter", "channel"))
        return "LayerThinningModifier", f

    def powerpropagation(self):
        f = {"params": self.selectors(), "alpha": self.pick("2.0", "1.5", "1")}
        self.window(f, 0.1)
        self.optional(f, strict="false")
        return "PowerpropagationModifier", f

    def logging(self):
        f = {}
        self.window(f, 0.3)
        self.optional(f, update_frequency=self.frequency())
        return "SparsificationLoggingModifier", f

    KINDS = (("magnitude", 26), ("set_rate", 14), ("rate_function", 14), ("scheduler", 14), ("epoch_range", 4), ("weight_decay", 4), ("structured", 4),
             ("second_order", 2), ("constant", 7), ("acdc", 4), ("topkast", 3), ("rigl", 4), ("trainable", 9), ("set_param", 2), ("gradual_param", 2),
             ("quantization", 8), ("distillation", 3), ("layer_pruning", 1), ("thinning", 1), ("powerpropagation", 2), ("logging", 1))

    def modifier(self, kind=None):
        kind = kind or self.r.choices([k for k, _ in self.KINDS], [w for _, w in self.KINDS])[0]
        name, fields = getattr(self, kind)()
        if self.odd and self.chance(0.2):
            self.spoil(fields)
        lines = [f"- !{name}"]
        for key, value in fields.items():
            lines.append(f"  {key}: {value}")
        return lines

    def spoil(self, fields):
        how = self.r.random()
        key = self.r.choice(list(fields) or ["start_epoch"])
        if how < 0.7:
            fields[key] = self.pick(*ODD)
        elif how < 0.85:
            fields.pop(key, None)
        else:
            fields[self.pick("end_epoch", "start_epoch", "log_types", "typo", "global_sparsity", "param_groups", "percdamp")] = self.pick(*ODD)

    # --- whole recipes ---------------------------------------------------------------------------
    def groups(self, count, indent=""):
        kinds = ["epoch_range"] + [None] * count if self.chance(0.85) else [None] * count
        items = [self.modifier(k) for k in kinds]
        self.r.shuffle(items)
        names = self.pick(["modifiers"], ["modifiers"], ["training_modifiers", "pruning_modifiers"])
        out = []
        for at, name in enumerate(names):
            own = items[at::len(names)]
            if own:
                out.append(f"{indent}{name}:")
                out += [indent + line for item in own for line in item]
        return out

    def text(self):
        if self.chance(0.2):
            body = []
            for stage in self.r.sample(("prune", "quantize", "a", "b", "pre_stage_0"), self.pick(1, 2, 2, 3)):
                inner = self.groups(self.pick(1, 2, 2, 3), "  ")
                body += [f"{stage}:", *inner, ""]
        else:
            body = self.groups(self.pick(1, 2, 2, 3, 3, 4, 5))
        head = [f"{k}: {v}" for k, v in self.variables.items()]
        if self.chance(0.1):
            head.append("version: 1.1.0")
        return "\n".join(head + body) + "\n"

    KIND = "sparseml"

    def job(self, name):
        text = self.text()
        ending = "yaml"
        if self.chance(0.06):
            text, ending = f"<!-- about -->\n\n---\n{text}---\n\n# A recipe\n", "md"
        return {"id": name, "text": text, "ending": ending, "params": self.params, "steps_per_epoch": self.pick(1, 2, 3, 4, 5, 7, 10),
                "epochs": self.last if self.chance(0.6) else float(self.pick(1, 2, 3, 5, 6)), "initial_lr": 0.1}
