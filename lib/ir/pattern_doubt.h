#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/model_names.h"
#include "ir/selector.h"

// Patterns that most likely were meant to match other names than they do.
namespace sparsecfg::ir {

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
// it.
[[nodiscard]] std::optional<PatternDoubt> doubt_of(std::string_view pattern, Selector::Over over,
                                                   const ModelNames* names);

}  // namespace sparsecfg::ir
