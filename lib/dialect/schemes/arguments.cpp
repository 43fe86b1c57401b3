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

DIAGNOSTIC(LC208, bits_senseless, silent_error, (Text, Text), "`num_bits` is {}, {}",
           "llm-compressor does not check the number of bits of integers. 2 to 8 bits are supported; with others no "
           "runtime loads the model. Floats have 8 bits, or 4 in the presets NVFP4 and MXFP4.",
           "write a number of bits from 2 to 8, and 8 for floats")

DIAGNOSTIC(LC209, arguments_conflict, error, (Text), "{}",
           "Some arguments require others. `group` and `tensor_group` require a `group_size` above 0, `block` requires "
           "a `block_structure`, and `token` and a local scale require `dynamic`. A recipe with another combination is "
           "rejected when it is loaded.",
           "change one of the two so that they are compatible")

namespace {

class ArgumentCheck {
 public:
  ArgumentCheck(diag::Sink& sink, const Value& arguments, Use use, bool quotes)
      : sink_(sink), arguments_(arguments), use_(use), quotes_(quotes), numbers_(read_numbers(arguments)) {}

  bool run() {
    if (!check_group_size() || !check_strategy()) {
      return false;
    }
    check_dynamic();
    check_blocks();
    check_order();
    check_bits();
    return true;
  }

 private:
  Span place(std::string_view name) const {
    const Value* value = arguments_.find(name);
    return value == nullptr ? arguments_.span : value->span;
  }

  Span key_of(std::string_view name) const {
    for (const source::Entry& entry : *arguments_.get<source::Map>()) {
      if (source::python_str(entry.first) == name) return entry.first.span;
    }
    return {};
  }

  // `words`: the message of compressed-tensors.
  diag::Diagnostic& conflict(std::string_view name, const std::string& what, std::string_view words) {
    auto& report = sink_.report(diag::arguments_conflict, place(name), what);
    return quotes_ ? report.with_caret(quoted_error(words)) : report;
  }

  std::optional<double> group_size() const {
    const Value* size = arguments_.given("group_size");
    return size == nullptr ? std::nullopt : as_real(*size);
  }

  bool check_group_size() {
    const Value* size = arguments_.given("group_size");
    const auto* text = size == nullptr ? nullptr : size->get<std::string>();
    if (text != nullptr) {
      auto& report = sink_.report(diag::wrong_type, size->span, "group_size", "an integer", source::describe(*size))
                         .with_help("remove the quotes")
                         .with_fix(diag::Fix::unsafe().replace(size->span, *text));
      if (quotes_) report.with_caret(quoted_error("'<' not supported between instances of 'str' and 'int'"));
      return false;
    }
    if (size != nullptr && *group_size() < -1) {
      conflict("group_size", fmt::format("`group_size` must be -1 or more, got {}", source::python_str(*size)),
               fmt::format("Invalid group size {}", source::python_str(*size)))
          .with_help("write `group_size: -1` for one scale per channel");
      return false;
    }
    return true;
  }

  bool check_strategy() {
    const double size = group_size().value_or(0);
    const bool grouped = numbers_.strategy == Strategy::group || numbers_.strategy == Strategy::tensor_group;
    if (numbers_.strategy == Strategy::none) {
      if (arguments_.given("strategy") != nullptr) return false;  // an unknown strategy, which is reported already
      conflict("group_size", "`group_size` must not be 0", "Invalid group size 0")
          .with_help("write `group_size: 128`, or -1 for one scale per channel");
      return false;
    }
    if (grouped && size <= 0) {
      conflict(
          "strategy", fmt::format("the strategy `{}` requires a `group_size` above 0", to_string(numbers_.strategy)),
          fmt::format("strategy {} requires group_size to be set to a positive value", to_string(numbers_.strategy)))
          .with_help("write `group_size: 128`")
          .with_fix(arguments_.given("group_size") == nullptr && !key_of("strategy").empty()
                        ? diag::Fix::unsafe().add_entry(key_of("strategy"), "group_size: 128")
                        : diag::Fix());
      return false;
    }
    if (!grouped && size > 0) {
      conflict("group_size",
               fmt::format("`group_size` requires the strategy `group`, not `{}`", to_string(numbers_.strategy)),
               "group_size requires strategy to be set to 'group'")
          .with_help("write `strategy: group`, or delete `group_size`")
          .with_fix(diag::Fix::unsafe().content(place("strategy"), "group"));
      return false;
    }
    return true;
  }

