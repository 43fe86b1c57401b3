#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/policy.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

static bool is_ratio(std::string_view key) { return key == "sparse_ratio" || key == "sparse_threshold"; }

static std::string modern(std::string_view name) {
  if (name == "exclude")
    return "exclude with `exclude_op_names` or `exclude_op_types` in the entry that selects too much, or pass "
           "`--nni 2.x`";
  if (name == "op_partial_names") return "write `op_names_re`";
  if (name.starts_with("quant")) return "write `quant_dtype` and `target_names`";
  return "write `sparse_ratio`, or pass `--nni 2.x` to check the list by the rules of 2.x";
}

DIAGNOSTIC(DP906, nni_v1_config, error, (Text), "`{}` is an NNI 1.x key that later releases reject",
           "Up to NNI 2.2 the gradual pruner read its epochs from the entries of the list. Later releases schedule "
           "with `AGPPruner`, `interval_steps` and `total_times`. With `--nni 1.x` the file is checked by the old "
           "rules.",
           "use `AGPPruner` for NNI 3.0, or pass `--nni 1.x` to check the file by the old rules")

DIAGNOSTIC(DP907, nni_legacy_not_detected, error, (Text, Text),
           "`{}` is an NNI 2.x key that NNI 3.0 does not translate: {}",
           "NNI 3.0 translates a 2.x list only if the first entry has `exclude`, `sparsity`, `sparsity_per_layer`, "
           "`total_sparsity` or `quant_types`. Otherwise a 2.x key is unknown, and NNI rejects the list.",
           "write `sparse_ratio` and the other keys of NNI 3.0, or pass `--nni 2.x` to check it by the old rules")

// The schema of NNI for the keys of an entry and of its targets.
class EntryPolicy : public SchemaPolicy {
 public:
  EntryPolicy(Mode mode, bool translated, const Context& context)
      : SchemaPolicy(context), mode_(mode), translated_(translated) {}

  // Keys of 1.x occur together, so only the first one of an entry is reported.
  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const bool top = record.spec == &entry_spec(mode_);
    if (!top && record.spec != &target_spec(mode_)) {
      return Policy::report_unknown(record, field, names);
    }
    if (find_key(epoch_keys(), field.name) != nullptr) {
      if (!reported_epoch_keys_) {
        sink_.report(diag::nni_v1_config, field.key, field.name)
            .with_help(
                "pass `--nni 1.x`; later releases schedule with `interval_steps` and `total_times` of `AGPPruner`");
      }
      reported_epoch_keys_ = true;
    } else if (top && find_key(legacy_keys(), field.name) != nullptr) {
      report_legacy(record, field);
    } else {
      report_unknown_key(record, field, names);
    }
    return false;
  }

  // check_required_dtype() reports the only required key.
  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override {
    return spec.name == "quant_dtype" || SchemaPolicy::report_missing(record, spec, names);
  }

  // Returns true if a key was suggested for an unknown key.
  [[nodiscard]] bool suggested(std::string_view key) const { return base::contains(suggested_, key); }

 private:
  // Returns the exclusion of NNI 3.0 for an entry with `exclude`; empty without a list of names or types.
  static std::string exclusion_of(const Record& record) {
    for (const std::string_view key : {"op_names", "op_types"}) {
      const Field* list = record.find(key);
      if (list == nullptr || list->value.get<source::List>() == nullptr) continue;
      return fmt::format(
          "move the names to the entry that selects too much, as `exclude_{}` with the value {}, and delete this entry",
          key, flow_text(list->value));
    }
    return {};
  }

  void report_legacy(const Record& record, const Field& field) const {
    const std::string_view why = translated_                    ? "it is translated only together with another key"
                                 : is_legacy_marker(field.name) ? "the first entry has no such key"
                                                                : "it does not mark a list as 2.x";
    auto& report = sink_.report(diag::nni_legacy_not_detected, field.key, field.name, why);
    report.with_help(modern(field.name));
    if (field.name == "exclude") report.with_help(exclusion_of(record));
    const auto* bits = field.value.get<std::int64_t>();
    if (field.name != "quant_bits" || bits == nullptr) return;
    suggested_.emplace_back("quant_dtype");
    const std::string type = fmt::format("int{}", *bits);
    report.with_help(fmt::format("write `quant_dtype: {}`, the key of NNI 3.0", type))
        .with_fix(diag::Fix::unsafe().content(field.key, "quant_dtype").replace(field.value.span, type));
  }

  // Returns another mode that has the key, or nullopt.
  [[nodiscard]] std::optional<Mode> mode_that_knows(std::string_view name) const {
    for (const Mode other : kModes) {
      if (other != mode_ && find_key(setting_keys(other), name) != nullptr) return other;
    }
    return std::nullopt;
  }

  // A key of another mode is not a misspelled key, so no similar key is suggested.
  void report_unknown_key(const Record& record, const Field& field, FieldNames& names) const {
    const auto other = mode_that_knows(field.name);
    UnknownField unknown{field.key, field.name, std::string(entry_spec(mode_).name)};
    unknown.value = &field.value;
    if (other) {
      unknown.help = fmt::format("delete it: this key is only for {} lists", to_string(*other));
    } else {
      unknown.help = "see `sparsecfg explain config_list` for the keys";
      unknown.candidates = absent_fields(record);
    }
    names.report_unknown(unknown);
    for (const std::string_view key : unknown.candidates) {
      if (names.suggested(key)) suggested_.push_back(key);
    }
  }

  Mode mode_;
  bool translated_;
  mutable bool reported_epoch_keys_ = false;
  mutable std::vector<std::string_view> suggested_;
};

