#include "dialect/llmcompressor/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/stages/beside.h"
#include "doc/construct.h"
#include "doc/scalar_type.h"

namespace sparsecfg::dialect::llmcompressor {

using doc::Document;
using doc::Kind;
using doc::Node;
using doc::NodeId;
using source::Span;
using stages::kGroupEnd;
using stages::kModifierEnd;
using stages::kStageEnd;

bool is_numbered_stage(std::string_view key) {
  const std::size_t end = key.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < key.size() && key.substr(0, end + 1).ends_with("_stage_");
}

DIAGNOSTIC(
    LC116, recipe_key_not_text, error, (Text), "the key {} must be a string",
    "YAML reads a key such as `1` or `true` as a number or a boolean. llm-compressor compares keys with names, and "
    "stops at any other value.",
    "quote the key")

DIAGNOSTIC(LC101, stage_not_recognised, silent_error, (Text, Text), "`{}` is dropped: {}",
           "llm-compressor reads `args` and top-level keys that end with `_stage` and contain a mapping. It silently "
           "skips every other key and everything below it. A file without any stage loads as an empty recipe, and the "
           "model is saved unchanged.",
           "rename the key so that it ends with `_stage`, and put groups of modifiers below it")

DIAGNOSTIC(LC102, group_not_recognised, silent_error, (Text, Text), "`{}` is dropped: {}",
           "Within a stage, llm-compressor reads keys that end with `_modifiers` and contain a mapping from modifiers "
           "to their fields. Lists, modifiers outside a group and groups with other names are silently ignored.",
           "rename the key so that it ends with `_modifiers`, and put modifiers below it")

DIAGNOSTIC(LC103, modifier_without_body, error, (Text, Text), "`{}` must contain a mapping of fields, not {}",
           "Every key of a group is a modifier, and its value is a mapping with its fields. Otherwise the loader stops "
           "with an AttributeError. Usually the fields are on the same level as the modifier and need more "
           "indentation. `{}` is an empty mapping.",
           "indent the fields below the modifier, or write `{{}}` for none")

DIAGNOSTIC(LC104, stage_option_prefix, warning, (Text, Text), "stage prefix `{}` also selects `{}`",
           "The option `stage` of llm-compressor selects every top-level key that begins with the given string, "
           "case-sensitively.",
           "pass the complete key of the stage, or rename one of the stages")

DIAGNOSTIC(LC105, own_output_numbered, silent_error, (Text), "`{}` is dropped because of the number after `_stage`",
           "When a model is compressed again, llm-compressor writes the stages of both runs to one recipe.yaml and "
           "adds numbers to equal names. These keys no longer end with `_stage`, so its loader skips them.",
           "keep the stage of one run and delete the number after `_stage`")

DIAGNOSTIC(LC106, args_unused, warning, (Text), "`{}` is not used: llm-compressor does not support variables",
           "llm-compressor 0.5.2 and later store `args` but never use it, and `eval(...)` stays a string. `convert "
           "--to llm-compressor` replaces the variables of a SparseML recipe with their values.",
           "replace each variable with its value, and delete `args`")

class StageFinder {
 public:
  StageFinder(const source::SourceFile& file, const Document& document, const std::optional<std::string>& stage,
              diag::Sink& sink)
      : file_(file), document_(document), stage_(stage), sink_(sink) {}

  std::vector<stages::ModifierNode> find() {
    const Node& root = node(document_.root);
    const std::size_t errors = sink_.count(diag::Severity::error);
    if (root.kind != Kind::mapping) {
      report_root(root);
      return {};
    }
    std::vector<Item> items = items_of(document_.root);
    std::erase_if(items, [&](const Item& item) { return stage_ && !item.name.starts_with(*stage_); });
    check_prefix(items);
    std::ranges::for_each(items, [&](const Item& item) { read_section(item, items); });
    report_settings();
    if (modifiers_.empty() && sink_.count(diag::Severity::error) == errors) {
      const bool none = stage_ && items.empty();
      sink_
          .report(diag::empty_recipe, {root.span.begin, root.span.begin},
                  none ? fmt::format("no stage begins with `{}`, so the recipe is empty", *stage_)
                       : "no stage of this recipe contains a modifier")
          .with_help("nest `NAME_stage:`, then `NAME_modifiers:`, then a modifier with its fields");
    }
    return std::move(modifiers_);
  }

