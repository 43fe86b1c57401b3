#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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

  void check(const model::Selector& selector) {
    std::vector<const model::Term*> unused;
    for (const model::Term& term : selector.terms) {
      if (!matches(term, selector.over) && !(selector.drops && is_misplaced_pattern(term))) unused.push_back(&term);
    }
    const bool stops = selector.strict || (selector.needs_one && unused.size() == selector.terms.size());
    for (const model::Term* term : unused) {
      report(*term, selector, stops || term->required);
    }
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

  void report(const model::Term& term, const model::Selector& selector, bool strict) {
    const bool drops = selector.drops;
    const std::string shown = (term.kind == model::Term::Kind::pattern ? "re:" : "") + term.text;
    auto& report =
        strict
            ? context_.sink.report(diag::selector_matches_nothing, term.span, shown, context_.parameters->size())
            : context_.sink.report(diag::unused_selector, term.span, shown, "parameter", context_.parameters->size());
    const auto meant = matching_pattern(term, selector);
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

  bool is_layer(const model::Term& term) const {
    return term.kind != model::Term::Kind::pattern && names().knows(term.text + ".weight");
  }

  // Returns the help text. The number of guesses is limited, because only a limited number of findings is shown.
  std::string advice(const model::Term& term) {
    if (guesses_left_ == 0) {
      return "run `sparsecfg match` to list the parameters of the model";
    }
    --guesses_left_;
    if (term.kind == model::Term::Kind::pattern) {
      return advice_on_pattern(term.text);
    }
    if (model::looks_like_type(term.text) && term.kind == model::Term::Kind::exact) {
      return help_for_class(context_, names().list().empty() ? "fc.weight" : names().list().front());
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
    return base::did_you_mean(guesses_.nearest(term.text), "run `sparsecfg match` to list the parameters of the model");
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
                 : fmt::format("no parameter name contains `{}`; run `sparsecfg match` to list the names", word);
    }
    if (pattern.starts_with(".*")) return "";
    return matches(fmt::format(".*{}", pattern)) ? "start the pattern with `.*` to match anywhere in the name"
                                                 : "run `sparsecfg match` to list the names of the model";
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
      check.check(*selector);
      if (prunes) check.check_prunable(*selector);
    }
  }
}

}  // namespace sparsecfg::check
