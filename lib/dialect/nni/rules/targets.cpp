#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/record/check.h"

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

static void report_granularity(Entry& entry, const Context& context, const Value& granularity, const Target& target) {
  entry.valid = false;
  context.sink
      .report(diag::granularity_unfit, entry.place(&granularity), fmt::format("`{}`", source::python_str(granularity)),
              fmt::format("the target `{}`", target.name))
      .with_help(target.is_parameter() ? "write `out_channel`: `per_channel` is for inputs and outputs"
                                       : "`in_channel` and `out_channel` are for parameters; set a "
                                         "granularity per target in `target_settings`");
}

// Returns true if the class divides the target into blocks: a quantizer in each forward pass, every pruner for
// targets with masks. Scores and scaling factors are divided earlier.
static bool is_measured(const Compressor& compressor, const Target& target) {
  const ClassSpec* maker = compressor.mask_class();
  if (compressor.mode != Mode::pruning || !compressor.has_known_checks()) {
    return maker != nullptr && maker->section == Mode::quantization && target.is_parameter();
  }
  const bool rated = target.get("sparse_ratio") != nullptr || target.get("sparse_threshold") != nullptr;
  return rated && (compressor.makes_masks || has(maker, kAddsScores));
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
  if (granularity == nullptr) {
    return;
  }
  const auto* word = granularity->get<std::string>();
  if (word == nullptr) {
    check_block(compressor, entry, context, *granularity, target);
  } else if (target.is_parameter() ? *word == "per_channel" : *word == "in_channel" || *word == "out_channel") {
    report_granularity(entry, context, *granularity, target);
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

// A layer without a bias has an empty `bias` target.
static void check_presence(const Compressor& compressor, Entry& entry, const Target& target, const Context& context) {
  const bool rated = target.get("sparse_ratio") != nullptr || target.get("sparse_threshold") != nullptr;
  const bool used =
      compressor.mode == Mode::quantization ? compressor.mask_class() != nullptr : is_measured(compressor, target);
  if (!target.is_parameter() || !context.model.lacks(target.module.name, target.name) || !used ||
      (compressor.mode == Mode::pruning && !rated)) {
    return;
  }
  entry.valid = false;
  context.sink
      .report(diag::unknown_target, entry.place(find_value(entry.fields, "target_names")), target.name,
              fmt::format("`{}`, which lacks it", target.module.shown()))
      .with_help("list only other tensors in `target_names`, or move such layers to a separate entry");
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

static void check_quantization(const Compressor& compressor, Entry& entry, const Target& target,
                               std::set<std::string>& corrected, const Context& context) {
  check_granularity(compressor, entry, target, context);
  check_presence(compressor, entry, target, context);
  check_fit(compressor, entry, target, context);
  check_dtype(compressor, entry, target, context);
  check_outputs(compressor, entry, target, context);
  if (compressor.mask_class() != nullptr && corrects_biases(compressor)) {
    check_bias(compressor, entry, target, corrected, context);
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
  std::set<std::string> corrected;
  for (const Target& target : targets) {
    Entry& entry = compressor.entries[target.entry];
    switch (compressor.mode) {
      case Mode::pruning: check_pruning(compressor, entry, target, context); break;
      case Mode::quantization: check_quantization(compressor, entry, target, corrected, context); break;
      case Mode::distillation: check_distillation(compressor, target, context); break;
    }
    check_limits(compressor, entry, target, context);
  }
}

}  // namespace sparsecfg::dialect::nni
