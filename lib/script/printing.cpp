#include "script/printing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "source/value.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

constexpr int kMaxLevels = 16;

// A text that grows by charged parts.
class Printer {
 public:
  explicit Printer(base::Budget& budget) : budget_(budget) {}

  // Appends a part. Returns false if the text becomes too long.
  bool add(std::string_view part) {
    if (text_.size() + part.size() > limits::kMaxScriptString || !budget_.allocate(part.size())) return false;
    text_ += part;
    return true;
  }

  bool repr(const Value& value, int depth) {
    if (depth > kMaxLevels || value.open || !is_plain(value) || !budget_.spend()) return false;
    switch (value.kind) {
      case Kind::scalar: return add_scalar(value);
      case Kind::list: return add("[") && items(value, depth) && add("]");
      case Kind::tuple: return add("(") && items(value, depth) && add(value.items.size() == 1 ? ",)" : ")");
      case Kind::dictionary: return add("{") && items(value, depth) && add("}");
      case Kind::set: return value.items.size() == 1 && add("{") && items(value, depth) && add("}");
      default: return false;
    }
  }

  bool json(const Value& value, int indent, int depth) {
    if (depth > kMaxLevels || value.open || !is_plain(value) || !value.is_whole() || !budget_.spend()) return false;
    switch (value.kind) {
      case Kind::scalar: return add_json_scalar(value);
      case Kind::list:
      case Kind::tuple: return add("[") && json_items(value, indent, depth) && add("]");
      case Kind::dictionary: return add("{") && json_items(value, indent, depth) && add("}");
      default: return false;
    }
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  // Objects of frameworks, iterators and views print as other text.
  static bool is_plain(const Value& value) {
    return value.path.empty() && value.role == Value::Role::plain && !value.constructed;
  }

  bool add_scalar(const Value& value) {
    if (!value.is_whole() || (value.string() != nullptr && !budget_.spend(value.string()->size() / 64))) return false;
    return add(value.string() != nullptr ? base::python_repr(std::string_view(*value.string()))
                                         : source::python_str({value.data, {}}));
  }

  bool items(const Value& value, int depth) {
    const bool pairs = value.kind == Kind::dictionary;
    for (std::size_t at = 0; at < value.items.size(); ++at) {
      if (at > 0 && !add(pairs && at % 2 == 1 ? ": " : ", ")) return false;
      if (!repr(*value.items[at], depth + 1)) return false;
    }
    return true;
  }

  bool add_line(int indent, int level) {
    return indent < 0 || (add("\n") && add(std::string(static_cast<std::size_t>(indent * level), ' ')));
  }

  bool json_items(const Value& value, int indent, int depth) {
    const bool pairs = value.kind == Kind::dictionary;
    for (std::size_t at = 0; at < value.items.size(); ++at) {
      const bool second = pairs && at % 2 == 1;
      if (pairs && !second && value.items[at]->string() == nullptr) return false;
      if (second && !add(": ")) return false;
      if (!second && at > 0 && !add(indent < 0 ? ", " : ",")) return false;
      if (!second && !add_line(indent, depth + 1)) return false;
      if (!json(*value.items[at], indent, depth + 1)) return false;
    }
    return value.items.empty() || add_line(indent, depth);
  }

  bool add_json_scalar(const Value& value) {
    if (value.string() != nullptr) return add_json_string(*value.string());
    if (const auto* flag = std::get_if<bool>(&value.data)) return add(*flag ? "true" : "false");
    if (std::holds_alternative<std::monostate>(value.data)) return add("null");
    const auto* real = std::get_if<double>(&value.data);
    return (real == nullptr || std::isfinite(*real)) && add(source::python_str({value.data, {}}));
  }

  bool add_json_string(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (static_cast<unsigned char>(c) >= 0x7f) return false;
      out += json_character(c);
      if (out.size() > limits::kMaxScriptString) return false;
    }
    return budget_.spend(text.size() / 64) && add(out + "\"");
  }

  static std::string json_character(char c) {
    switch (c) {
      case '"': return "\\\"";
      case '\\': return "\\\\";
      case '\n': return "\\n";
      case '\r': return "\\r";
      case '\t': return "\\t";
      case '\b': return "\\b";
      case '\f': return "\\f";
      default:
        return static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
    }
  }

  base::Budget& budget_;
  std::string text_;
};

std::optional<std::string> repr_of(const Value& value, base::Budget& budget) {
  Printer out(budget);
  return out.repr(value, 0) ? std::optional(out.take()) : std::nullopt;
}

std::optional<std::string> str_of(const Value& value, base::Budget& budget) {
  const bool text = value.string() != nullptr && value.is_whole() && value.role == Value::Role::plain;
  if (!text) return repr_of(value, budget);
  return budget.allocate(value.string()->size()) ? std::optional(*value.string()) : std::nullopt;
}

// A format specification, in the order of Python's grammar. Parts that {fmt} formats differently are not accepted.
static bool is_plain_spec(std::string_view spec, std::string_view types) {
  std::size_t at = 0;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^'; };
  if (spec.size() >= 2 && is_align(spec[1]) && spec[0] > ' ' && spec[0] < 0x7f && spec[0] != '{' && spec[0] != '}') {
    at = 2;
  } else if (!spec.empty() && is_align(spec[0])) {
    at = 1;
  }
  const std::size_t alignment = at;
  if (at < spec.size() && (spec[at] == '+' || spec[at] == '-') && types != "s") ++at;
  const bool aligned = alignment > 0;
  if (at < spec.size() && spec[at] == '0' && (types == "s" || aligned)) return false;
  std::size_t digits = 0;
  while (at < spec.size() && base::is_digit(spec[at])) ++at, ++digits;
  if (digits > 3) return false;
  if (at < spec.size() && spec[at] == '.') {
    if (types == "dxXob") return false;
    ++at;
    digits = 0;
    while (at < spec.size() && base::is_digit(spec[at])) ++at, ++digits;
    if (digits == 0 || digits > 2) return false;
  }
  if (at < spec.size() && types.find(spec[at]) != std::string_view::npos) ++at;
  return at == spec.size();
}

static bool is_ascii_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<std::string> format_of(const Value& value, std::string_view spec, base::Budget& budget) {
  constexpr std::size_t kMaxWidth = 1000;
  if (spec.empty()) return str_of(value, budget);
  const std::size_t size = value.string() == nullptr ? 0 : value.string()->size();
  const bool plain = value.kind == Kind::scalar && value.is_whole() && value.role == Value::Role::plain;
  if (!plain || !budget.allocate(size + kMaxWidth)) return std::nullopt;
  const std::string pattern = fmt::format("{{:{}}}", spec);
  const auto formatted = [&](const auto& data) { return std::optional(fmt::format(fmt::runtime(pattern), data)); };
  if (const std::string* text = value.string()) {
    return is_ascii_text(*text) && is_plain_spec(spec, "s") ? formatted(*text) : std::nullopt;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    return is_plain_spec(spec, "dxXob") ? formatted(*integer) : std::nullopt;
  }
  const auto* real = std::get_if<double>(&value.data);
  const bool typed = std::string_view("feEF").find(spec.back()) != std::string_view::npos;
  return real != nullptr && std::isfinite(*real) && typed && is_plain_spec(spec, "feEF") ? formatted(*real)
                                                                                         : std::nullopt;
}

std::optional<std::string> json_of(const Value& value, int indent, base::Budget& budget) {
  Printer out(budget);
  return out.json(value, indent, 0) ? std::optional(out.take()) : std::nullopt;
}

}  // namespace sparsecfg::script
