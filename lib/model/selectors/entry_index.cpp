#include "model/selectors/entry_index.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

namespace sparsecfg::selectors {

// --- terms ------------------------------------------------------------------------------------------

void TermIndex::add(How how, std::string_view text, std::uint32_t entry) {
  if (how == How::always) return always_.push_back(entry);
  if (how == How::name_inside_entry) return inside_.emplace_back(text, entry), void();
  const auto number = static_cast<std::uint32_t>(uses_.size());
  uses_.push_back({how, entry, text});
  if (is_literal(how)) return add_literal(uses_.back(), number);
  all_patterns_.push_back(number);
  if (auto pieces = pieces_of(how, text)) {
    uses_.back().pieces = static_cast<std::uint32_t>(pieces_.size());
    add_pieces(pieces_.emplace_back(std::move(*pieces)), number);
  } else {
    uses_.back().pattern = static_cast<std::uint32_t>(patterns_.size());
    patterns_.push_back({pattern_of(how, text)});
    add_required(regex::required_text(how == How::search ? std::string(text) : patterns_.back().text.pattern), number);
  }
}

void TermIndex::add_literal(const Use& use, std::uint32_t number) {
  constexpr bool kLiteral = false;
  if (use.how == How::exact && wholes_.add(use.text, kLiteral, number)) return;
  const bool at_start = use.how == How::prefix || use.how == How::prefix_of_parts;
  if (at_start && starts_.add(use.text, kLiteral, number)) return;
  const bool at_end = use.how == How::suffix || use.how == How::suffix_of_parts;
  if (at_end && ends_.add(use.text, kLiteral, number)) return;
  required_.emplace_back(use.text);
  requires_.push_back(number);
}

void TermIndex::add_pieces(const Pieces& pieces, std::uint32_t number) {
  constexpr bool kPiece = true;
  const bool usable = !pieces.parts.empty();
  if (usable && pieces.at_start && starts_.add(pieces.parts.front(), kPiece, number)) return;
  if (usable && pieces.at_end && ends_.add(pieces.parts.back(), kPiece, number)) return;
  add_required(pieces.required_text(), number);
}

void TermIndex::add_required(std::string_view text, std::uint32_t number) {
  if (text.empty()) return unlimited_.push_back(number);
  required_.emplace_back(text);
  requires_.push_back(number);
}

void TermIndex::finish(std::span<const std::string_view> names, base::Budget& budget) {
  literals_.emplace(std::vector<std::string_view>(required_.begin(), required_.end()));
  if (inside_.size() <= kFewInside) return;
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

bool TermIndex::run(Use& use, std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const {
  if (use.pattern == kNone) {
    use.pattern = static_cast<std::uint32_t>(patterns_.size());
    patterns_.push_back({pattern_of(use.how, use.text)});
  }
  LazyPattern& pattern = patterns_[use.pattern];
  if (!budget.spend(cost_of_run(pattern.runs++))) return false;
  if (!pattern.compiled) {
    auto compiled = regex::Pattern::compile(pattern.text.pattern, pattern.text.anchoring);
    auto* usable = std::get_if<regex::Pattern>(&compiled);
    if (usable == nullptr) return false;  // only too large patterns: prepare() has reported others
    pattern.compiled = std::move(*usable);
  }
  const regex::Match match = pattern.compiled->match(name);
  if (match == regex::Match::yes) out.push_back(use.entry);
  return match != regex::Match::gave_up;
}

// Compares a name with a pattern, or with a text that may be its start or end.
bool TermIndex::compare(std::uint32_t number, std::string_view name, base::Budget& budget,
                        std::vector<std::uint32_t>& out) const {
  Use& use = uses_[number];
  if (use.pieces != kNone && is_plain_name(name)) {
    if (pieces_[use.pieces].match(name)) out.push_back(use.entry);
    return budget.spend();
  }
  if (!is_literal(use.how)) return run(use, name, budget, out);
  const bool at_start = use.how <= How::prefix_of_parts;
  const std::size_t begin = at_start ? 0 : name.size() - use.text.size();
  if (name.substr(begin, use.text.size()) == use.text && matches_at(use.how, use.text, name, begin))
    out.push_back(use.entry);
  return true;
}

bool TermIndex::find(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const {
  bool known = budget.spend(always_.size());
  out.insert(out.end(), always_.begin(), always_.end());
  for (std::size_t at = 0; inside_.size() <= kFewInside && at < inside_.size(); ++at) {
    known = budget.spend() && known;
    if (inside_[at].first.find(name) != std::string_view::npos) out.push_back(inside_[at].second);
  }
  if (const auto found = containing_.find(name); found != containing_.end()) {
    out.insert(out.end(), found->second.begin(), found->second.end());
    known = budget.spend(found->second.size()) && known;
  }
  return find_terms(name, budget, out) && known;
}

// In other names than plain ones, pieces do not show whether a pattern matches, so each pattern is run.
bool TermIndex::find_terms(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const {
  const bool plain = is_plain_name(name);
  bool known = true;
  std::vector<std::uint32_t> patterns = plain ? unlimited_ : all_patterns_;
  const auto visit = [&](std::uint32_t number) {
    const bool is_pattern = !is_literal(uses_[number].how);
    if (is_pattern && !plain) return;
    known = compare(number, name, budget, out) && known;
  };
  const auto visit_inside = [&](std::uint32_t text, std::size_t begin) {
    const Use& use = uses_[requires_[text]];
    if (!is_literal(use.how)) {
      if (plain) patterns.push_back(requires_[text]);
    } else if (matches_at(use.how, use.text, name, begin)) {
      out.push_back(use.entry);
    }
  };
  known = wholes_.find(name, budget, visit) && known;
  known = starts_.find(name, budget, visit) && known;
  known = ends_.find(name, budget, visit) && known;
  known = literals_->scan(name, budget, visit_inside) && known;
  std::ranges::sort(patterns);
  patterns.erase(std::ranges::unique(patterns).begin(), patterns.end());
  for (const std::uint32_t number : patterns) known = compare(number, name, budget, out) && known;
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

namespace {

// Entries that match the same modules and have the same format. With `texts`, also the same text.
struct SameEntries {
  std::span<const Entry> entries;
  bool texts;

  [[nodiscard]] std::size_t operator()(std::uint32_t number) const {
    const Entry& entry = entries[number];
    std::size_t hash = entry.format * 2 + (entry.excludes ? 1 : 0);
    const auto add = [&](std::size_t more) { hash = hash * 0x9E3779B97F4A7C15 + more; };
    for (const Term& term : entry.terms) {
      add(static_cast<std::size_t>(term.how) * 16 + static_cast<std::size_t>(term.space));
      add(std::hash<std::string_view>()(term.text));
    }
    return hash;
  }

  [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const {
    const Entry& one = entries[a];
    const Entry& other = entries[b];
    return one.format == other.format && one.excludes == other.excludes && one.terms == other.terms &&
           (!texts || one.text == other.text);
  }
};

}  // namespace

EntryIndex::EntryIndex(const Reader& reader, std::span<const Entry> entries, std::span<const Module> modules,
                       base::Budget& budget) {
  add_channels(special_, reader.special);
  add_channels(also_, reader.also);
  const SameEntries same{entries, !reader.special.empty() || !reader.also.empty()};
  std::unordered_set<std::uint32_t, SameEntries, SameEntries> first(2 * entries.size(), same, same);
  for (std::uint32_t number = 0; number < entries.size(); ++number) {
    const auto [found, is_new] = first.insert(number);
    if (is_new) {
      add_entry(entries[number], number);
    } else {
      repetitions_[*found].push_back(number);
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
