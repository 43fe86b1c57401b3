#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparsecfg::base {

// Returns the number of insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Longer words get no suggestion, because the time grows with the product of the lengths.
inline constexpr std::size_t kMaxWordLength = 100;

// Returns the candidate nearest to a misspelled word, ignoring letter case. The distance is at most a third of the
// word's length, or one edit for words of up to 5 letters. Returns nullopt if no candidate is that near or if the word
// is longer than kMaxWordLength. A candidate with other numbers, another number type (`int4` for `fp4`), the opposite
// meaning (`asymmetric` for `symmetric`) or another word (`block_size` for `batch_size`) is not near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// Like nearest(), for words that share long endings such as "PruningModifier". Compares only the letters before the
// ending that candidate and word have in common, so AWQModifier is not suggested for GPTQModifier.
[[nodiscard]] std::optional<std::string_view> nearest_stem(std::string_view word,
                                                           std::span<const std::string_view> candidates);

// Returns "did you mean `guess`?", or `otherwise` without a guess.
[[nodiscard]] std::string did_you_mean(std::optional<std::string_view> guess, std::string_view otherwise = {});

// Suggests names of a model for misspelled names. Comparing two words is quadratic in their length, so the total over
// all guesses is limited to 100 million letter comparisons, a few tenths of a second.
class Guesses {
 public:
  // `words` must outlive this object.
  template <class Words>
  explicit Guesses(const Words& words) : words_(words.begin(), words.end()) {}

  // Returns the word nearest to a misspelled one, like base::nearest(). Returns nullopt if none is near or if the
  // comparison limit is reached.
  [[nodiscard]] std::optional<std::string_view> nearest(std::string_view word);

 private:
  struct Alike {
    std::vector<std::string_view> words;
    std::uint64_t letters = 0;  // sum over the words
  };

  std::vector<std::string_view> words_;
  std::unordered_map<std::string, Alike> alike_;  // by the numbers in the words; built for the first guess
  std::uint64_t letters_left_ = 100'000'000;
};

}  // namespace sparsecfg::base
