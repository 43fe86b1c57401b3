#include "dialect/checkpoint/modules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "architecture/family.h"
#include "base/text.h"
#include "dialect/quantizers/runtime_names.h"
#include "model/selectors/entries.h"

namespace sparsecfg::dialect::checkpoint {

using architecture::PackedLayer;
using selectors::Fact;

constexpr std::string_view kExpertsEnd = ".experts";
// The prefixes of blocks that transformers knows. The first that a module has is used.
constexpr std::string_view kBlocks[] = {"transformer.h",
                                        "model.decoder.layers",
                                        "gpt_neox.layers",
                                        "model.layers",
                                        "model.language_model.layers",
                                        "h",
                                        "decoder.layers",
                                        "layers"};
constexpr std::string_view kEmbeddings[] = {"embed_tokens", "wte", "word_embeddings", "embed_in", "tok_embeddings"};

// Returns the name without `model`, `layers` and numbers, by which HQQ selects layers.
static std::string tag_of(std::string_view name) {
  std::string out;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const bool number = !part.empty() && std::ranges::all_of(part, base::is_digit);
    if (part == "model" || part == "layers" || number) continue;
    out += (out.empty() ? "" : ".") + std::string(part);
  }
  return out;
}

// Returns the prefix of the blocks of a model; empty if it has none.
static std::string_view blocks_of(const std::vector<model::Module>& modules) {
  for (const std::string_view block : kBlocks) {
    const auto starts = [&](const model::Module& module) { return module.name.starts_with(block); };
    if (std::ranges::any_of(modules, starts)) return block;
  }
  return {};
}

static selectors::Module library_module(const model::Module& module, bool tags, std::string_view blocks) {
  selectors::Module out{.name = module.name, .type = module.type};
  if (tags) out.others.push_back({selectors::Space::tag, tag_of(module.name)});
  if (base::last_part(module.name) == kHeadName) out.facts.add(Fact::head);
  if (module.name.ends_with(kExpertsEnd)) out.facts.add(Fact::experts);
  if (!blocks.empty() && module.name.starts_with(blocks)) out.facts.add(Fact::in_block);
  return out;
}

static Units library_units(const std::vector<model::Module>& modules, bool tags) {
  Units out;
  out.modules.reserve(modules.size());
  out.members.reserve(modules.size());
  const std::string_view blocks = blocks_of(modules);
  for (std::uint32_t at = 0; at < modules.size(); ++at) {
    out.modules.push_back(library_module(modules[at], tags, blocks));
    out.members.push_back({at});
  }
  return out;
}

// --- runtimes ---------------------------------------------------------------------------------------

namespace {

// Joins modules to the layers that a runtime builds.
class RuntimeUnits {
 public:
  RuntimeUnits(const std::vector<model::Module>& modules, selectors::PrefixMap prefixes, std::string_view architecture)
      : modules_(modules) {
    out_.prefixes = std::move(prefixes);
    packed_ = architecture::packed_layers(architecture).value_or(architecture::usual_packed_layers());
    for (const PackedLayer& layer : packed_) {
      for (const std::string& part : layer.parts) {
        if (std::ranges::find(layer.parts, layer.name) == layer.parts.end()) fused_.emplace(part, &layer);
      }
    }
    for (const model::Module& module : modules) names_.insert(module.name);
  }

