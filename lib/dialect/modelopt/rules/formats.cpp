#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/read.h"

// Formats that the export can't write, without a model (docs/semantics/modelopt.md#e2).
namespace sparsecfg::dialect::modelopt {

DIAGNOSTIC(MO404, unsupported_format, error, (Text), "the export stops: {}",
           "Calibration accepts more formats than `export_hf_checkpoint`. The error appears after the calibration.",
           "write the attributes of a preset, such as `{{num_bits: 4, block_sizes: {{-1: 128}}}}`")

diag::Diagnostic& report_unsupported(diag::Sink& sink, const Attributes& weight, source::Span place,
                                     const std::string& problem) {
  const bool scaled = weight.floating == kE2M1 && weight.blocks && !weight.blocks->span.empty();
  auto& report = sink.report(diag::unsupported_format, scaled ? weight.blocks->span : place, problem);
  if (!scaled) return report;
  return report.with_help(fmt::format("write `block_sizes: {{-1: {}, type: dynamic, scale_bits: e4m3}}`",
                                      weight.blocks->last().value_or(16)));
}

static bool selects_weights(const Entry& entry) {
  static constexpr std::string_view kOthers[] = {"input_quantizer", "output_quantizer", "bmm_quantizer",
                                                 "softmax_quantizer"};
  return std::ranges::none_of(kOthers,
                              [&](std::string_view each) { return entry.pattern.find(each) != std::string::npos; });
}

static std::string problem_of(const Entry& entry) {
  if (!entry.sequence) {
    const Attributes& only = entry.cfg->front();
    return only.text_bits.empty() ? format_of_pair(only, &only).error : std::string();
  }
  const std::vector<Attributes>& parts = *entry.cfg;
  const bool usual =
      parts.size() == 2 && !parts[0].floating && parts[0].bits == 4 && parts[0].blocks && parts[1].floating == kE4M3;
  return usual ? std::string() : "only 4-bit integer blocks followed by e4m3 are supported as a sequence";
}

// Returns true for a size that another rule reports.
static bool has_invalid_size(const Attributes& attributes) {
  return attributes.blocks && std::ranges::any_of(attributes.blocks->sizes,
                                                  [](const auto& each) { return each.second && *each.second < 1; });
}

// Only entries for weights are compared; patterns for all tensors may match no weight.
void check_formats(const Context& context, const Config& config) {
  for (const Entry& entry : config.entries) {
    const bool known = entry.cfg && !entry.unknown && entry.enable && !entry.cfg->empty() &&
                       std::ranges::none_of(*entry.cfg, [](const Attributes& a) {
                         return a.unknown || a.custom || has_invalid_size(a);
                       });
    if (!known || entry.pattern.find("weight_quantizer") == std::string::npos || !selects_weights(entry)) continue;
    const std::string problem = problem_of(entry);
    const Attributes& first = entry.cfg->front();
    if (problem.empty()) continue;
    report_unsupported(context.sink, first, first.bits_span.empty() ? first.span : first.bits_span, problem);
  }
}

}  // namespace sparsecfg::dialect::modelopt
