#include "doc/fixes.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "doc/places.h"
#include "doc/readers.h"

namespace sparsecfg::doc {

using diag::Edit;
using source::Span;

namespace {

// A part of a collection: an entry of a mapping (key and value) or an item of a list.
struct Part {
  const Node* parent;
  std::size_t at;     // index among the entries or items
  std::size_t count;  // number of entries or items
  NodeId first;       // the key or the item
  NodeId last;        // the value or the item
};

}  // namespace

static bool is_blank(std::string_view text) { return base::trim(text).empty(); }

// Returns true if the rest of a line after removed text is blank or a comment.
static bool is_comment(std::string_view text) { return is_blank(text) || base::trim(text).starts_with('#'); }

// Returns true if the first line ends in a carriage return and a line feed.
static bool has_pairs(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

class FixSettler : Places {
 public:
  FixSettler(const source::SourceFile& file, const Document& document, Language language)
      : Places(file.text(), document),
        document_(&document),
        language_(language),
        text_(file.text()),
        break_(has_pairs(text_) ? "\r\n" : "\n"),
        script_(document[document.root].tag == kScriptTag) {
    for (const Node& node : document.nodes) {
      if (language == Language::python && node.kind == Kind::mapping && !node.items.empty()) mappings_.push_back(&node);
      for (std::size_t at = 0; at < node.items.size(); ++at) {
        places_.push_back({document[node.items[at]].span, &node, at});
      }
      if (node.kind == Kind::alias) {
        shared_.push_back({begin_of(node.target), end_of(node.target)});
        anchors_.push_back(document[node.target].anchor_span);
      }
    }
    std::ranges::stable_sort(places_, {}, &Place::span);
    std::ranges::sort(anchors_);
    keep_outermost(shared_);
  }

  // Returns how the mapping around a place in a script writes its keys.
  Keys keys_at(Span span) const {
    const Node* innermost = nullptr;
    for (const Node* node : mappings_) {
      const bool around = node->span.begin <= span.begin && span.end <= node->span.end;
      const bool smaller =
          innermost == nullptr || node->span.end - node->span.begin < innermost->span.end - innermost->span.begin;
      if (around && smaller) innermost = node;
    }
    return innermost == nullptr ? Keys::keywords : keys_of(*innermost);
  }

  // Returns false if the fix can't be applied.
  bool resolve(diag::Fix& fix) const {
    for (Edit& edit : fix.edits) {
      if (!resolve(edit) || touches_anchor(edit.span)) {
        return false;
      }
      if (is_shared(edit.span)) {
        fix.kind = diag::Fix::Kind::unsafe;
      }
    }
    return true;
  }

 private:
  // Position of a key, value or item, and its index in the collection.
  struct Place {
    Span span;
    const Node* parent;
    std::size_t at;
  };

  using Places::text;

  std::string_view text(Span span) const { return text(span.begin, span.end); }

  bool touches_anchor(Span span) const {
    const auto anchor = std::ranges::lower_bound(anchors_, span.begin, {}, &Span::begin);
    return anchor != anchors_.end() && anchor->end <= span.end;
  }

  bool is_shared(Span span) const {
    const auto after = std::ranges::upper_bound(shared_, span.begin, {}, &Span::begin);
    return after != shared_.begin() && span.end <= std::prev(after)->end;
  }

  // Keeps the outermost spans. Spans of tree nodes are nested or disjoint.
  static void keep_outermost(std::vector<Span>& spans) {
    std::ranges::sort(spans, [](Span a, Span b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<Span> outermost;
    for (const Span span : spans) {
      if (outermost.empty() || span.end > outermost.back().end) outermost.push_back(span);
    }
    spans = std::move(outermost);
  }

  // --- edits ----------------------------------------------------------------------------------------

  bool resolve(Edit& edit) const {
    switch (edit.kind) {
      case Edit::Kind::replace: return replace(edit);
      case Edit::Kind::content: return become(edit, edit.span, rewritten(edit));
      case Edit::Kind::list: return become(edit, edit.span, list_of_scalar(text(edit.span)));
      case Edit::Kind::copy: return become(edit, edit.span, std::string(text(edit.other)));
      case Edit::Kind::remove: return remove(edit);
      case Edit::Kind::add: return add(edit);
      case Edit::Kind::append: return append(edit);
      case Edit::Kind::indent: return indent(edit);
      case Edit::Kind::split: return copy_after(edit, true);
      case Edit::Kind::repeat: return copy_after(edit, false);
    }
    return false;
  }

  // Writes a new value in the language of the file. Text that is not a whole value has no meaning in a script.
  bool replace(Edit& edit) const {
    const bool node = place_at(edit.span) != nullptr;
    if (language_ == Language::yaml || (!node && language_ == Language::json) || edit.text.empty()) {
      return become(edit, edit.span, with_breaks(edit));
    }
    return node && become(edit, edit.span, value_in(language_, edit.text));
  }

  // Returns the text for a new content of a scalar, or of the name of an argument.
  std::optional<std::string> rewritten(const Edit& edit) const {
    const std::string_view written = text(edit.span);
    const bool name = language_ == Language::python && !written.empty() && base::is_letter(written.front()) &&
                      std::ranges::all_of(written, base::is_name_letter);
    if (!name) return rewrite_scalar(written, edit.text, script_ || language_ == Language::python);
    return std::ranges::all_of(edit.text, base::is_name_letter) ? std::optional(edit.text) : std::nullopt;
  }

  // Returns the key, value or item with this span, or null.
  const Place* place_at(Span span) const {
    const auto found = std::ranges::lower_bound(places_, span, {}, &Place::span);
    return found != places_.end() && found->span == span ? &*found : nullptr;
  }

  // The last entry shows how keys are written: positional arguments come first, and their keys are at their values.
  Keys keys_of(const Node& mapping) const {
    if (mapping.items.empty()) return Keys::keywords;
    const NodeId id = mapping.items[mapping.items.size() - 2];
    const std::string_view key = text({begin_of(id), end_of(id)});
    const bool positional = begin_of(id) == begin_of(mapping.items.back());
    return !positional && (key.starts_with('"') || key.starts_with('\'')) ? Keys::quoted : Keys::keywords;
  }

  // Returns true if the text between two offsets consists of punctuation. In a script, the parts of a value can be
  // anywhere.
  bool only_punctuation(std::uint32_t begin, std::uint32_t end) const {
    return begin <= end && text(begin, end).find_first_not_of(" \t\r\n,=:") == std::string_view::npos;
  }

  bool is_in_place(const Part& part) const {
    return language_ != Language::python || part.first == part.last ||
           only_punctuation(end_of(part.first), begin_of(part.last));
  }

  // Gives added lines the same line breaks as the rest of the file.
  std::string with_breaks(const Edit& edit) const {
    std::string out;
    for (const char c : edit.text) {
      out += c == '\n' ? break_ : std::string_view(&c, 1);
    }
    return out;
  }

  static bool become(Edit& edit, Span span, std::optional<std::string> text) {
    if (text) {
      edit = {Edit::Kind::replace, span, std::move(*text), {}};
    }
    return text.has_value();
  }

  std::optional<Part> part_at(Span span) const {
    const Place* place = place_at(span);
    if (place == nullptr) {
      return std::nullopt;
    }
    const Node* parent = place->parent;
    const std::size_t at = place->at;
    if (parent->kind == Kind::sequence) {
      return Part{parent, at, parent->items.size(), parent->items[at], parent->items[at]};
    }
    const bool key = at % 2 == 0 && at + 1 < parent->items.size();
    return key ? std::optional(Part{parent, at / 2, parent->items.size() / 2, parent->items[at], parent->items[at + 1]})
               : std::nullopt;
  }

  bool remove(Edit& edit) const {
    const auto part = part_at(edit.span);
    if (!part || !is_in_place(*part)) {
      return false;
    }
    const auto span = part->parent->style == Style::flow ? removable_argument(*part) : removable_lines(*part);
    return span && become(edit, *span, "");
  }

  // Returns the whole line of an argument of a script, with its comment. Other parts share their line.
  std::optional<Span> removable_argument(const Part& part) const {
    const std::uint32_t begin = begin_of(part.first);
    const std::uint32_t end = end_of(part.last);
    const std::uint32_t line = line_begin(begin);
    const std::string_view after = base::trim(text(end, line_end(end)));
    const bool alone = language_ == Language::python && part.count > 1 && is_blank(text(line, begin)) &&
                       after.starts_with(',') && is_comment(after.substr(1)) && next_line(end) > line_end(end);
    return alone ? std::optional(Span{line, next_line(end)}) : removable_in_brackets(part);
  }

  // Includes the preceding comma, or the following comma for the first part.
  std::optional<Span> removable_in_brackets(const Part& part) const {
    const std::size_t step = part.parent->kind == Kind::mapping ? 2 : 1;
    const std::uint32_t end = end_of(part.last);
    if (part.at > 0) {
      const std::uint32_t before = end_of(part.parent->items[part.at * step - 1]);
      return only_punctuation(before, begin_of(part.first)) ? std::optional(Span{before, end}) : std::nullopt;
    }
    if (part.count > 1) {
      const std::uint32_t next = begin_of(part.parent->items[step]);
      return only_punctuation(end, next) ? std::optional(Span{begin_of(part.first), next}) : std::nullopt;
    }
    return std::nullopt;
  }

  // Returns whole lines. If the first key follows the dash of an item, the next key moves up to the dash.
  std::optional<Span> removable_lines(const Part& part) const {
    const std::uint32_t begin = begin_of(part.first);
    const std::uint32_t end = end_of(part.last);
    const std::uint32_t line = line_begin(begin);
    const std::string_view before = text(line, begin);
    const bool mapping = part.parent->kind == Kind::mapping;
    const bool tagged = !part.parent->tag_span.empty();
    if (!is_comment(text(end, line_end(end))) || (part.count == 1 && !(mapping && tagged))) {
      return std::nullopt;
    }
    if (mapping ? is_blank(before) : base::trim(before) == "-") {
      return Span{line, next_line(end)};
    }
    const bool first = mapping && base::trim(before) == "-" && part.count > 1;
    const std::uint32_t next = first ? begin_of(part.parent->items[2]) : 0;
    return first && is_blank(text(next_line(end), next)) ? std::optional(Span{begin, next}) : std::nullopt;
  }

  bool add(Edit& edit) const {
    const auto part = part_at(edit.span);
    if (!part || part->parent->kind != Kind::mapping || !is_in_place(*part)) {
      return false;
    }
    const std::uint32_t end = end_of(part->last);
    if (language_ != Language::yaml) {
      const auto entry = entry_in(language_, keys_of(*part->parent), edit.text);
      return entry && become(edit, {end, end}, ", " + *entry);
    }
    if (part->parent->style == Style::flow) {
      return become(edit, {end, end}, ", " + quoted_like(text(edit.span), edit.text));
    }
    const std::uint32_t line = line_begin(edit.span.begin);
    const std::uint32_t at = line_end(end);
    std::string indentation(text(line, edit.span.begin));
    if (!is_blank(indentation) && base::trim(indentation) != "-") {
      return false;
    }
    std::ranges::replace(indentation, '-', ' ');
    return become(edit, {at, at}, std::string(break_) + indentation + edit.text);
  }

  // Adds an item to a list.
  bool append(Edit& edit) const {
    const Place* place = place_at(edit.span);
    const Node* list = place == nullptr ? nullptr : &(*document_)[place->parent->items[place->at]];
    const auto item = value_in(language_, edit.text);
    if (list == nullptr || list->kind != Kind::sequence || !item) {
      return false;
    }
    if (list->items.empty()) {
      return become(edit, edit.span, "[" + *item + "]");
    }
    const std::uint32_t end = end_of(list->items.back());
    if (list->style == Style::flow) {
      const std::string_view after = base::trim(text(end, std::max(end, edit.span.end)));
      const bool in_place = after.starts_with(']') || after.starts_with(',');
      return in_place && become(edit, {end, end}, ", " + *item);
    }
    const std::uint32_t line = line_begin(begin_of(list->items.back()));
    const std::string_view dash = text(line, begin_of(list->items.back()));
    const std::uint32_t at = line_end(end);
    return base::trim(dash) == "-" && become(edit, {at, at}, std::string(break_) + std::string(dash) + *item);
  }

  // Moves the lines of an entry to the right, below new keys.
  bool indent(Edit& edit) const {
    const auto part = part_at(edit.span);
    const std::uint32_t line = line_begin(edit.span.begin);
    if (!part || part->parent->style == Style::flow || !is_blank(text(line, edit.span.begin))) {
      return false;
    }
    const std::uint32_t end = line_end(end_of(part->last));
    std::string moved;
    std::string_view rest = edit.text;
    for (std::size_t at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n')) {
      moved += std::string(text(line, edit.span.begin)) + std::string(rest.substr(0, at)) + std::string(break_);
      rest.remove_prefix(at + 1);
    }
    for (std::uint32_t at = line; at < end; at = next_line(at)) {
      const std::string_view whole = text(at, std::min(next_line(at), end));
      moved += std::string(is_blank(whole) ? "" : rest) + std::string(whole);
      if (next_line(at) <= at) break;
    }
    return become(edit, {line, end}, std::move(moved));
  }

  // Copies an entry to a place after the list item that contains it, as the first entry of a new item or as a later
  // entry.
  bool copy_after(Edit& edit, bool first) const {
    const auto part = part_at(edit.span);
    if (!part || part->parent->kind != Kind::mapping || part->parent->style != Style::block) {
      return false;
    }
    const std::uint32_t item = part->parent->span.begin;
    std::string indentation(text(line_begin(item), item));
    const std::uint32_t at = next_line(end_of(part->parent->items.back()));
    if (base::trim(indentation) != "-" || line_begin(at) != at) {
      return false;
    }
    if (!first) {
      std::ranges::replace(indentation, '-', ' ');
    }
    const std::string entry(text(begin_of(part->first), end_of(part->last)));
    return become(edit, {at, at}, indentation + entry + std::string(break_));
  }

  // Quotes the key if the existing keys are quoted, as in JSON and scripts.
  static std::string quoted_like(std::string_view key, const std::string& entry) {
    const char quote = key.empty() ? ' ' : key.front();
    const std::size_t colon = entry.find(':');
    return quote == '"' || quote == '\'' ? quote + entry.substr(0, colon) + quote + entry.substr(colon) : entry;
  }

  const Document* document_;
  Language language_;
  std::vector<const Node*> mappings_;  // of a script, that are not empty
  std::string_view text_;
  std::string_view break_;  // line break for added lines
  bool script_;
  std::vector<Place> places_;  // all keys, values and items, in order
  std::vector<Span> shared_;   // nodes that aliases refer to, outermost only
  std::vector<Span> anchors_;  // anchors of these nodes, by position
};

Language language_of(const source::SourceFile& file, const Document* document) {
  const bool json = base::to_lower(base::ending_of(file.name())) == "json";
  const bool script = document != nullptr && (*document)[document->root].tag == kScriptTag;
  return json ? Language::json : script ? Language::python : Language::yaml;
}

// Converts help lines to the language of the file.
static void convert_help(const FixSettler& settler, Language language, std::vector<diag::Diagnostic>& diagnostics) {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    diagnostic.help = help_in(language, settler.keys_at(diagnostic.span), diagnostic.help);
  }
}

void resolve_fixes(const source::SourceFile& file, const Document* document, std::vector<diag::Diagnostic>& diagnostics,
                   Language language) {
  constexpr std::size_t kMaxFixes = 1000;  // per pass; --fix runs several passes
  std::size_t fixes = 0;
  std::optional<FixSettler> settler;
  if (language != Language::yaml && document != nullptr && !diagnostics.empty()) {
    settler.emplace(file, *document, language);
    convert_help(*settler, language, diagnostics);
  }
  for (diag::Diagnostic& diagnostic : diagnostics) {
    std::vector<Edit>& edits = diagnostic.fix.edits;
    if (edits.empty()) {
      continue;
    }
    const auto is_plain = [](const Edit& edit) { return edit.kind == Edit::Kind::replace; };
    if (!settler && document != nullptr) {
      settler.emplace(file, *document, language);
    }
    const bool settled = ++fixes > kMaxFixes ? false
                         : settler           ? settler->resolve(diagnostic.fix)
                                             : std::ranges::all_of(edits, is_plain);
    std::ranges::stable_sort(edits, {}, &Edit::span);
    const auto overlap = [](const Edit& one, const Edit& next) { return next.span.begin < one.span.end; };
    if (!settled || std::ranges::adjacent_find(edits, overlap) != edits.end()) {
      edits.clear();
    }
  }
}

}  // namespace sparsecfg::doc
