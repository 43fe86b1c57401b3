#include "dialect/torchao/languages.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "dialect/decided.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/selection.h"
#include "model/linear_classes.h"

namespace sparsecfg::dialect::torchao {

using ir::Decisions;
using ir::Rule;
using ir::Selection;
using selectors::Entry;
using selectors::Fact;
using selectors::How;
using selectors::Order;
using selectors::Rank;
using selectors::Reader;
using selectors::Space;

namespace {

// --- records --------------------------------------------------------------------------------------------

constexpr std::string_view kPatternMark = "re:";
constexpr std::string_view kDefaultKey = "_default";

constexpr std::uint8_t kNameKeys = 0;
constexpr std::uint8_t kPatternKeys = 1;
constexpr std::uint8_t kDefaultKeys = 2;

constexpr Rank kOwnRanks[] = {{.keys = kNameKeys, .how = How::exact, .compares_with = {Space::parameter}},
                              {.keys = kNameKeys, .how = How::exact},
                              {.keys = kPatternKeys,
                               .how = How::fullmatch,
                               .compares_with = {Space::parameter},
                               .order = Order::last,
                               .prefix = kPatternMark,
                               .null_only_alone = true},
                              {.keys = kPatternKeys, .how = How::fullmatch, .prefix = kPatternMark},
                              {.keys = kDefaultKeys, .how = How::always, .compares_with = {Space::linear}}};
constexpr Rank kTransformersRanks[] = {{.keys = kNameKeys, .how = How::exact, .compares_with = {Space::parameter}},
                                       {.keys = kNameKeys, .how = How::exact},
                                       {.keys = kPatternKeys,
                                        .how = How::fullmatch,
                                        .compares_with = {Space::parameter, Space::name},
                                        .prefix = kPatternMark},
                                       {.keys = kDefaultKeys, .how = How::always, .compares_with = {Space::linear}}};
constexpr Rank kVllmRanks[] = {{.keys = kNameKeys, .how = How::exact},
                               {.keys = kPatternKeys, .how = How::fullmatch, .prefix = kPatternMark},
                               {.keys = kDefaultKeys, .how = How::always, .compares_with = {Space::linear}}};

constexpr Reader kMapReader{.name{"torchao FqnToConfig"},
                            .fields = {"fqn_to_config", "module_fqn_to_config"},
                            .polarity = selectors::Polarity::assign,
                            .how = {How::fullmatch},
                            .marks = {selectors::Mark{.prefix = kPatternMark}},
                            .empty_is_absent = false};
constexpr Reader kTransformersReader{.name{"transformers torchao"},
                                     .fields = {"modules_to_not_convert"},
                                     .compares_with = {Space::parameter},
                                     .how = {How::match, How::suffix},
                                     .empty_is_absent = false};
constexpr Reader kVllmReader{.name{"vLLM torchao"}, .fields = {"modules_to_not_convert"}, .how = {How::parts}};

std::uint8_t keys_of(const Entry& entry) {
  return entry.text == kDefaultKey ? kDefaultKeys : entry.text.starts_with(kPatternMark) ? kPatternKeys : kNameKeys;
}

std::vector<Entry> ranked(std::span<const Rank> ranks, const Selection& selection) {
  const std::vector<Entry> entries = quantizers::entries_of(selection);
  std::vector<std::uint8_t> kinds;
  for (const Entry& entry : entries) kinds.push_back(keys_of(entry));
  auto out = selectors::ranked(kMapReader, ranks, entries, kinds);
  auto* list = std::get_if<std::vector<Entry>>(&out);
  return list == nullptr ? std::vector<Entry>() : std::move(*list);
}

// --- targets ----------------------------------------------------------------------------------------------

std::string owner_of(std::string_view parameter) {
  const std::size_t dot = parameter.rfind('.');
  return std::string(parameter.substr(0, dot == std::string_view::npos ? 0 : dot));
}

std::string weight_of(const std::string& module) { return module.empty() ? "weight" : module + ".weight"; }

bool is_parameter(const model::Module& unit) { return unit.type == kParameterType; }

// Returns the units as targets: a module and its weight are one target. `by_owner`: a key of a module, and the default
// of linear layers, also match its other parameters.
std::vector<selectors::Module> targets_of(std::span<const model::Module> units, bool by_owner, bool embeddings) {
  const auto has_default = [&](const model::Module& unit) {
    return is_linear(unit) || (embeddings && unit.type == "Embedding");
  };
  std::unordered_set<std::string_view> owners;
  for (const model::Module& unit : units) {
    if (by_owner && has_default(unit)) owners.insert(unit.name);
  }
  std::vector<selectors::Module> out;
  for (const model::Module& unit : units) {
    const bool parameter = is_parameter(unit);
    selectors::Module target{parameter && by_owner ? owner_of(unit.name) : unit.name, unit.type, {}};
    if (parameter) {
      target.others.push_back({Space::parameter, unit.name});
    } else if (unit.shape || is_linear(unit)) {
      target.others.push_back({Space::parameter, weight_of(unit.name)});
    }
    if (has_default(unit) || (parameter && owners.contains(owner_of(unit.name))))
      target.others.push_back({Space::linear, unit.name});
    if (unit.name == "lm_head") target.facts.add(Fact::head);
    out.push_back(std::move(target));
  }
  return out;
}

// --- quantize_ --------------------------------------------------------------------------------------------

// A key that matches a parameter of a module disables the ranks of modules for it (docs/semantics/torchao.md#b1-4).
class OwnMap {
 public:
  OwnMap(const Selection& selection, std::span<const model::Module> units)
      : selection_(selection), units_(units), entries_(ranked(kOwnRanks, selection)) {
    for (const Entry& entry : entries_) {
      if (entry.level == 0) exact_.insert(entry.text);
    }
    add_parameters();
  }

