#include "diff/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "outcome/difference.h"
#include "outcome/storage.h"

namespace sparsecfg::diff {

using Modules = std::vector<model::Module>;

// Returns the bits per weight of some modules, or nullopt if a shape is unknown.
static std::optional<double> bits_per_weight(const outcome::Outcome& outcome, const std::vector<std::uint32_t>& names,
                                             const Modules& modules) {
  double weights = 0;
  double bits = 0;
  for (const std::uint32_t name : names) {
    const auto count = modules[name].shape ? model::elements_of(*modules[name].shape) : std::nullopt;
    if (!count || *count == 0) return std::nullopt;
    weights += static_cast<double>(*count);
    bits += outcome::stored_bits(outcome, name, modules[name]);
  }
  return weights > 0 ? std::optional(bits / weights) : std::nullopt;
}

// Adds the change of size, if there is one.
static void add_size(outcome::Change& change, const outcome::Outcome& before, const outcome::Outcome& after,
                     const Modules& modules) {
  const auto one = bits_per_weight(before, change.names, modules);
  const auto other = bits_per_weight(after, change.names, modules);
  if (!one || !other || *one == *other) return;
  change.details.push_back(fmt::format("size of these layers: {:.2f} -> {:.2f} bits per weight", *one, *other));
}

static outcome::Difference difference_of(const ir::Recipe& before, const ir::Recipe& after, const Modules* modules) {
  if (modules == nullptr && before.units.empty()) return outcome::symbolic_difference(before, after);
  static const Modules kNone;
  const Modules& given = modules == nullptr ? kNone : *modules;
  const outcome::Outcome one = outcome::evaluate(before, given);
  const outcome::Outcome other = outcome::evaluate(after, given);
  outcome::Difference out = outcome::difference(one, other, given);
  for (outcome::Change& change : out.changes) add_size(change, one, other, outcome::names_of(before, given));
  return out;
}

void compare_outcomes(const ir::Recipe& before, const ir::Recipe& after, const Request& request, Difference& out) {
  static const Modules kNone;
  const Modules& names = outcome::names_of(before, request.module_list == nullptr ? kNone : *request.module_list);
  outcome::Difference found = difference_of(before, after, request.module_list);
  out.outcomes = true;
  out.weights = names.size();
  for (outcome::Change& each : found.changes) {
    Change change{Change::Kind::action,
                  std::move(each.what),
                  {each.before.begin(), each.before.end()},
                  {each.after.begin(), each.after.end()},
                  std::nullopt,
                  std::move(each.details),
                  {}};
    for (const std::uint32_t name : each.names) change.weights.push_back(names[name].name);
    out.changes.push_back(std::move(change));
  }
  std::ranges::move(found.not_compared, std::back_inserter(out.not_compared));
}

}  // namespace sparsecfg::diff
