#include <nlohmann/json.hpp>

#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/record/schema.h"
#include "dialect/schemes/records.h"

namespace sparsecfg::dialect::compressed_tensors {

using Json = nlohmann::ordered_json;

namespace {

class SchemaBuilder {
 public:
  SchemaBuilder() {
    rules_.record = [this](const ClassSpec& spec) { return definition(spec); };
  }

  std::string build() {
    Json config = definition(config_table());
    Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                {"title", "config.json with compressed-tensors"},
                {"description", "The key `quantization_config` describes the quantization of the model."},
                {"type", "object"},
                {"properties", {{"quantization_config", std::move(config)}}},
                {"definitions", std::move(definitions_)}};
    share_fields(out);
    return out.dump(2) + '\n';
  }

 private:
  // Returns a reference to the definition of a class. Adds the definition if it is new.
  Json definition(const ClassSpec& spec) {
    const std::string name(spec.name);
    if (!definitions_.contains(name)) {
      definitions_[name] = Json::object();  // the definition may refer to itself
      Json built = schema_of(spec, [this](const FieldSpec& field) { return accepted(field); });
      definitions_[name] = std::move(built);
    }
    return reference(name);
  }

  // A group may be a list of targets, if its name is a preset.
  Json accepted(const FieldSpec& field) {
    Json out = rules_.accepted(field);
    if (field.record == &schemes::kQuantizationScheme) {
      out = {{"type", "object"},
             {"additionalProperties",
              any_of({definition(*field.record), {{"type", "array"}, {"items", {{"type", "string"}}}}})}};
    }
    return out;
  }

  SchemaRules rules_;
  Json definitions_ = Json::object();
};

}  // namespace

std::string schema(const ReadOptions&) { return SchemaBuilder().build(); }

std::vector<Page> pages() {
  std::vector<Page> pages = {page_of(config_table(), "compressed-tensors")};
  return pages;
}

}  // namespace sparsecfg::dialect::compressed_tensors
