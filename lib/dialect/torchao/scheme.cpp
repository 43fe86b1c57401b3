#include <algorithm>

#include "base/text.h"
#include "dialect/quantizers/selection.h"
#include "dialect/torchao/classes.h"
#include "dialect/torchao/config.h"
#include "dialect/torchao/serialized.h"

// The schemes that configurations store.
namespace sparsecfg::dialect::torchao {

using source::Value;

namespace {

// Sets the granularity of weights or inputs.
void set_granularity(const Value* granularity, bool inputs, ir::TensorFormat& out) {
  if (granularity == nullptr) return;
  const std::string* type = type_of(*granularity);
  const Value* data = data_of(*granularity);
  if (type == nullptr || data == nullptr) return;
  out.group_size = 0;
  out.granularity = *type == "PerTensor" ? ir::Granularity::tensor
                    : inputs             ? ir::Granularity::token
                                         : ir::Granularity::channel;
  if (reduces_rows(*granularity)) out.granularity = std::nullopt;
  if (*type == "PerGroup") {
    out.granularity = ir::Granularity::group;
    out.group_size = number_in(data->find("group_size"), 128);
  }
  const Value* sides = data->find("block_size");
  const auto* list = sides == nullptr ? nullptr : sides->get<source::List>();
  if (*type == "PerBlock" && list != nullptr && list->size() == 2) {
    out.granularity = ir::Granularity::block;
    out.block = {number_in(list->data(), 0), number_in(list->data() + 1, 0)};
  }
}

void set_bits(const std::string& type, ir::TensorFormat& out) {
  const std::string_view digits = type.starts_with("uint")  ? std::string_view(type).substr(4)
                                  : type.starts_with("int") ? std::string_view(type).substr(3)
                                                            : std::string_view();
  if (digits.size() == 1 && base::is_digit(digits[0])) out.bits = digits[0] - '0';
  if (type.starts_with("float4")) out.bits = 4;
  if (type.starts_with("float8_e5m2")) out.float_kind = ir::FloatKind::e5m2;
}

// Sets the types of scales of microscaling formats.
void set_scales(const Config& config, ir::TensorFormat& out) {
  if (config.spec->name.starts_with("MX")) out.scale_type = "e8m0";
  if (!config.spec->name.starts_with("NVFP4")) return;
  out.scale_type = "e4m3";
  out.tensor_scale = true;
}

ir::TensorFormat weights_of(const Config& config, const ClassTraits& kind) {
  ir::TensorFormat out{.type = kind.type,
                       .bits = kind.bits,
                       .symmetric = kind.symmetric,
                       .granularity = kind.group > 0 ? ir::Granularity::group : ir::Granularity::channel,
                       .group_size = kind.group};
  if (is_by_tensor(config)) out.granularity = ir::Granularity::tensor;
  set_bits(type_in(config.data, "weight_dtype"), out);
  if (const Value* bits = config.data.find("bit_width")) out.bits = number_in(bits, out.bits);
  for (const std::string_view field : {"granularity", "weight_granularity"})
    set_granularity(last_of(config.data.find(field)), false, out);
  const Value* group = config.data.given("group_size");
  if (group != nullptr) out.group_size = number_in(group, out.group_size);
  if (const Value* block = config.data.find("block_size")) out.group_size = number_in(block, out.group_size);
  for (const std::string_view field : {"mapping_type", "weight_mapping_type"}) {
    if (word_in(config.data, field) == "asymmetric") out.symmetric = false;
  }
  set_scales(config, out);
  return out;
}

// Inputs are asymmetric in one class unless its field states otherwise.
bool has_asymmetric_inputs(const Config& config) {
  const std::string mapping = word_in(config.data, "act_mapping_type");
  return mapping == "asymmetric" || (mapping.empty() && config.spec->name == "Int8DynamicActivationIntxWeightConfig");
}

ir::TensorFormat inputs_of(const Config& config, const ClassTraits& kind, const ir::TensorFormat& weights) {
  ir::TensorFormat out{.type = kind.type,
                       .bits = kind.input_bits,
                       .granularity = is_by_tensor(config) ? ir::Granularity::tensor : ir::Granularity::token,
                       .scales = ir::ScaleTime::dynamic};
  if (config.spec->name.starts_with("Float8")) out.type = ir::NumberType::floating;
  set_granularity(first_of(config.data.find("granularity")), true, out);
  set_bits(type_in(config.data, "activation_dtype"), out);
  set_scales(config, out);
  if (!out.scale_type.empty()) {
    out.granularity = ir::Granularity::group;
    out.group_size = weights.group_size;
  }
  if (has_asymmetric_inputs(config)) out.symmetric = false;
  return out;
}

}  // namespace

ir::Scheme scheme_of(const Config& config) {
  ir::Scheme out;
  const ClassTraits* kind = config.spec == nullptr ? nullptr : traits_of(config.spec->name);
  if (kind == nullptr) {
    out.weights.push_back({.symmetric = std::nullopt, .granularity = std::nullopt});
    return out;
  }
  out.weights.push_back(weights_of(config, *kind));
  if (kind->input_bits > 0) out.inputs.push_back(inputs_of(config, *kind, out.weights.front()));
  const std::string packing = word_in(config.data, "int4_packing_format");
  if (!packing.empty() && packing != "plain") out.storage = packing;
  return out;
}

// Returns the settings that decide the values of weights and inputs in addition to the scheme.
static std::vector<ir::MethodSetting> settings_of(const Config& config) {
  static constexpr std::string_view kSettings[] = {
      "activation_value_lb", "activation_value_ub", "int4_choose_qparams_algorithm", "intx_choose_qparams_algorithm",
      "reduce_range",        "scaling_mode",        "use_dynamic_per_tensor_scale"};
  std::vector<ir::MethodSetting> out;
  for (const std::string_view name : kSettings) {
    const FieldSpec* field = config.spec == nullptr ? nullptr : config.spec->find(name);
    if (field == nullptr) continue;
    const std::string usual = base::to_lower(field->default_value);
    const std::string given = word_in(config.data, name);
    const std::string& value = given.empty() || given == "none" ? usual : given;
    out.push_back({std::string(name), value, false, value == usual});
  }
  return out;
}

ir::Assign lowered(const Configuration& config, const ir::Language& all, const ir::Language& map) {
  ir::Assign out;
  out.method = {"torchao", "torchao", {}};
  if (config.all) out.method.settings = settings_of(*config.all);
  out.selection.language = config.is_map ? &map : &all;
  if (config.all) out.selection.otherwise = quantizers::add_scheme(out.schemes, scheme_of(*config.all));
  out.selection.unknown = config.all && config.all->unknown;
  for (const MapEntry& entry : config.entries) {
    ir::Rule rule{entry.key, entry.span, ir::Rule::Kind::excludes, 0, entry.config && entry.config->unknown};
    if (entry.config) {
      rule.kind = ir::Rule::Kind::assigns;
      rule.scheme = quantizers::add_scheme(out.schemes, scheme_of(*entry.config));
    }
    out.selection.rules.push_back(std::move(rule));
  }
  return out;
}

}  // namespace sparsecfg::dialect::torchao
