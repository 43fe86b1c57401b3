#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/exported.h"
#include "dialect/modelopt/library.h"
#include "dialect/modelopt/read.h"
#include "dialect/record/check.h"
#include "dialect/record/types.h"
#include "ir/found_recipe.h"

// The list `quant_cfg` (docs/semantics/modelopt.md#d1).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO201, entry_without_effect, error, (Text), "the entry for `{}` sets nothing",
           "ModelOpt rejects an entry without `cfg` and `enable`.", "add `enable: true`, or the attributes as `cfg`")
DIAGNOSTIC(MO202, empty_attributes, error, (Text), "`cfg` of `{}` is empty",
           "ModelOpt rejects an empty mapping or list, except in an entry with `enable: false`.",
           "delete `cfg`, and write `enable: true` to keep the attributes")
DIAGNOSTIC(
    MO203, invalid_entry, error, (Text), "{} is not an entry of `quant_cfg`",
    "An entry is a mapping with `quantizer_name`. ModelOpt also accepts the old form, a mapping from one pattern "
    "to attributes.",
    "write `{{quantizer_name: \"*lm_head*\", enable: false}}`")
DIAGNOSTIC(MO204, enable_in_attributes, silent_warning, (Text), "`{}` is turned on in spite of this `enable: false`",
           "The `enable` of the entry replaces the one in `cfg`, and is true by default. The quantizer is turned on.",
           "write `enable: false` beside `quantizer_name`")
DIAGNOSTIC(MO205, entry_without_name, silent_warning, (), "the entry has no `quantizer_name`, so it matches nothing",
           "A mapping with one key is read in the old form: the key is the pattern. No quantizer is named `cfg`.",
           "add `quantizer_name`")
DIAGNOSTIC(MO214, old_dictionary, warning, (), "`quant_cfg` as a dictionary is deprecated",
           "Since 0.44, `quant_cfg` is a list. A dictionary is converted: each key becomes one entry, in order.",
           "write `[{{\"quantizer_name\": \"*weight_quantizer\", \"cfg\": {{...}}}}]`")
DIAGNOSTIC(MO215, default_is_not_first, silent_warning, (Text), "since 0.44, `default` turns off {} before it",
           "Up to 0.43, `default` was applied first, wherever it was. Since 0.44, it is the pattern `*` at its own "
           "position, so it overrides all entries before it.",
           "move `default` to the start of `quant_cfg`")
DIAGNOSTIC(MO216, default_list, silent_warning, (Text), "{}, so quantizers are on with 8-bit integers",
           "Without `quant_cfg`, ModelOpt turns on every quantizer with 8-bit integers: also outputs, embeddings, the "
           "attention cache and the head. An empty list keeps the state after insertion, with weights and inputs on.",
           "import a preset, such as `$import: fp8` for `fp8: configs/ptq/presets/model/fp8`")

bool Context::is_unknown(const Value& value) const {
  return !unknown.empty() && ir::unknown_in(value, unknown).has_value();
}

namespace {

// Values that a script computes are not rejected.
class ScriptPolicy : public Policy {
 public:
  explicit ScriptPolicy(const Context& context) : Policy(context.file, context.sink, "ModelOpt"), context_(context) {}

  [[nodiscard]] bool is_unknown(const Value& value) const override { return context_.is_unknown(value); }

  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    static constexpr std::string_view kSizes[] = {"group_size", "q_group_size", "block_size"};
    const auto* size = field.value.get<std::int64_t>();
    const bool group = base::contains(kSizes, std::string_view(field.name)) && size != nullptr && *size > 0 &&
                       record.spec->find("block_sizes") != nullptr && record.find("block_sizes") == nullptr;
    if (!group) return Policy::report_unknown(record, field, names);
    const std::string blocks = fmt::format("{{-1: {}, type: static}}", *size);
    context_.sink.report(diag::unknown_field, field.key, field.name, fmt::format("`{}`", record.spec->name))
        .with_help(fmt::format("write `block_sizes: {}`, the groups of ModelOpt", blocks))
        .with_fix(diag::Fix::unsafe().content(field.key, "block_sizes").replace(field.value.span, blocks));
    return false;
  }

 private:
  const Context& context_;
};

}  // namespace

