#include <fmt/format.h>

#include "base/text.h"
#include "dialect/compressed_tensors/serving.h"

// The implementation that vLLM selects for a group.
namespace sparsecfg::dialect::compressed_tensors {

using schemes::Dynamic;

namespace {

constexpr std::string_view kActivationFormats[] = {"naive-quantized", "int-quantized", "float-quantized",
                                                   "nvfp4-pack-quantized", "mxfp4-pack-quantized"};

constexpr int kHopper = 90;

bool is_dynamic(const QuantizationArgs& args) { return args.dynamic != Dynamic::no; }

bool is_fp4_of_16(const QuantizationArgs& args) {
  return args.present && args.is_float && args.bits == 4 && args.strategy == Strategy::tensor_group &&
         args.group_size == 16 && args.symmetric;
}

bool is_static_tensor(const QuantizationArgs& args) {
  return args.present && args.strategy == Strategy::tensor && !is_dynamic(args);
}

bool is_dynamic_token(const QuantizationArgs& args) {
  return args.present && args.strategy == Strategy::token && is_dynamic(args);
}

class Chooser {
 public:
  Chooser(const ConfigGroup& group, std::string_view format, const RuntimeChoice& runtime)
      : group_(group),
        runtime_(runtime),
        weights_(group.weights.args),
        inputs_(group.inputs.args),
        outputs_(group.outputs.args),
        format_(format),
        packed_(format == "pack-quantized"),
        by_group_(weights_.strategy == Strategy::group),
        by_channel_(weights_.strategy == Strategy::channel) {}

  // The tests have the same order as in vLLM.
  Choice run() const {
    if (quantizes_inputs(format_) && !inputs_.present && !weights_.is_float) {
      return fault("AssertionError: weights without input_activations must be floats in this format");
    }
    if (runtime_.runtime == Runtime::sglang && takes_floats_for_ints()) {
      return fault("ImportError: Other method (CompressedTensorsW4A16Sparse24) is not supported now");
    }
    if (is_fp4_of_16(weights_)) return nvfp4();
    if (weights_.is_float && weights_.symmetric && by_group_ && weights_.group_size == 32) {
      if (weights_.bits == 4) return {"W4A4Mxfp4", "", false};
      if (weights_.bits == 8 && has_byte_scales(group_)) return {"W8A8Mxfp8", "", false};
    }
    if (is_w4a8() && runtime_.capability() == kHopper) {
      return weights_.group_size == 128 ? Choice{"W4A8Fp8", "", true}
                                        : fault("W4A8 kernels require group quantization with group size 128");
    }
    if (is_wna8o8()) return {"WNA8O8", "", false};
    if (const Choice choice = packed(); !choice.scheme.empty() || !choice.fault.empty()) return choice;
    return quantizes_inputs(format_) ? activations() : none();
  }

 private:
  static Choice fault(std::string words) { return {"", std::move(words), false}; }

  static Choice none() { return fault("No compressed-tensors compatible scheme was found"); }

  Choice nvfp4() const {
    if (!inputs_.present) return {"W4A16Fp4", "", false};
    return is_fp4_of_16(inputs_)
               ? Choice{"W4A4Fp4", "", false}
               : fault("For NVFP4 weights, input quantization must also be NVFP4 format, None for NVFP4A16");
  }

  // SGLang tests for packed 4-bit weights without their type, and before the format.
  bool takes_floats_for_ints() const {
    return !inputs_.present && weights_.is_float && weights_.bits == 4 && weights_.symmetric && !is_dynamic(weights_) &&
           !packed_;
  }

  bool is_w4a8() const {
    return weights_.bits == 4 && by_group_ && weights_.symmetric && !is_dynamic(weights_) &&
           is_dynamic_token(inputs_) && inputs_.bits == 8 && inputs_.symmetric;
  }

  bool is_wna8o8() const {
    const auto is_int8 = [](const QuantizationArgs& args) {
      return is_static_tensor(args) && !args.is_float && args.bits == 8;
    };
    return !weights_.is_float && (by_group_ || by_channel_) && (packed_ || format_ == "int-quantized") &&
           is_int8(inputs_) && is_int8(outputs_);
  }

