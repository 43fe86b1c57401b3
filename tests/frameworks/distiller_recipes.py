"""Random schedules for Distiller."""
import models
from choices import Choices

NET = models.DISTILLER
PARAMETERS = models.parameters_of(NET)
CONVS = [n for n, s in PARAMETERS.items() if len(s) == 4]
LINEARS = [n for n, s in PARAMETERS.items() if len(s) == 2]
LEAVES = [n for n, k, a in NET if k not in ("Net", "Module")]
NAMES = CONVS + LINEARS


class Recipes(Choices):
    def __init__(self, rng):
        super().__init__(rng)
        self.epochs = rng.randint(3, 9)

    def share(self, low=.0, high=.98):
        return self.weighted([(round(self.rng.uniform(max(low, .06), high), self.rng.randint(1, 3)), 30), (0.0, .4), (1.0, .4), (1.2, .15), (80, .1),
                              (-.1, .1), ("0.5", .1), (0.02, .4), (.04, .4)])

    def weights(self, pool=NAMES, most=3):
        names = [self.pick(pool) for _ in range(self.rng.randint(1, most))]
        if self.chance(.04):
            names.append(self.pick(["nosuch.weight", "conv1", "bn1.weight", "module.conv1.weight", "conv1.bias"]))
        return self.weighted([(names, 40), (names[0], .8), ({n: None for n in names}, .3), ([], .2), (None, .1)])

    # --- pruners
    def agp_shares(self):
        a, b = self.share(), self.share()
        if self.chance(.93) and isinstance(a, float) and isinstance(b, float):
            a, b = min(a, b), max(a, b)
        return {"initial_sparsity": a, "final_sparsity": b}

    def ranked(self, gradual):
        kind = self.weighted([("L1RankedStructureParameterPruner", 6), ("L2RankedStructureParameterPruner", 4), ("ActivationAPoZRankedFilterPruner", 1),
                              ("ActivationMeanRankedFilterPruner", .7), ("GradientRankedFilterPruner", .7), ("RandomRankedFilterPruner", 1)])
        norm = kind.startswith("L")
        group = self.weighted([("Filters", 6), ("3D", 2), ("Channels", 4 if norm else .3), ("Rows", 2 if norm else .2), ("Blocks", 1 if norm else .1), ("Cols", .1)])
        pool = CONVS if group in ("Filters", "3D") or self.chance(.6) else LINEARS
        p = {"class": kind + ("_AGP" if gradual else ""), "group_type": group}
        p.update(self.agp_shares() if gradual else {"desired_sparsity": self.share()})
        p["weights"] = self.weights(pool if self.chance(.92) else NAMES)
        if self.chance(.18):
            p["group_dependency"] = self.weighted([("Leader", 8), ("leader", .4), (None, .5), ("foo", .2)])
        if group == "Blocks":
            p["kwargs"] = {"block_shape": self.weighted([([1, 8, 1, 1], 4), ([1, 4, 1, 1], 4), ([2, 4, 1, 1], 2), ([1, 3, 1, 1], 1), ([1, 8, 2, 1], .3), ([1, 16, 1, 1], 1)])}
            if self.chance(.06):
                p.pop("kwargs")
        if norm and not gradual and self.chance(.08):
            p["group_size"] = self.pick([1, 2, 4])
        if norm and not gradual and self.chance(.04):
            p["noise"] = self.pick([0.0, .1])
        return p

    def levels(self, star=.25):
        out = {n: self.share() for n in self.weights_list()}
        if self.chance(star):
            out["*"] = self.share()
        return out

    def weights_list(self):
        return [self.pick(NAMES + ["conv1.bias", "bn1.weight", "nosuch.weight"] if self.chance(.05) else NAMES) for _ in range(self.rng.randint(1, 3))]

    def numbers(self, scale, star=.25):
        out = {n: round(self.rng.uniform(0, scale), 2) for n in self.weights_list()}
        if self.chance(star):
            out["*"] = round(self.rng.uniform(0, scale), 2)
        return out

    def pruner(self):
        kind = self.weighted([("agp", 8), ("ranked", 4), ("ranked_agp", 5), ("level", 5), ("sens", 3), ("magnitude", 1.5), ("splicing", 1), ("baidu", 1.2),
                              ("structure", 1.2), ("random", .6)])
        if kind == "agp":
            return {"class": "AutomatedGradualPruner", **self.agp_shares(), "weights": self.weights()}
        if kind == "ranked":
            return self.ranked(False)
        if kind == "ranked_agp":
            return self.ranked(True)
        if kind == "level":
            return {"class": "SparsityLevelParameterPruner", "levels": self.levels()}
        if kind == "sens":
            return {"class": "SensitivityPruner", "sensitivities": self.numbers(1)}
        if kind == "magnitude":
            t = self.numbers(.1, .0)
            if self.chance(.95):
                t["*"] = self.pick([0.0, 0.01])
            return {"class": "MagnitudeParameterPruner", "thresholds": t}
        if kind == "splicing":
            return {"class": "SplicingPruner", "sensitivities": self.numbers(1), "low_thresh_mult": .9, "hi_thresh_mult": 1.1}
        if kind == "baidu":
            return {"class": "BaiduRNNPruner", "q": .1, "ramp_epoch_offset": self.rng.randint(0, 3), "ramp_slope_mult": 2, "weights": self.weights()}
        if kind == "structure":
            return {"class": "StructureParameterPruner", "reg_regims": self.regims(), "threshold_criteria": self.weighted([("Max", 4), ("Mean_Abs", 4), ("Foo", .2)])}
        return {"class": "RandomLevelStructureParameterPruner", "group_type": self.pick(["Filters", "Channels"]), "sparsity_range": [.1, .5], "weights": self.weights(CONVS)}

    def regims(self):
        out = {}
        for _ in range(self.rng.randint(1, 2)):
            four = self.chance(.65)
            name = self.pick(CONVS if four else LINEARS)
            groups = ["Channels", "Filters", "3D", "2D", "4D"] if four else ["Rows", "Cols", "Rows+Cols", "Cols+Rows"]
            if self.chance(.12):
                groups = ["Channels", "Filters", "3D", "2D", "4D", "Rows", "Cols", "Rows+Cols", "Channels+4D", "foo"]
            out[name] = [round(self.rng.uniform(.0001, .01), 4), self.pick(groups)]
        return out

    def regularizer(self):
        kind = self.weighted([("L1Regularizer", 4), ("GroupLassoRegularizer", 5), ("GroupVarianceRegularizer", 1)])
        if kind == "L1Regularizer":
            r = {"class": kind, "reg_regims": {n: round(self.rng.uniform(.0001, .01), 4) for n in self.weights_list()}}
        elif kind == "GroupLassoRegularizer":
            r = {"class": kind, "reg_regims": self.regims()}
        else:
            r = {"class": kind, "reg_regims": {self.pick(CONVS if self.chance(.8) else LINEARS): [.001, self.weighted([("Channels", 8), ("Filters", 1)])]}}
        if kind != "GroupVarianceRegularizer" and self.chance(.35):
            r["threshold_criteria"] = self.weighted([("Max", 4), ("Mean_Abs", 4), (None, 1), ("foo", .2)])
        return r

    # --- rates
    def scheduler(self):
        e = self.epochs
        kind = self.weighted([("StepLR", 4), ("MultiStepLR", 4), ("ExponentialLR", 3), ("CosineAnnealingLR", 3), ("CosineAnnealingWarmRestarts", 1.5), ("PolynomialLR", 1.5),
                              ("MultiStepMultiGammaLR", 2), ("CyclicLR", 1.5), ("OneCycleLR", 1), ("LinearLR", 1), ("ConstantLR", 1), ("ReduceLROnPlateau", .7)])
        n = lambda lo=1: self.rng.randint(lo, e)
        args = {
            "StepLR": lambda: {"step_size": n(), "gamma": .3},
            "MultiStepLR": lambda: {"milestones": sorted(n() for _ in range(2)) if self.chance(.9) else [4, 2], "gamma": .2},
            "ExponentialLR": lambda: {"gamma": .8},
            "CosineAnnealingLR": lambda: {"T_max": n(2), **({"eta_min": 1.0e-6} if self.chance(.5) else {})},
            "CosineAnnealingWarmRestarts": lambda: {"T_0": self.weighted([(n(), 8), (2.0, .3), (0, .2)]), **({"T_mult": 2} if self.chance(.4) else {})},
            "PolynomialLR": lambda: {"T_max": n(2), "power": self.pick([1, 2, .5, 3])},
            "MultiStepMultiGammaLR": lambda: {"milestones": [1, 3, 5], "gammas": self.weighted([([.5, .2, 2], 8), ([.5, .2], .5)])},
            "CyclicLR": lambda: {"base_lr": 1.0e-5, "max_lr": 1.0e-3, "step_size_up": n(), **({"mode": self.pick(["triangular", "triangular2", "exp_range"])} if self.chance(.5) else {}),
                                 **({"step_size_down": n()} if self.chance(.3) else {}), **({"gamma": .9} if self.chance(.3) else {})},
            "OneCycleLR": lambda: {"max_lr": 1.0e-3, "total_steps": self.epochs + self.rng.randint(-1, 4), **({"anneal_strategy": "linear"} if self.chance(.3) else {}),
                                   **({"three_phase": True} if self.chance(.2) else {})},
            "LinearLR": lambda: {"total_iters": n(), **({"start_factor": .1} if self.chance(.5) else {})},
            "ConstantLR": lambda: {"factor": .5, "total_iters": n()},
            "ReduceLROnPlateau": lambda: {"patience": 2},
        }[kind]()
        return {"class": kind, **args}

    # --- quantizers
    def bits(self):
        return self.weighted([(8, 10), (4, 5), (2, 2), (None, 4), (32, 1), (1, .5), (0, .2), (64, .3), (33, .2), ("8", .2), (3.5, .2), (-1, .1)])

    def override(self):
        out = {}
        for key in ("bits_weights", "bits_activations", "bits_bias"):
            if self.chance(.5):
                out[key] = self.bits()
        if self.chance(.05):
            out[self.pick(["bits_weigths", "bits_weight", "bits_activation", "wts", "foo", "its_activations", "mode"])] = self.pick([4, 2])
        return out

    def quantizer(self):
        kind = self.weighted([("DorefaQuantizer", 4), ("WRPNQuantizer", 3), ("PACTQuantizer", 2.5), ("QuantAwareTrainRangeLinearQuantizer", 4), ("NCFQuantAwareTrainQuantizer", .3)])
        q = {"class": kind}
        for key in ("bits_activations", "bits_weights", "bits_bias"):
            if self.chance(.75 if key != "bits_bias" else .3):
                q[key] = self.bits()
        if "RangeLinear" in kind:
            if self.chance(.4):
                q["mode"] = self.weighted([("SYMMETRIC", 3), ("ASYMMETRIC_UNSIGNED", 3), ("ASYMMETRIC_SIGNED", 2), ("SYMMETRIC_RESTRICTED", 1), ("symmetric", .2),
                                           ({"activations": "ASYMMETRIC_UNSIGNED", "weights": "SYMMETRIC"}, 1)])
            if self.chance(.3):
                q["per_channel_wts"] = True
            if self.chance(.4):
                q["quantize_inputs"] = self.chance(.4)
            if self.chance(.15):
                q["num_bits_inputs"] = self.bits()
            if self.chance(.2):
                q["ema_decay"] = .99
        if self.chance(.55):
            patterns = ["conv1", "layer1.conv1", "layer1\\.conv.*", "layer1.*", ".*relu.*", "fc", "fc.*", "layer1.relu1", "conv", "conv1|fc", "submodule.conv", "subconv",
                        "layer1\\.(conv1|relu1)", "layer1\\.(?:conv1|relu1)", "nosuch", "*", "final_relu", ".*", "conv\\d+", "[", "layer2\\.conv", "module.conv1"]
            q["overrides"] = {self.pick(patterns): self.override() for _ in range(self.rng.randint(1, 3))}
        return q

    # --- policies
    def span(self):
        e = self.epochs
        if self.chance(.18):
            return {"epochs": self.weighted([(sorted(self.rng.sample(range(e + 1), self.rng.randint(1, min(3, e)))), 10), ([0], 2), ([], .1), ([3, 1], .3), ([1, 1], .2), ([-1, 2], .1)])}
        start = self.rng.randint(0, max(0, e - 2))
        end = start + self.rng.randint(1, max(2, e - start + 1))
        every = self.weighted([(1, 10), (2, 4), (3, 1), (0, .1)])
        if self.chance(.03):
            end = self.pick([start, start - 1, 2.0, "4"])
        return {"starting_epoch": start, "ending_epoch": end, "frequency": every if isinstance(end, int) and self.chance(.4) else min(every, max(1, end - start)) if isinstance(end, int) else 1}

    def arguments(self, levels):
        out = {}
        for key, value, p in (("mini_batch_pruning_frequency", self.rng.randint(1, 3), .1), ("mask_on_forward_only", True, .06), ("use_double_copies", True, .04),
                              ("discard_masks_at_minibatch_end", True, .03), ("skip_first_minibatch", True, .05), ("keep_mask", True, .04), ("mask_gradients", True, .02),
                              ("foo", 1, .01)):
            if self.chance(p):
                out[key] = value
        if levels and self.chance(.2):
            out["levels"] = self.levels()
        return out

    def make(self):
        doc = {"version": 1} if self.chance(.3) else {}
        policies = []
        if self.chance(.22):
            doc["quantizers"] = {"q": self.quantizer()}
            span = {"starting_epoch": 0, "ending_epoch": self.epochs + self.rng.randint(0, 3), "frequency": 1} if self.chance(.9) else self.span()
            policies.append({"quantizer": {"instance_name": "q"}, **span})
            share = .1
        else:
            share = .9
        if self.chance(share):
            doc["pruners"] = {f"p{i}": self.pruner() for i in range(self.weighted([(1, 8), (2, 4), (3, 1)]))}
            for name, p in doc["pruners"].items():
                for _ in range(self.weighted([(1, 8), (2, 2), (3, .7)])):
                    policy = {"pruner": {"instance_name": name}}
                    args = self.arguments("levels" in p)
                    if args:
                        policy["pruner"]["args"] = args
                    policies.append({**policy, **self.span()})
        if self.chance(.2):
            doc["regularizers"] = {"r": self.regularizer()}
            policies.append({"regularizer": {"instance_name": "r"}, **self.span()})
        if self.chance(.65) or not policies:
            doc["lr_schedulers"] = {f"s{i}": self.scheduler() for i in range(self.weighted([(1, 8), (2, 2.5)]))}
            for name in doc["lr_schedulers"]:
                if self.chance(.95):
                    policies.append({"lr_scheduler": {"instance_name": name}, **self.span()})
        self.rng.shuffle(policies)
        doc["policies"] = policies
        if self.chance(.04):
            self.mutate(doc)
        return doc

    def mutate(self, doc):
        sections = [k for k in doc if k not in ("version", "policies")]
        if sections and self.chance(.6):
            section = doc[self.pick(sections)]
            part = section[self.pick(list(section))]
            key = self.pick(list(part))
            if self.chance(.5):
                del part[key]
            else:
                part[key] = self.pick([None, [], "x", 3, {}])
        elif doc["policies"]:
            policy = self.pick(doc["policies"])
            del policy[self.pick(list(policy))]
