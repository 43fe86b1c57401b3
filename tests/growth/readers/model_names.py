"""Lists of names of a model, as `--params` reads them."""

FILE = "n.txt"
COMMAND = ("match", "--params", "n.txt")
CHECKED = "r.yaml"
FILES = {"r.yaml": "training_modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 2.0\n- !TrainableParamsModifier\n"
                   "  params: ['re:.*[.]weight', fc.weight, fc.bias]\n  trainable: False\n"}
BEFORE = "fc.weight\t64x64\n"
AFTER = ""
CONSTRUCTS = {
    "names": "layers.@.weight\t64x64\n",
    "equal names": "layers.0.weight\t64x64\n",
    "parts": "a.b.c.d.e.f.g.h.@\n",
    "types": "layers.@.weight\tLinear\t64x64\n",
    "outputs": "conv/kernel:@\n",
    "long names": "a" * 200 + "@.weight\n",
}
