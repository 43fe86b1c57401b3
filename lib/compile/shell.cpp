#include "compile/shell.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "compile/serving.h"
#include "dialect/quantizers.h"
#include "doc/readers.h"
#include "source/shell_words.h"

namespace sparsecfg::places {

using dialect::CalledProgram;
using source::ShellCommand;
using source::ShellWord;
using source::Span;

// The elements of an array can be anywhere before the command.
static Span span_of(const ShellCommand& command) {
  Span out = command.words.front().span;
  for (const ShellWord& word : command.words) {
    out = {std::min(out.begin, word.span.begin), std::max(out.end, word.span.end)};
  }
  return out;
}

// Returns the arguments of a command as a mapping from its program to a list of words.
static doc::Document document_of(const ShellCommand& command, const CalledProgram& program, std::uint32_t begin) {
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
static std::optional<ShellWord> model_word(const ShellCommand& command, const CalledProgram& program) {
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

static std::optional<ir::CallModel> model_of(const ShellCommand& command, const CalledProgram& program,
                                             std::uint32_t line) {
  const auto word = model_word(command, program);
  if (!word) return ir::CallModel{{}, {}, {"the command names no model", line}};
  if (word->unknown) return ir::CallModel{{}, {}, {"it depends on a variable of the shell", line}};
  return ir::CallModel{word->text, std::string(program.row->loader), {}};
}

// The runtimes that the commands of a script start, by the folders of their models.
class StartedRuntimes {
 public:
  explicit StartedRuntimes(const std::vector<ShellCommand>& commands) {
    for (std::size_t number = 0; number < commands.size(); ++number) {
      const auto [server, begin] = dialect::checkpoint::started_server(commands[number]);
      for (std::size_t at = begin; server != nullptr && at < commands[number].words.size(); ++at) {
        if (!commands[number].words[at].unknown)
          add(plain_folder(commands[number].words[at].text), {number, server->runtime});
      }
    }
  }

  // Returns the first runtime that a later command starts with a folder, or with one in it; empty if there is none.
  [[nodiscard]] std::string_view after(std::size_t number, std::string_view folder) const {
    const auto found = by_folder_.find(folder);
    if (folder.empty() || found == by_folder_.end()) return {};
    const auto next = std::ranges::upper_bound(found->second, number, {}, &Start::number);
    return next == found->second.end() ? std::string_view() : next->runtime;
  }

 private:
  struct Start {
    std::size_t number;  // of the command
    std::string_view runtime;
  };

  // Adds a folder and those around it.
  void add(std::string_view folder, Start start) {
    constexpr std::size_t kMostParts = 32;
    for (std::size_t part = 0; part < kMostParts && !folder.empty(); ++part) {
      by_folder_[std::string(folder)].push_back(start);
      const std::size_t end = folder.rfind('/');
      folder = folder.substr(0, end == folder.npos ? 0 : end);
    }
  }

  std::map<std::string, std::vector<Start>, std::less<>> by_folder_;  // in the order of the commands
};

static void add_recipes(const source::SourceFile& file, const std::vector<ShellCommand>& commands,
                        std::vector<Place>& places) {
  const StartedRuntimes runtimes(commands);
  for (std::size_t at = 0; at < commands.size(); ++at) {
    const ShellCommand& command = commands[at];
    const CalledProgram program = dialect::called_program(command);
    if (program.row == nullptr || program.arguments >= command.words.size()) continue;
    Place place;
    place.form = "command";
    place.dialect = program.row->dialect;
    place.span = span_of(command);
    place.part = place.span;
    place.lines = {file.position(place.span.begin).line, file.position(place.span.end - 1).line, {}};
    place.document = document_of(command, program, place.lines.first);
    place.model = model_of(command, program, place.lines.first);
    place.runtime = runtimes.after(at, result_folder(command));
    for (const ShellWord& word : command.words) {
      if (word.unknown) place.unknown.push_back({word.span, "it depends on a variable of the shell"});
    }
    places.push_back(std::move(place));
  }
}

static void add_commands(const source::SourceFile& file, const std::vector<ShellCommand>& commands, Found& out) {
  add_recipes(file, commands, out.recipes);
  out.served.add(commands);
  for (const ShellCommand& command : commands) {
    if (auto training = dialect::distiller::training_command(command)) out.trained.push_back(*std::move(training));
  }
}

void add_commands(const source::SourceFile& file, source::Span part, Found& out) {
  std::vector<ShellCommand> commands = source::shell_commands(file.text(part));
  for (ShellCommand& command : commands) {
    for (ShellWord& word : command.words) word.span = {word.span.begin + part.begin, word.span.end + part.begin};
  }
  add_commands(file, commands, out);
}

// Reports conflicts between the commands of a script.
static void check_together(const std::vector<ShellCommand>& commands, Found& out) {
  diag::Sink sink;
  for (const dialect::CommandNames& row : dialect::command_names()) {
    if (row.check != nullptr) row.check(commands, sink);
  }
  out.findings = sink.take();
}

Found find_in_shell(const source::SourceFile& file) {
  Found out;
  const std::vector<ShellCommand> commands = source::shell_commands(file.text());
  add_commands(file, commands, out);
  if (!out.recipes.empty() && base::to_lower(base::ending_of(file.name())) == "sh") check_together(commands, out);
  return out;
}

}  // namespace sparsecfg::places
