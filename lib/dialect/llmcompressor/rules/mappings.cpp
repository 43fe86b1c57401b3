#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <variant>

#include "base/overloaded.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;

// A modifier with mappings in a model.
struct MappedModel {
  const Context& context;
  const Modifier& modifier;
  const Modules& modules;
  std::unordered_map<std::string_view, const Module*> by_name{};

  [[nodiscard]] bool is_awq() const { return modifier.as<Awq>() != nullptr; }

  // Returns true if the mappings are the defaults of the model class.
  [[nodiscard]] bool inferred() const {
    return is_awq() ? !modifier.as<Awq>()->mappings : !modifier.as<Smoothing>()->mappings;
  }

  // Returns true if several mappings scale the same modules, which is reported itself.
  [[nodiscard]] bool repeats(const Mapping& mapping) const {
    const auto all = mappings_of(modifier, modules);
    return std::ranges::count(all, mapping.scaled, &Mapping::scaled) > 1;
  }

  // Returns the index of the scaled module in the patterns of a mapping.
  [[nodiscard]] std::size_t scaled_in(const ModuleSet& set) const { return is_awq() ? 0 : set.size() - 1; }

  [[nodiscard]] const Field* field() const {
    return is_awq() ? modifier.as<Awq>()->mappings.field() : modifier.as<Smoothing>()->mappings.field();
  }

  void advise(diag::Diagnostic& report) const {
    if (inferred()) advise_to_add(report);
  }

  // Advises on a mapping with layers that the model does not have.
  void advise_on_missing(diag::Diagnostic& report, const Mapping& mapping) const {
    if (inferred()) {
      advise_to_add(report);
    } else if (modifier.fields.size() > 1 && usual_mappings_fit(kind_of(modifier), modules)) {  // else no body is left
      report.with_help(fmt::format("delete `mappings`{}: the default mappings fit this model", or_write(mapping)))
          .with_fix(diag::Fix::unsafe().remove(field()->key));
    } else if (const auto fitting = fitting_mapping(mapping, modules, is_awq())) {
      const std::string list = text_of({*fitting}, is_awq());
      report.with_help(fmt::format("write `{}`", std::string_view(list).substr(1, list.size() - 2)));
    }
  }

 private:
  // Returns ", or write `re:.*qkv_proj$`" with the layers of this model; empty if they are not known.
  [[nodiscard]] std::string or_write(const Mapping& mapping) const {
    const auto fitting = fitting_mapping(mapping, modules, is_awq());
    return fitting ? fmt::format(", or write `{}`", fmt::join(fitting->balanced, "`, `")) : "";
  }

  // Advises to add the default mappings with the layers of this model.
  void advise_to_add(diag::Diagnostic& report) const {
    std::vector<Mapping> fitting;
    for (const Mapping& each : mappings_of(modifier, modules)) {
      if (auto found = fitting_mapping(each, modules, is_awq())) fitting.push_back(*std::move(found));
    }
    report.with_help("the default mappings do not fit the model; add `mappings` with its module names");
    if (fitting.empty()) return;
    const std::string entry = "mappings: " + text_of(fitting, is_awq());
    report.with_help(fmt::format("add `{}`: the default mappings do not fit the model", entry));
    if (!modifier.fields.empty()) report.with_fix(diag::Fix::unsafe().add_entry(modifier.fields.back().key, entry));
  }
};

// --- modules of a mapping -----------------------------------------------------------------------------------------

DIAGNOSTIC(LC806, mapping_unresolved, error, (Text, Text), "no module next to `{}` matches {}",
           "The patterns of a mapping are matched against the model until each has found a module of the same block. "
           "An incomplete set stops the run.",
           "change the pattern so that it matches the modules of this model")

DIAGNOSTIC(LC817, mapping_ambiguous, error, (Text, Text, Text), "`{}` and `{}` both match `{}`",
           "The patterns of a mapping are matched against the model until each has found a module of the same block. A "
           "module that matches two of them stops the run.",
           "write patterns of which only one matches this module")

// A list of layers may lack the modules that contain them.
static bool lists_only_layers(const Modules& modules) {
  return std::ranges::find(modules, "", &Module::name) == modules.end();
}

