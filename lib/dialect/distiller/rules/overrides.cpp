#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/limit_table.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/class_of_numbers.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/override_patterns.h"
#include "dialect/record/field_names.h"
#include "doc/construct.h"
#include "model/matcher.h"
#include "model/model_names.h"
#include "model/typical_names.h"

// Checks the overrides of a quantizer, which map patterns to bit widths. For each layer an exact name wins, then the
// first pattern that matches (docs/semantics/distiller.md#d3).
namespace sparsecfg::dialect::distiller {

using regex::Comparison;
using regex::Nfa;

static const doc::Node& node_of(const Context& context, doc::NodeId id) {
  return context.document[context.document.resolve(id)];
}

static std::optional<doc::NodeId> node_of_overrides(const Context& context, const Component& quantizer) {
  const Field* field = quantizer.fields.readable("overrides");
  if (field == nullptr || field->value.get<source::Map>() == nullptr) {
    return std::nullopt;
  }
  std::optional<doc::NodeId> found;
  for (const auto& [key, value, unused] : doc::entries(context.document, quantizer.node, context.sink)) {
    if (node_of(context, key).text == "overrides") found = value;
  }
  return found;
}

// The replacement of a layer rejects unknown keys. If no layer is replaced, unknown keys are ignored.
static void report_unknown(FieldNames& names, const Field& field, std::span<const std::string_view> known) {
  UnknownField unknown{.key = field.key, .name = field.name, .owner = "an override"};
  unknown.candidates = {known.begin(), known.end()};
  unknown.help = "use `bits_activations`, `bits_weights` or `bits_bias`";
  unknown.group = "override";
  names.report_unknown(unknown);
}

DIAGNOSTIC(SP813, deprecated_bits_keys, error, (Text, Text), "`{}` was renamed to `{}`",
           "Older releases of Distiller used `acts`, `wts` and `bias` in overrides. Current releases reject these "
           "keys.",
           "write `{1}`")

static void check_bit(const Context& context, const Component& quantizer, const Field& field, FieldNames& names) {
  constexpr std::pair<std::string_view, std::string_view> kOld[] = {
      {"acts", "bits_activations"}, {"wts", "bits_weights"}, {"bias", "bits_bias"}};
  for (const auto& [old, now] : kOld) {
    if (field.name == old) {
      context.sink.report(diag::deprecated_bits_keys, field.key, old, now)
          .with_fix(diag::Fix::safe().content(field.key, std::string(now)));
    }
  }
  constexpr std::string_view kKnown[] = {"bits_activations", "bits_weights", "bits_bias"};
  const bool trained = quantizer.spec->kind == ClassKind::post_training;
  const bool known = std::ranges::find(kKnown, field.name) != std::end(kKnown);
  const bool old = std::ranges::any_of(kOld, [&](const auto& pair) { return pair.first == field.name; });
  if (!known && !old && !trained) {
    report_unknown(names, field, kKnown);
  } else if (known && !trained && quantizer.used && field.value.number() &&
             overflows(quantizer, field.name, *field.value.number()) && sets_used_bits(quantizer, context, field)) {
    context.sink.report(diag::bits_out_of_range, field.value.span, field.name, source::python_str(field.value), 32)
        .with_severity(diag::Severity::error)
        .with_help("use a number from 1 to 32, or null to disable quantization");
  } else if (field.name.starts_with("bits_") && quantizer.used && !field.value.is_null() && !field.value.number() &&
             (trained || sets_used_bits(quantizer, context, field))) {
    offer_bits(context.sink.report(diag::wrong_type, field.value.span, field.name, "a number of bits or null",
                                   source::describe(field.value)),
               field.value);
  }
}

static void check_override(const Context& context, const Component& quantizer, doc::NodeId key, doc::NodeId id,
                           std::map<doc::NodeId, Span>& seen) {
  const std::string_view name = node_of(context, key).text;
  if (node_of(context, id).kind != doc::Kind::mapping) {
    const Value value = doc::construct(context.document, id, context.sink);
    if (value.is_null()) {
      context.sink.report(diag::null_section, context.document[key].span, name, "has no value")
          .with_help("write `bits_weights: null` to disable quantization");
    } else {
      context.sink.report(diag::wrong_type, value.span, name, "a mapping of bit widths", source::describe(value));
    }
    return;
  }
  const auto [first, is_new] = seen.emplace(context.document.resolve(id), context.document[id].span);
  if (!is_new) {
    context.sink.report(diag::component_built_twice, context.document[id].span, name)
        .with_severity(diag::Severity::warning)
        .with_label(first->second, "both overrides lose their bit widths and use the defaults")
        .with_help("write the bit widths in both overrides");
  }
  FieldNames names(context.sink);
  for (const Field& field : read_fields(context, id)) {
    check_bit(context, quantizer, field, names);
  }
}

// Distiller compiles all patterns as one expression, in which a later pattern can complete an invalid one
// (docs/semantics/distiller.md#d3-2). Then the recipe loads, but the patterns do not match what they state.
static void report_syntax(const Context& context, const Override& each, const std::string& fault,
                          bool joined_is_valid) {
  auto& report = context.sink.report(diag::regex_syntax, each.key, fault);
  if (joined_is_valid) {
    report.with_severity(diag::Severity::warning).with_caret("later patterns complete it to one that Python accepts");
  }
  report.with_help(each.pattern.starts_with('*') ? "write `.*` to match any text" : "");
  advise_on_class(report, each.pattern, each.key, model::PatternUse::whole);
}

// Returns the override of a key, and reports a pattern that is not valid. `joined_is_valid` returns true if Python
// compiles all patterns together.
static Override read_override(const Context& context, doc::NodeId key, auto joined_is_valid, base::Budget& budget) {
  Override added{std::string(node_of(context, key).text),
                 context.document[key].span,
                 find_groups(node_of(context, key).text).size(),
                 false,
                 std::nullopt,
                 false};
  if (const auto error = regex::syntax_error_of(wrapped(added.pattern))) {
    added.reported = true;
    report_syntax(context, added, error->message, joined_is_valid());
  } else if (auto language = Nfa::of(wrapped(added.pattern), regex::Anchoring::start);
             std::holds_alternative<Nfa>(language)) {
    // A pattern that matches no name can't be shadowed.
    const bool matches =
        regex::intersects(std::get<Nfa>(language), Nfa::everything(), budget).answer != Comparison::Answer::no;
    if (matches) added.matched = std::get<Nfa>(std::move(language));
  } else if (context.layers == nullptr) {
    context.sink.report(diag::python_only_regex, added.key, added.pattern,
                        std::get<regex::Unsupported>(language).reason);
  }
  return added;
}

static bool decides_for(const std::vector<Override>& overrides, std::size_t at, const std::string& layer) {
  const bool named = std::ranges::any_of(overrides, [&](const Override& each) { return each.pattern == layer; });
  for (std::size_t earlier = 0; !named && earlier <= at; ++earlier) {
    if (model::Matcher(wrapped(overrides[earlier].pattern)).takes(layer)) {
      return earlier == at;
    }
  }
  return false;
}

// Returns true if a layer of the model makes Distiller index past the last override.
static bool indexes_past_end(const Context& context, const std::vector<Override>& overrides) {
  if (context.layers == nullptr) {
    return false;
  }
  std::size_t shift = 0;
  for (std::size_t at = 0; at < overrides.size(); ++at) {
    const bool decides = std::ranges::any_of(
        *context.layers, [&](const std::string& layer) { return decides_for(overrides, at, layer); });
    if (at + shift >= overrides.size() && decides) {
      return true;
    }
    shift += overrides[at].groups;
  }
  return false;
}

DIAGNOSTIC(SP627, capturing_group, warning, (Text),
           "the capturing group in `{}` makes Distiller use overrides of another pattern",
           "Distiller joins all patterns into one expression and uses the number of the matching group to find the "
           "overrides. A group inside a pattern shifts these numbers. A layer then gets the overrides of a later "
           "pattern, or loading stops with an IndexError.",
           "replace `(` with `(?:`")

// Distiller finds the override by the number of the matching group. A capturing group in an earlier pattern shifts
// the numbers of the later groups.
static void check_groups(const Context& context, std::vector<Override>& overrides) {
  std::size_t shift = 0;
  for (Override& each : overrides) {
    each.shifted = shift > 0;
    shift += each.groups;
  }
  const auto first = std::ranges::find_if(overrides, [](const Override& each) { return each.groups > 0; });
  if (first == overrides.end() || first + 1 == overrides.end()) {
    return;
  }
  const bool stops = indexes_past_end(context, overrides);
  context.sink.report(diag::capturing_group, first->key, first->pattern)
      .with_severity(stops ? diag::Severity::error : diag::Severity::warning)
      .with_fix(first->pattern.find("(?P<") == std::string::npos
                    ? diag::Fix::unsafe().content(first->key, without_groups(first->pattern))
                    : diag::Fix());
}

// Each override is compared with all earlier ones, which takes quadratic time.
static void report_limit(const Context& context, Span place) {
  context.sink
      .report(diag::limits_exceeded, place,
              fmt::format("only the first {} overrides are compared with each other", limits::kMaxCompared))
      .with_severity(diag::Severity::info);
}

// Reports a pattern that is fully covered by several earlier patterns together.
static void check_union(const Context& context, const std::vector<Override>& overrides, std::size_t at,
                        base::Budget& budget) {
  const Override& later = overrides[at];
  std::vector<Nfa> earlier;
  const Override* first = nullptr;
  for (std::size_t before = 0; before < at; ++before) {
    constexpr std::size_t kCostOfCopy = 16;
    const auto& matched = overrides[before].matched;
    if (matched && !budget.spend(kCostOfCopy * matched->states().size())) return;
    if (matched) earlier.push_back(*matched);
    first = first == nullptr && matched ? &overrides[before] : first;
  }
  if (earlier.size() < 2 || !later.matched || !model::looks_like_pattern(later.pattern)) {
    return;
  }
  const auto all = Nfa::either(earlier);
  const auto* together = std::get_if<Nfa>(&all);
  if (together == nullptr || regex::contains(*together, *later.matched, budget).answer != Comparison::Answer::yes) {
    return;
  }
  context.sink
      .report(diag::overlapping_selectors, later.key, fmt::format("`{}` is never used", later.pattern),
              "the patterns above it match all of its names")
      .with_severity(diag::Severity::error)
      .with_label(first->key, "first of these patterns")
      .with_help("move the pattern above these patterns, or delete it");
}

static std::size_t count_matches(const std::string& text, const std::vector<std::string>& layers) {
  const model::Matcher pattern(wrapped(text));
  if (pattern.error()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      layers, [&](const std::string& layer) { return pattern.match(layer) == regex::Match::yes; }));
}

