#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/matching.h"
#include "model/comparing.h"
#include "model/covering_terms.h"
#include "model/matcher.h"
#include "model/model_names.h"
#include "model/pattern_text.h"
#include "regex/literal.h"

// Reports pruners that act on the same parameter at the same time (SP7).
namespace sparsecfg::check {

using ir::Action;
using model::Term;
using regex::Comparison;

static bool prunes(const Action& action) {
  return std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::ThresholdPrune>(action.effect);
}

// Returns false if the action never starts. In a per-batch timeline, an action with a negative start never starts.
static bool starts(const Action& action) {
  return !action.cadence.is<ir::PerBatch>() || action.cadence.start.value >= 0;
}

// Returns false for actions that cannot conflict. Schedules in steps lack a window of epochs. Of the entries that
// select modules, exactly one decides per module.
static bool can_meet(const Action& action) {
  const auto by_modules = [](const model::Selector* selector) {
    return selector->over == model::Selector::Over::modules;
  };
  return action.cadence.counted() == nullptr && std::ranges::none_of(ir::selectors_of(action.effect), by_modules);
}

static bool windows_meet(const Action& a, const Action& b, double epochs) {
  return a.cadence.start.value < b.cadence.end_or(epochs) && b.cadence.start.value < a.cadence.end_or(epochs);
}

// A pruner and its terms. Each term is prepared for comparison on first use.
class Pruner {
 public:
  explicit Pruner(const Action& action) : action_(&action) {
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      for (const Term& term : selector->terms) {
        terms_.push_back({&term, selector->over});
      }
    }
  }

  [[nodiscard]] const Action& action() const { return *action_; }

  struct Meeting {
    const Term* term;    // term of the second pruner
    std::string name;    // name that both select, or the text of the term
    bool likely = true;  // false if both are patterns and probably no model contains a name that matches both
    std::vector<std::string> more{};  // other parameters of the model that both select
  };

  // Returns a parameter that both pruners provably select in any model, preferably a likely one. Plain patterns that
  // overlap only in unlikely names are compared only with `unlikely_too`, because that is slow.
  [[nodiscard]] std::optional<Meeting> intersects(Pruner& second, bool unlikely_too, base::Budget& budget) {
    std::optional<Meeting> unlikely;
    for (Entry& mine : terms_) {
      for (Entry& other : second.terms_) {
        if (are_different_names(*mine.term, *other.term)) continue;
        const bool disjoint = are_disjoint_by_sampling(mine, other);
        if (disjoint && (!unlikely_too || unlikely)) continue;
        auto meeting = meet(mine, other, disjoint, budget);
        if (meeting && meeting->likely) return meeting;
        if (meeting && !unlikely) unlikely = std::move(meeting);
      }
    }
    return unlikely;
  }

  // Returns the parameters of the model that both pruners select, and the term that selects the first of them.
  [[nodiscard]] std::optional<Meeting> intersects(const Pruner& second, const model::ModelNames& parameters) const {
    const std::vector<bool> mine = matched(parameters);
    std::optional<Meeting> out;
    std::vector<bool> seen(parameters.size(), false);
    for (const Entry& other : second.terms_) {
      const std::vector<bool> theirs = model::matched_names({{*other.term}, other.over}, parameters);
      for (std::size_t at = 0; at < parameters.size(); ++at) {
        if (!mine[at] || !theirs[at] || seen[at]) continue;
        seen[at] = true;
        if (!out) {
          out = Meeting{other.term, parameters[at]};
        } else {
          out->more.push_back(parameters[at]);
        }
      }
    }
    return out;
  }

 private:
  struct Entry {
    const Term* term;
    model::Selector::Over over;
    std::optional<model::Selection> selection{};
    std::optional<std::vector<bool>> typical{};  // matches among the parameters of widely used models
    std::optional<model::Matcher> pattern{};
  };

  static bool are_different_names(const Term& a, const Term& b) {
    return a.kind == Term::Kind::exact && b.kind == Term::Kind::exact && !a.names_same_as(b);
  }

