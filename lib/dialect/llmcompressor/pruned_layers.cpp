#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reading.h"

// Which layers and experts of a model are pruned, and what fails on them.
namespace sparsecfg::dialect::llmcompressor {

using source::Module;
using source::Value;

static bool is_prunable(const Module& module) { return module.type == "Linear" || module.type.starts_with("Conv"); }

class PruningCheck {
 public:
  PruningCheck(const Reading& reading, const Modifier& modifier, const Modules& modules, const ModelIndex& index)
      : reading_(reading), modifier_(modifier), modules_(modules), index_(index) {
    const Value* targets = modifier.given("targets");
    if (targets == nullptr || targets->get<std::string>() == nullptr) {
      const Matchers matchers(entries_of(modifier, "targets"));
      for (const Module& module : modules) {
        if (matchers.takes(module)) targets_.emplace(module.name, targets_.size());
      }
    }
  }

  void run() {
    check_count();
    check_targets();
    check_layers();
  }

 private:
  void check_count() {
    const Value* sparsity = modifier_.given("sparsity");
    const auto* list = sparsity == nullptr ? nullptr : sparsity->get<source::List>();
    if (list != nullptr && list->size() != targets_.size()) {
      report_stop(
          reading_, sparsity->span,
          fmt::format("`sparsity` has {} numbers, and `targets` take {} modules", list->size(), targets_.size()))
          .with_help("give one number, or as many as there are modules");
    }
  }

  void check_targets() {
    const Value* targets = modifier_.given("targets");
    if (targets != nullptr && targets->get<std::string>() != nullptr) {
      return;
    }
    for (const Entry& entry : entries_of(modifier_, "targets")) {
      const bool word = entry.text.starts_with("__ALL");
      if (!word && !fault_of(entry.text) && !index_.has(entry.text)) {
        reading_.sink.report(diag::unused_selector, entry.span, base::printable(entry.text), "module", modules_.size())
            .with_help("`sparsecfg match --modules FILE` shows what there is");
      }
    }
  }

  void check_layers() {
    const NOfM mask = mask_of(modifier_);
    const Matchers ignored(entries_of(modifier_, "ignore"));
    for (const Module& module : modules_) {
      const auto target = target_with(module.name);
      Module named = module;
      if (target && *target == module.name) named.name += '.';
      if (!target || !is_prunable(module) || !module.shape || ignored.takes(named)) {
        continue;
      }
      if (module.type == "Conv2d" || (module.type.starts_with("Conv") && module.shape->size() > 2)) {
        report_stop(reading_, modifier_.key,
                    fmt::format("`{}` stops at `{}`: convolutions can't be pruned in one shot", modifier_.spec->name,
                                base::printable(module.name)))
            .with_help("name the Linear layers as targets");
        return;
      }
      if (report_rest(module, mask)) return;
    }
  }

  // Returns the name of the first target that is a module or holds it.
  std::optional<std::string_view> target_with(std::string_view module) const {
    auto first = targets_.find("");
    for (std::size_t end = 0; !module.empty() && end != module.npos;) {
      end = module.find('.', end + 1);
      const auto found = targets_.find(module.substr(0, end));
      if (found != targets_.end() && (first == targets_.end() || found->second < first->second)) first = found;
    }
    return first == targets_.end() ? std::nullopt : std::optional(first->first);
  }

  // The columns behind the last full M are fewer than N.
  bool report_rest(const Module& module, NOfM mask) {
    const auto rest = mask.m > 0 && mask.n > 0 ? static_cast<std::int64_t>(module.shape->back()) % mask.m : 0;
    if (rest == 0 || rest >= mask.n) {
      return false;
    }
    report_stop(reading_, modifier_.place("mask_structure"),
                fmt::format("{}:{} leaves {} of the {} columns of `{}`, too few to remove {}", mask.n, mask.m, rest,
                            module.shape->back(), base::printable(module.name), mask.n))
        .with_help("take an M that divides the columns");
    return true;
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const Modules& modules_;
  const ModelIndex& index_;
  std::unordered_map<std::string_view, std::size_t> targets_;  // the names of modules, numbered in the model's order
};

void check_pruned_layers(const Reading& reading, const Modifier& modifier, const Modules& modules,
                         const ModelIndex& index) {
  PruningCheck(reading, modifier, modules, index).run();
}

// Blocks of experts that were made linear, without those that `ignore` finds anywhere in the name.
void check_removed_experts(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  const auto is_block = [](const Module& module) { return module.type == "LinearExperts2D"; };
  std::vector<Entry> patterns;
  for (const Entry& entry : entries_of(modifier, "ignore")) {
    if (!fault_of_regex(entry.text)) patterns.push_back({"re:.*(?:" + entry.text + ")", entry.span});
  }
  const Matchers ignored(patterns);
  if (std::ranges::none_of(modules, [&](const Module& module) { return is_block(module) && !ignored.takes(module); })) {
    report_stop(reading, modifier.key, "no block of experts is left to be pruned")
        .with_help("the model needs experts as linear layers, of the class LinearExperts2D");
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
