#include "compile/shell.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/quantizers.h"
#include "doc/readers.h"

namespace sparsecfg::places {

namespace {

// Splits the text of a script into words and commands.
class ShellReader {
 public:
  ShellReader(std::string_view text, source::Span part) : text_(text.substr(0, part.end)), at_(part.begin) {}

  std::vector<ShellCommand> run() {
    while (at_ < text_.size()) step();
    end_command();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char here() const { return text_[at_]; }

  [[nodiscard]] char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void step() {
    const char letter = here();
    const bool continued = letter == '\\' && (after() == '\n' || after() == '\r');
    if (continued) {
      at_ += after() == '\r' ? 3 : 2;
      end_word();
    } else if (letter == ' ' || letter == '\t' || letter == '\r') {
      end_word();
      ++at_;
    } else if (letter == '\n' || letter == ';' || letter == '|' || letter == '&' || letter == '(' || letter == ')') {
      end_command();
      ++at_;
    } else if (letter == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      add_letter();
    }
  }

  void begin_word() {
    if (in_word_) return;
    in_word_ = true;
    word_ = {{}, {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_)}};
  }

  void add_letter() {
    begin_word();
    const char letter = here();
    if (letter == '\'') return add_literal();
    if (letter == '"') return add_quoted();
    if (letter == '\\') ++at_;
    if (letter == '$' || letter == '`') word_.known = false;
    if (at_ < text_.size()) word_.text += text_[at_++];
  }

  void add_literal() {
    const std::size_t close = std::min(text_.find('\'', at_ + 1), text_.size());
    word_.text += text_.substr(at_ + 1, close - at_ - 1);
    at_ = std::min(close + 1, text_.size());
  }

