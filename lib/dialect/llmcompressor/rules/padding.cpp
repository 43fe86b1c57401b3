#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/quantizers/data_sets.h"
#include "dialect/quantizers/program.h"
#include "dialect/schemes/presets.h"
#include "script/trace.h"

// Checks whether the tokens of the calibration are padding.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(LC153, padded_calibration, silent_warning, (Text), "`{}` fills short calibration samples with padding",
           "The modifiers measure padding like other tokens. If most tokens of a sample are padding, the statistics of "
           "GPTQ, AWQ and static scales describe it instead of the text. `oneshot` passes one sample at a time by "
           "default, which needs no padding.",
           "write `padding=False`")

namespace {

using script::Ref;

// Returns true for calls that calibrate with single samples.
bool takes_single_samples(const script::Value& call) {
  const Ref size = call.argument("batch_size");
  const Ref dataset = call.argument("dataset");
  const auto* count = size == nullptr ? nullptr : std::get_if<std::int64_t>(&size->data);
  const bool one = size == nullptr || (count != nullptr && *count == 1);
  return one && dataset != nullptr && !script::is_none(*dataset) && dataset->string() == nullptr && !call.open &&
         call.argument("**") == nullptr && call.argument("data_collator") == nullptr;
}

// Returns true for a modifier that measures no samples: a QuantizationModifier that quantizes no inputs, or only with
// dynamic scales.
bool measures_nothing(const Ref& modifier) {
  const std::string* scheme = script::whole_string(modifier->argument("scheme"));
  const schemes::Preset* preset = scheme == nullptr ? nullptr : schemes::find_preset(*scheme);
  return base::last_part(modifier->path) == "QuantizationModifier" && preset != nullptr &&
         (!preset->inputs.present || preset->inputs.dynamic == schemes::Dynamic::yes);
}

// Returns true if no modifier of a script measures samples. Recipes in strings and files may do so.
bool measures_nothing(const script::Trace& trace) {
  const auto is_modifier = [](const Ref& call) { return call->path.ends_with("Modifier"); };
  const auto measures = [&](const Ref& call) { return is_modifier(call) && !measures_nothing(call); };
  return std::ranges::any_of(trace.objects, is_modifier) && std::ranges::none_of(trace.objects, measures);
}

// Returns the call of `oneshot` if the script has only one, and it calibrates with single samples; otherwise null.
const script::Value* calibration(const script::Trace& trace) {
  const auto ours = [](const Ref& call) { return is_oneshot(*call); };
  const auto found = std::ranges::find_if(trace.objects, ours);
  // AutoRound joins samples, so they must have the same length.
  const auto joins = [](const Ref& call) { return call->path.ends_with("AutoRoundModifier"); };
  if (found == trace.objects.end() || std::ranges::count_if(trace.objects, ours) > 1) return nullptr;
  const bool single = takes_single_samples(**found) && std::ranges::none_of(trace.objects, joins);
  return single ? found->get() : nullptr;
}

// Returns true for a call of a tokenizer that the script loads, also for one that joins the messages of a chat. The
// name is compared, because the values of names are not known in functions that a library calls.
bool is_tokenizer(const script::Trace& trace, const script::Value& call) {
  constexpr std::string_view kChats = ".apply_chat_template";
  const std::string_view text = quantizers::text_at(trace, call.span);
  std::string_view name = text.substr(0, text.find('('));
  if (name.ends_with(kChats)) name.remove_suffix(kChats.size());
  return !name.empty() && std::ranges::any_of(trace.objects, [&](const Ref& each) {
    const bool loads = each->path.ends_with("from_pretrained") && each->path.find("Tokenizer") != each->path.npos;
    return loads && quantizers::assigned_name(trace, each->span) == name;
  });
}

// Returns the call of `map` whose function contains a call; null if there is none before the calibration.
const script::Value* mapping_of(const script::Trace& trace, const script::Value& call, const script::Value& run) {
  for (const Ref& each : trace.objects) {
    const Ref function = each->path == ".map" ? each->argument("function", 0) : nullptr;
    if (function == nullptr || function->function == nullptr || each->span.begin > run.span.begin) continue;
    const source::Span body = function->function->span;
    if (body.begin <= call.span.begin && call.span.end <= body.end) return each.get();
  }
  return nullptr;
}

// Returns true if the tokenizer fills up samples: always to a length, or to the longest of a batch of the mapping.
bool pads(const Ref& padding, const script::Value& call, const script::Value& mapping) {
  const std::string* text = padding->string();
  if (text != nullptr && *text == "max_length") return call.argument("max_length") != nullptr;
  const bool longest = text != nullptr ? *text == "longest" : script::is_true(padding);
  return longest && script::is_true(mapping.argument("batched"));
}

void check_call(const script::Trace& trace, const script::Value& call, const script::Value& run, diag::Sink& sink) {
  const Ref padding = call.argument("padding");
  const auto name = std::ranges::find(call.names, "padding", &source::Located<std::string>::value);
  if (padding == nullptr || name == call.names.end() || call.open || !is_tokenizer(trace, call)) return;
  const script::Value* mapping = mapping_of(trace, call, run);
  if (mapping == nullptr || !pads(padding, call, *mapping)) return;
  const source::Span value = quantizers::place_of_argument(trace, call, "padding");
  const source::Span place{name->span.begin, value.end};
  const bool ragged = script::is_true(mapping->argument("batched")) && call.argument("return_tensors") != nullptr;
  auto& report = sink.report(diag::padded_calibration, place, quantizers::text_at(trace, place));
  report.with_label(run.name_span, "calibrates with one sample at a time");
  if (ragged) {
    report.with_help("write `padding=False`, and delete `return_tensors`");
  } else {
    report.with_fix(diag::Fix::unsafe().replace(place, "padding=False"));
  }
}

}  // namespace

void check_padding(const script::Trace& trace, diag::Sink& sink) {
  const script::Value* run = calibration(trace);
  if (run == nullptr || measures_nothing(trace)) return;
  for (const Ref& call : trace.objects) check_call(trace, *call, *run, sink);
}

}  // namespace sparsecfg::dialect::llmcompressor
