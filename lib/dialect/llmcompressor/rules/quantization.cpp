#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/schemes/meant.h"
#include "dialect/schemes/records.h"
#include "dialect/words.h"

// Checks the schemes of quantization modifiers: presets, groups and their targets.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// Offers a group in place of `scheme`.
static void offer_group(diag::Diagnostic& report, const Quantization& quantization, const ir::Scheme& scheme,
                        std::string_view reason) {
  const Field& field = *quantization.scheme.field();
  std::vector<std::string> targets;
  for (const Entry& entry : quantization.targets.value_or({})) targets.push_back(entry.text);
  const std::string groups = fmt::format("{{group_0: {}}}", schemes::group_text(scheme, targets));
  diag::Fix fix = diag::Fix::unsafe().content(field.key, "config_groups").replace(field.value.span, groups);
  if (const Field* given = quantization.targets.field()) fix.remove(given->key);
  report.with_help(fmt::format("write `config_groups: {}` instead of `scheme`; {}", groups, reason))
      .with_fix(std::move(fix));
}

static void report_preset(const Context& context, const Quantization& quantization, source::Span span,
                          const std::string& name, bool in_mapping, Release release) {
  std::vector<std::string_view> known;
  for (const Preset& preset : presets()) {
    if (is_at_least(release, preset.since)) known.push_back(preset.name);
  }
  auto& report = context.sink.report(diag::scheme_unknown_preset, span, name);
  const Word* word = find_word(Word::Place::value, "scheme", name, known);
  const auto other = word == nullptr ? schemes::scheme_named(name) : std::nullopt;
  const std::string_view preset = other ? schemes::preset_of(other->scheme) : std::string_view();
  if (!preset.empty() && base::contains(known, preset)) {
    report.with_help(fmt::format("write `{}`: {}", preset, other->reason))
        .with_fix(diag::Fix::unsafe().content(span, std::string(preset)));
  } else if (other && preset.empty() && !in_mapping) {
    offer_group(report, quantization, other->scheme, other->reason);
  } else {
    const Meant meant = meant_by(Word::Place::value, "scheme", base::to_upper(name), known,
                                 in_mapping ? "write other schemes as a group of `config_groups`"
                                            : fmt::format("use one of `{}`", fmt::join(known, "`, `")));
    report.with_help(meant.help).with_fix(meant.fix(span));
  }
}

DIAGNOSTIC(
    LC203, scheme_newer, warning, (Text, Text, Text), "preset `{}` requires llm-compressor {} or later, not {}",
    "Presets are defined in compressed-tensors, and each release of llm-compressor requires a certain release of it.",
    "update llm-compressor, or write the scheme as `config_groups`")

static void check_preset(const Context& context, const Quantization& quantization, source::Span span,
                         const std::string& name, bool in_mapping, Release release) {
  const Preset* preset = find_preset(name);
  if (preset == nullptr) {
    report_preset(context, quantization, span, name, in_mapping, release);
  } else if (!is_at_least(release, preset->since)) {
    context.sink.report(diag::scheme_newer, span, name, first_release_with(preset->since), to_string(release))
        .with_severity(diag::Severity::error)
        .with_help("write the scheme as `config_groups`, or update llm-compressor");
  }
}

static void check_preset_targets(const Context& context, const source::Entry& entry) {
  const auto* list = entry.second.get<source::List>();
  const auto is_text = [](const Value& value) { return value.get<std::string>() != nullptr; };
  if (!is_text(entry.second) && (list == nullptr || !std::ranges::all_of(*list, is_text))) {
    context.sink
        .report(diag::wrong_type, entry.second.span, source::python_str(entry.first), "a target or a list of targets",
                source::describe(entry.second))
        .with_help("write `[Linear]`");
  }
}

// Returns true if the keys of a mapping are those of a record.
static bool has_keys_of(Pairs map, const ClassSpec& spec) {
  return !map.empty() && std::ranges::any_of(map, [&](const source::Entry& entry) {
    const auto* name = entry.first.get<std::string>();
    return name != nullptr && spec.find(*name) != nullptr;
  });
}

