#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

inline constexpr std::size_t kStepsPerEpoch = 10;  // where nobody says how many an epoch has

// A pruner by thresholds that was taken for one of levels, and how.
struct Assumption {
  std::size_t action = 0;
  std::string reason;
};

// Takes each pruner whose thresholds are given in standard deviations for one of the levels that it would remove of
// weights which are normally distributed around 0.
[[nodiscard]] std::vector<Assumption> assume_gaussian(ir::Recipe& recipe);

// The comments at the head of a recipe, each on a line of its own and what stands between them and the
// recipe as one empty line. Empty where there are none. For another dialect without those that speak to
// an editor or to sparsecfg.
[[nodiscard]] std::string header_of(const source::SourceFile& file, bool for_another);

// Comments that say what has to be done outside of the recipe that was written. Empty where there is nothing to do.
[[nodiscard]] std::string instructions_of(const dialect::Written& written, const ir::Recipe& recipe);

// Compares the actions that were not dropped with those that were read back, in the order of the two texts. Returns
// what differs, "2 actions became 1" or the class of the first action that is another one; nullopt if nothing does.
[[nodiscard]] std::optional<std::string> first_difference(const ir::Recipe& recipe,
                                                          const std::vector<dialect::ActionStatus>& statuses,
                                                          const ir::Recipe& back);

// The learning rates of the first parameter group over a run, one after the other.
[[nodiscard]] dialect::RateSchedule rate_course(const ir::Recipe& recipe, const timeline::Run& run);

// A rate that stands for that of the trainer while nobody says what it is.
inline constexpr double kStandInRate = 0.1;

// The rates of a run that does not give that of the trainer, with kStandInRate for it and with the part of each that
// does not follow it. Returns nullopt if no rate follows it, or if one is not a multiple of it plus a fixed part.
[[nodiscard]] std::optional<dialect::RateSchedule> rates_by_trainer(const ir::Recipe& recipe, timeline::Run run);

}  // namespace sparsecfg::convert
