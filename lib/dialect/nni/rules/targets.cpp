#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/record/check.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Value;

// Returns the number of bits of a type such as `int8`, or nullopt if NNI can't read the type.
static std::optional<std::int64_t> bits_of(std::string_view dtype) {
  const std::size_t prefix = dtype.starts_with("uint") ? 4 : dtype.starts_with("int") ? 3 : dtype.size();
  const std::string_view digits = dtype.substr(prefix);
  std::int64_t bits = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool whole = !digits.empty() && read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  return whole ? std::optional(bits) : std::nullopt;
}

// Types that DoReFaQuantizer accepts as activations (docs/semantics/nni.md#e1-9).
constexpr std::string_view kActivations[] = {
    "ReLU",    "RReLU",   "LeakyReLU",  "PReLU",      "Softplus",   "ELU",        "CELU",      "SELU",
    "GELU",    "ReLU6",   "Sigmoid",    "Tanh",       "Softsign",   "Hardtanh",   "Threshold", "Tanhshrink",
    "Softmin", "Softmax", "LogSoftmax", "Softshrink", "Hardshrink", "LogSigmoid", "Hardswish"};

static bool is_whole(const Value& value) { return value.get<std::int64_t>() != nullptr; }

// Returns the sizes of a block: a list of ints, optionally with the side and the value of its padding. Null for other
// values.
static const List* block_of(const Value& granularity) {
  const auto* list = granularity.get<List>();
  if (list == nullptr || std::ranges::all_of(*list, is_whole)) {
    return list;
  }
  const auto* sizes = list->front().get<List>();
  const bool padded = sizes != nullptr && std::ranges::all_of(*sizes, is_whole) && list->size() <= 3;
  return padded ? sizes : nullptr;
}

// Returns the number of dimensions of a parameter, if the module type determines it.
static std::optional<std::size_t> rank_of(const Target& target) {
  const std::string& type = target.module.type;
  if (!target.is_parameter() || (target.name != "weight" && target.name != "bias")) {
    return std::nullopt;
  }
  if (target.name == "bias" || type.starts_with("BatchNorm")) {
    return 1;
  }
  const bool convolution = type.starts_with("Conv") && type.size() > 2 && base::is_digit(type[type.size() - 2]);
  return convolution ? std::optional<std::size_t>(static_cast<std::size_t>(type[type.size() - 2] - '0') + 2)
         : type == "Linear" || type == "Embedding" ? std::optional<std::size_t>(2)
                                                   : std::nullopt;
}

// --- granularity ------------------------------------------------------------------------------------------

DIAGNOSTIC(SP420, granularity_unfit, error, (Text, Text), "granularity {} does not fit {}",
           "`out_channel` and `in_channel` are for parameters; `per_channel` is for inputs and outputs. A block is a "
           "list of ints with at most as many items as the tensor has dimensions. A granularity that is set for the "
           "whole entry applies to each of its targets.",
           "write `out_channel` or `in_channel` for parameters, `per_channel` for inputs and outputs")

// Returns true if a granularity that is a word does not fit the target.
static bool is_unfit(const Target& target) {
  const Value* granularity = target.get("granularity");
  const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
  return word != nullptr &&
         (target.is_parameter() ? *word == "per_channel" : *word == "in_channel" || *word == "out_channel");
}

// The name in `target_settings`: `_input_` for `_input_0`.
static std::string setting_name(const Target& target) {
  return target.name == "_input_0" || target.name == "_output_0" ? target.name.substr(0, target.name.size() - 1)
                                                                 : target.name;
}

// The targets of an entry that share a granularity.
struct SharedGranularity {
  Value granularity{};
  std::map<std::string, Value> unfit{};  // names of those that it does not fit, with their `quant_dtype`
  bool parameters = false;               // true if one of these is a parameter
  bool others_fit = false;

  void add(const Target& target) {
    granularity = *target.get("granularity");
    others_fit = others_fit || !is_unfit(target);
    if (!is_unfit(target)) return;
    const Value* dtype = target.get("quant_dtype");
    unfit.try_emplace(setting_name(target), dtype == nullptr ? Value() : *dtype);
    parameters = parameters || target.is_parameter();
  }
};

