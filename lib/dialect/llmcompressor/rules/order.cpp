#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/foreign_fields.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reached_layers.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/llmcompressor/target_pairs.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/record/related.h"
#include "dialect/record/types.h"
#include "dialect/schemes/codes.h"
#include "dialect/schemes/meant.h"
#include "dialect/words.h"

// Checks interactions between modifiers, which run in file order.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

DIAGNOSTIC(LC216, needs_calibration_data, fact, (Text), "this recipe requires a dataset: {}",
           "Static activation scales, GPTQ, AWQ, SmoothQuant, SparseGPT, Wanda and others need data. Without a dataset "
           "`oneshot` stops with an error.",
           "pass a `dataset` to `oneshot`")

DIAGNOSTIC(LC307, training_only, silent_error, (Text), "`{}` changes no weights: its masks require a training loop",
           "Since release 0.9, recipes run only with `oneshot`, which sends no training events. The run completes and "
           "the model stays dense. In older releases, trainers also run recipes. SparseGPTModifier and "
           "WandaPruningModifier prune in one shot. The zeros of a pruner in the same recipe need no mask, because "
           "`oneshot` trains no weights: a ConstantPruningModifier beside it is reported as info.",
           "prune with `SparseGPTModifier` or `WandaPruningModifier`")

DIAGNOSTIC(LC309, two_masks, error, (Text, Text), "`{}` and `{}` mask the same layers, so the run fails at its end",
           "Both modifiers remove the mask of a layer when they finish, and the second one no longer finds it.",
           "remove the layers from one of the two modifiers")

DIAGNOSTIC(LC315, preserved_sparsity, error, (Text), "`preserve_sparsity_mask` requires a sparsity above that of `{}`",
           "SparseGPT counts the weights that are already zero as removed. If these are all that it should remove or "
           "more, the run fails.",
           "write a higher `sparsity`, or `preserve_sparsity_mask: false`")

DIAGNOSTIC(LC401, awq_needs_quantization, error, (), "`AWQModifier` requires a quantization modifier after it",
           "Since release 0.11, AWQModifier only scales layers. A QuantizationModifier, GPTQModifier or "
           "AutoRoundModifier must follow in the same stage or a later one. Otherwise the recipe is rejected.",
           "add a `QuantizationModifier` after `AWQModifier`")

DIAGNOSTIC(LC402, awq_old_fields, error, (Text), "field `{}` of `AWQModifier` was removed in 0.11",
           "AWQModifier became a transform. A subsequent quantization modifier defines what is quantized and how.",
           "move `{0}` to the quantization modifier after it")

DIAGNOSTIC(
    LC501, works_on_quantized, warning, (Text, Text), "`{}` changes weights that `{}` already quantized",
    "Modifiers run in the order of the file. The quantization scales were computed before this change of the weights.",
    "move `{0}` before `{1}`")

DIAGNOSTIC(
    LC502, sparsity_lost, warning, (Text, Text), "`{}` does not keep the zeros of `{}`",
    "Since release 0.13, GPTQ no longer keeps existing zeros: it corrects each weight for the errors of others. "
    "AutoRound changes how weights are rounded, and an asymmetric format may have no exact zero. Rounding to the "
    "nearest number of a symmetric format keeps zeros.",
    "prune with a mask that is kept, or accept that some zeros become nonzero")

DIAGNOSTIC(
    LC503, later_scheme_replaces, warning, (Text, Text, Text), "`{}` replaces the scheme that `{}` sets for {}",
    "A quantization modifier sets its scheme on every module that it matches, even if the module already has one.",
    "narrow `targets`, or add these modules to `ignore`")

DIAGNOSTIC(
    LC504, order_without_gptq, silent_warning, (Text), "`actorder` has no effect with `{}`",
    "Only GPTQModifier quantizes the columns of weights in the order of their activations. Other modifiers round "
    "each weight by itself, and copy `actorder` to the saved configuration.",
    "use GPTQModifier, or delete `actorder`")

DIAGNOSTIC(LC505, smooths_unquantized_inputs, silent_warning, (Text),
           "`{}` moves outliers into weights, but no scheme quantizes inputs",
           "SmoothQuant divides the inputs of a layer by scales and multiplies its weights by them, so that quantized "
           "inputs lose less. Inputs that stay in 16 bits gain nothing, and the weights have larger outliers than "
           "before.",
           "delete `{0}`, or write a scheme that also quantizes inputs, such as `scheme: W8A8`")

DIAGNOSTIC(LC602, written_as_one, warning, (Text, Text),
           "recipe.yaml keeps only one of the two `{}` in groups named `{}`",
           "All stages of a run are saved as one stage. Modifiers of the same class in groups with the same name "
           "overwrite each other.",
           "rename one of the two groups")

