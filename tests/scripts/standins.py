"""Stand-ins for the frameworks, which record the recipes that a script passes to them.

`install()` makes the modules importable. `start(filename, inputs)` begins the recording of one script, and `finish()` returns it:

    {"recipes": [recipe, ...], "files": [recipe, ...], "loose": [modifier, ...], "constructed": {position, ...}}

A recipe is {"lines": set of lines, "modifiers": [{"class", "fields"}], "model": model}. A model is {"id", "class", "changed"}, or
None if the call gets no model of transformers. `changed` is true if its modules are not those of its id. `lines` are the lines of the call that accepts the
recipe and of the calls that construct its modifiers. `files` lists the recipes in files that are passed by path. `loose` lists the
modifiers that no recipe contains, at the end and as they are constructed. `constructed` are the positions of the calls in the
script that construct modifiers: first line, last line, first column, last column.
Objects such as QuantizationArgs are recorded as `Constructed` mappings: their validators add further keys.
"""

import copy
import enum
import importlib.abc
import importlib.machinery
import itertools
import os
import sys
import types

import small_yaml

PATH_ENDINGS = (".yaml", ".yml", ".json", ".md")


class Constructed(dict):
    """The fields of an object of a framework, as the script sets them."""


class Recording:
    def __init__(self, filename, inputs):
        self.filename = filename
        self.inputs = inputs  # values of everything that is unknown without running the script
        self.recipes = []
        self.files = []  # recipes in other files
        self.modifiers = []
        self.built = []
        self.constructed = set()
        self.consumed = set()
        self.kept = []  # objects that external code has a reference to


current = None


def start(filename, inputs):
    global current
    current = Recording(filename, inputs)


def finish():
    global current
    recording, current = current, None
    loose = [m for m in recording.modifiers if id(m) not in recording.consumed]
    return {
        "recipes": recording.recipes,
        "files": recording.files,
        "loose": [snapshot(m) for m in loose] + [b for m, b in zip(recording.modifiers, recording.built) if id(m) not in recording.consumed],
        "constructed": recording.constructed,
    }


def position_of_caller():
    """Returns the position of the expression in the script that is being evaluated, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != current.filename:
        frame = frame.f_back
    if frame is None:
        return None
    first, last, *columns = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return first or frame.f_lineno, last or frame.f_lineno, *columns


def position_of(node):
    """Returns the position of a node of a syntax tree."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def lines_of_caller():
    position = position_of_caller()
    return set(range(position[0], position[1] + 1)) if position else set()


def plain(value):
    """Returns a value as JSON has it."""
    if isinstance(value, Record):
        return Constructed({key: plain(each) for key, each in value.__dict__["_fields"].items()})
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, dict):
        return type(value)({key if isinstance(key, str) else str(key): plain(each) for key, each in value.items()}) \
            if type(value) is Constructed else {key if isinstance(key, str) else str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=str)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"object": type(value).__name__}


