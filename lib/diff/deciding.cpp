#include "diff/deciding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "diff/actions.h"
#include "ir/describe.h"

namespace sparsecfg::diff {

using ir::Action;
using ir::Recipe;

// NaN differs even from itself, so effects with NaN are equal if their origins are.
static bool has_same_effect(const Action& one, const Action& other) {
  return one.effect == other.effect || (one.effect != ir::Effect(one.effect) && one.origin == other.origin);
}

// Returns true if a recipe states what an action does. Code or a search decides about other actions.
static bool is_stated(const Action& action) {
  return !std::holds_alternative<ir::Opaque>(action.effect) || !action.operations.empty() ||
         !action.origin.fields.empty();
}

// Actions of two dialects have the same meaning only if their effects describe them completely.
static bool is_same(const Recipe& before, const Action& one, const Recipe& after, const Action& other) {
  if (!has_same_effect(one, other) || !is_same_time(one.cadence, other.cadence) || !is_stated(one)) return false;
  if (before.dialect != after.dialect) return !std::holds_alternative<ir::Opaque>(one.effect);
  return one.origin.class_name == other.origin.class_name && one.operations == other.operations &&
         changed_fields(one, other).empty();
}

static std::vector<std::string> changes_of(const Action& one, const Action& other) {
  if (one.origin.class_name == other.origin.class_name) return changed_fields(one, other);
  return {fmt::format("{} -> {}", ir::printable_name(one.origin), ir::printable_name(other.origin))};
}

Deciding compare_deciding(const Recipe& before, std::vector<std::size_t> one, const Recipe& after,
                          std::vector<std::size_t> other) {
  std::ranges::sort(one);
  std::ranges::sort(other);
  const auto same = [&](std::size_t a, std::size_t b) {
    return is_same(before, before.actions[a], after, after.actions[b]);
  };
  Deciding out{std::ranges::equal(one, other, same), {}};
  if (out.same || before.dialect != after.dialect) return out;
  for (std::size_t at = 0; one.size() == other.size() && at < one.size(); ++at) {
    const Action& action = before.actions[one[at]];
    for (std::string& change : changes_of(action, after.actions[other[at]])) {
      out.changed.push_back(one.size() == 1 ? std::move(change)
                                            : fmt::format("{}: {}", ir::printable_name(action.origin), change));
    }
  }
  if (one.size() != other.size()) out.changed.push_back(fmt::format("{} actions -> {}", one.size(), other.size()));
  return out;
}

bool have_same_actions(const Recipe& before, const Recipe& after) {
  if (before.overlap != after.overlap || before.rounding != after.rounding || before.framework != after.framework ||
      before.steps_per_epoch != after.steps_per_epoch) {
    return false;
  }
  std::vector<std::size_t> one(before.actions.size());
  std::vector<std::size_t> other(after.actions.size());
  std::iota(one.begin(), one.end(), 0);
  std::iota(other.begin(), other.end(), 0);
  return compare_deciding(before, std::move(one), after, std::move(other)).same;
}

}  // namespace sparsecfg::diff
