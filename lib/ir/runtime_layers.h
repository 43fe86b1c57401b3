#pragma once

#include <string>
#include <vector>

namespace sparsecfg::ir {

// A layer of a program that loads a compressed model. It may join several modules.
struct RuntimeLayer {
  std::string name;                  // "model.layers.0.self_attn.qkv_proj"
  std::string type;                  // its class in the runtime: "QKVParallelLinear"
  std::vector<std::string> modules;  // the modules that it joins; of experts those that decide
  std::string group;                 // empty: not quantized
  std::string scheme;                // "weights int4 in groups of 128"
};

struct RuntimeLayers {
  std::string runtime;  // "vLLM 0.30"
  std::vector<RuntimeLayer> layers;
  bool complete = true;  // false, and no layers, if matching all of them would be too slow
};

}  // namespace sparsecfg::ir
