#include "base/number.h"
#include "dialect/sparseml/read/lower.h"
#include "ir/matching.h"

// Lowers quantization modifiers to the IR.
namespace sparsecfg::dialect::sparseml {

using source::Value;

// Returns the modules, by name or type, that have their own scheme.
static std::vector<model::Selector> overridden(const Modifier& modifier) {
  std::vector<model::Selector> layers;
  const Value overrides = value_of(modifier, "scheme_overrides");
  const auto* map = overrides.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const Value& name = (*map)[at].first;
    const auto* text = name.get<std::string>();
    if (text == nullptr) {
      continue;
    }
    model::Selector& selector = layers.emplace_back();
    selector.over = model::Selector::Over::modules;
    selector.terms.push_back(
        {model::looks_like_type(*text) ? model::Term::Kind::module_type : model::Term::Kind::exact, *text, name.span});
  }
  return layers;
}

static std::vector<model::Term> terms_of(const Modifier& modifier, std::string_view field, model::Term::Kind kind) {
  std::vector<model::Term> terms;
  const Value names = value_of(modifier, field);
  const auto* list = names.get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    if (const auto* text = (*list)[at].get<std::string>()) terms.push_back({kind, *text, (*list)[at].span});
  }
  return terms;
}

// Returns the selector of the older class, which lists modules to quantize and module types to exclude.
static std::optional<model::Selector> within(const Modifier& modifier) {
  model::Selector selector;
  selector.over = model::Selector::Over::modules;
  selector.terms = terms_of(modifier, "submodules", model::Term::Kind::exact);
  selector.excluded = terms_of(modifier, "exclude_module_types", model::Term::Kind::module_type);
  return selector.terms.empty() && selector.excluded.empty() ? std::nullopt : std::optional(std::move(selector));
}

// The defaults are 8 bits, asymmetric, per tensor.
static ir::Grid grid_of(std::string tensor, const Value& arguments) {
  const Value* bits = arguments.find("num_bits");
  const Value* middle = arguments.find("symmetric");
  const Value* strategy = arguments.find("strategy");
  const auto* by = strategy == nullptr ? nullptr : strategy->get<std::string>();
  return {std::move(tensor), base::whole_part(bits == nullptr ? 8 : bits->number().value_or(8)),
          middle != nullptr && middle->number().value_or(0) != 0, by != nullptr && *by == "channel"};
}

static bool is_none(const Value& arguments) {
  const auto* text = arguments.get<std::string>();
  return arguments.is_null() || (text != nullptr && (*text == "null" || *text == "None"));
}

// By default weights and inputs have 8 bits and outputs are not quantized. In named schemes, inputs are symmetric only
// for TensorRT.
static std::vector<ir::Grid> grids_of_scheme(const Value& scheme) {
  const auto* name = scheme.get<std::string>();
  const bool tensorrt = name != nullptr && *name == "tensorrt";
  std::vector<ir::Grid> grids;
  for (const auto& [field, grid] : {std::pair{"weights", ir::Grid{"weights", 8, true, false}},
                                    {"input_activations", {"inputs", 8, tensorrt, false}},
                                    {"output_activations", {"outputs", 0, false, false}}}) {
    const Value* arguments = scheme.find(field);
    if (arguments == nullptr && grid.bits > 0) {
      grids.push_back(grid);
    } else if (arguments != nullptr && !is_none(*arguments)) {
      grids.push_back(grid_of(grid.tensor, *arguments));
    }
  }
  return grids;
}

// Returns the grids in the order of overridden().
static std::vector<std::vector<ir::Grid>> grids_of_overrides(const Modifier& modifier) {
  std::vector<std::vector<ir::Grid>> out;
  const Value overrides = value_of(modifier, "scheme_overrides");
  const auto* map = overrides.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    if ((*map)[at].first.get<std::string>() != nullptr) out.push_back(grids_of_scheme((*map)[at].second));
  }
  return out;
}

static std::vector<ir::Grid> grids_of_fields(const Modifier& modifier) {
  const auto bits = [&](std::string_view name) {
    return base::whole_part(value_of(modifier, name).number().value_or(8));
  };
  return {{"weights", bits("weight_bits"), true, false}, {"inputs", bits("activation_bits"), false, false}};
}

ir::Effect quantize(const Modifier& modifier) {
  const bool by_scheme = modifier.spec->kind == ClassKind::quantization;
  const bool strict = modifier.find("strict") == nullptr || modifier.flag("strict");
  return ir::Quantize{by_scheme,
                      value_of(modifier, "scheme"),
                      value_of(modifier, "scheme_overrides"),
                      value_of(modifier, "ignore"),
                      given(modifier, "disable_quantization_observer_epoch"),
                      given(modifier, "freeze_bn_stats_epoch"),
                      overridden(modifier),
                      by_scheme ? grids_of_scheme(value_of(modifier, "scheme")) : grids_of_fields(modifier),
                      grids_of_overrides(modifier),
                      within(modifier),
                      false,
                      strict};
}

}  // namespace sparsecfg::dialect::sparseml
