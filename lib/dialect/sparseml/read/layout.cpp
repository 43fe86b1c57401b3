#include "dialect/sparseml/read/layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/fields.h"
#include "doc/construct.h"
#include "doc/scalar_type.h"

namespace sparsecfg::dialect::sparseml {

using doc::Document;
using doc::Node;
using doc::NodeId;

static bool names_modifiers(const Section& section) { return section.name.find("modifiers") != std::string::npos; }

static bool is_null(const Node& node) {
  return node.kind == doc::Kind::scalar && doc::type_of(node) == doc::ScalarType::null;
}

bool holds_modifiers(const source::SourceFile& file, const Document& document, NodeId id) {
  const Node& list = document[document.resolve(id)];
  return list.kind == doc::Kind::sequence &&
         std::ranges::any_of(list.items, [&](NodeId item) { return is_modifier_tag(file, document[item]); });
}

DIAGNOSTIC(SP107, modifiers_key_name, error, (Text, Text), "{} contains modifiers, but {}",
           "SparseML looks for modifiers only in lists whose key contains the word `modifiers`. If they are in "
           "another list, it rejects the recipe or finds no modifiers.",
           "rename the key of the list so that it contains `modifiers`")

DIAGNOSTIC(SP108, misplaced_group, silent_error, (Text, Text), "{} ignored because {}",
           "SparseML looks for modifiers at the top level. If no top-level key contains `modifiers`, it looks one "
           "level deeper, in the stages. Modifiers at any other place are silently dropped.",
           "move the group to the top level or into a stage")

DIAGNOSTIC(SP127, stage_beside_modifiers, silent_error, (Text),
           "stage `{}` is ignored because this recipe also has modifiers outside any stage",
           "If a top-level key contains `modifiers`, SparseML reads only the modifiers at the top level. It silently "
           "drops the stages, and does not evaluate the expressions of the recipe.",
           "move the top-level modifiers into a stage")

DIAGNOSTIC(SP908, group_without_list, warning, (Text), "`{}` looks like a group of modifiers but contains no list",
           "A key that contains `modifiers` is a group if its value is a list. Any other value is skipped.",
           "put a list of modifiers below it, or rename it to a name without `modifiers`")

class LayoutFinder {
 public:
  LayoutFinder(const source::SourceFile& file, const Document& document, diag::Sink& sink)
      : file_(file), document_(document), sink_(sink) {}

  Layout find() {
    const Node& root = document_[document_.root];
    if (is_modifier_tag(file_, root)) {
      layout_.groups.push_back({"", "", {document_.root}});
    } else if (root.kind == doc::Kind::mapping) {
      find_in_mapping();
    } else {
      report_rootless(root);
    }
    return std::move(layout_);
  }

 private:
  const Node& node(NodeId id) const { return document_[document_.resolve(id)]; }

  bool holds_modifiers(NodeId id) const { return sparseml::holds_modifiers(file_, document_, id); }

  void report_rootless(const Node& root) {
    if (is_null(root)) {
      sink_.report(diag::empty_document, root.span);
    } else if (holds_modifiers(document_.root)) {
      sink_.report(diag::modifiers_key_name, root.span, "the whole document", "is not under a key")
          .with_help("put the list under a key `modifiers:`")
          .with_fix(under_a_key(root));
    } else {
      sink_.report(diag::empty_recipe, {root.span.begin, root.span.begin}, "this file contains no list of modifiers");
    }
  }

  // Adds a key above the list. The list needs no more indentation if it begins its line.
  diag::Fix under_a_key(const Node& list) const {
    const source::Span line = file_.line_span(file_.position(list.span.begin).line);
    const bool begins = list.style == doc::Style::block && line.begin == list.span.begin && list.tag_span.empty() &&
                        list.anchor_span.empty();
    return begins ? diag::Fix::safe().replace({line.begin, line.begin}, "modifiers:\n") : diag::Fix();
  }

  std::vector<Section> read_sections(NodeId mapping, bool top) {
    std::vector<Section> sections;
    for (const auto& [key, value, name] : doc::entries(document_, mapping, sink_)) {
      if (const auto* text = std::get_if<std::string>(&name)) {
        sections.push_back({*text, key, value});
      } else {
        sink_.report(diag::key_not_text, document_[key].span, source::describe({name, {}}))
            .with_help(top ? "put the key in quotes" : "");
      }
    }
    return sections;
  }

  // A stage is a mapping with a key that contains `modifiers`, whatever the value of that key.
  bool is_stage(const Section& section) {
    const Node& mapping = node(section.value);
    if (mapping.kind != doc::Kind::mapping) {
      return false;
    }
    for (std::size_t at = 0; at < mapping.items.size(); at += 2) {
      if (document_[mapping.items[at]].text.find("modifiers") != std::string_view::npos) {
        return true;
      }
    }
    return false;
  }