static void report_missing(const MappedModel& model, const Mapping& mapping, const MissingModules& missing) {
  auto& report = model.context.sink.report(diag::mapping_unresolved, mapping.span, missing.beside,
                                           base::join_and(missing.patterns));
  model.advise_on_missing(report, mapping);
  if (lists_only_layers(model.modules)) {
    report.with_severity(diag::Severity::warning)
        .with_help("pass `--model` if the pattern matches a module that contains layers");
  }
}

static void report_fault(const MappedModel& model, const Mapping& mapping, const SetFault& fault) {
  std::visit(base::Overloaded{[](const NoFault&) {},
                              [&](const MissingModules& missing) { report_missing(model, mapping, missing); },
                              [&](const AmbiguousModule& module) {
                                model.advise(model.context.sink.report(diag::mapping_ambiguous, mapping.span,
                                                                       module.first, module.second, module.name));
                              }},
             fault);
}

DIAGNOSTIC(LC818, mapping_scales_several, error, (Text, Text, Text),
           "`{}` matches `{}` and `{}`, but only one can be scaled",
           "A mapping scales the outputs of one module and the inputs of all layers after it. The run stops if the "
           "pattern of the scaled module matches several modules of one block.",
           "write a pattern that matches one module of each block")

static bool scales_several(const MappedModel& model, const Mapping& mapping, const ModuleSet& set) {
  const auto& scaled = set[model.scaled_in(set)];
  if (scaled.size() <= 1) {
    return false;
  }
  model.advise(model.context.sink.report(diag::mapping_scales_several, mapping.span, mapping.scaled, scaled[0]->name,
                                         scaled[1]->name));
  return true;
}

// --- shapes -------------------------------------------------------------------------------------------------------

DIAGNOSTIC(LC819, balanced_without_weight, error, (Text), "`{}` has no weight to balance",
           "Smoothing divides the outputs of the scaled module and multiplies the weights of the layers after it. It "
           "stops at a module without a weight.",
           "write `mappings` with the names of layers")

// Returns a balanced module without a weight, or null. The scaled module is the last one.
static const Module* without_weight(const ModuleSet& set) {
  for (std::size_t at = 0; at + 1 < set.size(); ++at) {
    const auto found = std::ranges::find_if(set[at], [](const Module* module) { return lacks_weight(*module); });
    if (found != set[at].end()) return *found;
  }
  return nullptr;
}

DIAGNOSTIC(LC820, balanced_width, error, (Text, std::uint64_t, Text, std::uint64_t),
           "`{}` has {} outputs, but `{}` has {} columns",
           "The outputs of the scaled module are the inputs of the layers that are balanced, so their numbers must be "
           "equal. Otherwise the run stops when the scales are applied.",
           "write a mapping of layers that follow the scaled module")

// Returns a balanced layer whose columns are not the outputs of the scaled module, or null.
static const Module* without_columns(const ModuleSet& set, std::size_t scaled, std::uint64_t outputs) {
  for (std::size_t at = 0; at < set.size(); ++at) {
    for (const Module* module : set[at]) {
      const bool layer = module->shape && module->shape->size() == 2;
      if (at != scaled && layer && module->shape->back() != outputs) return module;
    }
  }
  return nullptr;
}

// SmoothQuant skips a set if all its modules are ignored.
static bool is_ignored(const MappedModel& model, const ModuleSet& set) {
  const model::Matcher ignored = matcher_of(model.is_awq() ? Entries() : model.modifier.ignore());
  return std::ranges::all_of(set, [&](const auto& modules) {
    return std::ranges::all_of(modules, [&](const Module* module) { return ignored.takes(*module); });
  });
}

// The scaled module must have as many outputs as each layer has columns. AWQ skips other Linear layers that do not fit.
static bool shapes_differ(const MappedModel& model, const Mapping& mapping, const ModuleSet& set) {
  const Module& norm = *set[model.scaled_in(set)].front();
  if (!norm.shape || is_ignored(model, set)) {
    return false;
  }
  if (const Module* module = model.is_awq() ? nullptr : without_weight(set)) {
    model.advise(model.context.sink.report(diag::balanced_without_weight, mapping.span, module->name));
    return true;
  }
  const bool layer = norm.shape->size() == 2 && norm.type == "Linear" && !model.is_awq();
  const std::uint64_t outputs = norm.shape->front();
  const Module* module =
      norm.shape->size() == 1 || layer ? without_columns(set, model.scaled_in(set), outputs) : nullptr;
  if (module != nullptr) {
    model.advise(
        model.context.sink
            .report(diag::balanced_width, mapping.span, norm.name, outputs, module->name, module->shape->back())
            .not_beside(diag::mapping_shape));
  }
  return module != nullptr;
}