Record read_record(const Context& context, const ClassSpec& spec, const source::Map& map, source::Span place) {
  Record record{&spec, place, fields_of(map), true, {}, {}, 0};
  check_fields(ScriptPolicy(context), record);
  return record;
}

namespace {

class ListReader {
 public:
  ListReader(const Context& context, Config& out) : context_(context), out_(out) {}

  void read(const Value& list) {
    if (const auto* map = list.get<source::Map>()) {
      out_.old_dictionary = true;
      if (!map->empty()) {
        auto& report = context_.sink.report(diag::old_dictionary, map->front().first.span);
        report
            .with_severity(is_at_least(context_.release(), Release::v0_44) ? diag::Severity::warning
                                                                           : diag::Severity::info)
            .not_beside(diag::list_has_no_keys);
        if (std::string help = help_for(*map, false); !help.empty()) report.with_help(std::move(help));
      }
      for (const source::Entry& each : *map) add_old(each.first, each.second, list);
      old_ = map;
    } else if (const auto* items = list.get<source::List>()) {
      for (const Value& item : *items) read_item(item);
    } else {
      out_.valid = false;
      context_.sink.report(diag::wrong_type, list.span, "quant_cfg", "a list of entries", source::describe(list))
          .with_help("write `quant_cfg: [{quantizer_name: \"*\", enable: false}, ...]`");
    }
    sort_defaults();
  }

 private:
  void read_item(const Value& item) {
    if (context_.is_unknown(item) && item.get<source::Map>() == nullptr) {
      out_.open = true;
      return;
    }
    const auto* map = item.get<source::Map>();
    const bool has_class = map != nullptr && std::ranges::any_of(*map, [](const source::Entry& each) {
                             const auto* key = each.first.get<std::string>();
                             return key != nullptr && key->starts_with("nn.");
                           });
    if (map != nullptr && item.find("quantizer_name") != nullptr) {
      read_entry(item, *map);
    } else if (map != nullptr && (map->size() == 1 || (map->size() > 1 && has_class))) {
      for (const source::Entry& each : *map) add_old(each.first, each.second, item);
    } else {
      reject_item(item);
    }
  }

  // Reports a list of patterns under the name that other systems have for modules to skip.
  bool report_skipped(const std::string& name, const Value& key, const Value& value) {
    static constexpr std::string_view kNames[] = {"ignore", "exclude", "exclude_modules", "modules_to_not_convert",
                                                  "ignored_layers"};
    const auto* list = value.get<source::List>();
    if (list == nullptr || list->empty() || !base::contains(kNames, std::string_view(name))) return false;
    std::vector<std::string> entries;
    for (const Value& item : *list)
      entries.push_back(fmt::format("`'{}': {{enable: false}}`", source::python_str(item)));
    out_.valid = false;
    context_.sink.report(diag::wrong_type, value.span, name, "a mapping of attributes", source::describe(value))
        .with_help(fmt::format("write {} instead of `{}`", base::join_and(entries), name))
        .with_fix(list->size() == 1 ? diag::Fix::unsafe()
                                          .content(key.span, source::python_str(list->front()))
                                          .replace(value.span, "{enable: false}")
                                    : diag::Fix());
    return true;
  }

  void reject_item(const Value& item) {
    out_.valid = false;
    const auto* text = item.get<std::string>();
    const bool has_cfg = item.find("cfg") != nullptr;
    auto& report = context_.sink.report(diag::invalid_entry, item.span, source::describe(item));
    if (text != nullptr) report.with_help(fmt::format("write `{{quantizer_name: \"{}\", enable: false}}`", *text));
    if (has_cfg) report.with_help("add `quantizer_name`");
  }

  // An entry in the present form.
  void read_entry(const Value& item, const source::Map& map) {
    const Record record = read_record(context_, kEntryClass, map, item.span);
    if (!record.valid) {
      const bool known = std::ranges::all_of(record.fields, [](const Field& f) { return f.valid || f.unknown; });
      if (!known) {
        out_.valid = false;
        return;
      }
    }
    Entry entry;
    entry.whole = item.span;
    entry.imported = is_imported(item);
    entry.unknown = context_.is_unknown(item);
    const Value* pattern = item.find("quantizer_name");
    entry.span = pattern->span;
    if (const auto* text = pattern->get<std::string>()) entry.pattern = *text;
    if (const Value* parent = item.given("parent_class")) {
      if (const auto* text = parent->get<std::string>()) entry.parent = *text;
      entry.parent_span = parent->span;
    }
    if (const Value* enable = item.find("enable")) {
      entry.sets_enable = true;
      entry.enable = as_boolean(*enable).value_or(true);
    }
    finish(std::move(entry), item.find("cfg"));
  }

