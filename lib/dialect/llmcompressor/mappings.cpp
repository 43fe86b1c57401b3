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
    if (scaled != nullptr) out.push_back({std::move(balanced), *scaled, item.span});
  }
  return out;
}

class MappingCheck {
 public:
  MappingCheck(const Reading& reading, const Modifier& modifier, const std::vector<Module>& modules)
      : reading_(reading), modifier_(modifier), modules_(modules) {}

  void run() {
    for (const Mapping& mapping : mappings()) {
      if (!check(mapping)) return;
    }
  }

 private:
  [[nodiscard]] bool awq() const { return meaning_of(modifier_) == Meaning::awq; }

  [[nodiscard]] std::vector<Mapping> mappings() const {
    const Value* given = modifier_.given("mappings");
    const auto* list = given == nullptr ? nullptr : given->get<source::List>();
    if (list != nullptr) {
      return awq() ? awq_mappings(*list) : lists_of(*list);
    }
    const auto root = std::ranges::find(modules_, "", &Module::name);
    return root == modules_.end() ? std::vector<Mapping>()
                                  : usual_mappings(meaning_of(modifier_), root->type, modifier_.key);
  }

  // Invalid patterns are reported separately.
  bool check(const Mapping& mapping) {
    std::vector<std::string> patterns = mapping.balanced;
    patterns.insert(awq() ? patterns.begin() : patterns.end(), mapping.scaled);
    if (std::ranges::any_of(patterns, [](const std::string& each) { return fault_of(each).has_value(); })) {
      report_stop(reading_, mapping.span, "a pattern of this mapping is not valid Python")
          .with_help("check each pattern");
      return false;
    }
    const Sets found = sets_in(modules_, patterns);
    if (!found.fault.empty()) {
      return report(mapping, found.fault);
    }
    const std::size_t scaled = awq() ? 0 : patterns.size() - 1;
    for (const auto& set : found.sets) {
      if (set[scaled].size() > 1) {
        return report(mapping, fmt::format("`{}` matches {} modules next to `{}`, but only one can be scaled",
                                           base::printable(mapping.scaled), set[scaled].size(),
                                           base::printable(set[scaled].front()->name)));
      }
      if (!check_widths(mapping, set, scaled)) return false;
    }
    return true;
  }

  bool report(const Mapping& mapping, const std::string& fault) {
    const bool inferred = modifier_.given("mappings") == nullptr;
    reading_.sink.report(diag::mapping_unresolved, mapping.span, fault)
        .with_help(inferred ? "the default mappings do not fit the model; add `mappings` with its module names"
                            : "change the pattern so that it matches the modules of this model");
    return false;
  }

  // A norm must have as many outputs as the scaled layer has columns. llm-compressor skips other layers that do not
  // fit.
  bool check_widths(const Mapping& mapping, const std::vector<std::vector<const Module*>>& set, std::size_t scaled) {
    const Module& norm = *set[scaled].front();
    if (!norm.shape || norm.shape->size() != 1) {
      return true;
    }
    for (std::size_t at = 0; at < set.size(); ++at) {
      for (const Module* module : set[at]) {
        if (at != scaled && module->shape && module->shape->size() == 2 &&
            module->shape->back() != norm.shape->front()) {
          return report(mapping,
                        fmt::format("`{}` has {} outputs, but `{}` has {} columns", base::printable(norm.name),
                                    norm.shape->front(), base::printable(module->name), module->shape->back()));
        }
      }
    }
    return true;
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
