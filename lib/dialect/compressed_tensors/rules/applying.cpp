#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/schemes/arguments.h"
#include "dialect/schemes/codes.h"
#include "dialect/schemes/norms.h"

// Checks for errors and silently ignored parts when the library applies the file to a model.
namespace sparsecfg::dialect::compressed_tensors {

using model::Module;
using schemes::Dynamic;
using schemes::TensorRole;
using source::Value;

namespace {

bool is_grouped(const QuantizationArgs& args) {
  return args.strategy == Strategy::group || args.strategy == Strategy::tensor_group;
}

}  // namespace

DIAGNOSTIC(
    CT104, attention_weights, error, (Text), "`{}` is an attention module, which has no weights to quantize",
    "An attention module itself has no weights. Its projections, such as `q_proj`, are Linear layers with names of "
    "their own. compressed-tensors stops when it applies the group.",
    "write `re:.*self_attn\\..*_proj$` to select its layers")

DIAGNOSTIC(CT105, attention_without_inputs, error, (Text),
           "`{}` is an attention module, whose inputs must be quantized",
           "Quantization of attention quantizes its queries, keys and values, which are the inputs of the module. "
           "compressed-tensors stops when it applies a group without `input_activations`.",
           "add `input_activations`")

DIAGNOSTIC(CT106, attention_outputs, error, (Text), "`{}` is an attention module, whose outputs can't be quantized",
           "compressed-tensors supports only the inputs of attention modules, and stops when it applies the group.",
           "delete `output_activations`")

namespace {

class ApplyingCheck {
 public:
  ApplyingCheck(const Context& context, const Config& config) : context_(context), config_(config) {
    if (context.modules == nullptr) {
      return;
    }
    taken_ = groups_in(*context.modules, config);
    cached_ = schemes::cached_attention(*context.modules);
    for (const Module& module : *context.modules) {
      add(words_[module.name], module);
      for (const std::string_view name : schemes::classes_of(module)) add(words_[name], module);
    }
  }

  void run() {
    for (std::size_t at = 0; at < config_.groups.size(); ++at) {
      const ConfigGroup& group = config_.groups[at];
      if (!group.valid || group.preset) continue;
      if (takes_layers(at)) check_layers(group);
      if (const Module* attention = attention_of(at)) check_attention(group, *attention);
    }
    check_cache();
    check_flavors();
    if (context_.modules != nullptr) {
      check_columns();
      check_entries();
    }
  }

 private:
  // The first matches of an entry: any module, and a module that can be quantized.
  struct Matched {
    const Module* any = nullptr;
    const Module* usable = nullptr;
  };

  void add(Matched& matched, const Module& module) const {
    const bool usable = schemes::takes_scheme(module) || cached_[static_cast<std::size_t>(&module - modules().data())];
    if (matched.any == nullptr) matched.any = &module;
    if (usable && matched.usable == nullptr) matched.usable = &module;
  }

  Matched matched_by(const Entry& entry) const {
    if (!schemes::is_pattern(entry.text)) {
      const auto found = words_.find(entry.text);
      return found == words_.end() ? Matched() : found->second;
    }
    const model::Matcher matcher = schemes::matcher_of(entry.text);
    Matched out;
    for (const Module& module : modules()) {
      if (out.usable == nullptr && matcher.takes(module.name)) add(out, module);
    }
    return out;
  }

  const Modules& modules() const { return *context_.modules; }

  // Without a model, a group with weights is assumed to have layers.
  bool takes_layers(std::size_t group) const {
    if (context_.modules == nullptr) {
      return config_.groups[group].weights.args.present && !config_.groups[group].targets.empty();
    }
    for (std::size_t at = 0; at < taken_.size(); ++at) {
      if (taken_[at] == group && schemes::takes_scheme(modules()[at])) return true;
    }
    return false;
  }

  const Module* attention_of(std::size_t group) const {
    for (std::size_t at = 0; at < taken_.size(); ++at) {
      if (taken_[at] == group && cached_[at]) return &modules()[at];
    }
    return nullptr;
  }

  void check_layers(const ConfigGroup& group) {
    constexpr std::string_view kHeads = "Attention quant requires at least 3 observed dimensions";
    const auto is_static = [](const QuantizationArgs& args) { return args.present && args.dynamic == Dynamic::no; };
    const QuantizationArgs& outputs = group.outputs.args;
    if (group.weights.args.strategy == Strategy::attn_head && group.weights.args.present) {
      report_strategy(*group.weights.value, TensorRole::weights, kHeads);
    }
    if (is_static(group.inputs.args) && group.inputs.args.strategy == Strategy::attn_head) {
      report_strategy(*group.inputs.value, TensorRole::inputs, kHeads);
    }
    if (is_static(outputs) && outputs.strategy == Strategy::attn_head) {
      report_strategy(*group.outputs.value, TensorRole::outputs, kHeads);
    } else if (is_static(outputs) && (outputs.strategy == Strategy::channel || outputs.strategy == Strategy::block)) {
      report_strategy(*group.outputs.value, TensorRole::outputs,
                      fmt::format("{} quant requires at least 2 observed dimensions",
                                  outputs.strategy == Strategy::channel ? "Channel" : "Block"));
    }
  }

