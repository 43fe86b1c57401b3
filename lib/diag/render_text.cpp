#include "diag/render_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/wrap.h"
#include "diag/catalog.h"
#include "diag/excerpt.h"
#include "diag/fix_diff.h"
#include "diag/painter.h"

namespace sparsecfg::diag {

namespace {

class TextRenderer {
 public:
  TextRenderer(const source::SourceFile& file, const TextOptions& options)
      : file_(file),
        path_(base::printable(file.title())),
        paint_(options.color),
        columns_(std::max<std::size_t>(40, options.columns)),
        limit_(options.limit),
        docs_(options.docs),
        shows_fixes_(options.fixes),
        wraps_headlines_(options.terminal) {}

  void add(const Diagnostic& diagnostic) {
    if (++seen_[static_cast<std::size_t>(diagnostic.severity)] > limit_) {
      return;
    }
    const Snippet snippet = render_snippet(file_, diagnostic, paint_, columns_);
    heading(diagnostic, snippet.gutter);
    out_ += snippet.text;
    notes(diagnostic, snippet.gutter);
    if (shows_fixes_) fix(diagnostic, snippet.gutter);
    out_ += '\n';
  }

  // Appends the number of diagnostics that exceed the limit and returns the output.
  std::string finish() {
    std::vector<std::string> parts;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
      const std::size_t seen = seen_[static_cast<std::size_t>(severity)];
      if (seen > limit_) {
        parts.push_back(fmt::format("{} more {}{}", seen - limit_, to_string(severity), seen == limit_ + 1 ? "" : "s"));
      }
    }
    if (!parts.empty()) {
      out_ += fmt::format("... and {}\n\n", base::join_and(parts));
    }
    return std::move(out_);
  }

 private:
  void heading(const Diagnostic& diagnostic, std::size_t gutter) {
    const auto [line, column] = file_.position(diagnostic.span.begin);
    const std::string code = linked(diagnostic.info->code, url_of(*diagnostic.info, docs_));
    out_ += paint_(style_of(diagnostic.severity), fmt::format("{}[{}]", to_string(diagnostic.severity), code));
    const std::size_t indent = to_string(diagnostic.severity).size() + diagnostic.info->code.size() + 4;
    const std::string message = base::printable(diagnostic.message);
    out_ += paint_(Style::title, ": " + (wraps_headlines_ ? base::wrapped(message, indent, columns_) : message)) + '\n';
    out_ += std::string(gutter, ' ') + paint_(Style::frame, "-->");
    out_ += fmt::format(" {}:{}:{}\n", path_, line, column);
  }

  void notes(const Diagnostic& diagnostic, std::size_t gutter) {
    const bool first_of_code = explained_.insert(diagnostic.info->code).second;
    if (diagnostic.help.empty() && !first_of_code) {
      return;
    }
    out_ += paint_(Style::frame, std::string(gutter + 1, ' ') + "|") + '\n';
    if (!diagnostic.help.empty()) {
      note("help", base::printable(diagnostic.help), gutter);
    }
    if (first_of_code) {
      note("explain", fmt::format("sparsecfg explain {}", diagnostic.info->code), gutter);
    }
  }

  void fix(const Diagnostic& diagnostic, std::size_t gutter) {
    const std::string lines = render_fix(file_, diagnostic, paint_, gutter, columns_);
    if (lines.empty()) return;
    const bool safe = diagnostic.fix.kind == Fix::Kind::safe;
    note("fix", safe ? "sparsecfg validate --fix" : "sparsecfg validate --fix --unsafe-fixes", gutter);
    out_ += lines;
  }

  void note(std::string_view kind, std::string_view text, std::size_t gutter) {
    const std::size_t indent = gutter + 5 + kind.size();
    out_ += std::string(gutter + 1, ' ') + paint_(Style::frame, "=") + ' ';
    out_ += paint_(Style::title, fmt::format("{}:", kind)) + ' ' + base::wrapped(text, indent, columns_) + '\n';
  }

  const source::SourceFile& file_;
  std::string path_;
  Painter paint_;
  std::size_t columns_;
  std::size_t limit_;
  std::string docs_;
  bool shows_fixes_;
  bool wraps_headlines_;
  std::array<std::size_t, 3> seen_{};  // by severity
  std::set<std::string_view> explained_;
  std::string out_;
};

}  // namespace

std::string render_text(const source::SourceFile& file, std::span<const Diagnostic> diagnostics,
                        const TextOptions& options) {
  if (diagnostics.empty()) {
    return {};
  }
  TextRenderer renderer(file, options);
  for (const Diagnostic& diagnostic : diagnostics) {
    if (options.infos || diagnostic.severity != Severity::info) renderer.add(diagnostic);
  }
  return renderer.finish();
}

}  // namespace sparsecfg::diag
