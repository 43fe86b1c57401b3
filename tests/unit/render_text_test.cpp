#include "diag/render_text.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <string_view>

#include "diag/sink.h"

namespace sparsecfg::diag {

using source::SourceFile;
using source::Span;

static Span span_of(std::string_view text, std::string_view part) {
  const auto at = static_cast<std::uint32_t>(text.find(part));
  return {at, at + static_cast<std::uint32_t>(part.size())};
}

static std::string render(const std::string& text, Sink& sink, const TextOptions& options = {}) {
  const SourceFile file("recipe.yaml", text);
  return render_text(file, sink.take(), options);
}

TEST_CASE("the layout of one diagnostic") {
  const std::string text = "a: 1\n\n    end_epoch: 10.0\n\n\n\n\n\n\n    final_sparsity: 0.8\n";
  Sink sink;
  sink.report(duplicate_key, span_of(text, "0.8"), "x")
      .with_caret("the last update applies 0.725")
      .with_label(span_of(text, "10.0"), "training stops here")
      .with_help("end training later");
  CHECK(render(text, sink) ==
        "error[SP004]: duplicate key `x`; the last value is used\n"
        "  --> recipe.yaml:10:21\n"
        "   |\n"
        " 3 |     end_epoch: 10.0\n"
        "   |                ---- training stops here\n"
        "...\n"
        "10 |     final_sparsity: 0.8\n"
        "   |                     ^^^ the last update applies 0.725\n"
        "   |\n"
        "   = help: end training later\n"
        "   = explain: sparsecfg explain SP004\n"
        "\n");
}

TEST_CASE("several labels on one line each keep their own text") {
  const std::string text = "start: 10, middle: 7, end: 5\n";
  Sink sink;
  sink.report(duplicate_key, span_of(text, "5"), "x")
      .with_caret("ends here")
      .with_label(span_of(text, "10"), "starts here")
      .with_label(span_of(text, "7"), "peaks here");
  CHECK(render(text, sink)
            .find("1 | start: 10, middle: 7, end: 5\n"
                  "  |        --          -       ^ ends here\n"
                  "  |        |           peaks here\n"
                  "  |        starts here\n") != std::string::npos);
}

TEST_CASE("neighbouring lines are not parted") {
  const std::string text = "a: 1\na: 2\n";
  Sink sink;
  sink.report(duplicate_key, {5, 6}, "a").with_label({0, 1}, "first");
  CHECK(render(text, sink).find("1 | a: 1\n  | - first\n2 | a: 2\n  | ^\n") != std::string::npos);
}

TEST_CASE("an explanation is named once for each code, and a help is not") {
  Sink sink;
  sink.report(duplicate_key, {0, 1}, "a").with_help("one");
  sink.report(duplicate_key, {3, 4}, "a").with_help("two");
  sink.report(duplicate_key, {4, 4}, "a");
  const std::string out = render("a: 1\n", sink);
  CHECK(out.find("sparsecfg explain SP004") == out.rfind("sparsecfg explain SP004"));
  CHECK(out.find("= help: two\n\n") != std::string::npos);
  CHECK(out.ends_with("  |     ^\n  |\n  = help: delete one of the two entries, or merge them\n\n"));
}

TEST_CASE("an empty span has one caret, at the end of a line too") {
  Sink sink;
  sink.report(syntax_error, {5, 5}, "unexpected end").with_caret("here");
  CHECK(render("a: [1\nb: 2\n", sink).find("1 | a: [1\n  |      ^ here\n") != std::string::npos);
}

TEST_CASE("a span over several lines is marked to the end of its first line") {
  Sink sink;
  sink.report(syntax_error, {3, 12}, "odd");
  CHECK(render("a: [1,\n  2]\n", sink).find("1 | a: [1,\n  |    ^^^\n  |\n") != std::string::npos);
}

TEST_CASE("an empty file has no lines to show") {
  Sink sink;
  sink.report(empty_document, {0, 0});
  CHECK(render("", sink) ==
        "error[SP020]: the file contains no recipe\n"
        " --> recipe.yaml:1:1\n"
        "  |\n"
        "  = help: write a recipe, or generate one with `sparsecfg create`\n"
        "  = explain: sparsecfg explain SP020\n"
        "\n");
}

TEST_CASE("a place beyond the text does no harm") {
  Sink sink;
  sink.report(empty_document, {90, 99}).with_label({4'000'000'000, 4'000'000'001}, "far");
  CHECK(render("ab", sink).find("1 | ab\n  |   ^\n") != std::string::npos);
}

TEST_CASE("unsafe characters are shown, not sent, and carets still fit") {
  const std::string text = "k\x1b[31m\xE2\x80\xAE: bad\n";
  Sink sink;
  sink.report(syntax_error, span_of(text, "bad"), "a \x1b[2J message")
      .with_caret("\x07")
      .with_help(
          "\x9b"
          "help\n");
  const SourceFile file("dir\x1b]0;x/recipe.yaml", text);
  const std::string out = render_text(file, sink.take(), {});
  CHECK(out.find('\x1b') == std::string::npos);
  CHECK(out.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(out.find("--> dir\\x1b]0;x/recipe.yaml:1:10") != std::string::npos);
  CHECK(out.find("1 | k\\x1b[31m\\u202e: bad\n  |                  ^^^ \\x07\n") != std::string::npos);
}

TEST_CASE("carets count the columns that a terminal uses") {
  const std::string text = "\t\xE6\xB8\xAC\xE8\xA9\xA6 cafe\xCC\x81 \xF0\x9F\x98\x80: bad\n";
  Sink sink;
  sink.report(syntax_error, span_of(text, "bad"), "x");
  // tab 4, two wide characters 4, space, four letters and an accent 4, space, emoji 2, colon, space
  CHECK(render(text, sink).find("\n  | " + std::string(18, ' ') + "^^^\n") != std::string::npos);
}

TEST_CASE("a long line is cut around each place") {
  const std::string text = "first: 1, " + std::string(500, 'x') + " middle " + std::string(500, 'y') + ", last: 2\n";
  Sink sink;
  sink.report(syntax_error, span_of(text, "middle"), "x")
      .with_label(span_of(text, "first"), "one")
      .with_label(span_of(text, "last"), "three");
  const std::string out = render(text, sink, {.columns = 60});
  CHECK(out.find("1 | first: 1, xxx") != std::string::npos);
  CHECK(out.find("xxx...\n  | ----- one\n") != std::string::npos);
  CHECK(out.find("\n1 | ...xxx") != std::string::npos);
  CHECK(out.find("  | " + std::string(19, ' ') + "^^^^^^\n") != std::string::npos);
  CHECK(out.find("yyy, last: 2\n") != std::string::npos);
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    CHECK(end - at <= 60);
    at = end + 1;
  }
}

TEST_CASE("a help is wrapped between words, code stays whole") {
  Sink sink;
  sink.report(empty_document, {0, 0})
      .with_help("write the point and the sign, as in `init_lr: 1.0e-4`, wherever PyYAML is to read a number");
  CHECK(render("", sink, {.columns = 60})
            .find("  = help: write the point and the sign, as in\n"
                  "          `init_lr: 1.0e-4`, wherever PyYAML is to read a\n"
                  "          number\n") != std::string::npos);
}

TEST_CASE("many diagnostics are cut short, errors and warnings apart") {
  Sink sink;
  for (std::uint32_t at = 0; at < 57; ++at) {
    sink.report(duplicate_key, {at, at + 1}, "a");
  }
  for (std::uint32_t at = 0; at < 21; ++at) {
    sink.report(yaml11_octal, {at, at + 1}, "010", "8");
  }
  const std::string out = render(std::string(60, 'a'), sink);
  CHECK(out.ends_with("... and 37 more errors and 1 more warning\n\n"));
  CHECK(out.find(":1:20\n") != std::string::npos);
  CHECK(out.find(":1:21\n") == std::string::npos);
}

TEST_CASE("colours are put on and leave the text as it is") {
  const std::string text = "a: 1\na: 2\n";
  Sink sink;
  sink.report(duplicate_key, {5, 6}, "a").with_label({0, 1}, "first").with_help("delete one");
  const auto diagnostics = sink.take();
  const SourceFile file("recipe.yaml", text);
  std::string out = render_text(file, diagnostics, {.color = true});
  CHECK(out.starts_with("\x1b[1;38;5;160merror[SP004]\x1b[0m"));
  for (std::size_t at = out.find('\x1b'); at != std::string::npos; at = out.find('\x1b')) {
    out.erase(at, out.find('m', at) - at + 1);
  }
  CHECK(out == render_text(file, diagnostics, {}));
}

TEST_CASE("the cost of a line of 4 MiB is that of what is shown") {
  const std::string text(4U << 20, 'x');
  const SourceFile file("long.yaml", text);
  Sink sink;
  for (std::uint32_t at = 0; at < 100'000; ++at) {
    sink.report(duplicate_key, {at * 40, at * 40 + 1}, "a").with_label({at * 41, at * 41 + 1}, "first");
  }
  const auto diagnostics = sink.take();
  const auto start = std::chrono::steady_clock::now();
  CHECK(render_text(file, diagnostics, {.limit = 100}).ends_with("... and 401 more errors\n\n"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("a headline is wrapped on a terminal alone") {
  const source::SourceFile file("a.yaml", "k: 1\n");
  Sink sink;
  sink.report(syntax_error, {0, 1}, "one two three four five six seven eight nine ten eleven twelve");
  const auto findings = sink.take();
  const std::string plain = render_text(file, findings, {false, 40});
  CHECK(plain.starts_with("error[SP001]: one two three four five six seven eight nine ten eleven twelve\n"));
  const std::string wrapped = render_text(file, findings, {false, 40, 20, true});
  CHECK(wrapped.starts_with("error[SP001]: one two three four five\n              six seven"));
}

}  // namespace sparsecfg::diag
