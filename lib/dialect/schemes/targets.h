#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/schemes/schemes.h"
#include "model/matcher.h"
#include "model/names.h"

// Computes which modules of a model get which scheme.
namespace sparsecfg::dialect::schemes {

// Returns true if an entry of `targets`, `ignore` or a mapping is a pattern: it begins with `re:`.
[[nodiscard]] bool is_pattern(std::string_view entry);
// Returns the pattern after `re:`.
[[nodiscard]] std::string_view pattern_of(std::string_view entry);
// Returns the reason why Python can't compile a pattern, or nullopt if it can.
[[nodiscard]] std::optional<std::string> fault_of_regex(std::string_view pattern);
// Returns the same for an entry, or nullopt if it is not a pattern.
[[nodiscard]] std::optional<std::string> fault_of(std::string_view entry);

// Returns true for a string that contains several entries: "Linear, Conv2d".
[[nodiscard]] bool is_joined_list(std::string_view entry);

// Returns an entry without typographic quotation marks, which YAML and Python read as part of the text.
[[nodiscard]] std::string without_typographic_quotes(std::string_view entry);

// Returns true if a text contains the name of the output head in a family of models, such as `lm_head` or `embed_out`.
[[nodiscard]] bool names_head(std::string_view text);
// Returns the output head of a model; null if it has no layer with one of these names.
[[nodiscard]] const model::Module* head_of(std::span<const model::Module> modules);

// Returns the entry that a name, a glob or an incomplete pattern was meant to be: one that matches a layer of the
// model. A name selects the layers that end in it, else the layers in a container with this name, the layer that is the
// end of the name, the parts of a fused layer with this name, or the output head.
[[nodiscard]] std::optional<std::string> entry_for_layers(std::span<const model::Module> modules,
                                                          std::string_view entry);

// Returns the place of an entry of `ignore` that matches no module, although it was meant to match this layer.
[[nodiscard]] std::optional<source::Span> entry_meant_for(const std::vector<Entry>& entries,
                                                          std::span<const model::Module> modules,
                                                          std::string_view layer);

// Returns the class names that match a module: its own name and those of its base classes. May contain duplicates.
[[nodiscard]] std::array<std::string_view, 4> classes_of(const model::Module& module);

// Return a matcher of modules by patterns, full names and classes, including some base classes.
[[nodiscard]] model::Matcher matcher_of(const std::vector<Entry>& entries);
[[nodiscard]] model::Matcher matcher_of(const std::string& entry);

// Returns true if llm-compressor attaches weight schemes to modules of this class.
[[nodiscard]] bool takes_scheme(const model::Module& module);
// Returns true for the name of a layer that selects experts, which is rarely quantized.
[[nodiscard]] bool is_router(std::string_view name);
// Returns true for a class of attention, unless it belongs to an image encoder, which has no cache.
[[nodiscard]] bool is_attention(const model::Module& module);
// Returns for each module whether it is such an attention module with a layer for the cache, such as `k_proj`.
[[nodiscard]] std::vector<bool> cached_attention(std::span<const model::Module> modules);

// A target with the index of its group.
struct Target {
  Entry entry;
  std::size_t group;
};

// Returns the targets by priority: patterns sorted by text, then names and classes sorted by text. A full name has
// priority over all. Of equal targets the one of the last group applies.
[[nodiscard]] std::vector<Target> targets_of(const std::vector<Group>& groups);

// Returns for each module the index in `groups` of its scheme, or nullopt. Follows the rules of compressed-tensors.
[[nodiscard]] std::vector<std::optional<std::size_t>> schemes_in(const std::vector<model::Module>& modules,
                                                                 const std::vector<Group>& groups,
                                                                 const std::vector<Entry>& ignore);

}  // namespace sparsecfg::dialect::schemes
