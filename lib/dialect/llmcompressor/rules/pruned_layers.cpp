#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/masks.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reached_layers.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/schemes/ignoring.h"
#include "dialect/schemes/targets.h"

// Checks which layers and experts of a model are pruned, and reports failures.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

static bool is_prunable(const Module& module) { return module.type == "Linear" || module.type.starts_with("Conv"); }

DIAGNOSTIC(LC310, mask_leaves_columns, error, (std::int64_t, std::int64_t, Text),
           "the mask {}:{} does not fit the last {}",
           "A mask N:M removes N of every M columns. If the columns after the last full group of M are fewer than N, "
           "the run fails. SparseGPT divides each block of `block_size` columns into such groups.",
           "write a mask whose M divides the columns")

DIAGNOSTIC(LC311, sparsity_count, error, (std::size_t, std::size_t),
           "`sparsity` has {} numbers, but `targets` match {} modules",
           "A list of sparsities has one number for each module that the targets match. Another count raises a "
           "ValueError when the run starts.",
           "write one number, or one for each module")

DIAGNOSTIC(LC312, convolution_pruned, error, (Text, Text), "`{}` fails at `{}`, because it cannot prune convolutions",
           "SparseGPTModifier and WandaPruningModifier select convolutions within their targets, but fail in "
           "calibration at their weights.",
           "write the Linear layers as `targets`")

DIAGNOSTIC(LC318, head_pruned, warning, (Text), "`{}` is also pruned, although it is the output head",
           "Since 0.4.1, SparseGPTModifier and WandaPruningModifier prune all Linear layers by default, including the "
           "output head. llm-compressor advises against that, but logs no warning if the target is the head itself, as "
           "with `targets: [Linear]`.",
           "add `re:.*lm_head` to `ignore`")

class PruningCheck {
 public:
  PruningCheck(const Context& context, const Modifier& modifier, const LayerPruning& pruning, const Modules& modules,
               ModelIndex& index, Release release)
      : context_(context),
        modifier_(modifier),
        pruning_(pruning),
        release_(release),
        modules_(modules),
        index_(index),
        reached_(pruned_layers(pruning, modules)) {
    if (!pruning.iterates_letters()) {
      const model::Matcher matchers = matcher_of(modifier.targets());
      for (const Module& module : modules) {
        if (matchers.takes(module)) targets_.insert(module.name);
      }
    }
  }

  void run() {
    check_count();
    check_targets();
    check_layers();
    check_head();
    check_ignored();
  }

 private:
  void check_count() {
    const auto& list = pruning_.sparsities;
    if (list && list->size() != targets_.size()) {
      auto& report = context_.sink.report(diag::sparsity_count, list.place(), list->size(), targets_.size());
      if (const std::string blocks = class_with(list->size()); !blocks.empty() && modifier_.targets().empty())
        report.with_help(fmt::format("add `targets: [{}]`, of which the model has {}", blocks, list->size()));
    }
  }

  // Returns the class of blocks of which the model has a number; empty if there is none.
  [[nodiscard]] std::string class_with(std::size_t count) const {
    std::map<std::string_view, std::size_t> counts;
    for (const Module& module : modules_) {
      if (module.type.ends_with("Layer") || module.type.ends_with("Block")) ++counts[module.type];
    }
    const auto found = std::ranges::find(counts, count, [](const auto& each) { return each.second; });
    return found == counts.end() ? std::string() : std::string(found->first);
  }

  void check_targets() {
    if (pruning_.iterates_letters()) {
      return;
    }
    for (const Entry& entry : modifier_.targets()) {
      const bool word = entry.text.starts_with("__ALL");
      if (!word && !fault_of(entry.text) && !index_.has(entry.text)) {
        const auto meant = meant_in(index_, entry.text);
        context_.sink.report(diag::unused_selector, entry.span, entry.text, "module", modules_.size())
            .with_help(meant ? fmt::format("write `{}`", *meant)
                             : "list the modules with `sparsecfg match FILE --model DIR --all`");
      }
    }
  }

