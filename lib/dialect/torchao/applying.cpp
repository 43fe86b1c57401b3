#include "dialect/torchao/applying.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/torchao/classes.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/serialized.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

namespace {

constexpr std::string_view kTiled = "tile_packed_to_4d";

source::Span place_of(const Config& config, std::string_view field) {
  const Value* value = config.data.find(field);
  return value == nullptr ? config.span : value->span;
}

std::optional<Rejection> int4_rejection(const Config& config) {
  constexpr std::string_view kPackings[] = {"plain", "plain_int32", "preshuffled", kTiled, "opaque", "marlin_sparse"};
  const std::string packing = word_in(config.data, "int4_packing_format");
  if (!packing.empty() && !base::contains(kPackings, packing))
    return Rejection{fmt::format("the packing format `{}`", packing), place_of(config, "int4_packing_format")};
  const bool hqq = word_in(config.data, "int4_choose_qparams_algorithm") == "hqq";
  if (!hqq || packing == kTiled) return std::nullopt;
  return Rejection{"HQQ requires the packing format `tile_packed_to_4d`",
                   place_of(config, "int4_choose_qparams_algorithm"),
                   fmt::format("{} `int4_packing_format=\"{}\"`", packing.empty() ? "add" : "write", kTiled)};
}

std::optional<Rejection> mapping_rejection(const Config& config) {
  if (word_in(config.data, "act_mapping_type") != "symmetric") return std::nullopt;
  return Rejection{"inputs must be asymmetric", place_of(config, "act_mapping_type"), "delete `act_mapping_type`"};
}

}  // namespace

std::optional<Rejection> rejection_of(const Config& config) {
  if (config.unknown || (config.spec == nullptr && config.wrapper != nullptr)) return std::nullopt;
  if (config.spec == nullptr) {
    return Rejection{fmt::format("{} is not a configuration", source::describe(config.data)), config.span};
  }
  const std::string_view name = config.spec->name;
  const bool checks_version = name == "Int4WeightOnlyConfig" || name == "Float8WeightOnlyConfig";
  if (checks_version && config.version != 2)
    return Rejection{fmt::format("version {} is not 2", config.version), config.span};
  const Value* group = config.data.find("group_size");
  if (group != nullptr && (group->number() == 0 || group->number() == -1))
    return Rejection{fmt::format("the group size {}", source::python_str(*group)), config.span};
  if (name == "Int4WeightOnlyConfig") return int4_rejection(config);
  return name == "Int8DynamicActivationIntxWeightConfig" ? mapping_rejection(config) : std::nullopt;
}

std::optional<Rejection> unfit_dimensions(const Config& config, const model::Module& unit) {
  const ClassTraits* traits = config.spec == nullptr ? nullptr : traits_of(config.spec->name);
  if (traits == nullptr || !traits->only_matrices || config.unknown || !unit.shape) return std::nullopt;
  const std::size_t dimensions = unit.shape->size();
  if (dimensions == 2 || (traits->convolutions && dimensions == 4)) return std::nullopt;
  return Rejection{fmt::format("`{}` has {}", base::printable(unit.name), base::counted(dimensions, "dimension")),
                   {},
                   "end the pattern with the names of layers, such as `re:.*_proj`"};
}

std::optional<Misfitting> misfit_of(const Config& config, const model::Module& unit) {
  const ClassTraits* traits = config.spec == nullptr ? nullptr : traits_of(config.spec->name);
  if (traits == nullptr || config.unknown || !unit.shape || unit.shape->size() != 2) return std::nullopt;
  const ir::TensorFormat format = scheme_of(config).weights.front();
  const bool grouped = format.granularity == ir::Granularity::group && format.group_size > 0;
  const bool blocks = format.granularity == ir::Granularity::block;
  const auto rows = blocks ? static_cast<std::uint64_t>(format.block[0]) : traits->multiple;
  const auto columns = blocks    ? static_cast<std::uint64_t>(format.block[1])
                       : grouped ? static_cast<std::uint64_t>(format.group_size)
                                 : traits->multiple;
  for (const bool of_rows : {true, false}) {
    const std::uint64_t size = of_rows ? unit.shape->front() : unit.shape->back();
    const std::uint64_t own = traits->multiple;
    if (own > 1 && size % own != 0) return Misfitting{own, size, of_rows, traits->misfit == Misfit::stops};
    const std::uint64_t multiple = of_rows ? rows : columns;
    if (multiple > 1 && size % multiple != 0)
      return Misfitting{multiple, size, of_rows, blocks || traits->misfit == Misfit::stops};
  }
  return std::nullopt;
}

std::optional<RequiredTypes> required_types(const Config& config) {
  static constexpr std::string_view kBfloat16[] = {"bfloat16"};
  static constexpr std::string_view kHalves[] = {"bfloat16", "float16"};
  if (config.spec == nullptr || config.unknown) return std::nullopt;
  const std::string_view name = config.spec->name;
  const std::string packing = word_in(config.data, "int4_packing_format");
  const std::string format = word_in(config.data, "packing_format");
  if (name == "Float8DynamicActivationFloat8WeightConfig" && (format.empty() || format == "plain")) {
    const bool rows = scheme_of(config).weights.front().granularity == ir::Granularity::channel;
    return rows ? std::optional(RequiredTypes{kBfloat16, place_of(config, "granularity"), "`PerRow()`"}) : std::nullopt;
  }
  if (name == "Int4WeightOnlyConfig" && packing == kTiled)
    return RequiredTypes{kBfloat16, place_of(config, "int4_packing_format"), fmt::format("`{}`", kTiled)};
  if (name == "Int4WeightOnlyConfig" && packing == "plain_int32")
    return RequiredTypes{kHalves, place_of(config, "int4_packing_format"), "`plain_int32`"};
  if (name == "MXDynamicActivationMXWeightConfig")
    return RequiredTypes{kBfloat16, config.span, fmt::format("`{}`", name)};
  return std::nullopt;
}

}  // namespace sparsecfg::dialect::torchao