  // The old forms: a pattern and its attributes, or a class and its patterns.
  void add_old(const Value& key, const Value& value, const Value& item) {
    const auto* name = key.get<std::string>();
    const auto* map = value.get<source::Map>();
    if (name == nullptr) {
      reject_item(item);
      return;
    }
    if (*name == "**" && context_.is_unknown(value)) {
      out_.open = true;
      return;
    }
    if (report_skipped(*name, key, value)) return;
    if (!name->starts_with("nn.")) {
      add_pattern(*name, key.span, value, "", item.span);
    } else if (map == nullptr) {
      out_.valid = false;
      context_.sink.report(diag::wrong_type, value.span, *name, "a mapping of patterns", source::describe(value))
          .with_help(fmt::format("write `{{quantizer_name: \"*\", parent_class: {}, enable: false}}`", *name));
    } else {
      for (const source::Entry& each : *map) add_scoped(*name, each, item);
    }
  }

  void add_scoped(const std::string& parent, const source::Entry& each, const Value& item) {
    const auto* pattern = each.first.get<std::string>();
    if (pattern == nullptr || each.second.get<source::Map>() == nullptr) {
      out_.valid = false;
      const std::string name = pattern == nullptr ? source::python_str(each.first) : *pattern;
      context_.sink
          .report(diag::wrong_type, each.second.span, name, "a mapping of attributes", source::describe(each.second))
          .with_help(fmt::format("write `{{quantizer_name: \"*\", parent_class: {}, enable: false}}`", parent));
      return;
    }
    add_pattern(*pattern, each.first.span, each.second, parent, item.span);
  }

  void add_pattern(const std::string& pattern, source::Span span, const Value& value, const std::string& parent,
                   source::Span whole) {
    Entry entry;
    entry.pattern = pattern == "default" && parent.empty() ? "*" : pattern;
    entry.form = pattern == "default" ? Entry::Form::old_default
                 : parent.empty()     ? Entry::Form::old_key
                                      : Entry::Form::old_class;
    entry.parent = parent;
    entry.parent_span = parent.empty() ? source::Span() : span;
    entry.span = span;
    entry.whole = whole;
    entry.unknown = context_.is_unknown(value);
    Value cfg = value;
    if (auto* map = std::get_if<source::Map>(&cfg.data)) {
      if (const Value* enable = value.given("enable")) {
        entry.sets_enable = true;
        entry.enable = as_boolean(*enable).value_or(true);
      }
      std::erase_if(*map, [](const source::Entry& each) { return each.first == Value{std::string("enable"), {}}; });
      if (map->empty()) cfg.data = std::monostate();
    }
    if (pattern == "cfg") context_.sink.report(diag::entry_without_name, span);
    entry.sets_enable = entry.sets_enable || cfg.is_null();
    finish(std::move(entry), &cfg);
  }

  void finish(Entry entry, const Value* cfg) {
    if (!context_.is_unknown(Value{std::monostate(), entry.span}) && !entry.unknown && cfg == nullptr &&
        !entry.sets_enable) {
      out_.valid = false;
      context_.sink.report(diag::entry_without_effect, entry.span, entry.pattern);
      return;
    }
    if (cfg != nullptr && !cfg->is_null()) read_cfg(entry, *cfg);
    if (valid_) out_.entries.push_back(std::move(entry));
    out_.valid = out_.valid && valid_;
    valid_ = true;
  }

  static bool is_empty(const Value& value) {
    const auto* map = value.get<source::Map>();
    return map != nullptr && map->empty();
  }

