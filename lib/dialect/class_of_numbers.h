#pragma once

#include <string_view>

#include "diag/diagnostic.h"
#include "model/number_class.h"
#include "source/span.h"

namespace sparsecfg::dialect {

// Adds the pattern to write to the report about one that Python rejects, if it contains numbers as a character class,
// such as `[16-31]`. `entry` is the text at `place`.
void advise_on_class(diag::Diagnostic& report, std::string_view entry, source::Span place,
                     model::PatternUse use = model::PatternUse::open);

}  // namespace sparsecfg::dialect