  void find_in_mapping() {
    std::vector<Section> all = read_sections(document_.root, true);
    const bool at_top = std::ranges::any_of(all, names_modifiers);
    for (Section& section : all) {
      if (is_stage(section)) {
        layout_.stages.push_back(
            {section.name, document_[section.key].span, read_sections(document_.resolve(section.value), false)});
        layout_.stages_dropped = at_top;
        if (at_top) {
          report_dropped_stage(section);
        }
      } else {
        layout_.sections.push_back(std::move(section));
      }
    }
    add_groups("", layout_.sections);
    if (!at_top) {
      for (const Stage& stage : layout_.stages) {
        add_groups(stage.name, stage.sections);
      }
    }
    const bool empty = !misplaced_reported_ &&
                       std::ranges::all_of(layout_.groups, [](const Group& group) { return group.items.empty(); });
    for (const Section& section : without_list_) {
      report_without_list(section, empty);
    }
    if (empty && without_list_.empty()) {
      report_empty();
    }
  }

  void report_dropped_stage(const Section& section) {
    const Node& mapping = node(section.value);
    const bool drops_modifiers = std::ranges::any_of(mapping.items, [&](NodeId item) { return holds_modifiers(item); });
    if (drops_modifiers) {
      auto& report = sink_.report(diag::stage_beside_modifiers, document_[section.key].span, section.name);
      report.with_caret("ignored").with_help(
          fmt::format("move the top-level modifiers into a stage, or those of `{}` out of it", section.name));
      label_causes(report);
      misplaced_reported_ = layout_.drop_reported = true;
    }
  }

  // Labels the groups outside any stage, and the first expressions, which SparseML then does not evaluate.
  void label_causes(diag::Diagnostic& report) const {
    const Node& root = document_[document_.root];
    for (std::size_t at = 0; at + 1 < root.items.size(); at += 2) {
      const bool group = document_[root.items[at]].text.find("modifiers") != std::string_view::npos;
      if (group) report.with_label(document_[root.items[at]].span, "outside any stage");
    }
    std::size_t left = 3;
    for (const Node& node : document_.nodes) {
      if (left > 0 && node.kind == doc::Kind::scalar && node.text.starts_with("eval(")) {
        report.with_label(node.span, "not evaluated for the same reason");
        --left;
      }
    }
  }

  void add_groups(const std::string& stage, const std::vector<Section>& sections) {
    for (const Section& section : sections) {
      const Node& value = node(section.value);
      if (is_lone_modifier(file_, value) && std::ranges::any_of(sections, names_modifiers)) {
        layout_.groups.push_back({section.name, stage, {document_.resolve(section.value)}});
        group_keys_.push_back(section.key);
      } else if (names_modifiers(section)) {
        add_group(stage, section, value);
      } else if (holds_modifiers(section.value)) {
        static constexpr std::string_view kUsual[] = {"modifiers"};
        const std::string meant = base::nearest(section.name, kUsual) ? "modifiers" : section.name + "_modifiers";
        sink_
            .report(diag::modifiers_key_name, document_[section.key].span, fmt::format("the list `{}`", section.name),
                    "its key does not contain `modifiers`")
            .with_help(fmt::format("rename the key to `{}`", meant))
            .with_fix(std::ranges::find(sections, meant, &Section::name) == sections.end()
                          ? diag::Fix::safe().content(document_[section.key].span, meant)
                          : diag::Fix());
        misplaced_reported_ = true;
      } else if (value.kind == doc::Kind::mapping) {
        report_buried(section, value);
      }
    }
  }

  void add_group(const std::string& stage, const Section& section, const Node& value) {
    if (value.kind == doc::Kind::sequence) {
      layout_.groups.push_back({section.name, stage, value.items});
      group_keys_.push_back(section.key);
    } else if (is_modifier_tag(file_, value)) {
      misplaced_reported_ = true;  // reported by check_text()
    } else {
      without_list_.push_back(section);
    }
  }

  // Reports modifiers nested deeper than a stage, where SparseML does not search.
  void report_buried(const Section& section, const Node& mapping) {
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const Node& value = node(mapping.items[at + 1]);
      const bool buried = holds_modifiers(mapping.items[at + 1]) ||
                          (value.kind == doc::Kind::mapping &&
                           std::ranges::any_of(value.items, [&](NodeId item) { return holds_modifiers(item); }));
      if (buried) {
        sink_.report(diag::misplaced_group, document_[mapping.items[at]].span,
                     fmt::format("the modifiers inside `{}` are", section.name), "they are nested too deeply");
        misplaced_reported_ = true;
      }
    }
  }