  // Matches a pattern against a name. Returns `gave_up` for a term that is not a valid pattern.
  static regex::Match matches(Entry& entry, const std::string& name) {
    if (entry.term->kind != Term::Kind::pattern || entry.over != model::Selector::Over::parameters) {
      return regex::Match::gave_up;
    }
    if (!entry.pattern) entry.pattern.emplace(entry.term->text);
    return entry.pattern->match(name);
  }

  // `disjoint` is the result of `are_disjoint_by_sampling`.
  static std::optional<Meeting> meet(Entry& mine, Entry& other, bool disjoint, base::Budget& budget) {
    auto name = intersects(mine, other, budget);
    if (!name) {
      return std::nullopt;
    }
    const auto typical = typical_meeting(mine, other);
    return Meeting{other.term, typical ? *typical : std::move(*name),
                   typical || (!disjoint && likely(mine, other, budget))};
  }

  // Returns true if two plain patterns share no parameter of widely used models and neither contains the other, which a
  // sample name of each proves. They may still overlap in other names.
  static bool are_disjoint_by_sampling(Entry& a, Entry& b) {
    return a.term->kind == Term::Kind::pattern && b.term->kind == Term::Kind::pattern && !typical_meeting(a, b) &&
           matches_name_other_rejects(a, b) && matches_name_other_rejects(b, a);
  }

  // Returns true if the first pattern is plain and its sample name does not match the second pattern.
  static bool matches_name_other_rejects(const Entry& a, Entry& b) {
    const std::string sample = model::PlainPattern(a.term->text).sample("a");
    return !sample.empty() && a.over == b.over && matches(b, sample) == regex::Match::no;
  }

  static model::Selection& selection_of(Entry& entry) {
    return entry.selection ? *entry.selection : entry.selection.emplace(*entry.term, entry.over);
  }

  static std::optional<std::string> intersects(Entry& a, Entry& b, base::Budget& budget) {
    if (a.term->names_same_as(*b.term) || a.term->kind == Term::Kind::all || b.term->kind == Term::Kind::all) {
      return a.term->kind == Term::Kind::exact ? a.term->text : b.term->text;
    }
    if (a.term->kind == Term::Kind::exact && b.over == a.over) {
      if (const regex::Match match = matches(b, a.term->text); match != regex::Match::gave_up) {
        return match == regex::Match::yes ? std::optional(a.term->text) : std::nullopt;
      }
    }
    if (b.term->kind == Term::Kind::exact && a.term->kind == Term::Kind::pattern) {
      return intersects(b, a, budget);
    }
    const Comparison answer = model::intersects(selection_of(a), selection_of(b), budget);
    if (answer.answer != Comparison::Answer::yes) {
      return std::nullopt;
    }
    return answer.witness.empty() ? b.term->text : answer.witness;
  }

  // Returns true if a common name of two terms is likely. If neither pattern contains the other, they overlap in names
  // such as `key.weightquery.weight`, which are possible but unlikely.
  static bool likely(Entry& a, Entry& b, base::Budget& budget) {
    if (a.term->kind != Term::Kind::pattern || b.term->kind != Term::Kind::pattern || a.term->names_same_as(*b.term)) {
      return true;
    }
    return model::contains(selection_of(a), selection_of(b), budget).answer == Comparison::Answer::yes ||
           model::contains(selection_of(b), selection_of(a), budget).answer == Comparison::Answer::yes;
  }

  // Returns for each name whether the pattern of a term matches it.
  static std::vector<bool> matched_of(Entry& entry, const model::ModelNames& names) {
    std::vector<bool> out(names.size());
    for (std::size_t at = 0; at < names.size(); ++at) out[at] = matches(entry, names[at]) == regex::Match::yes;
    return out;
  }