static void check_keys(Entry& entry, const EntryPolicy& policy, const ClassSpec& spec, const Map& keys,
                       source::Span place) {
  Record record{&spec, place, fields_of(keys), true, {}, {}, 0};
  check_fields(policy, record);
  if (!record.valid) entry.valid = false;
}

DIAGNOSTIC(SP114, selector_missing, error, (), "this entry does not select any modules",
           "Each entry of an NNI list needs one of `op_types`, `op_names` and `op_names_re`, even if it is an empty "
           "list. Exclusions are not enough.",
           "add `op_types`, `op_names` or `op_names_re`")

static void check_required_selector(Entry& entry, const EntryPolicy& policy) {
  static constexpr std::string_view kSelectorKeys[] = {"op_types", "op_names", "op_names_re"};
  const bool guessed = std::ranges::any_of(kSelectorKeys, [&](std::string_view key) { return policy.suggested(key); });
  const bool given = std::ranges::any_of(kSelectorKeys, [&](std::string_view key) { return has(entry.fields, key); });
  if (given) {
    return;
  }
  entry.valid = false;
  if (!guessed && !has(entry.fields, "op_partial_names")) {
    policy.sink().report(diag::selector_missing, entry.span);
  }
}

// Returns the one number of bits of `quant_bits`, which is a number or a mapping of types; nullopt for several numbers.
static std::optional<std::int64_t> bits_of(const Value& bits) {
  if (const auto* number = bits.get<std::int64_t>()) return *number;
  const auto* map = bits.get<Map>();
  const auto* first = map == nullptr || map->empty() ? nullptr : map->front().second.get<std::int64_t>();
  const bool same = first != nullptr && std::ranges::all_of(*map, [&](const source::Entry& each) {
                      const auto* number = each.second.get<std::int64_t>();
                      return number != nullptr && *number == *first;
                    });
  return same ? std::optional(*first) : std::nullopt;
}

// Returns the targets of NNI 3.0 for the types of NNI 2.x: `['_input_', 'weight']`; empty for other words.
static std::string targets_of_types(const Value& types) {
  const auto* list = types.get<source::List>();
  source::List out;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto* word = (*list)[at].get<std::string>();
    if (word == nullptr || (*word != "input" && *word != "output" && *word != "weight")) return {};
    out.push_back({*word == "weight" ? *word : "_" + *word + "_", {}});
  }
  return out.empty() ? std::string() : flow_text({std::move(out), {}});
}

// Offers the keys of NNI 3.0 for `quant_types` and `quant_bits`, and points at them.
static void translate_types(diag::Diagnostic& report, const Entry& entry) {
  const source::Entry* types = find_entry(*entry.written, "quant_types");
  const source::Entry* bits = find_entry(*entry.written, "quant_bits");
  const auto number = bits == nullptr ? std::nullopt : bits_of(bits->second);
  const std::string targets = targets_of_types(types->second);
  if (!number || targets.empty() || types->first.span.empty() || bits->first.span.empty()) return;
  const std::string type = fmt::format("int{}", *number);
  report.span = types->first.span;
  report.labels.clear();
  report.with_caret("keys of NNI 2.x")
      .with_help(fmt::format("write `target_names: {}` in place of `quant_types`, and `quant_dtype: {}` in place of "
                             "`quant_bits`",
                             targets, type))
      .with_fix(diag::Fix::unsafe()
                    .content(types->first.span, "target_names")
                    .replace(types->second.span, targets)
                    .content(bits->first.span, "quant_dtype")
                    .replace(bits->second.span, type));
}

