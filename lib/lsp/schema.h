#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol.h"
#include "lsp/tree.h"

namespace sparsecfg::lsp {

// The part of a JSON Schema that applies to a node of a recipe. A place has several schemas if the schema has
// alternatives.
class SchemaPlace {
 public:
  // Creates the place of the whole recipe. The schema must outlive the place.
  explicit SchemaPlace(const Json& schema);

  // Returns the place of a node, which is given by its path from the root. The class of a mapping selects its schema.
  [[nodiscard]] static SchemaPlace of_step(const Json& schema, const doc::Document& tree, std::span<const Step> steps);

  // Return the places of the value of a key and of a list item.
  [[nodiscard]] SchemaPlace under(std::string_view key) const;
  [[nodiscard]] SchemaPlace item() const;
  // Returns this place without the alternatives that a key of a mapping contradicts: `quant_method: gptq` leaves out
  // the other methods. Returns this place if no alternative is left.
  [[nodiscard]] SchemaPlace fitting(const doc::Document& tree, const doc::Node& mapping) const;
  // Returns the place of a class definition, or this place if the class is not defined.
  [[nodiscard]] SchemaPlace of_class(std::string_view name) const;

  // Returns the place of the definition of a class, also of one that only a part of a recipe may contain, or nullopt.
  [[nodiscard]] std::optional<SchemaPlace> of_title(std::string_view name) const;

  struct Field {
    std::string name;
    std::string doc;
    bool required = false;
    bool has_no_effect = false;
    bool is_deprecated = false;
  };

  // Returns the keys that a mapping may have, without duplicates.
  [[nodiscard]] std::vector<Field> fields() const;
  // Returns the tags that a list item may have, such as "!GMPruningModifier", with their descriptions.
  [[nodiscard]] std::vector<Field> tags() const;
  // Returns the name of the class that a mapping here has, or an empty string.
  [[nodiscard]] std::string class_name() const;
  // Returns the known values, as YAML: choices, examples, booleans and the default.
  [[nodiscard]] std::vector<std::string> values() const;
  // Returns an empty or neutral value of the accepted type, as YAML.
  [[nodiscard]] std::string empty_value() const;
  // Returns true if the value may be any string, or a list of any strings.
  [[nodiscard]] bool accepts_names() const;
  // Returns true if the value may be a list.
  [[nodiscard]] bool accepts_lists() const;

  // Returns all classes with a top-level definition.
  [[nodiscard]] static std::vector<Field> classes(const Json& schema);

 private:
  SchemaPlace(const Json& root, std::vector<const Json*> schemas) : root_(&root), schemas_(std::move(schemas)) {}

  [[nodiscard]] const Json& referred(const Json& schema) const;
  void add(const Json& schema, std::vector<const Json*>& out, int depth) const;
  [[nodiscard]] std::vector<const Json*> expanded(const std::vector<const Json*>& schemas) const;

  const Json* root_;
  std::vector<const Json*> schemas_;  // references and alternatives are expanded
};

}  // namespace sparsecfg::lsp
