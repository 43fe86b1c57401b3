#include "dialect/schemes/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/types.h"
#include "dialect/schemes/codes.h"
#include "dialect/schemes/records.h"

namespace sparsecfg::dialect::schemes {

using source::Span;
using source::Value;

constexpr std::string_view kRoles[] = {"weights", "input_activations", "output_activations", "kv_cache_scheme"};

std::string_view field_of(TensorRole role) { return kRoles[static_cast<std::size_t>(role)]; }

std::string quoted_error(std::string_view words) { return fmt::format("compressed-tensors: \"{}\"", words); }

// Arguments of quantization, and how they are checked.
struct Arguments {
  diag::Sink& sink;
  const Value& value;
  TensorRole role;
  bool quotes;  // true if a label has the message of compressed-tensors
  QuantizationArgs args;

  [[nodiscard]] Span place(std::string_view name) const {
    const Value* argument = value.find(name);
    return argument == nullptr ? value.span : argument->span;
  }

  [[nodiscard]] Span key_of(std::string_view name) const {
    for (const source::Entry& entry : *value.get<source::Map>()) {
      if (source::python_str(entry.first) == name) return entry.first.span;
    }
    return {};
  }

  [[nodiscard]] std::optional<double> group_size() const {
    const Value* size = value.given("group_size");
    return size == nullptr ? std::nullopt : as_real(*size);
  }

  [[nodiscard]] bool is_grouped() const {
    return args.strategy == Strategy::group || args.strategy == Strategy::tensor_group;
  }

