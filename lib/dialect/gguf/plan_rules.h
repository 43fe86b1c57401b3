#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/gguf/command.h"
#include "dialect/gguf/plan.h"
#include "source/source_file.h"

// Rules about the types that a command line assigns to tensors.
namespace sparsecfg::dialect::gguf {

// A command, its parsed entries, and the types that result. `matrix`: the importance matrix that an earlier command
// creates, as the script writes its name; empty if there is none.
struct PlannedCommand {
  const Command& command;
  const source::SourceFile& file;
  const std::vector<ParsedEntry>& entries;
  const TypePlan& plan;
  std::string matrix{};
};

void check_plan(const PlannedCommand& planned, diag::Sink& sink);

// Without a model, only lists that are ignored and the order of entries are known.
void check_without_model(const PlannedCommand& planned, diag::Sink& sink);

// Returns the place that decides the type of a tensor.
[[nodiscard]] source::Span place_of(const PlannedCommand& planned, const PlannedTensor& tensor);

}  // namespace sparsecfg::dialect::gguf
