#include <algorithm>
#include <limits>
#include <string>

#include "doc/construct_parts.h"
#include "python/integer.h"

namespace sparsecfg::doc {

using python::Integer;

// Each part counts 60 times the next one. PyYAML accepts signs and any size in later parts, which is possible only with
// an explicit tag. Such values are rejected here.
static std::optional<Integer> parse_base_60(std::string_view text) {
  std::size_t colon = text.find(':');
  auto out = Integer::parse(text.substr(0, colon), 10);
  if (!out || text.size() > Integer::kMaxOtherDigits) {
    return std::nullopt;
  }
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    const auto part = Integer::parse(text.substr(0, colon), 10);
    const auto value = part && !part->is_negative() ? part->small() : std::nullopt;
    if (!value || *value > std::numeric_limits<std::int32_t>::max()) {
      return std::nullopt;
    }
    out->multiply(60);
    out->add(static_cast<std::uint32_t>(*value));
  }
  return out;
}

static std::optional<Integer> parse_unsigned(std::string_view text) {
  if (text == "0") {
    return Integer();
  }
  if (text.starts_with("0b")) {
    return Integer::parse(text.substr(2), 2);
  }
  if (text.starts_with("0x")) {
    return Integer::parse(text.substr(2), 16);
  }
  if (text.starts_with('0')) {
    return Integer::parse(text, 8);
  }
  return text.find(':') != std::string_view::npos ? parse_base_60(text) : Integer::parse(text, 10);
}

std::optional<source::Value::Data> construct_int(std::string_view text) {
  if (text.size() > 2 * Integer::kMaxDigits) {
    return std::nullopt;
  }
  std::string plain(text);
  std::erase(plain, '_');
  std::string_view rest = plain;
  const bool negative = rest.starts_with('-');
  rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
  auto parsed = rest.empty() ? std::nullopt : parse_unsigned(rest);
  if (!parsed) {
    return std::nullopt;
  }
  if (negative) {
    parsed->negate();
  }
  return parsed->value();
}

}  // namespace sparsecfg::doc
