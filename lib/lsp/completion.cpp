#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/text.h"
#include "lsp/features.h"
#include "lsp/probe.h"
#include "lsp/schema.h"
#include "lsp/snippets.h"
#include "lsp/tree.h"
#include "lsp/words.h"

namespace sparsecfg::lsp {

using source::Span;

// Values of `CompletionItemKind` in the protocol.
enum class ItemKind : int {
  field = 5,
  variable = 6,
  class_ = 7,
  property = 10,
  value = 12,
  snippet = 15,
  reference = 18
};

class Completion {
 public:
  Completion(Workspace& workspace, Document& document, std::uint32_t offset)
      : workspace_(workspace), document_(document), offset_(offset), text_(document.text().bytes()) {
    const auto is_part = [](char c) { return base::is_name_letter(c) || c == '.' || c == '-'; };
    begin_ = offset;
    while (begin_ > 0 && is_part(text_[begin_ - 1])) --begin_;
    end_ = word_at(text_, offset).end;
  }

  Json run() {
    const doc::Limits& limits = workspace_.options_of(document_).compile.limits;
    const char before = begin_ == 0 ? '\n' : text_[begin_ - 1];
    probe_ = read_probe(document_, {begin_, end_}, limits);
    const Reading* good = document_.reading();
    dialect_ = good != nullptr ? good->dialect : probe_ ? dialect::detect(probe_->tree) : dialect::detect(text_);
    if (dialect_ == nullptr && is_empty()) {
      add_templates();
    }
    if (dialect_ == nullptr || dialect_->schema == nullptr) {
      return std::move(items_);
    }
    schema_ = &workspace_.schema_of(*dialect_, document_);
    if (before == '!') {
      add_classes();
    } else if (before == '*') {
      add_anchors();
    } else if (is_in_expression()) {
      add_variables("");
    } else if (probe_) {
      add_for_place();
    }
    return std::move(items_);
  }

 private:
  // --- the place -----------------------------------------------------------------------------------

  [[nodiscard]] bool is_in_expression() const {
    const Span line = document_.text().line(document_.text().line_of(offset_));
    const std::string_view before = std::string_view(text_).substr(line.begin, begin_ - line.begin);
    const std::size_t open = before.rfind("eval(");
    return open != std::string_view::npos && before.find(')', open) == std::string_view::npos;
  }

  // Returns true if the document has only comments besides the typed word, and is YAML.
  [[nodiscard]] bool is_empty() const {
    const std::string ending = base::to_lower(base::ending_of(document_.path()));
    if (text_.size() > limits::kMaxExcerpt || (ending != "yaml" && ending != "yml")) return false;
    std::string rest = text_;
    rest.erase(begin_, end_ - begin_);
    for (std::size_t at = 0; at < rest.size(); at = std::min(rest.find('\n', at), rest.size() - 1) + 1) {
      const std::string_view line = base::trim(std::string_view(rest).substr(at, rest.find('\n', at) - at));
      if (!line.empty() && !line.starts_with('#') && line != "---") return false;
    }
    return true;
  }

  [[nodiscard]] SchemaPlace place_of(std::size_t steps) const {
    return SchemaPlace::of_step(*schema_, probe_->tree, std::span(probe_->steps).first(steps));
  }

  void add_for_place() {
    const std::vector<Step>& steps = probe_->steps;
    if (steps.back().is_key) {
      const SchemaPlace place = place_of(steps.size() - 1);
      const doc::Node& mapping = probe_->tree[steps[steps.size() - 2].node];
      const bool is_new_item = mapping.items.size() == 2 && steps.size() > 2 && !steps[steps.size() - 2].key;
      if (!is_new_item || !add_tagged_items(place)) add_fields(place, mapping);
      return;
    }
    if (steps.back().key && probe_->tree[*steps.back().key].text == "instance_name") {
      add_instances();
    }
    const SchemaPlace place = place_of(steps.size());
    for (const std::string& value : place.values()) add_value(value);
    if (place.accepts_names()) add_names();
    if (dialect_->variables) add_variables("eval(");
  }

  // Adds the instances of the section that a policy of Distiller selects from: `pruner` selects from `pruners`.
  void add_instances() {
    const std::vector<Step>& steps = probe_->steps;
    const doc::Document& tree = probe_->tree;
    const auto key = steps.size() > 2 ? steps[steps.size() - 2].key : std::nullopt;
    const doc::Node& root = tree[tree.root];
    for (std::size_t at = 0; key && at + 1 < root.items.size(); at += 2) {
      if (tree[root.items[at]].text != std::string(tree[*key].text) + "s") continue;
      const doc::Node& section = tree[root.items[at + 1]];
      for (std::size_t name = 0; name + 1 < section.items.size(); name += 2) {
        add(std::string(tree[section.items[name]].text), ItemKind::reference, "");
      }
    }
  }

  // --- the items -----------------------------------------------------------------------------------

  void add(const std::string& label, ItemKind kind, const std::string& doc, const std::string& insert = {}) {
    const std::string& text = insert.empty() ? label : insert;
    Json item = {{"label", label},
                 {"kind", static_cast<int>(kind)},
                 {"textEdit", edit_json(document_.text().range({begin_, end_}), text)}};
    if (!doc.empty()) item["documentation"] = markdown(doc);
    items_["items"].push_back(std::move(item));
  }

  // Adds an item that inserts several lines with places to fill in. The lines are already indented.
  void add_snippet(const std::string& label, ItemKind kind, const std::string& doc, const std::string& snippet) {
    add(label, kind, doc, workspace_.accepts_snippets ? snippet : without_places(snippet));
    Json& item = items_["items"].back();
    item["insertTextMode"] = 1;  // as it is
    if (workspace_.accepts_snippets) item["insertTextFormat"] = 2;
  }

