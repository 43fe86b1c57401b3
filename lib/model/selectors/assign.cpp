#include "model/selectors/assign.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "model/selectors/entry_index.h"

namespace sparsecfg::selectors {

namespace {

using List = Assignment::List;

// Sharing lists of entries must not need more memory than this number of elements.
constexpr std::size_t kMaxListed = 2'000'000;

class Assigner {
 public:
  Assigner(const Reader& reader, const std::vector<Entry>* entries, std::span<const Module> modules,
           const DefaultFormat& default_format, base::Budget& budget)
      : reader_(reader),
        entries_(entries == nullptr ? std::span<const Entry>() : *entries),
        absent_(entries == nullptr || (reader.empty_is_absent && entries->empty())),
        modules_(modules),
        default_format_(default_format),
        budget_(budget),
        index_(reader, entries_, modules, budget) {
    sort_entries();
    out_.lists.emplace_back();
    out_.matched.resize(entries_.size());
  }

  OrRejection<Assignment> run(bool gated);

 private:
  // What the entries decide for one name of a module.
  struct Answer {
    Format format = kUnquantized;
    std::uint32_t by = Decision::kNobody;
    List matching;  // the strongest first
  };

  void sort_entries();
  [[nodiscard]] auto sort_key(std::uint32_t entry) const;
  // Reads the entries that match; returns false if they are unknown.
  bool find(const Module& module, std::string_view part, List& matching);
  void sort_by_position(const Module& module, std::string_view part, List& matching) const;
  [[nodiscard]] std::size_t position(const Module& module, std::string_view part, std::uint32_t entry) const;

  void decide(const Module& module, bool gated);
  void decide_by_entries(const Module& module, bool gated, Format full);
  [[nodiscard]] Answer answer(const List& matching, Format full, Format plain) const;
  [[nodiscard]] Format value_of(const Entry& entry, Format full) const;
  void check_not_reached(const Module& module);
  void add_skipped_by_default(const Module& module);
  void add(const std::vector<Answer>& answers, std::size_t deciding, bool gated);
  [[nodiscard]] bool parts_differ(const std::vector<Answer>& answers) const;
  [[nodiscard]] Format plain_format(const Module& module, Format full) const;
  std::uint32_t list_number(const List& list);
  void mark_matched(const List& matching);
  void check_entries();
  void reject(Rejection::Reason reason, std::uint32_t entry, std::string detail);

