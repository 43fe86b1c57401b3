#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/quantizers/program.h"
#include "dialect/quantizers/saves.h"
#include "script/model.h"
#include "script/trace.h"

// Checks which model a script saves after `oneshot`.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC148, other_model_saved, silent_warning, (Text),
    "`oneshot` loads `{}` itself, so the saved model is not quantized",
    "For a string, `oneshot` loads a model of its own and returns it. A model that the script loaded from the same "
    "id is not changed.",
    "pass the loaded model to `oneshot`, which changes it in place")

DIAGNOSTIC(LC151, saved_uncompressed, silent_warning, (), "the quantized weights are saved in 16 bits",
           "With `save_compressed=False`, the weights are rounded, but keep the type and the size of the model. The "
           "configuration has the format `dense`, with which runtimes do not find the tensors of the schemes.",
           "write `save_compressed=True`, the default")

namespace {

using script::Ref;

// Returns the call that saves a model which the script has loaded from this id; null if there is none.
const script::Value* save_of(const script::Trace& trace, const std::string& id) {
  for (const Ref& call : quantizers::calls_that_run(trace)) {
    if (!quantizers::saves_model(*call) || !script::is_model(*call->owner) || !call->owner->imported) continue;
    const std::string* loaded = script::whole_string(call->owner->argument("pretrained_model_name_or_path", 0));
    if (loaded != nullptr && *loaded == id) return call.get();
  }
  return nullptr;
}

// Returns true if a script can use the model that a call of `oneshot` returns or saves.
bool keeps_result(const script::Trace& trace, const script::Value& call) {
  const auto uses = [&](const Ref& each) {
    return quantizers::is_of(*each, call) || quantizers::receives(*each, call);
  };
  return call.argument("output_dir") != nullptr || std::ranges::any_of(trace.objects, uses);
}

// Returns true for a modifier that quantizes weights.
bool quantizes(const script::Value& object) {
  constexpr std::string_view kModifiers[] = {"QuantizationModifier", "GPTQModifier", "AutoRoundModifier"};
  return object.imported && object.path.starts_with("llmcompressor.") &&
         base::contains(kModifiers, base::last_part(object.path));
}

// Reports a quantized model that a call saves without compression.
void check_compression(const script::Trace& trace, diag::Sink& sink) {
  if (std::ranges::none_of(trace.objects, [](const Ref& object) { return quantizes(*object); })) return;
  if (std::ranges::none_of(trace.objects, [](const Ref& call) { return is_oneshot(*call); })) return;
  for (const Ref& call : quantizers::calls_that_run(trace)) {
    const bool saves = is_oneshot(*call) ? call->argument("output_dir") != nullptr : quantizers::saves_model(*call);
    const Ref compress = saves ? call->argument("save_compressed") : nullptr;
    if (!script::is_false(compress) || script::is_given(call->argument("quantization_format"))) continue;
    sink.report(diag::saved_uncompressed, compress->span).with_fix(diag::Fix::unsafe().replace(compress->span, "True"));
  }
}

}  // namespace

void check_saved_model(const script::Trace& trace, diag::Sink& sink) {
  check_compression(trace, sink);
  for (const Ref& call : quantizers::calls_that_run(trace)) {
    const bool known = is_oneshot(*call) && !call->open && call->argument("**") == nullptr;
    const Ref model = known ? call->argument("model", 0) : nullptr;
    const std::string* id = script::whole_string(model);
    if (id == nullptr || keeps_result(trace, *call)) continue;
    const script::Value* save = save_of(trace, *id);
    if (save == nullptr) continue;
    const source::Span named = quantizers::place_of_argument(trace, *call, "model");
    auto& report = sink.report(diag::other_model_saved, named.empty() ? model->span : named, *id);
    if (!named.empty() && named != model->span) report.with_label(model->span, "the id");
    report.with_label(save->span, "saves the model that the script loaded");
    const std::string_view name = quantizers::name_of_model(trace, *save);
    if (!name.empty()) report.with_help(fmt::format("write the loaded model: `oneshot(model={}, ...)`", name));
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
