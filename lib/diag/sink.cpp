#include "diag/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "base/limit_table.h"
#include "base/text.h"

namespace sparsecfg::diag {

// Maximum number of diagnostics per code and recipe. One more diagnostic states how many exceed it.
constexpr std::size_t kMaxOfOneCode = 500;

Diagnostic& Sink::add(const Info& info, source::Span span, fmt::format_args args) {
  if (diagnostics_.size() >= next_limit_) {
    put_in_order();
    limit_codes();
    next_limit_ = std::max(next_limit_, 2 * diagnostics_.size());
  }
  std::string help = fmt::vformat(info.help, args);
  Diagnostic& out =
      diagnostics_.emplace_back(Diagnostic{&info, info.severity, span, fmt::vformat(info.message, args), {}, help, {}});
  out.usual_help = std::move(help);
  return out;
}

std::size_t Sink::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics_, severity, &Diagnostic::severity));
}

void Sink::put_in_order() {
  std::ranges::stable_sort(diagnostics_, {}, [](const Diagnostic& d) {
    return std::tuple(d.span, d.info->code, std::string_view(d.message));
  });
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end()), diagnostics_.end());
}

// The rules that have reported something, and those whose findings they explain.
struct Rules {
  std::unordered_set<const Info*> present;
  std::unordered_set<const Info*> explained;
};

static Rules rules_of(const std::vector<Diagnostic>& findings) {
  Rules out;
  for (const Diagnostic& finding : findings) {
    out.present.insert(finding.info);
    out.explained.insert(finding.weaker.begin(), finding.weaker.end());
  }
  return out;
}

// Returns true if one of the rules reports the fault of a finding better.
static bool is_weaker(const Diagnostic& finding, const Rules& rules) {
  return rules.explained.contains(finding.info) ||
         std::ranges::any_of(finding.stronger, [&](const Info* rule) { return rules.present.contains(rule); });
}

void drop_weaker(std::vector<Diagnostic>& findings) {
  const Rules rules = rules_of(findings);
  std::erase_if(findings, [&](const Diagnostic& finding) { return is_weaker(finding, rules); });
}

// Returns true for a finding about a value that its field does not accept, so that the parts of the value are not read.
static bool rejects_value(const Diagnostic& finding) {
  const Info* info = finding.info;
  return finding.severity == Severity::error &&
         (info == &wrong_type.info || info == &unknown_choice.info || info == &scheme_unknown_preset.info);
}

// Returns true if the fix of `finding` adds an item to a list in which the fix of `other` corrects an item to the same
// text. The correction is the more specific remedy.
static bool adds_what_is_corrected(const Diagnostic& finding, const Diagnostic& other) {
  const auto corrects = [&](const Edit& added) {
    return std::ranges::any_of(other.fix.edits, [&](const Edit& edit) {
      const bool within = added.span.begin <= edit.span.begin && edit.span.end <= added.span.end;
      return edit.kind == Edit::Kind::content && within && edit.text == added.text;
    });
  };
  return std::ranges::any_of(finding.fix.edits,
                             [&](const Edit& edit) { return edit.kind == Edit::Kind::append && corrects(edit); });
}

static bool is_within(source::Span inner, source::Span outer) {
  return !inner.empty() && outer.begin <= inner.begin && inner.end <= outer.end;
}

// Returns true if `finding` names the place of `other` as its cause.
static bool is_caused_by(const Diagnostic& finding, const Diagnostic& other) {
  return is_within(other.span, finding.cause) && other.severity != Severity::info;
}

// Returns true if `finding` follows from `other`: it names the place of `other` as its cause, or it is about a part of
// a value that `other` rejects, or about text that the fix of a syntax error replaces, or the fix of `other` already
// has the same result.
static bool follows_from(const Diagnostic& finding, const Diagnostic& other) {
  if (adds_what_is_corrected(finding, other) || is_caused_by(finding, other)) return true;
  const bool misread =
      other.info == &syntax_error.info && finding.info != other.info &&
      std::ranges::any_of(other.fix.edits, [&](const Edit& edit) { return is_within(finding.span, edit.span); });
  if (misread) return true;
  return finding.info != &syntax_error.info && rejects_value(other) && is_within(finding.span, other.span) &&
         (finding.span != other.span || !rejects_value(finding));
}

