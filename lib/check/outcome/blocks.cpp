#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "check/check.h"
#include "outcome/outcome.h"

// Checks which part of a model gets a scheme, in recipes of all dialects (MD924, MD925, MD930).
namespace sparsecfg::check {

using outcome::State;

namespace {

// The repeated blocks below one name, such as `model.layers`.
struct Blocks {
  std::set<std::string, std::less<>> all;
  std::set<std::string, std::less<>> quantized;
  std::set<std::string, std::less<>> mentioned;  // a rule leaves or excludes one of their layers
  const State* first = nullptr;                  // of the first layer that a rule quantizes
};

// The parts of a name around its first number: `model.layers` and `12`.
struct Position {
  std::string_view list;
  std::string_view block;
};

std::optional<Position> position_of(std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (begin > 0 && !part.empty() && std::ranges::all_of(part, base::is_digit)) {
      return Position{name.substr(0, begin - 1), part};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

class Reach {
 public:
  explicit Reach(const Context& context) : context_(context), modules_(*context.module_list) {
    for (std::size_t at = 0; at < modules_.size(); ++at) add(at);
  }

  void check() const {
    const source::Span place = first_assignment();
    if (place.empty()) return;
    if (quantized_ == 0 && matched_ > 0 && !context_.own_entry_rules) {
      context_.sink.report(diag::nothing_assigned, place, matched_).not_beside(diag::entry_never_decides);
      return;
    }
    for (const auto& [list, blocks] : lists_) {
      const auto open = static_cast<std::size_t>(std::ranges::count_if(
          blocks.all, [&](const std::string& block) { return !blocks.mentioned.contains(block); }));
      if (blocks.quantized.empty() || open == 0 || blocks.all.size() < kFewBlocks) continue;
      auto& report =
          context_.sink.report(diag::blocks_left_out, place, blocks.quantized.size(), blocks.all.size(), list);
      report.not_beside(diag::entry_matches_longer_numbers);
      const bool digits = blocks.quantized.size() == kDigits;
      advise(report, [&](const std::string& entry) {
        const std::string meant = digits ? with_several_digits(entry) : std::string();
        return meant.empty() ? with_any_block(entry, list) : meant;
      });
      return;
    }
    check_digits();
  }

  // Advises to write all patterns as `edit` returns them; it returns nothing for an entry that stays.
  template <class Edit>
  void advise(diag::Diagnostic& report, const Edit& edit) const {
    std::vector<std::string> edits;
    diag::Fix fix = diag::Fix::unsafe();
    for (const ir::Action& action : context_.recipe.actions) {
      for (const ir::Operation& operation : action.operations) {
        for (const ir::Rule& rule : ir::selection_of(operation).rules) {
          const std::string meant = rule.span.empty() ? std::string() : edit(rule.entry);
          if (meant.empty()) continue;
          edits.push_back(fmt::format("`{}`", meant));
          fix.content(rule.span, meant);
        }
      }
    }
    if (edits.empty()) {
      if (!has_entries()) report.with_help("select the layers of all blocks");  // with a function, not with entries
      return;
    }
    report.with_help(fmt::format("write {}", base::join_and(edits))).with_fix(std::move(fix));
  }

  // Returns true if the file lists entries that select modules.
  [[nodiscard]] bool has_entries() const {
    const auto lists = [](const ir::Operation& operation) {
      return std::ranges::any_of(ir::selection_of(operation).rules,
                                 [](const ir::Rule& rule) { return !rule.span.empty(); });
    };
    return std::ranges::any_of(context_.recipe.actions,
                               [&](const ir::Action& action) { return std::ranges::any_of(action.operations, lists); });
  }

  // Reports a pattern whose layers are in the blocks 0 to 9, although other blocks have the same layers.
  void check_digits() const {
    for (const auto& [layer, blocks] : layers_) {
      const auto has_one_digit = [](const std::string& block) { return block.size() == 1; };
      const bool all_ten = blocks.quantized.size() == kDigits && std::ranges::all_of(blocks.quantized, has_one_digit);
      const auto open = static_cast<std::size_t>(std::ranges::count_if(
          blocks.all, [&](const std::string& block) { return !blocks.mentioned.contains(block); }));
      if (blocks.first == nullptr || !all_ten || open == 0 || open + kDigits != blocks.all.size()) continue;
      const ir::Rule* rule = context_.outcome->rule(blocks.first->assigned->by);
      if (rule == nullptr || rule->span.empty()) continue;
      auto& report = context_.sink.report(diag::blocks_of_one_digit, rule->span, rule->entry, open);
      const std::string meant = with_several_digits(rule->entry);
      if (!meant.empty())
        report.with_help(fmt::format("write `{}`", meant)).with_fix(diag::Fix::unsafe().content(rule->span, meant));
      return;
    }
  }

  // Returns a pattern with `\d+` in place of a list of block numbers, such as `layers\.([0-9]|1[0-9])\.`; empty if it
  // has none.
  static std::string with_any_block(std::string text, std::string_view list) {
    const std::string before = fmt::format("{}\\.(", base::last_part(list));
    const std::size_t found = text.find(before);
    if (found == text.npos) return {};
    const std::size_t begin = found + before.size() - 1;
    const std::size_t end = text.find_first_not_of("0123456789[]|-?:", begin + 1);
    if (end == text.npos || text[end] != ')') return {};
    return text.replace(begin, end + 1 - begin, "\\d+");
  }

  // Returns a pattern in which digits are repeated; empty if it has no single digit.
  static std::string with_several_digits(std::string text) {
    for (const std::string_view digit : {"[0-9]", "\\d"}) {
      const std::size_t at = text.find(digit);
      const std::size_t end = at + digit.size();
      const bool repeated =
          at != text.npos && end < text.size() && std::string_view("+*{").find(text[end]) != std::string_view::npos;
      if (at != text.npos && !repeated) return text.insert(end, "+");
    }
    return {};
  }

 private:
  static constexpr std::size_t kFewBlocks = 4;
  static constexpr std::size_t kDigits = 10;

  void add(std::size_t at) {
    const State& state = context_.outcome->at(at);
    const bool quantized = !state.scheme.weights.empty();
    quantized_ += quantized ? 1 : 0;
    matched_ += state.assigned && state.assigned->by.rule ? 1 : 0;
    const bool matrix = modules_[at].shape && modules_[at].shape->size() >= 2;  // also of fused experts
    const auto position = matrix || quantized ? position_of(modules_[at].name) : std::nullopt;
    if (!position) return;
    // A layer whose scheme is not known may have one.
    const bool mentioned = quantized || state.unknown || (state.assigned && state.assigned->by.rule);
    const std::string after = modules_[at].name.substr(position->list.size() + 1 + position->block.size());
    for (Blocks* blocks :
         {&lists_[std::string(position->list)], &layers_[fmt::format("{}.*{}", position->list, after)]}) {
      blocks->all.emplace(position->block);
      if (quantized) blocks->quantized.emplace(position->block);
      if (mentioned) blocks->mentioned.emplace(position->block);
      if (quantized && blocks->first == nullptr && state.assigned && state.assigned->by.rule) blocks->first = &state;
    }
  }

  // Returns the place of the first rule that assigns a scheme to weights.
  [[nodiscard]] source::Span first_assignment() const {
    for (const ir::Action& action : context_.recipe.actions) {
      for (const ir::Operation& operation : action.operations) {
        const auto* assign = std::get_if<ir::Assign>(&operation);
        if (assign == nullptr) continue;
        for (const ir::Rule& rule : assign->selection.rules) {
          const bool weights = rule.kind == ir::Rule::Kind::assigns && !assign->schemes[rule.scheme].weights.empty();
          if (weights) return rule.span.empty() ? action.origin.span : rule.span;
        }
      }
    }
    return {};
  }

  const Context& context_;
  const std::vector<model::Module>& modules_;
  std::map<std::string, Blocks> lists_;
  std::map<std::string, Blocks> layers_;  // by the name of a layer without the number of its block
  std::size_t quantized_ = 0;
  std::size_t matched_ = 0;
};

}  // namespace

void check_outcome_reach(const Context& context) {
  if (context.outcome != nullptr) Reach(context).check();
}

}  // namespace sparsecfg::check
