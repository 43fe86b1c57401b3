#include "dialect/modelopt/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "dialect/quantizers/runtime.h"

namespace sparsecfg::dialect::modelopt {

std::string_view name_of(Algo algo) {
  switch (algo) {
    case Algo::none: return "null";
    case Algo::fp8: return "FP8";
    case Algo::fp8_per_channel_per_token: return "FP8_PER_CHANNEL_PER_TOKEN";
    case Algo::fp8_blocks: return "fp8_pb_wo";
    case Algo::int8: return "W8A8_SQ_PER_CHANNEL";
    case Algo::int8_weight_only: return "W8A16";
    case Algo::int4_awq: return "W4A16_AWQ";
    case Algo::w4a8_awq: return "W4A8_AWQ";
    case Algo::nvfp4: return "NVFP4";
    case Algo::w4a16_nvfp4: return "W4A16_NVFP4";
    case Algo::w4a8_nvfp4_fp8: return "W4A8_NVFP4_FP8";
    case Algo::w4a8_mxfp4_fp8: return "W4A8_MXFP4_FP8";
    case Algo::mxfp4: return "mxfp4";
    case Algo::mxfp8: return "MXFP8";
    case Algo::mixed: return "MIXED_PRECISION";
    case Algo::error: break;
  }
  return "none";
}

// --- one module -------------------------------------------------------------------------------------

static ModuleFormat failure(std::string error) { return {Algo::error, {}, std::move(error)}; }

static std::optional<std::int64_t> group_of(const Attributes& weight) {
  return weight.blocks ? weight.blocks->last() : std::nullopt;
}

static ModuleFormat fp8_format(const Attributes& weight) {
  if (!weight.blocks) {
    return {weight.axis == 0 ? Algo::fp8_per_channel_per_token : Algo::fp8, {}, {}};
  }
  if (group_of(weight).value_or(0) <= 0) return failure("e4m3 weights with blocks require a size for axis -1");
  const bool mx = weight.blocks->dynamic && weight.blocks->scale == kE8M0;
  return mx ? ModuleFormat{Algo::mxfp8, group_of(weight), {}} : ModuleFormat{Algo::fp8_blocks, {}, {}};
}

static ModuleFormat fp4_format(const Attributes& weight, const Attributes* input) {
  if (!weight.blocks) return failure("e2m1 weights require `block_sizes`");
  const bool nv = weight.blocks->scale == kE4M3;
  const bool mx = weight.blocks->scale == kE8M0;
  const auto group = group_of(weight);
  if (input == nullptr && nv) return {Algo::w4a16_nvfp4, group, {}};
  const bool fp8_input = input != nullptr && input->floating == kE4M3 && !input->blocks;
  if (weight.blocks->dynamic && fp8_input && mx) return {Algo::w4a8_mxfp4_fp8, group, {}};
  if (weight.blocks->dynamic && fp8_input && nv) return {Algo::w4a8_nvfp4_fp8, group, {}};
  if (nv) return {Algo::nvfp4, group, {}};
  return mx ? ModuleFormat{Algo::mxfp4, {}, {}} : failure("e2m1 weights require `scale_bits: e4m3` or `e8m0`");
}

ModuleFormat format_of_pair(const Attributes& weight, const Attributes* input) {
  if (!weight.text_bits.empty()) return failure(fmt::format("`num_bits: {}` is not supported", weight.text_bits));
  if (weight.floating == kE4M3) return fp8_format(weight);
  if (weight.floating == kE2M1) return fp4_format(weight, input);
  if (weight.floating) {
    return failure(
        fmt::format("e{}m{} weights are not supported", weight.floating->exponent, weight.floating->mantissa));
  }
  if (weight.bits == 4) {
    return group_of(weight).value_or(0) > 0 ? ModuleFormat{Algo::int4_awq, group_of(weight), {}}
                                            : failure("4-bit integer weights require `block_sizes` for axis -1");
  }
  if (weight.bits == 8) return {input != nullptr ? Algo::int8 : Algo::int8_weight_only, {}, {}};
  return failure(fmt::format("{}-bit integer weights are not supported", weight.bits));
}

static ModuleFormat sequence_format(const QuantizedModule& module, const Quantizer& weight,
                                    std::span<const Entry> entries) {
  if (std::ranges::any_of(weight.steps, &Step::nested))
    return failure("a sequence inside of a sequence is not supported");
  const Attributes first = attributes_of(module, weight, weight.steps.front(), entries);
  const bool usual = weight.steps.size() == 2 && !first.floating && first.bits == 4 && first.blocks &&
                     attributes_of(module, weight, weight.steps[1], entries).floating == kE4M3;
  return usual ? ModuleFormat{Algo::w4a8_awq, group_of(first), {}}
               : failure("only 4-bit integer blocks followed by e4m3 are supported as a sequence");
}

static ModuleFormat format_of_weights(const QuantizedModule& module, std::span<const Entry> entries) {
  const Quantizer* weight = module.find(Tensor::weights);
  if (weight == nullptr || weight->steps.empty()) return {};
  if (weight->sequence && weight->steps.front().nested && weight->steps.front().on) {
    return sequence_format(module, *weight, entries);
  }
  if (!weight->is_on()) return {};
  if (weight->sequence) return sequence_format(module, *weight, entries);
  const Quantizer* input = module.find(Tensor::inputs);
  const bool has_input = input != nullptr && input->is_on();
  const Attributes of_input = has_input ? attributes_of(module, *input, input->steps.front(), entries) : Attributes();
  return format_of_pair(attributes_of(module, *weight, weight->steps.front(), entries),
                        has_input ? &of_input : nullptr);
}

bool is_fused_integer(const QuantizedModule& module, std::span<const Entry> entries) {
  const Algo algo = module.key.starts_with("hf.") ? format_of_weights(module, entries).algo : Algo::none;
  return algo == Algo::int4_awq || algo == Algo::w4a8_awq;
}

ModuleFormat format_of_module(const QuantizedModule& module, std::span<const Entry> entries) {
  return is_fused_integer(module, entries) ? failure("4-bit integers in fused experts are not supported")
                                           : format_of_weights(module, entries);
}

// --- the model --------------------------------------------------------------------------------------

namespace {

class Exporter {
 public:
  Exporter(std::span<const model::Module> modules, std::span<const QuantizedModule> quantized,
           std::span<const Entry> entries)
      : modules_(modules), quantized_(quantized), entries_(entries) {}

