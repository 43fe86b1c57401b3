#pragma once

#include <vector>

#include "diag/sink.h"
#include "dialect/gguf/command.h"
#include "dialect/gguf/plan.h"

// The types that a command line states for tensors.
namespace sparsecfg::dialect::gguf {

// Returns the valid entries of the list of a command. Reports the others, and invalid types of the options for the
// output and the embedding.
[[nodiscard]] std::vector<ParsedEntry> parse_entries(const Command& command, diag::Sink& sink);

}  // namespace sparsecfg::dialect::gguf
