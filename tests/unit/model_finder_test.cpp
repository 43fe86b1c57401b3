#include "project/model_finder.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sparsecfg::project {

namespace fs = std::filesystem;

constexpr const char* kConfig =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 100})";

// A folder with a model in each of the folders a, b, c and d.
class FourModels {
 public:
  FourModels() {
    std::string pattern = (fs::temp_directory_path() / "sparsecfg-XXXXXX").native();
    path_ = ::mkdtemp(pattern.data());
    for (const char* name : {"a", "b", "c", "d"}) {
      fs::create_directory(fs::path(path_) / name);
      std::ofstream(fs::path(path_) / name / "config.json") << kConfig;
    }
  }

  FourModels(const FourModels&) = delete;
  FourModels& operator=(const FourModels&) = delete;

  ~FourModels() { fs::remove_all(path_); }

  // Returns the name of a recipe in one of the folders.
  [[nodiscard]] std::string recipe_in(const std::string& name) const { return path_ + "/" + name + "/r.yaml"; }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("models beyond the modules of a run are rejected, and known ones stay known") {
  const FourModels folder;
  ModelFinder finder({.steps = 50, .bytes = 1'000'000});
  const auto first = finder.find(folder.recipe_in("a"), "");
  REQUIRE(first != nullptr);
  REQUIRE(first->size() > 25);
  CHECK(first->rejection().empty());
  const auto second = finder.find(folder.recipe_in("b"), "");
  REQUIRE(second != nullptr);
  CHECK(second->rejection().empty());
  const auto third = finder.find(folder.recipe_in("c"), "");
  REQUIRE(third != nullptr);
  CHECK(third->rejection().find("are limited to") != std::string::npos);
  CHECK(finder.find(folder.recipe_in("a"), "") == first);
}

TEST_CASE("files beyond the bytes of a run are not read") {
  const FourModels folder;
  ModelFinder finder({.steps = 1'000'000, .bytes = std::string_view(kConfig).size() + 10});
  CHECK(finder.find(folder.recipe_in("a"), "")->rejection().empty());
  CHECK_FALSE(finder.find(folder.recipe_in("b"), "")->rejection().empty());
}

TEST_CASE("links to one file are one model, and a file without a model is read once") {
  const FourModels folder;
  fs::remove(folder.path() + "/b/config.json");
  fs::create_symlink("../a/config.json", folder.path() + "/b/config.json");
  std::ofstream(folder.path() + "/c/config.json") << "{}";
  ModelFinder finder({.steps = 1'000, .bytes = std::string_view(kConfig).size() + 2});
  const std::string script = folder.path() + "/s.py";
  const auto model = finder.find(script, "./a");
  REQUIRE(model != nullptr);
  CHECK(finder.find(script, "./b") == model);
  CHECK(finder.find(script, "./c") == nullptr);
  CHECK(finder.find(script, "./c") == nullptr);
  CHECK(finder.find(script, "./missing") == nullptr);
}

}  // namespace sparsecfg::project
