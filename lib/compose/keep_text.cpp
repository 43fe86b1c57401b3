#include "compose/keep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "doc/fixes.h"
#include "format/layout.h"
#include "source/edits.h"

namespace sparsecfg::compose {

using source::Span;
using source::Value;

// Maximum size of a recipe, because its origins are copied.
constexpr std::size_t kMaxText = std::size_t{1} << 20;

static bool is_plain_file(const Compilation& compilation) {
  const std::string_view text = compilation.file->text();
  const std::string ending = base::to_lower(base::ending_of(compilation.file->name()));
  const bool is_yaml = ending == "yaml" || ending == "yml" || ending.empty();
  const bool is_whole = compilation.recipes.empty() || compilation.recipes.front().form == "file";
  return is_yaml && is_whole && text.size() <= kMaxText && compilation.recipe->metadata.is_null() &&
         !text.starts_with("---") && text.find("\n---") == std::string_view::npos && !text.starts_with('%') &&
         text.find('\t') == std::string_view::npos && text.find('\r') == std::string_view::npos;
}

std::vector<Part> parts_of(std::span<Compilation* const> recipes) {
  std::vector<Part> out;
  for (const Compilation* compilation : recipes) {
    Part part{compilation->file.get(), {}};
    for (const ir::Action& action : compilation->recipe->actions) part.origins.push_back(action.origin);
    std::ranges::stable_sort(part.origins, {}, &ir::Origin::ordinal);
    const bool is_staged = std::ranges::any_of(part.origins, [](const auto& each) { return !each.stage.empty(); });
    if (is_staged || !is_plain_file(*compilation)) return {};
    out.push_back(std::move(part));
  }
  return out;
}

namespace {

// Edits the text of one recipe until its fields have the values of the composed one.
class TextMover {
 public:
  explicit TextMover(const source::SourceFile& file) : text_(file.text()) {}

  void move(const ir::Origin& before, const ir::Origin& after) {
    for (const ir::OriginField& field : after.fields) {
      if (const ir::OriginField* old = before.find(field.name)) {
        change(old->value, field.value);
      } else {
        insert(before, field);
      }
    }
  }

  [[nodiscard]] std::optional<std::string> result() {
    return failed_ ? std::nullopt : std::optional(source::apply_edits(text_, std::move(edits_)));
  }

 private:
  void change(const Value& before, const Value& after) {
    const auto [old_list, new_list] = std::pair{before.get<source::List>(), after.get<source::List>()};
    const auto [old_map, new_map] = std::pair{before.get<source::Map>(), after.get<source::Map>()};
    if (before == after) {
      return;
    }
    if (old_list != nullptr && new_list != nullptr && old_list->size() == new_list->size()) {
      for (std::size_t at = 0; at < old_list->size(); ++at) change((*old_list)[at], (*new_list)[at]);
    } else if (old_map != nullptr && new_map != nullptr && old_map->size() == new_map->size()) {
      for (std::size_t at = 0; at < old_map->size(); ++at) change((*old_map)[at].second, (*new_map)[at].second);
    } else {
      change_number(before, after);
    }
  }

  void change_number(const Value& before, const Value& after) {
    const auto number = after.number();
    const std::string_view written = text_.substr(before.span.begin, before.span.end - before.span.begin);
    constexpr std::string_view kEval = "eval(";
    if (!number || written.empty() || written.find('\n') != std::string_view::npos) {
      failed_ = true;
    } else if (written.starts_with(kEval) && before.number()) {
      const std::string shift = number_text(*number - *before.number(), before.span.begin);
      edits_.push_back({{before.span.end - 1, before.span.end - 1}, " + " + shift});
    } else if (base::parse_double(written)) {
      edits_.push_back({before.span, number_text(*number, before.span.begin)});
    } else {
      failed_ = true;  // an alias, or a string that is read as a number
    }
  }

  // Inserts a field before the first one: into braces, or as a line.
  void insert(const ir::Origin& before, const ir::OriginField& field) {
    const auto number = field.value.number();
    if (before.fields.empty() || !number) {
      failed_ = true;
      return;
    }
    const std::uint32_t place = before.fields.front().key.begin;
    const std::size_t line = text_.rfind('\n', place) + 1;
    const std::string_view indent = text_.substr(line, place - line);
    if (base::trim(indent).ends_with('{')) {
      edits_.push_back({{place, place}, fmt::format("{}: {}, ", field.name, number_text(*number, place))});
      return;
    }
    failed_ = failed_ || indent.find_first_not_of(' ') != std::string_view::npos;
    edits_.push_back({{place, place}, fmt::format("{}: {}\n{}", field.name, float_text(*number), indent)});
  }

  // Returns a float, or a whole number in the braces of a modifier: SparseML cannot read a tag before a `.` in its
  // line.
  [[nodiscard]] std::string number_text(double number, std::uint32_t place) const {
    const std::size_t line = text_.rfind('\n', place) + 1;
    const bool after_tag = text_.substr(line, place - line).find('!') != std::string_view::npos;
    return after_tag && number == std::floor(number) ? fmt::format("{:.0f}", number) : float_text(number);
  }

  static std::string float_text(double number) {
    const std::string text = base::python_repr(number);
    return doc::spelled_as_float(text).value_or(text);
  }

  std::string_view text_;
  std::vector<format::Edit> edits_;
  bool failed_ = false;
};

}  // namespace

static std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += line.empty() ? "\n" : fmt::format("  {}\n", line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<std::string> keep_text(const std::vector<Part>& parts, const ir::Recipe& composed) {
  std::string out;
  std::size_t at = 0;
  for (const Part& part : parts) {
    if (part.origins.empty() || at + part.origins.size() > composed.actions.size()) return std::nullopt;
    const std::string& stage = composed.actions[at].origin.stage;
    TextMover mover(*part.file);
    for (const ir::Origin& origin : part.origins) mover.move(origin, composed.actions[at++].origin);
    const auto text = mover.result();
    if (!text) return std::nullopt;
    out += fmt::format("{}{}:\n{}", out.empty() ? "" : "\n", stage, indented(*text));
  }
  return out;
}

static bool has_fields_of(const ir::Origin& one, const ir::Origin& other) {
  return std::ranges::all_of(one.fields, [&](const ir::OriginField& field) {
    const ir::OriginField* same = other.find(field.name);
    return same != nullptr && (same->value == field.value || (same->value.number() && field.value.number() &&
                                                              *same->value.number() == *field.value.number()));
  });
}

// Returns the origins in document order. The reader returns them in the order in which they act.
static std::vector<const ir::Origin*> in_document_order(const ir::Recipe& recipe) {
  std::vector<const ir::Origin*> out;
  for (const ir::Action& action : recipe.actions) out.push_back(&action.origin);
  std::ranges::stable_sort(out, {}, &ir::Origin::ordinal);
  return out;
}

bool is_same(const ir::Recipe& one, const ir::Recipe& other) {
  return std::ranges::equal(in_document_order(one), in_document_order(other),
                            [](const ir::Origin* a, const ir::Origin* b) {
                              return a->stage == b->stage && a->class_name == b->class_name &&
                                     a->fields.size() == b->fields.size() && has_fields_of(*a, *b);
                            });
}

}  // namespace sparsecfg::compose
