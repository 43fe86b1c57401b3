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

std::size_t nodes_of(const source::Value& value) {
  std::size_t nodes = 1;
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) nodes += nodes_of((*list)[at]);
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) nodes += 1 + nodes_of((*map)[at].second);
  return nodes;
}

std::string too_many_nodes(const WriteOptions& options) {
  return fmt::format("the output has more than {} nodes; raise the limit with `--max-nodes`", options.max_nodes);
}

void mark_not_converted(ActionStatus& status, const ir::Action& action, std::string_view system, std::string what,
                        diag::Sink& sink) {
  report(status, sink, diag::belongs_elsewhere, action.origin.span, action.origin.class_name, system, what);
  status.kind = ActionStatus::Kind::not_converted;
  status.reason = std::move(what);
}

void drop(ActionStatus& status, const ir::Action& action, std::string_view system, std::string reason,
          diag::Sink& sink) {
  report(status, sink, diag::not_expressible, action.origin.span, action.origin.class_name, system, reason);
  status.kind = ActionStatus::Kind::dropped;
  status.reason = std::move(reason);
}

}  // namespace sparsecfg::dialect
