#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/record/suggest.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

bool is_legacy(const Compressor& compressor) {
  return !compressor.entries.empty() &&
         std::ranges::any_of(*compressor.entries.front().written,
                             [](const source::Entry& field) { return is_legacy_marker(name_of(field)); });
}

// Returns true if the text contains an unescaped metacharacter of patterns.
static bool is_pattern(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escapes = text[at] == '\\' && at + 1 < text.size() && regex::is_metacharacter(text[at + 1]);
    if (!escapes && regex::is_metacharacter(text[at])) return true;
    at += escapes ? 1 : 0;
  }
  return false;
}

static std::string_view ratio_key(const Map& fields) {
  return has(fields, "sparsity_per_layer") ? "sparsity_per_layer" : "sparsity";
}

DIAGNOSTIC(SP620, partial_name_unescaped, warning, (Text),
           "`{}` is used as a pattern, in which `.` matches any character",
           "NNI 3.0 adds `.*` before and after each item of `op_partial_names` and matches the result as a pattern.",
           "use `op_names_re`, with `\\.` for a literal dot")

static void translate_partial_names(Entry& entry, diag::Sink& sink) {
  const auto given = pop(entry.fields, "op_partial_names");
  if (!given) {
    return;
  }
  if (given->get<List>() == nullptr) {
    sink.report(diag::wrong_type, given->span, "op_partial_names", "a list of strings", source::describe(*given));
    entry.valid = false;
    return;
  }
  List patterns;
  for (const auto& part : texts_of(&*given)) {
    if (is_pattern(part.value)) {
      sink.report(diag::partial_name_unescaped, part.span, part.value)
          .with_fix(diag::Fix::unsafe().content(part.span, regex::literal(part.value)));
    }
    patterns.push_back({".*" + part.value + ".*", part.span});
  }
  put(entry.fields, "op_names_re", {std::move(patterns), given->span});
}

// Each entry gets all pooled exclusions, so their number is limited.
static bool is_too_large(Compressor& compressor, const Map& pool, diag::Sink& sink) {
  std::size_t size = 0;
  for (const source::Entry& kind : pool) {
    size += kind.second.get<List>()->size();
  }
  if (size * compressor.entries.size() <= limits::kMaxExclusions) {
    return false;
  }
  sink.report(diag::limits_exceeded, compressor.list,
              fmt::format("{} exclusions apply to each of {} entries", size, compressor.entries.size()));
  for (Entry& entry : compressor.entries) {
    entry.valid = false;
  }
  return true;
}

static bool add_to(Map& pool, const Entry& entry) {
  bool added = false;
  for (source::Entry& kind : pool) {
    const Value* given = find_value(entry.fields, name_of(kind));
    const auto* list = given == nullptr ? nullptr : given->get<List>();
    for (const Value& item : list == nullptr ? List() : *list) {
      std::get<List>(kind.second.data).push_back(item);
      added = true;
    }
  }
  return added;
}

static void exclude_from(Entry& entry, const Map& pool, diag::Sink& sink) {
  for (const source::Entry& kind : pool) {
    const std::string key = "exclude_" + name_of(kind);
    if (const source::Entry* own = find_entry(entry.fields, key)) {
      sink.report(diag::field_ignored, own->first.span, key, "entries with `exclude` override it")
          .with_fix(diag::Fix::safe().remove(own->first.span));
    }
    put(entry.fields, key, kind.second);
  }
}

DIAGNOSTIC(SP611, exclude_false_excludes, silent_error, (), "`exclude: false` has the same effect as `exclude: true`",
           "NNI checks only whether the key exists and ignores its value.", "delete the key `exclude`")

// Names in `exclude` belong to `exclude_op_names`.
static void offer_excluded_names(diag::Diagnostic& report, const source::Entry& exclude) {
  const auto* text = exclude.second.get<std::string>();
  const auto* list = exclude.second.get<List>();
  const bool names = text != nullptr || (list != nullptr && !list->empty());
  if (!names) return;
  const std::string written =
      text != nullptr ? dialect::flow_text({List{exclude.second}, {}}) : dialect::flow_text(exclude.second);
  report.with_help(fmt::format("write `exclude_op_names: {}`: `exclude` is true or false", written))
      .with_fix(
          diag::Fix::unsafe().content(exclude.first.span, "exclude_op_names").replace(exclude.second.span, written));
}

