#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/edit_distance.h"
#include "base/limits.h"
#include "base/text.h"
#include "check/check.h"
#include "check/class_names.h"
#include "ir/matching.h"
#include "model/matcher.h"
#include "model/output_layer.h"
#include "model/renamings.h"
#include "regex/literal.h"
#include "regex/pattern.h"

// Checks selectors against the parameter names of the model (MD9).
namespace sparsecfg::check {

// Removes the output number. TensorFlow accepts both `conv/kernel` and `conv/kernel:0` for the same variable.
static std::string_view without_output(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const bool numbered = colon != std::string_view::npos && colon + 1 < name.size() &&
                        std::ranges::all_of(name.substr(colon + 1), base::is_digit);
  return numbered ? name.substr(0, colon) : name;
}

std::string help_for_class(const Context& context, std::string_view example) {
  const std::string_view all =
      context.recipe.dialect == "sparseml" ? "`__ALL_PRUNABLE__` to select all layers, or " : "";
  const std::string such = example.empty() ? "" : fmt::format(", such as `{}`", example);
  return fmt::format("write {}names of parameters{}: a class of layers selects none", all, such);
}

// Layer types that a model is likely to have. Parameter names do not contain the types.
constexpr const char* kTypes[] = {"Linear",    "Conv1d",      "Conv2d", "Conv3d", "Embedding",
                                  "LayerNorm", "BatchNorm2d", "ReLU",   "GELU",   "LSTM"};

// Returns true for a pattern in a place that accepts only names. The reader has already reported it (SP615).
static bool is_misplaced_pattern(const model::Term& term) {
  return term.kind == model::Term::Kind::exact && model::looks_like_pattern(term.text);
}

// Returns the parameter names, and in addition the names without output numbers.
static std::vector<std::string> variables_of(const model::ModelNames& parameters) {
  std::vector<std::string> names = parameters.list();
  for (const std::string& name : parameters.list()) {
    if (const std::string_view bare = without_output(name); bare.size() < name.size()) {
      names.emplace_back(bare);
    }
  }
  return names;
}

// Returns all prefixes that end before a `.`. Limits the length, because long names have many prefixes.
static std::vector<std::string> modules_of(const model::ModelNames& parameters) {
  constexpr std::size_t kMaxPathLength = 500;
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> modules;
  for (const std::string& name : parameters.list()) {
    const std::size_t deepest = std::min(name.size(), kMaxPathLength);
    for (std::size_t dot = name.find('.'); dot < deepest; dot = name.find('.', dot + 1)) {
      const std::string_view module = std::string_view(name).substr(0, dot);
      if (seen.insert(module).second) modules.emplace_back(module);
    }
  }
  return modules;
}

class NameCheck {
 public:
  explicit NameCheck(const Context& context) : context_(context), has_outputs_(!context.recipe.framework.empty()) {
    if (std::vector<std::string> variables = variables_of(*context.parameters);
        variables.size() > context.parameters->size()) {
      variables_ = limited(std::move(variables));
    }
    for (const std::string& name : context.parameters->list()) {
      if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) {
        layers_.insert(name.substr(0, slash));
      }
    }
  }

  // `prunes`: the action sets weights to zero, so it needs no other parameters.
  void check(const model::Selector& selector, bool prunes) {
    std::vector<const model::Term*> unused;
    for (const model::Term& term : selector.terms) {
      if (!matches(term, selector.over) && !(selector.drops && is_misplaced_pattern(term))) unused.push_back(&term);
    }
    const bool stops = selector.strict || (selector.needs_one && unused.size() == selector.terms.size());
    for (const model::Term* term : unused) unmatched_.push_back({term, &selector, stops || term->required, prunes});
  }

