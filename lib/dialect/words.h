#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diag/fix.h"
#include "source/span.h"
#include "source/value.h"

// Words that users write for the names of a dialect: names of papers, other tools, other releases and file names.
// The rows are in `words.def` of each dialect:
//
//   WORD(place, owner, word, ours, reason)
//
// `owner` is the class of a field, or the field of a value; empty for any. `ours` is empty if there is no name with the
// same meaning; `reason` is then a complete instruction, otherwise a clause. An instruction for a field that ends in
// "delete this field" gets a fix that removes the field. Words are compared without regard to case, `-` and `_`.
//
// The word of a field may be an entry with a value, such as `desc_act: false`. Such a row applies only to this value.
// `ours` may be an entry as well, such as `num_bits: 4`, which then replaces the whole field.
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

// The parts of "num_bits: 4". The value is empty if there is none.
struct EntryText {
  std::string_view name;
  std::string_view value;
};

[[nodiscard]] EntryText split_entry(std::string_view text);

[[nodiscard]] std::span<const Word> words();

// Returns the row of a word whose name is one of the candidates. Returns a row without a name only for its owner, and
// for values and fields of any owner only if the reason names one of the candidates. Returns null if there is none.
// `value` is the value of a field as YAML writes it; a row for this value is preferred.
[[nodiscard]] const Word* find_word(Word::Place place, std::string_view owner, std::string_view word,
                                    std::span<const std::string_view> candidates, std::string_view value = {});

// Returns the help line of a row: "write `channel`: strategies are written without `per`".
[[nodiscard]] std::string help_of(const Word& word);

// The name that was probably meant by a wrong one.
struct Meant {
  std::optional<std::string_view> name;
  std::string help;
  std::string_view value{};  // if the row of a field has a value: `4` of `num_bits: 4`
  bool deletes = false;      // true if the advice is to delete the field

  // Returns the fix that writes the name at `span`, or none.
  [[nodiscard]] diag::Fix fix(source::Span span) const;
  // Returns the fix for a field with its value, or none.
  [[nodiscard]] diag::Fix fix(source::Span key, source::Span value) const;
};

// Returns the field that a table has for a word and its value, else the nearest candidate.
[[nodiscard]] Meant field_meant_by(std::string_view owner, std::string_view word, const source::Value& value,
                                   std::span<const std::string_view> candidates, std::string_view otherwise);

// Returns the name that a table has for the word, else the nearest candidate. The help is `otherwise` if there is none.
// The owner is empty for classes, which are compared without their common ending.
[[nodiscard]] Meant meant_by(Word::Place place, std::string_view owner, std::string_view word,
                             std::span<const std::string_view> candidates, std::string_view otherwise);

}  // namespace sparsecfg::dialect
