#include "dialect/llmcompressor/target_pairs.h"

#include <catch2/catch.hpp>

#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/write.h"

namespace sparsecfg::dialect::llmcompressor {

TEST_CASE("two targets meet where one certainly takes a layer of the other") {
  TargetPairs pairs(nullptr);
  CHECK(pairs.overlap("a", "a"));
  CHECK_FALSE(pairs.overlap("a", "b"));
  CHECK(pairs.overlap("Linear", "re:.*q_proj"));
  CHECK(pairs.overlap("re:.*", "re:.*q_proj"));
  CHECK(pairs.overlap("re:.*q_proj", "re:.*"));
  CHECK_FALSE(pairs.overlap("re:a.*", "re:.*b"));  // they may, but need not
  CHECK_FALSE(pairs.overlap("re:(", "re:.*"));
}

TEST_CASE("with a model two targets meet at one of its layers") {
  const std::vector<model::Module> modules{{"a.q", "Linear"}, {"a.norm", "LayerNorm"}, {"b.q", "Linear"}};
  TargetPairs pairs(&modules);
  CHECK(pairs.overlap("re:a.*", "re:.*q"));
  CHECK(pairs.overlap("Linear", "b.q"));
  CHECK_FALSE(pairs.overlap("re:a.*", "re:b.*"));
  CHECK_FALSE(pairs.overlap("re:a.*", "LayerNorm"));  // which can't have a scheme
  CHECK(pairs.module_with_unexpected_winner("re:.*q", "re:a.*") == "a.q");
  CHECK_FALSE(pairs.module_with_unexpected_winner("re:a[.]q", "re:a.*"));  // the narrower one decides
}

TEST_CASE("the first target that was seen and meets another is found") {
  TargetPairs pairs(nullptr);
  SeenTargets seen(pairs);
  CHECK(seen.find("a", {}) == SeenTargets::kNone);
  const char* const targets[] = {"a", "re:.*q", "b", "a", "Linear"};
  for (std::size_t at = 0; at < std::size(targets); ++at) seen.add(targets[at], at);
  CHECK(seen.find("c", {}) == SeenTargets::kNone);
  CHECK(seen.owner(seen.find("a", {})) == 0);
  CHECK(seen.owner(seen.find("b", {})) == 2);
  CHECK(seen.owner(seen.find("Linear", {})) == 1);
  CHECK(seen.owner(seen.find("Linear", {"re:.*q"})) == 4);
  CHECK(seen.owner(seen.find("re:x", {})) == 4);
  CHECK(seen.find("re:x", {}, 3) == SeenTargets::kNone);
  CHECK(seen.find("a", {"a"}) == SeenTargets::kNone);
}

TEST_CASE("so many targets that comparing them has to end") {
  TargetPairs pairs(nullptr);
  SeenTargets seen(pairs);
  for (std::size_t at = 0; at < 3000; ++at) seen.add("re:.*layer" + std::to_string(at) + "x", at);
  std::size_t met = 0;
  for (int at = 0; at < 3000; ++at)
    met += seen.find("re:.*other" + std::to_string(at) + "y", {}) == SeenTargets::kNone ? 0 : 1;
  CHECK(met == 0);
  CHECK_FALSE(pairs.take_pair_budget());
  CHECK(seen.owner(seen.find("re:.*layer7x", {})) == 7);  // equal ones are found all the same
}

static OneShotLayers layers_of(model::Selector::Over over, std::vector<model::Term> terms,
                               std::vector<model::Term> excluded = {}) {
  model::Selector selector{std::move(terms), over};
  selector.excluded = std::move(excluded);
  return one_shot_layers(selector);
}

using Kind = model::Term::Kind;
using Over = model::Selector::Over;

TEST_CASE("weights become the layers that have them") {
  const auto names = layers_of(Over::parameters, {{Kind::exact, "a.weight", {}}, {Kind::exact, "a.bias", {}}});
  CHECK(names.targets == std::vector<std::string>{"a"});
  CHECK(names.losses == std::vector<std::string>{"`a.bias` is not the weight of a layer"});

  const auto patterns =
      layers_of(Over::parameters, {{Kind::pattern, "a.weight|b[.]weight$|(c|d)\\.weight|[|]x.weight", {}},
                                   {Kind::pattern, ".*weight", {}},
                                   {Kind::pattern, ".*q.*", {}},
                                   {Kind::pattern, ".*bias", {}},
                                   {Kind::pattern, ".*fc1$", {}}});
  CHECK(patterns.targets == std::vector<std::string>{"re:a$", "re:b$", "re:(c|d)$", "re:[|]x$", "re:.*", "re:.*q.*"});
  CHECK(patterns.losses.size() == 2);
  CHECK(layers_of(Over::parameters, {{Kind::pattern, "(?i)a.weight|B.weight$", {}}}).targets ==
        std::vector<std::string>{"re:(?i)a$", "re:(?i)B$"});
  CHECK(layers_of(Over::parameters, {{Kind::all_prunable, "__ALL_PRUNABLE__", {}}}).targets.size() == 4);
}

TEST_CASE("names of modules narrow their types, which one shot can't") {
  const auto both = layers_of(Over::modules, {{Kind::exact, "a", {}}, {Kind::module_type, "Linear", {}}});
  CHECK(both.targets == std::vector<std::string>{"a"});
  CHECK(both.losses.size() == 1);
}

TEST_CASE("what is left out of modules is ignored") {
  const auto left = layers_of(Over::modules, {{Kind::module_type, "Linear", {}}, {Kind::module_type, "Conv2d", {}}},
                              {{Kind::exact, "a.b", {}},
                               {Kind::pattern, "x.*", {}},
                               {Kind::pattern, "y$", {}},
                               {Kind::module_type, "Conv2d", {}}});
  CHECK(left.targets == std::vector<std::string>{"Linear"});
  CHECK(left.ignored == std::vector<std::string>{"re:a\\.b\\.?$", "re:x.*", "re:y\\.?$"});
  CHECK(left.losses.empty());
}

TEST_CASE("the end of a pattern is taken off unless it is escaped") {
  CHECK(without_end("a$") == "a");
  CHECK(without_end(R"(a\Z)") == "a");
  CHECK(without_end(R"(a\\$)") == R"(a\\)");
  for (const std::string_view open : {"a", "", R"(a\$)", R"(a\\Z)"}) CHECK_FALSE(without_end(open));
}

}  // namespace sparsecfg::dialect::llmcompressor