// Visits the modifiers once and keeps the state of the earlier ones, so the work is linear.
class OrderCheck {
 public:
  OrderCheck(const Context& context, const std::vector<Modifier>& modifiers, Release release, TargetPairs& pairs,
             bool incomplete, Runner runner)
      : context_(context),
        modifiers_(modifiers),
        release_(release),
        pairs_(pairs),
        schemes_(pairs),
        incomplete_(incomplete),
        runner_(runner) {
    for (std::size_t at = 0; at < modifiers.size(); ++at) {
      if (modifiers[at].as<Quantization>() != nullptr) last_quantizing_ = at;
    }
  }

  void run() {
    const Group* one_scale = group_with_one_scale();
    for (std::size_t at = 0; at < modifiers_.size(); ++at) {
      if (const auto* awq = modifiers_[at].as<Awq>()) check_awq(at, *awq, one_scale);
      if (modifiers_[at].as<Smoothing>() != nullptr) check_inputs(at);
      check_after(at);
      check_preserved(at);
      check_without_scheme(at);
      check_training_mask(modifiers_[at]);
      check_group(at);
      keep(at);
    }
    check_masks();
    report_data();
    report_unused_order();
  }

 private:
  // Returns the groups of a modifier. Empty if it sets no schemes.
  static std::span<const Group> groups_of(const Modifier& modifier) {
    const auto* quantization = modifier.as<Quantization>();
    return quantization == nullptr ? std::span<const Group>() : quantization->groups;
  }

  [[nodiscard]] bool gives_schemes(std::size_t at) const {
    return std::ranges::any_of(groups_of(modifiers_[at]), [](const Group& each) { return !each.is_empty(); });
  }

  void keep(std::size_t at) {
    const bool zeros = modifiers_[at].as<LayerPruning>() != nullptr ||
                       kind_of(modifiers_[at]) == ClassKind::constant_pruning;  // which keeps those of the model
    if (pruner_ == nullptr && zeros) pruner_ = &modifiers_[at];
    if (quantizer_ == nullptr && gives_schemes(at)) quantizer_ = &modifiers_[at];
    for (const Group& group : groups_of(modifiers_[at])) {
      if (group.is_empty()) continue;
      for (const Entry& target : group.targets) schemes_.add(target.text, at);
    }
  }

  // A modifier without a scheme uses the schemes of earlier modifiers.
  void check_without_scheme(std::size_t at) {
    const Modifier& modifier = modifiers_[at];
    const auto* quantization = modifier.as<Quantization>();
    if (!incomplete_ && quantizer_ == nullptr && quantization != nullptr &&
        kind_of(modifier) != ClassKind::quantization && modifier.valid && !quantization->has_configuration()) {
      context_.sink.report(diag::nothing_quantized, modifier.key, modifier.spec->name,
                           ", and no earlier modifier sets one");
    }
  }

  // --- AWQ ---

  [[nodiscard]] bool is_quantized_after(std::size_t at) const {
    return incomplete_ || (last_quantizing_ && *last_quantizing_ > at);
  }

  void check_awq(std::size_t at, const Awq& awq, const Group* one_scale) {
    const bool transform = is_at_least(release_, Release::v0_11);
    const bool has_old = report_old_fields(at, transform);
    if (transform && !has_old && !is_quantized_after(at)) {
      context_.sink.report(diag::awq_needs_quantization, modifiers_[at].key)
          .with_help(
              last_quantizing_
                  ? fmt::format("move `AWQModifier` before `{}`", modifiers_[*last_quantizing_].spec->name)
                  : "add `QuantizationModifier: {targets: [Linear], scheme: W4A16, ignore: [lm_head]}` after it");
    }
    if (pairs_.modules() != nullptr) return;  // the layers of the model are checked
    if (one_scale != nullptr && awq.is_duo()) report_duo_scaling(context_, awq, *one_scale);
    if (transform && !has_old && is_quantized_after(at)) check_weights(at);
  }

  // Returns true if all schemes are known, and a property holds for none of them.
  template <class Property>
  [[nodiscard]] bool holds_for_no_group(Property property) const {
    const auto is_known = [](const Modifier& modifier) {
      const auto* quantization = modifier.as<Quantization>();
      return quantization == nullptr ||
             (modifier.valid && (!quantization->groups.empty() || quantization->scheme.given() == nullptr));
    };
    const auto has_none = [&](const Modifier& modifier) { return std::ranges::none_of(groups_of(modifier), property); };
    return !incomplete_ && std::ranges::all_of(modifiers_, is_known) && std::ranges::all_of(modifiers_, has_none);
  }

  // Reports AWQ if no modifier quantizes weights.
  void check_weights(std::size_t at) {
    if (!holds_for_no_group([](const Group& group) { return group.weights.args.present; })) return;
    context_.sink.report(diag::awq_without_weights, modifiers_[at].key, "if no modifier after it quantizes weights");
  }

  // Reports SmoothQuant in a recipe that quantizes only weights.
  void check_inputs(std::size_t at) {
    const auto has_scheme = [&](const Modifier& each) { return !groups_of(each).empty(); };
    if (std::ranges::none_of(modifiers_, has_scheme)) return;
    if (!holds_for_no_group([](const Group& group) { return group.inputs.args.present; })) return;
    context_.sink.report(diag::smooths_unquantized_inputs, modifiers_[at].key, modifiers_[at].spec->name);
  }

