#pragma once

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"

namespace sparsecfg::diag {

// Collects the diagnostics of one recipe. Reporting never throws and never stops the caller. Readers skip a part that
// they cannot read, so that one mistake causes one diagnostic. The sink keeps the first 500 diagnostics of each code
// and counts the others, to bound the memory for bad input. Texts of the recipe need not be escaped: take() does it.
class Sink {
 public:
  // `errors_only`: warnings are not needed, so slow checks that report only warnings can be skipped.
  explicit Sink(bool errors_only = false) : errors_only_(errors_only) {}

  // Returns true if diagnostics of this kind are needed. Slow checks ask this first.
  template <class... Args>
  [[nodiscard]] bool wants(const Def<Args...>& def) const {
    return !errors_only_ || def.info.severity == Severity::error;
  }

  // Adds a diagnostic. The returned reference is valid until the next report; use it only to chain .with_help() etc.
  template <class... Args>
  Diagnostic& report(const Def<Args...>& def, source::Span span, const std::type_identity_t<Args>&... args) {
    return add(def.info, span, fmt::make_format_args(args...));
  }

  [[nodiscard]] std::size_t count(Severity severity) const;

  [[nodiscard]] bool has_errors() const { return count(Severity::error) > 0; }

  // Returns the diagnostics sorted by span and code, without exact duplicates, and empties the sink.
  [[nodiscard]] std::vector<Diagnostic> take();

 private:
  // The diagnostics of one code that exceed the limit.
  struct LeftOut {
    const Info* info;
    Severity severity;
    source::Span span;  // of the first one
    std::size_t count = 0;
  };

  Diagnostic& add(const Info& info, source::Span span, fmt::format_args args);
  void put_in_order();
  void drop_consequences();
  void limit_codes();
  void leave_out(const Diagnostic& diagnostic);

  bool errors_only_;
  std::vector<Diagnostic> diagnostics_;
  std::map<std::string_view, LeftOut> left_out_;  // by code
  std::size_t next_limit_ = 4096;                 // number of diagnostics at which the limits are applied again
};

// Drops findings beside those of rules that know more about the same fault (Diagnostic::not_beside and
// Diagnostic::explains). take() also does this, for the findings of one sink.
void drop_weaker(std::vector<Diagnostic>& findings);

}  // namespace sparsecfg::diag