  // Reports all terms without a match. Names that a recipe for another model has are one finding.
  void report_unmatched() {
    const std::vector<Unmatched> all = std::move(unmatched_);
    std::vector<Unmatched> single;
    std::map<std::pair<bool, model::Renaming>, std::vector<Unmatched>> renamed;
    std::map<const model::Selector*, std::vector<Unmatched>> classes;
    for (const Unmatched& each : all) {
      if (is_class(each)) {
        classes[each.selector].push_back(each);
        continue;
      }
      const auto renaming = is_name(each) ? renamings().of(each.term->text) : std::nullopt;
      if (renaming) renamed[{each.strict, *renaming}].push_back(each);
      if (!renaming) single.push_back(each);
    }
    for (const auto& [kind, group] : renamed) {
      if (group.size() > 1) report_renamed(kind.second, group);
      if (group.size() == 1) single.push_back(group.front());
    }
    for (const auto& [selector, group] : classes) report_classes(group);
    report_strangers(single);
    for (const Unmatched& each : single) report(each);
  }

  // Reports `__ALL_PRUNABLE__` if it selects no weight of the model, because the pruner then stops. This can be decided
  // only for PyTorch models with known shapes: names of their weights end in `weight`, also those of norms.
  void check_prunable(const model::Selector& selector) {
    for (const model::Term& term : selector.terms) {
      const bool all =
          term.kind == model::Term::Kind::all_prunable && selector.over == model::Selector::Over::parameters;
      if (all && has_norms_only(term)) {
        context_.sink.report(diag::selector_matches_nothing, term.span, "__ALL_PRUNABLE__", names().size())
            .with_help("list the parameters by name; `__ALL_PRUNABLE__` selects no one-dimensional weights");
      }
    }
  }

 private:
  // Computed once, because the result is the same for all pruners.
  bool has_norms_only(const model::Term& prunable) {
    const auto is_weight = [](const std::string& name) { return name.ends_with("weight"); };
    if (!norms_only_) {
      norms_only_ = names().matched(prunable).ranges.empty() && std::ranges::any_of(names().list(), is_weight);
    }
    return *norms_only_;
  }

  bool matches(const model::Term& term, model::Selector::Over over) {
    if (over == model::Selector::Over::modules) {
      return true;  // modules cannot be derived from parameters
    }
    if (over == model::Selector::Over::layers) {
      return term.kind != model::Term::Kind::exact || layers_.empty() || layers_.contains(term.text);
    }
    if (over == model::Selector::Over::either) {
      return matches_either(term);
    }
    if (term.kind == model::Term::Kind::exact) {
      return names().knows(term.text) || (has_outputs_ && names().knows(without_output(term.text)));
    }
    if (term.kind == model::Term::Kind::part) {
      return !names().matched(term).ranges.empty();
    }
    return term.kind != model::Term::Kind::pattern || matches(term, names());
  }

  // Returns true if the term matches a layer (by name or type) or a parameter.
  bool matches_either(const model::Term& term) {
    if (term.kind == model::Term::Kind::exact) {
      return names().knows(term.text) || modules().knows(term.text) || model::looks_like_type(term.text);
    }
    return term.kind != model::Term::Kind::pattern || model::looks_like_type(term.text) || matches(term, names()) ||
           matches(term, modules()) || matches(term, types_);
  }

  const model::ModelNames& names() const { return variables_ ? *variables_ : *context_.parameters; }

  const model::ModelNames& modules() {
    if (!modules_) modules_ = limited(modules_of(*context_.parameters));
    return *modules_;
  }

  model::Renamings& renamings() {
    const std::vector<std::string>& all = context_.parameters->list();
    if (!other_names_) other_names_.emplace(std::vector<std::string_view>(all.begin(), all.end()));
    return *other_names_;
  }

  // Returns names that share the limit of the parameters.
  model::ModelNames limited(std::vector<std::string> names) const {
    return model::ModelNames(std::move(names)).limited_by(context_.parameters->limit());
  }

  // Returns true if the pattern matches a name. Also returns true for patterns that are invalid or too slow, which are
  // reported elsewhere.
  bool matches(const model::Term& term, const model::ModelNames& names) {
    const model::Matcher pattern(term.text);
    if (pattern.error()) {
      return true;
    }
    if (regex::may_backtrack(term.text) && gives_up(pattern, term.text.size(), names)) {
      context_.sink.report(diag::catastrophic_regex, term.span, term.text);
      return true;
    }
    const model::ModelNames::Taken taken = names.matched(term);
    if (!taken.certain) {
      context_.sink.report(diag::catastrophic_regex, term.span, term.text);
    }
    return !taken.ranges.empty();
  }