  void check_dynamic() {
    const Strategy strategy = numbers_.strategy;
    const bool local = numbers_.dynamic == Dynamic::local;
    if (strategy == Strategy::token && numbers_.dynamic == Dynamic::no) {
      const bool absent = arguments_.find("dynamic") == nullptr;
      conflict("strategy", "scales per token must be dynamic", "Cannot perform static token quantization")
          .with_help("write `dynamic: true`")
          .with_fix(absent ? diag::Fix::unsafe().add_entry(key_of("strategy"), "dynamic: true")
                           : diag::Fix::unsafe().replace(place("dynamic"), "true"));
    } else if (local && strategy != Strategy::tensor_group) {
      conflict("dynamic", "`dynamic: local` requires the strategy `tensor_group`",
               "local is only supported for strategy tensor_group")
          .with_help("write `dynamic: true`");
    } else if (numbers_.dynamic != Dynamic::no &&
               (strategy == Strategy::channel || strategy == Strategy::block || strategy == Strategy::attn_head)) {
      conflict("dynamic", fmt::format("scales per {} can't be dynamic", to_string(strategy)),
               "One of (token, tensor, tensor_group, group) must be used for dynamic quant.")
          .with_help("write `strategy: token`, `tensor` or `group`, or `dynamic: false`");
    }
  }

  static bool is_pair(const Value& value) {
    if (const auto* text = value.get<std::string>()) {
      return is_pair_of_numbers(*text);
    }
    const auto* list = value.get<source::List>();
    return list != nullptr && list->size() == 2 && std::ranges::all_of(*list, [](const Value& item) {
             const auto* number = item.get<std::int64_t>();
             return (number != nullptr && *number > 0) || item.data == Value::Data(true);
           });
  }

  static bool is_count(std::string_view text) {
    text = base::trim(text);
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc() && end == text.data() + text.size() && count > 0;
  }

  static bool is_pair_of_numbers(std::string_view text) {
    const std::size_t mark = text.find('x');
    return mark != std::string_view::npos && is_count(text.substr(0, mark)) && is_count(text.substr(mark + 1));
  }

  void check_blocks() {
    const Value* blocks = arguments_.given("block_structure");
    if (blocks != nullptr && !is_pair(*blocks)) {
      conflict("block_structure",
               fmt::format("`block_structure` must be two integers above 0, got {}", source::describe(*blocks)),
               "Invalid block_structure")
          .with_help("write `[128, 128]`");
    } else if (blocks == nullptr && numbers_.strategy == Strategy::block) {
      conflict("strategy", "the strategy `block` requires a `block_structure`",
               "Block strategy requires block structure")
          .with_help("write `block_structure: [128, 128]`")
          .with_fix(diag::Fix::unsafe().add_entry(key_of("strategy"), "block_structure: [128, 128]"));
    } else if (blocks != nullptr && numbers_.strategy != Strategy::block) {
      conflict("block_structure",
               fmt::format("`block_structure` requires the strategy `block`, not `{}`", to_string(numbers_.strategy)),
               "Block structure requires block strategy")
          .with_help("write `strategy: block`, or delete `block_structure`");
    }
  }

  // Returns the activation order; true is `group`, and no order is an empty string.
  std::string order() const {
    const Value* value = arguments_.given("actorder");
    if (value == nullptr) return {};
    if (const auto* text = value->get<std::string>()) return base::to_lower(*text);
    return as_boolean(*value).value_or(false) ? "group" : "";
  }

