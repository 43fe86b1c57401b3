#include "dialect/autoround/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::autoround {

namespace {

constexpr std::int64_t kGptqBits[] = {2, 3, 4, 8, 16};
constexpr std::int64_t kAwqBits[] = {4};
constexpr std::int64_t kMlxBits[] = {2, 3, 4, 5, 6, 8, 16};
constexpr std::int64_t kCompressorBits[] = {2, 3, 4, 8};
constexpr std::int64_t kEight[] = {8};

constexpr Format kGptq{"auto_gptq", kGptqBits, WeightKind::integers, Inputs::plain};
constexpr Format kAwq{"auto_awq", kAwqBits, WeightKind::integers, Inputs::plain};

constexpr Format kFormats[] = {
    {.name = kUsualFormat, .model_free = true},
    kGptq,
    {"auto_round:auto_gptq", kGptqBits, WeightKind::integers, Inputs::plain, true},
    {"auto_round:gptqmodel", kGptqBits, WeightKind::integers, Inputs::plain},
    kAwq,
    {"auto_round:auto_awq", kAwqBits, WeightKind::integers, Inputs::plain},
    {"llm_compressor", kCompressorBits, WeightKind::any, Inputs::channel, true},
    {"auto_round:llm_compressor", kCompressorBits, WeightKind::any, Inputs::channel, true},
    {"mlx", kMlxBits, WeightKind::integers, Inputs::rejects, false, "0.13"},
    {"auto_round:mlx", kMlxBits, WeightKind::integers, Inputs::rejects, false, "0.13"},
    {"fp8", kEight, WeightKind::blocks, Inputs::any, false, "0.12"},
    {"auto_round:fp8", kEight, WeightKind::blocks, Inputs::any, false, "0.12"},
    {.name{"svdquant_nunchaku"}, .since = "0.14"},
    {.name{"fake"}, .model_free = true},
};

constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"gptq", "auto_gptq"},
    {"autogptq", "auto_gptq"},
    {"auto-gptq", "auto_gptq"},
    {"gptqmodel", "auto_round:gptqmodel"},
    {"awq", "auto_awq"},
    {"autoawq", "auto_awq"},
    {"auto-awq", "auto_awq"},
    {"autoround", "auto_round"},
    {"auto-round", "auto_round"},
    {"compressed-tensors", "llm_compressor"},
    {"compressed_tensors", "llm_compressor"},
    {"llmcompressor", "llm_compressor"},
    {"llm-compressor", "llm_compressor"},
    {"vllm", "llm_compressor"},
    {"gguf", "gguf:q4_k_m"},
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view type_of(const std::optional<std::string>& type) { return type ? std::string_view(*type) : "int"; }

bool is_integer(std::string_view type) { return has(type, "int"); }

// Returns true for floats without shared exponents.
bool is_plain_float(std::string_view type) { return has(type, "fp") && !has(type, "mx_fp") && !has(type, "nv_fp"); }

std::string number(std::string_view type, std::int64_t bits) {
  return fmt::format("{}{}", is_integer(type) ? "int" : "float", bits);
}

}  // namespace

std::string numbers_of(const Fields& fields) {
  std::string out = number(type_of(fields.data_type), fields.bits.value_or(16)) + " weights";
  const std::int64_t inputs = fields.act_bits.value_or(16);
  if (inputs <= kMostBits) {
    const auto& type = fields.act_data_type ? fields.act_data_type : fields.data_type;
    out += fmt::format(" with {} inputs", number(type_of(type), inputs));
  }
  return out;
}

