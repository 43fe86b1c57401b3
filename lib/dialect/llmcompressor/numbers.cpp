#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/record/types.h"

// Checks the arguments of quantization, also against the tensors that they are for.
namespace sparsecfg::dialect::llmcompressor {

using source::Span;
using source::Value;

namespace {

// The tensors that the arguments are for.
enum class Use { weights, inputs, outputs, cache };

constexpr std::string_view kUses[] = {"weights", "input_activations", "output_activations", "kv_cache_scheme"};

class NumbersCheck {
 public:
  NumbersCheck(const Reading& reading, const Value& arguments, Use use)
      : reading_(reading), arguments_(arguments), use_(use), numbers_(read_numbers(arguments)) {}

  void run() {
    if (!check_group_size() || !check_strategy()) {
      return;
    }
    check_dynamic();
    check_blocks();
    check_order();
    check_bits();
    if (numbers_.dynamic != Dynamic::yes) {  // a dynamic scale has no observer
      check_observer(reading_, arguments_, use_ == Use::weights);
    }
    check_use();
  }

 private:
  const Value* given(std::string_view name) const {
    const Value* value = arguments_.find(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

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

  diag::Diagnostic& conflict(std::string_view name, const std::string& what) {
    return reading_.sink.report(diag::arguments_conflict, place(name), what);
  }

  std::optional<double> group_size() const {
    const Value* size = given("group_size");
    return size == nullptr ? std::nullopt : as_real(*size);
  }

  bool check_group_size() {
    const Value* size = given("group_size");
    const auto* text = size == nullptr ? nullptr : size->get<std::string>();
    if (text != nullptr) {
      reading_.sink.report(diag::wrong_type, size->span, "group_size", "an integer", source::describe(*size))
          .with_help("remove the quotes")
          .with_fix(diag::Fix::unsafe().replace(size->span, *text));
      return false;
    }
    if (size != nullptr && *group_size() < -1) {
      conflict("group_size", fmt::format("`group_size` must be -1 or more, got {}", source::python_str(*size)))
          .with_help("write `group_size: -1` for one scale per channel");
      return false;
    }
    return true;
  }

  bool check_strategy() {
    const double size = group_size().value_or(0);
    const bool grouped = numbers_.strategy == Strategy::group || numbers_.strategy == Strategy::tensor_group;
    if (numbers_.strategy == Strategy::none) {
      conflict("group_size", "`group_size` must not be 0")
          .with_help("write `group_size: 128`, or -1 for one scale per channel");
      return false;
    }
    if (grouped && size <= 0) {
      conflict("strategy",
               fmt::format("the strategy `{}` requires a `group_size` above 0", to_string(numbers_.strategy)))
          .with_help("write `group_size: 128`")
          .with_fix(given("group_size") == nullptr && !key_of("strategy").empty()
                        ? diag::Fix::unsafe().add_entry(key_of("strategy"), "group_size: 128")
                        : diag::Fix());
      return false;
    }
    if (!grouped && size > 0) {
      conflict("group_size",
               fmt::format("`group_size` requires the strategy `group`, not `{}`", to_string(numbers_.strategy)))
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
      conflict("strategy", "scales per token must be dynamic")
          .with_help("write `dynamic: true`")
          .with_fix(absent ? diag::Fix::unsafe().add_entry(key_of("strategy"), "dynamic: true")
                           : diag::Fix::unsafe().replace(place("dynamic"), "true"));
    } else if (local && strategy != Strategy::tensor_group) {
      conflict("dynamic", "`dynamic: local` requires the strategy `tensor_group`").with_help("write `dynamic: true`");
    } else if (numbers_.dynamic != Dynamic::no &&
               (strategy == Strategy::channel || strategy == Strategy::block || strategy == Strategy::attn_head)) {
      conflict("dynamic", fmt::format("scales per {} can't be dynamic", to_string(strategy)))
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
    const Value* blocks = given("block_structure");
    if (blocks != nullptr && !is_pair(*blocks)) {
      conflict("block_structure",
               fmt::format("`block_structure` must be two integers above 0, got {}", source::describe(*blocks)))
          .with_help("write `[128, 128]`");
    } else if (blocks == nullptr && numbers_.strategy == Strategy::block) {
      conflict("strategy", "the strategy `block` requires a `block_structure`")
          .with_help("write `block_structure: [128, 128]`")
          .with_fix(diag::Fix::unsafe().add_entry(key_of("strategy"), "block_structure: [128, 128]"));
    } else if (blocks != nullptr && numbers_.strategy != Strategy::block) {
      conflict("block_structure",
               fmt::format("`block_structure` requires the strategy `block`, not `{}`", to_string(numbers_.strategy)))
          .with_help("write `strategy: block`, or delete `block_structure`");
    }
  }

  // Returns the activation order; true is `group`, and no order is an empty string.
  std::string order() const {
    const Value* value = given("actorder");
    if (value == nullptr) return {};
    if (const auto* text = value->get<std::string>()) return base::to_lower(*text);
    return as_boolean(*value).value_or(false) ? "group" : "";
  }

  void check_order() {
    const std::string order_name = order();
    const bool by_group = order_name == "group" || order_name == "dynamic";
    const bool grouped = numbers_.strategy == Strategy::group || numbers_.strategy == Strategy::tensor_group;
    if (!order_name.empty() && use_ != Use::weights) {
      conflict("actorder",
               fmt::format("`actorder` applies only to weights, not to `{}`", kUses[static_cast<int>(use_)]))
          .with_help("delete it")
          .with_fix(diag::Fix::safe().remove(key_of("actorder")));
    } else if (by_group && !grouped) {
      conflict("actorder", "`actorder: group` requires the strategy `group` or `tensor_group`")
          .with_help("write `actorder: weight`");
    }
  }

  void check_bits() {
    const std::int64_t bits = numbers_.bits;
    const Span span = given("num_bits") == nullptr ? place("type") : place("num_bits");
    if (numbers_.is_float && given("zp_dtype") == nullptr && bits != 8 && bits != 4) {
      reading_.sink.report(diag::bits_senseless, span, fmt::format("{}", bits), "but floats have 8 or 4 bits")
          .with_help("write 8");
    } else if (!numbers_.is_float && (bits < 2 || bits > 8)) {
      reading_.sink.report(diag::bits_senseless, span, fmt::format("{}", bits), "but only 2 to 8 bits are supported")
          .with_severity(diag::Severity::warning)
          .with_help("write 4 or 8; to keep 16-bit inputs, omit `input_activations`");
    }
  }

  void check_use() {
    const Strategy strategy = numbers_.strategy;
    const bool by_area = strategy == Strategy::channel || strategy == Strategy::block;
    const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
    if (use_ == Use::cache && (by_area || grouped)) {
      reading_.sink.report(diag::kv_scheme_strategy, place("strategy"), to_string(strategy))
          .with_help("write `strategy: tensor`")
          .with_fix(diag::Fix::unsafe().content(place("strategy"), "tensor"));
    } else if ((use_ == Use::inputs && by_area) || (use_ == Use::outputs && (by_area || grouped))) {
      reading_.sink
          .report(diag::activation_strategy, place("strategy"), kUses[static_cast<int>(use_)], to_string(strategy), "")
          .with_help("write `strategy: token` and `dynamic: true`, or `strategy: tensor`");
    } else if (use_ == Use::weights && strategy == Strategy::attn_head) {
      reading_.sink
          .report(diag::activation_strategy, place("strategy"), "weights", "attn_head", ": weights have no heads")
          .with_help("write `strategy: channel` or `strategy: group`")
          .with_fix(diag::Fix::unsafe().content(place("strategy"), "channel"));
    }
  }

  const Reading& reading_;
  const Value& arguments_;
  Use use_;
  Numbers numbers_;
};

void check_part(const Reading& reading, const Value& scheme, Use use) {
  const Value* part = scheme.find(kUses[static_cast<int>(use)]);
  if (part != nullptr && part->get<source::Map>() != nullptr) {
    NumbersCheck(reading, *part, use).run();
  }
}

void check_groups(const Reading& reading, const Modifier& modifier) {
  const Value* groups = modifier.given("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    for (const Use use : {Use::weights, Use::inputs, Use::outputs}) {
      check_part(reading, (*map)[at].second, use);
    }
  }
}

}  // namespace

void check_numbers(const Reading& reading, const Modifier& modifier) {
  check_groups(reading, modifier);
  const Value* cache = modifier.given("kv_cache_scheme");
  if (cache != nullptr && cache->get<source::Map>() != nullptr) {
    NumbersCheck(reading, *cache, Use::cache).run();
  }
  check_observers(reading, modifier);
}

}  // namespace sparsecfg::dialect::llmcompressor
