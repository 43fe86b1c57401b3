#include "convert/weight_classes.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "compile/compile.h"

namespace sparsecfg::convert {

static std::vector<Weight> weights_named(const std::vector<std::pair<std::string, std::string>>& names_and_types) {
  std::vector<Weight> out;
  for (const auto& [name, type] : names_and_types) out.push_back({name, type, nullptr});
  return out;
}

// "0 2?": the places, those that are not certain with a question mark.
static std::string text_of(const MatchedWeights& taken) {
  std::string out;
  for (const MatchedWeight& each : taken) {
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", each.weight, each.certain ? "" : "?");
  }
  return out;
}

static model::Selector selector(model::Selector::Over over, std::vector<model::Term> terms,
                                std::vector<model::Term> excluded = {}) {
  model::Selector out;
  out.over = over;
  out.terms = std::move(terms);
  out.excluded = std::move(excluded);
  return out;
}

using Kind = model::Term::Kind;
using Over = model::Selector::Over;

TEST_CASE("weights are taken by the names and types of their modules") {
  const auto weights =
      weights_named({{"fc1.weight", "Linear"}, {"conv.weight", "Conv2d"}, {"x.weight", ""}, {"y", ""}});
  const WeightMatcher matcher(weights);
  const auto taken = [&](std::vector<model::Term> terms, std::vector<model::Term> excluded = {}) {
    return text_of(matcher.weights_matched_by(selector(Over::modules, std::move(terms), std::move(excluded))));
  };
  CHECK(taken({{Kind::exact, "fc1", {}}}) == "0");
  CHECK(taken({{Kind::exact, "conv", {}}, {Kind::exact, "fc1", {}}, {Kind::exact, "fc1", {}}}) == "0 1");
  CHECK(taken({{Kind::module_type, "Linear", {}}}) == "0 2? 3?");
  CHECK(taken({{Kind::module_type, "Linear", {}}, {Kind::exact, "conv", {}}}).empty());  // both have to fit
  CHECK(taken({{Kind::module_type, "Linear", {}}, {Kind::pattern, ".*", {}}}) == "0 2? 3?");
  CHECK(taken({}) == "0? 1? 2? 3?");
  CHECK(taken({{Kind::pattern, ".*", {}}}, {{Kind::exact, "conv", {}}}) == "0 2 3");
  CHECK(taken({{Kind::pattern, ".*", {}}}, {{Kind::module_type, "Conv2d", {}}}) == "0 2? 3?");
}

TEST_CASE("weights are taken by the names of parameters, with and without the prefix of several devices") {
  const auto weights = weights_named({{"module.fc1.weight", "Linear"}, {"module.norm.weight", "LayerNorm"}});
  const WeightMatcher matcher(weights);
  const auto taken = [&](Kind kind, const char* text) {
    return text_of(matcher.weights_matched_by(selector(Over::parameters, {{kind, text, {}}})));
  };
  CHECK(taken(Kind::exact, "fc1.weight") == "0");
  CHECK(taken(Kind::exact, "module.fc1.weight") == "0");
  CHECK(taken(Kind::all, "") == "0 1");
  CHECK(taken(Kind::all_prunable, "") == "0");
}

static std::string pruner(const std::string& params) {
  return "  - !GMPruningModifier\n    params: [" + params +
         "]\n    init_sparsity: 0.1\n    final_sparsity: 0.8\n    start_epoch: 0.0\n    end_epoch: 4.0\n    "
         "update_frequency: 1.0\n";
}

static ir::Recipe recipe_of(const std::string& pruners) {
  Compilation compilation = compile("recipe.yaml", "modifiers:\n" + pruners, {});
  REQUIRE(compilation.recipe);
  return std::move(*compilation.recipe);
}

// "0+1/0: 2 3": the actions of both recipes that mask the weights, and these.
static std::string text_of(const WeightClass& each) {
  const auto actions = [](const std::vector<Masker>& maskers) {
    std::string out;
    for (const Masker& masker : maskers) out += (out.empty() ? "" : "+") + std::to_string(masker.action);
    return out;
  };
  return fmt::format("{}/{}: {}", actions(each.one), actions(each.other), fmt::join(each.weights, " "));
}

static std::vector<std::string> classes_of(const std::string& one, const std::string& other,
                                           const std::vector<bool>& skipped = {}) {
  const auto weights = weights_named({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}});
  const auto classes = weight_classes(recipe_of(one), recipe_of(other), WeightMatcher(weights), skipped);
  REQUIRE(classes);
  std::vector<std::string> out;
  for (const WeightClass& each : *classes) out.push_back(text_of(each));
  return out;
}

TEST_CASE("weights that the same pruners of both recipes mask are one class") {
  using Texts = std::vector<std::string>;
  const std::string one = pruner("a, b, c") + pruner("b, c");
  CHECK(classes_of(one, pruner("c, d")) == Texts{"0/: 0", "0+1/: 1", "0+1/0: 2", "/0: 3"});
  CHECK(classes_of(one, one) == Texts{"0/0: 0", "0+1/0+1: 1 2"});
  CHECK(classes_of(pruner("a"), pruner("b")) == Texts{"0/: 0", "/0: 1"});
  CHECK(classes_of(one, pruner("a"), {true, false}) == Texts{"/0: 0", "1/: 1 2"});
}

TEST_CASE("too many weights for too many pruners are not put into classes") {
  std::vector<std::pair<std::string, std::string>> names;
  for (int at = 0; at < 2000; ++at) names.emplace_back(fmt::format("layer{}.weight", at), "");
  const auto weights = weights_named(names);
  const WeightMatcher matcher(weights);
  const auto counted = [&](int pruners) {
    std::string text;
    for (int at = 0; at < pruners; ++at) text += pruner("__ALL__");
    return weight_classes(recipe_of(text), recipe_of(pruner("a")), matcher);
  };
  REQUIRE(counted(100));
  CHECK(counted(100)->size() == 1);
  CHECK(counted(100)->front().one.size() == 100);
  CHECK_FALSE(counted(5001));
}

}  // namespace sparsecfg::convert
