#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/calls.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/table.h"
#include "dialect/quantizers/arity.h"
#include "emit/literal.h"

// The arguments of calls of ModelOpt (docs/semantics/modelopt.md#d5).
namespace sparsecfg::dialect::modelopt {

using script::Ref;
using Form = script::Value::Kind;

DIAGNOSTIC(MO520, unexpected_argument, error, (Text, Text), "`{}` has no parameter `{}`",
           "The script stops with TypeError at this call.", "delete the argument, or write the name of a parameter")

DIAGNOSTIC(MO521, path_as_other_argument, error, (Text, Text), "`{}` reads this string as `{}`",
           "The first parameters of the exporting functions are the model and a type of torch, not a folder. The error "
           "appears when the first weight is converted, after the calibration.",
           "pass the path by its name")

DIAGNOSTIC(MO522, unfit_function, error, (Text, Text), "`{}` {}",
           "ModelOpt calls the function itself, with a fixed number of arguments: `forward_loop(model)`, "
           "`forward_step(model, batch)`, `loss_func(output, batch)`. Another function, or an object that is no "
           "function, stops with TypeError when the calibration starts.",
           "pass a function of the model: `forward_loop=lambda model: calibrate(model, batches)`")

DIAGNOSTIC(MO523, missing_argument, error, (Text, Text), "`{}` stops, because it has no {}",
           "These functions check their arguments when the search begins, and stop with AssertionError.",
           "add the argument")

DIAGNOSTIC(MO524, cache_is_a_preset, error, (), "the second argument is a whole preset instead of its entries",
           "The function appends the elements of its second argument to `quant_cfg`. Those of a dictionary are its "
           "keys, `quant_cfg` and `algorithm`, which `mtq.quantize` rejects.",
           "append `[\"quant_cfg\"]`, as in `mtq.FP8_KV_CFG[\"quant_cfg\"]`")

DIAGNOSTIC(MO525, other_key_in_calls, error, (Text, Text), "`{}` does not accept the key `{}`",
           "The keys of a call differ from those of a recipe. An unknown key stops the call.", "rename the key")

namespace {

// The parameters of a function, in order.
struct Signature {
  std::string_view shown;  // as scripts write it
  std::string_view module;
  std::string_view name;
  std::span<const std::string_view> parameters;
};

constexpr std::string_view kQuantizeNames[] = {"model", "config", "forward_loop"};
constexpr std::string_view kCalibrateNames[] = {"model", "algorithm", "forward_loop"};
constexpr std::string_view kSearchNames[] = {"model",
                                             "constraints",
                                             "quantization_formats",
                                             "data_loader",
                                             "forward_step",
                                             "loss_func",
                                             "forward_backward_step",
                                             "disabled_layers",
                                             "num_calib_steps",
                                             "num_score_steps",
                                             "verbose",
                                             "method",
                                             "checkpoint",
                                             "module_search_spaces",
                                             "fixed_quantization_config"};
constexpr std::string_view kSwitchNames[] = {"model", "wildcard_or_filter_func"};
constexpr std::string_view kSetNames[] = {"quant_model", "quant_cfg"};
constexpr std::string_view kSparsifyNames[] = {"model", "mode", "config"};

constexpr Signature kSignatures[] = {{"mtq.quantize", kQuantization, "quantize", kQuantizeNames},
                                     {"mtq.calibrate", kQuantization, "calibrate", kCalibrateNames},
                                     {"mtq.auto_quantize", kQuantization, "auto_quantize", kSearchNames},
                                     {"mtq.disable_quantizer", kQuantization, "disable_quantizer", kSwitchNames},
                                     {"mtq.enable_quantizer", kQuantization, "enable_quantizer", kSwitchNames},
                                     {"mtq.set_quantizer_by_cfg", kQuantization, "set_quantizer_by_cfg", kSetNames},
                                     {"mts.sparsify", kSparsity, "sparsify", kSparsifyNames}};

const Signature* signature_of(const script::Value& call) {
  const bool known = call.kind == Form::object && call.imported && !call.open && call.argument("**") == nullptr;
  const auto fits = [&](const Signature& row) {
    return call.path.size() == row.module.size() + row.name.size() && call.path.starts_with(row.module) &&
           call.path.ends_with(row.name);
  };
  const auto* found = std::ranges::find_if(kSignatures, fits);
  return known && found != std::end(kSignatures) ? found : nullptr;
}

// Words of other tools for a parameter.
struct Word {
  std::string_view word;
  std::string_view parameter;
};

constexpr Word kRenamed[] = {{"calib_loop", "forward_loop"},
                             {"calibrate_loop", "forward_loop"},
                             {"calibration_loop", "forward_loop"},
                             {"calib_func", "forward_loop"},
                             {"calib_dataloader", "forward_loop"},
                             {"calib_dataset", "forward_loop"},
                             {"data_loader", "forward_loop"},
                             {"dataloader", "forward_loop"},
                             {"dataset", "forward_loop"},
                             {"quant_cfg", "config"},
                             {"quant_config", "config"},
                             {"quantization_config", "config"},
                             {"forward_loop", "forward_step"},
                             {"calib_dataloader", "data_loader"},
                             {"dataloader", "data_loader"},
                             {"config", "quantization_formats"},
                             {"wildcard", "wildcard_or_filter_func"}};

std::optional<std::string_view> meant_by(const Signature& row, const std::string& name) {
  for (const Word& each : kRenamed) {
    if (each.word == name && base::contains(row.parameters, each.parameter)) return each.parameter;
  }
  return base::nearest(name, row.parameters);
}

// Reports arguments that a function does not have. Returns true if there is one.
bool check_names(const script::Value& call, const Signature& row, diag::Sink& sink) {
  bool found = false;
  for (const auto& name : call.names) {
    if (base::contains(row.parameters, std::string_view(name.value))) continue;
    const auto meant = meant_by(row, name.value);
    found = true;
    auto& report = sink.report(diag::unexpected_argument, name.span, std::string(row.shown), name.value);
    if (meant == "forward_loop") {
      report.with_help(
          "write `forward_loop=calibrate`, where `calibrate(model)` runs batches of calibration data through `model`");
    } else if (meant) {
      report.with_help(fmt::format("write `{}=`", *meant));
    } else {
      report.with_help(fmt::format("its parameters are `{}`", fmt::join(row.parameters, "`, `")));
    }
  }
  return found;
}

// --- functions --------------------------------------------------------------------------------------

// An argument that ModelOpt calls.
struct Callback {
  std::string_view function;
  std::string_view name;
  std::size_t position;
  std::span<const std::string_view> passed;
};

constexpr std::string_view kModelOnly[] = {"model"};
constexpr std::string_view kModelAndBatch[] = {"model", "batch"};
constexpr std::string_view kOutputAndBatch[] = {"output", "batch"};
constexpr Callback kCallbacks[] = {{"quantize", "forward_loop", 2, kModelOnly},
                                   {"calibrate", "forward_loop", 2, kModelOnly},
                                   {"auto_quantize", "forward_step", 4, kModelAndBatch},
                                   {"auto_quantize", "loss_func", 5, kOutputAndBatch},
                                   {"auto_quantize", "forward_backward_step", 6, kModelAndBatch}};

// Returns the parameters of a function without a default, as a call passes them.
std::vector<std::string> required_arguments(const python::Statement& function) {
  std::vector<std::string> out;
  for (const python::Parameter& each : function.parameters) {
    const bool position = quantizers::is_by_position(each);
    const bool required = each.fallback.empty() && (position || each.form == python::Parameter::Form::keyword);
    if (required) out.push_back(position ? each.name : fmt::format("{0}={0}", each.name));
  }
  return out;
}

// Returns the name of a kind of object that can't be called; empty for others.
std::string_view uncallable(const script::Value& value) {
  if (script::is_none(value)) return {};
  switch (value.kind) {
    case Form::list: return "a list";
    case Form::tuple: return "a tuple";
    case Form::set: return "a set";
    case Form::dictionary: return "a dictionary";
    case Form::scalar: return value.string() != nullptr ? "a string" : "a number";
    case Form::object: {
      const bool loader = value.imported && value.path.starts_with("torch.utils.data.");
      return loader && base::last_part(value.path) == "DataLoader" ? "a `DataLoader`" : std::string_view();
    }
    default: return {};
  }
}

// Returns the call of a function with its own parameters, in a lambda for ModelOpt.
std::string lambda_for(const Callback& row, const script::Value& function, std::vector<std::string> arguments) {
  if (!arguments.empty() && std::ranges::find(arguments, row.passed.front()) == arguments.end()) {
    arguments.front() = row.passed.front();
  }
  const std::string name = function.path.empty() ? "calibrate" : function.path;
  return fmt::format("write `{}=lambda {}: {}({})`", row.name, fmt::join(row.passed, ", "), name,
                     fmt::join(arguments, ", "));
}

void check_callback(const script::Value& call, const Callback& row, diag::Sink& sink) {
  const Ref value = call.argument(row.name, row.position);
  if (value == nullptr) return;
  const std::string name(row.name);
  const auto named = std::ranges::find(call.names, row.name, &source::Located<std::string>::value);
  const source::Span place = named == call.names.end() ? call.span : named->span;
  if (const std::string_view kind = uncallable(*value); !kind.empty()) {
    auto& report =
        sink.report(diag::unfit_function, place, name, fmt::format("must be a function, but this is {}", kind));
    report.with_label(value->span, std::string(kind.substr(kind.find(' ') + 1)));
    if (row.passed.size() == 1) {
      report.with_help(
          "pass a function that runs the data: `def calibrate(model): for batch in batches: model(**batch)`");
    } else {
      report.with_help(fmt::format("pass a function of `{}`", fmt::join(row.passed, "` and `")));
    }
    return;
  }
  const bool known = value->kind == Form::function && value->function != nullptr;
  if (!known || value->role != script::Value::Role::plain) return;
  const quantizers::Arity arity = quantizers::arity_of(*value->function);
  const std::size_t count = row.passed.size();
  const bool none = count == 1 && arity.most == 0;  // accepted, with a warning
  if (!arity.named && (none || arity.accepts(count))) return;
  const std::vector<std::string> required = required_arguments(*value->function);
  sink.report(diag::unfit_function, place, name,
              fmt::format("is called with {} {}, but this function needs {}", count,
                          count == 1 ? "argument" : "arguments", std::max(required.size(), std::size_t{1})))
      .with_help(lambda_for(row, *value, required));
}

// --- single functions -------------------------------------------------------------------------------

// A parameter that a path is often passed to by mistake.
struct PathRow {
  std::string_view function;
  std::string_view parameter;
  std::size_t position;
  std::string_view meant;
};

constexpr PathRow kPaths[] = {
    {"export_hf_checkpoint", "dtype", 1, "export_dir"},
    {"export_tensorrt_llm_checkpoint", "dtype", 2, "export_dir"},
    {"restore_from_modelopt_state", "modelopt_state", 1, "modelopt_state_path"},
};

void check_path(const script::Value& call, const PathRow& row, diag::Sink& sink) {
  const Ref value = call.open ? nullptr : call.argument(row.parameter, row.position);
  const std::string* text = value == nullptr ? nullptr : value->string();
  const bool path = value != nullptr && value->role == script::Value::Role::path;
  if (text == nullptr && !path) return;
  auto& report =
      sink.report(diag::path_as_other_argument, value->span, std::string(row.function), std::string(row.parameter));
  static constexpr std::string_view kTypes[] = {"bfloat16", "float16", "float32", "torch.bfloat16", "torch.float16"};
  if (text != nullptr && base::contains(kTypes, std::string_view(*text))) {
    report.with_help(fmt::format("write `{}=torch.{}`", row.parameter, base::last_part(*text)));
  } else if (text != nullptr && value->is_whole()) {
    report.with_help(fmt::format("write `{}={}`", row.meant, emit::literal(emit::Syntax::python, *text)));
  } else {
    report.with_help(fmt::format("pass it as `{}=`", row.meant));
  }
}

bool is_given(const script::Value& call, std::string_view name, std::size_t position) {
  return script::is_given(call.argument(name, position));
}

// Reports a search without the functions that its method needs.
void check_search(const script::Value& call, diag::Sink& sink) {
  const auto report = [&](const std::string& missing, const std::string& help) {
    sink.report(diag::missing_argument, call.name_span, "mtq.auto_quantize", missing).with_help(help);
  };
  const Ref constraints = call.argument("constraints", 1);
  const bool plain = constraints != nullptr && script::is_closed_mapping(*constraints) &&
                     value_in(*constraints, "cost_model") == nullptr;
  if (!plain || is_given(call, "checkpoint", 12)) return;
  if (!is_given(call, "data_loader", 3)) return report("`data_loader`", "add `data_loader=batches,`");
  if (!is_given(call, "forward_step", 4)) {
    return report("`forward_step`", "add `forward_step=lambda model, batch: model(**batch),`");
  }
  const Ref method = call.argument("method", 11);
  const bool gradient = method == nullptr || (method->string() != nullptr && *method->string() == "gradient");
  if (!gradient || is_given(call, "loss_func", 5) || is_given(call, "forward_backward_step", 6)) return;
  report("`loss_func`, which the method `gradient` needs",
         "add `loss_func=lambda output, batch: output.loss,`, or `method=\"kl_div\",`");
}

void check_sparsify(const script::Value& call, diag::Sink& sink) {
  const Ref mode = call.argument("mode", 1);
  const Ref config = call.argument("config", 2);
  const bool gpt = mode != nullptr && mode->string() != nullptr && *mode->string() == "sparsegpt";
  const bool empty = !script::is_given(config);
  if (!gpt || (!empty && !script::is_closed_mapping(*config))) return;
  const auto has = [&](std::string_view key) { return !empty && script::is_given(value_in(*config, key)); };
  if (has("forward_loop") || has("data_loader")) return;
  sink.report(diag::missing_argument, mode->span, "mts.sparsify", "`data_loader` or `forward_loop` for `sparsegpt`")
      .with_help(
          "pass the data as `config={\"forward_loop\": calibrate}`, where `calibrate(model)` runs batches "
          "through `model`");
}

void check_cache_preset(const script::Value& call, const ReadOptions& options, diag::Sink& sink) {
  const Ref added = call.open ? nullptr : call.argument("kv_cache_quant_cfg", 1);
  const bool whole = added != nullptr && added->kind == Form::dictionary && value_in(*added, "quant_cfg") != nullptr;
  if (!whole || !is_at_least(release_of(options), Release::v0_44)) return;
  sink.report(diag::cache_is_a_preset, added->span);
}

// Reports the key of recipes in the search spaces of a call.
void check_search_spaces(const script::Value& call, diag::Sink& sink) {
  const Ref spaces = call.argument("module_search_spaces", 13);
  if (spaces == nullptr || !script::is_sequence(*spaces)) return;
  for (const Ref& space : spaces->items) {
    for (std::size_t at = 0; space->kind == Form::dictionary && at + 1 < space->items.size(); at += 2) {
      const std::string* key = space->items[at]->string();
      if (key == nullptr || *key != "candidate_formats") continue;
      sink.report(diag::other_key_in_calls, space->items[at]->span, "module_search_spaces", *key)
          .with_help("write `\"quantization_formats\"`: `candidate_formats` is the key of recipes in YAML");
    }
  }
}

// Reports patterns on the first level of the argument of compress(), as its documentation shows them.
void check_compress(const script::Value& call, diag::Sink& sink) {
  const Ref config = call.open ? nullptr : call.argument("config", 1);
  if (config == nullptr || config->kind != Form::dictionary) return;
  for (std::size_t at = 0; at + 1 < config->items.size(); at += 2) {
    const std::string* key = config->items[at]->string();
    if (key == nullptr || *key == "compress" || *key == "quant_gemm") continue;
    sink.report(diag::other_key_in_calls, config->items[at]->span, "mtq.compress", *key)
        .with_help(fmt::format("write `{{\"compress\": {{{}: ...}}}}`: patterns are below the key `compress`",
                               emit::literal(emit::Syntax::python, *key)));
    return;
  }
}

}  // namespace

void check_arguments(const Program& program) {
  diag::Sink& sink = program.sink;
  for (const Ref& each : program.trace.objects) {
    const script::Value& call = *each;
    const Signature* row = signature_of(call);
    if (calls(call, kAddsCacheEntries)) check_cache_preset(call, program.options, sink);
    if (calls(call, "compress")) check_compress(call, sink);
    for (const PathRow& path : kPaths) {
      if (calls(call, path.function)) check_path(call, path, sink);
    }
    if (row == nullptr || check_names(call, *row, sink)) continue;
    for (const Callback& callback : kCallbacks) {
      if (callback.function == row->name) check_callback(call, callback, sink);
    }
    if (row->name == "sparsify") check_sparsify(call, sink);
    if (row->name != "auto_quantize") continue;
    check_search(call, sink);
    check_search_spaces(call, sink);
  }
}

}  // namespace sparsecfg::dialect::modelopt
