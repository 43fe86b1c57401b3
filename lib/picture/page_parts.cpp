#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "picture/page.h"
#include "picture/text.h"
#include "timeline/overall.h"
#include "timeline/overview.h"
#include "timeline/sampler.h"

namespace sparsecfg::picture {

using source::Span;

// --- the table --------------------------------------------------------------------------------------

constexpr std::size_t kMaxRows = 25;
constexpr std::size_t kMaxColumns = 12;
constexpr std::uint64_t kMaxChanges = 2'000'000;

static std::string cell(const std::optional<double>& value) {
  return fmt::format("<td>{}</td>", value ? number_text(*value) : "");
}

static std::string header_row(const timeline::Evaluator& evaluator, std::string_view rate, bool overall,
                              std::size_t columns) {
  std::string out = "<thead><tr><th scope=\"col\">step</th><th scope=\"col\">epoch</th>";
  if (!rate.empty()) out += fmt::format("<th scope=\"col\">{}</th>", rate);
  if (overall) out += "<th scope=\"col\">all weights</th>";
  for (std::size_t at = 0; at < columns; ++at) {
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(evaluator.columns()[at].label));
  }
  return out + "</tr></thead>\n";
}

std::string schedule_table(const ir::Recipe& recipe, const timeline::Run& run) {
  const timeline::Overview overview = timeline::survey(recipe, run, kMaxChanges);
  const timeline::RatedRun rated(recipe, run);
  timeline::Evaluator evaluator(recipe, rated.run);
  timeline::Overall overall(recipe, rated.run, evaluator);
  timeline::Sampler sampler(evaluator, overall, overview.complete);
  const std::size_t columns = std::min(evaluator.columns().size(), kMaxColumns);
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Schedule\"><table>\n";
  out += header_row(evaluator,
                    rated.factors      ? "learning rate (factor)"
                    : recipe.has_rates ? "learning rate"
                                       : "",
                    overall.known(), columns) +
         "<tbody>\n";
  for (const std::uint64_t step : timeline::milestones(overview, run, 0, run.steps(), kMaxRows)) {
    if (!sampler.move_to(step)) {
      out += fmt::format("<tr><td colspan=\"{}\">{}</td></tr>\n", columns + 4, timeline::kRowsOmitted);
      break;
    }
    out += fmt::format("<tr><td>{}</td><td>{:.6g}</td>", step, run.epoch_of(step));
    if (recipe.has_rates) out += cell(evaluator.optimizer().groups().front().rate);
    if (overall.known()) out += cell(overall.value());
    for (std::size_t at = 0; at < columns; ++at) {
      const timeline::Column& column = evaluator.columns()[at];
      out += evaluator.is_off(column) ? "<td>off</td>" : cell(evaluator.sparsities()[column.track]);
    }
    out += "</tr>\n";
  }
  out += "</tbody>\n</table></div>\n";
  const std::size_t hidden = evaluator.columns().size() - columns;
  return hidden == 0 ? out
                     : out + fmt::format("<p class=\"soft\">{} not shown</p>\n", base::counted(hidden, "more column"));
}

// --- the findings -----------------------------------------------------------------------------------

constexpr std::size_t kMaxFindings = 50;

static std::string_view name_of(diag::Severity severity) {
  return severity == diag::Severity::error ? "error" : severity == diag::Severity::warning ? "warning" : "info";
}

// Converts text in backticks to code elements.
static std::string prose(std::string_view text) {
  std::string out;
  bool inside = false;
  for (const char c : escaped(text)) {
    if (c == '`') {
      out += inside ? "</code>" : "<code>";
      inside = !inside;
    } else {
      out += c;
    }
  }
  return inside ? out + "</code>" : out;
}

