#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/edit_distance.h"
#include "base/text.h"
#include "create/choices.h"
#include "dialect/words.h"
#include "explain/explain.h"

namespace sparsecfg::explain {

using dialect::FieldPage;
using Kind = Block::Kind;

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

// Returns one page with all variables of `create`, and one page per variable.
static std::vector<dialect::Page> pages_of_create() {
  constexpr std::string_view kReader = "sparsecfg create";
  dialect::Page all{"create", "",   kReader, "The variables that `--set NAME=VALUE` and `--variables FILE` set.",
                    {},       false};
  std::vector<dialect::Page> pages;
  for (const create::Variable& variable : create::variables()) {
    all.fields.push_back({variable.name, variable.doc, facts_of(variable)});
    pages.push_back({variable.name, "", kReader, "Variable of `sparsecfg create`.", {all.fields.back()}, false});
  }
  pages.push_back(std::move(all));
  return pages;
}

static std::vector<dialect::Page> all_pages() {
  std::vector<dialect::Page> pages;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->pages != nullptr) {
      std::ranges::move(dialect->pages(), std::back_inserter(pages));
    }
  }
  std::ranges::move(pages_of_create(), std::back_inserter(pages));
  return pages;
}

static std::string described(const FieldPage& field) {
  return field.facts.empty() ? std::string(field.doc) : fmt::format("{} ({})", field.doc, fmt::join(field.facts, "; "));
}

static void add_page(Page& out, const dialect::Page& page) {
  out.push_back(
      {Kind::section, fmt::format("{}{}{} ({})", page.name, page.note.empty() ? "" : ", ", page.note, page.reader)});
  out.push_back({Kind::text, std::string(page.doc)});
  for (const FieldPage& field : page.fields) {
    out.push_back({Kind::item, described(field), std::string(field.name)});
  }
}

static bool has_page(const std::vector<dialect::Page>& pages, std::string_view name, std::string_view reader) {
  return std::ranges::any_of(pages,
                             [&](const dialect::Page& page) { return page.name == name && page.reader == reader; });
}

constexpr std::string_view kPresets = "presets";
constexpr std::string_view kPresetsPage = "the presets, which `sparsecfg explain presets` lists";

// Merges fields with the same name, reader and description, and lists their classes.
static void add_fields(Page& out, const std::vector<dialect::Page>& pages, auto fits) {
  std::map<std::tuple<std::string_view, std::string_view, std::string>, std::vector<std::string_view>> owners;
  for (const dialect::Page& page : pages) {
    for (const FieldPage& field : page.fields) {
      if (fits(field.name) && !has_page(pages, field.name, page.reader)) {
        const bool preset = page.name == kPresets;  // a page, not a class
        owners[{field.name, page.reader, described(field)}].push_back(preset ? kPresetsPage : page.name);
      }
    }
  }
  for (auto& [field, classes] : owners) {
    constexpr std::size_t kMaxNamed = 6;
    const std::size_t more = classes.size() > kMaxNamed ? classes.size() - kMaxNamed : 0;
    classes.resize(classes.size() - more);
    out.push_back({Kind::section, fmt::format("{} ({})", std::get<0>(field), std::get<1>(field))});
    out.push_back({Kind::text, std::get<2>(field)});
    out.push_back({Kind::text, fmt::format("Defined in {}{}.", fmt::join(classes, ", "),
                                           more == 0 ? "" : fmt::format(" and {} more", more))});
  }
}

static Page found(std::string_view name, auto fits) {
  const std::vector<dialect::Page> pages = all_pages();
  Page out;
  for (const dialect::Page& page : pages) {
    if (fits(page.name)) add_page(out, page);
  }
  add_fields(out, pages, fits);
  const auto meanings = std::ranges::count(out, Kind::section, &Block::kind);
  if (meanings > 1) {
    out.insert(out.begin(), {Kind::text, fmt::format("{} entries match `{}`.", meanings, name)});
  }
  return out;
}

Page pages_of(std::string_view name) {
  Page exact = found(name, [&](std::string_view other) { return other == name; });
  const std::string lower = base::to_lower(name);
  return !exact.empty() ? exact : found(name, [&](std::string_view other) { return base::to_lower(other) == lower; });
}

Page list_of_classes() {
  Page out;
  std::string_view reader;
  for (const dialect::Page& page : all_pages()) {
    if (!page.listed || !page.note.empty()) {
      continue;
    }
    if (page.reader != reader) {
      out.push_back({Kind::section, std::string(page.reader)});
      reader = page.reader;
    }
    out.push_back({Kind::item, std::string(page.doc), std::string(page.name)});
  }
  return out;
}

Page all_of(const dialect::Dialect& dialect) {
  Page out{{Kind::title, fmt::format("{} reference", dialect.title)},
           {Kind::text, "Classes, fields and keys. `sparsecfg explain NAME` prints the same text for one name."}};
  for (const dialect::Page& page : dialect.pages()) {
    add_page(out, page);
  }
  return out;
}

// Returns the first name that starts with `prefix`, ignoring letter case; empty for short prefixes.
static std::string_view completed(std::string_view prefix, const std::vector<std::string_view>& names) {
  constexpr std::size_t kShortest = 4;
  const std::string lower = base::to_lower(prefix);
  const auto found =
      std::ranges::find_if(names, [&](std::string_view name) { return base::to_lower(name).starts_with(lower); });
  return prefix.size() < kShortest || found == names.end() ? std::string_view() : *found;
}

std::optional<std::string> nearest_topic(std::string_view name) {
  const std::vector<dialect::Page> pages = all_pages();
  std::vector<std::string_view> known = {"codes", "modifiers", "models", "diagnostics"};
  for (const diag::Info* info : diag::catalog()) {
    known.insert(known.end(), {info->code, info->name});
  }
  for (const dialect::Page& page : pages) {
    known.push_back(page.name);
    for (const FieldPage& field : page.fields) known.push_back(field.name);
  }
  for (const dialect::Word& word : dialect::words()) {
    if (!word.ours.empty() && base::to_lower(word.word) == base::to_lower(name))
      return std::string(dialect::split_entry(word.ours).name);
  }
  if (const auto guess = base::nearest(name, known)) {
    return std::string(*guess);
  }
  const std::string_view longer = completed(name, known);
  return longer.empty() ? std::nullopt : std::optional<std::string>(longer);
}

}  // namespace sparsecfg::explain
