#include <cmath>
#include <nlohmann/json.hpp>

#include "diff/report.h"
#include "ir/describe.h"

namespace sparsecfg::diff {

using Json = nlohmann::ordered_json;

static Json number_json(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

static Json divergence_json(const std::optional<Divergence>& divergence) {
  if (!divergence) {
    return nullptr;
  }
  return {{"first_step", divergence->first},
          {"step", divergence->at},
          {"difference", number_json(divergence->most)},
          {"before", number_json(divergence->before)},
          {"after", number_json(divergence->after)}};
}

static Json actions_json(const std::vector<std::size_t>& actions, const Compilation& compilation) {
  Json out = Json::array();
  for (const std::size_t at : actions) {
    const ir::Action& action = compilation.recipe->actions[at];
    out.push_back({{"action", ir::printable_name(action.origin)},
                   {"line", compilation.file->position(action.origin.span.begin).line},
                   {"when", ir::when(action)}});
  }
  return out;
}

std::string report_json(const Difference& difference, const Compilation& before, const Compilation& after,
                        const Names& names) {
  Json changes = Json::array();
  for (const Change& change : difference.changes) {
    changes.push_back({{"kind", to_string(change.kind)},
                       {"what", change.what},
                       {"before", actions_json(change.before, before)},
                       {"after", actions_json(change.after, after)},
                       {"parting", divergence_json(change.divergence)},
                       {"details", change.details},
                       {"weights", change.weights}});
  }
  Json out = {{"format", 1},
              {"before", names.before},
              {"after", names.after},
              {"same", difference.same()},
              {"verdict", verdict(difference)},
              {"changes", changes},
              {"not_compared", difference.not_compared},
              {"notes", difference.notes},
              {"compared", nullptr}};
  if (difference.run) {
    const std::uint64_t all = std::max(difference.run->steps(), difference.other_run->steps());
    out["compared"] = {{"steps", difference.stopped.value_or(all)},
                       {"steps_per_epoch", difference.run->steps_per_epoch},
                       {"complete", difference.complete()}};
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string join_json(const std::vector<std::string>& reports) {
  Json recipes = Json::array();
  for (const std::string& report : reports) recipes.push_back(report.empty() ? Json(nullptr) : Json::parse(report));
  return Json({{"format", 1}, {"recipes", recipes}}).dump(1) + "\n";
}

}  // namespace sparsecfg::diff