 private:
  using Item = stages::GroupKey;

  const Node& node(NodeId id) const { return document_[document_.resolve(id)]; }

  bool is_mapping(const Item& item) const { return node(item.value).kind == Kind::mapping; }

  std::string value_text(const Item& item) {
    diag::Sink unheard;
    return source::describe(doc::construct(document_, item.value, unheard));
  }

  void report_root(const Node& root) {
    if (root.kind == Kind::scalar && doc::type_of(root) == doc::ScalarType::null) {
      sink_.report(diag::empty_document, {});
      return;
    }
    diag::Sink unheard;
    const source::Value value = doc::construct(document_, document_.root, unheard);
    sink_.report(diag::wrong_type, root.span, "the recipe", "a mapping of stages", source::describe(value))
        .with_help("start the recipe with a key such as `quant_stage:`");
  }

  // Collects the keys of a mapping, without duplicates.
  std::vector<Item> items_of(NodeId mapping) {
    std::vector<Item> items;
    for (const auto& [key, value, name] : doc::entries(document_, mapping, sink_)) {
      if (const auto* text = std::get_if<std::string>(&name)) {
        items.push_back({*text, document_[key].span, value});
      } else {
        report_key(document_[key].span, {name, {}});
      }
    }
    return items;
  }

  void report_key(Span span, const source::Value& key) {
    sink_.report(diag::recipe_key_not_text, span, source::describe(key));
  }

  // Reports a `stage` option that is the full name of a stage and also selects other stages.
  void check_prefix(const std::vector<Item>& items) {
    const auto is_exact = [&](const Item& item) { return item.name == *stage_ || item.name == *stage_ + "_stage"; };
    if (!stage_ || std::ranges::none_of(items, is_exact)) {
      return;
    }
    for (const Item& item : items) {
      if (!is_exact(item)) {
        sink_.report(diag::stage_option_prefix, item.key, *stage_, item.name)
            .with_help(fmt::format("rename one of the stages, or pass `--stage {}_stage`", *stage_));
      }
    }
  }

  // `items`: all sections of the file.
  void read_section(const Item& item, const std::vector<Item>& items) {
    if (item.name.ends_with(kStageEnd)) {
      read_stage(item);
    } else if (item.name == "args") {
      read_args(item);
    } else if (is_numbered_stage(item.name)) {
      report_numbered(item);
    } else if (holds_modifiers(item, 3) || item.name.ends_with(kModifierEnd) || item.name.ends_with(kGroupEnd)) {
      report_lost_stage(item, items);
    } else {
      sink_.report(diag::unknown_section, item.key, item.name)
          .with_help("end the key in `_stage`")
          .not_beside(diag::expression_not_evaluated);  // a variable
    }
  }

  void read_args(const Item& item) {
    diag::Sink unheard;
    const source::Value value = doc::construct(document_, item.value, unheard);
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      sink_.report(diag::wrong_type, item.key, "args", "a mapping", source::describe(value)).with_help("delete it");
      return;
    }
    for (const source::Entry& entry : *map) {
      if (entry.first.get<std::string>() == nullptr) report_key(entry.first.span, entry.first);
    }
    if (!map->empty()) {
      sink_.report(diag::args_unused, item.key, "args").with_help("write the values in the fields that use them");
    }
  }

  void report_numbered(const Item& item) {
    const std::string plain = item.name.substr(0, item.name.rfind('_'));
    sink_.report(diag::own_output_numbered, item.key, item.name)
        .with_help(fmt::format("keep one run and rename it to `{}`", plain))
        .with_fix(is_latest_run(item.name) ? diag::Fix::unsafe().content(item.key, plain) : diag::Fix());
  }

