#include "model/names.h"

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "model/limits.h"

namespace sparsecfg::model {

namespace fs = std::filesystem;

constexpr std::size_t kPrefix = 8;  // bytes of the header length

static std::uint64_t length_in(std::string_view prefix) {
  std::uint64_t length = 0;
  for (std::size_t at = kPrefix; at-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(prefix[at]);
  }
  return length;
}

// Reads only the header, so that a wrong length costs at most the size of the file.
static ParametersOrError load_header(const std::string& path) {
  source::Loaded start = source::read_start(path, kPrefix);
  if (auto* failure = std::get_if<source::LoadError>(&start)) {
    return std::move(*failure);
  }
  if (std::get<std::string>(start).size() < kPrefix) {
    return source::LoadError{"is too short for a .safetensors file"};
  }
  const std::uint64_t length = length_in(std::get<std::string>(start));
  if (length > kMaxHeaderLength) {
    return source::LoadError{"has a header of " + std::to_string(length) +
                             " bytes, more than a .safetensors file may have"};
  }
  source::Loaded read = source::read_start(path, kPrefix + static_cast<std::size_t>(length));
  if (auto* failure = std::get_if<source::LoadError>(&read)) {
    return std::move(*failure);
  }
  const std::string_view header = std::string_view(std::get<std::string>(read)).substr(kPrefix);
  if (header.size() < length) {
    return source::LoadError{"ends after " + std::to_string(header.size()) + " of the " + std::to_string(length) +
                             " bytes of its header"};
  }
  if (!base::trim(header).starts_with('{')) {
    return source::LoadError{"has a header that is not a JSON mapping"};
  }
  return read_header(header);
}

// A shard's name must not refer to another folder.
static bool is_plain(const std::string& file) {
  return !file.empty() && file.find('/') == std::string::npos && file != "..";
}

static std::optional<source::LoadError> add_shapes(Parameters& all, const std::string& path,
                                                   const std::vector<std::string>& shards) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t at = 0; at < all.names.size(); ++at) {
    places.emplace(all.names[at], at);
  }
  for (const std::string& file : shards) {
    const fs::path shard = fs::path(path).parent_path() / file;
    std::error_code error;
    if (!is_plain(file) || !fs::exists(shard, error)) {
      continue;
    }
    ParametersOrError read = load_header(shard.native());
    if (const auto* failure = std::get_if<source::LoadError>(&read)) {
      return source::LoadError{"its shard " + base::printable(file) + " " + failure->reason};
    }
    auto& found = std::get<Parameters>(read);
    for (std::size_t at = 0; at < found.names.size(); ++at) {
      if (const auto place = places.find(found.names[at]); place != places.end())
        all.shapes[place->second] = std::move(found.shapes[at]);
    }
  }
  return std::nullopt;
}

ParametersOrError load_parameters(const std::string& path) {
  if (path.ends_with(".safetensors")) {
    return load_header(path);
  }
  source::Loaded text = source::read_file(path, kMaxFileBytes);
  if (auto* failure = std::get_if<source::LoadError>(&text)) {
    return std::move(*failure);
  }
  ParametersOrError read = read_names(std::get<std::string>(text));
  auto* parameters = std::get_if<Parameters>(&read);
  if (parameters != nullptr && path.ends_with(".index.json")) {
    if (auto failure = add_shapes(*parameters, path, shards_of(std::get<std::string>(text)))) {
      return std::move(*failure);
    }
  }
  return read;
}

std::variant<std::vector<Module>, source::LoadError> load_modules(const std::string& path) {
  source::Loaded text = source::read_file(path, kMaxFileBytes);
  if (auto* failure = std::get_if<source::LoadError>(&text)) {
    return std::move(*failure);
  }
  return read_modules(std::get<std::string>(text));
}

}  // namespace sparsecfg::model