static void check_exclude_in_3_0(const Entry& entry, const Value& value, diag::Sink& sink) {
  const source::Entry& exclude = *find_entry(*entry.written, "exclude");
  if (!python::is_true(value)) {
    sink.report(diag::exclude_false_excludes, value.span).with_fix(diag::Fix::safe().remove(exclude.first.span));
  }
  for (const std::string_view key :
       {"sparsity", "sparsity_per_layer", "total_sparsity", "sparse_ratio", "quant_dtype"}) {
    if (const source::Entry* ratio = find_entry(*entry.written, key)) {
      auto& report = sink.report(diag::exclude_with_sparsity, ratio->first.span);
      report.with_label(exclude.first.span, "excluded here");
      offer_excluded_names(report, exclude);
      return;
    }
  }
}

DIAGNOSTIC(
    SP612, exclude_is_global, warning, (), "NNI 3.0 excludes all modules of these types and all of these names",
    "NNI 3.0 collects the types and names of every entry with `exclude` and removes them from every entry. The "
    "types and the names are excluded independently. In NNI 2.x an exclusion required both the type and the name "
    "to match.",
    "exclude with `exclude_op_names` in the entry that selects them; NNI 2.x excludes only modules that match "
    "both")

DIAGNOSTIC(
    SP631, exclusion_stays, warning, (), "all modules of this entry stay excluded by an earlier entry",
    "NNI 3.0 collects the types and names of every entry with `exclude` and removes them from every entry, "
    "earlier or later. In NNI 2.x an exclusion applied only to earlier entries, so a later entry could configure "
    "some of the excluded modules again.",
    "remove them from the earlier `exclude`; in NNI 2.x this entry configures them again")

// The selectors of the entries with `exclude` up to an entry.
class EarlierExclusions {
 public:
  void add(const Entry& entry) {
    for (const std::string_view key : kKeys) {
      for (auto& text : texts_of(*entry.written, key)) texts_.emplace(key, std::move(text.value));
    }
  }

  // Returns true if nothing of an entry is left: all its types or all its names are excluded, or its names may be
  // modules of the excluded types. An exclusion of some modules is an exception to the entry, and does what it states.
  [[nodiscard]] bool take_all_of(const Entry& entry) const {
    const auto types = texts_of(*entry.written, "op_types");
    const bool types_excluded =
        std::ranges::all_of(types, [&](const auto& type) { return has("op_types", type.value); });
    bool named = false;
    bool names_excluded = true;
    for (const std::string_view key : kNames) {
      for (const auto& name : texts_of(*entry.written, key)) {
        named = true;
        names_excluded = names_excluded && takes_name(key, name.value);
      }
    }
    const bool some_type = std::ranges::any_of(texts_, [](const auto& each) { return each.first == "op_types"; });
    return (types.empty() ? named && some_type : types_excluded) || (named && names_excluded);
  }

 private:
  static constexpr std::string_view kKeys[] = {"op_types", "op_names", "op_names_re", "op_partial_names"};
  static constexpr std::span<const std::string_view> kNames = std::span(kKeys).subspan(1);

  [[nodiscard]] bool has(std::string_view key, const std::string& text) const {
    return texts_.contains(std::pair(key, text));
  }

  [[nodiscard]] bool takes_name(std::string_view key, const std::string& name) const {
    return has(key, name) || std::ranges::any_of(texts_, [&](const auto& each) {
             return each.first == "op_partial_names" && name.find(each.second) != std::string::npos;
           });
  }

  std::set<std::pair<std::string_view, std::string>> texts_;  // keys and items
};

// Returns the names that exclusions list together with types.
static List names_of(const std::vector<const Entry*>& exclusions) {
  List names;
  for (const Entry* entry : exclusions) {
    const Value* own = find_value(*entry->written, "op_names");
    const auto* list = own == nullptr ? nullptr : own->get<List>();
    if (list != nullptr) names.insert(names.end(), list->begin(), list->end());
  }
  return names;
}

// Returns the types of exclusions, each once: "`Linear` and `Conv2d`".
static std::string types_of(const std::vector<const Entry*>& exclusions) {
  std::vector<std::string> types;
  for (const Entry* entry : exclusions) {
    for (const auto& type : texts_of(*entry->written, "op_types")) {
      const std::string text = fmt::format("`{}`", type.value);
      if (std::ranges::find(types, text) == types.end()) types.push_back(text);
    }
  }
  return base::join_and(types);
}

