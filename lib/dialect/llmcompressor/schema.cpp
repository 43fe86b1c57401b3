#include <nlohmann/json.hpp>

#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/record/schema.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::llmcompressor {

using Json = nlohmann::ordered_json;

std::string schema(const ReadOptions&) {
  Json definitions = {{"stage",
                       {{"type", "object"},
                        {"patternProperties", {{"_modifiers$", reference("stages.group")}}},
                        {"properties", {{"modifiers", false}}}}}};
  definitions.update(stages::schema_definitions(table(), false));
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "llm-compressor recipe"},
              {"description", "Keys that end in `_stage` contain groups, whose keys end in `_modifiers`."},
              {"type", "object"},
              {"patternProperties", {{"_stage$", reference("stage")}}},
              {"properties", {{"args", {{"type", "object"}}}}},
              {"definitions", std::move(definitions)}};
  share_fields(out);
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::llmcompressor
