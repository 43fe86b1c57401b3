#include "dialect/modelopt/quantizers.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text.h"

// Which modules have quantizers (docs/semantics/modelopt.md#c2).
namespace sparsecfg::dialect::modelopt {

namespace {

enum class Shape : std::uint8_t { linear, embedding, activation };

// A class of torch whose modules have quantizers.
struct ClassRow {
  std::string_view name;
  std::string_view key;
  Shape shape;
  bool instance = true;  // false: a subclass, which is not an instance of the class that the key names
};

constexpr ClassRow kClassRows[] = {
    {"Linear", "nn.Linear", Shape::linear},
    {"NonDynamicallyQuantizableLinear", "nn.Linear", Shape::linear, false},
    {"Conv1D", "Conv1D", Shape::linear},
    {"Conv1d", "nn.Conv1d", Shape::linear},
    {"Conv2d", "nn.Conv2d", Shape::linear},
    {"Conv3d", "nn.Conv3d", Shape::linear},
    {"ConvTranspose1d", "nn.ConvTranspose1d", Shape::linear},
    {"ConvTranspose2d", "nn.ConvTranspose2d", Shape::linear},
    {"ConvTranspose3d", "nn.ConvTranspose3d", Shape::linear},
    {"Embedding", "nn.Embedding", Shape::embedding},
    {"LayerNorm", "nn.LayerNorm", Shape::activation},
    {"BatchNorm1d", "nn.BatchNorm1d", Shape::activation},
    {"BatchNorm2d", "nn.BatchNorm2d", Shape::activation},
    {"BatchNorm3d", "nn.BatchNorm3d", Shape::activation},
    {"InstanceNorm1d", "nn.InstanceNorm1d", Shape::activation},
    {"InstanceNorm2d", "nn.InstanceNorm2d", Shape::activation},
    {"InstanceNorm3d", "nn.InstanceNorm3d", Shape::activation},
    {"LeakyReLU", "nn.LeakyReLU", Shape::activation},
    {"MaxPool1d", "nn.MaxPool1d", Shape::activation},
    {"MaxPool2d", "nn.MaxPool2d", Shape::activation},
    {"MaxPool3d", "nn.MaxPool3d", Shape::activation},
    {"AvgPool1d", "nn.AvgPool1d", Shape::activation},
    {"AvgPool2d", "nn.AvgPool2d", Shape::activation},
    {"AvgPool3d", "nn.AvgPool3d", Shape::activation},
    {"AdaptiveAvgPool1d", "nn.AdaptiveAvgPool1d", Shape::activation},
    {"AdaptiveAvgPool2d", "nn.AdaptiveAvgPool2d", Shape::activation},
    {"AdaptiveAvgPool3d", "nn.AdaptiveAvgPool3d", Shape::activation},
};

// Keys whose modules are not read here.
constexpr std::string_view kOtherKeys[] = {"nn.RNN", "nn.LSTM", "nn.GRU"};

// The projections of a class of fused experts.
struct ExpertsRow {
  std::string_view type;
  std::string_view projections[2];
  bool numbered = true;  // true if each expert has its own weight quantizer
};

constexpr ExpertsRow kExpertsRows[] = {{"NemotronHExperts", {"up_proj", "down_proj"}},
                                       {"GptOssExperts", {"gate_up_proj", "down_proj"}, false},
                                       {"Llama4TextExperts", {"gate_up_proj", "down_proj"}, false}};
constexpr ExpertsRow kUsualExperts{"", {"gate_up_proj", "down_proj"}};

const ClassRow* row_of(std::string_view type) {
  const auto* found = std::ranges::find(kClassRows, type, &ClassRow::name);
  return found == std::end(kClassRows) ? nullptr : found;
}

const ExpertsRow& experts_row(std::string_view type) {
  const auto* found = std::ranges::find(kExpertsRows, type, &ExpertsRow::type);
  return found == std::end(kExpertsRows) ? kUsualExperts : *found;
}

// Names of modules that contain others of a kind.
using Names = std::unordered_set<std::string_view>;

Names parents_of(std::span<const model::Module> modules, auto is_kind) {
  Names out;
  for (const model::Module& module : modules) {
    if (!is_kind(module)) continue;
    std::string_view name = module.name;
    for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos; dot = name.rfind('.')) {
      name = name.substr(0, dot);
      out.insert(name);
    }
  }
  return out;
}

bool is_attention_class(std::string_view type) { return type.ends_with("Attention") && type != "MultiheadAttention"; }

bool is_experts_class(std::string_view type) { return type.ends_with("Experts") && type != "Experts"; }

}  // namespace

const Quantizer* QuantizedModule::find(Tensor tensor) const {
  const auto found = std::ranges::find(quantizers, tensor, &Quantizer::tensor);
  return found == quantizers.end() ? nullptr : &*found;
}

// --- modules ----------------------------------------------------------------------------------------

std::vector<model::Module> with_projections(const std::vector<model::Module>& modules) {
  const Names split = parents_of(modules, [](const model::Module& module) { return row_of(module.type) != nullptr; });
  std::vector<model::Module> out;
  out.reserve(modules.size());
  for (const model::Module& module : modules) {
    out.push_back(module);
    if (!is_experts_class(module.type) || split.contains(module.name)) continue;
    for (const std::string_view projection : experts_row(module.type).projections) {
      out.push_back({module.name + "." + std::string(projection), module.type, {}});
    }
  }
  return out;
}

