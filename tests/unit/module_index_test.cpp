#include "model/module_index.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace sparsecfg::model {

TEST_CASE("modules are found by name, and those inside of them") {
  const std::vector<Module> modules = {{"b", "Second", {}},  {"a", "First", {}},    {"a.x", "Inner", {}},
                                       {"a-x", "Other", {}}, {"a.x.y", "Deep", {}}, {"", "Model", {}},
                                       {"a", "Repeated", {}}};
  const ModuleIndex index(modules);
  REQUIRE(index.find("a") != nullptr);
  CHECK(index.find("a")->type == "First");
  CHECK(index.find("")->type == "Model");
  CHECK(index.find("a.") == nullptr);
  CHECK(index.find("c") == nullptr);
  std::vector<std::string> inside;
  for (const Module* module : index.inside("a")) inside.push_back(module->name);
  CHECK(inside == std::vector<std::string>{"a.x", "a.x.y"});
  CHECK(index.inside("b").empty());
  CHECK(index.inside("a.x.y").empty());
}

}  // namespace sparsecfg::model
