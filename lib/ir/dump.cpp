#include "ir/dump.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "ir/fields.h"

namespace sparsecfg::ir {

using Json = nlohmann::ordered_json;
using source::Value;

// JSON can't represent nan and infinities. The reader accepts these strings.
static Json number(double value) { return std::isfinite(value) ? Json(value) : Json(base::python_repr(value)); }

static Json to_json(const Value& value);

static Json to_json(const source::List& list) {
  Json out = Json::array();
  for (const Value& item : list) out.push_back(to_json(item));
  return out;
}

// A mapping is written as an object if all keys are strings and none could be mistaken for an escape key.
static Json to_json(const source::Map& map) {
  const bool plain = std::ranges::all_of(map, [](const source::Entry& entry) {
    const auto* name = entry.first.get<std::string>();
    return name != nullptr && !name->starts_with(kEscape);
  });
  Json::object_t object;
  Json pairs = Json::array();
  for (const auto& [key, item] : map) {
    if (plain) {
      object.emplace_back(*key.get<std::string>(), to_json(item));  // keys are unique, so no lookup is needed
    } else {
      pairs.push_back(Json::array({to_json(key), to_json(item)}));
    }
  }
  return plain ? Json(std::move(object)) : Json{{kEscapedMap, std::move(pairs)}};
}

static Json to_json(const Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return Json(nullptr); },
                        [](bool flag) { return Json(flag); },
                        [](std::int64_t integer) { return Json(integer); },
                        [](const source::BigInt& big) {
                          return Json{{kEscapedInt, big.digits}};
                        },
                        [](double real) {
                          return std::isfinite(real) ? Json(real) : Json{{kEscapedFloat, base::python_repr(real)}};
                        },
                        [](const std::string& text) { return Json(text); },
                        [](const source::Timestamp& time) {
                          return Json{{kEscapedTime, time.text}};
                        },
                        [](const auto& collection) { return to_json(collection); },
                    },
                    value.data);
}

namespace {

// Converts every type of the IR.
struct Writer {
  static Json json(bool flag) { return flag; }

  static Json json(double value) { return number(value); }

  static Json json(const std::string& text) { return text; }

  static Json json(const Value& value) { return to_json(value); }

  static Json json(std::integral auto value) { return value; }

  template <class T>
  requires std::is_enum_v<T>

  static Json json(T value) { return names_of<T>()[static_cast<std::size_t>(value)]; }

  template <class T>
  static Json json(const Located<T>& value) {
    return json(value.value);
  }

  template <class T>
  static Json json(const std::optional<T>& value) {
    return value ? json(*value) : Json(nullptr);
  }

  template <class T>
  static Json json(const std::vector<T>& items) {
    Json out = Json::array();
    for (const T& item : items) out.push_back(json(item));
    return out;
  }

  template <class T>
  static Json json(const base::SharedList<T>& list) {
    return json(list.items());
  }

  // Actions are appended one by one, since converting all of them at once needs too much memory.
  static Json json(const std::vector<Action>& /*actions*/) { return Json::array(); }

  static Json json(const std::vector<OriginField>& fields) {
    Json out = Json::object();
    for (const OriginField& field : fields) out[field.name] = to_json(field.value);
    return out;
  }

  template <class... T>
  static Json json(const std::variant<T...>& choice) {
    Json out = {{"kind", kNames<std::variant<T...>>[choice.index()]}};
    std::visit([&](const auto& part) { out.update(json(part)); }, choice);
    return out;
  }

  static Json json(const Cadence& cadence) {
    Json out = {{"kind", kNames<Rhythm>[cadence.rhythm.index()]}};
    out.update(json<Cadence>(cadence));
    std::visit([&](const auto& part) { out.update(json(part)); }, cadence.rhythm);
    return out;
  }

  template <class T>
  static bool same(const T& value, const T& usual) {
    return value == usual;
  }

  template <class T>
  static bool same(const std::optional<T>& value, const std::optional<T>& /*nothing*/) {
    return !value;
  }

  template <class Part>
  requires std::is_class_v<Part>

  static Json json(const Part& part) {
    Json out = Json::object();
    const auto put = [&](const auto& field) {
      static const Part kUsual{};
      if (field.always || !same(part.*field.member, kUsual.*field.member)) out[field.name] = json(part.*field.member);
    };
    std::apply([&](const auto&... field) { (put(field), ...); }, fields_of<Part>());
    return out;
  }
};

}  // namespace

// A schedule is read as YAML, which treats some characters as line ends and rejects others, and people read it in
// terminals. All of these characters can only be in strings.
static std::string escaped(const std::string& json) {
  if (std::ranges::all_of(json, [](char c) { return static_cast<unsigned char>(c) < 0x7F; })) {
    return json;
  }
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t begin = at;
    const char32_t code_point = base::next_code_point(json, at);
    if (code_point >= 0x7F && code_point <= 0xFFFF && (base::is_unsafe(code_point) || code_point >= 0xFFFE)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
    } else {
      out.append(json, begin, at - begin);
    }
  }
  return out;
}

static std::string text_of(const Json& json) {
  return escaped(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// Appends actions as items of an array at nesting depth one, on separate lines, until `max_bytes` is exceeded.
static void add(std::span<const Action> actions, std::size_t max_bytes, std::string& out) {
  for (const Action& action : actions) {
    if (out.size() > max_bytes) break;
    out += &action == actions.data() ? "\n    " : ",\n    ";
    for (const char c : text_of(Writer::json(action))) {
      out += c;
      if (c == '\n') out += "    ";
    }
  }
  out += actions.empty() ? "" : "\n  ";
}

std::string dump(const Recipe& recipe, std::size_t max_bytes) { return dump(recipe, recipe.actions, max_bytes); }

std::string dump(const Recipe& recipe, std::span<const Action> actions, std::size_t max_bytes) {
  // JSON strings contain no raw line feeds, so this text occurs once.
  constexpr std::string_view kActions = "\n  \"actions\": [";
  Json head = {{kFormatKey, kFormat}};
  head.update(Writer::json(recipe));
  std::string text = text_of(head);
  const std::size_t at = text.find(kActions) + kActions.size();
  const std::string rest = text.substr(at) + "\n";
  text.resize(at);
  add(actions, max_bytes, text);
  text += rest;
  return text;
}

}  // namespace sparsecfg::ir
