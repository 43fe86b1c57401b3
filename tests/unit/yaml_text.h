#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doc/readers.h"

namespace sparsecfg::test {

// A text in which pieces stand between « and », and the spans of the pieces without these marks,
// in the order in which they open.
struct Marked {
  std::string text;
  std::vector<source::Span> spans;
};

inline Marked marked(std::string_view text) {
  constexpr std::string_view kOpen = "\xC2\xAB";
  constexpr std::string_view kClose = "\xC2\xBB";
  Marked out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const auto here = static_cast<std::uint32_t>(out.text.size());
    if (rest.starts_with(kOpen)) {
      open.push_back(out.spans.size());
      out.spans.push_back({here, here});
      ++at;
    } else if (rest.starts_with(kClose)) {
      out.spans[open.back()].end = here;
      open.pop_back();
      ++at;
    } else {
      out.text += text[at];
    }
  }
  return out;
}

// A text read by the doc layer, with what was reported.
struct Read {
  std::unique_ptr<source::SourceFile> file;
  std::optional<doc::Document> document;
  std::vector<diag::Diagnostic> reports;

  [[nodiscard]] const doc::Node& operator[](std::size_t node) const { return document->nodes[node]; }
};

inline Read read(std::string_view text, doc::Limits limits = {}) {
  Read out;
  out.file = std::make_unique<source::SourceFile>("test.yaml", std::string(text));
  diag::Sink sink;
  out.document = doc::read_yaml(*out.file, {0, static_cast<std::uint32_t>(text.size())}, limits, sink);
  out.reports = sink.take();
  return out;
}

}  // namespace sparsecfg::test
