"""Whole Distiller schedules: several pruners with shared lists of weights, schedulers, regularizers or a quantizer, and
policies that belong together, in the styles and with the mistakes of people.
"""
import distiller_recipes
from slips import Slips
from styles import Style

CONVS, LINEARS, NAMES, LEAVES = distiller_recipes.CONVS, distiller_recipes.LINEARS, distiller_recipes.NAMES, distiller_recipes.LEAVES


class Plans(distiller_recipes.Recipes):
    """Uses the classes of the other generator with values that people choose."""

    def __init__(self, rng):
        super().__init__(rng)
        self.epochs = rng.randint(6, 12)

    # --- values
    def share(self, low=.0, high=.98):
        return self.weighted([(.5, 4), (.8, 3), (.9, 2), (.3, 3), (.05, 2), (.7, 2), (.6, 2), (.25, 1), (.1, 1), (0, .1)])

    def weights(self, pool=NAMES, most=5):
        names = self.rng.sample(pool, self.rng.randint(1, min(most, len(pool))))
        return self.weighted([(names, 30), (names[0], .3), ({n: None for n in names}, .2)])

    def regims(self):
        names = self.rng.sample(CONVS, 2) if self.chance(.6) else self.rng.sample(LINEARS, 1)
        return {name: [self.pick([.0002, .001, .01]), self.pick(["Channels", "Filters", "3D"] if name in CONVS else ["Rows", "Cols"])] for name in names}

    def bits(self):
        return self.weighted([(8, 10), (4, 5), (2, 2), (None, 4), (32, 1)])

    def override(self):
        return self.weighted([({"bits_weights": None, "bits_activations": None}, 5), ({"bits_weights": 8}, 3), ({"bits_activations": 4, "bits_weights": 4}, 3), ({"bits_bias": 32}, 1)])

    def agp_shares(self):
        return {"initial_sparsity": self.weighted([(.05, 4), (.15, 4), (.1, 4), (.2, 2), (0.0, .2)]), "final_sparsity": self.pick([.5, .7, .8, .9, .3])}

    def span(self):
        start = self.weighted([(0, 6), (1, 2), (2, 2), (self.epochs // 2, 2)])
        end = self.weighted([(self.epochs, 6), (self.epochs - 2, 2), (start + 3, 2)])
        if self.chance(.12):
            return {"epochs": sorted(self.rng.sample(range(self.epochs), 3))}
        return {"starting_epoch": start, "ending_epoch": max(end, start + 1), "frequency": self.weighted([(1, 8), (2, 4), (3, 1)])}

    def quantizer(self):
        name = self.pick(["DorefaQuantizer", "WRPNQuantizer", "PACTQuantizer", "QuantAwareTrainRangeLinearQuantizer"])
        out = {"class": name, "bits_activations": self.pick([8, 4]), "bits_weights": self.pick([8, 4, 3])}
        if "Range" in name:
            out.update({key: value for key, value in (("mode", self.pick(["ASYMMETRIC_UNSIGNED", "SYMMETRIC"])), ("ema_decay", .999), ("per_channel_wts", True), ("quantize_inputs", True))
                        if self.chance(.5)})
        if self.chance(.7):
            out["overrides"] = {each: self.override() for each in self.rng.sample(["conv1", "fc", "fc2", "relu1", "final_relu", "layer1.*", "layer1\\.conv1", ".*relu.*", "submodule.conv"], self.rng.randint(1, 3))}
        return out

    # --- schedules
    def pruning(self, doc, policies):
        names = [self.pick(["conv", "fc", "low", "high", "filters", "level", "agp"]) + f"_{self.pick(['pruner', 'p'])}{n or ''}" for n in range(self.weighted([(1, 3), (2, 4), (3, 3), (4, 2), (5, 1)]))]
        doc["pruners"] = {name: self.pruner() for name in names}
        spans = [self.span() for _ in range(2)]
        for name in doc["pruners"]:
            for _ in range(self.weighted([(1, 8), (2, 1.5)])):
                policy = {"pruner": {"instance_name": name}}
                arguments = self.arguments("levels" in doc["pruners"][name]) if self.chance(.5) else {}
                if arguments:
                    policy["pruner"]["args"] = arguments
                policies.append({**policy, **self.pick([*spans, self.span()])})

    def make(self):
        doc, policies = ({"version": 1} if self.chance(.7) else {}), []
        purpose = self.weighted([("prune", 8), ("quantize", 3), ("rates", 2), ("regularize", 2)])
        if purpose == "quantize":
            doc["quantizers"] = {self.pick(["linear_quantizer", "dorefa_quantizer", "q"]): self.quantizer()}
            span = self.weighted([({"starting_epoch": 0, "ending_epoch": self.epochs, "frequency": 1}, 8), (self.span(), 1)])
            policies.append({"quantizer": {"instance_name": next(iter(doc["quantizers"]))}, **span})
        if purpose == "prune" or self.chance(.1):
            self.pruning(doc, policies)
        if purpose == "regularize" or self.chance(.1):
            doc["regularizers"] = {f"reg{n}": self.regularizer() for n in range(self.pick([1, 1, 2]))}
            for name in doc["regularizers"]:
                policy = {"instance_name": name, **({"args": {"keep_mask": self.pick([True, False])}} if self.chance(.3) else {})}
                policies.append({"regularizer": policy, **self.span()})
        if self.chance(.8) or not policies:
            doc["lr_schedulers"] = {self.pick(["training_lr", "pruning_lr", "lr"]) + str(n or ""): self.scheduler() for n in range(self.weighted([(1, 6), (2, 2), (3, .5)]))}
            for name in doc["lr_schedulers"]:
                if self.chance(.95):
                    policies.append({"lr_scheduler": {"instance_name": name}, **self.span()})
        return {**doc, "policies": policies}

    def text(self):
        return Slips(self.rng).applied(Style(self.rng).dump(self.make())), ".yaml"
