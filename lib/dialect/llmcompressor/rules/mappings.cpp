#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;

DIAGNOSTIC(LC806, mapping_unresolved, error, (Text), "{}",
           "The patterns of a mapping are matched against the model until each has found a module of the same block. "
           "An incomplete set, or a module that matches two of the patterns, stops the run.",
           "write `mappings` with the module names of this model")

DIAGNOSTIC(
    LC816, default_mappings_unmatched, warning, (Text), "the default mappings match no module, so `{}` changes nothing",
    "Without `mappings`, the class uses patterns for the names of Llama and similar models. It skips patterns that "
    "match nothing, and changes no weights if all of them are skipped.",
    "add `mappings` with the module names of this model")

namespace {

class MappingCheck {
 public:
  MappingCheck(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules)
      : reading_(reading), modifier_(modifier), modules_(modules) {}

  void run() {
    bool any = false;
    std::vector<const Mapping*> unmatched;
    const std::vector<Mapping> mappings = mappings_of(modifier_, modules_);
    for (const Mapping& mapping : mappings) {
      const Sets found = check(mapping);
      if (!found.fault.empty()) return;
      if (found.sets.empty()) unmatched.push_back(&mapping);
      any = any || !found.sets.empty();
    }
    if (!inferred()) {
      for (const Mapping* mapping : unmatched) report_unmatched(*mapping);
    } else if (!any && !mappings.empty()) {
      report_idle();
    }
  }

 private:
  [[nodiscard]] bool awq() const { return modifier_.as<Awq>() != nullptr; }

  // Returns true if the mappings are the defaults of the model class.
  [[nodiscard]] bool inferred() const {
    return awq() ? !modifier_.as<Awq>()->mappings : !modifier_.as<Smoothing>()->mappings;
  }

  void report_unmatched(const Mapping& mapping) {
    reading_.sink.report(diag::unused_selector, mapping.span, mapping.scaled, "module", modules_.size())
        .with_help("write patterns for modules of this model, or delete the mapping");
  }

  void report_idle() { reading_.sink.report(diag::default_mappings_unmatched, modifier_.key, modifier_.spec->name); }

  // Invalid patterns are reported separately.
  Sets check(const Mapping& mapping) {
    std::vector<std::string> patterns = mapping.balanced;
    patterns.insert(awq() ? patterns.begin() : patterns.end(), mapping.scaled);
    for (const std::string& pattern : patterns) {
      const auto fault = fault_of(pattern);
      if (!fault) continue;
      reading_.sink.report(diag::regex_syntax, mapping.span, *fault).with_help("fix the pattern of this mapping");
      return {{}, "invalid"};
    }
    Sets found = sets_in(modules_, patterns);
    if (found.fault.empty()) found.fault = fault_of_sets(mapping, found);
    if (!found.fault.empty()) report(mapping, found.fault);
    return found;
  }

  std::string fault_of_sets(const Mapping& mapping, const Sets& found) {
    for (const auto& set : found.sets) {
      const std::size_t scaled = awq() ? 0 : set.size() - 1;
      if (set[scaled].size() > 1) {
        return fmt::format("`{}` matches {} modules next to `{}`, but only one can be scaled", mapping.scaled,
                           set[scaled].size(), set[scaled].front()->name);
      }
      if (std::string fault = fault_of_widths(set, scaled); !fault.empty()) return fault;
    }
    return {};
  }

  void report(const Mapping& mapping, const std::string& fault) {
    reading_.sink.report(diag::mapping_unresolved, mapping.span, fault)
        .with_help(inferred() ? "the default mappings do not fit the model; add `mappings` with its module names"
                              : "change the pattern so that it matches the modules of this model");
  }

  // SmoothQuant skips a set if all its modules are ignored.
  [[nodiscard]] bool is_ignored(const std::vector<std::vector<const Module*>>& set) const {
    const model::Matcher ignored = matcher_of(awq() ? Entries() : modifier_.ignore());
    return std::ranges::all_of(set, [&](const auto& modules) {
      return std::ranges::all_of(modules, [&](const Module* module) { return ignored.takes(*module); });
    });
  }

  // Returns a balanced module without a weight, or null. The scaled module is the last one.
  static const Module* without_weight(const std::vector<std::vector<const Module*>>& set) {
    for (std::size_t at = 0; at + 1 < set.size(); ++at) {
      const auto found = std::ranges::find_if(set[at], [](const Module* module) { return lacks_weight(*module); });
      if (found != set[at].end()) return *found;
    }
    return nullptr;
  }

  // The scaled module must have as many outputs as each layer has columns. AWQ skips other Linear layers that do not
  // fit.
  [[nodiscard]] std::string fault_of_widths(const std::vector<std::vector<const Module*>>& set,
                                            std::size_t scaled) const {
    const Module& norm = *set[scaled].front();
    const bool layer = norm.shape && norm.shape->size() == 2 && norm.type == "Linear" && !awq();
    if (!norm.shape || is_ignored(set)) {
      return {};
    }
    if (const Module* module = awq() ? nullptr : without_weight(set)) {
      return fmt::format("`{}` has no weight to balance", module->name);
    }
    if (norm.shape->size() != 1 && !layer) {
      return {};
    }
    for (std::size_t at = 0; at < set.size(); ++at) {
      for (const Module* module : set[at]) {
        if (at != scaled && module->shape && module->shape->size() == 2 &&
            module->shape->back() != norm.shape->front()) {
          return fmt::format("`{}` has {} outputs, but `{}` has {} columns", norm.name, norm.shape->front(),
                             module->name, module->shape->back());
        }
      }
    }
    return {};
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const std::vector<Module>& modules_;
};

}  // namespace

void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules) {
  MappingCheck(reading, modifier, modules).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
