#include "dialect/gguf/types.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace sparsecfg::dialect::gguf {

// clang-format off
constexpr TensorType kTypes[] = {
    {"f32", 1, 32}, {"f16", 1, 16}, {"bf16", 1, 16},
    {"q4_0", 32, 4.5}, {"q4_1", 32, 5}, {"q5_0", 32, 5.5}, {"q5_1", 32, 6}, {"q8_0", 32, 8.5}, {"q8_1", 256, 9},
    {"q2_K", 256, 2.625, false, false, "q4_0", "iq4_nl"},
    {"q3_K", 256, 3.4375, false, false, "q4_0", "iq4_nl"},
    {"q4_K", 256, 4.5, false, false, "q5_0", "q5_0"},
    {"q5_K", 256, 5.5, false, false, "q5_1", "q6_0"},
    {"q6_K", 256, 6.5625, false, false, "q8_0", "q8_0"},
    {"q8_K", 256, 9.125},
    {"iq2_xxs", 256, 2.0625, false, false, "iq4_nl", "iq4_nl", true},
    {"iq2_xs", 256, 2.3125, false, false, "iq4_nl", "iq4_nl", true},
    {"iq3_xxs", 256, 3.0625, false, false, "iq4_nl", "iq4_nl", true},
    {"iq1_s", 256, 1.5625, false, false, "iq4_nl", "iq4_nl", true},
    {"iq4_nl", 32, 4.5},
    {"iq3_s", 256, 3.4375, false, false, "iq4_nl", "iq4_nl"},
    {"iq2_s", 256, 2.5625, false, false, "iq4_nl", "iq4_nl", true},
    {"iq4_xs", 256, 4.25, false, false, "iq4_nl", "iq4_nl"},
    {"iq1_m", 256, 1.75, false, false, "iq4_nl", "iq4_nl", true},
    {"tq1_0", 256, 1.6875, false, false, "q4_0", "q4_0"},
    {"tq2_0", 256, 2.0625, false, false, "q4_0", "q4_0"},
    {"mxfp4", 32, 4.25},
    {"nvfp4", 64, 4.5, false, true},
    {"q6_0", 32, 6.5, true},
    {"q8_KV", 256, 8, true}, {"q8_KV_r8", 256, 8, true}, {"q8_K_R8", 256, 8.0625, true}, {"q8_K_R16", 256, 8.0625, true}, {"q8_K64", 256, 8.25, true},
    {"iq1_bn", 256, 1.625, true}, {"iq2_bn", 256, 2, true},
    {"iq2_k", 256, 2.375, true, false, {}, "iq4_nl"}, {"iq3_k", 256, 3.4375, true, false, {}, "iq4_nl"},
    {"iq4_k", 256, 4.5, true, false, {}, "iq4_nl"}, {"iq5_k", 256, 5.5, true, false, {}, "q6_0"}, {"iq6_k", 256, 6.625, true, false, {}, "q8_0"},
    {"iq2_ks", 256, 2.1875, true, false, {}, "iq4_nl"}, {"iq3_ks", 256, 3.1875, true, false, {}, "iq4_nl"},
    {"iq4_ks", 256, 4.25, true, false, {}, "iq4_nl"}, {"iq5_ks", 256, 5.25, true, false, {}, "q6_0"},
    {"iq4_kss", 256, 4, true, false, {}, "iq4_nl"}, {"iq2_kl", 256, 2.6875, true, false, {}, "iq4_nl"},
    {"iq1_kt", 256, 1.75, true, false, {}, {}, true}, {"iq2_kt", 256, 2.125, true, false, {}, "iq4_nl", true},
    {"iq3_kt", 256, 3.125, true, false, {}, "iq4_nl"}, {"iq4_kt", 256, 4, true, false, {}, "iq4_nl"},
    {"q4_0_r8", 256, 4.5, true}, {"q5_0_r4", 256, 5.5, true}, {"q8_0_r8", 256, 8.5, true},
    {"q2_k_r4", 256, 2.625, true}, {"q3_k_r4", 256, 3.4375, true}, {"q4_k_r4", 256, 4.5, true}, {"q5_k_r4", 256, 5.5, true},
    {"q6_k_r4", 256, 6.5625, true}, {"q6_0_r4", 256, 6.5, true}, {"iq2_xxs_r4", 256, 2.0625, true}, {"iq2_xs_r4", 256, 2.3125, true},
    {"iq3_xxs_r4", 256, 3.0625, true}, {"iq1_s_r4", 256, 1.5, true}, {"iq4_nl_r4", 256, 4.5, true}, {"iq3_s_r4", 256, 3.4375, true},
    {"iq2_s_r4", 256, 2.5625, true}, {"iq4_xs_r8", 256, 4.25, true}, {"iq1_m_r4", 256, 1.75, true}, {"bf16_r16", 256, 16, true},
    {"iq2_bn_r4", 256, 2, true}, {"iq2_k_r4", 256, 2.375, true}, {"iq3_k_r4", 256, 3.4375, true}, {"iq4_k_r4", 256, 4.5, true},
    {"iq5_k_r4", 256, 5.5, true}, {"iq4_ks_r4", 256, 4.25, true}, {"iq5_ks_r4", 256, 5.25, true},
    {"q4_0_4_4", 256, 4.5, true}, {"q4_0_4_8", 256, 4.5, true}, {"q4_0_8_8", 256, 4.5, true},
};

// clang-format on

std::string_view title_of(Program program) { return program == Program::llama ? "llama.cpp" : "ik_llama.cpp"; }

std::span<const TensorType> tensor_types() { return kTypes; }

const TensorType* type_called(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &TensorType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

const TensorType* find_type(Program program, std::string_view name) {
  const bool ik = program == Program::ik_llama;
  const std::string lower = base::to_lower(name);
  const auto* found = std::ranges::find_if(kTypes, [&](const TensorType& type) {
    if (ik ? type.only_llama : type.only_ik) return false;
    return ik ? type.name == name : base::to_lower(type.name) == lower;
  });
  return found == std::end(kTypes) ? nullptr : found;
}

bool is_plain(const TensorType& type) { return type.block == 1; }

const TensorType* fitting(const TensorType& type, std::uint64_t columns, Program program) {
  if (columns % type.block == 0) return &type;
  const TensorType* plain = type_called("f16");
  const TensorType* other = type_called(program == Program::llama ? type.fallback : type.ik_fallback);
  if (other == nullptr) return program == Program::llama ? nullptr : plain;
  return columns % other->block == 0 ? other : plain;
}

ir::Scheme scheme_of(const TensorType& type) {
  constexpr std::int64_t kGroup = 32;
  ir::TensorFormat out{.bits = static_cast<std::int64_t>(std::floor(type.bits)), .symmetric = std::nullopt};
  if (type.name.starts_with("iq") || type.name.starts_with("tq")) out.type = ir::NumberType::codebook;
  if (type.name.ends_with("fp4")) out.type = ir::NumberType::floating;
  out.granularity = ir::Granularity::group;
  out.group_size = type.block == 256 ? kGroup : static_cast<std::int64_t>(type.block);
  return {{std::move(out)}, {}, {}};
}

}  // namespace sparsecfg::dialect::gguf
