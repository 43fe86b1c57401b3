#include "dialect/llmcompressor/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;
using source::Value;

namespace {

void add_leaves(const Value& value, std::vector<std::string>& out, bool& known) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) add_leaves(item, out, known);
  } else if (const auto* text = value.get<std::string>()) {
    out.push_back(*text);
  } else {
    known = false;
  }
}

std::vector<Mapping> lists_of(const source::List& list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    std::vector<std::string> leaves;
    bool known = true;
    add_leaves(item, leaves, known);
    if (known && !leaves.empty()) {
      std::string scaled = std::move(leaves.back());
      leaves.pop_back();
      out.push_back({std::move(leaves), std::move(scaled), item.span});
    }
  }
  return out;
}

std::vector<Mapping> awq_mappings(const source::List& list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    const Value* smooth = item.find("smooth_layer");
    const auto* scaled = smooth == nullptr ? nullptr : smooth->get<std::string>();
    std::vector<std::string> balanced;
    for (const Entry& entry : entries_of(item.find("balance_layers"))) balanced.push_back(entry.text);
    const Value* hooked = item.find("activation_hook_target");
    const auto* target = hooked == nullptr ? nullptr : hooked->get<std::string>();
    if (scaled != nullptr) {
      out.push_back({std::move(balanced), *scaled, item.span, target == nullptr ? std::string() : *target});
    }
  }
  return out;
}

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
    if (modifier_.given("mappings") != nullptr) {
      for (const Mapping* mapping : unmatched) report_unmatched(*mapping);
    } else if (!any && !mappings.empty()) {
      report_idle();
    }
  }

 private:
  [[nodiscard]] bool awq() const { return meaning_of(modifier_) == Meaning::awq; }

  void report_unmatched(const Mapping& mapping) {
    reading_.sink.report(diag::unused_selector, mapping.span, mapping.scaled, "module", modules_.size())
        .with_help("write patterns for modules of this model, or delete the mapping");
  }

  void report_idle() {
    reading_.sink
        .report(diag::mapping_unresolved, modifier_.key,
                fmt::format("the default mappings match no module, so `{}` changes nothing", modifier_.spec->name))
        .with_severity(diag::Severity::warning)
        .with_help("add `mappings` with the module names of this model");
  }

  // Invalid patterns are reported separately.
  Sets check(const Mapping& mapping) {
    std::vector<std::string> patterns = mapping.balanced;
    patterns.insert(awq() ? patterns.begin() : patterns.end(), mapping.scaled);
    if (std::ranges::any_of(patterns, [](const std::string& each) { return fault_of(each).has_value(); })) {
      report_stop(reading_, mapping.span, "a pattern of this mapping is not valid Python")
          .with_help("check each pattern");
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
    const bool inferred = modifier_.given("mappings") == nullptr;
    reading_.sink.report(diag::mapping_unresolved, mapping.span, fault)
        .with_help(inferred ? "the default mappings do not fit the model; add `mappings` with its module names"
                            : "change the pattern so that it matches the modules of this model");
  }

  // SmoothQuant skips a set if all its modules are ignored.
  [[nodiscard]] bool is_ignored(const std::vector<std::vector<const Module*>>& set) const {
    const model::Matcher ignored = matcher_of(awq() ? std::vector<Entry>() : entries_of(modifier_, "ignore"));
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

std::vector<Mapping> mappings_of(const Modifier& modifier, const Modules& modules) {
  const Value* given = modifier.given("mappings");
  const auto* list = given == nullptr ? nullptr : given->get<source::List>();
  if (list != nullptr) {
    return meaning_of(modifier) == Meaning::awq ? awq_mappings(*list) : lists_of(*list);
  }
  const auto root = std::ranges::find(modules, "", &Module::name);
  return root == modules.end() ? std::vector<Mapping>()
                               : usual_mappings(meaning_of(modifier), root->type, modifier.key);
}

void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules) {
  MappingCheck(reading, modifier, modules).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
