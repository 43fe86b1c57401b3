#include "model/model_names.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "model/name_index.h"
#include "model/name_marker.h"
#include "regex/pattern.h"

namespace sparsecfg::model {

std::string unwrapped_name(std::string_view name) {
  constexpr std::string_view kWrapper = ".module.";
  const std::size_t last = name.rfind('.') + 1;  // after the last dot; 0 without a dot
  const std::string_view layer = name.substr(0, last);
  if (!layer.ends_with(kWrapper)) {
    return {};
  }
  return std::string(layer.substr(0, layer.size() - kWrapper.size() + 1)) + std::string(name.substr(last));
}

// The index of a list of names. Not movable, because its members refer to each other.
class ModelNames::Index : public Data {
 public:
  Index(Parameters all, std::vector<std::string> types_of_modules);
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  // Returns the index of a name, and the indices of names of which it is an alias.
  [[nodiscard]] std::vector<std::uint32_t> places_of(std::string_view name) const;
  [[nodiscard]] Taken taken_by_name(std::string_view name) const;
  [[nodiscard]] Taken taken_if(auto fits) const;
  // Results are cached.
  [[nodiscard]] Taken taken_by_pattern(const std::string& pattern) const;
  [[nodiscard]] Taken all_uncertain() const;

 private:
  // Second names of parameters that quantization has wrapped, in the order of the original names.
  struct Aliases {
    std::vector<std::string> names;
    std::vector<std::uint32_t> places;
  };

  [[nodiscard]] Taken follow(const std::string& pattern) const;
  void match_each(const std::string& pattern, bool all, Taken& out) const;
  void list_names();
  // Builds the graph with the first pattern, because many recipes select only names.
  [[nodiscard]] const Dawg& graph() const;

  Aliases aliases_;
  NameIndex index_;  // of the names, followed by the aliases
  // ASCII names, followed by ASCII aliases, by their number in the graph. `plain_places_` has their indices, and
  // `others_` has all other names.
  std::vector<std::string_view> plain_;
  std::vector<std::uint32_t> plain_places_;
  std::vector<std::pair<std::string_view, std::uint32_t>> others_;

  mutable std::once_flag built_;
  mutable std::optional<Dawg> graph_;

  mutable std::mutex mutex_;                              // guards the members below
  mutable std::unordered_map<std::string, Taken> known_;  // by pattern
  mutable std::size_t remembered_ = 0;                    // total number of ranges in `known_`
};

ModelNames::Index::Index(Parameters all, std::vector<std::string> types_of_modules)
    : Data{std::move(all.names), std::move(all.shapes), std::move(types_of_modules)} {
  has_shapes = std::ranges::any_of(shapes, [](const auto& shape) { return shape.has_value(); });
  shapes.resize(has_shapes ? names.size() : 0);
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    if (std::string other = unwrapped_name(names[place]); !other.empty()) {
      aliases_.names.push_back(std::move(other));
      aliases_.places.push_back(place);
    }
  }
  index_ = NameIndex(names.size() + aliases_.names.size());
  std::uint32_t number = 0;
  for (const auto* list : {&names, &aliases_.names}) {
    for (const std::string& name : *list) index_.add(name, number++);
  }
  list_names();
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

void ModelNames::Index::list_names() {
  const auto add = [&](std::string_view name, std::uint32_t place) {
    if (!name.empty() && is_plain(name)) {
      plain_.push_back(name);
      plain_places_.push_back(place);
    } else {
      others_.emplace_back(name, place);
    }
  };
  plain_.reserve(names.size() + aliases_.names.size());
  plain_places_.reserve(names.size() + aliases_.names.size());
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    add(names[place], place);
  }
  for (std::size_t at = 0; at < aliases_.names.size(); ++at) {
    add(aliases_.names[at], aliases_.places[at]);
  }
}

const Dawg& ModelNames::Index::graph() const {
  std::call_once(built_, [this] { graph_.emplace(plain_); });
  return *graph_;
}

bool WorkLimit::allows(const void* names, const std::string& pattern) const {
  return left_ > 0 || counted_.contains({names, pattern});
}

void WorkLimit::count(const void* names, const std::string& pattern, std::uint64_t work) {
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

std::vector<std::uint32_t> ModelNames::Index::places_of(std::string_view name) const {
  std::vector<std::uint32_t> out;
  index_.for_each_like(name, [&](std::uint32_t number) {
    const bool own = number < names.size();
    const std::size_t at = own ? number : number - names.size();
    if ((own ? names[at] : aliases_.names[at]) == name) out.push_back(own ? number : aliases_.places[at]);
  });
  return out;
}

ModelNames::Taken ModelNames::Index::taken_by_name(std::string_view name) const {
  Taken out;
  for (const std::uint32_t place : places_of(name)) {
    out.ranges.emplace_back(place, place + 1);
  }
  put_in_order(out.ranges);
  return out;
}

ModelNames::Taken ModelNames::Index::taken_if(auto fits) const {
  Taken out;
  const auto look_at = [&](std::string_view name, std::uint32_t place) {
    if (fits(name, place)) out.ranges.emplace_back(place, place + 1);
  };
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    look_at(names[place], place);
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

ModelNames::Taken ModelNames::Index::all_uncertain() const {
  return {{{0, static_cast<std::uint32_t>(names.size())}}, false};
}

ModelNames::Taken ModelNames::Index::taken_by_pattern(const std::string& pattern) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(pattern); known != known_.end()) {
      return known->second;
    }
  }
  Taken matched = follow(pattern);
  const std::lock_guard lock(mutex_);
  if (remembered_ + matched.ranges.size() < limits::kMaxRemembered) {
    remembered_ += matched.ranges.size() + 1;
    known_.emplace(pattern, matched);
  }
  return matched;
}

