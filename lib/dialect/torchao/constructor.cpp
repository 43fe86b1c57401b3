#include "dialect/torchao/constructor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/torchao/classes.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/exported.h"
#include "dialect/torchao/serialized.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA106, torchao_value_rejected, error, (Text, Text, Text), "`{0}` does not accept `{1}` as `{2}`",
           "Each class supports some granularities and types. Its constructor raises an AssertionError or a ValueError "
           "for others.",
           "write the default, or delete the field")

DIAGNOSTIC(TA107, torchao_pair_rejected, error, (Text, Text), "`{0}` does not accept this pair as `{1}`",
           "Classes with quantized inputs accept a pair: the granularity of the inputs, then that of the weights. "
           "`Float8DynamicActivationFloat8WeightConfig` requires two equal ones or the blocks of 1 x 128 and 128 x "
           "128, and `Int8DynamicActivationInt8WeightConfig` a list. Other pairs raise a ValueError.",
           "write one granularity for both")

DIAGNOSTIC(TA108, torchao_types_differ, error, (Text, Text),
           "`activation_dtype` is `{}`, but `weight_dtype` is `{}`: they must be equal",
           "The constructor of `MXDynamicActivationMXWeightConfig` raises an AssertionError if the types of inputs and "
           "weights differ.",
           "write the same type for both")

DIAGNOSTIC(TA111, torchao_rows_reduced, silent_warning, (Text),
           "`{}` gives each column of the weight its own scale, not each row",
           "`dim` is the dimension that is reduced, in contrast to `axis` of `PerAxis`, which is kept. A linear weight "
           "has the shape [outputs, inputs]: one scale for each output is `dim=-1`, which is the default. The kernels "
           "expect scales of outputs.",
           "write `PerRow()`")

namespace {

constexpr std::string_view kBlocksOfFloat8 = "[PerBlock([1, 128]), PerBlock([128, 128])]";

// Returns the bit of a granularity class; 0 for a known class without a bit. Returns nullopt for other values.
std::optional<Granularities> class_of(const Value& value) {
  constexpr std::pair<std::string_view, Granularities> kClasses[] = {{"PerTensor", granularities::tensor},
                                                                     {"PerRow", granularities::row},
                                                                     {"PerGroup", granularities::group},
                                                                     {"PerAxis", granularities::axis},
                                                                     {"PerBlock", 0},
                                                                     {"PerToken", 0}};
  const std::string* type = type_of(value);
  const auto* row = type == nullptr
                        ? std::end(kClasses)
                        : std::ranges::find(kClasses, *type, &std::pair<std::string_view, Granularities>::first);
  return row == std::end(kClasses) ? std::nullopt : std::optional(row->second);
}

// Returns the sides of a `PerBlock`; empty for other values.
std::vector<std::int64_t> sides_of(const Value& value) {
  const std::string* type = type_of(value);
  const Value* data = type == nullptr || *type != "PerBlock" ? nullptr : data_of(value);
  const Value* sides = data == nullptr ? nullptr : data->find("block_size");
  const auto* list = sides == nullptr ? nullptr : sides->get<source::List>();
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) out.push_back(number_in(&(*list)[at], 0));
  return out;
}

// Returns a granularity as Python: "PerGroup(128)".
std::string shown(const Value& value) {
  std::vector<std::string> arguments;
  const Value* data = data_of(value);
  const auto* map = data == nullptr ? nullptr : data->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    arguments.push_back(source::python_str((*map)[at].second));
  }
  return fmt::format("{}({})", *type_of(value), fmt::join(arguments, ", "));
}

// Checks the values of one configuration.
class ValueCheck {
 public:
  ValueCheck(const Context& context, const Config& config, const ClassTraits& traits)
      : context_(context), config_(config), traits_(traits) {}

