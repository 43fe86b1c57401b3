#pragma once

#include <string>
#include <vector>

#include "dialect/schemes/schemes.h"
#include "ir/operation.h"

// The selector languages of llm-compressor and compressed-tensors.
namespace sparsecfg::dialect::schemes {

// `targets` and `ignore` of modules that get a scheme. Rules that leave modules as they are come from `ignore`. Full
// names decide before patterns, patterns in the order of their text, and then classes.
extern const ir::Language kSchemeLanguage;

// Entries of a list that selects every module which one of them matches, unless an entry of `ignore` does.
extern const ir::Language kListLanguage;

// Attention modules with a cache. The single rule is the field of the scheme.
extern const ir::Language kCacheLanguage;

// Returns the decisions of a list: the modules for which `reached` is true are decided by the first rule that matches
// them, or by the first rule of all. Modules are not reached otherwise.
[[nodiscard]] ir::Decisions decisions_for(const ir::Selection& selection, std::span<const model::Module> modules,
                                          const std::vector<bool>& reached);

// Returns layers that most language models have, for comparisons without a model.
[[nodiscard]] std::vector<model::Module> example_modules(const ir::Selection& selection);

// Returns the rules of a list.
[[nodiscard]] std::vector<ir::Rule> rules_of(const std::vector<Entry>& entries,
                                             ir::Rule::Kind kind = ir::Rule::Kind::assigns);

}  // namespace sparsecfg::dialect::schemes
