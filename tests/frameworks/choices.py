"""Random choices, for what makes random recipes."""


class Choices:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(items)

    def weighted(self, pairs):
        """Returns one of the values of `pairs` (value, weight)."""
        return self.rng.choices([a for a, _ in pairs], [b for _, b in pairs])[0]
