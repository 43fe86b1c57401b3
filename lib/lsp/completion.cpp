#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/text.h"
#include "lsp/features.h"
#include "lsp/schema.h"
#include "lsp/tree.h"
#include "lsp/words.h"

namespace sparsecfg::lsp {

using source::Span;

// Values of `CompletionItemKind` in the protocol.
enum class ItemKind : int { field = 5, variable = 6, class_ = 7, property = 10, value = 12, reference = 18 };

// Replaces the word at the cursor, so that an incomplete document can be parsed.
constexpr std::string_view kPlaceholder = "sparsecfg0placeholder";

// The parsed part of a document with the placeholder in it.
struct Probe {
  std::unique_ptr<source::SourceFile> file;
  doc::Document tree;
  std::vector<Step> steps;  // path to the placeholder
};

// A part of a document, and the span of the typed word in it.
struct Excerpt {
  std::string text;
  Span typed;
};

// Parses an excerpt after replacing the typed word.
static std::optional<Probe> read_probe(const Document& document, const Excerpt& excerpt, const std::string& middle,
                                       const doc::Limits& limits) {
  std::string text = excerpt.text;
  const std::uint32_t begin = excerpt.typed.begin;
  text.replace(begin, excerpt.typed.end - begin, middle);
  auto file = std::make_unique<source::SourceFile>(document.path(), std::move(text));
  auto tree = read_tree(*file, limits);
  if (!tree) {
    return std::nullopt;
  }
  const NodeSpans spans(file->text(), *tree);
  std::vector<Step> steps = steps_to(*tree, spans, begin + static_cast<std::uint32_t>(kPlaceholder.size()));
  const doc::Node& node = (*tree)[steps.back().node];
  if (node.kind != doc::Kind::scalar || node.text.find(kPlaceholder) == std::string_view::npos) {
    return std::nullopt;
  }
  return Probe{std::move(file), *std::move(tree), std::move(steps)};
}

// Returns true if only indentation and dashes precede a position in its line.
static bool begins_entry(const Text& text, std::uint32_t place) {
  const std::uint32_t begin = text.line(text.line_of(place)).begin;
  return std::string_view(text.bytes()).substr(begin, place - begin).find_first_not_of(" -") == std::string_view::npos;
}

// Returns the lines of the top-level entry that contains a position. The rest of the file may have errors.
static Span entry_around(const Text& text, std::uint32_t place) {
  const auto begins_here = [&](std::uint32_t line) {
    const Span span = text.line(line);
    return !span.empty() && (base::is_letter(text.bytes()[span.begin]) || text.bytes()[span.begin] == '_');
  };
  std::uint32_t first = text.line_of(place);
  while (first > 0 && !begins_here(first)) --first;
  std::uint32_t last = text.line_of(place) + 1;
  const auto end = static_cast<std::uint32_t>(text.bytes().size());
  while (text.line(last).begin < end && !begins_here(last)) ++last;
  return {text.line(first).begin, text.line(last).begin};
}

// --- excerpts ---------------------------------------------------------------------------------------

static Excerpt excerpt_of(std::string_view text, Span part, Span typed) {
  return {std::string(text.substr(part.begin, part.end - part.begin)),
          {typed.begin - part.begin, typed.end - part.begin}};
}

// A line of block style.
struct Line {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // of its line end
  std::uint32_t indent = 0;
  bool is_blank = true;  // or a comment
  bool is_item = false;  // begins with a dash
};

static Line line_at(std::string_view text, std::uint32_t offset) {
  const std::size_t last = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size() - 1) + 1;
  const std::string_view line = text.substr(begin, end - begin);
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(indent);
  const bool is_item = rest.starts_with('-') && rest.substr(1).find_first_of(" \r\n") == 0;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(indent),
          base::trim(rest).empty() || rest.starts_with('#'), is_item};
}

// Returns the first line of the list item around a place, or nullopt.
static std::optional<Line> item_start(std::string_view text, std::uint32_t place) {
  Line line = line_at(text, place);
  std::uint32_t indent = line.is_blank ? place - line.begin : line.indent;
  while (!line.is_item || line.is_blank || line.indent > indent) {
    if (line.begin == 0 || place - line.begin > limits::kMaxExcerpt) return std::nullopt;
    if (!line.is_blank) indent = std::min(indent, line.indent);
    line = line_at(text, line.begin - 1);
  }
  return line;
}

