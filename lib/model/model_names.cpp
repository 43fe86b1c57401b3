#include "model/model_names.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "regex/pattern.h"

namespace sparsecfg::model {

std::string unwrapped_name(std::string_view name) {
  constexpr std::string_view kWrapper = ".module.";
  const std::size_t last = name.rfind('.') + 1;  // after the last dot; 0 if there is none
  const std::string_view layer = name.substr(0, last);
  if (!layer.ends_with(kWrapper)) {
    return {};
  }
  return std::string(layer.substr(0, layer.size() - kWrapper.size() + 1)) + std::string(name.substr(last));
}

ModelNames::ModelNames(Parameters all) : names_(std::move(all.names)), shapes_(std::move(all.shapes)) {
  has_shapes_ = std::ranges::any_of(shapes_, [](const auto& shape) { return shape.has_value(); });
  shapes_.resize(has_shapes_ ? names_.size() : 0);
  for (std::uint32_t place = 0; place < names_.size(); ++place) {
    if (std::string other = unwrapped_name(names_[place]); !other.empty()) {
      aliases_.names.push_back(std::move(other));
      aliases_.places.push_back(place);
    }
  }
  index_ = NameIndex(names_.size() + aliases_.names.size());
  std::uint32_t number = 0;
  for (const auto* names : {&names_, &aliases_.names}) {
    for (const std::string& name : *names) index_.add(name, number++);
  }
  build_graph();
}

static Parameters parameters_of(const std::vector<Module>& modules) {
  Parameters out;
  for (const Module& module : modules) {
    out.names.push_back(module.name);
    out.shapes.push_back(module.shape);
  }
  return out;
}

ModelNames::ModelNames(const std::vector<Module>& modules) : ModelNames(parameters_of(modules)) {
  for (const Module& module : modules) types_.push_back(module.type);
}

// Returns true if a name is ASCII without line feeds. Checks eight bytes at a time.
static bool is_plain(std::string_view name) {
  std::uint64_t seen = 0;  // bits that are set in any byte
  std::uint64_t eight = 0;
  std::size_t at = 0;
  for (; at + sizeof eight <= name.size(); at += sizeof eight) {
    std::memcpy(&eight, name.data() + at, sizeof eight);
    seen |= eight;
  }
  if (at < name.size() && at > 0) {  // the last eight bytes, overlapping the previous ones
    std::memcpy(&eight, name.data() + name.size() - sizeof eight, sizeof eight);
    seen |= eight;
    at = name.size();
  }
  for (; at < name.size(); ++at) seen |= static_cast<unsigned char>(name[at]);
  return (seen & 0x8080808080808080) == 0 && name.find('\n') == name.npos;
}

void ModelNames::build_graph() {
  const auto add = [&](std::string_view name, std::uint32_t place) {
    if (!name.empty() && is_plain(name)) {
      plain_.push_back(name);
      plain_places_.push_back(place);
    } else {
      others_.emplace_back(name, place);
    }
  };
  plain_.reserve(names_.size() + aliases_.names.size());
  plain_places_.reserve(names_.size() + aliases_.names.size());
  for (std::uint32_t place = 0; place < names_.size(); ++place) {
    add(names_[place], place);
  }
  for (std::size_t at = 0; at < aliases_.names.size(); ++at) {
    add(aliases_.names[at], aliases_.places[at]);
  }
  graph_.emplace(plain_);
}

static thread_local PatternEffort* effort_of_recipe = nullptr;

PatternEffort::PatternEffort() {
  if (effort_of_recipe == nullptr) effort_of_recipe = this;
}

PatternEffort::~PatternEffort() {
  if (effort_of_recipe == this) effort_of_recipe = nullptr;
}

bool PatternEffort::allows(const void* names, const std::string& pattern) const {
  return left_ > 0 || counted_.contains({names, pattern});
}

void PatternEffort::count(const void* names, const std::string& pattern, std::uint64_t work) {
  if (counted_.emplace(names, pattern).second) left_ -= std::min(left_, work);
}

// Aliases follow all names, so the ranges may be unordered and overlap.
static void put_in_order(std::vector<IndexRange>& ranges) {
  const auto touch = [](const IndexRange& a, const IndexRange& b) { return b.first <= a.second; };
  if (std::ranges::adjacent_find(ranges, touch) == ranges.end()) {
    return;
  }
  std::ranges::sort(ranges);
  std::vector<IndexRange> out;
  for (const IndexRange& range : ranges) {
    if (!out.empty() && range.first <= out.back().second) {
      out.back().second = std::max(out.back().second, range.second);
    } else {
      out.push_back(range);
    }
  }
  ranges = std::move(out);
}

ModelNames::Taken ModelNames::matched(const Term& term) const {
  const auto may_be_weight = [&](std::string_view name, std::uint32_t place) {
    return name.ends_with("weight") && (shape(place) == nullptr || shape(place)->size() > 1);
  };
  const auto is_part = [&](std::string_view name, std::uint32_t) { return term.text.find(name) != std::string::npos; };
  switch (term.kind) {
    case Term::Kind::all: return {{{0, static_cast<std::uint32_t>(names_.size())}}};
    case Term::Kind::all_prunable:
    case Term::Kind::all_quantizable: return taken_if(may_be_weight);
    case Term::Kind::exact: return taken_by_name(term.text);
    case Term::Kind::part: return taken_if(is_part);
    case Term::Kind::pattern: return taken_by_pattern(term.text);
    case Term::Kind::module_type:
      return types_.empty()
                 ? Taken()
                 : taken_if([&](std::string_view, std::uint32_t place) { return types_[place] == term.text; });
  }
  return {};
}

// Returns the index of a name, and the indices of names of which it is an alias.
std::vector<std::uint32_t> ModelNames::places_of(std::string_view name) const {
  std::vector<std::uint32_t> out;
  index_.for_each_like(name, [&](std::uint32_t number) {
    const bool own = number < names_.size();
    const std::size_t at = own ? number : number - names_.size();
    if ((own ? names_[at] : aliases_.names[at]) == name) out.push_back(own ? number : aliases_.places[at]);
  });
  return out;
}

ModelNames::Taken ModelNames::taken_by_name(std::string_view name) const {
  Taken out;
  for (const std::uint32_t place : places_of(name)) {
    out.ranges.emplace_back(place, place + 1);
  }
  put_in_order(out.ranges);
  return out;
}

std::vector<bool> matched_names(const Selector& selector, const ModelNames& names) {
  std::vector<bool> matched(names.size(), false);
  for (const Term& term : selector.terms) names.mark(term, matched, [](std::size_t) {});
  return matched;
}

const Shape* shape_of(const ModelNames* names, const std::string& name) {
  const auto taken = names == nullptr ? ModelNames::Taken() : names->matched({Term::Kind::exact, name, {}});
  return taken.ranges.empty() ? nullptr : names->shape(taken.ranges.front().first);
}

ModelNames::Taken ModelNames::taken_if(auto fits) const {
  Taken out;
  const auto look_at = [&](std::string_view name, std::uint32_t place) {
    if (fits(name, place)) out.ranges.emplace_back(place, place + 1);
  };
  for (std::uint32_t place = 0; place < names_.size(); ++place) {
    look_at(names_[place], place);
  }
  for (std::size_t at = 0; at < aliases_.names.size(); ++at) {
    look_at(aliases_.names[at], aliases_.places[at]);
  }
  put_in_order(out.ranges);
  return out;
}

// Without aliases, indices rise with the graph numbers. If a range of numbers has as many indices, it is contiguous.
static void add_places(const std::vector<IndexRange>& numbers, const std::vector<std::uint32_t>& places, bool rising,
                       std::vector<IndexRange>& out) {
  for (const auto& [first, last] : numbers) {
    if (rising && places[last - 1] == places[first] + (last - 1 - first)) {
      out.emplace_back(places[first], places[last - 1] + 1);
      continue;
    }
    for (std::uint32_t at = first; at < last; ++at) {
      out.emplace_back(places[at], places[at] + 1);
    }
  }
}

ModelNames::Taken ModelNames::taken_by_pattern(const std::string& pattern) const {
  PatternEffort* effort = effort_of_recipe;
  if (effort != nullptr && !effort->allows(this, pattern)) {
    return all_uncertain();
  }
  Taken matched = known_or_followed(pattern);
  if (effort != nullptr) {
    effort->count(this, pattern, matched.work);
  }
  return matched;
}

ModelNames::Taken ModelNames::all_uncertain() const {
  return {{{0, static_cast<std::uint32_t>(names_.size())}}, false};
}

ModelNames::Taken ModelNames::known_or_followed(const std::string& pattern) const {
  constexpr std::size_t kMaxRemembered = 4'000'000;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(pattern); known != known_.end()) {
      return known->second;
    }
  }
  Taken matched = follow(pattern);
  const std::lock_guard lock(mutex_);
  if (remembered_ + matched.ranges.size() < kMaxRemembered) {
    remembered_ += matched.ranges.size() + 1;
    known_.emplace(pattern, matched);
  }
  return matched;
}

