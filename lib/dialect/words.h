#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diag/fix.h"
#include "source/span.h"

// Words that users write for the names of a dialect: names of papers, other tools, other releases and file names.
// The rows are in `words.def` of each dialect:
//
//   WORD(place, owner, word, ours, reason)
//
// `owner` is the class of a field, or the field of a value; empty for any. `ours` is empty if there is no name with the
// same meaning; `reason` is then a complete instruction, otherwise a clause. An instruction for a field that ends in
// "delete this field" gets a fix that removes the field. Words are compared without regard to case, `-` and `_`.
namespace sparsecfg::dialect {

struct Word {
  enum class Place : std::uint8_t {
    type,   // a class
    field,  // a field of a class
    value,  // a value of a field
  };
  std::string_view dialect;
  Place place;
  std::string_view owner;
  std::string_view word;
  std::string_view ours;
  std::string_view reason;
};

[[nodiscard]] std::span<const Word> words();

// Returns the row of a word whose name is one of the candidates. Returns a row without a name only for its owner, and
// for values only if the reason names one of the candidates. Returns null if there is none.
[[nodiscard]] const Word* find_word(Word::Place place, std::string_view owner, std::string_view word,
                                    std::span<const std::string_view> candidates);

// Returns the help line of a row: "write `channel`: strategies are written without `per`".
[[nodiscard]] std::string help_of(const Word& word);

// The name that was probably meant by a wrong one.
struct Meant {
  std::optional<std::string_view> name;
  std::string help;

  // Returns the fix that writes the name at `span`, or none.
  [[nodiscard]] diag::Fix fix(source::Span span) const;
};

// Returns the name that a table has for the word, else the nearest candidate. The help is `otherwise` if there is none.
// The owner is empty for classes, which are compared without their common ending.
[[nodiscard]] Meant meant_by(Word::Place place, std::string_view owner, std::string_view word,
                             std::span<const std::string_view> candidates, std::string_view otherwise);

}  // namespace sparsecfg::dialect
