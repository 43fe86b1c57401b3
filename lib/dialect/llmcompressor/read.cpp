#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/limits.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/attached_schemes.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/layout.h"
#include "dialect/llmcompressor/lower.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/look_alikes.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::llmcompressor {

// A recipe, apart from its modifiers.
struct Run {
  Release release;
  Runner runner;
  bool partial;  // true if the recipe may have other elements and values
  bool called;   // true if a call of a script accepts the recipe
};

static void check_modifier(const Context& context, const Modifier& modifier, const Run& run, TargetPairs& pairs,
                           const std::vector<bool>& used = {}, bool idle = false) {
  check_release(context, modifier, run.release);
  check_patterns_and_limits(context, modifier);
  check_calibration(context, modifier);
  if (modifier.as<Quantization>() != nullptr) {
    check_quantization_args(context, modifier, run.release, used);
    check_quantization(context, modifier, run.release, pairs, run.partial, run.called);
  }
  check_model_free(context, modifier);
  check_pruning(context, modifier, pairs.modules() != nullptr, run.runner);
  check_transform(context, modifier, idle);
  if (modifier.as<ModelFree>() == nullptr) check_write_back(context, modifier);
}

// Returns true if a later modifier quantizes weights, so that a GPTQModifier whose own schemes have none compresses
// them.
static bool has_later_scheme(const std::vector<Modifier>& modifiers, std::size_t number) {
  const std::span later = std::span(modifiers).subspan(number + 1);
  return modifiers[number].as<Gptq>() != nullptr && std::ranges::any_of(later, [](const Modifier& other) {
           const auto* typed = other.as<Quantization>();
           const auto has_weights = [](const Group& group) { return group.weights.args.present; };
           return typed != nullptr && std::ranges::any_of(typed->groups, has_weights);
         });
}

static Runner runner_of(const Source& source, Release release) {
  if (source.axolotl) return Runner::training;
  if (!source.callers) return is_at_least(release, Release::v0_9) ? Runner::one_shot : Runner::either;
  Runner out = Runner::unknown;
  for (const std::string& call : *source.callers) {
    const RecipeCall* row = find_call(kObjects.calls, call);
    if (row == nullptr) continue;
    if (row->runner == Runner::one_shot) return row->runner;
    out = row->runner;
  }
  return out;
}

// Returns the time for matching all patterns in a value with a name.
static std::size_t cost_of_patterns(const source::Value& value) {
  std::size_t out = 0;
  if (const auto* text = value.get<std::string>()) out = is_pattern(*text) ? regex::match_cost(pattern_of(*text)) : 0;
  if (const auto* list = value.get<source::List>()) {
    for (const source::Value& item : *list) out += cost_of_patterns(item);
  }
  if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) out += cost_of_patterns(entry.second);
  }
  return out;
}

std::string other_names(const ReadOptions& options) {
  const bool possible = options.stored_names != nullptr && !is_at_least(release_of(options), Release::v0_7);
  return possible ? "before llm-compressor 0.7, module names depend on the release of transformers" : "";
}

// Returns the modules of the model, or null if they are not known.
static const Modules* modules_of(const ReadOptions& options) {
  return other_names(options).empty() ? options.modules.get() : nullptr;
}

// Returns the modules of the model. If matching all patterns would be too slow, reports that and returns null.
static const Modules* modules_for(const std::vector<Modifier>& modifiers, const Modules* modules, diag::Sink& sink) {
  std::size_t tried = modifiers.size();
  for (const Modifier& modifier : modifiers) {
    for (const Field& field : modifier.fields) tried += cost_of_patterns(field.value);
  }
  if (modules == nullptr || tried * modules->size() <= limits::kMaxMatches) {
    return modules;
  }
  sink.report(diag::limits_exceeded, modifiers.front().key,
              fmt::format("matching all modifiers and patterns with {} modules exceeds the limit of {} matches",
                          modules->size(), limits::kMaxMatches))
      .with_help("use fewer patterns");
  return nullptr;
}

DIAGNOSTIC(LC110, axolotl_applies_nothing, silent_error, (Text),
           "Axolotl applies nothing of this recipe with llm-compressor {}",
           "Axolotl passes the mapping to llm-compressor without its loader. Since release 0.7, llm-compressor "
           "silently ignores stages that come this way, so training runs without any modifier. Axolotl itself requires "
           "a later release than 0.7.",
           "run the recipe with `oneshot` before or after the training")

DIAGNOSTIC(LC130, expression_not_evaluated, silent_error, (Text), "llm-compressor does not evaluate `{}`",
           "SparseML and llm-compressor before 0.5.2 have variables at the top level and `eval(...)`. Since then, a "
           "modifier gets the text of the expression.",
           "write the value")

