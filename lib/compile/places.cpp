#include "compile/places.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::places {

using source::Span;

std::uint32_t Origins::map(std::uint32_t offset, bool end) const {
  const auto after =
      std::ranges::upper_bound(pieces_, end && offset > 0 ? offset - 1 : offset, {}, &script::Piece::begin);
  if (after == pieces_.begin()) {
    return pieces_.empty() ? 0 : pieces_.front().span.begin;
  }
  const script::Piece& piece = *(after - 1);
  if (!piece.exact) {
    return end ? piece.span.end : piece.span.begin;
  }
  return std::min(piece.span.begin + (offset - piece.begin), piece.span.end);
}

Span Origins::map(Span span) const {
  const std::uint32_t begin = map(span.begin, false);
  return {begin, std::max(begin, span.empty() ? begin : map(span.end, true))};
}

// The edits of a fix are made for the derived text, so it is dropped.
void Origins::move(std::vector<diag::Diagnostic>& findings) const {
  for (diag::Diagnostic& finding : findings) {
    finding.span = map(finding.span);
    for (diag::Label& label : finding.labels) label.span = map(label.span);
    finding.fix = {};
  }
}

std::optional<Place> read_text(const source::SourceFile& file, Span part, const doc::Limits& limits) {
  diag::Sink sink;
  Place out;
  out.document = doc::read_yaml(file, part, limits, sink);
  out.dialect = out.document ? dialect::detect(*out.document) : dialect::detect(file.text(part));
  out.span = part;
  out.part = part;
  out.findings = sink.take();
  if (out.document) {
    mark_templates(*out.document, file);
  }
  return out.dialect == nullptr ? std::nullopt : std::optional(std::move(out));
}

static bool is_identifier(std::string_view text) {
  return !text.empty() && !base::is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; });
}

// `$name` in any place, and `{name}`, which YAML reads as a mapping, where it stands alone.
static bool is_template(const doc::Node& node, std::string_view written) {
  if (node.kind == doc::Kind::scalar) {
    return node.text.starts_with('$') && is_identifier(node.text.substr(1));
  }
  return node.kind == doc::Kind::mapping && node.style == doc::Style::flow && written.starts_with('{') &&
         written.ends_with('}') && is_identifier(written.substr(1, written.size() - 2));
}

void mark_templates(doc::Document& document, const source::SourceFile& file) {
  for (doc::Node& node : document.nodes) {
    if (is_template(node, file.text(node.span))) {
      node.kind = doc::Kind::scalar;
      node.style = doc::Style::double_quoted;
      node.tag = doc::kNotLiteralTag;
      node.text = "a program fills it in";
      node.items.clear();
    }
  }
}

static bool is_python(std::string_view language) {
  return language == "python" || language == "py" || language == "python3" || language == "ipython";
}

std::vector<Place> find_in_markdown(const source::SourceFile& file, const dialect::ReadOptions& options,
                                    const doc::Limits& limits) {
  std::vector<Place> out;
  Code code;
  for (const Fence& fence : find_fences(file.text())) {
    if (is_python(fence.language)) {
      code.parts.push_back(fence.content);
    } else if ((fence.language == "yaml" || fence.language == "yml") && may_have_recipes(file.text(fence.content))) {
      auto place = read_text(file, fence.content, limits);
      if (place && place->document && unwrap(*place->document)) {
        place->dialect = dialect::detect(*place->document);
      }
      if (place) {
        place->form = "fence";
        place->lines = {file.position(fence.content.begin).line, file.position(fence.content.end).line - 1, {}};
        out.push_back(std::move(*place));
      }
    }
  }
  for (Place& place : find_in_code(file, code, options, limits)) out.push_back(std::move(place));
  std::ranges::stable_sort(out, {}, &Place::span);
  return out;
}

static std::optional<doc::NodeId> member(const doc::Document& document, doc::NodeId id, std::string_view name) {
  const doc::Node& node = document[document.resolve(id)];
  for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
    if (document[document.resolve(node.items[at])].text == name) return document.resolve(node.items[at + 1]);
  }
  return std::nullopt;
}

bool unwrap(doc::Document& document) {
  const doc::NodeId root = document.root;
  for (const doc::NodeId outer : {root, member(document, root, "llmcompressor").value_or(root)}) {
    const auto inner = member(document, outer, "recipe");
    if (inner && document[*inner].kind == doc::Kind::mapping) {
      document.root = *inner;
      if (dialect::detect(document) != nullptr) return true;
      document.root = root;
    }
  }
  return false;
}

// Every recipe of a dialect with stages or tags names a modifier.
bool may_have_recipes(std::string_view text) { return text.find("Modifier") != std::string_view::npos; }

// A fence is three or more backticks or tildes; one that is as long closes it.
std::vector<Fence> find_fences(std::string_view markdown) {
  std::vector<Fence> out;
  std::optional<Fence> open;
  std::string_view marker;
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    std::string_view line = markdown.substr(at, end - at);
    const std::size_t begin = line.find_first_not_of(" \t>");
    line = begin == std::string_view::npos ? std::string_view() : line.substr(begin);
    const std::size_t run = line.empty() ? 0 : std::min(line.find_first_not_of(line.front()), line.size());
    const bool fence = run >= 3 && (line.front() == '`' || line.front() == '~');
    if (open && fence && line.front() == marker.front() && run >= marker.size()) {
      open->content.end = static_cast<std::uint32_t>(at);
      out.push_back(*std::exchange(open, std::nullopt));
    } else if (!open && fence) {
      marker = line.substr(0, run);
      std::string_view info = line.substr(run);
      info = info.substr(std::min(info.find_first_not_of(" {."), info.size()));
      info = info.substr(0, info.find_first_of(" \t\r,}{"));
      std::string language(info);
      std::ranges::transform(language, language.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
      open = Fence{std::move(language), {static_cast<std::uint32_t>(std::min(end + 1, markdown.size())), 0}};
    }
    at = end + 1;
  }
  return out;
}

}  // namespace sparsecfg::places
