#include "dialect/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "ir/dump.h"
#include "source/value.h"

namespace sparsecfg::dialect::schedule {

using source::Value;

static bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

static Value::Data plain(std::string_view text) {
  if (text == "null" || text.empty()) return std::monostate();
  if (text == "true" || text == "false") return text == "true";
  const std::string_view unsigned_text = text.starts_with('-') ? text.substr(1) : text;
  if (is_digits(unsigned_text)) return source::integer_of(text);
  const bool number = !unsigned_text.empty() && is_digits(unsigned_text.substr(0, 1));
  if (const auto real = number ? base::parse_double(text) : std::nullopt) return *real;
  return std::string(text);
}

// Decodes a mapping with a single escape key, such as `$int`. Returns nullopt for other mappings.
static std::optional<Value::Data> escaped(const source::Map& map) {
  const auto* key = map.size() == 1 ? map.front().first.get<std::string>() : nullptr;
  const Value* held = key == nullptr ? nullptr : &map.front().second;
  const auto* text = held == nullptr ? nullptr : held->get<std::string>();
  if (text != nullptr && *key == ir::kEscapedInt) {
    return is_digits(text->starts_with('-') ? text->substr(1) : *text) ? std::optional(source::integer_of(*text))
                                                                       : std::nullopt;
  }
  if (text != nullptr && *key == ir::kEscapedFloat) {
    const auto number = number_of(*held);
    return number ? std::optional<Value::Data>(*number) : std::nullopt;
  }
  if (text != nullptr && *key == ir::kEscapedTime) return source::Timestamp{*text};
  const auto* pairs = held != nullptr && *key == ir::kEscapedMap ? held->get<source::List>() : nullptr;
  if (pairs == nullptr) return std::nullopt;
  source::Map out;
  for (const Value& pair : *pairs) {
    const auto* both = pair.get<source::List>();
    if (both == nullptr || both->size() != 2) return std::nullopt;
    out.emplace_back((*both)[0], (*both)[1]);
  }
  return out;
}

Value value_of(const doc::Document& document, doc::NodeId id) {
  const doc::Node& node = document[document.resolve(id)];
  if (node.kind == doc::Kind::sequence) {
    source::List list;
    for (const doc::NodeId item : node.items) list.push_back(value_of(document, item));
    return {std::move(list), node.span};
  }
  if (node.kind == doc::Kind::mapping) {
    source::Map map;
    for (std::size_t at = 0; at + 1 < node.items.size(); at += 2) {
      map.emplace_back(value_of(document, node.items[at]), value_of(document, node.items[at + 1]));
    }
    auto other = escaped(map);
    return {other ? std::move(*other) : Value::Data(std::move(map)), node.span};
  }
  return {node.style == doc::Style::plain ? plain(node.text) : Value::Data(std::string(node.text)), node.span};
}

std::optional<double> number_of(const Value& value) {
  const auto* text = value.get<std::string>();
  if (text == nullptr) return value.get<bool>() == nullptr ? value.number() : std::nullopt;
  if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool infinite = *text == "inf" || *text == "-inf";
  return infinite
             ? std::optional(std::copysign(std::numeric_limits<double>::infinity(), text->front() == '-' ? -1.0 : 1.0))
             : std::nullopt;
}

}  // namespace sparsecfg::dialect::schedule