  using OldFields = RelatedFields;

  [[nodiscard]] OldFields moved_fields(std::size_t at) const {
    OldFields out;
    for (const Field& field : modifiers_[at].fields) {
      if (is_moved_field(*modifiers_[at].spec, field.name)) out.push_back(&field);
    }
    return out;
  }

  // Returns the fields for the format of the weights: those of AWQModifier 0.5.1 and of other systems.
  [[nodiscard]] OldFields format_fields(std::size_t at) const {
    OldFields out;
    for (const Field& field : modifiers_[at].fields) {
      if (is_former_format(*modifiers_[at].spec, field.name) || format_argument(modifiers_[at], field))
        out.push_back(&field);
    }
    return out;
  }

  // Removes fields. A class whose fields are all removed keeps an empty mapping.
  static void remove_from(diag::Fix& fix, const Modifier& modifier, const OldFields& fields, bool flow) {
    const source::Span all{modifier.fields.begin()->key.begin, modifier.fields.back().value.span.end};
    if (fields.size() < modifier.fields.size()) {
      for (const Field* field : fields) fix.remove(field->key);
    } else if (flow) {
      fix.replace(all, "");
    } else {
      fix.replace({modifier.key.end, all.end}, ": {}");
    }
  }

  // Returns true if the fields of a modifier are written in braces or as arguments.
  [[nodiscard]] bool is_flow(const Modifier& modifier) const {
    const std::string_view text = context_.file.text();
    const std::size_t begin = modifier.fields.empty() ? 0 : modifier.fields.begin()->key.begin;
    return text.substr(modifier.key.end, begin - std::min<std::size_t>(begin, modifier.key.end)).find_first_of("{(") !=
           std::string_view::npos;
  }

  // Reports fields of the class before 0.11 and moves them to a quantization modifier after it.
  bool report_old_fields(std::size_t at, bool transform) {
    const Modifier& awq = modifiers_[at];
    const OldFields old = moved_fields(at);
    const OldFields format = format_fields(at);
    if (!transform) {
      report_foreign_format(awq, format);
      return !old.empty();
    }
    if (old.empty() && format.empty()) return false;
    if (old.empty()) {
      report_format(at, format);
      return true;
    }
    auto& report = context_.sink.report(diag::awq_old_fields, old.front()->key, old.front()->name);
    label_others(report, old, "also removed");
    for (const Field* other : format) report.with_label(other->key, "belongs to the scheme");
    if (format.empty() && offer_move(report, at, old)) return true;
    const std::string entry = format_entry(awq, awq.find("scheme"), format);
    const std::string added = modifier_with(at, old, format, entry);
    const std::string help(former_field(*awq.spec, old.front()->name)->removed->help);
    report.with_help(!added.empty() ? fmt::format("add `{}` after `{}`, and delete these fields", added, awq.spec->name)
                     : entry.empty() ? help
                                     : fmt::format("{}, and write `{}` in it", help, entry));
    if (!added.empty()) report.with_fix(moved(at, old, format, added));
    return true;
  }

  // Offers to move fields to the quantization modifier that follows in the group. Returns false without one, or if it
  // has one of the fields itself.
  bool offer_move(diag::Diagnostic& report, std::size_t at, const OldFields& fields) const {
    const Modifier& awq = modifiers_[at];
    const auto takes_over = [&](const Modifier& each) {
      return each.stage == awq.stage && each.group == awq.group && each.as<Quantization>() != nullptr;
    };
    const auto next = std::find_if(modifiers_.begin() + static_cast<std::ptrdiff_t>(at), modifiers_.end(), takes_over);
    if (next == modifiers_.end() || next->fields.empty()) return false;
    diag::Fix fix = diag::Fix::unsafe();
    remove_from(fix, awq, fields, is_flow(awq));
    std::vector<std::string> entries;
    for (const Field* field : fields) {
      const std::string text(context_.file.text(field->value.span));
      if (next->find(field->name) != nullptr || text.empty() || text.find('\n') != text.npos) return false;
      entries.push_back(fmt::format("{}: {}", field->name, text));
      fix.add_entry(next->fields.back().key, entries.back());
    }
    report.with_help(fmt::format("move `{}` to `{}`", fmt::join(entries, "`, `"), next->spec->name))
        .with_fix(std::move(fix));
    return true;
  }

  // Returns the entry for the scheme that a preset and the fields of AWQModifier 0.5.1 describe: `scheme: W4A16_ASYM`.
  // Without a preset, weights are integers of 4 bits in groups. Empty if there are no fields or a value has no place.
  static std::string format_entry(const Modifier& awq, const Field* preset, const OldFields& fields) {
    const auto* name = preset == nullptr ? nullptr : preset->value.get<std::string>();
    auto scheme = schemes::preset_scheme_named(name == nullptr ? "W4A16" : *name);
    if (fields.empty() || !scheme || (preset != nullptr && name == nullptr)) return {};
    for (const Field* field : fields) {
      const auto [argument, value] = format_argument(awq, *field).value_or(std::pair(field->name, field->value));
      if (!argument.empty() && !schemes::set_argument(*scheme, argument, value)) return {};
    }
    const std::string_view found = schemes::preset_of(*scheme);
    return found.empty() ? fmt::format("config_groups: {{group_0: {}}}", schemes::group_text(*scheme, {}))
                         : fmt::format("scheme: {}", found);
  }

