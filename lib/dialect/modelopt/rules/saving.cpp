#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/calls.h"
#include "dialect/modelopt/codes.h"
#include "dialect/quantizers/program.h"
#include "dialect/quantizers/runtime.h"
#include "emit/literal.h"

// What a script saves (docs/semantics/modelopt.md#d6), and in which order it changes a model (#d7).
namespace sparsecfg::dialect::modelopt {

using script::Ref;
using Form = script::Value::Kind;

DIAGNOSTIC(
    MO505, folded_before_export, silent_warning, (),
    "`fold_weight` turns off all weight quantizers, so the export after it writes 16-bit weights",
    "Folding writes the rounded values into the 16-bit weights, for a faster evaluation. A layer without a weight "
    "quantizer is exported as not quantized, without an error.",
    "evaluate within `with mtq.temporarily_fold_weights(model):`, or export before the folding")

DIAGNOSTIC(
    MO530, saved_without_export, silent_warning, (Text), "`save_pretrained` saves {}",
    "Until the export, ModelOpt only simulates the formats: the parameters keep their values. With "
    "`mto.enable_huggingface_checkpointing()`, the state of ModelOpt is saved beside them, which ModelOpt itself "
    "restores. Runtimes do not read it.",
    "export the model instead")

DIAGNOSTIC(MO531, pair_as_model, error, (Text), "`mtq.auto_quantize` returns a pair, which `{}` gets as its model",
           "The search returns the model and its report as a tuple. The next function stops with AttributeError, after "
           "the whole search.",
           "write `model, state = mtq.auto_quantize(...)`")

DIAGNOSTIC(MO532, pruned_after_quantize, silent_warning, (), "`mts.sparsify` prunes nothing in a quantized model",
           "`mts.sparsify` prunes only plain layers. `mtq.quantize` has replaced them by quantized ones.",
           "call `mts.sparsify` and `mts.export` before `mtq.quantize`")

DIAGNOSTIC(MO533, sparsified_twice, error, (), "the model is still in the mode of another `mts.sparsify`",
           "A mode of pruning must be exported before the next one. ModelOpt stops with AssertionError.",
           "insert `model = mts.export(model)` before this call")

DIAGNOSTIC(MO534, enabled_without_range, error, (Text),
           "`{}` was off during the calibration, so the export finds no range",
           "Only quantizers that are on collect a range. The export stops at a quantizer without one.",
           "turn it on in the dictionary of `mtq.quantize`")

DIAGNOSTIC(MO535, export_without_folder, silent_warning, (Text), "`{}` writes into the temporary folder of the system",
           "Without `export_dir`, the files go to `tempfile.gettempdir()`, such as `/tmp`.",
           "add `export_dir=\"model-quantized\"`")

DIAGNOSTIC(MO536, restored_twice, error, (Text), "`{}` needs a model without a state of ModelOpt",
           "The state of a saved model can only be restored into a model that was just loaded. ModelOpt stops with "
           "AssertionError.",
           "load the model again, and restore into it")

namespace {

constexpr std::string_view kExports[] = {"export_hf_checkpoint", "export_tensorrt_llm_checkpoint"};

bool is_export(const script::Value& call) {
  return std::ranges::any_of(kExports, [&](std::string_view name) { return calls(call, name); });
}

// Reports a call that folds the weights of a model before they are exported. Any other call of ModelOpt may restore
// them.
void check_folding(const Program& program) {
  const script::Value* folding = nullptr;
  for (const Ref& each : program.calls) {
    const script::Value& call = *each;
    const bool exports = calls(call, "export_hf_checkpoint");
    if (calls(call, "fold_weight")) {
      folding = &call;
    } else if (call.imported && call.path.starts_with("modelopt.") && !exports && !calls(call, "print_quant_summary")) {
      folding = nullptr;
    }
    if (folding == nullptr || !exports || model_of(*folding) != model_of(call)) continue;
    program.sink.report(diag::folded_before_export, folding->span).with_label(call.span, "exported here");
    return;
  }
}

// Returns the last call of a kind on the same model that has run whenever `call` runs; null if there is none.
const script::Value* last_before(const Program& program, const script::Value& call, const script::Value* model,
                                 bool (*fits)(const script::Value&)) {
  const script::Value* out = nullptr;
  for (const Ref& each : program.calls) {
    if (each->identity() == call.identity()) break;
    if (fits(*each) && model_of(*each) == model && quantizers::runs_before(program.trace, *each, call)) {
      out = each.get();
    }
  }
  return out;
}

bool quantizes(const script::Value& call) {
  return call.imported && (call_of(call) == Call::quantize || call_of(call) == Call::auto_quantize);
}

bool prunes(const script::Value& call) { return call.imported && call_of(call) == Call::sparsify; }

bool changes_model(const script::Value& call) { return quantizes(call) || prunes(call); }

bool keeps_state(const script::Value& call) { return calls(call, "enable_huggingface_checkpointing"); }

// Returns true if a script also saves in another way, so that save_pretrained() may be meant for something else. A
// saved state of ModelOpt is no such way if a runtime has to load the result.
bool saves_otherwise(const Program& program, bool pruned) {
  static constexpr std::string_view kOthers[] = {"save", "modelopt_state", "compress", "fold_weight",
                                                 "save_modelopt_state"};
  const bool served = quantizers::runtime_of(program.options) != quantizers::Runtime::none;
  return std::ranges::any_of(program.trace.objects, [&](const Ref& call) {
    if (keeps_state(*call)) return !served;
    const bool other = std::ranges::any_of(kOthers, [&](std::string_view name) { return calls(*call, name); });
    const bool exports =
        call->imported && call->path.starts_with("modelopt.") && base::last_part(call->path).starts_with("export");
    return other || (exports && (!pruned || calls(*call, "export")));
  });
}

// Reports `model.save_pretrained(...)` of a model that is quantized or pruned only in simulation.
void check_save(const Program& program) {
  for (const Ref& each : program.calls) {
    const script::Value& call = *each;
    if (!quantizers::is_method(call, "save_pretrained")) continue;
    const script::Value* model = root_of(*call.owner);
    const script::Value* change = last_before(program, call, model, changes_model);
    if (change == nullptr || model->escaped || call.owner->escaped || change->escaped || change->open) continue;
    const bool pruned = prunes(*change);
    if (saves_otherwise(program, pruned)) continue;
    const Ref folder = call.argument("save_directory", 0);
    const bool state = std::ranges::any_of(program.trace.objects, [](const Ref& other) { return keeps_state(*other); });
    const bool known = folder != nullptr && folder->string() != nullptr && folder->is_whole();
    auto& report = program.sink.report(diag::saved_without_export, call.span,
                                       pruned  ? "the weights as they were before the pruning, beside the masks"
                                       : state ? "16-bit weights, and their format only for ModelOpt"
                                               : "16-bit weights without their format");
    if (!change->span.empty()) report.with_label(change->name_span, pruned ? "pruned here" : "quantized here");
    report.with_help(
        pruned ? "insert `model = mts.export(model)` before it"
               : fmt::format("write `export_hf_checkpoint(model, export_dir={})`",
                             known ? emit::literal(emit::Syntax::python, *folder->string()) : std::string("...")));
  }
}

void check_folder(const script::Value& call, diag::Sink& sink) {
  if (!calls(call, "export_hf_checkpoint") || call.open || call.argument("**") != nullptr) return;
  if (call.argument("export_dir", 2) != nullptr || call.argument("dtype", 1) != nullptr) return;
  sink.report(diag::export_without_folder, call.span, "export_hf_checkpoint");
}

// Reports the result of a search as a model.
void check_pair(const script::Value& call, diag::Sink& sink) {
  if (call.kind != Form::object || !call.imported || !call.path.starts_with("modelopt.")) return;
  const Ref model = call.argument("model", 0);
  if (model == nullptr || call_of(*model) != Call::auto_quantize || !model->imported || model->possible) return;
  sink.report(diag::pair_as_model, model->name_span, std::string(base::last_part(call.path)))
      .with_label(call.name_span, "gets the pair");
}

// --- order ------------------------------------------------------------------------------------------

// Returns true if a call of one of these names on the same model is between two calls, in any branch.
bool is_between(const Program& program, const script::Value& first, const script::Value& second,
                std::initializer_list<std::string_view> names) {
  bool inside = false;
  for (const Ref& each : program.calls) {
    if (each->identity() == second.identity()) return false;
    const bool named = std::ranges::any_of(names, [&](std::string_view name) { return calls(*each, name); });
    if (inside && named && model_of(*each) == model_of(second)) return true;
    inside = inside || each->identity() == first.identity();
  }
  return false;
}

void check_pruning(const Program& program, const script::Value& call) {
  const script::Value* earlier = last_before(program, call, model_of(call), changes_model);
  if (earlier == nullptr || is_between(program, *earlier, call, {"export", "restore", "compress"})) return;
  if (prunes(*earlier)) {
    program.sink.report(diag::sparsified_twice, call.name_span).with_label(earlier->name_span, "the first call");
  } else {
    program.sink.report(diag::pruned_after_quantize, call.name_span).with_label(earlier->name_span, "quantized here");
  }
}

void check_restore(const Program& program, const script::Value& call) {
  const script::Value* earlier = last_before(program, call, model_of(call), changes_model);
  if (earlier == nullptr || earlier->escaped) return;
  program.sink.report(diag::restored_twice, call.name_span, std::string(base::last_part(call.path)))
      .with_label(earlier->name_span, "adds a state");
}

// Returns true if the last entries of a list with this pattern turn it off, and no later entry turns it on.
bool is_off(const Ref& config, const std::string& pattern) {
  const Ref list = config == nullptr ? nullptr : value_in(*config, "quant_cfg");
  if (list == nullptr || list->kind != Form::list || list->open) return false;
  bool off = false;
  for (const Ref& entry : list->items) {
    if (entry->kind != Form::dictionary || entry->open) return false;
    const Ref name = value_in(*entry, "quantizer_name");
    const Ref enable = value_in(*entry, "enable");
    const auto* on = enable == nullptr ? nullptr : std::get_if<bool>(&enable->data);
    if (on == nullptr || *on) {
      off = false;
    } else if (name != nullptr && name->string() != nullptr && *name->string() == pattern) {
      off = true;
    }
  }
  return off;
}

// Reports a quantizer that is turned on after the calibration and exported without one.
void check_enabled(const Program& program, const script::Value& call) {
  const Ref pattern = call.argument("wildcard_or_filter_func", 1);
  const std::string* text = pattern == nullptr || !pattern->is_whole() ? nullptr : pattern->string();
  const script::Value* earlier = last_before(program, call, model_of(call), quantizes);
  if (text == nullptr || earlier == nullptr || call_of(*earlier) != Call::quantize) return;
  if (!is_off(config_of(*earlier), *text)) return;
  const auto here = std::ranges::find_if(program.calls, [&](const Ref& each) { return each.get() == &call; });
  for (auto later = here; later != program.calls.end(); ++later) {
    if (later->get() == &call || model_of(**later) != model_of(call)) continue;
    if (is_export(**later)) {
      program.sink.report(diag::enabled_without_range, pattern->span, *text)
          .with_label((*later)->name_span, "exported here")
          .with_help(fmt::format("append `{{\"quantizer_name\": {}, \"enable\": True}}` to `quant_cfg` before "
                                 "`mtq.quantize`",
                                 emit::literal(emit::Syntax::python, *text)));
    }
    return;  // any other call may calibrate it
  }
}

}  // namespace

void check_saving(const Program& program) {
  check_folding(program);
  check_save(program);
  for (const Ref& call : program.trace.objects) {
    check_folder(*call, program.sink);
    check_pair(*call, program.sink);
  }
}

void check_order_of_calls(const Program& program) {
  for (const Ref& each : program.calls) {
    const script::Value& call = *each;
    if (!call.imported || call.open || model_of(call) == nullptr) continue;
    if (prunes(call)) check_pruning(program, call);
    if (calls(call, "restore") || calls(call, "restore_from_modelopt_state")) check_restore(program, call);
    if (call_of(call) == Call::enable) check_enabled(program, call);
  }
}

}  // namespace sparsecfg::dialect::modelopt
