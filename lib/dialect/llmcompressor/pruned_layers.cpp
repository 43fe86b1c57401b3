#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reading.h"

// Checks which layers and experts of a model are pruned, and reports failures.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;
using source::Value;

static bool is_prunable(const Module& module) { return module.type == "Linear" || module.type.starts_with("Conv"); }

class PruningCheck {
 public:
  PruningCheck(const Reading& reading, const Modifier& modifier, const Modules& modules, ModelIndex& index)
      : reading_(reading), modifier_(modifier), modules_(modules), index_(index) {
    const Value* targets = modifier.given("targets");
    if (targets == nullptr || targets->get<std::string>() == nullptr) {
      const model::Matcher matchers = matcher_of(entries_of(modifier, "targets"));
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
          fmt::format("`sparsity` has {} numbers, but `targets` match {} modules", list->size(), targets_.size()))
          .with_help("write one number, or one for each module");
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
        const auto meant = meant_in(index_, entry.text);
        reading_.sink.report(diag::unused_selector, entry.span, base::printable(entry.text), "module", modules_.size())
            .with_help(meant ? fmt::format("write `{}`", base::printable(*meant))
                             : "list the modules with `sparsecfg match --modules FILE`");
      }
    }
  }

  void check_layers() {
    const NOfM mask = mask_of(modifier_);
    const model::Matcher ignored = matcher_of(entries_of(modifier_, "ignore"));
    for (const Module& module : modules_) {
      const auto target = target_with(module.name);
      Module named = module;
      if (target && *target == module.name) named.name += '.';
      if (!target || !is_prunable(module) || !module.shape || ignored.takes(named)) {
        continue;
      }
      if (module.type == "Conv2d" || (module.type.starts_with("Conv") && module.shape->size() > 2)) {
        report_stop(reading_, modifier_.key,
                    fmt::format("`{}` fails at `{}`, because it can't prune convolutions", modifier_.spec->name,
                                base::printable(module.name)))
            .with_help("write the Linear layers as `targets`");
        return;
      }
      if (report_rest(module, mask)) return;
    }
  }

  // Returns the name of the first target that is the module or contains it.
  std::optional<std::string_view> target_with(std::string_view module) const {
    auto first = targets_.find("");
    for (std::size_t end = 0; !module.empty() && end != module.npos;) {
      end = module.find('.', end + 1);
      const auto found = targets_.find(module.substr(0, end));
      if (found != targets_.end() && (first == targets_.end() || found->second < first->second)) first = found;
    }
    return first == targets_.end() ? std::nullopt : std::optional(first->first);
  }

  // Reports a mask where the columns after the last full group of M are fewer than N.
  bool report_rest(const Module& module, NOfM mask) {
    const auto rest = mask.m > 0 && mask.n > 0 ? static_cast<std::int64_t>(module.shape->back()) % mask.m : 0;
    if (rest == 0 || rest >= mask.n) {
      return false;
    }
    report_stop(reading_, modifier_.place("mask_structure"),
                fmt::format("{}:{} leaves {} of the {} columns of `{}`, too few to remove {}", mask.n, mask.m, rest,
                            module.shape->back(), base::printable(module.name), mask.n))
        .with_help("write a mask whose M divides the columns");
    return true;
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const Modules& modules_;
  ModelIndex& index_;
  std::unordered_map<std::string_view, std::size_t> targets_;  // by name: index in model order
};

void check_pruned_layers(const Reading& reading, const Modifier& modifier, const Modules& modules, ModelIndex& index) {
  PruningCheck(reading, modifier, modules, index).run();
}

// Returns the blocks of linear experts that `ignore` does not match anywhere in the name.
void check_removed_experts(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  const auto is_block = [](const Module& module) { return module.type == "LinearExperts2D"; };
  std::vector<Entry> patterns;
  for (const Entry& entry : entries_of(modifier, "ignore")) {
    if (!fault_of_regex(entry.text)) patterns.push_back({"re:.*(?:" + entry.text + ")", entry.span});
  }
  const model::Matcher ignored = matcher_of(patterns);
  if (std::ranges::none_of(modules, [&](const Module& module) { return is_block(module) && !ignored.takes(module); })) {
    report_stop(reading, modifier.key, "no block of experts can be pruned")
        .with_help("convert the experts of the model to LinearExperts2D");
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
