#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "source/load.h"

namespace sparsecfg::model {

// The sizes of a tensor's dimensions, outermost first: outputs before inputs for weights. Empty for a scalar.
using Shape = std::vector<std::uint64_t>;

// Returns the product of the sizes; nullopt if it exceeds kMaxElements or there are more than kMaxDimensions.
[[nodiscard]] std::optional<std::uint64_t> elements_of(const Shape& shape);

// Parses a shape: `64x3x7x7`, `64,3,7,7`, `[64, 3, 7, 7]` or `(64, 3, 7, 7)`. Returns nullopt if the text is not a
// shape or elements_of() fails.
[[nodiscard]] std::optional<Shape> read_shape(std::string_view text);

// Returns the shape as "64x3x7x7".
[[nodiscard]] std::string to_text(const Shape& shape);

// The parameters of a model, without duplicates, in file order.
struct Parameters {
  std::vector<std::string> names;
  std::vector<std::optional<Shape>> shapes;  // one per name; nullopt if the file does not contain it
};

using ParametersOrError = std::variant<Parameters, source::LoadError>;

// Reads parameter names in one of these formats: one name per line, optionally followed by a tab and a type, and by
// another tab and a shape; a JSON list of names; a JSON mapping of names to shapes; the index of sharded weights
// (`weight_map`); a .safetensors file or its header. Rejects mappings with duplicate names, invalid shapes, and
// excessively deep nesting.
[[nodiscard]] ParametersOrError read_names(std::string_view text);

// Reads the parameters of a .safetensors file from its header, which is a JSON mapping.
[[nodiscard]] ParametersOrError read_header(std::string_view header);

// Returns the distinct files of an index of sharded weights, in order; empty if the text is not an index.
[[nodiscard]] std::vector<std::string> shards_of(std::string_view text);

inline constexpr std::string_view kWeightEnding = ".weight";  // of the name of a module's weight

// Returns the end of the name of a layer: its last part, with the part before it if the last one is a number.
[[nodiscard]] std::string_view end_of_name(std::string_view layer);

// A module of a model: its full name (empty for the model itself), its class name, and the shape of its weight.
struct Module {
  std::string name;
  std::string type;
  std::optional<Shape> shape{};

  friend bool operator==(const Module&, const Module&) = default;
};

// Reads the modules of a model, one per line: name, tab, type, and optionally another tab and the shape of the weight.
// Other text in the third column is ignored. Rejects lines without a tab.
[[nodiscard]] std::variant<std::vector<Module>, source::LoadError> read_modules(std::string_view text);

// Loads parameters from a file in any format of read_names(). Of a .safetensors file only the header is read, whatever
// the size. For an index of sharded weights, missing shapes are read from the shards in the same folder.
[[nodiscard]] std::variant<Parameters, source::LoadError> load_parameters(const std::string& path);

// Loads modules from a file in the format of read_modules().
[[nodiscard]] std::variant<std::vector<Module>, source::LoadError> load_modules(const std::string& path);

// Reads parameters from JSON: a list of names, a mapping of names to shapes or to objects with shapes, or the index of
// sharded weights. Rejects duplicate names in a mapping, because parsers disagree on which one counts, and too deep
// nesting.
[[nodiscard]] std::variant<Parameters, source::LoadError> read_json_names(std::string_view text);

// Loads parameters as load_parameters() does. `project` is the absolute folder of the project, or empty if the user
// names the file. In a project the file and the shards of an index must be regular files below the folder after all
// symbolic links are resolved. They must not be hidden, have at most 16 MiB, and contain only names.
[[nodiscard]] ParametersOrError load_parameters_of(const std::string& project, const std::string& path);

// The same for load_modules().
[[nodiscard]] std::variant<std::vector<Module>, source::LoadError> load_modules_of(const std::string& project,
                                                                                   const std::string& path);

}  // namespace sparsecfg::model
