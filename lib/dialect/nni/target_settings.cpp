#include <algorithm>
#include <cmath>

#include "dialect/nni/targets.h"

// Settings of targets: defaults, and effective ratios of targets and groups.
namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

const Value* Target::get(std::string_view key) const {
  const Value* value = find_value(settings, key);
  if (value == nullptr && defaults != nullptr) value = find_value(*defaults, key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

static Value alignment_to_weight() {
  Map align;
  put(align, "module_name", {});
  put(align, "target_name", {std::string("weight"), {}});
  put(align, "dims", {List{{std::int64_t{0}, {}}}, {}});
  return {std::move(align), {}};
}

static Map make_defaults(Mode mode, bool bias) {
  Map settings;
  for (const FieldSpec& key : setting_keys(mode)) {
    const bool alignment = key.type == Type::record;
    const bool belongs = bias ? alignment || key.name == "apply_method" : !alignment && key.type != Type::text_groups;
    if (belongs) {
      const bool word = !key.default_value.empty() && key.default_value != "null" && allows(key.type, Type::choice);
      put(settings, key.name,
          alignment ? alignment_to_weight()
          : word    ? Value{std::string(key.default_value), {}}
                    : Value{});
    }
  }
  return settings;
}

const Map& default_settings(Mode mode, std::string_view target) {
  static const Map kOfPruning = make_defaults(Mode::pruning, false);
  static const Map kOfBias = make_defaults(Mode::pruning, true);
  static const Map kOfQuantization = make_defaults(Mode::quantization, false);
  static const Map kOfDistillation = make_defaults(Mode::distillation, false);
  switch (mode) {
    case Mode::pruning: return target == "bias" ? kOfBias : kOfPruning;
    case Mode::quantization: return kOfQuantization;
    case Mode::distillation: break;
  }
  return kOfDistillation;
}

static std::optional<double> bound_of(const Target& target, std::string_view key) {
  const Value* value = target.get(key);
  return value == nullptr ? std::nullopt : value->number();
}

std::optional<double> effective_ratio(const Target& target) {
  const Value* given = target.get("sparse_ratio");
  const auto* ratio = given == nullptr ? nullptr : given->get<double>();
  if (ratio == nullptr) {
    return std::nullopt;
  }
  if (target.get("dependency_group_id") != nullptr || target.get("global_group_id") != nullptr) {
    return *ratio;
  }
  const auto min = bound_of(target, "min_sparse_ratio");
  const double least = min.value_or(std::isnan(*ratio) ? 0 : *ratio);
  const double raised = *ratio > least ? *ratio : least;  // nan is not above anything
  const auto max = bound_of(target, "max_sparse_ratio");
  return max && raised > *max ? *max : raised;
}

// A bound of 0 means no bound.
static double bound_or_zero(const Target& target, std::string_view key) { return bound_of(target, key).value_or(0); }

static const Value* group_of(const Target& target) {
  return target.get("dependency_group_id") == nullptr ? target.get("global_group_id") : nullptr;
}

GroupId group_id_of(const Value& value) { return {value.get<std::string>() != nullptr, source::python_str(value)}; }

GlobalGroups::GlobalGroups(const std::vector<Target>& all, const model::Model& model) {
  for (const Target& target : all) {
    const Value* group = group_of(target);
    if (group != nullptr && !model.lacks(target.module.name, target.name))
      add(target, model, counts_[group_id_of(*group)]);
  }
}

void GlobalGroups::add(const Target& member, const model::Model& model, Count& count) {
  const auto shape = model.shape(member.module.name, member.name);
  const auto elements = shape ? model::elements_of(*shape) : std::nullopt;
  const auto number = static_cast<double>(elements.value_or(0));
  const double most = bound_or_zero(member, "max_sparse_ratio");
  count.known = count.known && elements;
  count.all += number;
  count.least += std::trunc(number * bound_or_zero(member, "min_sparse_ratio"));
  count.most += most == 0 ? number : std::trunc(number * most);
}

std::optional<double> GlobalGroups::bound_of(const Target& member) const {
  const Value* group = group_of(member);
  const Value* ratio = member.get("sparse_ratio");
  if (group == nullptr || ratio == nullptr) {
    return std::nullopt;
  }
  const auto found = counts_.find(group_id_of(*group));
  const Count count = found == counts_.end() ? Count() : found->second;
  const double removed = std::trunc(count.all * ratio->number().value_or(0));
  return !count.known             ? std::nullopt
         : removed <= count.least ? std::optional(bound_or_zero(member, "min_sparse_ratio"))
         : removed >= count.most  ? std::optional(bound_or_zero(member, "max_sparse_ratio"))
                                  : std::nullopt;
}

}  // namespace sparsecfg::dialect::nni
