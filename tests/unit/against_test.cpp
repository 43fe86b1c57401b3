#include "timeline/against.h"

#include <catch2/catch.hpp>
#include <string>

#include "compile/compile.h"

namespace sparsecfg::timeline {

static const char* const kRecipe = R"(modifiers:
  - !EpochRangeModifier
    start_epoch: 0.0
    end_epoch: 4.0
  - !SetLearningRateModifier
    start_epoch: 0.0
    learning_rate: 0.1
  - !SetLearningRateModifier
    start_epoch: 2.0
    learning_rate: 0.01
  - !GMPruningModifier
    params: __ALL_PRUNABLE__
    init_sparsity: 0.2
    final_sparsity: 0.8
    start_epoch: 1.0
    end_epoch: 3.0
    update_frequency: 1.0
    inter_func: linear
)";

static LogComparison compare(const std::string& text) {
  const Compilation compilation = compile("recipe.yaml", std::string(kRecipe), {});
  const Run run{10, 4, std::nullopt};
  const auto log = read_log(text, run);
  REQUIRE(std::holds_alternative<Log>(log));
  return compare_with_log(*compilation.recipe, run, std::get<Log>(log));
}

TEST_CASE("a log with the values of the schedule has no difference") {
  const LogComparison comparison =
      compare("step,train/learning_rate,sparsity,loss\n0,0.1,,2\n10,0.1,0.2,1\n20,0.01,0.5,1\n30,0.01,0.8,1\n");
  CHECK(comparison.same());
  CHECK(comparison.rows == 4);
  CHECK(comparison.columns.size() == 2);
  CHECK(comparison.ignored == std::vector<std::string>{"loss"});
}

TEST_CASE("the first different step of each column is reported") {
  const LogComparison comparison = compare("step,lr,sparsity\n10,0.1,0.2\n20,0.01,0.4\n25,0.05,0.5\n30,0.01,0.7\n");
  REQUIRE(comparison.columns.size() == 2);
  CHECK(comparison.columns[0].step == 25);
  CHECK(comparison.columns[0].different == 1);
  CHECK(comparison.columns[1].step == 20);
  CHECK(comparison.columns[1].different == 2);
  CHECK(*comparison.columns[1].scheduled == 0.5);
}

TEST_CASE("JSON Lines may have lists of rates and sparsities by action") {
  const LogComparison comparison =
      compare("{\"format\": 1}\n{\"step\": 20, \"lr\": [0.01, 0.01], \"sparsity\": {\"GMPruningModifier#4\": 0.5}}\n");
  CHECK(comparison.same());
  CHECK(comparison.columns.size() == 2);
  CHECK(comparison.rows == 1);
}

TEST_CASE("a log that is one step late is recognized") {
  const LogComparison comparison = compare("step,lr\n18,0.1\n19,0.01\n20,0.01\n");
  CHECK_FALSE(comparison.same());
  CHECK(comparison.shift == 1);
}

TEST_CASE("values that the log rounds are equal") {
  CHECK(compare("step,sparsity\n10,0.2003\n20,0.4996\n").columns.front().different == 2);
  CHECK(compare("step,sparsity\n11,0.200\n20,0.500\n").same());
}

TEST_CASE("a log without steps is refused") {
  const Run run{10, 4, std::nullopt};
  CHECK(std::holds_alternative<std::string>(read_log("lr\n0.1\n", run)));
  CHECK(std::holds_alternative<std::string>(read_log("{\"step\": 1}\n[]\n", run)));
  CHECK(std::holds_alternative<std::string>(read_log("", run)));
}

}  // namespace sparsecfg::timeline