ModelNames::Taken ModelNames::Index::follow(const std::string& pattern) const {
  base::Budget budget = regex::comparison_budget(limits::kMaxWorkOfPattern);
  constexpr std::uint64_t all = limits::kMaxWorkOfPattern;
  Taken out;
  // An automaton costs as much as a few hundred matches. If the matcher gives up, the automaton may still succeed.
  constexpr std::size_t kFewNames = 64;
  if (plain_.size() <= kFewNames) {
    match_each(pattern, true, out);
    out.work = (names.size() + 1) * pattern.size();
    put_in_order(out.ranges);
    if (out.certain) return out;
    out = Taken();
  }
  auto language = regex::Nfa::of(pattern, regex::Anchoring::start);
  std::optional<std::vector<IndexRange>> numbers;
  if (auto* regular = std::get_if<regex::Nfa>(&language)) {
    regex::Automaton automaton(std::move(*regular));
    numbers = graph().matched(automaton, budget);
  }
  if (numbers) {
    add_places(*numbers, plain_places_, aliases_.names.empty(), out.ranges);
  }
  if (!numbers && plain_.size() * pattern.size() > limits::kMaxLooks) {
    out = all_uncertain();
    out.work = all - budget.steps_left();
    return out;
  }
  if (!numbers || !others_.empty()) {
    match_each(pattern, !numbers, out);
  }
  put_in_order(out.ranges);
  // The matcher does not report its steps. If it gave up, it is assumed to have used the automaton's budget.
  const std::size_t looks = others_.size() + (numbers ? 0 : plain_.size()) + 1;
  out.work = all - budget.steps_left() + (out.certain ? looks * pattern.size() : all);
  return out;
}

// Matches names that the automaton does not cover: a few names, or all names for patterns that are not regular. Once
// the matcher gives up, the remaining names are uncertain.
void ModelNames::Index::match_each(const std::string& text, bool all, Taken& out) const {
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

// --- names ----------------------------------------------------------------------------------------------

ModelNames::ModelNames(Parameters all, std::vector<std::string> types)
    : index_(std::make_shared<const Index>(std::move(all), std::move(types))), data_(index_) {}

ModelNames::ModelNames(Parameters all) : ModelNames(std::move(all), {}) {}

static Parameters parameters_of(const std::vector<Module>& modules) {
  Parameters out;
  for (const Module& module : modules) {
    out.names.push_back(module.name);
    out.shapes.push_back(module.shape);
  }
  return out;
}

static std::vector<std::string> types_of(const std::vector<Module>& modules) {
  std::vector<std::string> types;
  for (const Module& module : modules) types.push_back(module.type);
  return types;
}

ModelNames::ModelNames(const std::vector<Module>& modules) : ModelNames(parameters_of(modules), types_of(modules)) {}

ModelNames ModelNames::limited_by(std::shared_ptr<WorkLimit> limit) const {
  ModelNames out = *this;
  out.limit_ = std::move(limit);
  return out;
}

bool ModelNames::knows(std::string_view name) const { return !index_->places_of(name).empty(); }

ModelNames::Taken ModelNames::matched(const Term& term) const {
  const auto may_be_weight = [&](std::string_view name, std::uint32_t place) {
    return name.ends_with("weight") && (shape(place) == nullptr || shape(place)->size() > 1);
  };
  const auto is_part = [&](std::string_view name, std::uint32_t) { return term.text.find(name) != std::string::npos; };
  switch (term.kind) {
    case Term::Kind::all: return {{{0, static_cast<std::uint32_t>(size())}}};
    case Term::Kind::all_prunable:
    case Term::Kind::all_quantizable: return index_->taken_if(may_be_weight);
    case Term::Kind::exact: return index_->taken_by_name(term.text);
    case Term::Kind::part: return index_->taken_if(is_part);
    case Term::Kind::pattern: break;
    case Term::Kind::module_type:
      return data_->types.empty() ? Taken() : index_->taken_if([&](std::string_view, std::uint32_t place) {
        return data_->types[place] == term.text;
      });
  }
  if (limit_ != nullptr && !limit_->allows(index_.get(), term.text)) {
    return index_->all_uncertain();
  }
  Taken out = index_->taken_by_pattern(term.text);
  if (limit_ != nullptr) limit_->count(index_.get(), term.text, out.work);
  return out;
}

NameMarker::NameMarker(const ModelNames& names) : names_(names), next_(names.size() + 1) {
  std::iota(next_.begin(), next_.end(), 0U);
}

std::uint32_t NameMarker::next_unmarked(std::uint32_t at) {
  std::uint32_t end = at;
  while (next_[end] != end) end = next_[end];
  while (next_[at] != end) at = std::exchange(next_[at], end);
  return end;
}

std::vector<bool> matched_names(const Selector& selector, const ModelNames& names) {
  std::vector<bool> matched(names.size(), false);
  NameMarker marker(names);
  for (const Term& term : selector.terms) marker.mark(term, [&](std::size_t at) { matched[at] = true; });
  return matched;
}

const Shape* shape_of(const ModelNames* names, const std::string& name) {
  const auto taken = names == nullptr ? ModelNames::Taken() : names->matched({Term::Kind::exact, name, {}});
  return taken.ranges.empty() ? nullptr : names->shape(taken.ranges.front().first);
}

}  // namespace sparsecfg::model
