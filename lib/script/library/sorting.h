#pragma once

#include <optional>
#include <vector>

#include "python/tree.h"
#include "script/value.h"

namespace sparsecfg::script {

class Interpreter;

// Returns the elements in the order of `sorted(items, key=key, reverse=reverse)`; nullopt if it is unknown. `key` and
// `reverse` are null if they are absent.
[[nodiscard]] std::optional<std::vector<Ref>> sorted_items(Interpreter& interpreter, const std::vector<Ref>& items,
                                                           const Ref& key, const Ref& reverse,
                                                           const python::Node& node);

// Returns the first of the smallest (or largest) elements by a key; null if the order is unknown.
[[nodiscard]] Ref extreme_item(Interpreter& interpreter, const std::vector<Ref>& items, bool largest, const Ref& key,
                               const python::Node& node);

}  // namespace sparsecfg::script
