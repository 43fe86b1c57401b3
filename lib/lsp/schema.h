#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol.h"
#include "lsp/tree.h"

namespace sparsecfg::lsp {

// What a JSON Schema of a dialect says about a place of a recipe. A place has several schemas where the schema leaves
// open which of them holds.
class SchemaPlace {
 public:
  // The whole recipe. The schema must outlive the place.
  explicit SchemaPlace(const Json& schema);

  // A node of a recipe, by the way to it from the root. A class decides what its mapping may hold.
  [[nodiscard]] static SchemaPlace of_step(const Json& schema, const doc::Document& tree, std::span<const Step> steps);

  // The value of a key, and an item of a list.
  [[nodiscard]] SchemaPlace under(std::string_view key) const;
  [[nodiscard]] SchemaPlace item() const;
  // The fields of a class that has a definition of its own; the place itself if there is none.
  [[nodiscard]] SchemaPlace of_class(std::string_view name) const;

  struct Field {
    std::string name;
    std::string doc;
    bool required = false;
    bool has_no_effect = false;
  };

  // The keys that a mapping may have, each once.
  [[nodiscard]] std::vector<Field> fields() const;
  // The words that a value may be, as YAML.
  [[nodiscard]] std::vector<std::string> values() const;
  // Returns true if the value may be a string that is not one of a few words, or a list of such strings.
  [[nodiscard]] bool takes_names() const;

  // The names of all classes that have a definition of their own at the top.
  [[nodiscard]] static std::vector<Field> classes(const Json& schema);

 private:
  SchemaPlace(const Json& root, std::vector<const Json*> schemas) : root_(&root), schemas_(std::move(schemas)) {}

  [[nodiscard]] const Json& referred(const Json& schema) const;
  void add(const Json& schema, std::vector<const Json*>& out, int depth) const;
  [[nodiscard]] std::vector<const Json*> expanded(const std::vector<const Json*>& schemas) const;

  const Json* root_;
  std::vector<const Json*> schemas_;  // without references and alternatives
};

}  // namespace sparsecfg::lsp