  // Reports fields of other systems for releases in which AWQModifier quantizes.
  void report_foreign_format(const Modifier& awq, const OldFields& fields) {
    OldFields foreign;
    for (const Field* field : fields) {
      if (!is_former_format(*awq.spec, field->name)) foreign.push_back(field);
    }
    if (foreign.empty()) return;
    const std::string entry = format_entry(awq, awq.find("scheme"), foreign);
    auto& report = context_.sink.report(diag::unknown_field, foreign.front()->key, foreign.front()->name,
                                        fmt::format("`{}`", awq.spec->name));
    label_others(report, foreign);
    if (!entry.empty()) report.with_help(fmt::format("write `{}` instead of these fields", entry));
  }

  // Reports fields for the format of AWQModifier 0.5.1, which the modifier after it sets since.
  void report_format(std::size_t at, const OldFields& fields) {
    const Modifier& awq = modifiers_[at];
    std::vector<std::string> names;
    for (const Field* field : fields) names.push_back(fmt::format("`{}`", field->name));
    const auto next = std::find_if(modifiers_.begin() + static_cast<std::ptrdiff_t>(at), modifiers_.end(),
                                   [](const Modifier& each) { return each.as<Quantization>() != nullptr; });
    const Field* preset = next == modifiers_.end() ? nullptr : next->find("scheme");
    const std::string entry = format_entry(awq, preset, fields);
    const Field& first = *fields.front();
    const std::string name = fmt::format("`{}` of `{}`", first.name, awq.spec->name);
    auto& report =
        is_former_format(*awq.spec, first.name)
            ? context_.sink.report(diag::removed_field, first.key, name, to_string(Release::v0_5_2))
            : context_.sink.report(diag::unknown_field, first.key, first.name, fmt::format("`{}`", awq.spec->name));
    label_others(report, fields, "belongs to the scheme as well");
    diag::Fix fix = diag::Fix::unsafe();
    remove_from(fix, awq, fields, is_flow(awq));
    if (entry.empty() || (next != modifiers_.end() && preset == nullptr)) {
      report.with_help(fmt::format("write {} in `weights` of a group in `config_groups` of the modifier after it",
                                   base::join_and(names)));
    } else if (preset == nullptr) {
      const std::string added =
          fmt::format("QuantizationModifier: {{{}, targets: [Linear], ignore: [lm_head]}}", entry);
      const bool own = entry.starts_with("config_groups");
      const std::string whole = own ? fmt::format("QuantizationModifier: {{{}, ignore: [lm_head]}}", entry) : added;
      report.with_help(fmt::format("add `{}` after it, and delete {}", whole, base::join_and(names)))
          .with_fix(std::move(fix.add_entry(awq.key, whole)));
    } else {
      offer_scheme(report, *next, *preset, entry, base::join_and(names), std::move(fix));
    }
  }

  // Offers to replace the preset of the modifier after it. `fix` deletes the old fields.
  static void offer_scheme(diag::Diagnostic& report, const Modifier& next, const Field& preset,
                           const std::string& entry, const std::string& names, diag::Fix fix) {
    const bool same = entry == fmt::format("scheme: {}", *preset.value.get<std::string>());
    const std::string_view name = split_entry(entry).name;
    const std::string text(split_entry(entry).value);
    if (same) {
      report.with_help(fmt::format("delete {}: `{}` of `{}` already means this", names, entry, next.spec->name))
          .with_fix(std::move(fix));
      return;
    }
    report.with_label(preset.key, fmt::format("write `{}` here", name == "scheme" ? entry : std::string(name)));
    report.with_help(fmt::format("write `{}` in `{}`, and delete {}", entry, next.spec->name, names));
    if (name == "scheme") {
      report.with_fix(std::move(fix.content(preset.value.span, text)));
      return;
    }
    fix.content(preset.key, std::string(name)).replace(preset.value.span, text);
    if (const Field* targets = next.find("targets")) fix.remove(targets->key);
    report.with_fix(std::move(fix));
  }

