#include "report/repeated.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/text.h"

namespace sparsecfg::report {

using diag::Diagnostic;
using source::SourceFile;
using source::Span;

// Returns a message without the names in backticks and without numbers.
static std::string words_of(std::string_view message) {
  std::string out;
  bool quoted = false;
  for (const char letter : message) {
    if (letter == '`') quoted = !quoted;
    if (!quoted && !base::is_digit(letter)) out += letter;
  }
  return out;
}

// Returns the indentation of a line; nullopt for an empty one.
static std::optional<std::size_t> indentation_of(const SourceFile& file, std::uint32_t line) {
  const std::size_t out = file.text(file.line_span(line)).find_first_not_of(" \t\r\n");
  return out == std::string_view::npos ? std::nullopt : std::optional(out);
}

// Returns true for places on one line, or on lines of one block: the lines between them are indented at least as far.
static bool share_block(const SourceFile& file, Span one, Span other) {
  const std::uint32_t first = file.position(one.begin).line;
  const std::uint32_t last = file.position(other.begin).line;
  const auto indentation = indentation_of(file, first);
  if (indentation != indentation_of(file, last)) return false;
  for (std::uint32_t line = first + 1; line < last; ++line) {
    if (indentation_of(file, line).value_or(*indentation) < *indentation) return false;
  }
  return true;
}

// Returns true for two keys of mappings with the same name.
static bool are_same_keys(const SourceFile& file, Span one, Span other) {
  const std::string_view name = file.text(one);
  const bool is_name = !name.empty() && std::ranges::all_of(name, base::is_name_letter);
  return is_name && name == file.text(other) && file.text().substr(other.end).starts_with(':');
}

// Returns the edit that a help line states, without its reason and its effect.
static std::string edit_of(const Diagnostic& finding) {
  const std::string edit = finding.help.substr(0, finding.help.find(" (this changes "));
  const std::size_t reason = edit.find("`: ");
  return reason == std::string::npos ? edit : edit.substr(0, reason + 1);
}

// Adds the place and the edit of a finding to the first one of the same mistake.
static void add_place(Diagnostic& first, const Diagnostic& later) {
  if (later.span == first.span) {
    const std::string edit = edit_of(later);
    if (first.help.find(edit) == std::string::npos) first.help = edit_of(first) + ", and " + edit;
  } else {
    first.with_label(later.span, later.help == first.help ? "also here" : edit_of(later));
  }
}

// Returns true if edits change different parts of the text.
static bool are_apart(std::vector<diag::Edit> edits) {
  std::ranges::sort(edits, {}, &diag::Edit::span);
  return std::ranges::adjacent_find(edits, [](const diag::Edit& one, const diag::Edit& next) {
           return next.span.begin < one.span.end;
         }) == edits.end();
}

static void add_fix(diag::Fix& fix, const diag::Fix& other) {
  std::vector<diag::Edit> edits = fix.edits;
  edits.insert(edits.end(), other.edits.begin(), other.edits.end());
  if (fix.edits.empty() || other.edits.empty() || fix.kind != other.kind || !are_apart(edits)) return;
  fix.edits = std::move(edits);
}

// Returns true if a finding has no labels that the first one lacks.
static bool has_same_labels(const Diagnostic& first, const Diagnostic& later) {
  return std::ranges::all_of(later.labels, [&](const diag::Label& label) {
    return std::ranges::find(first.labels, label) != first.labels.end();
  });
}

namespace {

// Findings of a rule whose message and edit have the same words.
struct Repeated {
  std::size_t first;  // the index of the joined finding
  Span last;          // the place of the last finding
};

using Key = std::tuple<const diag::Info*, diag::Severity, std::string, std::string>;

Key key_of(const Diagnostic& finding) {
  return {finding.info, finding.severity, words_of(finding.message), words_of(edit_of(finding))};
}

}  // namespace

// `findings` is sorted by location.
static std::vector<Diagnostic> joined(const SourceFile& file, std::vector<Diagnostic> findings) {
  std::vector<Diagnostic> out;
  std::map<Key, std::vector<Repeated>> known;
  for (Diagnostic& finding : findings) {
    std::vector<Repeated>& alike = known[key_of(finding)];
    const auto same = std::ranges::find_if(alike, [&](const Repeated& each) {
      return has_same_labels(out[each.first], finding) &&
             (share_block(file, each.last, finding.span) || are_same_keys(file, each.last, finding.span));
    });
    if (same == alike.end()) {
      alike.push_back({out.size(), finding.span});
      out.push_back(std::move(finding));
      continue;
    }
    same->last = finding.span;
    Diagnostic& first = out[same->first];
    add_place(first, finding);
    add_fix(first.fix, finding.fix);
  }
  return out;
}

Report join_repeated(Report report) {
  for (FileReport& file : report.files) file.diagnostics = joined(*file.file, std::move(file.diagnostics));
  return report;
}

}  // namespace sparsecfg::report
