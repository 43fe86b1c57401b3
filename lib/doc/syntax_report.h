#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "doc/event.h"

namespace sparsecfg::doc {

// Says in our words why the text is not YAML. `text` is the file's up to the end of the part that
// is read; `open_bracket` is the innermost bracket still open, `after_document` whether the
// document was complete before.
void report_problem(std::string_view text, const Problem& problem, std::optional<std::uint32_t> open_bracket,
                    bool after_document, diag::Sink& sink);

}  // namespace sparsecfg::doc
