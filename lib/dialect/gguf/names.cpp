#include "dialect/gguf/names.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace sparsecfg::dialect::gguf {

namespace {

struct NamePair {
  std::string_view hugging_face;  // below `model.layers.N`, or a whole name; `#` is a number
  std::string_view gguf;
};

// clang-format off
// Longer names of Hugging Face precede those that they contain.
constexpr NamePair kInLayers[] = {
    {"self_attn.q_proj", "attn_q"}, {"self_attn.k_proj", "attn_k"}, {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"}, {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
    {"mlp.experts.#.gate_proj", "ffn_gate_exps"}, {"mlp.experts.#.up_proj", "ffn_up_exps"},
    {"mlp.experts.#.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.experts.#.w1", "ffn_gate_exps"}, {"block_sparse_moe.experts.#.w3", "ffn_up_exps"},
    {"block_sparse_moe.experts.#.w2", "ffn_down_exps"}, {"block_sparse_moe.gate", "ffn_gate_inp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"}, {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"}, {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.gate_up_proj", "ffn_up"}, {"mlp.gate_proj", "ffn_gate"}, {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"}, {"mlp.gate", "ffn_gate_inp"},
    {"pre_feedforward_layernorm", "ffn_norm"}, {"post_feedforward_layernorm", "post_ffw_norm"},
    {"input_layernorm", "attn_norm"}, {"post_attention_layernorm", "ffn_norm"},
};
constexpr NamePair kOutside[] = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"},
};
// clang-format on

constexpr std::string_view kLayers = "model.layers.";
constexpr std::string_view kBlocks = "blk.";

bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, base::is_digit); }

// Returns true if a name is that of a row, in which `#` is a number.
bool is_named(std::string_view name, std::string_view row) {
  const std::size_t mark = row.find('#');
  if (mark == row.npos) return name == row;
  const std::string_view end = row.substr(mark + 1);
  if (name.size() <= mark + end.size() || !name.starts_with(row.substr(0, mark)) || !name.ends_with(end)) return false;
  return is_number(name.substr(mark, name.size() - mark - end.size()));
}

// Returns the name without its last part, `.weight` or `.bias`.
std::string_view module_of(std::string_view name) { return name.substr(0, std::min(name.rfind('.'), name.size())); }

bool is_of_gguf(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames = {"token_embd", "output", "output_norm", "rope_freqs",
                                                             "position_embd"};
  return name.starts_with(kBlocks) || base::contains(kNames, module_of(name));
}

class Translator {
 public:
  explicit Translator(const model::ModelNames& names) : names_(names) {
    norms_around_ = std::ranges::any_of(names.list(), [](const std::string& name) {
      return name.find("pre_feedforward_layernorm") != std::string::npos;
    });
  }

  std::optional<std::vector<model::GgufTensor>> run() {
    for (std::size_t at = 0; at < names_.size(); ++at) {
      const std::string name = is_of_gguf(names_[at]) ? names_[at] : counterpart(names_[at]);
      if (name.empty()) return std::nullopt;
      add(name, names_.shape(at));
    }
    return std::move(out_);
  }

 private:
  // Returns an empty string for an unknown name.
  [[nodiscard]] std::string counterpart(std::string_view name) const {
    const std::string_view module = module_of(name);
    const std::string_view end = name.substr(module.size());
    for (const NamePair& row : kOutside) {
      if (module == row.hugging_face) return std::string(row.gguf).append(end);
    }
    if (!module.starts_with(kLayers)) return {};
    const std::string_view inner = module.substr(kLayers.size());
    const std::size_t dot = inner.find('.');
    if (dot == inner.npos || !is_number(inner.substr(0, dot))) return {};
    const std::string_view part = in_layer(inner.substr(dot + 1));
    return part.empty() ? "" : std::string(kBlocks).append(inner.substr(0, dot + 1)).append(part).append(end);
  }

  // Gemma has norms before and after each part of a layer.
  [[nodiscard]] std::string_view in_layer(std::string_view name) const {
    if (norms_around_ && name == "post_attention_layernorm") return "post_attention_norm";
    for (const NamePair& row : kInLayers) {
      if (is_named(name, row.hugging_face)) return row.gguf;
    }
    return {};
  }

