#include "dialect/schedule/schedule.h"

#include <nlohmann/json.hpp>

#include "ir/dump.h"
#include "ir/fields.h"

namespace sparsecfg::dialect::schedule {

using Json = nlohmann::ordered_json;
using source::Located;

namespace {

// What a part of a schedule looks like, by its type.
struct Describer {
  template <class T>
  static Json of() {
    return describe(std::type_identity<T>());
  }

 private:
  template <class T>
  using Type = std::type_identity<T>;

  static Json describe(Type<bool>) { return {{"type", "boolean"}}; }

  static Json describe(Type<std::string>) { return {{"type", "string"}}; }

  static Json describe(Type<source::Value>) { return Json::object(); }

  static Json describe(Type<double>) { return {{"anyOf", {{{"type", "number"}}, {{"enum", {"nan", "inf", "-inf"}}}}}}; }

  template <std::integral T>
  static Json describe(Type<T>) {
    Json out{{"type", "integer"}};
    if (std::is_unsigned_v<T>) out["minimum"] = 0;
    return out;
  }

  template <class T>
  requires std::is_enum_v<T>

  static Json describe(Type<T>) { return {{"enum", ir::names_of<T>()}}; }

  template <class T>
  static Json describe(Type<Located<T>>) {
    return of<T>();
  }

  template <class T>
  static Json describe(Type<std::optional<T>>) {
    return {{"anyOf", {of<T>(), {{"type", "null"}}}}};
  }

  template <class T>
  static Json describe(Type<std::vector<T>>) {
    return {{"type", "array"}, {"items", of<T>()}};
  }

  static Json describe(Type<std::vector<ir::OriginField>>) { return {{"type", "object"}}; }

  template <class... T>
  static Json describe(Type<std::variant<T...>>) {
    Json out = Json::array();
    std::size_t index = 0;
    (out.push_back(mapping<T>("kind", ir::kNames<std::variant<T...>>[index++])), ...);
    return {{"oneOf", out}};
  }

  template <class Part>
  requires std::is_class_v<Part>

  static Json describe(Type<Part>) { return mapping<Part>({}, {}); }

 public:
  // The fields of a part, and one beside them with one value.
  template <class Part>
  static Json mapping(std::string_view beside, const Json& value) {
    Json properties = Json::object();
    Json required = Json::array();
    if (!beside.empty()) {
      properties[beside] = {{"const", value}};
      required.push_back(beside);
    }
    const auto put = [&]<class Type>(const ir::Field<Part, Type>& field) {
      properties[field.name] = of<Type>();
      if (field.always) required.push_back(field.name);
    };
    std::apply([&](const auto&... field) { (put(field), ...); }, ir::fields_of<Part>());
    return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  }
};

}  // namespace

std::string schema(const ReadOptions& /*options*/) {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
           {"title", "sparsecfg schedule"},
           {"description", "What a sparsification recipe does when, as sparsecfg convert --to ir writes it."}};
  out.update(Describer::mapping<ir::Recipe>(ir::kFormatKey, ir::kFormat));
  return out.dump(2) + "\n";
}

}  // namespace sparsecfg::dialect::schedule
