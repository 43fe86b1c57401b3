#include "convert/layer_schemes.h"

#include <fmt/format.h>

#include "dialect/plan/plan.h"
#include "dialect/schemes/assigned.h"
#include "dialect/schemes/changes.h"

namespace sparsecfg::convert {

using Pairs = std::vector<std::pair<std::string, std::string>>;

bool has_layer_schemes(const ir::Recipe& recipe) { return dialect::plan_of(recipe).layer_schemes; }

static void add_texts(const source::Value* values, const std::string& scheme, Pairs& out) {
  for (const dialect::schemes::Entry& entry : dialect::schemes::entries_of(values))
    out.emplace_back(entry.text, scheme);
}

static Pairs targets_of(const ir::Recipe& recipe) {
  Pairs out;
  for (const ir::Action& action : recipe.actions) {
    for (const auto& [name, group] : dialect::schemes::groups_of(action.origin)) {
      add_texts(group.find("targets"), dialect::schemes::describe_group(group), out);
    }
    add_texts(dialect::schemes::ignored_by(action.origin), "ignored", out);
  }
  return out;
}

Pairs layer_schemes(const ir::Recipe& recipe, const std::vector<model::Module>* modules) {
  if (modules == nullptr) {
    return targets_of(recipe);
  }
  Pairs out;
  const dialect::schemes::Assignment assignment = dialect::schemes::assign(recipe, *modules);
  if (!assignment.complete) {
    return targets_of(recipe);
  }
  for (std::size_t at = 0; at < modules->size(); ++at) {
    const auto group = assignment.groups_of_modules[at];
    if (group) out.emplace_back((*modules)[at].name, dialect::schemes::describe_group(assignment.groups[*group]));
  }
  if (!assignment.cache.is_null()) {
    out.emplace_back("kv_cache_scheme", dialect::schemes::describe(dialect::schemes::read_args(assignment.cache)));
  }
  return out;
}

std::vector<std::string> scheme_changes(const ir::Recipe& before, const ir::Action& one, const ir::Recipe& after,
                                        const ir::Action& other, const std::vector<model::Module>* modules) {
  std::vector<std::string> out = dialect::schemes::group_changes(one.origin, other.origin);
  if (out.empty()) return out;
  const auto bits = modules != nullptr ? dialect::schemes::bits_change(before, after, *modules)
                                       : dialect::schemes::bits_change(one.origin, other.origin);
  if (bits) {
    out.push_back(fmt::format("size of these layers: {:.2f} -> {:.2f} bits per weight", bits->first, bits->second));
  }
  return out;
}

}  // namespace sparsecfg::convert
