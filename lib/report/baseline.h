#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/levels.h"
#include "report/report.h"
#include "source/load.h"
#include "source/source_file.h"

namespace sparsecfg::report {

// Known findings that are not reported again. A baseline file names each by the path of its recipe, relative to the
// folder of the baseline, its code, and a fingerprint that does not change if lines above are added or removed. The
// entries of a file that no longer exists also match in other files, because it may have been renamed.
class Baseline {
 public:
  // Reads a baseline file. Paths in the file are relative to the folder of `path`.
  [[nodiscard]] static std::variant<Baseline, source::LoadError> read(const std::string& path);

  // Removes the known findings of a file and returns their number.
  std::size_t remove(const source::SourceFile& file, std::vector<diag::Diagnostic>& findings);

  // Returns the number of entries that matched no finding, of the files passed to remove() and of files that no longer
  // exist.
  [[nodiscard]] std::size_t count_unused() const;

 private:
  using Key = std::pair<std::string, std::string>;  // path and fingerprint

  [[nodiscard]] bool take(const Key& key);
  [[nodiscard]] bool is_gone(const std::string& path) const;

  std::string folder_;
  std::set<Key> entries_;
  std::map<std::string, std::vector<Key>> by_fingerprint_;
  std::set<Key> used_;
  std::set<std::string> checked_;             // paths of the files
  mutable std::map<std::string, bool> gone_;  // files of entries that no longer exist
};

// A file with its findings, and the rules that were checked.
struct CheckedFile {
  const FileReport* report;
  const diag::Levels* levels;
};

// Returns the text of the baseline file `path` with all findings of some files. Keeps its entries for other files, and
// for rules that were not checked.
[[nodiscard]] std::string render_baseline(const std::string& path, std::span<const CheckedFile> files);

}  // namespace sparsecfg::report