// Returns true for a mapping in `scheme` that has the keys of a group or of the arguments of its weights, as other
// systems write a scheme.
static bool is_group_in_scheme(const Quantization& quantization) {
  const Pairs map = quantization.scheme_mappings.value_or({});
  return has_keys_of(map, schemes::kQuantizationScheme) || has_keys_of(map, schemes::kQuantizationArgs);
}

// Reports such a mapping once, with the groups to write instead.
static void report_group_in_scheme(const Context& context, const Quantization& quantization) {
  const Field& field = *quantization.scheme_mappings.field();
  const Value& value = field.value;
  const bool group = has_keys_of(*value.get<source::Map>(), schemes::kQuantizationScheme);
  std::vector<std::string> names;
  for (const Entry& entry : quantization.targets.value_or({})) names.push_back(entry.text);
  source::Map inner;
  if (!group || value.find("targets") == nullptr) {
    inner.emplace_back(Value{std::string("targets"), {}}, schemes::targets_value(names));
  }
  if (group) {
    for (const source::Entry& entry : *value.get<source::Map>()) {
      inner.push_back(schemes::group_part(entry).value_or(entry));
    }
  } else {
    inner.emplace_back(Value{std::string("weights"), {}}, value);
  }
  const std::string groups = fmt::format("{{group_0: {}}}", flow_text({std::move(inner), {}}));
  diag::Fix fix = diag::Fix::unsafe().content(field.key, "config_groups").replace(value.span, groups);
  if (const Field* targets = quantization.targets.field()) fix.remove(targets->key);
  context.sink
      .report(diag::scheme_unknown_preset, field.key, source::python_str(value.get<source::Map>()->front().first))
      .with_caret("a scheme is the name of a preset, or a mapping from presets to targets")
      .with_help(fmt::format("write `config_groups: {}` instead", groups))
      .with_fix(std::move(fix));
}

static void check_scheme(const Context& context, const Quantization& quantization, Release release) {
  if (is_group_in_scheme(quantization)) return report_group_in_scheme(context, quantization);
  if (const auto& scheme = quantization.scheme) {
    check_preset(context, quantization, scheme.place(), *scheme, false, release);
  }
  for (const source::Entry& entry : quantization.scheme_mappings.value_or({})) {
    const std::string name = source::python_str(entry.first);
    check_preset(context, quantization, entry.first.span, name, true, release);
    if (find_preset(name) != nullptr) check_preset_targets(context, entry);
  }
}

// --- contradictions -----------------------------------------------------------------------------------------------

static void check_observer_mapping(const Context& context, const Quantization& quantization) {
  static constexpr std::string_view kKeys[] = {"input", "output", "weights"};
  for (const auto& [key, value] : quantization.observer.value_or({})) {
    const std::string name = source::python_str(key);
    if (!base::contains(kKeys, name)) {
      const auto guess = base::nearest(name, kKeys);
      context.sink.report(diag::unknown_field, key.span, name, "`observer`")
          .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : "write `weights`, `input` or `output`")
          .with_fix(guess ? diag::Fix::unsafe().content(key.span, std::string(*guess)) : diag::Fix());
    } else if (value.get<std::string>() == nullptr) {
      context.sink.report(diag::wrong_type, value.span, name, "the name of an observer", source::describe(value))
          .with_help("write `mse` or another observer name");
    }
  }
}

constexpr std::string_view kActivationOrders[] = {"group", "weight", "static", "dynamic"};

// Returns the activation order of a group. `true` means `group`.
static std::string order_of(const Value& arguments) {
  const Value* order = arguments.find("actorder");
  if (order == nullptr || order->is_null()) return {};
  if (const auto* text = order->get<std::string>()) return base::to_lower(*text);
  return as_boolean(*order).value_or(false) ? "group" : "";
}