// --- layers that are not balanced ---------------------------------------------------------------------------------

DIAGNOSTIC(LC821, mapping_lacks_layer, silent_error, (Text, Text),
           "the mapping of `{}` does not balance `{}`, which has the same inputs",
           "Smoothing divides the outputs of the scaled module, and multiplies the weights of the balanced layers to "
           "compensate. A layer that reads the same outputs and is not balanced computes other results than before.",
           "add a pattern for this layer to the mapping")

// Layers beside the experts of a block, which read the same inputs.
constexpr std::string_view kBesideExperts[] = {"gate",
                                               "router",
                                               "shared_expert_gate",
                                               "shared_expert.gate_proj",
                                               "shared_expert.up_proj",
                                               "shared_experts.gate_proj",
                                               "shared_experts.up_proj"};

// Returns the names that layers with the same inputs as a layer have in models: its parts, or those beside experts.
static std::vector<std::string> names_with_inputs_of(const std::string& name) {
  const std::string_view word = base::last_part(name);
  std::vector<std::string> out;
  for (const std::string_view part : fused_names(word)) {
    out.push_back(fmt::format("{}{}", std::string_view(name).substr(0, name.size() - word.size()), part));
  }
  const std::size_t experts = out.empty() ? std::string::npos : name.find(".experts.");
  if (experts == std::string::npos) return out;
  for (const std::string_view other : kBesideExperts)
    out.push_back(fmt::format("{}.{}", name.substr(0, experts), other));
  return out;
}

// Returns the layer that reads the same inputs as a balanced one but is not in the set, or null.
static const Module* unbalanced_layer(const MappedModel& model, const ModuleSet& set, const Module& balanced) {
  for (const std::string& name : names_with_inputs_of(balanced.name)) {
    const auto known = model.by_name.find(name);
    const Module* found = known == model.by_name.end() ? nullptr : known->second;
    const bool read = found != nullptr && found->shape && balanced.shape && found->shape->size() == 2 &&
                      found->shape->back() == balanced.shape->back();
    const auto in = [&](const auto& modules) { return std::ranges::find(modules, found) != modules.end(); };
    if (read && std::ranges::none_of(set, in)) return found;
  }
  return nullptr;
}

