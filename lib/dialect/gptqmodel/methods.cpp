#include "dialect/gptqmodel/methods.h"

#include <algorithm>

namespace sparsecfg::dialect::gptqmodel {

constexpr MethodRow kMethods[] = {
    {Method::gptq, "gptq", "GPTQ", {"gptq", "gptq_v2", "gptq_p", "marlin", "bitblas"}},
    {Method::awq, "awq", "AWQ", {"gemm", "gemv", "gemv_fast", "llm-awq", "marlin", "bitblas"}},
    {Method::fp8, "fp8", "FP8", {"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"}},
    {Method::bitsandbytes, "bitsandbytes", "bitsandbytes", {"fp4", "nf4", "int8"}},
    {Method::exl3, "exl3", "EXL3", {"exl3"}},
    {Method::gguf,
     "gguf",
     "GGUF",
     {"gguf", "q1_0", "q1_0_g128", "q4_0", "q4_k", "q4_k_m", "q4_k_s", "q5_k", "q5_k_m", "q5_k_s", "q6_k", "q8_0"}},
    {Method::qqq, "qqq", "QQQ", {"qqq"}},
    {Method::paroquant, "paroquant", "ParoQuant", {"paroquant"}},
};

std::span<const MethodRow> methods() { return kMethods; }

const MethodRow& row_of(Method method) { return *std::ranges::find(kMethods, method, &MethodRow::method); }

bool has_format(const MethodRow& row, std::string_view format) {
  return !format.empty() && std::ranges::find(row.formats, format) != row.formats.end();
}

const MethodRow* find_method(std::string_view word) {
  const auto* found = std::ranges::find(kMethods, word, &MethodRow::word);
  return found == std::end(kMethods) ? nullptr : found;
}

const MethodRow* owner_of(std::string_view format) {
  const auto* found = std::ranges::find_if(kMethods, [&](const MethodRow& row) { return has_format(row, format); });
  return found == std::end(kMethods) ? nullptr : found;
}

bool is_gguf_type(std::string_view word) { return word != "gguf" && has_format(row_of(Method::gguf), word); }

std::string_view name_of(Method method) { return row_of(method).name; }

std::string_view word_of(Method method) { return row_of(method).word; }

}  // namespace sparsecfg::dialect::gptqmodel
