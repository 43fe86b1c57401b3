#include "base/guesses.h"

#include "base/edit_distance.h"
#include "base/text.h"

namespace sparsecfg::base {

// "layer5.0.conv1" -> "5 0 1"
static std::string numbers_in(std::string_view name) {
  std::string numbers;
  for (const char c : name) {
    if (is_digit(c)) {
      numbers += c;
    } else if (!numbers.empty() && numbers.back() != ' ') {
      numbers += ' ';
    }
  }
  return std::string(trim(numbers));
}

std::string Guesses::key_of(std::string_view word) const {
  return numbers_ == Numbers::same ? numbers_in(word) : std::string();
}

std::optional<std::string_view> Guesses::nearest(std::string_view word) {
  if (word.size() > kMaxWordLength) {
    return std::nullopt;
  }
  if (alike_.empty()) {
    for (const std::string_view each : words_) {
      Alike& alike = alike_[key_of(each)];
      alike.words.push_back(each);
      alike.letters += each.size();
    }
  }
  const auto found = alike_.find(key_of(word));
  if (found == alike_.end() || found->second.letters * word.size() > letters_left_) {
    return std::nullopt;
  }
  letters_left_ -= found->second.letters * word.size();
  return base::nearest(word, found->second.words);
}

}  // namespace sparsecfg::base
