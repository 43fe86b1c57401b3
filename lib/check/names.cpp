#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "check/check.h"
#include "regex/pattern.h"

// What selectors take of the model's own names (MD9).
namespace sparsecfg::check {

// A layer that quantization has wrapped answers to its old name too: `x.module.weight` to
// `x.weight` (reference/sparseml.md D).
static std::string unwrapped(std::string_view name) {
  constexpr std::string_view kWrapper = ".module.";
  const std::size_t at = name.rfind(kWrapper);
  if (at == std::string_view::npos || name.find('.', at + kWrapper.size()) != std::string_view::npos) {
    return {};
  }
  return std::string(name.substr(0, at + 1)) + std::string(name.substr(at + kWrapper.size()));
}

class NameCheck {
 public:
  explicit NameCheck(const Context& context) : context_(context) {
    for (const std::string& name : *context.parameters) {
      names_.insert(name);
      if (std::string bare = unwrapped(name); !bare.empty()) {
        names_.insert(std::move(bare));
      }
    }
  }

  void check(const ir::Selector& selector) {
    for (const ir::Term& term : selector.terms) {
      if (term.kind == ir::Term::Kind::exact && !names_.contains(term.text)) {
        report(term, selector.strict);
      } else if (term.kind == ir::Term::Kind::pattern) {
        check_pattern(term, selector.strict);
      }
    }
  }

 private:
  void check_pattern(const ir::Term& term, bool strict) {
    const auto compiled = regex::Pattern::compile(term.text, regex::Anchoring::start);
    const auto* pattern = std::get_if<regex::Pattern>(&compiled);
    if (pattern == nullptr) {
      return;
    }
    for (const std::string& name : names_) {
      const regex::Match match = pattern->match(name);
      if (match == regex::Match::gave_up) {
        context_.sink.report(diag::catastrophic_regex, term.span, base::printable(term.text));
      }
      if (match != regex::Match::no) {
        return;
      }
    }
    report(term, strict);
  }

  void report(const ir::Term& term, bool strict) {
    const std::string shown = (term.kind == ir::Term::Kind::pattern ? "re:" : "") + base::printable(term.text);
    auto& report = strict ? context_.sink.report(diag::selector_matches_nothing, term.span, shown, context_.parameters->size())
                          : context_.sink.report(diag::unused_selector, term.span, shown, context_.parameters->size());
    report.with_help(advice(term));
  }

  std::string advice(const ir::Term& term) const {
    if (term.kind == ir::Term::Kind::pattern) {
      return "the pattern is matched from the start of the name; begin it with `.*` to find it anywhere";
    }
    if (names_.contains(term.text + ".weight")) {
      return fmt::format("a layer is no parameter: write `{}.weight`", base::printable(term.text));
    }
    std::vector<std::string_view> known(context_.parameters->begin(), context_.parameters->end());
    const auto guess = known.size() > kMostCompared ? std::nullopt : base::nearest(term.text, known);
    return guess ? fmt::format("did you mean `{}`?", base::printable(*guess)) : "";
  }

  // Comparing costs the product of lengths for every name.
  static constexpr std::size_t kMostCompared = 5000;

  const Context& context_;
  std::unordered_set<std::string> names_;
};

void check_names(const Context& context) {
  if (context.parameters == nullptr) {
    return;
  }
  NameCheck check(context);
  for (const ir::Action& action : context.recipe.actions) {
    for (const ir::Selector* selector : ir::selectors_of(action.effect)) {
      if (selector->over == ir::Selector::Over::parameters) {
        check.check(*selector);
      }
    }
  }
}

}  // namespace sparsecfg::check
