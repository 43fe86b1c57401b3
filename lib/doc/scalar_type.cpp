#include "doc/scalar_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace sparsecfg::doc {

namespace {

// Reads a string from left to right. Every method advances past the text it accepts and returns whether it accepted
// any.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool one_of(std::string_view characters) {
    const bool found = !rest_.empty() && std::ranges::find(characters, rest_.front()) != characters.end();
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }

  bool word(std::string_view expected) {
    const bool found = rest_.starts_with(expected);
    rest_.remove_prefix(found ? expected.size() : 0);
    return found;
  }

  std::size_t run_of(std::string_view characters) {
    const std::size_t length = std::min(rest_.find_first_not_of(characters), rest_.size());
    rest_.remove_prefix(length);
    return length;
  }

  bool digit() {
    const bool found = !rest_.empty() && base::is_digit(rest_.front());
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }

  void digits_and_underscores() {
    while (!rest_.empty() && (base::is_digit(rest_.front()) || rest_.front() == '_')) rest_.remove_prefix(1);
  }

  std::size_t digits(std::size_t max) {
    std::size_t length = 0;
    while (length < max && length < rest_.size() && base::is_digit(rest_[length])) {
      ++length;
    }
    rest_.remove_prefix(length);
    return length;
  }

 private:
  std::string_view rest_;
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kMany = static_cast<std::size_t>(-1);

}  // namespace

static bool is_bool(std::string_view text) {
  static constexpr std::array<std::string_view, 18> kWords{"yes",  "Yes",  "YES",  "no",    "No",    "NO",
                                                           "true", "True", "TRUE", "false", "False", "FALSE",
                                                           "on",   "On",   "ON",   "off",   "Off",   "OFF"};
  return text.size() <= 5 && std::ranges::find(kWords, text) != kWords.end();
}

// Matches one or more groups of `:` and a one- or two-digit number below 60.
static bool base_60_digits(Cursor& at) {
  std::size_t parts = 0;
  while (at.one_of(":")) {
    const bool tens = at.one_of("012345");
    const bool ones = at.one_of(tens ? kDigits : "6789");
    if (!tens && !ones) {
      return false;
    }
    ++parts;
  }
  return parts > 0;
}

static bool is_exponent_or_end(Cursor at) {
  if (at.at_end()) {
    return true;
  }
  return at.one_of("eE") && at.one_of("+-") && at.digits(kMany) > 0 && at.at_end();
}

static bool is_float(std::string_view text) {
  Cursor at(text);
  const bool has_sign = at.one_of("+-");
  if (at.digit()) {
    at.digits_and_underscores();
    if (at.one_of(".")) {
      at.digits_and_underscores();
      return is_exponent_or_end(at);
    }
    return base_60_digits(at) && at.one_of(".") && (at.digits_and_underscores(), at.at_end());
  }
  if (!at.one_of(".")) {
    return false;
  }
  if (at.word("inf") || at.word("Inf") || at.word("INF")) {
    return at.at_end();
  }
  // PyYAML does not read `-.5` or `-.nan` as a YAML 1.1 float.
  if (has_sign) {
    return false;
  }
  if (at.word("nan") || at.word("NaN") || at.word("NAN")) {
    return at.at_end();
  }
  return at.digit() && (at.digits_and_underscores(), is_exponent_or_end(at));
}

static bool is_int(std::string_view text) {
  Cursor at(text);
  at.one_of("+-");
  if (at.one_of("0")) {
    if (at.word("b")) {
      return at.run_of("01_") > 0 && at.at_end();
    }
    if (at.word("x")) {
      return at.run_of("0123456789abcdefABCDEF_") > 0 && at.at_end();
    }
    at.run_of("01234567_");
    return at.at_end();
  }
  if (!at.one_of("123456789")) {
    return false;
  }
  at.digits_and_underscores();
  return at.at_end() || (base_60_digits(at) && at.at_end());
}

static bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// Matches a time zone (`Z`, `+1`, `-01:30`) or the end of the text.
static bool is_zone_or_end(Cursor at) {
  if (at.at_end()) {
    return true;
  }
  at.run_of(" \t");
  if (at.one_of("Z")) {
    return at.at_end();
  }
  if (!at.one_of("+-") || at.digits(2) == 0) {
    return false;
  }
  return at.at_end() || (at.one_of(":") && at.digits(2) == 2 && at.at_end());
}

bool is_timestamp_form(std::string_view text) {
  Cursor at(text);
  const bool date = at.digits(4) == 4 && at.one_of("-") && at.digits(2) > 0 && at.one_of("-") && at.digits(2) > 0;
  if (!date || at.at_end()) {
    return date;
  }
  if (!at.one_of("Tt") && at.run_of(" \t") == 0) {
    return false;
  }
  const bool time = at.digits(2) > 0 && at.one_of(":") && at.digits(2) == 2 && at.one_of(":") && at.digits(2) == 2;
  if (time && at.one_of(".")) {
    at.digits(kMany);
  }
  return time && is_zone_or_end(at);
}

static bool is_timestamp(std::string_view text) {
  constexpr std::size_t kFullDate = 10;
  return text.size() >= kFullDate && is_timestamp_form(text);
}

ScalarType resolve_plain(std::string_view text) {
  if (is_null(text)) {
    return ScalarType::null;
  }
  const char first = text.front();
  if (base::is_digit(first) || first == '+' || first == '-' || first == '.') {
    if (is_float(text)) {
      return ScalarType::real;
    }
    if (is_int(text)) {
      return ScalarType::integer;
    }
    return is_timestamp(text) ? ScalarType::timestamp : ScalarType::string;
  }
  if (is_bool(text)) {
    return ScalarType::boolean;
  }
  if (text == "<<") {
    return ScalarType::merge;
  }
  return text == "=" ? ScalarType::value : ScalarType::string;
}

ScalarType type_of_tag(std::string_view tag) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  static constexpr std::array<std::pair<std::string_view, ScalarType>, 13> kTypes{{
      {"str", ScalarType::string},
      {"bool", ScalarType::boolean},
      {"int", ScalarType::integer},
      {"float", ScalarType::real},
      {"null", ScalarType::null},
      {"timestamp", ScalarType::timestamp},
      {"binary", ScalarType::binary},
      {"merge", ScalarType::merge},
      {"seq", ScalarType::collection},
      {"map", ScalarType::collection},
      {"set", ScalarType::collection},
      {"omap", ScalarType::collection},
      {"pairs", ScalarType::collection},
  }};
  if (!tag.starts_with(kPrefix)) {
    return ScalarType::foreign;
  }
  const auto found =
      std::ranges::find(kTypes, tag.substr(kPrefix.size()), &std::pair<std::string_view, ScalarType>::first);
  return found == kTypes.end() ? ScalarType::foreign : found->second;
}

ScalarType type_of(const Node& scalar) {
  const ScalarType tagged = type_of_tag(scalar.tag);
  if (tagged != ScalarType::foreign) {
    return tagged;
  }
  // After a bare `!`, PyYAML reads even a quoted scalar as a plain one.
  const bool resolved = scalar.style == Style::plain || scalar.tag == "!";
  if (!resolved) {
    return ScalarType::string;
  }
  std::string_view text = scalar.text;
  // Python's `$` also matches before a final line feed, which only quoted and block scalars can contain.
  if (text.size() > 1 && text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  return resolve_plain(text);
}

}  // namespace sparsecfg::doc
