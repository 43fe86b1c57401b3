#include "dialect/nni/write.h"

#include <fmt/core.h>

#include "base/text.h"
#include "dialect/nni/print.h"

namespace sparsecfg::dialect::nni {

void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink) {
  dialect::drop(status, action, "NNI", std::move(reason), sink);
}

// Returns the number of entries in the list of a configuration, or nullopt if it has several lists.
static std::optional<std::size_t> length_of(const source::Value& configuration) {
  const source::Value* found = configuration.find("config_list");
  const auto* list = (found == nullptr ? configuration : *found).get<source::List>();
  return list == nullptr ? std::nullopt : std::optional(list->size());
}

// Returns the list of an entry: "first" for "first[3]".
static std::string_view list_of(const ir::Action& action) {
  return std::string_view(action.origin.group).substr(0, action.origin.group.rfind('['));
}

// A file has one list, but a script may have several. Which of them is passed to NNI is only known at run time.
static bool is_left_out(const ir::Recipe& recipe, std::size_t index, const source::Value& configuration) {
  const auto length = length_of(configuration);
  return length && index >= *length && list_of(recipe.actions[index]) != list_of(recipe.actions.front());
}

static Written rewrite(const ir::Recipe& recipe, diag::Sink& sink) {
  Written out;
  auto read = kept_in(recipe.metadata);
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    out.statuses.push_back({index, ActionStatus::Kind::kept, "", links_to(action.effect, action.origin.ordinal)});
    if (!read) {
      drop(out.statuses.back(), action, "the schedule does not contain its original configuration", sink);
    } else if (is_left_out(recipe, index, read->configuration)) {
      drop(out.statuses.back(), action,
           fmt::format("a file can hold only one list, here `{}` of the script",
                       base::printable(list_of(recipe.actions.front()))),
           sink);
    }
  }
  if (read) {
    out.text = print(std::move(read->configuration));
    out.read_with = {{kReleaseOption.name, name_of(read->release)}};
  }
  return out;
}

Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return options.own && !options.by_effects ? rewrite(recipe, sink) : translate(recipe, options, sink);
}

}  // namespace sparsecfg::dialect::nni
