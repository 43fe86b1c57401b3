#include "dialect/sparseml/read/lower.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>

namespace sparsecfg::dialect::sparseml {

using Fields = std::vector<std::pair<std::string, source::Value::Data>>;

static Modifier make(std::string_view name, const Fields& fields, std::string stage = "") {
  Modifier modifier;
  modifier.spec = find_modifier(Framework::pytorch, name);
  REQUIRE(modifier.spec != nullptr);
  modifier.stage = std::move(stage);
  std::vector<Field> all;
  for (const auto& [field, data] : fields) {
    Field given;
    given.name = field;
    given.value = {data, {}};
    given.spec = modifier.spec->find(field);
    all.push_back(std::move(given));
  }
  modifier.fields = std::move(all);
  return modifier;
}

static Modifier set_rate(double rate, double start) {
  return make("SetLearningRateModifier", {{"learning_rate", rate}, {"start_epoch", start}});
}

static Modifier range(double start, double end, std::string stage = "") {
  return make("EpochRangeModifier", {{"start_epoch", start}, {"end_epoch", end}}, std::move(stage));
}

// Gives the modifiers the ordinals and places of a document.
static std::vector<Modifier> listed(std::vector<Modifier> modifiers) {
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    modifiers[at].ordinal = static_cast<int>(at) + 1;
    modifiers[at].key = {static_cast<std::uint32_t>(at * 10), static_cast<std::uint32_t>(at * 10 + 5)};
  }
  return modifiers;
}

struct Ordered {
  std::vector<std::size_t> order;
  std::vector<diag::Diagnostic> diagnostics;
};

static Ordered ordered(const std::vector<Modifier>& modifiers) {
  diag::Sink sink;
  auto order = application_order(listed(modifiers), sink);
  return {std::move(order), sink.take()};
}

using Order = std::vector<std::size_t>;

TEST_CASE("an identifier is the class name and the MD5 of the properties") {
  CHECK(identifier(set_rate(0.01, 0.0)) == "SetLearningRateModifier-389b3b65e8e5a9a00d3a0a424225c5ea");
}

TEST_CASE("an identifier does not depend on how a value is written") {
  const Modifier plain = set_rate(0.01, 0.0);
  const Modifier as_text =
      make("SetLearningRateModifier", {{"start_epoch", std::string("0")}, {"learning_rate", std::string("1e-2")}});
  const Modifier as_int = make("SetLearningRateModifier", {{"learning_rate", 0.01}, {"start_epoch", std::int64_t{0}}});
  CHECK(identifier(as_text) == identifier(plain));
  CHECK(identifier(as_int) == identifier(plain));
  const Modifier with_defaults =
      make("SetLearningRateModifier", {{"learning_rate", 0.01}, {"start_epoch", 0.0}, {"constant_logging", false}});
  CHECK(identifier(with_defaults) == identifier(plain));
  CHECK(identifier(set_rate(0.02, 0.0)) != identifier(plain));
}

TEST_CASE("modifiers act by end, those that never end last") {
  CHECK(ordered({range(0, 9), range(0, 5), range(0, -1), range(0, 7)}).order == Order{1, 3, 0, 2});
}

TEST_CASE("modifiers of one end act by start") {
  CHECK(ordered({range(4, 9), range(-1, 9), range(0, 9)}).order == Order{1, 2, 0});
}

TEST_CASE("modifiers of one window act by class name") {
  const Fields window = {{"start_epoch", 0.0}, {"end_epoch", 9.0}};
  CHECK(ordered({make("SparsificationLoggingModifier", window), make("ConstantPruningModifier", window), range(0, 9)})
            .order == Order{1, 2, 0});
}

TEST_CASE("equal modifiers keep the order of the document") {
  const Ordered same = ordered({set_rate(0.01, 5), set_rate(0.01, 5)});
  CHECK(same.order == Order{0, 1});
  CHECK(same.diagnostics.empty());
}

TEST_CASE("a hash decides between rates that are set at one step") {
  const Modifier one = set_rate(0.01, 0);
  const Modifier other = set_rate(0.02, 0);
  const Ordered result = ordered({one, other});
  CHECK(result.order == (identifier(one) < identifier(other) ? Order{0, 1} : Order{1, 0}));
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].info->code == "SP503");
  CHECK(ordered({other, one}).order == (identifier(one) < identifier(other) ? Order{1, 0} : Order{0, 1}));
}

TEST_CASE("stages act by their last end") {
  const Ordered result = ordered({range(10, 20, "tuning"), range(0, 10, "pruning"), range(0, 5, "pruning")});
  CHECK(result.order == Order{2, 1, 0});
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].info->code == "SP213");
  CHECK(result.diagnostics[0].span == source::Span{10, 15});
}

TEST_CASE("a stage in which nothing ends comes last, and one in which anything ends is ranked by that") {
  CHECK(ordered({range(0, -1, "open"), range(0, 5, "closed")}).order == Order{1, 0});
  CHECK(ordered({range(0, 5, "closed"), range(0, -1, "open"), range(0, 3, "open")}).order == Order{2, 1, 0});
}

TEST_CASE("stages that end and start alike are ordered by the largest identifier, hash included") {
  const auto rate = [](double value, std::string stage) {
    Modifier modifier = set_rate(value, 0);
    modifier.stage = std::move(stage);
    return modifier;
  };
  const Modifier one = rate(0.01, "one");
  const Modifier two = rate(0.02, "two");
  CHECK(ordered({one, two}).order == (identifier(one) < identifier(two) ? Order{0, 1} : Order{1, 0}));
}

TEST_CASE("modifiers of 2020 act by their starts, and an end breaks ties") {
  std::vector<Modifier> modifiers = {range(2, 3), range(0, 9), range(0, 5)};
  for (Modifier& modifier : modifiers) modifier.framework = Framework::pytorch_2020;
  CHECK(ordered(modifiers).order == Order{2, 1, 0});
}

TEST_CASE("nothing is said of the order of stages where a modifier could not be read") {
  std::vector<Modifier> modifiers = {range(10, 20, "tuning"), range(0, 10, "pruning")};
  modifiers[0].valid = false;
  CHECK(ordered(modifiers).diagnostics.empty());
}

TEST_CASE("training lasts to the last start or end, rounded up") {
  CHECK(training_length({range(0, 9.25), range(2, 4)})->epochs == 10);
  CHECK(training_length({range(0, 9), set_rate(0.01, 11.5)})->epochs == 12);
  CHECK(training_length({range(-1, -1), set_rate(0.01, 0)})->epochs == 0);
  CHECK_FALSE(training_length({range(-1, -1)}));
  CHECK_FALSE(training_length({}));
}

TEST_CASE("an end that the class ignores does not lengthen the training") {
  const Modifier rate =
      make("SetLearningRateModifier", {{"learning_rate", 0.01}, {"start_epoch", 3.0}, {"end_epoch", 50.0}});
  const auto length = training_length({range(0, 9), rate});
  REQUIRE(length);
  CHECK(length->epochs == 9);
  CHECK(length->action == 0);
}

}  // namespace sparsecfg::dialect::sparseml
