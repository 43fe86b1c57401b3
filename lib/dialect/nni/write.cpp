#include "dialect/nni/write.h"

#include "dialect/nni/print.h"

namespace sparsecfg::dialect::nni {

void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink) {
  dialect::drop(status, action, "NNI", std::move(reason), sink);
}

static Written rewrite(const ir::Recipe& recipe, diag::Sink& sink) {
  Written out;
  auto read = kept_in(recipe.metadata);
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    out.statuses.push_back({index, ActionStatus::Kind::kept, "", links_to(action.effect, action.origin.ordinal)});
    if (!read) {
      drop(out.statuses.back(), action, "the schedule does not hold the configuration that it comes from", sink);
    }
  }
  if (read) {
    out.text = print(std::move(read->configuration));
    out.read_with = {{kReleaseOption.name, name_of(read->release)}};
  }
  return out;
}

Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return recipe.dialect == "nni" && !options.by_effects ? rewrite(recipe, sink) : translate(recipe, options, sink);
}

}  // namespace sparsecfg::dialect::nni