namespace {

class Insertion {
 public:
  Insertion(std::span<const model::Module> modules, bool embeddings)
      : modules_(modules),
        embeddings_(embeddings),
        with_attention_(
            parents_of(modules, [](const model::Module& module) { return is_attention_class(module.type); })) {
    for (const model::Module& module : modules) {
      if (is_experts_class(module.type)) experts_.insert(module.name);
    }
  }

  std::vector<QuantizedModule> run() {
    for (std::size_t at = 0; at < modules_.size(); ++at) add(at);
    return std::move(out_);
  }

 private:
  void add(std::size_t at) {
    const model::Module& module = modules_[at];
    if (const ClassRow* row = row_of(module.type)) {
      if (row->shape == Shape::embedding && !embeddings_) return;
      start(at, row->instance ? std::string(row->key) : std::string(), row->shape != Shape::activation);
      if (row->shape != Shape::activation) put(Tensor::weights, module.name, "weight_quantizer");
      put(Tensor::inputs, module.name, "input_quantizer", row->shape != Shape::embedding);
      out_.back().quantizers.back().never_on = row->shape == Shape::embedding;
      put(Tensor::outputs, module.name, "output_quantizer", false);
    } else if (is_attention_class(module.type) && !with_attention_.contains(module.name)) {
      start(at, module.type, false);
      put(Tensor::queries, module.name, "q_bmm_quantizer");
      put(Tensor::keys, module.name, "k_bmm_quantizer");
      put(Tensor::values, module.name, "v_bmm_quantizer");
      put(Tensor::probabilities, module.name, "p_bmm_quantizer");
    } else if (is_projection(module)) {
      add_projection(at);
    }
  }

  [[nodiscard]] bool is_projection(const model::Module& module) const {
    const std::size_t dot = module.name.rfind('.');
    if (!is_experts_class(module.type) || dot == std::string::npos) return false;
    return experts_.contains(std::string_view(module.name).substr(0, dot)) &&
           base::contains(experts_row(module.type).projections, std::string_view(module.name).substr(dot + 1));
  }

  void add_projection(std::size_t at) {
    const model::Module& module = modules_[at];
    const bool numbered = experts_row(module.type).numbered;
    start(at, "hf." + module.type, true);
    put(Tensor::inputs, module.name, "_input_quantizer");
    // Patterns rarely tell experts apart, so two of them represent all.
    for (const std::string_view number : {".0", ".1"}) {
      if (numbered) put(Tensor::weights, module.name, "_weight_quantizers" + std::string(number));
      if (numbered) out_.back().quantizers.back().numbered = true;
    }
    if (!numbered) put(Tensor::weights, module.name, "_weight_quantizer");
  }

  void start(std::size_t at, std::string key, bool has_weight) { out_.push_back({at, std::move(key), has_weight, {}}); }

  // `ending` starts with an underscore if it continues the last part of the name.
  void put(Tensor tensor, const std::string& module, const std::string& ending, bool on = true) {
    const std::string separator = module.empty() || ending.starts_with('_') ? "" : ".";
    Quantizer quantizer;
    quantizer.tensor = tensor;
    quantizer.name = module + separator + ending;
    quantizer.steps = {Step{.on = on}};
    out_.back().quantizers.push_back(std::move(quantizer));
  }

  std::span<const model::Module> modules_;
  bool embeddings_;
  Names with_attention_;
  Names experts_;
  std::vector<QuantizedModule> out_;
};

}  // namespace

std::vector<QuantizedModule> insert_quantizers(std::span<const model::Module> modules, bool embeddings) {
  return Insertion(modules, embeddings).run();
}

// --- attributes -------------------------------------------------------------------------------------

Attributes insertion_of(const QuantizedModule& module, const Quantizer& quantizer) {
  Attributes out;
  const bool linear = module.has_weight && !module.key.starts_with("hf.") && module.key != "nn.Embedding";
  if (linear && quantizer.tensor == Tensor::weights) out.axis = 0;
  return out;
}

Attributes attributes_of(const QuantizedModule& module, const Quantizer& quantizer, const Step& step,
                         std::span<const Entry> entries) {
  if (step.entry == Step::kInsertion) return insertion_of(module, quantizer);
  const auto& cfg = entries[step.entry].cfg;
  return cfg && step.part < cfg->size() ? (*cfg)[step.part] : Attributes();
}

// --- keys -------------------------------------------------------------------------------------------

std::span<const std::string_view> known_keys() {
  static const std::vector<std::string_view> kKeys = [] {
    std::vector<std::string_view> out;
    for (const ClassRow& row : kClassRows) {
      if (!base::contains(out, row.key)) out.push_back(row.key);
    }
    out.insert(out.end(), std::begin(kOtherKeys), std::end(kOtherKeys));
    return out;
  }();
  return kKeys;
}

bool is_known_key(std::string_view key) { return base::contains(known_keys(), key); }

std::vector<std::string> keys_of_model(std::span<const QuantizedModule> modules) {
  std::set<std::string> out;
  for (const QuantizedModule& module : modules) {
    if (!module.key.empty() && !is_known_key(module.key)) out.insert(module.key);
  }
  return {out.begin(), out.end()};
}

}  // namespace sparsecfg::dialect::modelopt
