#include "doc/construct_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "doc/construct.h"

namespace sparsecfg::doc {

using Data = std::optional<source::Value::Data>;

static Data construct_bool(std::string_view text) {
  const std::string word = base::to_lower(text);
  if (word == "yes" || word == "true" || word == "on") {
    return true;
  }
  if (word == "no" || word == "false" || word == "off") {
    return false;
  }
  return std::nullopt;
}

// Sums the parts between colons. Each part counts 60 times the next one.
static std::optional<double> sum_base_60(std::string_view text) {
  double sum = 0;
  double weight = 1;
  while (true) {
    const std::size_t colon = text.rfind(':');
    const auto part = base::python_float(colon == std::string_view::npos ? text : text.substr(colon + 1));
    if (!part) {
      return std::nullopt;
    }
    sum += *part * weight;
    weight *= 60;
    if (colon == std::string_view::npos) {
      return sum;
    }
    text = text.substr(0, colon);
  }
}

static Data construct_float(std::string_view text) {
  std::string plain = base::to_lower(text);
  std::erase(plain, '_');
  std::string_view rest = plain;
  const bool negative = rest.starts_with('-');
  rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
  std::optional<double> size;
  if (rest == ".inf") {
    size = std::numeric_limits<double>::infinity();
  } else if (rest == ".nan") {
    return std::numeric_limits<double>::quiet_NaN();
  } else if (rest.find(':') != std::string_view::npos) {
    size = sum_base_60(rest);
  } else {
    size = base::python_float(rest);
  }
  if (!size) {
    return std::nullopt;
  }
  return negative ? -*size : *size;
}

// Python skips characters that are not base64 and only checks that the last group is complete.
static bool is_base64(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return false;
  }
  std::size_t in_group = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '=') {
      if (in_group >= 2 && in_group + ++padding >= 4) {
        return true;
      }
    } else if (base::is_letter(c) || base::is_digit(c) || c == '+' || c == '/') {
      in_group = (in_group + 1) % 4;
      padding = 0;
    }
  }
  return in_group == 0;
}

// Recipes can't use Python `bytes`, so the text is kept as written.
static Data construct_binary(std::string_view text) { return is_base64(text) ? Data(std::string(text)) : std::nullopt; }

static Data construct_timestamp(std::string_view text) {
  return timestamp_identity(text) ? Data(source::Timestamp{std::string(text)}) : std::nullopt;
}

static Data construct_as(ScalarType type, std::string_view text) {
  switch (type) {
    case ScalarType::string:
    case ScalarType::foreign: return std::string(text);
    case ScalarType::boolean: return construct_bool(text);
    case ScalarType::integer: return construct_int(text);
    case ScalarType::real: return construct_float(text);
    case ScalarType::null: return std::monostate{};
    case ScalarType::timestamp: return construct_timestamp(text);
    case ScalarType::binary: return construct_binary(text);
    case ScalarType::merge:
    case ScalarType::value:
    case ScalarType::collection: break;
  }
  return std::nullopt;
}

static std::string_view name_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return "a boolean";
    case ScalarType::integer: return "an int";
    case ScalarType::real: return "a float";
    case ScalarType::timestamp: return "a date or time";
    case ScalarType::binary: return "base64";
    case ScalarType::collection: return "a list or mapping";
    case ScalarType::string:
    case ScalarType::null:
    case ScalarType::merge:
    case ScalarType::value:
    case ScalarType::foreign: break;
  }
  return "a string";
}

static std::string refusal(const Node& scalar, ScalarType type) {
  const std::string text = excerpt(scalar.text);
  if (type == ScalarType::merge) {
    return fmt::format("`{}` is the YAML merge key and can't be a value", text);
  }
  if (type == ScalarType::value) {
    return fmt::format("`{}` is the YAML default-value marker, which PyYAML can't load", text);
  }
  const bool tagged = type_of_tag(scalar.tag) != ScalarType::foreign;
  if (tagged) {
    return fmt::format("`{}` is tagged as {}, but PyYAML can't read it as one", text, name_of(type));
  }
  return fmt::format("`{}` looks like {}, but PyYAML can't read it as one", text, name_of(type));
}

Data construct_data(const Node& scalar, ScalarType type, diag::Sink& sink) {
  Data data = construct_as(type, scalar.text);
  if (!data) {
    const bool tagged = type_of_tag(scalar.tag) != ScalarType::foreign;
    sink.report(diag::value_not_of_its_type, scalar.span, refusal(scalar, type))
        .with_help(tagged ? "remove the tag" : "add quotes if it is meant as a string");
  }
  return data;
}

source::Value construct_scalar(const Node& node, diag::Sink& sink) {
  Data data = construct_data(node, type_of(node), sink);
  return {data ? std::move(*data) : source::Value::Data{}, node.span};
}

}  // namespace sparsecfg::doc