static void check_required_dtype(Entry& entry, Mode mode, const EntryPolicy& policy, const Map& fields,
                                 source::Span span, const std::string& path) {
  if (mode != Mode::quantization || has(fields, "quant_dtype") || policy.suggested("quant_dtype")) {
    return;
  }
  entry.valid = false;
  auto& report = policy.sink().report(diag::missing_required, span, path, "quant_dtype");
  if (has(*entry.written, "quant_types")) {
    report.with_label(find_entry(*entry.written, "quant_types")->first.span, "a key of NNI 2.x, which has no type")
        .with_help("add `quant_dtype: null`, which takes the type from `quant_bits`, or pass `--nni 2.x`");
    translate_types(report, entry);
  } else {
    report.with_help("add `quant_dtype: int8`, or `quant_dtype: null` for the same");
  }
}

static void check_target(Entry& entry, Mode mode, const EntryPolicy& policy, const Map& fields,
                         const source::Entry& target, const std::string& path) {
  check_keys(entry, policy, target_spec(mode), fields, target.first.span);
  check_required_dtype(entry, mode, policy, fields, target.first.span, path);
}

static void check_settings(Entry& entry, Mode mode, const EntryPolicy& policy) {
  const Value* settings = find_value(entry.fields, "target_settings");
  const auto* targets = settings == nullptr ? nullptr : settings->get<Map>();
  for (const source::Entry& target : targets == nullptr ? Map() : *targets) {
    const std::string path = "target_settings." + name_of(target);
    if (const auto* fields = target.second.get<Map>()) {
      check_target(entry, mode, policy, *fields, target, path);
    } else {
      policy.sink().report(diag::wrong_type, target.second.span, path, "a mapping", source::describe(target.second));
      entry.valid = false;
    }
  }
}

// A key written by the translation lacks a location, so its value is used.
static source::Span place_of_key(const source::Entry& field) {
  return field.first.span.empty() ? field.second.span : field.first.span;
}

DIAGNOSTIC(SP115, mutually_exclusive, error, (Text, Text), "`{}` and `{}` are mutually exclusive",
           "NNI accepts either `sparse_ratio` or `sparse_threshold`. A value for the whole entry and another one in "
           "the first of its `target_settings` also conflict. Set the values for each target or for the entry, not "
           "both.",
           "delete one of the two")

static void count_ratios(Entry& entry, const EntryPolicy& policy, const Map& fields, const std::string& path,
                         const source::Entry*& seen) {
  for (const source::Entry& field : fields) {
    const std::string name = name_of(field);
    if (!is_ratio(name) || field.second.is_null()) {
      continue;  // null is rejected elsewhere
    }
    if (seen != nullptr) {
      entry.valid = false;
      policy.sink()
          .report(diag::mutually_exclusive, place_of_key(field), path + name, name_of(*seen))
          .with_label(place_of_key(*seen), "also set here");
    }
    seen = &field;
  }
}

// NNI counts ratios and thresholds of the entry and of its settings with one counter and resets it after each target.
// The keys of the entry are therefore counted together with those of the first target.
static void check_ratios(Entry& entry, const EntryPolicy& policy) {
  const source::Entry* seen = nullptr;
  count_ratios(entry, policy, entry.fields, "", seen);
  const Value* settings = find_value(entry.fields, "target_settings");
  const auto* targets = settings == nullptr ? nullptr : settings->get<Map>();
  for (const source::Entry& target : targets == nullptr ? Map() : *targets) {
    if (const auto* fields = target.second.get<Map>())
      count_ratios(entry, policy, *fields, "target_settings." + name_of(target) + ".", seen);
    seen = nullptr;
  }
}

void check_entry(Entry& entry, Mode mode, bool translated, const Context& context) {
  const EntryPolicy policy(mode, translated, context);
  check_keys(entry, policy, entry_spec(mode), entry.fields, entry.span);
  check_required_dtype(entry, mode, policy, entry.fields, entry.span, entry.path);
  check_required_selector(entry, policy);
  check_settings(entry, mode, policy);
  check_ratios(entry, policy);
}

}  // namespace sparsecfg::dialect::nni
