#include <algorithm>

#include "base/text.h"
#include "compile/places.h"
#include "diag/sink.h"
#include "dialect/dialects.h"
#include "python/token.h"

namespace sparsecfg::places {

using source::Span;

namespace {

// Scans the JSON of a notebook. Keeps only the sources of code cells, because outputs may be large.
class Notebook {
 public:
  explicit Notebook(std::string_view json) : json_(json) {}

  std::optional<Code> read() {
    if (!take('{')) {
      return std::nullopt;
    }
    bool has_cells = false;
    members([&](std::string_view key) {
      has_cells = has_cells || key == "cells";
      return key == "cells" ? items([&] { return cell(); }) : skip();
    });
    return has_cells ? std::optional(std::move(code_)) : std::nullopt;
  }

 private:
  void blanks() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }

  bool take(char c) {
    blanks();
    const bool there = at_ < json_.size() && json_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }

  // Returns the text between the quotes of a string, with its escapes.
  std::optional<std::string_view> string() {
    if (!take('"')) {
      return std::nullopt;
    }
    const std::size_t begin = at_;
    while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, json_.size());
    at_ = std::min(at_ + 1, json_.size());
    return json_.substr(begin, end - begin);
  }

  // Calls `read` for each member of an object after its opening brace. `read` returns false to stop.
  bool members(auto read) {
    if (take('}')) {
      return true;
    }
    do {
      const auto key = string();
      if (!key || !take(':') || !read(*key)) return false;
    } while (take(','));
    return take('}');
  }

  bool items(auto read) {
    if (!take('[')) {
      return skip();
    }
    if (take(']')) {
      return true;
    }
    do {
      if (!read()) return false;
    } while (take(','));
    return take(']');
  }

  // Skips any value.
  bool skip() {
    blanks();
    int depth = 0;
    do {
      const std::size_t next = json_.find_first_of("\"{}[],", at_);
      if (next == std::string_view::npos) return false;
      const char c = json_[next];
      at_ = next;
      if (c == '"') {
        if (!string()) return false;
        if (depth == 0) return true;
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return true;
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      ++at_;
      if (depth == 0 && c != ',') return true;
    } while (at_ < json_.size());
    return false;
  }

  bool cell() {
    if (!take('{')) {
      return false;
    }
    std::string_view type;
    std::vector<std::string_view> lines;
    const bool valid = members([&](std::string_view key) {
      if (key == "cell_type") {
        const auto text = string();
        type = text.value_or("");
        return text.has_value();
      }
      if (key != "source") return skip();
      blanks();
      return at_ < json_.size() && json_[at_] == '"' ? line(lines) : items([&] { return line(lines); });
    });
    ++cells_;
    if (type == "code") add_cell(lines);
    if (type == "markdown") add_markdown(lines);
    return valid;
  }

  bool line(std::vector<std::string_view>& lines) {
    const auto text = string();
    lines.push_back(text.value_or(""));
    return text.has_value();
  }

  std::uint32_t add_text(const std::vector<std::string_view>& lines) {
    const auto begin = static_cast<std::uint32_t>(code_.text.size());
    for (const std::string_view source : lines) add(source);
    code_.text += '\n';
    code_.cells.push_back({{begin, static_cast<std::uint32_t>(code_.text.size())}, cells_ - 1});
    return begin;
  }

  void add_recipe(Span span) {
    if (may_have_recipes(std::string_view(code_.text).substr(span.begin, span.end - span.begin))) {
      code_.recipes.push_back(span);
    }
  }

  void add_markdown(const std::vector<std::string_view>& lines) {
    const std::uint32_t begin = add_text(lines);
    for (const Fence& fence : find_fences(std::string_view(code_.text).substr(begin))) {
      if (fence.is_yaml()) add_recipe({begin + fence.content.begin, begin + fence.content.end});
    }
  }

  // Adds the file that a cell with `%%writefile recipe.yaml` writes.
  void add_written(std::string_view text, std::uint32_t begin) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::string_view first = base::trim(text.substr(0, line));
    const std::string ending = base::to_lower(base::ending_of(std::string(first)));
    if (first.starts_with("%%writefile") && (ending == "yaml" || ending == "yml")) {
      add_recipe({begin + static_cast<std::uint32_t>(std::min(line + 1, text.size())),
                  begin + static_cast<std::uint32_t>(text.size())});
    }
  }

  // Blanks magics and shell lines, with their continuation lines. A cell that starts with `%%` is not Python.
  void add_cell(const std::vector<std::string_view>& lines) {
    const std::uint32_t begin = add_text(lines);
    std::string_view text = std::string_view(code_.text).substr(begin);
    const bool python = !base::trim(text).starts_with("%%");
    add_written(text, begin);
    if (!python) return;
    bool continued = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = base::trim(text.substr(at, end - at));
      const bool magic = continued || line.starts_with('!') || line.starts_with('%') || line.ends_with('?');
      continued = magic && line.ends_with('\\');
      if (magic) std::fill_n(code_.text.begin() + static_cast<std::ptrdiff_t>(begin + at), end - at, ' ');
      at = end + 1;
    }
    code_.parts.push_back({begin, static_cast<std::uint32_t>(code_.text.size())});
  }

  // Adds JSON text with its escapes decoded. A decoded character has the place of its escape.
  void add(std::string_view source) {
    const auto base = static_cast<std::uint32_t>(source.data() - json_.data());
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t escape = std::min(source.find('\\', at), source.size());
      const auto begin = static_cast<std::uint32_t>(code_.text.size());
      const auto place = base + static_cast<std::uint32_t>(at);
      if (escape > at) {
        code_.origins.push_back({begin, {place, base + static_cast<std::uint32_t>(escape)}, true, false});
        code_.text += source.substr(at, escape - at);
        at = escape;
        continue;
      }
      const std::size_t width = source.substr(at, 2) == "\\u" ? 6 : 2;
      code_.origins.push_back({begin, {place, place + static_cast<std::uint32_t>(width)}, false, false});
      const std::string_view text = source.substr(at, width);
      code_.text += text == "\\/" ? "/" : python::unescaped(text);
      at += width;
    }
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::uint32_t cells_ = 0;
  Code code_;
};

}  // namespace

std::vector<source::CellLine> cell_lines(const Code& code) {
  std::vector<source::CellLine> out;
  const Origins origins(code.origins);
  for (const Cell& cell : code.cells) {
    std::uint32_t line = 1;
    for (std::size_t begin = cell.span.begin; begin < cell.span.end; ++line) {
      const auto place = static_cast<std::uint32_t>(begin);
      out.push_back({origins.map({place, place}).begin, cell.number, line});
      begin = std::min<std::size_t>(code.text.find('\n', begin), cell.span.end) + 1;
    }
  }
  return out;
}

std::optional<Code> read_notebook(std::string_view json) { return Notebook(json).read(); }

}  // namespace sparsecfg::places
