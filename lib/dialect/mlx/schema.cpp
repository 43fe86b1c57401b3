#include <nlohmann/json.hpp>

#include "dialect/mlx/read.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::mlx {

using Json = nlohmann::ordered_json;

// A key of `quantization` that is no path.
struct KeyRow {
  std::string_view name;
  std::string_view doc;
  std::string_view fact;
};

constexpr KeyRow kKeyRows[] = {
    {"group_size", "Weights that share a scale: 32, 64 or 128; 16 with `nvfp4`.", "required"},
    {"bits", "Bits of a weight.", "required"},
    {"mode", "Kind of numbers: `affine`, `mxfp4`, `nvfp4` or `mxfp8`.", "default: affine"},
};

static Json properties() {
  Json out = Json::object();
  for (const KeyRow& key : kKeyRows) out[std::string(key.name)] = {{"description", std::string(key.doc)}};
  out["group_size"]["type"] = "integer";
  out["bits"]["type"] = "integer";
  out["mode"]["enum"] = {"affine", "mxfp4", "nvfp4", "mxfp8"};
  return out;
}

std::string schema(const ReadOptions&) {
  const Json entry = {{"type", "object"}, {"properties", properties()}, {"additionalProperties", false}};
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
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
  Page page{
      "quantization", {}, "mlx-lm", "The key `quantization` of a `config.json`. Other keys are paths of modules.", {}};
  for (const KeyRow& key : kKeyRows) page.fields.push_back({key.name, key.doc, {std::string(key.fact)}});
  return {std::move(page)};
}

}  // namespace sparsecfg::dialect::mlx
