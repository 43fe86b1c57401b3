#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::script {

// Searches a string in others in time that is linear in their lengths (Knuth, Morris, Pratt).
class Searcher {
 public:
  explicit Searcher(std::string_view part);

  // Returns the first place at or after `from`, or npos. An empty string is found everywhere.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from = 0) const;
  // Returns the last place, or npos.
  [[nodiscard]] std::size_t rfind(std::string_view text) const;

 private:
  std::string_view part_;
  std::vector<std::size_t> borders_;  // of a long string: for each prefix, the length of its longest border
};

}  // namespace sparsecfg::script
