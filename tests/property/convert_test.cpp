#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/number.h"
#include "convert/convert.h"
#include "rounds.h"

// Recipes by chance, converted into every dialect that can be written: whatever is written must be readable, and every
// difference announced.
namespace sparsecfg::convert {

static const int kRecipes = property_rounds(5000);
static const int kConfigurations = property_rounds(1000);  // which have several pruners each

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}

  int roll(int min, int max) { return std::uniform_int_distribution<int>(min, max)(engine_); }

  bool half() { return roll(0, 1) == 1; }

  double share(double min, double max) { return std::uniform_real_distribution<double>(min, max)(engine_); }

  std::string number(double min, double max) {
    return base::python_repr(half() ? std::round(share(min, max) * 100) / 100 : share(min, max));
  }

 private:
  std::mt19937 engine_;
};

// --- Distiller -----------------------------------------------------------------------------------------

static std::string pruner(Dice& dice, int index) {
  const std::string name = fmt::format("  p{}:\n", index);
  if (dice.roll(0, 3) == 0) {
    return name + fmt::format(
                      "    class: SparsityLevelParameterPruner\n    levels: {{a{0}.weight: {1}, b{0}.weight: {2}, "
                      "c{0}.weight: 0}}\n",
                      index, dice.number(0.1, 0.9), dice.number(0.1, 0.9));
  }
  return name + fmt::format(
                    "    class: AutomatedGradualPruner\n    initial_sparsity: {}\n    final_sparsity: {}\n    weights: "
                    "[x{}.weight]\n",
                    dice.number(0.01, 0.4), dice.number(0.5, 0.99), index);
}

static std::string scheduler(Dice& dice) {
  switch (dice.roll(0, 6)) {
    case 0: return fmt::format("{{class: ExponentialLR, gamma: {}}}", dice.number(0.5, 0.99));
    case 1: return fmt::format("{{class: StepLR, step_size: {}, gamma: {}}}", dice.roll(1, 9), dice.number(0.1, 0.9));
    case 2:
      return fmt::format("{{class: MultiStepLR, milestones: [{}, {}], gamma: {}}}", dice.roll(1, 5), dice.roll(6, 20),
                         dice.number(0.1, 0.9));
    case 3:
      return fmt::format("{{class: MultiStepMultiGammaLR, milestones: [{}, {}], gammas: [{}, {}]}}", dice.roll(1, 5),
                         dice.roll(6, 20), dice.number(0.1, 0.9), dice.number(0.1, 0.9));
    case 4:
      return fmt::format("{{class: CosineAnnealingLR, T_max: {}, eta_min: {}}}", dice.roll(2, 20),
                         dice.number(0.0, 0.01));
    case 5: return fmt::format("{{class: PolynomialLR, T_max: {}, power: {}}}", dice.roll(20, 60), dice.number(0.5, 2));
    default:
      return fmt::format("{{class: CosineAnnealingWarmRestarts, T_0: {}, T_mult: {}}}", dice.roll(1, 6),
                         dice.roll(1, 2));
  }
}

static std::string range(Dice& dice, int most_frequency) {
  const int start = dice.half() ? 0 : dice.roll(0, 12);
  return fmt::format("    starting_epoch: {}\n    ending_epoch: {}\n    frequency: {}\n", start,
                     start + dice.roll(2, 20), dice.roll(1, most_frequency));
}

static std::string schedule(Dice& dice) {
  const int pruners = dice.roll(1, 3);
  std::string text = "version: 1\npruners:\n";
  for (int index = 0; index < pruners; ++index) {
    text += pruner(dice, index);
  }
  const bool rates = dice.half();
  text += rates ? "lr_schedulers:\n  lr: " + scheduler(dice) + "\n" : "";
  text += "policies:\n";
  for (int index = 0; index < pruners; ++index) {
    text += fmt::format("  - pruner: {{instance_name: p{}}}\n", index) + range(dice, 4);
  }
  text += rates ? "  - lr_scheduler: {instance_name: lr}\n" + range(dice, dice.half() ? 1 : 3) : "";
  return text;
}

