#include "model/folder_weights.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "base/text.h"
#include "model/names.h"
#include "source/load.h"
#include "source/search.h"

namespace sparsecfg::model {

namespace fs = std::filesystem;

constexpr std::string_view kFiles[] = {"model.safetensors.index.json", "model.safetensors"};
constexpr std::size_t kMaxEntries = 4;  // folders whose weights are kept

// Returns the folder of a model in the cache of the Hugging Face Hub, whose files are links from
// `models--NAME/snapshots/REVISION` to `models--NAME/blobs`; an empty path for other folders.
static fs::path hub_root(const fs::path& folder) {
  const fs::path root = folder.parent_path().parent_path();
  std::error_code ignored;
  const bool hub = folder.parent_path().filename() == "snapshots" && root.filename().native().starts_with("models--");
  return hub && fs::is_directory(root / "blobs", ignored) ? root : fs::path();
}

static std::string project_of(const std::string& folder) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
  const fs::path path = absolute.has_filename() ? absolute : absolute.parent_path();
  const std::string repository = source::repository_of(path.native());
  const fs::path hub = repository.empty() ? hub_root(path) : fs::path();
  return !repository.empty() ? repository : hub.empty() ? path.native() : hub.native();
}

FolderWeights::Stamp FolderWeights::stamp_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const fs::file_time_type time = error ? fs::file_time_type() : fs::last_write_time(path, error);
  return error ? Stamp() : Stamp{size, time};
}

std::vector<FolderWeights::Stamp> FolderWeights::stamps_of(const std::vector<std::string>& files) {
  std::vector<Stamp> out;
  for (const std::string& file : files) out.push_back(stamp_of(file));
  return out;
}

// Returns the files that belong to an index.
static std::vector<std::string> files_of(const std::string& index, const std::string& folder) {
  std::vector<std::string> out;
  const source::Loaded text = source::read_file(index, limits::kMaxProjectBytes);
  if (const auto* json = std::get_if<std::string>(&text)) {
    for (const std::string& shard : shards_of(*json)) out.push_back(folder + shard);
  }
  return out;
}

FolderWeights::Entry FolderWeights::read(const std::string& folder) {
  const std::string project = project_of(folder);
  Entry out{folder, {}, {}, {}};
  for (const std::string_view name : kFiles) out.files.push_back(folder + std::string(name));
  for (const std::string_view name : kFiles) {
    const std::string path = folder + std::string(name);
    const auto resolved = source::resolve_below(project, path);
    std::error_code error;
    if (const auto* refused = std::get_if<source::LoadError>(&resolved)) {
      if (fs::exists(path, error)) out.result.refusal = "`" + std::string(name) + "` " + refused->reason;
      continue;
    }
    const std::vector<std::string> shards =
        name.ends_with(".json") ? files_of(std::get<std::string>(resolved), folder) : std::vector<std::string>();
    out.files.insert(out.files.end(), shards.begin(), shards.end());
    out.stamps = stamps_of(out.files);
    auto loaded = load_parameters_of(project, path);
    if (auto* parameters = std::get_if<Parameters>(&loaded)) {
      out.result = {std::make_shared<const ModelNames>(std::move(*parameters)), {}};
      return out;
    }
    const auto& failure = std::get<source::LoadError>(loaded);
    if (failure.too_large) out.result.refusal = "`" + std::string(name) + "` " + failure.reason;
  }
  out.stamps = stamps_of(out.files);
  return out;
}

// Returns the bytes that are read of a file below a project: the whole index, or the header of a .safetensors file.
static std::size_t read_bytes_of(const std::string& project, const std::string& name) {
  const auto resolved = source::resolve_below(project, name);
  if (!std::holds_alternative<std::string>(resolved)) {
    return 0;
  }
  const auto& path = std::get<std::string>(resolved);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || !name.ends_with(".safetensors")) {
    return error ? 0 : static_cast<std::size_t>(std::min<std::uintmax_t>(size, limits::kMaxProjectBytes));
  }
  const source::Loaded start = source::read_start(path, sizeof(std::uint64_t));
  const auto* prefix = std::get_if<std::string>(&start);
  std::uint64_t length = 0;
  for (std::size_t at = prefix == nullptr ? 0 : prefix->size(); at-- > 0;) {
    length = length << 8U | static_cast<unsigned char>((*prefix)[at]);
  }
  return static_cast<std::size_t>(std::min({length, std::uint64_t{size}, std::uint64_t{limits::kMaxProjectBytes}}));
}

bool FolderWeights::count(const std::string& folder) {
  const std::string project = project_of(folder);
  std::size_t bytes = 0;
  for (const std::string_view name : kFiles) bytes += read_bytes_of(project, folder + std::string(name));
  const std::scoped_lock lock(mutex_);
  const bool fits = bytes <= left_;
  left_ -= fits ? bytes : left_;
  return fits || bytes == 0;
}

FolderWeights::Result FolderWeights::beside(const std::string& config) {
  const std::string folder = config.substr(0, config.rfind('/') + 1);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(entries_, folder, &Entry::folder);
    if (known != entries_.end() && known->stamps == stamps_of(known->files)) return known->result;
    if (known != entries_.end()) entries_.erase(known);
  }
  if (!count(folder)) {
    return {nullptr, "the weights exceed the limit for all weights of a run"};
  }
  Entry entry = read(folder);
  const std::scoped_lock lock(mutex_);
  entries_.push_back(entry);
  if (entries_.size() > kMaxEntries) entries_.pop_front();
  return entry.result;
}

}  // namespace sparsecfg::model
