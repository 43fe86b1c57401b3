#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "base/limits.h"
#include "base/text.h"
#include "dialect/distiller/override_patterns.h"
#include "dialect/distiller/rules/rules.h"
#include "model/matcher.h"
#include "model/module_index.h"
#include "model/pattern_text.h"

// Determines which override applies to a layer, and the effects on its parameters (docs/semantics/distiller.md#d3).
namespace sparsecfg::dialect::distiller {

// Looks up overrides as a quantizer does: an exact name first, then the first pattern that matches the whole name.
class OverrideTable {
 public:
  struct Row {
    std::string text;
    Span key;
    const Value* fields;
    std::string pattern;  // whose match selects the row: its own text, unless patterns complete each other
    model::Matcher matcher;
  };

  explicit OverrideTable(Pairs overrides) {
    std::vector<std::string> texts;
    for (const source::Entry& entry : overrides) texts.push_back(source::python_str(entry.first));
    const std::vector<std::string> alternatives = joined_alternatives(texts);
    joined_ = !alternatives.empty();
    for (std::size_t at = 0; at < texts.size(); ++at) {
      constexpr std::string_view kNothing = "(?!)";
      const std::string pattern = !joined_                   ? wrapped(texts[at])
                                  : at < alternatives.size() ? alternatives[at]
                                                             : std::string(kNothing);
      rows_.push_back({texts[at], overrides[at].first.span, &overrides[at].second, pattern, model::Matcher(pattern)});
      exact_.emplace(texts[at], rows_.back().fields);
    }
  }

  // Returns true if an invalid pattern is completed by a later one.
  [[nodiscard]] bool is_joined() const { return joined_; }

