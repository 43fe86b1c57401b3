#include <algorithm>
#include <cmath>

#include "dialect/nni/targets.h"

// The ratio that masks of a target are made with, and what its bounds make of it.
namespace sparsecfg::dialect::nni {

using source::Value;

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

// The elements of a global group, and how many of them are removed at least, at most, and by the ratio.
struct GroupCount {
  double all = 0;
  double least = 0;
  double most = 0;
};

// A bound of 0 counts as none.
static double bound_or_zero(const Target& target, std::string_view key) { return bound_of(target, key).value_or(0); }

static bool add_member(const Target& target, const Model& model, GroupCount& count) {
  const auto shape = model.shape(target.module.name, target.name);
  const auto elements = shape ? source::elements_of(*shape) : std::nullopt;
  if (!elements) {
    return false;
  }
  const auto number = static_cast<double>(*elements);
  const double most = bound_or_zero(target, "max_sparse_ratio");
  count.all += number;
  count.least += std::trunc(number * bound_or_zero(target, "min_sparse_ratio"));
  count.most += most == 0 ? number : std::trunc(number * most);
  return true;
}

std::optional<double> bound_of_member(const Target& target, const std::vector<Target>& all, const Model& model) {
  const Value* id = target.get("global_group_id");
  const Value* ratio = target.get("sparse_ratio");
  if (id == nullptr || ratio == nullptr || target.get("dependency_group_id") != nullptr) {
    return std::nullopt;
  }
  GroupCount count;
  for (const Target& other : all) {
    const Value* group = other.get("global_group_id");
    const bool member = group != nullptr && group->data == id->data && other.get("dependency_group_id") == nullptr &&
                        !model.lacks(other.module.name, other.name);
    if (member && !add_member(other, model, count)) return std::nullopt;
  }
  const double removed = std::trunc(count.all * ratio->number().value_or(0));
  return removed <= count.least  ? std::optional(bound_or_zero(target, "min_sparse_ratio"))
         : removed >= count.most ? std::optional(bound_or_zero(target, "max_sparse_ratio"))
                                 : std::nullopt;
}

}  // namespace sparsecfg::dialect::nni