ModelNames::Taken ModelNames::follow(const std::string& pattern) const {
  // Limits the time to 0.2 seconds; typical patterns take a few milliseconds.
  regex::Budget budget{20'000'000};
  const std::uint64_t all = budget.left;
  Taken out;
  // An automaton costs as much as a few hundred matches. If the matcher gives up, the automaton may still succeed.
  constexpr std::size_t kFewNames = 64;
  if (plain_.size() <= kFewNames) {
    match_each(pattern, true, out);
    out.work = (names_.size() + 1) * pattern.size();
    put_in_order(out.ranges);
    if (out.certain) return out;
    out = Taken();
  }
  auto language = regex::Nfa::of(pattern, regex::Anchoring::start);
  std::optional<std::vector<IndexRange>> numbers;
  if (auto* regular = std::get_if<regex::Nfa>(&language)) {
    regex::Automaton automaton(std::move(*regular));
    numbers = graph_->matched(automaton, budget);
  }
  if (numbers) {
    add_places(*numbers, plain_places_, aliases_.names.empty(), out.ranges);
  }
  // The matcher may take time proportional to the pattern length for each name.
  constexpr std::size_t kMaxLooks = 40'000'000;
  if (!numbers && plain_.size() * pattern.size() > kMaxLooks) {
    out = all_uncertain();
    out.work = all - budget.left;
    return out;
  }
  if (!numbers || !others_.empty()) {
    match_each(pattern, !numbers, out);
  }
  put_in_order(out.ranges);
  // The matcher does not report its steps. If it gave up, it is assumed to have used the automaton's budget.
  const std::size_t looks = others_.size() + (numbers ? 0 : plain_.size()) + 1;
  out.work = all - budget.left + (out.certain ? looks * pattern.size() : all);
  return out;
}

// Matches names that the automaton does not cover: a few names, or all names for patterns that are not regular. Once
// the matcher gives up, the remaining names are uncertain.
void ModelNames::match_each(const std::string& text, bool all, Taken& out) const {
  const auto compiled = regex::Pattern::compile(text, regex::Anchoring::start);
  const auto* pattern = std::get_if<regex::Pattern>(&compiled);
  if (pattern == nullptr) {
    return;
  }
  const auto look_at = [&](std::string_view name, std::uint32_t place) {
    const regex::Match match = out.certain ? pattern->match(name) : regex::Match::gave_up;
    out.certain = out.certain && match != regex::Match::gave_up;
    if (match != regex::Match::no) out.ranges.emplace_back(place, place + 1);
  };
  for (const auto& [name, place] : others_) {
    look_at(name, place);
  }
  for (std::size_t at = 0; all && at < plain_.size(); ++at) {
    look_at(plain_[at], plain_places_[at]);
  }
}

}  // namespace sparsecfg::model
