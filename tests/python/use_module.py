"""Uses each function of the installed module on recipes of the golden cases.

    use_module.py <testdata>
"""

import os
import sys
from pathlib import Path

import sparsecfg

RECIPE = Path(sys.argv[1]) / "validate" / "sparseml" / "prune-and-quantize.yaml"
BROKEN = "modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoc: 3.0\n"


def raises(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except sparsecfg.Error as error:
        return str(error)
    raise AssertionError(f"{function.__name__} raises nothing")


report = sparsecfg.validate(RECIPE)
assert report.ok and report.dialect == "sparseml", report
report = sparsecfg.validate(text=BROKEN, stdin_filename="a.yaml")
(finding,) = [each for each in report.findings if each.code == "SP105"]
assert not report.ok and finding.start.line == 4 and finding.fix, finding
assert sparsecfg.validate(text=BROKEN, ignore=["SP105", "SP103"]).ok
assert "no such file" in raises(sparsecfg.validate, "missing.yaml")
assert "unknown option" in raises(sparsecfg.validate, RECIPE, step_per_epoch=3)

# An option that changes the output is refused before the executable runs.
for function, more, reserved in ((sparsecfg.validate, {}, ("output", "format", "statistics", "write_baseline", "diff", "show_files")),
                                 (sparsecfg.timeline, {}, ("format", "summary")), (sparsecfg.match, {}, ("format",)),
                                 (sparsecfg.convert, {"to": "ir"}, ("report", "output"))):
    for option in reserved:
        try:
            function(RECIPE, **more, **{option: "out"})
        except TypeError as error:
            assert option in str(error), error
        else:
            raise AssertionError(f"{function.__name__}({option}=...) is accepted")
assert not Path("out").exists()
assert "JSON" in raises(sparsecfg.validate, RECIPE, help=True)
assert "NUL" in raises(sparsecfg.validate, "a\0b")
assert "surrogate" in raises(sparsecfg.validate, text="\ud800")
os.environ["GITHUB_ACTIONS"] = "true"
assert "##[x]" in sparsecfg.convert(text="# ##[x]\n" + Path(RECIPE).read_text(encoding="utf-8"), to="sparseml", stdin_filename="a.yaml").text
del os.environ["GITHUB_ACTIONS"]

timeline = sparsecfg.timeline(RECIPE, steps_per_epoch=10)
assert len({len(column) for column in timeline.columns().values()}) == 1
assert any("Pruning" in name for name in timeline.sparsity), timeline.sparsity.keys()
assert timeline.step == sorted(timeline.step)
raises(sparsecfg.timeline, text=BROKEN, steps_per_epoch=10)
ONE_SHOT = "a_stage:\n  a_modifiers:\n    GPTQModifier: {targets: [Linear], scheme: W4A16, ignore: [lm_head]}\n"
assert "one shot" in raises(sparsecfg.timeline, text=ONE_SHOT)
try:
    import numpy
except ImportError:
    pass
else:
    assert numpy.array(timeline.lr, dtype=float).shape == (len(timeline.step),)

conversion = sparsecfg.convert(RECIPE, to="sparseml")
assert "modifiers:" in conversion.text and conversion.actions
assert conversion.actions[0].fidelity == "exact", conversion.actions
raises(sparsecfg.convert, text=BROKEN, to="sparseml")

names = Path("names.txt")
names.write_text("layer1.0.conv1.weight\tConv2d\t8x3x3x3\nfc.weight\n", encoding="utf-8")
matched = sparsecfg.match(RECIPE, params=str(names))
assert [each.names for each in matched.selections] == [("layer1.0.conv1.weight",), ("fc.weight",)], matched
assert matched.parameters[0].shape == (8, 3, 3, 3) and matched.parameters[1].shape is None, matched
assert matched.parameters[1].actions == ("GMPruningModifier#5",) and matched.modules == (), matched
assert "unknown" in raises(sparsecfg.match, RECIPE)

# Recipes of other systems have rules that assign formats instead of selectors.
script = Path("quantize.py")
script.write_text("from auto_round import AutoRound\nAutoRound(model, layer_config={'up': {'bits': 8}})\n", encoding="utf-8")
modules = Path("modules.tsv")
modules.write_text("\tLlamaForCausalLM\nmodel\tLlamaModel\nmodel.layers\tModuleList\nmodel.layers.0\tLlamaDecoderLayer\n"
                   "model.layers.0.up\tLinear\t64x64\n", encoding="utf-8")
matched = sparsecfg.match(script, modules=str(modules))
assert [(each.term, each.names) for each in matched.selections] == [("up", ("model.layers.0.up",))], matched
assert matched.modules[-1].actions == ("AutoRound#1",), matched
assert "unknown-field" in sparsecfg.explain("SP105")
assert "did you mean" in raises(sparsecfg.explain, "GMPruningModifer")
assert sparsecfg.version().count(".") == 2
