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

// Frees each part right after its conversion, so a large value and its tree are never in memory together.
static Node sequence(source::List& list) {
  Sequence items;
  items.reserve(list.size());
  for (Value& item : list) {
    items.push_back(node_of(std::move(item)));
  }
  return {std::move(items)};
}

static Node mapping(source::Map& map) {
  Mapping pairs;
  pairs.reserve(map.size());
  for (auto& [key, value] : map) {
    pairs.push_back({node_of(std::move(key)), node_of(std::move(value))});
  }
  return {std::move(pairs)};
}

Node node_of(Value value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return plain("null"); },
                        [](bool flag) { return plain(flag ? "true" : "false"); },
                        [](std::int64_t integer) { return plain(std::to_string(integer)); },
                        [](const source::BigInt& big) { return plain(big.digits); },
                        [](double number) { return plain(real(number)); },
                        [](std::string& string) {
                          return Node{Scalar{std::move(string), true}};
                        },
                        [](source::Timestamp& time) { return plain(std::move(time.text)); },
                        [](source::List& list) { return sequence(list); },
                        [](source::Map& map) { return mapping(map); },
                    },
                    value.data);
}

}  // namespace sparsecfg::emit