  void report_strategy(const Value& arguments, TensorRole role, std::string_view words) {
    const Value* written = arguments.find("strategy");
    context_.sink
        .report(diag::activation_strategy, written == nullptr ? arguments.span : written->span, schemes::field_of(role),
                schemes::to_string(schemes::read_args(arguments).strategy), "")
        .with_severity(context_.in_library())
        .with_caret(schemes::quoted_error(words))
        .with_help(role == TensorRole::weights ? "write `channel` or `group`"
                                               : "write `tensor`, or `token` if it is dynamic");
  }

  void check_attention(const ConfigGroup& group, const Module& module) {
    const auto report = [&](const auto& rule, std::string_view words) {
      context_.sink.report(rule, group.span, module.name)
          .with_severity(context_.in_library())
          .with_caret(schemes::quoted_error(words));
    };
    if (group.weights.args.present) {
      report(diag::attention_weights, "Cannot apply weight quantization to attention");
    } else if (!group.inputs.args.present) {
      report(diag::attention_without_inputs,
             "Cannot apply attention quantization without specifying input activations");
    } else if (group.outputs.args.present) {
      report(diag::attention_outputs, "Cannot apply output quantization to attention");
    } else if (is_grouped(group.inputs.args) && group.inputs.args.dynamic == Dynamic::no) {
      report_strategy(*group.inputs.value, TensorRole::inputs, "empty(): argument 'size' must be tuple of ints");
    }
  }

  void check_cache() {
    const bool any = context_.modules == nullptr || std::ranges::find(cached_, true) != cached_.end();
    if (config_.cache == nullptr || !any || context_.choice.runtime != Runtime::library) {
      return;
    }
    const QuantizationArgs args = schemes::read_args(*config_.cache);
    if (is_grouped(args) && args.dynamic == Dynamic::no) {
      schemes::check_role(context_.sink, *config_.cache, TensorRole::cache);
    }
  }

  void check_columns() {
    for (std::size_t group = 0; group < config_.groups.size(); ++group) {
      const auto size = static_cast<std::uint64_t>(config_.groups[group].weights.args.group_size);
      std::vector<std::string> bad;
      const Module* first = nullptr;
      for (std::size_t at = 0; size > 0 && at < taken_.size(); ++at) {
        const Module& module = modules()[at];
        const bool layer =
            taken_[at] == group && schemes::takes_scheme(module) && module.shape && module.shape->size() == 2;
        if (!layer || module.shape->back() % size == 0) continue;
        if (first == nullptr) first = &module;
        bad.push_back(fmt::format("`{}`", module.name));
      }
      if (bad.empty()) continue;
      const std::size_t count = bad.size();
      bad.resize(std::min<std::size_t>(count, 3));
      if (count > 3) bad.push_back(fmt::format("{} more", count - 3));
      const Value* weights = config_.groups[group].value->find("weights");
      const Value* written = weights == nullptr ? nullptr : weights->find("group_size");
      context_.sink
          .report(diag::columns_not_in_groups, written == nullptr ? config_.groups[group].span : written->span,
                  fmt::format("{}", size), base::join_and(bad))
          .with_severity(diag::Severity::warning)
          .with_cause(schemes::entry_meant_for(config_.ignore, modules(), first->name).value_or(source::Span()));
    }
  }

  // Targets without a module that can be quantized, and ignored names without a module.
  void check_entries() {
    for (const ConfigGroup& group : config_.groups) {
      for (const Entry& entry : group.targets) check_entry(entry, true);
      check_ignored(group);
    }
    for (const Entry& entry : config_.ignore) check_entry(entry, false);
  }