  // Adds the message of compressed-tensors to a report.
  diag::Diagnostic& quote(diag::Diagnostic& report, std::string_view words) const {
    return quotes ? report.with_caret(quoted_error(words)) : report;
  }
};

// --- group size and strategy --------------------------------------------------------------------------------------

static bool check_text_size(const Arguments& arguments) {
  const Value* size = arguments.value.given("group_size");
  const auto* text = size == nullptr ? nullptr : size->get<std::string>();
  if (text == nullptr) {
    return true;
  }
  auto& report =
      arguments.sink.report(diag::wrong_type, size->span, "group_size", "an integer", source::describe(*size))
          .with_help("remove the quotes")
          .with_fix(diag::Fix::unsafe().replace(size->span, *text));
  arguments.quote(report, "'<' not supported between instances of 'str' and 'int'");
  return false;
}

DIAGNOSTIC(LC223, group_size_range, error, (Text), "`group_size` must be -1 or above 0, got {}",
           "A group size above 0 is the number of columns with one scale, and -1 means one scale per channel. Other "
           "numbers raise a ValidationError when the recipe is loaded.",
           "write `group_size: 128`, or -1 for one scale per channel")

static bool check_group_size(const Arguments& arguments) {
  const auto size = arguments.group_size();
  const bool none = arguments.args.strategy == Strategy::none && arguments.value.given("strategy") == nullptr;
  if ((size && *size < -1) || none) {
    const std::string text = source::python_str(*arguments.value.given("group_size"));
    arguments.quote(arguments.sink.report(diag::group_size_range, arguments.place("group_size"), text),
                    fmt::format("Invalid group size {}", text));
    return false;
  }
  return arguments.args.strategy != Strategy::none;  // an unknown strategy is reported already
}

DIAGNOSTIC(LC224, group_size_missing, error, (Text), "the strategy `{}` requires a `group_size` above 0",
           "The strategies `group` and `tensor_group` have one scale for each group of columns. Without its size, the "
           "recipe is rejected when it is loaded.",
           "write `group_size: 128`")

// Returns the size that the format of the values has: 16 for NVFP4, 32 for other 4-bit floats and MXFP8.
static std::int64_t usual_group_size(const QuantizationArgs& args) {
  if (args.strategy == Strategy::tensor_group) return 16;
  return args.is_float ? 32 : 128;
}

static bool check_grouped(const Arguments& arguments) {
  if (!arguments.is_grouped() || arguments.group_size().value_or(0) > 0) {
    return true;
  }
  const std::string_view strategy = to_string(arguments.args.strategy);
  const Span key = arguments.key_of("strategy");
  const std::string entry = fmt::format("group_size: {}", usual_group_size(arguments.args));
  auto& report = arguments.sink.report(diag::group_size_missing, arguments.place("strategy"), strategy);
  if (arguments.role != TensorRole::weights && arguments.args.strategy == Strategy::group && arguments.args.bits == 8) {
    report.with_help("write `strategy: token`: inputs of 8 bits have one scale for each token")
        .with_fix(diag::Fix::unsafe().content(arguments.place("strategy"), "token"));
  } else {
    report.with_help(fmt::format("write `{}`", entry))
        .with_fix(arguments.value.given("group_size") == nullptr && !key.empty()
                      ? diag::Fix::unsafe().add_entry(key, entry)
                      : diag::Fix());
  }
  arguments.quote(report, fmt::format("strategy {} requires group_size to be set to a positive value", strategy));
  return false;
}

DIAGNOSTIC(LC209, arguments_conflict, error, (Text, Text), "`{}` requires the strategy {}",
           "Some arguments belong to one strategy: `group_size` to `group` and `tensor_group`, `block_structure` to "
           "`block`, `dynamic: local` to `tensor_group`. Quantization in the order of activations requires groups. A "
           "recipe with another strategy is rejected when it is loaded.",
           "write this strategy, or delete the argument")

// The size of a group beside `strategy: block` is the side of a block. Beside other strategies, one of the two is
// wrong.
static void offer_strategy(diag::Diagnostic& report, const Arguments& arguments) {
  const std::string size = source::python_str(*arguments.value.given("group_size"));
  if (arguments.args.strategy == Strategy::block && arguments.value.given("block_structure") == nullptr) {
    const std::string blocks = fmt::format("[{0}, {0}]", size);
    report.with_help(fmt::format("write `block_structure: {}` instead", blocks))
        .with_fix(diag::Fix::unsafe()
                      .content(arguments.key_of("group_size"), "block_structure")
                      .replace(arguments.place("group_size"), blocks));
  } else if (arguments.args.strategy == Strategy::block) {
    report.with_help("delete `group_size`: `block_structure` sets the size of the blocks")
        .with_fix(diag::Fix::unsafe().remove(arguments.key_of("group_size")));
  } else {
    report.with_help("write `strategy: group`, or delete `group_size`")
        .with_fix(diag::Fix::unsafe().content(arguments.place("strategy"), "group"));
  }
}

static bool check_ungrouped(const Arguments& arguments) {
  if (arguments.is_grouped() || arguments.group_size().value_or(0) <= 0) {
    return true;
  }
  auto& report = arguments.sink.report(diag::arguments_conflict, arguments.place("group_size"), "group_size",
                                       fmt::format("`group`, not `{}`", to_string(arguments.args.strategy)));
  offer_strategy(report, arguments);
  arguments.quote(report, "group_size requires strategy to be set to 'group'");
  return false;
}

// --- dynamic scales -----------------------------------------------------------------------------------------------

DIAGNOSTIC(LC225, static_token_scale, error, (), "scales per token must be dynamic",
           "The tokens of a run are not known in calibration, so their scales are computed in each run. A recipe with "
           "the strategy `token` and static scales is rejected when it is loaded.",
           "write `dynamic: true`")

static void check_token_scale(const Arguments& arguments) {
  if (arguments.args.strategy != Strategy::token || arguments.args.dynamic != Dynamic::no) {
    return;
  }
  if (arguments.role == TensorRole::weights) {
    auto& report = arguments.sink.report(diag::static_token_scale, arguments.place("strategy"))
                       .with_caret("weights have no tokens")
                       .with_help("write `strategy: channel`")
                       .with_fix(diag::Fix::unsafe().content(arguments.place("strategy"), "channel"));
    arguments.quote(report, "Cannot perform static token quantization");
    return;
  }
  const bool absent = arguments.value.find("dynamic") == nullptr;
  auto& report = arguments.sink.report(diag::static_token_scale, arguments.place("strategy"))
                     .with_fix(absent ? diag::Fix::unsafe().add_entry(arguments.key_of("strategy"), "dynamic: true")
                                      : diag::Fix::unsafe().replace(arguments.place("dynamic"), "true"));
  arguments.quote(report, "Cannot perform static token quantization");
}

DIAGNOSTIC(
    LC226, dynamic_scale, error, (Text), "scales per {} cannot be dynamic",
    "Dynamic scales are computed in each run. Only scales per tensor, token or group can be dynamic. A recipe with "
    "other dynamic scales is rejected when it is loaded.",
    "write `strategy: token`, `tensor` or `group`, or `dynamic: false`")

// Weights have no tokens, and their scales are static. The inputs of a layer have scales per token.
static void offer_static_scale(diag::Diagnostic& report, const Arguments& arguments) {
  if (arguments.role == TensorRole::weights || arguments.args.strategy == Strategy::attn_head) {
    report.with_help("write `dynamic: false`")
        .with_fix(diag::Fix::unsafe().replace(arguments.place("dynamic"), "false"));
  } else if (arguments.value.given("block_structure") == nullptr && arguments.value.given("strategy") != nullptr) {
    report.with_help("write `strategy: token`")
        .with_fix(diag::Fix::unsafe().content(arguments.place("strategy"), "token"));
  }
}

static void check_dynamic(const Arguments& arguments) {
  const auto [strategy, dynamic] = std::pair(arguments.args.strategy, arguments.args.dynamic);
  if (dynamic == Dynamic::local && strategy != Strategy::tensor_group) {
    auto& report =
        arguments.sink.report(diag::arguments_conflict, arguments.place("dynamic"), "dynamic: local", "`tensor_group`")
            .with_help("write `dynamic: true`");
    arguments.quote(report, "local is only supported for strategy tensor_group");
  } else if (dynamic != Dynamic::no &&
             (strategy == Strategy::channel || strategy == Strategy::block || strategy == Strategy::attn_head)) {
    const Value* written = arguments.value.given("strategy");
    auto& report = arguments.sink.report(diag::dynamic_scale, arguments.place("dynamic"), to_string(strategy))
                       .with_cause(written == nullptr ? Span() : written->span);
    offer_static_scale(report, arguments);
    arguments.quote(report, "One of (token, tensor, tensor_group, group) must be used for dynamic quant.");
  }
}

// --- blocks -------------------------------------------------------------------------------------------------------

static bool is_count(std::string_view text) {
  text = base::trim(text);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0;
}

static bool is_pair_of_counts(std::string_view text) {
  const std::size_t mark = text.find('x');
  return mark != std::string_view::npos && is_count(text.substr(0, mark)) && is_count(text.substr(mark + 1));
}

static bool is_pair(const Value& value) {
  if (const auto* text = value.get<std::string>()) {
    return is_pair_of_counts(*text);
  }
  const auto* list = value.get<source::List>();
  return list != nullptr && list->size() == 2 && std::ranges::all_of(*list, [](const Value& item) {
           const auto* number = item.get<std::int64_t>();
           return (number != nullptr && *number > 0) || item.data == Value::Data(true);
         });
}

DIAGNOSTIC(LC227, block_structure_shape, error, (Text), "`block_structure` must be two integers above 0, got {}",
           "A block has a number of rows and a number of columns, as a list or as a string such as `128x128`. Other "
           "values are rejected when the recipe is loaded.",
           "write `[128, 128]`")

DIAGNOSTIC(
    LC228, block_structure_missing, error, (), "the strategy `block` requires a `block_structure`",
    "The strategy has one scale for each block of rows and columns. Without their numbers, the recipe is rejected "
    "when it is loaded.",
    "write `block_structure: [128, 128]`")

// A short list is shown, because only its items are wrong.
static std::string describe_blocks(const Value& blocks) {
  const auto* list = blocks.get<source::List>();
  return list != nullptr && list->size() <= 3 ? fmt::format("`{}`", source::python_str(blocks))
                                              : source::describe(blocks);
}

static void check_blocks(const Arguments& arguments) {
  const Value* blocks = arguments.value.given("block_structure");
  const Strategy strategy = arguments.args.strategy;
  if (blocks != nullptr && !is_pair(*blocks)) {
    auto& report = arguments.sink.report(diag::block_structure_shape, blocks->span, describe_blocks(*blocks));
    arguments.quote(report, "Invalid block_structure");
  } else if (blocks == nullptr && strategy == Strategy::block) {
    auto& report =
        arguments.sink.report(diag::block_structure_missing, arguments.place("strategy"))
            .with_fix(diag::Fix::unsafe().add_entry(arguments.key_of("strategy"), "block_structure: [128, 128]"));
    arguments.quote(report, "Block strategy requires block structure");
  } else if (blocks != nullptr && strategy != Strategy::block) {
    auto& report = arguments.sink
                       .report(diag::arguments_conflict, blocks->span, "block_structure",
                               fmt::format("`block`, not `{}`", to_string(strategy)))
                       .with_help("write `strategy: block`, or delete `block_structure`");
    arguments.quote(report, "Block structure requires block strategy");
  }
}

// --- order and bits -----------------------------------------------------------------------------------------------

// Returns the activation order; true is `group`, and no order is an empty string.
static std::string order_in(const Arguments& arguments) {
  const Value* value = arguments.value.given("actorder");
  if (value == nullptr) return {};
  if (const auto* text = value->get<std::string>()) return base::to_lower(*text);
  return as_boolean(*value).value_or(false) ? "group" : "";
}

DIAGNOSTIC(LC229, actorder_of_activations, error, (Text), "`actorder` applies only to weights, not to `{}`",
           "The order of activations decides in which order GPTQ quantizes the columns of a weight. In arguments of "
           "activations, it is rejected when the recipe is loaded, and in `kv_cache_scheme` at the latest when the run "
           "starts.",
           "delete `actorder`")

static void check_column_order(const Arguments& arguments) {
  const std::string order = order_in(arguments);
  const bool by_group = order == "group" || order == "dynamic";
  if (!order.empty() && arguments.role != TensorRole::weights) {
    auto& report =
        arguments.sink.report(diag::actorder_of_activations, arguments.place("actorder"), field_of(arguments.role))
            .with_fix(diag::Fix::safe().remove(arguments.key_of("actorder")));
    arguments.quote(report, fmt::format("Cannot apply actorder to {} activations",
                                        arguments.role == TensorRole::outputs ? "output" : "input"));
  } else if (by_group && !arguments.is_grouped()) {
    auto& report = arguments.sink
                       .report(diag::arguments_conflict, arguments.place("actorder"), "actorder: group",
                               "`group` or `tensor_group`")
                       .with_help("write `actorder: weight`");
    arguments.quote(report,
                    "Must use group or tensor_group quantization strategy in order to apply group activation ordering");
  }
}

DIAGNOSTIC(LC208, bits_senseless, silent_error, (Text, Text), "`num_bits` is {}, {}",
           "llm-compressor does not check the number of bits of integers. 2 to 8 bits are supported; with others no "
           "runtime loads the model. Floats have 8 bits, or 4 in the presets NVFP4 and MXFP4.",
           "write a number of bits from 2 to 8, and 8 for floats")

// A group whose weights keep 16 bits is not needed: its layers belong to `ignore`.
static std::string help_for_width(const Arguments& arguments, std::int64_t bits) {
  if (bits != 16) return "write `8`";
  return arguments.role == TensorRole::weights
             ? "to keep 16-bit weights, delete this group, and add its targets to `ignore`; else write `8`"
             : fmt::format("to keep 16-bit values, delete `{}`; else write `8`", field_of(arguments.role));
}

static void check_bits(const Arguments& arguments) {
  const std::int64_t bits = arguments.args.bits;
  const bool is_float = arguments.args.is_float;
  const Span span = arguments.place(arguments.value.given("num_bits") == nullptr ? "type" : "num_bits");
  if (is_float && bits != 8 && bits != 4) {
    arguments.sink.report(diag::bits_senseless, span, fmt::format("{}", bits), "but floats have 8 or 4 bits")
        .with_help(help_for_width(arguments, bits));
  } else if (!is_float && (bits < 2 || bits > 8)) {
    arguments.sink.report(diag::bits_senseless, span, fmt::format("{}", bits), "but only 2 to 8 bits are supported")
        .with_severity(diag::Severity::warning)
        .with_help(bits == 16 ? help_for_width(arguments, bits) : "write `4` or `8`");
  }
}

bool check_arguments(diag::Sink& sink, const Value& value, TensorRole role, bool quotes) {
  const Arguments arguments{sink, value, role, quotes, read_args(value)};
  if (!check_text_size(arguments) || !check_group_size(arguments) || !check_grouped(arguments) ||
      !check_ungrouped(arguments)) {
    return false;
  }
  check_token_scale(arguments);
  check_dynamic(arguments);
  check_blocks(arguments);
  check_column_order(arguments);
  check_bits(arguments);
  return true;
}

DIAGNOSTIC(LC115, unknown_torch_name, error, (Text, Text), "`{}` is not a torch {}",
           "llm-compressor looks the name up in torch. Otherwise the recipe is rejected when it is loaded, or the run "
           "fails when it needs the value.",
           "write a name that torch has")

void check_dtype(diag::Sink& sink, const Value& value, std::string_view name) {
  constexpr std::string_view kTorch = "torch.";
  const auto* text = value.get<std::string>();
  if (text == nullptr) {
    return;
  }
  const std::string_view bare = text->starts_with(kTorch) ? std::string_view(*text).substr(kTorch.size()) : *text;
  if (!base::contains(torch_types(), bare)) {
    sink.report(diag::unknown_torch_name, value.span, *text, fmt::format("dtype for `{}`", name))
        .with_help("write a dtype such as `torch.float32`");
  }
}

void check_dtypes(diag::Sink& sink, const Value& value) {
  constexpr std::string_view kFields[] = {"scale_dtype", "zp_dtype", "precision"};
  const auto* map = value.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, item] = (*map)[at];
    const auto* name = key.get<std::string>();
    if (name != nullptr && base::contains(kFields, *name)) {
      check_dtype(sink, item, *name);
    } else {
      check_dtypes(sink, item);
    }
  }
}