// Returns the layer of a parameter, the glob as a pattern, and patterns that match the text at the end or anywhere in a
// name.
static std::vector<std::string> patterns_meant_by(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view parameter : {".weight", ".bias"}) {
    if (text.ends_with(parameter)) out.push_back(text.substr(0, text.size() - parameter.size()));
  }
  if (std::string glob = base::pattern_meant_by(text); glob != text && text.find_first_of("*?") != std::string::npos) {
    if (glob.ends_with('$')) glob.pop_back();
    out.push_back(std::move(glob));
  }
  out.push_back(".*" + text);
  out.push_back(".*" + text + ".*");
  return out;
}

static bool contains_layers(const std::string& module, const std::vector<std::string>& layers) {
  const std::string inside = module + ".";
  return std::ranges::any_of(layers, [&](const std::string& layer) { return layer.starts_with(inside); });
}

// Reports an override that matches only modules which contain layers, but none of the layers.
static void check_containers(const Context& context, Override& each, const std::vector<std::string>& matched) {
  const auto contains = [&](const std::string& name) { return contains_layers(name, *context.layers); };
  if (!std::ranges::all_of(matched, contains)) return;
  each.reported = true;
  const std::string inner = each.pattern + "\\..*";
  context.sink.report(diag::unused_selector, each.key, each.pattern, "layer", context.layers->size())
      .with_severity(diag::Severity::error)
      .with_caret("a module that contains layers")
      .with_help(fmt::format("write `{}`, which matches {} in it", inner,
                             base::counted(count_matches(inner, *context.layers), "module")))
      .with_fix(diag::Fix::unsafe().content(each.key, inner));
}