// Settings that give a target its own granularity. NNI requires `quant_dtype` in each entry of `target_settings`
// (docs/semantics/nni.md#b4-9).
static source::Map own_settings(const Value& dtype, std::string_view granularity) {
  source::Map own;
  if (!dtype.is_null()) put(own, "quant_dtype", dtype);
  put(own, "granularity", {std::string(granularity), {}});
  return own;
}

// Offers to add `target_settings` with the targets that the granularity of the entry does not fit.
static void offer_settings(diag::Diagnostic& report, source::Span after, const SharedGranularity& one,
                           std::string_view word) {
  source::Map settings;
  for (const auto& [name, dtype] : one.unfit) put(settings, name, {own_settings(dtype, word), {}});
  const std::string text = "target_settings: " + flow_text({std::move(settings), {}});
  report.with_help(fmt::format("add `{}`", text)).with_fix(diag::Fix::unsafe().add_entry(after, text));
}

// Offers to add the targets, or only their granularity, to the `target_settings` of the entry.
static void offer_more_settings(diag::Diagnostic& report, const source::Map& settings, const SharedGranularity& one,
                                std::string_view word) {
  std::vector<std::string> texts;
  diag::Fix fix = diag::Fix::unsafe();
  for (const auto& [name, dtype] : one.unfit) {
    const Value* known = find_value(settings, name);
    const auto* own = known == nullptr ? nullptr : known->get<source::Map>();
    const bool extends = own != nullptr && !own->empty();
    const std::string text = extends ? fmt::format("granularity: {}", word)
                                     : fmt::format("{}: {}", name, flow_text({own_settings(dtype, word), {}}));
    texts.push_back(fmt::format("`{}` to `target_settings{}`", text, extends ? "." + name : ""));
    fix.add_entry(extends ? own->back().first.span : settings.back().first.span, text);
  }
  report.with_help(fmt::format("add {}", base::join_and(texts))).with_fix(std::move(fix));
}

// A granularity of targets that all need another one is replaced. Otherwise, these get their own settings.
static void offer_granularity(diag::Diagnostic& report, const Entry& entry, const SharedGranularity& one) {
  const source::Entry* written = find_entry(*entry.written, "granularity");
  const Value* settings = find_value(*entry.written, "target_settings");
  const auto* map = settings == nullptr ? nullptr : settings->get<source::Map>();
  const std::string_view other = one.parameters ? "out_channel" : "default";
  if (!one.others_fit) {
    const std::string word = one.parameters ? "out_channel" : "per_channel";
    report.with_help(fmt::format("write `granularity: {}`", word))
        .with_fix(diag::Fix::unsafe().content(one.granularity.span, word));
  } else if (map != nullptr && !map->empty()) {
    offer_more_settings(report, *map, one, other);
  } else if (settings == nullptr && written != nullptr) {
    offer_settings(report, written->first.span, one, other);
  }
}

static void report_granularity(Entry& entry, const Context& context, const SharedGranularity& one) {
  entry.valid = false;
  std::vector<std::string> names;
  for (const auto& [name, dtype] : one.unfit) names.push_back(fmt::format("`{}`", name));
  auto& report = context.sink.report(
      diag::granularity_unfit, entry.place(&one.granularity), fmt::format("`{}`", source::python_str(one.granularity)),
      fmt::format("the {} {}", names.size() == 1 ? "target" : "targets", base::join_and(names)));
  offer_granularity(report, entry, one);
}

// Reports each granularity that does not fit a target once.
static void check_granularity_words(Compressor& compressor, const std::vector<Target>& targets,
                                    const Context& context) {
  std::map<std::pair<std::size_t, source::Span>, SharedGranularity> shared;
  for (const Target& target : targets) {
    const Value* granularity = target.get("granularity");
    if (granularity != nullptr && granularity->get<std::string>() != nullptr) {
      shared[{target.entry, granularity->span}].add(target);
    }
  }
  for (const auto& [place, one] : shared) {
    if (!one.unfit.empty()) report_granularity(compressor.entries[place.first], context, one);
  }
}

