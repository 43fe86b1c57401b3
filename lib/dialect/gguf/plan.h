#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/gguf/command.h"
#include "dialect/gguf/types.h"
#include "model/gguf.h"
#include "model/selectors/assign.h"

// The types that a command line assigns to the tensors of a model.
namespace sparsecfg::dialect::gguf {

// The list of tensor types of a program.
[[nodiscard]] const selectors::Reader& reader_of(Program program);

// An entry whose pattern and type are known.
struct ParsedEntry {
  std::string pattern;
  std::string written_type;
  const TensorType* type = nullptr;
  source::Span span{};
  std::string file{};  // that of the TypeEntry
  std::size_t line{};  // likewise
};

// The type of one tensor in the result.
struct PlannedTensor {
  std::string name;  // with renumbered layers
  model::Shape shape;
  const TensorType* type = nullptr;       // null: stays as it is
  const TensorType* asked = nullptr;      // before the columns were checked; null: the same
  std::optional<std::size_t> entry{};     // index of the deciding entry of the list
  std::vector<std::size_t> overridden{};  // likewise
  bool quantizable = false;               // false: the program never quantizes it
  bool unknown = false;                   // true if the default mix of the program is not known
};

struct TypePlan {
  std::vector<PlannedTensor> tensors;
  std::vector<bool> matched;             // by entry: matches a tensor that can be quantized
  std::vector<bool> matched_any;         // matches any tensor
  bool gated = false;                    // the list has no effect
  const PlannedTensor* unfit = nullptr;  // the program stops at it
};

// Returns the types of all tensors. `entries` must be valid for the program.
[[nodiscard]] TypePlan plan_of(const Command& command, const std::vector<ParsedEntry>& entries,
                               const model::GgufHeader& header);

}  // namespace sparsecfg::dialect::gguf
