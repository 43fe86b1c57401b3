#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "architecture/build.h"
#include "base/limit_table.h"
#include "model/names.h"
#include "source/load.h"
#include "source/value.h"

// Computes the modules of a model from its `config.json`, without the model.
namespace sparsecfg::architecture {

// The maximum number of modules of a model, containers included.
using limits::kMaxModules;

// The programs that name the parts of a model differently.
enum class View : std::uint8_t {
  transformers,  // as transformers 5 builds the model, with fused experts
  linearized,    // the same after llm-compressor has split experts into layers
  checkpoint,    // the tensors of files; mostly the names of transformers 4
};

// A parameter or buffer of a layer.
struct Tensor {
  std::string name;
  model::Shape shape;
  bool buffer = false;
  bool single_byte = false;  // true if its type always has one byte
};

struct Layer {
  std::string name;
  std::string type;
  std::vector<Tensor> tensors;
  std::string tied;        // the layer whose weight this layer shares; empty: none
  bool tied_bias = false;  // true if the layer also shares its bias

  [[nodiscard]] const Tensor* find(std::string_view tensor) const;
  // Returns true if files do not contain the tensor, because it is shared.
  [[nodiscard]] bool shares(const Tensor& tensor) const;
};

struct Derived {
  std::string architecture;
  std::vector<Layer> layers;
  std::vector<std::pair<std::string, std::string>> renames;  // patterns and replacements, from modules to checkpoints
  std::vector<std::pair<std::string, std::string>> other_renames;  // the same, of checkpoints with other names
  bool remote = false;  // true if the code of the model is outside of transformers
  std::string raises;   // why llm-compressor fails to split the experts, as a clause; empty: it does not fail
  std::optional<std::uint64_t> heads{};              // query heads of the text model; nullopt: unknown
  std::optional<std::uint64_t> key_value_heads{};    // heads of its keys and values; nullopt: unknown
  std::optional<std::uint64_t> vocabulary{};         // rows of the embedding; nullopt: unknown
  std::optional<std::uint64_t> experts{};            // routed experts of a layer, 0 without any; nullopt: unknown
  std::optional<std::uint64_t> experts_per_token{};  // that a router selects; nullopt: unknown
};

using DerivedOrError = std::variant<Derived, source::LoadError>;

// Derives the modules of a `config.json`. Rejects unknown families, unknown keys that change the structure, and
// numbers of modules above kMaxModules, with a reason that names the cause. Also rejects a build whose releases have
// different names.
[[nodiscard]] DerivedOrError derive(const source::Value& config, View view, const Build& build = {});

// Returns the load call of a build that raises for a configuration, or nullopt if it loads a model.
[[nodiscard]] std::optional<MissingClass> missing_class(const source::Value& config, const Build& build);

// Returns the name of a tensor in checkpoints.
class Renamer {
 public:
  explicit Renamer(const std::vector<std::pair<std::string, std::string>>& renames);
  ~Renamer();
  Renamer(const Renamer&) = delete;
  Renamer& operator=(const Renamer&) = delete;

  [[nodiscard]] std::string tensor(const std::string& name);
  [[nodiscard]] std::string module(const std::string& name);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparsecfg::architecture