DIAGNOSTIC(LC214, actorder_any_text, silent_error, (Text), "unknown activation order `{}` is silently read as `weight`",
           "GPTQModifier accepts any string as `actorder`. Every string except `group`, `static` and `dynamic`, in "
           "lower case, acts like `weight`.",
           "write `group`, `weight`, `static` or `dynamic`")

DIAGNOSTIC(LC222, actorder_differs, error, (Text, Text, Text), "`actorder` is {} here, but `{}` in the group `{}`",
           "GPTQModifier sets its `actorder` in each group, and raises a ValueError at a group that has another value.",
           "delete `actorder` of the modifier")

static void check_orders(const Context& context, const Gptq& gptq) {
  const Field* field = gptq.actorder.field();
  if (field == nullptr) {
    return;
  }
  const auto* text = field->value.get<std::string>();
  if (text != nullptr && !base::contains(kActivationOrders, *text)) {
    const auto guess = base::nearest(*text, kActivationOrders);
    context.sink.report(diag::actorder_any_text, field->value.span, *text)
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess)
                         : fmt::format("write one of `{}`", fmt::join(kActivationOrders, "`, `")))
        .with_fix(guess ? diag::Fix::unsafe().content(field->value.span, std::string(*guess)) : diag::Fix());
    return;
  }
  for (const Group& group : gptq.groups) {
    const std::string own = group.weights.value == nullptr ? "" : order_of(*group.weights.value);
    if (!own.empty() && (text == nullptr || own != *text)) {
      const Value* order = group.weights.value->find("actorder");
      context.sink
          .report(diag::actorder_differs, field->value.span, text == nullptr ? "null" : fmt::format("`{}`", *text), own,
                  group.name)
          .with_label(order->span, "must have the same value")
          .with_fix(diag::Fix::unsafe().remove(field->key));
    }
  }
}

// Returns the observer of the weights of a group. The fields of the modifier override the group.
static std::string weight_observer_of(const Quantization& quantization, const Group& group) {
  const Value* all = quantization.observer.given();
  const Value* one = all == nullptr ? quantization.weight_observer.given() : all->find("weights");
  const Value* own = group.weights.value == nullptr ? nullptr : group.weights.value->find("observer");
  const Value* observer = one != nullptr ? one : own;
  const auto* text = observer == nullptr ? nullptr : observer->get<std::string>();
  return text == nullptr ? std::string() : base::to_lower(*text);
}

DIAGNOSTIC(LC220, imatrix_reordered, error, (), "`actorder: group` fails with the observer `imatrix_mse`",
           "With this order GPTQ observes the reordered weights again, for which the observer has no statistics. "
           "Calibration fails with an AttributeError.",
           "write `actorder: static`, or use another observer")

// With this order GPTQ observes the reordered weights again, for which imatrix_mse has no statistics.
static void check_matrix_order(const Context& context, const Gptq& gptq) {
  for (const Group& group : gptq.groups) {
    const Strategy strategy = group.weights.args.strategy;
    const std::string own = group.weights.value == nullptr ? "" : order_of(*group.weights.value);
    const std::string order = own.empty() ? gptq.actorder.value_or("") : own;
    if (group.weights.args.present && (strategy == Strategy::group || strategy == Strategy::tensor_group) &&
        (order == "group" || order == "dynamic") && weight_observer_of(gptq, group) == "imatrix_mse") {
      const Field* field = gptq.actorder.field();
      context.sink.report(diag::imatrix_reordered, own.empty() && field != nullptr ? field->key : group.span);
      return;
    }
  }
}

DIAGNOSTIC(LC206, targets_has_no_effect, warning, (Text), "`targets` is ignored together with {}",
           "`targets` applies only to a `scheme` that is the name of a preset. In `config_groups` each group lists its "
           "targets, and in a mapping each preset does.",
           "delete `targets`")

