#include "diag/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace sparsecfg::diag {

Diagnostic& Sink::add(const Info& info, source::Span span, fmt::format_args args) {
  return diagnostics_.emplace_back(
      Diagnostic{&info, info.severity, span, fmt::vformat(info.message, args), {}, {}, {}});
}

std::size_t Sink::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics_, severity, &Diagnostic::severity));
}

// Of one code a recipe has so many findings at the most; those behind them are counted in one more.
constexpr std::size_t kMaxOfOneCode = 500;

// Keeps the first findings of each code. A finding of the same code and severity tells of the others, so that what
// hides or accepts the code covers it too.
static void limit_codes(std::vector<Diagnostic>& diagnostics) {
  std::map<std::string_view, std::vector<const Diagnostic*>> more;
  std::map<std::string_view, std::size_t> counts;
  std::vector<Diagnostic> kept;
  for (const Diagnostic& each : diagnostics) {
    if (++counts[each.info->code] > kMaxOfOneCode) {
      more[each.info->code].push_back(&each);
    } else {
      kept.push_back(each);
    }
  }
  for (const auto& [code, left_out] : more) {
    const Diagnostic& first = *left_out.front();
    kept.push_back({first.info,
                    first.severity,
                    first.span,
                    fmt::format("{} more findings of {} are not listed", left_out.size(), code),
                    {},
                    fmt::format("a file lists {} of a code; more show when some of them are fixed", kMaxOfOneCode),
                    {}});
  }
  if (!more.empty()) {
    std::ranges::stable_sort(kept, {}, &Diagnostic::span);
    diagnostics = std::move(kept);
  }
}

std::vector<Diagnostic> Sink::take() {
  std::vector<Diagnostic> out = std::move(diagnostics_);
  diagnostics_.clear();
  std::ranges::stable_sort(
      out, {}, [](const Diagnostic& d) { return std::tuple(d.span, d.info->code, std::string_view(d.message)); });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() > kMaxOfOneCode) {
    limit_codes(out);
  }
  return out;
}

}  // namespace sparsecfg::diag
