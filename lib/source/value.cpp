#include "source/value.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/overloaded.h"

namespace sparsecfg::source {

std::optional<double> Value::number() const {
  if (const auto* flag = get<bool>()) {
    return *flag ? 1.0 : 0.0;
  }
  if (const auto* integer = get<std::int64_t>()) {
    return static_cast<double>(*integer);
  }
  if (const auto* big = get<BigInt>()) {
    return base::parse_double(big->digits);
  }
  if (const auto* real = get<double>()) {
    return *real;
  }
  return std::nullopt;
}

const Value* Value::find(std::string_view key) const {
  const auto* map = get<Map>();
  if (map == nullptr) {
    return nullptr;
  }
  for (const auto& [name, value] : *map) {
    if (const auto* text = name.get<std::string>(); text != nullptr && *text == key) {
      return &value;
    }
  }
  return nullptr;
}

const Value* Value::given(std::string_view key) const {
  const Value* value = find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

// Messages quote only the beginning of long strings.
static std::string shortened(const std::string& text) {
  constexpr std::size_t kQuoted = 40;
  if (text.size() <= kQuoted) {
    return text;
  }
  std::size_t cut = kQuoted;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
    --cut;
  }
  return text.substr(0, cut) + "...";
}

std::string describe(const Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) -> std::string { return "null"; },
                        [](bool flag) -> std::string { return flag ? "the boolean true" : "the boolean false"; },
                        [](std::int64_t integer) { return fmt::format("the int {}", integer); },
                        [](const BigInt& big) { return fmt::format("the int {}", shortened(big.digits)); },
                        [](double real) { return fmt::format("the float {}", base::python_repr(real)); },
                        [](const std::string& text) { return fmt::format("the string `{}`", shortened(text)); },
                        [](const Timestamp& time) { return fmt::format("the date {}", time.text); },
                        [](const List&) -> std::string { return "a list"; },
                        [](const Map&) -> std::string { return "a mapping"; },
                    },
                    value.data);
}

// Items of containers are printed as by Python's repr(), which differs from str() for strings.
static std::string python_repr(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr ? base::python_repr(*text) : python_str(value);
}

static std::string python_str(const List& list) {
  std::string out = "[";
  for (const Value& item : list) {
    out += out.size() > 1 ? ", " : "";
    out += python_repr(item);
  }
  return out + "]";
}

static std::string python_str(const Map& map) {
  std::string out = "{";
  for (const auto& [key, item] : map) {
    out += (out.size() > 1 ? ", " : "") + python_repr(key) + ": " + python_repr(item);
  }
  return out + "}";
}

std::string python_str(const Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) -> std::string { return "None"; },
                        [](bool flag) -> std::string { return flag ? "True" : "False"; },
                        [](std::int64_t integer) { return fmt::format("{}", integer); },
                        [](const BigInt& big) { return big.digits; },
                        [](double real) { return base::python_repr(real); },
                        [](const std::string& text) { return text; },
                        [](const Timestamp& time) { return time.text; },
                        [](const List& list) { return python_str(list); },
                        [](const Map& map) { return python_str(map); },
                    },
                    value.data);
}

}  // namespace sparsecfg::source
