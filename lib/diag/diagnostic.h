#pragma once

#include <string>
#include <vector>

#include "diag/catalog.h"
#include "diag/fix.h"
#include "source/span.h"

namespace sparsecfg::diag {

// A second place that takes part, with what happens there: "training ends here".
struct Label {
  source::Span span;
  std::string text;
  friend bool operator==(const Label&, const Label&) = default;
};

// One finding about one recipe. Messages are formatted when it is made, so it outlives whatever
// it speaks of.
struct Diagnostic {
  const Info* info;
  Severity severity;
  source::Span span;
  std::string message;
  std::string caret;  // what to write under the carets; may be empty
  std::string help;   // what to do about it
  std::vector<Label> labels;
  Fix fix{};  // without edits where none is offered

  // For use in one expression with Sink::report.
  Diagnostic& with_severity(Severity other) {
    severity = other;
    return *this;
  }

  Diagnostic& with_caret(std::string text) {
    caret = std::move(text);
    return *this;
  }

  // An empty text leaves the help of the catalogue.
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

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

}  // namespace sparsecfg::diag
