#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/shell_words.h"

// The variables of a shell script.
namespace sparsecfg::source {

inline constexpr std::size_t kMaxValue = 4096;  // letters of a variable that is replaced

// The value of a variable.
struct Expanded {
  std::string text;
  std::string identity;
  bool unknown = false;
  std::optional<std::vector<ShellWord>> list{};  // of an array
};

// The variables of a script, with the values before each control structure that a run can skip.
class Variables {
 public:
  [[nodiscard]] const Expanded* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  void set(const std::string& name, Expanded value) {
    if (value.text.size() > kMaxValue || value.identity.size() > kMaxValue) value = unknown();
    const Expanded* old = find(name);
    changes_.emplace_back(name, old == nullptr ? std::nullopt : std::optional(*old));
    values_.insert_or_assign(name, std::move(value));
  }

  // A value that equals no other.
  [[nodiscard]] Expanded unknown() { return {{}, '\1' + std::to_string(++unknown_count_), true}; }

  // The number of changes, for `undo`.
  [[nodiscard]] std::size_t mark() const { return changes_.size(); }

  // Restores the values at a mark. Adds the names that had others to `changed`.
  void undo(std::size_t mark, std::set<std::string>& changed) {
    for (; changes_.size() > mark; changes_.pop_back()) {
      auto& [name, value] = changes_.back();
      if (value) values_.insert_or_assign(name, *std::move(value));
      if (!value) values_.erase(name);
      changed.insert(name);
    }
  }

 private:
  std::map<std::string, Expanded, std::less<>> values_;
  std::vector<std::pair<std::string, std::optional<Expanded>>> changes_;
  std::size_t unknown_count_ = 0;
};

}  // namespace sparsecfg::source
