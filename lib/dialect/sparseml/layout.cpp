#include "dialect/sparseml/layout.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/sparseml/text_rules.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::sparseml {

using doc::Document;
using doc::Kind;
using doc::Node;
using doc::NodeId;

static bool names_modifiers(const Section& section) { return section.name.find("modifiers") != std::string::npos; }

static bool is_null(const Node& node) { return node.kind == Kind::scalar && node.text.empty() && node.style == doc::Style::plain; }

class LayoutFinder {
 public:
  LayoutFinder(const source::SourceFile& file, const Document& document, diag::Sink& sink)
      : file_(file), document_(document), sink_(sink) {}

  Layout find() {
    const Node& root = document_[document_.root];
    if (is_modifier_tag(file_, root)) {
      layout_.groups.push_back({"", "", {document_.root}});
    } else if (root.kind == Kind::mapping) {
      find_in_mapping();
    } else {
      report_rootless(root);
    }
    return std::move(layout_);
  }

 private:
  const Node& node(NodeId id) const { return document_[document_.resolve(id)]; }

  bool holds_modifiers(const Node& list) const {
    return list.kind == Kind::sequence &&
           std::ranges::any_of(list.items, [&](NodeId item) { return is_modifier_tag(file_, document_[item]); });
  }

  void report_rootless(const Node& root) {
    if (is_null(root)) {
      sink_.report(diag::empty_document, root.span);
    } else if (holds_modifiers(root)) {
      sink_.report(diag::modifiers_key_name, document_[root.items.front()].tag_span, "the whole document")
          .with_help("put the list under the key `modifiers:`");
    } else {
      sink_.report(diag::empty_recipe, {root.span.begin, root.span.begin}, "there is no list of modifiers in this file");
    }
  }

  std::vector<Section> read_sections(NodeId mapping, bool top) {
    std::vector<Section> sections;
    for (const auto& [key, value] : doc::entries(document_, mapping, sink_)) {
      const source::Value name = doc::construct(document_, key, sink_);
      if (const auto* text = name.get<std::string>()) {
        sections.push_back({*text, key, value});
      } else {
        sink_.report(diag::key_not_text, document_[key].span, source::describe(name)).with_help(top ? "put the key in quotes" : "");
      }
    }
    return sections;
  }

  // A stage is a mapping with a key that contains `modifiers`, whatever stands under that key.
  bool is_stage(const Section& section) {
    const Node& mapping = node(section.value);
    if (mapping.kind != Kind::mapping) {
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
        layout_.stages.push_back({section.name, document_[section.key].span, read_sections(document_.resolve(section.value), false)});
        layout_.stages_dropped = at_top;
        if (at_top) {
          report_dropped_stage(section);
        }
      } else {
        layout_.sections.push_back(std::move(section));
      }
    }
    take_groups("", layout_.sections);
    if (!at_top) {
      for (const Stage& stage : layout_.stages) {
        take_groups(stage.name, stage.sections);
      }
    }
    report_if_empty();
  }

  void report_dropped_stage(const Section& section) {
    const Node& mapping = node(section.value);
    const bool loses = std::ranges::any_of(mapping.items, [&](NodeId item) { return holds_modifiers(node(item)); });
    if (loses) {
      sink_.report(diag::misplaced_group, document_[section.key].span,
                   fmt::format("the stage `{}` is dropped, because there are modifiers at the top level too", base::printable(section.name)))
          .with_help("put the modifiers of the top level into a stage");
      lost_ = true;
    }
  }

  void take_groups(const std::string& stage, const std::vector<Section>& sections) {
    for (const Section& section : sections) {
      const Node& value = node(section.value);
      if (names_modifiers(section)) {
        take_group(stage, section, value);
      } else if (holds_modifiers(value)) {
        sink_.report(diag::modifiers_key_name, document_[section.key].span, fmt::format("the list `{}`", base::printable(section.name)))
            .with_help(fmt::format("call it `{}_modifiers`", base::printable(section.name)));
        lost_ = true;
      } else if (value.kind == Kind::mapping) {
        report_buried(section, value);
      }
    }
  }

  void take_group(const std::string& stage, const Section& section, const Node& value) {
    if (value.kind == Kind::sequence) {
      layout_.groups.push_back({section.name, stage, value.items});
    } else {
      sink_.report(diag::group_without_list, document_[section.key].span, base::printable(section.name));
    }
  }

  // Deeper than a stage nothing is looked for.
  void report_buried(const Section& section, const Node& mapping) {
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const Node& value = node(mapping.items[at + 1]);
      const bool buried = holds_modifiers(value) ||
                          (value.kind == Kind::mapping && std::ranges::any_of(value.items, [&](NodeId item) { return holds_modifiers(node(item)); }));
      if (buried) {
        sink_.report(diag::misplaced_group, document_[mapping.items[at]].span,
                     fmt::format("modifiers inside `{}` are never looked for", base::printable(section.name)));
        lost_ = true;
      }
    }
  }

  void report_if_empty() {
    const bool empty = std::ranges::all_of(layout_.groups, [](const Group& group) { return group.items.empty(); });
    if (!empty || lost_) {
      return;
    }
    const Node& root = document_[document_.root];
    const bool listed = !layout_.groups.empty();
    sink_.report(diag::empty_recipe, {root.span.begin, root.span.begin},
                 listed ? "the lists of modifiers in this recipe are empty" : "no key of this recipe holds a list of modifiers");
  }

  const source::SourceFile& file_;
  const Document& document_;
  diag::Sink& sink_;
  Layout layout_;
  bool lost_ = false;  // modifiers were found where they don't count, and that was reported
};

Layout find_groups(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  return LayoutFinder(file, document, sink).find();
}

}  // namespace sparsecfg::dialect::sparseml