  // Returns the top-level keys, as written.
  std::vector<std::string_view> root_keys() const {
    const Node& root = node(document_.root);
    std::vector<std::string_view> keys;
    for (std::size_t at = 0; at + 1 < root.items.size(); at += 2) keys.push_back(node(root.items[at]).text);
    return keys;
  }

  // Returns true if the key has the highest number of its name and no key has the name without a number.
  bool is_latest_run(std::string_view name) const {
    const std::string_view stem = name.substr(0, name.rfind('_'));
    std::string_view last;
    for (const std::string_view key : root_keys()) {
      if (key == stem) return false;
      if (is_numbered_stage(key) && key.substr(0, key.rfind('_')) == stem) last = key;
    }
    return last == name;
  }

  // Returns true if a key below, up to `depth` levels, is the name of a modifier.
  bool holds_modifiers(const Item& item, int depth) const { return holds_modifiers(item.value, depth); }

  bool holds_modifiers(NodeId id, int depth) const {
    const Node& at = node(id);
    if (depth == 0 || at.kind == Kind::scalar) {
      return false;
    }
    if (at.kind == Kind::sequence) {
      return std::ranges::any_of(at.items, [&](NodeId each) { return holds_modifiers(each, depth - 1); });
    }
    for (std::size_t entry = 0; entry + 1 < at.items.size(); entry += 2) {
      const Node& key = node(at.items[entry]);
      if ((key.kind == Kind::scalar && key.text.ends_with(kModifierEnd)) ||
          holds_modifiers(at.items[entry + 1], depth - 1)) {
        return true;
      }
    }
    return false;
  }

  // Also checks the fields of a dropped modifier, as if it were in the right place.
  void read_lost(const Item& item) {
    const std::string_view name = item.name;
    if (name.ends_with(kModifierEnd) && is_mapping(item)) {
      read_modifier_body("", "", item);
      modifiers_.back().lost = true;
    }
  }

  void report_lost_stage(const Item& item, const std::vector<Item>& items) {
    read_lost(item);
    const std::string shown = item.name;
    const bool group = item.name.ends_with(kGroupEnd);
    const bool modifier = item.name.ends_with(kModifierEnd);
    const bool outer = holds_stages(item);
    const std::string_view why = outer      ? "stages must be at the top level of the file"
                                 : group    ? "groups must be nested in `<name>_stage:`"
                                 : modifier ? "modifiers must be nested in `<name>_stage:` and `<name>_modifiers:`"
                                            : "the key of a stage must end in `_stage`";
    const bool renames = !group && !modifier && !outer && holds_modifiers(item, 2) && is_mapping(item);
    auto& report = sink_.report(diag::stage_not_recognised, item.key, shown, why);
    if (renames) {
      const std::string meant = item.name.find("stage") == std::string::npos ? item.name + "_stage" : "default_stage";
      report.with_help(fmt::format("rename it to `{}`", meant)).with_fix(diag::Fix::unsafe().content(item.key, meant));
    } else {
      report.with_help(outer ? "move the stages out of it"
                             : "nest `NAME_stage:`, then `NAME_modifiers:`, then a modifier with its fields");
      if (group) report.with_fix(nested(item, items, kGroupEnd, "quant_stage:\n", "  "));
      if (modifier) report.with_fix(nested(item, items, kModifierEnd, "quant_stage:\n  quant_modifiers:\n", "    "));
    }
  }

  bool holds_stages(const Item& item) const {
    const Node& at = node(item.value);
    for (std::size_t entry = 0; at.kind == Kind::mapping && entry + 1 < at.items.size(); entry += 2) {
      if (node(at.items[entry]).text.ends_with(kStageEnd)) return true;
    }
    return false;
  }

