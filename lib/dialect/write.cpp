#include "dialect/write.h"

#include <fmt/core.h>

namespace sparsecfg::dialect {

std::vector<Link> links_to(const ir::Effect& effect, int ordinal) {
  std::vector<Link> links;
  const auto* prune = std::get_if<ir::Prune>(&effect);
  for (std::size_t target = 0; prune != nullptr && target < prune->targets.size(); ++target) {
    links.push_back({target, ordinal, target});
  }
  return links;
}

std::string too_many_names(const WriteOptions& options) {
  return fmt::format("more than {} names would be listed; `--max-nodes` raises the limit", options.max_nodes);
}

void place_elsewhere(ActionStatus& status, const ir::Action& action, std::string_view system, std::string what,
                     diag::Sink& sink) {
  report(status, sink, diag::belongs_elsewhere, action.origin.span, action.origin.class_name, system, what);
  status.kind = ActionStatus::Kind::elsewhere;
  status.reason = std::move(what);
}

void drop(ActionStatus& status, const ir::Action& action, std::string_view system, std::string reason,
          diag::Sink& sink) {
  report(status, sink, diag::not_expressible, action.origin.span, action.origin.class_name, system, reason);
  status.kind = ActionStatus::Kind::dropped;
  status.reason = std::move(reason);
}

}  // namespace sparsecfg::dialect
