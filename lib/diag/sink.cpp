#include "diag/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sparsecfg::diag {

// Maximum number of diagnostics per code and recipe. One more diagnostic states how many exceed it.
constexpr std::size_t kMaxOfOneCode = 500;

Diagnostic& Sink::add(const Info& info, source::Span span, fmt::format_args args) {
  if (diagnostics_.size() >= next_limit_) {
    put_in_order();
    limit_codes();
    next_limit_ = std::max(next_limit_, 2 * diagnostics_.size());
  }
  return diagnostics_.emplace_back(
      Diagnostic{&info, info.severity, span, fmt::vformat(info.message, args), {}, fmt::vformat(info.help, args), {}});
}

std::size_t Sink::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics_, severity, &Diagnostic::severity));
}

void Sink::put_in_order() {
  std::ranges::stable_sort(diagnostics_, {}, [](const Diagnostic& d) {
    return std::tuple(d.span, d.info->code, std::string_view(d.message));
  });
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end()), diagnostics_.end());
}

void Sink::leave_out(const Diagnostic& diagnostic) {
  LeftOut& others =
      left_out_.try_emplace(diagnostic.info->code, LeftOut{diagnostic.info, diagnostic.severity, diagnostic.span})
          .first->second;
  others.span = std::min(others.span, diagnostic.span);
  ++others.count;
}

// Keeps the first kMaxOfOneCode diagnostics of each code.
void Sink::limit_codes() {
  std::map<std::string_view, std::size_t> counts;
  std::vector<Diagnostic> kept;
  for (Diagnostic& each : diagnostics_) {
    if (++counts[each.info->code] > kMaxOfOneCode) {
      leave_out(each);
    } else {
      kept.push_back(std::move(each));
    }
  }
  diagnostics_ = std::move(kept);
}

// The summary of omitted diagnostics has their code and severity, so that options and comments that hide the code also
// hide the summary.
std::vector<Diagnostic> Sink::take() {
  put_in_order();
  if (diagnostics_.size() > kMaxOfOneCode || !left_out_.empty()) {
    limit_codes();
  }
  std::vector<Diagnostic> out = std::exchange(diagnostics_, {});
  for (const auto& [code, others] : std::exchange(left_out_, {})) {
    out.push_back({others.info,
                   others.severity,
                   others.span,
                   fmt::format("{} more findings of {} are not listed", others.count, code),
                   {},
                   fmt::format("fix some of the {} listed findings of this code to see more", kMaxOfOneCode),
                   {}});
  }
  std::ranges::stable_sort(out, {}, &Diagnostic::span);
  return out;
}

}  // namespace sparsecfg::diag
