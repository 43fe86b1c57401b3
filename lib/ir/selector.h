#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/shared_list.h"
#include "source/span.h"

namespace sparsecfg::ir {

// One entry of a selector.
struct Term {
  enum class Kind : std::uint8_t {
    all,              // every parameter, biases and norms too
    all_prunable,     // the weights of linear, convolution and embedding layers
    all_quantizable,  // the layers that can be quantized
    exact,            // a full name
    pattern,          // a regular expression of Python's, matched from the start of the name
    part,             // every name that is a part of the text
    module_type,      // the name of a module's class
  };
  Kind kind;
  std::string text;  // the name or the pattern without its `re:`; the token for the other two
  source::Span span;
  bool required = false;  // true if the framework stops where it matches nothing, strict or not

  // Returns true if both match the same names in any model.
  [[nodiscard]] bool names_same_as(const Term& other) const { return kind == other.kind && text == other.text; }

  // Compares all but the place.
  friend bool operator==(const Term& a, const Term& b);
};

// What an action acts on: all that any of its terms matches, in the model's own order.
struct Selector {
  enum class Over : std::uint8_t {
    parameters,
    layers,
    either,   // names of layers, their types or names of parameters: whichever a term fits
    modules,  // names of modules, narrowed to the types where there are both
  };
  std::vector<Term> terms;
  Over over = Over::parameters;
  bool strict = true;                 // true if the framework stops where a term matches nothing
  bool needs_one = false;             // true if it stops where all of them together take nothing, though not strict
  bool drops = false;                 // true if a term that matches nothing is silently dropped by default
  base::SharedList<Term> excluded{};  // what is not selected even if a term matches it
  std::string tensor{};               // which of a module's tensors: "weight", "_output_0"; empty: named by the terms

  friend bool operator==(const Selector&, const Selector&) = default;
};

}  // namespace sparsecfg::ir
