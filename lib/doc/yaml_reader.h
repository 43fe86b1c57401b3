#pragma once

#include <cstddef>
#include <optional>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Bad input costs an error, never more than a second: each limit that is passed is SP014.
struct Limits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 128;        // of nested collections, counted while events arrive
  std::size_t nodes = 1'000'000;  // after every alias is replaced by what it stands for
  std::size_t scalar_bytes = std::size_t{64} << 10;
};

// Reads the one YAML 1.1 document (JSON is YAML) that stands in `part` of the file into a tree,
// accepting what PyYAML's pure loader accepts: what only libyaml takes is refused too. Spans and
// positions are those of the whole file. Returns nothing where no tree can be had (not UTF-8, a
// syntax error, a limit, a second document); one error in the sink then says why. An empty
// document gives a tree whose root is an empty plain scalar (PyYAML's None), without a report.
// Repeated keys, anchors that hide others and the like are kept for the reader to judge.
[[nodiscard]] std::optional<Document> read_yaml(const source::SourceFile& file, source::Span part, const Limits& limits,
                                                diag::Sink& sink);

}  // namespace sparsecfg::doc
