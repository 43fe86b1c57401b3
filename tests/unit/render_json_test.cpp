#include "diag/render_json.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/text.h"
#include "diag/sink.h"

namespace sparsecfg::diag {

TEST_CASE("no files") {
  CHECK(render_json({}) == R"({
 "format": 1,
 "summary": {
  "files": 0,
  "errors": 0,
  "warnings": 0
 },
 "files": []
}
)");
}

TEST_CASE("the document of one file") {
  const source::SourceFile file("a.yaml", "\xC3\xA9: 1\n\xC3\xA9: 2\n");
  Sink sink;
  sink.report(duplicate_key, {6, 8}, "\xC3\xA9")
      .with_caret("again")
      .with_help("delete one")
      .with_label({0, 2}, "first");
  const std::vector<FileReport> reports{{&file, "sparseml", sink.take()}};
  CHECK(render_json(reports) == R"({
 "format": 1,
 "summary": {
  "files": 1,
  "errors": 1,
  "warnings": 0
 },
 "files": [
  {
   "path": "a.yaml",
   "dialect": "sparseml",
   "diagnostics": [
    {
     "code": "SP004",
     "name": "duplicate-key",
     "severity": "error",
     "message": "`é` is given twice; the last one is used",
     "help": "delete one",
     "span": {
      "start": {
       "line": 2,
       "column": 1,
       "byte": 6
      },
      "end": {
       "line": 2,
       "column": 2,
       "byte": 8
      }
     },
     "labels": [
      {
       "span": {
        "start": {
         "line": 1,
         "column": 1,
         "byte": 0
        },
        "end": {
         "line": 1,
         "column": 2,
         "byte": 2
        }
       },
       "text": "first"
      }
     ],
     "note": "again"
    }
   ]
  }
 ]
}
)");
}

TEST_CASE("no dialect is null, no help is an empty text, no caret text is no note") {
  const source::SourceFile file("a.yaml", "");
  Sink sink;
  sink.report(empty_document, {0, 0}).with_severity(Severity::warning);
  const std::vector<FileReport> reports{{&file, std::nullopt, sink.take()}};
  const std::string out = render_json(reports);
  CHECK(out.find("\"dialect\": null") != std::string::npos);
  CHECK(out.find("\"help\": \"\"") != std::string::npos);
  CHECK(out.find("\"note\"") == std::string::npos);
  CHECK(out.find("\"labels\": []") != std::string::npos);
  CHECK(out.find("\"warnings\": 1") != std::string::npos);
}

TEST_CASE("the document is UTF-8 whatever the file and its name hold") {
  const source::SourceFile file("bad\xFF.yaml", "\xC3(\n");
  Sink sink;
  sink.report(not_utf8, {0, 1}, "a \xC3( b").with_help("\x80").with_label({0, 1}, "\xED\xA0\x80");
  const std::vector<FileReport> reports{{&file, std::nullopt, sink.take()}};
  const std::string out = render_json(reports);
  CHECK(base::find_invalid_utf8(out) == out.size());
  CHECK(out.find("bad\xEF\xBF\xBD.yaml") != std::string::npos);
}

}  // namespace sparsecfg::diag