  Decisions run() {
    const std::vector<selectors::Module> targets = targets_of(units_, false, false);
    const Decisions all = decide({0, 1, 2, 3, 4}, targets);
    const Decisions by_pattern = decide({0, 1, 2}, targets);
    const Decisions by_parameter = decide({0, 2}, targets);
    Decisions out;
    for (std::size_t at = 0; at < units_.size(); ++at) {
      const Decisions& used = is_parameter(units_[at]) || found_.contains(units_[at].name) ? by_parameter
                              : hit_.contains(units_[at].name)                             ? by_pattern
                                                                                           : all;
      add(used.entries[used.of_modules[at]], out);
    }
    return out;
  }

 private:
  // Finds the modules of which a key matches a parameter.
  void add_parameters() {
    std::vector<selectors::Module> parameters;
    std::vector<std::string> owners;
    for (const model::Module& unit : units_) {
      const bool parameter = is_parameter(unit);
      if (!parameter && !unit.shape && !is_linear(unit)) continue;
      const std::string name = parameter ? unit.name : weight_of(unit.name);
      const std::string owner = parameter ? owner_of(unit.name) : unit.name;
      if (exact_.contains(name)) {
        found_.insert(owner);
        continue;
      }
      parameters.push_back({name, std::string(kParameterType), {}, {}, {{Space::parameter, name}}});
      owners.push_back(owner);
    }
    const Decisions decisions = decide({2}, parameters);
    for (std::size_t at = 0; at < owners.size(); ++at) {
      if (decisions.entries[decisions.of_modules[at]].rule) hit_.insert(owners[at]);
    }
  }

  [[nodiscard]] Decisions decide(std::initializer_list<std::uint32_t> levels,
                                 const std::vector<selectors::Module>& targets) const {
    std::vector<Entry> entries;
    for (const Entry& entry : entries_) {
      if (std::ranges::find(levels, entry.level) != levels.end()) entries.push_back(entry);
    }
    return quantizers::decide(kMapReader, entries, targets, selection_);
  }

  static void add(const Decisions::Decision& decision, Decisions& out) {
    auto known = std::find(out.entries.rbegin(), out.entries.rend(), decision);
    if (known == out.entries.rend()) {
      out.entries.push_back(decision);
      known = out.entries.rbegin();
    }
    out.of_modules.push_back(static_cast<std::uint32_t>(out.entries.rend() - known - 1));
  }