  void read_cfg(Entry& entry, const Value& cfg) {
    const auto* list = cfg.get<source::List>();
    const bool empty = list == nullptr ? is_empty(cfg) : std::ranges::all_of(*list, is_empty);
    const bool unresolved = context_.unresolved.contains(cfg.span);
    entry.unknown = entry.unknown || unresolved;
    if (empty && entry.enable && !unresolved) {
      valid_ = false;
      context_.sink.report(diag::empty_attributes, cfg.span, entry.pattern);
      return;
    }
    if (empty) return;
    entry.sequence = list != nullptr;
    entry.cfg.emplace();
    for (const Value& part : list == nullptr ? source::List{cfg} : *list) {
      const auto attributes = read_attributes(context_, part);
      valid_ = valid_ && attributes;
      if (!attributes) continue;
      entry.cfg->push_back(*attributes);
      check_inner_enable(entry, part);
    }
  }

  void check_inner_enable(Entry& entry, const Value& cfg) {
    const Value* enable = cfg.find("enable");
    const bool off = enable != nullptr && !as_boolean(*enable).value_or(true);
    if (!off || !entry.enable || !valid_) return;
    entry.inner_enable = enable->span;
    context_.sink.report(diag::enable_in_attributes, enable->span, entry.pattern);
  }

  // Up to 0.43, `default` was applied before all other entries.
  void sort_defaults() {
    const auto is_default = [](const Entry& entry) { return entry.form == Entry::Form::old_default; };
    const auto found = std::ranges::find_if(out_.entries, is_default);
    if (found == out_.entries.end() || found == out_.entries.begin()) return;
    if (!is_at_least(context_.release(), Release::v0_44)) {
      std::ranges::stable_partition(out_.entries, is_default);
    } else if (!found->enable) {
      auto& report = context_.sink.report(diag::default_is_not_first, found->span,
                                          found == out_.entries.begin() + 1
                                              ? std::string("the entry")
                                              : fmt::format("the {} entries", found - out_.entries.begin()));
      if (old_ == nullptr) return;
      report.explains(diag::old_dictionary);
      if (std::string help = help_for(*old_, true); !help.empty()) report.with_help(std::move(help));
    }
  }

  // Returns the help for a dictionary: the whole list. Empty if the file does not contain all values. `as_before`: the
  // list does what the dictionary did up to 0.43, when `default` came first and embeddings had no quantizers.
  std::string help_for(const source::Map& map, bool as_before) const {
    std::vector<std::string> entries;
    bool embeddings = false;
    for (const source::Entry& each : map) {
      const auto* name = each.first.get<std::string>();
      const auto entry = name == nullptr || name->starts_with("nn.") ? std::nullopt : entry_text(*name, each.second);
      if (!entry) return {};
      const bool first = as_before && *name == "default";
      entries.insert(first ? entries.begin() : entries.end(), *entry);
      embeddings = embeddings || (as_before && names_embeddings(*name, each.second));
    }
    if (embeddings && is_at_least(context_.release(), Release::v0_45))
      entries.push_back(off_text("\"*\", \"parent_class\": \"nn.Embedding\""));
    return fmt::format("write `[{}]`", fmt::join(entries, ", "));
  }

  // Returns true for an entry that turns the weights of embeddings on in releases that quantize them.
  static bool names_embeddings(std::string_view pattern, const Value& value) {
    static constexpr std::string_view kAll[] = {"*", "*weight_quantizer", "*.weight_quantizer", "*_quantizer",
                                                "*quantizer"};
    const Value* enable = value.find("enable");
    return base::contains(kAll, pattern) && (enable == nullptr || as_boolean(*enable).value_or(true));
  }

  std::string off_text(std::string_view name) const {
    return fmt::format("{{\"quantizer_name\": {}, \"enable\": {}}}", name, is_json() ? "false" : "False");
  }

  [[nodiscard]] bool is_json() const { return context_.file.name().ends_with(".json"); }