// Returns the entry of `ignore` for all layers that no pattern of a list matches; empty if one entry is no pattern.
static std::string all_others(const std::vector<Entry>& targets) {
  std::vector<std::string_view> patterns;
  for (const Entry& target : targets) {
    if (!target.text.starts_with("re:")) return {};
    patterns.push_back(std::string_view(target.text).substr(3));
  }
  return patterns.empty() ? std::string() : fmt::format("re:(?!{})", fmt::join(patterns, "|"));
}

static void check_idle_targets(const Context& context, const Quantization& quantization) {
  const Field* targets = quantization.targets.field();
  const bool mapped = !quantization.scheme_mappings.value_or({}).empty();
  const bool grouped = !quantization.config_groups.value_or({}).empty();
  if (targets == nullptr || (!mapped && !grouped) || is_group_in_scheme(quantization)) return;
  auto& report = context.sink.report(diag::targets_has_no_effect, targets->key,
                                     mapped ? "a mapping as `scheme`" : "`config_groups`");
  const std::string others = all_others(quantization.targets.value_or({}));
  if (others.empty()) {
    report.with_fix(diag::Fix::safe().remove(targets->key));
  } else {
    report.with_help(
        fmt::format("add `{}` to `ignore` to keep all other layers in 16 bits, and delete `targets`", others));
  }
}

// --- nothing to quantize ------------------------------------------------------------------------------------------

DIAGNOSTIC(LC201, nothing_quantized, silent_error, (Text, Text), "`{}` has no scheme{}",
           "Without a preset, `config_groups` or a cache scheme, a modifier attaches an empty scheme to its targets. "
           "QuantizationModifier then completes without quantizing anything, and replaces an earlier scheme of these "
           "layers. GPTQModifier stops because it finds no layer.",
           "add a preset such as `scheme: W4A16`, or `config_groups`")

static void report_no_scheme(const Context& context, const Modifier& modifier, const Quantization& quantization) {
  const bool plain = !quantization.has_configuration();
  if ((plain && kind_of(modifier) != ClassKind::quantization) || !quantization.scheme_mappings.value_or({}).empty()) {
    return;  // uses the schemes of another modifier
  }
  context.sink.report(diag::nothing_quantized, modifier.key, modifier.spec->name,
                      plain                            ? " and is rejected when the run starts"
                      : modifier.as<Gptq>() != nullptr ? ", so it stops in calibration"
                                                       : ", so it quantizes nothing");
}

DIAGNOSTIC(LC230, groups_without_arguments, silent_error, (Text), "no group has {}",
           "A group without arguments attaches an empty scheme to its targets. QuantizationModifier then completes "
           "without quantizing anything. GPTQModifier quantizes only weights, and stops because it finds no layer.",
           "add `weights: {{num_bits: 4}}` to a group")

static bool quantizes_weights(const Group& group) { return group.weights.args.present && !group.targets.empty(); }

// Reports a modifier of which no group has an effect. Returns true if it did.
static bool report_idle_groups(const Context& context, const std::vector<Group>& groups, bool gptq) {
  const auto is_idle = [&](const Group& group) { return gptq ? !quantizes_weights(group) : group.is_empty(); };
  if (groups.empty() || !std::ranges::all_of(groups, is_idle)) {
    return false;
  }
  const bool meant = groups.front().name == "UNQUANTIZED" && !gptq;
  context.sink
      .report(diag::groups_without_arguments, groups.front().span,
              gptq ? "`weights`, so `GPTQModifier` stops in calibration" : "quantization arguments")
      .with_severity(meant ? diag::Severity::warning : diag::Severity::error);
  return true;
}

DIAGNOSTIC(LC231, group_without_targets, silent_error, (Text), "`{}` has no targets, so its scheme is not used",
           "A group applies to the layers that its `targets` match. Without targets, it matches none, and the run "
           "completes.",
           "write `targets: [Linear]`")

