#pragma once

#include <cstdint>
#include <string>

#include "source/load.h"
#include "source/source_file.h"
#include "timeline/overview.h"

namespace sparsecfg::timeline {

// The figures of a run for people: how long it trains and which line says so, which actions are in
// force when, what each pruner selects and reaches, what that makes of the whole model where its shapes
// are known, the range of the learning rate.
[[nodiscard]] std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// The same as a JSON object, format 1.
[[nodiscard]] std::string summarize_json(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// The summary, then one row for each step at which something changes; what changes at every step
// has a row for each epoch unless `every_step`. As many columns as fit into `width` characters.
// False when `write` gave up.
bool write_table(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file, std::uint64_t first,
                 std::uint64_t last, bool every_step, std::size_t width, const source::Write& write);

}  // namespace sparsecfg::timeline