// Reports all exclusions with types and names as one finding. Without them, their names can be excluded where the types
// are selected.
static void report_types_and_names(const Compressor& compressor, const std::vector<const Entry*>& exclusions,
                                   const Context& context) {
  if (exclusions.empty()) return;
  const auto place = [](const Entry* entry) { return find_entry(*entry->written, "exclude")->first.span; };
  auto& report = context.sink.report(diag::exclude_is_global, place(exclusions.front()));
  report.with_caret(fmt::format("excludes every {}", types_of(exclusions)));
  for (std::size_t at = 1; at < exclusions.size(); ++at) report.with_label(place(exclusions[at]), "with this entry");
  const auto selects = [](const Entry& entry) { return find_entry(*entry.written, "exclude") == nullptr; };
  const auto first = std::ranges::find_if(compressor.entries, selects);
  const List names = names_of(exclusions);
  if (first == compressor.entries.end() || names.empty()) return;
  report.with_help(fmt::format("write `exclude_op_names: {}` in the entry in line {}, and delete {} with `exclude`",
                               flow_text({names, {}}), context.file.position(first->span.begin).line,
                               exclusions.size() == 1 ? "the entry" : "the entries"));
}

static void report_global_excludes(const Compressor& compressor, const Context& context) {
  diag::Sink& sink = context.sink;
  EarlierExclusions earlier;
  std::vector<const Entry*> exclusions;
  for (const Entry& entry : compressor.entries) {
    const source::Entry* exclude = find_entry(*entry.written, "exclude");
    if (exclude != nullptr && has(*entry.written, "op_types") && has(*entry.written, "op_names")) {
      exclusions.push_back(&entry);
    } else if (exclude == nullptr && earlier.take_all_of(entry)) {
      sink.report(diag::exclusion_stays, entry.span);
    }
    if (exclude != nullptr) earlier.add(entry);
  }
  report_types_and_names(compressor, exclusions, context);
}

// NNI 3.0 applies the exclusions of each entry to all entries.
static void translate_excludes(Compressor& compressor, const Context& context) {
  diag::Sink& sink = context.sink;
  Map pool;
  for (const std::string_view key : {"op_types", "op_names", "op_names_re"}) {
    put(pool, key, {List(), {}});
  }
  bool filled = false;
  for (Entry& entry : compressor.entries) {
    if (const auto value = pop(entry.fields, "exclude")) {
      check_exclude_in_3_0(entry, *value, sink);
      filled = add_to(pool, entry) || filled;
    }
  }
  if (filled && !is_too_large(compressor, pool, sink)) {
    for (Entry& entry : compressor.entries) {
      exclude_from(entry, pool, sink);
    }
  }
  report_global_excludes(compressor, context);
}

DIAGNOSTIC(DP908, nni_total_sparsity_broken, error, (Text),
           "`total_sparsity` {} is translated to a key that NNI 3.0 rejects",
           "The converter of 2.x lists writes `group_id`, but the schema of NNI 3.0 expects `global_group_id`.",
           "write `sparse_ratio` with a `global_group_id`")

// Limits of single layers need entries of their own, before the general one.
static std::string entry_with_limit(const Value& total, const source::Entry& limit, const std::string& group) {
  return fmt::format("`{{op_names: [{}], sparse_ratio: {}, max_sparse_ratio: {}, {}}}`", name_of(limit),
                     source::python_str(total), source::python_str(limit.second), group);
}

