#include "dialect/nni/write.h"

#include "dialect/nni/print.h"

namespace sparsecfg::dialect::nni {

void drop(Fate& fate, const ir::Action& action, std::string reason, diag::Sink& sink) {
  sink.report(diag::not_expressible, action.origin.span, action.origin.class_name, "NNI", reason);
  fate.kind = Fate::Kind::dropped;
  fate.reason = std::move(reason);
}

static Fate fate_of(std::size_t index, const ir::Action& action) {
  Fate fate{index, Fate::Kind::kept, "", {}};
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  for (std::size_t target = 0; prune != nullptr && target < prune->targets.size(); ++target) {
    fate.links.push_back({target, action.origin.ordinal, target});
  }
  return fate;
}

static Written rewrite(const ir::Recipe& recipe, diag::Sink& sink) {
  Written out;
  const auto read = kept_in(recipe.metadata);
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    out.fates.push_back(fate_of(index, recipe.actions[index]));
    if (!read) drop(out.fates.back(), recipe.actions[index], "the schedule does not hold the configuration that it comes from", sink);
  }
  if (read) {
    out.text = print(read->configuration);
    out.release = read->release;
  }
  return out;
}

Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return recipe.dialect == "nni" ? rewrite(recipe, sink) : translate(recipe, options, sink);
}

}  // namespace sparsecfg::dialect::nni
