#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/limits.h"
#include "dialect/dialects.h"
#include "dialect/schedule/schedule.h"
#include "dialect/view.h"
#include "dialect/write.h"
#include "ir/dump.h"

namespace sparsecfg::dialect::schedule {

static bool claims(const doc::Document& document) {
  static constexpr std::string_view kKeys[] = {ir::kFormatKey, "dialect"};
  const View root(document);
  return std::ranges::all_of(kKeys, [&](const std::string_view& key) { return root.has_key({&key, 1}); });
}

static std::size_t terms_of(const ir::Action& action) {
  std::size_t out = 0;
  for (const model::Selector* selector : ir::selectors_of(action.effect)) {
    out += selector->terms.size() + selector->excluded.size();
  }
  return out;
}

// Drops all actions if the output would be too long: exclusions shared by selectors are repeated in each selector.
static WriteResult refuse(const ir::Recipe& recipe, std::size_t terms, diag::Sink& sink) {
  const std::string reason = fmt::format("the selectors list {} names and patterns, more than the maximum of {}", terms,
                                         limits::kMaxTermsOfIr);
  WriteResult out;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    ActionStatus& status = out.statuses.emplace_back();
    status.action = index;
    drop(status, recipe.actions[index], "IR", reason, sink);
  }
  return out;
}

// The format is lossless, so every target is linked to itself.
static WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  const auto terms =
      std::transform_reduce(recipe.actions.begin(), recipe.actions.end(), std::size_t{0}, std::plus(), terms_of);
  if (terms > limits::kMaxTermsOfIr) return refuse(recipe, terms, sink);
  WriteResult out{ir::dump(recipe, options.max_bytes), {}, {}};
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    out.statuses.push_back({index, ActionStatus::Kind::kept, "", links_to(action.effect, action.origin.ordinal)});
  }
  return out;
}

constexpr std::string_view kWords[] = {"\"actions\":"};

const Dialect kDialect{
    .name = "ir",
    .title = "IR",
    .text = "a schedule as JSON",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .write = write,
    .reads_back = round_trips,
};

}  // namespace sparsecfg::dialect::schedule
