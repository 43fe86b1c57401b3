class PriceModifier:
    def __init__(self, factor):
        self.factor = factor


modifiers = [PriceModifier(2), PriceModifier(3)]
recipe = [PriceModifier(1)]
