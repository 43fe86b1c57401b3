#include "dialect/dialects.h"

#include <algorithm>

#include "dialect/schedule/schedule.h"
#include "dialect/view.h"
#include "ir/dump.h"

namespace sparsecfg::dialect::schedule {

static bool claims(const doc::Document& document) {
  static constexpr std::string_view kKeys[] = {ir::kFormatKey, "dialect"};
  const View root(document);
  return std::ranges::all_of(kKeys, [&](const std::string_view& key) { return root.has_key({&key, 1}); });
}

// Nothing is left out, so every target is linked to itself.
static Written write(const ir::Recipe& recipe, const WriteOptions& /*options*/, diag::Sink& /*sink*/) {
  Written out{ir::dump(recipe), {}, {}};
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
    .holds_any = is_read_back,
};

}  // namespace sparsecfg::dialect::schedule