  // Returns true if matching the pattern as Python does is too slow for some name. Large models have many similar
  // names, so only an evenly spread sample is tried. A long pattern counts as several tries.
  bool gives_up(const model::Matcher& pattern, std::size_t length, const model::ModelNames& names) {
    constexpr std::size_t kShort = 100;  // characters
    const std::size_t cost = length / kShort + 1;
    const std::size_t stride = names.size() * cost / limits::kMaxSampledNames + 1;
    for (std::size_t at = 0; at < names.size() && tries_left_ > 0;
         at += stride, tries_left_ -= std::min(tries_left_, cost)) {
      if (pattern.match(names[at]) == regex::Match::gave_up) {
        return true;
      }
    }
    return false;
  }

  // Returns the pattern that a plain name was probably meant to be if it matches a name, perhaps after `.*`.
  std::optional<PatternMeant> matching_pattern(const model::Term& term, const model::Selector& selector) {
    constexpr std::size_t kPrefix = std::string_view("re:").size();
    auto meant = pattern_meant_by(term, selector);
    const std::string bare = meant ? meant->text.substr(kPrefix) : "";
    for (const std::string& text : {bare, ".*" + bare}) {
      if (!meant || model::Matcher(text).error() || gives_up(model::Matcher(text), text.size(), names())) continue;
      if (names().matched({model::Term::Kind::pattern, text, {}}).ranges.empty()) continue;
      return text == bare ? meant : PatternMeant{"re:" + text, fmt::format("write `re:{}`", text)};
    }
    return std::nullopt;
  }

  // A term without a match.
  struct Unmatched {
    const model::Term* term;
    const model::Selector* selector;
    bool strict;  // true if the framework stops at it
    bool prunes;
  };

  // Returns true for a class of layers, which is no name of a parameter.
  static bool is_class(const Unmatched& each) {
    return each.term->kind == model::Term::Kind::exact && each.selector->over == model::Selector::Over::parameters &&
           model::looks_like_type(each.term->text);
  }

