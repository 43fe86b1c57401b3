#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::source {

// Patterns as git's ignore files have them: `build/`, `/vendored`, `*.generated.yaml`, `!keep.yaml`, `models/**/old`.
class IgnoreRules {
 public:
  IgnoreRules() = default;
  // The patterns of a text with one in each line; empty lines and those that begin with `#` are comments.
  explicit IgnoreRules(std::string_view text);

  // Adds one pattern. What is added later counts more.
  void add(std::string_view pattern);

  // Returns true if the last pattern that matches ignores the path, false if it begins with `!`, and nullopt if none
  // matches. `path` is relative to the folder of the rules, without `./` before it.
  [[nodiscard]] std::optional<bool> ignores(std::string_view path, bool is_folder) const;

  // Returns true if the path of a file, or one of the folders in it, is ignored.
  [[nodiscard]] bool ignores_file(std::string_view path) const;

  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::vector<std::string> segments;  // between slashes
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // matched against the whole path, otherwise against its last segment
  };

  std::vector<Rule> rules_;
};

}  // namespace sparsecfg::source
