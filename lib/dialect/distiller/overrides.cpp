#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/limit_table.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/override_patterns.h"
#include "dialect/record/field_names.h"
#include "doc/construct.h"
#include "model/matcher.h"

// Checks the overrides of a quantizer, which map patterns to bit widths. For each layer an exact name wins, then the
// first pattern that matches (docs/semantics/distiller.md#d3).
namespace sparsecfg::dialect::distiller {

using regex::Comparison;
using regex::Nfa;

class OverrideRules {
 public:
  OverrideRules(const Reading& reading, const Component& quantizer)
      : reading_(reading), quantizer_(quantizer), sink_(reading.sink) {}

  void check() {
    if (!find()) {
      return;
    }
    std::map<doc::NodeId, Span> seen;
    for (const auto& [key, value, unused] : doc::entries(reading_.document, node_, reading_.sink)) {
      check_bits(key, value, seen);
      add(key);
    }
    check_groups();
    for (std::size_t at = 0; at < overrides_.size(); ++at) {
      check_written(reading_, overrides_[at]);
      if (at < limits::kMaxCompared && !check_order(at)) check_union(at);
      if (at == limits::kMaxCompared) report_limit(overrides_[at].key);
      if (reading_.layers != nullptr) {
        check_use(overrides_[at]);
      } else {
        check_parallel(overrides_[at]);
      }
    }
  }

 private:
  const doc::Node& node(doc::NodeId id) const { return reading_.document[reading_.document.resolve(id)]; }

  bool find() {
    const Field* field = quantizer_.fields.readable("overrides");
    if (field == nullptr || field->value.get<source::Map>() == nullptr) {
      return false;
    }
    for (const auto& [key, value, unused] : doc::entries(reading_.document, quantizer_.node, reading_.sink)) {
      if (node(key).text == "overrides") node_ = value;
    }
    return true;
  }

  // --- contents of an override -----------------------------------------------------------------

  void check_bits(doc::NodeId key, doc::NodeId id, std::map<doc::NodeId, Span>& seen) {
    const std::string_view name = node(key).text;
    if (node(id).kind != doc::Kind::mapping) {
      const Value value = doc::construct(reading_.document, id, sink_);
      if (value.is_null()) {
        sink_.report(diag::null_section, reading_.document[key].span, name, "has no value")
            .with_help("write `bits_weights: null` to disable quantization");
      } else {
        sink_.report(diag::wrong_type, value.span, name, "a mapping of bit widths", source::describe(value));
      }
      return;
    }
    const auto [first, is_new] = seen.emplace(reading_.document.resolve(id), reading_.document[id].span);
    if (!is_new) {
      sink_.report(diag::component_built_twice, reading_.document[id].span, name)
          .with_severity(diag::Severity::warning)
          .with_label(first->second, "both overrides lose their bit widths and use the defaults")
          .with_help("write the bit widths in both overrides");
    }
    for (const Field& field : read_fields(reading_, id)) {
      check_bit(field);
    }
  }

  void check_bit(const Field& field) {
    constexpr std::pair<std::string_view, std::string_view> kOld[] = {
        {"acts", "bits_activations"}, {"wts", "bits_weights"}, {"bias", "bits_bias"}};
    for (const auto& [old, now] : kOld) {
      if (field.name == old) {
        sink_.report(diag::deprecated_bits_keys, field.key, old, now)
            .with_fix(diag::Fix::safe().content(field.key, std::string(now)));
      }
    }
    constexpr std::string_view kKnown[] = {"bits_activations", "bits_weights", "bits_bias"};
    const bool trained = quantizer_.spec->meaning == Meaning::post_training;
    const bool known = std::ranges::find(kKnown, field.name) != std::end(kKnown);
    const bool old = std::ranges::any_of(kOld, [&](const auto& pair) { return pair.first == field.name; });
    if (!known && !old && !trained) {
      report_unknown(field, kKnown);
    } else if (known && !trained && quantizer_.used && field.value.number() &&
               overflows(quantizer_, field.name, *field.value.number()) &&
               sets_used_bits(quantizer_, reading_, field)) {
      sink_.report(diag::bits_out_of_range, field.value.span, field.name, source::python_str(field.value), 32)
          .with_severity(diag::Severity::error)
          .with_help("use a number from 1 to 32, or null to disable quantization");
    } else if (field.name.starts_with("bits_") && quantizer_.used && !field.value.is_null() && !field.value.number() &&
               (trained || sets_used_bits(quantizer_, reading_, field))) {
      offer_bits(sink_.report(diag::wrong_type, field.value.span, field.name, "a number of bits or null",
                              source::describe(field.value)),
                 field.value);
    }
  }

