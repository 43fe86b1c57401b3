#include "outcome/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace sparsecfg::outcome {

using architecture::Layer;
using model::Module;

// Joins all dimensions but the last one.
static model::Shape as_matrix(const model::Shape& shape) {
  std::uint64_t rows = 1;
  for (std::size_t at = 0; at + 1 < shape.size(); ++at) rows *= shape[at];
  return {rows, shape.back()};
}

std::vector<Module> matrices_of(const Module& module, const Layer* layer) {
  if (module.shape || layer == nullptr) return {module};
  std::vector<Module> out;
  for (const architecture::Tensor& tensor : layer->tensors) {
    const bool known = tensor.shape.size() > 1 && !tensor.buffer && model::elements_of(tensor.shape);
    if (known) out.push_back({module.name, module.type, as_matrix(tensor.shape)});
  }
  return out;
}

const Layer* layer_at(const std::vector<Layer>& layers, std::size_t names, std::size_t name) {
  return layers.size() == names ? &layers[name] : nullptr;
}

static std::uint64_t weights_of(const Module& module, const Layer* layer) {
  std::uint64_t out = 0;
  for (const Module& matrix : matrices_of(module, layer)) {
    out += matrix.shape ? model::elements_of(*matrix.shape).value_or(0) : 0;
  }
  return out;
}

// Returns true if a weight is not stored, because it shares the tensor of another layer.
static bool is_shared(const Outcome& outcome, std::size_t name, const std::vector<Layer>& layers) {
  const Layer* layer = layer_at(layers, outcome.of_names.size(), name);
  return layer != nullptr && !layer->tied.empty() && outcome.at(name).scheme.weights.empty();
}

double stored_bits(const Outcome& outcome, std::size_t name, const Module& module, const Layer* layer) {
  const State& state = outcome.at(name);
  const bool plain = !state.assigned || state.scheme.is_empty();
  const ir::Language* language = plain ? nullptr : ir::selection_of(outcome.operation(state.assigned->by)).language;
  const auto bits_of =
      language == nullptr || language->stored_bits == nullptr ? ir::default_stored_bits : language->stored_bits;
  double out = 0;
  for (const Module& matrix : matrices_of(module, layer)) out += bits_of(plain ? ir::Scheme() : state.scheme, matrix);
  return out;
}

Sizes sizes_of(const Outcome& outcome, const std::vector<Module>& modules, const std::vector<Layer>& layers) {
  Sizes out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const Layer* layer = layer_at(layers, modules.size(), at);
    const std::uint64_t count = weights_of(modules[at], layer);
    if (count == 0 || is_shared(outcome, at, layers)) continue;
    out.weights += count;
    out.quantized += outcome.at(at).scheme.weights.empty() ? 0 : count;
    out.bits += stored_bits(outcome, at, modules[at], layer);
  }
  return out;
}

// Adds a layer to the row of its class and scheme. Layers that are not quantized count only if their shape is known.
static void add_layer(const Outcome& outcome, const Module& module, const Layer* layer, std::size_t at,
                      std::vector<ir::StoredLayers>& rows) {
  const ir::Scheme& scheme = outcome.at(at).scheme;
  const std::uint64_t weights = weights_of(module, layer);
  if (scheme.is_empty() && weights == 0) return;
  const std::string text = scheme.is_empty() ? "" : ir::describe(scheme);
  const std::string type = base::printable(module.type);
  auto row = std::ranges::find_if(
      rows, [&](const ir::StoredLayers& other) { return other.type == type && other.scheme == text; });
  if (row == rows.end()) {
    rows.push_back({type, text});
    row = rows.end() - 1;
  }
  ++row->layers;
  row->bits += stored_bits(outcome, at, module, layer);
  if (!module.shape && weights == 0) {
    row->weights.reset();
  } else if (row->weights) {
    *row->weights += weights;
  }
}

std::vector<ir::StoredLayers> stored_layers(const Outcome& outcome, const std::vector<Module>& modules,
                                            const std::vector<Layer>& layers, double outside) {
  std::vector<ir::StoredLayers> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (is_shared(outcome, at, layers)) continue;
    add_layer(outcome, modules[at], layer_at(layers, modules.size(), at), at, out);
  }
  const auto is_plain = [](const ir::StoredLayers& row) { return row.scheme.empty(); };
  std::ranges::stable_sort(out, {}, is_plain);
  if (std::ranges::all_of(out, is_plain)) return {};
  if (outside > 0) {
    ir::StoredLayers& rest = out.emplace_back(ir::StoredLayers{"other layers", ""});
    rest.bits = outside;
    rest.weights = static_cast<std::uint64_t>(outside / 16);
  }
  return out;
}

std::vector<std::string> scheme_counts(const Outcome& outcome) {
  std::vector<std::string> order;
  std::map<std::string, std::uint64_t> counts;
  std::map<std::uint32_t, std::string> texts;
  for (const std::uint32_t state : outcome.of_names) {
    if (outcome.states[state].scheme.is_empty()) continue;
    const auto [text, added] = texts.try_emplace(state);
    if (added) text->second = ir::describe(outcome.states[state].scheme);
    if (counts[text->second]++ == 0) order.push_back(text->second);
  }
  for (std::string& text : order) text += fmt::format(": {}", base::counted(counts[text], "layer"));
  return order;
}

}  // namespace sparsecfg::outcome