  void check_layers() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Module& module = modules_[at];
      if (!reached_[at] || !module.shape) continue;
      if (module.type == "Conv2d" || (module.type.starts_with("Conv") && module.shape->size() > 2)) {
        context_.sink.report(diag::convolution_pruned, modifier_.key, modifier_.spec->name, module.name);
        return;
      }
      if (report_rest(module, pruning_.mask)) return;
    }
  }

  // Reports that the output head is pruned, unless a target names it.
  void check_head() {
    const Module* head = is_at_least(release_, Release::v0_4_1) ? schemes::head_of(modules_) : nullptr;
    if (head == nullptr || head->type != "Linear" || !reached_[static_cast<std::size_t>(head - modules_.data())])
      return;
    const Entries& targets = modifier_.targets();
    if (std::ranges::any_of(targets, [](const Entry& each) { return schemes::names_head(each.text); })) return;
    const auto target =
        std::ranges::find_if(targets, [&](const Entry& each) { return matcher_of(each.text).takes(*head); });
    const bool written = target != targets.end() && !target->span.empty();
    auto& report = context_.sink.report(diag::head_pruned, written ? target->span : modifier_.key, head->name)
                       .not_beside(diag::pruner_ignore_trailing_dot);
    const Field* given = pruning_.ignore.field();
    schemes::offer_to_ignore(report, "re:.*" + std::string(base::last_part(head->name)), modifier_.spec->name,
                             given == nullptr ? std::nullopt : std::optional(given->value.span),
                             modifier_.fields.empty() ? std::nullopt : std::optional(modifier_.fields.back().key));
  }

  // Reports a mask where the columns after the last full group of M are fewer than N. SparseGPT divides each block of
  // columns into such groups.
  bool report_rest(const Module& module, NOfM mask) {
    const auto columns = static_cast<std::int64_t>(module.shape->back());
    if (mask.m <= 0 || mask.n <= 0) {
      return false;
    }
    const auto* in_blocks = modifier_.as<SparseGpt>();
    const bool valid = in_blocks != nullptr && in_blocks->block_size.value_or(0) >= 1;
    const std::int64_t block = valid ? *in_blocks->block_size : columns;
    const bool blocks = block < columns;
    const std::int64_t last = blocks ? columns % block : columns;
    const std::int64_t rest = blocks && is_short(block, mask) ? block % mask.m : last % mask.m;
    if (rest == 0 || rest >= mask.n) {
      return false;
    }
    context_.sink
        .report(diag::mask_leaves_columns, blocks ? in_blocks->block_size.place() : pruning_.mask_structure.place(),
                mask.n, mask.m,
                fmt::format("{} of the {} columns of `{}`{}", rest, columns, module.name,
                            blocks ? fmt::format(" in blocks of {}", block) : ""))
        .with_help(blocks ? "write `block_size: 128`" : "write a mask whose M divides the columns");
    return true;
  }

  static bool is_short(std::int64_t columns, NOfM mask) { return columns % mask.m != 0 && columns % mask.m < mask.n; }

  // Reports entries of `ignore` that match no layer that would be pruned without them, and if no layer is left.
  void check_ignored() {
    std::vector<Module> candidates;
    for (const Module& module : modules_) {
      if (!is_prunable(module)) continue;
      candidates.push_back(module);
      candidates.push_back({module.name + ".", module.type, {}});
    }
    for (const Entry& entry : modifier_.ignore()) {
      if (fault_of(entry.text)) continue;
      const model::Matcher ignored = matcher_of(entry.text);
      if (std::ranges::any_of(candidates, [&](const Module& module) { return ignored.takes(module); })) continue;
      if (const auto meant = meant_in(index_, entry.text)) {
        context_.sink.report(diag::ignore_prefix, entry.span, entry.text, *meant)
            .with_help(fmt::format("write `{}`", *meant));
      } else {
        context_.sink.report(diag::unused_selector, entry.span, entry.text, "module", modules_.size())
            .with_severity(diag::Severity::warning)
            .with_help("delete it unless the recipe is also for another model");
      }
    }
    report_nothing_left();
  }

  void report_nothing_left() {
    const Entries& targets = modifier_.targets();
    const bool reached = std::ranges::find(reached_, true) != reached_.end();
    if (reached || targets_.empty() || targets.empty()) {
      return;
    }
    const bool ignored = !modifier_.ignore().empty();
    context_.sink
        .report(diag::target_takes_no_linear, targets.front().span, targets.front().text,
                ignored ? "only matches ignored layers, so nothing is pruned"
                        : "matches modules without Linear or Conv layers, so nothing is pruned")
        .with_help(ignored ? "remove the layers from `ignore`" : "write the layers to prune, such as `[Linear]`");
  }

  const Context& context_;
  const Modifier& modifier_;
  const LayerPruning& pruning_;
  Release release_;
  const Modules& modules_;
  ModelIndex& index_;
  std::vector<bool> reached_;           // by module
  std::set<std::string_view> targets_;  // names of the modules that the targets match
};

