#include "dialect/dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace sparsecfg::dialect {

static std::string_view moment(Moment when) {
  switch (when) {
    case Moment::load: return "";
    case Moment::initialize: return "checked when the modifier is applied to the model";
    case Moment::step: return "checked in the first step that uses the value";
  }
  return {};
}

static std::string bounds_of(const Bounds& bounds) {
  if (!bounds.any()) {
    return {};
  }
  const std::string min = fmt::format("{} {}", bounds.min_excluded ? "above" : "at least", bounds.min);
  const std::string max = fmt::format("{} {}", bounds.max_excluded ? "below" : "at most", bounds.max);
  const Bounds open;
  return bounds.max == open.max ? min : min + ", " + max;
}

FieldPage page_of(const FieldSpec& field) {
  std::vector<std::string> facts = {
      field.required                ? "required"
      : field.default_value.empty() ? ""
                                    : fmt::format("default: {}", field.default_value),
      bounds_of(field.bounds),
      allows(field.type, Type::exact_float) ? "a float, not an int" : "",
      field.choices.empty() ? "" : fmt::format("one of {}", fmt::join(field.choices, ", ")),
      field.record == nullptr ? "" : fmt::format("fields of `{}`", field.record->name),
      std::string(moment(field.phase)),
      field.doc.starts_with("No effect") ? "" : std::string(field.no_effect)};
  std::erase(facts, "");
  return {field.name, field.doc, std::move(facts)};
}

std::vector<FieldPage> pages_of(std::span<const FieldSpec> fields) {
  std::vector<FieldPage> pages;
  for (const FieldSpec& field : fields) {
    pages.push_back(page_of(field));
  }
  return pages;
}

Page page_of(const ClassSpec& spec, std::string_view reader) {
  Page page{spec.name, "", reader, spec.doc, pages_of(spec.common), true};
  std::ranges::move(pages_of(spec.fields), std::back_inserter(page.fields));
  return page;
}

void add_layout_pages(std::vector<Page>& pages, std::span<const LayoutWord> words, std::string_view reader) {
  for (const LayoutWord& word : words) {
    pages.push_back({word.name, "", reader, word.doc, {}, false});
  }
}

}  // namespace sparsecfg::dialect