  // Returns a parameter of widely used models that two different patterns match.
  static std::optional<std::string> typical_meeting(Entry& a, Entry& b) {
    const bool patterns = a.term->kind == Term::Kind::pattern && b.term->kind == Term::Kind::pattern;
    if (!patterns || *a.term == *b.term || a.over != model::Selector::Over::parameters || b.over != a.over) {
      return std::nullopt;
    }
    const model::ModelNames& names = model::typical_parameters();
    for (Entry* each : {&a, &b}) {
      if (!each->typical) each->typical = matched_of(*each, names);
    }
    for (std::size_t at = 0; at < names.size(); ++at) {
      if ((*a.typical)[at] && (*b.typical)[at]) return names[at];
    }
    return std::nullopt;
  }

  std::vector<bool> matched(const model::ModelNames& parameters) const {
    std::vector<bool> all(parameters.size(), false);
    for (const model::Selector* selector : ir::selectors_of(action_->effect)) {
      const std::vector<bool> one = model::matched_names(*selector, parameters);
      for (std::size_t at = 0; at < all.size(); ++at) all[at] = all[at] || one[at];
    }
    return all;
  }

  const Action* action_;
  std::vector<Entry> terms_;
};

static std::vector<Pruner> pruners_of(const Context& context) {
  std::vector<Pruner> pruners;
  for (const Action& action : context.recipe.actions) {
    if (prunes(action) && action.valid && starts(action) && can_meet(action) &&
        pruners.size() < limits::kMaxComparedPruners) {
      pruners.emplace_back(action);
    }
  }
  return pruners;
}

// Returns the initial sparsity of a ramp with one target, or null for other pruners.
static const ir::Located<double>* beginning_of(const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune == nullptr || prune->targets.size() != 1 ? nullptr : ir::initial_sparsity(prune->curve);
}

// Returns true if the second ramp starts after the first one has ended, and below its final sparsity.
static bool starts_lower(const Action& first, const Action& second) {
  const ir::Located<double>* from = beginning_of(second);
  return beginning_of(first) != nullptr && from != nullptr && first.cadence.ends() &&
         first.cadence.end.value <= second.cadence.start.value &&
         from->value < std::get<ir::Prune>(first.effect).targets.front().sparsity.value;
}

static void report_lower(const Context& context, const Action& first, const Action& second, const std::string& name) {
  const ir::Located<double>& from = *beginning_of(second);
  const ir::Located<double>& reached = std::get<ir::Prune>(first.effect).targets.front().sparsity;
  const std::string text = base::python_repr(reached.value);
  auto& report = context.sink.report(diag::ramp_starts_lower, from.span, name, base::python_repr(from.value), text);
  report.with_label(reached.span, fmt::format("reached at epoch {}", first.cadence.end.value))
      .with_help(fmt::format("write `{}` as the initial sparsity", text));
  const bool rises = reached.value <= std::get<ir::Prune>(second.effect).targets.front().sparsity.value;
  if (const auto writable = second.origin.writable(from.span); rises && writable && writable->place == from.span)
    advise_value(report, second, from.span, text);
}

// Names the parameters that two pruners share: "`fc.weight` and 52 more parameters are".
static std::string shared(const Pruner::Meeting& meeting) {
  if (meeting.more.empty()) return fmt::format("`{}` is", meeting.name);
  if (meeting.more.size() == 1) return fmt::format("`{}` and `{}` are", meeting.name, meeting.more.front());
  return fmt::format("`{}` and {} are", meeting.name, base::counted(meeting.more.size(), "more parameter"));
}

// Returns the last sparsity of a pruner with one target, or nullopt.
static std::optional<double> goal_of(const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune == nullptr || prune->targets.size() != 1 ? std::nullopt
                                                        : std::optional(prune->targets.front().sparsity.value);
}

static std::string window_of(const Action& action) {
  const double start = std::max(action.cadence.start.value, 0.0);
  const auto goal = goal_of(action);
  const std::string to = goal ? fmt::format(" to {}", base::python_repr(*goal)) : std::string();
  return action.cadence.ends() ? fmt::format("also prunes{}, from epoch {} to {}", to, start, action.cadence.end.value)
                               : fmt::format("also prunes{}, from epoch {} on", to, start);
}