static void check_nothing(const Context& context, const Modifier& modifier, const Quantization& quantization) {
  const std::vector<Group>& groups = quantization.groups;
  const bool gptq = modifier.as<Gptq>() != nullptr;
  const bool skips_weights = quantization.kv_cache_scheme.given() != nullptr && !gptq;
  const bool known = !quantization.scheme || find_preset(*quantization.scheme) != nullptr;
  const bool misspelled =
      std::ranges::any_of(modifier.fields, [](const Field& field) { return field.spec == nullptr; });
  if (!modifier.valid || !known || (groups.empty() && misspelled)) {
    return;
  }
  const bool no_scheme = groups.empty() || (gptq && quantization.only_cache());
  if (no_scheme) return report_no_scheme(context, modifier, quantization);
  if (!skips_weights && report_idle_groups(context, groups, gptq)) return;
  for (const Group& group : groups) {
    if (group.targets.empty() && !group.is_empty()) {
      context.sink.report(diag::group_without_targets, group.span, group.name);
    }
  }
}

// --- targets of several groups ------------------------------------------------------------------------------------

static bool same_scheme(const Group& a, const Group& b) {
  const auto same = [](const Part& one, const Part& other) {
    return one.args == other.args && (one.value == nullptr || other.value == nullptr || *one.value == *other.value);
  };
  return same(a.weights, b.weights) && same(a.inputs, b.inputs) && same(a.outputs, b.outputs);
}

static void report_equal_target(const Context& context, const Entry& first, const Group& earlier, const Entry& second,
                                const Group& later) {
  context.sink.report(diag::target_in_two_groups, second.span, second.text, earlier.name, later.name)
      .with_label(first.span, "has no effect")
      .with_help("delete one of them, or select the layers of one group by a pattern");
}

DIAGNOSTIC(LC205, pattern_order, warning, (Text, Text, Text),
           "`{}` overrides `{}` because it sorts first; both match `{}`",
           "If several patterns match a module, llm-compressor uses the one that sorts first as a string. The length "
           "and the order of the patterns do not matter.",
           "exclude the names of the other pattern with `(?!...)`")

// Reports two patterns for the same layer. The pattern whose text sorts first applies.
static void check_pattern_pair(const Context& context, const Entry& a, const Entry& b, TargetPairs& pairs) {
  if (!context.sink.wants(diag::pattern_order)) {
    return;
  }
  const Entry& winner = a.text < b.text ? a : b;
  const Entry& other = a.text < b.text ? b : a;
  if (const auto name = pairs.module_with_unexpected_winner(winner.text, other.text)) {
    context.sink.report(diag::pattern_order, winner.span, winner.text, other.text, *name)
        .with_label(other.span, "sorts after it")
        .with_help(fmt::format("exclude those layers: `re:(?!{}){}`", pattern_of(other.text), pattern_of(winner.text)));
  }
}

struct GroupTarget {
  const Entry* entry;
  const Group* group;
};

static bool differ(const GroupTarget& a, const GroupTarget& b) {
  return a.group != b.group && !same_scheme(*a.group, *b.group);
}

// Reports each target that an earlier group also has, with the last such group.
static void check_equal_targets(const Context& context, const std::vector<GroupTarget>& targets) {
  std::map<std::string_view, GroupTarget> last;
  for (const GroupTarget& target : targets) {
    const auto [before, added] = last.try_emplace(target.entry->text, target);
    if (!added && differ(before->second, target)) {
      report_equal_target(context, *before->second.entry, *before->second.group, *target.entry, *target.group);
    }
    before->second = target;
  }
}

static void check_patterns(const Context& context, std::vector<GroupTarget> targets, TargetPairs& pairs) {
  std::erase_if(targets, [](const GroupTarget& target) { return !is_pattern(target.entry->text); });
  for (auto later = targets.begin(); later != targets.end(); ++later) {
    for (auto earlier = targets.begin(); earlier != later && pairs.take_pair_budget(); ++earlier) {
      if (earlier->entry->text != later->entry->text && differ(*earlier, *later)) {
        check_pattern_pair(context, *earlier->entry, *later->entry, pairs);
      }
    }
  }
}