  // The replacement of a layer rejects unknown keys. If no layer is replaced, unknown keys are ignored.
  void report_unknown(const Field& field, std::span<const std::string_view> known) {
    FieldNames(sink_).report_unknown({field.key,
                                      field.name,
                                      "an override",
                                      {known.begin(), known.end()},
                                      "use `bits_activations`, `bits_weights` or `bits_bias`"});
  }

  // --- syntax of patterns ---------------------------------------------------------------------

  void add(doc::NodeId key) {
    Override added{std::string(node(key).text),
                   reading_.document[key].span,
                   find_groups(node(key).text).size(),
                   false,
                   std::nullopt,
                   false};
    if (const auto error = regex::syntax_error_of(wrapped(added.pattern))) {
      added.reported = true;
      sink_.report(diag::regex_syntax, added.key, error->message)
          .with_help(added.pattern.starts_with('*') ? "write `.*` to match any text" : "");
    } else if (auto language = Nfa::of(wrapped(added.pattern), regex::Anchoring::start);
               std::holds_alternative<Nfa>(language)) {
      // A pattern that matches no name can't be shadowed.
      const bool matches =
          regex::intersects(std::get<Nfa>(language), Nfa::everything(), budget_).answer != Comparison::Answer::no;
      if (matches) added.matched = std::get<Nfa>(std::move(language));
    } else if (reading_.layers == nullptr) {
      sink_.report(diag::python_only_regex, added.key, added.pattern, std::get<regex::Unsupported>(language).reason);
    }
    overrides_.push_back(std::move(added));
  }

  // Distiller finds the override by the number of the matching group. A capturing group in an earlier pattern shifts
  // the numbers of the later groups.
  void check_groups() {
    std::size_t shift = 0;
    for (std::size_t at = 0; at < overrides_.size(); ++at) {
      overrides_[at].shifted = shift > 0;
      shift += overrides_[at].groups;
    }
    const auto first = std::ranges::find_if(overrides_, [](const Override& each) { return each.groups > 0; });
    if (first == overrides_.end() || first + 1 == overrides_.end()) {
      return;
    }
    const bool stops = indexes_past_end();
    sink_.report(diag::capturing_group, first->key, first->pattern)
        .with_severity(stops ? diag::Severity::error : diag::Severity::warning)
        .with_fix(first->pattern.find("(?P<") == std::string::npos
                      ? diag::Fix::unsafe().content(first->key, without_groups(first->pattern))
                      : diag::Fix());
  }

  // Returns true if a layer of the model makes Distiller index past the last override.
  bool indexes_past_end() const {
    if (reading_.layers == nullptr) {
      return false;
    }
    std::size_t shift = 0;
    for (std::size_t at = 0; at < overrides_.size(); ++at) {
      const bool decides =
          std::ranges::any_of(*reading_.layers, [&](const std::string& layer) { return decides_for(at, layer); });
      if (at + shift >= overrides_.size() && decides) {
        return true;
      }
      shift += overrides_[at].groups;
    }
    return false;
  }

  bool decides_for(std::size_t at, const std::string& layer) const {
    const bool named = std::ranges::any_of(overrides_, [&](const Override& each) { return each.pattern == layer; });
    for (std::size_t earlier = 0; !named && earlier <= at; ++earlier) {
      if (model::Matcher(wrapped(overrides_[earlier].pattern)).takes(layer)) {
        return earlier == at;
      }
    }
    return false;
  }

  // --- order ------------------------------------------------------------------------------------

  // Each override is compared with all earlier ones, which takes quadratic time.
  void report_limit(Span place) {
    sink_
        .report(diag::limits_exceeded, place,
                fmt::format("only the first {} overrides are compared with each other", limits::kMaxCompared))
        .with_severity(diag::Severity::info);
  }

