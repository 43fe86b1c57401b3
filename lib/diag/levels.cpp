#include "diag/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "diag/sink.h"

namespace sparsecfg::diag {

static bool names(std::string_view text, const Info& info) {
  return !text.empty() && (info.code.starts_with(base::to_upper(text)) || info.name == base::to_lower(text));
}

static bool any_names(const std::vector<std::string>& texts, const Info& info) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return names(text, info); });
}

void Levels::apply(std::vector<Diagnostic>& diagnostics) const {
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    return (!select.empty() && !any_names(select, *diagnostic.info)) || any_names(ignore, *diagnostic.info);
  });
  for (Diagnostic& diagnostic : diagnostics) {
    for (const auto& [text, severity] : severities) {
      if (names(text, *diagnostic.info)) diagnostic.severity = severity;
    }
  }
}

bool names_any(std::string_view text) {
  return std::ranges::any_of(catalog(), [&](const Info* info) { return names(text, *info); });
}

std::optional<Severity> read_severity(std::string_view text) {
  for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
    if (text == to_string(severity)) return severity;
  }
  return std::nullopt;
}

using source::SourceFile;
using source::Span;

// A code that a suppression comment accepts.
struct Accepted {
  std::string code;
  Span comment;
  bool whole_file = false;
  bool used = false;
};

// The codes between `ignore[` and `]`, and the reason after the bracket.
struct Request {
  bool whole_file = false;
  std::vector<std::string> codes;
  std::string_view reason;
};

static std::optional<Request> read_request(std::string_view comment) {
  constexpr std::string_view kMark = "sparsecfg:";
  const std::size_t mark = comment.find(kMark);
  if (mark == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = base::trim(comment.substr(mark + kMark.size()));
  const std::size_t open = rest.find('[');
  const std::size_t close = rest.find(']');
  const std::string_view verb = rest.substr(0, open);
  if ((verb != "ignore" && verb != "ignore-file") || close == std::string_view::npos || close < open) {
    return Request{};
  }
  Request request;
  request.whole_file = verb == "ignore-file";
  std::string_view list = rest.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    request.codes.emplace_back(base::trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  request.reason = base::trim(rest.substr(close + 1));
  return request;
}

class Suppressor {
 public:
  Suppressor(const SourceFile& file, const std::vector<Span>& comments) : file_(file) {
    for (const Span comment : comments) {
      if (const auto request = read_request(file.text(comment))) add(comment, *request);
    }
  }

  // Returns true if a comment accepts the diagnostic, on the line of its span or of one of its labels.
  bool accepts(const Diagnostic& diagnostic) {
    bool accepted = accepts_anywhere(diagnostic.info);
    accepted = accepts_at(diagnostic.span, diagnostic.info) || accepted;
    for (const Label& label : diagnostic.labels) {
      if (!label.span.empty() && accepts_at(label.span, diagnostic.info)) accepted = true;
    }
    return accepted;
  }

  // Returns the diagnostics about the comments themselves.
  std::vector<Diagnostic> finish() {
    for (const Accepted& each : accepted_) {
      if (!each.used) {
        const std::string place = each.whole_file ? "the file" : fmt::format("line {}", line_of(each.comment));
        sink_
            .report(suppression_comment, each.comment,
                    fmt::format("unused suppression: {} does not cause {}", place, each.code))
            .with_help("delete the comment");
      }
    }
    return sink_.take();
  }

  [[nodiscard]] bool idle() const { return accepted_.empty(); }

 private:
  bool accepts_anywhere(const Info* info) {
    const auto found = by_code_.find(info);
    if (found == by_code_.end()) {
      return false;
    }
    for (const std::size_t at : found->second) accepted_[at].used = true;
    return true;
  }

  bool accepts_at(Span place, const Info* info) {
    const auto found = by_place_.find({file_.position(place.begin).line, info});
    if (found == by_place_.end()) {
      return false;
    }
    for (const std::size_t at : found->second) {
      accepted_[at].used = true;
    }
    return true;
  }

  void add(Span comment, const Request& request) {
    if (request.codes.empty()) {
      sink_.report(suppression_comment, comment, "the suppression comment lists no codes")
          .with_help("write `# sparsecfg: ignore[SP202] reason`");
    }
    for (const std::string& code : request.codes) {
      if (find(code) == nullptr) {
        sink_.report(suppression_comment, comment, fmt::format("unknown rule `{}`", code));
      } else {
        if (request.whole_file) {
          by_code_[find(code)].push_back(accepted_.size());
        } else {
          by_place_[{line_of(comment), find(code)}].push_back(accepted_.size());
        }
        accepted_.push_back({code, comment, request.whole_file});
      }
    }
    if (!request.codes.empty() && request.reason.empty()) {
      sink_.report(suppression_comment, comment, "the suppression comment lacks a reason")
          .with_help("write a reason after the bracket: `# sparsecfg: ignore[SP202] reason`");
    }
  }

  // Returns the line of the comment, or the next line with other content if the comment is the only thing on its line.
  std::uint32_t line_of(Span comment) {
    const std::uint32_t line = file_.position(comment.begin).line;
    const std::string_view before = file_.text({file_.line_span(line).begin, comment.begin});
    if (!base::trim(before).empty()) {
      return line;
    }
    if (line < block_begin_ || line >= block_end_) {
      block_begin_ = line;
      block_end_ = end_of_block(line);
    }
    return block_end_;
  }

  // Returns the first line after `line` that is neither empty nor a comment.
  std::uint32_t end_of_block(std::uint32_t line) const {
    const std::uint32_t last = file_.position(static_cast<std::uint32_t>(file_.text().size())).line;
    const auto is_blank = [&](std::uint32_t at) {
      const std::string_view text = base::trim(file_.text(file_.line_span(at)));
      return text.empty() || text.starts_with('#');
    };
    do {
      ++line;
    } while (line < last && is_blank(line));
    return line;
  }

  const SourceFile& file_;
  std::vector<Accepted> accepted_;
  std::map<std::pair<std::uint32_t, const Info*>, std::vector<std::size_t>> by_place_;  // by line and code
  std::map<const Info*, std::vector<std::size_t>> by_code_;                             // for the whole file
  std::uint32_t block_begin_ = 0;  // the most recent block of comment lines, as a cache
  std::uint32_t block_end_ = 0;
  Sink sink_;
};

void suppress(std::vector<Diagnostic>& diagnostics, const SourceFile& file, const std::vector<Span>& comments) {
  Suppressor suppressor(file, comments);
  if (!suppressor.idle()) {
    std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) { return suppressor.accepts(diagnostic); });
  }
  std::ranges::move(suppressor.finish(), std::back_inserter(diagnostics));
  std::ranges::stable_sort(diagnostics, {}, &Diagnostic::span);
}

}  // namespace sparsecfg::diag
