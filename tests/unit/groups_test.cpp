#include <catch2/catch.hpp>

#include "match/matching.h"

namespace sparsecfg::match {

static std::vector<std::string> names_of(const std::vector<NameGroup>& groups) {
  std::vector<std::string> out;
  for (const NameGroup& group : groups) out.push_back(group.name);
  return out;
}

TEST_CASE("names with one answer are joined along their numbers and below a prefix") {
  std::vector<NameGroup> names;
  for (const char* layer : {"0", "1", "2", "10"}) {
    const std::string prefix = "model.layers." + std::string(layer);
    names.push_back({prefix + ".mlp.up.weight", "A", "4x4"});
    names.push_back({prefix + ".mlp.down.weight", "A", "4x8"});
    names.push_back({prefix + ".norm.weight", "", "4"});
  }
  names.push_back({"head.weight", "B", "4x4"});
  const std::vector<NameGroup> groups = grouped(names);
  CHECK(names_of(groups) ==
        std::vector<std::string>{"model.layers.{0..2,10}.mlp.*", "model.layers.{0..2,10}.norm.weight", "head.weight"});
  CHECK(groups[0].count == 8);
  CHECK(groups[0].shape.empty());
  CHECK(groups[1].shape == "4");
}

TEST_CASE("a group below a prefix does not cover names that numbers joined with other blocks") {
  const std::vector<NameGroup> groups = grouped({{"l.0.attn.q", "A", ""},
                                                 {"l.0.attn.k", "A", ""},
                                                 {"l.0.mlp.up", "A", ""},
                                                 {"l.1.attn.q", "B", ""},
                                                 {"l.1.attn.k", "B", ""},
                                                 {"l.1.mlp.up", "A", ""}});
  CHECK(names_of(groups) == std::vector<std::string>{"l.0.attn.*", "l.{0..1}.mlp.up", "l.1.attn.*"});
}

TEST_CASE("what has another answer stays apart") {
  const std::vector<NameGroup> groups =
      grouped({{"a.0.w", "A", ""}, {"a.1.w", "B", ""}, {"a.2.w", "A", ""}, {"a.3.w.b", "A", ""}});
  CHECK(names_of(groups) == std::vector<std::string>{"a.{0,2}.w", "a.1.w", "a.3.w.b"});
}

}  // namespace sparsecfg::match
