#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "script/network.h"
#include "script/value.h"

// The models that calls of a script receive.
namespace sparsecfg::script {

// The class that loads a string.
inline constexpr std::string_view kDefaultLoader = "AutoModelForCausalLM";

// A model as a call receives it. It is known if it has an id.
struct Model {
  std::string id;       // id, folder or `torchvision:NAME`, or the class of a network; empty if the model is unknown
  std::string loader;   // the class whose `from_pretrained` loads it; empty for a string and a network
  source::Span load;    // the call that loads it; empty for a string
  std::string assumed;  // an option of the command line whose default the model depends on
  bool named = false;   // true for an argument `model`, false for the first argument
  bool remote = false;  // true if the class may come from the repository of the model
  std::string why;      // the reason why it is unknown
  source::Span cause;   // where it became unknown

  std::vector<Layer> layers{};  // of a network that the script builds; otherwise empty
};

// Returns true for an object that `from_pretrained` of a class or a function of torchvision.models returns, or a call
// that returns its argument `model`.
[[nodiscard]] bool is_model(const Value& value);

// Returns true for such an object, and for a configuration that `from_pretrained` returns.
[[nodiscard]] bool is_model_or_config(const Value& value);

// Returns true for a module or another part of a model. A change of it changes the model.
[[nodiscard]] bool is_part_of_model(const Value& value);

// Returns the elements of the tuple that a call returns, such as a model and a report; nullopt for other calls.
[[nodiscard]] std::optional<std::vector<Ref>> parts_of_result(const Ref& call);

// Returns true for the name of a function `from_pretrained` that runs no code of the script.
[[nodiscard]] bool loads_model(const Value& callee);

// Returns true for a network of the script whose `__init__` is running.
[[nodiscard]] bool is_under_construction(const Value& value);

// Returns true for an attribute of modules that contains no modules.
[[nodiscard]] bool is_plain_attribute(std::string_view name);

// Returns true for a method that `torch.nn.Module` defines.
[[nodiscard]] bool is_method_of_network(std::string_view name);

// Returns the model that a recorded call receives: its argument `model`, its first argument, or the model that it
// loads.
[[nodiscard]] Model model_of_call(const Value& call);

// Returns the model that a value is: the id, or the object that a class has loaded.
[[nodiscard]] Model model_of_argument(const Value& argument);

}  // namespace sparsecfg::script
