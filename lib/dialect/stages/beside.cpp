#include "dialect/stages/beside.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::stages {

static bool is_field(const Table& table, std::string_view name) {
  return std::ranges::any_of(table.modifiers, [&](const ClassSpec& spec) { return spec.find(name) != nullptr; });
}

std::vector<std::optional<std::size_t>> owners_of_fields(const Table& table, const doc::Document& document,
                                                         std::span<const GroupKey> keys) {
  std::vector<std::optional<std::size_t>> owners(keys.size());
  std::optional<std::size_t> modifier;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    const doc::Node& value = document[document.resolve(keys[at].value)];
    const bool filled = value.kind == doc::Kind::mapping && !value.items.empty();
    if (keys[at].name.ends_with(kModifierEnd)) {
      modifier = filled ? std::optional(at) : std::nullopt;
    } else if (modifier && is_field(table, keys[at].name)) {
      owners[at] = modifier;
    }
  }
  return owners;
}

void offer_indentation(diag::Diagnostic& report, const source::SourceFile& file, const doc::Document& document,
                       const GroupKey& modifier, std::span<const GroupKey> fields) {
  const doc::Node& body = document[document.resolve(modifier.value)];
  const auto column = [&](source::Span key) { return file.position(key.begin).column; };
  const std::uint32_t inner = column(document[body.items.front()].span);
  diag::Fix fix = diag::Fix::unsafe();
  std::vector<std::string> names;
  for (const GroupKey& field : fields) {
    names.push_back(fmt::format("`{}`", field.name));
    if (field.key != fields.front().key) report.with_label(field.key, "beside it as well");
    fix.indent(field.key, std::string(inner - std::min(inner, column(field.key)), ' '));
  }
  const bool block = body.style == doc::Style::block && inner > column(modifier.key);
  report.with_label(modifier.key, "this modifier has the field")
      .with_help(fmt::format("{} {} {} `{}`", block ? "indent" : "move", base::join_and(names),
                             block ? "below" : "into the mapping of", modifier.name));
  if (block) report.with_fix(std::move(fix));
}

}  // namespace sparsecfg::dialect::stages
