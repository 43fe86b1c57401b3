#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "source/load.h"
#include "source/shape.h"

namespace sparsecfg::source {

// The parameters of a model, each once, in the file's order.
struct Parameters {
  std::vector<std::string> names;
  std::vector<std::optional<Shape>> shapes;  // of each name; nothing where the file does not tell it
};

using ParametersOrError = std::variant<Parameters, LoadError>;

// `text` is the content of a file of one of these forms: names one a line, a tab and a type and
// another tab and a shape behind a name where they are known; a JSON list of names; a JSON mapping
// from names to shapes; the index of sharded weights (`weight_map`); a .safetensors file or its
// header. Refused is a mapping with a name twice, a shape that is none, and nesting beyond reason.
[[nodiscard]] ParametersOrError read_names(std::string_view text);

// The parameters of a .safetensors file by its header, which is a JSON mapping.
[[nodiscard]] ParametersOrError read_header(std::string_view header);

// The distinct files of an index of sharded weights, in its order; none where the text is no index.
[[nodiscard]] std::vector<std::string> shards_of(std::string_view text);

// A module of a model: its full name, which is empty for the model itself, the name of its class,
// and the shape of its weight.
struct Module {
  std::string name;
  std::string type;
  std::optional<Shape> shape{};
};

// The modules of a model, one a line: the name, a tab, the type, and where it is known another tab
// and the shape of the weight; anything else in a third column is passed over. Refused is a line
// without a tab.
[[nodiscard]] std::variant<std::vector<Module>, LoadError> read_modules(std::string_view text);

}  // namespace sparsecfg::source
