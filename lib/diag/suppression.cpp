#include "diag/suppression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "diag/sink.h"

namespace sparsecfg::diag {

using source::SourceFile;
using source::Span;

// One code that a comment accepts.
struct Accepted {
  std::string code;
  Span comment;
  std::uint32_t line = 0;  // in which it counts
  bool used = false;
};

// What stands between `ignore[` and `]`, and what follows.
struct Request {
  std::vector<std::string> codes;
  std::string_view reason;
};

static std::optional<Request> read_request(std::string_view comment) {
  constexpr std::string_view kMark = "sparsecfg:";
  constexpr std::string_view kVerb = "ignore[";
  const std::size_t mark = comment.find(kMark);
  if (mark == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = base::trim(comment.substr(mark + kMark.size()));
  const std::size_t close = rest.find(']');
  if (!rest.starts_with(kVerb) || close == std::string_view::npos) {
    return Request{};
  }
  Request request;
  std::string_view list = rest.substr(kVerb.size(), close - kVerb.size());
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    request.codes.emplace_back(base::trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  request.reason = base::trim(rest.substr(close + 1));
  return request;
}

// The line of the comment, or, where it stands alone, the next line that holds something else.
static std::uint32_t line_of(const SourceFile& file, Span comment) {
  std::uint32_t line = file.position(comment.begin).line;
  const std::string_view before = file.text({file.line_span(line).begin, comment.begin});
  if (!base::trim(before).empty()) {
    return line;
  }
  const auto holds_nothing = [&](std::uint32_t at) {
    const std::string_view text = base::trim(file.text(file.line_span(at)));
    return text.empty() || text.starts_with('#');
  };
  const std::uint32_t last = file.position(static_cast<std::uint32_t>(file.text().size())).line;
  do {
    ++line;
  } while (line < last && holds_nothing(line));
  return line;
}

class Suppressor {
 public:
  Suppressor(const SourceFile& file, const std::vector<Span>& comments) : file_(file) {
    for (const Span comment : comments) {
      if (const auto request = read_request(file.text(comment))) add(comment, *request);
    }
  }

  bool accepts(const Diagnostic& diagnostic) {
    const std::uint32_t line = file_.position(diagnostic.span.begin).line;
    bool accepted = false;
    for (Accepted& each : accepted_) {
      const bool fits = each.line == line && find(each.code) == diagnostic.info;
      each.used |= fits;
      accepted |= fits;
    }
    return accepted;
  }

  // What is wrong with the comments themselves.
  std::vector<Diagnostic> finish() {
    for (const Accepted& each : accepted_) {
      if (!each.used) {
        sink_.report(suppression_comment, each.comment, fmt::format("nothing in line {} is {}", each.line, each.code))
            .with_help("delete the comment");
      }
    }
    return sink_.take();
  }

  [[nodiscard]] bool idle() const { return accepted_.empty(); }

 private:
  void add(Span comment, const Request& request) {
    if (request.codes.empty()) {
      sink_.report(suppression_comment, comment, "this comment accepts nothing")
          .with_help("write `# sparsecfg: ignore[SP202] and the reason`");
    }
    for (const std::string& code : request.codes) {
      if (find(code) == nullptr) {
        sink_.report(suppression_comment, comment, fmt::format("there is no diagnostic `{}`", base::printable(code)));
      } else {
        accepted_.push_back({code, comment, line_of(file_, comment)});
      }
    }
    if (!request.codes.empty() && request.reason.empty()) {
      sink_.report(suppression_comment, comment, "this comment gives no reason")
          .with_help("say behind the bracket why it is accepted");
    }
  }

  const SourceFile& file_;
  std::vector<Accepted> accepted_;
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
