#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::gguf {

// Reads a script that calls llama-quantize, or a file of tensor types.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns true if a script calls llama-quantize. `name` is the path of the file.
[[nodiscard]] bool is_script(std::string_view name, std::string_view text);

// Returns true for a file of `--tensor-type-file`: all its words are entries with known types.
[[nodiscard]] bool is_list_of_types(std::string_view name, std::string_view text);

[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::gguf
