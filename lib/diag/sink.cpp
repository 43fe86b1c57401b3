#include "diag/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sparsecfg::diag {

Diagnostic& Sink::add(const Info& info, source::Span span, fmt::format_args args) {
  return diagnostics_.emplace_back(Diagnostic{&info, info.severity, span, fmt::vformat(info.message, args), {}, {}, {}});
}

std::size_t Sink::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics_, severity, &Diagnostic::severity));
}

std::vector<Diagnostic> Sink::take() {
  std::vector<Diagnostic> out = std::move(diagnostics_);
  diagnostics_.clear();
  std::ranges::stable_sort(
      out, {}, [](const Diagnostic& d) { return std::tuple(d.span, d.info->code, std::string_view(d.message)); });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace sparsecfg::diag
