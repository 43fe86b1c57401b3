#include "architecture/heads.h"

#include <algorithm>

namespace sparsecfg::architecture {

namespace {

struct Suffix {
  std::string_view text;
  Head head;
};

constexpr Suffix kSuffixes[] = {
    {"ForSequenceClassification", Head::sequence_classification},
    {"ForTokenClassification", Head::token_classification},
    {"ForQuestionAnswering", Head::question_answering},
    {"Model", Head::none},
};

// The ends of classes of the tables that have a head.
constexpr std::string_view kOwnHeads[] = {"ForConditionalGeneration", "ForCausalLM", "LMHeadModel",
                                          "ForImageClassification", "ForSequenceClassification"};

// Model types whose class for question answering calls its base `transformer`.
constexpr std::string_view kTransformerTypes[] = {"llama",   "qwen2",    "qwen3",    "qwen3_moe", "qwen3_next",
                                                  "smollm3", "seed_oss", "nemotron", "exaone4"};

// Model types whose class for token classification calls its head `classifier`.
constexpr std::string_view kClassifierTypes[] = {"gpt_neox", "gpt2", "gpt_bigcode", "bloom", "falcon", "mpt"};

template <std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view item) {
  return std::ranges::find(list, item) != std::end(list);
}

bool is_top(const std::string& name) { return !name.empty() && name.find('.') == std::string::npos; }

// Returns the top modules with children.
std::vector<std::string> bases_of(const std::vector<Layer>& layers) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + 1 < layers.size(); ++at) {
    if (is_top(layers[at].name) && layers[at + 1].name.starts_with(layers[at].name + ".")) {
      out.push_back(layers[at].name);
    }
  }
  return out;
}

void keep_base(const std::string& base, std::vector<Layer>& layers) {
  std::erase_if(layers, [&](const Layer& each) { return each.name != base && !each.name.starts_with(base + "."); });
}

// Removes the name of the base from the names and from the ties, which lead to layers of the base.
void lift_base(const std::string& base, std::vector<Layer>& layers) {
  const auto lifted = [&](const std::string& name) {
    return name.starts_with(base + ".") ? name.substr(base.size() + 1) : name == base ? std::string() : name;
  };
  for (Layer& layer : layers) {
    layer.name = lifted(layer.name);
    layer.tied = lifted(layer.tied);
  }
}

void rename_base(const std::string& base, const std::string& other, std::vector<Layer>& layers) {
  for (Layer& layer : layers) {
    if (layer.name == base || layer.name.starts_with(base + ".")) layer.name = other + layer.name.substr(base.size());
  }
}

// A head has one row per label and the columns of the head that it replaces.
Layer linear(std::string name, std::uint64_t rows, std::uint64_t columns, bool bias) {
  Layer out{std::move(name), "Linear", {{"weight", {rows, columns}}}, {}};
  if (bias) out.tensors.push_back({"bias", {rows}});
  return out;
}

// Returns the number of columns of the head of the class in the table; 0 if it has none.
std::uint64_t columns_of_head(const std::vector<Layer>& layers) {
  const Tensor* weight = layers.back().find("weight");
  return weight == nullptr || weight->shape.size() != 2 ? 0 : weight->shape[1];
}

}  // namespace

HeadClass class_with_other_head(std::string_view architecture, std::string_view model_type) {
  for (const auto& [text, head] : kSuffixes) {
    if (!architecture.ends_with(text)) continue;
    std::string_view stem = architecture.substr(0, architecture.size() - text.size());
    for (const bool text_model : {false, true}) {
      // `Gemma3TextModel` is the base of `Gemma3ForCausalLM`.
      if (text_model && !stem.ends_with("Text")) continue;
      if (text_model) stem.remove_suffix(4);
      for (const std::string_view own : kOwnHeads) {
        const std::string known = std::string(stem) + std::string(own);
        if (has_family(known, model_type)) return {known, head};
      }
    }
  }
  return {};
}

bool replace_head(Head head, const std::string& architecture, const std::string& model_type, std::uint64_t labels,
                  std::vector<Layer>& layers) {
  const std::vector<std::string> bases = bases_of(layers);
  const std::uint64_t columns = columns_of_head(layers);
  if (head == Head::none && bases.size() > 1 && is_top(layers.back().name)) {  // an encoder and a decoder
    layers.front().type = architecture;
    layers.pop_back();
    return true;
  }
  if (bases.size() != 1 || (head != Head::none && columns == 0)) {
    return false;
  }
  const std::string& base = bases.front();
  const Layer root{layers.front().name, architecture, {}, {}};
  keep_base(base, layers);
  if (head == Head::none) {
    if (layers.front().type != architecture) return false;
    lift_base(base, layers);
    return true;
  }
  layers.insert(layers.begin(), root);
  switch (head) {
    case Head::sequence_classification: layers.push_back(linear("score", labels, columns, false)); break;
    case Head::token_classification:
      layers.push_back({"dropout", "Dropout", {}, {}});
      layers.push_back(linear(contains(kClassifierTypes, model_type) ? "classifier" : "score", labels, columns, true));
      break;
    case Head::question_answering:
      if (contains(kTransformerTypes, model_type)) rename_base(base, "transformer", layers);
      layers.push_back(linear("qa_outputs", 2, columns, true));
      break;
    case Head::own:
    case Head::none: break;
  }
  return true;
}

}  // namespace sparsecfg::architecture