  void read_stage(const Item& stage) {
    if (!is_mapping(stage)) {
      sink_
          .report(diag::stage_not_recognised, stage.key, stage.name,
                  fmt::format("a stage must be a mapping of groups, not {}", value_text(stage)))
          .with_help(node(stage.value).kind == Kind::sequence ? "remove the dashes"
                                                              : "indent the groups below the stage");
      return;
    }
    const std::vector<Item> items = items_of(stage.value);
    for (const Item& item : items) {
      if (item.name.ends_with(kGroupEnd)) {
        read_group(stage.name, item);
      } else if (holds_modifiers(item, 3) || item.name.ends_with(kModifierEnd)) {
        report_lost_group(item, items);
      } else if (node(item.value).kind == Kind::scalar) {
        settings_[item.name].push_back(item.key);
      } else {
        sink_.report(diag::unknown_section, item.key, item.name).with_help("end the key in `_modifiers`");
      }
    }
  }

  // Reports each setting once, for example the `run_type` of all stages of an old SparseML recipe.
  void report_settings() {
    for (const auto& [name, keys] : settings_) {
      auto& report = sink_.report(diag::unknown_section, keys.front(), name);
      report.with_help("delete it; llm-compressor ignores it")
          .not_beside(diag::expression_not_evaluated);                     // both belong to SparseML
      if (name == "run_type") report.with_severity(diag::Severity::info);  // of many recipes, and without effect
      for (const Span key : std::span(keys).subspan(1)) report.with_label(key, "also ignored");
    }
  }

  // `items`: all groups of the stage.
  void report_lost_group(const Item& item, const std::vector<Item>& items) {
    read_lost(item);
    const std::string shown = item.name;
    if (item.name.ends_with(kModifierEnd)) {
      sink_.report(diag::group_not_recognised, item.key, shown, "modifiers must be nested in a group")
          .with_help("nest it under a key that ends in `_modifiers`")
          .with_fix(nested(item, items, kModifierEnd, "quant_modifiers:\n", "  "));
      return;
    }
    const std::string meant = item.name == "modifiers" ? "quant_modifiers" : item.name + "_modifiers";
    const bool flat = is_mapping(item) && holds_modifiers(item, 1);
    sink_
        .report(diag::group_not_recognised, item.key, shown,
                flat ? "the key of a group must end in `_modifiers`" : "its modifiers are nested one level too deep")
        .with_help(flat ? fmt::format("rename it to `{}`", meant) : "remove one level")
        .with_fix(flat ? diag::Fix::unsafe().content(item.key, meant) : diag::Fix());
  }

  void read_group(const std::string& stage, const Item& group) {
    if (!is_mapping(group)) {
      sink_
          .report(diag::group_not_recognised, group.key, group.name,
                  fmt::format("a group must be a mapping of modifiers, not {}", value_text(group)))
          .with_help(node(group.value).kind == Kind::sequence ? "remove the dashes"
                                                              : "indent the modifiers below the group")
          .with_fix(node(group.value).kind == Kind::sequence ? without_dashes(node(group.value)) : diag::Fix());
      for (const NodeId each :
           node(group.value).kind == Kind::sequence ? node(group.value).items : std::vector<NodeId>()) {
        if (node(each).kind != Kind::mapping) continue;
        for (const Item& item : items_of(each)) read_lost(item);
      }
      return;
    }
    const std::vector<Item> items = items_of(group.value);
    const auto owners = stages::owners_of_fields(table(), document_, items);
    const auto is_lone = [&](std::size_t at) { return !is_mapping(items[at]) && !owners[at]; };
    for (std::size_t at = 0; at < items.size(); ++at) {
      if (!is_lone(at)) continue;
      report_body(items[at], items);
      break;
    }
    for (std::size_t at = 0; at < items.size(); ++at) {
      if (!is_mapping(items[at]) || owners[at]) continue;
      read_modifier_body(stage, group.name, items[at]);
      std::vector<Item> fields;
      for (std::size_t below = at + 1; below < items.size() && !items[below].name.ends_with(kModifierEnd); ++below) {
        if (owners[below] == at) fields.push_back(items[below]);
      }
      if (!fields.empty()) read_fields_beside(items[at], fields);
    }
  }