def accepted(value, name=None):
    """Copies containers, as validators of typed fields do. Objects keep their identity, as do the values of `scheme`."""
    if isinstance(value, dict) and name == "scheme":
        return dict(value)
    if isinstance(value, dict):
        return {key: accepted(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [accepted(each) for each in value]
    return value


class Record:
    """An object with named fields that accepts no positional arguments."""

    _positional = ()
    _defaults = {}

    @staticmethod
    def _validated(name, value):
        """Returns what a validator makes of an argument."""
        return accepted(value, name)

    def __init__(self, *args, **fields):
        if len(args) > len(self._positional):
            raise TypeError(f"{type(self).__name__}() takes no positional arguments")
        for name, value in zip(self._positional, args):
            fields.setdefault(name, value)
        self.__dict__["_fields"] = {name: self._validated(name, value) for name, value in fields.items()}
        self.__dict__["_lines"] = lines_of_caller()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        fields = self.__dict__.get("_fields", {})
        if name in fields:
            return fields[name]
        if name in self._defaults:
            return copy.deepcopy(self._defaults[name])
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def __setattr__(self, name, value):
        self.__dict__["_fields"][name] = value

    def __delattr__(self, name):
        if name not in self.__dict__["_fields"]:
            raise AttributeError(name)
        del self.__dict__["_fields"][name]

    def __eq__(self, other):
        return type(self) is type(other) and plain(self) == plain(other)

    __hash__ = object.__hash__

    def _clone(self, fields):
        other = object.__new__(type(self))
        other.__dict__["_fields"] = fields
        other.__dict__["_lines"] = set(self.__dict__["_lines"])
        return other

    def __copy__(self):
        return self._clone(dict(self._fields))

    def __deepcopy__(self, memo):
        return self._clone(copy.deepcopy(self._fields, memo))

    def model_copy(self, *, update=None, deep=False):
        other = copy.deepcopy(self) if deep else copy.copy(self)
        other._fields.update(update or {})
        return other

    def model_dump(self, **_):
        return {key: value.model_dump() if isinstance(value, Record) else copy.deepcopy(value) for key, value in self._fields.items()}


class Modifier(Record):
    def __init__(self, *args, **fields):
        super().__init__(*args, **fields)
        current.constructed.add(position_of_caller())
        current.modifiers.append(self)
        current.built.append(snapshot(self))

    def _clone(self, fields):
        other = super()._clone(fields)
        other.__dict__["_lines"] |= lines_of_caller()
        current.modifiers.append(other)
        current.built.append(snapshot(other))
        return other


class QuantizingModifier(Modifier):
    """A modifier whose validators convert `targets`, `kv_cache_scheme` and `config_groups`."""

    @staticmethod
    def _validated(name, value):
        if name == "targets" and isinstance(value, str):
            return [value]
        if name == "kv_cache_scheme":
            return of_mapping(QuantizationArgs, value)
        if name == "config_groups" and isinstance(value, dict):
            return {key: of_mapping(QuantizationScheme, each) for key, each in value.items()}
        return accepted(value, name)


QUANTIZING = {"QuantizationModifier", "GPTQModifier", "AutoRoundModifier"}


class QuantizationArgs(Record):
    _defaults = {"num_bits": 8, "type": "int", "symmetric": True, "group_size": None, "dynamic": False, "actorder": None}


def of_mapping(kind, value):
    """Returns the object that a validator makes of a mapping."""
    return kind(**value) if isinstance(value, dict) else accepted(value)


class QuantizationScheme(Record):
    @staticmethod
    def _validated(name, value):
        return of_mapping(QuantizationArgs, value) if name in ("weights", "input_activations", "output_activations") else accepted(value, name)

    _defaults = {"weights": None, "input_activations": None, "output_activations": None, "format": None}


class AWQMapping(Record):
    """A dataclass, which keeps the lists that it gets."""

    @staticmethod
    def _validated(name, value):
        return value

    _positional = ("smooth_layer", "balance_layers", "activation_hook_target")

    def __init__(self, *args, **fields):
        super().__init__(*args, **fields)
        self._fields.setdefault("activation_hook_target", None)


class Recipe:
    """Keeps its modifiers until it is passed to a call."""

    def __init__(self, modifiers=(), **_):
        self.modifiers = flat(list(modifiers))

    @classmethod
    def from_modifiers(cls, modifiers, modifier_group_name=None):
        return cls(flat(modifiers))

    @classmethod
    def create_instance(cls, path_or_modifiers, modifier_group_name=None, target_stage=None):
        if isinstance(path_or_modifiers, Recipe):
            return path_or_modifiers
        if isinstance(path_or_modifiers, str):
            recipe = cls()
            recipe.text = path_or_modifiers
            return recipe
        return cls(flat(path_or_modifiers))


def flat(value):
    if isinstance(value, Modifier):
        return [value]
    if isinstance(value, list):
        return [each for item in value for each in flat(item)]
    if isinstance(value, dict):
        return [each for item in value.values() for each in flat(item)]
    raise TypeError(f"{type(value).__name__} is not a recipe")


def snapshot(modifier):
    values = modifier.__dict__["_fields"].items()
    fields = {key: constructed(plain(value), key) for key, value in values if key != "group"}
    return {"class": type(modifier).__name__, "fields": fields}


def described(model):
    """Returns a model as a recording has it. A string is loaded by the call."""
    if isinstance(model, Loaded):
        fields = model.__dict__
        return {"id": fields["_id"], "class": fields["_class"], "changed": fields["_changed"]}
    if isinstance(model, (str, os.PathLike)):
        return {"id": str(model), "class": "AutoModelForCausalLM", "changed": False}
    return None


def accept(recipe, model=None):
    """Records a recipe that a script passes to a call, with its model."""
    lines = lines_of_caller()
    model = described(model)
    if recipe is None:
        return
    if isinstance(recipe, str) or hasattr(recipe, "text"):
        text = recipe if isinstance(recipe, str) else recipe.text
        if text.endswith(PATH_ENDINGS) and "\n" not in text:
            if os.path.isfile(text):
                with open(text, encoding="utf-8") as file:
                    current.files.append({"lines": lines, "modifiers": modifiers_of_text(file.read())})
            return
        current.recipes.append({"lines": lines, "modifiers": modifiers_of_text(text), "text": True, "model": model})
        return
    if not isinstance(recipe, (Recipe, Modifier, list)):
        raise TypeError(f"{type(recipe).__name__} is not a recipe")
    modifiers = recipe.modifiers if isinstance(recipe, Recipe) else flat(recipe)
    for modifier in modifiers:
        current.consumed.add(id(modifier))
        lines = lines | modifier.__dict__["_lines"]
    if modifiers:
        current.recipes.append({"lines": lines, "modifiers": [snapshot(m) for m in modifiers], "model": model})


def modifiers_of_text(text):
    """Returns the modifiers of a recipe in YAML: below stages and groups, or in a list with tags."""
    root = small_yaml.load(text)
    if not isinstance(root, dict):
        raise ValueError("the recipe is not a mapping")
    out = []
    for key, value in root.items():
        if key == "modifiers" or (key.endswith("_modifiers") and isinstance(value, list)):
            out += [{"class": each.tag, "fields": constructed_text(each)} for each in value]
        elif isinstance(value, dict):
            for group, modifiers in value.items():
                if group.endswith("modifiers") and isinstance(modifiers, dict):
                    out += [{"class": name, "fields": constructed_text(fields or {})} for name, fields in modifiers.items()]
    return out


def constructed(value, field=None):
    """Marks the mappings that validators make objects of: those in text, and in these fields of a modifier."""
    if field not in (None, "config_groups", "kv_cache_scheme"):
        return value
    if isinstance(value, dict):
        made = {key: constructed(each) for key, each in value.items()}
        return made if field == "config_groups" else Constructed(made)
    return [constructed(each) for each in value] if isinstance(value, list) else value


def constructed_text(fields):
    """Returns the fields of a modifier in text. The loader makes `targets` a list."""
    made = constructed(fields)
    return Constructed(made | ({"targets": [made["targets"]]} if isinstance(made.get("targets"), str) else {}))


def oneshot(model=None, *args, recipe=None, **_):
    accept(recipe, model)
    return Loaded(str(model), "AutoModelForCausalLM") if isinstance(model, (str, os.PathLike)) else model


class Trainer:
    def __init__(self, model=None, *args, recipe=None, **_):
        accept(recipe, model)

    def train(self, *args, **_):
        return External("output")


def from_yaml(file_path, *args, **_):
    accept(file_path)
    return External("manager")


class Session:
    def initialize(self, *args, recipe=None, model=None, **_):
        accept(recipe, model)

    def finalize(self, *args, **_):
        return None


def old_awq(**fields):
    """The old import of AWQModifier is a function that returns two modifiers."""
    second = {"config_groups", "targets", "ignore", "scheme", "kv_cache_scheme", "weight_observer", "input_observer",
              "output_observer", "observer", "bypass_divisibility_checks"}
    first_fields = {key: value for key, value in fields.items() if key not in second}
    rest = {key: value for key, value in fields.items() if key in second}
    return [modifier_class("AWQModifier")(**first_fields), modifier_class("QuantizationModifier", QuantizingModifier)(**rest)]


class Compressor:
    """A pruner or quantizer of NNI, which accepts a list."""

    def __init__(self, model=None, config_list=None, *args, **settings):
        if not isinstance(config_list, list):
            raise TypeError("config_list must be a list")
        name = type(self).__name__
        entries = [{"class": "config_list", "compressor": name, "settings": list(settings), "fields": plain(entry)}
                   for entry in config_list]
        recipes = current.recipes if entries else current.files  # an empty list need not be reported
        recipes.append({"lines": lines_of_caller(), "modifiers": entries, "nni": True, "model": described(model)})

    def compress(self, *args, **_):
        return External("model"), {}


classes = {}


def modifier_class(name, base=None):
    if name not in classes:
        classes[name] = type(name, (base or Modifier,), {"__module__": "llmcompressor.modifiers"})
    return classes[name]


class External:
    """An object of a library that the stand-ins do not model. It accepts every operation."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return External(f"{self._name}.{name}")

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __call__(self, *args, **_):
        return External(f"{self._name}()")

    def __getitem__(self, key):
        return External(f"{self._name}[]")

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __mro_entries__(self, bases):
        return (object,)

    def _same(self, *_):
        return self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __matmul__ = __or__ = __ror__ = _same


# Models of transformers

KEEP_MODULES = {"torch_dtype", "device_map", "trust_remote_code", "attn_implementation", "low_cpu_mem_usage", "use_cache", "revision"}
PLAIN_ATTRIBUTES = ("config", "generation_config", "device", "dtype")


class Part:
    """A part of a model or configuration. Setting something in it changes the whole."""

    def __init__(self, whole):
        self.__dict__["_whole"] = whole

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Part(self.__dict__["_whole"])

    def _change(self, *_):
        self.__dict__["_whole"].__dict__["_changed"] = True

    __setattr__ = __delattr__ = __setitem__ = __delitem__ = _change

    def __getitem__(self, key):
        return Part(self.__dict__["_whole"])

    def __call__(self, *args, **_):
        return External("result")

    def __iter__(self):
        return iter(())


class Loaded:
    """A model that `from_pretrained` of a class returns."""

    def __init__(self, name, loader, changed=False):
        self.__dict__.update(_id=name, _class=loader, _changed=changed)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return External(name) if name in PLAIN_ATTRIBUTES else Part(self)

    def __setattr__(self, name, value):
        if name not in PLAIN_ATTRIBUTES and not isinstance(value, (bool, int, float, str, type(None))):
            self.__dict__["_changed"] = True

    def __delattr__(self, name):
        self.__dict__["_changed"] = True

    def __call__(self, *args, **_):
        return External("output")

    def __deepcopy__(self, memo):
        return Loaded(*(self.__dict__[name] for name in ("_id", "_class", "_changed")))

    def _itself(self, *args, **_):
        return self

    eval = train = to = cuda = cpu = half = float = _itself

    def parameters(self):
        return iter(())

    def named_modules(self):
        return [("lm_head", Part(self))]

    def get_memory_footprint(self):
        return 1

    def resize_token_embeddings(self, *_):
        self.__dict__["_changed"] = True


class Configuration:
    """A configuration that `AutoConfig.from_pretrained` returns."""

    def __init__(self, name):
        self.__dict__.update(_id=name, _changed=False)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Part(self)

    def __setattr__(self, name, value):
        self.__dict__["_changed"] |= name not in KEEP_MODULES


class AutoConfig:
    @staticmethod
    def from_pretrained(pretrained_model_name_or_path, *args, **_):
        return Configuration(str(pretrained_model_name_or_path))


def from_pretrained(cls, pretrained_model_name_or_path, *args, config=None, **options):
    name = str(pretrained_model_name_or_path)
    other = config is not None and (config.__dict__["_changed"] or config.__dict__["_id"] != name)
    return Loaded(name, cls.__name__, bool(other or args or options.keys() - KEEP_MODULES))


def transformers(name):
    if name == "AutoConfig":
        return AutoConfig
    if "Model" in name or "For" in name:
        return type(name, (), {"from_pretrained": classmethod(from_pretrained), "__module__": "transformers"})
    return External(name)


# Functions of the module `tuning`, which the reader cannot see. Their results depend on the inputs of the run.
def flag(*_):
    return bool(current.inputs["external"])


def pick(values):
    return values[0 if current.inputs["external"] else -1]


def change(value):
    """Changes its argument, in some runs."""
    if not current.inputs["external"]:
        return None
    if isinstance(value, list):
        value.append("external")
    elif isinstance(value, dict):
        value["ignore"] = ["external"]
    elif isinstance(value, Modifier):
        value.ignore = ["external"]
    elif isinstance(value, Loaded):
        value.__dict__["_changed"] = True
    elif hasattr(value, "__dict__"):
        for key, each in vars(value).items():
            if isinstance(each, list):
                each.append("external")
    return None


def keep(value):
    """Keeps a reference, so that `flush` can change the object later."""
    current.kept.append(value)


def flush():
    for value in current.kept:
        change(value)


def replace(model):
    """Returns the argument or another model."""
    return model if current.inputs["external"] else Loaded("other/model", "AutoModel")


def quantize(model=None, recipe=None, **_):
    accept(recipe, model)


def same(value):
    """Returns the argument or a copy of it."""
    return value if current.inputs["external"] else copy.deepcopy(value)


def run(function, *args):
    """Calls its argument, in some runs."""
    return function(*args) if current.inputs["external"] else None


def decorator(function):
    return (lambda *args, **kw: change_result(function(*args, **kw))) if current.inputs["external"] else function


def change_result(value):
    return value + value if isinstance(value, (str, list)) else value


class Base:
    """A base class with a method that subclasses may expect."""

    def __init__(self, *args, **kw):
        if current.inputs["external"]:
            self.scheme = "FP8"

    def __init_subclass__(cls, **kw):
        if current.inputs["external"]:
            cls.scheme = "FP8"


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__["_find"](name)
        if value is None:
            raise AttributeError(f"module {self.__name__} has no attribute {name}")
        self.__dict__[name] = value
        return value


class QuantizationStrategy(str, enum.Enum):
    TENSOR, CHANNEL, GROUP, BLOCK, TOKEN, TENSOR_GROUP = "tensor", "channel", "group", "block", "token", "tensor_group"


class QuantizationType(str, enum.Enum):
    INT, FLOAT = "int", "float"


class DynamicType(str, enum.Enum):
    LOCAL = "local"


class ActivationOrdering(str, enum.Enum):
    GROUP, WEIGHT = "group", "weight"


def args(bits, kind, strategy, dynamic=False, group=None, symmetric=True, block=None):
    fields = {"num_bits": bits, "type": kind, "strategy": strategy, "symmetric": symmetric, "dynamic": dynamic}
    if group is not None:
        fields["group_size"] = group
    if block is not None:
        fields["block_structure"] = block
    made = object.__new__(QuantizationArgs)
    made.__dict__["_fields"], made.__dict__["_lines"] = fields, set()
    return made


def integer(weight_bits, activation_bits=16):
    scheme = {"weights": args(weight_bits, "int", "group", group=128)}
    return scheme | ({"input_activations": args(activation_bits, "int", "token", True)} if activation_bits < 16 else {})


def floating(bits, strategy, group, dynamic=None):
    scheme = {"weights": args(bits, "float", strategy, group=group)}
    return scheme | ({"input_activations": args(bits, "float", strategy, dynamic, group)} if dynamic is not None else {})


def new_presets():
    return {
        **{f"W{w}A{a}": integer(w, a) for w in range(2, 9) for a in (4, 8, 16) if w <= a and (w, a) != (8, 8)},
        "INT8_W8A8": {"weights": args(8, "int", "channel"), "input_activations": args(8, "int", "token", True)},
        "W4A16_ASYM": {"weights": args(4, "int", "group", group=128, symmetric=False)},
        "W4AFP8": {"weights": args(4, "int", "group", group=128), "input_activations": args(8, "float", "token", True)},
        "FP8": {"weights": args(8, "float", "tensor"), "input_activations": args(8, "float", "tensor")},
        "FP8_DYNAMIC": {"weights": args(8, "float", "channel"), "input_activations": args(8, "float", "token", True)},
        "FP8_BLOCK": {"weights": args(8, "float", "block", block=[128, 128]), "input_activations": args(8, "float", "group", True, 128)},
        "NVFP4A16": floating(4, "tensor_group", 16),
        "NVFP4": floating(4, "tensor_group", 16, "local"),
        "MXFP4A16": floating(4, "group", 32),
        "MXFP4": floating(4, "group", 32, True),
    }


# Names of presets that are not names of constants.
ALIASES = {"W8A8": "INT8_W8A8", "INT8": "INT8_W8A8"}


# Presets of compressed_tensors.quantization.quant_scheme. Each script gets its own, because it may change them.
presets = new_presets()


def preset_name_to_scheme(name, targets):
    return QuantizationScheme(targets=targets, **copy.deepcopy(presets[ALIASES.get(name.upper(), name.upper())]))


def llmcompressor(name):
    if name.endswith("Modifier"):
        return modifier_class(name, QuantizingModifier if name in QUANTIZING else Modifier) if name != "Modifier" else Modifier
    known = {"oneshot": oneshot, "train": oneshot, "Recipe": Recipe, "AWQMapping": AWQMapping, "Trainer": Trainer,
             "replace_modules_for_calibration": lambda model: model, "dispatch_for_generation": lambda model: model}
    if name in known:
        return known[name]
    if name in ("create_session", "active_session"):
        return Session
    return External(name)


def compressed_tensors(name):
    known = {each.__name__: each for each in (QuantizationArgs, QuantizationScheme, QuantizationStrategy, QuantizationType,
                                              DynamicType, ActivationOrdering, preset_name_to_scheme)}
    return known.get(name) or presets.get(name) or External(name)


def nni(name):
    if name.endswith(("Pruner", "Quantizer", "Distiller")):
        return modifier_class(name, Compressor)
    return External(name)


def tuning(name):
    here = (flag, pick, change, keep, flush, same, replace, quantize, run, decorator, Base)
    return {each.__name__: each for each in here}.get(name)


def awq(name):
    return old_awq if name == "AWQModifier" else llmcompressor(name)


def sparseml(name):
    if name == "ScheduledModifierManager":
        return type(name, (), {"from_yaml": staticmethod(from_yaml)})
    return External(name)


def yaml(name):
    return {"safe_load": small_yaml.load, "safe_dump": small_yaml.dump, "dump": small_yaml.dump, "YAMLError": ValueError}.get(name)


ROOTS = {"llmcompressor": llmcompressor, "compressed_tensors": compressed_tensors, "nni": nni, "tuning": tuning, "sparseml": sparseml,
         "transformers": transformers, "yaml": yaml}
EXTERNAL = ("torch", "datasets", "vllm", "accelerate", "tqdm", "numpy", "loguru", "huggingface_hub", "lm_eval")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        if root in ROOTS or root in EXTERNAL or root in self.more:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def __init__(self, more=()):
        self.more = set(more)

    def create_module(self, spec):
        root = spec.name.split(".")[0]
        module = Module(spec.name)
        module.__dict__["_find"] = awq if spec.name == "llmcompressor.modifiers.awq" else ROOTS.get(root, External)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


finder = Finder()


def install():
    sys.meta_path.insert(0, finder)


def forget():
    """Removes the modules, so that the next script gets its own: a script can change a module and its presets."""
    for name in [n for n, m in sys.modules.items() if isinstance(m, Module)]:
        del sys.modules[name]
    classes.clear()
    presets.clear()
    presets.update(new_presets())
