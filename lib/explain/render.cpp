#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "explain/explain.h"
#include "explain/parts.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

// Wraps a paragraph at `width` columns. A longer word keeps its own line. `hang` is the extra indent of lines after
// the first.
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

// Wraps long sentences of a report. Lines of a recipe are never wrapped.
static std::string indented(std::string_view text, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  std::string out;
  for (const std::string_view line : base::lines_of(text)) {
    const bool sentence = line.find("]: ") < line.size() || line.find("---- ") < line.size();
    const std::size_t content = std::min(line.find_first_not_of(' '), line.size());
    out += line.empty()                                ? "\n"
           : sentence && line.size() + kIndent > width ? wrapped(line.substr(content), kIndent + content, width, 4)
                                                       : std::string(kIndent, ' ') + std::string(line) + "\n";
  }
  return out;
}

static bool continues_list(Kind before, Kind kind) {
  return kind == before && (kind == Kind::line || kind == Kind::fact || kind == Kind::item);
}

static std::string as_text(const Page& page, std::size_t width) {
  std::string out;
  Kind before = Kind::title;
  for (const Block& block : page) {
    const bool apart = !out.empty() && !continues_list(before, block.kind);
    out += apart ? "\n" : "";
    before = block.kind;
    switch (block.kind) {
      case Kind::title:
      case Kind::section:
      case Kind::line: out += wrapped(block.text, 0, width); break;
      case Kind::text: out += wrapped(block.text, 2, width); break;
      case Kind::fact: out += wrapped(block.term + ": " + block.text, 2, width, 2); break;
      case Kind::item: out += "  " + block.term + "\n" + wrapped(block.text, 6, width); break;
      case Kind::verbatim: out += indented(block.text, width); break;
    }
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    code = code != (c == '`');
    if (!code && c == '<') {
      out += "&lt;";
    } else {
      out += !code && std::string_view("\\*_[]").find(c) != std::string_view::npos ? std::string("\\") + c
                                                                                   : std::string(1, c);
    }
  }
  return out;
}

// The first section of a page is its title. The anchor of other sections is their first word, such as "GPTQModifier".
// Names with underscores are code, because the table of contents of the site shows escapes as control characters.
static std::string markdown_section(std::string_view text, bool first) {
  if (first) {
    return fmt::format("# {}\n", markdown_text(text));
  }
  const auto heading = [](std::string_view name) {
    return name.find('_') == std::string_view::npos ? markdown_text(name) : fmt::format("`{}`", name);
  };
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view rest = text.substr(std::min(end + 1, text.size()));
  return fmt::format("## {}\n{}", heading(text.substr(0, end)),
                     rest.empty() ? "" : fmt::format("\n{}\n", markdown_text(rest)));
}

static std::string as_markdown(const Page& page) {
  std::string out;
  Kind before = Kind::title;
  for (const Block& block : page) {
    const bool first = out.empty();
    out += first || continues_list(before, block.kind) ? "" : "\n";
    before = block.kind;
    switch (block.kind) {
      case Kind::title: out += "# " + markdown_text(block.text) + "\n"; break;
      case Kind::section: out += markdown_section(block.text, first); break;
      case Kind::text: out += wrapped(markdown_text(block.text), 0, 120); break;
      case Kind::line: out += "    " + block.text + "\n"; break;
      case Kind::fact:
      case Kind::item:
        out += wrapped(fmt::format("- **{}**: {}", markdown_text(block.term), markdown_text(block.text)), 0, 120, 2);
        break;
      case Kind::verbatim: out += fmt::format("```text\n{}```\n", block.text); break;
    }
  }
  return out;
}

// Escapes text for mdoc, so that no line starts with a control character.
static std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '\\' ? "\\e" : std::string(1, c);
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

static std::string escaped_lines(std::string_view text) {
  std::string out;
  for (const std::string_view line : base::lines_of(text)) {
    out += escaped(line) + "\n";
  }
  return out;
}

// A paragraph of mdoc: every sentence starts a new line.
static std::string man_text(std::string_view text) {
  constexpr std::size_t kWidth = 80;
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find_first_of(".?", 1);
    while (end != std::string_view::npos && text.substr(end + 1, 1) != " ") end = text.find_first_of(".?", end + 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    out += escaped_lines(wrapped(text.substr(0, end), 0, kWidth));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Quotes an argument of a macro.
static std::string in_quotes(std::string_view text) {
  std::string out = escaped(text);
  for (std::size_t at = out.find('"'); at != std::string::npos; at = out.find('"', at + 2)) out.insert(at, "\"");
  return '"' + out + '"';
}

static std::string as_man(const Page& page, std::string_view name) {
  std::string title = page.empty() ? std::string() : page.front().text;
  std::string out = fmt::format(
      ".\\\" Generated by: sparsecfg explain --format man\n.Dd November 24, 2026\n.Dt {} 7\n.Os sparsecfg {}\n"
      ".Sh NAME\n.Nm {}\n.Nd {}\n.Sh DESCRIPTION\n",
      base::to_upper(name), base::version(), name, title);
  bool in_list = false;
  bool follows_heading = true;
  for (const Block& block : page) {
    const bool listed = block.kind == Kind::item || block.kind == Kind::fact;
    if (in_list && !listed) {
      out += ".El\n";
      in_list = false;
    }
    switch (block.kind) {
      case Kind::title: break;
      case Kind::section: out += fmt::format(".Ss {}\n", in_quotes(block.text)); break;
      case Kind::line:
      case Kind::text: out += (follows_heading ? "" : ".Pp\n") + man_text(block.text); break;
      case Kind::fact:
      case Kind::item:
        out += in_list ? "" : ".Bl -tag -width Ds\n";
        in_list = true;
        out += fmt::format(".It {}\n", in_quotes(block.term)) + man_text(block.text);
        break;
      case Kind::verbatim: out += ".Bd -literal -offset indent\n" + escaped_lines(block.text) + ".Ed\n"; break;
    }
    follows_heading = block.kind == Kind::title || block.kind == Kind::section;
  }
  return out + (in_list ? ".El\n" : "") + ".Sh SEE ALSO\n.Xr sparsecfg 1\n";
}

std::string render(const Page& page, Form form, std::size_t columns, std::string_view name) {
  switch (form) {
    case Form::text: return as_text(page, columns);
    case Form::markdown: return as_markdown(page);
    case Form::man: return as_man(page, name);
    case Form::json: break;  // only lists of rules have it
  }
  return {};
}

}  // namespace sparsecfg::explain