  const Selection& selection_;
  std::span<const model::Module> units_;
  std::vector<Entry> entries_;
  std::set<std::string> exact_;  // keys without a mark
  std::set<std::string> found_;  // modules with such a parameter
  std::set<std::string> hit_;    // modules of which a pattern matches a parameter
};

Decisions decide_own(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                     std::span<const model::Module> units) {
  return OwnMap(selection, units).run();
}

// The names of the modules of a model that `torch.compile` returned.
Decisions decide_compiled(const Selection& selection, std::span<const ir::Scheme> schemes,
                          std::span<const model::Module> units) {
  std::vector<model::Module> compiled(units.begin(), units.end());
  for (model::Module& unit : compiled) unit.name = compiled_name(unit.name);
  return decide_own(selection, schemes, compiled);
}

// --- transformers and vLLM --------------------------------------------------------------------------------

// Only modules with a parameter, and parameters, are targets.
Decisions decide_in_transformers(const Selection& selection, std::span<const model::Module> units, bool embeddings) {
  Decisions out = quantizers::decide(kMapReader, ranked(kTransformersRanks, selection),
                                     targets_of(units, true, embeddings), selection);
  for (std::size_t at = 0; at < units.size(); ++at) {
    const bool has_parameter = is_parameter(units[at]) || units[at].shape || is_linear(units[at]);
    if (!has_parameter) out.of_modules[at] = 0;
  }
  return out;
}

Decisions decide_transformers(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                              std::span<const model::Module> units) {
  return decide_in_transformers(selection, units, false);
}

Decisions decide_with_embeddings(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                 std::span<const model::Module> units) {
  return decide_in_transformers(selection, units, true);
}

std::vector<selectors::Module> layers_of_vllm(std::span<const model::Module> layers) {
  std::vector<selectors::Module> out = quantizers::plain_modules(layers);
  for (selectors::Module& layer : out) layer.others.push_back({Space::linear, layer.name});
  return out;
}

Decisions decide_vllm(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                      std::span<const model::Module> layers) {
  return quantizers::decide(kMapReader, ranked(kVllmRanks, selection), layers_of_vllm(layers), selection);
}

// A list that keeps modules unquantized: other modules are not mentioned.
Decisions decide_skip(const Reader& reader, const Selection& selection, const std::vector<selectors::Module>& targets) {
  std::vector<Entry> entries = quantizers::prepared(reader, quantizers::entries_of(selection));
  Decisions out = quantizers::decide(reader, entries, targets, selection);
  for (std::uint32_t& at : out.of_modules) {
    if (!out.entries[at].rule) at = 0;
  }
  return out;
}

Decisions skip_by_transformers(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                               std::span<const model::Module> units) {
  return decide_skip(kTransformersReader, selection, targets_of(units, true, false));
}

Decisions skip_head(const Selection& /*selection*/, std::span<const ir::Scheme> /*schemes*/,
                    std::span<const model::Module> units) {
  Decisions out;
  out.entries.push_back({Decisions::Reason::built_in, Rule::Kind::excludes});
  for (const model::Module& unit : units) {
    const bool head = unit.name == "lm_head" || unit.name.starts_with("lm_head.");
    out.of_modules.push_back(head ? 1 : 0);
  }
  return out;
}

Decisions skip_by_vllm(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                       std::span<const model::Module> layers) {
  return decide_skip(kVllmReader, selection, quantizers::plain_modules(layers));
}

// --- one configuration ------------------------------------------------------------------------------------

Decisions decide_linear(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                        std::span<const model::Module> units) {
  Decisions out;
  if (selection.otherwise) {
    out.entries.push_back({Decisions::Reason::by_default, Rule::Kind::assigns, *selection.otherwise});
  }
  for (const model::Module& unit : units) out.of_modules.push_back(selection.otherwise && is_linear(unit) ? 1 : 0);
  return out;
}

// --- group sizes ------------------------------------------------------------------------------------------

// Leaves the layers unquantized whose columns the group size does not divide.
Decisions without_unfit(Decisions out, std::span<const ir::Scheme> schemes, std::span<const model::Module> units) {
  std::map<std::uint32_t, std::uint32_t> left;  // by the entry that assigns
  const std::size_t count = std::min(units.size(), out.of_modules.size());
  for (std::size_t at = 0; at < count; ++at) {
    const std::uint32_t entry = out.of_modules[at];
    const Decisions::Decision decision = out.entries[entry];
    if (decision.kind != Rule::Kind::assigns || fits(schemes[decision.scheme], units[at])) continue;
    const auto [known, is_new] = left.try_emplace(entry, static_cast<std::uint32_t>(out.entries.size()));
    if (is_new) {
      out.entries.push_back(decision);
      out.entries.back().kind = Rule::Kind::leaves;
    }
    out.of_modules[at] = known->second;
  }
  return out;
}

template <ir::Language::Decide kDecide>
Decisions fitting(const Selection& selection, std::span<const ir::Scheme> schemes,
                  std::span<const model::Module> units) {
  return without_unfit(kDecide(selection, schemes, units), schemes, units);
}

}  // namespace

std::string compiled_name(std::string_view name) {
  return name.empty() ? "_orig_mod" : "_orig_mod." + std::string(name);
}

bool is_linear(const model::Module& unit) { return model::is_quantizable_linear_class(unit.type); }

// Products of float8 inputs and weights need multiples of 16. MX formats have scales of another type.
static bool is_float8_product(const ir::Scheme& scheme) {
  const ir::TensorFormat& weights = scheme.weights.front();
  return weights.type == ir::NumberType::floating && weights.bits == 8 && weights.scale_type.empty() &&
         !scheme.inputs.empty();
}

bool fits(const ir::Scheme& scheme, const model::Module& unit) {
  constexpr std::uint64_t kFloat8Multiple = 16;
  if (scheme.weights.empty() || !unit.shape || unit.shape->size() != 2) return true;
  const ir::TensorFormat& weights = scheme.weights.front();
  const bool grouped = weights.granularity == ir::Granularity::group && weights.group_size > 0;
  if (grouped && unit.shape->back() % static_cast<std::uint64_t>(weights.group_size) != 0) return false;
  const auto is_multiple = [](std::uint64_t size) { return size % kFloat8Multiple == 0; };
  return !is_float8_product(scheme) || std::ranges::all_of(*unit.shape, is_multiple);
}

constinit const ir::Language kLinearLayers{.name{"torchao, all linear layers"}, .decide = fitting<decide_linear>};
constinit const ir::Language kFiltered{.name{"torchao, filter"}, .decide = fitting<decide_by_position>};
constinit const ir::Language kOwnMap{
    .name{"torchao FqnToConfig"}, .decide = fitting<decide_own>, .reader = &kMapReader};
constinit const ir::Language kCompiledMap{
    .name{"torchao FqnToConfig, compiled model"}, .decide = fitting<decide_compiled>, .reader = &kMapReader};
constinit const ir::Language kTransformersMap{
    .name{"transformers, torchao FqnToConfig"}, .decide = fitting<decide_transformers>, .reader = &kMapReader};
constinit const ir::Language kTransformersMapWithEmbeddings{.name{"transformers, torchao FqnToConfig with embeddings"},
                                                            .decide = fitting<decide_with_embeddings>,
                                                            .reader = &kMapReader};
constinit const ir::Language kVllmMap{
    .name{"vLLM, torchao FqnToConfig"}, .decide = fitting<decide_vllm>, .reader = &kMapReader};
constinit const ir::Language kTransformersSkip{.name{"transformers torchao"},
                                               .decide = skip_by_transformers,
                                               .order_matters = false,
                                               .reader = &kTransformersReader};
constinit const ir::Language kTransformersDefaultSkip{
    .name{"transformers torchao, without a list"}, .decide = skip_head, .order_matters = false};
constinit const ir::Language kVllmSkip{
    .name{"vLLM torchao"}, .decide = skip_by_vllm, .order_matters = false, .reader = &kVllmReader};

std::vector<model::Module> units_of(const std::vector<model::Module>& modules, const model::ModelNames* parameters) {
  std::vector<model::Module> out = modules;
  std::set<std::string, std::less<>> weights;
  for (const model::Module& module : modules) weights.insert(weight_of(module.name));
  for (std::size_t at = 0; parameters != nullptr && at < parameters->size(); ++at) {
    const std::string& name = (*parameters)[at];
    if (weights.contains(name)) continue;
    const model::Shape* shape = parameters->shape(at);
    out.push_back({name, std::string(kParameterType), shape == nullptr ? std::nullopt : std::optional(*shape)});
  }
  return out;
}

std::optional<TwoNulls> two_nulls(const Selection& selection, const std::vector<model::Module>& units) {
  std::map<std::string, std::uint32_t> nulls;
  for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
    if (selection.rules[at].kind == Rule::Kind::excludes) nulls.emplace(selection.rules[at].entry, at);
  }
  std::set<std::string> seen;
  for (const model::Module& unit : units) {
    const bool parameter = is_parameter(unit);
    const auto found = nulls.find(parameter ? unit.name : weight_of(unit.name));
    const std::string owner = parameter ? owner_of(unit.name) : unit.name;
    if (found != nulls.end() && !seen.insert(owner).second) return TwoNulls{owner, found->second};
  }
  return std::nullopt;
}

}  // namespace sparsecfg::dialect::torchao
