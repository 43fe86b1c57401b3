#include "dialect/quantization_config.h"

#include "doc/scalar_type.h"

namespace sparsecfg::dialect {

using doc::Document;
using doc::Kind;
using doc::NodeId;

// Components of models with several components.
constexpr std::string_view kComponents[] = {"text_config", "llm_config", "language_config", "thinker_config"};
constexpr std::string_view kSections[] = {"quantization_config", "compression_config"};

// Methods of libraries whose files other dialects read, or none yet.
struct Owner {
  std::string_view method;
  std::string_view dialect;
};

constexpr Owner kOwners[] = {
    {"compressed-tensors", "compressed-tensors"},
    {"compressed_tensors", "compressed-tensors"},
    {"modelopt", "modelopt"},
    {"modelopt_fp4", "modelopt"},
    {"modelopt_mxfp8", "modelopt"},
    {"modelopt_mixed", "modelopt"},
    {"inc", "autoround"},
    {"torchao", "torchao"},
};

static std::string text_of(const Document& document, std::optional<NodeId> id) {
  if (!id) return {};
  const doc::Node& node = document[document.resolve(*id)];
  const bool text = node.kind == Kind::scalar && doc::type_of(node) == doc::ScalarType::string;
  return text ? std::string(node.text) : std::string();
}

static bool is_mapping(const Document& document, std::optional<NodeId> id) {
  return id && document[document.resolve(*id)].kind == Kind::mapping;
}

// Files of ModelOpt for TensorRT-LLM have no method. vLLM looks at the producer.
std::string method_of(const Document& document, NodeId config) {
  std::string method = text_of(document, member(document, config, "quant_method"));
  const auto producer = member(document, config, "producer");
  const bool named = method.empty() && is_mapping(document, producer);
  const std::string name = named ? text_of(document, member(document, *producer, "name")) : std::string();
  return name == "modelopt" ? name : method;
}

// A section may contain the section of the same name, in files that tools have merged.
static std::optional<QuantizationConfig> section_in(const Document& document, NodeId root) {
  for (const std::string_view name : kSections) {
    const auto found = entry(document, root, name);
    if (!found || !is_mapping(document, found->second)) continue;
    QuantizationConfig out{document.resolve(found->second), document[found->first].span};
    const auto inner = member(document, out.config, "quantization_config");
    if (is_mapping(document, inner)) out.config = document.resolve(*inner);
    out.method = method_of(document, out.config);
    return out;
  }
  return std::nullopt;
}

// A file such as `quantize_config.json`, whose keys are those of a section.
static std::optional<QuantizationConfig> whole_file(const Document& document) {
  const NodeId root = document.resolve(document.root);
  const bool model = member(document, root, "architectures") || member(document, root, "model_type");
  if (document[root].kind != Kind::mapping || model) return std::nullopt;
  QuantizationConfig out{root, {}, method_of(document, root), true};
  const bool weights = member(document, root, "bits") && member(document, root, "group_size") &&
                       (member(document, root, "desc_act") || member(document, root, "zero_point"));
  return out.method.empty() && !weights ? std::nullopt : std::optional(std::move(out));
}

std::optional<QuantizationConfig> find_quantization(const Document& document) {
  if (document[document.resolve(document.root)].kind != Kind::mapping) return std::nullopt;
  if (auto found = section_in(document, document.root)) return found;
  for (const std::string_view name : kComponents) {
    const auto component = member(document, document.root, name);
    if (!is_mapping(document, component)) continue;
    if (auto found = section_in(document, *component)) return found;
  }
  return whole_file(document);
}

// AutoRound also saves files with the method of another library, which reads the same packed weights.
static bool is_of_autoround(const Document& document, const QuantizationConfig& found) {
  const std::string_view method = found.method;
  return method.find("auto-round") != std::string_view::npos || method.find("autoround") != std::string_view::npos ||
         method == "auto_round" || member(document, found.config, "autoround_version") ||
         member(document, found.config, "extra_config");
}

std::string_view owner_of(const Document& document, const QuantizationConfig& found) {
  if (is_of_autoround(document, found)) return "autoround";
  const bool own = found.method == "gptq" && member(document, found.config, "meta");  // written by GPTQModel
  const auto dynamic = own ? member(document, found.config, "dynamic") : std::nullopt;
  if (dynamic && !document[document.resolve(*dynamic)].items.empty()) return "gptqmodel";  // others ignore the key
  for (const Owner& owner : kOwners) {
    if (owner.method == found.method) return owner.dialect;
  }
  const bool groups = found.method.empty() && member(document, found.config, "config_groups");
  return groups ? "compressed-tensors" : "checkpoint";
}

bool has_quantization_of(const Document& document, std::string_view dialect) {
  const auto found = find_quantization(document);
  return found && owner_of(document, *found) == dialect;
}

std::string architecture_of(const Document& document) {
  const auto list = member(document, document.root, "architectures");
  if (!list) return {};
  const doc::Node& node = document[document.resolve(*list)];
  return node.kind == Kind::sequence && !node.items.empty() ? text_of(document, node.items.front()) : std::string();
}

}  // namespace sparsecfg::dialect
