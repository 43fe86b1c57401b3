#pragma once

#include <string_view>

#include "doc/document.h"

namespace sparsecfg::dialect {

struct Dialect {
  std::string_view name;  // what --from takes and JSON says: "sparseml"
  std::string_view text;  // what a file of it is to people: "a SparseML recipe"
  bool readable;          // whether there is a reader for it
};

// Which dialect a file is written in, told from its content; null where nothing fits. The rows of
// detect.cpp say what each dialect is told by, and the first one that fits counts.
[[nodiscard]] const Dialect* detect(const doc::Document& document);

// The same for a file that is no YAML: only words can tell.
[[nodiscard]] const Dialect* detect(std::string_view unreadable);

// The same for a Python script, which only NNI's users write their configurations as.
[[nodiscard]] const Dialect* detect_in_script(std::string_view script);

}  // namespace sparsecfg::dialect
