#include "architecture/stored_names.h"

#include <catch2/catch.hpp>

namespace sparsecfg::architecture {

using Strings = std::vector<std::string>;

static Strings with_prefix(const Strings& derived, Strings stored) {
  add_omitted_prefix(derived, stored);
  return stored;
}

TEST_CASE("files of a base model get the prefix of the model with a head") {
  const Strings derived = {"model.embed.weight", "model.layers.0.proj.weight", "lm_head.weight"};
  const Strings base = {"embed.weight", "layers.0.proj.weight"};
  CHECK(with_prefix(derived, base) == Strings{"model.embed.weight", "model.layers.0.proj.weight"});
  const Strings quantized = {"embed.weight", "layers.0.proj.qweight", "lm_head.weight"};
  CHECK(with_prefix(derived, quantized) ==
        Strings{"model.embed.weight", "model.layers.0.proj.qweight", "lm_head.weight"});
}

TEST_CASE("files that are not of the base model keep their names") {
  const Strings derived = {"model.embed.weight", "model.layers.0.proj.weight", "lm_head.weight"};
  for (const Strings& stored : {Strings{"model.embed.weight", "layers.0.proj.weight"}, Strings{"embed.weight"},
                                Strings{"wte.weight", "h.0.proj.weight"}, Strings{}}) {
    CHECK(with_prefix(derived, stored) == stored);
  }
  CHECK(with_prefix({}, {"a.weight"}) == Strings{"a.weight"});
  CHECK(with_prefix({"weight"}, {"weight"}) == Strings{"weight"});
}

}  // namespace sparsecfg::architecture
