#pragma once

#include <string_view>

#include "diag/sink.h"
#include "doc/document.h"

namespace sparsecfg::doc {

// Reports tags that are not YAML's (SP012), which `reader` ("NNI") refuses or, where they name Python code, would run.
// Values of a Python script have no tags of their own.
void report_unknown_tags(const Document& document, std::string_view reader, diag::Sink& sink);

}  // namespace sparsecfg::doc
