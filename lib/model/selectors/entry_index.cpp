#include "model/selectors/entry_index.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace sparsecfg::selectors {

// --- terms ------------------------------------------------------------------------------------------

void TermIndex::add(How how, std::string_view text, std::uint32_t entry) {
  if (how == How::always) {
    always_.push_back(entry);
  } else if (how == How::name_inside_entry) {
    inside_.emplace_back(text, entry);
  } else if (is_literal(how)) {
    texts_.push_back(text);
    uses_.push_back({how, entry});
  } else {
    add_pattern(how, text, entry);
  }
}

void TermIndex::add_pattern(How how, std::string_view text, std::uint32_t entry) {
  const bool anchored = how == How::match || how == How::fullmatch;
  if (anchored && fixed_.add(text, how == How::fullmatch, entry)) return;
  const AnchoredPattern pattern = pattern_of(how, text);
  const auto number = static_cast<std::uint32_t>(patterns_.size());
  required_.push_back(regex::required_text(how == How::search ? std::string(text) : pattern.pattern));
  patterns_.push_back({pattern, entry});
  if (required_.back().empty()) unlimited_.push_back(number);
}

void TermIndex::finish(std::span<const std::string_view> names, base::Budget& budget) {
  for (std::uint32_t number = 0; number < required_.size(); ++number) {
    if (required_[number].empty()) continue;
    texts_.emplace_back(required_[number]);
    uses_.push_back({How::search, number});
  }
  literals_.emplace(texts_);
  if (inside_.empty()) return;
  const LiteralIndex index({names.begin(), names.end()});
  for (const auto& [text, entry] : inside_) {
    const auto add = [&](std::uint32_t name, std::size_t) {
      auto& entries = containing_[names[name]];
      if (entries.empty() || entries.back() != entry) entries.push_back(entry);
    };
    if (!index.scan(text, budget, add)) return;
  }
}

// Returns the steps that the next run of a pattern needs. The regex library compiles often used patterns again.
static std::size_t cost_of_run(std::uint32_t runs) {
  constexpr std::size_t kRun = 10;
  constexpr std::size_t kCompilation = 500;
  constexpr std::size_t kMachineCode = 5'000;
  constexpr std::uint32_t kRunsBeforeMachineCode = 32;
  return runs == 0 ? kCompilation : runs == kRunsBeforeMachineCode ? kMachineCode : kRun;
}

bool TermIndex::run(LazyPattern& pattern, std::string_view name, base::Budget& budget,
                    std::vector<std::uint32_t>& out) {
  if (!budget.spend(cost_of_run(pattern.runs++))) return false;
  if (!pattern.compiled) {
    auto compiled = regex::Pattern::compile(pattern.text.pattern, pattern.text.anchoring);
    auto* usable = std::get_if<regex::Pattern>(&compiled);
    if (usable == nullptr) return false;  // only too large patterns: prepare() has reported others
    pattern.compiled = std::move(*usable);
  }
  const regex::Match match = pattern.compiled->match(name);
  if (match == regex::Match::yes) out.push_back(pattern.entry);
  return match != regex::Match::gave_up;
}