// Returns true if the class divides the target into blocks: a quantizer in each forward pass, every pruner for
// targets with masks. Scores and scaling factors are divided earlier.
static bool is_measured(const Compressor& compressor, const Target& target) {
  const ClassSpec* maker = compressor.mask_class();
  if (compressor.mode != Mode::pruning || !compressor.has_known_checks()) {
    return maker != nullptr && maker->section == Mode::quantization && target.is_parameter();
  }
  return target.is_rated() && (compressor.makes_masks || has(maker, kAddsScores));
}

// A pruner compares block sizes with shapes when it computes metrics.
static void check_block(const Compressor& compressor, Entry& entry, const Context& context, const Value& granularity,
                        const Target& target) {
  const List* sizes = block_of(granularity);
  if (sizes == nullptr) {
    entry.valid = false;
    context.sink
        .report(diag::granularity_unfit, entry.place(&granularity), source::python_str(granularity), "any tensor")
        .with_help("write a list of ints, such as `[4, 4]`");
    return;
  }
  const auto rank = rank_of(target);
  if (rank && sizes->size() > *rank && is_measured(compressor, target)) {
    entry.valid = false;
    context.sink
        .report(diag::granularity_unfit, entry.place(&granularity), source::python_str(granularity),
                fmt::format("the target `{}`, which has {}", target.name, base::counted(*rank, "dimension")))
        .with_help("use fewer block sizes, or exclude this target with `target_names`");
  }
}

static void check_granularity(const Compressor& compressor, Entry& entry, const Target& target,
                              const Context& context) {
  const Value* granularity = target.get("granularity");
  if (granularity != nullptr && granularity->get<std::string>() == nullptr) {
    check_block(compressor, entry, context, *granularity, target);
  }
}

// Checks block sizes against the shapes of the model.
static void check_fit(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const auto shape =
      is_measured(compressor, target) ? context.model.shape(target.module.name, target.name) : std::nullopt;
  const auto blocks = shape ? blocks_of(target, compressor.mask_class()) : std::nullopt;
  if (!blocks || metric_shape(blocks, *shape) || !entry.valid) {
    return;
  }
  entry.valid = false;
  context.sink
      .report(diag::block_divides, entry.place(target.get("granularity")),
              fmt::format("blocks of {}", source::python_str(*target.get("granularity"))),
              fmt::format("`{}`", target.shown()), model::to_text(*shape))
      .with_help("choose sizes that divide the shape of the tensor, or exclude the module");
}

DIAGNOSTIC(SP419, unknown_target, error, (Text, Text), "`{}` is not a target of {}",
           "`target_names` lists tensors of a module: `weight` and `bias`, and for quantization `_input_` and "
           "`_output_`. A target that a type does not have by default needs an entry in `target_settings`, and a "
           "parameter must exist in the module. Inputs cannot be distilled.",
           "use a target that the modules have: `weight`, `bias`, or for quantization `_input_` and `_output_`")

// Returns the advice to leave a parameter out of the targets.
static std::string advice_without(const Compressor& compressor, const Entry& entry, const std::string& name,
                                  const Context& context) {
  if (find_value(entry.fields, "target_names") != nullptr) {
    return fmt::format("delete `{}` from `target_names`, or move layers with a {} to an entry of their own", name,
                       name);
  }
  const bool quantizes = compressor.mode == Mode::quantization;
  const std::string_view names = quantizes ? "_input_, weight, _output_" : "weight";
  const std::string_view quoted = quantizes ? "\"_input_\", \"weight\", \"_output_\"" : "\"weight\"";
  return context.in_script ? fmt::format("add `\"target_names\": [{}]` to this entry", quoted)
                           : fmt::format("add `target_names: [{}]` to this entry", names);
}

