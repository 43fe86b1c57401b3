#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "doc/readers.h"
#include "format/format.h"
#include "recipes.h"
#include "rescale/rescale.h"
#include "rounds.h"
#include "timeline/evaluator.h"

// Recipes of the cases and recipes by chance: twice as long, everything comes at twice its epoch; half as long again,
// they are what they were.
namespace sparsecfg::rescale {

static constexpr std::size_t kStepsPerEpoch = 8;  // a power of two, so that no epoch of a step is rounded

struct Read {
  Compilation compilation;
  doc::Document document;
  const dialect::Dialect* dialect = nullptr;
};

// Returns nullopt for what `rescale` does not take.
static std::optional<Read> read(const std::string& name, const std::string& text, const CompileOptions& options) {
  Read out{compile(name, text, options), {}, nullptr};
  if (!out.compilation.recipe || out.compilation.count(diag::Severity::error) > 0 || name.ends_with(".py")) {
    return std::nullopt;
  }
  out.dialect = dialect::find_dialect(*out.compilation.dialect);
  diag::Sink sink;
  const auto part = format::part_of(*out.compilation.file);  // not of a fenced block
  auto document = part ? doc::read_yaml(*out.compilation.file, *part, options.limits, sink) : std::nullopt;
  if (!document || out.dialect->times == nullptr || !out.compilation.recipe->trains) {
    return std::nullopt;
  }
  out.document = std::move(*document);
  return out;
}

static Rescaled by(const Read& recipe, const Factor& factor, bool frequencies, const CompileOptions& options) {
  Request request{options, std::nullopt, factor};
  request.frequencies = frequencies;
  return rescale(recipe.compilation, recipe.document, *recipe.dialect, request);
}

static std::vector<const ir::Action*> in_document_order(const ir::Recipe& recipe) {
  std::vector<const ir::Action*> actions;
  for (const ir::Action& action : recipe.actions) actions.push_back(&action);
  std::ranges::stable_sort(actions, {}, [](const ir::Action* action) { return action->origin.ordinal; });
  return actions;
}

static void check_same(const ir::Recipe& before, const ir::Recipe& after) {
  const auto one = in_document_order(before);
  const auto other = in_document_order(after);
  REQUIRE(one.size() == other.size());
  for (std::size_t at = 0; at < one.size(); ++at) {
    const bool nan = one[at]->effect != ir::Effect(one[at]->effect);
    CHECK((nan || one[at]->effect == other[at]->effect));
    CHECK(one[at]->cadence == other[at]->cadence);
  }
}

// But for the rounding of the last digits. A rate may be nan in both.
static bool is_close(const std::optional<double>& one, const std::optional<double>& other) {
  constexpr double kRounding = 1e-12;
  return one && other ? source::is_same(*one, *other) || std::abs(*one - *other) <= kRounding : one == other;
}

// In document order: actions that begin and end together act in an order that depends on their fields.
static std::vector<std::optional<double>> sparsities_of(const timeline::Evaluator& evaluator) {
  std::vector<std::optional<double>> out;
  for (const timeline::Column& column : evaluator.columns()) out.push_back(evaluator.sparsities()[column.track]);
  return out;
}

// The same rates and sparsities at the same steps, where an epoch has half as many of them.
static void check_stretched(const ir::Recipe& before, const ir::Recipe& after, double epochs) {
  const timeline::Run run{2 * kStepsPerEpoch, epochs, 0.1, nullptr, nullptr};
  const timeline::Run longer{kStepsPerEpoch, 2 * epochs, 0.1, nullptr, nullptr};
  timeline::Evaluator one(before, run);
  timeline::Evaluator other(after, longer);
  for (int changes = 0; one.next_step() != timeline::kNever && changes < 5000; ++changes) {
    REQUIRE(one.next_step() == other.next_step());
    one.advance();
    other.advance();
    CHECK(std::ranges::equal(sparsities_of(one), sparsities_of(other), is_close));
    CHECK(is_close(one.optimizer().groups().front().rate, other.optimizer().groups().front().rate));
  }
}

static bool has(const Compilation& compilation, std::string_view code) {
  return std::ranges::any_of(compilation.diagnostics,
                             [&](const diag::Diagnostic& each) { return each.info->code == code; });
}

// Returns true if all epochs may be fractions, and none is below 0, where it is no time.
static bool can_be_stretched(const Compilation& compilation) {
  const ir::Recipe& recipe = *compilation.recipe;
  return recipe.has_timeline() && !has(compilation, "SP209") && !has(compilation, "SP510") &&
         std::ranges::all_of(recipe.actions, [](const ir::Action& action) {
           return action.cadence.is<ir::SinceLastUpdate>() || action.cadence.is<ir::PerBatch>();
         });
}

// Returns true if the last of NNI's updates goes further or less far than it did, since their number is not whole. That
// is announced.
static bool moves_last_update(const Rescaled& rescaled) {
  return std::ranges::any_of(rescaled.remarks,
                             [](const Remark& remark) { return remark.label.starts_with("`total_times`"); });
}

// Returns true if a fraction of an epoch was rounded where only whole numbers work as expected. That is announced.
static bool rounds_fraction(const Rescaled& rescaled) {
  return std::ranges::any_of(
      rescaled.remarks, [](const Remark& remark) { return remark.reason.find("is rounded") != std::string::npos; });
}

// Returns true if the recipe was rescaled.
static bool check(const std::string& name, const std::string& text, const CompileOptions& options) {
  INFO(name << "\n" << text);
  const auto recipe = read(name, text, options);
  if (!recipe || has(recipe->compilation, "SP320")) {  // a half epoch never comes, twice as much does
    return false;
  }
  bool rescaled = false;
  for (const bool frequencies : {false, true}) {
    const Rescaled longer = by(*recipe, {2, 1}, frequencies, options);
    if (longer.faults || moves_last_update(longer)) continue;
    INFO(longer.text);
    const auto again = read(name, longer.text, options);
    REQUIRE(again);
    const Rescaled back = by(*again, {1, 2}, frequencies, options);
    REQUIRE(!back.faults);
    const auto first = read(name, back.text, options);
    REQUIRE(first);
    if (rounds_fraction(back)) continue;
    check_same(*recipe->compilation.recipe, *first->compilation.recipe);
    const auto& length = recipe->compilation.recipe->length;
    if (frequencies && longer.remarks.empty() && length && can_be_stretched(recipe->compilation)) {
      check_stretched(*recipe->compilation.recipe, *again->compilation.recipe, std::min(length->epochs, 200.0));
    }
    rescaled = true;
  }
  return rescaled;
}

TEST_CASE("the cases, twice as long and half as long again, are what they were", "[rescale]") {
  int count = 0;
  const auto each_nth = static_cast<std::size_t>(property_rounds(50) == 50 ? 1 : 10);
  for_each_recipe({".yaml", ".md", ".json"}, each_nth, [&](const std::filesystem::path& path, const std::string& text) {
    if (check(path.filename().string(), text, {})) ++count;
  });
  CHECK(count > 50);
}

// --- by chance --------------------------------------------------------------------------------------

class Chance {
 public:
  explicit Chance(std::uint32_t seed) : engine_(seed) {}

