#include <catch2/catch.hpp>

#include <sstream>

#include "picture/terminal.h"

namespace sparsecfg::picture {

static Scene pruned_scene(double sparsity) {
  Scene scene;
  scene.epochs = 10;
  scene.sparsities = {{"GMPruningModifier#2", "fc.weight", {}, 0, {{0, 0.0}, {5, sparsity}}}};
  scene.rate = Series{"learning rate", {}, {}, 0, {{0, 0.1}, {5, 0.05}}, "StepLR#1"};
  scene.bands = {{"quantization", "QuantizationModifier#3", 1, 8, 10}};
  return scene;
}

static std::vector<std::string> lines_of_plot(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST_CASE("a plot in ASCII has a staircase, a label at its end, and bars of phases") {
  const auto lines = lines_of_plot(plot(pruned_scene(1.0), nullptr, {60, false}));
  REQUIRE(lines.size() >= 20);
  CHECK(lines[0] == "          sparsity");
  CHECK(lines[1] == "       1 |                1111111111111111 1 GMPruning#2");
  CHECK(lines[4] == "     0.6 |                1");
  CHECK(lines[8] == "       0 |11111111111111111");
  CHECK(lines[9] == "          learning rate: StepLR#1");
  CHECK(lines[18] == "                                    ====== quantization");
  CHECK(lines[19] == "         +-------------------------------- epoch");
}

TEST_CASE("a plot in braille has two by four dots for each character") {
  const auto lines = lines_of_plot(plot(pruned_scene(1.0), nullptr, {60, true}));
  REQUIRE(lines.size() >= 20);
  CHECK(lines[1].starts_with("       1 │"));
  CHECK(lines[1].ends_with("⠉⠉⠉⠉ GMPruning#2"));
  CHECK(lines[8].find("⣀⣀⣀⣀") != std::string::npos);
  CHECK(lines[18].ends_with(" ━━━━━━ quantization"));
}

TEST_CASE("of an earlier recipe, a plot has only what differs") {
  const Scene before = pruned_scene(0.5);
  const std::string text = plot(pruned_scene(1.0), &before, {60, false});
  CHECK(text.find("a before: GMPr..") != std::string::npos);
  CHECK(text.find("o before") == std::string::npos);
  CHECK(text.find("before: quantization") == std::string::npos);
  CHECK(plot(before, &before, {60, false}).find("before") == std::string::npos);
}

TEST_CASE("a terminal below 60 columns has no plot") {
  CHECK(plot(pruned_scene(1.0), nullptr, {59, true}).empty());
  CHECK(!plot(pruned_scene(1.0), nullptr, {60, true}).empty());
}

}  // namespace sparsecfg::picture
