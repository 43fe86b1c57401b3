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

static bool repr_into(std::string& out, const Value& value, int depth);

static bool items_into(std::string& out, const Value& value, int depth) {
  const bool pairs = value.kind == Kind::dictionary;
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    if (at > 0) out += pairs && at % 2 == 1 ? ": " : ", ";
    if (!repr_into(out, *value.items[at], depth + 1)) return false;
  }
  return true;
}

static bool repr_into(std::string& out, const Value& value, int depth) {
  if (depth > kMaxLevels || out.size() > limits::kMaxScriptString || value.open || !value.path.empty()) {
    return false;
  }
  switch (value.kind) {
    case Kind::scalar:
      if (!value.is_whole()) return false;
      out += value.string() != nullptr ? base::python_repr(std::string_view(*value.string()))
                                       : source::python_str({value.data, {}});
      return true;
    case Kind::list: return out += '[', items_into(out, value, depth) && (out += ']', true);
    case Kind::tuple:
      return out += '(', items_into(out, value, depth) && (out += value.items.size() == 1 ? ",)" : ")", true);
    case Kind::dictionary: return out += '{', items_into(out, value, depth) && (out += '}', true);
    case Kind::set:
      if (value.items.size() != 1) return false;
      return out += '{', items_into(out, value, depth) && (out += '}', true);
    default: return false;
  }
}

std::optional<std::string> repr_of(const Value& value) {
  std::string out;
  return repr_into(out, value, 0) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> str_of(const Value& value) {
  return value.string() != nullptr && value.is_whole() && value.path.empty() ? std::optional(*value.string())
                                                                             : repr_of(value);
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

std::optional<std::string> format_of(const Value& value, std::string_view spec) {
  if (spec.empty()) {
    return str_of(value);
  }
  if (value.kind != Kind::scalar || !value.is_whole() || !value.path.empty()) {
    return std::nullopt;
  }
  const std::string pattern = fmt::format("{{:{}}}", spec);
  if (const std::string* text = value.string()) {
    const bool ascii = std::ranges::all_of(*text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return ascii && is_plain_spec(spec, "s") ? std::optional(fmt::format(fmt::runtime(pattern), *text)) : std::nullopt;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    return is_plain_spec(spec, "dxXob") ? std::optional(fmt::format(fmt::runtime(pattern), *integer)) : std::nullopt;
  }
  const auto* real = std::get_if<double>(&value.data);
  const bool typed = std::string_view("feEF").find(spec.back()) != std::string_view::npos;
  return real != nullptr && std::isfinite(*real) && typed && is_plain_spec(spec, "feEF")
             ? std::optional(fmt::format(fmt::runtime(pattern), *real))
             : std::nullopt;
}

static bool json_string(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x7f) return false;
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
    }
  }
  out += '"';
  return true;
}

static bool json_into(std::string& out, const Value& value, int indent, int depth) {
  if (depth > kMaxLevels || out.size() > limits::kMaxScriptString || value.open || !value.is_whole()) {
    return false;
  }
  const auto line = [&](int level) {
    if (indent >= 0) out += '\n' + std::string(static_cast<std::size_t>(indent * level), ' ');
  };
  const bool pairs = value.kind == Kind::dictionary;
  if (pairs || ((value.kind == Kind::list || value.kind == Kind::tuple) && value.path.empty())) {
    out += pairs ? '{' : '[';
    for (std::size_t at = 0; at < value.items.size(); ++at) {
      const bool second = pairs && at % 2 == 1;
      if (second) out += ": ";
      if (!second && at > 0) out += indent < 0 ? ", " : ",";
      if (!second) line(depth + 1);
      if (pairs && !second && value.items[at]->string() == nullptr) return false;
      if (!json_into(out, *value.items[at], indent, depth + 1)) return false;
    }
    if (!value.items.empty()) line(depth);
    out += pairs ? '}' : ']';
    return true;
  }
  if (value.kind != Kind::scalar || !value.path.empty()) return false;
  if (value.string() != nullptr) return json_string(out, *value.string());
  if (const auto* flag = std::get_if<bool>(&value.data)) return out += *flag ? "true" : "false", true;
  if (std::holds_alternative<std::monostate>(value.data)) return out += "null", true;
  const auto* real = std::get_if<double>(&value.data);
  if (real != nullptr && !std::isfinite(*real)) return false;
  out += source::python_str({value.data, {}});
  return true;
}

std::optional<std::string> json_of(const Value& value, int indent) {
  std::string out;
  return json_into(out, value, indent, 0) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace sparsecfg::script
