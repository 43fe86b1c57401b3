#include "compile/shell.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/quantizers.h"
#include "doc/readers.h"
#include "source/shell_words.h"

namespace sparsecfg::places {

using source::ShellCommand;
using source::ShellWord;
using source::Span;

// The dialect of a command, and the index of its first argument.
struct Program {
  const dialect::CommandNames* row = nullptr;
  std::size_t arguments = 0;
};

static std::string_view name_at(const ShellCommand& command, std::size_t at) {
  const std::string_view word = command.words[at].text;
  return word.substr(word.rfind('/') + 1);
}

// Returns the number of words of the name at an index: 1 for `mlx_lm.convert`, 2 for `mlx_lm convert`, 0 for others.
static std::size_t words_of_name(const ShellCommand& command, std::size_t at, const dialect::CommandNames& row) {
  const std::string_view name = name_at(command, at);
  if (base::contains(row.names, name)) return 1;
  if (at + 1 == command.words.size()) return 0;
  return base::contains(row.names, fmt::format("{} {}", name, command.words[at + 1].text)) ? 2 : 0;
}

// A program may follow others, such as `python -m`, `env` or `nohup`.
static Program program_of(const ShellCommand& command) {
  constexpr std::size_t kMostWords = 8;
  for (std::size_t at = 0; at < std::min(command.words.size(), kMostWords); ++at) {
    for (const dialect::CommandNames& row : dialect::command_names()) {
      if (const std::size_t words = words_of_name(command, at, row); words > 0) return {&row, at + words};
    }
  }
  return {};
}

static Span span_of(const ShellCommand& command) {
  return {command.words.front().span.begin, command.words.back().span.end};
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
    words.push_back(word.unknown ? add(unknown, word.span, doc::kNotLiteralTag) : add(word.text, word.span, {}));
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
  root.span = span_of(command);
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
    if (named && equals != std::string::npos) return ShellWord{word.text.substr(equals + 1), word.span, word.unknown};
    if (named && at + 1 < command.words.size()) return command.words[at + 1];
  }
  const ShellWord& first = command.words[program.arguments];
  return first.text.starts_with('-') ? std::nullopt : std::optional(first);
}

static std::optional<ir::CallModel> model_of(const ShellCommand& command, const Program& program, std::uint32_t line) {
  const auto word = model_word(command, program);
  if (!word) return ir::CallModel{{}, {}, {"the command names no model", line}};
  if (word->unknown) return ir::CallModel{{}, {}, {"it depends on a variable of the shell", line}};
  return ir::CallModel{word->text, std::string(program.row->loader), {}};
}

// Returns the commands in a part of a file, with places in the file.
static std::vector<ShellCommand> commands_in(const source::SourceFile& file, Span part) {
  std::vector<ShellCommand> out = source::shell_commands(file.text(part));
  for (ShellCommand& command : out) {
    for (ShellWord& word : command.words) word.span = {word.span.begin + part.begin, word.span.end + part.begin};
  }
  std::erase_if(out, [](const ShellCommand& command) { return command.words.empty(); });
  return out;
}

void add_commands(const source::SourceFile& file, source::Span part, std::vector<Place>& places) {
  for (const ShellCommand& command : commands_in(file, part)) {
    const Program program = program_of(command);
    if (program.row == nullptr || program.arguments >= command.words.size()) continue;
    Place place;
    place.form = "command";
    place.dialect = program.row->dialect;
    place.span = span_of(command);
    place.part = place.span;
    place.lines = {file.position(place.span.begin).line, file.position(place.span.end - 1).line, {}};
    place.document = document_of(command, program, place.lines.first);
    place.model = model_of(command, program, place.lines.first);
    for (const ShellWord& word : command.words) {
      if (word.unknown) place.unknown.push_back({word.span, "it depends on a variable of the shell"});
    }
    places.push_back(std::move(place));
  }
}

// Reports what the commands of a script do to each other.
static void check_together(const source::SourceFile& file, Found& out) {
  diag::Sink sink;
  std::vector<dialect::CommandNames::Check> done;
  for (const dialect::CommandNames& row : dialect::command_names()) {
    if (row.check == nullptr || std::ranges::find(done, row.check) != done.end()) continue;
    done.push_back(row.check);
    row.check(file, sink);
  }
  out.findings = sink.take();
}

Found find_in_shell(const source::SourceFile& file) {
  Found out;
  add_commands(file, {0, static_cast<std::uint32_t>(file.text().size())}, out.recipes);
  if (!out.recipes.empty() && base::to_lower(base::ending_of(file.name())) == "sh") check_together(file, out);
  return out;
}

bool is_shell_file(std::string_view path) {
  constexpr std::string_view kEndings[] = {"sh", "bash", "zsh", "mk", "ksh"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return base::contains(kEndings, base::to_lower(base::ending_of(path))) || name == "Makefile" || name == "makefile" ||
         name == "GNUmakefile";
}

}  // namespace sparsecfg::places
