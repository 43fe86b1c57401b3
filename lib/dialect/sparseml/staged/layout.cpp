#include "dialect/sparseml/staged/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/edit_distance.h"
#include "diag/rule.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/codes.h"
#include "dialect/stages/beside.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::sparseml::staged {

using doc::Document;
using doc::Node;
using doc::NodeId;
using source::Span;
using stages::kGroupEnd;
using stages::kModifierEnd;
using stages::kStageEnd;

DIAGNOSTIC(
    SP125, group_outside_stage, error, (Text), "group `{}` is outside any stage, and SparseML fails on it",
    "If a recipe has stages, SparseML looks for groups only in mappings whose keys end in `_stage`. It stops at a "
    "group beside them.",
    "move the group into a mapping whose key ends in `_stage`")

DIAGNOSTIC(SP126, unnamed_group, error, (), "a group needs a name before `_modifiers`, otherwise SparseML fails",
           "SparseML names a group by the part of its key before `_modifiers`. It stops if a stage has the key "
           "`modifiers`.",
           "rename the group, for example to `pruning_modifiers`")

DIAGNOSTIC(SP709, duplicate_stage, error, (Text), "stage `{}` is defined twice; the last definition is used",
           "A stage is a key of a mapping, and PyYAML keeps the last of two equal keys. All modifiers of the first "
           "stage are silently dropped.",
           "rename one of the two stages")

DIAGNOSTIC(SP710, same_modifier_twice, error, (Text), "`{}` is defined twice in one group; the last definition is used",
           "In a group that is a mapping, the names of the modifiers are keys, and PyYAML keeps the last of two equal "
           "keys.",
           "move the second modifier to another group")

class LayoutFinder {
 public:
  LayoutFinder(const source::SourceFile& file, const Document& document, diag::Sink& sink)
      : file_(file), document_(document), sink_(sink) {}

  Layout find() {
    const std::size_t errors = sink_.count(diag::Severity::error);
    doc::report_unknown_tags(document_, "SparseML", sink_);
    const std::vector<Item> items =
        items_of(document_.root, [&](const Item& item) { return report_duplicate_stage(item); });
    // SparseML reads this key first.
    for (const Item& item : items) {
      if (item.name == "stages" && !is_falsy(item)) read_stages(item);
    }
    for (const Item& item : items) {
      read_section(item);
    }
    report_ignored();
    if (layout_.modifiers.empty() && ignored_.empty() && sink_.count(diag::Severity::error) == errors) {
      const Span root = document_[document_.root].span;
      sink_.report(diag::empty_recipe, {root.begin, root.begin}, "no stage of this recipe contains a modifier");
    }
    return std::move(layout_);
  }

 private:
  using Item = stages::GroupKey;

  // Modifiers that SparseML ignores, and the message for them.
  struct Ignored {
    Span place;
    std::string subject;  // with its verb
    std::string_view reason;
    std::string help;
  };

  const Node& node(NodeId id) const { return document_[document_.resolve(id)]; }

  // Returns true for values that are false in Python: null, false, 0, an empty string or collection.
  bool is_falsy(const Item& item) {
    if (node(item.value).kind != doc::Kind::scalar) {
      return node(item.value).items.empty();
    }
    const source::Value value = value_of(item);
    const auto* text = value.get<std::string>();
    return value.is_null() || value.number() == 0.0 || (text != nullptr && text->empty());
  }

  source::Value value_of(const Item& item) { return doc::construct(document_, item.value, sink_); }

  // Returns the entries of a mapping with unique keys. `report_duplicate` may report a duplicate key and returns true
  // if it did. Otherwise duplicate keys are reported as in any mapping.
  std::vector<Item> items_of(NodeId mapping, const std::function<bool(const Item&)>& report_duplicate) {
    const bool detected = report_repeated(node(mapping), report_duplicate);
    diag::Sink discarded;
    std::vector<Item> items;
    for (const auto& [key, value, name] : doc::entries(document_, mapping, detected ? discarded : sink_)) {
      if (const auto* text = std::get_if<std::string>(&name)) {
        items.push_back({*text, document_[key].span, value});
      } else {
        sink_.report(diag::key_not_text, document_[key].span, source::describe({name, {}}));
      }
    }
    return items;
  }

