#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "script/value.h"

// Networks that a script builds from the layers of `torch.nn`.
namespace sparsecfg::script {

// A module of a network.
struct Layer {
  std::string name;                  // as in `named_modules()`; empty for the network itself
  std::string type;                  // "Conv2d", or a class of the script
  std::vector<std::uint64_t> shape;  // of `weight`; empty if the module has none

  friend bool operator==(const Layer&, const Layer&) = default;
};

// The modules of a network, in the order of `named_modules()`.
struct Network {
  std::vector<Layer> layers;
  std::string why;     // the reason why a module is unknown; empty if all are known
  source::Span cause;  // where it became unknown
};

// Returns true for an imported class of `torch.nn`, whose call constructs a layer or a container.
[[nodiscard]] bool builds_layer(const Value& callee);

// Returns true for the base class of all modules.
[[nodiscard]] bool is_module_class(const Value& callee);

// Returns true for the result of such a call, and for the network that a class of the script constructs.
[[nodiscard]] bool is_network(const Value& value);

// Makes an instance of a class of the script the network that it is after `__init__`: an object whose owner is the
// class.
void make_network(Value& instance);

// Returns the modules of such a value.
[[nodiscard]] Network modules_of(const Value& network);

// Returns the name of its class.
[[nodiscard]] std::string class_of(const Value& network);

}  // namespace sparsecfg::script
