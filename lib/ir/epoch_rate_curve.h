#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

// Learning rates as functions of a whole epoch, as torch's schedulers compute them if they are stepped with an explicit
// epoch (docs/semantics/distiller.md#b6, #c9). Epochs count from 0. `base` is the rate of the parameter group when its
// first scheduler was built.
namespace sparsecfg::ir {

struct StepDecay {  // base * gamma^(epoch // epochs)
  static constexpr std::string_view kName = "step";
  double epochs = 1;
  double gamma = 0.1;
  friend bool operator==(const StepDecay&, const StepDecay&) = default;
};

struct MilestoneDecay {  // base * gamma^(milestones not after the epoch)
  static constexpr std::string_view kName = "milestones";
  std::vector<double> milestones;  // ascending, may repeat
  double gamma = 0.1;
  friend bool operator==(const MilestoneDecay&, const MilestoneDecay&) = default;
};

struct MilestoneFactors {  // base * the product of the gammas of milestones not after the epoch
  static constexpr std::string_view kName = "milestone_factors";
  std::vector<double> milestones;  // ascending
  std::vector<double> gammas;      // one for each milestone
  friend bool operator==(const MilestoneFactors&, const MilestoneFactors&) = default;
};

struct ExponentialDecay {  // base * gamma^epoch
  static constexpr std::string_view kName = "exponential";
  double gamma = 1;
  friend bool operator==(const ExponentialDecay&, const ExponentialDecay&) = default;
};

struct CosineAnnealing {  // from base to `min` and back, in `epochs` epochs each way
  static constexpr std::string_view kName = "cosine";
  double epochs = 1;
  double min = 0;
  friend bool operator==(const CosineAnnealing&, const CosineAnnealing&) = default;
};

// Cosine from `base` to `min`, with restarts. The first cycle has `epochs` epochs, each next cycle is `growth` times as
// long.
struct CosineRestarts {
  static constexpr std::string_view kName = "cosine_restarts";
  double epochs = 1;
  double growth = 1;
  double min = 0;
  friend bool operator==(const CosineRestarts&, const CosineRestarts&) = default;
};

struct PolynomialDecay {  // base * (1 - epoch/epochs)^power
  static constexpr std::string_view kName = "polynomial";
  double epochs = 1;
  double power = 1;
  friend bool operator==(const PolynomialDecay&, const PolynomialDecay&) = default;
};

struct FactorRamp {  // base * a factor that changes from `from` to `to` in `epochs` epochs, linearly or at their end
  static constexpr std::string_view kName = "factor";
  double from = 1;
  double to = 1;
  double epochs = 1;
  bool linear = true;
  friend bool operator==(const FactorRamp&, const FactorRamp&) = default;
};

struct Cyclic {  // triangles between two rates; independent of base
  static constexpr std::string_view kName = "cyclic";
  enum class Mode : std::uint8_t { triangular, triangular2, exp_range };
  double min = 0;
  double max = 0;
  double up = 1;    // epochs
  double down = 1;  // epochs
  Mode mode = Mode::triangular;
  double gamma = 1;
  bool by_cycle = true;  // true if exp_range counts cycles; else epochs
  friend bool operator==(const Cyclic&, const Cyclic&) = default;
};

struct OneCycle {  // rises to `max` and falls again in `epochs` steps, then fails; independent of base
  static constexpr std::string_view kName = "one_cycle";
  double max = 0;
  double epochs = 1;
  double pct_start = 0.3;
  bool cosine = true;
  double first_divisor = 25;
  double last_divisor = 10000;
  bool three_phases = false;
  friend bool operator==(const OneCycle&, const OneCycle&) = default;
};

struct Plateau {  // follows the loss or the accuracy
  static constexpr std::string_view kName = "plateau";
  friend bool operator==(const Plateau&, const Plateau&) = default;
};

using EpochRateCurve = std::variant<StepDecay, MilestoneDecay, MilestoneFactors, ExponentialDecay, CosineAnnealing,
                                    CosineRestarts, PolynomialDecay, FactorRamp, Cyclic, OneCycle, Plateau>;

// Returns the rate at an epoch. Returns nullopt if it depends on an unknown base or on the training itself, or if
// Python fails (division by 0, a complex number).
[[nodiscard]] std::optional<double> rate_at(const EpochRateCurve& course, std::optional<double> base, double epoch);

// Returns the rate that construction sets before anything else; nullopt if it sets none.
[[nodiscard]] std::optional<double> rate_before_built(const EpochRateCurve& course);

// Returns the rate after construction of the scheduler, for a group with rate `rate`.
[[nodiscard]] std::optional<double> rate_when_built(const EpochRateCurve& course, std::optional<double> rate,
                                                    std::optional<double> base);

// Returns the base rate that construction sets, even if the group had one; nullopt if it sets none.
[[nodiscard]] std::optional<double> base_when_built(const EpochRateCurve& course);

// Returns the rate after the step number `count` of a scheduler that is stepped without an epoch. Most schedulers
// change the current rate `rate`. Returns nullopt as `rate_at` does.
[[nodiscard]] std::optional<double> rate_after(const EpochRateCurve& course, std::optional<double> rate,
                                               std::optional<double> base, double count);

// Returns true if the step number `count` without an epoch raises an error.
[[nodiscard]] bool fails_after(const EpochRateCurve& course, double count);

// Returns true if stepping the scheduler to an epoch raises an error.
[[nodiscard]] bool fails_at(const EpochRateCurve& course, double epoch);

}  // namespace sparsecfg::ir
