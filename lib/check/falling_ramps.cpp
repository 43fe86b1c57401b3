#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"

// Reports ramps that lower the sparsity (SP4).
namespace sparsecfg::check {

using ir::Action;
using ir::Located;

// Returns true if an earlier pruner reaches the initial sparsity, so that the ramp is meant to return weights.
static bool is_reached_before(const Context& context, const Action& action, double from) {
  return std::ranges::any_of(context.recipe.actions, [&](const Action& other) {
    const auto* prune = std::get_if<ir::Prune>(&other.effect);
    return prune != nullptr && &other != &action && other.cadence.end.value <= action.cadence.start.value &&
           std::ranges::any_of(prune->targets, [&](const ir::Target& target) { return target.sparsity.value >= from; });
  });
}

static std::string name_at(const Action& action, const Located<double>& value, std::string_view otherwise) {
  const ir::OriginField* field = action.origin.whole_field_at(value.span);
  return std::string(field == nullptr ? otherwise : base::last_part(field->name));
}

constexpr double kSmallStart = 0.05;  // the usual initial sparsity

// The values of a ramp from almost 1 to a small number are fractions of weights that remain. A ramp that ends at the
// usual initial sparsity has exchanged values.
static bool are_densities(double from, double to) {
  return from >= 0.9 && to < 0.5 && (from == 1 || to != kSmallStart);
}

// Returns the sparsity of a fraction of weights that remain, without the error of the subtraction.
static double sparsity_of(double density) { return std::round((1 - density) * 1e6) / 1e6; }

static void report_fall(const Context& context, const Action& action, const Located<double>& from,
                        const Located<double>& to) {
  double first = to.value;
  double last = from.value;
  if (are_densities(from.value, to.value)) {
    first = sparsity_of(from.value);
    last = sparsity_of(to.value);
  } else if (from.value >= 0.99) {
    first = kSmallStart;
    last = to.value;
  }
  const std::string init = name_at(action, from, "init_sparsity");
  const std::string final = name_at(action, to, "final_sparsity");
  const std::string one = fmt::format("`{}: {}`", init, base::python_repr(first));
  auto& report =
      context.sink.report(diag::ramp_falls, from.span, base::python_repr(from.value), base::python_repr(to.value));
  report.with_label(to.span, "the last sparsity")
      .with_help(last == to.value ? fmt::format("write {}", one)
                                  : fmt::format("write {} and `{}: {}`{}", one, final, base::python_repr(last),
                                                are_densities(from.value, to.value)
                                                    ? ", if the values are fractions of weights that remain"
                                                    : ""));
  if (action.origin.is_literal(from.span) && action.origin.is_literal(to.span)) {
    diag::Fix fix = diag::Fix::unsafe().replace(from.span, base::python_repr(first));
    if (last != to.value) fix.replace(to.span, base::python_repr(last));
    report.with_fix(std::move(fix));
  }
}

void check_falling_ramps(const Context& context) {
  for (const Action& action : context.recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    const Located<double>* from = prune == nullptr ? nullptr : ir::initial_sparsity(prune->curve);
    if (from == nullptr || !action.valid || action.cadence.is<ir::WholeEpochs>() || from->value > 1) continue;
    const auto lower = [&](const ir::Target& target) {
      return target.sparsity.value < from->value && target.sparsity.value > 0;
    };
    const auto found = std::ranges::find_if(prune->targets, lower);
    const bool all = std::ranges::all_of(prune->targets, lower);
    if (found != prune->targets.end() && all && !is_reached_before(context, action, from->value)) {
      report_fall(context, action, *from, found->sparsity);
    }
  }
}

}  // namespace sparsecfg::check
