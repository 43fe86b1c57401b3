#include "dialect/checkpoint/base.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/calls.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/table.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantizers/quantized_base.h"
#include "dialect/quantizers/script_code.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "emit/literal.h"

namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(QC401, format_only_loaded, error, (Text),
           "`{}` only loads models that are already quantized, and this model is not",
           "transformers has no code that quantizes to this format. `from_pretrained` stops with ValueError.",
           "load a checkpoint that is already quantized to this format, or write "
           "`BitsAndBytesConfig(load_in_4bit=True)`")

DIAGNOSTIC(QC402, value_of_base_decides, silent_warning, (Text, Text),
           "`{0}` has no effect, because the model is already quantized with `{1}`",
           "The configuration of a quantized model replaces that of the script, with one warning. Of the arguments, "
           "transformers reads at most the kernel and `dequantize`.",
           "delete the argument, or load the model in full precision")

DIAGNOSTIC(QC403, calibration_data_absent, error, (), "`GPTQConfig` has no `dataset`, but this model is not quantized",
           "GPTQ needs texts to quantize a model. `from_pretrained` stops with ValueError after it has loaded the "
           "weights. A model that is already quantized needs none.",
           "add `dataset=\"c4\"`")

DIAGNOSTIC(
    QC404, static_scales_absent, error, (),
    "the model has no scales of inputs, which `activation_scheme=\"static\"` needs",
    "transformers computes no scales of inputs. They come from a checkpoint in FP8. Without them, the inputs are "
    "divided by memory that nothing has initialized.",
    "write `activation_scheme=\"dynamic\"`")