  // Schemes with packed integers.
  Choice packed() const {
    if (format_ == "marlin-24" && !runtime_.has(facts::kNoSparseKernels)) return {"W4A16Sparse24", "", true};
    if (!packed_ || (!by_group_ && !by_channel_) || is_dynamic(weights_)) return {};
    const bool ints = !weights_.is_float && inputs_.present && !inputs_.is_float && inputs_.symmetric &&
                      (inputs_.bits == 8 || inputs_.bits == 4) && is_dynamic(inputs_) &&
                      (inputs_.strategy == Strategy::token || inputs_.strategy == Strategy::group);
    if (ints) return {fmt::format("WNA{}Int", inputs_.bits), "", true};
    if (inputs_.present) return {};
    const bool any = runtime_.has(facts::kAnyBits);
    if (any ? weights_.bits < 2 || weights_.bits > 8 : weights_.bits != 4 && weights_.bits != 8) {
      return fault(fmt::format("Unsupported num_bits = {}. Supported num_bits = [{}]", weights_.bits,
                               any ? "2, 3, 4, 5, 6, 7, 8" : "4, 8"));
    }
    if (!weights_.symmetric && weights_.bits != 4 && weights_.bits != 8) {
      return fault(
          fmt::format("Asymmetric quantization not supported for num_bits = {}. Supported: [4, 8]", weights_.bits));
    }
    return {"WNA16", "", true};
  }

  Choice activations() const {
    const bool by_area = weights_.strategy == Strategy::tensor || by_channel_ || weights_.strategy == Strategy::block;
    if (weights_.is_float && weights_.symmetric && !is_dynamic(weights_) && by_area) {
      const bool fixed = inputs_.present && inputs_.is_float && !is_dynamic(inputs_);
      if (weights_.strategy == Strategy::block && fixed) {
        return fault("AssertionError: assert not self.is_static_input_scheme");
      }
      const bool fits = inputs_.present && inputs_.is_float &&
                        (is_dynamic(inputs_) || (inputs_.symmetric && is_static_tensor(inputs_)));
      return {fits ? "W8A8Fp8" : "W8A16Fp8", "", false};
    }
    if (!inputs_.present) return fault("AttributeError: 'NoneType' object has no attribute 'num_bits'");
    if (!weights_.symmetric || is_dynamic(weights_) || inputs_.bits != 8) return none();
    const bool whole = weights_.strategy == Strategy::tensor || by_channel_;
    if (weights_.bits == 8 && whole && is_static_tensor(inputs_)) return {"W8A8Int8 (static)", "", false};
    if (weights_.bits == 8 && whole && is_dynamic_token(inputs_)) return {"W8A8Int8", "", false};
    if (weights_.bits == 4 && (by_group_ || by_channel_) && is_dynamic_token(inputs_)) return {"W4A8Int", "", true};
    return none();
  }

  const ConfigGroup& group_;
  const RuntimeChoice& runtime_;
  const QuantizationArgs& weights_;
  const QuantizationArgs& inputs_;
  const QuantizationArgs& outputs_;
  std::string_view format_;
  bool packed_;
  bool by_group_;
  bool by_channel_;
};

}  // namespace

bool quantizes_inputs(std::string_view format) { return base::contains(kActivationFormats, format); }

Choice choose(const ConfigGroup& group, std::string_view format, const RuntimeChoice& runtime) {
  return Chooser(group, format, runtime).run();
}

constexpr std::string_view kRecent[] = {"W4A4Mxfp4", "W8A8Mxfp8", "WNA8O8", "WNA8Int", "WNA4Int"};

bool has_kernel(const Choice& choice, std::string_view format) {
  return choice.scheme != "W4A8Int" && (choice.scheme != "W4A8Fp8" || format == "pack-quantized");
}

bool is_recent(std::string_view scheme) { return base::contains(kRecent, scheme); }

}  // namespace sparsecfg::dialect::compressed_tensors
