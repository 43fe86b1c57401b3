#!/usr/bin/env python3
"""What a written file offers besides the schedule, and the example of the documentation.

    runtime.py --binary SPARSECFG --root FOLDER
"""

import argparse
import copy
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import torch
except ImportError:
    sys.exit(77)

import recipes
import toy

RAMP = """
modifiers:
- !EpochRangeModifier {start_epoch: 0, end_epoch: 6}
- !GMPruningModifier
    params: ["re:.*weight"]
    init_sparsity: 0.1
    final_sparsity: 0.8
    start_epoch: 0.0
    end_epoch: 4.0
    update_frequency: 0.5
- !SetLearningRateModifier
    start_epoch: 2.0
    learning_rate: 0.05
"""
NAMES = ["first.weight", "first.bias", "second.weight"]
SETTINGS = None


def written(recipe, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recipe.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(recipe)
        case = recipes.Case(SETTINGS.binary, path, options)
        done = case.ask("convert", "--to", "pytorch")
    assert done.returncode == 0, done.stderr
    return recipes.load(done.stdout)


class Run:
    """A model in training; each step pulls its weights somewhere else."""

    def __init__(self, module, model=None):
        self.model = model or toy.model_of(NAMES)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.schedule = module.Schedule(self.model, self.optimizer, steps_per_epoch=4)
        self.generator = torch.Generator().manual_seed(3)

    def step(self):
        pulls = [(p * torch.randn(p.shape, generator=self.generator)).sum() for p in self.model.parameters()]
        sum(pulls).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.schedule.step()


class Runtime(unittest.TestCase):
    def test_resumes_with_the_same_masks(self):
        module = written(RAMP)
        whole = Run(module)
        for _ in range(9):
            whole.step()
        saved = [copy.deepcopy(part.state_dict()) for part in (whole.model, whole.optimizer, whole.schedule)]
        place = whole.generator.get_state()
        for _ in range(9):
            whole.step()
        resumed = Run(module)
        for part, state in zip((resumed.model, resumed.optimizer, resumed.schedule), saved):
            part.load_state_dict(state)
        resumed.generator.set_state(place)
        for _ in range(9):
            resumed.step()
        for name in NAMES:
            one, other = whole.schedule.parameters[name], resumed.schedule.parameters[name]
            self.assertTrue(torch.equal(one, other), name)
        self.assertEqual(whole.optimizer.param_groups[0]["lr"], resumed.optimizer.param_groups[0]["lr"])

    def test_masks_stay_when_it_is_finished(self):
        run = Run(written(RAMP))
        for _ in range(24):
            run.step()
        zeros = int((run.schedule.parameters["first.weight"] == 0).sum())
        run.schedule.finish()
        self.assertEqual(zeros, round(48 * 0.8))
        self.assertEqual(int((run.schedule.parameters["first.weight"] == 0).sum()), zeros)
        self.assertFalse(any(p._backward_hooks for p in run.model.parameters()))

    def test_masked_weights_get_no_gradient(self):
        run = Run(written(RAMP))
        for _ in range(17):
            run.step()
        weight = run.schedule.parameters["first.weight"]
        weight.sum().backward()
        self.assertTrue(bool((weight.grad[run.schedule.mask["first.weight"] == 0] == 0).all()))

    def test_says_what_a_selector_does_not_find(self):
        module = written(RAMP.replace('["re:.*weight"]', "[second.wieght]"))
        with self.assertRaisesRegex(ValueError, "GMPruningModifier#2.*second.wieght.*second.weight"):
            Run(module)

    def test_names_of_a_wrapped_model(self):
        model = torch.nn.Module()
        model.add_module("module", toy.model_of(NAMES))
        run = Run(written(RAMP.replace('"re:.*weight"', "second.weight")), model)
        self.assertEqual(list(run.schedule.actions[0].courses), ["second.weight"])

    def test_history_and_text(self):
        run = Run(written(RAMP))
        for _ in range(24):
            run.step()
        steps = [step for step, _, _ in run.schedule.history]
        self.assertEqual(steps, [0, 2, 4, 6, 8, 10, 12, 14, 16])
        self.assertEqual(run.schedule.history[-1][1], [0.05])
        self.assertIn("first.weight: 79.2% zero", str(run.schedule))

    def test_does_nothing_after_its_epochs(self):
        run = Run(written(RAMP))
        for _ in range(30):
            run.step()
        self.assertEqual(len(run.schedule.history), 9)

    def test_leaves_biases_alone_where_filters_are_removed(self):
        recipe = RAMP.replace("GMPruningModifier", "StructuredPruningModifier").replace('["re:.*weight"]', "__ALL__")
        shapes = {"first.weight": (8, 4, 3, 3), "first.bias": (8,), "second.weight": (8, 4, 3, 3)}
        run = Run(written(recipe), toy.model_of(shapes))
        for _ in range(17):
            run.step()
        self.assertNotIn("first.bias", run.schedule.mask)
        self.assertEqual(int((run.schedule.mask["first.weight"] == 0).sum()), 6 * 4 * 9)

    def test_says_what_it_was_written_from(self):
        digest = hashlib.sha256(RAMP.encode()).hexdigest()
        text = written(RAMP).__doc__
        self.assertIn(f"sha256 of the recipe: {digest}", text)
        self.assertIn("GMPruningModifier#2 reaches 0.8", text)
        self.assertIn("pruning 0 to 4 GMPruningModifier#2", text)
        self.assertIn("    set by the training script until epoch 2 (pass it with --initial-lr)\n", text)

    def test_resolves_selectors_for_a_model(self):
        names = os.path.join(tempfile.mkdtemp(), "names.json")
        with open(names, "w", encoding="utf-8") as file:
            file.write('["first.weight", "first.bias", "second.weight"]')
        module = written(RAMP, "--params", names)
        self.assertEqual(module.recipe()[0].targets[0][0], ["first.weight", "second.weight"])
        self.assertIn("a model with 3 parameters", module.__doc__)


class Example(unittest.TestCase):
    def test_trains_a_small_network(self):
        recipe = os.path.join(SETTINGS.root, "testdata/convert/sparseml/small-network-to-pytorch.yaml")
        with tempfile.TemporaryDirectory() as folder:
            schedule = os.path.join(folder, "schedule.py")
            command = [SETTINGS.binary, "convert", recipe, "--to", "pytorch", "-o", schedule]
            subprocess.run(command, check=True, capture_output=True)
            subprocess.run([sys.executable, "-m", "py_compile", schedule], check=True)
            script = os.path.join(SETTINGS.root, "docs/pytorch/train.py")
            done = subprocess.run([sys.executable, script, schedule], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2.weight: 80.0% zero", done.stdout)
        right = [line for line in done.stdout.splitlines() if line.startswith("right: ")][0]
        self.assertGreater(float(right[7:-1]), 80)


class Files(unittest.TestCase):
    def test_what_is_written_stays_short(self):
        """Of the runtime a file gets what it needs: at most 340 lines, empty ones apart."""
        folder = os.path.join(SETTINGS.root, "testdata/convert")
        cases = [os.path.join(folder, name, file) for name in os.listdir(folder) for file in os.listdir(os.path.join(folder, name))]
        texts = {path: open(path, encoding="utf-8").read() for path in cases if path.endswith("-to-pytorch.out")}
        self.assertGreaterEqual(len(texts), 3)
        for path, text in texts.items():
            runtime = text[text.index("class Schedule:") :]
            self.assertLessEqual(sum(1 for line in runtime.splitlines() if line), 340, path)

    def test_the_runtime_is_python(self):
        folder = os.path.join(SETTINGS.root, "lib/dialect/pytorch/runtime")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            compile(text, name, "exec")
            self.assertLessEqual(max(map(len, text.splitlines())), 100, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--root", required=True)
    SETTINGS, rest = parser.parse_known_args()
    warnings.simplefilter("ignore")
    unittest.main(argv=[sys.argv[0], *rest])
