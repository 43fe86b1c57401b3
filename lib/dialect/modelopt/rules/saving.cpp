#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/calls.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/exported.h"
#include "dialect/quantizers/program.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/saves.h"
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
    "export before the folding, or evaluate within `with mtq.temporarily_fold_weights(model):`")

DIAGNOSTIC(
    MO530, saved_without_export, silent_warning, (Text, Text), "`{}` saves {}",
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
           "before this call, insert `model = mts.export(model)`")

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
    program.sink.report(diag::folded_before_export, folding->span)
        .with_label(call.span, "exported here")
        .with_help(fmt::format("export before the folding, or evaluate within {}",
                               shown_code(program.trace.imported, "with mtq.temporarily_fold_weights(model):")));
    return;
  }
}

bool prunes(const script::Value& call) { return call.imported && call_of(call) == Call::sparsify; }

// Returns the last call that changes a model and has run whenever `call` runs; null if there is none.
const script::Value* last_change(const Program& program, const script::Value& call, const script::Value* model,
                                 bool includes_pruning = true) {
  for (const PlacedCall& each : std::views::reverse(program.models.changes_before(call, model))) {
    const bool fits = includes_pruning || !prunes(*each.call);
    if (fits && quantizers::runs_before(program.trace, *each.call, call)) return each.call;
  }
  return nullptr;
}

bool keeps_state(const script::Value& call) { return calls(call, "enable_huggingface_checkpointing"); }

// Returns true if a script also saves in another way, so that saving the model may be meant for something else. A
// saved state of ModelOpt is no such way if a runtime has to load the result.
bool saves_otherwise(const Program& program, bool pruned) {
  static constexpr std::string_view kOthers[] = {"save", "modelopt_state", "compress", "fold_weight",
                                                 "save_modelopt_state"};
  const bool served = quantizers::runtime_of(program.options) != quantizers::Runtime::none;
  return std::ranges::any_of(program.trace.objects, [&](const Ref& call) {
    if (keeps_state(*call)) return !served;
    const bool exports =
        call->imported && call->path.starts_with("modelopt.") && base::last_part(call->path).starts_with("export");
    return calls_any(*call, kOthers) || (exports && (!pruned || calls(*call, "export")));
  });
}

// The calls of a script that explain what its model is saved with.
struct Saving {
  bool has_state;  // the state of ModelOpt is also saved
  bool quantized_otherwise;
  bool pruned_otherwise;
};

Saving saving_of(const Program& program) {
  return {std::ranges::any_of(program.trace.objects, [](const Ref& call) { return keeps_state(*call); }),
          saves_otherwise(program, false), saves_otherwise(program, true)};
}

// Returns the export that replaces a call, which saves the model in a folder or uploads it to a repository.
std::string export_for(const Program& program, const script::Value& call, std::string_view model) {
  const bool uploads = quantizers::is_method(call, "push_to_hub");
  const std::string* target = script::whole_string(call.argument(uploads ? "repo_id" : "save_directory", 0));
  const std::string folder(target == nullptr ? std::string_view()
                           : uploads         ? std::string_view(*target).substr(target->rfind('/') + 1)
                                             : std::string_view(*target));
  const std::string text = folder.empty() ? "..." : emit::literal(emit::Syntax::python, folder);
  const std::string code = fmt::format("export_hf_checkpoint({}, export_dir={})", model, text);
  const std::string upload = uploads && !folder.empty()
                                 ? fmt::format(", and upload the folder with `hf upload {} {}`", *target, folder)
                                 : std::string();
  return fmt::format("write {}{}", shown_code(program.trace.imported, code), upload);
}

void report_save(const Program& program, const script::Value& call, const script::Value& change, bool has_state) {
  const bool pruned = prunes(change);
  const std::string_view own = quantizers::name_of_model(program.trace, call);
  const std::string model(own.empty() ? "model" : own);
  auto& report = program.sink.report(diag::saved_without_export, call.span, call.path.substr(1),
                                     pruned      ? "the weights as they were before the pruning, beside the masks"
                                     : has_state ? "16-bit weights, and their format only for ModelOpt"
                                                 : "16-bit weights without their format");
  if (!change.span.empty()) report.with_label(change.name_span, pruned ? "pruned here" : "quantized here");
  report.with_help(pruned ? fmt::format("before it, insert {}",
                                        shown_code(program.trace.imported, fmt::format("{0} = mts.export({0})", model)))
                          : export_for(program, call, model));
}

// Reports `model.save_pretrained(...)` and `model.push_to_hub(...)` of a model that is quantized or pruned only in
// simulation.
void check_save(const Program& program) {
  const Saving saving = saving_of(program);
  for (const Ref& each : program.calls) {
    const script::Value& call = *each;
    if (!quantizers::saves_model(call)) continue;
    const script::Value* model = root_of(*call.owner);
    const script::Value* change = last_change(program, call, model);
    if (change == nullptr || model->escaped || call.owner->escaped || change->escaped || change->open) continue;
    if (prunes(*change) ? saving.pruned_otherwise : saving.quantized_otherwise) continue;
    report_save(program, call, *change, saving.has_state);
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

void check_pruning(const Program& program, const script::Value& call) {
  const script::Value* earlier = last_change(program, call, model_of(call));
  if (earlier == nullptr || program.models.leaves_mode(*earlier, call)) return;
  if (prunes(*earlier)) {
    program.sink.report(diag::sparsified_twice, call.name_span)
        .with_label(earlier->name_span, "the first call")
        .with_help(fmt::format("before this call, insert {}",
                               shown_code(program.trace.imported, "model = mts.export(model)")));
  } else {
    program.sink.report(diag::pruned_after_quantize, call.name_span).with_label(earlier->name_span, "quantized here");
  }
}

void check_restore(const Program& program, const script::Value& call) {
  const script::Value* earlier = last_change(program, call, model_of(call));
  if (earlier == nullptr || earlier->escaped) return;
  program.sink.report(diag::restored_twice, call.name_span, std::string(base::last_part(call.path)))
      .with_label(earlier->name_span, "adds a state");
}

// Returns true if the last entries of a list with this pattern turn it off, and no later entry turns it on.
bool is_off(const Ref& config, const std::string& pattern) {
  const Ref list = entries_of(config);
  if (list == nullptr) return false;
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
  const std::string* text = script::whole_string(pattern);
  const script::Value* earlier = last_change(program, call, model_of(call), false);
  if (text == nullptr || earlier == nullptr || call_of(*earlier) != Call::quantize) return;
  if (!is_off(config_of(*earlier), *text)) return;
  const auto later = program.models.calls_after(call);
  if (later.empty() || !calls_any(*later.front().call, kExports)) return;  // any other call may calibrate it
  program.sink.report(diag::enabled_without_range, pattern->span, *text)
      .with_label(later.front().call->name_span, "exported here")
      .with_help(fmt::format("append `{{\"quantizer_name\": {}, \"enable\": True}}` to `quant_cfg` before "
                             "`mtq.quantize`",
                             emit::literal(emit::Syntax::python, *text)));
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
