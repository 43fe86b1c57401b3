#include "lsp/protocol.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace sparsecfg::lsp {

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
