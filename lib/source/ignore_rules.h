#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparsecfg::source {

// Patterns of .gitignore files: `build/`, `/vendored`, `*.generated.yaml`, `!keep.yaml`, `models/**/old`.
class IgnoreRules {
 public:
  IgnoreRules() = default;
  // Reads one pattern per line. Empty lines and lines that start with `#` are ignored.
  explicit IgnoreRules(std::string_view text);

  // Adds one pattern. Later patterns override earlier ones. Of patterns with `*`, `?` or `[` only the first 5,000
  // count.
  void add(std::string_view pattern);

  // Returns true if the last matching pattern ignores the path, false if it starts with `!`, and nullopt if no pattern
  // matches. `path` is relative to the folder of the rules, without a leading `./`.
  [[nodiscard]] std::optional<bool> ignores(std::string_view path, bool is_folder) const;

  // Returns true if the file or one of its parent folders is ignored.
  [[nodiscard]] bool ignores_file(std::string_view path) const;

  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::vector<std::string> segments;  // separated by slashes
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // true: matched against the whole path; false: against its last segment
  };

  // The last rules of a plain name or path, or kNone. An ignore file may have thousands of such rules.
  struct Plain {
    std::size_t any = kNone;
    std::size_t folder = kNone;
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void index(const Rule& rule);
  [[nodiscard]] std::size_t find_plain(const std::vector<std::string>& segments, bool is_folder) const;

  std::vector<Rule> rules_;
  std::unordered_map<std::string, Plain> names_;  // unanchored
  std::unordered_map<std::string, Plain> paths_;  // anchored, with slashes
  std::vector<std::size_t> globs_;                // other rules, in their order
};

}  // namespace sparsecfg::source
