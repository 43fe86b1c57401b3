#include "dialect/nni/read.h"

#include <algorithm>

#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/record/suggest.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

constexpr std::string_view kQuantizationWords[] = {"quant_dtype", "quant_scheme", "quant_types", "quant_bits",
                                                   "fuse_names"};

static bool is_specific(Mode mode, std::string_view key) {
  static constexpr std::string_view kDistillation[] = {"lambda", "link"};
  static constexpr std::string_view kShared[] = {"granularity", "apply_method", "exclude", "op_partial_names"};
  const auto is_in = [&](std::span<const std::string_view> words) {
    return std::ranges::find(words, key) != words.end();
  };
  const auto is_key = [&](std::span<const FieldSpec> keys) { return find_key(keys, key) != nullptr; };
  switch (mode) {
    case Mode::quantization: return is_in(kQuantizationWords);
    case Mode::distillation: return is_in(kDistillation);
    case Mode::pruning:
      return !is_in(kShared) && (is_key(setting_keys(mode)) || is_key(legacy_keys()) || is_key(epoch_keys()));
  }
  return false;
}

// Returns true if an entry or the settings of one of its targets has a key that is specific to the mode.
static bool is_specific(Mode mode, const Map& entry) {
  return std::ranges::any_of(entry, [&](const source::Entry& field) {
    const auto* nested = field.second.get<Map>();
    return is_specific(mode, name_of(field)) || (nested != nullptr && is_specific(mode, *nested));
  });
}

// Returns true if an entry has a word of another system for a key of quantization, such as `num_bits`.
static bool means_quantization(const Entry& entry) {
  return std::ranges::any_of(*entry.written, [](const source::Entry& field) {
    const std::string name = name_of(field);
    return find_word(Word::Place::field, "", name, kQuantizationWords, flow_text(field.second)) != nullptr;
  });
}

std::optional<Mode> mode_of(const std::vector<Entry>& entries) {
  for (const Mode mode : {Mode::quantization, Mode::distillation, Mode::pruning}) {
    if (std::ranges::any_of(entries, [&](const Entry& entry) { return is_specific(mode, *entry.written); })) {
      return mode;
    }
  }
  if (std::ranges::any_of(entries, means_quantization)) return Mode::quantization;
  return std::nullopt;
}

static Mode given_mode(const Value& given, diag::Sink& sink) {
  const auto* text = given.get<std::string>();
  const auto* const found =
      std::ranges::find_if(kModes, [&](Mode mode) { return text != nullptr && *text == to_string(mode); });
  if (found == std::end(kModes)) {
    sink.report(diag::unknown_choice, given.span, source::python_str(given), "mode")
        .with_help("write `pruning`, `quantization` or `distillation`");
    return Mode::pruning;
  }
  return *found;
}

DIAGNOSTIC(SP120, mode_not_told, info, (Text), "the list names no compressor or mode; it is read as {}",
           "A list of entries does not name a compressor, and none of its keys is specific to one mode. Set `mode: "
           "quantization` next to `config_list`, or name a class.",
           "add `mode: pruning` or `mode: quantization` next to `config_list`")

Mode mode_of(const Compressor& compressor, std::string_view section, const Value* given, const Context& context) {
  if (const ClassSpec* spec = compressor.main ? find_class(compressor.main->name.value) : nullptr) {
    return spec->section.as<Mode>();
  }
  if (!section.empty()) {
    return kModes[std::ranges::find(kSections, section) - std::begin(kSections)];
  }
  if (given != nullptr) {
    return given_mode(*given, context.sink);
  }
  if (const auto detected = mode_of(compressor.entries)) {
    return *detected;
  }
  if (!compressor.entries.empty()) {
    context.sink.report(diag::mode_not_told, compressor.list, to_string(Mode::pruning))
        .with_help(context.in_script ? "add a key of one mode to an entry, such as `sparse_ratio` or `quant_dtype`"
                                     : "add `mode: pruning` next to `config_list`, or the mode that you mean");
  }
  return Mode::pruning;
}

}  // namespace sparsecfg::dialect::nni
