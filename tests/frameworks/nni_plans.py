"""Whole NNI configurations: a class with its arguments and lists of many entries that exclude, group and refine, in the
styles and with the mistakes of people.
"""
import nni_recipes
from slips import Slips
from styles import Style

LAYERS, WEIGHTED = nni_recipes.LAYERS, nni_recipes.WEIGHTED
PATTERNS = ["fc\\d+", "blocks\\..*", ".*conv$", "features\\.\\d", "head\\..*", "blocks\\.(0|1)\\.conv", "fc[12]$", "stem\\..*", "(?!fc).*"]


class Plans(nni_recipes.Recipes):
    """Uses the classes of the other generator with values that people choose."""

    def ratio(self):
        return self.weighted([(.5, 6), (.8, 4), (.9, 2), (.3, 2), (.75, 2), (.6, 1)])

    def bound(self):
        return self.pick([.9, .95, .3, .1, .8])

    def steps(self):
        return self.weighted([(2, 4), (3, 3), (5, 2), (10, 1), (1, 1)])

    def granularity(self):
        return self.weighted([("default", 2), ("out_channel", 4), ("in_channel", 3), ("per_channel", .6), ([4, 4], 1), ([2, 2], 1), ([4, 1], 1), ([1, 4], 1), ([2, 2, 1, 1], .4)])

    def selection(self, pool=LAYERS, types=("Linear", "Conv2d")):
        entry = self.weighted([(lambda: {"op_types": [self.pick(types)]}, 4), (lambda: {"op_types": list(types)}, 3), (lambda: {"op_names": self.rng.sample(pool, self.rng.randint(1, 4))}, 5),
                               (lambda: {"op_names_re": [self.pick(["fc\\d+", ".*conv$", "head\\..*"])]}, 2),
                               (lambda: {"op_names_re": [self.pick(PATTERNS)], "op_types": [self.pick(types)]}, 5),
                               (lambda: {"op_types": list(types), "op_names": self.rng.sample(pool, 2)}, 1)])()
        if self.chance(.3):
            entry["exclude_op_names"] = self.rng.sample(pool, self.rng.randint(1, 2))
        if self.chance(.1):
            entry["exclude_op_names_re"] = [self.pick(PATTERNS)]
        if self.chance(.05):
            entry["exclude_op_types"] = [self.pick(["Linear", "Conv2d"])]
        return entry

    def pruning_settings(self):
        out = {"sparse_ratio": self.ratio()} if self.chance(.9) else {"sparse_threshold": self.pick([.01, .1, .5])}
        for key, value, share in (("max_sparse_ratio", self.bound(), .15), ("min_sparse_ratio", .1, .08), ("granularity", self.granularity(), .25), ("global_group_id", self.pick([1, "a"]), .12),
                                  ("dependency_group_id", self.pick([1, "b"]), .12)):
            if self.chance(share):
                out[key] = value
        if "dependency_group_id" in out and self.chance(.3):
            out["internal_metric_block"] = self.pick([1, 2, 4])
        return out

    def pruning_entry(self):
        if self.chance(.1):
            return super().pruning_entry()
        entry = {**self.selection(WEIGHTED if self.chance(.1) else LAYERS), **self.pruning_settings()}
        if self.chance(.3):
            entry["target_names"] = self.pick([["weight"], ["weight"], ["weight", "bias"]])
        return entry

    def quantization_entry(self):
        if self.chance(.15):
            return super().quantization_entry()
        entry = {**self.selection(), **self.quantization_settings()}
        entry["target_names"] = self.pick([["_input_", "weight", "_output_"], ["weight"], ["_input_", "weight"], ["weight", "bias"]])
        if isinstance(entry.get("granularity"), list) or self.chance(.2):
            entry.pop("granularity", None)
        return entry

    def quantization_settings(self):
        out = {"quant_dtype": self.weighted([("int8", 10), ("uint8", 3), ("int4", 3), (None, 1)])}
        if self.chance(.5):
            out["quant_scheme"] = self.pick(["affine", "symmetric"])
        if self.chance(.15):
            out["granularity"] = self.pick(["default", "out_channel", "per_channel", [4, 4]])
        return out

    def entries(self, make):
        return [make() for _ in range(self.weighted([(1, 4), (2, 5), (3, 4), (4, 2), (6, 1), (8, .5)]))]

    def make(self):
        return self.weighted([(self.pruning, 50), (self.several, 15), (self.quantization, 20), (self.distillation, 5), (self.legacy, 10)])()

    def text(self):
        return Slips(self.rng).applied(Style(self.rng).dump(self.make())), ".yaml"
