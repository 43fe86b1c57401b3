#include "dialect/back_ends.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dialect/dialect.h"

namespace sparsecfg::dialect {

constexpr std::pair<std::string_view, const BackEnd*> kBackEnds[] = {
    {"llm-compressor", &llmcompressor::kBackEnd},
    {"compressed-tensors", &compressed_tensors::kBackEnd},
    {"modelopt", &modelopt::kBackEnd},
    {"autoround", &autoround::kBackEnd},
    {"gptqmodel", &gptqmodel::kBackEnd},
    {"torchao", &torchao::kBackEnd}};

const BackEnd* back_end_of(const Dialect& dialect) {
  const auto* found = std::ranges::find(kBackEnds, dialect.name, &std::pair<std::string_view, const BackEnd*>::first);
  return found == std::end(kBackEnds) ? nullptr : found->second;
}

bool is_written(const Dialect& dialect) { return dialect.write != nullptr || back_end_of(dialect) != nullptr; }

}  // namespace sparsecfg::dialect
