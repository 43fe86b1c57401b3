#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/shared_list.h"
#include "compile/compile.h"
#include "model/pattern_doubt.h"

namespace sparsecfg {

static CompileOptions with_modules(const char* dialect, int count) {
  std::vector<model::Module> modules;
  for (int at = 0; at < count; ++at) modules.push_back({"layer" + std::to_string(at), "Linear"});
  CompileOptions options;
  options.from = dialect;
  options.read.modules = std::make_shared<const std::vector<model::Module>>(std::move(modules));
  return options;
}

static std::string patterns(int count, const std::string& before, const std::string& after) {
  std::string out;
  for (int at = 0; at < count; ++at) out += before + "layer" + std::to_string(at) + "$" + after;
  return out;
}

static std::ptrdiff_t limit_findings(const Compilation& result) {
  return std::ranges::count(result.diagnostics, std::string_view("SP014"),
                            [](const diag::Diagnostic& each) { return each.info->code; });
}

TEST_CASE("patterns and names that take too long together are one error, and few are none") {
  const auto nni = [](int count) {
    return compile("a.yaml", "config_list:\n" + patterns(count, "- {op_names_re: ['", "'], sparse_ratio: 0.5}\n"),
                   with_modules("nni", 20'000));
  };
  CHECK(limit_findings(nni(600)) == 1);
  CHECK(limit_findings(nni(50)) == 0);
  const auto llm = [](int count) {
    const std::string head =
        "a_stage:\n  b_modifiers:\n    QuantizationModifier:\n      scheme: W4A16\n      targets:\n";
    return compile("a.yaml", head + patterns(count, "      - re:", "\n"), with_modules("llm-compressor", 20'000));
  };
  CHECK(limit_findings(llm(300)) == 1);
  CHECK(limit_findings(llm(20)) == 0);
}

TEST_CASE("patterns without a text to search for reach the limit earlier") {
  const auto with = [](const std::string& before) {
    std::string targets;
    for (int at = 0; at < 30; ++at) targets += "      - 're:" + before + std::to_string(at) + "'\n";
    return compile(
        "a.yaml",
        "a_stage:\n  b_modifiers:\n    QuantizationModifier:\n      scheme: W4A16\n      targets:\n" + targets,
        with_modules("llm-compressor", 20'000));
  };
  CHECK(limit_findings(with(".*layer")) == 0);
  CHECK(limit_findings(with("(.*|layer)+")) == 1);
}

TEST_CASE("entries of older releases of NNI that are not compared are reported") {
  const auto findings = [](int count) {
    CompileOptions options;
    options.from = "nni";
    options.read.reader_options.emplace_back("nni", "2.x");
    return limit_findings(
        compile("a.yaml", "config_list:\n" + patterns(count, "- {op_names: ['", "'], sparsity: 0.5}\n"), options));
  };
  CHECK(findings(301) == 1);
  CHECK(findings(300) == 0);
}

TEST_CASE("nothing is known of a pattern once the budget is spent") {
  const model::Term blank{model::Term::Kind::pattern, "a b.*", {}};
  base::Budget enough = regex::comparison_budget();
  base::Budget none = regex::comparison_budget(0);
  CHECK(model::impossible_name(blank, model::Selector::Over::parameters, "", enough));
  CHECK_FALSE(model::impossible_name(blank, model::Selector::Over::parameters, "", none));
}

TEST_CASE("lists are equal if their items are, asked once or again") {
  const base::SharedList<int> a = std::vector{1, 2};
  const base::SharedList<int> b = std::vector{1, 2};
  const base::SharedList<int> c = std::vector{1, 3};
  for (int again = 0; again < 2; ++again) {
    CHECK(a == b);
    CHECK_FALSE(a == c);
    CHECK_FALSE(a == base::SharedList<int>());
  }
}

}  // namespace sparsecfg
