#include "dialect/stages/schema.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace sparsecfg::dialect::stages {

// The text has been read as YAML before, so it is not nested deeper than that reader allows.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  // Where the text stops being JSON; its size where it never does.
  std::size_t run() {
    const bool whole = value() && (skip_room(), at_ == text_.size());
    return whole ? text_.size() : std::min(at_, text_.size() - 1);
  }

 private:
  [[nodiscard]] bool sees(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void skip_room() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char c) {
    skip_room();
    const bool there = sees(c);
    at_ += there ? 1 : 0;
    return there;
  }

  bool value() {
    skip_room();
    if (sees('{')) return collection('}', true);
    if (sees('[')) return collection(']', false);
    return sees('"') ? string() : word() || number();
  }

  bool collection(char closing, bool has_keys) {
    ++at_;
    if (take(closing)) {
      return true;
    }
    do {
      skip_room();
      if (has_keys && !(sees('"') && string() && take(':'))) {
        return false;
      }
      if (!value()) {
        return false;
      }
    } while (take(','));
    return take(closing);
  }

  bool string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const bool escape = text_[at_] == '\\';
      if (static_cast<unsigned char>(text_[at_]) < ' ' || (escape && !take_escape())) {
        return false;
      }
    }
    return take('"');
  }

  // Leaves off at the last character of the escape.
  bool take_escape() {
    constexpr std::size_t kDigits = 4;
    const char kind = ++at_ < text_.size() ? text_[at_] : '\0';
    if (kind != 'u') {
      return kind != '\0' && std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
    }
    const std::string_view digits = text_.substr(at_ + 1, kDigits);
    at_ += digits.size();
    return digits.size() == kDigits && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }

  bool word() {
    static constexpr std::array<std::string_view, 6> kWords = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    const auto* found =
        std::ranges::find_if(kWords, [&](std::string_view known) { return text_.substr(at_).starts_with(known); });
    at_ += found == kWords.end() ? 0 : found->size();
    return found != kWords.end();
  }

  bool digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && base::is_digit(text_[at_])) ++at_;
    return at_ > begin;
  }

  bool number() {
    at_ += sees('-') ? 1 : 0;
    if (sees('0')) {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (sees('.') && (++at_, !digits())) {
      return false;
    }
    if (sees('e') || sees('E')) {
      ++at_;
      at_ += sees('+') || sees('-') ? 1 : 0;
      return digits();
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void check_json(const source::SourceFile& file, diag::Sink& sink) {
  const std::string_view text = file.text();
  const std::size_t fault = JsonScanner(text).run();
  if (fault < text.size()) {
    const auto at = static_cast<std::uint32_t>(fault);
    sink.report(diag::syntax_error, {at, at + 1}, "this is YAML, but a file that ends in `.json` must hold JSON")
        .with_help("rename the file to end in `.yaml`");
  }
}

}  // namespace sparsecfg::dialect::stages