  // The experts of a layer are one tensor.
  void add(const std::string& name, const model::Shape* shape) {
    const auto [known, is_new] = places_.emplace(name, out_.size());
    const bool experts = name.find("_exps.") != std::string::npos && !is_of_gguf(names_[0]);
    if (is_new) {
      out_.push_back({name, shape == nullptr ? model::Shape() : *shape, 0});
      if (experts && shape != nullptr) out_.back().shape.insert(out_.back().shape.begin(), 1);
    } else if (shape != nullptr) {
      ++out_[known->second].shape.front();
    }
  }

  const model::ModelNames& names_;
  bool norms_around_ = false;
  std::map<std::string, std::size_t> places_;
  std::vector<model::GgufTensor> out_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string with_escaped_dots(std::string_view text) {
  std::string out(text);
  replace_all(out, ".", "\\.");
  return out;
}

// Replaces a whole name, with or without escaped dots.
void replace_name(std::string& pattern, const NamePair& row) {
  replace_all(pattern, with_escaped_dots(row.hugging_face), row.gguf);
  replace_all(pattern, row.hugging_face, row.gguf);
}

// Replaces the last part of a name, unless experts have the same.
void replace_last_part(std::string& pattern, const NamePair& row) {
  const std::string_view last = base::last_part(row.hugging_face);
  const bool one = row.hugging_face.size() - last.size() <= std::string_view("self_attn.").size();
  if (one && (last.ends_with("_proj") || last == "embed_tokens")) replace_all(pattern, last, row.gguf);
}

}  // namespace

std::optional<std::vector<model::GgufTensor>> tensors_of(const model::ModelNames& names) {
  return Translator(names).run();
}

std::vector<std::string> counterparts_of(std::string_view name) {
  if (name == "attn_qkv") return {"attn_(q|k|v)\\."};
  if (name == "attn_q" || name == "attn_k" || name == "attn_v") return {"attn_qkv"};
  const bool in_mlp = name == "ffn_gate" || name == "ffn_up" || name == "ffn_down";
  const std::string text(name);
  if (in_mlp) return {text + "_exps"};
  return name.starts_with("ffn_") && name.ends_with("_exps") ? std::vector{text.substr(0, text.size() - 5)}
                                                             : std::vector<std::string>();
}

bool is_tensor_in_layer(std::string_view name) {
  return std::ranges::find(kInLayers, name, &NamePair::gguf) != std::end(kInLayers);
}

std::string translated(std::string_view pattern) {
  std::string out(pattern);
  for (const std::string_view number : {"[0-9]+", "\\d+", "[0-9]*", "\\d*", ".*"}) {
    for (const NamePair& row : kInLayers) {
      const std::size_t mark = row.hugging_face.find('#');
      if (mark == row.hugging_face.npos) continue;
      for (const bool escaped : {true, false}) {
        const auto written = [&](std::string_view text) {
          return escaped ? with_escaped_dots(text) : std::string(text);
        };
        const std::string name = written(row.hugging_face.substr(0, mark)).append(number);
        replace_all(out, name + written(row.hugging_face.substr(mark + 1)), row.gguf);
      }
    }
  }
  for (const NamePair& row : kInLayers) replace_name(out, row);
  for (const std::string_view experts : {"mlp.experts", "block_sparse_moe.experts"}) {
    replace_all(out, with_escaped_dots(experts), "ffn_.*_exps");
    replace_all(out, experts, "ffn_.*_exps");
  }
  for (const NamePair& row : kOutside) replace_name(out, row);
  for (const NamePair& row : kInLayers) replace_last_part(out, row);
  for (const NamePair& row : kOutside) replace_last_part(out, row);
  replace_all(out, with_escaped_dots(kLayers), with_escaped_dots(kBlocks));
  replace_all(out, kLayers, kBlocks);
  replace_all(out, "layers\\.", "blk\\.");
  return out;
}

}  // namespace sparsecfg::dialect::gguf