  bool report_repeated(const Node& mapping, const std::function<bool(const Item&)>& report_duplicate) {
    std::map<std::string_view, Span> first;
    bool detected = false;
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const Node& key = node(mapping.items[at]);
      const auto [place, is_new] = first.emplace(key.text, key.span);
      if (!is_new && key.kind == doc::Kind::scalar) {
        earlier_ = place->second;
        detected |= report_duplicate({std::string(key.text), document_[mapping.items[at]].span, mapping.items[at + 1]});
      }
    }
    return detected;
  }

  bool report_duplicate_stage(const Item& item) {
    const bool is_stage = item.name.ends_with(kStageEnd) || in_stages_;
    if (is_stage) {
      sink_.report(diag::duplicate_stage, item.key, item.name).with_label(earlier_, "this one is ignored");
    }
    return is_stage;
  }

  bool report_duplicate_modifier(const Item& item) {
    sink_.report(diag::same_modifier_twice, item.key, item.name)
        .with_label(earlier_, "this one is ignored")
        .with_help("move the second one to another group");
    return true;
  }

  static bool never(const Item&) { return false; }

  void reject(const Item& item, std::string_view expected, std::string help = {}) {
    sink_
        .report(diag::wrong_type, node(item.value).kind == doc::Kind::scalar ? item.key : document_[item.value].span,
                item.name, expected, source::describe(value_of(item)))
        .with_help(std::move(help));
  }

  void read_stages(const Item& stages) {
    if (node(stages.value).kind != doc::Kind::mapping) {
      reject(stages, "a mapping of stages");
      return;
    }
    in_stages_ = true;
    const std::vector<Item> items =
        items_of(stages.value, [&](const Item& item) { return report_duplicate_stage(item); });
    in_stages_ = false;
    std::ranges::for_each(items, [&](const Item& item) { read_stage(item); });
  }

  void read_section(const Item& item) {
    const bool falsy = is_falsy(item);
    if (item.name.ends_with(kGroupEnd)) {
      read_misplaced_group(item, falsy);
    } else if (item.name == "modifiers" && !falsy) {
      report_misplaced(item);
    } else if (item.name.ends_with(kStageEnd)) {
      read_stage(item);
    } else if (item.name != "stages" || falsy) {
      note_ignored_stage(item);
      layout_.arguments.push_back({item.name, item.key, value_of(item)});
    }
  }

  void read_misplaced_group(const Item& item, bool falsy) {
    if (node(item.value).kind != doc::Kind::mapping) {
      reject(item, "a mapping of modifiers, inside a stage");
    } else if (!falsy) {
      report_misplaced(item);
    }
  }

  void report_misplaced(const Item& item) { sink_.report(diag::group_outside_stage, item.key, item.name); }

  static bool names_group(std::string_view name) { return name.ends_with(kGroupEnd) || name == "modifiers"; }

  // Returns true if a mapping has a key accepted by `fits` whose value is a collection.
  bool has_key(NodeId id, const std::function<bool(std::string_view)>& fits) const {
    const Node& mapping = node(id);
    for (std::size_t at = 0; mapping.kind == doc::Kind::mapping && at + 1 < mapping.items.size(); at += 2) {
      if (node(mapping.items[at + 1]).kind != doc::Kind::scalar && fits(node(mapping.items[at]).text)) {
        return true;
      }
    }
    return false;
  }

  bool holds_modifiers(NodeId id) const {
    return has_key(id, [](std::string_view name) { return name.ends_with(kModifierEnd); });
  }

  void note_ignored_stage(const Item& item) {
    if (has_key(item.value, names_group) || holds_modifiers(item.value)) {
      ignored_.push_back({item.key, fmt::format("stage `{}` is", item.name), "its name does not end in `_stage`",
                          fmt::format("rename it to `{}_stage`", item.name)});
    }
  }

  void read_stage(const Item& stage) {
    if (node(stage.value).kind != doc::Kind::mapping) {
      reject(stage, "a mapping of groups");
      return;
    }
    const std::vector<Item> items = items_of(stage.value, never);
    const bool one_shot = std::ranges::any_of(items, [&](const Item& item) {
      return item.name == "run_type" && value_of(item).data == source::Value::Data(std::string("oneshot"));
    });
    for (const Item& item : items) {
      if (item.name.ends_with(kGroupEnd)) {
        read_group(stage.name, item, one_shot);
      } else {
        read_property(item);
      }
    }
  }

  // Reads a key of a stage that is not a group.
  void read_property(const Item& item) {
    if (item.name == "run_type") {
      check_run_type(value_of(item));
    } else if (item.name == "args" || item.name == "args_evaluated") {
      if (!value_of(item).is_null()) reject(item, "absent", "move the variables to the top level of the recipe");
    } else if (item.name == "enabled" || item.name == "exclude_default") {
      if (!as_boolean(value_of(item))) reject(item, "true or false");
    } else if (item.name == "modifiers") {
      if (!is_falsy(item)) report_unnamed_group(item);
    } else if (item.name != "group") {
      note_ignored_group(item);
    }
  }

  void check_run_type(const source::Value& value) {
    static constexpr std::array<std::string_view, 2> kTypes = {"train", "oneshot"};
    const auto* text = value.get<std::string>();
    if (value.is_null() || (text != nullptr && std::ranges::find(kTypes, *text) != kTypes.end())) {
      return;
    }
    const auto guess = text == nullptr ? std::nullopt : base::nearest(*text, kTypes);
    sink_.report(diag::unknown_choice, value.span, source::python_str(value), "run_type")
        .with_help(base::did_you_mean(guess, "use `train` or `oneshot`"))
        .with_fix(guess ? diag::Fix::unsafe().content(value.span, std::string(*guess)) : diag::Fix());
  }

  void report_unnamed_group(const Item& item) { sink_.report(diag::unnamed_group, item.key); }

  void note_ignored_group(const Item& item) {
    const std::string shown = item.name;
    if (item.name.ends_with(kModifierEnd) && node(item.value).kind != doc::Kind::scalar) {
      ignored_.push_back({item.key, fmt::format("`{}` is", shown), "it is not in a group",
                          "move it into a mapping whose key ends in `_modifiers`"});
    } else if (holds_modifiers(item.value)) {
      ignored_.push_back({item.key, fmt::format("group `{}` is", shown), "its name does not end in `_modifiers`",
                          fmt::format("rename it to `{}_modifiers`", shown)});
    } else {
      sink_.report(diag::unknown_section, item.key, shown);
    }
  }

  void read_group(const std::string& stage, const Item& group, bool one_shot) {
    if (node(group.value).kind != doc::Kind::mapping) {
      reject(group, "a mapping of modifiers",
             node(group.value).kind == doc::Kind::sequence ? "remove the dashes before the modifiers" : "");
      return;
    }
    const std::vector<Item> items =
        items_of(group.value, [&](const Item& twice) { return report_duplicate_modifier(twice); });
    const auto owners = stages::owners_of_fields(table(), document_, items);
    for (std::size_t at = 0; at < items.size(); ++at) {
      const Item& item = items[at];
      if (owners[at]) continue;
      source::Value fields = value_of(item);
      const auto* map = fields.get<source::Map>();
      if (fields.is_null() || (map != nullptr && map->empty())) {
        sink_.report(diag::null_section, item.key, item.name, "has no fields")
            .with_help("add its fields, or delete the modifier");
      } else if (map == nullptr) {
        reject(item, "a mapping of fields");
      } else {
        layout_.modifiers.push_back({item.name, item.key, std::move(fields), stage, group.name, one_shot});
        read_fields_beside(items, owners, at);
      }
    }
  }

  // Reports fields of a modifier that are not indented below it, and reads them as if they were.
  void read_fields_beside(const std::vector<Item>& items, const std::vector<std::optional<std::size_t>>& owners,
                          std::size_t modifier) {
    std::vector<Item> fields;
    for (std::size_t at = modifier + 1; at < items.size() && !items[at].name.ends_with(kModifierEnd); ++at) {
      if (owners[at] == modifier) fields.push_back(items[at]);
    }
    if (fields.empty()) return;
    auto& report = sink_.report(diag::unknown_modifier, fields.front().key, "modifier", fields.front().name);
    stages::offer_indentation(report, file_, document_, items[modifier], fields);
    source::Value& known = layout_.modifiers.back().fields;
    for (const Item& field : fields) {
      if (known.find(field.name) != nullptr) continue;
      std::get<source::Map>(known.data).emplace_back(source::Value{field.name, field.key}, value_of(field));
    }
  }

  void report_ignored() {
    for (Ignored& entry : ignored_) {
      const std::string ignored = fmt::format("{} ignored because {}", entry.subject, entry.reason);
      auto& report = layout_.modifiers.empty()
                         ? sink_.report(diag::empty_recipe, entry.place, ignored)
                         : sink_.report(diag::misplaced_group, entry.place, entry.subject, entry.reason);
      report.with_help(std::move(entry.help));
    }
  }

  const source::SourceFile& file_;
  const Document& document_;
  diag::Sink& sink_;
  Layout layout_;
  std::vector<Ignored> ignored_;
  Span earlier_;            // first location of a duplicate key
  bool in_stages_ = false;  // true in `stages:`, where every key is a stage name
};

Layout find_modifiers(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  return LayoutFinder(file, document, sink).find();
}

}  // namespace sparsecfg::dialect::sparseml::staged