// Returns the lines that contain a line, one for each level.
static std::string lines_above(std::string_view text, Line inner) {
  std::string out;
  Line line = inner;
  while (line.begin > 0 && (inner.indent > 0 || inner.is_item)) {
    line = line_at(text, line.begin - 1);
    const bool is_key_of_list = inner.is_item && !line.is_item && line.indent == inner.indent;
    if (line.is_blank || (line.indent >= inner.indent && !is_key_of_list)) continue;
    out.insert(0, text.substr(line.begin, line.end - line.begin));
    inner = line;
  }
  return out;
}

// Returns the lines of the list item around a place and the lines that it is nested in, without the
// items next to them. Returns nullopt if there is no such item or if it is too large.
static std::optional<Excerpt> item_around(std::string_view text, Span typed) {
  const auto first = item_start(text, typed.begin);
  if (!first) {
    return std::nullopt;
  }
  std::uint32_t end = line_at(text, typed.begin).end;
  while (end < text.size() && end - first->begin <= limits::kMaxExcerpt) {
    const Line next = line_at(text, end);
    if (!next.is_blank && next.indent <= first->indent) break;
    end = next.end;
  }
  if (end - first->begin > limits::kMaxExcerpt) {
    return std::nullopt;
  }
  Excerpt out = excerpt_of(text, {first->begin, end}, typed);
  const std::string above = lines_above(text, *first);
  out.text.insert(0, above);
  out.typed.begin += static_cast<std::uint32_t>(above.size());
  out.typed.end += static_cast<std::uint32_t>(above.size());
  return out;
}

// Returns the parts of a document to parse until one has a tree.
static std::vector<Excerpt> excerpts(const Text& text, Span typed) {
  if (text.size() <= limits::kMaxExcerpt) {
    return {excerpt_of(text.bytes(), {0, text.size()}, typed),
            excerpt_of(text.bytes(), entry_around(text, typed.begin), typed)};
  }
  auto item = item_around(text.bytes(), typed);
  return item ? std::vector<Excerpt>{*std::move(item)} : std::vector<Excerpt>();
}

// Parses the text around the typed word. The word may be a key without its colon, a value, or the last item of a list
// without its bracket.
static std::optional<Probe> read_probe(const Document& document, Span typed, const doc::Limits& limits) {
  const std::string placeholder(kPlaceholder);
  const Text& text = document.text();
  std::vector<std::string> middles = {placeholder, placeholder + "]"};
  if (begins_entry(text, typed.begin) && text.bytes().compare(typed.end, 1, ":") != 0) {
    middles = {placeholder + ": 0", placeholder};
  }
  for (const Excerpt& excerpt : excerpts(text, typed)) {
    for (const std::string& middle : middles) {
      if (auto probe = read_probe(document, excerpt, middle, limits)) return probe;
    }
  }
  return std::nullopt;
}

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
    const Reading* good = document_.good();
    dialect_ = good != nullptr ? good->dialect : probe_ ? dialect::detect(probe_->tree) : dialect::detect(text_);
    if (dialect_ == nullptr || dialect_->schema == nullptr) {
      return items_;
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

  [[nodiscard]] SchemaPlace place_of(std::size_t steps) const {
    return SchemaPlace::of_step(*schema_, probe_->tree, std::span(probe_->steps).first(steps));
  }

  void add_for_place() {
    const std::vector<Step>& steps = probe_->steps;
    if (steps.back().is_key) {
      add_fields(place_of(steps.size() - 1), probe_->tree[steps[steps.size() - 2].node]);
      return;
    }
    const SchemaPlace place = place_of(steps.size());
    for (const std::string& value : place.values()) add(value, ItemKind::value, "");
    if (place.accepts_names()) add_names();
    if (dialect_->variables) add_variables("eval(");
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
      add(field.name, ItemKind::property, field.doc, has_colon ? field.name : field.name + ": ");
      Json& item = items_["items"].back();
      item["sortText"] = (field.required ? "0" : "1") + field.name;
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
    const Reading* good = document_.good();
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
  Document& document = workspace.document(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  return Completion(workspace, document, offset).run();
}

}  // namespace sparsecfg::lsp
