#include "ir/found_recipe.h"

namespace sparsecfg::ir {

Reason reason_of(std::string_view node_text) {
  const std::size_t at = node_text.find('\x1f');
  if (at == std::string_view::npos) {
    return {std::string(node_text), {}};
  }
  const std::string line(node_text.substr(at + 1));
  return {std::string(node_text.substr(0, at)), static_cast<std::uint32_t>(std::stoul(line))};
}

std::optional<Reason> unknown_in(const source::Value& value, const std::set<source::Span>& unknown_parts) {
  if (unknown_parts.contains(value.span)) {
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

}  // namespace sparsecfg::ir
