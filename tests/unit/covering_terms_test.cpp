#include "model/covering_terms.h"

#include <catch2/catch.hpp>
#include <set>

namespace sparsecfg::model {

static std::vector<std::string> covering(const std::vector<std::string>& names, const std::set<std::string>& wanted) {
  std::vector<bool> flags;
  for (const std::string& name : names) flags.push_back(wanted.contains(name));
  std::vector<std::string> out;
  for (const Term& term : covering_terms(names, flags)) {
    out.push_back((term.kind == Term::Kind::pattern ? "re:" : "") + term.text);
  }
  return out;
}

TEST_CASE("Names that differ only in numbers become one pattern") {
  CHECK(covering({"conv1.w", "a.0.conv1.w", "a.0.bn1.w", "a.1.conv2.w"}, {"conv1.w", "a.0.conv1.w", "a.1.conv2.w"}) ==
        std::vector<std::string>{"conv1.w", R"(re:a\.\d+\.conv\d+\.w$)"});
  CHECK(covering({"a.2.w", "a.2.b"}, {"a.2.w"}) == std::vector<std::string>{"a.2.w"});
  CHECK(covering({"a.2.w"}, {}).empty());
}

TEST_CASE("A number that separates wanted names from others is kept") {
  const std::vector<std::string> names = {"a.0.d.0.w", "a.0.d.1.w", "a.1.d.0.w", "a.1.d.1.w"};
  CHECK(covering(names, {"a.0.d.0.w", "a.1.d.0.w"}) == std::vector<std::string>{R"(re:a\.\d+\.d\.0\.w$)"});
  CHECK(covering(names, {"a.0.d.0.w", "a.1.d.1.w"}) == std::vector<std::string>{"a.0.d.0.w", "a.1.d.1.w"});
}

}  // namespace sparsecfg::model
