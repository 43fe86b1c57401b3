#include "dialect/decided.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace sparsecfg::dialect {

using ir::Decisions;
using ir::Rule;

ir::Selection decided_selection(const ir::Language* language, const std::vector<DecidedUnit>& units) {
  ir::Selection out;
  out.language = language;
  out.rules.reserve(units.size());
  std::set<std::pair<std::uint32_t, std::string_view>> seen;  // entries and their places
  for (const DecidedUnit& unit : units) {
    // Only the first rule of an entry has its place, because the others are no entries of the file.
    const bool is_first = !unit.span.empty() && seen.emplace(unit.span.begin, unit.entry).second;
    Rule& rule = out.rules.emplace_back(Rule{std::string(unit.entry), is_first ? unit.span : source::Span()});
    rule.kind = !unit.reached ? Rule::Kind::leaves : unit.scheme ? Rule::Kind::assigns : Rule::Kind::excludes;
    rule.scheme = unit.scheme.value_or(0);
    rule.unknown = unit.unknown;
  }
  return out;
}

static Decisions::Decision decision_of(const Rule& rule, std::uint32_t index) {
  Decisions::Decision out{.kind = rule.kind, .scheme = rule.scheme, .unknown = rule.unknown};
  if (rule.kind == Rule::Kind::leaves && rule.entry.empty()) return out;  // not reached
  out.reason = rule.entry.empty() ? Decisions::Reason::by_default : Decisions::Reason::rule;
  if (!rule.entry.empty()) out.rule = index;
  return out;
}

// Units with equal rules share one entry.
Decisions decide_by_position(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                             std::span<const model::Module> units) {
  using Key = std::tuple<std::string_view, Rule::Kind, std::uint32_t, bool>;
  Decisions out;
  out.of_modules.resize(units.size());
  if (selection.rules.size() != units.size()) return out;
  std::map<Key, std::uint32_t> numbers;
  for (std::uint32_t at = 0; at < units.size(); ++at) {
    const Rule& rule = selection.rules[at];
    const auto [found, is_new] = numbers.emplace(Key{rule.entry, rule.kind, rule.scheme, rule.unknown},
                                                 static_cast<std::uint32_t>(out.entries.size()));
    if (is_new) out.entries.push_back(decision_of(rule, at));
    out.of_modules[at] = found->second;
  }
  return out;
}

}  // namespace sparsecfg::dialect
