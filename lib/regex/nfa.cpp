#include "regex/nfa.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"

namespace sparsecfg::regex {

constexpr std::size_t kMaxStates = 4096;
// Each range enlarges the alphabet, which is small for comparisons of names.
constexpr std::ptrdiff_t kMaxRangesBeyondAscii = 64;

using State = Nfa::State;

// Builds from the end: each method receives the next state and returns its first state.
class Builder {
 public:
  [[nodiscard]] std::uint32_t add(const State& state);
  [[nodiscard]] std::uint32_t add(const Node& node, std::uint32_t next);
  // Adds the states of another language. Returns its first state.
  [[nodiscard]] std::uint32_t add(const Nfa& language);
  [[nodiscard]] std::variant<Nfa, Unsupported> finish(std::uint32_t start);

 private:
  // Consecutive nodes: an alternative or a part of one.
  using Sequence = std::span<const Node>;

  std::uint32_t add(Sequence sequence, std::uint32_t next);
  std::uint32_t any_part(const Node& node, std::uint32_t next);
  // Builds common prefixes and suffixes of the alternatives only once.
  std::uint32_t any_of(std::vector<Sequence> alternatives, std::uint32_t next);
  std::uint32_t repeat(const Node& node, std::uint32_t next);
  std::uint32_t set_number(const CharSet& letters);

