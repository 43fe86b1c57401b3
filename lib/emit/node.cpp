#include "emit/node.h"

#include <cmath>

#include "base/number.h"
#include "base/overloaded.h"

namespace sparsecfg::emit {

using source::Value;

Node text(std::string_view text) { return {Scalar{std::string(text), true}}; }

static Node plain(std::string text) { return {Scalar{std::move(text), false}}; }

static std::string real(double value) {
  if (std::isnan(value)) {
    return ".nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-.inf" : ".inf";
  }
  std::string digits = base::python_repr(value);
  if (const std::size_t exponent = digits.find('e');
      exponent != std::string::npos && digits.find('.') == std::string::npos) {
    digits.insert(exponent, ".0");
  }
  return digits;
}

static Node sequence(const source::List& list) {
  Sequence items;
  for (const Value& item : list) {
    items.push_back(node_of(item));
  }
  return {std::move(items)};
}

static Node mapping(const source::Map& map) {
  Mapping pairs;
  for (const auto& [key, value] : map) {
    pairs.push_back({node_of(key), node_of(value)});
  }
  return {std::move(pairs)};
}

Node node_of(const Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return plain("null"); },
                        [](bool flag) { return plain(flag ? "true" : "false"); },
                        [](std::int64_t integer) { return plain(std::to_string(integer)); },
                        [](const source::BigInt& big) { return plain(big.digits); },
                        [](double number) { return plain(real(number)); },
                        [](const std::string& string) { return text(string); },
                        [](const source::Timestamp& time) { return plain(time.text); },
                        [](const source::List& list) { return sequence(list); },
                        [](const source::Map& map) { return mapping(map); },
                    },
                    value.data);
}

}  // namespace sparsecfg::emit
