#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "explain/explain.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

// Breaks a paragraph between words so that no line is longer than the width, but for longer words. `hang`: how much
// further than the first line the others are indented.
static std::string wrapped(std::string_view text, std::size_t indent, std::size_t width, std::size_t hang = 0) {
  std::string out;
  std::string line(indent, ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!empty && line.size() + 1 + end > width) {
      out += line + "\n";
      line.assign(indent + hang, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + std::string(text.substr(0, end));
    empty = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

static std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Sentences that are longer than a line are broken; lines of a recipe are shown as they are.
static std::string indented(std::string_view text, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    const bool sentence = line.find("]: ") < line.size() || line.find("---- ") < line.size();
    const std::size_t content = std::min(line.find_first_not_of(' '), line.size());
    out += line.empty()                                ? "\n"
           : sentence && line.size() + kIndent > width ? wrapped(line.substr(content), kIndent + content, width, 4)
                                                       : std::string(kIndent, ' ') + std::string(line) + "\n";
  }
  return out;
}

static std::string as_text(const Page& page, std::size_t width) {
  std::string out;
  Kind before = Kind::title;
  for (const Block& block : page) {
    const bool apart = !out.empty() && (block.kind != Kind::item || before != Kind::item) &&
                       (block.kind != Kind::line || before != Kind::line);
    out += apart ? "\n" : "";
    before = block.kind;
    switch (block.kind) {
      case Kind::title:
      case Kind::section:
      case Kind::line: out += wrapped(block.text, 0, width); break;
      case Kind::text: out += wrapped(block.text, 2, width); break;
      case Kind::item: out += "  " + block.term + "\n" + wrapped(block.text, 6, width); break;
      case Kind::verbatim: out += indented(block.text, width); break;
    }
  }
  return out;
}

// A section's anchor is its first word: "SP205".
static std::string markdown_section(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view rest = text.substr(std::min(end + 1, text.size()));
  return fmt::format("## {}\n{}", text.substr(0, end), rest.empty() ? "" : fmt::format("\n{}\n", rest));
}

static std::string as_markdown(const Page& page) {
  std::string out;
  Kind before = Kind::title;
  for (const Block& block : page) {
    out +=
        !out.empty() && !(block.kind == before && (block.kind == Kind::item || block.kind == Kind::line)) ? "\n" : "";
    before = block.kind;
    switch (block.kind) {
      case Kind::title: out += "# " + block.text + "\n"; break;
      case Kind::section: out += markdown_section(block.text); break;
      case Kind::text: out += wrapped(block.text, 0, 120); break;
      case Kind::line: out += "    " + block.text + "\n"; break;
      case Kind::item: out += wrapped(fmt::format("- **{}**: {}", block.term, block.text), 0, 120, 2); break;
      case Kind::verbatim: out += fmt::format("```text\n{}```\n", block.text); break;
    }
  }
  return out;
}

// Text as mdoc reads it back: no line begins with a control character.
static std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '\\' ? "\\e" : std::string(1, c);
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

static std::string escaped_lines(std::string_view text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    out += escaped(line) + "\n";
  }
  return out;
}

// An argument of a macro, in quotes.
static std::string in_quotes(std::string_view text) {
  std::string out = escaped(text);
  for (std::size_t at = out.find('"'); at != std::string::npos; at = out.find('"', at + 2)) out.insert(at, "\"");
  return '"' + out + '"';
}

static std::string as_man(const Page& page, std::string_view name) {
  std::string title = page.empty() ? std::string() : page.front().text;
  std::string out = fmt::format(
      ".\\\" Made by: sparsecfg explain --format man\n.Dd November 22, 2026\n.Dt {} 7\n.Os sparsecfg {}\n"
      ".Sh NAME\n.Nm {}\n.Nd {}\n.Sh DESCRIPTION\n",
      base::to_upper(name), base::version(), name, title);
  bool in_list = false;
  for (const Block& block : page) {
    if (in_list && block.kind != Kind::item) {
      out += ".El\n";
      in_list = false;
    }
    switch (block.kind) {
      case Kind::title: break;
      case Kind::section: out += fmt::format(".Ss {}\n", in_quotes(block.text)); break;
      case Kind::line:
      case Kind::text: out += ".Pp\n" + escaped_lines(wrapped(block.text, 0, 100)); break;
      case Kind::item:
        out += in_list ? "" : ".Bl -tag -width Ds\n";
        in_list = true;
        out += fmt::format(".It {}\n", in_quotes(block.term)) + escaped_lines(wrapped(block.text, 0, 100));
        break;
      case Kind::verbatim: out += ".Bd -literal -offset indent\n" + escaped_lines(block.text) + ".Ed\n"; break;
    }
  }
  return out + (in_list ? ".El\n" : "") + ".Sh SEE ALSO\n.Xr sparsecfg 1\n";
}

std::string render(const Page& page, Form form, std::size_t columns, std::string_view name) {
  switch (form) {
    case Form::text: return as_text(page, columns);
    case Form::markdown: return as_markdown(page);
    case Form::man: return as_man(page, name);
  }
  return {};
}

}  // namespace sparsecfg::explain
