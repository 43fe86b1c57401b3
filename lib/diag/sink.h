#pragma once

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"

namespace sparsecfg::diag {

// Collects what is wrong with one recipe. Never throws at the reporter and never stops it: a part
// that could not be read is left out by its reader, so that one mistake gives one diagnostic. Of one code it keeps the
// first 500 and counts the others, so that a bad input takes little memory.
class Sink {
 public:
  // `errors_only`: nobody asks for warnings, so what takes long and finds nothing else may be left out.
  explicit Sink(bool errors_only = false) : errors_only_(errors_only) {}

  // Returns true if it is worth looking for what would be reported like this.
  template <class... Args>
  [[nodiscard]] bool wants(const Def<Args...>& def) const {
    return !errors_only_ || def.info.severity == Severity::error;
  }

  // The reference is good until the next report; use it for .with_help() and the like at once.
  template <class... Args>
  Diagnostic& report(const Def<Args...>& def, source::Span span, const std::type_identity_t<Args>&... args) {
    return add(def.info, span, fmt::make_format_args(args...));
  }

  [[nodiscard]] std::size_t count(Severity severity) const;

  [[nodiscard]] bool has_errors() const { return count(Severity::error) > 0; }

  // By place, then by code, exact duplicates dropped. Empties the sink.
  [[nodiscard]] std::vector<Diagnostic> take();

 private:
  // Findings of one code that are not kept.
  struct LeftOut {
    const Info* info;
    Severity severity;
    source::Span span;  // of the first one
    std::size_t count = 0;
  };

  Diagnostic& add(const Info& info, source::Span span, fmt::format_args args);
  void put_in_order();
  void limit_codes();
  void leave_out(const Diagnostic& diagnostic);

  bool errors_only_;
  std::vector<Diagnostic> diagnostics_;
  std::map<std::string_view, LeftOut> left_out_;  // by code
  std::size_t next_limit_ = 4096;                 // so many findings are gone through before one more is added
};

}  // namespace sparsecfg::diag
