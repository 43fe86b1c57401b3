#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "check/check.h"
#include "check/outcome/idle_remedy.h"
#include "check/outcome/rematch.h"
#include "ir/operation.h"
#include "model/block_numbers.h"
#include "outcome/outcome.h"

// Checks the entries of lists that assign schemes, of all dialects (MD922, MD923, MD931).
namespace sparsecfg::check {

using outcome::Outcome;
using outcome::RulePlace;
using outcome::State;
using outcome::Step;

namespace {

// A rule with the modules that it matches.
struct MatchedRule {
  std::vector<std::size_t> decided;
  std::vector<std::size_t> overridden;  // modules that another rule of the list decides
  std::optional<std::uint32_t> by;      // the rule that decides the first of them
  bool agrees = false;                  // true if another rule decides one of them in the same way
};

using Key = std::pair<std::uint32_t, std::uint32_t>;  // action and operation

// Collects the modules of each rule of the operations that assign schemes.
class Entries {
 public:
  explicit Entries(const Context& context) : context_(context), outcome_(*context.outcome) {
    for (const model::Module& module : *context.module_list) names_.push_back(module.name);
    for (std::uint32_t name = 0; name < outcome_.of_names.size(); ++name) {
      for (const Step& step : steps_of(outcome_.of_names[name])) add(step, name);
    }
  }

  void check() {
    check_unmatched();
    for (const auto& [key, rules] : rules_) {
      for (const auto& [number, rule] : rules) {
        const RulePlace place{key.first, key.second, number};
        const bool idle = rule.decided.empty() && !rule.overridden.empty() && !rule.agrees;
        if (idle && decider_of_idle(place, rule) != nullptr)
          idle_[outcome_.rule(place)->span].emplace_back(place, &rule);
      }
    }
    for (const auto& [span, idle] : idle_) report_idle(idle);
    for (const auto& [key, rules] : rules_) {
      for (const auto& [number, rule] : rules) {
        const RulePlace place{key.first, key.second, number};
        check_numbers(place, rule);
        check_braces(place, rule);
        check_words(place, rule);
      }
    }
  }

 private:
  // Returns the steps that reach a state. A state is visited for each module, so its steps are kept.
  const std::vector<Step>& steps_of(std::uint32_t state) {
    const auto [known, added] = steps_.try_emplace(state);
    const State& own = outcome_.states[state];
    if (added) known->second = own.order;
    const bool listed = own.assigned && std::ranges::find(own.order, *own.assigned) != own.order.end();
    if (added && own.assigned && !listed) known->second.push_back(*own.assigned);
    return known->second;
  }

  void add(const Step& step, std::size_t name) {
    auto& rules = rules_[{step.by.action, step.by.operation}];
    if (step.by.rule) rules[*step.by.rule].decided.push_back(name);
    for (const std::uint32_t rule : step.overridden) {
      rules[rule].overridden.push_back(name);
      if (!rules[rule].by) rules[rule].by = step.by.rule;
      rules[rule].agrees = rules[rule].agrees || decides_alike(step.by, rule);
    }
  }

  // Returns true if a rule would decide as the one that decides in its place.
  [[nodiscard]] bool decides_alike(const RulePlace& decider, std::uint32_t rule) const {
    const ir::Rule* one = outcome_.rule(decider);
    const ir::Rule* other = outcome_.rule({decider.action, decider.operation, rule});
    return one != nullptr && other != nullptr && one->kind == other->kind && one->scheme == other->scheme;
  }

  // A later action that assigns the same modules is reported by other rules.
  [[nodiscard]] bool is_replaced(const RulePlace& place) const {
    const auto& actions = outcome_.recipe->actions;
    return std::any_of(actions.begin() + place.action + 1, actions.end(), [](const ir::Action& action) {
      return std::ranges::any_of(action.operations, [](const ir::Operation& operation) {
        return std::holds_alternative<ir::Assign>(operation);
      });
    });
  }

  // Reports entries that match no module, or have a number of a block that the model lacks.
  void check_unmatched() {
    base::Guesses guesses(names_);
    const auto& actions = outcome_.recipe->actions;
    for (std::uint32_t action = 0; action < actions.size(); ++action) {
      for (std::uint32_t at = 0; at < actions[action].operations.size(); ++at) {
        const ir::Selection& selection = ir::selection_of(actions[action].operations[at]);
        for (std::uint32_t number = 0; number < selection.rules.size(); ++number) {
          if (!matches({action, at}, number)) report_unmatched({action, at, number}, guesses);
          check_alternatives({action, at, number});
        }
      }
    }
  }

