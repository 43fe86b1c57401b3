#include "source/names.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/text.h"

namespace sparsecfg::source {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

static Names without_repeats(const Names& names) {
  std::unordered_set<std::string_view> seen;
  Names out;
  for (const std::string& name : names) {
    if (seen.insert(name).second) {
      out.push_back(name);
    }
  }
  return out;
}

static Names read_lines(std::string_view text) {
  Names names;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (const std::string_view name = base::trim(text.substr(0, end)); !name.empty()) {
      names.emplace_back(name);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return names;
}

static std::variant<Names, LoadError> read_json(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("weight_map")) {
    json = json["weight_map"];
  }
  Names names;
  if (json.is_object()) {
    for (const auto& [name, shape] : json.items()) {
      if (name != "__metadata__") names.push_back(name);
    }
    return names;
  }
  if (!json.is_array()) {
    return LoadError{"begins like JSON, but is no list or mapping of names"};
  }
  for (const Json& name : json) {
    if (!name.is_string()) return LoadError{"is a JSON list, but not of names alone"};
    names.push_back(name.get<std::string>());
  }
  return names;
}

// A .safetensors file begins with the length of its JSON head in eight bytes, least one first.
static std::string_view safetensors_head(std::string_view text) {
  constexpr std::size_t kPrefix = 8;
  if (text.size() <= kPrefix || text[kPrefix] != '{') {
    return {};
  }
  std::uint64_t length = 0;
  for (std::size_t at = kPrefix; at-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(text[at]);
  }
  return length <= text.size() - kPrefix ? text.substr(kPrefix, static_cast<std::size_t>(length)) : std::string_view();
}

std::variant<Names, LoadError> read_names(std::string_view text) {
  const std::string_view head = safetensors_head(text);
  const std::string_view body = head.empty() ? base::trim(text) : head;
  const bool json = body.starts_with('[') || body.starts_with('{');
  auto names = json ? read_json(body) : read_lines(body);
  if (auto* read = std::get_if<Names>(&names)) {
    return without_repeats(*read);
  }
  return names;
}

std::variant<std::vector<Module>, LoadError> read_modules(std::string_view text) {
  std::vector<Module> modules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    const std::size_t tab = line.find('\t');
    if (line.empty()) {
      continue;
    }
    if (tab == std::string_view::npos) {
      return LoadError{"line " + std::to_string(number) + " has no tab between a name and a type"};
    }
    const std::string_view rest = line.substr(tab + 1);
    modules.push_back({std::string(line.substr(0, tab)), std::string(rest.substr(0, rest.find('\t')))});
  }
  return modules;
}

}  // namespace sparsecfg::source
