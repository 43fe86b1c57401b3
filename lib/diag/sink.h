#pragma once

#include <fmt/core.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"

namespace sparsecfg::diag {

// Collects what is wrong with one recipe. Never throws at the reporter and never stops it: a part
// that could not be read is left out by its reader, so that one mistake gives one diagnostic.
class Sink {
 public:
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
  Diagnostic& add(const Info& info, source::Span span, fmt::format_args args);

  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sparsecfg::diag