DIAGNOSTIC(LC212, activation_strategy, error, (Text, Text, Text), "`{}` cannot be quantized per {}{}",
           "Layer inputs have one scale per tensor, per token or per group; outputs have one per tensor or per token. "
           "Other scales need a shape that activations do not have.",
           "write `tensor`, `token` or `group` for inputs, `tensor` or `token` for outputs")

DIAGNOSTIC(LC213, kv_scheme_strategy, error, (Text), "a cache scheme cannot use the strategy `{}`",
           "Keys and values of the cache have one scale per tensor or per attention head. They can have one per token "
           "if `dynamic` is true.",
           "write `tensor` or `attn_head`, or `token` with `dynamic: true`")

void check_role(diag::Sink& sink, const Value& arguments, TensorRole role) {
  const QuantizationArgs args = read_args(arguments);
  const Strategy strategy = args.strategy;
  const Value* written = arguments.find("strategy");
  const Span place = written == nullptr ? arguments.span : written->span;
  const bool by_area = strategy == Strategy::channel || strategy == Strategy::block;
  const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
  const bool by_value =
      args.dynamic == Dynamic::yes || (strategy == Strategy::tensor_group && args.dynamic == Dynamic::local);
  if (role == TensorRole::cache && (by_area || grouped)) {
    diag::Fix fix = diag::Fix::unsafe().content(place, "tensor");
    std::string help = "write `strategy: tensor`";
    for (const source::Entry& entry : *arguments.get<source::Map>()) {  // a size belongs to the other strategy
      const std::string name = source::python_str(entry.first);
      if (name != "group_size" && name != "block_structure") continue;
      help += fmt::format(", and delete `{}`", name);
      fix.remove(entry.first.span);
    }
    if (const Value* dynamic = arguments.find("dynamic"); dynamic != nullptr && args.dynamic == Dynamic::yes) {
      help += ", and `dynamic: false`";  // dynamic scales of a cache are not stored
      fix.replace(dynamic->span, "false");
    }
    sink.report(diag::kv_scheme_strategy, place, to_string(strategy)).with_help(help).with_fix(std::move(fix));
  } else if ((role == TensorRole::inputs && by_area) ||
             (role == TensorRole::outputs && (by_area || (grouped && !by_value)))) {
    sink.report(diag::activation_strategy, place, field_of(role), to_string(strategy), "")
        .with_help(grouped ? "write `dynamic: true`"
                   : arguments.find("block_structure") == nullptr
                       ? "write `strategy: token` and `dynamic: true`, or `strategy: tensor`"
                       : "delete the strategy and `block_structure`, which leaves one scale per tensor");
  } else if (role == TensorRole::weights && strategy == Strategy::attn_head) {
    sink.report(diag::activation_strategy, place, "weights", "attn_head", ": weights have no heads")
        .with_help("write `strategy: channel` or `strategy: group`")
        .with_fix(diag::Fix::unsafe().content(place, "channel"));
  }
}

}  // namespace sparsecfg::dialect::schemes
