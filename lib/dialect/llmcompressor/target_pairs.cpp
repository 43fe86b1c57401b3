#include "dialect/llmcompressor/target_pairs.h"

#include <algorithm>
#include <variant>

#include "dialect/llmcompressor/model.h"

namespace sparsecfg::dialect::llmcompressor {

using enum regex::Comparison::Answer;

constexpr std::string_view kEveryLayer = "Linear";

const regex::Nfa* TargetPairs::automaton_of(const std::string& target) {
  const auto [found, added] = automata_.try_emplace(target);
  if (added && budget_.spend(64 * target.size())) {
    auto made = regex::Nfa::of(pattern_of(target), regex::Anchoring::start);
    if (auto* automaton = std::get_if<regex::Nfa>(&made)) found->second = std::move(*automaton);
  }
  return found->second ? &*found->second : nullptr;
}

const TargetPairs::Layers& TargetPairs::layers_of(const std::string& target) {
  const auto [found, added] = layers_.try_emplace(target);
  if (added && budget_.spend(4 * modules_->size())) {
    const model::Matcher matcher = matcher_of(target);
    for (std::size_t at = 0; at < modules_->size(); ++at) {
      const model::Module& module = (*modules_)[at];
      if (takes_scheme(module) && matcher.takes(module)) found->second.push_back(static_cast<std::uint32_t>(at));
    }
  }
  return found->second;
}

std::optional<std::string> TargetPairs::layer_of_both(const std::string& a, const std::string& b) {
  const Layers& one = layers_of(a);
  const Layers& two = layers_of(b);
  const auto in_two = [&](std::uint32_t layer) { return std::ranges::binary_search(two, layer); };
  const auto both = budget_.spend(1 + one.size()) ? std::ranges::find_if(one, in_two) : one.end();
  return both == one.end() ? std::nullopt : std::optional((*modules_)[*both].name);
}

bool TargetPairs::contains(const regex::Nfa& a, const regex::Nfa& b) {
  return regex::contains(a, b, budget_).answer == yes;
}

bool TargetPairs::overlap(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (modules_ != nullptr) return layer_of_both(a, b).has_value();
  if (!is_pattern(a) || !is_pattern(b)) {
    return (a == kEveryLayer && is_pattern(b)) || (b == kEveryLayer && is_pattern(a));
  }
  const regex::Nfa* one = automaton_of(a);
  const regex::Nfa* two = automaton_of(b);
  return one != nullptr && two != nullptr && (contains(*one, *two) || contains(*two, *one));
}

// Returns true if a pattern selects only some layers of another one, which is then meant to apply.
static bool is_part(std::span<const std::uint32_t> narrow, std::span<const std::uint32_t> wide) {
  return narrow.size() < wide.size() && std::ranges::includes(wide, narrow);
}

std::optional<std::string> TargetPairs::module_with_unexpected_winner(const std::string& winner,
                                                                      const std::string& other) {
  const regex::Nfa* one = automaton_of(winner);
  const regex::Nfa* two = automaton_of(other);
  if (one == nullptr || two == nullptr) {
    return std::nullopt;
  }
  if (modules_ != nullptr) {
    const bool narrower = contains(*two, *one) && !contains(*one, *two);
    return narrower || is_part(layers_of(winner), layers_of(other)) ? std::nullopt : layer_of_both(winner, other);
  }
  const regex::Comparison both = regex::intersects(*one, *two, budget_);
  return both.answer == yes && contains(*one, *two) ? std::optional(both.witness) : std::nullopt;
}

bool SeenTargets::is_wide(const std::string& target) const {
  return pairs_.modules() != nullptr || is_pattern(target) || target == kEveryLayer;
}

void SeenTargets::add(const std::string& target, std::size_t owner) {
  if (!places_.try_emplace(target, seen_.size()).second) {
    return;
  }
  if (is_wide(target)) wide_.push_back(seen_.size());
  seen_.push_back({target, owner});
}

std::size_t SeenTargets::find(const std::string& target, const std::set<std::string>& left_out, std::size_t end) const {
  const auto same = left_out.contains(target) ? places_.end() : places_.find(target);
  const std::size_t found = same != places_.end() && same->second < end ? same->second : kNone;
  end = std::min(end, found);
  for (std::size_t at = 0; is_wide(target) && at < wide_.size() && wide_[at] < end && pairs_.take_pair_budget(); ++at) {
    const std::string& text = seen_[wide_[at]].text;
    if (!left_out.contains(text) && pairs_.overlap(text, target)) return wide_[at];
  }
  return found;
}

}  // namespace sparsecfg::dialect::llmcompressor