// A layer without a bias has an empty `bias` target.
static void check_presence(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const bool used =
      compressor.mode == Mode::quantization ? compressor.mask_class() != nullptr : is_measured(compressor, target);
  if (!entry.valid || !target.is_parameter() || !context.model.lacks(target.module.name, target.name) || !used ||
      (compressor.mode == Mode::pruning && !target.is_rated())) {
    return;
  }
  entry.valid = false;
  context.sink
      .report(diag::unknown_target, entry.place(find_value(entry.fields, "target_names")), target.name,
              fmt::format("`{}`, which lacks it", target.module.shown()))
      .with_help(advice_without(compressor, entry, target.name, context));
}

// --- pruning ----------------------------------------------------------------------------------------------

DIAGNOSTIC(SP421, target_not_prunable, error, (Text, Text), "`{}` cannot be pruned by `{}`",
           "Movement and Taylor pruning score only parameters. Pruners that mask immediately have not run the model, "
           "so the shapes of outputs are unknown. FPGM compares blocks, so each target with a ratio needs a "
           "granularity.",
           "use another pruner, or remove this target")

static void check_prunable(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const ClassSpec& maker = *compressor.mask_class();
  const Value* ratio =
      target.get("sparse_ratio") != nullptr ? target.get("sparse_ratio") : target.get("sparse_threshold");
  const bool unknown_shape = !target.is_parameter() && maker.kind == Schedule::at_once && !compressor.inner;
  const bool no_score = !target.is_parameter() && has(&maker, kParametersOnly) && ratio != nullptr;
  const bool no_block = has(&maker, kRequiresBlocks) && ratio != nullptr && target.get("granularity") == nullptr;
  if (unknown_shape || no_score || no_block) {
    entry.valid = false;
    context.sink.report(diag::target_not_prunable, entry.place(ratio), target.name, maker.name);
  }
}

static void check_pruning(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  check_granularity(compressor, entry, target, context);
  check_presence(compressor, entry, target, context);
  check_fit(compressor, entry, target, context);
  if (compressor.mask_class() != nullptr) check_prunable(compressor, entry, target, context);
}

// --- quantization -----------------------------------------------------------------------------------------

static bool corrects_biases(const Compressor& compressor) {
  const Value* given = compressor.main ? find_value(compressor.main->arguments, "is_bias_correction") : nullptr;
  return given != nullptr && given->data == Value::Data(true);
}

DIAGNOSTIC(
    SP825, bias_missing, error, (Text, Text), "`{}` can't correct biases in `{}`, which lacks a bias",
    "With `is_bias_correction`, NNI adds the mean error of the outputs to the bias of each module. It fails at a "
    "module without a bias.",
    "exclude this module, or set `is_bias_correction: false`")

DIAGNOSTIC(SP826, bias_of_convolution, warning, (Text, Text),
           "`{}` fails to correct the bias of `{}` unless output width and channels are equal",
           "The correction has one number per index of the last dimension of the outputs. These are the channels only "
           "for linear layers.",
           "exclude convolutions, or set `is_bias_correction: false`")

// `corrected`: the modules whose biases are checked already.
static void check_bias(const Compressor& compressor, Entry& entry, const Target& target,
                       std::set<std::string>& corrected, const Context& context) {
  if (!corrected.insert(target.module.name + "\n" + target.module.type).second) {
    return;
  }
  const Value& given = *find_value(compressor.main->arguments, "is_bias_correction");
  const std::string_view quantizer = compressor.mask_class()->name;
  if (context.model.lacks(target.module.name, "bias") || lacks_tensor(target.module.type, "bias")) {
    entry.valid = false;
    context.sink.report(diag::bias_missing, entry.place(&given), quantizer, target.module.shown());
  } else if (rank_of({0, target.module, "weight", {}}).value_or(2) > 2 && entry.valid) {
    context.sink.report(diag::bias_of_convolution, entry.place(&given), quantizer, target.module.shown());
  }
}