// Returns for each finding whether it follows from another one. Equal findings do not drop each other.
static std::vector<bool> consequences_in(const std::vector<Diagnostic>& findings) {
  const Rules rules = rules_of(findings);
  std::vector<bool> out;
  for (const Diagnostic& finding : findings) {
    const auto causes = [&](const Diagnostic& other) { return follows_from(finding, other) && other != finding; };
    out.push_back(is_weaker(finding, rules) || std::ranges::any_of(findings, causes));
  }
  return out;
}

// Gives a cause the severity of its gravest consequence.
static void raise_causes(std::vector<Diagnostic>& findings) {
  for (const Diagnostic& finding : findings) {
    if (finding.severity != Severity::error || finding.cause.empty()) continue;
    for (Diagnostic& other : findings) {
      if (is_caused_by(finding, other) && other != finding) other.severity = Severity::error;
    }
  }
}

// Writes the consequence of a finding under the carets of its cause.
static void label_causes(std::vector<Diagnostic>& findings) {
  for (const Diagnostic& finding : findings) {
    if (finding.consequence.empty()) continue;
    const auto cause = std::ranges::find_if(
        findings, [&](const Diagnostic& other) { return is_caused_by(finding, other) && other != finding; });
    if (cause != findings.end() && cause->caret.empty()) cause->caret = finding.consequence;
  }
}

// Keeps one finding for each cause, and one for each rule, place and message. Except for drop_weaker(), this is
// quadratic, so long lists are kept.
void Sink::drop_consequences() {
  constexpr std::size_t kMaxCount = 1000;
  if (diagnostics_.size() > kMaxCount) return drop_weaker(diagnostics_);
  const std::vector<bool> follows = consequences_in(diagnostics_);
  raise_causes(diagnostics_);
  label_causes(diagnostics_);
  std::size_t at = 0;
  std::erase_if(diagnostics_, [&](const Diagnostic&) { return follows[at++]; });
  const auto same = [](const Diagnostic& one, const Diagnostic& next) {
    return one.info == next.info && one.span == next.span && one.message == next.message;
  };
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end(), same), diagnostics_.end());
}

void Sink::leave_out(const Diagnostic& diagnostic) {
  LeftOut& others =
      left_out_.try_emplace(diagnostic.info->code, LeftOut{diagnostic.info, diagnostic.severity, diagnostic.span})
          .first->second;
  others.span = std::min(others.span, diagnostic.span);
  ++others.count;
}

// Keeps the first kMaxOfOneCode diagnostics of each code.
void Sink::limit_codes() {
  std::map<std::string_view, std::size_t> counts;
  std::vector<Diagnostic> kept;
  for (Diagnostic& each : diagnostics_) {
    if (++counts[each.info->code] > kMaxOfOneCode) {
      leave_out(each);
    } else {
      kept.push_back(std::move(each));
    }
  }
  diagnostics_ = std::move(kept);
}

// Escapes names and values of the recipe, which may have control characters, and leaves out the end of a long one. A
// value can be the content of a file that a script reads.
static std::string limited_text(std::string_view text) {
  std::size_t end = std::min(text.size(), limits::kMaxFindingText);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return base::printable(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

// Reports need not escape the texts of a finding.
static void escape(Diagnostic& finding) {
  for (std::string* text : {&finding.message, &finding.caret, &finding.help, &finding.usual_help}) {
    *text = limited_text(*text);
  }
  for (Label& label : finding.labels) label.text = limited_text(label.text);
}

// The summary of omitted diagnostics has their code and severity, so that options and comments that hide the code also
// hide the summary.
std::vector<Diagnostic> Sink::take() {
  put_in_order();
  drop_consequences();
  if (diagnostics_.size() > kMaxOfOneCode || !left_out_.empty()) {
    limit_codes();
  }
  std::vector<Diagnostic> out = std::exchange(diagnostics_, {});
  for (const auto& [code, others] : std::exchange(left_out_, {})) {
    out.push_back({others.info,
                   others.severity,
                   others.span,
                   fmt::format("{} more findings of {} are not listed", others.count, code),
                   {},
                   fmt::format("fix some of the {} listed findings of this code to see more", kMaxOfOneCode),
                   {}});
  }
  std::ranges::stable_sort(out, {}, &Diagnostic::span);
  std::ranges::for_each(out, escape);
  return out;
}

}  // namespace sparsecfg::diag
