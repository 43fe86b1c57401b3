#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::schedule {

// Reads a schedule from JSON (ir/dump.h), with the source location of each part. Reports errors; the recipe is then
// empty.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Reports values that no reader of a dialect produces: steps that are never reached, unsorted milestones, indices out
// of range. Returns true if the recipe is correct.
[[nodiscard]] bool is_whole(const ir::Recipe& recipe, diag::Sink& sink);

// Returns true if the output of ir::dump() is read back as the same schedule. Reads a few actions at a time to limit
// memory use.
[[nodiscard]] bool round_trips(const ir::Recipe& recipe);

// Converts a node by the rules of JSON, where `1e-05` is a number. `$int`, `$float`, `$time` and `$map` encode values
// that JSON does not have (ir/dump.h). Never fails: anything else is a string or a map.
[[nodiscard]] source::Value value_of(const doc::Document& document, doc::NodeId node);

// Returns a number, also for the strings nan, inf and -inf.
[[nodiscard]] std::optional<double> number_of(const source::Value& value);

// Returns a JSON Schema (draft 7) for the output of ir::dump().
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::schedule
