#include "ir/matching.h"

#include <algorithm>

#include "regex/pattern.h"

namespace sparsecfg::ir {

std::string unwrapped_name(std::string_view name) {
  constexpr std::string_view kWrapper = ".module.";
  const std::size_t at = name.rfind(kWrapper);
  if (at == std::string_view::npos || name.find('.', at + kWrapper.size()) != std::string_view::npos) {
    return {};
  }
  return std::string(name.substr(0, at + 1)) + std::string(name.substr(at + kWrapper.size()));
}

// The layers that can be pruned are told by their type, which names do not have: what may be one
// counts as one.
static void mark(const Term& term, const std::vector<std::string>& parameters, std::vector<bool>& taken) {
  const auto compiled = term.kind == Term::Kind::pattern ? regex::Pattern::compile(term.text, regex::Anchoring::start)
                                                         : std::variant<regex::Pattern, regex::SyntaxError>(regex::SyntaxError{});
  const auto* pattern = std::get_if<regex::Pattern>(&compiled);
  const auto takes = [&](const std::string& name) {
    switch (term.kind) {
      case Term::Kind::all: return true;
      case Term::Kind::all_prunable:
      case Term::Kind::all_quantizable: return name.ends_with("weight");
      case Term::Kind::exact: return name == term.text;
      case Term::Kind::part: return term.text.find(name) != std::string::npos;
      case Term::Kind::pattern: return pattern != nullptr && pattern->match(name) != regex::Match::no;
      case Term::Kind::module_type: return false;
    }
    return false;
  };
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const std::string other = taken[at] ? std::string() : unwrapped_name(parameters[at]);
    taken[at] = taken[at] || takes(parameters[at]) || (!other.empty() && takes(other));
  }
}

bool looks_like_pattern(std::string_view text) { return text.find_first_of("*+?[](){}|^$\\") != std::string_view::npos; }

std::vector<bool> taken_by(const Selector& selector, const std::vector<std::string>& parameters) {
  std::vector<bool> taken(parameters.size(), false);
  for (const Term& term : selector.terms) {
    mark(term, parameters, taken);
  }
  return taken;
}

std::vector<bool> targets_without_parameters(const Prune& prune, const std::vector<std::string>* parameters) {
  std::vector<bool> empty(prune.targets.size(), false);
  const auto knows = [](const Target& target) { return target.selector.over == Selector::Over::parameters; };
  // What is selected by the names and types of layers is not told by parameters.
  if (parameters == nullptr || !std::ranges::all_of(prune.targets, knows)) {
    return empty;
  }
  std::vector<bool> taken(parameters->size(), false);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    const auto before = std::ranges::count(taken, true);
    for (const Term& term : prune.targets[target].selector.terms) {
      mark(term, *parameters, taken);
    }
    empty[target] = std::ranges::count(taken, true) == before;
  }
  return empty;
}

std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune, const std::vector<std::string>& parameters) {
  std::vector<std::vector<std::string>> out(prune.targets.size());
  std::vector<bool> taken(parameters.size(), false);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    const std::vector<bool> before = taken;
    const Selector& selector = prune.targets[target].selector;
    for (const Term& term : selector.terms) {
      if (selector.over == Selector::Over::parameters) mark(term, parameters, taken);
    }
    for (std::size_t at = 0; at < parameters.size(); ++at) {
      if (taken[at] && !before[at]) out[target].push_back(parameters[at]);
    }
  }
  return out;
}

}  // namespace sparsecfg::ir
