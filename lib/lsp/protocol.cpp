#include "lsp/protocol.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace sparsecfg::lsp {

// Returns the place behind a string whose opening quote is at `at`.
static std::size_t skip_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

JsonShape shape_of(std::string_view json) {
  JsonShape shape;
  std::size_t open = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = skip_string(json, at);
      continue;
    }
    if (c == '[' || c == '{') shape.depth = std::max(shape.depth, ++open);
    if ((c == ']' || c == '}') && open > 0) --open;
    if (c == '[' || c == '{' || c == ',') ++shape.values;
    ++at;
  }
  return shape;
}

static std::uint32_t read_number(const Json& json) {
  const auto number = json.get<std::int64_t>();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<std::int32_t>::max()));
}

Position read_position(const Json& json) { return {read_number(json.at("line")), read_number(json.at("character"))}; }

Range read_range(const Json& json) { return {read_position(json.at("start")), read_position(json.at("end"))}; }

static std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string path_of(const std::string& uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) {
    return {};
  }
  const std::size_t path = uri.find('/', kScheme.size());
  return path == std::string::npos ? "" : percent_decoded(std::string_view(uri).substr(path));
}

}  // namespace sparsecfg::lsp
