#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "doc/document.h"
#include "format/layout.h"
#include "source/source_file.h"

namespace sparsecfg::rescale {

// The scalars of a recipe by the places that its values keep.
class Scalars {
 public:
  // Both must outlive it.
  Scalars(const source::SourceFile& file, const doc::Document& document);

  // The scalar at a place, or the one that the alias there stands for; null where neither is.
  [[nodiscard]] const doc::Node* at(source::Span place) const;

  // The edit that gives a scalar another content and keeps its quotes; nullopt for texts of several lines.
  [[nodiscard]] std::optional<format::Edit> rewritten(const doc::Node& scalar, const std::string& content) const;

 private:
  const source::SourceFile& file_;
  std::map<source::Span, const doc::Node*> scalars_;
};

// What stands between the parentheses of `eval(...)`; nullopt for any other text.
[[nodiscard]] std::optional<std::string_view> inside_eval(std::string_view text);

inline constexpr std::string_view kEval = "eval(";

}  // namespace sparsecfg::rescale