  // Reports a pattern that is fully covered by several earlier patterns together.
  void check_union(std::size_t at) {
    const Override& later = overrides_[at];
    std::vector<Nfa> earlier;
    const Override* first = nullptr;
    for (std::size_t before = 0; before < at; ++before) {
      constexpr std::size_t kCostOfCopy = 16;
      const auto& matched = overrides_[before].matched;
      if (matched && !budget_.spend(kCostOfCopy * matched->states().size())) return;
      if (matched) earlier.push_back(*overrides_[before].matched);
      first = first == nullptr && overrides_[before].matched ? &overrides_[before] : first;
    }
    if (earlier.size() < 2 || !later.matched || !model::looks_like_pattern(later.pattern)) {
      return;
    }
    const auto all = Nfa::either(earlier);
    const auto* together = std::get_if<Nfa>(&all);
    if (together == nullptr || regex::contains(*together, *later.matched, budget_).answer != Comparison::Answer::yes) {
      return;
    }
    sink_
        .report(diag::overlapping_selectors, later.key, fmt::format("`{}` is never used", later.pattern),
                "the patterns above it match all of its names")
        .with_severity(diag::Severity::error)
        .with_label(first->key, "first of these patterns")
        .with_help("move the pattern above these patterns, or delete it");
  }

  // Reports an override that matches no layer of the model.
  void check_use(const Override& each) {
    const model::Matcher pattern(wrapped(each.pattern));
    const auto matches = [&](const std::string& layer) {
      return layer == each.pattern || pattern.match(layer) != regex::Match::no;
    };
    if (pattern.error() || std::ranges::any_of(*reading_.layers, matches)) {
      return;
    }
    const bool parallel = each.pattern.starts_with("module.") || each.pattern.starts_with("module\\.");
    sink_.report(diag::unused_selector, each.key, each.pattern, "layer", reading_.layers->size())
        .with_severity(diag::Severity::error)
        .with_help(parallel ? "remove `module.`; Distiller strips it from layer names before matching"
                            : "write a pattern that matches whole layer names, such as `.*conv1`");
  }

  // Without a model: Distiller strips the first `module.` from every name, so this prefix never matches.
  void check_parallel(const Override& each) {
    constexpr std::string_view kEscaped = "module\\.";
    const bool escaped = each.pattern.starts_with(kEscaped);
    if (escaped || each.pattern.starts_with("module.")) {
      const std::string rest = each.pattern.substr(escaped ? kEscaped.size() : kEscaped.size() - 1);
      sink_
          .report(diag::never_matches, each.key, each.pattern,
                  "Distiller strips the first `module.` from layer names before matching")
          .with_help(fmt::format("write `{}`", rest))
          .with_fix(diag::Fix::unsafe().content(each.key, rest));
    }
  }

  // Returns true if a single earlier override matches every name of a later one, and reports that.
  bool check_order(std::size_t at) {
    const Override& later = overrides_[at];
    const auto fits = [&](const Override& earlier) { return earlier.matched && later.matched; };
    for (std::size_t before = 0; before < at; ++before) {
      const Override& earlier = overrides_[before];
      if (!fits(earlier) ||
          regex::contains(*earlier.matched, *later.matched, budget_).answer != Comparison::Answer::yes) {
        continue;
      }
      if (!model::looks_like_pattern(later.pattern)) {
        sink_.report(diag::literal_beats_order, later.key, later.pattern, earlier.pattern)
            .with_label(earlier.key, "also matches this name");
      } else {
        sink_.report(diag::shadowed_override, later.key, later.pattern, earlier.pattern)
            .with_label(earlier.key, "the first matching pattern is used")
            .with_help("move this pattern above the broader one");
      }
      return true;
    }
    return false;
  }

  const Reading& reading_;
  const Component& quantizer_;
  diag::Sink& sink_;
  base::Budget budget_ = regex::comparison_budget(limits::kMaxWorkOfPattern);  // of all comparisons of overrides
  doc::NodeId node_{};
  std::vector<Override> overrides_;
};

void check_overrides(const Reading& reading, const Component& quantizer) { OverrideRules(reading, quantizer).check(); }

}  // namespace sparsecfg::dialect::distiller
