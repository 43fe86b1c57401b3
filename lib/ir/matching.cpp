#include "ir/matching.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::ir {

// Marks the matches of a term. Calls `visit` for indices that were not marked before.
static void mark(const Term& term, const ModelNames& names, std::vector<bool>& matched, auto visit) {
  for (const auto& [first, last] : names.matched(term).ranges) {
    for (std::size_t at = first; at < last; ++at) {
      if (!matched[at]) visit(at);
      matched[at] = true;
    }
  }
}

bool looks_like_pattern(std::string_view text) {
  static constexpr std::string_view kSpecial = "*+?[](){}|^$\\";
  return std::ranges::any_of(text, [](char c) {
    return !base::is_letter(c) && !base::is_digit(c) && c != '.' && c != '_' && kSpecial.find(c) != kSpecial.npos;
  });
}

bool looks_like_type(std::string_view text) {
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && text.find('.') == std::string_view::npos;
}

std::vector<bool> matched_names(const Selector& selector, const ModelNames& names) {
  std::vector<bool> matched(names.size(), false);
  for (const Term& term : selector.terms) {
    mark(term, names, matched, [](std::size_t) {});
  }
  return matched;
}

std::vector<bool> targets_without_parameters(const Prune& prune, const ModelNames* parameters) {
  std::vector<bool> empty(prune.targets.size(), false);
  const auto knows = [](const Target& target) { return target.selector.over == Selector::Over::parameters; };
  // Parameter names don't show which parameters are selected by names and types of layers.
  if (parameters == nullptr || !std::ranges::all_of(prune.targets, knows)) {
    return empty;
  }
  std::vector<bool> matched(parameters->size(), false);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    empty[target] = true;
    for (const Term& term : prune.targets[target].selector.terms) {
      mark(term, *parameters, matched, [&](std::size_t) { empty[target] = false; });
    }
  }
  return empty;
}

std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune, const ModelNames& parameters) {
  std::vector<std::vector<std::string>> out(prune.targets.size());
  std::vector<bool> matched(parameters.size(), false);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    const Selector& selector = prune.targets[target].selector;
    std::vector<std::size_t> places;
    for (const Term& term : selector.terms) {
      if (selector.over == Selector::Over::parameters)
        mark(term, parameters, matched, [&](std::size_t at) { places.push_back(at); });
    }
    std::ranges::sort(places);
    for (const std::size_t at : places) {
      out[target].push_back(parameters[at]);
    }
  }
  return out;
}

}  // namespace sparsecfg::ir
