#include <algorithm>

#include "format/lines.h"

namespace sparsecfg::format {

using source::Span;

constexpr std::size_t kCommentGap = 2;  // minimum number of columns before a comment

// Lays out the text after the content of each line: comments, white space and blank lines.
class LineFinisher {
 public:
  LineFinisher(std::string_view text, Span part, const doc::Document& document, Lines& lines)
      : text_(text), part_(part), document_(document), lines_(lines) {}

  void run() {
    place_comments();
    trim_lines();
  }

 private:
  std::string_view between(std::uint32_t begin, std::uint32_t end) const { return text_.substr(begin, end - begin); }

  // Puts at least two spaces before a comment and keeps aligned comments aligned.
  void place_comments() {
    std::vector<Span> behind;
    for (const doc::Comment& comment : document_.comments) {
      if (lines_.at(comment.span.begin).text != comment.span.begin) behind.push_back(comment.span);
    }
    for (std::size_t first = 0; first < behind.size();) {
      std::size_t end = first + 1;
      while (end < behind.size() && is_below(behind[end - 1], behind[end])) {
        ++end;
      }
      align({behind.begin() + static_cast<std::ptrdiff_t>(first), behind.begin() + static_cast<std::ptrdiff_t>(end)});
      first = end;
    }
  }

  bool is_below(Span above, Span comment) const {
    return lines_.index_of(above.begin) + 1 == lines_.index_of(comment.begin) &&
           width(lines_.at(above.begin).begin, above.begin) == width(lines_.at(comment.begin).begin, comment.begin);
  }

  void align(const std::vector<Span>& comments) {
    std::size_t column = 0;
    for (const Span comment : comments) {
      column = std::max(column, width_before(comment) + kCommentGap);
    }
    for (const Span comment : comments) {
      lines_.edit(content_end(comment), comment.begin, std::string(column - width_before(comment), ' '));
    }
  }

  std::uint32_t content_end(Span comment) const {
    const Line& line = lines_.at(comment.begin);
    return line.begin + static_cast<std::uint32_t>(between(line.begin, comment.begin).find_last_not_of(" \t") + 1);
  }

  // Returns the width of the text before a comment after all edits of its line.
  std::size_t width_before(Span comment) const {
    const std::uint32_t end = content_end(comment);
    const auto old = static_cast<std::int64_t>(width(lines_.at(comment.begin).begin, end));
    return static_cast<std::size_t>(old + lines_.shift_of(end));
  }

  // Returns the width in characters.
  std::size_t width(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        between(begin, end), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  void trim_lines() {
    std::size_t blank = part_.begin == 0 ? 1 : 0;  // preceding blank lines; starts at 1 to drop leading ones of a file
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      const Line& line = lines_[at];
      const bool opening = at == 0 && part_.begin > 0;  // the rest of the delimiter line
      if (line.is_blank() && !line.inside && !opening) {
        const bool extra = ++blank > 1 || (is_end(at) && part_.end == text_.size());
        lines_.edit(line.begin, extra ? line.next : line.end, "");
        continue;
      }
      blank = 0;
      const std::size_t last = between(line.begin, line.end).find_last_not_of(" \t");
      const bool before_delimiter = line.next == line.end && part_.end < text_.size();
      if (!line.keeps_tail && !before_delimiter && last != std::string_view::npos) {
        lines_.edit(line.begin + static_cast<std::uint32_t>(last) + 1, line.end, "");
      }
    }
    end_last_line();
  }

  // Returns true if only blank lines follow.
  bool is_end(std::size_t at) const {
    while (at < lines_.size() && lines_[at].is_blank() && !lines_[at].inside) {
      ++at;
    }
    return at == lines_.size();
  }

  void end_last_line() {
    const Line& last = lines_[lines_.size() - 1];
    if (part_.end == text_.size() && last.next == last.end && !last.is_blank() && !last.keeps_tail) {
      lines_.edit(last.end, last.end, text_.find("\r\n") == std::string_view::npos ? "\n" : "\r\n");
    }
  }

  std::string_view text_;
  Span part_;
  const doc::Document& document_;
  Lines& lines_;
};

void finish_lines(std::string_view text, Span part, const doc::Document& document, Lines& lines) {
  LineFinisher(text, part, document, lines).run();
}

}  // namespace sparsecfg::format