// Reports expressions of SparseML, all at the first one, with the values of their variables. Returns their places.
static std::set<source::Span> report_expressions(const Source& source, diag::Sink& sink) {
  const doc::Document& document = source.document;
  std::map<std::string, const doc::Node*, std::less<>> variables;  // the keys
  std::map<std::string, std::string, std::less<>> values;
  const doc::Node& root = document[document.root];
  for (std::size_t at = 0; root.kind == doc::Kind::mapping && at + 1 < root.items.size(); at += 2) {
    const doc::Node& value = document[document.resolve(root.items[at + 1])];
    if (value.kind != doc::Kind::scalar) continue;
    const doc::Node& key = document[document.resolve(root.items[at])];
    variables.emplace(key.text, &key);
    values.emplace(key.text, value.text);
  }
  std::vector<const doc::Node*> found;
  for (const doc::Node& node : document.nodes) {
    if (node.kind == doc::Kind::scalar && node.text.starts_with("eval(") && node.text.ends_with(')'))
      found.push_back(&node);
  }
  if (found.empty()) return {};
  std::set<source::Span> places;
  std::vector<std::string> texts;
  std::set<source::Span> used;
  diag::Fix fix = diag::Fix::unsafe();
  auto& report = sink.report(diag::expression_not_evaluated, found.front()->span, std::string(found.front()->text));
  for (const doc::Node* node : found) {
    places.insert(node->span);
    if (node != found.front()) report.with_label(node->span, "not evaluated either");
    const std::string name(base::trim(std::string_view(node->text).substr(5, node->text.size() - 6)));
    const auto value = values.find(name);
    if (value == values.end()) continue;
    texts.push_back(fmt::format("`{}` instead of `{}`", value->second, node->text));
    fix.replace(node->span, value->second);
    used.insert(variables.find(name)->second->span);
  }
  if (texts.size() == found.size()) {
    for (const source::Span key : used) fix.remove(key);
    report.with_help(fmt::format("write {}, and delete the variables", base::join_and(texts))).with_fix(std::move(fix));
  }
  return places;
}

// Only scripts call functions.
static const stages::Table& table_of(const Source& source, Release release) {
  return source.callers && is_at_least(release, Release::v0_7) ? table_of_scripts() : table(release);
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  doc::check_json(source.file, sink);
  doc::report_unknown_tags(source.document, "llm-compressor", sink);
  std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  std::set<source::Span> expressions;
  if (is_at_least(release_of(options), Release::v0_5_2)) expressions = report_expressions(source, sink);
  unknown.insert(expressions.begin(), expressions.end());
  const Context context{source.file,         table_of(source, release_of(options)), sink, {}, std::move(unknown),
                        options.custom.get()};
  std::vector<Modifier> modifiers;
  std::vector<Modifier> lost;
  int ordinal = 0;
  const bool partial = source.partial || !expressions.empty();
  bool incomplete = partial;
  const Run run{release_of(options), runner_of(source, release_of(options)), partial,
                source.callers && !source.callers->empty()};
  if (source.axolotl && is_at_least(release_of(options), Release::v0_7)) {
    sink.report(diag::axolotl_applies_nothing, *source.axolotl, to_string(release_of(options)));
  }
  for (const stages::ModifierNode& written : find_modifiers(source.file, source.document, stage_of(options), sink)) {
    auto modifier = stages::read_modifier(context, written, written.lost ? 0 : ++ordinal);
    incomplete = incomplete || !modifier || stages::is_opaque(table(), *modifier);
    if (!modifier) continue;
    std::vector<Field> ignored = take_ignored(*modifier, run.release);
    Modifier& added = (written.lost ? lost : modifiers).emplace_back(std::move(*modifier));
    added.ignored = std::move(ignored);
    added.use_release(run.release);
  }
  ir::Recipe recipe{"llm-compressor", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  recipe.incomplete = incomplete;
  const Modules* modules = modules_for(modifiers, modules_of(options), sink);
  TargetPairs pairs(modules);
  const std::vector<model::Module> none;
  const AttachedSchemes attached(modifiers, modules == nullptr ? none : *modules);
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    const Modifier& modifier = modifiers[at];
    const bool awq = modules != nullptr && modifier.as<Awq>() != nullptr;
    Run own = run;
    own.partial = own.partial || has_later_scheme(modifiers, at);
    check_modifier(context, modifier, own, pairs, attached.used_groups(at),
                   awq && scales_nothing(modifier, *modules, attached));
    recipe.actions.push_back(lower(modifier, modules, run.release, attached.emptied(at)));
  }
  check_order(context, modifiers, run.release, pairs, incomplete, run.runner);
  for (const Modifier& modifier : lost) check_modifier(context, modifier, run, pairs);
  check_order(context, lost, run.release, pairs, true, run.runner);
  if (modules != nullptr) {
    check_with_model(context, modifiers, *modules, attached, options);
  } else {
    for (const Modifier& modifier : modifiers) check_entries_without_model(context, modifier);
  }
  if (options.detected && !source.axolotl && may_be_sparseml(source.document)) {
    sink.report(diag::read_as_llm_compressor, source.document[source.document.root].span)
        .with_help("for a SparseML recipe, pass `--from sparseml`");
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::llmcompressor
