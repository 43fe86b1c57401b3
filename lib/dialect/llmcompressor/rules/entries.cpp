#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "model/pattern_text.h"
#include "regex/budget.h"
#include "regex/compare.h"

namespace sparsecfg::dialect::llmcompressor {

// A list replaces the whole value; in a list it would become a list in a list.
static diag::Fix fix_of(const Entry& entry, const EntryMeant& meant, bool single) {
  if (!is_joined_list(entry.text)) return diag::Fix::unsafe().content(entry.span, meant.text);
  return single ? diag::Fix::unsafe().replace(entry.span, meant.text) : diag::Fix();
}

// A list in a list needs no brackets.
static std::string help_of(const Entry& entry, const EntryMeant& meant, bool single) {
  const std::string text = meant.text;
  return is_joined_list(entry.text) && !single
             ? fmt::format("write `{}` without quotes", std::string_view(text).substr(1, text.size() - 2))
             : fmt::format("write `{}`", text);
}

// Which modifier has the targets.
enum class Targets : std::uint8_t { pruned, quantized };

static void check_target_entry(const Context& context, const Entry& entry, bool single, Targets targets) {
  const std::string_view inner = layers_in_class(entry.text);
  if (targets == Targets::quantized && !inner.empty()) {
    context.sink
        .report(diag::target_takes_no_linear, entry.span, entry.text,
                "is a class of modules around layers, so it quantizes nothing")
        .with_severity(diag::Severity::warning)
        .with_help(fmt::format("write `{}` to select these layers", inner))
        .with_fix(diag::Fix::unsafe().content(entry.span, std::string(inner)));
    return;
  }
  if (const auto meant = meant_by(entry.text)) {
    context.sink.report(diag::target_takes_no_linear, entry.span, entry.text, meant->reason)
        .with_severity(meant->certain ? diag::Severity::error : diag::Severity::warning)
        .with_help(help_of(entry, *meant, single))
        .with_fix(fix_of(entry, *meant, single));
  }
}

// Returns the entries that are only the ends of names.
static std::vector<const Entry*> inner_entries(const std::vector<Entry>& entries) {
  std::vector<const Entry*> out;
  for (const Entry& entry : entries) {
    const auto meant = meant_by(entry.text);
    if (meant && meant->inner) out.push_back(&entry);
  }
  return out;
}

// Adds the other ends of names to the report of the first one, with the patterns to write.
static void add_inner(diag::Diagnostic& report, const std::vector<const Entry*>& inner) {
  diag::Fix fix = diag::Fix::unsafe();
  std::vector<std::string> texts;
  for (const Entry* entry : inner) {
    texts.push_back(fmt::format("`{}`", meant_by(entry->text)->text));
    fix.content(entry->span, meant_by(entry->text)->text);
    if (entry != inner.front()) report.with_label(entry->span, "matches nothing either");
  }
  report.with_help(fmt::format("write {}", base::join_and(texts))).with_fix(std::move(fix));
}

static void check_targets(const Context& context, const std::vector<Entry>& targets, bool single, Targets what) {
  const std::vector<const Entry*> inner = inner_entries(targets);
  for (const Entry& entry : targets) {
    if (std::ranges::find(inner, &entry) == inner.end()) check_target_entry(context, entry, single, what);
  }
  if (inner.empty()) return;
  const Entry& first = *inner.front();
  add_inner(context.sink.report(diag::target_takes_no_linear, first.span, first.text, meant_by(first.text)->reason)
                .with_severity(diag::Severity::warning),
            inner);
}

static void check_target_entries(const Context& context, const Setting<Entries>& targets, Targets what) {
  const bool single = targets.given() != nullptr && targets.given()->get<std::string>() != nullptr;
  check_targets(context, targets.value_or({}), single, what);
}

// Blanks in names are reported for every dialect.
static void check_ignored_entry(const Context& context, const Entry& entry) {
  const auto meant = base::trim(entry.text) == entry.text ? meant_by(entry.text) : std::nullopt;
  if (meant) {
    context.sink.report(diag::ignore_prefix, entry.span, entry.text, meant->text)
        .with_help(help_of(entry, *meant, false))
        .with_fix(fix_of(entry, *meant, false));
  }
}

static bool matches_everything(const std::string& entry) {
  if (!is_pattern(entry) || model::PlainPattern(pattern_of(entry)).asks_for_something()) return false;
  const auto language = regex::Nfa::of(pattern_of(entry), regex::Anchoring::start);
  const auto* matched = std::get_if<regex::Nfa>(&language);
  base::Budget budget = regex::comparison_budget();
  return matched != nullptr &&
         regex::contains(*matched, regex::Nfa::everything(), budget).answer == regex::Comparison::Answer::yes;
}

// Reports the first pattern of `ignore` that leaves no layer to quantize.
static void check_everything_ignored(const Context& context, const Quantization& quantization) {
  const std::vector<Entry> ignored = quantization.ignore.value_or({});
  const auto found = std::ranges::find_if(ignored, matches_everything, &Entry::text);
  if (found == ignored.end() || std::ranges::all_of(quantization.groups, &Group::is_empty)) return;
  context.sink
      .report(diag::target_takes_no_linear, found->span, found->text, "ignores every module, so no layer is quantized")
      .with_help(fmt::format("delete `{}` from `ignore`, or write a pattern that matches fewer layers", found->text));
}

static void check_ignored_entries(const Context& context, const std::vector<Entry>& entries) {
  const std::vector<const Entry*> inner = inner_entries(entries);
  for (const Entry& entry : entries) {
    if (std::ranges::find(inner, &entry) == inner.end()) check_ignored_entry(context, entry);
  }
  if (inner.empty()) return;
  const Entry& first = *inner.front();
  add_inner(context.sink.report(diag::ignore_prefix, first.span, first.text, meant_by(first.text)->text), inner);
}

void check_entries_without_model(const Context& context, const Modifier& modifier) {
  const auto* quantization = modifier.as<Quantization>();
  if (const auto* pruning = modifier.as<LayerPruning>()) {
    if (!pruning->iterates_letters()) check_target_entries(context, pruning->targets, Targets::pruned);
  } else if (quantization != nullptr) {
    check_target_entries(context, quantization->targets, Targets::quantized);
  } else {
    return;
  }
  if (quantization != nullptr && quantization->config_groups.given() != nullptr) {
    for (const Group& group : quantization->groups) {
      check_targets(context, group.targets, false, Targets::quantized);
    }
  }
  check_ignored_entries(context, modifier.ignore());
  if (quantization != nullptr) check_everything_ignored(context, *quantization);
}

}  // namespace sparsecfg::dialect::llmcompressor
