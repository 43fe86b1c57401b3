#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Makes plain replacements of what the fixes of findings ask for, in the order of the text. `document`
// is null where the text could not be read. A fix that the text has no place for goes: what should be
// removed is the only item of its list, shares its line with something else, or carries an anchor. One
// that changes what an alias stands for changes more than was looked at, so it is unsafe.
void resolve_fixes(const source::SourceFile& file, const Document* document, std::vector<diag::Diagnostic>& diagnostics);

}  // namespace sparsecfg::doc