  // Returns the quantization modifier with the fields that AWQModifier loses: `QuantizationModifier: {ignore: [...]}`.
  // `entry`: that of the scheme, in place of the fields of the format. Empty if the group already has such a modifier,
  // or if a value has several lines.
  [[nodiscard]] std::string modifier_with(std::size_t at, const OldFields& old, const OldFields& format,
                                          std::string entry) const {
    const Modifier& awq = modifiers_[at];
    const bool taken = std::ranges::any_of(modifiers_, [&](const Modifier& each) {
      return each.stage == awq.stage && each.group == awq.group && kind_of(each) == ClassKind::quantization;
    });
    const bool replaced = !entry.empty();
    if (taken || (!format.empty() && !replaced)) return {};
    for (const Field* field : old) {
      if (replaced && (field->name == "scheme" || (field->name == "targets" && entry.starts_with("config_groups"))))
        continue;
      const std::string text(context_.file.text(field->value.span));
      if (text.find('\n') != text.npos || text.empty() || text.front() == '-' || is_block(field->value)) return {};
      entry += fmt::format("{}{}: {}", entry.empty() ? "" : ", ", field->name, text);
    }
    return fmt::format("QuantizationModifier: {{{}}}", entry);
  }

  // Returns the fix that moves fields to a modifier after it.
  diag::Fix moved(std::size_t at, const OldFields& old, const OldFields& format, std::string added) const {
    const Modifier& awq = modifiers_[at];
    diag::Fix fix = format.empty() ? diag::Fix::safe() : diag::Fix::unsafe();
    OldFields removed = old;
    removed.insert(removed.end(), format.begin(), format.end());
    remove_from(fix, awq, removed, is_flow(awq));
    return fix.add_entry(awq.key, std::move(added));
  }

  [[nodiscard]] bool is_block(const Value& value) const {
    const std::string_view text = context_.file.text(value.span);
    return (value.get<source::Map>() != nullptr && !text.starts_with('{')) ||
           (value.get<source::List>() != nullptr && !text.starts_with('['));
  }

  // Returns the first group whose weights have one scale per tensor.
  [[nodiscard]] const Group* group_with_one_scale() const {
    for (const Modifier& modifier : modifiers_) {
      const std::span<const Group> groups = groups_of(modifier);
      const auto found = std::ranges::find_if(groups, [](const Group& group) {
        return group.weights.args.present && group.weights.args.strategy == Strategy::tensor;
      });
      if (found != groups.end()) return &*found;
    }
    return nullptr;
  }

  // --- order of modifiers -------

  // Modifiers of several stages change places together with their stages.
  static std::string move_before(const Modifier& later, const Modifier& earlier) {
    const bool stages = !later.stage.empty() && later.stage != earlier.stage;
    return stages ? fmt::format("move `{}` before `{}`", later.stage, earlier.stage)
                  : fmt::format("move `{}` before `{}`", later.spec->name, earlier.spec->name);
  }

  void check_after(std::size_t at) {
    const Modifier& later = modifiers_[at];
    const bool changes = has(later, kPrepares) || later.as<LayerPruning>() != nullptr;
    if (changes && quantizer_ != nullptr && !(later.as<Awq>() != nullptr && is_between_others(at))) {
      auto& report =
          context_.sink.report(diag::works_on_quantized, later.key, later.spec->name, quantizer_->spec->name);
      report.with_label(quantizer_->key, "quantizes here")
          .with_cause(later.as<Awq>() == nullptr ? source::Span() : later.key)  // LC401 gives the same advice
          .with_help(move_before(later, *quantizer_));
      const std::size_t count = pairs_.modules() == nullptr ? 0 : scaled_layers_before(at).size();
      if (count > 0) report.with_caret(fmt::format("scales {} that it has quantized", base::counted(count, "layer")));
      return;
    }
    if (gives_schemes(at)) check_lost_sparsity(at);
    if (!groups_of(modifiers_[at]).empty()) check_replaced(at);
  }

  // Returns true if AWQ between two quantizing modifiers may only scale layers of the later one. Its default mappings
  // select the layers of all blocks.
  [[nodiscard]] bool is_between_others(std::size_t at) {
    if (!is_quantized_after(at)) return false;
    if (pairs_.modules() != nullptr) return scaled_layers_before(at).empty();
    return modifiers_[at].as<Awq>()->mappings.given() != nullptr || incomplete_ || is_replaced_after(at);
  }

  // Returns true if a later modifier has a target of the first quantizing one, which it then replaces (LC503).
  [[nodiscard]] bool is_replaced_after(std::size_t at) const {
    std::set<std::string> first;
    for (const Group& group : groups_of(*quantizer_)) first.merge(texts_of(group.targets));
    for (std::size_t each = at + 1; each < modifiers_.size(); ++each) {
      for (const Group& group : groups_of(modifiers_[each])) {
        for (const Entry& target : group.targets) {
          if (first.contains(target.text)) return true;
        }
      }
    }
    return false;
  }

  // Returns the index of the last modifier up to `last` that sets a scheme, for each module that has one.
  [[nodiscard]] std::vector<std::optional<std::size_t>> owners_until(std::size_t last) const {
    const std::vector<model::Module>& modules = *pairs_.modules();
    std::vector<std::optional<std::size_t>> out(modules.size());
    for (std::size_t each = 0; each <= last && each < modifiers_.size(); ++each) {
      const std::span<const Group> groups = groups_of(modifiers_[each]);
      if (groups.empty()) continue;
      const auto schemes = schemes_in(modules, {groups.begin(), groups.end()}, modifiers_[each].ignore());
      for (std::size_t module = 0; module < schemes.size(); ++module) {
        if (schemes[module]) out[module] = each;
      }
    }
    return out;
  }

