#include "project/extends.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/limit_table.h"
#include "base/text.h"
#include "platform/files.h"
#include "source/load.h"
#include "source/search.h"

namespace sparsecfg::project {

namespace fs = std::filesystem;

Extending::Extending(const std::string& path)
    : chain_{path},
      budget_(std::make_shared<base::Budget>(base::Budget::Limits{
          .steps = limits::kMaxExtended, .bytes = limits::kMaxExtendedBytes, .depth = limits::kMaxExtendsDepth})) {
  const std::string folder = fs::path(path).parent_path().native();
  project_ = source::repository_of(folder);
  if (project_.empty()) project_ = folder;
}

static SettingsError not_extended(const std::string& name, const std::string& why) {
  return {"", fmt::format("`{}` {}", base::printable(name), why)};
}

ReadSettings Extending::read(const std::string& from, const std::string& name) const {
  const std::string path = (fs::path(from).parent_path() / name).lexically_normal().native();
  const std::string_view ending = base::ending_of(name);
  if (std::ranges::find(chain_, path) != chain_.end()) return not_extended(name, "extends itself");
  if (chain_.size() >= limits::kMaxExtendsDepth) {
    return not_extended(name, fmt::format("is the last file of a chain of {}; at most {} are read", chain_.size() + 1,
                                          limits::kMaxExtendsDepth));
  }
  if (!budget_->spend()) {
    return not_extended(name,
                        fmt::format("cannot be read: config files extend more than {} files", limits::kMaxExtended));
  }
  if (ending != "yaml" && ending != "yml") return not_extended(name, "must be a .yaml or .yml file");
  const auto file = source::resolve_below(project_, path, fs::path(name).filename() == ".sparsecfg.yaml");
  if (const auto* failure = std::get_if<source::LoadError>(&file)) {
    return not_extended(name, "cannot be read: " + failure->reason);
  }
  if (platform::is_writable_by_others(std::get<std::string>(file))) {
    return not_extended(name, "is owned by another user and writable by others; run `chmod go-w` on it");
  }
  auto text = source::read_file(std::get<std::string>(file), limits::kMaxSettingsBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&text)) {
    return not_extended(name, "cannot be read: " + failure->reason);
  }
  if (!budget_->allocate(std::get<std::string>(text).size())) {
    return not_extended(name, fmt::format("cannot be read: extended config files have more than {} MiB in total",
                                          limits::kMaxExtendedBytes >> 20));
  }
  Extending next = *this;
  next.chain_.push_back(path);
  return read_extending(path, std::get<std::string>(std::move(text)), next);
}

}  // namespace sparsecfg::project
