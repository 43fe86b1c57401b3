#include "compile/places.h"

#include <algorithm>

#include "base/text.h"
#include "compile/shell.h"
#include "dialect/quantizers.h"

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

// Returns true if the edits of a fix have the same place in both texts.
bool Origins::keeps(const diag::Fix& fix) const {
  const auto stays = [&](Span span) {
    const auto after = std::ranges::upper_bound(pieces_, span.begin, {}, &script::Piece::begin);
    return after != pieces_.begin() && (after - 1)->exact && map(span) == span;
  };
  return std::ranges::all_of(
      fix.edits, [&](const diag::Edit& edit) { return stays(edit.span) && (edit.other.empty() || stays(edit.other)); });
}

// "helpers.py:12", or "helpers.py:12: text"
void Origins::add_name(Span span, std::string& text) const {
  const std::string name = name_of_ ? name_of_(span) : std::string();
  if (!name.empty()) text = text.empty() ? name : name + ": " + text;
}

// Drops fixes of the derived text.
void Origins::move(std::vector<diag::Diagnostic>& findings) const {
  for (diag::Diagnostic& finding : findings) {
    if (!keeps(finding.fix)) finding.fix = {};
    add_name(finding.span, finding.caret);
    finding.span = map(finding.span);
    for (diag::Label& label : finding.labels) {
      add_name(label.span, label.text);
      label.span = map(label.span);
    }
  }
}

std::optional<Place> read_text(const source::SourceFile& file, Span part, const doc::Limits& limits, bool wrapped) {
  diag::Sink sink;
  Place out;
  out.document = doc::read_yaml(file, part, limits, sink);
  out.wrapper = wrapped && out.document ? unwrap(*out.document) : Wrapper();
  if (out.wrapper.text) {
    part = content_of(file, *out.wrapper.text);
    out.document = doc::read_yaml(file, part, limits, sink);
    out.wrapper.arguments = {};
  }
  out.dialect = out.document                               ? dialect::detect(*out.document)
                : doc::has_line_of_recipe(file.text(part)) ? dialect::detect(file.text(part))
                                                           : nullptr;
  out.span = part;
  out.part = part;
  out.findings = sink.take();
  if (out.document) {
    fill_templates(*out.document, out.wrapper, file);
  }
  return out.dialect == nullptr ? std::nullopt : std::optional(std::move(out));
}

static bool is_shell(std::string_view language) {
  return language == "bash" || language == "sh" || language == "shell" || language == "zsh" || language == "console";
}

static bool is_python(std::string_view language) {
  return language == "python" || language == "py" || language == "python3" || language == "ipython";
}

// Returns true if code may construct objects of recipes.
static bool makes_objects(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
    return dialect->objects != nullptr && std::ranges::any_of(dialect->objects->words, has);
  });
}

enum class FenceKind : std::uint8_t { python, shell, yaml, other };

// Documents often name another language than that of the content, or none. Then the content decides.
static FenceKind kind_of(const Fence& fence, std::string_view content) {
  if (is_python(fence.language)) return FenceKind::python;
  if (fence.is_yaml()) return FenceKind::yaml;
  const bool shell = is_shell(fence.language);
  const bool unclear = shell || fence.language.empty() || fence.language == "text" || fence.language == "plaintext";
  if (unclear && makes_objects(content)) return FenceKind::python;
  if (shell) return FenceKind::shell;
  return unclear && content.find("_modifiers:") != std::string_view::npos ? FenceKind::yaml : FenceKind::other;
}

Found find_in_markdown(const source::SourceFile& file, const dialect::ReadOptions& options, const doc::Limits& limits) {
  Found blocks;
  Code code;
  for (const Fence& fence : find_fences(file.text())) {
    const FenceKind kind = kind_of(fence, file.text(fence.content));
    if (kind == FenceKind::python) {
      code.parts.push_back(fence.content);
    } else if (kind == FenceKind::shell) {
      add_commands(file, fence.content, blocks);
    } else if (kind == FenceKind::yaml && may_have_recipes(file.text(fence.content))) {
      if (auto place = read_text(file, fence.content, limits, true)) {
        place->form = "fence";
        place->lines = {file.position(fence.content.begin).line, file.position(fence.content.end).line - 1, {}};
        blocks.recipes.push_back(std::move(*place));
      }
    }
  }
  Found out = find_in_code(file, code, options, limits);
  std::ranges::move(blocks.recipes, std::back_inserter(out.recipes));
  out.served = std::move(blocks.served);
  out.trained = std::move(blocks.trained);
  std::ranges::stable_sort(out.recipes, {}, &Place::span);
  return out;
}

// Every recipe of a dialect with stages or tags names a modifier.
bool may_have_recipes(std::string_view text) { return text.find("Modifier") != std::string_view::npos; }

bool may_have_objects(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return makes_objects(text) || std::ranges::any_of(dialect::checkpoint::server_commands(), has) ||
         std::ranges::any_of(dialect::command_names(),
                             [&](const dialect::CommandNames& row) { return std::ranges::any_of(row.names, has); });
}

bool is_inside(std::string_view path, const dialect::Dialect& dialect) {
  const std::string_view module = dialect.module;
  return !module.empty() && path.starts_with(module) && path.substr(module.size()).starts_with('.');
}

std::vector<script::Ref> alternatives(const script::Ref& value) {
  if (!value->variants.empty()) return value->variants;
  if (value->kind != script::Value::Kind::unknown) return {value};
  std::vector<script::Ref> out;
  for (const script::Ref& item : value->items) {
    const bool plain =
        item != nullptr && item->kind != script::Value::Kind::function && item->kind != script::Value::Kind::unknown;
    if (plain) out.push_back(item);
  }
  return out;
}

std::string fingerprint(const doc::Document& document) {
  std::string out;
  for (const doc::Node& node : document.nodes) {
    out += std::to_string(node.items.size()) + ':' + std::to_string(node.text.size()) + ':';
    out += node.text;
    out += node.tag;
  }
  return out;
}

bool may_load_recipes(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has("recipe") && (has("llmcompressor") || has("oneshot(") || has("sparseml"));
}

// A fence has three or more backticks or tildes. A fence of the same length closes it.
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