  void check_order() {
    const std::string order_name = order();
    const bool by_group = order_name == "group" || order_name == "dynamic";
    const bool grouped = numbers_.strategy == Strategy::group || numbers_.strategy == Strategy::tensor_group;
    if (!order_name.empty() && use_ != Use::weights) {
      conflict("actorder", fmt::format("`actorder` applies only to weights, not to `{}`", field_of(use_)),
               fmt::format("Cannot apply actorder to {} activations", use_ == Use::outputs ? "output" : "input"))
          .with_help("delete it")
          .with_fix(diag::Fix::safe().remove(key_of("actorder")));
    } else if (by_group && !grouped) {
      conflict("actorder", "`actorder: group` requires the strategy `group` or `tensor_group`",
               "Must use group or tensor_group quantization strategy in order to apply group activation ordering")
          .with_help("write `actorder: weight`");
    }
  }

  void check_bits() {
    const std::int64_t bits = numbers_.bits;
    const Span span = arguments_.given("num_bits") == nullptr ? place("type") : place("num_bits");
    if (numbers_.is_float && arguments_.given("zp_dtype") == nullptr && bits != 8 && bits != 4) {
      sink_.report(diag::bits_senseless, span, fmt::format("{}", bits), "but floats have 8 or 4 bits")
          .with_help("write `8`; to keep 16-bit values, omit these arguments");
    } else if (!numbers_.is_float && (bits < 2 || bits > 8)) {
      sink_.report(diag::bits_senseless, span, fmt::format("{}", bits), "but only 2 to 8 bits are supported")
          .with_severity(diag::Severity::warning)
          .with_help("write `4` or `8`; to keep 16-bit inputs, omit `input_activations`");
    }
  }

  diag::Sink& sink_;
  const Value& arguments_;
  Use use_;
  bool quotes_;
  Numbers numbers_;
};

constexpr std::string_view kUses[] = {"weights", "input_activations", "output_activations", "kv_cache_scheme"};

}  // namespace

std::string_view field_of(Use use) { return kUses[static_cast<std::size_t>(use)]; }

std::string quoted_error(std::string_view words) { return fmt::format("compressed-tensors: \"{}\"", words); }

bool check_arguments(diag::Sink& sink, const Value& arguments, Use use, bool quotes) {
  return ArgumentCheck(sink, arguments, use, quotes).run();
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

void check_use(diag::Sink& sink, const Value& arguments, Use use) {
  const Numbers numbers = read_numbers(arguments);
  const Strategy strategy = numbers.strategy;
  const Value* written = arguments.find("strategy");
  const Span place = written == nullptr ? arguments.span : written->span;
  const bool by_area = strategy == Strategy::channel || strategy == Strategy::block;
  const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
  const bool by_value =
      numbers.dynamic == Dynamic::yes || (strategy == Strategy::tensor_group && numbers.dynamic == Dynamic::local);
  if (use == Use::cache && (by_area || grouped)) {
    sink.report(diag::kv_scheme_strategy, place, to_string(strategy))
        .with_help("write `strategy: tensor`")
        .with_fix(diag::Fix::unsafe().content(place, "tensor"));
  } else if ((use == Use::inputs && by_area) || (use == Use::outputs && (by_area || (grouped && !by_value)))) {
    sink.report(diag::activation_strategy, place, field_of(use), to_string(strategy), "")
        .with_help(grouped ? "write `dynamic: true`"
                   : arguments.find("block_structure") == nullptr
                       ? "write `strategy: token` and `dynamic: true`, or `strategy: tensor`"
                       : "delete the strategy and `block_structure`, which leaves one scale per tensor");
  } else if (use == Use::weights && strategy == Strategy::attn_head) {
    sink.report(diag::activation_strategy, place, "weights", "attn_head", ": weights have no heads")
        .with_help("write `strategy: channel` or `strategy: group`")
        .with_fix(diag::Fix::unsafe().content(place, "channel"));
  }
}

}  // namespace sparsecfg::dialect::schemes