  // Returns true if looking up so many layers in all patterns, once for each override, takes too long. Callers then
  // assume what causes no finding.
  [[nodiscard]] bool is_too_slow_for(std::size_t layers) const {
    return rows_.size() * rows_.size() * layers > limits::kMaxPrunerMatches;
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  // Returns null if no override applies.
  [[nodiscard]] const Value* decide(const std::string& layer) const {
    const auto exact = exact_.find(layer);
    if (exact != exact_.end()) {
      return exact->second;
    }
    for (const Row& row : rows_) {
      if (row.matcher.takes(layer)) return row.fields;
    }
    return nullptr;
  }

  // Returns true if any override sets the field to a value other than null.
  [[nodiscard]] bool give(std::string_view field) const {
    return std::ranges::any_of(rows_, [&](const Row& row) {
      const Value* bits = row.fields->find(field);
      return bits != nullptr && !bits->is_null();
    });
  }

 private:
  // Returns the alternatives of the expression into which Distiller joins all patterns, if they are not the patterns
  // themselves: the number of the alternative that matches selects the row (docs/semantics/distiller.md#d3-2).
  static std::vector<std::string> joined_alternatives(const std::vector<std::string>& patterns) {
    const auto is_invalid = [](const std::string& each) { return regex::syntax_error_of(wrapped(each)).has_value(); };
    if (std::ranges::none_of(patterns, is_invalid)) return {};
    const std::string all = joined(patterns);
    return regex::syntax_error_of(all) ? std::vector<std::string>() : model::choices_of(model::pattern_units(all));
  }

  bool joined_ = false;
  std::vector<Row> rows_;
  std::unordered_map<std::string, const Value*> exact_;  // fields of the first override with this text
};

std::shared_ptr<const OverrideTable> overrides_of(const Record& quantizer) {
  const Field* field = quantizer.find("overrides");
  return std::make_shared<const OverrideTable>(field == nullptr ? Pairs()
                                                                : Read<Pairs>::from(field->value).value_or(Pairs()));
}

static bool is_parallel(const Context& context) {
  return context.modules != nullptr && std::ranges::any_of(*context.modules, [](const model::Module& module) {
           return module.name.find("module.") != std::string::npos;
         });
}

static model::Selector layers_by(model::Term term) {
  model::Selector selector;
  selector.over = model::Selector::Over::modules;
  selector.strict = false;
  selector.terms.push_back(std::move(term));
  return selector;
}

// If Distiller strips `module.` from names, full names are listed. Otherwise the pattern is kept.
static model::Selector layers_of(const OverrideTable& table, const OverrideTable::Row& row, const Context& context) {
  const bool exact = context.layers != nullptr ? std::ranges::find(*context.layers, row.text) != context.layers->end()
                                               : !model::looks_like_pattern(row.text);
  if (!is_parallel(context)) {
    if (exact) return layers_by({model::Term::Kind::exact, row.text, row.key});
    return layers_by(
        {model::Term::Kind::pattern, table.is_joined() ? row.pattern : fmt::format("(?:{})$", row.text), row.key});
  }
  model::Selector selector = layers_by({model::Term::Kind::exact, row.text, row.key});
  selector.terms.clear();
  for (std::size_t at = 0; at < context.modules->size(); ++at) {
    if (table.decide((*context.layers)[at]) == row.fields) {
      selector.terms.push_back({model::Term::Kind::exact, (*context.modules)[at].name, row.key});
    }
  }
  return selector;
}

std::vector<model::Selector> overridden_layers(const Component& quantizer, const Context& context) {
  std::vector<model::Selector> selectors;
  for (const OverrideTable::Row& row : quantizer.overrides->rows()) {
    selectors.push_back(layers_of(*quantizer.overrides, row, context));
  }
  std::stable_partition(selectors.begin(), selectors.end(), [](const model::Selector& selector) {
    return !selector.terms.empty() && selector.terms.front().kind == model::Term::Kind::exact;
  });
  return selectors;
}

static bool has_bits_by_default(const Component& quantizer, std::string_view name) {
  const Field* field = quantizer.fields.find(name);
  const FieldSpec* spec = quantizer.spec->find(name);
  return field != nullptr ? !field->value.is_null() : spec != nullptr && spec->default_value != "null";
}

static bool has_bits(const Component& quantizer, const Value* entry, std::string_view name) {
  const Value* own = entry == nullptr ? nullptr : entry->find(name);
  return own != nullptr ? !own->is_null() : has_bits_by_default(quantizer, name);
}

static constexpr std::string_view kWeightedLayers[] = {"Conv2d", "Conv3d", "Linear", "Embedding"};

static bool has_bias(const Context& context, const model::Module& module) {
  return context.parameters == nullptr || context.parameters->knows(module.name + ".bias");
}

// Returns true if a layer has the tensor that a bit width applies to. Range-based quantizers round the outputs of every
// layer.
static bool has_part(const Component& quantizer, const Context& context, const model::Module& module,
                     std::string_view field) {
  const bool weighted = std::ranges::find(kWeightedLayers, module.type) != std::end(kWeightedLayers);
  const bool all_outputs = quantizer.spec->find("ema_decay") != nullptr;
  return field == "bits_activations" ? all_outputs || module.type.starts_with("ReLU")
         : field == "bits_bias"      ? weighted && has_bias(context, module)
                                     : weighted;
}

// Returns true if any layer gets its bit width from a value that `from` finds in its override, or if the layers are
// unknown.
static bool any_layer_gets(const Component& quantizer, const Context& context, std::string_view field, auto from) {
  if (context.modules == nullptr || context.layers == nullptr) {
    return true;
  }
  const OverrideTable& overrides = *quantizer.overrides;
  if (overrides.is_too_slow_for(context.modules->size())) {
    return true;
  }
  for (std::size_t at = 0; at < context.modules->size(); ++at) {
    const Value* entry = overrides.decide((*context.layers)[at]);
    const Value* own = entry == nullptr ? nullptr : entry->find(field);
    if (has_part(quantizer, context, (*context.modules)[at], field) && from(own)) return true;
  }
  return false;
}

bool sets_used_bits(const Component& quantizer, const Context& context, const Field& field) {
  return any_layer_gets(quantizer, context, field.name,
                        [&](const Value* own) { return own != nullptr && own->span == field.value.span; });
}

bool uses_default_bits(const Component& quantizer, const Context& context, std::string_view field) {
  return any_layer_gets(quantizer, context, field, [](const Value* own) { return own == nullptr; });
}

bool adds_parameters(const Component& quantizer, const Context& context) {
  const bool learns = has(*quantizer.spec, kLearnsBounds) && context.modules != nullptr && context.layers != nullptr;
  const OverrideTable& overrides = *quantizer.overrides;
  for (std::size_t at = 0; learns && at < context.modules->size(); ++at) {
    const bool clipped = (*context.modules)[at].type == "ReLU";
    if (clipped && has_bits(quantizer, overrides.decide((*context.layers)[at]), "bits_activations")) return true;
  }
  return false;
}

std::function<bool(const std::string&)> renamed_by(const Component* quantizer, const Context& context) {
  if (quantizer == nullptr) {
    return [](const std::string&) { return false; };
  }
  const auto index =
      context.modules == nullptr ? nullptr : std::make_shared<const model::ModuleIndex>(*context.modules);
  return [quantizer, index, looks = limits::kMaxMatches](const std::string& parameter) mutable {
    looks -= std::min(looks, quantizer->overrides->rows().size());
    if (looks == 0) return true;
    const std::size_t dot = parameter.rfind('.');
    const std::string tensor = dot == std::string::npos ? "" : parameter.substr(dot + 1);
    if (tensor != "weight" && tensor != "bias") {
      return false;
    }
    const std::string layer = parameter.substr(0, dot);
    if (!has_bits(*quantizer, quantizer->overrides->decide(layer), tensor == "weight" ? "bits_weights" : "bits_bias")) {
      return false;
    }
    const model::Module* module = index == nullptr ? nullptr : index->find(layer);
    return index == nullptr || (module != nullptr && base::contains(kWeightedLayers, module->type));
  };
}

bool wraps_weights(const Component& quantizer, const Context& context) {
  const OverrideTable& overrides = *quantizer.overrides;
  if (context.modules == nullptr || context.layers == nullptr) {
    return has_bits_by_default(quantizer, "bits_weights") || has_bits_by_default(quantizer, "bits_bias") ||
           overrides.give("bits_weights") || overrides.give("bits_bias");
  }
  for (std::size_t at = 0; at < context.modules->size(); ++at) {
    const model::Module& module = (*context.modules)[at];
    if (std::ranges::find(kWeightedLayers, module.type) == std::end(kWeightedLayers)) {
      continue;
    }
    const Value* entry = overrides.decide((*context.layers)[at]);
    if (has_bits(quantizer, entry, "bits_weights") ||
        (has_bias(context, module) && has_bits(quantizer, entry, "bits_bias"))) {
      return true;
    }
  }
  return false;
}

}  // namespace sparsecfg::dialect::distiller
