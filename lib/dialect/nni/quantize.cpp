#include "dialect/nni/write.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "dialect/nni/table.h"
#include "dialect/write.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

// Layers with weights that both frameworks replace by quantized layers (docs/semantics/sparseml.md#b6,
// docs/semantics/nni.md#b2-2).
constexpr std::string_view kQuantizedTypes[] = {"Linear", "Conv2d", "Conv3d"};

static Value word_of(std::string_view value) { return {std::string(value), {}}; }

static Value list_of_words(const std::vector<std::string>& values) {
  List list;
  for (const std::string& value : values) list.push_back(word_of(value));
  return {std::move(list), {}};
}

// --- settings --------------------------------------------------------------------------------------------

static std::string tensor_of(const ir::Grid& grid) {
  return grid.tensor == "weights" ? "weight" : grid.tensor == "inputs" ? "_input_" : "_output_";
}

static Map rounding_of(const ir::Grid& grid) {
  const bool by_channel = grid.by_channel && grid.tensor == "weights";
  return {{word_of("quant_dtype"), word_of(fmt::format("int{}", grid.bits))},
          {word_of("quant_scheme"), word_of(grid.symmetric ? "symmetric" : "affine")},
          {word_of("granularity"), word_of(by_channel ? "out_channel" : "default")}};
}

// The schema requires `quant_dtype` in the entry in addition to the targets.
static void add_settings(Map& entry, const std::vector<ir::Grid>& grids) {
  std::vector<std::string> names;
  Map settings;
  for (const ir::Grid& grid : grids) {
    names.push_back(tensor_of(grid));
    settings.emplace_back(word_of(tensor_of(grid)), Value{rounding_of(grid), {}});
  }
  entry.emplace_back(word_of("target_names"), list_of_words(names));
  entry.emplace_back(word_of("quant_dtype"), word_of(fmt::format("int{}", grids.front().bits)));
  entry.emplace_back(word_of("target_settings"), Value{std::move(settings), {}});
}

// --- layers ----------------------------------------------------------------------------------------------

// Returns a pattern for names with this prefix. NNI matches patterns at the start of names.
static std::string beginning_with(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (!base::is_letter(c) && !base::is_digit(c) && c != '_') out += '\\';
    out += c;
  }
  return out;
}

static bool names_type(const model::Term& term) { return term.kind == model::Term::Kind::module_type; }

// A name also matches modules whose names start with it.
static bool matches_layer(const model::Term& term, const model::Module& module) {
  return names_type(term) ? module.type == term.text : module.name.starts_with(term.text);
}

// Layers with the same grids, identified by name prefix or by type because the model is unknown.
struct LayerGroup {
  std::vector<model::Term> terms;  // empty: all layers
  std::vector<ir::Grid> grids;
};

class QuantizedLayers {
 public:
  QuantizedLayers(const ir::Quantize& quantize, const WriteOptions& options)
      : quantize_(quantize), model_(options.read.modules.get()) {
    for (std::size_t at = 0; at < quantize.layer_grids.size(); ++at) {
      groups_.push_back({quantize.layers[at].terms, quantize.layer_grids[at]});
    }
    const auto types_last = [](const LayerGroup& group) {
      return names_type(group.terms.front()) ? 0 : -static_cast<int>(group.terms.front().text.size());
    };
    std::ranges::stable_sort(groups_, {}, types_last);
    groups_.push_back({{}, quantize.grids});
    const auto* ignored = quantize.ignored.get<List>();
    for (std::size_t at = 0; ignored != nullptr && at < ignored->size(); ++at) {
      const auto* name = (*ignored)[at].get<std::string>();
      if (name != nullptr) add_ignored(*name);
    }
  }

  List entries() const { return model_.known() ? named() : unnamed(); }

 private:
  // The list has both names and types, and a module name may look like a type.
  void add_ignored(const std::string& name) {
    ignored_.push_back({model::Term::Kind::exact, name, {}});
    ignored_.push_back({model::Term::Kind::module_type, name, {}});
  }

  // --- with a model ----------------------------------------------------------------------------

  bool is_quantized(const model::Module& module) const {
    const auto matches = [&](const model::Term& term) { return matches_layer(term, module); };
    const auto holds_it = [&](const model::Term& term) {
      return module.name == term.text || module.name.starts_with(term.text + ".");
    };
    const auto& within = quantize_.within;
    const bool inside = !within || ((within->terms.empty() || std::ranges::any_of(within->terms, holds_it)) &&
                                    std::ranges::none_of(within->excluded, matches));
    return inside && base::contains(kQuantizedTypes, module.type) && std::ranges::none_of(ignored_, matches);
  }

  static bool belongs(const LayerGroup& group, const model::Module& module) {
    return group.terms.empty() ||
           std::ranges::any_of(group.terms, [&](const model::Term& term) { return matches_layer(term, module); });
  }

