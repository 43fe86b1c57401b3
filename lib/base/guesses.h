#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparsecfg::base {

// Guesses which of a model's words misspelt ones stand for. Comparing two words costs the product of their lengths, so
// all guesses together compare so many letters with each other and no more: a hundred million, some tenths of a second.
class Guesses {
 public:
  // same: `layer5.conv1` is not a misspelt `layer1.conv1`, so the numbers in the two words have to be the same.
  enum class Numbers : std::uint8_t { any, same };

  // The words must outlive this.
  template <class Words>
  Guesses(const Words& words, Numbers numbers) : words_(words.begin(), words.end()), numbers_(numbers) {}

  // Returns the word nearest to a misspelt one, as base::nearest() does; nullopt if none is near, or if no more letters
  // are compared.
  [[nodiscard]] std::optional<std::string_view> nearest(std::string_view word);

 private:
  struct Alike {
    std::vector<std::string_view> words;
    std::uint64_t letters = 0;  // of all of them
  };

  [[nodiscard]] std::string key_of(std::string_view word) const;

  std::vector<std::string_view> words_;
  Numbers numbers_;
  std::unordered_map<std::string, Alike> alike_;  // by their numbers; made for the first guess
  std::uint64_t letters_left_ = 100'000'000;
};

}  // namespace sparsecfg::base
