#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/operation.h"
#include "model/names.h"
#include "model/selectors/assign.h"

// Rules of quantizers as entries of selector lists, and decisions of records about them.
namespace sparsecfg::dialect::quantizers {

// Returns the format of a scheme for the mechanism of selectors.
[[nodiscard]] constexpr selectors::Format format_of(std::uint32_t scheme) { return selectors::kFirstFormat + scheme; }

// Returns the entries of a selection without terms. The place of an entry is the index of its rule.
[[nodiscard]] std::vector<selectors::Entry> entries_of(const ir::Selection& selection);

// Returns the entries with the terms that a record gives them. Entries that it rejects are left out.
[[nodiscard]] std::vector<selectors::Entry> prepared(const selectors::Reader& reader,
                                                     std::vector<selectors::Entry> entries);

// Decides by a record. The places of the entries are indexes of rules.
[[nodiscard]] ir::Decisions decide(const selectors::Reader& reader, const std::vector<selectors::Entry>& entries,
                                   std::span<const selectors::Module> modules, const ir::Selection& selection);

// Returns the modules with their names and types only.
[[nodiscard]] std::vector<selectors::Module> plain_modules(std::span<const model::Module> modules);

// Returns true if a module has a weight that quantizers of language models can quantize: a linear layer.
[[nodiscard]] bool is_linear(const model::Module& module);

// Adds a scheme unless it is already in the list. Returns its index.
std::uint32_t add_scheme(std::vector<ir::Scheme>& schemes, ir::Scheme scheme);

// The name and the format of a weight-only integer scheme. A group size of 0 or less: one scale for each channel.
[[nodiscard]] ir::Scheme integer_weights(std::int64_t bits, std::int64_t group_size, std::optional<bool> symmetric);

}  // namespace sparsecfg::dialect::quantizers
