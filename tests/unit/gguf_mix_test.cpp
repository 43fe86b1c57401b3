#include "dialect/gguf/mix.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace sparsecfg::dialect::gguf {

TEST_CASE("The number of a layer is between `blk.` and a dot") {
  CHECK(layer_in("blk.12.attn_v.weight") == 12);
  CHECK(layer_in("enc.12.attn_v.weight") == -1);
  CHECK(layer_in("blk.12") == -1);
  CHECK(layer_in("blk.12_v.weight") == -1);
  CHECK(layer_in("blk.x.weight") == -1);
  CHECK(layer_in("output.weight") == -1);
}

// The layers are those of llama.cpp, llama-quant.cpp: use_more_bits().
TEST_CASE("The first and last layers and each third one between them get more bits") {
  const auto raised = [](std::int64_t layers) {
    std::vector<std::int64_t> out;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      if (gets_more_bits(layer, layers)) out.push_back(layer);
    }
    return out;
  };
  CHECK(raised(10) == std::vector<std::int64_t>{0, 3, 6, 8, 9});
  CHECK(raised(32) == std::vector<std::int64_t>{0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31});
}

TEST_CASE("The mix of a model depends on the counts in its metadata") {
  const MixedModel none = mixed_model({});
  CHECK(none.architecture == "llama");
  CHECK(none.experts == 1);
  CHECK(none.layers == 0);
  CHECK(none.heads == 1);
  CHECK(none.key_heads == 1);
  CHECK(none.ratio == 1);

  model::GgufHeader header{.values = {{"general.architecture", std::string("qwen3moe")},
                                      {"qwen3moe.expert_count", std::int64_t{128}},
                                      {"qwen3moe.block_count", std::int64_t{48}},
                                      {"qwen3moe.attention.head_count", std::int64_t{32}},
                                      {"qwen3moe.attention.head_count_kv", std::int64_t{4}},
                                      {"llama.block_count", std::int64_t{1}}},
                           .tensors = {}};
  const MixedModel experts = mixed_model(header);
  CHECK(experts.experts == 128);
  CHECK(experts.layers == 48);
  CHECK(experts.heads == 32);
  CHECK(experts.key_heads == 4);
  CHECK(experts.ratio == 8);

  header.values["qwen3moe.attention.head_count_kv"] = std::int64_t{1};
  CHECK(mixed_model(header).ratio == 32);
  header.values["qwen3moe.attention.head_count_kv"] = std::int64_t{0};  // without attention
  CHECK(mixed_model(header).ratio == 1);
}

TEST_CASE("The mix of a model depends on the names of its tensors") {
  model::GgufHeader header;
  for (const char* name : {"blk.0.attn_v.weight", "blk.1.attn_qkv.weight", "blk.2.attn_kv_b.weight",
                           "blk.3.attn_k.weight", "token_embd.weight"}) {
    header.tensors.push_back({name, {}});
  }
  CHECK(mixed_model(header).values == 3);
  CHECK_FALSE(mixed_model(header).has_output);
  header.tensors.insert(header.tensors.begin(), {"output.weight", {}});
  CHECK(mixed_model(header).has_output);
}

}  // namespace sparsecfg::dialect::gguf
