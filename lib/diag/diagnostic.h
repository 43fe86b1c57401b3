#pragma once

#include <string>
#include <vector>

#include "diag/catalog.h"
#include "diag/fix.h"
#include "source/span.h"

namespace sparsecfg::diag {

// A secondary location with a description, such as "training ends here".
struct Label {
  source::Span span;
  std::string text;
  friend bool operator==(const Label&, const Label&) = default;
};

// One finding in one recipe. It owns its formatted strings, so it does not depend on the lifetime of the recipe.
struct Diagnostic {
  const Info* info;
  Severity severity;
  source::Span span;
  std::string message;
  std::string caret;  // label under the carets; may be empty
  std::string help;   // the fix instruction
  std::vector<Label> labels;
  Fix fix{};                 // empty if the finding cannot be fixed automatically
  std::string usual_help{};  // the help of the catalog
  // If another finding is about this place, this one is its consequence and is dropped. Empty: no cause.
  source::Span cause{};
  std::string consequence{};            // under the carets of the cause, if it has no label there
  std::vector<const Info*> stronger{};  // rules that report the same fault; this finding is dropped beside one of them
  std::vector<const Info*> weaker{};    // rules whose findings are dropped beside this one

  // The with_ functions return *this so that they can be chained to Sink::report.
  Diagnostic& with_severity(Severity other) {
    severity = other;
    return *this;
  }

  Diagnostic& with_caret(std::string text) {
    caret = std::move(text);
    return *this;
  }

  // Keeps the help of the catalog if `text` is empty.
  Diagnostic& with_help(std::string text) {
    if (!text.empty()) help = std::move(text);
    return *this;
  }

  Diagnostic& with_label(source::Span where, std::string text) {
    labels.push_back({where, std::move(text)});
    return *this;
  }

  Diagnostic& with_fix(Fix offered) {
    fix = std::move(offered);
    return *this;
  }

  // Drops this finding if another one is reported at `where`, which it follows from. The other one then says `result`.
  Diagnostic& with_cause(source::Span where, std::string result = {}) {
    cause = where;
    consequence = std::move(result);
    return *this;
  }

  // Drops this finding if the recipe also has one of `rule`, which knows more about the same fault.
  template <class... Args>
  Diagnostic& not_beside(const Def<Args...>& rule) {
    stronger.push_back(&rule.info);
    return *this;
  }

  // Drops findings of `rule` in the recipe, which follow from this one.
  template <class... Args>
  Diagnostic& explains(const Def<Args...>& rule) {
    weaker.push_back(&rule.info);
    return *this;
  }

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

}  // namespace sparsecfg::diag
