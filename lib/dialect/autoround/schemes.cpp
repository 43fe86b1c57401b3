#include "dialect/autoround/schemes.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace sparsecfg::dialect::autoround {

namespace {

struct PresetRow {
  std::string_view name;
  std::int64_t bits;
  std::int64_t group;
  std::string_view type;
  std::int64_t act_bits = 16;
  std::int64_t act_group = 0;
  std::string_view act_type{};  // empty: as the weights
  bool act_dynamic = true;
  std::int64_t block = 0;  // side of a square block of weights
};

constexpr PresetRow kPresets[] = {
    {"W2A16", 2, 128, "int"},
    {"W3A16", 3, 128, "int"},
    {"W4A16", 4, 128, "int"},
    {"W5A16", 5, 128, "int"},
    {"W6A16", 6, 128, "int"},
    {"W8A16", 8, 128, "int"},
    {"W2A16G64", 2, 64, "int"},
    {"W2A16G32", 2, 32, "int"},
    {"W4A16_MIXED", 4, 128, "int"},
    {"INT8", 8, -1, "int", 8, -1},
    {"INT8_W8A8", 8, -1, "int", 8, -1},
    {"INT4", 4, -1, "int", 4, -1},
    {"MXINT4", 4, 32, "mx_int", 4, 32},
    {"MXFP4", 4, 32, "mx_fp", 4, 32},
    {"MXFP6", 6, 32, "mx_fp", 6, 32},
    {"MXFP8", 8, 32, "mx_fp", 8, 32},
    {"MXFP4_RCEIL", 4, 32, "mx_fp", 4, 32, "mx_fp_rceil"},
    {"MXFP8_RCEIL", 8, 32, "mx_fp", 8, 32, "mx_fp_rceil"},
    {"NVFP4", 4, 16, "nv_fp", 4, 16, "nv_fp4_with_static_gs"},
    {"NVFP4_E5M3", 4, 16, "nvfp4_v2", 4, 16, "nvfp4_v2"},
    {"FPW8A16", 8, 0, "fp"},
    {"FP8_STATIC", 8, -1, "fp", 8, 0, "fp", false},
    {"FP8_BLOCK", 8, 128, "fp", 8, 128, "fp", true, 128},
    {"BF16", 16, 128, "fp"},
};

constexpr std::string_view kNames[] = {
    "W2A16", "W3A16",      "W4A16",   "W5A16",      "W6A16",     "W8A16", "W2A16G64",   "W2A16G32",    "W4A16_MIXED",
    "INT8",  "INT8_W8A8",  "INT4",    "MXINT4",     "MXFP4",     "MXFP6", "MXFP8",      "MXFP4_RCEIL", "MXFP8_RCEIL",
    "NVFP4", "NVFP4_E5M3", "FPW8A16", "FP8_STATIC", "FP8_BLOCK", "BF16",  "GGUF:Q4_K_M"};

// A type of GGUF.
struct GgufRow {
  std::string_view name;
  std::int64_t bits;
  std::int64_t group;
  std::string_view type;
  bool symmetric;
};

constexpr std::string_view kDoubled = "int_asym_dq";  // with scales of scales
constexpr std::string_view kDoubledSymmetric = "int_sym_dq";

constexpr GgufRow kGguf[] = {
    {"gguf:q4_0", 4, 32, "int", true},
    {"gguf:q4_1", 4, 32, "int_asym_float_zp", false},
    {"gguf:q5_0", 5, 32, "int", true},
    {"gguf:q5_1", 5, 32, "int_asym_float_zp", false},
    {"gguf:q8_0", 8, 32, "int", true},
    {"gguf:q2_k_s", 2, 16, kDoubled, false},
    {"gguf:q2_k_mixed", 2, 16, kDoubled, false},
    {"gguf:q3_k", 3, 16, kDoubledSymmetric, true},
    {"gguf:q3_k_s", 3, 16, kDoubledSymmetric, true},
    {"gguf:q3_k_m", 3, 16, kDoubledSymmetric, true},
    {"gguf:q3_k_l", 3, 16, kDoubledSymmetric, true},
    {"gguf:q4_k", 4, 32, kDoubled, false},
    {"gguf:q4_k_s", 4, 32, kDoubled, false},
    {"gguf:q4_k_m", 4, 32, kDoubled, false},
    {"gguf:q5_k", 5, 32, kDoubled, false},
    {"gguf:q5_k_s", 5, 32, kDoubled, false},
    {"gguf:q5_k_m", 5, 32, kDoubled, false},
    {"gguf:q6_k", 6, 16, kDoubledSymmetric, true},
    {"gguf:bf16", 16, 0, kDoubledSymmetric, true},
    {"gguf:fp16", 16, 0, kDoubledSymmetric, true},
};

constexpr auto kGgufNames = [] {
  std::array<std::string_view, std::size(kGguf)> out{};
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = kGguf[at].name;
  return out;
}();

constexpr std::string_view kUsualGguf[] = {"gguf:q2_k_s", "gguf:q3_k_m", "gguf:q4_k_m",
                                           "gguf:q5_k_m", "gguf:q6_k",   "gguf:q8_0"};

Fields fields_of_gguf(const GgufRow& row) {
  Fields out;
  out.bits = row.bits;
  out.group_size = Group{row.group, {}};
  out.sym = row.symmetric;
  out.data_type = std::string(row.type);
  out.act_bits = 16;
  return out;
}

Fields fields_of_preset(const PresetRow& row) {
  Fields out;
  out.bits = row.bits;
  out.group_size = Group{row.group, {row.block, row.block}};
  if (row.bits < 16) out.sym = true;
  out.data_type = std::string(row.type);
  out.act_bits = row.act_bits;
  if (row.act_bits >= 16) return out;
  out.act_group_size = Group{row.act_group, {}};
  out.act_sym = true;
  out.act_data_type = std::string(row.act_type.empty() ? row.type : row.act_type);
  out.act_dynamic = row.act_dynamic;
  return out;
}

std::optional<std::int64_t> integer(const source::Value* value) {
  const auto number = value == nullptr ? std::nullopt : value->number();
  if (number) return static_cast<std::int64_t>(*number);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  const bool digits =
      text != nullptr && !text->empty() && text->size() < 6 && std::ranges::all_of(*text, base::is_digit);
  return digits ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

std::optional<Group> group(const source::Value* value) {
  const auto* list = value == nullptr ? nullptr : value->get<source::List>();
  if (list == nullptr) {
    const auto number = integer(value);
    return number ? std::optional(Group{*number, {}}) : std::nullopt;
  }
  if (list->size() != 2) return std::nullopt;
  const std::int64_t rows = integer(list->data()).value_or(0);
  const std::int64_t columns = integer(list->data() + 1).value_or(0);
  return Group{columns, {rows, columns}};
}

std::optional<bool> truth(const source::Value* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (const auto number = value->number()) return *number != 0;
  const auto* text = value->get<std::string>();
  return text == nullptr || !text->empty();
}

std::optional<std::string> text(const source::Value* value) {
  const auto* own = value == nullptr ? nullptr : value->get<std::string>();
  return own == nullptr ? std::nullopt : std::optional(*own);
}

template <class T>
void replace(std::optional<T>& start, const std::optional<T>& change) {
  if (change) start = change;
}

// Returns the kind of numbers of a type such as `mx_fp`.
ir::NumberType number_type(std::string_view type) {
  const bool floating = type.starts_with("fp") || type.starts_with("mx_fp") || type.starts_with("mxfp") ||
                        type.starts_with("nv_fp") || type.starts_with("nvfp");
  return floating ? ir::NumberType::floating : ir::NumberType::integer;
}

ir::TensorFormat format_of(std::int64_t bits, std::string_view type, const Group& group, bool symmetric) {
  ir::TensorFormat out;
  out.type = number_type(type);
  out.bits = bits;
  out.symmetric = symmetric;
  out.group_size = std::max<std::int64_t>(group.size, 0);
  out.block = group.block;
  out.granularity = group.block[0] > 0 ? ir::Granularity::block
                    : group.size > 0   ? ir::Granularity::group
                    : group.size == 0  ? ir::Granularity::tensor
                                       : ir::Granularity::channel;
  if (type.starts_with("mx")) out.scale_type = "e8m0";
  if (type.starts_with("nv")) out.scale_type = "e4m3";
  out.tensor_scale = type.starts_with("nv");
  return out;
}

}  // namespace

std::span<const std::string_view> preset_names() { return kNames; }

std::span<const std::string_view> gguf_names() { return kGgufNames; }

std::string_view gguf_name_for(std::int64_t bits) {
  const auto* found =
      std::ranges::find_if(kUsualGguf, [&](std::string_view name) { return preset(name)->bits == bits; });
  return found == std::end(kUsualGguf) ? std::string_view() : *found;
}

bool is_gguf(std::string_view name) { return base::to_lower(name).starts_with("gguf:"); }

std::optional<Fields> preset(std::string_view name) {
  const std::string upper = base::to_upper(name);
  const auto* row = std::ranges::find(kPresets, upper, &PresetRow::name);
  if (row != std::end(kPresets)) return fields_of_preset(*row);
  const auto* gguf = std::ranges::find(kGguf, base::to_lower(name), &GgufRow::name);
  return gguf == std::end(kGguf) ? std::nullopt : std::optional(fields_of_gguf(*gguf));
}

Fields merged(Fields start, const Fields& changes) {
  replace(start.bits, changes.bits);
  replace(start.group_size, changes.group_size);
  replace(start.sym, changes.sym);
  replace(start.data_type, changes.data_type);
  replace(start.act_bits, changes.act_bits);
  replace(start.act_group_size, changes.act_group_size);
  replace(start.act_sym, changes.act_sym);
  replace(start.act_data_type, changes.act_data_type);
  replace(start.act_dynamic, changes.act_dynamic);
  return start;
}

void use_digits(std::optional<std::string>& type, std::optional<std::int64_t>& bits, bool replaces) {
  const bool ends = type && !type->empty() && type->back() >= '1' && type->back() <= '8';
  if (!ends || std::ranges::any_of(type->begin(), type->end() - 1, base::is_digit)) return;
  if (replaces || !bits) bits = type->back() - '0';
  if (replaces) type->pop_back();
}

Fields fields_of(const source::Value& mapping) {
  Fields out;
  out.bits = integer(mapping.given("bits"));
  out.group_size = group(mapping.given("group_size"));
  out.sym = truth(mapping.given("sym"));
  out.data_type = text(mapping.given("data_type"));
  out.act_bits = integer(mapping.given("act_bits"));
  out.act_group_size = group(mapping.given("act_group_size"));
  out.act_sym = truth(mapping.given("act_sym"));
  out.act_data_type = text(mapping.given("act_data_type"));
  out.act_dynamic = truth(mapping.given("act_dynamic"));
  return out;
}

ir::Scheme scheme_of(const Fields& fields, std::int64_t most) {
  ir::Scheme out;
  if (fields.is_plain(most)) return out;
  const std::string type = fields.data_type.value_or("int");
  const Group weights = fields.group_size.value_or(Group{128, {}});
  if (fields.bits.value_or(16) <= most)
    out.weights.push_back(format_of(*fields.bits, type, weights, fields.sym.value_or(true)));
  if (fields.act_bits.value_or(16) > 8) return out;
  const Group inputs = fields.act_group_size.value_or(Group{weights.size, {}});
  ir::TensorFormat format =
      format_of(*fields.act_bits, fields.act_data_type.value_or(type), inputs, fields.act_sym.value_or(true));
  if (format.granularity == ir::Granularity::channel) format.granularity = ir::Granularity::token;
  const bool fixed = fields.act_data_type && fields.act_data_type->ends_with("_with_static_gs");
  if (fields.act_dynamic.value_or(true)) format.scales = fixed ? ir::ScaleTime::local : ir::ScaleTime::dynamic;
  out.inputs.push_back(format);
  return out;
}

Fields plain_fields() {
  Fields out;
  out.bits = 16;
  out.act_bits = 16;
  out.data_type = "float";
  out.act_data_type = "float";
  return out;
}

}  // namespace sparsecfg::dialect::autoround
