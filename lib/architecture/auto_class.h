#pragma once

#include <optional>
#include <string>

#include "architecture/build.h"
#include "source/value.h"

// The class that an Auto class builds for a model type.
namespace sparsecfg::architecture {

// Returns true for "AutoModel", "AutoModelForCausalLM" and the other Auto classes of the tables.
[[nodiscard]] bool is_auto_class(const std::string& loader);

struct ChosenClass {
  std::string name;                     // "Qwen3_5ForCausalLM"; empty if it is unknown
  std::string unknown;                  // why the class is unknown, as a clause
  std::optional<MissingClass> missing;  // if the load call raises
};

// Returns the class that an Auto class builds for a model type. `loader` is an Auto class of the tables.
[[nodiscard]] ChosenClass chosen_class(const std::string& loader, const std::string& model_type,
                                       const Releases& transformers);

// Returns the Auto class that loads a model type for generation, or "AutoModel"; empty if none does.
[[nodiscard]] std::string usual_loader(const std::string& model_type, const Releases& transformers);

}  // namespace sparsecfg::architecture
