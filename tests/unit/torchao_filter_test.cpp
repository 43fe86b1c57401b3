#include "dialect/torchao/filter.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace sparsecfg::dialect::torchao {

// Asks the filter `lambda PARAMETERS: EXPRESSION` about the module `model.lm_head` of a type.
static std::optional<bool> asked(const std::string& expression, const std::string& type,
                                 const std::string& parameters = "module, fqn") {
  const std::string text = "lambda " + parameters + ": " + expression;
  const source::SourceFile file("filter.py", text);
  const auto filter = Filter::at(file, {0, static_cast<std::uint32_t>(text.size())});
  REQUIRE(filter);
  return filter->selects({"model.lm_head", type, model::Shape{32000, 4096}});
}

TEST_CASE("A filter tests the class of the module") {
  CHECK(asked("isinstance(module, nn.Linear)", "Linear") == true);
  CHECK(asked("isinstance(module, Linear)", "Linear") == true);
  CHECK(asked("isinstance(module, nn.Linear)", "Embedding") == false);
  CHECK(asked("isinstance(module, nn.Module)", "Embedding") == true);
  CHECK(asked("isinstance(module, Router)", "Router") == true);
}

TEST_CASE("A filter tests several classes") {
  CHECK(asked("isinstance(module, (nn.Embedding, nn.Linear))", "Linear") == true);
  CHECK(asked("isinstance(module, (nn.Embedding, nn.Linear))", "Conv2d") == false);
  CHECK(asked("isinstance(module, (Router, nn.Linear))", "Linear") == true);
  CHECK(asked("isinstance(module, (Router, nn.Linear))", "Conv2d") == std::nullopt);
  CHECK(asked("isinstance(module, (nn.Linear, Router))", "Conv2d") == std::nullopt);
}

TEST_CASE("A name is no instance of a class of modules") {
  CHECK(asked("isinstance(fqn, nn.Linear)", "Linear") == false);
}

TEST_CASE("The answer of a filter is unknown if it asks about something else") {
  CHECK(asked("isinstance(module, Router)", "Linear") == std::nullopt);  // may be a base class
  CHECK(asked("isinstance(module, 'Linear')", "Linear") == std::nullopt);
  CHECK(asked("isinstance(self.child, nn.Linear)", "Linear", "child, fqn") == std::nullopt);
  CHECK(asked("isinstance(module)", "Linear") == std::nullopt);
  CHECK(asked("isinstance(module, nn.Linear, nn.Embedding)", "Linear") == std::nullopt);
}

TEST_CASE("A filter tests the name of the module") {
  CHECK(asked("fqn == 'model.lm_head'", "Linear") == true);
  CHECK(asked("'model.lm_head' != fqn", "Linear") == false);
  CHECK(asked("fqn == 'lm_head'", "Linear") == false);
  CHECK(asked("fqn < 'n'", "Linear") == std::nullopt);
  CHECK(asked("fqn == other", "Linear") == std::nullopt);
  CHECK(asked("other == fqn", "Linear") == std::nullopt);
  CHECK(asked("'lm_head' in fqn", "Linear") == true);
  CHECK(asked("'lm_head' not in fqn", "Linear") == false);
  CHECK(asked("fqn in ('lm_head', 'model.lm_head')", "Linear") == true);
  CHECK(asked("fqn in ['lm_head']", "Linear") == false);
  CHECK(asked("fqn in names", "Linear") == std::nullopt);
  CHECK(asked("fqn.startswith('model.')", "Linear") == true);
  CHECK(asked("fqn.endswith(('down_proj', 'lm_head'))", "Linear") == true);
  CHECK(asked("fqn.endswith('model')", "Linear") == false);
  CHECK(asked("fqn.count('model')", "Linear") == true);
}

TEST_CASE("A filter searches names, takes them apart and compares sizes") {
  CHECK(asked("any(x in fqn for x in ['attn', 'head'])", "Linear") == true);
  CHECK(asked("not any(x in fqn for x in ('attn', 'mlp'))", "Linear") == true);
  CHECK(asked("all(x in fqn for x in ('model', 'mlp'))", "Linear") == false);
  CHECK(asked("fqn.split('.')[-1] in {'lm_head'}", "Linear") == true);
  CHECK(asked("fqn.split('.')[7] == 'lm_head'", "Linear") == std::nullopt);
  CHECK(asked("re.search(r'head$', fqn)", "Linear") == true);
  CHECK(asked("re.match('head', fqn) is not None", "Linear") == false);
  CHECK(asked("module.in_features % 128 == 0", "Linear") == true);
  CHECK(asked("4096 <= module.out_features < 5000", "Linear") == false);
  CHECK(asked("module.weight.shape[0] > 5000", "Linear") == true);
  CHECK(asked("type(module) is nn.Linear", "Linear") == true);
  CHECK(asked("module.in_features == 4096", "LayerNorm") == std::nullopt);
}

// Asks the function `keep` of a script.
static std::optional<Filter> function_of(const source::SourceFile& file) {
  const auto at = static_cast<std::uint32_t>(file.text().find("keep)"));
  return Filter::at(file, {at, at + 4});
}

TEST_CASE("A filter may be a function of several statements with lists of the script") {
  const source::SourceFile file("filter.py", R"(SKIP = ["lm_head", "router"]
def is_skipped(name):
    for each in SKIP:
        if each in name:
            return True
    return False
def keep(module, name):
    """Skips the sensitive layers."""
    if not isinstance(module, nn.Linear):
        return False
    return not is_skipped(name)
quantize_(model, config, keep)
)");
  const auto filter = function_of(file);
  REQUIRE(filter);
  CHECK(filter->selects({"lm_head", "Linear", {}}) == false);
  CHECK(filter->selects({"up_proj", "Linear", {}}) == true);
  CHECK(filter->selects({"norm", "LayerNorm", {}}) == false);
  REQUIRE(filter->unmatched().size() == 1);
  CHECK(filter->unmatched()[0].value == "router");
  CHECK(file.position(filter->unmatched()[0].span.begin).line == 1);
}

TEST_CASE("A filter whose list changes is unknown") {
  const source::SourceFile file("filter.py", R"(SKIP = ["lm_head"]
SKIP.append(other)
def keep(module, name):
    return name not in SKIP
quantize_(model, config, keep)
)");
  const auto filter = function_of(file);
  REQUIRE(filter);
  CHECK(filter->selects({"up_proj", "Linear", {}}) == std::nullopt);
}

}  // namespace sparsecfg::dialect::torchao
