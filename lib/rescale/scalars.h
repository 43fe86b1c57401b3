#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "doc/document.h"
#include "format/layout.h"
#include "source/source_file.h"

namespace sparsecfg::rescale {

// Finds the scalars of a recipe by the spans of its values.
class Scalars {
 public:
  // Both arguments must outlive this object.
  Scalars(const source::SourceFile& file, const doc::Document& document);

  // Returns the scalar at a place or the target of an alias there, or null if there is neither.
  [[nodiscard]] const doc::Node* at(source::Span place) const;

  // Returns the edit that replaces the content of a scalar and keeps its quotes, or nullopt for multi-line scalars.
  [[nodiscard]] std::optional<format::Edit> rewritten(const doc::Node& scalar, const std::string& content) const;

 private:
  const source::SourceFile& file_;
  std::map<source::Span, const doc::Node*> scalars_;
};

// Returns the text between the parentheses of `eval(...)`, or nullopt for any other text.
[[nodiscard]] std::optional<std::string_view> inside_eval(std::string_view text);

inline constexpr std::string_view kEval = "eval(";

}  // namespace sparsecfg::rescale
