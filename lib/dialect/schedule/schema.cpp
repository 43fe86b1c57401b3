#include "dialect/schedule/schedule.h"

#include <nlohmann/json.hpp>
#include <span>

#include "ir/dump.h"
#include "ir/fields.h"

namespace sparsecfg::dialect::schedule {

using Json = nlohmann::ordered_json;
using source::Located;

// Building blocks of schemas. They are not templates because the JSON library is slow to compile.

static Json type(std::string_view name) { return {{"type", name}}; }

static Json number_schema() { return {{"anyOf", {{{"type", "number"}}, {{"enum", {"nan", "inf", "-inf"}}}}}}; }

static Json integer_schema(bool is_unsigned) {
  Json out = type("integer");
  if (is_unsigned) out["minimum"] = 0;
  return out;
}

static Json one_of_names(std::span<const std::string_view> names) { return {{"enum", names}}; }

static Json or_null(Json schema) { return {{"anyOf", {std::move(schema), type("null")}}}; }

static Json list_of(Json schema) { return {{"type", "array"}, {"items", std::move(schema)}}; }

namespace {

struct Mapping {
  void add(std::string_view name, bool always, Json schema) {
    properties[name] = std::move(schema);
    if (always) required.push_back(name);
  }

  Json schema() const {
    return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  }

  Json properties = Json::object();
  Json required = Json::array();
};

// Builds the schema of a part of a schedule from its type.
struct Describer {
  template <class T>
  static Json of() {
    return describe(std::type_identity<T>());
  }

 private:
  template <class T>
  using Type = std::type_identity<T>;

  static Json describe(Type<bool>) { return type("boolean"); }

  static Json describe(Type<std::string>) { return type("string"); }

  static Json describe(Type<source::Value>) { return Json::object(); }

  static Json describe(Type<double>) { return number_schema(); }

  template <std::integral T>
  static Json describe(Type<T>) {
    return integer_schema(std::is_unsigned_v<T>);
  }

  template <class T>
  requires std::is_enum_v<T>

  static Json describe(Type<T>) { return one_of_names(ir::names_of<T>()); }

  template <class T>
  static Json describe(Type<Located<T>>) {
    return of<T>();
  }

  template <class T>
  static Json describe(Type<std::optional<T>>) {
    return or_null(of<T>());
  }

  template <class T>
  static Json describe(Type<std::vector<T>>) {
    return list_of(of<T>());
  }

  template <class T>
  static Json describe(Type<base::SharedList<T>>) {
    return list_of(of<T>());
  }

  static Json describe(Type<std::vector<ir::OriginField>>) { return type("object"); }

  template <class... T>
  static Json describe(Type<std::variant<T...>>) {
    return alternatives(Type<std::variant<T...>>());
  }

  // The fields of a rhythm are at the same level as those of the cadence.
  static Json describe(Type<ir::Cadence>) { return alternatives<ir::Cadence>(Type<ir::Rhythm>()); }

  template <class Part>
  requires std::is_class_v<Part>

  static Json describe(Type<Part>) { return mapping<Part>({}, {}); }

  // Returns the schema of a variant, each alternative with the fields of its owners.
  template <class... Owners, class... T>
  static Json alternatives(Type<std::variant<T...>>) {
    Json out{{"oneOf", Json::array()}};
    std::size_t index = 0;
    (out["oneOf"].push_back(mapping<Owners..., T>("kind", ir::kNames<std::variant<T...>>[index++])), ...);
    return out;
  }

 public:
  // Returns the schema of the fields of parts in one mapping, plus a key `beside` with a constant value.
  template <class... Parts>
  static Json mapping(std::string_view beside, const Json& value) {
    Mapping out;
    if (!beside.empty()) out.add(beside, true, {{"const", value}});
    const auto put = [&]<class Part, class Member>(const ir::Field<Part, Member>& field) {
      out.add(field.name, field.always, of<Member>());
    };
    (std::apply([&](const auto&... field) { (put(field), ...); }, ir::fields_of<Parts>()), ...);
    return out.schema();
  }
};

}  // namespace

std::string schema(const ReadOptions& /*options*/) {
  Json out{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "sparsecfg schedule"},
      {"description", "Effective schedule of a sparsification recipe, as written by `sparsecfg convert --to ir`."}};
  out.update(Describer::mapping<ir::Recipe>(ir::kFormatKey, ir::kFormat));
  return out.dump(2) + "\n";
}

}  // namespace sparsecfg::dialect::schedule
