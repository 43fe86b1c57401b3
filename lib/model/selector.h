#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_list.h"
#include "source/span.h"

namespace sparsecfg::model {

// One term of a selector.
struct Term {
  enum class Kind : std::uint8_t {
    all,              // every parameter, including biases and norms
    all_prunable,     // weights of linear, convolution and embedding layers
    all_quantizable,  // layers that can be quantized
    exact,            // a full name
    pattern,          // a Python regular expression, matched from the start of the name
    part,             // every name that is a substring of the text
    module_type,      // class name of a module
  };
  Kind kind;
  std::string text;  // the name, the pattern without `re:`, or the token
  source::Span span;
  bool required = false;  // true if the framework fails if the term matches nothing, even if not strict

  // Returns true if both match the same names in any model.
  [[nodiscard]] bool names_same_as(const Term& other) const { return kind == other.kind && text == other.text; }

  // Ignores the span.
  friend bool operator==(const Term& a, const Term& b) { return a.names_same_as(b) && a.required == b.required; }
};

// The names on which an action acts: all matches of any term, in model order.
struct Selector {
  enum class Over : std::uint8_t {
    parameters,
    layers,
    either,   // names of layers, types of layers or names of parameters: whichever a term matches
    modules,  // names of modules, restricted to the types if there are both
  };
  std::vector<Term> terms;
  Over over = Over::parameters;
  bool strict = true;                 // true if the framework fails if a term matches nothing
  bool needs_one = false;             // true if it fails if all terms together match nothing, though not strict
  bool drops = false;                 // true if the framework silently ignores terms without matches by default
  base::SharedList<Term> excluded{};  // not selected even if a term matches
  std::string tensor{};               // the tensor of a module: "weight", "_output_0"; empty: defined by the terms

  friend bool operator==(const Selector&, const Selector&) = default;
};

// Returns true if a string contains characters that occur in patterns but not in names.
[[nodiscard]] bool looks_like_pattern(std::string_view text);

// Returns true if a string can be a class name: it starts with a capital letter and contains no dots.
[[nodiscard]] bool looks_like_type(std::string_view text);

}  // namespace sparsecfg::model
