#include "timeline/overall.h"

#include <catch2/catch.hpp>

#include "compile/compile.h"
#include "timeline/overview.h"

namespace sparsecfg::timeline {

using model::Shape;

// Three weights of 6, 12 and 2 elements and a bias of 5: 20 weights in all.
static const model::ModelNames kModel(model::Parameters{{"a.weight", "b.weight", "c.weight", "c.bias"},
                                                        {Shape{2, 3}, Shape{3, 4}, Shape{1, 2}, Shape{5}}});

static Compilation compiled(const std::string& modifiers) {
  const std::string recipe =
      "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: 4.0\n" + modifiers;
  return compile("recipe.yaml", recipe, {});
}

static std::string pruner(const std::string& params, const std::string& course, const std::string& end,
                          const std::string& more = "") {
  return "  - !GMPruningModifier\n    params: [" + params + "]\n    " + course +
         "\n    start_epoch: 0.0\n    end_epoch: " + end + "\n    update_frequency: 1.0\n    inter_func: linear\n" +
         more;
}

// The figure after each change.
static std::vector<std::optional<double>> figures(const std::string& modifiers,
                                                  const model::ModelNames& model = kModel) {
  const Compilation compilation = compiled(modifiers);
  REQUIRE(compilation.recipe);
  const Run run{1, 4, std::nullopt, &model};
  Evaluator evaluator(*compilation.recipe, run);
  Overall overall(*compilation.recipe, run, evaluator);
  REQUIRE(overall.known());
  std::vector<std::optional<double>> out;
  while (evaluator.next_step() != kNever) {
    evaluator.advance();
    overall.follow(evaluator);
    out.push_back(overall.value());
  }
  return out;
}

static bool equal(const std::vector<std::optional<double>>& got, const std::vector<double>& wanted) {
  return std::ranges::equal(got, wanted, [](const std::optional<double>& a, double b) { return a && *a == Approx(b); });
}

TEST_CASE("the sparsity of all weights is that of each by its elements") {
  // a holds 6 of 20 elements: 0.1, 0.35 and 0.6 of them make 0.03, 0.105 and 0.18 of all.
  CHECK(equal(figures(pruner("a.weight", "init_sparsity: 0.1\n    final_sparsity: 0.6", "2.0")), {0.03, 0.105, 0.18}));
  // With b, 12 of 20, at 0.2, 0.5 and 0.8: 0.12, 0.3 and 0.48 come on top.
  const std::string both = pruner("a.weight", "init_sparsity: 0.1\n    final_sparsity: 0.6", "2.0") +
                           pruner("b.weight", "init_sparsity: 0.2\n    final_sparsity: 0.8", "2.0");
  CHECK(equal(figures(both), {0.15, 0.405, 0.66}));
}

TEST_CASE("a pruned bias counts, one that nobody prunes does not") {
  // 5 more elements: 0.5 of 5 of 25.
  CHECK(equal(figures(pruner("c.bias", "init_sparsity: 0.5\n    final_sparsity: 0.5", "2.0")), {0.1, 0.1}));
}

TEST_CASE("weights that are masked no longer have no number") {
  const auto got =
      figures(pruner("a.weight", "init_sparsity: 0.1\n    final_sparsity: 0.6", "2.0", "    leave_enabled: false\n"));
  REQUIRE(got.size() == 3);
  CHECK(*got[1] == Approx(0.105));
  CHECK_FALSE(got[2]);
}

TEST_CASE("zeros that a model comes with have no number, those of an earlier pruner keep theirs") {
  const std::string held = "  - !ConstantPruningModifier\n    params: [c.weight]\n    start_epoch: 0.0\n";
  CHECK_FALSE(figures(held).front());
  const std::string after = pruner("a.weight", "init_sparsity: 0.1\n    final_sparsity: 0.6", "2.0") +
                            "  - !ConstantPruningModifier\n    params: [a.weight]\n    start_epoch: 3.0\n";
  CHECK(*figures(after).back() == Approx(0.18));
}

TEST_CASE("without shapes there is no figure") {
  const Compilation compilation = compiled(pruner("a.weight", "init_sparsity: 0.1\n    final_sparsity: 0.6", "2.0"));
  const auto known = [&](const model::ModelNames* model) {
    const Run run{1, 4, std::nullopt, model};
    const Evaluator evaluator(*compilation.recipe, run);
    return Overall(*compilation.recipe, run, evaluator).known();
  };
  CHECK(known(&kModel));
  CHECK_FALSE(known(nullptr));
  const model::ModelNames bare(std::vector<std::string>{"a.weight", "b.weight"});
  CHECK_FALSE(known(&bare));
  const model::ModelNames some(model::Parameters{{"a.weight", "b.weight"}, {Shape{2, 3}, std::nullopt}});
  CHECK_FALSE(known(&some));
  const model::ModelNames others(model::Parameters{{"x.weight"}, {Shape{2, 3}}});
  CHECK_FALSE(known(&others));
}

}  // namespace sparsecfg::timeline
