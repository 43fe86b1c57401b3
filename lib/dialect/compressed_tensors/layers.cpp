#include <algorithm>
#include <map>
#include <unordered_map>

#include "architecture/family.h"
#include "base/text.h"
#include "dialect/compressed_tensors/serving.h"

// The layers that runtimes build for the modules of a model.
namespace sparsecfg::dialect::compressed_tensors {

using model::Module;

namespace {

using architecture::PackedLayer;

// Layers whose inputs are split across GPUs, whose outputs are, and that every GPU has as a whole.
constexpr std::string_view kRows[] = {"o_proj", "down_proj", "out_proj", "fc2", "dense_4h_to_h", "wo", "w2"};
constexpr std::string_view kColumns[] = {"q_proj",  "k_proj",       "v_proj",          "qkv_proj",      "gate_proj",
                                         "up_proj", "gate_up_proj", "query_key_value", "dense_h_to_4h", "fc1",
                                         "w1",      "w3",           "q_b_proj",        "kv_b_proj",     "in_proj_qkvz"};
constexpr std::string_view kReplicated[] = {"fused_qkv_a_proj", "q_a_proj", "kv_a_proj_with_mqa"};
// Encoders of images and sounds may be split in other ways.
constexpr std::string_view kEncoders[] = {"visual", "vision", "audio"};
constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate"};
// vLLM expects these names, even if the model uses others.
constexpr std::string_view kExpertParts[] = {"gate_proj", "up_proj", "down_proj"};
constexpr std::string_view kExperts = ".experts.";

std::string_view type_of(std::string_view name) {
  return name == "qkv_proj" ? "QKVParallelLinear" : "MergedColumnParallelLinear";
}

Layer::Split split_of(std::string_view name) {
  const bool encoder =
      std::ranges::any_of(kEncoders, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
  if (encoder) return Layer::Split::unknown;
  if (base::contains(kRows, base::last_part(name))) return Layer::Split::columns;
  if (base::contains(kColumns, base::last_part(name))) return Layer::Split::rows;
  return base::contains(kReplicated, base::last_part(name)) ? Layer::Split::none : Layer::Split::unknown;
}

class LayerFinder {
 public:
  explicit LayerFinder(const Modules& modules) : modules_(modules) {
    for (const Module& module : modules) by_name_.emplace(module.name, &module);
    const auto root = by_name_.find("");
    const auto known = root == by_name_.end() ? std::nullopt : architecture::packed_layers(root->second->type);
    packed_ = known ? *known : architecture::usual_packed_layers();
  }

  std::vector<Layer> run() {
    for (const Module& module : modules_) {
      if (module.type == "Embedding") {
        add_plain(module, Layer::Kind::embedding, "VocabParallelEmbedding");
      } else if (module.type == "Linear") {
        add_linear(module);
      }
    }
    return std::move(out_);
  }

 private:
  static std::uint64_t size_of(const Module& module, bool columns) {
    if (!module.shape || module.shape->size() != 2) return 0;
    return columns ? module.shape->back() : module.shape->front();
  }

  static std::uint64_t columns_of(const Module& module) { return size_of(module, true); }

  void add(Layer layer) {
    places_.emplace(layer.name, out_.size());
    out_.push_back(std::move(layer));
  }

  void add_plain(const Module& module, Layer::Kind kind, std::string_view type) {
    Layer layer{kind, module.name, type, {module.name}, {}, columns_of(module)};
    layer.rows = {size_of(module, false)};
    if (kind == Layer::Kind::linear) layer.split = split_of(module.name);
    add(std::move(layer));
  }

  void add_linear(const Module& module) {
    const std::string_view last = base::last_part(module.name);
    if (const std::size_t at = module.name.find(kExperts); at != std::string::npos) {
      add_expert(module.name.substr(0, at + kExperts.size() - 1), module);
    } else if (last == "lm_head") {
      add_plain(module, Layer::Kind::head, "ParallelLMHead");
    } else if (!base::contains(kRouters, last) && !add_fused(module)) {
      const bool rows = base::contains(kRows, last);
      add_plain(module, Layer::Kind::linear, rows ? "RowParallelLinear" : "ColumnParallelLinear");
    }
  }

  // All experts of a block are one layer. Only the names of the first expert count.
  void add_expert(const std::string& name, const Module& module) {
    if (!places_.contains(name)) {
      Layer layer{Layer::Kind::experts, name, "RoutedExperts", {}, {}, 0};
      for (const std::string_view part : kExpertParts) layer.parts.push_back(name + ".0." + std::string(part));
      add(std::move(layer));
    }
    // The outputs of the first layers are the inputs of the last one.
    if (base::contains(kRows, base::last_part(module.name))) out_[places_.at(name)].columns = columns_of(module);
  }

  bool add_fused(const Module& module) {
    const std::string_view parent = parent_of(module.name);
    const auto full = [&](const std::string& part) { return parent.empty() ? part : std::string(parent) + "." + part; };
    const auto find = [&](const std::string& part) {
      const auto found = by_name_.find(full(part));
      return found != by_name_.end() && found->second->type == "Linear" ? found->second : nullptr;
    };
    const std::string last(base::last_part(module.name));
    for (const PackedLayer& packed : packed_) {
      const auto exists = [&](const std::string& part) { return find(part) != nullptr; };
      const bool has_part = std::ranges::find(packed.parts, last) != packed.parts.end();
      if (!has_part || !std::ranges::all_of(packed.parts, exists)) continue;
      if (last == packed.parts.front()) {
        Layer layer{Layer::Kind::linear, full(packed.name), type_of(packed.name), {}, packed.parts, columns_of(module)};
        for (const std::string& part : packed.parts) {
          layer.parts.push_back(full(part));
          layer.rows.push_back(size_of(*find(part), false));
        }
        layer.split = split_of(layer.name);
        add(std::move(layer));
      }
      return true;
    }
    return false;
  }

  const Modules& modules_;
  std::map<std::string_view, const Module*> by_name_;
  std::vector<PackedLayer> packed_;  // the layers that vLLM joins
  std::vector<Layer> out_;
  std::unordered_map<std::string, std::size_t> places_;  // the first layer of each name
};

}  // namespace

std::vector<Layer> layers_of(const Modules& modules) { return LayerFinder(modules).run(); }

}  // namespace sparsecfg::dialect::compressed_tensors
