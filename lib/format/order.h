#pragma once

#include <string_view>
#include <vector>

#include "doc/document.h"
#include "format/edits.h"
#include "format/usual_order.h"

namespace sparsecfg::format {

// Returns the edits that put the fields of a class into the usual order where they break one of its runs: an end before
// its start, a final value before the initial one. All other fields stay in the author's order, and so do those with a
// comment line, a blank line, an anchor or an alias among them.
[[nodiscard]] std::vector<Edit> reorder(std::string_view text, const doc::Document& document,
                                        const FieldOrder& order);

}  // namespace sparsecfg::format
