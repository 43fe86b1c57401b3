#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/read.h"
#include "dialect/record/types.h"

// Which algorithm has an effect on which format (docs/semantics/modelopt.md#d3-8).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(
    MO406, algorithm_without_effect, silent_warning, (Text, Text), "`{}` has no effect: {}",
    "Some algorithms apply only to some formats. For all other quantizers they use the maxima, without an error.",
    "write `max`, or choose a format that the algorithm supports")

DIAGNOSTIC(MO407, scales_without_format, silent_warning, (Text),
           "`{}` scales the FP8 weights, but the format FP8 has no place for the scales",
           "The weights are multiplied by scales whose inverse belongs to the inputs. The exported file says FP8, so "
           "runtimes do not apply it.",
           "write `max`")

namespace {

bool is_static_nvfp4(const Attributes& each) {
  return each.floating == kE2M1 && each.blocks && each.blocks->scale == kE4M3 && !each.blocks->dynamic;
}

bool is_dynamic_nvfp4(const Attributes& each) {
  return each.floating == kE2M1 && each.blocks && each.blocks->scale == kE4M3 && each.blocks->dynamic;
}

bool is_nvfp4(const Attributes& each) { return is_static_nvfp4(each) || is_dynamic_nvfp4(each); }

bool is_eight_bit_integer(const Attributes& each) { return !each.floating && each.text_bits.empty() && each.bits == 8; }

bool is_fp8(const Attributes& each) { return each.floating == kE4M3 && !each.blocks; }

// An algorithm that has an effect only on some formats.
struct AlgorithmRow {
  std::string_view method;
  std::string_view setting;  // that limits it to them; empty: always
  bool by_default;           // the value of the setting if it is absent
  Release since;             // the first release that ignores other formats
  bool inputs;               // the formats are those of inputs
  bool (*fits)(const Attributes&);
  std::string_view lacks;
};

constexpr AlgorithmRow kRows[] = {
    {"mse", "fp8_scale_sweep", false, Release::v0_45, false, is_static_nvfp4, "no weight has static NVFP4 blocks"},
    {"local_hessian", "fp8_scale_sweep", true, Release::v0_46, false, is_static_nvfp4,
     "no weight has static NVFP4 blocks, and `fp8_scale_sweep` is true"},
    {"lsq", "", true, Release::v0_46, false, is_static_nvfp4, "no weight has static NVFP4 blocks"},
    {"nvfp4_act_headroom", "", true, Release::v0_47, true, is_dynamic_nvfp4, "no input has dynamic NVFP4 blocks"},
    {"smoothquant", "", true, Release::v0_43, false, is_eight_bit_integer, "no weight has 8-bit integers"},
    {"smoothquant", "", true, Release::v0_43, true, is_eight_bit_integer, "no input has 8-bit integers"},
};

// The attributes that the entries of a list give weights and inputs.
struct Formats {
  std::vector<Attributes> weights;
  std::vector<Attributes> inputs;
  bool known = true;
};

Formats formats_of(const Config& config) {
  Formats out;
  out.known = config.has_list && !config.open;
  for (const Entry& entry : config.entries) {
    out.known = out.known && !entry.unknown && !(entry.enable && !entry.cfg);
    if (!entry.enable || !entry.cfg) continue;
    const bool weights = entry.pattern.find("weight_quantizer") != std::string::npos;
    const bool inputs = entry.pattern.find("input_quantizer") != std::string::npos;
    const bool others =
        !weights && !inputs && (is_for_cache(entry) || entry.pattern.find("output_quantizer") != std::string::npos);
    for (const Attributes& each : *entry.cfg) {
      out.known = out.known && !each.unknown && !each.custom;
      if (!inputs && !others) out.weights.push_back(each);
      if (!weights && !others) out.inputs.push_back(each);
    }
  }
  const auto is_disable_all = [](const Entry& each) { return each.pattern == "*" && !each.enable; };
  out.known = out.known && std::ranges::any_of(config.entries, is_disable_all);  // otherwise others keep integers
  return out;
}

class AlgorithmChecks {
 public:
  AlgorithmChecks(const Context& context, const Config& config)
      : context_(context), algorithm_(config.algorithm), formats_(formats_of(config)) {}

  void run() {
    const std::string_view method = method_of(algorithm_);
    if (!formats_.known || formats_.weights.empty() || context_.is_unknown(algorithm_)) return;
    for (const AlgorithmRow& row : kRows) {
      const std::vector<Attributes>& formats = row.inputs ? formats_.inputs : formats_.weights;
      if (row.method != method || !is_at_least(context_.release(), row.since) || !applies(row)) continue;
      if (std::ranges::any_of(formats, row.fits)) continue;
      report(row);
      return;
    }
    const bool scales = method == "awq_lite" || method == "awq_full" || method == "svdquant";
    if (scales && std::ranges::all_of(formats_.weights, is_fp8)) {
      context_.sink.report(diag::scales_without_format, place(), std::string(method));
    }
  }

 private:
  [[nodiscard]] source::Span place() const {
    const Value* method = algorithm_.find("method");
    return method != nullptr ? method->span : algorithm_.span;
  }

  [[nodiscard]] bool applies(const AlgorithmRow& row) const {
    const Value* value = row.setting.empty() ? nullptr : algorithm_.given(row.setting);
    return value == nullptr ? row.by_default : as_boolean(*value).value_or(false);
  }

  void report(const AlgorithmRow& row) const {
    const Value* setting = row.setting.empty() || row.by_default ? nullptr : algorithm_.given(row.setting);
    const std::string name(setting != nullptr ? row.setting : row.method);
    context_.sink
        .report(diag::algorithm_without_effect, setting != nullptr ? setting->span : place(), name,
                std::string(row.lacks))
        .with_help(help_for(row));
  }

  [[nodiscard]] std::string help_for(const AlgorithmRow& row) const {
    const bool python = context_.is_script();
    if (row.fits == is_static_nvfp4 && std::ranges::any_of(formats_.weights, is_nvfp4)) {
      return fmt::format("write {} in the blocks of the weights", python ? "`\"type\": \"static\"`" : "`type: static`");
    }
    if (row.method == "local_hessian") {
      const auto& blocks = formats_.weights.front().blocks;
      const auto size = blocks ? blocks->last() : std::nullopt;
      if (python) {
        return fmt::format("write `{{\"method\": \"local_hessian\", \"fp8_scale_sweep\": False{}}}`",
                           size ? fmt::format(", \"block_size\": {}", *size) : "");
      }
      return fmt::format("write `{{method: local_hessian, fp8_scale_sweep: false{}}}`",
                         size ? fmt::format(", block_size: {}", *size) : "");
    }
    return row.method == "mse" ? "delete `fp8_scale_sweep`, so that `mse` searches multipliers"
                               : std::string(python ? "write `\"algorithm\": \"max\"`" : "write `algorithm: max`");
  }

  const Context& context_;
  const Value& algorithm_;
  Formats formats_;
};

}  // namespace

void check_algorithm_formats(const Context& context, const Config& config) { AlgorithmChecks(context, config).run(); }

}  // namespace sparsecfg::dialect::modelopt