  // Returns an entry of the list for one of the dictionary; nullopt if the file does not contain its values.
  std::optional<std::string> entry_text(const std::string& name, const Value& value) const {
    const auto* map = value.get<source::Map>();
    if (map == nullptr || context_.is_unknown(value)) return std::nullopt;
    const std::string pattern = fmt::format("\"{}\"", name == "default" ? "*" : name);
    std::vector<std::string> attributes;
    bool off = false;
    for (const source::Entry& each : *map) {
      const std::string key = source::python_str(each.first);
      const auto enable = key == "enable" ? as_boolean(each.second) : std::nullopt;
      off = off || enable == false;
      if (enable) continue;
      const std::string_view text = context_.file.text(each.second.span);
      if (text.empty() || text.find('\n') != text.npos) return std::nullopt;
      attributes.push_back(fmt::format("\"{}\": {}", key, text));
    }
    const std::string cfg = attributes.empty() ? "" : fmt::format(", \"cfg\": {{{}}}", fmt::join(attributes, ", "));
    if (off) return off_text(pattern + cfg);
    return fmt::format("{{\"quantizer_name\": {}{}{}}}", pattern, cfg,
                       cfg.empty() ? fmt::format(", \"enable\": {}", is_json() ? "true" : "True") : "");
  }

  const Context& context_;
  Config& out_;
  const source::Map* old_ = nullptr;  // the dictionary of older releases
  bool valid_ = true;                 // of the current entry
};

// Adds the default list: every quantizer is on with 8-bit integers.
void add_default(Config& out, source::Span place) {
  Entry entry;
  entry.pattern = "*";
  entry.cfg = std::vector<Attributes>{Attributes{}};
  entry.span = place;
  entry.whole = place;
  out.entries.push_back(std::move(entry));
}

bool is_algorithm(const Value& value, bool nested = false) {
  const auto* list = value.get<source::List>();
  if (list != nullptr && !nested) {
    return std::ranges::all_of(*list, [](const Value& each) { return is_algorithm(each, true); });
  }
  return value.get<std::string>() != nullptr || value.get<source::Map>() != nullptr || (value.is_null() && !nested);
}

}  // namespace

Config read_config(const Context& context, const Value& section) {
  Config out;
  out.place = section.span;
  out.embeddings = is_at_least(context.release(), Release::v0_45);
  const auto* map = section.get<source::Map>();
  if (map == nullptr) {
    out.valid = context.is_unknown(section);
    out.open = out.valid;
    if (!out.valid) {
      const auto* text = section.get<std::string>();
      const std::string_view constant = text == nullptr ? std::string_view() : constant_meant_by(*text);
      context.sink
          .report(diag::wrong_type, section.span, "quantize", "a mapping with `quant_cfg`", source::describe(section))
          .with_help(constant.empty() ? "write `quantize: {quant_cfg: [...], algorithm: max}`"
                                      : fmt::format("pass {}, a constant of ModelOpt with this format",
                                                    shown_code(python::imported_names(context.file),
                                                               fmt::format("mtq.{}", constant))));
    }
    return out;
  }
  const Record record = read_record(context, kQuantizeClass, *map, section.span);
  out.valid = std::ranges::all_of(record.fields, [](const Field& each) { return each.valid || each.unknown; });
  const Value* list = section.find("quant_cfg");
  out.has_list = list != nullptr;
  const Value* algorithm = section.find("algorithm");
  out.algorithm = algorithm == nullptr ? Value{std::string("max"), {}} : *algorithm;
  if (algorithm != nullptr && !context.is_unknown(*algorithm) && !is_algorithm(*algorithm)) {
    out.valid = false;
    context.sink
        .report(diag::wrong_type, algorithm->span, "algorithm", "a name or a mapping with `method`",
                source::describe(*algorithm))
        .with_help("write `algorithm: max`");
  }
  if (list == nullptr && (context.unresolved.contains(section.span) || section.find("**") != nullptr)) {
    out.open = true;
  } else if (list == nullptr) {
    const source::Span place = map->empty() ? section.span : map->front().first.span;
    context.sink.report(diag::default_list, place, std::string("`quant_cfg` is missing"));
    add_default(out, place);
  } else if (context.is_unknown(*list) && list->get<source::List>() == nullptr && list->get<source::Map>() == nullptr) {
    out.open = true;
  } else {
    const auto* items = list->get<source::List>();
    if (items != nullptr && items->empty()) {
      context.sink.report(diag::default_list, list->span, std::string("`quant_cfg` is empty"))
          .with_caret("weight and input quantizers keep their initial state: on, 8-bit integers");
    }
    ListReader(context, out).read(*list);
  }
  return out;
}

}  // namespace sparsecfg::dialect::modelopt