// Returns true if the module is known to be no activation and to have none fused to it. A registered class may extend
// an activation, so its type does not tell.
static bool has_no_activation(const Entry& entry, const Context& context, const Selected& module) {
  const auto is_activation = [](std::string_view type) { return base::contains(kActivations, type); };
  if (is_activation(module.type) || !base::contains(registered_types(Mode::quantization), module.type)) {
    return false;
  }
  const Value* groups = find_value(entry.fields, "fuse_names");
  const auto* list = groups == nullptr ? nullptr : groups->get<List>();
  return std::ranges::none_of(list == nullptr ? List() : *list, [&](const Value& group) {
    const auto names = texts_of(&group);
    const bool heads = !names.empty() && (names.front().value == module.name || module.name.empty());
    return heads && std::ranges::any_of(names.begin() + 1, names.end(), [&](const auto& name) {
             const model::Module* other = context.model.find(name.value);
             return other == nullptr || is_activation(other->type);
           });
  });
}

DIAGNOSTIC(
    SP818, compressor_refuses, error, (Text), "`{}` quantizes outputs only of activations",
    "DoReFaQuantizer stops with a ValueError at the output of a module that is no activation, such as ReLU, and to "
    "which no activation is fused.",
    "list targets without `_output_` in `target_names`, or fuse an activation with `fuse_names`")

static void check_outputs(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  if (has(compressor.mask_class(), kActivationsOnly) && target.name.starts_with("_output_") &&
      has_no_activation(entry, context, target.module)) {
    entry.valid = false;
    context.sink.report(diag::compressor_refuses, entry.place(find_value(entry.fields, "target_names")),
                        compressor.mask_class()->name);
  }
}

DIAGNOSTIC(
    SP831, absent_input, warning, (Text, Text), "`{}` is no input or output of `{}`, so nothing is quantized",
    "NNI numbers the inputs and outputs of a module. `_input_` and `_output_` mean `_input_0` and `_output_0`. "
    "Other names, such as those of parameters, are accepted without effect. PtqQuantizer stops with a TypeError.",
    "write `_input_` or `_output_`")

// Returns true if a module never has this input or output. MaxPool can return indices as a second output.
static bool is_absent(const Target& target) {
  const std::string& type = target.module.type;
  const bool known = base::contains(registered_types(Mode::quantization), type);
  const bool more = type.starts_with("MaxPool") && target.name == "_output_1";
  return known && !more && !target.is_parameter() && target.name != "_input_0" && target.name != "_output_0";
}

// Every class measures the second input of a transposed convolution, `output_size`, which is None.
static bool measures_none(const Target& target) {
  return target.module.type.starts_with("ConvTranspose") && target.name == "_input_1";
}

// Offers the first input or output, if the entry does not list it too.
static void report_absence(const Entry& entry, const Target& target, bool fails, diag::Sink& sink) {
  const auto names = texts_of(entry.fields, "target_names");
  const auto item = [&](std::string_view name) {
    return std::ranges::find(names, name, &source::Located<std::string>::value);
  };
  const auto given = item(target.name);
  const std::string meant = target.name.starts_with("_input_") ? "_input_" : "_output_";
  const bool listed = item(meant) != names.end();
  const bool written = given != names.end();
  const source::Span place = written ? given->span : entry.place(find_value(entry.fields, "target_names"));
  auto& report = sink.report(diag::absent_input, place, target.name, target.module.type)
                     .with_severity(fails ? diag::Severity::error : diag::Severity::warning)
                     .with_help(listed ? "delete it" : fmt::format("write `{}`", meant));
  if (!written) return;
  report.with_fix(listed ? diag::Fix::unsafe().remove(place) : diag::Fix::unsafe().content(place, meant));
}

static void check_absence(const Compressor& compressor, Entry& entry, const Target& target,
                          std::set<std::string>& reported, const Context& context) {
  if (!is_absent(target) || !reported.insert(std::to_string(target.entry) + "\n" + target.name).second) {
    return;
  }
  const bool fails =
      has(compressor.mask_class(), kMeasuresAll) || (compressor.mask_class() != nullptr && measures_none(target));
  entry.valid = entry.valid && !fails;
  report_absence(entry, target, fails, context.sink);
}

