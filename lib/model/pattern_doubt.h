#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_names.h"
#include "model/selector.h"
#include "regex/budget.h"

namespace sparsecfg::model {

// Splits a pattern into its smallest units, in order: an escaped character (`\.`), a set (`[0-9]`) or one character.
// The result refers to `pattern`.
[[nodiscard]] std::vector<std::string_view> pattern_units(std::string_view pattern);

// Returns the top-level alternatives separated by `|`; the whole pattern if there is only one.
[[nodiscard]] std::vector<std::string> choices_of(const std::vector<std::string_view>& units);

// Patterns that probably match other names than intended.

struct PatternDoubt {
  enum class Kind : std::uint8_t {
    any_character,    // `layers.1.*`: the text after the number can be another digit
    open_end,         // `conv1`: names may continue after the pattern
    half_anchored,    // `.*conv|.*fc$`: the end applies to only one alternative
    repeated_letter,  // `conv*`: written as a glob
  };
  Kind kind;
  std::string meant;    // the probably intended pattern
  std::string witness;  // a name that only one of the two patterns matches
};

// Returns a doubt about a pattern that is matched from the start of a name. Returns nullopt if there is none, or if the
// budget is exhausted. `names` are the names of the model, one of which must prove the doubt. If it is null, a
// plausible name proves it.
[[nodiscard]] std::optional<PatternDoubt> doubt_of(std::string_view pattern, Selector::Over over,
                                                   const ModelNames* names, regex::Budget& budget);

}  // namespace sparsecfg::model