// Returns a layer that reads the outputs of the scaled module of a set and that no pattern of it matches, or null.
static const Module* unbalanced_layer(const MappedModel& model, const ModuleSet& set) {
  for (std::size_t at = 0; at < set.size(); ++at) {
    for (const Module* module : set[at]) {
      const Module* found = at == model.scaled_in(set) ? nullptr : unbalanced_layer(model, set, *module);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

// Returns the pattern for a layer in the style of a pattern: `re:.*v_proj$` beside `re:.*q_proj$`.
static std::string pattern_like(const std::string& pattern, const Module& layer,
                                std::span<const std::string_view> names) {
  const std::string word(base::last_part(layer.name));
  for (const std::string_view each : names) {
    const std::size_t at = pattern.rfind(each);
    if (at != std::string::npos) return std::string(pattern).replace(at, each.size(), word);
  }
  const std::string block = layer.name.substr(0, layer.name.size() - word.size() - 1);
  return fmt::format("re:.*{}.{}$", base::last_part(block), word);
}

// Returns true after it has reported a layer that a mapping of the recipe leaves out.
static bool lacks_layer(const MappedModel& model, const Mapping& mapping, const ModuleSet& set) {
  const Module* layer = model.inferred() || model.repeats(mapping) ? nullptr : unbalanced_layer(model, set);
  if (layer == nullptr || mapping.balanced.empty()) return false;
  const auto names = fused_names(base::last_part(layer->name));
  model.context.sink.report(diag::mapping_lacks_layer, mapping.span, mapping.scaled, layer->name)
      .not_beside(diag::shared_scale)
      .with_help(fmt::format("add `{}` to {}", pattern_like(mapping.balanced.front(), *layer, names),
                             model.is_awq() ? "`balance_layers`" : "the first list of the mapping"));
  return true;
}

// --- the norm before the balanced layers --------------------------------------------------------------------------

// Returns the pattern of the module that the default mappings of a class of modifiers scale for a layer; empty if there
// is none.
static std::string usual_scaled(const MappedModel& model, ClassKind kind, const Module& layer) {
  const auto root = std::ranges::find(model.modules, "", &Module::name);
  if (root == model.modules.end()) return {};
  for (const Mapping& usual : usual_mappings(kind, root->type, {})) {
    const auto takes = [&](const std::string& each) { return matcher_of(each).takes(layer); };
    if (std::ranges::any_of(usual.balanced, takes)) return usual.scaled;
  }
  return {};
}

DIAGNOSTIC(LC823, scales_other_norm, silent_error, (Text, Text, Text),
           "`{0}` is not the input of `{1}`: in this model, `{2}` is",
           "Smoothing divides the outputs of the scaled module, and multiplies the weights of the balanced layers to "
           "compensate. If the layers read another module, the model computes other results than before.",
           "write the module whose outputs the layers read")

static bool is_norm(const Module& module) { return module.shape && module.shape->size() == 1; }

// Returns the norm of the same block that feeds a layer by the default mappings; null if it is the scaled one, or if
// they do not know. Models that they do not name may have norms of other names.
static const Module* norm_before(const MappedModel& model, const Module& scaled, const std::string& usual) {
  constexpr std::string_view kOthers[] = {"feedforward", "mlp", "ffn"};
  const std::string_view last = base::last_part(scaled.name);
  const auto is_other = [&](std::string_view word) { return last.find(word) != std::string_view::npos; };
  if (usual.empty() || std::ranges::any_of(kOthers, is_other) || matcher_of(usual).takes(scaled)) return nullptr;
  const std::string block = scaled.name.substr(0, scaled.name.size() - last.size());
  const auto norm = std::ranges::find_if(model.modules, [&](const Module& each) {
    return is_norm(each) && each.name.starts_with(block) && matcher_of(usual).takes(each);
  });
  return norm == model.modules.end() ? nullptr : &*norm;
}

// Returns true after it has reported a mapping that scales a norm which does not feed its layers.
static bool scales_another_norm(const MappedModel& model, const Mapping& mapping, const ModuleSet& set) {
  const Module& scaled = *set[model.scaled_in(set)].front();
  const std::size_t first = model.scaled_in(set) == 0 ? 1 : 0;
  if (model.inferred() || set.size() < 2 || set[first].empty() || !is_norm(scaled)) return false;
  const Module& layer = *set[first].front();
  const std::string usual = usual_scaled(model, ClassKind::awq, layer);
  const Module* norm = norm_before(model, scaled, usual);
  if (norm == nullptr) return false;
  model.context.sink
      .report(diag::scales_other_norm, mapping.span, scaled.name, layer.name, std::string(base::last_part(norm->name)))
      .with_help(fmt::format("write `{}` in place of `{}`", usual, mapping.scaled));
  return true;
}

// --- all mappings -------------------------------------------------------------------------------------------------

// Reports the first invalid pattern of a mapping.
static bool report_pattern(const MappedModel& model, const Mapping& mapping, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    const auto fault = fault_of(pattern);
    if (!fault) continue;
    model.context.sink.report(diag::regex_syntax, mapping.span, *fault).with_help("fix the pattern of this mapping");
    return true;
  }
  return false;
}

// Returns the sets of modules of a mapping, or nullopt after it has reported that the run stops at them.
static std::optional<Sets> check_mapping(const MappedModel& model, const Mapping& mapping) {
  std::vector<std::string> patterns = mapping.balanced;
  patterns.insert(model.is_awq() ? patterns.begin() : patterns.end(), mapping.scaled);
  if (report_pattern(model, mapping, patterns)) {
    return std::nullopt;
  }
  Sets found = sets_in(model.modules, patterns);
  if (found.failed()) {
    report_fault(model, mapping, found.fault);
    return std::nullopt;
  }
  for (const ModuleSet& set : found.sets) {
    if (scales_several(model, mapping, set) || shapes_differ(model, mapping, set) || lacks_layer(model, mapping, set) ||
        scales_another_norm(model, mapping, set)) {
      return std::nullopt;
    }
  }
  return found;
}

DIAGNOSTIC(
    LC822, smoothed_twice, silent_error, (Text), "the mapping has no effect, because an earlier mapping scales `{}`",
    "SmoothQuantModifier deletes the statistics of a module after its first mapping, and skips further mappings of "
    "the module. Their layers are not smoothed.",
    "write the module whose outputs these layers read, or one mapping for all layers")

// Reports a mapping of SmoothQuant that scales a module again. AWQ stops at it.
static bool is_repeated(const MappedModel& model, const Mapping& mapping, const Sets& found,
                        std::set<const Module*>& scaled) {
  for (const ModuleSet& set : model.is_awq() ? std::vector<ModuleSet>() : found.sets) {
    const Module* module = set[model.scaled_in(set)].front();
    if (scaled.insert(module).second) continue;
    auto& report = model.context.sink.report(diag::smoothed_twice, mapping.span, module->name);
    const std::string other =
        set.front().empty() ? std::string() : usual_scaled(model, kind_of(model.modifier), *set.front().front());
    if (!other.empty() && !matcher_of(other).takes(*module)) {
      report.with_help(fmt::format("write `{}` in place of `{}`", other, mapping.scaled));
    }
    return true;
  }
  return false;
}

static void report_unmatched(const MappedModel& model, const Mapping& mapping) {
  model.context.sink.report(diag::unused_selector, mapping.span, mapping.scaled, "module", model.modules.size())
      .with_help("write patterns for modules of this model, or delete the mapping");
}

DIAGNOSTIC(
    LC816, default_mappings_unmatched, warning, (Text), "the default mappings match no module, so `{}` changes nothing",
    "Without `mappings`, the class uses patterns for the names of Llama and similar models. It skips patterns that "
    "match nothing, and changes no weights if all of them are skipped.",
    "add `mappings` with the module names of this model")

DIAGNOSTIC(LC421, ignored_in_a_mapping, silent_warning, (Text, Text),
           "`{}` has no effect, because the mapping that scales `{}` is not ignored as a whole",
           "SmoothQuant skips a mapping only if `ignore` contains all of its layers, with the module that it scales. "
           "Otherwise it smooths all of them.",
           "add the module that the mapping scales to `ignore`")

// Reports an entry of `ignore` that matches some layers of a mapping, but not all.
static void check_ignored_parts(const MappedModel& model, const Mapping& mapping, const std::vector<ModuleSet>& sets,
                                std::set<std::string>& reported) {
  const auto* smoothing = model.modifier.as<Smoothing>();
  if (smoothing == nullptr || sets.empty()) return;
  std::vector<const Module*> members;
  for (const auto& modules : sets.front()) members.insert(members.end(), modules.begin(), modules.end());
  const auto& ignore = smoothing->ignore.value_or({});
  const auto takes = [](const Entry& entry, const Module* module) { return matcher_of(entry.text).takes(*module); };
  const auto is_ignored = [&](const Module* module) {
    return std::ranges::any_of(ignore, [&](const Entry& entry) { return takes(entry, module); });
  };
  if (std::ranges::all_of(members, is_ignored)) return;
  for (const Entry& entry : ignore) {
    const bool part = std::ranges::any_of(members, [&](const Module* module) { return takes(entry, module); });
    if (!part || !reported.insert(entry.text).second) continue;
    model.context.sink.report(diag::ignored_in_a_mapping, entry.span, entry.text, mapping.scaled)
        .with_help(model.inferred() ? fmt::format("add `{}` to `ignore`", mapping.scaled)
                                    : fmt::format("add `{}` to `ignore`, or delete the mapping", mapping.scaled));
  }
}

void check_mappings(const Context& context, const Modifier& modifier, const Modules& modules) {
  MappedModel model{context, modifier, modules};
  for (const Module& module : modules) model.by_name.emplace(module.name, &module);
  std::vector<const Mapping*> unmatched;
  std::set<std::string> ignored;  // entries that were reported
  std::set<const Module*> scaled;
  const std::vector<Mapping> mappings = mappings_of(modifier, modules);
  for (const Mapping& mapping : mappings) {
    const std::optional<Sets> found = check_mapping(model, mapping);
    if (!found) return;
    if (found->sets.empty()) unmatched.push_back(&mapping);
    check_ignored_parts(model, mapping, found->sets, ignored);
    if (is_repeated(model, mapping, *found, scaled)) return;
  }
  if (!model.inferred()) {
    for (const Mapping* mapping : unmatched) report_unmatched(model, *mapping);
  } else if (!mappings.empty() && unmatched.size() == mappings.size()) {
    context.sink.report(diag::default_mappings_unmatched, modifier.key, modifier.spec->name);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