namespace {

Storage stops(const Fields& fields) { return {Storage::Kind::stops, numbers_of(fields)}; }

bool is_block(const Fields& fields) { return fields.group_size && fields.group_size->block[0] > 0; }

bool has_inputs(const Fields& fields) { return fields.act_bits.value_or(16) <= kMostBits; }

bool has_float8_inputs(const Fields& fields) {
  return fields.act_bits == 8 && type_of(fields.act_data_type).starts_with("fp");
}

// Inputs in compressed-tensors: floats of MX and NV, static ones, blocks of 8-bit floats, or int8 per channel.
Storage stored_by_channel(const Fields& fields) {
  const std::string_view type = type_of(fields.act_data_type);
  const bool dynamic = fields.act_dynamic.value_or(true);
  const bool shared = has(type, "mx_fp") || (has(type, "nv_fp") && has(type, "static_gs")) || type == "nvfp4_v2";
  const bool blocks = has_float8_inputs(fields) && is_block(fields);
  if (shared || blocks || (is_plain_float(type) && !dynamic)) return {};
  const std::int64_t group = fields.group_size.value_or(Group()).size;
  const bool channel = fields.bits == 8 && fields.act_bits == 8 && fields.sym.value_or(true) && dynamic;
  if (channel && group == -1) return {};
  Storage out = stops(fields);
  if (channel && group > 0) {
    out.lacks = fmt::format("{} weights in groups of {} with quantized inputs",
                            number(type_of(fields.data_type), *fields.bits), group);
  }
  return out;
}

Storage storage_of_inputs(const Format& format, const Fields& fields) {
  if (!has_inputs(fields)) return {};
  switch (format.inputs) {
    case Inputs::any: return {};
    case Inputs::rejects: return stops(fields);
    case Inputs::channel: return stored_by_channel(fields);
    case Inputs::plain:
      if (has_float8_inputs(fields)) return stops(fields);
      if (is_plain_float(type_of(fields.act_data_type)) && !fields.act_dynamic.value_or(true)) return {};
      return {Storage::Kind::plain, numbers_of(fields)};
  }
  return {};
}

Storage storage_in(const Format& format, const Fields& fields) {
  const std::string_view type = type_of(fields.data_type);
  const bool integer = is_integer(type);
  const std::int64_t bits = fields.bits.value_or(16);
  const bool lacks_bits = !format.bits.empty() && std::ranges::find(format.bits, bits) == format.bits.end();
  const bool lacks_type = (format.weights == WeightKind::integers && !integer) ||
                          (format.weights == WeightKind::blocks && (integer || !is_block(fields)));
  const bool short_float = format.inputs == Inputs::channel && type == "fp" && bits != 8;
  if (lacks_bits || lacks_type || short_float) return stops(fields);
  return storage_of_inputs(format, fields);
}

// The usual format is another one for integers. It stores floats itself.
Storage storage_in_usual(const Fields& fields, bool only_four) {
  const std::string_view type = type_of(fields.data_type);
  const bool symmetric = fields.sym.value_or(true);
  const bool integer = is_integer(type) && !type.starts_with("mx");
  if (integer && symmetric) return storage_in(kGptq, fields);
  if (integer && fields.bits == 4) return only_four ? storage_in(kAwq, fields) : Storage();
  const bool shared = type.starts_with("mx") || type.starts_with("nv");
  const bool fixed = !fields.act_dynamic.value_or(true);
  const bool float8 = type.starts_with("fp") && fields.bits == 8 && (is_block(fields) || !has_inputs(fields));
  return shared || fixed || float8 || fields.act_bits.value_or(16) >= 16 ? Storage() : stops(fields);
}

}  // namespace

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

std::vector<std::string> format_names(std::string_view text, std::int64_t bits) {
  std::string plain = base::to_lower(text);
  std::erase(plain, ' ');
  std::vector<std::string> out;
  for (const std::string_view part : base::parts_of(plain, ',')) {
    std::string name(part);
    if (const std::size_t star = name.find("q*_"); star != std::string::npos)
      name.replace(star + 1, 1, std::to_string(bits));
    if (!name.empty() && std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

std::string_view format_meant_by(std::string_view word) {
  const auto* found = std::ranges::find(kOtherWords, word, [](const auto& row) { return row.first; });
  return found == std::end(kOtherWords) ? std::string_view() : found->second;
}

Storage storage_of(const Format& format, const Fields& fields, bool only_four) {
  const bool doubled = type_of(fields.data_type).ends_with("_dq");  // a type of GGUF
  if (doubled || format.name == "fake" || format.name == "svdquant_nunchaku") return {};
  return format.name == kUsualFormat ? storage_in_usual(fields, only_four) : storage_in(format, fields);
}

std::vector<std::string_view> formats_for(const Fields& fields, bool only_four) {
  std::vector<std::string_view> out;
  for (const std::string_view name : {kUsualFormat, std::string_view("llm_compressor"), std::string_view("mlx")}) {
    if (storage_of(*find_format(name), fields, only_four).kind == Storage::Kind::stored) out.push_back(name);
  }
  return out;
}

}  // namespace sparsecfg::dialect::autoround
