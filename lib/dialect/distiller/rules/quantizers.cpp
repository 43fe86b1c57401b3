#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/rules/rules.h"
#include "dialect/words.h"

// Checks for values that the constructors of quantizers, or their preparation of the model, reject
// (docs/semantics/distiller.md#a5, #b5).
namespace sparsecfg::dialect::distiller {

constexpr std::string_view kBitFields[] = {"bits_activations", "bits_weights", "bits_bias"};

// From 64 bits the range exceeds the numbers of torch.
bool overflows(const Component& quantizer, std::string_view name, double bits) {
  return bits >= 64 && (!has(*quantizer.spec, kClipsParameters) || name == "bits_activations");
}

DIAGNOSTIC(
    SP723, full_bits_still_clip, silent_warning, (Text, Text), "`{}: 32` does not turn the quantization off: {}",
    "The quantizer replaces each layer for any number of bits, and clips its values. Only null leaves the layer as it "
    "is. Without the field, the number is 32 as well.",
    "write `{0}: null`")

// Returns what a quantizer does to the values, whatever their bits are; empty if it is not known to clip them.
static std::string clipping_of(const Component& quantizer, std::string_view name) {
  const std::string_view type = quantizer.spec->name;
  const bool fixed = type == "DorefaQuantizer" || type == "WRPNQuantizer";
  if (name == "bits_activations" && fixed) return "each ReLU is clipped to [0, 1]";
  if (name == "bits_activations" && type == "PACTQuantizer") return "each ReLU is clipped to a range that is trained";
  if (name == "bits_weights" && type == "DorefaQuantizer") return "the weights are scaled by `tanh` to [-1, 1]";
  return name == "bits_weights" && type == "WRPNQuantizer" ? "the weights are clipped to [-1, 1]" : "";
}

static void check_full_bits(const Context& context, const Component& quantizer, std::string_view name,
                            const Value& value) {
  constexpr double kFullBits = 32;
  const std::string clips = value.number() == kFullBits ? clipping_of(quantizer, name) : std::string();
  if (clips.empty()) return;
  context.sink.report(diag::full_bits_still_clip, value.span, std::string(name), clips)
      .with_fix(diag::Fix::unsafe().replace(value.span, "null"));
}

// A default bit width is unused if all layers have their own in an override.
static void check_bits(const Context& context, Component& quantizer, std::string_view name, const Value& value) {
  if (name != "bits_activations" && !uses_default_bits(quantizer, context, name)) {
    return;
  }
  if (!value.is_null() && !value.number()) {
    offer_bits(reject(quantizer, context.sink, value, name, "a number of bits or null"), value);
  } else if (value.number() && (*value.number() < 1 || *value.number() > 32)) {
    const bool fails = overflows(quantizer, name, *value.number());
    quantizer.valid &= !fails;
    context.sink.report(diag::bits_out_of_range, value.span, name, source::python_str(value), 32)
        .with_severity(fails ? diag::Severity::error : diag::Severity::warning)
        .with_help("use a number from 1 to 32, or null to disable quantization");
  }
}

// The model's inputs use `bits_activations`, even if no activation is quantized.
static void check_inputs(const Context& context, Component& quantizer) {
  const FieldSpec* spec = quantizer.spec->find("quantize_inputs");
  const Field* switched = quantizer.fields.find("quantize_inputs");
  const Field* own = quantizer.fields.find("num_bits_inputs");
  const Field* bits = quantizer.fields.readable("bits_activations");
  const bool quantizes = spec != nullptr && (switched == nullptr || python::is_true(switched->value));
  const bool given = own != nullptr && !own->value.is_null();
  if (!quantizes || given || !quantizer.used || bits == nullptr || !bits->value.is_null()) {
    return;
  }
  quantizer.valid = false;
  context.sink
      .report(diag::wrong_type, bits->value.span, "bits_activations", "a number of bits for the model's inputs", "null")
      .with_help("write `quantize_inputs: false`, or set `num_bits_inputs`");
}

// Checks for one of several uppercase words.
static void check_word(const Context& context, Component& quantizer, const Value& value, std::string_view name,
                       std::span<const std::string_view> words) {
  const auto* text = value.get<std::string>();
  if (text != nullptr && std::ranges::find(words, *text) != words.end()) {
    return;
  }
  quantizer.valid = false;
  const std::string upper = text == nullptr ? "" : base::to_upper(*text);
  const bool meant = std::ranges::find(words, upper) != words.end();
  auto& report = context.sink.report(diag::unknown_choice, value.span, source::python_str(value), name);
  report.with_help(meant ? fmt::format("write `{}`", upper) : fmt::format("use {}", fmt::join(words, ", ")))
      .with_fix(meant ? diag::Fix::unsafe().content(value.span, upper) : diag::Fix());
  if (!meant && text != nullptr) {
    const Meant other = meant_by(Word::Place::value, name, *text, words, fmt::format("use {}", fmt::join(words, ", ")));
    report.with_help(other.help).with_fix(other.fix(value.span));
  }
}

static void check_mode(const Context& context, Component& quantizer) {
  const Field* field = quantizer.fields.readable("mode");
  if (field == nullptr || field->value.get<source::Map>() == nullptr) {
    if (field != nullptr) check_word(context, quantizer, field->value, "mode", kQuantizerModes);
    return;
  }
  for (const std::string_view part : {"activations", "weights"}) {
    if (const Value* mode = field->value.find(part)) {
      check_word(context, quantizer, *mode, "mode", kQuantizerModes);
    } else {
      quantizer.valid = false;
      context.sink.report(diag::missing_required, field->key, "mode", part);
    }
  }
}

DIAGNOSTIC(SP727, range_follows_batch, silent_warning, (Text, Text),
           "with `ema_decay: {}`, the ranges of activations are {} % those of the last batch",
           "The decay is the share of the earlier batches in the moving average of each range, the reverse of the "
           "momentum of a BatchNorm.",
           "write `ema_decay: 0.999`, the default")

// A decay below one half is probably the share of the new batch.
static void check_decay(const Context& context, const Component& quantizer) {
  const Field* field = quantizer.fields.readable("ema_decay");
  const auto decay = field == nullptr ? std::nullopt : field->value.number();
  if (!decay || !quantizer.used || !(*decay >= 0 && *decay < 0.5)) return;
  const std::string meant = *decay == 0 ? "0.999" : fmt::format("{:.6g}", 1 - *decay);
  context.sink
      .report(diag::range_follows_batch, field->value.span, source::python_str(field->value),
              fmt::format("{:.4g}", 100 * (1 - *decay)))
      .with_help(fmt::format("write `ema_decay: {}`", meant))
      .with_fix(diag::Fix::unsafe().replace(field->value.span, meant));
}

void check_quantizer(const Context& context, Component& quantizer) {
  for (const std::string_view name : kBitFields) {
    const Field* field = quantizer.fields.readable(name);
    if (field == nullptr || !quantizer.used) continue;
    check_bits(context, quantizer, name, field->value);
    check_full_bits(context, quantizer, name, field->value);
  }
  check_mode(context, quantizer);
  check_decay(context, quantizer);
  check_inputs(context, quantizer);
  check_overrides(context, quantizer);
}

static void check_clip(const Context& context, Component& quantizer) {
  const Field* field = quantizer.fields.readable("clip_acts");
  if (field == nullptr) {
    return;
  }
  check_word(context, quantizer, field->value, "clip_acts", kClipModes);
  const auto* text = field->value.get<std::string>();
  const Field* deviations = quantizer.fields.find("clip_n_stds");
  if (text != nullptr && *text == "N_STD" && (deviations == nullptr || deviations->value.is_null())) {
    quantizer.valid = false;
    context.sink.report(diag::missing_required, field->value.span, "clip_acts: N_STD", "clip_n_stds");
  }
}

static void check_float_module(const Context& context, Component& quantizer) {
  const Field* bits = quantizer.fields.readable("fpq_module");
  if (bits == nullptr || bits->value.is_null() || !is_enabled(quantizer.fields, "fp16") || bits->value.number() == 16) {
    return;
  }
  quantizer.valid = false;
  context.sink.report(diag::unknown_choice, bits->value.span, source::python_str(bits->value), "fpq_module")
      .with_label(quantizer.fields.find("fp16")->key, "this sets 16 bits")
      .with_help("delete `fp16`");
}

void check_post_training(const Context& context, Component& quantizer) {
  check_mode(context, quantizer);
  check_clip(context, quantizer);
  check_float_module(context, quantizer);
  const Field* stats = quantizer.fields.readable("model_activation_stats");
  if (stats != nullptr && !stats->value.is_null() && stats->value.get<std::string>() == nullptr &&
      stats->value.get<source::Map>() == nullptr) {
    reject(quantizer, context.sink, stats->value, "model_activation_stats", "a file name or a mapping");
  }
  check_overrides(context, quantizer);
}

}  // namespace sparsecfg::dialect::distiller