  bool run() {
    const bool intx = (traits_.granularities & granularities::axis) != 0;
    const bool by_weight = config_.spec->find("weight_granularity") != nullptr;
    const bool fits = check_granularity(by_weight ? "weight_granularity" : "granularity");
    report_columns(by_weight ? "weight_granularity" : "granularity");
    return fits && (!intx || check_integer()) && (!traits_.name.starts_with("MX") || check_types());
  }

 private:
  [[nodiscard]] std::string code(std::string_view text) const { return code_for(context_.file, text).shown(); }

  // Reports a value, with code that replaces it in a script.
  bool reject(const Value& value, const std::string& text, std::string_view field, const std::string& help) {
    auto& report = context_.sink.report(diag::torchao_value_rejected, value.span, config_.spec->name, text, field);
    if (!context_.file.text(value.span).starts_with('{')) report.with_help(help);
    return false;
  }

  bool check_granularity(std::string_view field) {
    const Value* value = traits_.granularities == 0 ? nullptr : config_.data.given(field);
    if (value == nullptr || context_.is_unknown(*value)) return true;
    if (const auto* list = value->get<source::List>()) return check_pair(*value, *list, field);
    const auto known = class_of(*value);
    const bool block = !sides_of(*value).empty() && traits_.pairs == Pairs::equal;  // reported with its own advice
    if (!known || block || accepts(*value, *known)) return true;
    return reject(*value, shown(*value), field, help_for(*value));
  }

  // Reports a granularity of weights with scales for their columns.
  void report_columns(std::string_view field) const {
    const Value* value = traits_.granularities == 0 ? nullptr : last_of(config_.data.given(field));
    if (value == nullptr || context_.is_unknown(*value) || !reduces_rows(*value)) return;
    const std::string dim = source::python_str(*data_of(*value)->find("dim"));
    auto& report = context_.sink.report(diag::torchao_rows_reduced, value->span, fmt::format("PerRow(dim={})", dim));
    if (context_.file.text(value->span).starts_with('{')) report.with_help("write `\"_data\": {\"dim\": -1}`");
  }

  // Returns true if the class accepts a granularity. The only axis is that of rows.
  [[nodiscard]] bool accepts(const Value& value, Granularities known) const {
    const Value* axis = known == granularities::axis ? data_of(value)->find("axis") : nullptr;
    return (traits_.granularities & known) != 0 && (axis == nullptr || axis->number().value_or(0) == 0);
  }

  [[nodiscard]] std::string help_for(const Value& value) const {
    if ((traits_.granularities & granularities::axis) != 0) {
      return fmt::format("for one scale for each row, write {}", code("PerAxis(0)"));
    }
    const std::string* type = type_of(value);
    const std::string rows = fmt::format("write {}", code("PerRow()"));
    if (traits_.pairs != Pairs::any || *type != "PerGroup") return rows;
    return fmt::format("{}, or for groups {}", rows,
                       code(fmt::format("Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, "
                                        "weight_granularity={})",
                                        shown(value))));
  }

  bool check_pair(const Value& value, const source::List& list, std::string_view field) {
    std::vector<Granularities> known;
    for (const Value& each : list) {
      const auto granularity = class_of(each);
      if (!granularity) return true;
      known.push_back(*granularity);
    }
    if (list.size() == 2 &&
        (traits_.pairs == Pairs::any ? check_list(value, list, known, field) : is_equal(list, known)))
      return true;
    if (list.size() == 2 && traits_.pairs == Pairs::any) return false;
    auto& report = context_.sink.report(diag::torchao_pair_rejected, value.span, config_.spec->name, field);
    const bool blocks = std::ranges::any_of(list, [](const Value& each) { return !sides_of(each).empty(); });
    const bool rows = std::ranges::find(known, granularities::row) != known.end();
    if (context_.file.text(value.span).find('{') != std::string_view::npos) return false;
    const bool intx = traits_.granularities == (granularities::group | granularities::axis);
    report.with_help(fmt::format("write {}{}", intx ? "one granularity, such as " : "",
                                 code(intx                                      ? "PerAxis(0)"
                                      : blocks && traits_.pairs == Pairs::equal ? kBlocksOfFloat8
                                      : rows                                    ? "PerRow()"
                                                                                : "PerTensor()")));
    return false;
  }