// --- SparseML ------------------------------------------------------------------------------------------

static std::string epoch(Dice& dice, int min, int max) {
  return dice.half() ? fmt::format("{}.0", dice.roll(min, max)) : dice.number(min, max);
}

static std::string window(Dice& dice) {
  return fmt::format("    start_epoch: {}\n    end_epoch: {}\n", epoch(dice, 0, 6), epoch(dice, 7, 14));
}

static std::string gradual(Dice& dice, int index) {
  constexpr const char* kShapes[] = {"cubic", "cubic", "cubic", "linear", "inverse_cubic"};
  return fmt::format(
             "  - !GMPruningModifier\n    params: [x{}.weight]\n    init_sparsity: {}\n    final_sparsity: {}\n", index,
             dice.half() ? "0.0" : dice.number(0.01, 0.3), dice.number(0.4, 0.95)) +
         window(dice) +
         fmt::format("    update_frequency: {}\n    inter_func: {}\n",
                     dice.half() ? fmt::format("{}.0", dice.roll(1, 3)) : dice.number(0.1, 2),
                     kShapes[dice.roll(0, 4)]);
}

static std::string rate(Dice& dice) {
  switch (dice.roll(0, 3)) {
    case 0:
      return fmt::format("  - !SetLearningRateModifier\n    start_epoch: {}\n    learning_rate: {}\n",
                         epoch(dice, 0, 10), dice.number(0.01, 0.5));
    case 1:
      return "  - !LearningRateFunctionModifier\n    lr_func: cosine\n    init_lr: 0.1\n    final_lr: 0.001\n" +
             window(dice);
    case 2:
      return "  - !LearningRateModifier\n    lr_class: ExponentialLR\n    lr_kwargs: {gamma: 0.9}\n    init_lr: 0.1\n" +
             window(dice);
    default: return "  - !SetWeightDecayModifier\n    start_epoch: 1.0\n    weight_decay: 0.0001\n";
  }
}

static std::string recipe(Dice& dice) {
  std::string text = "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: 15.0\n";
  const int pruners = dice.roll(1, 3);
  for (int index = 0; index < pruners; ++index) {
    text += gradual(dice, index);
  }
  return text + (dice.half() ? rate(dice) : "");
}

// --- NNI -----------------------------------------------------------------------------------------------

static std::string selection(Dice& dice, int index) {
  switch (dice.roll(0, 5)) {
    case 0: return "op_types: [Conv2d, Linear]";
    case 1: return fmt::format("op_names_re: ['x{}\\d+$']", index);
    case 2: return fmt::format("op_types: [Conv2d], exclude_op_names: [x{}]", index);
    default: return fmt::format("op_names: [x{0}, y{0}]", index);
  }
}

static std::string entry(Dice& dice, int index) {
  const std::string targets = dice.roll(0, 3) == 0 ? "" : ", target_names: [weight]";
  const std::string more = dice.roll(0, 5) == 0   ? ", max_sparse_ratio: 0.9"
                           : dice.roll(0, 5) == 0 ? ", global_group_id: 1"
                                                  : "";
  return fmt::format("      - {{{}{}, sparse_ratio: {}{}}}\n", selection(dice, index), targets, dice.number(0.1, 0.95),
                     more);
}