  // Reports fields of a modifier that are not indented below it, and reads them as if they were.
  void read_fields_beside(const Item& modifier, const std::vector<Item>& fields) {
    const Item& first = fields.front();
    auto& report = is_mapping(first)
                       ? sink_.report(diag::unknown_modifier, first.key, "modifier", first.name)
                       : sink_.report(diag::modifier_without_body, first.key, first.name, value_text(first));
    stages::offer_indentation(report, file_, document_, modifier, fields);
    auto& map = std::get<source::Map>(modifiers_.back().fields.data);
    for (const Item& field : fields) {
      const bool known = modifiers_.back().fields.find(field.name) != nullptr;
      if (!known) map.emplace_back(source::Value{field.name, field.key}, doc::construct(document_, field.value, sink_));
    }
  }

  // The loader stops at the first modifier without a body. Sibling keys other than modifiers are probably its fields.
  void report_body(const Item& item, const std::vector<Item>& items) {
    std::vector<std::string> beside;
    for (const Item& other : items) {
      if (!other.name.ends_with(kModifierEnd)) beside.push_back(fmt::format("`{}`", other.name));
    }
    const bool fields = item.name.ends_with(kModifierEnd) && !beside.empty();
    sink_.report(diag::modifier_without_body, item.key, item.name, value_text(item))
        .with_help(fields ? fmt::format("indent {} below `{}`", base::join_and(beside), item.name)
                          : fmt::format("add its fields below, or write `{}: {{}}` for none", item.name))
        .with_fix(fields ? indented_below(item, items) : diag::Fix());
  }

  // Offers to indent the keys between a modifier without a body and the next modifier.
  static diag::Fix indented_below(const Item& modifier, const std::vector<Item>& items) {
    diag::Fix fix = diag::Fix::unsafe();
    bool below = false;
    for (const Item& item : items) {
      if (item.name.ends_with(kModifierEnd)) {
        below = item.key == modifier.key;
      } else if (below) {
        fix.indent(item.key, "  ");
      }
    }
    return fix;
  }

  // Offers to nest the entries of the same kind in new keys, written above the first of them. Only the finding about
  // the first entry offers it.
  static diag::Fix nested(const Item& item, const std::vector<Item>& items, std::string_view ending,
                          const std::string& keys, const std::string& spaces) {
    diag::Fix fix = diag::Fix::unsafe();
    for (const Item& each : items) {
      if (!each.name.ends_with(ending)) continue;
      if (fix.edits.empty() && each.key != item.key) return {};
      fix.indent(each.key, (fix.edits.empty() ? keys : "") + spaces);
    }
    return fix;
  }

  // Offers to replace the dashes of a list by spaces.
  diag::Fix without_dashes(const Node& list) const {
    diag::Fix fix = diag::Fix::unsafe();
    for (const NodeId each : list.items) {
      const Span item = node(each).span;
      if (node(each).kind == Kind::mapping && item.begin >= 2) fix.replace({item.begin - 2, item.begin}, "  ");
    }
    return fix;
  }

  void read_modifier_body(const std::string& stage, const std::string& group, const Item& item) {
    source::Value fields = is_mapping(item) ? doc::construct(document_, item.value, sink_)
                                            : source::Value{source::Map(), node(item.value).span};
    auto& map = std::get<source::Map>(fields.data);
    for (const source::Entry& entry : map) {
      if (entry.first.get<std::string>() == nullptr) report_key(entry.first.span, entry.first);
    }
    std::erase_if(map, [](const source::Entry& entry) { return entry.first.get<std::string>() == nullptr; });
    modifiers_.push_back({item.name, item.key, std::move(fields), stage, group, true});
  }

  const source::SourceFile& file_;
  const Document& document_;
  const std::optional<std::string>& stage_;
  diag::Sink& sink_;
  std::vector<stages::ModifierNode> modifiers_;
  std::map<std::string, std::vector<Span>> settings_;  // keys of stages that llm-compressor ignores
};

std::vector<stages::ModifierNode> find_modifiers(const source::SourceFile& file, const Document& document,
                                                 const std::optional<std::string>& stage, diag::Sink& sink) {
  return StageFinder(file, document, stage, sink).find();
}

}  // namespace sparsecfg::dialect::llmcompressor
