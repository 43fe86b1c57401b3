#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/catalog.h"
#include "dialect/dialect.h"

// What `sparsecfg explain` prints, and the reference pages that are made of the same tables.
namespace sparsecfg::explain {

enum class Form { text, markdown, man };

// A part of a page.
struct Block {
  enum class Kind {
    title,     // of a document
    section,   // of a diagnostic or a class
    line,      // "SP205  error  end-before-start"; lines follow each other
    text,      // a paragraph
    item,      // `term` and what it is
    verbatim,  // lines as they are
  };
  Kind kind;
  std::string text;
  std::string term{};
};

using Page = std::vector<Block>;

// The page of a diagnostic: what it means, what to write, an example with its correction, and a drawing if epochs are
// compared.
[[nodiscard]] Page page_of(const diag::Info& info);

// Everything that has the name: classes, keys, sections, tokens, presets, variables, and fields with the classes that
// have them. Letter case counts only if it tells two apart. Empty if there is nothing of the name.
[[nodiscard]] Page pages_of(std::string_view name);

// Lists of all diagnostics and of all classes.
[[nodiscard]] Page list_of_codes();
[[nodiscard]] Page list_of_classes();

// Everything about the diagnostics or about one dialect, for a manual.
[[nodiscard]] Page all_diagnostics();
[[nodiscard]] Page all_of(const dialect::Dialect& dialect);

// Returns the known name nearest to an unknown one.
[[nodiscard]] std::optional<std::string> nearest_topic(std::string_view name);

// `columns`: the width of lines of text. `name`: of the manual page, such as "sparsecfg-nni".
[[nodiscard]] std::string render(const Page& page, Form form, std::size_t columns, std::string_view name = {});

}  // namespace sparsecfg::explain
