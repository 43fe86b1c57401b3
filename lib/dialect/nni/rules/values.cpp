#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "base/number.h"
#include "dialect/nni/policy.h"
#include "dialect/words.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

bool SchemaPolicy::is_tuple(const Value& value) const { return context_.tuples.contains(value.span); }

bool SchemaPolicy::is_wrong_group(const Value& group) const {
  const auto* names = group.get<List>();
  return names == nullptr || (context_.in_script && !is_tuple(group)) ||
         !std::ranges::all_of(*names, [](const Value& name) { return name.get<std::string>() != nullptr; });
}

// Lists and tuples are different types. The settings of targets have at least one target.
bool SchemaPolicy::rejects(const Value& value, const FieldSpec& spec) const {
  const auto* map = value.get<Map>();
  const auto* groups = value.get<List>();
  return is_tuple(value) || (spec.name == "target_settings" && map != nullptr && map->empty()) ||
         (spec.type == Type::text_groups && groups != nullptr &&
          std::ranges::any_of(*groups, [&](const Value& group) { return is_wrong_group(group); }));
}

// NNI compares the ratio with a bound, and no number is above the other one, so that it becomes 0. Groups fail later.
void SchemaPolicy::check_valid(const Record& record, Field& field) const {
  const auto* ratio = field.name == "sparse_ratio" ? field.value.get<double>() : nullptr;
  const bool grouped = record.find("dependency_group_id") != nullptr || record.find("global_group_id") != nullptr;
  if (ratio != nullptr && std::isnan(*ratio) && !grouped) {
    sink_
        .report(diag::sparsity_out_of_range, field.value.span, field.name, source::python_str(field.value),
                "[0.0, 1.0]")
        .with_severity(diag::Severity::warning)
        .with_help("write a ratio from 0.0 to 1.0: NNI reads this one as 0");
  }
}

void SchemaPolicy::report(const InvalidValue& invalid) const {
  const auto& value = invalid.value;
  const auto* groups = value.get<List>();
  if (invalid.kind == InvalidValue::Kind::choice) {
    report_choice(invalid);
  } else if (invalid.spec.type == Type::exact_float) {
    report_float(invalid);
  } else if (invalid.kind != InvalidValue::Kind::type) {
    Policy::report(invalid);
  } else if (is_tuple(value)) {
    sink_.report(diag::wrong_type, value.span, invalid.name, describe(invalid.spec), "a tuple");
  } else if (invalid.name == "quant_dtype" && value.get<std::int64_t>() != nullptr) {
    report_bits(invalid);
  } else if (value.get<Map>() != nullptr && value.get<Map>()->empty()) {
    sink_.report(diag::wrong_type, value.span, invalid.name, "a mapping with at least one target", "an empty mapping");
  } else if (invalid.spec.type == Type::text_groups && groups != nullptr) {
    const Value& group = *std::ranges::find_if(*groups, [&](const Value& one) { return is_wrong_group(one); });
    sink_.report(diag::wrong_type, group.span, invalid.name,
                 context_.in_script ? "a tuple of names" : "a list of names",
                 is_tuple(group) ? "a tuple" : source::describe(group));
  } else {
    Policy::report(invalid);
  }
}

// Returns true if a target of an entry is a parameter, for which `per_channel` has another name.
static bool selects_parameters(const Record& record) {
  const Field* targets = record.find("target_names");
  const auto* names = targets == nullptr ? nullptr : targets->value.get<List>();
  return names != nullptr && std::ranges::any_of(*names, [](const Value& name) {
           const auto* text = name.get<std::string>();
           return text != nullptr && (*text == "weight" || *text == "bias");
         });
}

void SchemaPolicy::report_choice(const InvalidValue& invalid) const {
  auto guess = base::nearest(*invalid.text(), invalid.spec.choices);
  if (invalid.name == "granularity" && guess == "per_channel" && selects_parameters(invalid.record)) {
    guess = "out_channel";
  }
  const Word* word = find_word(Word::Place::value, invalid.name, *invalid.text(), invalid.spec.choices);
  auto& report = report_type(invalid);
  if (word != nullptr && !word->ours.empty() && guess != "out_channel") {
    report.with_help(help_of(*word)).with_fix(diag::Fix::unsafe().content(invalid.value.span, std::string(word->ours)));
  } else if (guess) {
    report.with_help(base::did_you_mean(guess))
        .with_fix(diag::Fix::unsafe().content(invalid.value.span, std::string(*guess)));
  }
}

// A type is often written as only its number of bits.
void SchemaPolicy::report_bits(const InvalidValue& invalid) const {
  const std::int64_t bits = *invalid.value.get<std::int64_t>();
  auto& report = report_type(invalid);
  if (bits > 0 && bits <= 32) {
    const std::string type = fmt::format("int{}", bits);
    report.with_help(fmt::format("write `{}`", type)).with_fix(diag::Fix::unsafe().replace(invalid.value.span, type));
  }
}

// Formats a number that YAML and Python read as the same float.
static std::string float_text(double number) {
  const std::string text = base::python_repr(number);
  return doc::spelled_as_float(text).value_or(text);
}

// NNI clamps a ratio above 1 to 1 and prunes everything. A threshold may be any number.
void SchemaPolicy::report_float(const InvalidValue& invalid) const {
  const Value& value = invalid.value;
  auto& report = sink_.report(diag::float_required, value.span, invalid.name, source::describe(value));
  const auto* text = invalid.text();
  const auto number = text == nullptr ? value.number() : base::python_float(*text);
  const auto meant = number || text == nullptr ? number : doc::number_meant_by(*text);
  if (value.is_null()) {
    report.with_help("delete the key");
  }
  if (!meant || value.get<bool>() != nullptr) {
    return;
  }
  const bool percent = invalid.name == "sparse_ratio" && is_percent(*meant);
  if (!number || percent) {
    const std::string fraction = float_text(percent ? *meant / 100 : *meant);
    report.with_help(fmt::format("write `{}`: a ratio is a fraction (0 to 1)", fraction))
        .with_fix(diag::Fix::unsafe().replace(value.span, fraction));
  } else if (invalid.name == "sparse_ratio" && !(*meant >= 0 && *meant <= 1)) {
    report.with_help("write a ratio from 0.0 to 1.0, such as `0.8`");
  } else {
    report
        .with_help(fmt::format("write `{}`{}", float_text(*meant),
                               text != nullptr ? " without quotes; YAML 1.1 requires a point in floats" : ""))
        .with_fix(diag::Fix::safe().replace(value.span, float_text(*meant)));
  }
}

}  // namespace sparsecfg::dialect::nni