  [[nodiscard]] std::size_t column() const {
    return begin_ - document_.text().line(document_.text().line_of(begin_)).begin;
  }

  // Adds the classes of a new list item with their starting fields. Returns false if the items have no tags.
  bool add_tagged_items(const SchemaPlace& place) {
    const std::vector<SchemaPlace::Field> tags = place.tags();
    for (const SchemaPlace::Field& tag : tags) {
      const std::string fields = starting_fields(SchemaPlace(*schema_).of_class(tag.name.substr(1)), column());
      add_snippet(tag.name, ItemKind::class_, tag.doc, tag.name + fields);
    }
    return !tags.empty();
  }

  void add_templates() {
    for (const Template& each : templates()) {
      add_snippet(std::string(each.name), ItemKind::snippet, std::string(each.doc), std::string(each.text));
    }
  }

  // Adds a known value. It is written as JSON in a JSON file, and without quotes of its own within quotes.
  void add_value(std::string value) {
    const char before = begin_ == 0 ? '\n' : text_[begin_ - 1];
    const bool is_quoted = value.size() > 1 && value.front() == '"';
    if (before == '"' || before == '\'') {
      if (is_quoted) value = value.substr(1, value.size() - 2);
    } else if (!is_quoted && base::to_lower(base::ending_of(document_.path())) == "json" && !Json::accept(value)) {
      value = "\"" + value + "\"";
    }
    add(value, ItemKind::value, "");
  }

  void note_count(std::size_t count) {
    if (count > limits::kMaxOfferedNames) items_["isIncomplete"] = true;
  }

  // Adds the fields that the mapping does not have yet, required ones first. Fields without effect are omitted.
  void add_fields(const SchemaPlace& place, const doc::Node& mapping) {
    std::set<std::string_view> present;
    for (std::size_t at = 0; at < mapping.items.size(); at += 2) present.insert(probe_->tree[mapping.items[at]].text);
    const bool has_colon = text_.compare(end_, 1, ":") == 0;
    for (const SchemaPlace::Field& field : place.fields()) {
      if (present.contains(field.name) || field.has_no_effect) continue;
      const SchemaPlace value = place.under(field.name);
      const bool is_class = !has_colon && value.class_name() == field.name;
      const std::string fields = is_class ? starting_fields(value, column() + 2) : "";
      if (!fields.empty()) {
        add_snippet(field.name, ItemKind::class_, field.doc, field.name + ":" + fields);
      } else {
        add(field.name, ItemKind::property, field.doc, has_colon ? field.name : field.name + ": ");
      }
      Json& item = items_["items"].back();
      item["sortText"] = (field.required ? "0" : field.is_deprecated ? "2" : "1") + field.name;
      if (field.is_deprecated) item["tags"] = {1};
      if (field.required) item["detail"] = "required";
    }
  }

  void add_classes() {
    for (const SchemaPlace::Field& each : SchemaPlace::classes(*schema_)) add(each.name, ItemKind::class_, each.doc);
  }

  void add_anchors() {
    std::set<std::string> names;
    for (std::size_t at = text_.find('&'); at != std::string::npos; at = text_.find('&', at + 1)) {
      const Span name = word_at(text_, static_cast<std::uint32_t>(at + 1));
      if (name.begin == at + 1 && !name.empty() && at < begin_) names.insert(text_.substr(at + 1, name.end - at - 1));
    }
    std::size_t count = 0;
    for (const std::string& name : names) {
      if (++count > limits::kMaxOfferedNames) break;
      add(name, ItemKind::reference, "");
    }
    note_count(count);
  }

  // Adds the variables. `open` is the start of an expression, "eval(", or empty within an expression.
  void add_variables(const std::string& open) {
    const Reading* good = document_.reading();
    const std::size_t count = good == nullptr ? 0 : good->compilation.recipe->variables.size();
    note_count(count);
    for (std::size_t at = 0; at < std::min(count, limits::kMaxOfferedNames); ++at) {
      const ir::Variable& variable = good->compilation.recipe->variables[at];
      const std::string text = open.empty() ? variable.name : open + variable.name + ")";
      add(text, ItemKind::variable, fmt::format("`{}`", value_text(variable.value)));
    }
  }

  // Adds the names of the model that contain the typed text: modules if the dialect selects modules, else parameters.
  void add_names() {
    const CompileOptions& options = workspace_.options_of(document_).compile;
    const model::ModelNames* names =
        dialect_->modules && options.modules != nullptr ? options.modules : options.parameters;
    const std::string_view typed = std::string_view(text_).substr(begin_, offset_ - begin_);
    std::size_t count = 0;
    for (std::size_t at = 0; names != nullptr && at < names->size(); ++at) {
      if ((*names)[at].empty() || (*names)[at].find(typed) == std::string::npos) continue;
      if (++count > limits::kMaxOfferedNames) break;
      add(base::printable((*names)[at]), ItemKind::reference, "");
    }
    note_count(count);
  }

  Workspace& workspace_;
  Document& document_;
  std::uint32_t offset_;
  const std::string& text_;
  std::uint32_t begin_ = 0;  // start of the typed word
  std::uint32_t end_ = 0;
  std::optional<Probe> probe_;
  const dialect::Dialect* dialect_ = nullptr;
  const Json* schema_ = nullptr;
  Json items_ = {{"isIncomplete", false}, {"items", Json::array()}};
};

Json completion(Workspace& workspace, const Json& params) {
  Document& document = workspace.document_while_typing(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  return Completion(workspace, document, offset).run();
}

}  // namespace sparsecfg::lsp
