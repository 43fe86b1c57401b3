#pragma once

#include "dialect/modelopt/read.h"

// Saved checkpoints: `hf_quant_config.json`, and `config.json` with `quant_method: modelopt`.
namespace sparsecfg::dialect::modelopt {

// Returns true if a document is such a file.
[[nodiscard]] bool is_checkpoint(const doc::Document& document);

// Reads such a file, and adds its action to a recipe. Reports what runtimes reject or read differently.
void read_checkpoint(const Context& context, ir::Recipe& out);

// A checkpoint with all that its checks need.
struct Checkpoint {
  const Context& context;
  const source::Value& file;
  const source::Value& config;            // the part about quantization
  const ir::Assign& assign;               // the formats and lists; all entries are read
  const std::vector<std::string>& algos;  // the names of the formats
  bool in_config;                         // the file is `config.json`, not `hf_quant_config.json`
  bool valid;                             // the lists decide the format of every layer
};

// Reports what runtimes read differently from the lists, and tensors, a second file and GPUs that contradict them.
void check_checkpoint(const Checkpoint& checkpoint);

// Returns the `group_size` of a map, or nullopt if it is missing or no number.
[[nodiscard]] std::optional<std::int64_t> group_in(const source::Value& config);

// Returns the group size of the weights in the first of the `config_groups`, or nullopt if there is none.
[[nodiscard]] std::optional<std::int64_t> group_of_groups(const source::Value& config);

// Returns true for the types of modules that an export quantizes.
[[nodiscard]] bool is_linear(std::string_view type);

}  // namespace sparsecfg::dialect::modelopt
