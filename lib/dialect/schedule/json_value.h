#pragma once

#include <optional>
#include <string_view>

#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::dialect::schedule {

// What a node stands for by the rules of JSON, where `1e-05` is a number; `$int`, `$float`, `$time` and
// `$map` give what JSON has no value for (ir/dump.h). Never fails: what is none of it is a text or a map.
[[nodiscard]] source::Value value_of(const doc::Document& document, doc::NodeId node);

// A number or one of the texts nan, inf and -inf.
[[nodiscard]] std::optional<double> number_of(const source::Value& value);

}  // namespace sparsecfg::dialect::schedule
