#include <nlohmann/json.hpp>

#include "dialect/mlx/read.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::mlx {

using Json = nlohmann::ordered_json;

// clang-format off
constexpr std::string_view kModeNames[] = {"affine", "mxfp4", "nvfp4", "mxfp8"};
constexpr FieldSpec kKeys[] = {
    {.name = "group_size", .type = Type::integer, .required = true, .doc = "Weights that share a scale: 32, 64 or 128; 16 with `nvfp4`."},
    {.name = "bits", .type = Type::integer, .required = true, .doc = "Bits of a weight."},
    {.name = "mode", .type = Type::choice, .default_value = "affine", .choices = kModeNames, .doc = "Kind of numbers."},
};
// clang-format on

static Json properties() {
  Json out = Json::object();
  for (const FieldSpec& key : kKeys) {
    out[std::string(key.name)] = {{"description", std::string(key.doc)}};
    if (allows(key.type, Type::integer)) out[std::string(key.name)]["type"] = "integer";
    for (const std::string_view choice : key.choices) out[std::string(key.name)]["enum"].push_back(std::string(choice));
  }
  return out;
}

std::string schema(const ReadOptions&) {
  const Json entry = {{"type", "object"}, {"properties", properties()}, {"additionalProperties", false}};
  const Json out = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "config.json of MLX"},
      {"type", "object"},
      {"properties",
       {{"quantization",
         {{"type", "object"},
          {"properties", properties()},
          {"required", {"group_size", "bits"}},
          {"additionalProperties", any_of({entry, {{"type", "boolean"}}, {{"type", "null"}}})}}}}}};
  return out.dump(2) + '\n';
}

std::vector<Page> pages() {
  std::vector<Page> out;
  out.push_back({"quantization", {}, "mlx-lm", "The key `quantization` of a `config.json`. Other keys are paths of modules.", pages_of(kKeys)});
  return out;
}

}  // namespace sparsecfg::dialect::mlx
