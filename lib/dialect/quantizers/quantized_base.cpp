#include "dialect/quantizers/quantized_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "architecture/user_model.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/quantizers/codes.h"
#include "dialect/schemes/release.h"

// Models that are already quantized, for quantizers that start from full precision.
namespace sparsecfg::dialect::quantizers {

DIAGNOSTIC(
    MD929, base_is_quantized, error, (Text), "the model is already quantized (`{}`)",
    "The `quantization_config` of the model has this method. llm-compressor since 0.13 and the classes of transformers "
    "raise a ValueError for another method than their own. GPTQModel loads such a model as it is, drops the "
    "configuration, and raises an error in `quantize`. Quantizing rounded weights again also adds the error of "
    "both formats. If the configuration is not known, the name of the model counts, such as one that ends in `-AWQ`.",
    "load the model in full precision, such as its release in bfloat16, or dequantize it before")

namespace {

// The effect of a quantizer on models that are already quantized.
struct BaseRow {
  std::string_view dialect;
  std::string_view called;  // class; empty: any
  std::span<const std::string_view> methods;
  bool others = false;  // true: the methods that the list does not contain
  diag::Severity severity = diag::Severity::error;
  std::string_view effect;
};

constexpr std::string_view kCompressedTensors[] = {"compressed-tensors"};
constexpr std::string_view kTorchao[] = {"torchao"};
constexpr std::string_view kOfGptqModel[] = {"gptq", "awq", "fp8", "bitsandbytes", "gguf", "exl3", "qqq", "paro"};

constexpr BaseRow kRows[] = {
    {"llm-compressor",
     {},
     kCompressedTensors,
     false,
     diag::Severity::warning,
     "`oneshot` most likely fails at layers that already have a scheme"},
    {"llm-compressor", {}, kCompressedTensors, true, diag::Severity::error, "`oneshot` raises a ValueError"},
    {"gptqmodel",
     {},
     kOfGptqModel,
     false,
     diag::Severity::error,
     "`load` drops the configuration, and `quantize` raises an error"},
    {"transformers", {}, {}, true, diag::Severity::error, "`from_pretrained` raises a ValueError"},
    {"torchao", "TorchAoConfig", kTorchao, true, diag::Severity::error, "`from_pretrained` raises a ValueError"},
};

constexpr std::string_view kTensorFunction = "model_free_ptq";  // reads tensors, and may convert them

const BaseRow* row_for(std::string_view dialect, std::string_view called, std::string_view method) {
  for (const BaseRow& row : kRows) {
    const bool same = row.dialect == dialect && (row.called.empty() || row.called == called);
    bool listed = false;
    for (const std::string_view each : row.methods) listed = listed || each == method;
    if (same && listed != row.others) return &row;
  }
  return nullptr;
}

// `oneshot` checks the model since 0.13.
bool is_checked(std::string_view dialect, const ReadOptions& options) {
  return dialect != "llm-compressor" || schemes::is_at_least(schemes::release_of(options), schemes::Release::v0_13);
}

}  // namespace

void check_base(std::string_view dialect, std::string_view called, std::string_view method, const ReadOptions& options,
                source::Span place, diag::Sink& sink) {
  const BaseRow* row = method.empty() || called == kTensorFunction ? nullptr : row_for(dialect, called, method);
  if (row == nullptr) return;
  auto& report = sink.report(diag::base_is_quantized, place, method).with_severity(row->severity);
  if (is_checked(dialect, options)) {
    report.with_caret(std::string(row->effect));
  } else {
    report.with_severity(diag::Severity::warning);
  }
}

// Returns true if the rest of a name is empty, or begins with a number of bits, the size of a group or a part of a
// scheme.
static bool says_format(std::string_view rest) {
  static constexpr std::string_view kFormats[] = {"int4", "int8", "int3", "4bit", "8bit",    "3bit", "2bit",  "w4",
                                                  "g128", "g64",  "4",    "asym", "dynamic", "kv",   "block", "tensor"};
  return rest.empty() ||
         std::ranges::any_of(kFormats, [&](std::string_view each) { return rest.substr(1).starts_with(each); });
}

namespace {

struct MethodWord {
  std::string_view word;
  std::string_view method;
  bool only = true;  // false if models of other methods have the word, too
};

constexpr MethodWord kWords[] = {{"gptq", "gptq"},
                                 {"awq", "awq"},
                                 {"bnb", "bitsandbytes"},
                                 {"gguf", "gguf"},
                                 {"exl3", "exl3"},
                                 {"exl2", "exl2"},
                                 {"hqq", "hqq"},
                                 {"w4a16", "compressed-tensors"},
                                 {"w8a16", "compressed-tensors"},
                                 {"w8a8", "compressed-tensors"},
                                 {"fp8", "fp8", false},
                                 {"mxfp4", "mxfp4", false},
                                 {"nvfp4", "compressed-tensors", false}};

// Removes words that quantizers write before the method: `Qwen3-8B-unsloth-bnb-4bit`, `Llama-quantized.w4a16`.
std::string without_added_words(std::string_view base) {
  constexpr std::string_view kAdded[] = {"-unsloth", "-quantized"};
  for (const std::string_view added : kAdded) {
    if (base.ends_with(added)) base.remove_suffix(added.size());
  }
  return std::string(base);
}

}  // namespace

std::optional<NamedMethod> method_in_name(std::string_view id) {
  if (id.starts_with('.') || id.starts_with('/')) return std::nullopt;
  const std::size_t folder = id.rfind('/') == std::string_view::npos ? 0 : id.rfind('/') + 1;
  const std::string name = base::to_lower(std::string(id.substr(folder)));
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("-_.", begin), name.size());
    for (const auto& [word, method, only] : kWords) {
      if (begin > 0 && name.substr(begin, end - begin) == word && says_format(name.substr(end)))
        return NamedMethod{method, without_added_words(id.substr(0, folder + begin - 1)), only};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::string_view full_precision_id(const NamedMethod& named) {
  const auto name_of = [](std::string_view id) { return base::to_lower(id.substr(id.rfind('/') + 1)); };
  const std::vector<std::string_view> known = architecture::UserModel::known_ids();
  const auto same = std::ranges::find(known, named.base);
  const auto found = same != known.end() ? same : std::ranges::find(known, name_of(named.base), name_of);
  return found == known.end() ? std::string_view() : *found;
}

std::string_view bits_in_name(std::string_view id) {
  if (id.starts_with('.') || id.starts_with('/') || id.find('/') == id.npos) return {};
  const std::string_view name = id.substr(id.rfind('/') + 1);
  constexpr std::string_view kParts[] = {"2bit", "3bit", "4bit", "5bit", "6bit", "8bit"};
  constexpr std::string_view kOfCommunity[] = {"mxfp4", "nvfp4", "mxfp8"};
  for (const std::string_view part : base::parts_of(name, '-')) {
    const std::string lower = base::to_lower(part);
    if (base::contains(kParts, lower)) return part;
    if (id.starts_with("mlx-community/") && base::contains(kOfCommunity, lower)) return part;
  }
  return {};
}

diag::Diagnostic* check_named_base(std::string_view dialect, std::string_view called, const NamedMethod& named,
                                   source::Span place, diag::Sink& sink) {
  const BaseRow* row = called == kTensorFunction ? nullptr : row_for(dialect, called, named.method);
  if (row == nullptr) return nullptr;
  auto& report = sink.report(diag::base_is_quantized, place, std::string(named.method));
  report.with_severity(diag::Severity::warning).with_caret(fmt::format("its name says so: {}", row->effect));
  const std::string_view base = full_precision_id(named);
  if (!base.empty()) report.with_help(fmt::format("load the model in full precision, `{}`", base));
  return &report;
}

}  // namespace sparsecfg::dialect::quantizers
