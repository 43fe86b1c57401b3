#include "dialect/checkpoint/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantizers/quantized_base.h"
#include "dialect/runtime_option.h"
#include "emit/literal.h"

// Commands that serve a checkpoint, against the checkpoint (docs/semantics/checkpoint.md#a4).
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(
    QC410, served_by_other_method, error, (Text, Text), "the checkpoint is quantized with `{}`, not with `{}`",
    "vLLM and SGLang compare `--quantization` with the `quant_method` of the checkpoint, and stop with ValueError "
    "if they differ. Names of kernels for the same method are allowed, such as `awq_marlin` for `awq`. "
    "llm-compressor stores all of its methods, also AWQ and GPTQ, as `compressed-tensors`. If the configuration "
    "is not known, the name of the model counts.",
    "delete `--quantization`: the server reads the method from the checkpoint")

DIAGNOSTIC(
    QC411, served_unquantized, error, (Text), "`{}` only loads checkpoints that are already quantized",
    "The weights and the configuration of these methods come from the checkpoint. vLLM and SGLang do not quantize "
    "to them when they load a model in full precision, and stop.",
    "write `--quantization fp8`, which quantizes while loading, or serve a quantized checkpoint")

DIAGNOSTIC(QC412, served_mlx_weights, warning, (Text), "`{}` has the weights of MLX, which vLLM cannot load",
           "mlx-lm packs weights in its own layout, and no method of vLLM reads it. The plugin vllm-metal, which runs "
           "models with MLX on a Mac, is not checked.",
           "run `mlx_lm.server` on a Mac, or serve another checkpoint of the model")

DIAGNOSTIC(
    QC413, gguf_type_absent, error, (Text), "`{}` names no GGUF file of the repository",
    "A repository of GGUF files has one model for each type. vLLM loads one file: a local one, or the one of the "
    "type after a colon. Otherwise it searches for weights in safetensors.",
    "add the type, such as `:Q4_K_M`")

DIAGNOSTIC(
    QC414, server_without_method, error, (Text, Text), "{} has no quantization method `{}`",
    "`--quantization` is the name of a method, such as `fp8` or `compressed-tensors`, and not a number of bits, a "
    "scheme or a package. The server stops at other names. A checkpoint that is already quantized needs no "
    "option.",
    "delete `--quantization` for a quantized checkpoint, or write a method such as `fp8`")

namespace {

// A word that is no method of any server, and the method that users mean by it; empty if it depends on the checkpoint.
struct OtherWord {
  std::string_view word;
  std::string_view meant;
};

constexpr OtherWord kOtherWords[] = {{"int4", "bitsandbytes"},
                                     {"4bit", "bitsandbytes"},
                                     {"bnb", "bitsandbytes"},
                                     {"int8", "fp8"},
                                     {"8bit", "fp8"},
                                     {"w4a16", {}},
                                     {"compressed_tensors", "compressed-tensors"},
                                     {"llm-compressor", "compressed-tensors"},
                                     {"llmcompressor", "compressed-tensors"},
                                     {"auto_round", "auto-round"}};

// A method of checkpoints with the names of `--quantization` that load it. The first one is the `quant_method`.
struct Family {
  std::span<const std::string_view> names;
  std::string_view format;  // of AutoRound; empty: AutoRound does not write the method
};

constexpr std::string_view kAwqNames[] = {"awq", "awq_marlin", "auto_awq"};
constexpr std::string_view kGptqNames[] = {"gptq", "gptq_marlin", "auto_gptq"};
constexpr std::string_view kCompressedNames[] = {"compressed-tensors"};
constexpr std::string_view kBitsAndBytesNames[] = {"bitsandbytes"};
constexpr std::string_view kFp8Names[] = {"fp8"};

constexpr Family kFamilies[] = {{kAwqNames, "auto_awq"},
                                {kGptqNames, "auto_gptq"},
                                {kCompressedNames, "llm_compressor"},
                                {kBitsAndBytesNames, {}},
                                {kFp8Names, {}}};

// Returns the family of a method or option; null for others, which have rules of their own.
const Family* family_of(std::string_view name) {
  std::string lower = base::to_lower(name);
  if (lower == "compressed_tensors") lower = kCompressedNames[0];
  const auto* const found =
      std::ranges::find_if(kFamilies, [&](const Family& each) { return base::contains(each.names, lower); });
  return found == std::end(kFamilies) ? nullptr : found;
}

// Well-known ids of checkpoints whose publishers have quantized them.
struct Published {
  std::string_view start;
  std::string_view method;
};

constexpr Published kPublished[] = {
    {"deepseek-ai/DeepSeek-V3", "fp8"}, {"deepseek-ai/DeepSeek-R1-0", "fp8"}, {"openai/gpt-oss-", "mxfp4"}};

std::string published_method(std::string_view id) {
  if (id == "deepseek-ai/DeepSeek-R1") return "fp8";
  const auto* const found =
      std::ranges::find_if(kPublished, [&](const Published& each) { return id.starts_with(each.start); });
  return found == std::end(kPublished) ? std::string() : std::string(found->method);
}

// Returns true if a checkpoint whose name has a method may have the family. llm-compressor stores AWQ and GPTQ as
// compressed-tensors, and `W4A16` is also a name for GPTQ. Other words are ambiguous.
bool may_have(const quantizers::NamedMethod& named, const Family& family) {
  const std::string_view method = family.names.front();
  if (named.method == method) return true;
  if (named.method == "compressed-tensors" && named.only) return method == "gptq";
  if (named.method == "compressed-tensors") return false;
  return method == "compressed-tensors";
}

class Check {
 public:
  Check(const ServeCommand& command, const ServedConfig* config, diag::Sink& sink)
      : command_(command), config_(config), sink_(sink), option_(family_of(command.quantization.value)) {}

