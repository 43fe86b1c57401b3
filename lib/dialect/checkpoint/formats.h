#pragma once

#include <optional>

#include "ir/scheme.h"
#include "source/value.h"

// The formats that configs of the methods describe. Named by the rows of the methods.
namespace sparsecfg::dialect::checkpoint::formats {

using Scheme = std::optional<ir::Scheme>;
using source::Value;

[[nodiscard]] Scheme of_awq(const Value& config);
// transformers does not read the other names of the keys.
[[nodiscard]] Scheme of_awq_in_transformers(const Value& config);
[[nodiscard]] Scheme of_gptq(const Value& config);
[[nodiscard]] Scheme of_bitsandbytes(const Value& config);
[[nodiscard]] Scheme of_fp8(const Value& config);
// Without `weight_block_size`, vLLM and SGLang expect one scale for each tensor, not for each block.
[[nodiscard]] Scheme of_fp8_in_runtimes(const Value& config);
[[nodiscard]] Scheme of_fbgemm(const Value& config);
[[nodiscard]] Scheme of_mxfp4(const Value& config);
[[nodiscard]] Scheme of_hqq(const Value& group);
[[nodiscard]] Scheme of_quark(const Value& group);
// Returns the format of the global group of Quark, or an unknown format if there is none.
[[nodiscard]] Scheme of_quark_file(const Value& config);
[[nodiscard]] Scheme of_num_bits(const Value& config);
[[nodiscard]] Scheme of_bits_in_groups(const Value& config);
[[nodiscard]] Scheme of_weights_name(const Value& config);
[[nodiscard]] Scheme int8(const Value& config);
[[nodiscard]] Scheme ternary(const Value& config);
[[nodiscard]] Scheme of_aqlm(const Value& config);
[[nodiscard]] Scheme of_spqr(const Value& config);
[[nodiscard]] Scheme of_higgs(const Value& config);
[[nodiscard]] Scheme of_vptq(const Value& config);

// Returns true if vLLM has code for a group of Quark.
[[nodiscard]] bool vllm_supports_quark(const Value& group);

}  // namespace sparsecfg::dialect::checkpoint::formats
