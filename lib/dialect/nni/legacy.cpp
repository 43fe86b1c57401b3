#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"

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
    const bool escapes = text[at] == '\\' && at + 1 < text.size() && is_special(text[at + 1]);
    if (!escapes && is_special(text[at])) return true;
    at += escapes ? 1 : 0;
  }
  return false;
}

static std::string_view ratio_key(const Map& fields) {
  return has(fields, "sparsity_per_layer") ? "sparsity_per_layer" : "sparsity";
}

DIAGNOSTIC(DP908, nni_total_sparsity_broken, error, (Text),
           "`total_sparsity` {} is translated to a key that NNI 3.0 rejects",
           "The converter of 2.x lists writes `group_id`, but the schema of NNI 3.0 expects `global_group_id`.",
           "write `sparse_ratio` with a `global_group_id`")

DIAGNOSTIC(SP408, two_sparsity_keys, silent_error, (Text, Text), "`{}` is dropped because `{}` is also set",
           "NNI 3.0 translates the second key and silently drops the first. NNI 2.x rejects both keys in one entry.",
           "delete one of the two keys")

DIAGNOSTIC(SP611, exclude_false_excludes, silent_error, (), "`exclude: false` has the same effect as `exclude: true`",
           "NNI 3.0 checks only whether the key exists and ignores its value.", "delete the key `exclude`")

DIAGNOSTIC(SP612, exclude_is_global, warning, (Text), "{}",
           "NNI 3.0 collects the types and names of every entry with `exclude` and removes them from every entry, "
           "earlier or later. The types and the names are excluded independently. In NNI 2.x an exclusion applied "
           "only to earlier entries and required both the type and the name to match.",
           "exclude within one entry: `exclude_op_names` and `exclude_op_types`")

DIAGNOSTIC(SP620, partial_name_unescaped, warning, (Text),
           "`{}` is used as a pattern, in which `.` matches any character",
           "NNI 3.0 adds `.*` before and after each item of `op_partial_names` and matches the result as a pattern.",
           "use `op_names_re`, with `\\.` for a literal dot")

DIAGNOSTIC(SP803, quant_type_unsupported, error, (Text, Text), "{} is not a quantization type: {}",
           "`quant_types` accepts `weight`, `input` and `output`. NNI 3.0 silently drops every other word and rejects "
           "an entry without any remaining types.",
           "write `weight`, `input` or `output`")

DIAGNOSTIC(SP805, quant_bits_missing, error, (Text), "`quant_bits` lacks a number of bits for `{}`",
           "`quant_bits` is one int for all types, or a mapping with an entry for each of the `quant_types`. NNI 3.0 "
           "fails with a KeyError if one is missing.",
           "add the number of bits to `quant_bits`: `{0}: 8`")

class Translation {
 public:
  Translation(Compressor& compressor, diag::Sink& sink) : compressor_(compressor), sink_(sink) {}

  void run() {
    for (Entry& entry : compressor_.entries) {
      translate_partial_names(entry);
    }
    translate_excludes();
    for (Entry& entry : compressor_.entries) {
      compressor_.mode == Mode::quantization ? translate_quantization(entry) : translate_pruning(entry);
    }
  }

 private:
  // --- names -------------------------------------------------------------------------------------

  void translate_partial_names(Entry& entry) {
    const auto given = pop(entry.fields, "op_partial_names");
    if (!given) {
      return;
    }
    if (given->get<List>() == nullptr) {
      sink_.report(diag::wrong_type, given->span, "op_partial_names", "a list of strings", source::describe(*given));
      entry.valid = false;
      return;
    }
    List patterns;
    for (const auto& part : texts_of(&*given)) {
      if (is_pattern(part.value)) {
        sink_.report(diag::partial_name_unescaped, part.span, part.value)
            .with_fix(diag::Fix::unsafe().content(part.span, escaped(part.value)));
      }
      patterns.push_back({".*" + part.value + ".*", part.span});
    }
    put(entry.fields, "op_names_re", {std::move(patterns), given->span});
  }

  // --- excludes ----------------------------------------------------------------------------------

