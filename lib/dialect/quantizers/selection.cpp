#include "dialect/quantizers/selection.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::quantizers {

using ir::Decisions;
using ir::Rule;
using selectors::Assignment;
using selectors::Entry;

std::vector<Entry> entries_of(const ir::Selection& selection) {
  std::vector<Entry> out;
  out.reserve(selection.rules.size());
  for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
    const Rule& rule = selection.rules[at];
    const bool assigns = rule.kind == Rule::Kind::assigns;
    out.push_back({rule.entry, assigns ? format_of(rule.scheme) : selectors::kUnquantized, at, rule.span});
  }
  return out;
}

std::vector<Entry> prepared(const selectors::Reader& reader, std::vector<Entry> entries) {
  std::erase_if(entries, [&](Entry& entry) { return selectors::prepare(reader, entry).has_value(); });
  return entries;
}

std::vector<selectors::Module> plain_modules(std::span<const model::Module> modules) {
  std::vector<selectors::Module> out;
  out.reserve(modules.size());
  for (const model::Module& module : modules) out.push_back({module.name, module.type});
  return out;
}

bool is_linear(const model::Module& module) { return module.type == "Linear" || module.type == "Conv1D"; }

std::uint32_t add_scheme(std::vector<ir::Scheme>& schemes, ir::Scheme scheme) {
  const auto known = std::ranges::find(schemes, scheme);
  const auto at = static_cast<std::uint32_t>(known - schemes.begin());
  if (known == schemes.end()) schemes.push_back(std::move(scheme));
  return at;
}

ir::Scheme integer_weights(std::int64_t bits, std::int64_t group_size, std::optional<bool> symmetric) {
  ir::TensorFormat weights;
  weights.bits = bits;
  weights.symmetric = symmetric;
  weights.granularity = group_size > 0 ? ir::Granularity::group : ir::Granularity::channel;
  weights.group_size = std::max<std::int64_t>(group_size, 0);
  return {{weights}, {}, {}};
}

namespace {

// Converts the assignment of a record to decisions about rules. Equal decisions share one entry.
class Converter {
 public:
  Converter(const std::vector<Entry>& entries, const Assignment& assignment, const ir::Selection& selection)
      : entries_(entries), assignment_(assignment), selection_(selection) {}

  Decisions run() {
    out_.complete = assignment_.complete;
    for (const selectors::Decision& decision : assignment_.decisions) out_.of_modules.push_back(index_of(decision));
    return std::move(out_);
  }

 private:
  static Decisions::Reason reason_of(selectors::Decision::Why why) {
    switch (why) {
      case selectors::Decision::Why::entry: return Decisions::Reason::rule;
      case selectors::Decision::Why::default_skip: return Decisions::Reason::built_in;
      case selectors::Decision::Why::not_reached: return Decisions::Reason::not_reached;
      case selectors::Decision::Why::absent_entry:
      case selectors::Decision::Why::gate:
      case selectors::Decision::Why::unknown: return Decisions::Reason::by_default;
    }
    return Decisions::Reason::by_default;
  }

  [[nodiscard]] Decisions::Decision converted(const selectors::Decision& decision) const {
    Decisions::Decision out;
    out.reason = reason_of(decision.why);
    out.unknown = decision.why == selectors::Decision::Why::unknown;
    if (decision.has_entry()) out.rule = entries_[decision.by].place;
    const bool assigns = decision.format >= selectors::kFirstFormat;
    out.kind = assigns ? Rule::Kind::assigns : out.rule ? selection_.rules[*out.rule].kind : Rule::Kind::leaves;
    if (assigns) out.scheme = decision.format - selectors::kFirstFormat;
    out.unknown = out.unknown || (out.rule && selection_.rules[*out.rule].unknown);
    for (const std::uint32_t other : assignment_.overridden(decision)) add_overridden(entries_[other].place, out);
    return out;
  }

  // An entry of several ranks is one rule.
  static void add_overridden(std::uint32_t rule, Decisions::Decision& out) {
    if (out.rule != rule && std::ranges::find(out.overridden, rule) == out.overridden.end())
      out.overridden.push_back(rule);
  }

  // Modules with equal decisions of the record share one entry.
  std::uint32_t index_of(const selectors::Decision& decision) {
    const Key key{decision.why, decision.format, decision.by, decision.overridden};
    const auto [known, is_new] = numbers_.emplace(key, static_cast<std::uint32_t>(out_.entries.size()));
    if (is_new) out_.entries.push_back(converted(decision));
    return known->second;
  }

  using Key = std::tuple<selectors::Decision::Why, selectors::Format, std::uint32_t, std::uint32_t>;

  const std::vector<Entry>& entries_;
  const Assignment& assignment_;
  const ir::Selection& selection_;
  std::map<Key, std::uint32_t> numbers_;  // of entries
  Decisions out_;
};

}  // namespace

Decisions decide(const selectors::Reader& reader, const std::vector<Entry>& entries,
                 std::span<const selectors::Module> modules, const ir::Selection& selection) {
  base::Budget budget = selectors::assignment_budget();
  const selectors::Format usual = selection.otherwise ? format_of(*selection.otherwise) : selectors::kUnquantized;
  const auto assigned = selectors::assign(
      reader, &entries, modules, [&](const selectors::Module&) { return usual; }, {}, budget);
  const auto* assignment = std::get_if<Assignment>(&assigned);
  if (assignment != nullptr) return Converter(entries, *assignment, selection).run();
  Decisions rejected;
  rejected.of_modules.assign(modules.size(), 0);
  return rejected;
}

}  // namespace sparsecfg::dialect::quantizers
