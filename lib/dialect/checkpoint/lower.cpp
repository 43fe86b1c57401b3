#include "dialect/checkpoint/lower.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "dialect/decided.h"
#include "dialect/quantizers/fused_layers.h"

namespace sparsecfg::dialect::checkpoint {

using ir::Rule;
using selectors::kUnquantized;
using selectors::Polarity;

// Each loading is a language of selectors.
static const ir::Language* language_of(const Reading& reading) {
  static const std::deque<ir::Language> kLanguages = [] {
    std::deque<ir::Language> out;
    for (const Loading& loading : loadings()) {
      out.push_back({.name = (*loading.readers.begin())->name, .decide = decide_by_position});
    }
    return out;
  }();
  static constexpr ir::Language kIgnored{.name{"not read"}, .decide = decide_by_position};
  return reading.loading == nullptr ? &kIgnored
                                    : &kLanguages[static_cast<std::size_t>(reading.loading - loadings().data())];
}

// The scheme of a format has the same number less one, since the format 0 has none.
static std::uint32_t scheme_of(Format format) { return format - 1; }

static std::vector<ir::Scheme> schemes_of(const Reading& reading) {
  std::vector<ir::Scheme> out;
  for (std::size_t at = 1; at < reading.formats.size(); ++at) out.push_back(reading.formats[at].value_or(ir::Scheme()));
  return out;
}

static Rule rule_of(const Entry& entry, const selectors::Reader& reader) {
  Rule out{entry.text, entry.span};
  const bool skips = entry.excludes || reader.polarity == Polarity::skip || entry.format == kUnquantized;
  out.kind = skips ? Rule::Kind::excludes : Rule::Kind::assigns;
  if (!skips) out.scheme = scheme_of(reader.polarity == Polarity::keep ? selectors::kDefaultFormat : entry.format);
  return out;
}

static std::vector<DecidedUnit> decided_units(const Reading& reading) {
  std::vector<DecidedUnit> out;
  for (const UnitDecision& unit : reading.decisions) {
    DecidedUnit& decided = out.emplace_back();
    if (unit.format != kUnquantized) decided.scheme = scheme_of(unit.format);
    if (unit.by)
      decided.entry = reading.all_entries[*unit.by]->text, decided.span = reading.all_entries[*unit.by]->span;
    decided.reached = unit.why != selectors::Decision::Why::not_reached;
    decided.unknown = unit.why == selectors::Decision::Why::unknown;
  }
  return out;
}

// Without a model, the rules of the file.
static ir::Selection written_selection(const Reading& reading) {
  ir::Selection out;
  out.language = language_of(reading);
  for (const EntryList& list : reading.lists) {
    for (std::size_t at = 0; list.entries && at < list.entries->size(); ++at) {
      out.rules.push_back(rule_of((*list.entries)[at], list.reader));
    }
  }
  if (reading.formats.size() > 1) out.otherwise = 0;
  return out;
}

static ir::Assign assignment_of(const Reading& reading) {
  ir::Assign out;
  out.schemes = schemes_of(reading);
  out.selection = reading.decisions.empty() ? written_selection(reading)
                                            : decided_selection(language_of(reading), decided_units(reading));
  out.method.name = reading.method == nullptr ? std::string() : std::string(reading.method->name);
  return out;
}

// Returns the units as modules. A layer that joins several has the rows of all.
static std::vector<model::Module> units_of(const Reading& reading, const std::vector<model::Module>& modules) {
  std::vector<model::Module> out;
  for (std::size_t unit = 0; unit < reading.units->modules.size(); ++unit) {
    const model::Module& first = modules[reading.units->members[unit].front()];
    model::Module module{reading.units->modules[unit].name, first.type, first.shape};
    for (std::size_t at = 1; at < reading.units->members[unit].size(); ++at) {
      quantizers::add_rows(module, modules[reading.units->members[unit][at]]);
    }
    out.push_back(std::move(module));
  }
  return out;
}

void lower(const Reading& reading, const Input& input, source::Span key, ir::Recipe& recipe) {
  ir::Action action{ir::Opaque{}, ir::Cadence{}, {"QuantizationConfig", 1, {}, {}, key, {}}, !reading.refusal, false};
  if (const auto* map = input.config.get<source::Map>()) {
    for (const source::Entry& each : *map) {
      action.origin.fields.push_back({source::python_str(each.first), each.first.span, each.second, false});
    }
  }
  if (reading.known()) {
    action.operations.emplace_back(assignment_of(reading));
    const bool joins = reading.program == Program::vllm || reading.program == Program::sglang;
    if (joins && !reading.decisions.empty()) recipe.units = units_of(reading, *input.modules);
  }
  recipe.actions.push_back(std::move(action));
}

}  // namespace sparsecfg::dialect::checkpoint
