// The timeline of recipes of 2020, with values worked out by hand from what is known of that
// release (docs/semantics/sparseml.md#g1): a ramp runs from its first to its last sparsity by
// p = (epoch - start) / (end - start), it is updated at its start, then whenever
// `update_frequency` epochs have passed, and at the first step not before its end.
#include <catch2/catch.hpp>

#include <string>

#include "compile/compile.h"
#include "timeline/writers.h"

using namespace sparsecfg;

static std::string timeline_of(const std::string& recipe, std::uint64_t steps_per_epoch) {
  CompileOptions options;
  options.from = "sparseml";
  const Compilation result = compile("recipe.yaml", recipe, options);
  REQUIRE(result.runs());
  REQUIRE(result.recipe->length);
  const timeline::Run run{steps_per_epoch, result.recipe->length->epochs, std::nullopt, nullptr};
  std::string rows;
  timeline::write_csv(*result.recipe, run, 0, run.steps(), [&](std::string_view piece) {
    rows += piece;
    return true;
  });
  return rows;
}

TEST_CASE("a cubic ramp of 2020 over the whole range of sparsities") {
  // cubic is the default: y = 1 - (1 - p)^3, and 0.0 and 1.0 are both allowed.
  //   epoch 1.0: p = 0     y = 0
  //   epoch 1.5: p = 1/4   y = 1 - 27/64 = 0.578125
  //   epoch 2.0: p = 1/2   y = 1 - 1/8   = 0.875
  //   epoch 2.5: p = 3/4   y = 1 - 1/64  = 0.984375
  //   epoch 3.0: the end   y = 1
  const std::string rows = timeline_of(
      "modifiers:\n"
      "  - !EpochRangeModifier\n"
      "    start_epoch: 0.0\n"
      "    end_epoch: 4.0\n"
      "  - !GradualKSModifier\n"
      "    params: ['re:.*weight']\n"
      "    init_sparsity: 0.0\n"
      "    final_sparsity: 1.0\n"
      "    start_epoch: 1.0\n"
      "    end_epoch: 3.0\n"
      "    update_frequency: 0.5\n",
      2);
  CHECK(rows ==
        "step,epoch,lr,GradualKSModifier#2\n"
        "0,0.0,,\n"
        "1,0.5,,\n"
        "2,1.0,,0.0\n"
        "3,1.5,,0.578125\n"
        "4,2.0,,0.875\n"
        "5,2.5,,0.984375\n"
        "6,3.0,,1.0\n"
        "7,3.5,,1.0\n"
        "8,4.0,,1.0\n");
}

TEST_CASE("a ramp of 2020 that ends with the training stops short of its end") {
  // Training lasts 3 epochs, the largest end, so the last step is that of epoch 2.5 and the one
  // at which 1.0 is due never comes.
  const std::string rows = timeline_of(
      "modifiers:\n"
      "  - !GradualKSModifier\n"
      "    params: ['re:.*weight']\n"
      "    init_sparsity: 0.0\n"
      "    final_sparsity: 1.0\n"
      "    start_epoch: 1.0\n"
      "    end_epoch: 3.0\n"
      "    update_frequency: 1.0\n",
      2);
  CHECK(rows ==
        "step,epoch,lr,GradualKSModifier#1\n"
        "0,0.0,,\n"
        "1,0.5,,\n"
        "2,1.0,,0.0\n"
        "3,1.5,,0.0\n"
        "4,2.0,,0.875\n"
        "5,2.5,,0.875\n"
        "6,3.0,,0.875\n");
}

TEST_CASE("the form with layers is cubic where nothing is said") {
  // y = 1 - (1 - p)^3. From 0.25 to 0.75, so the target is y * 0.5 + 0.25:
  //   epoch 0: p = 0     y = 0       0.25
  //   epoch 1: p = 1/2   y = 0.875   0.6875
  //   epoch 2: the end   y = 1       0.75
  // The mask that is held has no target, hence no column.
  const std::string rows = timeline_of(
      "modifiers:\n"
      "  - !EpochRangeModifier\n"
      "    start_epoch: 0.0\n"
      "    end_epoch: 3.0\n"
      "  - !GradualKSModifier\n"
      "    layers: ['conv1']\n"
      "    param: weight\n"
      "    init_sparsity: 0.25\n"
      "    final_sparsity: 0.75\n"
      "    start_epoch: 0.0\n"
      "    end_epoch: 2.0\n"
      "    update_frequency: 1.0\n"
      "  - !ConstantKSModifier\n"
      "    params: ['re:.*weight']\n"
      "    start_epoch: 2.0\n",
      1);
  CHECK(rows ==
        "step,epoch,lr,GradualKSModifier#2\n"
        "0,0.0,,0.25\n"
        "1,1.0,,0.6875\n"
        "2,2.0,,0.75\n"
        "3,3.0,,0.75\n");
}

TEST_CASE("an inverse cubic ramp of 2020") {
  // y = 1 - (1 - p)^(1/3). At epoch 7 p = 7/8, (1/8)^(1/3) = 1/2, y = 1/2: 0.5 * 0.5 + 0.25.
  const std::string rows = timeline_of(
      "modifiers:\n"
      "  - !EpochRangeModifier\n"
      "    start_epoch: 0.0\n"
      "    end_epoch: 9.0\n"
      "  - !GradualKSModifier\n"
      "    params: ['re:.*weight']\n"
      "    init_sparsity: 0.25\n"
      "    final_sparsity: 0.75\n"
      "    start_epoch: 0.0\n"
      "    end_epoch: 8.0\n"
      "    update_frequency: 7.0\n"
      "    inter_func: inverse_cubic\n",
      1);
  CHECK(rows ==
        "step,epoch,lr,GradualKSModifier#2\n"
        "0,0.0,,0.25\n1,1.0,,0.25\n2,2.0,,0.25\n3,3.0,,0.25\n4,4.0,,0.25\n5,5.0,,0.25\n6,6.0,,0.25\n"
        "7,7.0,,0.5\n8,8.0,,0.75\n9,9.0,,0.75\n");
}
