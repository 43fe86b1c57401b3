#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ir/matching.h"

namespace sparsecfg::dialect::pytorch {

static std::string text_of(const model::Term& term) {
  switch (term.kind) {
    case model::Term::Kind::all: return "__ALL__";
    case model::Term::Kind::all_prunable: return "__ALL_PRUNABLE__";
    case model::Term::Kind::pattern: return "re:" + term.text;
    case model::Term::Kind::part: return "part:" + term.text;
    default: return term.text;
  }
}

Text names(const std::vector<std::string>& all) {
  std::vector<Text> items;
  std::ranges::transform(all, std::back_inserter(items), [](const std::string& name) { return python_string(name); });
  return list(std::move(items));
}

// Returns the lists of names, patterns and types among the terms, without empty lists.
static std::vector<Text> by_kind(const std::vector<model::Term>& terms, std::string_view form) {
  using Kind = model::Term::Kind;
  std::vector<Text> lists;
  for (const auto& [kind, name] :
       {std::pair{Kind::exact, "names"}, {Kind::pattern, "patterns"}, {Kind::module_type, "types"}}) {
    std::vector<std::string> all;
    for (const model::Term& term : terms) {
      if (term.kind == kind) all.push_back(term.text);
    }
    if (!all.empty()) {
      Text list = names(all);
      list.open.insert(0, fmt::format(fmt::runtime(form), name));
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

// Selects only the weights of modules, even if other tensors are masked with them.
static Text modules(const model::Selector& selector) {
  std::vector<Text> arguments = by_kind(selector.terms, "{}=");
  arguments.insert(arguments.begin(), python_string("weight"));
  if (!selector.excluded.empty()) {
    arguments.push_back({"excluded={", by_kind(selector.excluded, "\"{}\": "), "}"});
  }
  return call("Modules", std::move(arguments));
}

Text terms(const model::Selector& selector, Parts& parts) {
  if (selector.over == model::Selector::Over::modules) {
    parts.insert("Modules");
    return modules(selector);
  }
  std::vector<std::string> all;
  std::ranges::transform(selector.terms, std::back_inserter(all), text_of);
  return names(all);
}

std::string refusal(const model::Selector& selector) {
  if (selector.over == model::Selector::Over::modules) {
    const bool weights = selector.tensor.empty() || selector.tensor.find("weight") != std::string::npos;
    return weights ? "" : "only masks of module weights are supported";
  }
  const auto odd = [](const model::Term& term) {
    return term.kind == model::Term::Kind::module_type || term.kind == model::Term::Kind::all_quantizable;
  };
  if (selector.over != model::Selector::Over::parameters && selector.over != model::Selector::Over::either) {
    return "selectors of layers are not supported";
  }
  return std::ranges::any_of(selector.terms, odd) ? "selectors by module type are not supported" : "";
}

bool stops_without(const model::Selector& selector) {
  return selector.strict || std::ranges::any_of(selector.terms, &model::Term::required);
}

Text selected(const model::Selector& selector, const WriteOptions& options, Parts& parts) {
  if (options.parameters == nullptr || selector.over == model::Selector::Over::modules) {
    return terms(selector, parts);
  }
  const std::vector<bool> taken = model::matched_names(selector, *options.parameters);
  std::vector<std::string> all;
  for (std::size_t at = 0; at < taken.size(); ++at) {
    if (taken[at]) all.push_back((*options.parameters)[at]);
  }
  return names(all);
}

}  // namespace sparsecfg::dialect::pytorch
