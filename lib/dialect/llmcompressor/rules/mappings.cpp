#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

  [[nodiscard]] bool is_awq() const { return modifier.as<Awq>() != nullptr; }

  // Returns true if the mappings are the defaults of the model class.
  [[nodiscard]] bool inferred() const {
    return is_awq() ? !modifier.as<Awq>()->mappings : !modifier.as<Smoothing>()->mappings;
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
    if (scales_several(model, mapping, set) || shapes_differ(model, mapping, set)) return std::nullopt;
  }
  return found;
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

void check_mappings(const Context& context, const Modifier& modifier, const Modules& modules) {
  const MappedModel model{context, modifier, modules};
  std::vector<const Mapping*> unmatched;
  const std::vector<Mapping> mappings = mappings_of(modifier, modules);
  for (const Mapping& mapping : mappings) {
    const std::optional<Sets> found = check_mapping(model, mapping);
    if (!found) return;
    if (found->sets.empty()) unmatched.push_back(&mapping);
  }
  if (!model.inferred()) {
    for (const Mapping* mapping : unmatched) report_unmatched(model, *mapping);
  } else if (!mappings.empty() && unmatched.size() == mappings.size()) {
    context.sink.report(diag::default_mappings_unmatched, modifier.key, modifier.spec->name);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
