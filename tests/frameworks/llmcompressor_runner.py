#!/usr/bin/python3
"""Runs recipes with llm-compressor: `llmcompressor_runner.py CHECKOUT COMPRESSED_TENSORS PYDANTIC_2`, see runner.py.

A recipe is loaded, initialized with the model of its job, calibrated and finalized. Each modifier is calibrated by the
events of the sequential pipeline with the whole model as one subgraph. The answer has the scheme of each module.
"""
import contextlib
import logging
import os
import sys
import tempfile
import warnings

import llmcompressor_environment
import runner

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
llmcompressor_environment.prepare(*sys.argv[1:4])

import llmcompressor_models as models  # noqa: E402
from llmcompressor.core import LifecycleCallbacks, active_session, create_session  # noqa: E402
from llmcompressor.modifiers import ModifierFactory  # noqa: E402
from llmcompressor.recipe import Recipe  # noqa: E402
from llmcompressor.utils import calibration_forward_context  # noqa: E402
from llmcompressor.utils.helpers import DisableQuantization  # noqa: E402

with contextlib.redirect_stdout(sys.stderr):
    ModifierFactory.refresh()


NOT_RUN = ("AutoRoundModifier",)  # its calibration needs the package auto_round


def numbers(arguments):
    """Describes one part of a scheme as testdata/truth does."""
    if arguments is None:
        return "-"
    text = f"{getattr(arguments.type, 'value', arguments.type)}{arguments.num_bits} {getattr(arguments.strategy, 'value', arguments.strategy)}"
    text += f"{arguments.group_size}" if arguments.group_size and arguments.group_size > 0 else ""
    text += "x".join(map(str, arguments.block_structure or []))
    text += "" if arguments.symmetric else " asym"
    dynamic = getattr(arguments.dynamic, "value", arguments.dynamic)
    return text + (" dynamic" if dynamic is True else f" {dynamic}" if dynamic else "")


def schemes_of(model):
    """Returns the modules of each scheme."""
    found = {}
    for name, module in model.named_modules():
        scheme = getattr(module, "quantization_scheme", None)
        if scheme is not None:
            text = f"weights: {numbers(scheme.weights)}; input: {numbers(scheme.input_activations)}; output: {numbers(scheme.output_activations)}"
            found.setdefault(text, []).append(name)
    return found


def calibrate(model, data):
    LifecycleCallbacks.calibration_start()
    with contextlib.ExitStack() as stack:
        if data:
            stack.enter_context(calibration_forward_context(model))
            stack.enter_context(DisableQuantization(model))
        for at, batch in enumerate(data):
            active_session().state.current_batch_idx = at
            model(**batch)
        LifecycleCallbacks.sequential_epoch_end(list(model.modules()))
        LifecycleCallbacks.calibration_end()


def load(job):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recipe" + job["suffix"])
        with open(path, "w", encoding="utf-8") as out:
            out.write(job["text"])
        return Recipe.create_instance(path)


def run(job):
    with runner.stage("load"):
        recipe = load(job)
    model = models.BUILDERS[job["model"]]()
    data = models.batches(model)
    with create_session() as session:
        with runner.stage("initialize"):
            session.initialize(model=model, start=-1, recipe=recipe, recipe_stage=None, recipe_args=None, calib_data=data, sequential_targets=None)
        modifiers = session.lifecycle.recipe.modifiers
        for each in modifiers:
            if type(each).__name__ in NOT_RUN:
                return None
            session.lifecycle.recipe.modifiers = [each]
            with runner.stage("calibrate"):
                calibrate(model, data if each.requires_calibration_data else [])
        session.lifecycle.recipe.modifiers = modifiers
        with runner.stage("finalize"):
            session.finalize()
    return schemes_of(model)


runner.serve(run, "schemes")
