#include "rescale/scalars.h"

#include "doc/fixes.h"

namespace sparsecfg::rescale {

Scalars::Scalars(const source::SourceFile& file, const doc::Document& document) : file_(file) {
  for (const doc::Node& node : document.nodes) {
    const doc::Node& meant = node.kind == doc::Kind::alias ? document[node.target] : node;
    if (meant.kind == doc::Kind::scalar) scalars_.emplace(node.span, &meant);
  }
}

const doc::Node* Scalars::at(source::Span place) const {
  const auto found = scalars_.find(place);
  return found == scalars_.end() || place.empty() ? nullptr : found->second;
}

// A scalar without quotes stays unquoted, because the content has only digits, names, blanks and operators.
std::optional<format::Edit> Scalars::rewritten(const doc::Node& scalar, const std::string& content) const {
  const std::string_view written = file_.text(scalar.span);
  if (scalar.style == doc::Style::plain && written == scalar.text) {
    return format::Edit{scalar.span, content};
  }
  const auto text = doc::rewrite_scalar(written, content, false);
  return text ? std::optional(format::Edit{scalar.span, *text}) : std::nullopt;
}

std::optional<std::string_view> inside_eval(std::string_view text) {
  if (!text.starts_with(kEval) || !text.ends_with(')')) {
    return std::nullopt;
  }
  return text.substr(kEval.size(), text.size() - kEval.size() - 1);
}

}  // namespace sparsecfg::rescale