bool TermIndex::find(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const {
  bool known = budget.spend(always_.size());
  out.insert(out.end(), always_.begin(), always_.end());
  if (const auto found = containing_.find(name); found != containing_.end()) {
    out.insert(out.end(), found->second.begin(), found->second.end());
    known = budget.spend(found->second.size()) && known;
  }
  std::vector<std::uint32_t> to_run = unlimited_;
  const auto visit = [&](std::uint32_t number, std::size_t begin) {
    const Use& use = uses_[number];
    if (use.how == How::search) {
      to_run.push_back(use.number);
    } else if (matches_at(use.how, texts_[number], name, begin)) {
      out.push_back(use.number);
    }
  };
  known = literals_->scan(name, budget, visit) && known;
  known = fixed_.find(name, budget, out) && known;
  std::ranges::sort(to_run);
  to_run.erase(std::ranges::unique(to_run).begin(), to_run.end());
  for (const std::uint32_t pattern : to_run) known = run(patterns_[pattern], name, budget, out) && known;
  return known;
}

// --- entries ----------------------------------------------------------------------------------------

std::vector<std::string_view> examined_names(const Reader& reader, const Module& module) {
  const auto is_special = [&](const Special& special) { return module.facts.has(special.fact); };
  if (reader.unit == Unit::layer || module.parts.empty() || std::ranges::any_of(reader.special, is_special)) {
    return {std::string_view()};
  }
  const std::size_t count = reader.unit == Unit::first_part ? 1 : module.parts.size();
  return {module.parts.begin(), module.parts.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Calls `visit` with each name that the module has in a space.
static void each_name(const Module& module, Space space, auto visit) {
  if (space == Space::name) visit(std::string_view(module.name));
  if (space == Space::class_name) visit(std::string_view(module.type));
  for (const OtherName& other : module.others) {
    if (other.space == space) visit(std::string_view(other.name));
  }
}

// A key that is equal for entries which match the same modules.
static auto key_of(const Entry& entry) {
  std::vector<std::tuple<How, Space, std::string_view>> terms;
  for (const Term& term : entry.terms) terms.emplace_back(term.how, term.space, term.text);
  return std::tuple(entry.format, entry.excludes, std::move(terms));
}

EntryIndex::EntryIndex(const Reader& reader, std::span<const Entry> entries, std::span<const Module> modules,
                       base::Budget& budget) {
  add_channels(special_, reader.special);
  add_channels(also_, reader.also);
  const bool may_compare_text = !reader.special.empty() || !reader.also.empty();
  std::map<std::pair<std::string_view, decltype(key_of(Entry()))>, std::uint32_t> first;
  for (std::uint32_t number = 0; number < entries.size(); ++number) {
    const Entry& entry = entries[number];
    const std::string_view text = may_compare_text ? std::string_view(entry.text) : std::string_view();
    const auto [found, is_new] = first.emplace(std::pair(text, key_of(entry)), number);
    if (is_new) {
      add_entry(entry, number);
    } else {
      repetitions_[found->second].push_back(number);
    }
  }
  finish(modules, budget);
}

void EntryIndex::add_channels(std::vector<Channel>& channels, const base::Few<Special, 2>& specials) {
  for (const Special& special : specials) channels.push_back({special, {}});
}

void EntryIndex::add_entry(const Entry& entry, std::uint32_t number) {
  for (const Term& term : entry.terms) {
    auto found = std::ranges::find(spaces_, term.space, &std::pair<Space, TermIndex>::first);
    if (found == spaces_.end()) found = spaces_.emplace(spaces_.end(), term.space, TermIndex());
    found->second.add(term.how, term.text, number);
  }
  for (std::vector<Channel>* channels : {&special_, &also_}) {
    for (Channel& channel : *channels) {
      if (entry.text.find(channel.special.word) == entry.text.npos) continue;
      for (const How how : channel.special.how) {
        for (const Term& term : entry.terms) channel.terms.add(how, term.text, number);
      }
    }
  }
}

void EntryIndex::finish(std::span<const Module> modules, base::Budget& budget) {
  const auto names_in = [&](Space space, const Special* only) {
    std::vector<std::string_view> names;
    for (const Module& module : modules) {
      if (only != nullptr && !module.facts.has(only->fact)) continue;
      each_name(module, space, [&](std::string_view name) { names.push_back(name); });
      if (space == Space::name) names.insert(names.end(), module.parts.begin(), module.parts.end());
    }
    return names;
  };
  const auto finish_terms = [&](TermIndex& terms, Space space, const Special* only) {
    terms.finish(terms.compares_names_inside() ? names_in(space, only) : std::vector<std::string_view>(), budget);
  };
  for (auto& [space, terms] : spaces_) finish_terms(terms, space, nullptr);
  for (Channel& channel : special_) finish_terms(channel.terms, Space::name, &channel.special);
  for (Channel& channel : also_) finish_terms(channel.terms, Space::name, &channel.special);
}

bool EntryIndex::find_in_spaces(const Module& module, std::string_view part, base::Budget& budget,
                                std::vector<std::uint32_t>& out) const {
  bool known = true;
  for (const auto& [space, terms] : spaces_) {
    if (space == Space::name && !part.empty()) {
      known = terms.find(part, budget, out) && known;
      continue;
    }
    each_name(module, space, [&](std::string_view name) { known = terms.find(name, budget, out) && known; });
  }
  return known;
}

bool EntryIndex::find(const Module& module, std::string_view part, base::Budget& budget,
                      std::vector<std::uint32_t>& out) const {
  out.clear();
  const std::string_view name = part.empty() ? std::string_view(module.name) : part;
  const auto applies = [&](const Channel& channel) { return module.facts.has(channel.special.fact); };
  bool known = true;
  if (const auto special = std::ranges::find_if(special_, applies); special != special_.end()) {
    known = special->terms.find(name, budget, out);
  } else {
    known = find_in_spaces(module, part, budget, out);
    for (const Channel& channel : also_) {
      if (applies(channel)) known = channel.terms.find(name, budget, out) && known;
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return known;
}

const std::vector<std::uint32_t>& EntryIndex::repetitions_of(std::uint32_t entry) const {
  static const std::vector<std::uint32_t> kNone;
  const auto found = repetitions_.find(entry);
  return found == repetitions_.end() ? kNone : found->second;
}

void EntryIndex::share_with_repetitions(std::vector<bool>& flags) const {
  for (const auto& [first, others] : repetitions_) {
    bool any = flags[first];
    for (const std::uint32_t other : others) any = any || flags[other];
    flags[first] = any;
    for (const std::uint32_t other : others) flags[other] = any;
  }
}

}  // namespace sparsecfg::selectors