  [[nodiscard]] bool matches(const Key& key, std::uint32_t rule) const {
    const auto found = rules_.find(key);
    return found != rules_.end() && found->second.contains(rule);
  }

  // Returns the full name of the only module that ends in an entry, if the language of the list matches it; else empty.
  [[nodiscard]] std::string full_name_for(const RulePlace& place, const std::string& entry) const {
    const auto ends = [&](const std::string& name) { return name.ends_with("." + entry); };
    const auto found = std::ranges::find_if(names_, ends);
    const bool one = found != names_.end() && std::none_of(found + 1, names_.end(), ends);
    return one && !matches_of(place, *found).empty() ? *found : std::string();
  }

  // Returns an entry with which the language of the list matches exactly the modules whose names end in `entry`; empty
  // if there are none, or no form does.
  [[nodiscard]] std::string entry_for_ends(const RulePlace& place, const std::string& entry) const {
    static constexpr std::string_view kForms[] = {"re:.*{}$", ".*{}", "*{}"};
    const auto ends = [&](std::size_t at) { return names_[at].ends_with("." + entry); };
    std::vector<std::size_t> wanted;
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (ends(at)) wanted.push_back(at);
    }
    if (wanted.empty()) return {};
    for (const std::string_view form : kForms) {
      std::string text = fmt::format(fmt::runtime(form), entry);
      if (matches_of(place, text) == wanted) return text;
    }
    return {};
  }

  void report_unmatched(const RulePlace& place, base::Guesses& guesses) const {
    const ir::Rule& rule = *outcome_.rule(place);
    const bool other = rule.kind == ir::Rule::Kind::leaves;  // names something else, such as blocks
    if (rule.unknown || other || rule.span.empty()) return;
    auto& report = context_.sink.report(diag::unused_selector, rule.span, rule.entry, "module", names_.size());
    const std::string full = full_name_for(place, rule.entry);
    const std::string meant = full.empty() ? entry_for_ends(place, rule.entry) : full;
    if (!meant.empty()) {
      report.with_help(fmt::format("write `{}`", meant)).with_fix(diag::Fix::unsafe().content(rule.span, meant));
      return;
    }
    report.with_help(
        base::did_you_mean(guesses.nearest(rule.entry), "run `sparsecfg match FILE` to list the modules of the model"));
  }

  // Returns the edit with which a rule decides its modules.
  [[nodiscard]] std::optional<IdleRemedy> remedy_of(const RulePlace& place, const MatchedRule& matched) {
    const auto* assign = std::get_if<ir::Assign>(&outcome_.operation(place));
    if (assign == nullptr || remedies_left_ == 0) return std::nullopt;
    --remedies_left_;
    return remedy_for_idle(*assign, {*place.rule, *matched.by, matched.overridden}, *context_.module_list);
  }

  // Returns the rule that decides the modules of an idle rule, if the rule should be reported; null otherwise.
  [[nodiscard]] const ir::Rule* decider_of_idle(const RulePlace& place, const MatchedRule& matched) const {
    const ir::Rule* rule = outcome_.rule(place);
    const ir::Rule* other = outcome_.rule({place.action, place.operation, matched.by});
    if (other == nullptr || rule->span.empty() || is_replaced(place)) return nullptr;
    if (rule->entry == other->entry && rule->kind == other->kind) return nullptr;
    return matched.overridden.size() * 2 > names_.size() ? nullptr : other;  // a default for all modules, such as `*`
  }

  // Reports the rules of one string, which share its place, once.
  void report_idle(const std::vector<std::pair<RulePlace, const MatchedRule*>>& idle) {
    const auto& [place, matched] = idle.front();
    const ir::Rule& rule = *outcome_.rule(place);
    const ir::Rule& other = *decider_of_idle(place, *matched);
    auto& report = context_.sink.report(diag::entry_never_decides, rule.span, rule.entry,
                                        base::counted(matched->overridden.size(), "module"), other.entry);
    if (!other.span.empty()) report.with_label(other.span, "this entry decides them");
    if (idle.size() > 1) report.with_caret(fmt::format("{} more like this", idle.size() - 1));
    std::vector<std::string> helps;
    for (const auto& [each, modules] : idle) {
      const auto remedy = remedy_of(each, *modules);
      if (!remedy) return;
      helps.push_back(remedy->help);
      const bool whole = idle.size() == 1 && !remedy->place.empty() && is_whole_entry(remedy->place);
      if (whole) report.with_fix(diag::Fix::unsafe().content(remedy->place, remedy->text));
    }
    report.with_help(fmt::format("{}", fmt::join(helps, ", and ")));
  }

