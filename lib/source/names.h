#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "source/load.h"

namespace sparsecfg::source {

// The parameter names of a model, each once, in the file's order. `text` is the content of a file
// of one of these forms: names one a line; a JSON list of names; a JSON mapping from names to
// shapes; the index of sharded weights (`weight_map`); the head of a .safetensors file.
[[nodiscard]] std::variant<std::vector<std::string>, LoadError> read_names(std::string_view text);

// A module of a model: its full name, which is empty for the model itself, and the name of its class.
struct Module {
  std::string name;
  std::string type;
};

// The modules of a model, one a line: the name, a tab, the type; what follows a second tab is passed
// over. Refused is a line without a tab.
[[nodiscard]] std::variant<std::vector<Module>, LoadError> read_modules(std::string_view text);

}  // namespace sparsecfg::source
