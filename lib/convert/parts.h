#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "convert/convert.h"
#include "convert/refusals.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// A threshold pruner that was converted to a level pruner under an assumption.
struct Assumption {
  std::size_t action = 0;
  std::string reason;
};

// Replaces each pruner whose thresholds are in standard deviations by a level pruner. The levels assume weights that
// are normally distributed around 0. Returns the replaced pruners.
[[nodiscard]] std::vector<Assumption> assume_gaussian(ir::Recipe& recipe);

// Returns the comment lines at the top of a recipe, followed by one empty line. Returns an empty string if there are
// none. `for_another` leaves out comments for editors and for sparsecfg.
[[nodiscard]] std::string header_of(const source::SourceFile& file, bool for_another);

// Returns comments that list the settings to make outside the written recipe, or an empty string.
[[nodiscard]] std::string instructions_of(const dialect::WriteResult& written, const ir::Recipe& recipe);

// Returns larger limits for the output, which may exceed the size of the input a little. Larger output is not written,
// because sparsecfg could not read it back.
[[nodiscard]] doc::Limits output_limits(doc::Limits limits);

// Returns the options with which the output is read back: those that its users would pass.
[[nodiscard]] CompileOptions options_of_output(const Request& request, const ir::Recipe& recipe,
                                               const dialect::WriteResult& written);

// Returns options with the names of the model as the target of a conversion has them.
[[nodiscard]] CompileOptions with_names_of(CompileOptions options, const dialect::Dialect& to);

// Compares the actions that were not dropped with those that were read back, in document order. Returns the first
// difference, or nullopt if both are equal.
[[nodiscard]] std::optional<Fault> first_difference(const ir::Recipe& recipe,
                                                    const std::vector<dialect::ActionStatus>& statuses,
                                                    const ir::Recipe& back);

// Returns the learning rates of the first parameter group over a run, in order.
[[nodiscard]] dialect::RateSchedule rate_schedule_of(const ir::Recipe& recipe, const timeline::Run& run);

// Placeholder for an unknown initial learning rate of the training script.
inline constexpr double kStandInRate = 0.1;

// Returns the rates of a run with an unknown initial rate as linear functions of that rate: the value at kStandInRate
// and the constant part. Returns nullopt if no rate depends on the initial rate, or if one does not depend on it
// linearly.
[[nodiscard]] std::optional<dialect::RateSchedule> rates_by_trainer(const ir::Recipe& recipe, timeline::Run run);

}  // namespace sparsecfg::convert
