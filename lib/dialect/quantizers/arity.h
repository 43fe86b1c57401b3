#pragma once

#include <cstddef>

#include "python/tree.h"

// How a framework can call a function of a script.
namespace sparsecfg::dialect::quantizers {

struct Arity {
  std::size_t required = 0;  // parameters by position without a default
  std::size_t most = 0;      // parameters by position
  bool any = false;          // true if `*args` accepts further arguments
  bool named = false;        // true if a parameter without a default must be passed by name

  // Returns true if the function accepts this number of arguments by position, apart from those that it needs by name.
  [[nodiscard]] bool accepts(std::size_t count) const { return required <= count && (any || count <= most); }
};

// Returns true for a parameter that can be passed by position.
[[nodiscard]] bool is_by_position(const python::Parameter& parameter);

[[nodiscard]] Arity arity_of(const python::Statement& function);

}  // namespace sparsecfg::dialect::quantizers
