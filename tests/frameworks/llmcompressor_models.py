"""Small models with the names and classes of modules of real architectures. Import after llmcompressor_environment."""
import inspect
import types

import torch
from torch import nn
from transformers import PreTrainedModel
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

VOCABULARY = 64


def named(name, base=nn.Module, **body):
    return type(name, (base,), {"__module__": __name__, **body})


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.variance_epsilon = 1e-6

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.heads, self.groups, self.size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        hidden = config.hidden_size
        self.q_proj = nn.Linear(hidden, self.heads * self.size, bias=False)
        self.k_proj = nn.Linear(hidden, self.groups * self.size, bias=False)
        self.v_proj = nn.Linear(hidden, self.groups * self.size, bias=False)
        self.o_proj = nn.Linear(self.heads * self.size, hidden, bias=False)

    def split(self, x, projection, count):
        return projection(x).view(*x.shape[:2], count, self.size).transpose(1, 2)

    def forward(self, hidden_states, past_key_values=None):
        query = self.split(hidden_states, self.q_proj, self.heads)
        key, value = self.split(hidden_states, self.k_proj, self.groups), self.split(hidden_states, self.v_proj, self.groups)
        if past_key_values is not None:
            key, value = past_key_values.update(key, value, 0)
        key, value = (each.repeat_interleave(self.heads // self.groups, 1) for each in (key, value))
        out = ALL_ATTENTION_FUNCTIONS[self.config._attn_implementation](self, query, key, value)
        return self.o_proj(out.transpose(1, 2).reshape(*hidden_states.shape[:2], -1))


class Perceptron(nn.Module):
    def __init__(self, hidden, inner):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, inner, bias=False)
        self.up_proj = nn.Linear(hidden, inner, bias=False)
        self.down_proj = nn.Linear(inner, hidden, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def configuration(**changed):
    config = types.SimpleNamespace(hidden_size=128, num_attention_heads=4, num_key_value_heads=4, head_dim=32, vocab_size=VOCABULARY, tie_word_embeddings=False,
                                   _attn_implementation="eager", use_cache=False, num_hidden_layers=2)
    config.__dict__.update(changed)
    config.get_text_config = lambda decoder=False: config
    return config


class Layer(nn.Module):
    def __init__(self, prefix, config, inner_name, inner):
        super().__init__()
        self.self_attn = named(prefix + "Attention", Attention)(config)
        self.add_module(inner_name, inner)
        norm = named(prefix + "RMSNorm", Norm)
        self.input_layernorm, self.post_attention_layernorm = norm(config.hidden_size), norm(config.hidden_size)
        self.inner_name = inner_name

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + getattr(self, self.inner_name)(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, prefix, config, make):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        layer = named(prefix + "DecoderLayer", Layer)
        self.layers = nn.ModuleList(layer(prefix, config, *make()) for _ in range(config.num_hidden_layers))
        self.norm = named(prefix + "RMSNorm", Norm)(config.hidden_size)

    def forward(self, input_ids):
        x = self.embed_tokens(input_ids)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Causal(PreTrainedModel):
    embedding, head = "model.embed_tokens", "lm_head"

    def __init__(self, prefix, config, make):
        super().__init__()
        self._no_split_modules = [prefix + "DecoderLayer"]
        self.config, self.name_or_path = config, ""
        self.model = named(prefix + "Model", Decoder)(prefix, config, make)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, input_ids):
        return self.lm_head(self.model(input_ids))


def causal(prefix, config, make):
    torch.manual_seed(0)
    return named(prefix + "ForCausalLM", Causal)(prefix, config, make).eval()


def llama(hidden=128, inner=256, **changed):
    perceptron = named("LlamaMLP", Perceptron)
    return causal("Llama", configuration(hidden_size=hidden, **changed), lambda: ("mlp", perceptron(hidden, inner)))


def llama_gqa():
    return llama(num_key_value_heads=2)


def llama_odd():
    """The input of down_proj has 200 columns, which no usual group size divides."""
    return llama(inner=200)


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w3, self.w2 = nn.Linear(128, 128, bias=False), nn.Linear(128, 128, bias=False), nn.Linear(128, 128, bias=False)

    def forward(self, x):
        return self.w2(torch.nn.functional.silu(self.w1(x)) * self.w3(x))


class Experts(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate = nn.Linear(config.hidden_size, 4, bias=False)
        self.experts = nn.ModuleList(named("MixtralBlockSparseTop2MLP", Expert)() for _ in range(4))

    def forward(self, x):
        shares = self.gate(x).softmax(-1)
        return sum(shares[..., at:at + 1] * expert(x) for at, expert in enumerate(self.experts))


def mixtral():
    config = configuration(num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2)
    return causal("Mixtral", config, lambda: ("block_sparse_moe", named("MixtralSparseMoeBlock", Experts)(config)))


BUILDERS = {each.__name__: each for each in (llama, llama_gqa, llama_odd, mixtral)}


def batches(model, count=2):
    generator = torch.Generator().manual_seed(1)
    assert "input_ids" in inspect.signature(model.forward).parameters
    return [{"input_ids": torch.randint(0, VOCABULARY, (2, 24), generator=generator)} for _ in range(count)]
