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

// A schedule from its JSON (ir/dump.h), each part with the place in that text. Reports whatever does
// not make a whole schedule; the recipe is then empty.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Reports what no reader of a dialect would have made: steps that never come, milestones out of order,
// numbers of what is not there. True where there is nothing to report.
[[nodiscard]] bool is_whole(const ir::Recipe& recipe, diag::Sink& sink);

// Returns true if what ir::dump() writes is read back as the same schedule. Reads a few actions at a time, since the
// tree of all of them takes much memory.
[[nodiscard]] bool is_read_back(const ir::Recipe& recipe);

// What a node stands for by the rules of JSON, where `1e-05` is a number; `$int`, `$float`, `$time` and
// `$map` give what JSON has no value for (ir/dump.h). Never fails: what is none of it is a string or a map.
[[nodiscard]] source::Value value_of(const doc::Document& document, doc::NodeId node);

// A number or one of the texts nan, inf and -inf.
[[nodiscard]] std::optional<double> number_of(const source::Value& value);

// A JSON Schema (draft 7) of what ir::dump() writes.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::schedule