// The first pruner can end where the second one begins, if it starts earlier.
static std::string advice_on_meeting(const Action& first, const Action& second) {
  const bool earlier = first.cadence.start.value < second.cadence.start.value;
  const Action& one = earlier ? first : second;
  const Action& other = earlier ? second : first;
  const ir::OriginField* end = one.origin.whole_field_at(one.cadence.end.span);
  if (one.cadence.start.value == other.cadence.start.value || !one.cadence.ends() || end == nullptr ||
      !end->value.number()) {
    return "select each parameter in only one of the two, or delete one of them";
  }
  const bool whole = end->value.get<std::int64_t>() != nullptr;  // Distiller accepts only ints
  const double begin = other.cadence.start.value;
  return fmt::format("write `{}: {}` in the first one, where the second one begins; or select other parameters",
                     base::last_part(end->name), whole ? fmt::format("{}", begin) : base::python_repr(begin));
}

static bool prunes_structures(const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune != nullptr && prune->structure.kind != ir::Structure::Kind::unstructured;
}

// Returns the place of a full name in the lists of an action; empty if it selects the parameter by a pattern.
static source::Span place_of_name(const Action& action, const std::string& name) {
  for (const model::Selector* selector : ir::selectors_of(action.effect)) {
    for (const Term& term : selector->terms) {
      if (term.kind == Term::Kind::exact && term.text == name) return term.span;
    }
  }
  return {};
}

// Returns the only pattern of an action that matches a name; null if there are several.
static const Term* pattern_for(const Action& action, const std::string& name) {
  const Term* out = nullptr;
  for (const model::Selector* selector : ir::selectors_of(action.effect)) {
    for (const Term& term : selector->terms) {
      if (term.kind != Term::Kind::pattern || model::Matcher(term.text).match(name) != regex::Match::yes) continue;
      if (out != nullptr) return nullptr;
      out = &term;
    }
  }
  return out;
}

// Advises to leave a full name of one pruner out of the pattern of the other one. Returns false if no list has the
// name.
static bool advise_on_pattern(diag::Diagnostic& report, const Action& first, const Action& second,
                              const Pruner::Meeting& meeting) {
  const bool names_first = !place_of_name(first, meeting.name).empty();
  const bool names_second = !place_of_name(second, meeting.name).empty();
  const Action& wide = names_first ? second : first;
  const Term* pattern =
      names_first == names_second || !meeting.more.empty() ? nullptr : pattern_for(wide, meeting.name);
  if (pattern == nullptr || pattern->span.empty()) return false;
  const std::string text = fmt::format("(?!{}$){}", regex::literal(meeting.name), pattern->text);
  report.labels.front() = {(names_first ? first : second).origin.span, window_of(names_first ? first : second)};
  report.span = pattern->span;
  report.with_help(fmt::format("write `re:{}`, which leaves `{}` to the other modifier", text, meeting.name))
      .with_fix(diag::Fix::unsafe().content(pattern->span, "re:" + text));
  return true;
}

// Two patterns of which one matches all parameters of the other, and more.
struct NestedPatterns {
  const Term* wide = nullptr;
  const Term* narrow = nullptr;
  bool first_is_wide = false;
  std::size_t shared = 0;  // number of parameters of the narrow one
};

static std::optional<NestedPatterns> nested(const Term& one, const Term& two, const model::ModelNames& parameters) {
  const std::vector<bool> of_one = model::matched_names(model::Selector{{one}}, parameters);
  const std::vector<bool> of_two = model::matched_names(model::Selector{{two}}, parameters);
  const auto ones = std::ranges::count(of_one, true);
  const auto twos = std::ranges::count(of_two, true);
  std::ptrdiff_t both = 0;
  for (std::size_t at = 0; at < of_one.size(); ++at) both += of_one[at] && of_two[at] ? 1 : 0;
  if (ones == twos || both != std::min(ones, twos)) return std::nullopt;
  const bool first_is_wide = ones > twos;
  return NestedPatterns{first_is_wide ? &one : &two, first_is_wide ? &two : &one, first_is_wide,
                        static_cast<std::size_t>(both)};
}

