#pragma once

#include <optional>

#include "diag/sink.h"
#include "doc/scalar_type.h"
#include "source/value.h"

namespace sparsecfg::doc {

// What PyYAML's constructor for `type` makes of a text; nothing, and reported at the node, where
// it raises.
[[nodiscard]] std::optional<source::Value::Data> construct_data(const Node& scalar, ScalarType type, diag::Sink& sink);

}  // namespace sparsecfg::doc
