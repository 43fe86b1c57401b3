#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "architecture/family.h"
#include "dialect/compressed_tensors/layer_shapes.h"

namespace sparsecfg::dialect::compressed_tensors {

using Kind = ShapeFault::Kind;

static RuntimeChoice chosen(std::string runtime) {
  ReadOptions options;
  options.reader_options.emplace_back("runtime", std::move(runtime));
  return runtime_of(options);
}

TEST_CASE("a release of vLLM decides which facts hold") {
  CHECK(chosen("vllm@0.23").has(facts::kFixedTiles));
  CHECK_FALSE(chosen("vllm@0.24").has(facts::kFixedTiles));
  CHECK(chosen("vllm@0.27").has(facts::kFusedBeforeClass));
  CHECK_FALSE(chosen("vllm@0.26").has(facts::kFusedBeforeClass));
  CHECK(chosen("vllm").has(facts::kGroupOrderRejected));
}

TEST_CASE("facts of some releases are uncertain without a release") {
  CHECK(chosen("vllm").may_have(facts::kFixedTiles));
  CHECK_FALSE(chosen("vllm").surely_has(facts::kFixedTiles));
  CHECK_FALSE(chosen("vllm").surely_has(facts::kGroupOrderRejected));
  CHECK_FALSE(chosen("vllm").surely_has(facts::kOrderNeedsGroups));
  CHECK(chosen("vllm@0.30").surely_has(facts::kGroupOrderRejected));
  CHECK(chosen("vllm@0.21").surely_has(facts::kOrderNeedsGroups));
  CHECK_FALSE(chosen("vllm@0.22").has(facts::kOrderNeedsGroups));
  CHECK(chosen("vllm").surely_has(facts::kSparsityRejected));
}

TEST_CASE("titles name the releases of a fact") {
  CHECK(title_of(chosen("vllm"), facts::kFixedTiles) == "vLLM before 0.24");
  CHECK(title_of(chosen("vllm@0.22"), facts::kFixedTiles) == "vLLM 0.22");
  CHECK(title_of(chosen("vllm"), facts::kGroupOrderRejected) == "vLLM 0.30");
  CHECK(title_of(chosen("sglang")) == "SGLang");
}

// A layer of one module with scales per group of columns.
struct Grouped {
  Layer layer{Layer::Kind::linear, "down_proj", "RowParallelLinear", {"down_proj"}};
  ConfigGroup group;
  Choice choice{"W4A8Int", "", true};

  Grouped(std::uint64_t columns, std::int64_t size) {
    layer.columns = columns;
    layer.rows = {128};
    layer.split = Layer::Split::columns;
    group.weights.args = {.present = true, .bits = 4, .strategy = Strategy::group, .group_size = size};
  }
};

// Assigns each column to a GPU and a group, and returns true if all parts are equal and no group is shared or shorter.
static bool fits(std::uint64_t columns, std::uint64_t size, std::uint64_t gpus) {
  if (columns % gpus != 0) return false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> owners;
  for (std::uint64_t column = 0; column < columns; ++column) owners.emplace(column / size, column / (columns / gpus));
  return columns % size == 0 && owners.size() == columns / size;
}

static RuntimeChoice on(std::uint64_t gpus, std::uint64_t expert_gpus = 1) {
  return {.runtime = Runtime::vllm, .gpus = gpus, .expert_gpus = expert_gpus};
}

TEST_CASE("expert parallelism does not divide experts") {
  Grouped one(640, 128);
  one.layer.kind = Layer::Kind::experts;
  CHECK_FALSE(shape_faults(one.layer, &one.group, one.choice, on(2)).empty());
  CHECK(shape_faults(one.layer, &one.group, one.choice, on(2, 2)).empty());
  RuntimeChoice sglang = on(8, 2);
  CHECK(sglang.gpus_per_expert() == 1);
  sglang.runtime = Runtime::sglang;
  CHECK(sglang.gpus_per_expert() == 4);
}

TEST_CASE("columns fit GPUs and groups as the columns are counted one by one") {
  std::mt19937 random(66);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t size = std::uint64_t{8} << (random() % 3);
    const std::uint64_t columns = size * (1 + random() % 12) + (random() % 4 == 0 ? size / 2 : 0);
    const std::uint64_t gpus = 1 + random() % 8;
    const Grouped one(columns, static_cast<std::int64_t>(size));
    INFO(columns << " columns, groups of " << size << ", " << gpus << " GPUs");
    CHECK(shape_faults(one.layer, &one.group, one.choice, on(gpus)).empty() == fits(columns, size, gpus));
  }
}

TEST_CASE("a layer that is not quantized must still be split evenly") {
  const Grouped one(640, 128);
  CHECK(shape_faults(one.layer, nullptr, {}, on(5)).empty());
  REQUIRE(shape_faults(one.layer, nullptr, {}, on(3)).size() == 1);
  CHECK(shape_faults(one.layer, nullptr, {}, on(3)).front().kind == Kind::split);
}

TEST_CASE("layers that may be split in another way have no faults") {
  Grouped one(640, 128);
  one.layer.split = Layer::Split::unknown;
  CHECK(shape_faults(one.layer, &one.group, one.choice, on(3)).empty());
}

TEST_CASE("architectures join their own layers") {
  const auto llama = architecture::packed_layers("LlamaForCausalLM");
  REQUIRE(llama);
  REQUIRE(llama->size() == 2);
  CHECK(llama->front().name == "qkv_proj");
  CHECK(llama->front().parts == std::vector<std::string>{"q_proj", "k_proj", "v_proj"});
  CHECK_FALSE(architecture::packed_layers("UnknownForCausalLM"));
}

TEST_CASE("each known architecture names the parts of its joined layers") {
  for (const std::string_view name : architecture::all_architectures()) {
    const auto packed = architecture::packed_layers(name);
    REQUIRE(packed);
    for (const architecture::PackedLayer& layer : *packed) CHECK(layer.parts.size() > 1);
  }
}

}  // namespace sparsecfg::dialect::compressed_tensors
