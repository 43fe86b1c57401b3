#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_names.h"
#include "model/selector.h"
#include "regex/budget.h"

// Selectors that probably match other names than intended, or none in any model.
namespace sparsecfg::model {

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
                                                   const ModelNames* names, base::Budget& budget);

struct Impossible {
  std::string reason;     // the reason, as a clause
  bool certain = false;   // false if matching names are only unlikely, such as a parameter called `conv`
  std::string meant{};    // suggested replacement; empty if unknown
  bool is_class = false;  // true for a class of layers among names of parameters
};

// Returns the reason why no model has a name that the term matches. Returns nullopt if a model could have such a name,
// and for all patterns once the budget is exhausted. `framework` is the framework of the recipe; empty means PyTorch,
// whose names have `.` between their parts.
[[nodiscard]] std::optional<Impossible> impossible_name(const Term& term, Selector::Over over,
                                                        const std::string& framework, base::Budget& budget);

}  // namespace sparsecfg::model