  Units run() {
    numbers_.reserve(modules_.size());
    out_.modules.reserve(modules_.size());
    out_.members.reserve(modules_.size());
    for (std::uint32_t at = 0; at < modules_.size(); ++at) {
      const std::string& type = modules_[at].type;
      if (type == "Linear" || type == "Embedding" || type.ends_with("Experts")) add(at);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string runtime_name(const std::string& name) const {
    return selectors::mapped(name, out_.prefixes);
  }

  // Returns the name up to `.experts`, if the module is or belongs to experts.
  static std::optional<std::string> experts_in(const std::string& name) {
    for (std::size_t at = name.find(kExpertsEnd); at != name.npos; at = name.find(kExpertsEnd, at + 1)) {
      const std::size_t end = at + kExpertsEnd.size();
      if (end == name.size() || name[end] == '.') return name.substr(0, end);
    }
    return std::nullopt;
  }

  void add(std::uint32_t at) {
    const std::string name = runtime_name(modules_[at].name);
    const std::string_view last = base::last_part(name);
    if (const auto experts = experts_in(name)) return add_to(*experts, name, at, Fact::experts);
    if (base::contains(kEmbeddings, last)) return;
    const auto fused = fused_.find(last);
    if (fused == fused_.end() || !joins_several(modules_[at].name, *fused->second))
      return add_to(name, name, at, last == kHeadName ? std::optional(Fact::head) : std::nullopt);
    add_to(name.substr(0, name.size() - last.size()) + fused->second->name, name, at, std::nullopt);
  }

  // Returns true if the model has another part of a fused layer beside a module. Some models have only one part, which
  // is not fused.
  bool joins_several(std::string_view name, const PackedLayer& layer) {
    const std::string_view prefix = name.substr(0, name.size() - base::last_part(name).size());
    if (prefix != joined_.prefix || &layer != joined_.layer) {
      const auto exists = [&](const std::string& part) { return names_.contains(std::string(prefix) + part); };
      joined_ = {prefix, &layer, std::ranges::count_if(layer.parts, exists) > 1};
    }
    return joined_.several;
  }

  void add_to(const std::string& unit, const std::string& part, std::uint32_t member, std::optional<Fact> fact) {
    const auto [found, is_new] = numbers_.emplace(unit, out_.modules.size());
    if (is_new) {
      out_.modules.push_back({.name = unit, .type = "Linear"});
      if (fact) out_.modules.back().facts.add(*fact);
      out_.members.emplace_back();
    }
    out_.members[found->second].push_back(member);
    const bool is_packed = std::ranges::find(packed_, base::last_part(unit), &PackedLayer::name) != packed_.end();
    if (is_packed) out_.modules[found->second].parts.push_back(part);
  }

  const std::vector<model::Module>& modules_;
  std::vector<PackedLayer> packed_;

  // The last answer of joins_several(), since the parts of a layer follow each other.
  struct Joined {
    std::string_view prefix;
    const PackedLayer* layer = nullptr;
    bool several = false;
  };

  std::map<std::string, const PackedLayer*, std::less<>> fused_;  // the layer of each part
  std::unordered_set<std::string_view> names_;                    // of all modules
  Joined joined_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of units
  Units out_;
};

}  // namespace

static selectors::PrefixMap prefixes_of(Program program, std::string_view architecture) {
  selectors::PrefixMap out;
  for (const quantizers::PrefixRow& row : quantizers::prefix_rows()) {
    if (program == Program::vllm && row.architecture == architecture) out.emplace_back(row.checkpoint, row.runtime);
  }
  return out;
}

std::shared_ptr<const Units> SharedUnits::of(Program program, bool tags) {
  if (program == Program::transformers || program == Program::quark) {
    if (library_ == nullptr || tags) library_ = std::make_shared<Units>(library_units(*modules_, tags));
    return library_;
  }
  selectors::PrefixMap prefixes = prefixes_of(program, architecture_);
  if (runtime_ == nullptr || runtime_->prefixes != prefixes)
    runtime_ = std::make_shared<Units>(RuntimeUnits(*modules_, std::move(prefixes), architecture_).run());
  return runtime_;
}

// --- stored tensors ---------------------------------------------------------------------------------

// Tensors of quantized weights, and whether they are integers.
struct StoredTensor {
  std::string_view name;
  bool packed;
};

constexpr StoredTensor kStoredTensors[] = {{"qweight", true},
                                           {"qzeros", true},
                                           {"scales", false},
                                           {"weight_scale", false},
                                           {"weight_scale_inv", false},
                                           {"weight.absmax", false},
                                           {"weight.quant_state.bitsandbytes__nf4", false},
                                           {"weight.quant_state.bitsandbytes__fp4", false},
                                           {"SCB", false},
                                           {"weight.SCB", false},
                                           {"codes", true},
                                           {"codebooks", false},
                                           {"weight_packed", true},
                                           {"blocks", true},
                                           {"_blocks", true},
                                           {"_scales", false}};

StoredModules::StoredModules(const model::ModelNames& tensors) {
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const std::string name(tensors[at]);
    for (const StoredTensor& tensor : kStoredTensors) {
      if (!name.ends_with(tensor.name) || name.size() <= tensor.name.size()) continue;
      const std::size_t dot = name.size() - tensor.name.size() - 1;
      const bool fused = tensor.name.front() == '_';  // `experts.gate_up_proj_blocks`
      if (fused) add(name.substr(0, dot + 1), {.packed = tensor.packed, .scaled = !tensor.packed});
      if (name[dot] == '.') add(name.substr(0, dot), {.packed = tensor.packed, .scaled = !tensor.packed});
    }
    add(name.substr(0, name.rfind('.')), {});
  }
}

// All experts of a block are also one module, whose state is that of any of them.
void StoredModules::add(const std::string& module, const State& state) {
  const std::size_t experts = module.rfind(std::string(kExpertsEnd) + ".");
  for (const std::size_t end : {module.size(), experts == module.npos ? experts : experts + kExpertsEnd.size()}) {
    if (end == module.npos) continue;
    State& known = modules_[module.substr(0, end)];
    known.packed = known.packed || state.packed;
    known.scaled = known.scaled || state.scaled;
  }
}

bool StoredModules::contain(std::string_view module) const { return modules_.contains(std::string(module)); }

bool StoredModules::are_quantized(std::string_view module) const {
  const auto found = modules_.find(std::string(module));
  return found != modules_.end() && (found->second.packed || found->second.scaled);
}

bool StoredModules::are_packed(std::string_view module) const {
  const auto found = modules_.find(std::string(module));
  return found != modules_.end() && found->second.packed;
}

}  // namespace sparsecfg::dialect::checkpoint