static void report_total(Entry& entry, const Value& total, diag::Sink& sink) {
  const source::Entry* limit = find_entry(*entry.written, "max_sparsity_per_layer");
  const auto* limits = limit == nullptr ? nullptr : limit->second.get<Map>();
  const source::Span key = find_entry(*entry.written, "total_sparsity")->first.span;
  const std::string ratio = source::python_str(total);
  const std::string group = fmt::format("global_group_id: {}", std::max(entry.ordinal, 1));
  std::string keys = fmt::format("`total_sparsity: {}`", ratio);
  std::string texts = fmt::format("`sparse_ratio: {}` and `{}`", ratio, group);
  diag::Fix fix = diag::Fix::unsafe().content(key, "sparse_ratio").add_entry(key, group);
  if (limits != nullptr) {
    fix = {};
    std::vector<std::string> entries;
    for (const source::Entry& each : *limits) {
      if (entries.size() < 3) entries.push_back(entry_with_limit(total, each, group));
    }
    keys = "both keys";
    texts += fmt::format(", and insert {}{} before this entry", base::join_and(entries),
                         entries.size() < limits->size() ? " ..." : "");
  } else if (limit != nullptr) {
    fix.content(limit->first.span, "max_sparse_ratio");
    keys += " and `max_sparsity_per_layer`";
    texts = fmt::format("`sparse_ratio: {}`, `max_sparse_ratio: {}` and `{}`", ratio, source::python_str(limit->second),
                        group);
  }
  sink.report(diag::nni_total_sparsity_broken, key, ratio)
      .with_help(fmt::format("replace {} by {}; or pass `--nni 2.x`, which supports `total_sparsity`", keys, texts))
      .with_fix(std::move(fix));
  entry.valid = false;
}

static void set_ratio(Entry& entry, const Value& ratio, const std::optional<Value>& largest, diag::Sink& sink) {
  const source::Entry* older = find_entry(*entry.written, "sparsity");
  for (const std::string_view key : {"target_names", "target_settings"}) {
    const source::Entry* own = find_entry(entry.fields, key);
    if (own == nullptr) continue;
    if (older != nullptr && key == "target_names") {  // the entry is one of 3.0, except for this key
      sink.report(diag::field_ignored, older->first.span, "target_names", "the 2.x key `sparsity` overwrites it")
          .with_label(own->first.span, "overwritten")
          .with_help(fmt::format("write `sparse_ratio: {}`, the NNI 3.0 key", source::python_str(ratio)))
          .with_fix(diag::Fix::unsafe().content(older->first.span, "sparse_ratio"));
    } else {
      sink.report(diag::field_ignored, own->first.span, key, "the translation of the sparsity overwrites it")
          .with_fix(diag::Fix::unsafe().remove(own->first.span));
    }
  }
  if (const source::Entry* own = find_entry(entry.fields, "granularity")) {
    sink.report(diag::field_ignored, own->first.span, "granularity",
                "the translation of the sparsity sets it to `default`")
        .with_fix(diag::Fix::safe().remove(own->first.span));
  }
  Map weight;
  put(weight, "sparse_ratio", ratio);
  put(weight, "granularity", {std::string("default"), {}});
  if (largest) {
    put(weight, "max_sparse_ratio", *largest);
  }
  Map settings;
  put(settings, "weight", {std::move(weight), ratio.span});
  put(entry.fields, "target_names", {List{{std::string("weight"), {}}, {std::string("bias"), {}}}, ratio.span});
  put(entry.fields, "target_settings", {std::move(settings), ratio.span});
}

DIAGNOSTIC(SP408, two_sparsity_keys, silent_error, (Text, Text), "`{}` is dropped because `{}` is also set",
           "NNI 3.0 translates the second key and silently drops the first. NNI 2.x rejects both keys in one entry.",
           "delete one of the two keys")

static void translate_pruning(Entry& entry, diag::Sink& sink) {
  auto largest = pop(entry.fields, "max_sparsity_per_layer");
  if (largest && largest->is_null()) largest.reset();
  if (has(entry.fields, "sparsity") && has(entry.fields, "sparsity_per_layer")) {
    sink.report(diag::two_sparsity_keys, find_entry(entry.fields, "sparsity")->first.span, "sparsity",
                "sparsity_per_layer")
        .with_help("delete one of them; NNI 2.x rejects both together")
        .with_fix(diag::Fix::unsafe().remove(find_entry(entry.fields, "sparsity")->first.span));
  }
  auto ratio = pop(entry.fields, ratio_key(entry.fields));
  static_cast<void>(pop(entry.fields, "sparsity"));
  if (const auto total = pop(entry.fields, "total_sparsity")) {
    report_total(entry, *total, sink);
  }
  if (ratio && !ratio->is_null()) {
    set_ratio(entry, *ratio, largest, sink);
  } else if (largest && entry.valid) {
    sink.report(diag::field_ignored, find_entry(*entry.written, "max_sparsity_per_layer")->first.span,
                "max_sparsity_per_layer", "the entry has no ratio to limit")
        .with_fix(diag::Fix::safe().remove(find_entry(*entry.written, "max_sparsity_per_layer")->first.span));
  }
}