static void check_targets(const Context& context, const Quantization& quantization, TargetPairs& pairs) {
  std::vector<GroupTarget> targets;
  for (const Group& group : quantization.groups) {
    for (const Entry& entry : group.targets) targets.push_back({&entry, &group});
  }
  check_equal_targets(context, targets);
  check_patterns(context, std::move(targets), pairs);
}

// Reports a group whose targets are all listed in `ignore`. With a model, the layers are compared instead.
static void check_ignored_group(const Context& context, const Quantization& quantization, const Group& group) {
  const Entries& ignored = quantization.ignore.value_or({});
  const auto find = [&](const Entry& target) { return std::ranges::find(ignored, target.text, &Entry::text); };
  const bool all =
      std::ranges::all_of(group.targets, [&](const Entry& target) { return find(target) != ignored.end(); });
  if (!all || group.targets.empty()) return;
  const Entry& entry = *find(group.targets.front());
  context.sink
      .report(diag::target_takes_no_linear, entry.span, entry.text,
              "ignores all layers of a group, so the group is not used")
      .with_severity(diag::Severity::warning)
      .with_label(group.targets.front().span, "only matches ignored layers")
      .with_help(fmt::format("delete `{}` from `ignore`, or delete the group", entry.text));
}

static void check_ignored_groups(const Context& context, const Quantization& quantization) {
  if (quantization.groups.size() < 2) return;
  for (const Group& group : quantization.groups) check_ignored_group(context, quantization, group);
}

DIAGNOSTIC(LC125, auto_round_blocks, error, (Text), "`AutoRoundModifier` can't quantize the weights of `{}` in blocks",
           "AutoRound gets a group size, and a scheme in blocks has none. Since release 0.10, the modifier raises a "
           "ValueError: only weights per channel, per tensor or in groups have one.",
           "use a scheme without blocks such as `FP8_DYNAMIC`, or a QuantizationModifier")

static void check_auto_round(const Context& context, const Quantization& quantization) {
  const auto in_blocks = [](const Group& group) { return group.weights.args.strategy == Strategy::block; };
  const auto group = std::ranges::find_if(quantization.groups, in_blocks);
  if (group != quantization.groups.end()) context.sink.report(diag::auto_round_blocks, group->span, group->name);
}

DIAGNOSTIC(LC217, calibration_switched_off, silent_error, (Text),
           "`{}` needs data, but `requires_calibration_data: false` disables it",
           "The run completes without data, with uninitialized scales and weights. The field is intended for enabling "
           "calibration data.",
           "delete `requires_calibration_data`")

void check_calibration(const Context& context, const Modifier& modifier) {
  const auto& required = modifier.requires_calibration_data;
  if (has(modifier, kNeedsData) && !required.value_or(true)) {
    context.sink.report(diag::calibration_switched_off, required.field()->key, modifier.spec->name)
        .with_fix(diag::Fix::safe().remove(required.field()->key));
  }
}

void check_quantization(const Context& context, const Modifier& modifier, Release release, TargetPairs& pairs,
                        bool partial, bool called) {
  const auto& quantization = *modifier.as<Quantization>();
  check_scheme(context, quantization, release);
  check_observer_mapping(context, quantization);
  check_block_size(context, modifier, quantization);
  if (const auto* gptq = modifier.as<Gptq>()) {
    check_orders(context, *gptq);
    check_matrix_order(context, *gptq);
  }
  if (modifier.as<AutoRound>() != nullptr && is_at_least(release, Release::v0_10)) {
    check_auto_round(context, quantization);
  }
  check_idle_targets(context, quantization);
  if (!partial) check_nothing(context, modifier, quantization);
  check_targets(context, quantization, pairs);
  check_output_head(context, modifier, quantization, pairs.modules(), called);
  if (pairs.modules() == nullptr) check_ignored_groups(context, quantization);
}

}  // namespace sparsecfg::dialect::llmcompressor
