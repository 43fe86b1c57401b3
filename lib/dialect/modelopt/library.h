#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "source/value.h"

// The snippets that ModelOpt ships, as a table of facts (docs/semantics/modelopt.md#b4).
namespace sparsecfg::dialect::modelopt {

// What a snippet contains.
enum class Schema : std::uint8_t { attributes, entry, entries, preset, patterns, recipe, other };

// Returns the schema of a `# modelopt-schema:` comment.
[[nodiscard]] Schema schema_of_name(std::string_view name);

struct Snippet {
  Schema schema = Schema::other;
  source::Value content;  // without imports
};

// Returns the content of a built-in snippet by its path without a suffix, such as "configs/numerics/fp8"; nullopt if
// there is none.
[[nodiscard]] std::optional<Snippet> built_in(std::string_view path);

// Returns the paths of all built-in snippets.
[[nodiscard]] std::span<const std::string_view> built_in_paths();

// A dictionary that `modelopt.torch.quantization` exports.
struct Constant {
  std::string_view name;    // "FP8_DEFAULT_CFG"
  std::string_view preset;  // "model/fp8"
};

[[nodiscard]] std::span<const Constant> constants();

// Returns the constant with the format that a name of another system describes, such as `FP8_DYNAMIC`, or the constant
// with this name. Empty if there is none.
[[nodiscard]] std::string_view constant_meant_by(const std::string& word);

// Returns the dictionary of a preset, such as "model/fp8".
[[nodiscard]] source::Value preset(std::string_view name);

// Returns the patterns that the presets turn off by default, without those of classes.
[[nodiscard]] std::string_view default_disables();

// Replaces strings such as `e4m3` under `num_bits` and `scale_bits` by pairs of numbers, as the YAML reader of ModelOpt
// does.
void convert_float_names(source::Value& value);

// Returns the pair of numbers of a string such as "e4m3"; nullopt for other strings.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> float_name(std::string_view text);

}  // namespace sparsecfg::dialect::modelopt
