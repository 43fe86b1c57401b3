#include <catch2/catch.hpp>

#include "dialect/llmcompressor/model.h"

namespace sparsecfg::test {

using dialect::llmcompressor::Group;
using dialect::llmcompressor::Sets;
using model::Module;

static Group group_of(std::string name, std::vector<std::string> targets) {
  Group group;
  group.name = std::move(name);
  group.weights.args.present = true;
  for (std::string& target : targets) group.targets.push_back({std::move(target), {}});
  return group;
}

static const std::vector<Module> kBlock = {{"", "Model"},
                                           {"layers", "ModuleList"},
                                           {"layers.0", "Block"},
                                           {"layers.0.attn", "SelfAttention"},
                                           {"layers.0.attn.q_proj", "Linear"},
                                           {"layers.0.attn.k_proj", "Linear"},
                                           {"layers.0.norm", "RMSNorm"},
                                           {"layers.1", "Block"},
                                           {"layers.1.attn", "SelfAttention"},
                                           {"layers.1.attn.q_proj", "Linear"},
                                           {"layers.1.attn.k_proj", "Linear"},
                                           {"layers.1.norm", "RMSNorm"},
                                           {"head", "Linear"}};

// The group that decides for a module of the block; -1 for none.
static int decides(const std::vector<Group>& groups, std::size_t module,
                   std::vector<dialect::llmcompressor::Entry> ignore = {}) {
  const auto schemes = dialect::llmcompressor::schemes_in(kBlock, groups, ignore);
  return schemes[module] ? static_cast<int>(*schemes[module]) : -1;
}

TEST_CASE("a scheme is decided by names, then patterns and then classes, each by their text") {
  const std::vector<Group> groups = {group_of("class", {"Linear"}), group_of("late", {"re:.*q_proj"}),
                                     group_of("early", {"re:.*_proj"}), group_of("name", {"layers.1.attn.q_proj"})};
  CHECK(decides(groups, 4) == 2);   // `re:.*_proj` sorts before `re:.*q_proj`
  CHECK(decides(groups, 9) == 3);   // the name
  CHECK(decides(groups, 12) == 0);  // the class
  CHECK(decides(groups, 6) == -1);  // a norm
  CHECK(decides(groups, 4, {{"re:.*q_proj", {}}}) == -1);
}

TEST_CASE("of equal targets the last group decides") {
  CHECK(decides({group_of("a", {"Linear"}), group_of("b", {"Linear"})}, 12) == 1);
}

TEST_CASE("a module of attention has a scheme if a target is for it alone") {
  CHECK(decides({group_of("a", {"re:.*attn$"})}, 3) == 0);
  CHECK(decides({group_of("a", {"re:.*attn.*"})}, 3) == -1);
}

TEST_CASE("patterns of a mapping are put together block by block") {
  const Sets sets = dialect::llmcompressor::sets_in(kBlock, {"re:.*q_proj", "re:.*k_proj", "re:.*norm"});
  CHECK_FALSE(sets.failed());
  REQUIRE(sets.sets.size() == 2);
  CHECK(sets.sets[1][0].front()->name == "layers.1.attn.q_proj");
  CHECK(sets.sets[1][2].front()->name == "layers.1.norm");
}

TEST_CASE("a mapping whose set stays open, or that takes a module twice, can't be put together") {
  CHECK(describe(dialect::llmcompressor::sets_in(kBlock, {"re:.*c_attn", "re:.*norm"}).fault) ==
        "no module next to `layers.0.norm` matches `re:.*c_attn`");
  CHECK(describe(dialect::llmcompressor::sets_in(kBlock, {"re:.*q_proj", "re:.*_proj"}).fault) ==
        "`re:.*_proj` and `re:.*q_proj` both match `layers.0.attn.q_proj`");
  CHECK(dialect::llmcompressor::sets_in(kBlock, {"re:.*nothing", "re:.*at_all"}).sets.empty());
}

}  // namespace sparsecfg::test
