#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/record/spec.h"

// Classes that a project defines, from its settings.
namespace sparsecfg::dialect {

struct CustomClass {
  std::string name;
  std::string like;         // the known class whose fields and meaning apply; empty: an unknown class
  bool any_fields = false;  // true if further fields are not checked
  std::vector<std::pair<std::string, Type>> fields;

  friend bool operator==(const CustomClass&, const CustomClass&) = default;
};

// Returns the type for a name in a settings file, such as `int`; nullopt for other words.
[[nodiscard]] std::optional<Type> read_custom_type(std::string_view word);
[[nodiscard]] std::vector<std::string_view> custom_type_words();

// The classes of one project. Rows live as long as this object.
class CustomClasses {
 public:
  explicit CustomClasses(const std::vector<CustomClass>& classes);

  // Returns the class, or null if the project does not define it.
  [[nodiscard]] const CustomClass* find(std::string_view name) const;

  // Returns the row of a class: that of the known class in `like`, with its own name and more fields, or `opaque` with
  // its fields. `stock` returns the row of a known class, or null. Returns null if that class belongs to another
  // dialect.
  [[nodiscard]] const ClassSpec* row(const CustomClass& custom, const ClassSpec* (*stock)(std::string_view),
                                     const ClassSpec& opaque) const;

 private:
  struct Row {
    ClassSpec spec;
    std::vector<FieldSpec> fields;
  };

  std::map<std::string, CustomClass, std::less<>> classes_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<const CustomClass*, const ClassSpec*>, std::unique_ptr<Row>> rows_;
};

}  // namespace sparsecfg::dialect
