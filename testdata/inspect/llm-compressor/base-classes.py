from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier


class Plain:
    _one = None

    def __new__(cls, *args):
        if cls._one is None:
            cls._one = super(Plain, cls).__new__(cls)
        return cls._one


class Base:
    def __init__(self, scheme):
        self.scheme = scheme

    def targets(self):
        return "Linear"


class Middle(Base):
    def targets(self):
        return "Embedding"


class Derived(Middle):
    def __init__(self, scheme):
        super(Derived, self).__init__(scheme)

    def targets(self):
        return super(Middle, self).targets()


def unknown(self, *args):
    return super(*args).targets()


derived = Derived("FP8_DYNAMIC")
oneshot(model="m", recipe=QuantizationModifier(scheme=derived.scheme, targets=derived.targets(), ignore=["lm_head"]))
oneshot(model="m", recipe=QuantizationModifier(scheme=unknown(derived), targets="Linear", ignore=["lm_head"]))