  Export run() {
    for (const QuantizedModule& module : quantized_) add(module);
    add_routers();
    choose_algo();
    if (out_.algo != Algo::mixed && out_.algo != Algo::none && out_.algo != Algo::error) list_excluded();
    return std::move(out_);
  }

 private:
  void add(const QuantizedModule& module) {
    if (module.find(Tensor::keys) != nullptr) add_cache(module);
    const model::Module& named = modules_[module.index];
    if (const Quantizer* output = module.find(Tensor::outputs); output != nullptr && output->is_on()) {
      add_cache_format(module, *output);
    }
    if (!module.has_weight) return;
    const ModuleFormat format = format_of_module(module, entries_);
    if (!module.key.starts_with("hf.")) {
      out_.layers.push_back({named.name, format});
      return;
    }
    // The first projection with a format decides about all experts of a layer.
    const std::string experts = named.name.substr(0, named.name.rfind('.'));
    if (out_.layers.empty() || out_.layers.back().name != experts) {
      out_.layers.push_back({experts, format});
    } else if (out_.layers.back().format.algo == Algo::none) {
      out_.layers.back().format = format;
    }
  }

  void add_cache(const QuantizedModule& module) {
    for (const Tensor tensor : {Tensor::keys, Tensor::values}) {
      const Quantizer* quantizer = module.find(tensor);
      if (quantizer != nullptr && quantizer->is_on()) add_cache_format(module, *quantizer);
    }
  }

  void add_cache_format(const QuantizedModule& module, const Quantizer& quantizer) {
    const Attributes attributes = attributes_of(module, quantizer, quantizer.steps.front(), entries_);
    const std::string name = attributes.floating == kE4M3                   ? "FP8"
                             : attributes.floating == kE2M1                 ? "NVFP4"
                             : !attributes.floating && attributes.bits == 8 ? "INT8"
                                                                            : "unknown";
    if (std::ranges::find(out_.caches, name) == out_.caches.end()) out_.caches.push_back(name);
  }

  // Routers of fused experts are no linear layers, but the export names them.
  void add_routers() {
    static constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate"};
    std::unordered_set<std::string_view> names;
    std::unordered_set<std::string> known;
    for (const model::Module& module : modules_) names.insert(module.name);
    for (const Export::Layer& layer : out_.layers) known.insert(layer.name);
    for (const model::Module& module : modules_) {
      const std::string_view last = base::last_part(module.name);
      if (!base::contains(kRouters, last) || !module.shape || known.contains(module.name)) continue;
      const std::string prefix = module.name.substr(0, module.name.size() - last.size());
      if (names.contains(prefix + "experts")) out_.layers.push_back({module.name, {}});
    }
  }

  void choose_algo() {
    for (const Export::Layer& layer : out_.layers) {
      if (layer.format.algo == Algo::none) continue;
      if (layer.format.algo == Algo::error) {
        out_.algo = Algo::error;
        return;
      }
      if (out_.algo == Algo::none) {
        out_.algo = layer.format.algo;
        out_.group = layer.format.group;
      } else if (out_.algo != layer.format.algo || out_.group != layer.format.group) {
        out_.algo = Algo::mixed;
      }
    }
    if (out_.algo == Algo::mixed) out_.group.reset();
    // A later layer may still stop the export.
    const bool fails =
        std::ranges::any_of(out_.layers, [](const auto& each) { return each.format.algo == Algo::error; });
    if (fails) out_.algo = Algo::error;
  }