  Nfa language_;
  std::map<CharSet, std::uint32_t> numbers_;
};

std::uint32_t Builder::add(const State& state) {
  // Beyond the limit no state is added, and finish() rejects the automaton.
  if (language_.states_.size() <= kMaxStates) {
    language_.states_.push_back(state);
  }
  return static_cast<std::uint32_t>(language_.states_.size() - 1);
}

std::uint32_t Builder::set_number(const CharSet& letters) {
  const auto [found, is_new] = numbers_.emplace(letters, static_cast<std::uint32_t>(numbers_.size()));
  if (is_new) {
    language_.sets_.push_back(letters);
  }
  return found->second;
}

std::uint32_t Builder::add(const Node& node, std::uint32_t next) {
  switch (node.kind) {
    case Node::Kind::letters: return add({State::Kind::consume, {}, set_number(node.letters), next, 0});
    case Node::Kind::position: return add({State::Kind::guard, node.position, 0, next, 0});
    case Node::Kind::either: return any_part(node, next);
    case Node::Kind::repeat: return repeat(node, next);
    case Node::Kind::sequence: break;
  }
  return add(Sequence(node.parts), next);
}

std::uint32_t Builder::add(Sequence sequence, std::uint32_t next) {
  for (auto part = sequence.rbegin(); part != sequence.rend(); ++part) {
    next = add(*part, next);
  }
  return next;
}

std::uint32_t Builder::any_part(const Node& node, std::uint32_t next) {
  if (node.parts.size() == 1) {
    return add(node.parts.front(), next);
  }
  std::vector<Sequence> alternatives;
  for (const Node& part : node.parts) {
    alternatives.push_back(part.kind == Node::Kind::sequence ? Sequence(part.parts) : Sequence(&part, 1));
  }
  return any_of(std::move(alternatives), next);
}

// Removes the nodes that all alternatives start with (or end with) and returns them.
static std::span<const Node> take_shared(std::vector<std::span<const Node>>& alternatives, bool at_end) {
  const std::span<const Node> one = alternatives.front();
  std::size_t count = 0;
  const auto shares = [&](const std::span<const Node>& other) {
    const auto at = [&](const std::span<const Node>& nodes) { return at_end ? nodes.size() - count - 1 : count; };
    return count < other.size() && other[at(other)] == one[at(one)];
  };
  while (std::ranges::all_of(alternatives, shares)) ++count;
  for (std::span<const Node>& other : alternatives) {
    other = at_end ? other.first(other.size() - count) : other.subspan(count);
  }
  return at_end ? one.last(count) : one.first(count);
}

// Groups alternatives that start alike. Repeats and similar nodes are compared only with their neighbors. No group is
// empty.
static std::vector<std::vector<std::span<const Node>>> grouped(const std::vector<std::span<const Node>>& alternatives) {
  std::vector<std::vector<std::span<const Node>>> groups;
  std::map<CharSet, std::size_t> by_letters;
  for (const std::span<const Node>& each : alternatives) {
    std::size_t group = groups.size();
    if (each.front().kind == Node::Kind::letters) {
      group = by_letters.emplace(each.front().letters, group).first->second;
    } else if (!groups.empty() && groups.back().front().front() == each.front()) {
      --group;
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(each);
  }
  return groups;
}

std::uint32_t Builder::any_of(std::vector<Sequence> alternatives, std::uint32_t next) {
  const Sequence beginning = take_shared(alternatives, false);
  next = add(take_shared(alternatives, true), next);
  std::optional<std::uint32_t> first;
  if (std::erase_if(alternatives, [](Sequence each) { return each.empty(); }) > 0) first = next;
  for (std::vector<Sequence>& group : grouped(alternatives)) {
    const std::uint32_t start = any_of(std::move(group), next);
    first = first ? add({State::Kind::split, {}, 0, start, *first}) : start;
  }
  return add(beginning, *first);
}

// Optional rounds follow the mandatory ones.
std::uint32_t Builder::repeat(const Node& node, std::uint32_t next) {
  const Node& part = node.parts.front();
  const auto is_full = [&] { return language_.states_.size() > kMaxStates; };
  std::uint32_t first = next;
  if (node.count.max == kUnlimited) {
    first = add({State::Kind::split, {}, 0, 0, next});
    language_.states_[first].next = add(part, first);
  } else {
    for (std::uint64_t round = node.count.min; round < node.count.max && !is_full(); ++round) {
      first = add({State::Kind::split, {}, 0, add(part, first), next});
    }
  }
  for (std::uint64_t round = 0; round < node.count.min && !is_full(); ++round) {
    const std::uint32_t behind = std::exchange(first, add(part, first));
    if (first == behind) {
      break;  // an empty part stays empty when repeated
    }
  }
  return first;
}

std::uint32_t Builder::add(const Nfa& language) {
  const auto shift = static_cast<std::uint32_t>(language_.states_.size());
  for (State state : language.states_) {
    state.next += shift;
    state.other += shift;
    if (state.kind == State::Kind::consume) {
      state.what = set_number(language.sets_[state.what]);
    }
    (void)add(state);
  }
  return language.start_ + shift;
}

static std::ptrdiff_t ranges_beyond_ascii(const std::vector<CharSet>& sets) {
  const auto beyond = [](const CharSet::Range& range) { return range.second >= 0x80; };
  std::ptrdiff_t count = 0;
  for (const CharSet& letters : sets) {
    count += std::ranges::count_if(letters.ranges(), beyond);
  }
  return count;
}

std::variant<Nfa, Unsupported> Builder::finish(std::uint32_t start) {
  if (language_.states_.size() > kMaxStates || ranges_beyond_ascii(language_.sets_) > kMaxRangesBeyondAscii) {
    return Unsupported{"its automaton is too large"};
  }
  language_.start_ = start;
  return std::move(language_);
}

std::variant<Nfa, Unsupported> Nfa::of(std::string_view python_pattern, Anchoring anchoring) {
  const auto parsed = parse(python_pattern);
  if (const auto* unsupported = std::get_if<Unsupported>(&parsed)) {
    return *unsupported;
  }
  Builder builder;
  const State::Kind end = anchoring == Anchoring::both ? State::Kind::accept : State::Kind::rest;
  const std::uint32_t last = builder.add({end, {}, 0, 0, 0});
  return builder.finish(builder.add(std::get<Node>(parsed), last));
}

static std::vector<Node> characters(std::string_view text) {
  std::vector<Node> nodes;
  for (std::size_t at = 0; at < text.size();) {
    nodes.push_back({Node::Kind::letters, CharSet::of(base::next_code_point(text, at)), {}, {}, {}});
  }
  return nodes;
}

std::variant<Nfa, Unsupported> Nfa::of_name(std::string_view name) {
  if (base::find_invalid_utf8(name) < name.size()) {
    return Unsupported{"the name is not UTF-8"};
  }
  Builder builder;
  const std::uint32_t last = builder.add({State::Kind::accept, {}, 0, 0, 0});
  return builder.finish(builder.add(Node{Node::Kind::sequence, {}, {}, {}, characters(name)}, last));
}

// A substring can begin and end between any two characters.
std::variant<Nfa, Unsupported> Nfa::of_parts(std::string_view text) {
  if (base::find_invalid_utf8(text) < text.size()) {
    return Unsupported{"the text is not UTF-8"};
  }
  const std::vector<Node> nodes = characters(text);
  Builder builder;
  const std::uint32_t end = builder.add({State::Kind::accept, {}, 0, 0, 0});
  std::uint32_t here = end;
  std::uint32_t anywhere = end;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    here = builder.add({State::Kind::split, {}, 0, builder.add(*node, here), end});
    anywhere = builder.add({State::Kind::split, {}, 0, here, anywhere});
  }
  return builder.finish(anywhere);
}

Nfa Nfa::everything() {
  Nfa language;
  language.states_.push_back({State::Kind::rest, {}, 0, 0, 0});
  return language;
}

Nfa Nfa::nothing() {
  Nfa language;
  language.states_.push_back({State::Kind::consume, {}, 0, 0, 0});
  language.sets_.emplace_back();
  return language;
}

std::variant<Nfa, Unsupported> Nfa::either(const std::vector<Nfa>& languages) {
  Builder builder;
  std::uint32_t first = builder.add(nothing());
  for (const Nfa& language : languages) {
    const std::uint32_t start = builder.add(language);
    first = builder.add({State::Kind::split, {}, 0, start, first});
  }
  return builder.finish(first);
}

}  // namespace sparsecfg::regex