  void run() {
    const bool is_wrong = check_word();
    if (command_.model.value.empty()) return;
    if (config_ == nullptr && command_.server->runtime == "vllm" && (check_mlx() || check_gguf())) return;
    if (is_wrong || command_.other_config || option_ == nullptr) return;
    if (config_ == nullptr) return check_name();
    const std::string method = method_of_config();
    if (!method.empty()) {
      check_method(method);
    } else if (config_->quantization.is_null() && !config_->has_method_file) {
      check_unquantized();
    }
  }

 private:
  [[nodiscard]] std::string title() const { return title_of_program(command_.server->runtime); }

  // Returns the method of the checkpoint; empty if it has none.
  [[nodiscard]] std::string method_of_config() const {
    if (!config_->folder) return published_method(command_.model.value);
    const auto name = text_of(config_->quantization.find("quant_method"));
    return name ? std::string(*name) : std::string();
  }

  // A run may replace the option.
  void soften(diag::Diagnostic& report) const {
    if (command_.open) report.with_severity(diag::Severity::warning);
  }

  diag::Diagnostic& report_method(std::string_view method) {
    auto& report = sink_.report(diag::served_by_other_method, command_.quantization.span, std::string(method),
                                base::printable(command_.quantization.value));
    report.with_help(help_to_delete());
    return report;
  }

  void check_method(const std::string& method) {
    const Family* own = family_of(method);
    if (own == nullptr || own == option_) return;
    auto& report = report_method(own->names.front());
    report.with_label(command_.model.span, config_->folder ? "its `config.json` has the method" : "its method");
    soften(report);
  }

  void check_name() {
    const auto named = quantizers::method_in_name(command_.model.value);
    if (!named || may_have(*named, *option_) || family_of(named->method) == nullptr) return;
    // Several methods store NVFP4.
    report_method(!named->only && named->method == "compressed-tensors" ? "nvfp4" : named->method)
        .with_severity(diag::Severity::warning)
        .with_label(command_.model.span, "its name says so");
  }

  // Reports a method without code that quantizes.
  void check_unquantized() {
    if (option_->format.empty()) return;
    auto& report = sink_.report(diag::served_unquantized, command_.quantization.span,
                                base::printable(command_.quantization.value));
    report.with_label(command_.model.span,
                      config_->folder ? "its `config.json` has no `quantization_config`" : "a model in full precision");
    report.with_help(
        fmt::format("write `--quantization fp8`, which quantizes while loading, or quantize the model before: "
                    "`auto-round --model {} --scheme W4A16 --format {} --output_dir quantized`",
                    emit::literal(emit::Syntax::shell, command_.model.value), option_->format));
    soften(report);
  }

