#pragma once

#include <optional>
#include <string>

#include "diag/sink.h"
#include "doc/yaml_reader.h"
#include "format/order.h"
#include "source/source_file.h"

// Lays out recipes: every comment, variable, anchor and value stays, and what the file says stays the same.
namespace sparsecfg::format {

struct Formatted {
  std::string text;
  bool faulty = false;  // the result would not say what the file says, which is an internal error: `text` is the file
};

// Returns the part of a file that holds YAML or JSON: all of it, or the front matter of a Markdown file. Returns
// nullopt if there is no front matter.
[[nodiscard]] std::optional<source::Span> part_of(const source::SourceFile& file);

// Returns the formatted text of a file. Returns nullopt if it can't be read; an error in the sink then says why.
[[nodiscard]] std::optional<Formatted> format(const source::SourceFile& file, const FieldOrder& order,
                                              const doc::Limits& limits, diag::Sink& sink);

}  // namespace sparsecfg::format
