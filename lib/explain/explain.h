#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/catalog.h"
#include "dialect/dialect.h"

// The output of `sparsecfg explain`, and reference pages from the same tables.
namespace sparsecfg::explain {

enum class Form { text, markdown, man, json };

// A part of a page.
struct Block {
  enum class Kind {
    title,     // of a document
    section,   // of a rule or a class
    line,      // "SP205  error  end-before-start"; consecutive lines form one block
    text,      // a paragraph
    fact,      // `term`: short value
    item,      // `term` with its description
    verbatim,  // preformatted lines
  };
  Kind kind;
  std::string text;
  std::string term{};
};

using Page = std::vector<Block>;

// Returns the page of a rule: meaning, fix, example output with a correction, and a drawing if epochs are compared.
[[nodiscard]] Page page_of(const diag::Info& info);

// Returns the pages of all entries with the name: classes, keys, sections, tokens, presets, variables, and fields with
// their classes. Letter case is ignored unless an entry matches exactly. Empty if the name is unknown.
[[nodiscard]] Page pages_of(std::string_view name);

// Lists of rules and of classes.
[[nodiscard]] Page list_of_codes();
[[nodiscard]] Page list_of_classes();

// Lists the kinds of topics, with an example of each.
[[nodiscard]] Page list_of_topics();

// Lists the model ids and the families of models that `--model` knows.
[[nodiscard]] Page list_of_models();

// Returns all rules by family, with severity, autofix and message. `form` is text, markdown or json.
[[nodiscard]] std::string list_of_rules(Form form);

// All rules, or all classes of one dialect, as one document.
[[nodiscard]] Page all_diagnostics();
[[nodiscard]] Page all_of(const dialect::Dialect& dialect);

// Returns the known name that is nearest to an unknown name.
[[nodiscard]] std::optional<std::string> nearest_topic(std::string_view name);

// Renders a page as text, markdown or man. `columns` is the line width of text. `name` is the name of the manual page,
// such as "sparsecfg-nni".
[[nodiscard]] std::string render(const Page& page, Form form, std::size_t columns, std::string_view name = {});

}  // namespace sparsecfg::explain
