#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/llmcompressor/model.h"

// Entries of `targets` and `ignore` that certainly or probably do not match in any model.
namespace sparsecfg::dialect::llmcompressor {

// The probable meaning of an entry.
struct EntryMeant {
  std::string reason;    // why it matches nothing, as a clause
  std::string text;      // the correct entry, or a list in brackets
  bool certain = false;  // true if no model has such a name
  bool inner = false;    // true for the last part of names of layers
};

// Returns what an entry was meant to be: a list, a name without blanks, a class without its module, a pattern, or a
// class of layers. Returns nullopt if it may be correct.
[[nodiscard]] std::optional<EntryMeant> meant_by(std::string_view entry);

// Returns the target for the layers in the modules of a class, such as `Linear` for `LlamaDecoderLayer`; empty for
// other classes. Attention can have a scheme itself, and does not count.
[[nodiscard]] std::string_view layers_in_class(std::string_view name);

// Returns the entry that a misspelled one was meant to be, if it matches modules of the model or is a list.
[[nodiscard]] std::optional<std::string> meant_in(ModelIndex& index, const std::string& entry);

// Returns help for a pattern that only matches names in checkpoints, or nullopt.
[[nodiscard]] std::optional<std::string> help_for_stored(ModelIndex& index, const std::string& entry);

}  // namespace sparsecfg::dialect::llmcompressor