  List named() const {
    std::vector<std::vector<std::string>> names(groups_.size());
    for (const model::Module& module : model_.modules()) {
      const auto group = std::ranges::find_if(groups_, [&](const LayerGroup& each) { return belongs(each, module); });
      if (is_quantized(module)) names[static_cast<std::size_t>(group - groups_.begin())].push_back(module.name);
    }
    List out;
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      if (names[at].empty() || groups_[at].grids.empty()) continue;
      Map entry{{word_of("op_names"), list_of_words(names[at])}};
      add_settings(entry, groups_[at].grids);
      out.push_back({std::move(entry), {}});
    }
    return out;
  }

  // --- without a model ----------------------------------------------------------------------------------------

  static void add(Map& entry, const std::string& prefix, const std::vector<model::Term>& terms,
                  std::string_view ending = "") {
    std::vector<std::string> patterns;
    std::vector<std::string> types;
    for (const model::Term& term : terms) {
      names_type(term) ? types.push_back(term.text)
                       : patterns.push_back(beginning_with(term.text) + std::string(ending));
    }
    if (!patterns.empty()) entry.emplace_back(word_of(prefix + "op_names_re"), list_of_words(patterns));
    if (!types.empty()) entry.emplace_back(word_of(prefix + "op_types"), list_of_words(types));
  }

  static bool is_layer(const model::Term& term) {
    return !names_type(term) || base::contains(kQuantizedTypes, term.text);
  }

  // Returns the exclusions of an entry: ignored layers, and preceding groups that are not quantized.
  std::vector<model::Term> excluded(std::size_t group) const {
    std::vector<model::Term> out = ignored_;
    if (quantize_.within) out.insert(out.end(), quantize_.within->excluded.begin(), quantize_.within->excluded.end());
    for (std::size_t before = 0; before < group; ++before) {
      const LayerGroup& each = groups_[before];
      if (each.grids.empty()) out.insert(out.end(), each.terms.begin(), each.terms.end());
    }
    std::erase_if(out, [](const model::Term& term) { return !is_layer(term); });
    return out;
  }

  List unnamed() const {
    List out;
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      const std::vector<model::Term>& terms = groups_[at].terms;
      if (groups_[at].grids.empty() || (!terms.empty() && !is_layer(terms.front()))) continue;
      Map entry;
      add(entry, "", terms);
      if (terms.empty() && quantize_.within) add(entry, "", quantize_.within->terms, "(\\.|$)");
      if (std::ranges::none_of(terms, names_type)) {
        entry.emplace_back(word_of("op_types"),
                           list_of_words({std::begin(kQuantizedTypes), std::end(kQuantizedTypes)}));
      }
      add(entry, "exclude_", excluded(at));
      add_settings(entry, groups_[at].grids);
      out.push_back({std::move(entry), {}});
    }
    return out;
  }

  const ir::Quantize& quantize_;
  model::Model model_;
  std::vector<LayerGroup> groups_;  // a layer belongs to the first group that matches it
  std::vector<model::Term> ignored_;
};

// --- quantizers ------------------------------------------------------------------------------------------

// Returns the first quantized step. Reports and returns nullopt if the steps per epoch are required but unknown.
static std::optional<std::uint64_t> first_quantized_step(const ir::Action& action, const WriteOptions& options,
                                                         ActionStatus& status, diag::Sink& sink) {
  const double epoch = std::max(action.cadence.start.value, 0.0);
  if (epoch > 0 && !options.read.steps_per_epoch) {
    drop_without_steps(status, action, "epochs", "steps", sink);
    return std::nullopt;
  }
  return ir::steps_of(epoch, options.read.steps_per_epoch.value_or(1));
}

static void report_rounding(const ir::Action& action, const ir::Quantize& quantize, ActionStatus& status,
                            diag::Sink& sink) {
  approximate(status, action,
              "NNI observes value ranges by different rules, and does not use the lowest quantized value", sink);
  approximate(status, action, "NNI quantizes only linear and convolutional layers, without fusing them with others",
              sink);
  if (!quantize.layers.empty() && quantize.layer_grids.empty()) {
    approximate(status, action, "settings of single layers are dropped", sink);
  }
  if (quantize.observers_off || quantize.batch_norm_frozen) {
    approximate(status, action, "NNI keeps observing value ranges, and does not freeze batch norm statistics", sink);
  }
}

std::vector<Quantizer> quantizers_of(const ir::Recipe& recipe, const WriteOptions& options,
                                     std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  std::vector<Quantizer> out;
  std::size_t nodes = 0;  // number of nodes in the entries
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    if (quantize == nullptr) {
      continue;
    }
    if (quantize->grids.empty()) {
      drop(statuses[index], action, "NNI supports only evenly spaced values within observed ranges", sink);
      continue;
    }
    if (nodes > options.max_nodes) {
      drop(statuses[index], action, too_many_nodes(options), sink);
      continue;
    }
    List entries = QuantizedLayers(*quantize, options).entries();
    for (const Value& entry : entries) nodes += nodes_of(entry);
    const auto start = first_quantized_step(action, options, statuses[index], sink);
    if (start && entries.empty()) {
      drop(statuses[index], action, "the model lacks linear and convolutional layers to quantize", sink);
    } else if (start) {
      report_rounding(action, *quantize, statuses[index], sink);
      out.push_back({index, *start, std::move(entries)});
    }
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