// Advises to leave the matches of a pattern out of a wider one that contains them. Returns false if neither does.
static bool advise_on_wider(diag::Diagnostic& report, const Context& context, const Action& first, const Action& second,
                            const Pruner::Meeting& meeting) {
  const Term* one = pattern_for(first, meeting.name);
  const Term* two = pattern_for(second, meeting.name);
  const bool known = context.parameters != nullptr && one != nullptr && two != nullptr;
  const auto found = known ? nested(*one, *two, *context.parameters) : std::nullopt;
  if (!found || found->wide->span.empty()) return false;
  const Action& other = found->first_is_wide ? second : first;
  const std::string text = fmt::format("re:(?!{}){}", found->narrow->text, found->wide->text);
  report.labels.front() = {other.origin.span, window_of(other)};
  report.span = found->wide->span;
  report
      .with_help(fmt::format("write `{}`, which leaves {} to the other modifier", text,
                             base::counted(found->shared, "parameter")))
      .with_fix(diag::Fix::unsafe().content(report.span, text));
  return true;
}

// Returns the term of an action that selects all prunable parameters, if it has no other; null otherwise.
static const Term* only_prunable(const Action& action) {
  const std::vector<const model::Selector*> selectors = ir::selectors_of(action.effect);
  const bool one = selectors.size() == 1 && selectors.front()->terms.size() == 1;
  const Term* term = one ? &selectors.front()->terms.front() : nullptr;
  return term != nullptr && term->kind == Term::Kind::all_prunable ? term : nullptr;
}

// Returns a list that selects all prunable parameters except those of another action; empty if it would be long.
static std::string prunable_without(const Action& other, const model::ModelNames& parameters) {
  constexpr std::size_t kMost = 8;
  const auto texts = model::prunable_beside(parameters, ir::selectors_of(other.effect), kMost);
  return texts.empty() ? std::string() : fmt::format("['{}']", fmt::join(texts, "', '"));
}

// Advises to list the parameters that another modifier does not prune, in place of the token for all. Returns false
// if no modifier has the token, or both do.
static bool advise_on_token(diag::Diagnostic& report, const Context& context, const Action& first,
                            const Action& second) {
  const Term* one = only_prunable(first);
  const Term* two = only_prunable(second);
  if (context.parameters == nullptr || (one == nullptr) == (two == nullptr)) return false;
  const Term& token = one != nullptr ? *one : *two;
  const Action& other = one != nullptr ? second : first;
  const std::string list = token.span.empty() ? std::string() : prunable_without(other, *context.parameters);
  if (list.empty()) return false;
  report.labels.front() = {other.origin.span, window_of(other)};
  report.span = token.span;
  if (const auto one_goal = goal_of(first), other_goal = goal_of(second); one_goal && other_goal) {
    report.with_caret(fmt::format("both masks apply: {} remains", base::python_repr(std::max(*one_goal, *other_goal))));
  }
  report.with_help(
      fmt::format("write `{}` in place of `{}`, which leaves the others to the other modifier", list, token.text));
  return true;
}

// Advises to start the second pruner when the first ends, for the same number of epochs as far as the run allows.
// Returns false if their places in the file are not known.
static bool advise_to_follow(diag::Diagnostic& report, const Context& context, const Action& first,
                             const Action& second) {
  const ir::Cadence& cadence = second.cadence;
  const double begin = first.cadence.end.value;
  const double end = std::min(*context.epochs, begin + cadence.end.value - cadence.start.value);
  const auto start_at = second.origin.writable(cadence.start.span);
  const auto end_at = second.origin.writable(cadence.end.span);
  if (!start_at || !end_at || begin >= end) return false;
  const ir::OriginField* field = second.origin.whole_field_at(cadence.start.span);
  const bool whole = field != nullptr && field->value.get<std::int64_t>() != nullptr;  // Distiller accepts only ints
  const auto epoch = [&](double value) { return whole ? fmt::format("{}", value) : base::python_repr(value); };
  const std::string from = epoch(begin);
  const std::string to = epoch(end);
  report.span = start_at->place;
  report
      .with_help(fmt::format("start it when the other one ends: write `{}: {}` and `{}: {}`", start_at->name, from,
                             end_at->name, to))
      .with_fix(diag::Fix::unsafe().replace(start_at->place, from).replace(end_at->place, to));
  return true;
}