  int roll(int min, int max) { return std::uniform_int_distribution<int>(min, max)(engine_); }

  // An epoch as a number, or as an expression of the variables.
  std::string epoch(int min, int max) {
    const int whole = roll(min, max);
    switch (roll(0, 6)) {
      case 0: return fmt::format("{}", whole);
      case 1: return fmt::format("{}.{}", whole, roll(0, 99));
      case 2: return fmt::format("eval(length * {}.0 / 40)", whole);
      case 3: return fmt::format("eval(begin + {})", whole);
      case 4: return fmt::format("eval(min(length, {}))", whole);
      case 5: return fmt::format("eval(length * share * {} / 20)", whole);
      default: return fmt::format("{}.0", whole);
    }
  }

  std::string window() { return fmt::format("    start_epoch: {}\n    end_epoch: {}\n", epoch(0, 4), epoch(15, 30)); }

 private:
  std::mt19937 engine_;
};

static std::string modifier(Chance& chance, int index) {
  switch (chance.roll(0, 6)) {
    case 0:
      return "  - !LearningRateFunctionModifier\n    lr_func: cosine\n    init_lr: 0.1\n    final_lr: 0.001\n" +
             chance.window();
    case 1:
      return "  - !LearningRateFunctionModifier\n    lr_func: cyclic_linear\n    cycle_epochs: 2\n    init_lr: 0.1\n"
             "    final_lr: eval(share / 100)\n" +
             chance.window();
    case 2:
      return fmt::format(
                 "  - !LearningRateModifier\n    lr_class: StepLR\n    lr_kwargs: {{gamma: 0.5, step_size: {}}}\n    "
                 "init_lr: 0.1\n",
                 chance.roll(1, 5)) +
             chance.window();
    case 3:
      return fmt::format("  - !SetLearningRateModifier\n    learning_rate: 0.1\n    start_epoch: {}\n",
                         chance.epoch(0, 20));
    case 4:
      return fmt::format("  - !TrainableParamsModifier\n    params: [y{}]\n    trainable: false\n", index) +
             chance.window();
    default:
      return fmt::format(
                 "  - !GMPruningModifier\n    params: [x{}.weight]\n    init_sparsity: 0.05\n    final_sparsity: "
                 "eval(share)\n"
                 "    update_frequency: {}.5\n",
                 index, chance.roll(0, 2)) +
             chance.window();
  }
}

static std::string recipe(Chance& chance) {
  std::string text = fmt::format("length: {}\nbegin: {}.5\nshare: 0.{}\nmodifiers:\n", chance.roll(30, 50),
                                 chance.roll(0, 2), chance.roll(30, 95));
  text += "  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: eval(length)\n";
  const int count = chance.roll(1, 4);
  for (int index = 0; index < count; ++index) text += modifier(chance, index);
  return text;
}

TEST_CASE("recipes by chance, twice as long and half as long again, are what they were", "[rescale]") {
  const int rounds = property_rounds(5000);
  int count = 0;
  for (int round = 0; round < rounds; ++round) {
    Chance chance(static_cast<std::uint32_t>(round));
    if (check("recipe.yaml", recipe(chance), {})) ++count;
  }
  CHECK(count > rounds / 2);
}

TEST_CASE("a factor keeps decimals short and is undone by its inverse", "[rescale]") {
  CHECK(Factor{3, 1}.of(0.1) == 0.3);
  CHECK(Factor{3, 1}.of(1.1) == 3.3);
  CHECK(Factor{100, 52}.of(13) == 25);
  CHECK(Factor{2, 1}.inverse().of(Factor{2, 1}.of(0.15000000000000002)) == 0.15000000000000002);
  CHECK(Factor{2, 1}.multiplied("warmup") == "warmup * 2");
  CHECK(Factor{1, 4}.multiplied("warmup") == "warmup / 4");
  CHECK(Factor{100, 52}.multiplied("warmup") == "warmup * 100 / 52");
  CHECK(written_like("10", 20) == "20");
  CHECK(written_like("10", 2.5) == "2.5");
  CHECK(written_like("10.0", 20) == "20.0");
  CHECK(written_like("1.0", 1e-5) == "1.0e-05");
}

}  // namespace sparsecfg::rescale
