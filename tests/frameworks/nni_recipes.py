"""Random recipes for NNI 3.0: documents with a class, its arguments and a config_list."""
import models
from choices import Choices

NET = models.NNI
MODULES = models.modules_of(NET)
WEIGHTED = [m["name"] for m in MODULES if m["type"] in ("Linear", "Conv2d", "Conv1d", "ConvTranspose2d", "Embedding", "BatchNorm2d", "BatchNorm1d")]
LAYERS = [m["name"] for m in MODULES if m["type"] in ("Linear", "Conv2d")]
TYPES = ["Linear", "Conv2d", "BatchNorm2d", "ReLU", "Embedding", "Conv1d", "ConvTranspose2d", "LayerNorm", "BatchNorm1d", "Sequential", "GELU"]
PATTERNS = ["fc1", "fc1$", "fc\\d+", "blocks\\..*", "blocks.*conv", ".*conv$", "features\\.\\d", "(?!stem).*", "stem", "head", ".*", "fc[12]$",
            "blocks\\.(0|1)\\.bn", "conv", "[a-z]+\\d$", "fc(?P<n>\\d)", "nosuch", "[", "(fc1", "^fc2", "f.1"]


class Recipes(Choices):
    # --- selection
    def selection(self, pool=LAYERS, types=("Linear", "Conv2d")):
        r, entry = self.rng, {}
        form = self.weighted([("names", 6), ("types", 4), ("both", 2), ("re", 3), ("re_types", 1), ("none", .15)])
        if form in ("names", "both"):
            entry["op_names"] = [self.pick(pool) for _ in range(r.randint(1, 3))]
            if self.chance(.04):
                entry["op_names"].append(self.pick(["nosuch", "fc1.weight", "stem", "", "drop", "blocks"]))
            if self.chance(.02):
                entry["op_names"] = []
        if form in ("types", "both", "re_types"):
            entry["op_types"] = list(dict.fromkeys(self.pick(types) if self.chance(.85) else self.pick(TYPES) for _ in range(r.randint(1, 2))))
            if self.chance(.03):
                entry["op_types"].append(self.pick(["linear", "torch.nn.Linear", "default", "Foo"]))
        if form in ("re", "re_types"):
            entry["op_names_re"] = [self.pick(PATTERNS) for _ in range(1 if self.chance(.8) else 2)]
            if form == "re" and self.chance(.7):
                entry["op_types"] = [self.pick(types)]
        for key, values in (("exclude_op_names", pool), ("exclude_op_names_re", PATTERNS[:16]), ("exclude_op_types", TYPES)):
            if self.chance(.07):
                entry[key] = [self.pick(values)]
        return entry

    def ratio(self):
        return self.weighted([(round(self.rng.uniform(.02, .98), self.rng.randint(1, 4)), 30), (.5, 6), (0.0, .5), (1.0, .7), (1.5, .3),
                              (-.2, .2), (1, .3), (0, .1), ("0.5", .2), (True, .1), (None, .1), (float("nan"), .15), (float("inf"), .1), (50.0, .1)])

    def bound(self):
        return self.weighted([(round(self.rng.uniform(.05, .95), 2), 20), (0.0, .4), (1.0, .5), (1, .3), (0, .3), (True, .2), (-.1, .2), (1.2, .2), (None, .2)])

    def granularity(self):
        return self.weighted([("default", 2), ("out_channel", 4), ("in_channel", 4), ("per_channel", .6), ([4, 4], 1), ([2, 2], 1.5), ([4, 1], 1), ([1, 4], 1),
                              ([8], .5), ([2], .5), ([1, 1, 1, 1], .4), ([2, 2, 1, 1], .5), ([1, -1], .4), ([-1, 1], .4), ([[2, 2], "back", 1], .2),
                              ([[2], "back"], .2), ([[4, 4]], .2), ([3, 3], .5), ([], .2), ([1, 1, 1, 1, 1], .2), ("foo", .2), ([2.0, 2.0], .1)])

    def pruning_settings(self):
        s = {}
        kind = self.weighted([("ratio", 12), ("threshold", 1.2), ("none", .6), ("both", .15)])
        if kind in ("ratio", "both"):
            s["sparse_ratio"] = self.ratio()
        if kind in ("threshold", "both"):
            s["sparse_threshold"] = self.pick([.01, .05, .1, .5, 1.0, 1])
        if self.chance(.15):
            s["min_sparse_ratio"] = self.bound()
        if self.chance(.18):
            s["max_sparse_ratio"] = self.bound()
        if self.chance(.22):
            s["granularity"] = self.granularity()
        if self.chance(.10):
            s["global_group_id"] = self.pick([1, 2, "a", "1", 1.0])
        if self.chance(.13):
            s["dependency_group_id"] = self.pick([1, "d", "d"])
            if self.chance(.3):
                s["internal_metric_block"] = self.pick([1, 2, 4, 3, 8])
        if self.chance(.05):
            s["apply_method"] = self.pick(["mul", "add", "bypass", "foo"])
        if self.chance(.02):
            s["align"] = {"module_name": self.pick([None, "fc1", "stem.conv"]), "target_name": self.pick(["weight", "bias"]), "dims": [0]}
        return s

    def pruning_entry(self):
        entry = self.selection(WEIGHTED if self.chance(.2) else LAYERS)
        settings = self.pruning_settings()
        where = self.weighted([("top", 8), ("settings", 1.5), ("mixed", .8)])
        if where == "top":
            entry.update(settings)
        elif where == "settings":
            entry["target_settings"] = {self.pick(["weight", "weight", "weight", "bias", "foo"]): settings or {"sparse_ratio": .5}}
        else:
            entry.update(settings)
            entry["target_settings"] = {"bias": {"align": {"module_name": None, "target_name": "weight", "dims": [0]}} if self.chance(.6)
                                        else {"sparse_ratio": self.ratio()}}
        if self.chance(.35):
            entry["target_names"] = self.weighted([(["weight"], 8), (["weight", "bias"], 2), (["bias"], .6), (["_output_"], .3), (["_input_"], .2),
                                                   ([], .2), (["foo"], .2), (["weight", "weight"], .2)])
        if self.chance(.015):
            entry[self.pick(["sparse_ration", "op_name", "sparsity", "quant_dtype", "lambda", "start_epoch"])] = self.pick([.5, ["fc1"], "int8", 1])
        return entry

    # --- classes
    def steps(self):
        return self.weighted([(self.rng.randint(1, 8), 20), (0, .3), (-1, .2), (2.0, .3), (2.5, .2), ("3", .2), (None, .1), (True, .2)])

    def plain_pruner(self):
        kind = self.weighted([("LevelPruner", 6), ("L1NormPruner", 6), ("L2NormPruner", 3), ("FPGMPruner", 2.5), ("SlimPruner", 1.5), ("TaylorPruner", 2)])
        part = {"class": kind}
        if kind in ("SlimPruner", "TaylorPruner"):
            part["training_steps"] = self.steps()
            if kind == "SlimPruner" and self.chance(.3):
                part["regular_scale"] = self.pick([.5, 1, 1e-3, "1"])
        if self.chance(.01):
            part[self.pick(["training_step", "foo"])] = 3
        return part

    def movement(self):
        w = self.weighted([(self.rng.randint(0, 5), 10), (-1, .2), (2.5, .3)])
        part = {"class": "MovementPruner", "warmup_step": w, "cooldown_begin_step": self.weighted([((w if isinstance(w, int) else 3) + self.rng.randint(1, 6), 10), (w, .4)])}
        if self.chance(.2):
            part["regular_scale"] = self.pick([.5, 10])
        return part

    def scheduled(self):
        part = {"class": self.pick(["AGPPruner", "LinearPruner"]), "interval_steps": self.steps(), "total_times": self.steps()}
        inner = self.movement() if self.chance(.15) else self.plain_pruner()
        if self.chance(.02):
            inner = {"class": "LinearPruner", "interval_steps": 2, "total_times": 2, "pruner": {"class": "LevelPruner"}}
        if "training_steps" in inner and isinstance(part["interval_steps"], int) and part["interval_steps"] > 0 and self.chance(.85):
            inner["training_steps"] = self.rng.randint(1, part["interval_steps"])
        part["pruner"] = inner
        if self.chance(.02):
            part.pop(self.pick(["interval_steps", "total_times"]))
        return part

    def pruner(self):
        return self.weighted([(self.plain_pruner, 10), (self.scheduled, 11), (self.movement, 3)])()

    def needed(self, part):
        numbers = [v for k, v in part.items() if k != "pruner" and isinstance(v, (int, float)) and v > 0]
        if part["class"] in ("AGPPruner", "LinearPruner") and len(numbers) == 2:
            return int(numbers[0] * numbers[1])
        return int(max(numbers or [4]))

    def pruning(self):
        part = self.pruner()
        doc = {"pruner": part}
        if part["class"] in ("AGPPruner", "LinearPruner", "MovementPruner"):
            floats = any(isinstance(v, float) for p in (part, part.get("pruner") or {}) for v in p.values())
            form = self.weighted([("steps", 10), ("none", 0 if floats else 3), ("epochs", 1.5), ("short", .5)])
            need = self.needed(part)
            if form == "steps":
                doc["compress"] = {"max_steps": need + self.rng.randint(0, 4)}
            elif form == "epochs":
                doc["compress"] = {"max_epochs": self.rng.randint(1, 4)}
            elif form == "short":
                doc["compress"] = {"max_steps": max(1, need - self.rng.randint(1, 3))}
        elif self.chance(.05):
            doc["compress"] = {"max_steps": 5}
        doc["config_list"] = self.entries(self.pruning_entry)
        return doc

    def entries(self, make):
        return [make() for _ in range(self.weighted([(1, 8), (2, 6), (3, 3), (4, 1)]))]

    def several(self):
        parts = []
        for _ in range(self.weighted([(2, 8), (3, 2)])):
            part = self.quantizer() if self.chance(.15) else self.pruner()
            make = self.quantization_entry if part["class"].endswith("Quantizer") else self.pruning_entry
            part["config_list"] = self.entries(make)
            parts.append(part)
        doc = {"compressors": parts}
        form = self.weighted([("steps", 8), ("epochs", 1)])
        if form == "steps":
            doc["compress"] = {"max_steps": max([self.needed({k: v for k, v in p.items() if k != "config_list"}) for p in parts]) + self.rng.randint(0, 3)}
        elif form == "epochs":
            doc["compress"] = {"max_epochs": self.rng.randint(1, 3)}
        return doc

    # --- quantization
    def quantization_settings(self):
        s = {"quant_dtype": self.weighted([("int8", 10), ("uint8", 4), (None, 2), ("int4", 3), ("uint4", 1), ("int16", .5), ("int0", .2), ("int99", .2), ("int64", .3),
                                           ("int63", .2), ("uint64", .2), ("uint63", .2), ("int80", .2), ("float16", .2), ("int", .2), ("INT8", .1), (8, .1), ("int1", .3),
                                           ("uint1", .2), ("int32", .3), ("uint32", .2)])}
        if self.chance(.4):
            s["quant_scheme"] = self.weighted([("affine", 5), ("symmetric", 5), ("asym", .2), (None, .1)])
        if self.chance(.15):
            s["granularity"] = self.granularity()
        if self.chance(.05):
            s["apply_method"] = self.pick(["clamp_round", "bypass", "qat_clamp_round", "mul"])
        return s

    def quantization_entry(self):
        pool = LAYERS if self.chance(.7) else [m["name"] for m in MODULES if m["type"] in ("ReLU", "ReLU6", "Hardtanh", "MaxPool2d", "BatchNorm2d", "Linear", "Conv2d")]
        entry = self.selection(pool, ("Linear", "Conv2d", "ReLU"))
        if self.chance(.6):
            entry["target_names"] = self.weighted([(["weight"], 6), (["_input_", "weight"], 2), (["_input_", "weight", "_output_"], 3), (["_output_"], 2),
                                                   (["weight", "bias"], .8), (["_input_"], 1), (["_input_0"], .3), (["bias"], .2), (["foo"], .1)])
        if self.chance(.75):
            entry.update(self.quantization_settings())
            if isinstance(entry.get("granularity"), list):  # what comes in and out has no shape that a file could know
                entry["target_names"] = ["weight"]
        else:
            entry["quant_dtype"] = "int8"
            entry["target_settings"] = {t: self.quantization_settings() for t in self.rng.sample(["weight", "_input_", "_output_", "bias"], self.rng.randint(1, 2))}
            for t, settings in entry["target_settings"].items():
                if t.startswith("_") and isinstance(settings.get("granularity"), list):
                    del settings["granularity"]
        if self.chance(.08):
            entry["fuse_names"] = [self.pick([["stem.conv", "stem.bn"], ["stem.conv", "stem.bn", "stem.relu"], ["features.3", "features.4"], ["blocks.0.conv", "blocks.0.bn"],
                                              ["fc2", "act"], ["blocks.0.conv", "blocks.0.bn", "blocks.0.relu"], ["stem.conv"], ["stem.bn", "stem.relu"], ["nosuch", "stem.bn"],
                                              ["fc1", "stem.relu"], ["features.3", "features.4", "features.5"]])]
        return entry

    def quantizer(self):
        kind = self.weighted([("QATQuantizer", 6), ("PtqQuantizer", 3), ("DoReFaQuantizer", 2), ("BNNQuantizer", 1.5), ("LsqQuantizer", 2), ("LsqPlusQuantizer", 2)])
        part = {"class": kind}
        if kind == "QATQuantizer" and self.chance(.4):
            part["quant_start_step"] = self.weighted([(self.rng.randint(0, 5), 8), (-1, .3), (None, .3), ("2", .2)])
        if kind == "PtqQuantizer" and self.chance(.2):
            part["is_bias_correction"] = self.chance(.5)
        return part

    def quantization(self):
        doc = {"quantizer": self.quantizer()}
        if self.chance(.2):
            doc["compress"] = {"max_steps": 4}
        doc["config_list"] = self.entries(self.quantization_entry)
        return doc

    # --- distillation
    def distillation(self):
        def entry():
            e = self.selection(LAYERS)
            if "op_names_re" in e and self.chance(.7):
                e["op_types"] = ["Linear"]
            if self.chance(.05):
                e["op_names"] = [self.pick(["stem", "blocks", "head", "blocks.1"])]
            if self.chance(.7):
                e["lambda"] = self.weighted([(.5, 6), (1.0, 4), (1, .5), ("1", .2), (-.5, .3)])
            if self.chance(.4):
                e["link"] = self.weighted([("auto", 8), ("nosuch", .4), (["auto"], .2)])
            if self.chance(.3):
                e["apply_method"] = self.weighted([("mse", 5), ("kl", 5), ("foo", .3)])
            if self.chance(.2):
                e["target_names"] = self.weighted([(["_output_"], 5), (["weight"], .3), (["_input_"], .3)])
            return e
        part = {"class": self.pick(["DynamicLayerwiseDistiller", "Adaptive1dLayerwiseDistiller"])}
        if self.chance(.2):
            part["origin_loss_lambda"] = self.pick([.5, 1])
        return {"distiller": part, "compress": {"max_steps": 2}, "config_list": self.entries(entry)}

    # --- keys of 2.x
    def legacy(self):
        def entry():
            e = {}
            kind = self.weighted([("types", 5), ("names", 4), ("partial", 1)])
            if kind == "types":
                e["op_types"] = [self.weighted([("Linear", 5), ("Conv2d", 5), ("default", .5), ("Embedding", .3)])]
            if kind == "names" or self.chance(.1):
                e["op_names"] = [self.pick(LAYERS)]
            if kind == "partial":
                e["op_partial_names"] = [self.pick(["fc", "conv", "blocks.0"])]
            if self.chance(.15):
                e["exclude"] = True
            else:
                e[self.weighted([("sparsity", 8), ("sparsity_per_layer", 2), ("total_sparsity", .3), ("sparse_ratio", .4)])] = self.ratio()
                if self.chance(.1):
                    e["max_sparsity_per_layer"] = self.bound()
            return e
        doc = self.pruning()
        doc["config_list"] = self.entries(entry)
        return doc

    def make(self):
        doc = self.weighted([(self.pruning, 58), (self.several, 9), (self.quantization, 20), (self.distillation, 5), (self.legacy, 8)])()
        if self.chance(.03):
            self.mutate(doc)
        return doc

    def mutate(self, doc):
        entries = [e for e in doc.get("config_list") or [] if e]
        if entries:
            e = self.pick(entries)
            key = self.pick(list(e))
            if self.chance(.5):
                del e[key]
            else:
                e[key] = self.pick([None, [], "x", 3, {}])
