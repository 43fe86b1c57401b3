#pragma once

#include <string>
#include <vector>

#include "architecture/derive.h"

// The tensors of files beside the tensors that an architecture derives.
namespace sparsecfg::architecture {

// Adds the prefix of the base model to the names of tensors if files omit it: a model with a head also loads the files
// of its base model, as transformers does. Does nothing if the names have the prefix, or if the files lack modules of
// the base model.
void add_omitted_prefix(const std::vector<std::string>& derived, std::vector<std::string>& stored);

// Returns the part of a title about derived tensors that the files lack, under all names that releases of transformers
// give them; empty if the files contain all.
[[nodiscard]] std::string lacking_text(const Derived& facts, const std::vector<std::string>& derived,
                                       const std::vector<std::string>& stored);

}  // namespace sparsecfg::architecture
