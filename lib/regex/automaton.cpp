#include "regex/automaton.h"

#include <utility>

namespace sparsecfg::regex {

Automaton::Automaton(Nfa language)
    : language_(std::move(language)), alphabet_(language_, language_), subsets_(language_, alphabet_) {}

std::optional<Automaton::State> Automaton::walk(State from, std::string_view part, Budget& budget) {
  if (!budget.spend(part.size() + 1)) {
    return std::nullopt;
  }
  for (const char character : part) {
    if (accepts_nothing(from) || accepts_everything(from)) {
      break;
    }
    const auto* successors = subsets_.successors(from, budget);
    if (successors == nullptr) {
      return std::nullopt;
    }
    from = (*successors)[alphabet_.symbol_of(character)];
  }
  return from;
}

}  // namespace sparsecfg::regex
