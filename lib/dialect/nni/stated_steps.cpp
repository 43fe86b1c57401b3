#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "dialect/nni/read.h"

// The steps of an epoch that the author of a script states in a comment: "391 steps an epoch".
namespace sparsecfg::dialect::nni {

// Returns the integer that ends before `end`, without the spaces between.
static std::size_t number_before(std::string_view text, std::size_t end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && base::is_digit(text[begin - 1])) --begin;
  std::size_t number = 0;
  std::from_chars(text.data() + begin, text.data() + end, number);
  return begin > 0 && (base::is_letter(text[begin - 1]) || text[begin - 1] == '.') ? 0 : number;
}

std::optional<std::size_t> stated_steps_per_epoch(std::string_view text) {
  constexpr std::array kPhrases = {"steps an epoch",       "steps per epoch",   "steps/epoch",
                                   "steps each epoch",     "steps in an epoch", "steps every epoch",
                                   "iterations per epoch", "batches per epoch", "iterations an epoch"};
  std::optional<std::size_t> found;
  for (const std::string_view phrase : kPhrases) {
    for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
      const std::size_t number = number_before(text, at);
      if (number == 0) continue;
      if (found && found != number) return std::nullopt;
      found = number;
    }
  }
  return found;
}

}  // namespace sparsecfg::dialect::nni
