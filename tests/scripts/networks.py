#!/usr/bin/env python3
"""Random networks: the modules that sparsecfg reads in a script are those that `named_modules()` lists.

    networks.py --binary build/dev/sparsecfg --count 300 --seed 5

Each script defines modules of a stand-in for `torch.nn` with the rules of its `Module`: children are registered in the
order of their assignment, and a module with several names has the first one. Figures:
equal: the same names, classes and shapes of weights; unknown: sparsecfg knows no modules. Others fail.
"""

import argparse
import contextlib
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types

# --- torch.nn ------------------------------------------------------------------------------------------------------


class Module:
    def __init__(self):
        self.__dict__["children_"] = {}

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self.__dict__.pop(name, None)
            self.children_[name] = value
        elif name in self.children_ and value is None:
            self.children_[name] = None
        else:
            self.__dict__[name] = value

    def __getattr__(self, name):
        try:
            return self.__dict__["children_"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __delattr__(self, name):
        del self.children_[name]

    def add_module(self, name, module):
        self.children_[name] = module

    def named_modules(self, seen=None, prefix=""):
        seen = set() if seen is None else seen
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, child in self.children_.items():
            if child is not None:
                yield from child.named_modules(seen, f"{prefix}.{name}" if prefix else name)

    def modules(self):
        return [module for _, module in self.named_modules()]

    def apply(self, function):
        for module in self.modules():
            function(module)
        return self

    def same(self, *_args, **_options):
        return self

    eval = to = cuda = half = train = same

    def register_parameter(self, name, value):
        self.__dict__[name] = value

    def load_state_dict(self, _state):
        return None

    def parameters(self):
        return []

    def forward(self, x):
        return x

    def __call__(self, x):
        return self.forward(x)


class Tensor:
    def __init__(self, shape=()):
        self.shape = shape
        self.data = self if shape else None

    def normal_(self, *_):
        return self


def leaf(name, shape_of):
    def construct(self, *arguments, **options):
        Module.__init__(self)
        shape = shape_of(*arguments, **options)
        self.__dict__["weight"] = Tensor(shape)

    return type(name, (Module,), {"__init__": construct})


def convolution(inputs, outputs, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
    kernel = kernel_size if isinstance(kernel_size, tuple) else (kernel_size, kernel_size)
    return (outputs, inputs // groups, *kernel)


def transposed(inputs, outputs, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True):
    return (inputs, outputs // groups, kernel_size, kernel_size)


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        single = len(modules) == 1 and isinstance(modules[0], dict)
        entries = modules[0].items() if single else ((str(at), each) for at, each in enumerate(modules))
        for name, module in entries:
            self.add_module(name, module)


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module):
        self.add_module(str(len(self.children_)), module)
        return self


class ModuleDict(Module):
    def __init__(self, modules):
        super().__init__()
        for name, module in modules.items():
            self.add_module(name, module)


LEAVES = {
    "Linear": lambda in_features, out_features, bias=True: (out_features, in_features),
    "Conv2d": convolution,
    "ConvTranspose2d": transposed,
    "BatchNorm2d": lambda num_features, eps=1e-5, momentum=0.1, affine=True: (num_features,) if affine else (),
    "GroupNorm": lambda num_groups, num_channels: (num_channels,),
    "LayerNorm": lambda shape, eps=1e-5, elementwise_affine=True: (
        (shape if isinstance(shape, tuple) else (shape,)) if elementwise_affine else ()
    ),
    "Embedding": lambda num_embeddings, embedding_dim: (num_embeddings, embedding_dim),
    "ReLU": lambda inplace=False: (),
    "Dropout": lambda p=0.5: (),
    "Identity": lambda *_: (),
}


def stand_ins(seen):
    """Returns the modules that a script imports. `seen` gets the networks that it quantizes."""
    nn = types.ModuleType("torch.nn")
    vars(nn).update({name: leaf(name, shape) for name, shape in LEAVES.items()})
    nn.Module, nn.Sequential, nn.ModuleList, nn.ModuleDict = Module, Sequential, ModuleList, ModuleDict
    nn.init = types.SimpleNamespace(kaiming_normal_=lambda *_, **__: None, constant_=lambda *_: None)
    torch = types.ModuleType("torch")
    torch.nn, torch.load = nn, lambda _path: {}
    quantization = types.ModuleType("torchao.quantization")
    quantization.Int8WeightOnlyConfig = lambda: None

    def quantize_(model, _config):
        rows = [(name, type(each).__name__, list(vars(each).get("weight", Tensor()).shape or ()))
                for name, each in model.named_modules()]
        seen.append(rows)

    quantization.quantize_ = quantize_
    torchao = types.ModuleType("torchao")
    torchao.quantization = quantization
    return {"torch": torch, "torch.nn": nn, "torchao": torchao, "torchao.quantization": quantization}


# --- scripts -------------------------------------------------------------------------------------------------------


class Writer:
    def __init__(self, choose):
        self.choose = choose
        self.nn = choose.choice(["nn.", "torch.nn.", ""])
        self.classes = []
        self.deleted = None  # an attribute of the last class

    def layer(self):
        a, b = self.choose.choice([8, 16, 32]), self.choose.choice([8, 16, 64])
        texts = [f"Linear({a}, {b})", f"Linear(in_features={a}, out_features={b}, bias=False)", f"Conv2d({a}, {b}, 3)",
                 f"Conv2d({a}, {b}, kernel_size=(1, 3), padding=1)", f"Conv2d({a}, {a}, 3, groups={a})",
                 f"ConvTranspose2d({a}, {b}, 2, 2)", f"BatchNorm2d({a})", f"BatchNorm2d({a}, affine=False)",
                 f"GroupNorm(4, {a})", f"LayerNorm({a})", f"LayerNorm(({a}, {b}))", f"Embedding({a}, {b})", "ReLU()",
                 "ReLU(inplace=True)", "Dropout(0.1)", "Identity()"]
        return self.nn + self.choose.choice(texts)

    def module(self, depth=0):
        kind = self.choose.random()
        if kind < 0.6 or depth > 2:
            return self.layer()
        if kind < 0.75 and self.classes:
            name, parameters = self.choose.choice(self.classes)
            return f"{name}({', '.join(str(self.choose.choice([8, 16])) for _ in range(parameters))})"
        parts = [self.module(depth + 1) for _ in range(self.choose.randint(1, 3))]
        if kind < 0.85:
            return f"{self.nn}Sequential({', '.join(parts)})"
        if kind < 0.92:
            return f"{self.nn}ModuleList([{', '.join(parts)}])"
        entries = ", ".join(f'"{chr(97 + at)}": {part}' for at, part in enumerate(parts))
        name = self.choose.choice([f"{self.nn}ModuleDict({{{entries}}})", f"{self.nn}Sequential(OrderedDict({{{entries}}}))"])
        return name

    def statement(self, at, parameters):
        name = f"part{at}"
        size = parameters[0] if parameters else "16"
        return self.choose.choice([
            [f"self.{name} = {self.module()}"],
            [f"self.{name} = {self.module()}"],
            [f"self.{name} = {self.nn}Linear({size}, {size} * 2)"],
            ["layers = []", "for i in range(3):", f"    layers.append({self.nn}Linear({size} + i, 8))",
             f"self.{name} = {self.nn}Sequential(*layers)"],
            [f"self.{name} = {self.nn}ModuleList([{self.nn}Linear({size}, 8 * (i + 1)) for i in range(2)])"],
            [f"self.{name} = {self.nn}ModuleList()", "for i in range(2):", f"    self.{name}.append({self.module()})"],
            ["for i in range(2):", f'    setattr(self, f"{name}_{{i}}", {self.layer()})'],
            [f'self.add_module("{name}", {self.module()})'],
            [f"self.{name} = None"],
            [f"self.{name} = {self.layer()}", f"self.{name} = {self.module()}"],
            [f"shared = {self.layer()}", f"self.{name} = shared", f"self.{name}b = {self.nn}Sequential(shared)"],
            [f"if {size} > 8:", f"    self.{name} = {self.module()}", "else:", f"    self.{name} = {self.module()}"],
            [f"self.{name} = [{self.layer()}]"],
            ["for m in self.modules():", f"    if isinstance(m, {self.nn}Conv2d):",
             "        init.kaiming_normal_(m.weight)"],
        ])

    def network(self, name):
        parameters = self.choose.choice([[], ["width"], ["width", "depth"]])
        base = self.choose.choice(self.classes)[0] if self.classes and self.choose.random() < 0.2 else None
        begin = "super().__init__()" if base is None else None
        if base is not None:
            count = dict(self.classes)[base]
            begin = f"super().__init__({', '.join('8' for _ in range(count))})"
        self.deleted = f"kept{len(self.classes)}"
        lines = [begin, "self.size = 3", f"self.{self.deleted} = {self.layer()}", "registry.append(self)"]
        for at in range(self.choose.randint(1, 4)):
            lines += self.statement(at + 10 * len(self.classes), parameters)
        if self.choose.random() < 0.2:
            lines.append("self.apply(self.reset)")
        body = [f"class {name}({base or self.nn + 'Module'}):",
                f"    def __init__({', '.join(['self', *parameters])}):", *("        " + line for line in lines), "",
                "    def reset(self, m):", f"        if isinstance(m, {self.nn}Linear):",
                "            m.weight.data.normal_(0, 0.1)", ""]
        body += self.choose.choice([["    def forward(self, x):", "        return x", ""]] * 4 + [
            ["    def forward(self, x):", f"        self.lazy = {self.layer()}", "        return x", ""],
            ["    def eval(self):", f"        self.mode = {self.layer()}", "        return self", ""],
            ["    def to(self, _device):", f"        return {self.layer()}", ""]])
        self.classes.append((name, len(parameters)))
        return body

    def script(self):
        imports = {"nn.": "import torch\nimport torch.nn as nn", "torch.nn.": "import torch\nimport torch.nn",
                   "": f"import torch\nfrom torch.nn import {', '.join([*LEAVES, 'Module', 'ModuleDict', 'ModuleList', 'Sequential'])}"}
        lines = [imports[self.nn], "from torch.nn import init", "from collections import OrderedDict",
                 "from torchao.quantization import Int8WeightOnlyConfig, quantize_", "", "registry = []"]
        for at in range(self.choose.randint(1, 3)):
            lines += self.network(f"Net{at}")
        name, parameters = self.classes[-1]
        lines.append(f"model = {name}({', '.join('16' for _ in range(parameters))})" + self.choose.choice(["", ".eval()"]))
        lines += self.choose.choice([[], ['model.load_state_dict(torch.load("w.pt"))'], ["model = model.to(0)"],
                                     ["model.extra = " + self.layer()], ["y = model(3)"],
                                     ['setattr(model, "extra", ' + self.layer() + ")"], ["model.part0 = None"],
                                     ["def change(net):", "    net.more = " + self.layer(), "change(model)"],
                                     ["def change(m):", "    m.more = " + self.layer(), "model.apply(change)"],
                                     ["models = [model, " + self.layer() + "]", "model = models[0]"],
                                     ["inner = model", "inner.more = " + self.layer()],
                                     ["model = " + self.nn + "Sequential(model, " + self.layer() + ")"],
                                     ["import copy", "model = copy.deepcopy(model)"],
                                     ["import copy", f"model = {self.nn}Sequential(model, copy.deepcopy(model))"],
                                     [f'container = {self.nn}Sequential(OrderedDict({{"a": {self.layer()}}}))',
                                      f"container.b = {self.layer()}", f"container.a = {self.layer()}",
                                      'container.add_module("c", None)', "model.inner = container"],
                                     [f"container = {self.nn}Sequential({self.layer()}, {self.layer()})",
                                      f'setattr(container, "0", {self.layer()})', "model.inner = container"],
                                     ["registry[0].more = " + self.layer()],
                                     [f"del model.{self.deleted}"] if self.deleted else [],
                                     ["for name, child in model.named_modules():", "    child.more = 3"],
                                     ["for child in model.modules():", "    child.more = " + self.layer(), "    break"],
                                     ['model.add_module("more", ' + self.layer() + ")"]])
        later = self.choose.choice([[]] * 3 + [["model.later = " + self.layer()]])
        return "\n".join([*lines, "quantize_(model, Int8WeightOnlyConfig())", *later, ""])


# --- comparison ----------------------------------------------------------------------------------------------------


def expected(text):
    seen = []
    before = dict(sys.modules)
    sys.modules.update(stand_ins(seen))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})
    finally:
        sys.modules.clear()
        sys.modules.update(before)
    return seen[0]


def read(binary, path):
    done = subprocess.run([binary, "match", "--format", "json", "--all", str(path)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"exit status {done.returncode}: {done.stderr}")
    if not done.stdout.startswith("{"):
        return None
    return [(each["name"], each.get("class", ""), each.get("shape", [])) for each in json.loads(done.stdout)["modules"]]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--binary", required=True)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=pathlib.Path)
    given = options.parse_args()
    choose = random.Random(given.seed)
    counts = {"equal": 0, "unknown": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.count):
            text = Writer(choose).script()
            path = (given.keep or pathlib.Path(folder)) / f"net{number}.py"
            path.write_text(text)
            truth, found = expected(text), read(given.binary, path)
            state = "unknown" if found is None else "equal" if sorted(found) == sorted(truth) else "wrong"
            counts[state] += 1
            if state == "wrong":
                print(text, "\nexpected", sorted(truth), "\nfound   ", sorted(found), "\n", sep="\n")
    print(", ".join(f"{state} {count}" for state, count in counts.items()))
    known_enough = counts["equal"] >= 0.4 * given.count  # most scripts change a network in ways that stay unknown
    sys.exit(0 if known_enough and not counts["wrong"] else 1)


if __name__ == "__main__":
    main()
