#include <catch2/catch.hpp>
#include <string>

#include "convert/convert.h"
#include "convert/masks.h"

namespace sparsecfg::convert {

static Conversion converted(const std::string& text, const char* from, const char* to,
                            const model::ModelNames* parameters = nullptr) {
  CompileOptions options;
  options.from = from;
  options.parameters = parameters;
  const Compilation compilation = compile("recipe.yaml", text, options);
  REQUIRE(compilation.recipe);
  return convert(compilation, {dialect::find_dialect(to), options, std::nullopt, false});
}

static std::string gradual(const std::string& params, const std::string& final_sparsity, const std::string& more = "") {
  return "  - !GMPruningModifier\n    params: [" + params +
         "]\n    init_sparsity: 0.1\n    final_sparsity: " + final_sparsity +
         "\n    start_epoch: 0.0\n    end_epoch: 4.0\n    update_frequency: 1.0\n" + more;
}

static const std::string kHead = "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: 8.0\n";

TEST_CASE("the fraction of a few structures is rounded as a framework does") {
  CHECK(removed_of(0.97, 16, ir::Rounding::down) == 15);
  CHECK(removed_of(0.97, 16, ir::Rounding::nearest) == 16);
  CHECK(removed_of(0.25, 10, ir::Rounding::nearest) == 2);  // 2.5: to the even one
  CHECK(removed_of(0.25, 10, ir::Rounding::down) == 2);
  CHECK(units_of({ir::Structure::Kind::filter}, nullptr) == std::nullopt);
}

TEST_CASE("a weight that two pruners mask differs by what the weaker one leaves") {
  const Conversion conversion = converted(kHead + gradual("conv1.weight", "0.9") + gradual("'re:conv.*weight'", "0.5"),
                                          "sparseml", "distiller", nullptr);
  REQUIRE(conversion.fidelity.size() == 3);
  CHECK(conversion.fidelity[2].kind == Fidelity::Kind::dropped);  // a pattern needs the model's names

  const model::ModelNames names(std::vector<std::string>{"conv1.weight", "conv2.weight"});
  const Conversion named = converted(kHead + gradual("conv1.weight", "0.9") + gradual("'re:conv.*weight'", "0.5"),
                                     "sparseml", "distiller", &names);
  CHECK(named.fidelity[1].kind == Fidelity::Kind::approximated);
  CHECK(named.fidelity[1].difference.max == Approx(0.4));
  CHECK(named.fidelity[1].reason.find("`conv1.weight`") != std::string::npos);
}

TEST_CASE("pruners of other weights have nothing to do with each other") {
  const model::ModelNames names(std::vector<std::string>{"conv1.weight", "conv2.weight"});
  const Conversion conversion = converted(kHead + gradual("conv1.weight", "0.9") + gradual("conv2.weight", "0.5"),
                                          "sparseml", "distiller", &names);
  CHECK(conversion.fidelity[1].kind <= Fidelity::Kind::equivalent);
  CHECK(conversion.fidelity[2].kind <= Fidelity::Kind::equivalent);
}

TEST_CASE("a mask that is taken away leaves all of the weight") {
  const Conversion conversion =
      converted(kHead + gradual("conv1.weight", "0.7", "    leave_enabled: False\n"), "sparseml", "distiller");
  CHECK(conversion.fidelity[1].difference.max == Approx(0.7));
  CHECK(conversion.fidelity[1].difference.step == 40);
}

TEST_CASE("selectors that are too long as JSON are not written") {
  const auto list = [](const char* stem, int size) {
    std::string out;
    for (int at = 0; at < size; ++at) out += std::string(at == 0 ? "" : ", ") + stem + std::to_string(at);
    return "[" + out + "]";
  };
  const auto recipe = [&](int size) {
    return "s_stage:\n  a_modifiers:\n    QuantizationModifier:\n      scheme: W4A16\n      targets: " +
           list("a", size) + "\n      ignore: " + list("b", size) + "\n";
  };
  CHECK(converted(recipe(100), "llm-compressor", "ir").fidelity.front().kind == Fidelity::Kind::exact);
  const Conversion refused = converted(recipe(1000), "llm-compressor", "ir");
  CHECK(refused.text.empty());
  CHECK(refused.fidelity.front().kind == Fidelity::Kind::dropped);
}

}  // namespace sparsecfg::convert
