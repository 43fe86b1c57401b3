#include "lsp/probe.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace sparsecfg::lsp {

using source::Span;

// Replaces the word at the cursor, so that an incomplete document can be parsed.
constexpr std::string_view kPlaceholder = "sparsecfg0placeholder";

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

// Returns the first line of the list item around a place; nullopt if there is none near it.
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

std::optional<Probe> read_probe(const Document& document, Span typed, const doc::Limits& limits) {
  const std::string placeholder(kPlaceholder);
  const Text& text = document.text();
  std::vector<std::string> middles = {placeholder, placeholder + "]"};
  if (begins_entry(text, typed.begin) && text.bytes().compare(typed.end, 1, ":") != 0) {
    middles = {placeholder + ": 0", placeholder};
  }
  // Behind the colon of a key, a value needs a space.
  if (typed.begin > 0 && text.bytes()[typed.begin - 1] == ':') middles = {" " + placeholder};
  for (const Excerpt& excerpt : excerpts(text, typed)) {
    for (const std::string& middle : middles) {
      if (auto probe = read_probe(document, excerpt, middle, limits)) return probe;
    }
  }
  return std::nullopt;
}

}  // namespace sparsecfg::lsp
