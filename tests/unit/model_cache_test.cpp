#include "architecture/model_cache.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace sparsecfg::architecture {

// Returns a model of size 5, with four modules.
static std::shared_ptr<const UserModel> model(const std::string& name) {
  return UserModel::of_modules(std::vector<model::Module>(4, {name, "Linear", std::nullopt}), name);
}

TEST_CASE("the models that were not used for the longest time are removed") {
  ModelCache cache(10);
  cache.add("a", model("a"));
  cache.add("b", model("b"));
  REQUIRE(cache.find("a") != nullptr);
  cache.add("c", model("c"));
  CHECK(cache.find("a") != nullptr);
  CHECK(cache.find("b") == nullptr);
  CHECK(cache.find("c") != nullptr);
}

TEST_CASE("a large model is kept until another one is built") {
  ModelCache cache(3);
  cache.add("a", model("a"));
  CHECK(cache.find("a") != nullptr);
  cache.add("b", model("b"));
  CHECK(cache.find("a") == nullptr);
  CHECK(cache.find("b") != nullptr);
  cache.make_room();
  CHECK(cache.find("b") == nullptr);
}

}  // namespace sparsecfg::architecture
