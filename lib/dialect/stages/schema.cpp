#include "dialect/stages/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dialect/record/schema.h"

namespace sparsecfg::dialect::stages {

using Json = nlohmann::ordered_json;

class SchemaBuilder {
 public:
  SchemaBuilder(const Table& table, bool expressions) : table_(table) {
    if (expressions) rules_.expression = {{"type", "string"}, {"pattern", "eval\\("}};
    rules_.record = [this](const ClassSpec& spec) { return definition(spec); };
  }

  Json build() {
    Json named = Json::object();
    for (const ClassSpec& modifier : table_.modifiers) named[std::string(modifier.name)] = definition(modifier);
    out_["stages.group"] = {{"type", "object"}, {"properties", std::move(named)}, {"additionalProperties", false}};
    return std::move(out_);
  }

 private:
  // Returns a reference to the definition of a class. Adds the definition if it is new.
  Json definition(const ClassSpec& spec) {
    const std::string name = fmt::format("stages.{}", spec.name);
    if (!out_.contains(name)) {
      out_[name] = Json::object();  // the definition may refer to itself
      Json built = schema_of(spec, [this](const FieldSpec& field) { return rules_.accepted(field); });
      out_[name] = std::move(built);
    }
    return reference(name);
  }

  const Table& table_;
  SchemaRules rules_;
  Json out_ = Json::object();
};

Json schema_definitions(const Table& table, bool expressions) { return SchemaBuilder(table, expressions).build(); }

}  // namespace sparsecfg::dialect::stages
