#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model_names.h"
#include "ir/selector.h"
#include "regex/budget.h"

namespace sparsecfg::ir {

// A pattern's smallest parts, in order: an escaped character (`\.`), a set (`[0-9]`) or one character. They refer to
// the pattern.
[[nodiscard]] std::vector<std::string_view> pattern_units(std::string_view pattern);

// The alternatives that `|` parts outside of all groups; the whole pattern where there is none.
[[nodiscard]] std::vector<std::string> choices_of(const std::vector<std::string_view>& units);

// Patterns that most likely were meant to match other names than they do.

struct PatternDoubt {
  enum class Kind : std::uint8_t {
    any_character,    // `layers.1.*`: what goes on behind the number may be another digit
    open_end,         // `conv1`: names may go on behind the pattern
    half_anchored,    // `.*conv|.*fc$`: the end holds for one of the alternatives
    repeated_letter,  // `conv*`: written like a file pattern
  };
  Kind kind;
  std::string meant;    // the pattern that says what was probably meant
  std::string witness;  // a name on which the two differ
};

// What is doubtful about a pattern that is matched from the start of a name; nothing where it is sound. `names` are
// those of the model, of which one has to prove the doubt. Where they are null a name that a model may well have proves
// it. Returns nullopt if the budget is spent before a doubt is proved.
[[nodiscard]] std::optional<PatternDoubt> doubt_of(std::string_view pattern, Selector::Over over,
                                                   const ModelNames* names, regex::Budget& budget);

}  // namespace sparsecfg::ir