  // Returns the layers that a modifier scales although an earlier one has quantized them for good.
  [[nodiscard]] std::set<std::size_t> scaled_layers_before(std::size_t at) const {
    const std::vector<model::Module>& modules = *pairs_.modules();
    const auto owners = owners_until(modifiers_.size());
    std::set<std::size_t> out;
    for (const Mapping& mapping : mappings_of(modifiers_[at], modules)) {
      std::vector<std::string> patterns = mapping.balanced;
      patterns.push_back(mapping.scaled);
      for (const std::string& pattern : patterns) {
        if (fault_of(pattern)) continue;
        const model::Matcher matcher = matcher_of(pattern);
        for (std::size_t module = 0; module < modules.size(); ++module) {
          const bool before = owners[module] && *owners[module] < at;
          if (before && takes_scheme(modules[module]) && matcher.takes(modules[module])) out.insert(module);
        }
      }
    }
    return out;
  }

  // Reports a pruner that keeps the zeros of an earlier one but has a lower sparsity.
  void check_preserved(std::size_t at) {
    const auto* later = modifiers_[at].as<SparseGpt>();
    if (later == nullptr || !later->sparsity || !later->preserve_sparsity_mask.value_or(false)) {
      return;
    }
    for (std::size_t each = 0; each < at; ++each) {
      const auto* earlier = modifiers_[each].as<LayerPruning>();
      if (earlier == nullptr || !removes_as_much(modifiers_[each], *later->sparsity) ||
          !share_layers(*earlier, *later)) {
        continue;
      }
      context_.sink.report(diag::preserved_sparsity, later->sparsity.place(), modifiers_[each].spec->name)
          .with_label(earlier->sparsity.place(), "already removes these weights");
      return;
    }
  }

  // Returns true if a pruner removes at least a fraction of the weights. SparseGPT without a mask removes a little more
  // than its sparsity.
  static bool removes_as_much(const Modifier& pruner, double sparsity) {
    const auto removed = removed_by(*pruner.as<LayerPruning>());
    const bool more = pruner.as<SparseGpt>() != nullptr && pruner.as<SparseGpt>()->mask.m == 0;
    return removed && *removed != 0 && (more ? *removed >= sparsity : *removed > sparsity);
  }

  // Returns the fraction of weights that a pruner removes, if it is the same in all layers.
  static std::optional<double> removed_by(const LayerPruning& pruning) {
    const NOfM mask = pruning.mask;
    if (mask.n > 0 && mask.m > 0) return static_cast<double>(mask.n) / static_cast<double>(mask.m);
    return pruning.sparsity ? std::optional(*pruning.sparsity) : std::nullopt;
  }