// With 0 bits the range is a single number, and some classes divide by its length.
static bool divides_by_range(const Compressor& compressor, const Target& target, std::string_view dtype) {
  const ClassSpec* maker = compressor.mask_class();
  return !dtype.starts_with("u") &&
         (maker == nullptr || has(maker, kDividesByRange) || (has(maker, kDividesOutputs) && !target.is_parameter()));
}

DIAGNOSTIC(SP816, dtype_unsupported, error, (Text), "`quant_dtype` `{}` is not `int` or `uint` with a number of bits",
           "A type is `int` or `uint` followed by a number of bits, in lower case: `int8`. Floats are not supported.",
           "write a type such as `int8`")

DIAGNOSTIC(
    SP827, dtype_bits, error, (Text), "`quant_dtype` `{}` has a number of bits on which training fails",
    "NNI computes the limits of the type with 64-bit integers, and some classes divide by their difference. Only "
    "training uses the number of bits.",
    "write a type such as `int8` or `uint4`")

static void check_dtype(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const Value* dtype = target.get("quant_dtype");
  const auto* text = dtype == nullptr ? nullptr : dtype->get<std::string>();
  if (text == nullptr) {
    return;
  }
  const auto bits = bits_of(*text);
  const bool fails =
      bits && compressor.quantizes &&
      (*bits > (text->starts_with("u") ? 63 : 64) || (*bits < 1 && divides_by_range(compressor, target, *text)));
  if (!bits) {
    entry.valid = false;
    context.sink.report(diag::dtype_unsupported, entry.place(dtype), *text);
  } else if (fails) {
    const bool trains = compressor.mask_class() != nullptr;
    entry.valid = entry.valid && !trains;
    context.sink.report(diag::dtype_bits, entry.place(dtype), *text)
        .with_severity(trains ? diag::Severity::error : diag::Severity::warning);
  }
}

// Findings that are reported once for all modules.
struct Reported {
  std::set<std::string> biases;  // modules whose biases are checked
  std::set<std::string> absent;  // targets that do not exist, by entry
};

static void check_quantization(const Compressor& compressor, Entry& entry, const Target& target, Reported& reported,
                               const Context& context) {
  check_granularity(compressor, entry, target, context);
  check_presence(compressor, entry, target, context);
  check_fit(compressor, entry, target, context);
  check_dtype(compressor, entry, target, context);
  check_outputs(compressor, entry, target, context);
  check_absence(compressor, entry, target, reported.absent, context);
  if (compressor.mask_class() != nullptr && corrects_biases(compressor)) {
    check_bias(compressor, entry, target, reported.biases, context);
  }
}

// Checks the settings that the class limits. An absent setting is null.
static void check_limits(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const ClassSpec* maker = compressor.mask_class();
  for (const FieldSpec& row : maker == nullptr ? std::span<const FieldSpec>() : maker->limits) {
    const Value* value = target.get(row.name);
    Field setting{std::string(row.name), {}, value == nullptr ? Value() : *value};
    setting.value.span = entry.place(find_value(target.settings, row.name));
    entry.valid = check_unsupported(row, maker->name, setting, context.sink) && entry.valid;
    const auto* word = setting.value.get<std::string>();
    if (!row.no_effect.empty() && word != nullptr && !base::contains(row.choices, *word)) {
      context.sink.report(diag::field_ignored, setting.value.span, row.name, row.no_effect);
    }
  }
}

void check_targets(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  Reported reported;
  if (compressor.mode != Mode::distillation) check_granularity_words(compressor, targets, context);
  for (const Target& target : targets) {
    Entry& entry = compressor.entries[target.entry];
    switch (compressor.mode) {
      case Mode::pruning: check_pruning(compressor, entry, target, context); break;
      case Mode::quantization: check_quantization(compressor, entry, target, reported, context); break;
      case Mode::distillation: check_distillation(compressor, target, context); break;
    }
    check_limits(compressor, entry, target, context);
  }
}

}  // namespace sparsecfg::dialect::nni