// Reports an override that matches no layer of the model.
static void check_use(const Context& context, Override& each) {
  const model::Matcher pattern(wrapped(each.pattern));
  if (pattern.error()) return;
  std::vector<std::string> matched;
  for (const std::string& layer : *context.layers) {
    if (layer == each.pattern || pattern.match(layer) != regex::Match::no) matched.push_back(layer);
  }
  if (!matched.empty()) return check_containers(context, each, matched);
  each.reported = true;
  const bool parallel = each.pattern.starts_with("module.") || each.pattern.starts_with("module\\.");
  auto& report = context.sink.report(diag::unused_selector, each.key, each.pattern, "layer", context.layers->size())
                     .with_severity(diag::Severity::error)
                     .with_help(parallel ? "remove `module.`; Distiller strips it from layer names before matching"
                                         : "write a pattern that matches whole layer names, such as `.*conv1`");
  for (const std::string& meant : parallel ? std::vector<std::string>() : patterns_meant_by(each.pattern)) {
    const std::size_t layers = count_matches(meant, *context.layers);
    if (layers == 0) continue;
    report
        .with_help(fmt::format("write `{}`, which matches {}: a pattern must match the whole name", meant,
                               base::counted(layers, "layer")))
        .with_fix(diag::Fix::unsafe().content(each.key, meant));
    return;
  }
}

