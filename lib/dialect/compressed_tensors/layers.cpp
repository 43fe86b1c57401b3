#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "dialect/compressed_tensors/serving.h"

// The layers that runtimes build for the modules of a model.
namespace sparsecfg::dialect::compressed_tensors {

using model::Module;

namespace {

struct Fused {
  std::string_view name;
  std::string_view type;
  std::span<const std::string_view> parts;
};

constexpr std::string_view kQkv[] = {"q_proj", "k_proj", "v_proj"};
constexpr std::string_view kGateUp[] = {"gate_proj", "up_proj"};
constexpr Fused kFused[] = {{"qkv_proj", "QKVParallelLinear", kQkv},
                            {"gate_up_proj", "MergedColumnParallelLinear", kGateUp}};

constexpr std::string_view kRows[] = {"o_proj", "down_proj", "out_proj", "fc2", "dense_4h_to_h", "wo", "w2"};
constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate"};
// vLLM expects these names, even if the model uses others.
constexpr std::string_view kExpertParts[] = {"gate_proj", "up_proj", "down_proj"};
constexpr std::string_view kExperts = ".experts.";

std::string_view parent_of(std::string_view name) { return name.substr(0, std::min(name.rfind('.'), name.size())); }

class LayerFinder {
 public:
  explicit LayerFinder(const Modules& modules) : modules_(modules) {
    for (const Module& module : modules) by_name_.emplace(module.name, &module);
  }

  std::vector<Layer> run() {
    for (const Module& module : modules_) {
      if (module.type == "Embedding") {
        add({Layer::Kind::embedding, module.name, "VocabParallelEmbedding", {module.name}, {}, columns_of(module)});
      } else if (module.type == "Linear") {
        add_linear(module);
      }
    }
    return std::move(out_);
  }

 private:
  static std::uint64_t columns_of(const Module& module) {
    return module.shape && module.shape->size() == 2 ? module.shape->back() : 0;
  }

  void add(Layer layer) { out_.push_back(std::move(layer)); }

  void add_linear(const Module& module) {
    const std::string_view last = last_of(module.name);
    if (const std::size_t at = module.name.find(kExperts); at != std::string::npos) {
      add_experts(module.name.substr(0, at + kExperts.size() - 1), module);
    } else if (last == "lm_head") {
      add({Layer::Kind::head, module.name, "ParallelLMHead", {module.name}, {}, columns_of(module)});
    } else if (!base::contains(kRouters, last) && !add_fused(module)) {
      const std::string_view type = base::contains(kRows, last) ? "RowParallelLinear" : "ColumnParallelLinear";
      add({Layer::Kind::linear, module.name, type, {module.name}, {}, columns_of(module)});
    }
  }

  // All experts of a block are one layer. Only the names of the first expert count.
  void add_experts(const std::string& name, const Module& module) {
    const auto known = std::ranges::find(out_, name, &Layer::name);
    if (known != out_.end()) {
      return;
    }
    Layer layer{Layer::Kind::experts, name, "RoutedExperts", {}, {}, columns_of(module)};
    for (const std::string_view part : kExpertParts) layer.parts.push_back(name + ".0." + std::string(part));
    add(std::move(layer));
  }

  bool add_fused(const Module& module) {
    const std::string_view parent = parent_of(module.name);
    for (const Fused& fused : kFused) {
      std::vector<std::string> parts;
      for (const std::string_view part : fused.parts) {
        parts.push_back(std::string(parent) + "." + std::string(part));
      }
      const auto exists = [&](const std::string& part) {
        const auto found = by_name_.find(part);
        return found != by_name_.end() && found->second->type == "Linear";
      };
      if (!std::ranges::all_of(parts, exists) || !base::contains(fused.parts, last_of(module.name))) continue;
      if (module.name == parts.front()) {
        add({Layer::Kind::linear,
             std::string(parent) + "." + std::string(fused.name),
             fused.type,
             std::move(parts),
             {fused.parts.begin(), fused.parts.end()},
             columns_of(module)});
      }
      return true;
    }
    return false;
  }

  const Modules& modules_;
  std::map<std::string_view, const Module*> by_name_;
  std::vector<Layer> out_;
};

}  // namespace

std::vector<Layer> layers_of(const Modules& modules) { return LayerFinder(modules).run(); }

}  // namespace sparsecfg::dialect::compressed_tensors