  // SparseML skips such a key, so it is an error only in a recipe without other modifiers.
  void report_without_list(const Section& section, bool empty) {
    const source::Span key = document_[section.key].span;
    const std::string name = section.name;
    if (is_null(node(section.value))) {
      sink_.report(diag::null_section, key, name, "has no value")
          .with_severity(empty ? diag::Severity::error : diag::Severity::warning)
          .with_help("add a list of modifiers under the key, or delete the key");
    } else if (empty) {
      sink_
          .report(diag::empty_recipe, key,
                  fmt::format("`{}` is not a list, and this recipe has no other modifiers", name))
          .with_help("write each modifier as a list item: `- !`, its name, and its fields below");
    } else {
      sink_.report(diag::group_without_list, key, name);
    }
  }

  void report_empty() {
    if (group_keys_.empty()) {
      const std::uint32_t begin = document_[document_.root].span.begin;
      sink_.report(diag::empty_recipe, {begin, begin}, "this recipe has no list of modifiers under any key");
      return;
    }
    const bool one = group_keys_.size() == 1;
    sink_.report(diag::empty_recipe, document_[group_keys_.front()].span,
                 one ? fmt::format("the list `{}` is empty", layout_.groups.front().name)
                     : "all lists of modifiers in this recipe are empty");
  }

  const source::SourceFile& file_;
  const Document& document_;
  diag::Sink& sink_;
  Layout layout_;
  std::vector<NodeId> group_keys_;     // the keys of layout_.groups
  std::vector<Section> without_list_;  // keys that contain `modifiers` but are not groups
  bool misplaced_reported_ = false;    // true after modifiers in a place that SparseML ignores were reported
};

// Reports a list under a key other than `modifiers`, which the 2020 releases ignore.
static void report_unread(const Document& document, const Section& section, bool found, diag::Sink& sink) {
  const std::string name = section.name;
  constexpr std::string_view kAlone = "SparseML releases of 2020 read only the key `modifiers`";
  if (found) {
    sink.report(diag::misplaced_group, document[section.key].span, fmt::format("the modifiers in `{}` are", name),
                kAlone)
        .with_help("move them into the list `modifiers`");
  } else {
    sink.report(diag::modifiers_key_name, document[section.key].span, fmt::format("the list `{}`", name), kAlone)
        .with_help("rename the key to `modifiers`");
  }
}

// Same as holds_modifiers(), for tags of 2020, which may begin with the framework name.
static bool holds_modifiers_of_2020(const source::SourceFile& file, const Document& document, NodeId id) {
  const Node& list = document[document.resolve(id)];
  return holds_modifiers(file, document, id) ||
         (list.kind == doc::Kind::sequence && std::ranges::any_of(list.items, [&](NodeId item) {
            return document[document.resolve(item)].tag.starts_with("!pytorch.");
          }));
}

// Returns the lists of modifiers that are the value `under` or values of that mapping.
static std::vector<NodeId> lists_of_2020(const source::SourceFile& file, const Document& document, NodeId under) {
  std::vector<NodeId> lists;
  const Node& value = document[document.resolve(under)];
  if (holds_modifiers_of_2020(file, document, under)) {
    lists.push_back(document.resolve(under));
  }
  for (const NodeId item : value.kind == doc::Kind::mapping ? value.items : std::vector<NodeId>()) {
    if (holds_modifiers_of_2020(file, document, item)) lists.push_back(document.resolve(item));
  }
  return lists;
}

Layout find_groups_of_2020(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  Layout layout;
  const Node& root = document[document.root];
  if (!root.tag_span.empty()) {
    layout.groups.push_back({"", "", {document.root}});
    return layout;
  }
  if (root.kind == doc::Kind::sequence) {
    layout.groups.push_back({"", "", root.items});
    return layout;
  }
  for (const auto& [key, value, unused] : doc::entries(document, document.root, sink)) {
    layout.sections.push_back({std::string(document[document.resolve(key)].text), key, value});
  }
  const auto list = std::ranges::find(layout.sections, "modifiers", &Section::name);
  const bool found =
      list != layout.sections.end() && document[document.resolve(list->value)].kind == doc::Kind::sequence;
  for (const Section& section : layout.sections) {
    const std::vector<NodeId> lists =
        section.name == "modifiers" ? std::vector<NodeId>() : lists_of_2020(file, document, section.value);
    if (!lists.empty()) report_unread(document, section, found, sink);
    for (const NodeId id : lists) layout.dropped.push_back({section.name, "", document[id].items});
  }
  if (found) {
    layout.groups.push_back({"modifiers", "", document[document.resolve(list->value)].items});
  } else if (layout.dropped.empty()) {
    sink.report(diag::empty_recipe, {root.span.begin, root.span.begin},
                "this recipe has no list under the key `modifiers`")
        .with_help("move the modifiers into a list under `modifiers:`");
  }
  return layout;
}

Layout find_groups(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  return LayoutFinder(file, document, sink).find();
}

}  // namespace sparsecfg::dialect::sparseml