  // Returns true for a pair that the float8 product supports.
  [[nodiscard]] bool is_equal(const source::List& list, const std::vector<Granularities>& known) const {
    if (traits_.pairs != Pairs::equal) return false;
    const bool blocks = sides_of(list[0]) == std::vector<std::int64_t>{1, 128} &&
                        sides_of(list[1]) == std::vector<std::int64_t>{128, 128};
    return blocks || (known[0] == known[1] && (known[0] & traits_.granularities) != 0);
  }

  // Checks a pair that may have different granularities. It reports its mistakes.
  bool check_list(const Value& value, const source::List& list, const std::vector<Granularities>& known,
                  std::string_view field) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (!accepts(list[at], known[at])) return reject(list[at], shown(list[at]), field, help_for(list[at]));
    }
    const std::string_view text = context_.file.text(value.span);
    const bool tuple = text.starts_with('(') && base::trim(text.substr(1)).find('[') != 0;
    if (!tuple) return true;
    context_.sink.report(diag::torchao_pair_rejected, value.span, config_.spec->name, field)
        .with_help(fmt::format("write a list: `{}=[{}, {}]`", field, shown(list[0]), shown(list[1])))
        .with_fix(diag::Fix::unsafe()
                      .replace({value.span.begin, value.span.begin + 1}, "[")
                      .replace({value.span.end - 1, value.span.end}, "]"));
    return false;
  }

  // The weights of some classes have 1 to 8 signed bits.
  bool check_integer() {
    const std::string type = type_in(config_.data, "weight_dtype");
    const Value* value = config_.data.find("weight_dtype");
    const bool fits = type.size() == 4 && type.starts_with("int");
    if (type.empty() || fits || context_.is_unknown(*value)) return true;
    const bool is_unsigned = type.starts_with("uint") && type.size() == 5;
    const std::string_view mapping =
        config_.spec->find("mapping_type") != nullptr ? "mapping_type" : "weight_mapping_type";
    return reject(*value, "torch." + type, "weight_dtype",
                  is_unsigned ? fmt::format("write `torch.{}` and {}", type.substr(1),
                                            code(fmt::format("{}=MappingType.ASYMMETRIC", mapping)))
                              : std::string("write `torch.int8`, or another of `torch.int1` to `torch.int8`"));
  }

  bool check_types() {
    constexpr std::string_view kUsual = "float8_e4m3fn";
    const Value* own = config_.data.find("weight_dtype");
    const Value* other = config_.data.find("activation_dtype");
    std::string weights = type_in(config_.data, "weight_dtype");
    std::string inputs = type_in(config_.data, "activation_dtype");
    if ((own != nullptr && weights.empty()) || (other != nullptr && inputs.empty())) return true;
    if (own == nullptr) weights = kUsual;
    if (other == nullptr) inputs = kUsual;
    if (weights == inputs) return true;
    const Value* place = own != nullptr ? own : other;
    auto& report = context_.sink.report(diag::torchao_types_differ, place->span, "torch." + inputs, "torch." + weights);
    const bool script = !context_.file.text(place->span).starts_with('{');
    const std::string missing = own != nullptr ? fmt::format("activation_dtype=torch.{}", weights)
                                               : fmt::format("weight_dtype=torch.{}", inputs);
    if (script) report.with_help(fmt::format("write `{}`", missing));
    return false;
  }

  const Context& context_;
  const Config& config_;
  const ClassTraits& traits_;
};

}  // namespace

bool check_values(const Context& context, const Config& config) {
  const ClassTraits* traits = config.spec == nullptr ? nullptr : traits_of(config.spec->name);
  return traits == nullptr || ValueCheck(context, config, *traits).run();
}

}  // namespace sparsecfg::dialect::torchao
