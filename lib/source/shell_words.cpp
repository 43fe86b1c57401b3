#include "source/shell_words.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

namespace sparsecfg::source {

namespace {

class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> run() {
    while (at_ < text_.size()) step();
    end_command();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // Reads the next character outside of quotes.
  void step() {
    const char c = peek();
    if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      ++at_;
    } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
      end_command();
      ++at_;
    } else if (c == '#' && !word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '>' || c == '<') {
      skip_redirection();
    } else {
      add_part();
    }
  }

  void skip_redirection() {
    end_word();
    while (peek() == '>' || peek() == '<' || peek() == '&') ++at_;
    skipping_ = true;
  }

  ShellWord& word() {
    if (!word_) word_ = ShellWord{{}, {static_cast<std::uint32_t>(at_), 0}};
    return *word_;
  }

  void add_part() {
    ShellWord& current = word();
    const char c = peek();
    if (c == '\'') {
      add_quoted();
    } else if (c == '"') {
      ++at_;
      while (at_ < text_.size() && peek() != '"') add_in_double_quotes(current);
      ++at_;
    } else if (c == '$' || c == '`') {
      add_variable(current);
    } else {
      if (c == '\\') ++at_;
      if (at_ < text_.size()) current.text += text_[at_];
      ++at_;
    }
  }

  void add_quoted() {
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    word().text += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }

  void add_in_double_quotes(ShellWord& current) {
    constexpr std::string_view kEscaped = "$`\"\\\n";
    if (peek() == '$' || peek() == '`') return add_variable(current);
    if (peek() == '\\' && kEscaped.find(peek(1)) != kEscaped.npos) {
      ++at_;
      if (peek() == '\n') {
        ++at_;
        return;
      }
    }
    if (at_ < text_.size()) current.text += text_[at_];
    ++at_;
  }

  // A dollar sign before another character stands for itself.
  static bool begins_expansion(char next) {
    return base::is_name_letter(next) || std::string_view("{([@*#?-$!'\"").find(next) != std::string_view::npos;
  }

  // Replaces a variable with a literal value. Other values are unknown.
  void add_variable(ShellWord& current) {
    if (peek() == '$' && !begins_expansion(peek(1))) {
      current.text += text_[at_++];
      return;
    }
    const bool braces = peek(1) == '{';
    std::size_t end = at_ + (braces ? 2 : 1);
    const std::size_t begin = end;
    while (end < text_.size() && base::is_name_letter(text_[end])) ++end;
    const std::string name(text_.substr(begin, end - begin));
    const bool closed = !braces || (end < text_.size() && text_[end] == '}');
    const auto known = variables_.find(name);
    if (peek() == '$' && !name.empty() && closed && known != variables_.end()) {
      current.text += known->second;
      at_ = end + (braces ? 1 : 0);
      return;
    }
    current.unknown = true;
    skip_expansion();
  }

  // Skips `$name`, `${...}`, `$(...)` or a command in backquotes.
  void skip_expansion() {
    const char open = peek() == '`' ? '`' : peek(1);
    ++at_;
    if (open == '`') {
      at_ = std::min(text_.find('`', at_), text_.size() - 1) + 1;
    } else if (open == '{' || open == '(') {
      skip_brackets(open, open == '{' ? '}' : ')');
    } else {
      do ++at_;
      while (at_ < text_.size() && base::is_name_letter(text_[at_]));
    }
  }

  void skip_brackets(char open, char close) {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == open) ++depth;
      if (text_[at_] == close && --depth == 0) break;
      ++at_;
    }
    ++at_;
  }

  void end_word() {
    if (!word_) return;
    word_->span.end = static_cast<std::uint32_t>(std::min(at_, text_.size()));
    if (!std::exchange(skipping_, false)) words_.push_back(*std::move(word_));
    word_.reset();
  }

  void end_command() {
    end_word();
    skipping_ = false;
    if (words_.size() == 1) remember(words_.front());
    if (!words_.empty()) out_.push_back({std::exchange(words_, {})});
  }

  // A command that is only an assignment.
  void remember(const ShellWord& word) {
    const std::size_t equals = word.text.find('=');
    if (equals == word.text.npos || equals == 0 || word.unknown) return;
    variables_[word.text.substr(0, equals)] = word.text.substr(equals + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<ShellWord> word_;
  bool skipping_ = false;  // the next word is the file of a redirection
  std::vector<ShellWord> words_;
  std::map<std::string, std::string, std::less<>> variables_;
  std::vector<ShellCommand> out_;
};

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text) { return ShellReader(text).run(); }

}  // namespace sparsecfg::source