  // In double quotes, a backslash escapes only some letters.
  void add_quoted() {
    constexpr std::string_view kEscaped = "\"\\$`\n";
    for (++at_; at_ < text_.size() && here() != '"'; ++at_) {
      const bool escaped = here() == '\\' && kEscaped.find(after()) != std::string_view::npos && after() != '\0';
      if (escaped) {
        ++at_;
        if (here() != '\n') word_.text += here();
        continue;
      }
      if (here() == '$' || here() == '`') word_.known = false;
      word_.text += here();
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    word_.span.end = static_cast<std::uint32_t>(at_);
    const std::size_t equals = word_.text.find('=');
    const bool name =
        equals != std::string::npos && equals > 0 &&
        std::all_of(word_.text.begin(), word_.text.begin() + static_cast<std::ptrdiff_t>(equals), base::is_name_letter);
    if (!command_.words.empty() || !name) command_.words.push_back(std::move(word_));
  }

  void end_command() {
    end_word();
    if (!command_.words.empty()) {
      command_.span = {command_.words.front().span.begin, command_.words.back().span.end};
      out_.push_back(std::move(command_));
    }
    command_ = {};
  }

  std::string_view text_;  // up to the end of the part
  std::size_t at_;
  bool in_word_ = false;
  ShellWord word_;
  ShellCommand command_;
  std::vector<ShellCommand> out_;
};

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text, source::Span part) {
  return ShellReader(text, part).run();
}

// The dialect of a command, and the index of its first argument.
struct Program {
  const dialect::CommandNames* row = nullptr;
  std::size_t arguments = 0;
};

// A program may follow others, such as `python -m`, `env` or `nohup`.
static Program program_of(const ShellCommand& command) {
  constexpr std::size_t kMostWords = 8;
  for (std::size_t at = 0; at < std::min(command.words.size(), kMostWords); ++at) {
    const std::string& word = command.words[at].text;
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    for (const dialect::CommandNames& row : dialect::command_names()) {
      if (base::contains(row.names, name)) return {&row, at + 1};
    }
  }
  return {};
}

// Returns the arguments of a command as a mapping from its program to a list of words.
static doc::Document document_of(const ShellCommand& command, const Program& program, std::uint32_t begin) {
  doc::Document out;
  const auto add = [&](std::string_view text, source::Span span, std::string_view tag) {
    doc::Node node;
    node.style = doc::Style::double_quoted;
    node.span = span;
    node.text = out.owned.emplace_back(text);
    node.tag = tag;
    out.nodes.push_back(std::move(node));
    return static_cast<doc::NodeId>(out.nodes.size() - 1);
  };
  std::vector<doc::NodeId> words;
  for (std::size_t at = program.arguments; at < command.words.size(); ++at) {
    const ShellWord& word = command.words[at];
    const std::string unknown = ir::Reason{"it depends on a variable of the shell", begin}.message();
    words.push_back(word.known ? add(word.text, word.span, {}) : add(unknown, word.span, doc::kNotLiteralTag));
  }
  const doc::NodeId name = add(program.row->names.front(), command.words[program.arguments - 1].span, {});
  doc::Node list;
  list.kind = doc::Kind::sequence;
  list.style = doc::Style::flow;
  list.span = command.words[program.arguments - 1].span;
  list.items = std::move(words);
  out.nodes.push_back(std::move(list));
  doc::Node root;
  root.kind = doc::Kind::mapping;
  root.style = doc::Style::flow;
  root.span = command.span;
  root.items = {name, static_cast<doc::NodeId>(out.nodes.size() - 1)};
  out.nodes.push_back(std::move(root));
  out.root = static_cast<doc::NodeId>(out.nodes.size() - 1);
  return out;
}

// Returns the word that names the model: after its option, behind `=`, or the first argument. Null if there is none.
static std::optional<ShellWord> model_word(const ShellCommand& command, const Program& program) {
  for (std::size_t at = program.arguments; at < command.words.size(); ++at) {
    const ShellWord& word = command.words[at];
    const std::size_t equals = word.text.find('=');
    const bool named = base::contains(program.row->model, std::string_view(word.text).substr(0, equals));
    if (named && equals != std::string::npos) return ShellWord{word.text.substr(equals + 1), word.span, word.known};
    if (named && at + 1 < command.words.size()) return command.words[at + 1];
  }
  const ShellWord& first = command.words[program.arguments];
  return first.text.starts_with('-') ? std::nullopt : std::optional(first);
}

static std::optional<ir::CallModel> model_of(const ShellCommand& command, const Program& program, std::uint32_t line) {
  const auto word = model_word(command, program);
  if (!word) return ir::CallModel{{}, {}, {"the command names no model", line}};
  if (!word->known) return ir::CallModel{{}, {}, {"it depends on a variable of the shell", line}};
  return ir::CallModel{word->text, "AutoModelForCausalLM", {}};
}

void add_commands(const source::SourceFile& file, source::Span part, std::vector<Place>& places) {
  for (const ShellCommand& command : shell_commands(file.text(), part)) {
    const Program program = program_of(command);
    if (program.row == nullptr || program.arguments >= command.words.size()) continue;
    Place place;
    place.form = "command";
    place.dialect = program.row->dialect;
    place.span = command.span;
    place.part = command.span;
    place.lines = {file.position(command.span.begin).line, file.position(command.span.end - 1).line, {}};
    place.document = document_of(command, program, place.lines.first);
    place.model = model_of(command, program, place.lines.first);
    for (const ShellWord& word : command.words) {
      if (!word.known) place.unknown.push_back({word.span, "it depends on a variable of the shell"});
    }
    places.push_back(std::move(place));
  }
}

Found find_in_shell(const source::SourceFile& file) {
  Found out;
  add_commands(file, {0, static_cast<std::uint32_t>(file.text().size())}, out.recipes);
  return out;
}

bool is_shell_file(std::string_view path) {
  constexpr std::string_view kEndings[] = {"sh", "bash", "zsh", "mk", "ksh"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return base::contains(kEndings, base::to_lower(base::ending_of(path))) || name == "Makefile" || name == "makefile" ||
         name == "GNUmakefile";
}

}  // namespace sparsecfg::places