  // Returns false for a string that contains several entries.
  [[nodiscard]] bool is_whole_entry(source::Span place) const {
    std::size_t count = 0;
    for (const ir::Action& action : outcome_.recipe->actions) {
      for (const ir::Operation& operation : action.operations) {
        const auto& rules = ir::selection_of(operation).rules;
        count += static_cast<std::size_t>(std::ranges::count(rules, place, &ir::Rule::span));
      }
    }
    return count == 1;
  }

  // An entry such as `layers.1` that also matches `layers.10`.
  void check_numbers(const RulePlace& place, const MatchedRule& matched) {
    const ir::Rule* rule = outcome_.rule(place);
    const std::size_t begin = last_number_in(rule->entry);
    const std::string number = number_at(rule->entry, begin);
    if (number.empty() || rule->span.empty()) return;
    std::set<std::string> longer;
    std::vector<std::size_t> own;  // modules in the block with this number
    for (const auto* names : {&matched.decided, &matched.overridden}) {
      for (const std::size_t at : *names) {
        const std::string& name = (*context_.module_list)[at].name;
        const std::string block = block_of(name);
        if (block == number) own.push_back(at);
        if (block.size() > number.size() && block.starts_with(number)) longer.insert(block);
      }
    }
    if (own.empty() || longer.empty()) return;
    const std::string meant =
        ++bounded_ > kMostBounded ? std::string() : with_boundary(place, begin + number.size(), number);
    context_.sink
        .report(diag::entry_matches_longer_numbers, rule->span, rule->entry, number, *longer.begin(), longer.size())
        .with_help(meant.empty() ? names_instead(place, own, number) : fmt::format("write `{}`", meant));
  }

  // An entry such as `layers.{0,1}`, which repeats its dot instead of listing two blocks.
  void check_braces(const RulePlace& place, const MatchedRule& matched) {
    const ir::Rule* rule = outcome_.rule(place);
    const std::string meant = with_group_for_braces(rule->entry);
    if (meant.empty() || rule->span.empty()) return;
    const std::size_t count = matches_of(place, meant).size();
    if (count == 0 || count >= matched.decided.size() + matched.overridden.size()) return;
    context_.sink.report(diag::entry_with_quantifier, rule->span, rule->entry)
        .with_help(fmt::format("write `{}` for the {}", meant, base::counted(count, "module")));
  }

  // A pattern such as `layers\.(0|39)\.` in a model with fewer blocks.
  void check_alternatives(const RulePlace& place) {
    const ir::Rule* rule = outcome_.rule(place);
    if (rule->span.empty() || !model::numbers_in(rule->entry) || remedies_left_ == 0) return;
    --remedies_left_;
    const auto missing = model::missing_numbers(
        rule->entry, names_, [&](const std::string& text) { return !matches_of(place, text).empty(); });
    if (!missing) return;
    context_.sink
        .report(diag::entry_with_dead_alternative, rule->span, base::join_and(missing->numbers), rule->entry,
                fmt::format("0 to {}", missing->last_block))
        .with_help(fmt::format("write `{}`", missing->meant));
  }

  // Returns an entry with `\.(0|1)` instead of `.{0,1}`; empty for entries without such braces.
  static std::string with_group_for_braces(const std::string& entry) {
    const std::size_t dot = entry.find(".{");
    const std::size_t end = entry.find('}', dot);
    if (dot == std::string::npos || end == std::string::npos) return {};
    std::string numbers = entry.substr(dot + 2, end - dot - 2);
    if (numbers.find(',') == std::string::npos || numbers.find_first_not_of("0123456789,") != std::string::npos)
      return {};
    std::ranges::replace(numbers, ',', '|');
    const bool escaped = dot > 0 && entry[dot - 1] == '\\';
    std::string_view rest = std::string_view(entry).substr(end + 1);
    if (rest.starts_with(".*\\.")) rest.remove_prefix(2);  // which would also match the layers 10 to 19
    const std::string_view end_of_number = rest.starts_with(".*") ? "\\." : "";
    return fmt::format("{}{}.({}){}{}", entry.substr(0, dot), escaped ? "" : "\\", numbers, end_of_number, rest);
  }

