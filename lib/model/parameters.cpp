#include "model/names.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/budget.h"
#include "base/limit_table.h"
#include "base/text.h"
#include "source/load.h"

namespace sparsecfg::model {

namespace fs = std::filesystem;

using source::Loaded;
using source::LoadError;

constexpr std::size_t kPrefix = 8;  // bytes of the header length

static std::uint64_t length_in(std::string_view prefix) {
  std::uint64_t length = 0;
  for (std::size_t at = kPrefix; at-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(prefix[at]);
  }
  return length;
}

// Returns the budget for the headers of all files of a model. `project` is empty if the command line names the model.
static base::Budget header_budget(const std::string& project) {
  const std::size_t bytes = project.empty() ? limits::kMaxShardBytes : limits::kMaxProjectShardBytes;
  return base::Budget({.steps = bytes / limits::kShardCost, .bytes = bytes, .depth = 1});
}

// Reads only the header, so that a wrong length costs at most the size of the file.
static ParametersOrError load_header(const std::string& path, std::uint64_t max_length, base::Budget& budget) {
  Loaded start = source::read_start(path, kPrefix);
  if (auto* failure = std::get_if<LoadError>(&start)) {
    return std::move(*failure);
  }
  if (std::get<std::string>(start).size() < kPrefix) {
    return LoadError{"is too short for a .safetensors file"};
  }
  const std::uint64_t length = length_in(std::get<std::string>(start));
  if (length > max_length) {
    return LoadError{"has a header of " + std::to_string(length) + " bytes, more than a .safetensors file may have",
                     true};
  }
  if (!budget.spend() || !budget.allocate(std::max(static_cast<std::size_t>(length), limits::kShardCost))) {
    return LoadError{"exceeds the limit for the headers of all shards together", true};
  }
  Loaded read = source::read_start(path, kPrefix + static_cast<std::size_t>(length));
  if (auto* failure = std::get_if<LoadError>(&read)) {
    return std::move(*failure);
  }
  const std::string_view header = std::string_view(std::get<std::string>(read)).substr(kPrefix);
  if (header.size() < length) {
    return LoadError{"ends after " + std::to_string(header.size()) + " of the " + std::to_string(length) +
                     " bytes of its header"};
  }
  if (!base::trim(header).starts_with('{')) {
    return LoadError{"has a header that is not a JSON mapping"};
  }
  return read_header(header);
}

// A shard's name must not refer to another folder.
static bool is_plain(const std::string& file) {
  return !file.empty() && file.find('/') == std::string::npos && file != "..";
}

static ParametersOrError load_shard(const std::string& path, const std::string& project, base::Budget& budget) {
  if (project.empty()) {
    return load_header(path, limits::kMaxSafetensorsHeader, budget);
  }
  const auto file = source::resolve_below(project, path);
  const auto* error = std::get_if<LoadError>(&file);
  return error != nullptr ? ParametersOrError(*error)
                          : load_header(std::get<std::string>(file), limits::kMaxProjectBytes, budget);
}

static std::optional<LoadError> add_shapes(Parameters& all, const std::string& path,
                                           const std::vector<std::string>& shards, const std::string& project) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t at = 0; at < all.names.size(); ++at) {
    places.emplace(all.names[at], at);
  }
  base::Budget budget = header_budget(project);
  for (const std::string& file : shards) {
    const fs::path shard = fs::path(path).parent_path() / file;
    std::error_code error;
    if (!is_plain(file) || !fs::exists(shard, error)) {
      continue;
    }
    ParametersOrError read = load_shard(shard.native(), project, budget);
    if (const auto* failure = std::get_if<LoadError>(&read)) {
      return LoadError{"its shard " + base::printable(file) + " " + failure->reason, failure->too_large};
    }
    auto& found = std::get<Parameters>(read);
    for (std::size_t at = 0; at < found.names.size(); ++at) {
      if (const auto place = places.find(found.names[at]); place != places.end())
        all.shapes[place->second] = std::move(found.shapes[at]);
    }
  }
  return std::nullopt;
}

static ParametersOrError load_any(const std::string& path, std::size_t max_bytes, const std::string& project) {
  if (path.ends_with(".safetensors")) {
    base::Budget budget = header_budget(project);
    return load_header(path, project.empty() ? limits::kMaxSafetensorsHeader : max_bytes, budget);
  }
  Loaded text = source::read_file(path, max_bytes);
  if (auto* failure = std::get_if<LoadError>(&text)) {
    return std::move(*failure);
  }
  ParametersOrError read = read_names(std::get<std::string>(text));
  auto* parameters = std::get_if<Parameters>(&read);
  if (parameters != nullptr && path.ends_with(".index.json")) {
    if (auto failure = add_shapes(*parameters, path, shards_of(std::get<std::string>(text)), project)) {
      return std::move(*failure);
    }
  }
  return read;
}

// --- files that settings name -----------------------------------------------------------------------

// Frameworks build names of identifiers, and some of `/`, `:` and brackets. Assignments, sentences and keys have other
// characters.
static bool may_be_name(std::string_view text) {
  constexpr std::size_t kMaxName = 512;
  const auto fits = [](char c) {
    return base::is_letter(c) || base::is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("_.-/:[]").find(c) != std::string_view::npos;
  };
  return text.size() <= kMaxName && std::ranges::all_of(text, fits);
}

// Does not quote the file, and neither may another reason that is returned for it.
static LoadError not_names(std::string_view option) {
  return {"is not a file of names; `sparsecfg match " + std::string(option) + " FILE` reports the line"};
}

ParametersOrError load_parameters(const std::string& path) { return load_any(path, limits::kMaxModelBytes, ""); }

ParametersOrError load_parameters_of(const std::string& project, const std::string& path) {
  if (project.empty()) {
    return load_parameters(path);
  }
  const auto file = source::resolve_below(project, path);
  if (const auto* error = std::get_if<LoadError>(&file)) {
    return *error;
  }
  ParametersOrError read = load_any(std::get<std::string>(file), limits::kMaxProjectBytes, project);
  if (const auto* error = std::get_if<LoadError>(&read)) {
    return error->too_large ? *error : not_names("--params");
  }
  const bool names = std::ranges::all_of(std::get<Parameters>(read).names, may_be_name);
  return names ? std::move(read) : not_names("--params");
}

static std::variant<std::vector<Module>, LoadError> load_any_modules(const std::string& path, std::size_t max_bytes) {
  Loaded text = source::read_file(path, max_bytes);
  if (auto* failure = std::get_if<LoadError>(&text)) {
    return std::move(*failure);
  }
  return read_modules(std::get<std::string>(text));
}

std::variant<std::vector<Module>, LoadError> load_modules(const std::string& path) {
  return load_any_modules(path, limits::kMaxModelBytes);
}

std::variant<std::vector<Module>, LoadError> load_modules_of(const std::string& project, const std::string& path) {
  if (project.empty()) {
    return load_modules(path);
  }
  const auto file = source::resolve_below(project, path);
  if (const auto* error = std::get_if<LoadError>(&file)) {
    return *error;
  }
  auto read = load_any_modules(std::get<std::string>(file), limits::kMaxProjectBytes);
  if (const auto* error = std::get_if<LoadError>(&read)) {
    return error->too_large ? *error : not_names("--modules");
  }
  const auto fits = [](const Module& module) { return may_be_name(module.name) && may_be_name(module.type); };
  const bool names = std::ranges::all_of(std::get<std::vector<Module>>(read), fits);
  return names ? std::move(read) : not_names("--modules");
}

}  // namespace sparsecfg::model