  // NNI 3.0 applies the exclusions of each entry to all entries.
  void translate_excludes() {
    Map pool;
    for (const std::string_view key : {"op_types", "op_names", "op_names_re"}) {
      put(pool, key, {List(), {}});
    }
    bool filled = false;
    for (Entry& entry : compressor_.entries) {
      if (const auto value = pop(entry.fields, "exclude")) {
        check_exclude(entry, *value);
        filled = add_to(pool, entry) || filled;
      }
    }
    if (filled && !is_too_large(pool)) {
      for (Entry& entry : compressor_.entries) {
        apply(entry, pool);
      }
    }
    report_global_excludes();
  }

  // Each entry gets all pooled exclusions, so their number is limited.
  bool is_too_large(const Map& pool) {
    constexpr std::size_t kMaxCount = 1'000'000;
    std::size_t size = 0;
    for (const source::Entry& kind : pool) {
      size += kind.second.get<List>()->size();
    }
    if (size * compressor_.entries.size() <= kMaxCount) {
      return false;
    }
    sink_.report(diag::limits_exceeded, compressor_.list,
                 fmt::format("{} exclusions apply to each of {} entries", size, compressor_.entries.size()));
    for (Entry& entry : compressor_.entries) {
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

  void apply(Entry& entry, const Map& pool) {
    for (const source::Entry& kind : pool) {
      const std::string key = "exclude_" + name_of(kind);
      if (const source::Entry* own = find_entry(entry.fields, key)) {
        sink_.report(diag::field_ignored, own->first.span, key, "entries with `exclude` override it")
            .with_fix(diag::Fix::safe().remove(own->first.span));
      }
      put(entry.fields, key, kind.second);
    }
  }

  void check_exclude(const Entry& entry, const Value& value) {
    if (!python::is_true(value)) {
      sink_.report(diag::exclude_false_excludes, value.span)
          .with_help("delete the key, or pass `--nni 2.x`, where `exclude: false` excludes nothing")
          .with_fix(diag::Fix::safe().remove(find_entry(*entry.written, "exclude")->first.span));
    }
    for (const std::string_view key : {"sparsity", "sparsity_per_layer", "total_sparsity"}) {
      if (const source::Entry* ratio = find_entry(*entry.written, key)) {
        sink_.report(diag::exclude_with_sparsity, ratio->first.span)
            .with_label(find_entry(*entry.written, "exclude")->first.span, "excluded here");
      }
    }
  }

  void report_global_excludes() {
    bool past_exclude = false;
    for (const Entry& entry : compressor_.entries) {
      const source::Entry* exclude = find_entry(*entry.written, "exclude");
      if (exclude != nullptr && has(*entry.written, "op_types") && has(*entry.written, "op_names")) {
        sink_
            .report(diag::exclude_is_global, exclude->first.span,
                    "NNI 3.0 excludes all modules of these types and all of these names")
            .with_help(
                "exclude with `exclude_op_names` in the entry that selects them; NNI 2.x excludes only modules that "
                "match "
                "both");
      } else if (exclude == nullptr && past_exclude) {
        sink_.report(diag::exclude_is_global, entry.span, "modules excluded by an earlier entry stay excluded here")
            .with_help("remove them from the earlier `exclude`; in NNI 2.x this entry configures them again");
      }
      past_exclude = past_exclude || exclude != nullptr;
    }
  }

  // --- pruning -----------------------------------------------------------------------------------

  void translate_pruning(Entry& entry) {
    auto largest = pop(entry.fields, "max_sparsity_per_layer");
    if (largest && largest->is_null()) largest.reset();
    if (has(entry.fields, "sparsity") && has(entry.fields, "sparsity_per_layer")) {
      sink_
          .report(diag::two_sparsity_keys, find_entry(entry.fields, "sparsity")->first.span, "sparsity",
                  "sparsity_per_layer")
          .with_help("delete one of them; NNI 2.x rejects both together")
          .with_fix(diag::Fix::unsafe().remove(find_entry(entry.fields, "sparsity")->first.span));
    }
    auto ratio = pop(entry.fields, ratio_key(entry.fields));
    static_cast<void>(pop(entry.fields, "sparsity"));
    if (const auto total = pop(entry.fields, "total_sparsity")) {
      report_total(entry, *total);
    }
    if (ratio && !ratio->is_null()) {
      set_ratio(entry, *ratio, largest);
    } else if (largest && entry.valid) {
      sink_
          .report(diag::field_ignored, find_entry(*entry.written, "max_sparsity_per_layer")->first.span,
                  "max_sparsity_per_layer", "the entry has no ratio to limit")
          .with_fix(diag::Fix::safe().remove(find_entry(*entry.written, "max_sparsity_per_layer")->first.span));
    }
  }

  void report_total(Entry& entry, const Value& total) {
    sink_
        .report(diag::nni_total_sparsity_broken, find_entry(*entry.written, "total_sparsity")->first.span,
                source::python_str(total))
        .with_help(fmt::format("write `sparse_ratio: {}` and `global_group_id`, or pass `--nni 2.x`, which "
                               "supports `total_sparsity`",
                               source::python_str(total)));
    entry.valid = false;
  }

  void set_ratio(Entry& entry, const Value& ratio, const std::optional<Value>& largest) {
    for (const std::string_view key : {"target_names", "target_settings"}) {
      if (const source::Entry* own = find_entry(entry.fields, key)) {
        sink_.report(diag::field_ignored, own->first.span, key, "the translation of the sparsity overwrites it")
            .with_fix(diag::Fix::safe().remove(own->first.span));
      }
    }
    if (const source::Entry* own = find_entry(entry.fields, "granularity")) {
      sink_
          .report(diag::field_ignored, own->first.span, "granularity",
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

  // --- quantization ------------------------------------------------------------------------------

  void translate_quantization(Entry& entry) {
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
      put(setting, "quant_dtype", dtype_of(entry, *types, bits, type));
      put(settings, target, {std::move(setting), place->span});
      names.push_back({std::string(target), place->span});
    }
    report_unknown_types(*types);
    if (names.empty()) {
      entry.valid = false;
    }
    put(entry.fields, "target_names", {std::move(names), types->span});
    put(entry.fields, "target_settings", {std::move(settings), types->span});
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
  void report_bits(Entry& entry, const Value& bits) {
    if (entry.valid) {
      sink_.report(diag::wrong_type, bits.span, "quant_bits", "an int, or a mapping with an int for each type",
                   source::describe(bits));
    }
    entry.valid = false;
  }

  Value dtype_of(Entry& entry, const Value& types, const std::optional<Value>& bits, std::string_view type) {
    const auto* map = bits ? bits->get<Map>() : nullptr;
    if (bits && map == nullptr && bits->get<std::int64_t>() == nullptr && bits->get<bool>() == nullptr) {
      report_bits(entry, *bits);
      return {std::string("int8"), {}};
    }
    const Value* own = map != nullptr ? find_value(*map, type) : bits ? &*bits : nullptr;
    if (own == nullptr) {
      sink_.report(diag::quant_bits_missing, bits ? bits->span : types.span, type)
          .with_help("give `quant_bits` an int for all types, or an entry for this type");
      entry.valid = false;
      return {std::string("int8"), {}};
    }
    return {"int" + source::python_str(*own), own->span};
  }

  void report_unknown_types(const Value& types) {
    const auto* list = types.get<List>();
    for (const Value& item : list == nullptr ? List{types} : *list) {
      const auto* text = item.get<std::string>();
      const bool known = text != nullptr && (*text == "input" || *text == "weight" || *text == "output");
      if (!known) {
        sink_
            .report(diag::quant_type_unsupported, item.span, fmt::format("`{}`", source::python_str(item)),
                    "expected `weight`, `input` or `output`")
            .with_help("use one of `weight`, `input`, `output`");
      }
    }
  }

  Compressor& compressor_;
  diag::Sink& sink_;
};

void translate(Compressor& compressor, const Context& context) { Translation(compressor, context.sink).run(); }

}  // namespace sparsecfg::dialect::nni