  // Reports a group whose targets match only ignored layers.
  void check_ignored(const ConfigGroup& group) {
    const Module* ignored = nullptr;
    for (const Entry& target : group.targets) {
      const model::Matcher matcher = schemes::matcher_of(target.text);
      for (std::size_t at = 0; at < taken_.size(); ++at) {
        if (!schemes::takes_scheme(modules()[at]) || !matcher.takes(modules()[at])) continue;
        if (taken_[at]) return;
        if (ignored == nullptr) ignored = &modules()[at];
      }
    }
    const auto ignores = [&](const Entry& each) { return schemes::matcher_of(each.text).takes(*ignored); };
    const auto entry = ignored == nullptr ? config_.ignore.end() : std::ranges::find_if(config_.ignore, ignores);
    if (entry == config_.ignore.end()) return;
    context_.sink
        .report(diag::target_takes_no_linear, entry->span, entry->text,
                fmt::format("ignores all layers of group `{}`, so the group is not used", group.name))
        .with_severity(diag::Severity::warning)
        .with_label(group.targets.front().span, "only matches ignored layers")
        .with_help(fmt::format("delete `{}` from `ignore`, or delete the group", entry->text));
  }

  // Reports patterns without `re:`, which are compared as names.
  void check_flavors() {
    for (const Entry& entry : config_.ignore) {
      if (entry.text.starts_with("re:") || entry.text.find('*') == std::string::npos) continue;
      const std::string meant = "re:" + base::pattern_meant_by(entry.text);
      context_.sink.report(diag::ignore_prefix, entry.span, entry.text, meant)
          .with_help(fmt::format("write `{}`", meant))
          .with_fix(diag::Fix::unsafe().content(entry.span, meant));
    }
  }

  // Returns true for a pattern with the name of a joined layer, which runtimes compare only with its parts.
  [[nodiscard]] bool names_joined_layer(const Entry& entry) const {
    static constexpr std::string_view kJoined[] = {"qkv_proj", "gate_up_proj"};
    const auto contains = [&](std::string_view name) { return entry.text.find(name) != entry.text.npos; };
    return context_.choice.runtime != Runtime::library && schemes::is_pattern(entry.text) &&
           std::ranges::any_of(kJoined, contains);
  }

  [[nodiscard]] std::string effect_of_joined_name() const {
    return fmt::format("{} compares patterns only with the parts, so it cannot load 16-bit weights of these layers",
                       title_of(context_.choice.runtime));
  }

  void check_entry(const Entry& entry, bool target) {
    if (schemes::fault_of(entry.text)) {
      return;
    }
    const Matched matched = matched_by(entry);
    const bool kept = matched.any != nullptr && matched.usable == nullptr && !target;
    if (kept && !schemes::report_only_norms(entry, modules(), context_.sink)) check_container(entry);
    if (matched.usable != nullptr || (matched.any != nullptr && !target)) {
      return;
    }
    if (matched.any == nullptr) {
      const auto meant = schemes::entry_for_layers(modules(), entry.text);
      auto& report = context_.sink.report(diag::unused_selector, entry.span, entry.text, "module", modules().size());
      if (!target && names_joined_layer(entry)) report.with_caret(effect_of_joined_name());
      report.with_severity(diag::Severity::warning)
          .with_cause(entry.span)  // LC802 knows what a glob means
          .with_help(meant ? fmt::format("write `{}`", *meant)
                           : "list the modules with `sparsecfg match FILE --model DIR --all`")
          .with_fix(meant ? diag::Fix::unsafe().content(entry.span, *meant) : diag::Fix());
    } else {
      context_.sink
          .report(diag::target_takes_no_linear, entry.span, entry.text,
                  fmt::format("matches modules such as `{}`, none of which can be quantized", matched.any->name))
          .with_severity(diag::Severity::warning)
          .with_help("name Linear or Embedding layers");
    }
  }

  // Reports an entry of `ignore` that only matches modules around quantized layers.
  void check_container(const Entry& entry) {
    const auto meant = schemes::entry_for_layers(modules(), entry.text);
    if (!meant) return;
    const model::Matcher matcher = schemes::matcher_of(*meant);
    const Module* first = nullptr;
    std::size_t count = 0;
    for (std::size_t at = 0; at < taken_.size(); ++at) {
      if (!taken_[at] || !schemes::takes_scheme(modules()[at]) || !matcher.takes(modules()[at])) continue;
      if (count++ == 0) first = &modules()[at];
    }
    if (first == nullptr) return;
    context_.sink.report(diag::ignored_parent, entry.span, entry.text, base::counted(count, "layer"))
        .with_caret(fmt::format("`{}` is quantized", first->name))
        .with_help(fmt::format("write `{}`", *meant))
        .with_fix(diag::Fix::unsafe().content(entry.span, *meant));
  }

  const Context& context_;
  const Config& config_;
  std::vector<std::optional<std::size_t>> taken_;        // the group of each module
  std::vector<bool> cached_;                             // whether each module is attention with a cache
  std::unordered_map<std::string_view, Matched> words_;  // by name and class
};

}  // namespace

void check_applying(const Context& context, const Config& config) { ApplyingCheck(context, config).run(); }

}  // namespace sparsecfg::dialect::compressed_tensors
