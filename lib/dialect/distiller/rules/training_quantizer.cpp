#include "dialect/distiller/rules/training_quantizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::distiller {

using source::Map;

constexpr std::string_view kTrainingClass = "QuantAwareTrainRangeLinearQuantizer";

// A field of the post-training quantizer, its name in the other class, and its default.
struct SharedField {
  std::string_view name;
  std::string_view training;
  std::int64_t bits = 0;  // the default, which the other class does not have; 0: both have the same
};

constexpr SharedField kShared[] = {{"bits_activations", "bits_activations", 8},
                                   {"bits_parameters", "bits_weights", 8},
                                   {"bits_accum", "bits_bias", 32},
                                   {"mode", "mode"},
                                   {"per_channel_wts", "per_channel_wts"}};
constexpr std::string_view kOverridden[] = {"bits_activations", "bits_weights", "bits_bias"};

// Returns true for a field of an override that the other class has too.
static bool is_of_training(const source::Entry& field) {
  return base::contains(kOverridden, source::python_str(field.first));
}

// Returns the overrides with only their numbers of bits. An override without any is left out.
static Map trained_overrides(const Map& overrides) {
  Map out;
  for (const source::Entry& layer : overrides) {
    const auto* fields = layer.second.get<Map>();
    Map kept;
    if (fields != nullptr) std::ranges::copy_if(*fields, std::back_inserter(kept), is_of_training);
    if (!kept.empty()) out.emplace_back(layer.first, Value{std::move(kept), {}});
  }
  return out;
}

static const Map* overrides_in(const Component& quantizer) {
  const Field* field = quantizer.fields.find("overrides");
  return field == nullptr ? nullptr : field->value.get<Map>();
}

static Map translated(const Component& quantizer) {
  Map out{{text_value("class"), text_value(kTrainingClass)}};
  for (const SharedField& shared : kShared) {
    const Field* given = quantizer.fields.find(shared.name);
    if (given != nullptr) {
      out.emplace_back(text_value(shared.training), given->value);
    } else if (shared.bits != 0) {
      out.emplace_back(text_value(shared.training), Value{shared.bits, {}});
    }
  }
  const Map* overrides = overrides_in(quantizer);
  Map kept = overrides == nullptr ? Map() : trained_overrides(*overrides);
  if (!kept.empty()) out.emplace_back(text_value("overrides"), Value{std::move(kept), {}});
  return out;
}

// Deletes fields of overrides that the other class does not have, or all overrides.
static void remove_from_overrides(diag::Fix& fix, const Field& field) {
  const auto* overrides = field.value.get<Map>();
  const Map kept = overrides == nullptr ? Map() : trained_overrides(*overrides);
  if (kept.empty()) {
    fix.remove(field.key);
    return;
  }
  for (const source::Entry& layer : *overrides) {
    const auto* fields = layer.second.get<Map>();
    if (fields == nullptr || std::ranges::none_of(*fields, is_of_training)) {
      fix.remove(layer.first.span);
      continue;
    }
    for (const source::Entry& each : *fields) {
      if (!is_of_training(each)) fix.remove(each.first.span);
    }
  }
}

static diag::Fix fix_for(const Component& quantizer) {
  diag::Fix fix = diag::Fix::unsafe();
  for (const Field& field : quantizer.fields.fields) {
    const auto* shared = std::ranges::find(kShared, field.name, &SharedField::name);
    if (field.name == "class") {
      fix.content(field.value.span, std::string(kTrainingClass));
    } else if (shared != std::end(kShared)) {
      if (shared->name != shared->training) fix.content(field.key, std::string(shared->training));
    } else if (field.name == "overrides") {
      remove_from_overrides(fix, field);
    } else {
      fix.remove(field.key);
    }
  }
  const Field* type = quantizer.fields.find("class");
  for (const SharedField& shared : kShared) {
    if (shared.bits == 0 || type == nullptr || quantizer.fields.find(shared.name) != nullptr) continue;
    fix.add_entry(type->key, fmt::format("{}: {}", shared.training, shared.bits));
  }
  return fix;
}

void offer_training_quantizer(diag::Diagnostic& report, const Component& quantizer) {
  const std::string written = flow_text({translated(quantizer), {}});
  report.with_help(fmt::format("write `{}: {}`, which quantizes during the training", quantizer.name, written))
      .with_fix(fix_for(quantizer));
}

}  // namespace sparsecfg::dialect::distiller
