#include "ir/found_recipe.h"

#include <charconv>

#include "ir/describe.h"

namespace sparsecfg::ir {

Reason reason_of(std::string_view message) {
  constexpr std::string_view kLine = " (line ";
  const std::size_t at = message.rfind(kLine);
  std::uint32_t line = 0;
  const std::string_view number = at == message.npos ? std::string_view() : message.substr(at + kLine.size());
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
  const bool has_line = error == std::errc() && end + 1 == number.data() + number.size() && *end == ')';
  return has_line ? Reason{std::string(message.substr(0, at)), line} : Reason{std::string(message), {}};
}

std::optional<Reason> unknown_in(const source::Value& value, const std::set<source::Span>& unknown_parts) {
  // A mapping may have the place of an unknown value in it.
  const bool scalar = value.get<source::List>() == nullptr && value.get<source::Map>() == nullptr;
  if (scalar && unknown_parts.contains(value.span)) {
    return reason_of(source::python_str(value));
  }
  if (const auto* list = value.get<source::List>()) {
    for (const source::Value& item : *list) {
      if (auto reason = unknown_in(item, unknown_parts)) return reason;
    }
  }
  if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) {
      if (auto reason = unknown_in(entry.second, unknown_parts)) return reason;
    }
  }
  return std::nullopt;
}

std::vector<UnknownField> unknown_fields(const FoundRecipe& found) {
  std::vector<UnknownField> out;
  for (const Origin& modifier : found.modifiers) {
    const std::string owner = " of " + numbered_name(modifier);
    for (const OriginField& field : modifier.fields) {
      const bool stated = (field.name == "model" && found.model && !found.model->id.empty()) ||
                          found.evaluated.contains(field.value.span);
      if (stated) continue;
      const auto reason = unknown_in(field.value, found.unknown_parts);
      const std::string name = field.name == "**" ? "other fields" : "`" + field.name + "`";
      if (reason) out.push_back({&modifier, name + owner, reason->message()});
    }
  }
  return out;
}

}  // namespace sparsecfg::ir