static std::string compressor(Dice& dice) {
  constexpr const char* kMakers[] = {"LevelPruner", "LevelPruner", "LevelPruner", "L1NormPruner", "L2NormPruner"};
  const std::string maker = kMakers[dice.roll(0, 4)];
  if (dice.roll(0, 4) == 0) {
    return fmt::format("class: {}", maker);
  }
  if (dice.roll(0, 5) == 0) {
    const int warmup = dice.roll(0, 9);
    return fmt::format("class: MovementPruner, warmup_step: {}, cooldown_begin_step: {}", warmup,
                       warmup + dice.roll(1, 20));
  }
  return fmt::format("class: {}, interval_steps: {}, total_times: {}, pruner: {{class: {}}}",
                     dice.roll(0, 2) == 0 ? "LinearPruner" : "AGPPruner",
                     dice.half() ? 3 * dice.roll(1, 3) : dice.roll(1, 12), dice.roll(1, 9), maker);
}

static std::string configuration(Dice& dice) {
  const int compressors = dice.roll(1, 3);
  std::string text = "compressors:\n";
  for (int index = 0; index < compressors; ++index) {
    text += fmt::format("  - {{{}, config_list: [\n", compressor(dice));
    for (int left = dice.roll(1, 2); left > 0; --left) {
      std::string item = entry(dice, 2 * index + left).substr(8);
      item.pop_back();
      text += "      " + item + (left > 1 ? ",\n" : "]}\n");
    }
  }
  return text + (dice.half() ? fmt::format("compress: {{max_epochs: {}}}\n", dice.roll(1, 40)) : "");
}

// --- the properties ------------------------------------------------------------------------------------

static Compilation compiled(const std::string& text, const CompileOptions& options) {
  return compile("recipe.yaml", text, options);
}

static void convert_many(std::string (*make)(Dice&), const char* from, const char* to, int left = kRecipes) {
  Dice dice(7);
  CompileOptions options;
  options.from = from;
  options.read.steps_per_epoch = 3;
  const Request request{dialect::find_dialect(to), options, 0.1, false};
  CompileOptions back = options;
  back.from = to;
  while (left > 0) {
    const std::string text = make(dice);
    const Compilation compilation = compiled(text, options);
    if (compilation.count(diag::Severity::error) > 0) {
      continue;
    }
    --left;
    const Conversion conversion = convert(compilation, request);
    CAPTURE(text, conversion.text);
    for (const diag::Diagnostic& diagnostic : conversion.diagnostics) {
      if (conversion.faulty) UNSCOPED_INFO(diagnostic.message);
    }
    REQUIRE_FALSE(conversion.faulty);
    REQUIRE(std::ranges::find(conversion.diagnostics, &diag::schedule_contradicts.info, &diag::Diagnostic::info) ==
            conversion.diagnostics.end());
    if (!conversion.text.empty()) {
      const Compilation written = compiled(conversion.text, back);
      REQUIRE(written.count(diag::Severity::error) == 0);
      REQUIRE(convert(written, {request.to, back, 0.1, false}).text == conversion.text);
    }
  }
}

TEST_CASE("Distiller's schedules become recipes of SparseML's that do the same") {
  convert_many(schedule, "distiller", "sparseml");
}

TEST_CASE("recipes of SparseML's become schedules that do the same") { convert_many(recipe, "sparseml", "distiller"); }

TEST_CASE("Distiller's schedules become configurations of NNI's that do the same") {
  convert_many(schedule, "distiller", "nni", kConfigurations);
}

TEST_CASE("recipes of SparseML's become configurations of NNI's that do the same") {
  convert_many(recipe, "sparseml", "nni", kConfigurations);
}

TEST_CASE("NNI's configurations become recipes of SparseML's that do the same") {
  convert_many(configuration, "nni", "sparseml", kConfigurations);
}

TEST_CASE("NNI's configurations become schedules that do the same") {
  convert_many(configuration, "nni", "distiller", kConfigurations);
}

TEST_CASE("a configuration stays what it is") { convert_many(configuration, "nni", "nni", kConfigurations); }

TEST_CASE("a schedule stays what it is") { convert_many(schedule, "distiller", "distiller"); }

TEST_CASE("a recipe of SparseML's stays what it is") { convert_many(recipe, "sparseml", "sparseml"); }

}  // namespace sparsecfg::convert