DIAGNOSTIC(SP641, override_of_container, silent_warning, (Text, Text),
           "`{}` matches the module `{}`, but none of the layers in it",
           "A pattern of `overrides` must match the whole name of a layer. One that matches only a module around "
           "layers, such as a stage of a residual network, changes no bits.",
           "match the names of the layers: add `\\..*` to the name of the module")

// Returns the list of blocks of widely used models that a pattern matches, if it matches none of their layers. The
// outputs of some models have the name of such a list.
static std::optional<std::string> list_of_blocks(const std::string& written) {
  const model::Matcher pattern(wrapped(written));
  std::optional<std::string> found;
  for (const std::string& parameter : model::typical_parameters().list()) {
    const std::string layer = parameter.substr(0, parameter.rfind('.'));
    if (pattern.takes(layer)) return std::nullopt;
    const std::size_t dot = layer.find_first_of("0123456789", layer.find('.'));
    const std::string list = dot == std::string::npos || layer[dot - 1] != '.' ? "" : layer.substr(0, dot - 1);
    if (!found && !list.empty() && !model::is_head_of_task(list) && pattern.takes(list)) found = list;
  }
  return found;
}

// Without a model, widely used ones tell which modules contain layers.
static void check_blocks(const Context& context, Override& each) {
  if (each.reported || !each.matched) return;
  const auto list = list_of_blocks(each.pattern);
  if (!list) return;
  each.reported = true;
  const std::string inner = each.pattern + "\\..*";
  context.sink.report(diag::override_of_container, each.key, each.pattern, *list)
      .with_help(fmt::format("write `{}` for the layers in it", inner))
      .with_fix(diag::Fix::unsafe().content(each.key, inner));
}

