#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "doc/document.h"
#include "source/span.h"

// Files of a method or a dialect that is not checked.
namespace sparsecfg {

struct OtherMethod {
  std::string name;   // "`gptq`"
  source::Span span;  // the value that names it; empty if there is none
};

// Returns the method of a `config.json` or `hf_quant_config.json` other than compressed-tensors; nullopt if it names
// none.
[[nodiscard]] std::optional<OtherMethod> other_method_in(const doc::Document& document);

// Reports that a file is not of the dialect that --from names, but of another one.
void report_other_dialect(diag::Sink& sink, source::Span place, const dialect::Dialect& asked,
                          const dialect::Dialect& other);

// Reports that the dialect of --from reads a file that another dialect writes (SP053).
void report_foreign_file(diag::Sink& sink, const dialect::Dialect& asked, const dialect::Dialect& other);

}  // namespace sparsecfg