std::string findings_list(const source::SourceFile& file, const std::vector<diag::Diagnostic>& findings) {
  if (findings.empty()) {
    return "<p>None.</p>\n";
  }
  std::string out = "<ol class=\"findings\">\n";
  for (std::size_t at = 0; at < std::min(findings.size(), kMaxFindings); ++at) {
    const diag::Diagnostic& each = findings[at];
    const std::uint32_t line = file.position(each.span.begin).line;
    out += fmt::format("<li class=\"{0}\" id=\"f{1}\"><b>{0} {2}</b> <a href=\"#L{3}\">line {3}</a>: {4}",
                       name_of(each.severity), at, each.info->code, line, prose(each.message));
    if (!each.help.empty()) out += "<br><span class=\"soft\">help: " + prose(each.help) + "</span>";
    out += "</li>\n";
  }
  out += "</ol>\n";
  const std::size_t hidden = findings.size() - std::min(findings.size(), kMaxFindings);
  return hidden == 0 ? out : out + fmt::format("<p>and {} more</p>\n", hidden);
}

// --- the source -------------------------------------------------------------------------------------

constexpr std::uint32_t kMaxLines = 2000;
constexpr std::uint32_t kMaxLineBytes = 1000;

namespace {

class SourceList {
 public:
  SourceList(const source::SourceFile& file, const ir::Recipe& recipe, const std::vector<diag::Diagnostic>& findings)
      : file_(file) {
    for (std::size_t at = 0; at < std::min(findings.size(), kMaxFindings); ++at) {
      const Span span = findings[at].span;
      const std::uint32_t line = file.position(span.begin).line;
      marks_[line].insert(span);
      links_[line] += fmt::format(" <a class=\"to\" href=\"#f{}\">{}</a>", at, findings[at].info->code);
    }
    for (std::size_t action = 0; action < recipe.actions.size(); ++action) {
      const ir::Origin& origin = recipe.actions[action].origin;
      if (origin.span.empty()) continue;
      const std::uint32_t line = file.position(origin.span.begin).line;
      anchors_[line] += fmt::format("<span id=\"a{}\"></span>", action);
      pictured_.insert(line);
    }
  }

  std::string text() const {
    std::string out = "<pre tabindex=\"0\" role=\"region\" aria-label=\"Source\">";
    const std::uint32_t count = std::min(file_.line_count(), kMaxLines);
    for (std::uint32_t line = 1; line <= count; ++line) {
      const Span span = file_.line_span(line);
      if (line == file_.line_count() && span.empty()) break;
      out += line_text(line, span);
    }
    out += "</pre>\n";
    return count < file_.line_count()
               ? out + fmt::format("<p class=\"soft\">{} more lines not shown</p>\n", file_.line_count() - count)
               : out;
  }

 private:
  std::string line_text(std::uint32_t line, Span span) const {
    const auto part = [&](const std::map<std::uint32_t, std::string>& parts) {
      const auto found = parts.find(line);
      return found == parts.end() ? std::string() : found->second;
    };
    std::string out =
        fmt::format("<span class=\"l\" id=\"L{0}\">{1}<a class=\"n\" href=\"#L{0}\">{0}</a>", line, part(anchors_));
    out += marked(line, {span.begin, std::min(span.end, span.begin + kMaxLineBytes)});
    if (pictured_.contains(line)) out += " <a class=\"to\" href=\"#picture\">chart</a>";
    return out + part(links_) + "</span>";
  }

  // Marks the spans of findings. Overlapping spans are marked once.
  std::string marked(std::uint32_t line, Span span) const {
    std::string out;
    std::uint32_t at = span.begin;
    const auto found = marks_.find(line);
    if (found != marks_.end()) {
      for (const Span mark : found->second) {
        const std::uint32_t begin = std::clamp(mark.begin, at, span.end);
        const std::uint32_t end = std::clamp(mark.end, begin, span.end);
        if (begin == end) continue;
        out += escaped(file_.text({at, begin})) + "<mark>" + escaped(file_.text({begin, end})) + "</mark>";
        at = end;
      }
    }
    return out + escaped(file_.text({at, span.end}));
  }

  const source::SourceFile& file_;
  std::map<std::uint32_t, std::set<Span>> marks_;  // by line
  std::map<std::uint32_t, std::string> links_;
  std::map<std::uint32_t, std::string> anchors_;
  std::set<std::uint32_t> pictured_;
};

}  // namespace

std::string marked_source(const source::SourceFile& file, const ir::Recipe& recipe,
                          const std::vector<diag::Diagnostic>& findings) {
  return SourceList(file, recipe, findings).text();
}

}  // namespace sparsecfg::picture