namespace {

constexpr quantizers::Exported kNames[] = {{"transformers", "BitsAndBytesConfig"},
                                           {"auto_round", "AutoRound"},
                                           {"llmcompressor", "oneshot"},
                                           {"llmcompressor.modifiers.transform.awq", "AWQModifier"},
                                           {"llmcompressor.modifiers.quantization", "QuantizationModifier"}};

// The code that quantizes to a format which transformers only loads. `{0}`: the model, `{1}`: the scheme.
struct OtherQuantizer {
  std::string_view method;
  std::string_view package;
  std::string_view code;
};

constexpr OtherQuantizer kOthers[] = {
    {"awq", "llm-compressor",
     "oneshot(model={0}, dataset=\"open_platypus\", recipe=[AWQModifier(), "
     "QuantizationModifier(targets=[\"Linear\"], scheme=\"{1}\", ignore=[\"lm_head\"])], output_dir=\"quantized\")"},
    {"auto-round", "AutoRound", "AutoRound({0}, scheme=\"W4A16\").quantize_and_save(\"quantized\")"},
    {"compressed-tensors", "llm-compressor",
     "oneshot(model={0}, recipe=QuantizationModifier(targets=[\"Linear\"], scheme=\"FP8_DYNAMIC\", "
     "ignore=[\"lm_head\"]), output_dir=\"quantized\")"}};

// Advises to load a quantized model, or to quantize it with the package that writes the format.
std::string help_for_loading(const CallConfig& call, const Loader& loader) {
  const auto* other = std::ranges::find(kOthers, call.row->method, &OtherQuantizer::method);
  const Value* zero_point = call.config.find("zero_point");
  const bool symmetric = zero_point != nullptr && zero_point->number() == 0;
  const std::string model = loader.model.empty() ? "..." : emit::literal(emit::Syntax::python, loader.model);
  const std::string code = other == std::end(kOthers)
                               ? "BitsAndBytesConfig(load_in_4bit=True)"
                               : fmt::format(fmt::runtime(other->code), model, symmetric ? "W4A16" : "W4A16_ASYM");
  return fmt::format("load a checkpoint that is already quantized to this format, or {}{}",
                     other == std::end(kOthers) ? "write " : fmt::format("quantize with {}: ", other->package),
                     quantizers::code_for(python::imported_names(loader.file), code, kNames).shown());
}

// Returns true if transformers quantizes a model with this configuration when it loads it.
bool is_quantized(const Value& base) {
  static constexpr std::string_view kOfPackages[] = {"auto-round", "compressed-tensors", "torchao", "fp_quant", "quark",
                                                     "sinq"};
  const auto method = text_of(base.find("quant_method"));
  if (!method || *method == "bitsandbytes") return sets_bits(base);
  return find_loading(Program::transformers, *method) != nullptr || base::contains(kOfPackages, *method);
}

// Returns true if a class describes models of a method. AutoRound converts the configurations of two methods.
bool fits(const ClassRow& row, std::string_view method) {
  return row.method == method || (row.method == "fp8" && method == "mxfp8") ||
         (row.method == "auto-round" && (method == "gptq" || method == "awq"));
}

// The same for the method in the name of a model. compressed-tensors also stores FP8, with the same names.
bool fits_name(const ClassRow& row, std::string_view method) {
  return fits(row, method) || (row.method == "compressed-tensors" && method == "fp8") ||
         (row.method == "fp8" && method == "compressed-tensors");
}

// Reports the first value that differs from that of the quantized model.
void check_values_of_base(const CallConfig& call, const Value& base, diag::Sink& sink) {
  for (const source::Entry& each : *call.config.get<source::Map>()) {
    const std::string name = source::python_str(each.first);
    const Value* own = base.find(name);
    if (own == nullptr || name == "quant_method" || base::contains(call.row->read_when_loading, name)) continue;
    const bool numbers = own->number() && each.second.number() && own->number() != each.second.number();
    const bool texts = name == "bnb_4bit_quant_type" && text_of(own) && text_of(own) != text_of(&each.second);
    if (!numbers && !texts) continue;
    sink.report(diag::value_of_base_decides, each.first.span,
                fmt::format("{}={}", name, source::python_str(each.second)),
                fmt::format("{}={}", name, source::python_str(*own)));
    return;
  }
}

// Returns true after a report.
bool check_full_precision(const CallConfig& call, const Loader& loader, diag::Sink& sink) {
  const std::string_view method = call.row->method;
  const Value* data = call.config.given("dataset");
  const bool has_data = data != nullptr || (std::ranges::find(call.given, "dataset") != call.given.end() &&
                                            call.config.find("dataset") == nullptr);
  const Value* scheme = call.config.find("activation_scheme");
  if (call.row->only_loads) {
    sink.report(diag::format_only_loaded, call.name, std::string(call.row->name()))
        .with_help(help_for_loading(call, loader));
  } else if (method == "gptq" && !has_data && std::ranges::find(call.given, "**") == call.given.end()) {
    sink.report(diag::calibration_data_absent, call.name);
  } else if (method == "fp8" && scheme != nullptr && text_of(scheme) == "static") {
    sink.report(diag::static_scales_absent, scheme->span)
        .with_fix(diag::Fix::unsafe().content(scheme->span, "dynamic"));
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool check_base(const doc::Document& document, const Value& base, const Loader& loader, const ReadOptions& options,
                diag::Sink& sink) {
  if (!is_call(document)) return false;
  diag::Sink unused;
  const Value root = doc::construct(document, document.root, unused);
  const auto call = config_of_call(root, doc::places_with(document, doc::kNotLiteralTag));
  if (!call || call->row == nullptr) return false;
  if (base.is_null()) return check_full_precision(*call, loader, sink);
  if (!is_quantized(base)) return false;
  const std::string method(text_of(base.find("quant_method")).value_or("bitsandbytes"));
  if (fits(*call->row, method)) {
    check_values_of_base(*call, base, sink);
  } else if (!options.before_transformers_5) {
    quantizers::check_base("transformers", call->row->name(), method, options, call->name, sink);
  }
  return true;
}

void check_named_base(const doc::Document& document, const quantizers::NamedMethod& named, const LoadPlaces& places,
                      const ReadOptions& options, diag::Sink& sink) {
  if (!is_call(document) || places.configuration.empty() || options.before_transformers_5) return;
  diag::Sink unused;
  const Value root = doc::construct(document, document.root, unused);
  const auto call = config_of_call(root, doc::places_with(document, doc::kNotLiteralTag));
  if (!call || call->row == nullptr || fits_name(*call->row, named.method)) return;
  diag::Diagnostic* report =
      quantizers::check_named_base("transformers", call->row->name(), named, places.configuration, sink);
  if (report == nullptr) return;
  const std::string_view base = quantizers::full_precision_id(named);
  if (!base.empty() && named.only) report->with_severity(diag::Severity::error);
  report->with_caret("`from_pretrained` raises a ValueError").with_label(places.model, "its name says so");
  report->with_help(fmt::format("delete `quantization_config`: the model is loaded as it is quantized{}",
                                base.empty() ? std::string()
                                             : fmt::format(". Or write `{1}` to quantize with `{0}`", call->row->name(),
                                                           emit::literal(emit::Syntax::python, base))));
}

}  // namespace sparsecfg::dialect::checkpoint
