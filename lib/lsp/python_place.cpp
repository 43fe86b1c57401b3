#include "lsp/python_place.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::lsp {

namespace {

// Reads tokens up to a position and keeps the open brackets.
class PlaceScanner {
 public:
  PlaceScanner(std::string_view text, std::uint32_t end) : text_(text.substr(0, end)) {}

  std::optional<PythonPlace> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (at_ == text_.size()) return std::nullopt;
      } else if (c == '"' || c == '\'') {
        if (!skip_string(c)) return std::move(out_);
      } else if (base::is_name_letter(c)) {
        read_name();
      } else {
        read_sign(c);
      }
    }
    return std::move(out_);
  }

 private:
  // Returns false if the string is open at the end.
  bool skip_string(char quote) {
    const std::string triple(3, quote);
    const bool is_triple = text_.substr(at_).starts_with(triple);
    const std::size_t begin = at_ + (is_triple ? 3 : 1);
    std::size_t end = begin;
    while (end < text_.size()) {
      if (text_[end] == '\\') {
        end += 2;
        continue;
      }
      if (is_triple ? text_.substr(end).starts_with(triple) : text_[end] == quote) {
        word_ = std::string(text_.substr(begin, end - begin));
        at_ = end + (is_triple ? 3 : 1);
        return true;
      }
      if (!is_triple && text_[end] == '\n') break;  // not closed
      ++end;
    }
    if (end < text_.size()) {
      at_ = end;
      return true;
    }
    out_.in_string = true;
    out_.is_triple = is_triple;
    out_.string_begin = static_cast<std::uint32_t>(std::min(begin, text_.size()));
    return false;
  }

  void read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && base::is_name_letter(text_[at_])) ++at_;
    word_ = std::string(text_.substr(begin, at_ - begin));
  }

  void read_sign(char c) {
    ++at_;
    std::vector<PythonBracket>& open = out_.brackets;
    if (c == '(' || c == '[' || c == '{') {
      open.push_back({c, c == '(' ? word_ : open.empty() ? assigned_ : std::string(), {}, {}});
      word_.clear();
    } else if (c == ')' || c == ']' || c == '}') {
      if (!open.empty()) open.pop_back();
      word_.clear();
    } else if (c == ',' && !open.empty()) {
      open.back().key.clear();
      word_.clear();
    } else if ((c == '=' || c == ':') && !open.empty()) {
      const bool is_key = open.back().kind == (c == '=' ? '(' : '{') && !word_.empty();
      if (is_key) {
        open.back().key = word_;
        open.back().present.push_back(word_);
      }
      word_.clear();
    } else if (c == '=' && open.empty()) {
      assigned_ = word_;
    } else if (c == '\n' && open.empty()) {
      assigned_.clear();
      word_.clear();
    } else if (c == '.') {
      word_.clear();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;      // the last name or string
  std::string assigned_;  // the variable of the statement
  PythonPlace out_;
};

}  // namespace

bool PythonPlace::begins_key() const {
  if (brackets.empty() || !brackets.back().key.empty()) return false;
  return brackets.back().kind == '(' ? !in_string : brackets.back().kind == '{';
}

std::optional<PythonPlace> python_place(std::string_view script, std::uint32_t offset) {
  return PlaceScanner(script, offset).run();
}

}  // namespace sparsecfg::lsp