  // Returns true if two pruners certainly prune a common layer.
  [[nodiscard]] bool share_layers(const LayerPruning& a, const LayerPruning& b) const {
    if (pairs_.modules() == nullptr) {
      return texts_of(a.targets.value_or({})) == texts_of(b.targets.value_or({})) &&
             texts_of(a.ignore.value_or({})) == texts_of(b.ignore.value_or({}));
    }
    const std::vector<bool> one = pruned_layers(a, *pairs_.modules());
    const std::vector<bool> two = pruned_layers(b, *pairs_.modules());
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (one[at] && two[at]) return true;
    }
    return false;
  }

  void check_lost_sparsity(std::size_t at) {
    const Modifier& later = modifiers_[at];
    const bool masks = kind_of(later) == ClassKind::gptq && !is_at_least(release_, Release::v0_13);
    const bool rounds = masks || kind_of(later) == ClassKind::quantization;
    const auto loses = [&](const Group& group) {
      return group.weights.args.present && (!rounds || !group.weights.args.symmetric);
    };
    if (pruner_ != nullptr && std::ranges::any_of(groups_of(later), loses)) {
      auto& report = context_.sink.report(diag::sparsity_lost, later.key, later.spec->name, pruner_->spec->name);
      report.with_label(pruner_->key, "its zeros may be overwritten")
          .with_help("write `symmetric: true` for the weights: a symmetric format has an exact zero");
      if (!rounds) advise_to_round(later, report);
    }
  }

  // Advises on the modifier that rounds each weight, which keeps zeros.
  static void advise_to_round(const Modifier& later, diag::Diagnostic& report) {
    const ClassSpec* plain = table().find("QuantizationModifier");
    std::vector<std::string> foreign;
    for (const Field& field : later.fields) {
      if (plain->find(field.name) == nullptr) foreign.push_back(fmt::format("`{}`", field.name));
    }
    const bool asymmetric = std::ranges::any_of(groups_of(later), [](const Group& group) {
      return group.weights.args.present && !group.weights.args.symmetric;
    });
    report.with_help(fmt::format("write `QuantizationModifier` in place of `{}`{}{}: rounding each weight keeps zeros",
                                 later.spec->name, asymmetric ? " with a symmetric scheme" : "",
                                 foreign.empty() ? "" : ", without " + base::join_and(foreign)));
    if (foreign.empty() && !asymmetric) report.with_fix(diag::Fix::unsafe().content(later.key, "QuantizationModifier"));
  }

  // Returns the patterns and names that the groups of a modifier target; none if one of them is a class.
  static std::vector<std::string> patterns_of(const Modifier& modifier) {
    std::vector<std::string> out;
    for (const Group& group : groups_of(modifier)) {
      for (const Entry& target : group.targets) {
        if (!is_pattern(target.text) && target.text.find('.') == std::string::npos) return {};
        out.push_back(target.text);
      }
    }
    return out;
  }

  void report_replaced(const Modifier& later, const Modifier& earlier, const Entry& target, const std::string& what) {
    const bool only_cache = later.as<Quantization>()->only_cache();
    const source::Span place = only_cache ? groups_of(later).front().span : target.span;
    auto& report = context_.sink.report(diag::later_scheme_replaces, place, later.spec->name, earlier.spec->name, what);
    report.with_label(earlier.key, "its scheme is replaced");
    if (only_cache) {
      report.with_caret("without a scheme, its targets lose theirs")
          .with_help(fmt::format("move `kv_cache_scheme` into the first `{}`, and delete the second modifier",
                                 earlier.spec->name));
      return;
    }
    report.with_help("add the layers of the other modifier to `ignore`");
    const std::vector<std::string> patterns = patterns_of(earlier);
    if (patterns.empty()) return;
    report.with_help(fmt::format("add `{}` to `ignore` of `{}`", fmt::join(patterns, "`, `"), later.spec->name));
    const Field* ignore = later.find("ignore");
    if (ignore == nullptr || ignore->value.get<source::List>() == nullptr) return;
    diag::Fix fix = diag::Fix::unsafe();
    for (const std::string& pattern : patterns) fix.append(ignore->value.span, pattern);
    report.with_fix(std::move(fix));
  }

  // Reports the layers of a model that have a scheme of an earlier modifier.
  void check_replaced_layers(std::size_t at) {
    const Modifier& later = modifiers_[at];
    const std::vector<model::Module>& modules = *pairs_.modules();
    const std::span<const Group> groups = groups_of(later);
    const std::vector<Group> own(groups.begin(), groups.end());
    const auto schemes = schemes_in(modules, own, later.ignore());
    owners_.resize(modules.size());
    std::optional<std::size_t> earlier;
    std::size_t count = 0;
    const Group* group = nullptr;
    for (std::size_t module = 0; module < schemes.size(); ++module) {
      if (!schemes[module]) continue;
      const bool empty = own[*schemes[module]].is_empty();
      const auto owner = std::exchange(owners_[module], empty ? std::nullopt : std::optional(at));
      if (!owner || (earlier && *earlier != *owner)) continue;
      if (group == nullptr) group = &own[*schemes[module]];
      earlier = owner;
      ++count;
    }
    if (!earlier || group->targets.empty()) return;
    report_replaced(later, modifiers_[*earlier], group->targets.front(), base::counted(count, "layer"));
  }

  // Reports the first earlier target that overlaps with a target of this modifier.
  void check_replaced(std::size_t at) {
    if (pairs_.modules() != nullptr) return check_replaced_layers(at);
    const Modifier& later = modifiers_[at];
    const std::set<std::string> ignored = texts_of(later.ignore());
    std::size_t first = SeenTargets::kNone;
    const Entry* target = nullptr;
    for (const Group& group : groups_of(later)) {
      for (const Entry& entry : group.targets) {
        const std::size_t found = schemes_.find(entry.text, ignored, first);
        if (found != SeenTargets::kNone) target = &entry;
        first = std::min(first, found);
      }
    }
    if (target != nullptr) {
      report_replaced(later, modifiers_[schemes_.owner(first)], *target, fmt::format("`{}`", schemes_.text(first)));
    }
  }

  static std::set<std::string> texts_of(const std::vector<Entry>& entries) {
    std::set<std::string> out;
    for (const Entry& entry : entries) out.insert(entry.text);
    return out;
  }

  void check_group(std::size_t at) {
    const Modifier& later = modifiers_[at];
    auto& earlier = written_[{later.spec, later.group}];
    const auto other = std::ranges::find_if(earlier, [&](const Modifier* each) { return each->stage != later.stage; });
    if (other != earlier.end()) {
      context_.sink.report(diag::written_as_one, later.key, later.spec->name, later.group)
          .with_label((*other)->key, "same class and group name")
          .with_help("rename one of the groups");
    }
    if (earlier.empty() || (earlier.size() == 1 && other != earlier.end())) earlier.push_back(&later);
  }

  // Reports a training mask in a recipe for `oneshot`.
  void check_training_mask(const Modifier& modifier) {
    if (!has(modifier, kMasksTraining) || runner_ == Runner::training) {
      return;
    }
    const bool redundant =
        kind_of(modifier) == ClassKind::constant_pruning &&
        std::ranges::any_of(modifiers_, [](const Modifier& each) { return !has(each, kMasksTraining); });
    const bool sure = runner_ == Runner::one_shot;
    context_.sink.report(diag::training_only, modifier.key, modifier.spec->name)
        .with_severity(redundant ? diag::Severity::info
                       : sure    ? diag::Severity::error
                                 : diag::Severity::warning)
        .with_help(!sure       ? "use SparseGPTModifier or WandaPruningModifier if `oneshot` runs this recipe"
                   : redundant ? "delete it; `oneshot` trains no weights"
                               : "use SparseGPTModifier or WandaPruningModifier");
  }

  // Reports two training masks on one layer, which fail at the end of the run.
  void check_masks() {
    const Modifier* constant = find(ClassKind::constant_pruning);
    const Modifier* magnitude = find(ClassKind::magnitude_pruning);
    if (constant == nullptr || magnitude == nullptr) {
      return;
    }
    SeenTargets targets(pairs_);
    for (const Entry& entry : constant->targets()) targets.add(entry.text, 0);
    for (const Entry& entry : magnitude->targets()) {
      if (targets.find(entry.text, {}) != SeenTargets::kNone) {
        context_.sink.report(diag::two_masks, entry.span, magnitude->spec->name, constant->spec->name)
            .with_severity(severity_in_run(runner_))
            .with_help("delete one of them");
        return;
      }
    }
  }

  [[nodiscard]] const Modifier* find(ClassKind kind) const {
    const auto found = std::ranges::find_if(modifiers_, [&](const Modifier& each) { return kind_of(each) == kind; });
    return found == modifiers_.end() ? nullptr : &*found;
  }

  void report_data() {
    const auto first = std::ranges::find_if(modifiers_, [](const Modifier& each) { return each.needs_calibration(); });
    if (first == modifiers_.end()) return;
    if (const Group* preset = static_preset(*first)) return report_static(*preset);
    context_.sink.report(diag::needs_calibration_data, first->key,
                         fmt::format("`{}` requires data", first->spec->name));
  }

  // Returns the preset because of whose static scales a QuantizationModifier requires data; null: another reason.
  static const Group* static_preset(const Modifier& modifier) {
    const std::span<const Group> groups = groups_of(modifier);
    const auto is_static = [](const Group& group) {
      return group.inputs.args.present && group.inputs.args.dynamic != Dynamic::yes &&
             schemes::preset_scheme_named(group.name).has_value();
    };
    const auto found = std::ranges::find_if(groups, is_static);
    return kind_of(modifier) == ClassKind::quantization && found != groups.end() ? &*found : nullptr;
  }

  void report_static(const Group& preset) {
    auto& report = context_.sink.report(diag::needs_calibration_data, preset.span,
                                        fmt::format("the preset `{}` has static input scales", preset.name));
    const std::string dynamic = preset.name + "_DYNAMIC";
    if (schemes::preset_scheme_named(dynamic))
      report.with_help(fmt::format("write `scheme: {}`, or pass a `dataset` to `oneshot`", dynamic));
  }

  // Reports the first order of columns in a recipe without a modifier that uses it.
  void report_unused_order() {
    const auto is_gptq = [](const Modifier& each) { return each.as<Gptq>() != nullptr; };
    if (incomplete_ || std::ranges::any_of(modifiers_, is_gptq)) return;
    for (const Modifier& modifier : modifiers_) {
      for (const Group& group : groups_of(modifier)) {
        const Value* order = group.weights.value == nullptr ? nullptr : group.weights.value->find("actorder");
        const auto* text = order == nullptr ? nullptr : order->get<std::string>();
        if (text == nullptr || kind_of(modifier) != ClassKind::quantization) continue;
        context_.sink.report(diag::order_without_gptq, order->span, modifier.spec->name)
            .with_help(fmt::format("write `GPTQModifier` in place of `{}`, or delete `actorder`", modifier.spec->name))
            .with_label(modifier.key, "rounds each weight by itself")
            .not_beside(diag::arguments_conflict);
        return;
      }
    }
  }

  const Context& context_;
  const std::vector<Modifier>& modifiers_;
  Release release_;
  TargetPairs& pairs_;
  std::optional<std::size_t> last_quantizing_;

  // State of the modifiers so far.
  const Modifier* pruner_ = nullptr;     // first modifier that prunes layers
  const Modifier* quantizer_ = nullptr;  // first modifier that sets schemes
  SeenTargets schemes_;
  bool incomplete_;  // true if there are modifiers that may do anything
  Runner runner_;
  std::vector<std::optional<std::size_t>> owners_;  // by module: the last modifier that sets its scheme
  // First modifier by class and group, and the first one of another stage.
  std::map<std::pair<const void*, std::string>, std::vector<const Modifier*>> written_;
};

void check_order(const Context& context, const std::vector<Modifier>& modifiers, Release release, TargetPairs& pairs,
                 bool incomplete, Runner runner) {
  OrderCheck(context, modifiers, release, pairs, incomplete, runner).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