void check_pruned_layers(const Context& context, const Modifier& modifier, const LayerPruning& pruning,
                         const Modules& modules, ModelIndex& index, Release release) {
  PruningCheck(context, modifier, pruning, modules, index, release).run();
}

// Returns the number of experts in the first block of linear experts: its numbered children.
static std::size_t count_experts(const Modules& modules) {
  const auto block = std::ranges::find(modules, "LinearExperts2D", &Module::type);
  if (block == modules.end()) return 0;
  const std::string prefix = block->name + ".";
  return static_cast<std::size_t>(std::ranges::count_if(modules, [&](const Module& module) {
    const std::string_view last = std::string_view(module.name).substr(std::min(prefix.size(), module.name.size()));
    return module.name.starts_with(prefix) && last.find_first_not_of("0123456789") == last.npos;
  }));
}

DIAGNOSTIC(
    LC313, experts_removed, error, (Text, double, std::size_t), "a sparsity of {} removes {} of the {} experts",
    "REAPPruningModifier removes this fraction of the experts of each block, rounded down. It rejects a sparsity that "
    "removes none. The router selects a fixed number of experts for each token, so at least as many must be left.",
    "write another `sparsity`")

// A router must find its experts for each token. A list of modules does not contain their number, but it is at least 2
// in all models that REAP supports.
static void check_left_experts(const Context& context, const Setting<double>& sparsity, std::size_t count,
                               std::optional<std::uint64_t> per_token) {
  constexpr std::uint64_t kFewest = 2;
  const auto fewest = static_cast<double>(per_token.value_or(kFewest));
  const double all = static_cast<double>(count);
  const double left = all - std::floor(all * *sparsity);
  if (left >= fewest) return;
  context.sink.report(diag::experts_removed, sparsity.place(), source::python_str(*sparsity.given()), all - left, count)
      .with_label(sparsity.place(),
                  fmt::format("routers select {}{} experts for each token", per_token ? "" : "at least ", fewest))
      .with_help(all <= fewest
                     ? std::string("delete the modifier")
                     : fmt::format("write at most {}; it is the share that is removed, so {} keeps {} of {}",
                                   base::python_repr((all - fewest) / all), fmt::format("{:.6g}", 1 - *sparsity),
                                   all - std::floor(all * (1 - *sparsity)), count));
}

DIAGNOSTIC(LC314, no_experts, error, (), "no block of experts can be pruned",
           "REAPPruningModifier prunes blocks of linear experts. It fails if the model has none, or if `ignore` "
           "matches all of them.",
           "convert the experts of the model to LinearExperts2D")

void check_removed_experts(const Context& context, const Modifier& modifier, const ExpertPruning& pruning,
                           const Modules& modules, std::optional<std::uint64_t> per_token) {
  const std::vector<bool> blocks = blocks_with_experts(pruning, modules);
  if (std::ranges::find(blocks, true) == blocks.end()) {
    context.sink.report(diag::no_experts, modifier.key);
    return;
  }
  const std::size_t count = count_experts(modules);
  const auto& sparsity = pruning.sparsity;
  if (count > 0 && sparsity && *sparsity > 0 && static_cast<double>(count) * *sparsity < 1) {
    context.sink.report(diag::experts_removed, sparsity.place(), source::python_str(*sparsity.given()), 0.0, count)
        .with_help(fmt::format("write at least {}", base::python_repr(1.0 / static_cast<double>(count))));
  } else if (count > 1 && sparsity && *sparsity < 1) {
    check_left_experts(context, sparsity, count, per_token);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