  // Returns a weight that may belong to a layer of the class, by its number of dimensions.
  std::string example_of(std::string_view type) const {
    const std::size_t dimensions = type.starts_with("Conv1")   ? 3
                                   : type.starts_with("Conv3") ? 5
                                   : type.starts_with("Conv")  ? 4
                                                               : 2;
    const model::ModelNames& all = *context_.parameters;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all.shape(at) != nullptr && all.shape(at)->size() == dimensions && all[at].ends_with("weight"))
        return all[at];
    }
    return all.size() == 0 ? "fc.weight" : all[0];
  }

  // Reports the classes of layers in one selector.
  void report_classes(const std::vector<Unmatched>& group) {
    const std::string example = group.size() == 1 ? example_of(group.front().term->text) : "";
    auto& report = report_first(group).with_help(help_for_class(context_, example));
    if (group.size() == group.front().selector->terms.size() && context_.recipe.dialect == "sparseml") {
      diag::Fix fix = diag::Fix::unsafe().content(group.front().term->span, "__ALL_PRUNABLE__");
      for (const Unmatched& other : std::span(group).subspan(1)) fix.remove(other.term->span);
      report.with_fix(std::move(fix));
    }
  }

  // Returns true for a full name, not of a layer, that the model does not have.
  bool is_name(const Unmatched& each) const {
    const model::Term& term = *each.term;
    return term.kind == model::Term::Kind::exact && each.selector->over == model::Selector::Over::parameters &&
           term.text.find('.') != std::string::npos && !model::looks_like_pattern(term.text) && !is_layer(term);
  }

  diag::Diagnostic& start_report(const model::Term& term, bool strict) {
    const std::string shown = (term.kind == model::Term::Kind::pattern ? "re:" : "") + term.text;
    return strict ? context_.sink.report(diag::selector_matches_nothing, term.span, shown, context_.parameters->size())
                  : context_.sink.report(diag::unused_selector, term.span, shown, "parameter",
                                         context_.parameters->size());
  }

  // Reports the first of several names, and labels some of the others.
  diag::Diagnostic& report_first(const std::vector<Unmatched>& group) {
    constexpr std::size_t kMaxLabels = 3;
    const Unmatched& first = group.front();
    auto& report = start_report(*first.term, first.strict);
    for (std::size_t at = 1; at < std::min(group.size(), kMaxLabels + 1); ++at) {
      report.with_label(group[at].term->span, "no match for the same reason");
    }
    if (group.size() > kMaxLabels + 1) report.with_caret(fmt::format("{} more names like this", group.size() - 1));
    if (!first.strict && first.selector->drops) report.with_severity(diag::Severity::error);
    return report;
  }

  void report_renamed(const model::Renaming& renaming, const std::vector<Unmatched>& group) {
    diag::Fix fix = diag::Fix::unsafe();
    for (const Unmatched& each : group) fix.content(each.term->span, renaming.applied_to(each.term->text));
    report_first(group).with_help(renaming.help()).with_fix(std::move(fix));
  }

  // Reports names whose first word no name of the model has, and removes them. They belong to another architecture.
  void report_strangers(std::vector<Unmatched>& single) {
    std::map<std::pair<bool, std::string_view>, std::vector<Unmatched>> groups;
    for (const Unmatched& each : single) {
      const std::string_view word = std::string_view(each.term->text).substr(0, each.term->text.find('.'));
      const bool strange =
          is_name(each) && !renamings().is_first_word(word) && !renamings().beginning_of(each.term->text);
      if (strange) groups[{each.strict, word}].push_back(each);
    }
    std::set<const model::Term*> reported;
    for (const auto& [kind, group] : groups) {
      if (group.size() == 1) continue;
      std::vector<std::string> words;
      for (const std::string_view word : renamings().first_words()) words.push_back(fmt::format("`{}`", word));
      constexpr std::size_t kMaxWords = 5;
      if (words.size() > kMaxWords) words.resize(kMaxWords);
      report_first(group).with_help(fmt::format(
          "no name of this model begins with `{}`; names begin with {}: list them with `sparsecfg match FILE`",
          kind.second, base::join_and(words)));
      for (const Unmatched& each : group) reported.insert(each.term);
    }
    std::erase_if(single, [&](const Unmatched& each) { return reported.contains(each.term); });
  }

  void report(const Unmatched& unmatched) {
    const model::Term& term = *unmatched.term;
    const bool strict = unmatched.strict;
    const bool drops = unmatched.selector->drops;
    auto& report = start_report(term, strict);
    if (offer_beginning(report, term) || offer_inner_names(report, unmatched)) {
      if (!strict && drops) report.with_severity(diag::Severity::error);
      return;
    }
    const auto meant = matching_pattern(term, *unmatched.selector);
    report.with_help(meant ? meant->help : advice(term));
    if (meant) {
      report.with_fix(diag::Fix::unsafe().content(term.span, meant->text));
      return;
    }
    // A similar name is not offered as a fix, because it often belongs to a neighboring layer.
    if (is_layer(term)) {
      report.with_fix(diag::Fix::unsafe().content(term.span, term.text + ".weight"));
    } else if (!strict && !drops) {
      report.with_fix(diag::Fix::unsafe().remove(term.span));
    }
    if (!strict && drops) {
      report.with_severity(diag::Severity::error);
    }
  }

  // Offers the pattern with the first word of the names of this model, or to delete a name of another model that has no
  // counterpart in this one.
  bool offer_beginning(diag::Diagnostic& report, const model::Term& term) {
    if (term.kind == model::Term::Kind::pattern) {
      const auto meant = renamings().of_pattern(term.text, [&](const std::string& text) { return matches(text); });
      if (meant) report.with_help(fmt::format("write `re:{}`", *meant));
      if (meant) report.with_fix(diag::Fix::unsafe().content(term.span, "re:" + *meant));
      return meant.has_value();
    }
    const model::Renaming* renaming =
        term.kind == model::Term::Kind::exact && !is_layer(term) ? renamings().beginning_of(term.text) : nullptr;
    if (renaming == nullptr || names().knows(renaming->applied_to(term.text))) return false;
    report.with_help(fmt::format("delete it: this model has no `{}`", renaming->applied_to(term.text)))
        .with_fix(diag::Fix::unsafe().remove(term.span));
    return true;
  }

  // Offers the pattern that selects the parameters in a layer that contains other layers.
  bool offer_inner_names(diag::Diagnostic& report, const Unmatched& unmatched) {
    const model::Term& term = *unmatched.term;
    const bool named = term.kind == model::Term::Kind::exact && !term.text.empty() && !is_layer(term) &&
                       unmatched.selector->over == model::Selector::Over::parameters;
    if (!named || unmatched.selector->drops || !modules().knows(term.text)) return false;
    const std::string text = fmt::format("re:{}\\..*{}", regex::literal(term.text), unmatched.prunes ? "weight" : "");
    report.with_help(fmt::format("write `{}`: `{}` contains layers", text, term.text))
        .with_fix(diag::Fix::unsafe().content(term.span, text));
    return true;
  }

  bool is_layer(const model::Term& term) const {
    return term.kind != model::Term::Kind::pattern && names().knows(term.text + ".weight");
  }

  // Returns the weight or bias of the output layer for one of another model, such as `classifier.weight`; empty for
  // other names.
  std::string output_layer_meant_by(std::string_view name) const {
    const auto at = model::names_output_layer(name) ? model::output_layer_of(names()) : std::nullopt;
    if (!at || name.find('.') == std::string_view::npos) return {};
    const std::string_view head = names()[*at];
    std::string out = fmt::format("{}.{}", head.substr(0, head.rfind('.')), base::last_part(name));
    return names().knows(out) ? out : std::string();
  }

  // Returns the help text. The number of guesses is limited, because only a limited number of findings is shown.
  std::string advice(const model::Term& term) {
    if (guesses_left_ == 0) {
      return "run `sparsecfg match FILE` to list the parameters of the model";
    }
    --guesses_left_;
    if (term.kind == model::Term::Kind::pattern) {
      return advice_on_pattern(term.text);
    }
    if (is_layer(term)) {
      return fmt::format("write `{}.weight` to select the weight of this layer", term.text);
    }
    constexpr std::string_view kWrapped = "module.";  // prefix of all names of a model in DataParallel
    if (term.text.starts_with(kWrapped) && names().knows(term.text.substr(kWrapped.size()))) {
      return fmt::format("write `{}`; parameter names of this model lack the prefix `module.`",
                         term.text.substr(kWrapped.size()));
    }
    if (names().knows(std::string(kWrapped) + term.text)) {
      return fmt::format("write `module.{}`; parameter names of this model have the prefix `module.`", term.text);
    }
    if (const std::string head = output_layer_meant_by(term.text); !head.empty())
      return fmt::format("write `{}`, the output layer of this model", head);
    return base::did_you_mean(guesses_.nearest(term.text),
                              "run `sparsecfg match FILE` to list the parameters of the model");
  }

  // Returns true if a pattern matches a name after one of its words is replaced.
  bool matches_with(std::string_view pattern, std::string_view word, std::string_view other) {
    std::string meant(pattern);
    meant.replace(meant.find(word), word.size(), other);
    return matches(meant);
  }

  bool matches(const std::string& pattern) {
    const model::Matcher matcher(pattern);
    return !matcher.error() && !gives_up(matcher, pattern.size(), names()) &&
           !names().matched({model::Term::Kind::pattern, pattern, {}}).ranges.empty();
  }

  std::string advice_on_pattern(std::string_view pattern) {
    for (const std::string_view word : words_of(pattern)) {
      if (is_in_names(word)) continue;
      const auto guess = base::nearest(word, parts_of_names());
      return guess && matches_with(pattern, word, *guess)
                 ? fmt::format("did you mean `{}` instead of `{}`?", *guess, word)
                 : fmt::format("no parameter name contains `{}`; run `sparsecfg match FILE` to list the names", word);
    }
    if (pattern.starts_with(".*")) return "";
    return matches(fmt::format(".*{}", pattern))
               ? fmt::format("write `{}.*{}`, to match anywhere in the name", context_.remedies.pattern_prefix, pattern)
               : "run `sparsecfg match FILE` to list the names of the model";
  }

  // Returns the literal words of at least three letters in a pattern: `layer` and `weight` for `layer\d.*weight`. Drops
  // the last character before a repeat, because it may be missing in a name.
  static std::vector<std::string_view> words_of(std::string_view pattern) {
    constexpr std::size_t kMinLength = 3;
    const auto in_word = [](char c) { return base::is_name_letter(c); };
    std::vector<std::string_view> words;
    pattern = pattern.substr(0, pattern.find_first_of("|("));
    for (std::size_t at = 0; at < pattern.size();) {
      std::size_t end = at;
      while (end < pattern.size() && in_word(pattern[end])) ++end;
      const bool repeated =
          end < pattern.size() && std::string_view("*?{").find(pattern[end]) != std::string_view::npos;
      const std::size_t length = end - at - (repeated && end > at ? 1 : 0);
      if (length >= kMinLength) words.push_back(pattern.substr(at, length));
      const bool set = end < pattern.size() && pattern[end] == '[';
      at = set ? std::min(pattern.find(']', end), pattern.size()) + 1
               : end + (end < pattern.size() && pattern[end] == '\\' ? 2 : 1);
    }
    return words;
  }

  bool is_in_names(std::string_view word) {
    const auto [found, added] = words_in_names_.try_emplace(std::string(word), false);
    const auto has_it = [&](const std::string& name) { return name.find(word) != std::string::npos; };
    if (added) found->second = std::ranges::any_of(context_.parameters->list(), has_it);
    return found->second;
  }

  // Returns all components of the names in alphabetical order. Returns none for a large model.
  const std::vector<std::string_view>& parts_of_names() {
    const std::vector<std::string>& names = context_.parameters->list();
    if (parts_ || names.size() > limits::kMaxSearchedNames) {
      return parts_ ? *parts_ : parts_.emplace();
    }
    std::set<std::string_view> parts;
    for (const std::string& name : names) {
      for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find_first_of("./", at), name.size());
        parts.insert(std::string_view(name).substr(at, end - at));
        at = end + 1;
      }
    }
    return parts_.emplace(parts.begin(), parts.end());
  }

  const Context& context_;
  bool has_outputs_;                                // true if names may end in an output number; PyTorch names do not
  std::size_t tries_left_ = limits::kMaxNameTries;  // for all patterns together
  std::size_t guesses_left_ = limits::kMaxNameGuesses;  // for all terms together
  base::Guesses guesses_{context_.parameters->list()};
  std::map<std::string, bool> words_in_names_;  // results of earlier searches
  std::optional<std::vector<std::string_view>> parts_;
  std::optional<model::ModelNames> variables_;  // names with and without output numbers, if there are any such numbers
  std::optional<bool> norms_only_;              // true if all weights have one dimension; computed on first use
  std::optional<model::ModelNames> modules_;    // prefixes of parameter names; computed on first use
  model::ModelNames types_ = limited({std::begin(kTypes), std::end(kTypes)});
  std::optional<model::Renamings> other_names_;  // computed on first use
  std::vector<Unmatched> unmatched_;
  std::unordered_set<std::string> layers_;  // prefixes before the last `/`; empty except for TensorFlow models
};

void check_names(const Context& context) {
  if (context.parameters == nullptr) {
    return;
  }
  NameCheck check(context);
  for (const ir::Action& action : context.recipe.actions) {
    const bool prunes =
        std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::HoldMask>(action.effect);
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      check.check(*selector, prunes);
      if (prunes) check.check_prunable(*selector);
    }
  }
  check.report_unmatched();
}

}  // namespace sparsecfg::check
