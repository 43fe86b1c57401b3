#include "dialect/llmcompressor/mappings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Module;
using source::Value;

namespace {

// The patterns of one mapping: layers to balance and the one that is scaled, where it stands in a list of SmoothQuant's.
struct Mapping {
  std::vector<std::string> balanced;
  std::string scaled;
  source::Span span;
};

// Patterns apart from each other by blanks; what is scaled comes last.
struct Usual {
  std::string_view models;    // classes of models
  std::string_view mappings;  // one a line
};

// What SmoothQuant balances in models of a class.
constexpr Usual kUsual[] = {
    {"AfmoeForCausalLM",
     "re:.*self_attn\\.q_proj re:.*self_attn\\.k_proj re:.*self_attn\\.v_proj re:.*self_attn\\.gate_proj "
     "re:.*input_layernorm\nre:.*mlp.*gate_proj re:.*mlp.*up_proj re:.*pre_mlp_layernorm"},
    {"BloomForCausalLM ChatGLMForConditionalGeneration",
     "re:.*query_key_value re:.*input_layernorm\nre:.*dense_h_to_4h re:.*post_attention_layernorm"},
    {"Cohere2ForCausalLM Cohere2VisionForConditionalGeneration CohereForCausalLM",
     "re:.*self_attn\\.q_proj$ re:.*self_attn\\.k_proj$ re:.*self_attn\\.v_proj$ re:.*mlp\\.gate_proj$ "
     "re:.*mlp\\.up_proj$ re:.*input_layernorm$"},
    {"DeepseekV2ForCausalLM DeepseekV3ForCausalLM Glm4MoeLiteForCausalLM GlmMoeDsaForCausalLM",
     "re:.*q(_a)?_proj$ re:.*kv_a_proj_with_mqa re:.*input_layernorm"},
    {"Ernie4_5_MoeForCausalLM MixtralForCausalLM", "re:.*q_proj re:.*k_proj re:.*v_proj re:.*input_layernorm"},
    {"Phi3ForCausalLM Phi3VForCausalLM",
     "re:.*qkv_proj re:.*input_layernorm\nre:.*gate_up_proj re:.*post_attention_layernorm"},
    {"Qwen2MoeForCausalLM Qwen3MoeForCausalLM", "re:.*q_proj$ re:.*k_proj$ re:.*v_proj$ re:.*input_layernorm$"},
    {"WhisperForConditionalGeneration",
     "re:.*k_proj re:.*v_proj re:.*q_proj re:.*self_attn_layer_norm\nre:.*fc1 re:.*final_layer_norm"},
};

// Of all other models.
constexpr std::string_view kOtherwise =
    "re:.*q_proj re:.*k_proj re:.*v_proj re:.*input_layernorm\n"
    "re:.*gate_proj re:.*up_proj re:.*post_attention_layernorm";

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(mark, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Mapping last_is_scaled(std::vector<std::string> patterns, source::Span span) {
  std::string scaled = std::move(patterns.back());
  patterns.pop_back();
  return {std::move(patterns), std::move(scaled), span};
}

std::vector<Mapping> usual_mappings(std::string_view model, source::Span span) {
  std::string_view lines = kOtherwise;
  for (const Usual& usual : kUsual) {
    const std::vector<std::string> models = split(usual.models, ' ');
    if (std::ranges::find(models, model) != models.end()) lines = usual.mappings;
  }
  std::vector<Mapping> out;
  for (const std::string& line : split(lines, '\n')) {
    out.push_back(last_is_scaled(split(line, ' '), span));
  }
  return out;
}

void add_leaves(const Value& value, std::vector<std::string>& out, bool& known) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) add_leaves(item, out, known);
  } else if (const auto* text = value.get<std::string>()) {
    out.push_back(*text);
  } else {
    known = false;
  }
}

