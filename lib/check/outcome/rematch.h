#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/operation.h"

// The modules that a rule would match with another text.
namespace sparsecfg::check {

// Returns the indexes of the modules that `text` matches as the entry of a rule of the operation, in order; none if
// this is too slow.
[[nodiscard]] std::vector<std::size_t> modules_matched_by(const ir::Operation& operation, std::uint32_t rule,
                                                          const std::string& text,
                                                          std::span<const model::Module> modules);

}  // namespace sparsecfg::check