  const Reader& reader_;
  std::span<const Entry> entries_;
  bool absent_;
  std::span<const Module> modules_;
  const DefaultFormat& default_format_;
  base::Budget& budget_;
  EntryIndex index_;
  std::vector<std::uint32_t> priority_;  // by entry: its position in the order in which entries decide
  std::map<List, std::uint32_t> list_numbers_;
  std::size_t listed_ = 0;
  Assignment out_;
  std::optional<Rejection> rejection_;
};

// --- order of entries -------------------------------------------------------------------------------

// The order within a level depends on the text or on the position in the list.
static std::int64_t order_of(const Reader& reader, const Entry& entry) {
  switch (reader.order) {
    case Order::last: return -entry.order;
    case Order::longest: return -static_cast<std::int64_t>(entry.text.size());
    case Order::first:
    case Order::leftmost:
    case Order::sorted: break;
  }
  return entry.order;
}

auto Assigner::sort_key(std::uint32_t entry) const {
  const Entry& each = entries_[entry];
  const bool late = reader_.excludes_first && !each.excludes;
  const std::string_view text = reader_.order == Order::sorted ? std::string_view(each.text) : std::string_view();
  return std::tuple(late, each.level, text, order_of(reader_, each));
}

void Assigner::sort_entries() {
  std::vector<std::uint32_t> sorted(entries_.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::stable_sort(sorted, {}, [&](std::uint32_t entry) { return sort_key(entry); });
  priority_.resize(sorted.size());
  for (std::uint32_t at = 0; at < sorted.size(); ++at) priority_[sorted[at]] = at;
}

// Returns the number of characters before the first match of a pattern; npos if it does not match.
static std::size_t first_match(const std::string& pattern, std::string_view name) {
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const std::string before = "(?s:.{" + std::to_string(at) + "})";
    const auto compiled = regex::Pattern::compile(searched(pattern, before), regex::Anchoring::start);
    const auto* usable = std::get_if<regex::Pattern>(&compiled);
    if (usable != nullptr && usable->match(name) == regex::Match::yes) return at;
  }
  return std::string_view::npos;
}

std::size_t Assigner::position(const Module& module, std::string_view part, std::uint32_t entry) const {
  std::size_t first = std::string_view::npos;
  for (const Term& term : entries_[entry].terms) {
    first = std::min(first, first_match(term.text, part.empty() ? std::string_view(module.name) : part));
  }
  return first;
}

void Assigner::sort_by_position(const Module& module, std::string_view part, List& matching) const {
  if (reader_.order != Order::leftmost || matching.size() < 2) return;
  std::map<std::uint32_t, std::size_t> positions;
  for (const std::uint32_t entry : matching) positions[entry] = position(module, part, entry);
  std::ranges::stable_sort(matching, {}, [&](std::uint32_t entry) { return positions[entry]; });
}

// --- one module -------------------------------------------------------------------------------------

// Adds the entries that repeat others. Of very many repetitions only the strongest.
bool Assigner::find(const Module& module, std::string_view part, List& matching) {
  constexpr std::size_t kFew = 16;
  const bool known = index_.find(module, part, budget_, matching);
  const std::size_t count = matching.size();
  for (std::size_t at = 0; at < count; ++at) {
    const List& others = index_.repetitions_of(matching[at]);
    if (!budget_.spend(others.size())) return false;
    if (others.size() <= kFew) {
      matching.insert(matching.end(), others.begin(), others.end());
    } else {
      const auto strongest = std::ranges::min(others, {}, [&](std::uint32_t entry) { return priority_[entry]; });
      if (priority_[strongest] < priority_[matching[at]]) matching[at] = strongest;
    }
  }
  std::ranges::sort(matching, {}, [&](std::uint32_t entry) { return priority_[entry]; });
  sort_by_position(module, part, matching);
  return known;
}

Format Assigner::value_of(const Entry& entry, Format full) const {
  if (entry.excludes || reader_.polarity == Polarity::skip || entry.format == kUnquantized) return kUnquantized;
  if (reader_.polarity == Polarity::keep || entry.format == kDefaultFormat) return full;
  return entry.format;
}

Assigner::Answer Assigner::answer(const List& matching, Format full, Format plain) const {
  const auto assigns_default = [&](std::uint32_t entry) { return value_of(entries_[entry], full) == full; };
  Answer out{.matching = matching};
  List live = matching;
  if (reader_.skips_default) {
    std::ranges::stable_partition(out.matching, std::not_fn(assigns_default));
    std::erase_if(live, assigns_default);
  }
  if (!live.empty()) {
    out.by = live.front();
    out.format = value_of(entries_[live.front()], full);
  } else if (matching.empty() && absent_) {
    out.format = plain;
  } else {
    out.format = reader_.polarity == Polarity::keep ? kUnquantized : plain;
  }
  return out;
}

Format Assigner::plain_format(const Module& module, Format full) const {
  return reader_.quantized_if.empty() || reader_.quantized_if.contain(module) ? full : kUnquantized;
}

bool Assigner::parts_differ(const std::vector<Answer>& answers) const {
  const auto differs = [&](const Answer& other) { return other.format != answers.front().format; };
  return reader_.unit == Unit::parts && std::ranges::any_of(answers, differs);
}

void Assigner::reject(Rejection::Reason reason, std::uint32_t entry, std::string detail) {
  if (rejection_) return;
  rejection_ = Rejection{reason, std::nullopt, {}, std::move(detail)};
  if (entry == Decision::kNobody) return;
  rejection_->place = entries_[entry].place;
  rejection_->span = entries_[entry].span;
}

void Assigner::check_not_reached(const Module& module) {
  if (!reader_.rejects_match_not_reached) return;
  List matching;
  (void)find(module, {}, matching);
  const auto assigns = [&](std::uint32_t entry) { return entries_[entry].format != kUnquantized; };
  const auto found = std::ranges::find_if(matching, assigns);
  if (found != matching.end()) reject(Rejection::Reason::cannot_be_quantized, *found, module.name);
}

void Assigner::add_skipped_by_default(const Module& module) {
  List matching;
  const bool known = find(module, {}, matching);
  out_.complete = out_.complete && known;
  out_.decisions.push_back({.overridden = list_number(matching), .why = Decision::Why::default_skip});
}

void Assigner::decide(const Module& module, bool gated) {
  if (reader_.never.contain(module) || (!reader_.reaches.empty() && !reader_.reaches.contain(module))) {
    check_not_reached(module);
    out_.decisions.push_back({.why = Decision::Why::not_reached});
    return;
  }
  if (module.facts.has_any(reader_.default_skips) && (absent_ || reader_.with_list == DefaultSkips::in_addition)) {
    return add_skipped_by_default(module);
  }
  const Format full = default_format_(module);
  if (absent_ && !reader_.without_list.empty()) {
    const bool kept = reader_.without_list.contain(module);
    out_.decisions.push_back({.format = kept ? plain_format(module, full) : kUnquantized});
    return;
  }
  decide_by_entries(module, gated, full);
}

void Assigner::decide_by_entries(const Module& module, bool gated, Format full) {
  std::vector<Answer> answers;
  bool known = true;
  for (const std::string_view name : examined_names(reader_, module)) {
    List matching;
    if (!gated) known = find(module, name, matching) && known;
    mark_matched(matching);
    answers.push_back(answer(matching, full, plain_format(module, full)));
  }
  if (!known) {
    out_.complete = false;
    out_.decisions.push_back({.why = Decision::Why::unknown});
    return;
  }
  const auto decides = [](const Answer& each) { return each.format != kUnquantized; };
  const auto found = reader_.unit == Unit::any_part ? std::ranges::find_if(answers, decides) : answers.begin();
  const std::size_t deciding = found == answers.end() ? 0 : static_cast<std::size_t>(found - answers.begin());
  if (parts_differ(answers)) reject(Rejection::Reason::parts_differ, answers[deciding].by, module.name);
  add(answers, deciding, gated);
}

static void add_new(List& list, std::uint32_t entry) {
  if (std::ranges::find(list, entry) == list.end()) list.push_back(entry);
}

void Assigner::add(const std::vector<Answer>& answers, std::size_t deciding, bool gated) {
  Decision decision{.format = answers[deciding].format, .by = answers[deciding].by};
  decision.why = decision.has_entry() ? Decision::Why::entry
                 : gated              ? Decision::Why::gate
                                      : Decision::Why::absent_entry;
  List together;
  List overridden;
  for (const Answer& each : answers) {
    if (reader_.later == Later::changes_fields) {
      for (const std::uint32_t entry : each.matching) add_new(together, entry);
    } else if (each.by != Decision::kNobody) {
      add_new(together, each.by);
    }
  }
  for (const Answer& each : answers) {
    for (const std::uint32_t entry : each.matching) {
      if (answers.size() == 1 && reader_.later == Later::replaces) {
        if (entry != decision.by) overridden.push_back(entry);
      } else if (std::ranges::find(together, entry) == together.end()) {
        add_new(overridden, entry);
      }
    }
  }
  std::erase(together, decision.by);
  decision.together = list_number(together);
  decision.overridden = list_number(overridden);
  out_.decisions.push_back(decision);
}

// Returns the number of a shared list. Beyond the limit, lists are not stored.
std::uint32_t Assigner::list_number(const List& list) {
  if (list.empty()) return 0;
  const auto found = list_numbers_.find(list);
  if (found != list_numbers_.end()) return found->second;
  if (listed_ + list.size() > kMaxListed) return 0;
  listed_ += list.size();
  const auto number = static_cast<std::uint32_t>(out_.lists.size());
  out_.lists.push_back(list);
  list_numbers_.emplace(list, number);
  return number;
}

void Assigner::mark_matched(const List& matching) {
  for (const std::uint32_t entry : matching) out_.matched[entry] = true;
}

// --- the whole list ---------------------------------------------------------------------------------

void Assigner::check_entries() {
  if (reader_.no_match != NoMatch::silent && !entries_.empty()) {
    const auto dead = std::ranges::find(out_.matched, false);
    const bool all = std::ranges::find(out_.matched, true) == out_.matched.end();
    if (dead != out_.matched.end() && (all || reader_.no_match == NoMatch::reject_one)) {
      reject(Rejection::Reason::matches_nothing, static_cast<std::uint32_t>(dead - out_.matched.begin()), "");
    }
  }
  const auto is_unquantized = [](const Decision& decision) {
    return decision.format == kUnquantized && decision.why != Decision::Why::unknown;
  };
  if (reader_.rejects_nothing_left && std::ranges::all_of(out_.decisions, is_unquantized)) {
    reject(Rejection::Reason::nothing_left, Decision::kNobody, "");
  }
}

OrRejection<Assignment> Assigner::run(bool gated) {
  out_.decisions.reserve(modules_.size());
  for (const Module& module : modules_) {
    decide(module, gated);
    if (rejection_) return *std::move(rejection_);
  }
  index_.share_with_repetitions(out_.matched);
  if (!gated && out_.complete) check_entries();
  if (rejection_) return *std::move(rejection_);
  return std::move(out_);
}

}  // namespace

OrRejection<Assignment> assign(const Reader& reader, const std::vector<Entry>* entries, std::span<const Module> modules,
                               const DefaultFormat& default_format, std::span<const std::string_view> run,
                               base::Budget& budget) {
  const auto disables = [&](std::string_view fact) { return reader.gate.contains(fact); };
  return Assigner(reader, entries, modules, default_format, budget).run(std::ranges::any_of(run, disables));
}

OrRejection<Assignment> assign(const Reader& reader, const std::vector<Entry>* entries,
                               std::span<const Module> modules) {
  base::Budget budget = assignment_budget();
  return assign(
      reader, entries, modules, [](const Module&) { return kDefaultFormat; }, {}, budget);
}

std::vector<bool> matched_entries(const Reader& reader, std::span<const Entry> entries, std::span<const Module> modules,
                                  base::Budget& budget) {
  const EntryIndex index(reader, entries, modules, budget);
  std::vector<bool> out(entries.size());
  List matching;
  for (const Module& module : modules) {
    for (const std::string_view name : examined_names(reader, module)) {
      (void)index.find(module, name, budget, matching);
      for (const std::uint32_t entry : matching) out[entry] = true;
    }
  }
  index.share_with_repetitions(out);
  return out;
}

}  // namespace sparsecfg::selectors
