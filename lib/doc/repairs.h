#pragma once

#include <string_view>

#include "doc/event.h"
#include "doc/input_buffer.h"

namespace sparsecfg::doc {

// Where libyaml stopped at something that PyYAML takes, puts into the feed what makes libyaml take
// it too with the same meaning, from that place on as far as it is sure. False where PyYAML
// refuses it as well. `text` is the file's up to the end of the part that is read.
[[nodiscard]] bool repair(std::string_view text, const Problem& problem, InputBuffer& feed);

}  // namespace sparsecfg::doc
