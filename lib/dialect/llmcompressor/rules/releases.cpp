#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::llmcompressor {

// Fields that keep the state of a run.
constexpr std::string_view kState[] = {"initialized_",
                                       "finalized_",
                                       "started_",
                                       "ended_",
                                       "enabled_",
                                       "parameterized_layers_",
                                       "scheduler_function_",
                                       "mask_creator_function_",
                                       "current_sparsity_",
                                       "resolved_mappings_",
                                       "scales_"};
// Arguments that the loader passes to every class itself.
constexpr std::string_view kOfLoader[] = {"group", "type_", "allow_registered", "allow_experimental"};

bool report_field_of_release(const Context&, const stages::Modifier& modifier, const Field& field) {
  return base::contains(kState, field.name) || base::contains(kOfLoader, field.name) ||
         former_field(*modifier.spec, field.name) != nullptr;
}

DIAGNOSTIC(LC107, internal_field, silent_error, (Text, Text),
           "`{}` of `{}` cannot be set in a recipe: the run overwrites it",
           "Names that end with an underscore store the state of a run. The run silently overwrites the value of a "
           "recipe.",
           "delete `{0}`")

DIAGNOSTIC(LC121, loader_argument, error, (Text, Text), "`{}` of `{}` cannot be set in a recipe: the loader sets it",
           "The loader passes `group` and its own arguments to every class. It raises a TypeError if a recipe sets one "
           "of them as well.",
           "delete `{0}`")

DIAGNOSTIC(LC122, state_stops_run, error, (Text, Text),
           "`{}` of `{}` cannot be set in a recipe: the run fails at its start",
           "A modifier whose state is already initialized or finalized raises a RuntimeError when the run starts.",
           "delete `{0}`")

// Returns the rule that a field breaks by its name.
static const diag::Def<diag::Text, diag::Text>& rule_of(const Field& field) {
  if (base::contains(kOfLoader, field.name)) return diag::loader_argument;
  const bool set = as_boolean(field.value).value_or(!field.value.is_null());
  return set && (field.name == "initialized_" || field.name == "finalized_") ? diag::state_stops_run
                                                                             : diag::internal_field;
}

static void check_internal(const Context& context, const Modifier& modifier, const Field& field) {
  if (!base::contains(kState, field.name) && !base::contains(kOfLoader, field.name)) return;
  context.sink.report(rule_of(field), field.key, field.name, modifier.spec->name)
      .with_fix(diag::Fix::safe().remove(field.key));
}

DIAGNOSTIC(LC701, removed_field, error, (Text, Text), "{} was removed in {}",
           "llm-compressor 0.7 and later reject fields that a class does not have. Many removed fields became "
           "arguments of `oneshot`. An older release still has the field: select it with `--llmc`.",
           "delete it, or pass it to `oneshot`")

// Returns the release option for which a recipe with something that a release removed is valid; empty if none is.
static std::string older_release(Release removed) {
  if (removed == Release::v0_1) return {};
  auto last = static_cast<Release>(static_cast<std::size_t>(removed) + 1);
  if (last == Release::main) last = Release::v0_13;
  return fmt::format("`--llmc {}` still has it", to_string(last));
}

static void report_removed(const Context& context, const Modifier& modifier, const Field& field,
                           const Removal& removed) {
  const auto release = removed.release.as<Release>();
  const bool redundant = removed.redundant != nullptr && removed.redundant(field.value);
  context.sink
      .report(diag::removed_field, field.key, fmt::format("`{}` of `{}`", field.name, modifier.spec->name),
              release == Release::v0_1 ? "llm-compressor (only SparseML has it)" : to_string(release))
      .with_caret(older_release(release))
      .with_help(std::string(removed.help))
      .with_fix((redundant ? diag::Fix::safe() : diag::Fix::unsafe()).remove(field.key));
}

static bool is_newer(const std::optional<DialectEnum>& since, Release release) {
  return since && !is_at_least(release, since->as<Release>());
}

DIAGNOSTIC(LC702, newer_field, warning, (Text, Text, Text), "{} requires llm-compressor {} or later, not {}",
           "An older release rejects the recipe. Before 0.7 it silently ignores the field.",
           "update llm-compressor, or delete it")

// `severity`: a warning if the release ignores what it does not have.
static void report_newer(const Context& context, source::Span key, std::string_view name, DialectEnum since,
                         Release release, diag::Severity severity, std::string_view help) {
  context.sink
      .report(diag::newer_field, key, fmt::format("`{}`", name), first_release_with(since.as<Release>()),
              to_string(release))
      .with_severity(severity)
      .with_help(std::string(help));
}

std::vector<Field> take_ignored(stages::Modifier& record, Release release) {
  std::vector<Field> kept;
  std::vector<Field> ignored;
  for (Field& field : record.fields) {
    const FieldSpec* row = field.spec != nullptr ? field.spec : former_field(*record.spec, field.name);
    const bool newer = !is_at_least(release, Release::v0_7) && row != nullptr && is_newer(row->since, release);
    (newer ? ignored : kept).push_back(std::move(field));
  }
  record.fields = Fields(std::move(kept));
  return ignored;
}

// Returns true if a release ignores the formats of a modifier, so that it quantizes nothing.
static bool loses_format(const Modifier& modifier) {
  return std::ranges::any_of(
      modifier.ignored, [](const Field& field) { return field.name == "scheme" || field.name == "config_groups"; });
}

static void check_field(const Context& context, const Modifier& modifier, const Field& field, Release release) {
  const FieldSpec* row = field.spec != nullptr ? field.spec : former_field(*modifier.spec, field.name);
  if (row == nullptr) return check_internal(context, modifier, field);
  const bool in_order = is_at_least(release, Release::v0_11) && is_former_format(*modifier.spec, field.name);
  if (in_order) return;  // the modifiers after it are needed
  if (is_newer(row->since, release)) {
    const bool ignored = !is_at_least(release, Release::v0_7) && !loses_format(modifier);
    report_newer(
        context, field.key, field.name, *row->since, release, ignored ? diag::Severity::warning : diag::Severity::error,
        loses_format(modifier) ? "add a QuantizationModifier with these fields after it, or update llm-compressor"
                               : "delete it, or update llm-compressor");
  } else if (row->removed && !row->removed->moved && is_at_least(release, row->removed->release.as<Release>())) {
    report_removed(context, modifier, field, *row->removed);
  }
}

void check_release(const Context& context, const Modifier& modifier, Release release) {
  const auto& since = modifier.spec->since;
  if (is_newer(since, release)) {
    report_newer(context, modifier.key, modifier.spec->name, *since, release, diag::Severity::error,
                 "delete it, or update llm-compressor");
  }
  const auto& removed = modifier.spec->removed;
  if (removed && is_at_least(release, removed->release.as<Release>())) {
    context.sink
        .report(diag::removed_field, modifier.key, fmt::format("`{}`", modifier.spec->name),
                to_string(removed->release.as<Release>()))
        .with_caret(older_release(removed->release.as<Release>()))
        .with_help(std::string(removed->help));
  }
  for (const Field& field : modifier.fields) check_field(context, modifier, field, release);
  for (const Field& field : modifier.ignored) check_field(context, modifier, field, release);
}

}  // namespace sparsecfg::dialect::llmcompressor
