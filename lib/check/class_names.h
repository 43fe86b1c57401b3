#pragma once

#include <string>
#include <string_view>

#include "check/check.h"

namespace sparsecfg::check {

// Returns the help for a class of layers among names of parameters. `example`: a parameter of the model; may be empty.
[[nodiscard]] std::string help_for_class(const Context& context, std::string_view example);

}  // namespace sparsecfg::check
