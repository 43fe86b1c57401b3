#include <nlohmann/json.hpp>

#include "dialect/checkpoint/read.h"
#include "dialect/checkpoint/table.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::checkpoint {

using Json = nlohmann::ordered_json;

// Returns the type of a key in JSON; empty for any type.
static Json type_of(const Key& key) {
  constexpr std::string_view kNames[] = {"", "string", "number", "boolean", "array", "object"};
  if (key.type == ValueType::any) return {};
  Json types = {std::string(kNames[static_cast<std::size_t>(key.type)])};
  if (key.nullable) types.push_back("null");
  return types;
}

static Json schema_of(const Method& method) {
  Json properties = {{"quant_method", {{"const", std::string(method.name)}, {"description", std::string(method.doc)}}}};
  for (const Key& key : method.keys) {
    Json property = {{"description", std::string(key.doc)}};
    if (const Json types = type_of(key); !types.empty()) property["type"] = types;
    properties[std::string(key.name)] = std::move(property);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", {"quant_method"}}};
}

std::string schema(const ReadOptions&) {
  Json alternatives = Json::array();
  Json definitions = Json::object();
  for (const Method& method : methods()) {
    definitions[std::string(method.name)] = schema_of(method);
    alternatives.push_back(reference(method.name));
  }
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "config.json of a quantized checkpoint"},
                    {"type", "object"},
                    {"properties", {{"quantization_config", {{"anyOf", std::move(alternatives)}}}}},
                    {"definitions", std::move(definitions)}};
  return out.dump(2) + '\n';
}

// Returns "transformers, vLLM": the programs that load a method.
static std::string_view programs_of(const Method& method) {
  const bool by_transformers = find_loading(Program::transformers, method.name) != nullptr;
  const bool by_vllm = find_loading(Program::vllm, method.name) != nullptr;
  const bool by_sglang = find_loading(Program::sglang, method.name) != nullptr;
  if (by_transformers && by_vllm) return by_sglang ? "transformers, vLLM, SGLang" : "transformers, vLLM";
  if (by_transformers) return "transformers";
  return by_sglang ? "Quark, vLLM, SGLang" : "vLLM";
}

static std::vector<FieldPage> field_pages(const Method& method) {
  std::vector<FieldPage> out;
  for (const Key& key : method.keys) {
    FieldPage& page = out.emplace_back(FieldPage{key.name, key.doc, {}});
    page.facts.push_back(key.default_value.empty() ? "required" : "default: " + std::string(key.default_value));
  }
  return out;
}

std::vector<Page> pages() {
  std::vector<Page> out;
  for (const Method& method : methods()) {
    out.push_back({method.name, {}, programs_of(method), method.doc, field_pages(method)});
  }
  return out;
}

}  // namespace sparsecfg::dialect::checkpoint