  // Returns the advice to write the names of the parts of a block, or of its modules; empty for many names.
  [[nodiscard]] std::string names_instead(const RulePlace& place, const std::vector<std::size_t>& own,
                                          const std::string& number) const {
    constexpr std::size_t kMaxNames = 16;
    std::set<std::string> parts;
    std::set<std::string> modules;
    for (const std::size_t at : own) {
      const std::string& name = (*context_.module_list)[at].name;
      const std::size_t inner = name.find("." + number + ".") + number.size() + 2;
      parts.insert(name.substr(0, name.find('.', inner)));
      modules.insert(name);
    }
    // The entries of checkpoints are compared before. Those that match longer numbers match the begin of names.
    const bool compared_before = matches_of(place, outcome_.rule(place)->entry).empty();
    const bool exact = compared_before ||
                       std::ranges::all_of(parts, [&](const auto& part) { return matches_only(place, part, number); });
    const std::set<std::string>& names = exact ? parts : modules;
    if (names.size() > kMaxNames) return {};
    return fmt::format("replace it with the names: \"{}\"", fmt::join(names, "\", \""));
  }

  // Returns the entry with a dot after its number, in the form that the language of the list reads as a dot. Empty if
  // no form matches the layers with this number and no others.
  [[nodiscard]] std::string with_boundary(const RulePlace& place, std::size_t end, const std::string& number) const {
    const std::string& entry = outcome_.rule(place)->entry;
    for (const std::string_view dot : {"\\.", "."}) {
      for (const std::size_t replaced : {std::size_t{0}, std::size_t{1}}) {
        if (entry.substr(end, replaced) != std::string_view(".").substr(0, replaced)) continue;
        std::string candidate = entry.substr(0, end) + std::string(dot) + entry.substr(end + replaced);
        if (candidate != entry && matches_only(place, candidate, number)) return candidate;
      }
    }
    return {};
  }

  // Returns true if another text of an entry matches only modules in blocks with a number, and at least one.
  [[nodiscard]] bool matches_only(const RulePlace& place, const std::string& text, const std::string& number) const {
    const std::vector<std::size_t> matches = matches_of(place, text);
    const auto is_inside = [&](std::size_t at) { return block_of(names_[at]) == number; };
    return !matches.empty() && std::ranges::all_of(matches, is_inside);
  }

  // Returns the modules that another text of an entry matches, in order; none if this is too slow.
  [[nodiscard]] std::vector<std::size_t> matches_of(const RulePlace& place, const std::string& text) const {
    return modules_matched_by(outcome_.operation(place), *place.rule, text, *context_.module_list);
  }

  // An entry such as `gate` that is the name of modules and also matches longer names, such as `gate_proj`.
  void check_words(const RulePlace& place, const MatchedRule& matched) {
    const ir::Rule* rule = outcome_.rule(place);
    const Word word = word_of(rule->entry);
    // Patterns for tensors have a rule of their own.
    if (outcome_.recipe->units_are_parameters || rule->span.empty() || word.text.empty() || !is_name(word.text)) return;
    std::vector<std::size_t> longer;
    std::vector<std::size_t> whole;
    for (const auto* names : {&matched.decided, &matched.overridden}) {
      for (const std::size_t at : *names) {
        if (names_[at].find(word.text) == std::string::npos) continue;  // the layer of a runtime has another name
        (has_word(names_[at], word) ? whole : longer).push_back(at);
      }
    }
    if (longer.empty()) return;
    auto& report =
        context_.sink.report(diag::entry_matches_longer_words, rule->span, rule->entry,
                             base::counted(longer.size(), "other module"), names_[*std::ranges::min_element(longer)]);
    report.with_cause(rule->span);
    if (whole.empty()) {
      report.with_help(fmt::format("delete `{}`: no module with this name is quantized", base::printable(rule->entry)));
      return;
    }
    const std::string meant = ++bounded_ > kMostBounded ? std::string() : as_whole_word(place, word, whole);
    if (meant.empty()) return;
    report.with_help(fmt::format("write `{}`, which matches only {}", meant, base::counted(whole.size(), "module")));
  }

  // Returns an entry without a wildcard after its last letter, which an open end makes superfluous.
  static std::string_view without_open_end(std::string_view entry) {
    constexpr std::string_view kOpen = ".*";
    const std::size_t letters = entry.size() - std::min(entry.size(), kOpen.size());
    const bool open = letters > 0 && entry.ends_with(kOpen) && base::is_letter(entry[letters - 1]);
    return open ? entry.substr(0, letters) : entry;
  }

  // A word that an entry searches in names.
  struct Word {
    std::string text;          // without escapes: "mlp.gate"
    bool begins_open = false;  // true if a wildcard precedes it, so that the user expects any beginning
  };