// Without a model: Distiller strips the first `module.` from every name, so this prefix never matches.
static void check_parallel(const Context& context, const Override& each) {
  constexpr std::string_view kEscaped = "module\\.";
  const bool escaped = each.pattern.starts_with(kEscaped);
  if (escaped || each.pattern.starts_with("module.")) {
    const std::string rest = each.pattern.substr(escaped ? kEscaped.size() : kEscaped.size() - 1);
    context.sink
        .report(diag::never_matches, each.key, each.pattern,
                "Distiller strips the first `module.` from layer names before matching")
        .with_help(fmt::format("write `{}`", rest))
        .with_fix(diag::Fix::unsafe().content(each.key, rest));
  }
}

DIAGNOSTIC(SP607, shadowed_override, silent_error, (Text, Text),
           "`{}` is never used: `{}` above it matches every name it matches",
           "In quantizer overrides the first pattern that matches a name is used, except that an exact name overrides "
           "all patterns. A pattern after a broader one is never reached.",
           "move it above the broader pattern")

DIAGNOSTIC(SP608, literal_beats_order, info, (Text, Text),
           "`{}` is used for its exact name, although `{}` above it also matches",
           "Distiller looks up the exact name of a layer before it tries the patterns, so the position of an exact "
           "name does not matter. Its documentation states that the order decides.",
           "no change is needed: an exact name overrides all patterns")

// Returns true if a single earlier override matches every name of a later one, and reports that.
static bool check_order(const Context& context, const std::vector<Override>& overrides, std::size_t at,
                        base::Budget& budget) {
  const Override& later = overrides[at];
  const auto fits = [&](const Override& earlier) { return earlier.matched && later.matched; };
  for (std::size_t before = 0; before < at; ++before) {
    const Override& earlier = overrides[before];
    if (!fits(earlier) || regex::contains(*earlier.matched, *later.matched, budget).answer != Comparison::Answer::yes) {
      continue;
    }
    if (!model::looks_like_pattern(later.pattern)) {
      context.sink.report(diag::literal_beats_order, later.key, later.pattern, earlier.pattern)
          .with_label(earlier.key, "also matches this name");
    } else {
      context.sink.report(diag::shadowed_override, later.key, later.pattern, earlier.pattern)
          .with_label(earlier.key, "the first matching pattern is used")
          .with_help("move this pattern above the broader one");
    }
    return true;
  }
  return false;
}

void check_overrides(const Context& context, const Component& quantizer) {
  const auto mapping = node_of_overrides(context, quantizer);
  if (!mapping) {
    return;
  }
  std::vector<Override> overrides;
  base::Budget budget = regex::comparison_budget(limits::kMaxWorkOfPattern);      // of all comparisons of overrides
  base::Budget own_budget = regex::comparison_budget(limits::kMaxWorkOfPattern);  // of the checks of each override
  std::map<doc::NodeId, Span> seen;
  const auto entries = doc::entries(context.document, *mapping, context.sink);
  std::optional<bool> joined_valid;  // computed for the first invalid pattern
  const auto joined_is_valid = [&] {
    if (joined_valid) return *joined_valid;
    std::vector<std::string> patterns;
    for (const auto& [key, value, unused] : entries) patterns.emplace_back(node_of(context, key).text);
    joined_valid = !regex::syntax_error_of(joined(patterns));
    return *joined_valid;
  };
  for (const auto& [key, value, unused] : entries) {
    check_override(context, quantizer, key, value, seen);
    overrides.push_back(read_override(context, key, joined_is_valid, budget));
  }
  check_groups(context, overrides);
  for (std::size_t at = 0; at < overrides.size(); ++at) {
    if (context.layers != nullptr) check_use(context, overrides[at]);  // its report replaces those about the text
    check_written(context, overrides[at], own_budget);
    const bool compared = at < limits::kMaxCompared;
    if (compared && !check_order(context, overrides, at, budget)) check_union(context, overrides, at, budget);
    if (at == limits::kMaxCompared) report_limit(context, overrides[at].key);
    if (context.layers == nullptr) check_parallel(context, overrides[at]);
    if (context.layers == nullptr) check_blocks(context, overrides[at]);
  }
}

}  // namespace sparsecfg::dialect::distiller
