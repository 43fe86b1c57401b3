#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/schemes/schemes.h"
#include "model/names.h"

// Entries of `ignore` that match only some parts of a layer that runtimes join.
namespace sparsecfg::dialect::schemes {

// Returns the pattern for the modules of which an entry contains the whole last part of the name, such as `re:.*gate$`
// for `re:.*gate`, if it does not match the unwanted layer. Nullopt if the entry names no such modules.
[[nodiscard]] std::optional<std::string> whole_word_of(std::string_view entry, std::string_view unwanted,
                                                       std::span<const model::Module> modules);

// Advises to ignore all parts of a joined layer, or not to ignore the one that an entry matches by accident. `list` is
// the place of the list `ignore`; nullopt if it cannot be extended.
void advise_whole_layer(diag::Diagnostic& report, const Entry& entry, std::string_view ignored,
                        std::span<const std::string> parts, std::span<const model::Module> modules,
                        std::optional<source::Span> list);

}  // namespace sparsecfg::dialect::schemes
