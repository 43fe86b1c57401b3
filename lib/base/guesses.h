#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparsecfg::base {

// Suggests names of a model for misspelled names. Comparing two words is quadratic in their length, so the total over
// all guesses is limited to 100 million letter comparisons, a few tenths of a second.
class Guesses {
 public:
  // same: the numbers in both words must be equal, because `layer5.conv1` is not a misspelling of `layer1.conv1`.
  enum class Numbers : std::uint8_t { any, same };

  // `words` must outlive this object.
  template <class Words>
  Guesses(const Words& words, Numbers numbers) : words_(words.begin(), words.end()), numbers_(numbers) {}

  // Returns the word nearest to a misspelled one, like base::nearest(). Returns nullopt if none is near or if the
  // comparison limit is reached.
  [[nodiscard]] std::optional<std::string_view> nearest(std::string_view word);

 private:
  struct Alike {
    std::vector<std::string_view> words;
    std::uint64_t letters = 0;  // sum over the words
  };

  [[nodiscard]] std::string key_of(std::string_view word) const;

  std::vector<std::string_view> words_;
  Numbers numbers_;
  std::unordered_map<std::string, Alike> alike_;  // by the numbers in the words; built for the first guess
  std::uint64_t letters_left_ = 100'000'000;
};

}  // namespace sparsecfg::base
