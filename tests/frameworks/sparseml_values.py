"""Random values of fields, written in the ways in which recipes write them."""
import random

MODELS = (
    {"input.conv.weight": [8, 3, 3, 3], "input.bn.weight": [8], "input.bn.bias": [8],
     "blocks.0.conv1.weight": [8, 8, 3, 3], "blocks.0.conv2.weight": [8, 8, 1, 1], "blocks.1.conv1.weight": [16, 8, 3, 3],
     "blocks.1.conv1.bias": [16], "blocks.1.bn.weight": [16], "blocks.1.bn.bias": [16],
     "fc.weight": [10, 16], "fc.bias": [10]},
    {"seq.fc1.weight": [16, 32], "seq.fc1.bias": [16], "seq.fc2.weight": [16, 16], "head.weight": [10, 16], "head.bias": [10]},
    {"bert.embeddings.weight": [20, 16], "bert.encoder.layer.0.query.weight": [16, 16], "bert.encoder.layer.0.query.bias": [16],
     "bert.encoder.layer.0.norm.weight": [16], "bert.encoder.layer.0.norm.bias": [16],
     "bert.encoder.layer.1.query.weight": [16, 16], "bert.encoder.layer.10.query.weight": [16, 16], "classifier.weight": [4, 16]},
)


class Values:
    """The values of one recipe: names of its model, epochs of its run, and variables that it has to define."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.params = self.r.choice(MODELS)
        self.last = float(self.r.choice((2, 3, 4, 5)))
        self.odd = self.r.random() < 0.35  # whether fields may be odd ones
        self.variables = {}

    def pick(self, *values):
        return self.r.choice(values)

    def chance(self, share):
        return self.r.random() < share

    def epoch(self, low=0.0, high=None):
        high = self.last if high is None else high
        kind = self.r.random()
        if kind < 0.45:
            return float(self.r.randint(int(low), max(int(low), int(high))))
        if kind < 0.7:
            return self.r.randint(int(low * 4), max(int(low * 4), int(high * 4))) / 4
        if kind < 0.85:
            return round(self.r.uniform(low, high), 2)
        return self.r.uniform(low, high)

    def number(self, value):
        if self.chance(0.08) and value == value:
            name = self.pick("a", "b", "epochs_1", "rate", "n")
            if self.variables.setdefault(name, repr(value)) == repr(value):
                return f"eval({name})"
        if self.chance(0.03):
            return f"'{value!r}'"
        return str(int(value)) if value == int(value) and self.chance(0.2) else repr(value)

    def real(self, value):
        return self.number(value) if self.chance(0.1) else repr(value)

    def start(self, fields, share_minus=0.12, field="start_epoch"):
        value = -1.0 if self.chance(share_minus) else self.epoch(0, self.last)
        fields[field] = self.number(value)
        return value

    def window(self, fields, open_end=0.08):
        start = self.start(fields)
        end = self.epoch(max(start, 0), self.last + 1)
        if end <= start and not self.chance(0.15):
            end = start + self.pick(0.5, 1.0, 2.0)
        fields["end_epoch"] = self.number(-1.0 if self.chance(open_end) else end)
        return start, end

    def name(self, prefer=""):
        names = [n for n in self.params if prefer in n]
        return self.r.choice(names or list(self.params))

    def selector(self):
        kind = self.r.random()
        name = self.name("weight" if self.chance(0.75) else "")
        if kind < 0.5:
            return f"'{name}'"
        parts = name.split(".")
        if kind < 0.9:
            cut = self.r.randint(1, len(parts))
            return self.pick(f"'re:{'.'.join(parts[:cut])}'", f"'re:.*{parts[-1]}'", f"'re:{parts[0]}.*weight'", "'re:.*conv.*weight'",
                             f"'re:{name}$'", "'re:.*fc.*weight'", "'re:.*query.*'", f"'re:{parts[0]}'", "'re:.*'", f"'re:(?i){parts[0].upper()}.*weight'")
        return self.pick("'nosuch.weight'", "'re:nosuch.*'", "__ALL_PRUNABLE__", "__ALL__", "'re:.*weight'", "'re:conv'", f"'{name[:-1]}'")

    def selectors(self, tokens=True):
        if tokens and self.chance(0.3):
            return self.pick("__ALL_PRUNABLE__", "__ALL_PRUNABLE__", "__ALL_PRUNABLE__", "__ALL__", "__all_prunable__", "[]", "null", "''")
        return "[" + ", ".join(self.selector() for _ in range(self.pick(1, 1, 2, 3))) + "]"

    def frequency(self):
        return self.number(self.pick(-1.0, 0.5, 1.0, 0.25, 0.1, 0.3, 2.0, 0.0, 0.01, self.r.uniform(0.05, 1.5)))

    def rate(self):
        return self.number(self.pick(0.1, 0.01, 0.5, 1.0, 0.001, self.r.uniform(1e-4, 1)))

    def sparsity(self):
        return self.pick(0.5, 0.8, 0.9, 0.85, 0.3, round(self.r.uniform(0.05, 0.95), 3))

    def optional(self, fields, **values):
        for name, value in values.items():
            if self.chance(0.2):
                fields[name] = value() if callable(value) else value
