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
  return filter->selects(type, "model.lm_head");
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

TEST_CASE("The answer of a filter is unknown if it asks about something else") {
  CHECK(asked("isinstance(module, Router)", "Linear") == std::nullopt);  // may be a base class
  CHECK(asked("isinstance(module, 'Linear')", "Linear") == std::nullopt);
  CHECK(asked("isinstance(fqn, nn.Linear)", "Linear") == std::nullopt);
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
  CHECK(asked("fqn.count('model')", "Linear") == std::nullopt);
}

}  // namespace sparsecfg::dialect::torchao
