#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/record/suggest.h"

// Mappings that fit a model, for those that do not.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;
using source::Value;

// The names of layers that read the same inputs in families of models, separated by commas.
constexpr std::string_view kSameInputs[] = {
    "q_proj k_proj v_proj,qkv_proj,query_key_value,Wqkv,c_attn,attn_qkv",
    "gate_proj up_proj,gate_up_proj,dense_h_to_4h,c_fc,fc1,w1 w3",
};

// The names of the norms before these layers, in the same order.
constexpr std::string_view kNorms[] = {
    "input_layernorm,self_attn_layer_norm,ln_1,ln1,attention_norm,norm_1,norm1",
    "pre_feedforward_layernorm,post_attention_layernorm,final_layer_norm,ln_2,ln2,ffn_norm,norm_2,norm2",
};

// Returns the letters at the end of a pattern: `q_proj` of `re:.*q_proj$`.
static std::string_view last_word(std::string_view pattern) {
  while (!pattern.empty() && !base::is_name_letter(pattern.back())) pattern.remove_suffix(1);
  std::size_t begin = pattern.size();
  while (begin > 0 && base::is_name_letter(pattern[begin - 1])) --begin;
  return pattern.substr(begin);
}

// Returns the index of the row in which a pattern names a layer; the number of rows if there is none.
static std::size_t row_with(const std::vector<std::string>& patterns) {
  std::size_t row = 0;
  for (; row < std::size(kSameInputs); ++row) {
    for (const std::string_view family : base::parts_of(kSameInputs[row], ',')) {
      const std::vector<std::string_view> layers = base::parts_of(family, ' ');
      const auto named = [&](const std::string& each) { return base::contains(layers, last_word(each)); };
      if (std::ranges::any_of(patterns, named)) return row;
    }
  }
  return row;
}

// Returns true if the run combines the modules that a mapping matches to at least one set.
static bool fits(const Mapping& mapping, const std::vector<Module>& modules, bool scaled_first) {
  std::vector<std::string> patterns = mapping.balanced;
  patterns.insert(scaled_first ? patterns.begin() : patterns.end(), mapping.scaled);
  if (std::ranges::any_of(patterns, [](const std::string& each) { return fault_of(each).has_value(); })) return false;
  const Sets found = sets_in(modules, patterns);
  const std::size_t scaled = scaled_first ? 0 : patterns.size() - 1;
  const auto one_scaled = [&](const ModuleSet& set) { return set[scaled].size() == 1; };
  return !found.failed() && !found.sets.empty() && std::ranges::all_of(found.sets, one_scaled);
}

std::optional<Mapping> fitting_mapping(const Mapping& mapping, const std::vector<Module>& modules, bool awq) {
  if (fits(mapping, modules, awq)) return mapping;
  const std::size_t row = row_with(mapping.balanced);
  if (row == std::size(kSameInputs)) return std::nullopt;
  std::vector<Mapping> candidates = {mapping};
  for (const std::string_view family : base::parts_of(kSameInputs[row], ',')) {
    Mapping& out = candidates.emplace_back(mapping);
    out.balanced.clear();
    for (const std::string_view layer : base::parts_of(family, ' '))
      out.balanced.push_back(fmt::format("re:.*{}$", layer));
    if (fits(out, modules, awq)) return out;
  }
  for (Mapping& out : candidates) {
    for (const std::string_view norm : base::parts_of(kNorms[row], ',')) {
      out.scaled = fmt::format("re:.*{}$", norm);
      if (fits(out, modules, awq)) return out;
    }
  }
  return std::nullopt;
}

bool usual_mappings_fit(ClassKind kind, const std::vector<Module>& modules) {
  const auto root = std::ranges::find(modules, "", &Module::name);
  if (root == modules.end()) return false;
  const std::vector<Mapping> usual = usual_mappings(kind, root->type, {});
  return !usual.empty() &&
         std::ranges::all_of(usual, [&](const Mapping& each) { return fits(each, modules, kind == ClassKind::awq); });
}

std::string text_of(const std::vector<Mapping>& mappings, bool awq) {
  const auto text = [](std::string_view word) { return Value{std::string(word), {}}; };
  source::List out;
  for (const Mapping& mapping : mappings) {
    source::List balanced;
    for (const std::string& each : mapping.balanced) balanced.push_back(text(each));
    Value layers{std::move(balanced), {}};
    if (awq) {
      out.push_back(
          {source::Map{{text("smooth_layer"), text(mapping.scaled)}, {text("balance_layers"), std::move(layers)}}, {}});
    } else {
      out.push_back({source::List{std::move(layers), text(mapping.scaled)}, {}});
    }
  }
  return flow_text({std::move(out), {}});
}

}  // namespace sparsecfg::dialect::llmcompressor