  // Names each unquantized layer by the shortest prefix at a dot that no quantized layer has.
  void list_excluded() {
    std::unordered_set<std::string> taken;
    for (const Export::Layer& layer : out_.layers) {
      if (layer.format.algo == Algo::none) continue;
      taken.insert(layer.name);
      for (std::size_t at = 0; at <= layer.name.size(); ++at) taken.insert(layer.name.substr(0, at) + "*");
    }
    std::set<std::string> out;
    for (const Export::Layer& layer : out_.layers) {
      if (layer.format.algo == Algo::none) exclude(layer.name, taken, out);
    }
    out_.exclude.assign(out.begin(), out.end());
  }

  static void exclude(const std::string& name, const std::unordered_set<std::string>& taken,
                      std::set<std::string>& out) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      const std::string prefix = name.substr(0, dot);
      if (!taken.contains(prefix + "*")) {
        out.insert(prefix + "*");
        return;
      }
      if (!taken.contains(prefix) && !taken.contains(prefix + ".*")) {
        out.insert(prefix + ".*");
        return;
      }
    }
    if (!taken.contains(name)) out.insert(name);
  }

  std::span<const model::Module> modules_;
  std::span<const QuantizedModule> quantized_;
  std::span<const Entry> entries_;
  Export out_;
};

}  // namespace

Export export_of(std::span<const model::Module> modules, std::span<const QuantizedModule> quantized,
                 std::span<const Entry> entries) {
  return Exporter(modules, quantized, entries).run();
}

// --- runtimes ---------------------------------------------------------------------------------------

constexpr Algo kVllm[] = {
    Algo::fp8,  Algo::fp8_per_channel_per_token, Algo::fp8_blocks, Algo::nvfp4, Algo::w4a16_nvfp4, Algo::mxfp8,
    Algo::mixed};
constexpr Algo kSglang[] = {Algo::fp8, Algo::nvfp4, Algo::mixed};
constexpr Algo kTensorRt[] = {Algo::int8_weight_only,
                              Algo::int4_awq,
                              Algo::w4a8_awq,
                              Algo::int8,
                              Algo::fp8,
                              Algo::fp8_per_channel_per_token,
                              Algo::fp8_blocks,
                              Algo::mixed,
                              Algo::nvfp4,
                              Algo::w4a8_nvfp4_fp8,
                              Algo::w4a8_mxfp4_fp8,
                              Algo::w4a16_nvfp4};
constexpr Runtime kRuntimes[] = {{"vLLM", kVllm}, {"SGLang", kSglang}, {"TensorRT-LLM", kTensorRt}};

std::span<const Runtime> runtimes() { return kRuntimes; }

// Names of formats that a runtime rejects although it loads the format that the weights have.
struct RejectedName {
  std::string_view format;
  std::string_view runtime;
};

constexpr RejectedName kRejectedNames[] = {
    {"NVFP4_AWQ", "vLLM"}, {"NVFP4_SVD", "vLLM"}, {"NVFP4_SVD", "SGLang"}, {"NVFP4_SVD", "TensorRT-LLM"}};

bool rejects_name(const Runtime& runtime, std::string_view format) {
  const std::string upper = base::to_upper(format);
  return std::ranges::any_of(
      kRejectedNames, [&](const RejectedName& each) { return each.format == upper && each.runtime == runtime.name; });
}

std::string_view method_of(const source::Value& algorithm) {
  const source::Value* method = algorithm.get<source::Map>() == nullptr ? &algorithm : algorithm.find("method");
  const auto* name = method == nullptr ? nullptr : method->get<std::string>();
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

std::string_view name_of(Algo algo, std::string_view method) {
  if (algo != Algo::nvfp4) return name_of(algo);
  return method == "awq_lite" || method == "awq_full" ? "NVFP4_AWQ"
         : method == "svdquant"                       ? "NVFP4_SVD"
                                                      : name_of(algo);
}

const Runtime* selected_runtime(const ReadOptions& options) {
  const quantizers::Runtime runtime = quantizers::runtime_of(options);
  const std::string_view title = runtime == quantizers::Runtime::vllm     ? "vLLM"
                                 : runtime == quantizers::Runtime::sglang ? "SGLang"
                                                                          : "";
  const auto* found = std::ranges::find(kRuntimes, title, &Runtime::name);
  return found == std::end(kRuntimes) ? nullptr : found;
}

}  // namespace sparsecfg::dialect::modelopt
