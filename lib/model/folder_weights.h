#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/limit_table.h"
#include "model/model_names.h"

namespace sparsecfg::model {

// The weights in the folder of a `config.json`. Nobody names these files, and the author of the folder wrote them, so
// they are read like files that settings name: below the project, with its limits. The last ones are kept, and read
// again when a file changes, because an editor asks for them after each keystroke. Thread-safe.
class FolderWeights {
 public:
  struct Result {
    std::shared_ptr<const ModelNames> names;  // null if the folder has no weights, or they are not read
    std::string refusal;                      // why weights are not read because of a limit: "`model.safetensors` ..."
  };

  // `max_bytes` limits the headers and indices of all folders together.
  explicit FolderWeights(std::size_t max_bytes = limits::kMaxFoundWeights) : left_(max_bytes) {}

  // Returns the names and shapes of the tensors beside a file.
  [[nodiscard]] Result beside(const std::string& config);

 private:
  // Tells the contents of a file apart without reading it. Empty for an absent file.
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time{};
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  struct Entry {
    std::string folder;
    std::vector<std::string> files;
    std::vector<Stamp> stamps;  // one per file
    Result result;
  };

  [[nodiscard]] static Stamp stamp_of(const std::string& path);
  [[nodiscard]] static std::vector<Stamp> stamps_of(const std::vector<std::string>& files);
  [[nodiscard]] static Entry read(const std::string& folder);

  // Counts the bytes of the weights in a folder. Returns false if the limit is exceeded.
  [[nodiscard]] bool count(const std::string& folder);

  std::mutex mutex_;
  std::deque<Entry> entries_;
  std::size_t left_;  // bytes
};

}  // namespace sparsecfg::model
