#include "dialect/gptqmodel/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "architecture/user_model.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/config.h"
#include "dialect/quantizers/data_sets.h"
#include "dialect/quantizers/program.h"

namespace sparsecfg::dialect::gptqmodel {

using script::Ref;
using Kind = script::Value::Kind;

DIAGNOSTIC(GQ401, gptq_unknown_argument, error, (Text, Text), "`{}` has no argument `{}`",
           "The call raises a TypeError, after the model was loaded or quantized. GPTQModel 5 renamed or removed most "
           "arguments of `quantize`.",
           "delete `{1}`")

DIAGNOSTIC(GQ402, gptq_argument_dropped, silent_warning, (Text, Text), "`{}` ignores the argument `{}`",
           "`save` accepts every name. It passes only its own parameters on for a quantized model.", "delete `{1}`")

DIAGNOSTIC(GQ403, gptq_saved_before, error, (Text), "`{}` is called before the model is quantized",
           "A model that was loaded in full precision is only saved after `quantize`. The call raises a ValueError.",
           "call `quantize` before")

DIAGNOSTIC(GQ404, gptq_two_devices, error, (Text), "`{}` is not allowed beside `device` of `QuantizeConfig`",
           "GPTQModel loads a model that is not quantized to the CPU. It raises an AttributeError if both calls name a "
           "device.",
           "delete `{0}`")

DIAGNOSTIC(GQ405, gptq_class_is_called, error, (), "`GPTQModel` cannot be constructed",
           "The constructor raises an EnvironmentError. `load` returns the model.", "write `GPTQModel.load(...)`")

DIAGNOSTIC(GQ406, gptq_unknown_order, silent_warning, (Text), "`calibration_sort` has no order `{}`",
           "The orders are `asc`, `desc` and `shuffle`. GPTQModel keeps the order of the data for other values.",
           "write `calibration_sort=\"shuffle\"`")

DIAGNOSTIC(GQ407, gptq_shard_size, error, (Text), "`{}` is no size of a shard",
           "A size is a whole number and a unit without a space, such as `4GB`. GPTQModel raises a ValueError for "
           "other strings, after the model was quantized.",
           "write `max_shard_size=\"4GB\"`")

DIAGNOSTIC(GQ408, gptq_backend_without_packing, error, (Text), "`quantize` has no backend `{}`",
           "The backend of `quantize` packs the layers. vLLM, SGLang and MLX only run models, so that GPTQModel raises "
           "a ValueError before it quantizes. Every backend can load the saved model.",
           "delete `backend`")

DIAGNOSTIC(
    GQ409, gptq_export_format, error, (Text), "`export` does not write the format `{}`",
    "`export` knows the formats `mlx` and `hf`. For other names, it writes only the tokenizer, without a message.",
    "write `hf` or `mlx`")

std::string_view class_method(const script::Value& call) {
  if (call.kind != Kind::object) return {};
  const std::string_view path = call.path;
  const std::string_view name = base::last_part(path);
  const std::string_view before = path.substr(0, path.size() - std::min(path.size(), name.size() + 1));
  const bool ours = call.imported ? before.starts_with("gptqmodel.") : before == "GPTQModel";
  return ours && base::last_part(before) == "GPTQModel" ? name : std::string_view();
}

bool makes_model(const script::Value& call) {
  const std::string_view name = class_method(call);
  return name == "load" || name == "from_pretrained" || name == "from_quantized";
}

bool keeps_object(const script::Value& object, std::string_view method) {
  constexpr std::string_view kOfModels[] = {"quantize",        "save",     "save_quantized",
                                            "save_pretrained", "generate", "eval"};
  return makes_model(object) ? base::contains(kOfModels, method) : quantizers::keeps_dataset(object, method);
}

namespace {

// --- arguments --------------------------------------------------------------------------------------

// A method of a model, or of `GPTQModel`, and its parameters.
struct Signature {
  std::string_view name;
  std::span<const std::string_view> parameters;
  bool accepts_all = false;  // true: other names are accepted and dropped
};

constexpr std::string_view kQuantize[] = {"calibration",
                                          "calibration_concat_size",
                                          "calibration_sort",
                                          "batch_size",
                                          "tokenizer",
                                          "backend",
                                          "adapter",
                                          "adapter_calibration_dataset",
                                          "calibration_data_min_length",
                                          "calibration_concat_separator"};
constexpr std::string_view kSave[] = {
    "save_dir", "safetensors_metadata", "max_shard_size", "meta_quantizer", "eora_path", "split_by"};
constexpr std::string_view kExport[] = {"model_id_or_path", "target_path", "format", "trust_remote_code"};

constexpr Signature kSignatures[] = {{"quantize", kQuantize},
                                     {"save_quantized", kSave},
                                     {"save_pretrained", kSave},
                                     {"save", kSave, true},
                                     {"export", kExport}};

// A name of an earlier release, or of AutoGPTQ. Without a present name, the help is a whole instruction.
struct FormerName {
  std::string_view call;
  std::string_view name;
  std::string_view now;
  std::string_view help{};
};

constexpr FormerName kFormerNames[] = {
    {"quantize", "calibration_dataset", "calibration"},
    {"quantize", "calibration_dataset_concat_size", "calibration_concat_size"},
    {"quantize", "calibration_dataset_sort", "calibration_sort"},
    {"quantize", "examples", "calibration"},
    {"quantize", "dataset", "calibration"},
    {"quantize", "auto_gc", {}, "delete `auto_gc`; `gc_mode` of `QuantizeConfig` replaces it"},
    {"quantize", "fail_safe", {}, "delete `fail_safe`; `fallback` of `QuantizeConfig` is on by default"},
    {"save_quantized", "use_safetensors", {}, "delete `use_safetensors`: the format is always safetensors"},
    {"save_pretrained", "use_safetensors", {}, "delete `use_safetensors`: the format is always safetensors"},
};

// Returns the row of a method of a model, or of `GPTQModel.export`; null for other calls.
const Signature* signature_of(const script::Value& call) {
  const bool method = call.kind == Kind::object && call.owner != nullptr && makes_model(*call.owner);
  const std::string_view name = method ? std::string_view(call.path) : class_method(call);
  const auto* found = std::ranges::find(kSignatures, method && !name.empty() ? name.substr(1) : name, &Signature::name);
  return found == std::end(kSignatures) || (found->name == "export") == method ? nullptr : found;
}

void report_unknown(const Signature& row, const source::Located<std::string>& name, diag::Sink& sink) {
  auto& report = sink.report(diag::gptq_unknown_argument, name.span, row.name, name.value);
  const auto* former = std::ranges::find_if(
      kFormerNames, [&](const FormerName& each) { return each.call == row.name && each.name == name.value; });
  if (former != std::end(kFormerNames) && former->now.empty()) {
    report.with_help(std::string(former->help));
    return;
  }
  const auto guess =
      former != std::end(kFormerNames) ? std::optional(former->now) : base::nearest(name.value, row.parameters);
  if (!guess) return;
  report.with_help(fmt::format("write `{}` in place of `{}`", *guess, name.value))
      .with_fix(diag::Fix::unsafe().replace(name.span, std::string(*guess)));
}

void check_arguments(const script::Value& call, const Signature& row, diag::Sink& sink) {
  for (const auto& name : call.names) {
    if (name.value.starts_with('*') || base::contains(row.parameters, std::string_view(name.value))) continue;
    if (row.accepts_all) {
      sink.report(diag::gptq_argument_dropped, name.span, row.name, name.value);
    } else {
      report_unknown(row, name, sink);
    }
  }
}

// --- values -----------------------------------------------------------------------------------------

// Returns the text of an argument, or the name of a member of an enum in lower case; empty if it is not known.
std::string word_of_argument(const Ref& value) {
  if (value == nullptr) return {};
  if (value->kind == Kind::name && value->imported) return base::to_lower(base::last_part(value->path));
  const std::string* text = script::whole_string(value);
  return text == nullptr ? std::string() : *text;
}

void check_order(const script::Value& call, diag::Sink& sink) {
  constexpr std::size_t kPlace = 2;
  constexpr std::string_view kOrders[] = {"asc", "desc", "shuffle"};
  const Ref order = call.argument("calibration_sort", kPlace);
  const std::string word = order == nullptr || order->string() == nullptr ? std::string() : word_of_argument(order);
  if (word.empty() || base::contains(kOrders, std::string_view(word))) return;
  const std::string lower = base::to_lower(word);
  const std::string_view meant = lower.starts_with("asc") ? "asc" : lower.starts_with("desc") ? "desc" : "shuffle";
  sink.report(diag::gptq_unknown_order, order->span, word)
      .with_help(fmt::format("write `calibration_sort=\"{}\"`", meant))
      .with_fix(diag::Fix::unsafe().replace(order->span, fmt::format("\"{}\"", meant)));
}

void check_backend(const script::Value& call, diag::Sink& sink) {
  constexpr std::size_t kPlace = 5;
  constexpr std::string_view kEngines[] = {"vllm", "sglang", "mlx"};
  const Ref backend = call.argument("backend", kPlace);
  const std::string word = base::to_lower(word_of_argument(backend));
  if (base::contains(kEngines, std::string_view(word)))
    sink.report(diag::gptq_backend_without_packing, backend->span, word);
}

// Returns the size in the form of GPTQModel; empty if it is no size. `valid`: it has this form already.
std::string size_of_shard(std::string_view text, bool& valid) {
  const std::string upper = base::to_upper(base::trim(text));
  const std::size_t digits = std::min(upper.find_first_not_of("0123456789"), upper.size());
  const std::string_view rest = base::trim(std::string_view(upper).substr(digits));
  constexpr std::string_view kUnits[] = {"", "B", "K", "KB", "M", "MB", "G", "GB", "T", "TB", "P", "PB"};
  constexpr std::string_view kBinary[] = {"KIB", "MIB", "GIB", "TIB", "PIB"};
  if (digits == 0) return {};
  const bool binary = base::contains(kBinary, rest);
  if (!binary && !base::contains(kUnits, rest)) return {};
  valid = !binary && digits + rest.size() == upper.size();
  return fmt::format("{}{}", upper.substr(0, digits), binary ? fmt::format("{}B", rest.front()) : std::string(rest));
}

void check_shards(const script::Value& call, diag::Sink& sink) {
  constexpr std::size_t kPlace = 2;
  const Ref size = call.argument("max_shard_size", kPlace);
  const std::string* text = script::whole_string(size);
  if (text == nullptr) return;
  bool valid = false;
  const std::string meant = size_of_shard(*text, valid);
  if (valid) return;
  auto& report = sink.report(diag::gptq_shard_size, size->span, *text);
  if (meant.empty()) return;
  report.with_help(fmt::format("write `max_shard_size=\"{}\"`", meant))
      .with_fix(diag::Fix::unsafe().replace(size->span, fmt::format("\"{}\"", meant)));
}

void check_export(const script::Value& call, diag::Sink& sink) {
  constexpr std::size_t kPlace = 2;
  const Ref format = call.argument("format", kPlace);
  const std::string word = format == nullptr || format->string() == nullptr ? std::string() : word_of_argument(format);
  if (!word.empty() && word != "mlx" && word != "hf") sink.report(diag::gptq_export_format, format->span, word);
}

// --- order ------------------------------------------------------------------------------------------

// Returns true if a call passes a value, or a list with it, to code that is not known to leave it as it is.
bool passes(const script::Value& call, const script::Value& value) {
  const auto has_value = [&](const Ref& item) { return item != nullptr && quantizers::receives(*item, value); };
  return quantizers::receives(call, value) || std::ranges::any_of(call.items, has_value);
}

// Returns true for a model that is certainly not quantized when it is loaded: that of a known id.
bool loads_full_precision(const script::Value& load) {
  constexpr std::string_view kModel = "model_id_or_path";
  const Ref argument = load.argument(kModel, 0);
  const std::string* id = script::whole_string(argument);
  if (load.open || load.possible || id == nullptr) return false;
  const auto known = architecture::UserModel::of_id(*id);
  return known != nullptr && known->quantization().empty();
}

// Reports a model that is saved before the script quantizes it, or without that.
void check_order_of_calls(std::span<const Ref> calls, std::size_t place, diag::Sink& sink) {
  const script::Value& save = *calls[place];
  const script::Value& model = *save.owner;
  if (model.escaped || !loads_full_precision(model)) return;
  for (const Ref& call : calls.first(place)) {
    if (quantizers::is_of(*call, model) || passes(*call, model)) return;
  }
  const std::string_view name = std::string_view(save.path).substr(1);
  auto& report = sink.report(diag::gptq_saved_before, save.name_span, name);
  const script::Value* later = quantizers::method_after(calls, place + 1, model, "quantize");
  report.with_help(later == nullptr ? fmt::format("call `quantize` with calibration data before `{}`", name)
                                    : fmt::format("move `{}` behind `quantize`", name));
  if (later != nullptr) report.with_label(later->name_span, "quantized here");
}

// --- loading ----------------------------------------------------------------------------------------

// Reports devices of a model that is loaded with a configuration which names one.
void check_devices(const script::Value& load, diag::Sink& sink) {
  const bool is_load = class_method(load) == "load";
  const Ref config = load.argument("quantize_config", 1);
  const Ref own =
      config == nullptr || config->kind != Kind::object || config->possible ? nullptr : config->argument("device");
  if (own == nullptr || own->kind == Kind::unknown || script::is_none(*own) || !loads_full_precision(load)) return;
  for (const std::string_view name : {"device_map", "device"}) {
    const Ref other = is_load ? load.argument(name, name == "device_map" ? 2 : 3) : load.argument(name);
    if (other == nullptr || other->kind == Kind::unknown || script::is_none(*other)) continue;
    sink.report(diag::gptq_two_devices, other->span, name).with_label(own->span, "the device of the configuration");
    return;
  }
}

// Reports `GPTQModel(...)`.
void check_constructor(const script::Value& call, diag::Sink& sink) {
  const bool ours =
      call.kind == Kind::object && (call.imported ? call.path == "gptqmodel.GPTQModel" : call.path == "GPTQModel");
  if (!ours) return;
  sink.report(diag::gptq_class_is_called, call.name_span)
      .with_fix(diag::Fix::unsafe().replace(call.name_span, "GPTQModel.load"));
}

// Checks the threshold of an object. That of a mapping or a number is a part of the configuration.
void check_fallback(const script::Value& call, diag::Sink& sink) {
  const bool ours = call.kind == Kind::object && call.imported && call.path.starts_with("gptqmodel.");
  if (!ours || base::last_part(call.path) != "Fallback") return;
  const Ref threshold = call.argument("threshold", 1);
  const auto* share = threshold == nullptr ? nullptr : std::get_if<double>(&threshold->data);
  if (share != nullptr) check_threshold(*share, threshold->span, sink);
}

}  // namespace

void check_script(const script::Trace& trace, const ReadOptions& /*options*/, diag::Sink& sink) {
  const std::span<const Ref> calls = quantizers::calls_that_run(trace);
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const script::Value& call = *calls[place];
    check_constructor(call, sink);
    check_fallback(call, sink);
    if (makes_model(call)) check_devices(call, sink);
    const Signature* row = signature_of(call);
    if (row == nullptr) continue;
    check_arguments(call, *row, sink);
    if (row->name == "quantize") {
      check_calibration(call, sink);
      check_lines(trace, call, sink);
      check_order(call, sink);
      check_backend(call, sink);
    } else if (row->name == "export") {
      check_export(call, sink);
    } else {
      check_shards(call, sink);
      check_order_of_calls(calls, place, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::gptqmodel
