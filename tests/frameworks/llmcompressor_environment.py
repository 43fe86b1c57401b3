"""Makes checkouts of llm-compressor and compressed-tensors importable with torch 1.13 and without transformers.

Packages that only other parts need are placeholders. The top-level modules of both packages are empty, because they
import everything. Features of torch 2 are added: float8 types (as float32), hooks with keyword arguments, and no_grad
as a decorator without parentheses.
"""
import functools
import importlib.abc
import importlib.machinery
import json
import struct
import sys
import types
from collections import OrderedDict
from pathlib import Path

PACKAGES = {"transformers", "accelerate", "datasets", "huggingface_hub", "safetensors", "auto_round", "tqdm", "triton", "psutil", "requests", "pynvml",
            "PIL", "peft"}
MODULES = ("torch._dynamo", "torch.distributed.fsdp.", "torch.distributed.tensor", "torch.distributed.device_mesh", "torch.fx.experimental.symbolic_shapes")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn_x2", "float8_e4m3fnuz", "float8_e5m2fnuz")
CREATORS = ("zeros", "empty", "full", "ones", "tensor", "zeros_like", "ones_like", "empty_like", "full_like", "rand", "randn")
CONVERTERS = ("to", "type", "view")


# --- placeholders --------------------------------------------------------------------------------
class PlaceholderType(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(cls, name, PlaceholderType(name, (Placeholder,), {}))
        return getattr(cls, name)


class Placeholder(metaclass=PlaceholderType):
    """Accepts every use. As a decorator it returns the function."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *arguments, **_):
        return arguments[0] if arguments and callable(arguments[0]) else Placeholder()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, PlaceholderType(name, (Placeholder,), {"__module__": self.__name__}))
        return getattr(self, name)


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        known = name.split(".")[0] in PACKAGES or name.startswith(MODULES)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


class Logger:
    """Replaces the logger of loguru."""

    def __getattr__(self, name):
        if name in ("bind", "patch", "opt", "contextualize"):
            return lambda *_, **__: self
        return lambda *_, **__: None


def module(name, **attributes):
    made = types.ModuleType(name)
    made.__dict__.update(attributes)
    sys.modules[name] = made
    return made


def stub(name, **attributes):
    made = Stub(name)
    made.__dict__.update(attributes)
    sys.modules[name] = made
    return made


class Bar:
    """Replaces a progress bar."""

    def __init__(self, items=None, *_, **__):
        self.items = [] if items is None else items

    def __iter__(self):
        return iter(self.items)

    def __getattr__(self, name):
        return lambda *_, **__: None


# --- torch ---------------------------------------------------------------------------------------
class Float8:
    """A type that torch 1.13 lacks."""

    is_floating_point, itemsize = True, 1

    def __init__(self, name, real):
        self.name, self.real = name, real

    def __repr__(self):
        return "torch." + self.name

    def __deepcopy__(self, _):
        return self

    def __reduce__(self):
        import torch
        return getattr, (torch, self.name)


def add_types(torch):
    real_type, real_limits = torch.dtype, torch.finfo

    class Type(type):
        def __instancecheck__(cls, value):
            return isinstance(value, (real_type, Float8))

    torch.dtype = Type("dtype", (), {})
    for name in FLOAT8:
        setattr(torch, name, Float8(name, torch.float32))
    for name, real in (("uint16", torch.int16), ("uint32", torch.int32), ("uint64", torch.int64)):
        setattr(torch, name, Float8(name, real))

    def limits(of=None):
        if isinstance(of, Float8):
            largest = 448.0 if "e4m3" in of.name else 57344.0
            return types.SimpleNamespace(min=-largest, max=largest, bits=8, eps=.125, tiny=2.0 ** -6, dtype=of.name)
        return real_limits(of) if of is not None else real_limits()

    def plain(value):
        return value.real if isinstance(value, Float8) else value

    def with_plain_types(function):
        @functools.wraps(function)
        def call(*arguments, **named):
            return function(*map(plain, arguments), **{name: plain(value) for name, value in named.items()})

        return call

    torch.finfo = limits
    for owner, names in ((torch, CREATORS), (torch.Tensor, CONVERTERS)):
        for name in names:
            setattr(owner, name, with_plain_types(getattr(owner, name)))
    torch.Tensor.pin_memory = lambda self, *_, **__: self


def add_contexts(torch):
    for name in ("no_grad", "inference_mode", "enable_grad"):
        base = getattr(torch, name)

        class Context(base):
            real = base

            def __new__(cls, *arguments, **_):
                if arguments and callable(arguments[0]):
                    return cls.real()(arguments[0])
                return super().__new__(cls)

        setattr(torch, name, Context)

    def unchanged(function=None, *_, **__):
        return function if callable(function) else lambda inner: inner

    torch.compile = unchanged
    torch.compiler = types.SimpleNamespace(disable=unchanged, is_compiling=lambda: False, reset=lambda: None)
    torch.accelerator = types.SimpleNamespace(is_available=lambda: False, current_accelerator=lambda *_, **__: None, device_count=lambda: 0,
                                              current_device_index=lambda: 0)
    torch.get_default_device = lambda: torch.device("cpu")


def add_hooks(torch):
    from torch.utils.hooks import RemovableHandle
    base = torch.nn.Module
    call, before, after = base.__call__, base.register_forward_pre_hook, base.register_forward_hook

    def hooked(self, *arguments, **named):
        for hook in list(self.__dict__.get("_before", {}).values()):
            arguments, named = hook(self, arguments, named) or (arguments, named)
        out = call(self, *arguments, **named)
        for hook in list(self.__dict__.get("_after", {}).values()):
            changed = hook(self, arguments, named, out)
            out = out if changed is None else changed
        return out

    def add(self, key, hook):
        hooks = self.__dict__.setdefault(key, OrderedDict())
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    base.__call__ = hooked
    base.register_forward_pre_hook = lambda self, hook, *, prepend=False, with_kwargs=False: add(self, "_before", hook) if with_kwargs else before(self, hook)
    base.register_forward_hook = lambda self, hook, *, prepend=False, with_kwargs=False, always_call=False: (
        add(self, "_after", hook) if with_kwargs else after(self, hook))


def add_packages(torch):
    import torch.distributed as distributed
    import torch.utils._pytree as trees
    if not hasattr(distributed, "ReduceOp"):
        distributed.ReduceOp = types.SimpleNamespace()
    for name in ("AVG", "MIN", "MAX", "SUM"):
        if not hasattr(distributed.ReduceOp, name):
            setattr(distributed.ReduceOp, name, name)
    for name in ("Work", "ProcessGroup"):
        if not hasattr(distributed, name):
            setattr(distributed, name, type(name, (), {}))
    for name in ("torch.distributed.fsdp", "torch.distributed.fsdp.fully_sharded_data_parallel", "torch.distributed.tensor", "torch.distributed.device_mesh",
                 "torch._dynamo", "torch._dynamo.config", "torch.fx.experimental.symbolic_shapes"):
        try:
            importlib.import_module(name)
        except Exception:  # absent in this torch, or it needs a package that is absent
            stub(name)
    if not hasattr(trees, "tree_leaves"):
        trees.tree_leaves = lambda tree, is_leaf=None: trees.tree_flatten(tree)[0]


# --- other packages ------------------------------------------------------------------------------
class SafeOpen:
    """Reads the Hadamard matrices that compressed-tensors ships."""

    KINDS = {"F32": "f4", "F64": "f8", "F16": "f2", "I8": "i1", "I32": "i4", "I64": "i8", "BOOL": "?"}

    def __init__(self, path, *_, **__):
        raw = Path(path).read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        self.head, self.raw = json.loads(raw[8:8 + size]), raw[8 + size:]
        self.head.pop("__metadata__", None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def keys(self):
        return list(self.head)

    def get_tensor(self, key):
        import numpy
        import torch
        row = self.head[key]
        part = self.raw[slice(*row["data_offsets"])]
        if row["dtype"] == "BF16":
            values = (numpy.frombuffer(part, "<u2").astype("u4") << 16).view("f4")
        else:
            values = numpy.frombuffer(part, "<" + self.KINDS[row["dtype"]])
        return torch.from_numpy(values.copy().reshape(row["shape"]))

    get_slice = get_tensor


class Registry(dict):
    def register(self, name, value):
        self[name] = value


def add_transformers(torch):
    class PreTrainedModel(torch.nn.Module):
        """What modifiers need of a model."""

        _no_split_modules = []

        def get_input_embeddings(self):
            return dict(self.named_modules()).get(self.embedding)

        def get_output_embeddings(self):
            return dict(self.named_modules()).get(self.head)

        def set_attn_implementation(self, name):
            self.config._attn_implementation = name

    def attention(_, query, key, value, *__, **___):
        return (query @ key.transpose(-1, -2) / 4).softmax(-1) @ value

    package = stub("transformers", __version__="5.15.0", PreTrainedModel=PreTrainedModel)
    for name, registry in (("masking_utils", "ALL_MASK_ATTENTION_FUNCTIONS"), ("modeling_utils", "ALL_ATTENTION_FUNCTIONS")):
        setattr(package, name, stub("transformers." + name, **{registry: Registry(eager=attention)}))
    package.modeling_utils.PreTrainedModel = PreTrainedModel


def prepare(llmcompressor, compressed_tensors, pydantic):
    """Makes `import llmcompressor` and `import compressed_tensors` work. The arguments are folders."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pydantic))
    module("loguru", logger=Logger())
    sys.meta_path.append(StubFinder())
    import torch
    add_types(torch)
    add_contexts(torch)
    add_hooks(torch)
    add_packages(torch)
    torch.set_num_threads(1)
    sys.modules["tqdm.auto"] = module("tqdm", tqdm=Bar, __path__=[])
    stub("safetensors", safe_open=SafeOpen)
    add_transformers(torch)
    sources = [Path(llmcompressor) / "src", Path(compressed_tensors) / "src"]
    sys.path[:0] = [str(each) for each in sources]
    module("llmcompressor", __path__=[str(sources[0] / "llmcompressor")], __file__=str(sources[0] / "llmcompressor/__init__.py"), __version__="0.13.0")
    module("llmcompressor.version", __version__="0.13.0", version="0.13.0")
    module("compressed_tensors.version", __version__="0.18.1", version="0.18.1", __all__=[])
    for name in ("pipelines.sequential", "pipelines.sequential.transformers_helpers"):  # its tracer needs transformers
        module("llmcompressor." + name, __path__=[], __all__=[])
    importlib.import_module("llmcompressor.core")  # first, as the package itself does
