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
  std::vector<std::optional<Shape>> shapes;  // of each name; nullopt if the file does not tell it
};

using ParametersOrError = std::variant<Parameters, LoadError>;

// `text` is the content of a file of one of these forms: names one a line, a tab and a type and
// another tab and a shape behind a name where they are known; a JSON list of names; a JSON mapping
// from names to shapes; the index of sharded weights (`weight_map`); a .safetensors file or its
// header. Refused is a mapping with a name twice, a shape that is none, and nesting beyond reason.
[[nodiscard]] ParametersOrError read_names(std::string_view text);

// The parameters of a .safetensors file by its header, which is a JSON mapping.
[[nodiscard]] ParametersOrError read_header(std::string_view header);

// The distinct files of an index of sharded weights, in its order; none where the text is not an index.
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

// The parameters in a file of any form that read_names() knows. Of a .safetensors file only the
// header is read, however large it is; the shapes that an index of sharded weights lacks come from
// the shards that lie beside it.
[[nodiscard]] std::variant<Parameters, LoadError> load_parameters(const std::string& path);

// The modules in a file as read_modules() knows it.
[[nodiscard]] std::variant<std::vector<Module>, LoadError> load_modules(const std::string& path);

// The parameters in a JSON text: a list of names, a mapping from names to shapes or to what holds
// one, or the index of sharded weights. Refused is a name twice in a mapping, since parsers disagree
// on which one counts, and nesting beyond reason.
[[nodiscard]] std::variant<Parameters, LoadError> read_json_names(std::string_view text);

}  // namespace sparsecfg::source