// Advises to delete the one shared name from a list: that of single weights, whose mask leaves structures incomplete,
// or else that of the second pruner.
static void advise_on_name(diag::Diagnostic& report, const Context& context, const Action& first, const Action& second,
                           const Pruner::Meeting& meeting) {
  const bool together = first.cadence.start.value == second.cadence.start.value;
  if (together && advise_on_token(report, context, first, second)) return;
  if (together && advise_on_wider(report, context, first, second, meeting)) return;
  if (advise_on_pattern(report, first, second, meeting)) return;
  const bool from_first = prunes_structures(second) && !prunes_structures(first);
  const source::Span place = place_of_name(from_first ? first : second, meeting.name);
  const bool one = meeting.more.empty() && first.cadence.start.value == second.cadence.start.value;
  const source::Span other = place_of_name(from_first ? second : first, meeting.name);
  if (!place.empty() && place == other && advise_to_follow(report, context, first, second)) return;
  if (!one || place.empty() || other.empty() || place == other) return;  // an alias: both have one list
  report.span = place;
  if (from_first) report.labels.front() = {second.origin.span, window_of(second)};
  const bool differ = prunes_structures(first) != prunes_structures(second);
  report
      .with_help(fmt::format("delete `{}` here{}", meeting.name,
                             differ ? ": this mask of single weights does not keep the pruned structures" : ""))
      .with_fix(diag::Fix::unsafe().remove(place));
}

static void report_meeting(const Context& context, const Action& first, const Action& second,
                           const Pruner::Meeting& meeting) {
  auto& report = context.sink.report(diag::two_pruners_one_param, meeting.term->span, shared(meeting));
  report.with_severity(meeting.likely ? diag::Severity::warning : diag::Severity::info)
      .with_label(first.origin.span, window_of(first))
      .with_help(advice_on_meeting(first, second));
  if (meeting.more.size() > 1) {
    std::vector<std::string> examples;
    for (std::size_t at = 0; at < std::min<std::size_t>(meeting.more.size(), 3); ++at) {
      examples.push_back(fmt::format("`{}`", meeting.more[at]));
    }
    report.with_caret(fmt::format("such as {}", base::join_and(examples)));
  }
  advise_on_name(report, context, first, second, meeting);
}

void check_pruners(const Context& context) {
  const bool valid = std::ranges::all_of(context.recipe.actions, &Action::valid);
  if (!valid || !context.epochs || *context.epochs <= 0 || !context.recipe.has_timeline() ||
      !context.sink.wants(diag::two_pruners_one_param)) {
    return;
  }
  std::vector<Pruner> pruners = pruners_of(context);
  const bool real = context.parameters != nullptr &&
                    pruners.size() * pruners.size() * context.parameters->size() < limits::kMaxPrunerMatches;
  base::Budget budget = regex::comparison_budget();
  bool unlikely_reported = false;  // unlikely overlaps of plain patterns are reported only once
  for (std::size_t first = 0; first < pruners.size(); ++first) {
    for (std::size_t second = first + 1; second < pruners.size(); ++second) {
      const Action& one = pruners[first].action();
      const Action& other = pruners[second].action();
      const bool together = windows_meet(one, other, *context.epochs);
      if (!together && !starts_lower(one, other) && !starts_lower(other, one)) {
        continue;
      }
      const auto meeting = real ? pruners[first].intersects(pruners[second], *context.parameters)
                                : pruners[first].intersects(pruners[second], !unlikely_reported, budget);
      unlikely_reported = unlikely_reported || (meeting && !meeting->likely);
      if (meeting && together) {
        report_meeting(context, one, other, *meeting);
      } else if (meeting && meeting->likely) {
        starts_lower(one, other) ? report_lower(context, one, other, meeting->name)
                                 : report_lower(context, other, one, meeting->name);
      }
    }
  }
}

}  // namespace sparsecfg::check