  // Returns the word of an entry that is nothing else, and ends with a letter; an empty one for other entries.
  static Word word_of(std::string_view entry) {
    Word out;
    for (const std::string_view start : {"re:", "+:", "-:"}) {
      if (entry.starts_with(start)) entry.remove_prefix(start.size());
    }
    for (const std::string_view wild : {".*", "*"}) {
      if (!entry.starts_with(wild)) continue;
      out.begins_open = true;
      entry.remove_prefix(wild.size());
    }
    entry = without_open_end(entry);
    for (std::size_t at = 0; at < entry.size(); ++at) {
      if (entry[at] == '\\' && at + 1 < entry.size() && entry[at + 1] == '.') continue;
      if (!base::is_name_letter(entry[at]) && entry[at] != '.') return {};
      out.text += entry[at];
    }
    const bool is_word = !out.text.empty() && base::is_letter(out.text.back());
    return is_word ? out : Word();
  }

  // Returns true if a name contains a word as whole parts between dots.
  static bool has_word(std::string_view name, const Word& word) {
    for (std::size_t at = name.find(word.text); at != name.npos; at = name.find(word.text, at + 1)) {
      const std::size_t end = at + word.text.size();
      const bool begins = word.begins_open || at == 0 || name[at - 1] == '.' || word.text.front() == '.';
      if (begins && (end == name.size() || name[end] == '.')) return true;
    }
    return false;
  }

  // Returns true if the model has modules with this name, examined or not.
  [[nodiscard]] bool is_name(const std::string& text) const {
    const Word word{text};
    const auto has = [&](const std::string& name) { return has_word(name, word); };
    return std::ranges::any_of(names_, has) ||
           (context_.modules != nullptr && std::ranges::any_of(context_.modules->list(), has));
  }

  // Returns an entry that matches exactly the modules with the word as a whole part; empty if there is none.
  [[nodiscard]] std::string as_whole_word(const RulePlace& place, const Word& word,
                                          std::vector<std::size_t> whole) const {
    std::ranges::sort(whole);
    const std::string entry(without_open_end(outcome_.rule(place)->entry));
    for (const std::string& candidate :
         {entry + "$", "." + entry + "$", "\\." + entry + "$", entry + ".", "." + word.text + "."}) {
      if (matches_of(place, candidate) == whole) return candidate;
    }
    return {};
  }

  static std::string number_at(std::string_view entry, std::size_t begin) {
    std::size_t end = std::min(begin, entry.size());
    while (end < entry.size() && base::is_digit(entry[end])) ++end;
    return std::string(entry.substr(std::min(begin, entry.size()), end - std::min(begin, entry.size())));
  }

  // Returns the offset of the number after `layers.`, `blocks.` or `h.` if nothing in the entry ends it: a literal dot
  // does. Returns npos if there is none.
  static std::size_t last_number_in(std::string_view entry) {
    for (const std::string_view word : {"layers", "blocks", "block", "h"}) {
      const std::size_t at = entry.rfind(word);
      if (at == entry.npos) continue;
      std::size_t begin = at + word.size();
      while (begin < entry.size() && (entry[begin] == '\\' || entry[begin] == '.')) ++begin;
      std::size_t end = begin;
      while (end < entry.size() && base::is_digit(entry[end])) ++end;
      const bool open = end == entry.size() || entry[end] == '.' || entry[end] == '*';
      if (end > begin && begin > at + word.size() && open) return begin;
    }
    return std::string_view::npos;
  }

  // Returns the first part of a name that is a number.
  static std::string block_of(std::string_view name) {
    while (!name.empty()) {
      const std::string_view part = name.substr(0, name.find('.'));
      if (!part.empty() && std::ranges::all_of(part, base::is_digit)) return std::string(part);
      name.remove_prefix(std::min(part.size() + 1, name.size()));
    }
    return {};
  }

  static constexpr std::size_t kMostBounded = 20;  // finding the remedy is slow

  std::size_t remedies_left_ = 20;  // each decides all modules several times
  std::map<source::Span, std::vector<std::pair<RulePlace, const MatchedRule*>>> idle_;  // by place in the file
  const Context& context_;
  const Outcome& outcome_;
  std::size_t bounded_ = 0;  // entries with a remedy
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::vector<Step>> steps_;
  std::map<Key, std::map<std::uint32_t, MatchedRule>> rules_;
};

}  // namespace

void check_outcome_entries(const Context& context) {
  if (context.outcome != nullptr && !context.own_entry_rules) Entries(context).check();
}

}  // namespace sparsecfg::check
