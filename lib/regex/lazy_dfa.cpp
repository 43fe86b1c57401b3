#include "regex/lazy_dfa.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace sparsecfg::regex {

using State = Nfa::State;

// Looking up a subset costs as much as examining this many states.
constexpr std::size_t kCostOfStep = 4;

static bool is_position(const State& state) { return state.kind == State::Kind::guard; }

static bool is_boundary(const State& state) {
  const Position::Kind kind = state.position.kind;
  return is_position(state) && (kind == Position::Kind::boundary || kind == Position::Kind::no_boundary);
}

LazyDfa::LazyDfa(const Nfa& language, const Alphabet& alphabet)
    : language_(language),
      alphabet_(alphabet),
      has_positions_(std::ranges::any_of(language.states(), is_position)),
      has_boundaries_(std::ranges::any_of(language.states(), is_boundary)),
      seen_(language.states().size()) {
  for (const CharSet& letters : language.sets()) {
    std::vector<bool>& row = members_.emplace_back();
    for (const Alphabet::SymbolClass& symbol : alphabet.symbols()) {
      row.push_back(letters.contain(symbol.letter));
    }
  }
  intern({Side::edge, {language.start()}});
}

LazyDfa::Id LazyDfa::intern(const Key& key) {
  const auto [found, is_new] = ids_.try_emplace(key, static_cast<Id>(subsets_.size()));
  if (is_new) {
    subsets_.push_back({key.first, key.second, {}, {}});
  }
  return found->second;
}

static bool is_word(Side side, bool ascii) {
  return side == Side::ascii_word || (side == Side::unicode_word && !ascii);
}

// An edge on both sides would mean an empty name, and names are not empty.
static bool holds(Position position, Side before, Side after) {
  const bool boundary = is_word(before, position.ascii) != is_word(after, position.ascii);
  switch (position.kind) {
    case Position::Kind::start: return before == Side::edge;
    case Position::Kind::end: return after == Side::edge;
    case Position::Kind::boundary: return boundary;
    case Position::Kind::no_boundary: return !boundary;
  }
  return false;
}

const std::vector<std::uint32_t>& LazyDfa::closure(Id id, Side after) {
  closure_ = subsets_[id].states;
  ++closures_;
  const auto visit = [&](std::uint32_t state) {
    if (std::exchange(seen_[state], closures_) != closures_) {
      closure_.push_back(state);
    }
  };
  for (const std::uint32_t state : closure_) {
    seen_[state] = closures_;
  }
  for (std::size_t at = 0; at < closure_.size(); ++at) {
    const State& state = language_.states()[closure_[at]];
    if (state.kind == State::Kind::split) {
      visit(state.next);
      visit(state.other);
    } else if (state.kind == State::Kind::guard && holds(state.position, subsets_[id].before, after)) {
      visit(state.next);
    }
  }
  return closure_;
}

// If one of the states accepts any rest, the other states are unnecessary.
void LazyDfa::step(const std::vector<std::uint32_t>& from, std::size_t symbol) {
  std::vector<std::uint32_t>& reached = reached_.second;
  reached.clear();
  for (const std::uint32_t number : from) {
    const State& state = language_.states()[number];
    if (state.kind == State::Kind::rest) {
      reached.assign(1, number);
      return;
    }
    if (state.kind == State::Kind::consume && members_[state.what][symbol]) {
      reached.push_back(state.next);
    }
  }
  if (reached.size() > 1) {
    std::ranges::sort(reached);
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  }
}

// Most symbols lead to the same subset as the previous symbol, or to none, so neither is looked up again.
void LazyDfa::add_successors(const std::vector<std::uint32_t>& from, Side after, std::vector<Id>& out) {
  const std::vector<Alphabet::SymbolClass>& symbols = alphabet_.symbols();
  reached_.first = has_boundaries_ ? after : Side::other;
  if (from.size() == 1 && language_.states()[from.front()].kind == State::Kind::consume) {
    return add_successors(language_.states()[from.front()], after, out);
  }
  std::optional<Id> last;
  std::optional<Id> nowhere;
  for (std::size_t symbol = 0; symbol < symbols.size(); ++symbol) {
    if (has_positions_ && symbols[symbol].side != after) continue;
    step(from, symbol);
    std::optional<Id>& known = reached_.second.empty() ? nowhere : last;
    if (!known || subsets_[*known].states != reached_.second) known = intern(reached_);
    out[symbol] = *known;
  }
}

void LazyDfa::add_successors(const State& from, Side after, std::vector<Id>& out) {
  reached_.second.assign(1, from.next);
  const Id next = intern(reached_);
  reached_.second.clear();
  const Id nowhere = intern(reached_);
  const std::vector<bool>& is_member = members_[from.what];
  for (std::size_t symbol = 0; symbol < is_member.size(); ++symbol) {
    if (!has_positions_ || alphabet_.symbols()[symbol].side == after) out[symbol] = is_member[symbol] ? next : nowhere;
  }
}

const std::vector<LazyDfa::Id>* LazyDfa::successors(Id id, base::Budget& budget) {
  const std::vector<Alphabet::SymbolClass>& symbols = alphabet_.symbols();
  if (subsets_[id].successors.empty()) {
    std::vector<Id> successors(symbols.size());
    // Without positions all sides have the same successors. The budget is charged as if they were computed.
    static constexpr std::array kSides = {Side::other, Side::unicode_word, Side::ascii_word};
    const std::size_t apart = has_positions_ ? kSides.size() : 1;
    for (const Side after : std::span(kSides).first(apart)) {
      const std::vector<std::uint32_t>& states = closure(id, after);
      if (!budget.spend(kSides.size() / apart * (states.size() + kCostOfStep) * symbols.size())) {
        return nullptr;
      }
      add_successors(states, after, successors);
    }
    subsets_[id].successors = std::move(successors);
  }
  return &subsets_[id].successors;
}

bool LazyDfa::accepts(Id id) {
  if (!subsets_[id].accepts) {
    subsets_[id].accepts = std::ranges::any_of(closure(id, Side::edge), [&](std::uint32_t state) {
      const State::Kind kind = language_.states()[state].kind;
      return kind == State::Kind::accept || kind == State::Kind::rest;
    });
  }
  return *subsets_[id].accepts;
}

bool LazyDfa::is_universal(Id id) const {
  const std::vector<std::uint32_t>& states = subsets_[id].states;
  return states.size() == 1 && language_.states()[states.front()].kind == State::Kind::rest;
}

Automaton::Automaton(Nfa language)
    : language_(std::move(language)), alphabet_(language_, language_), subsets_(language_, alphabet_) {}

std::optional<Automaton::State> Automaton::walk(State from, std::string_view part, base::Budget& budget) {
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
