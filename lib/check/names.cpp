#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/matching.h"
#include "regex/pattern.h"

// What selectors take of the model's own names (MD9).
namespace sparsecfg::check {

// TensorFlow calls the variable `conv/kernel` by its first output, `conv/kernel:0`, and answers to both.
static std::string_view without_output(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const bool numbered = colon != std::string_view::npos && colon + 1 < name.size() &&
                        std::ranges::all_of(name.substr(colon + 1), base::is_digit);
  return numbered ? name.substr(0, colon) : name;
}

// Types of layers that a model is likely to have: names of parameters don't tell them.
constexpr std::string_view kTypes[] = {"Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", "LayerNorm", "BatchNorm2d", "ReLU", "GELU", "LSTM"};

// Whether a text can be the name of a class, which are written in capitals.
static bool may_be_type(std::string_view text) {
  return !text.empty() && base::is_letter(text.front()) && base::to_upper(text.substr(0, 1)) == text.substr(0, 1) &&
         text.find('.') == std::string_view::npos;
}

// A pattern where only names are known, which its reader has said already (SP615).
static bool is_misplaced_pattern(const ir::Term& term) {
  return term.kind == ir::Term::Kind::exact && ir::looks_like_pattern(term.text);
}

class NameCheck {
 public:
  explicit NameCheck(const Context& context) : context_(context) {
    for (const std::string& name : *context.parameters) {
      names_.insert(name);
      names_.emplace(without_output(name));
      if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) {
        layers_.insert(name.substr(0, slash));
      }
      if (std::string bare = ir::unwrapped_name(name); !bare.empty()) {
        names_.insert(std::move(bare));
      }
      const std::size_t deepest = std::min(name.size(), kLongestPath);
      for (std::size_t dot = name.find('.'); dot < deepest; dot = name.find('.', dot + 1)) {
        modules_.insert(name.substr(0, dot));
      }
    }
  }

  void check(const ir::Selector& selector) {
    std::vector<const ir::Term*> unused;
    for (const ir::Term& term : selector.terms) {
      if (!takes(term, selector.over) && !(selector.drops && is_misplaced_pattern(term))) unused.push_back(&term);
    }
    const bool stops = selector.strict || (selector.needs_one && unused.size() == selector.terms.size());
    for (const ir::Term* term : unused) {
      report(*term, stops || term->required, selector.drops);
    }
  }

 private:
  bool takes(const ir::Term& term, ir::Selector::Over over) const {
    if (over == ir::Selector::Over::modules) {
      return true;  // parameters don't tell the modules
    }
    if (over == ir::Selector::Over::layers) {
      return term.kind != ir::Term::Kind::exact || layers_.empty() || layers_.contains(term.text);
    }
    if (over == ir::Selector::Over::either) {
      return takes_either(term);
    }
    if (term.kind == ir::Term::Kind::exact) {
      return names_.contains(term.text) || names_.contains(std::string(without_output(term.text)));
    }
    if (term.kind == ir::Term::Kind::part) {
      return std::ranges::any_of(names_, [&](const std::string& name) { return term.text.find(name) != std::string::npos; });
    }
    return term.kind != ir::Term::Kind::pattern || matches(term, names_);
  }

  // A layer by its name or its type, or a parameter.
  bool takes_either(const ir::Term& term) const {
    if (term.kind == ir::Term::Kind::exact) {
      return names_.contains(term.text) || modules_.contains(term.text) || may_be_type(term.text);
    }
    return term.kind != ir::Term::Kind::pattern || may_be_type(term.text) || matches(term, names_) || matches(term, modules_) ||
           matches(term, kTypes);
  }

  bool matches(const ir::Term& term, const auto& names) const {
    const auto compiled = regex::Pattern::compile(term.text, regex::Anchoring::start);
    const auto* pattern = std::get_if<regex::Pattern>(&compiled);
    if (pattern == nullptr) {
      return true;
    }
    for (const std::string_view name : names) {
      const regex::Match match = pattern->match(name);
      if (match == regex::Match::gave_up) {
        context_.sink.report(diag::catastrophic_regex, term.span, base::printable(term.text));
      }
      if (match != regex::Match::no) {
        return true;
      }
    }
    return false;
  }

  void report(const ir::Term& term, bool strict, bool drops) {
    const std::string shown = (term.kind == ir::Term::Kind::pattern ? "re:" : "") + base::printable(term.text);
    auto& report = strict ? context_.sink.report(diag::selector_matches_nothing, term.span, shown, context_.parameters->size())
                          : context_.sink.report(diag::unused_selector, term.span, shown, context_.parameters->size());
    report.with_help(advice(term));
    // A name that is merely like another is often that of a layer beside it.
    if (is_layer(term)) {
      report.with_fix(diag::Fix::unsafe().content(term.span, term.text + ".weight"));
    } else if (!strict && !drops) {
      report.with_fix(diag::Fix::unsafe().remove(term.span));
    }
    if (!strict && drops) {
      report.with_severity(diag::Severity::error);
    }
  }

  bool is_layer(const ir::Term& term) const {
    return term.kind != ir::Term::Kind::pattern && names_.contains(term.text + ".weight");
  }

  std::string advice(const ir::Term& term) const {
    if (term.kind == ir::Term::Kind::pattern) {
      const bool anywhere = term.text.starts_with(".*");
      return anywhere ? "" : "the pattern is matched from the start of the name; begin it with `.*` to find it anywhere";
    }
    if (is_layer(term)) {
      return fmt::format("a layer is no parameter: write `{}.weight`", base::printable(term.text));
    }
    std::vector<std::string_view> known(context_.parameters->begin(), context_.parameters->end());
    const auto guess = known.size() > kMostCompared ? std::nullopt : base::nearest(term.text, known);
    return guess ? fmt::format("did you mean `{}`?", base::printable(*guess)) : "";
  }

  // Each `.` of a name makes a copy of what stands before it.
  static constexpr std::size_t kLongestPath = 500;

  // Comparing costs the product of lengths for every name.
  static constexpr std::size_t kMostCompared = 5000;

  const Context& context_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> modules_;  // what stands before any `.`
  std::unordered_set<std::string> layers_;   // what stands before the last `/`; empty but for TensorFlow's names
};

void check_names(const Context& context) {
  if (context.parameters == nullptr) {
    return;
  }
  NameCheck check(context);
  for (const ir::Action& action : context.recipe.actions) {
    for (const ir::Selector* selector : ir::selectors_of(action.effect)) {
      check.check(*selector);
    }
  }
}

}  // namespace sparsecfg::check