std::vector<Mapping> lists_of(const source::List& list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    std::vector<std::string> leaves;
    bool known = true;
    add_leaves(item, leaves, known);
    if (known && !leaves.empty()) out.push_back(last_is_scaled(std::move(leaves), item.span));
  }
  return out;
}

std::vector<Mapping> awq_mappings(const source::List& list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    const Value* smooth = item.find("smooth_layer");
    const auto* scaled = smooth == nullptr ? nullptr : smooth->get<std::string>();
    std::vector<std::string> balanced;
    for (const Entry& entry : entries_of(item.find("balance_layers"))) balanced.push_back(entry.text);
    if (scaled != nullptr) out.push_back({std::move(balanced), *scaled, item.span});
  }
  return out;
}

class MappingCheck {
 public:
  MappingCheck(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules)
      : reading_(reading), modifier_(modifier), modules_(modules) {}

  void run() {
    for (const Mapping& mapping : mappings()) {
      if (!check(mapping)) return;
    }
  }

 private:
  [[nodiscard]] bool awq() const { return meaning_of(modifier_) == Meaning::awq; }

  [[nodiscard]] std::vector<Mapping> mappings() const {
    const Value* given = modifier_.given("mappings");
    const auto* list = given == nullptr ? nullptr : given->get<source::List>();
    if (list != nullptr) {
      return awq() ? awq_mappings(*list) : lists_of(*list);
    }
    const auto root = std::ranges::find(modules_, "", &Module::name);
    const bool usual = !awq() && root != modules_.end() && modifier_.find("mappings") == nullptr;
    return usual ? usual_mappings(root->type, modifier_.key) : std::vector<Mapping>();
  }

  // Of a bad pattern something else is said.
  bool check(const Mapping& mapping) {
    std::vector<std::string> patterns = mapping.balanced;
    patterns.insert(awq() ? patterns.begin() : patterns.end(), mapping.scaled);
    if (std::ranges::any_of(patterns, [](const std::string& each) { return fault_of(each).has_value(); })) {
      report_stop(reading_, mapping.span, "Python can't compile a pattern of this mapping").with_help("check each of them");
      return false;
    }
    const Sets found = sets_in(modules_, patterns);
    if (!found.fault.empty()) {
      return report(mapping, found.fault);
    }
    const std::size_t scaled = awq() ? 0 : patterns.size() - 1;
    for (const auto& set : found.sets) {
      if (set[scaled].size() > 1) {
        return report(mapping, fmt::format("`{}` takes {} modules beside `{}`, and one of them can be scaled",
                                           base::printable(mapping.scaled), set[scaled].size(),
                                           base::printable(set[scaled].front()->name)));
      }
      if (!check_widths(mapping, set, scaled)) return false;
    }
    return true;
  }

  bool report(const Mapping& mapping, const std::string& fault) {
    const bool inferred = modifier_.given("mappings") == nullptr;
    reading_.sink.report(diag::mapping_unresolved, mapping.span, fault)
        .with_help(inferred ? "the mappings that are usual for the model do not fit: write `mappings` for it"
                            : "write mappings for this model");
    return false;
  }

  // A norm has as many outputs as what it scales has columns; other layers are left out where they do not fit.
  bool check_widths(const Mapping& mapping, const std::vector<std::vector<const Module*>>& set, std::size_t scaled) {
    const Module& norm = *set[scaled].front();
    if (!norm.shape || norm.shape->size() != 1) {
      return true;
    }
    for (std::size_t at = 0; at < set.size(); ++at) {
      for (const Module* module : set[at]) {
        if (at != scaled && module->shape && module->shape->size() == 2 && module->shape->back() != norm.shape->front()) {
          return report(mapping, fmt::format("`{}` has {} outputs and `{}` {} columns", base::printable(norm.name),
                                             norm.shape->front(), base::printable(module->name), module->shape->back()));
        }
      }
    }
    return true;
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const std::vector<Module>& modules_;
};

}  // namespace

void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules) {
  MappingCheck(reading, modifier, modules).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