  // Returns true if the configuration or the name of the checkpoint has a method.
  [[nodiscard]] bool is_quantized() const {
    return config_ == nullptr ? quantizers::method_in_name(command_.model.value).has_value()
                              : !method_of_config().empty();
  }

  [[nodiscard]] std::string help_to_delete() const {
    return fmt::format("delete `{}`: {} reads the method from the checkpoint",
                       base::printable(command_.quantization.text), title());
  }

  // Returns the way to load a model in full precision with the method that a word means.
  [[nodiscard]] std::string help_for(std::string_view meant) const {
    const bool is_vllm = command_.server->runtime == "vllm";
    if (meant == "fp8") return "write `--quantization fp8`, which quantizes a model in 16 bits while loading it";
    if (meant == "bitsandbytes" && is_vllm) {
      return "write `--quantization bitsandbytes`, which quantizes a model in 16 bits while loading it and needs the "
             "package `vllm-bnb-plugin` since vLLM 0.28";
    }
    return fmt::format("delete `{}`, and serve a checkpoint that is already quantized",
                       base::printable(command_.quantization.text));
  }

  // Reports a word that is no method. Returns false if it may be one.
  bool check_word() {
    const std::string word = base::to_lower(command_.quantization.value);
    const auto* const found = std::ranges::find(kOtherWords, std::string_view(word), &OtherWord::word);
    if (found == std::end(kOtherWords)) return false;
    auto& report = sink_.report(diag::server_without_method, command_.quantization.span, title(), word);
    report.with_help(is_quantized() ? help_to_delete() : help_for(found->meant));
    soften(report);
    return true;
  }

  // Returns the known id of the model in full precision for the beginning of an id.
  [[nodiscard]] std::string_view original_of(std::string_view start) const {
    return quantizers::full_precision_id({{}, std::string(start), true});
  }

  // Returns the id up to the part that names the format.
  [[nodiscard]] static std::string_view start_of(std::string_view id, std::string_view part) {
    std::string_view start = id.substr(0, static_cast<std::size_t>(part.data() - id.data()) - 1);
    return start.substr(0, start.size() - (base::to_lower(start).ends_with("-mlx") ? 4 : 0));
  }

  bool check_mlx() {
    const std::string_view id = command_.model.value;
    const std::string_view bits = quantizers::bits_in_name(id);
    const std::string lower = base::to_lower(id);
    const bool packed = lower.starts_with("mlx-community/") || lower.find("-mlx-") != std::string::npos;
    if (bits.empty() || !packed) return false;
    const std::string_view original = original_of(start_of(id, bits));
    sink_.report(diag::served_mlx_weights, command_.model.span, base::printable(id))
        .with_help(fmt::format("run `mlx_lm.server --model {}` on a Mac, or serve {}",
                               emit::literal(emit::Syntax::shell, id),
                               original.empty() ? std::string("the original model") : fmt::format("`{}`", original)));
    return true;
  }

  bool check_gguf() {
    constexpr std::string_view kEnding = "-gguf";
    const std::string_view id = command_.model.value;
    const bool path = id.starts_with('.') || id.starts_with('/') || id.starts_with('~');
    if (path || std::ranges::count(id, '/') != 1 || !base::to_lower(id).ends_with(kEnding)) return false;
    const std::string_view original = original_of(id.substr(0, id.size() - kEnding.size()));
    const bool needs_tokenizer = command_.tokenizer.span.empty() && !original.empty();
    sink_.report(diag::gguf_type_absent, command_.model.span, base::printable(id))
        .with_help(fmt::format("write the type of a file of the repository after the id, such as `{}:Q4_K_M{}`",
                               base::printable(id), needs_tokenizer ? fmt::format(" --tokenizer {}", original) : ""));
    return true;
  }

  const ServeCommand& command_;
  const ServedConfig* config_;
  diag::Sink& sink_;
  const Family* option_;  // null: the option is absent or has no rule
};

}  // namespace

void check_serving(const ServeCommand& command, const ServedConfig* config, diag::Sink& sink) {
  Check(command, config, sink).run();
}

}  // namespace sparsecfg::dialect::checkpoint
