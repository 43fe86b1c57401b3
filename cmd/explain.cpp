#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "create/choices.h"
#include "diag/catalog.h"
#include "dialect/dialect.h"

namespace sparsecfg::cmd {

using dialect::FieldPage;
using dialect::Page;

// Breaks a paragraph between words so that no line is longer than the width.
static std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::string margin(indent, ' ');
  std::string out;
  std::string line = margin;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() > indent && line.size() + 1 + end > width) {
      out += line + "\n";
      line = margin;
    }
    line += (line.size() > indent ? " " : "") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

static std::size_t width_of(const Streams& streams) { return std::clamp<std::size_t>(streams.columns, 40, 100); }

static void explain_code(const diag::Info& info, const Streams& streams) {
  fmt::print(streams.out, "{} {} ({})\n\n", info.code, info.name, diag::to_string(info.severity));
  streams.out << wrapped(info.explanation, 2, width_of(streams));
}

static void explain_field(const FieldPage& field, const Streams& streams) {
  fmt::print(streams.out, "  {}\n", field.name);
  streams.out << wrapped(field.doc, 6, width_of(streams))
              << wrapped(fmt::format("({})", fmt::join(field.facts, "; ")), 6, width_of(streams));
}

// "number", "default: 0.8", "above 0 and below 1"
static std::vector<std::string> facts_of(const create::Variable& variable) {
  if (const auto* number = std::get_if<double>(&variable.default_value)) {
    return {"number", fmt::format("default: {}", *number),
            variable.open ? fmt::format("above {} and below {}", variable.min, variable.max)
                          : fmt::format("{} to {}", variable.min, variable.max)};
  }
  if (const auto* flag = std::get_if<bool>(&variable.default_value)) {
    return {"boolean", fmt::format("default: {}", *flag)};
  }
  return {fmt::format("one of {}", fmt::join(variable.choices, ", ")),
          fmt::format("default: {}", std::get<std::string_view>(variable.default_value))};
}

// One for all variables of `create`, and one for each of them.
static std::vector<Page> pages_of_create() {
  constexpr std::string_view kReader = "sparsecfg create";
  Page all{"create", "", kReader, "The variables that `--set NAME=VALUE` and `--variables FILE` give.", {}, false};
  std::vector<Page> pages;
  for (const create::Variable& variable : create::variables()) {
    all.fields.push_back({variable.name, variable.doc, facts_of(variable)});
    pages.push_back({variable.name, "", kReader, "A variable of a new recipe.", {all.fields.back()}, false});
  }
  pages.push_back(std::move(all));
  return pages;
}

static std::vector<Page> all_pages() {
  std::vector<Page> pages;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->pages != nullptr) {
      std::ranges::move(dialect->pages(), std::back_inserter(pages));
    }
  }
  std::ranges::move(pages_of_create(), std::back_inserter(pages));
  return pages;
}

static void explain_page(const Page& page, const Streams& streams) {
  fmt::print(streams.out, "{}{}{} ({})\n\n", page.name, page.note.empty() ? "" : ", ", page.note, page.reader);
  streams.out << wrapped(page.doc, 2, width_of(streams)) << (page.fields.empty() ? "" : "\n");
  for (const FieldPage& field : page.fields) {
    explain_field(field, streams);
  }
}

static void list_codes(const Streams& streams) {
  for (const diag::Info* info : diag::catalog()) {
    fmt::print(streams.out, "{}  {:7}  {}\n", info->code, diag::to_string(info->severity), info->name);
  }
}

// Prints the classes under a heading for each reader.
static void list_modifiers(const Streams& streams) {
  std::string_view reader;
  for (const Page& page : all_pages()) {
    if (!page.listed || !page.note.empty()) {
      continue;
    }
    if (page.reader != reader) {
      fmt::print(streams.out, "{}{}\n", reader.empty() ? "" : "\n", page.reader);
      reader = page.reader;
    }
    fmt::print(streams.out, "  {:31} {}\n", page.name, page.doc);
  }
}

// Every page of a name: of each reader that has its own, and two for a name that stands for two classes.
static bool explain_modifiers(const std::string& name, const Streams& streams) {
  bool found = false;
  for (const Page& page : all_pages()) {
    if (page.name == name) {
      streams.out << (found ? "\n" : "");
      explain_page(page, streams);
      found = true;
    }
  }
  return found;
}

static int unknown_topic(const std::string& topic, const Streams& streams) {
  std::vector<std::string_view> known = {"codes", "modifiers"};
  for (const diag::Info* info : diag::catalog()) {
    known.insert(known.end(), {info->code, info->name});
  }
  for (const Page& page : all_pages()) {
    known.push_back(page.name);
  }
  const auto guess = base::nearest(topic, known);
  fmt::print(streams.err, "sparsecfg: there is nothing called {}{}\n", base::printable(topic),
             guess ? fmt::format("; did you mean {}?", *guess) : "; `codes` and `modifiers` list what there is");
  return kUsage;
}

static int explain(const std::string& given, const Streams& streams) {
  const std::string topic = given.starts_with('!') ? given.substr(1) : given;
  if (topic == "codes") {
    list_codes(streams);
  } else if (topic == "modifiers") {
    list_modifiers(streams);
  } else if (const diag::Info* info = diag::find(topic)) {
    explain_code(*info, streams);
  } else if (!explain_modifiers(topic, streams)) {
    return unknown_topic(topic, streams);
  }
  return kClean;
}

Command explain_command() {
  Command command{"explain", "Explain a diagnostic or a modifier",
                  "TOPIC",   "A code, its name, a modifier; codes or modifiers lists them",
                  1,         1};
  command.run = [](const std::vector<std::string>& topics, const Streams& streams) {
    return explain(topics.front(), streams);
  };
  return command;
}

}  // namespace sparsecfg::cmd
