#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lsp/schema.h"

// Texts with places to fill in, in the snippet syntax of the protocol: `${1:0.8}` is the first place with its default.
namespace sparsecfg::lsp {

// Returns the fields that a new mapping starts with, one per line, each preceded by a line feed and `indent` blanks.
// These are the required fields, and those that a one-shot modifier usually has.
[[nodiscard]] std::string starting_fields(const SchemaPlace& place, std::size_t indent);

// Returns the fields that recipes usually set first, in their usual order, for the order of completions.
[[nodiscard]] std::span<const std::string_view> usual_fields();

// Returns true for modifiers of one-shot recipes that need a training loop, so that a new recipe should not use them.
[[nodiscard]] bool needs_training_loop(std::string_view name, bool trains);

// Returns the text with the defaults of its places, for editors without snippets.
[[nodiscard]] std::string without_places(std::string_view snippet);

struct Template {
  std::string_view name;
  std::string_view dialect;
  std::string_view doc;
  std::string_view text;  // a snippet
};

// Whole recipes for an empty file.
[[nodiscard]] std::span<const Template> templates();

// Items of a list of mappings, each with the layers to balance and the norm before them, in YAML, JSON and Python.
[[nodiscard]] std::span<const Template> usual_mappings();

// Patterns that a field of an object in such a list usually has; empty for other fields.
[[nodiscard]] std::span<const std::string_view> usual_patterns(std::string_view field);

}  // namespace sparsecfg::lsp
