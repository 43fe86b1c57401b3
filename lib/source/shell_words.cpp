#include "source/shell_words.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "source/shell_variables.h"

namespace sparsecfg::source {

namespace {

constexpr std::size_t kMaxDepth = 64;                // of control structures
constexpr std::size_t kMaxElements = 64;             // of an array
constexpr std::size_t kMaxRepeated = 1024UL * 64;    // bytes of the bodies of loops that are read again
constexpr std::size_t kMaxExpanded = 1024UL * 1024;  // letters that replace variables

// A control structure that is not closed.
struct Structure {
  enum class Kind : std::uint8_t { loop, branch, group };
  Kind kind = Kind::branch;
  std::string closing;
  bool in_condition = false;  // its commands always run
  std::size_t mark = 0;
  std::set<std::string> changed{};
  // Of a loop:
  std::string variable{};
  std::vector<ShellWord> words{};
  std::size_t next = 0;
  std::size_t body = 0;
};

class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> run() {
    do {
      while (at_ < text_.size()) step();
      end_command();
    } while (at_ < text_.size());  // the last word can repeat a loop
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
    } else if (list_ && (c == '\n' || c == ')')) {
      end_word();
      ++at_;
      if (c == ')') end_list();
    } else if (c == '(' && word_ && is_assignment(word_->text) && word_->text.ends_with('=')) {
      ++at_;
      begin_list();
    } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
      separate(c);
    } else if (c == '#' && !word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '>' || c == '<') {
      skip_redirection();
    } else {
      add_part();
    }
  }

  void separate(char c) {
    const bool doubled = peek(1) == c;
    const bool ends_branch = c == ';' && doubled;
    if (c == '(' && peek(1) == ')') in_header_ = true;
    end_command();
    ++at_;
    if (ends_branch && !structures_.empty()) next_branch();
    if (c == '|' && doubled) skippable_ = true;
    if (c == '&' && doubled) skippable_ = skippable_ || after_test_;
    chained_ = (chained_ || doubled) && c != '\n' && c != ';';
    skippable_ = skippable_ && c != '\n' && c != ';';
    if (c == '\n') skip_here_document();
  }

  // The elements of an array: `NAME=(a b)`.
  void begin_list() {
    list_ = word_->text.substr(0, word_->text.size() - 1);
    word_.reset();
    words_.clear();
  }

  void end_list() {
    std::string name = *std::exchange(list_, std::nullopt);
    std::vector<ShellWord> list = std::exchange(words_, {});
    const bool adds = name.ends_with('+');
    if (adds) name.pop_back();
    const Expanded* old = variables_.find(name);
    bool known = !chained_ && std::ranges::none_of(list, &ShellWord::splits);
    if (adds) {
      known = known && old != nullptr && old->list;
      if (known) list.insert(list.begin(), old->list->begin(), old->list->end());
    }
    Expanded value = variables_.unknown();
    if (known && list.size() <= kMaxElements) value.list = std::move(list);
    variables_.set(name, std::move(value));
  }

  void skip_redirection() {
    const bool number = word_ && std::ranges::all_of(word_->text, base::is_digit);
    if (number) word_.reset();  // of the stream that is redirected: `2>`
    end_word();
    const std::size_t begin = at_;
    while (peek() == '>' || peek() == '<' || peek() == '&') ++at_;
    const bool here = text_.substr(begin, at_ - begin) == "<<";
    if (here && peek() == '-') ++at_;
    here_ = here;
    skipping_ = true;
  }

  void skip_here_document() {
    if (end_of_here_.empty()) return;
    const std::string end = std::exchange(end_of_here_, {});
    while (at_ < text_.size()) {
      const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, line_end - at_);
      at_ = std::min(line_end + 1, text_.size());
      while (line.starts_with('\t')) line.remove_prefix(1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line == end) return;
    }
  }

  ShellWord& word() {
    if (!word_) word_ = ShellWord{{}, {static_cast<std::uint32_t>(at_), 0}};
    return *word_;
  }

  void add_letter() {
    if (at_ < text_.size()) add_letter(text_[at_]);
    ++at_;
  }

  void add_letter(char letter) {
    word().text += letter;
    word().identity += letter;
  }

  void add_part() {
    word();
    const char c = peek();
    has_quotes_ = has_quotes_ || c == '\'' || c == '"';
    if (c == '\'') {
      add_quoted();
    } else if (c == '"') {
      ++at_;
      while (at_ < text_.size() && peek() != '"') add_in_double_quotes();
      ++at_;
    } else if (c == '$' || c == '`') {
      add_variable(false);
    } else {
      if (c == '\\') ++at_;
      add_letter();
    }
  }

  void add_quoted() {
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    word().text += content;
    word().identity += content;
    at_ = end + 1;
  }

  void add_in_double_quotes() {
    constexpr std::string_view kEscaped = "$`\"\\\n";
    if (peek() == '$' || peek() == '`') return add_variable(true);
    if (peek() == '\\' && kEscaped.find(peek(1)) != kEscaped.npos) {
      ++at_;
      if (peek() == '\n') {
        ++at_;
        return;
      }
    }
    add_letter();
  }

  // A dollar sign before another character stands for itself.
  static bool begins_expansion(char next) {
    return base::is_name_letter(next) || std::string_view("{([@*#?-$!'\"").find(next) != std::string_view::npos;
  }

  // Replaces a variable with a literal value. Other values are unknown.
  void add_variable(bool quoted) {
    if (peek() == '$' && !begins_expansion(peek(1))) return add_letter();
    const bool braces = peek(1) == '{';
    const std::size_t written = at_;
    std::size_t end = at_ + (braces ? 2 : 1);
    const std::size_t begin = end;
    while (end < text_.size() && base::is_name_letter(text_[end])) ++end;
    const std::string_view name = text_.substr(begin, end - begin);
    const std::string_view rest = text_.substr(std::min(end, text_.size()));
    const bool closed = !braces || rest.starts_with('}');
    const bool all = braces && (rest.starts_with("[@]}") || rest.starts_with("[*]}"));
    const Expanded* known = peek() == '$' && !name.empty() && (closed || all) ? variables_.find(name) : nullptr;
    if (known != nullptr && all && known->list && !known->list->empty() && may_expand(known->list->size())) {
      at_ = end + std::string_view("[@]}").size();
      return add_words(*known->list);
    }
    if (known != nullptr && closed && may_expand(known->text.size() + known->identity.size())) {
      at_ = end + (braces ? 1 : 0);
      return add_value(*known, quoted, written);
    }
    skip_expansion();
    const std::string_view text = text_.substr(written, std::min(at_, text_.size()) - written);
    word_->unknown = true;
    word_->splits = word_->splits || !quoted || text.find('@') != text.npos;
    word_->identity += identity_of(text);
  }

  bool may_expand(std::size_t letters) {
    expanded_ += letters;
    return expanded_ <= kMaxExpanded;
  }

  // Adds the elements of an array. The first and the last one are parts of the word around the array.
  void add_words(const std::vector<ShellWord>& list) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (at > 0) end_word();
      const bool empty = !word_ || word_->text.empty();
      ShellWord& current = word();
      if (empty) current.span = list[at].span;
      current.text += list[at].text;
      current.identity += list[at].identity;
      current.unknown = current.unknown || list[at].unknown;
      if (empty) element_end_ = list[at].span.end;
    }
  }

  // Without quotes, the value is split at white space.
  void add_value(const Expanded& value, bool quoted, std::size_t written) {
    const bool splits = !quoted && value.text.find(' ') != std::string::npos && !is_assignment(word_->text);
    word_->unknown = word_->unknown || value.unknown;
    word_->splits = word_->splits || (value.unknown && !quoted);
    if (!splits || value.unknown) {
      word_->text += value.text;
      word_->identity += value.identity;
      return;
    }
    for (const char letter : value.text) {
      if (letter == ' ') {
        end_word();
        continue;
      }
      if (!word_) word_ = ShellWord{{}, {static_cast<std::uint32_t>(written), 0}};
      add_letter(letter);
    }
    if (!word_) word_ = ShellWord{{}, {static_cast<std::uint32_t>(written), 0}};
  }

  // A variable of the environment has one value in a run, unless the script changes it. The output of a command can
  // differ each time.
  std::string identity_of(std::string_view text) {
    const bool many = text.find_first_of("@*") != text.npos;
    const bool changes = many || text.starts_with('`') || text.starts_with("$(") || text == "$?" || text.empty();
    if (changes) return variables_.unknown().identity;
    std::string out = '\1' + std::string(text);
    const bool plain = std::ranges::all_of(text.substr(1), base::is_name_letter);
    if (!plain) out += '#' + std::to_string(variables_.mark());
    if (!plain || (text.size() > 1 && base::is_digit(text[1]))) out += '@' + std::to_string(function_);
    return out;
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
    if (element_end_ > 0) word_->span.end = std::exchange(element_end_, 0);
    const bool vanishes = !std::exchange(has_quotes_, false) && word_->text.empty() && !word_->unknown;
    if (std::exchange(here_, false)) end_of_here_ = word_->text;
    if (!std::exchange(skipping_, false) && !vanishes) words_.push_back(*std::move(word_));
    word_.reset();
    if (words_.size() == 1) begin_part(words_.front());
  }

  // Words behind the first word of a part of a structure already have the values of that part.
  void begin_part(const ShellWord& word) {
    if (word.text == "{" && in_header_) function_ = word.span.begin + 1;
    if ((word.text == "else" || word.text == "elif") && !structures_.empty()) next_branch();
  }

  void end_command() {
    end_word();
    skipping_ = false;
    if (words_.empty()) return;
    std::vector<ShellWord> words = std::exchange(words_, {});
    while (!words.empty() && read_keyword(words)) words.erase(words.begin());
    if (words.empty()) return;
    const std::string& name = words.front().text;
    after_test_ = name == "[" || name == "[[" || name == "test";
    remember(words);
    out_.push_back({std::move(words), is_conditional()});
  }

  [[nodiscard]] bool is_conditional() const {
    const auto skips = [](const Structure& each) { return each.kind == Structure::Kind::branch && !each.in_condition; };
    return skippable_ || std::ranges::any_of(structures_, skips);
  }

  // --- control structures -----------------------------------------------------------------------------

  // Reads the word of a control structure in front of a command. Returns false for the name of a program.
  bool read_keyword(std::vector<ShellWord>& words) {
    const std::string name = words.front().text;
    if (words.front().unknown) return false;
    if (name == "!" || name == "time") return true;
    if (name == "if") return open({Structure::Kind::branch, "fi", true});
    if (name == "while" || name == "until") return open({Structure::Kind::branch, "done", true});
    if (name == "case" || name == "select") {
      words.resize(1);
      return open({Structure::Kind::branch, name == "case" ? "esac" : "done"});
    }
    if (name == "for") return open_loop(words);
    if (name == "function") {
      in_header_ = true;
      const bool body = words.back().text == "{";
      words.erase(words.begin() + 1, body ? words.end() - 1 : words.end());
      return true;
    }
    if (name == "{") {
      const bool body = std::exchange(in_header_, false);
      return open({body ? Structure::Kind::branch : Structure::Kind::group, "}"});
    }
    if (structures_.empty()) return false;
    if (name == "then" || name == "do") {
      structures_.back().in_condition = false;
      if (name == "do") structures_.back().body = words.front().span.end;
      return true;
    }
    if (name == "else" || name == "elif") return true;  // see begin_part()
    if (name != structures_.back().closing) return false;
    words.resize(1);
    close();
    return true;
  }

  bool open(Structure structure) {
    if (structures_.size() >= kMaxDepth) return true;
    structure.mark = variables_.mark();
    structures_.push_back(std::move(structure));
    return true;
  }

  // A loop over literal words runs once for each of them.
  bool open_loop(std::vector<ShellWord>& words) {
    constexpr std::size_t kFirst = 3;  // after `for NAME in`
    constexpr std::string_view kPattern = "*?[{~";
    const bool complete = words.size() > kFirst && words[2].text == "in";
    const bool literal = complete && std::all_of(words.begin() + kFirst, words.end(), [&](const ShellWord& word) {
                           return !word.unknown && word.text.find_first_of(kPattern) == std::string::npos;
                         });
    const std::string name = words.size() > 1 ? words[1].text : std::string();
    Structure loop{literal ? Structure::Kind::loop : Structure::Kind::branch, "done"};
    if (literal) {
      loop.variable = name;
      loop.words.assign(words.begin() + kFirst, words.end());
      loop.next = 1;
    }
    words.resize(1);
    if (literal) {
      variables_.set(name, {loop.words.front().text, loop.words.front().identity});
      return open(std::move(loop));
    }
    open(std::move(loop));
    variables_.set(name, variables_.unknown());
    return true;
  }

  // The values at the begin of a branch are those before the structure.
  void next_branch() {
    Structure& top = structures_.back();
    if (top.kind == Structure::Kind::branch) variables_.undo(top.mark, top.changed);
  }

  void close() {
    Structure& top = structures_.back();
    if (top.kind == Structure::Kind::loop && top.next < top.words.size()) {
      repeated_ += at_ - std::min(at_, top.body);
      if (top.body > 0 && repeated_ <= kMaxRepeated) {
        const ShellWord& word = top.words[top.next++];
        variables_.set(top.variable, {word.text, word.identity});
        at_ = top.body;
        return;
      }
      variables_.set(top.variable, variables_.unknown());
    }
    if (top.kind == Structure::Kind::branch) {
      variables_.undo(top.mark, top.changed);
      for (const std::string& name : top.changed) variables_.set(name, variables_.unknown());
      if (top.closing == "}") function_ = 0;
    }
    structures_.pop_back();
  }

  // --- variables --------------------------------------------------------------------------------------

  static bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != word.npos && equals > 0 && std::ranges::all_of(word.substr(0, equals), [](char letter) {
             return base::is_name_letter(letter) || letter == '+';
           });
  }

  // Remembers the values of a command that only assigns, or declares variables. Forgets those that it reads.
  void remember(const std::vector<ShellWord>& words) {
    constexpr std::string_view kDeclaring[] = {"export", "local", "readonly", "declare", "typeset"};
    const std::string& name = words.front().text;
    const bool declares = base::contains(kDeclaring, name);
    if (name == "read" || name == "unset" || name == "mapfile" || name == "readarray") {
      for (const ShellWord& word : words) variables_.set(word.text, variables_.unknown());
      return;
    }
    const auto assigns = [](const ShellWord& word) { return is_assignment(word.text); };
    if (!declares && !std::ranges::all_of(words, assigns)) return;
    for (const ShellWord& word : words) {
      if (assigns(word)) remember(word);
    }
  }

  void remember(const ShellWord& word) {
    const std::size_t equals = word.text.find('=');
    std::string name = word.text.substr(0, equals);
    const bool adds = name.ends_with('+');
    if (adds) name.pop_back();
    if (adds || chained_) return variables_.set(name, variables_.unknown());
    variables_.set(name,
                   {word.text.substr(equals + 1), word.identity.substr(word.identity.find('=') + 1), word.unknown});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<ShellWord> word_;
  bool has_quotes_ = false;          // an empty word is a word
  bool skipping_ = false;            // the next word is the file of a redirection
  bool here_ = false;                // it ends a here-document instead
  std::string end_of_here_{};        // of the here-document that begins with the next line
  bool in_header_ = false;           // the next brace opens the body of a function
  bool chained_ = false;             // it follows another one on the line
  bool skippable_ = false;           // the next command depends on the result of another one
  bool after_test_ = false;          // the last command was a test
  std::size_t function_ = 0;         // identifies the function that contains the next command; 0: none
  std::size_t repeated_ = 0;         // bytes that were read again
  std::size_t expanded_ = 0;         // letters that replaced variables
  std::uint32_t element_end_ = 0;    // end of the word if it is an element of an array; 0: it is not
  std::optional<std::string> list_;  // name of the array whose elements are read
  std::vector<ShellWord> words_;
  std::vector<Structure> structures_;
  Variables variables_;
  std::vector<ShellCommand> out_;
};

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text) { return ShellReader(text).run(); }

std::string_view program_name(std::string_view word) {
  if (word.find('@') < 2) word.remove_prefix(std::min(word.find_first_not_of("@-+"), word.size()));
  return word.substr(word.rfind('/') + 1);
}

bool only_names_programs(std::string_view program) {
  constexpr std::string_view kPrograms[] = {"echo", "printf", "grep", "pgrep", "pkill"};
  return std::ranges::find(kPrograms, program) != std::end(kPrograms);
}

std::string_view without_quotes(std::string_view word) {
  const bool quoted = word.size() > 1 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
  return quoted ? word.substr(1, word.size() - 2) : word;
}

bool is_shell_file(std::string_view path) {
  constexpr std::string_view kEndings[] = {"sh", "bash", "zsh", "ksh", "mk"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return base::contains(kEndings, base::to_lower(base::ending_of(path))) || name == "Makefile" || name == "makefile" ||
         name == "GNUmakefile";
}

}  // namespace sparsecfg::source
