#include "dialect/compressed_tensors/config.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/dialects.h"
#include "dialect/quantization_config.h"
#include "dialect/stages/schema.h"
#include "doc/scalar_type.h"

namespace sparsecfg::dialect::compressed_tensors {

using doc::Document;
using doc::Kind;
using doc::NodeId;

constexpr std::string_view kSection = "quantization_config";
constexpr std::string_view kOldSection = "compression_config";
constexpr std::string_view kMethods[] = {"compressed-tensors", "compressed_tensors"};
// Components of models with several components.
constexpr std::string_view kInner[] = {"text_config", "llm_config", "language_config", "thinker_config"};

static bool is_method(const Document& document, NodeId config) {
  for (const std::string_view key : {"quant_method", "quant_type"}) {
    const auto method = member(document, config, key);
    if (method && base::contains(kMethods, document[*method].text)) return true;
  }
  return false;
}

// Other methods, such as ModelOpt, have groups with other rules.
static bool is_other_method(const Document& document, NodeId config) {
  return !method_of(document, config).empty() && !is_method(document, config);
}

static bool has_groups(const Document& document, NodeId config) {
  if (is_other_method(document, config)) return false;
  const auto groups = member(document, config, "config_groups");
  return groups && (document[*groups].kind == Kind::mapping || is_method(document, config));
}

std::optional<NodeId> find_config(const Document& document) {
  const auto is_mapping = [&](const std::optional<NodeId>& id) { return id && document[*id].kind == Kind::mapping; };
  if (const auto config = member(document, document.root, kSection)) {
    return config;
  }
  for (const std::string_view part : kInner) {
    const auto inner = member(document, document.root, part);
    const auto config = is_mapping(inner) ? member(document, *inner, kSection) : std::nullopt;
    if (config) return config;
  }
  const doc::Node& root = document[document.resolve(document.root)];
  const bool model = member(document, document.root, "architectures") || member(document, document.root, "model_type");
  return root.kind == Kind::mapping && !model && !find_old_key(document)
             ? std::optional(document.resolve(document.root))
             : std::nullopt;
}

std::optional<NodeId> find_old_key(const Document& document) {
  const auto found = entry(document, document.root, kOldSection);
  return found ? std::optional(found->first) : std::nullopt;
}

// Other methods also use the key `quantization_config`, and recipes of llm-compressor the key `config_groups`.
bool claims(const Document& document) {
  const auto config = find_config(document);
  if (!config) return find_old_key(document).has_value();
  const bool whole = *config == document.resolve(document.root);
  return is_method(document, *config) ||
         (has_groups(document, *config) && (!whole || member(document, *config, "format")));
}

constexpr std::string_view kWords[] = {"\"quant_method\": \"compressed-tensors\""};
constexpr std::string_view kFieldNames[] = {"targets", "weights", "input_activations", "output_activations", "format"};

static Plan plan(const ir::Recipe& /*recipe*/) { return {.layer_schemes = true, .is_result = true}; }

constexpr std::string_view kServedBy[] = {"vllm", "sglang", "compressed-tensors"};

const Dialect kDialect{
    .name = "compressed-tensors",
    .title = "compressed-tensors",
    .text = "a config.json of compressed-tensors",
    .releases = "config.json files of llm-compressor",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .write = write,
    .plan = plan,
    .maintained = true,
    .trains = false,
    .own_entry_rules = true,
    .options = kReaderOptions,
    .runtimes = {.programs = kServedBy, .releases = true, .splits = true, .experts = true, .kernels = true},
    .order = {kFieldNames, {}},
};

}  // namespace sparsecfg::dialect::compressed_tensors