// NNI checks `type in types`: a substring of a string, or an item of a list.
static const Value* find_type(const Value& types, std::string_view type) {
  if (const auto* text = types.get<std::string>()) {
    return text->find(type) != std::string::npos ? &types : nullptr;
  }
  const auto* list = types.get<List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto* text = (*list)[at].get<std::string>();
    if (text != nullptr && *text == type) return &(*list)[at];
  }
  return nullptr;
}

// NNI looks up the type in any value that is not an int. Reports the value once per entry.
static void report_bits(Entry& entry, const Value& bits, diag::Sink& sink) {
  if (entry.valid) {
    sink.report(diag::wrong_type, bits.span, "quant_bits", "an int, or a mapping with an int for each type",
                source::describe(bits));
  }
  entry.valid = false;
}

DIAGNOSTIC(SP805, quant_bits_missing, error, (Text), "`quant_bits` lacks a number of bits for `{}`",
           "`quant_bits` is one int for all types, or a mapping with an entry for each of the `quant_types`. NNI 3.0 "
           "fails with a KeyError if one is missing.",
           "add the number of bits to `quant_bits`: `{0}: 8`")

static Value dtype_of(Entry& entry, const Value& types, const std::optional<Value>& bits, std::string_view type,
                      diag::Sink& sink) {
  const auto* map = bits ? bits->get<Map>() : nullptr;
  if (bits && map == nullptr && bits->get<std::int64_t>() == nullptr && bits->get<bool>() == nullptr) {
    report_bits(entry, *bits, sink);
    return {std::string("int8"), {}};
  }
  const Value* own = map != nullptr ? find_value(*map, type) : bits ? &*bits : nullptr;
  if (own == nullptr) {
    sink.report(diag::quant_bits_missing, bits ? bits->span : types.span, type)
        .with_help("give `quant_bits` an int for all types, or an entry for this type");
    entry.valid = false;
    return {std::string("int8"), {}};
  }
  return {"int" + source::python_str(*own), own->span};
}

DIAGNOSTIC(
    SP803, quant_type_unsupported, error, (Text),
    "`{}` is not a quantization type: expected `weight`, `input` or `output`",
    "`quant_types` accepts `weight`, `input` and `output`. NNI 3.0 silently drops every other word and rejects an "
    "entry without any remaining types.",
    "write `weight`, `input` or `output`")

static void report_unknown_types(const Value& types, diag::Sink& sink) {
  const auto* list = types.get<List>();
  for (const Value& item : list == nullptr ? List{types} : *list) {
    const auto* text = item.get<std::string>();
    const bool known = text != nullptr && (*text == "input" || *text == "weight" || *text == "output");
    if (!known) {
      sink.report(diag::quant_type_unsupported, item.span, source::python_str(item))
          .with_help("use one of `weight`, `input`, `output`");
    }
  }
}

static void translate_quantization(Entry& entry, diag::Sink& sink) {
  const auto types = pop(entry.fields, "quant_types");
  if (!types) {
    return;
  }
  const auto bits = pop(entry.fields, "quant_bits");
  Map settings;
  List names;
  for (const auto& [type, target] : {std::pair{"input", "_input_"}, {"weight", "weight"}, {"output", "_output_"}}) {
    const Value* place = find_type(*types, type);
    if (place == nullptr) {
      continue;
    }
    Map setting;
    put(setting, "quant_dtype", dtype_of(entry, *types, bits, type, sink));
    put(settings, target, {std::move(setting), place->span});
    names.push_back({std::string(target), place->span});
  }
  report_unknown_types(*types, sink);
  if (names.empty()) {
    entry.valid = false;
  }
  put(entry.fields, "target_names", {std::move(names), types->span});
  put(entry.fields, "target_settings", {std::move(settings), types->span});
}

void translate(Compressor& compressor, const Context& context) {
  diag::Sink& sink = context.sink;
  for (Entry& entry : compressor.entries) translate_partial_names(entry, sink);
  translate_excludes(compressor, context);
  for (Entry& entry : compressor.entries) {
    compressor.mode == Mode::quantization ? translate_quantization(entry, sink) : translate_pruning(entry, sink);
  }
}

}  // namespace sparsecfg::dialect::nni
