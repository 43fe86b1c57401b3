#include "cmd/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"
#include "base/wrap.h"
#include "cmd/option_groups.h"

namespace sparsecfg::cmd {

static std::string code_text(std::string_view text) { return fmt::format("`{}`", base::printable(text)); }

// Returns "; did you mean `validate`?", or `otherwise` if no name is similar to `word` and no single one starts with
// it.
static std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::string otherwise) {
  constexpr std::size_t kShortestPrefix = 4;  // "--st"
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto extends = [&](std::string_view each) { return each.starts_with(word); };
  const bool prefix = word.size() >= kShortestPrefix && std::ranges::count_if(candidates, extends) == 1;
  const auto guess =
      prefix ? std::optional(*std::ranges::find_if(candidates, extends)) : base::nearest(word, candidates);
  return guess ? fmt::format("; did you mean `{}`?", *guess) : std::move(otherwise);
}

namespace {

// An option of similar programs, and what to write instead.
struct ForeignOption {
  std::string_view name;
  std::string_view hint;
};

constexpr ForeignOption kForeignOptions[] = {
    {"--json", "write `--format json`"},
    {"--reporter", "write `--format`"},
    {"--apply", "write `--fix`"},
    {"--config", "settings are read from the nearest `.sparsecfg.yaml`"},
    {"--exclude", "write `exclude:` in `.sparsecfg.yaml`"},
    {"--extend-exclude", "write `exclude:` in `.sparsecfg.yaml`"},
    {"--extend-select", "write `--select`"},
    {"--extend-ignore", "write `--ignore`"},
    {"--error-on-warnings", "write `--fail-on warning`"},
    {"--max-warnings", "write `--fail-on warning`"},
    {"--strict", "write `--fail-on warning`"},
    {"--add-noqa", "write `--write-baseline`"},
    {"--suppress", "write `--write-baseline`"},
    {"--no-cache", "there is no cache"},
    {"--preview", "all rules are stable"},
    {"--stdin", "write `-` for standard input"},
    {"--stdin-file-path", "write `--stdin-filename`"},
    {"--check", "write `validate`, or `normalize --check` for the layout"},
    {"--autofix", "write `--fix`"},
    {"--write", "write `--fix`"},
    {"--dry-run", "write `--diff`"},
    {"--add-ignore", "write `--write-baseline`, or a comment `# sparsecfg: ignore=CODE`"},
    {"--rule", "write `--select`"},
    {"--disable", "write `--ignore`"},
    {"--enable", "write `--select`"},
    {"--min-severity", "write `--fail-on`"},
    {"--level", "write `--fail-on`"},
    {"--watch-mode", "write `--watch`"},
    {"--out", "write `--output`"},
    {"--no-color", "write `--color never`"},
    {"--debug", "write `--verbose`"},
    {"--silent", "write `--quiet`"},
    {"--show-settings", "`--verbose` names the config file in use"},
};

// A command of similar programs, and what to write instead.
constexpr ForeignOption kForeignCommands[] = {
    {"watch", "write `validate --watch`"},
    {"baseline", "write `validate --write-baseline`"},
    {"add-noqa", "write `validate --write-baseline`"},
    {"plot", "write `timeline`, or `timeline --format svg` for a picture"},
    {"graph", "write `timeline`, or `timeline --format svg` for a picture"},
    {"draw", "write `timeline --format svg`"},
    {"show", "write `inspect`, or `timeline` for the schedule"},
    {"info", "write `inspect`"},
    {"describe", "write `inspect`"},
    {"summary", "write `inspect`, or `timeline --summary`"},
    {"list", "write `validate --show-files`, or `explain --list` for the rules"},
    {"rules", "write `explain --list`"},
    {"codes", "write `explain codes`"},
    {"compare", "write `diff BEFORE AFTER`"},
    {"new", "write `create` for a recipe, or `init` for a config file"},
    {"generate", "write `create`"},
    {"gen", "write `create`"},
    {"fmt", "write `normalize --write`"},
    {"tidy", "write `normalize --write`"},
    {"merge", "write `compose`"},
    {"concat", "write `compose`"},
    {"join", "write `compose`"},
    {"run", "sparsecfg runs no training; write `timeline` to see the schedule"},
    {"export", "write `convert --to FORM`"},
    {"migrate", "write `convert --to FORM`"},
    {"translate", "write `convert --to FORM`"},
    {"layers", "write `match --modules FILE`"},
    {"config", "write `init`; settings are read from the nearest `.sparsecfg.yaml`"},
    {"settings", "write `init`; settings are read from the nearest `.sparsecfg.yaml`"},
    {"doc", "write `explain TOPIC`"},
    {"docs", "write `explain TOPIC`"},
    {"man", "write `explain TOPIC`"},
    {"autofix", "write `validate --fix`"},
    {"languageserver", "write `lsp`"},
    {"verify", "write `validate`"},
    {"test", "write `validate`"},
    {"ci", "write `validate`"},
    {"audit", "write `validate`"},
};

// Returns the hint for a name of another program, or null.
const ForeignOption* find_foreign(std::span<const ForeignOption> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &ForeignOption::name);
  return found == all.end() ? nullptr : &*found;
}

// Parses with CLI11. To keep startup fast, only the options of the current command are registered. Error messages of
// CLI11 are replaced by those of this class.
class CommandLineParser {
 public:
  CommandLineParser(const Program& program, std::span<const std::string> arguments)
      : program_(program), rest_(arguments.begin(), arguments.end()) {}

  Parsed run() {
    parse(program_.common, true);
    if (out_.error.empty() && !rest_.empty()) parse_command();
    if (out_.command != nullptr) parse_operands();
    if (out_.error.empty() && !out_.help && !out_.version) check_complete();
    return std::move(out_);
  }

 private:
  // Parses `rest_` with these options and leaves all other words in it. Before the command, parsing stops at the first
  // word that is not an option. CLI11 is not set up if `rest_` contains no option.
  void parse(const std::vector<Option>& options, bool before_command) {
    if (before_command ? rest_.empty() || !is_option(rest_.front()) : !has_options()) {
      return;
    }
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.prefix_command(before_command);
    app.add_flag("-h,--help", out_.help)->disable_flag_override();
    app.add_flag("--help-all", out_.help_all)->disable_flag_override();
    app.add_flag("-V,--version", out_.version)->disable_flag_override();
    for (const Option& option : options) {
      if (is_mentioned(option)) add(app, option);
    }
    std::reverse(rest_.begin(), rest_.end());
    try {
      app.parse(std::move(rest_));
    } catch (const CLI::ArgumentMismatch& mismatch) {
      fail_mismatch(options, mismatch.what());
    } catch (const CLI::ParseError& error) {
      fail(error.what());
    }
    rest_ = app.remaining();
    out_.help = out_.help || out_.help_all;
  }

  // Avoids the registration of an option with CLI11, which is slower than a search for its name.
  bool is_mentioned(const Option& option) const {
    return std::ranges::any_of(rest_, [&](std::string_view word) {
      return word.starts_with(option.name) || (!option.alias.empty() && word.starts_with(option.alias)) ||
             (option.letter != 0 && is_option(word) && word.find(option.letter) != std::string_view::npos);
    });
  }

  void add(CLI::App& app, const Option& option) {
    std::string names = option.letter == 0 ? option.name : fmt::format("-{},{}", option.letter, option.name);
    if (!option.alias.empty()) names += "," + option.alias;
    if (option.value.empty()) {
      app.add_flag_callback(names, [this, &option] { set(option, ""); })->disable_flag_override();
      return;
    }
    const auto take = [this, &option](const std::vector<std::string>& values) {
      for (const std::string& value : values) set(option, value);
    };
    app.add_option_function<std::vector<std::string>>(names, take)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void set(const Option& option, const std::string& value) {
    given_.push_back(option.name);
    if (option.name == "--from") out_.dialect = value;
    if (const auto expected = option.set(value)) {
      fail(fmt::format("{} must be {}, not {}{}", code_text(option.name), *expected, code_text(value),
                       did_you_mean(value, option.choices, "")));
    }
  }

  // CLI11 puts the name of the option with the wrong number of values at the start of its message. Names of flags have
  // no dashes there.
  void fail_mismatch(const std::vector<Option>& options, std::string_view what) {
    const std::string_view name = what.substr(0, what.find_first_of(": "));
    const auto option = std::ranges::find_if(
        options, [&](const Option& each) { return name == each.name || (!name.empty() && name == each.alias); });
    if (option != options.end() && !option->value.empty()) {
      fail(fmt::format("{0} needs a value; write `{1} {2}`", code_text(name), name, option->value));
    } else {
      fail(fmt::format("{} does not accept a value",
                       code_text((name.starts_with('-') ? "" : "--") + std::string(name))));
    }
  }

  void parse_command() {
    const std::string word = rest_.front();
    if (is_option(word)) {
      fail_unknown(word);
      return;
    }
    rest_.erase(rest_.begin());
    const auto found = std::ranges::find(program_.commands, name_of_command(word), &Command::name);
    if (word == "version") {
      out_.version = true;
    } else if (word == "help") {
      const bool asked = std::exchange(out_.help, true);
      if (!rest_.empty() && !asked) parse_command();
    } else if (found != program_.commands.end()) {
      out_.command = &*found;
    } else {
      fail_command(word);
    }
  }

  // Resolves an alias and adds the options that it implies.
  std::string name_of_command(const std::string& word) {
    const auto alias = std::ranges::find(program_.aliases, word, &Alias::name);
    if (alias == program_.aliases.end()) return word;
    const auto is_given = [&](const std::string& each) { return std::ranges::find(rest_, each) != rest_.end(); };
    if (std::ranges::none_of(alias->unless, is_given)) {
      rest_.insert(rest_.begin(), alias->options.begin(), alias->options.end());
    }
    return alias->command;
  }

  void fail_command(const std::string& word) {
    if (const ForeignOption* found = find_foreign(kForeignCommands, word)) {
      return fail(fmt::format("unknown command {}; {}", code_text(word), found->hint));
    }
    std::vector<std::string> names = {"help", "version"};
    for (const Command& command : program_.commands) names.push_back(command.name);
    for (const Alias& alias : program_.aliases) names.push_back(alias.name);
    const bool is_file = word.find_first_of("./") != std::string::npos;
    fail(fmt::format(
        "unknown command {}{}", code_text(word),
        is_file ? fmt::format("; to check a file, write `{} validate {}`", program_.name, base::printable(word))
                : did_you_mean(word, names, fmt::format("; `{} help` lists all commands", program_.name))));
  }

  void parse_operands() {
    const Command& command = *out_.command;
    if (has_options() || !command.required.empty()) options_ = command.options();
    std::vector<Option> options = program_.common;
    options.insert(options.end(), options_.begin(), options_.end());
    const auto end_of_options = std::ranges::find(rest_, "--");
    const std::vector<std::string> operands(end_of_options == rest_.end() ? end_of_options : end_of_options + 1,
                                            rest_.end());
    rest_.erase(end_of_options, rest_.end());
    parse(options, false);
    for (const std::string& word : rest_) {
      if (is_option(word)) fail_unknown(word);
    }
    out_.operands = std::move(rest_);
    out_.operands.insert(out_.operands.end(), operands.begin(), operands.end());
    if (out_.operands.size() > command.max_operands && !out_.help) {
      fail(fmt::format("unexpected argument {}: `{}` accepts only {}", code_text(out_.operands[command.max_operands]),
                       command.name,
                       command.max_operands == 0   ? "options"
                       : command.max_operands == 1 ? "one " + command.operand
                                                   : command.operand));
    }
  }

  static bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

  bool has_options() const { return std::ranges::any_of(rest_, is_option); }

  void fail_unknown(const std::string& word) {
    const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const Command* command = out_.command;
    if (const ForeignOption* found = find_foreign(kForeignOptions, name)) {
      return fail(fmt::format("unknown option {}; {}", code_text(name), found->hint));
    }
    std::vector<std::string> known = {"--help", "--help-all", "--version"};
    for (const Option& option : program_.common) known.push_back(option.name);
    if (command != nullptr) {
      for (const Option& option : options_) known.push_back(option.name);
      const std::string hint = fmt::format("; `{} help {}` lists all options", program_.name, command->name);
      fail(fmt::format("unknown option {} of `{}`{}", code_text(name), command->name, did_you_mean(name, known, hint)));
      return;
    }
    const auto has_option = [&](const Command& each) {
      const std::vector<Option> options = each.options();
      return std::ranges::find(options, name, &Option::name) != options.end();
    };
    const bool misplaced = std::ranges::any_of(program_.commands, has_option);
    fail(fmt::format("unknown option {}{}", code_text(name),
                     misplaced
                         ? " before the command; write it after the command"
                         : did_you_mean(name, known, fmt::format("; `{} help` lists all options", program_.name))));
  }

  void check_complete() {
    if (out_.command == nullptr) {
      return;
    }
    const Command& command = *out_.command;
    for (const std::string& name : command.required) {
      if (std::ranges::find(given_, name) == given_.end()) {
        const auto option = std::ranges::find(options_, name, &Option::name);
        const std::string values =
            option->choices.empty() ? option->value : fmt::format("{}", fmt::join(option->choices, "|"));
        fail(fmt::format("`{}` requires the option `{}`; write `{} {}`", command.name, name, name, values));
        return;
      }
    }
    if (out_.operands.size() < command.min_operands) {
      fail(fmt::format("`{0}` requires {1}; write `{2} {0} {1}`", command.name, command.operand, program_.name));
    }
  }

  void fail(std::string why) {
    if (out_.error.empty()) out_.error = std::move(why);
  }

  const Program& program_;
  std::vector<std::string> rest_;   // arguments that are not parsed yet
  std::vector<Option> options_;     // options of the command
  std::vector<std::string> given_;  // names of the options on the command line
  Parsed out_;
};

}  // namespace

Parsed parse_command_line(const Program& program, std::span<const std::string> arguments) {
  return CommandLineParser(program, arguments).run();
}

// Returns the width of the help. Longer lines are hard to read.
static std::size_t help_width(std::size_t columns) { return std::clamp<std::size_t>(columns, 40, 100); }

// Wraps a description to lines of at most `columns` columns, each indented by `indent` spaces.
static std::string described(std::string_view text, std::size_t indent, std::size_t columns) {
  return fmt::format("{:{}}{}\n", "", indent, base::wrapped(text, indent, columns));
}

static std::string help_of(const std::vector<std::string>& choices, std::size_t columns) {
  return choices.empty() ? "" : described(fmt::format("Values: {}", fmt::join(choices, ", ")), 6, columns);
}

static std::string help_of(const Option& option, std::size_t columns) {
  const std::string letter = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
  return fmt::format("  {}{}{}{}\n{}{}", letter, option.name, option.value.empty() ? "" : " ", option.value,
                     described(option.doc, 6, columns), help_of(option.choices, columns));
}

static Option help_option() {
  Option out;
  out.name = "--help";
  out.letter = 'h';
  out.doc = "Show this help";
  return out;
}

static Option help_all_option() {
  Option out;
  out.name = "--help-all";
  out.doc = "Show this help with rare options: of single dialects, and limits";
  return out;
}

// Adds lines such as "  validate    Check recipes for errors", wrapped below the second column.
static void add_rows(std::string& out, const std::vector<std::pair<std::string, std::string>>& rows,
                     std::size_t columns) {
  constexpr std::size_t kIndent = 14;
  for (const auto& [name, doc] : rows) out += fmt::format("  {:10}  {}\n", name, base::wrapped(doc, kIndent, columns));
}

std::string help_of(const Program& program, std::size_t columns) {
  const std::size_t width = help_width(columns);
  std::string out = described(program.doc, 0, width);
  out += fmt::format("\nUsage: {} [OPTIONS] COMMAND ...\n\nCommands:\n", program.name);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& command : program.commands) rows.emplace_back(command.name, command.doc);
  rows.emplace_back("help", "Show the help of a command");
  rows.emplace_back("version", "Show the version");
  add_rows(out, rows, width);
  out += "\nAliases:\n";
  rows.clear();
  for (const Alias& alias : program.aliases) {
    rows.emplace_back(alias.name, fmt::format("{}{}{}", alias.command, alias.options.empty() ? "" : " ",
                                              fmt::join(alias.options, " ")));
  }
  add_rows(out, rows, width);
  out += "\nOptions:\n";
  for (const Option& option : program.common) out += help_of(option, width);
  return out + help_of(help_option(), width) + "  -V, --version\n      Show the version\n";
}

// Returns the options in groups. Ends with a line about the omitted ones.
static std::string options_help(const Program& program, const Parsed& parsed, std::size_t columns) {
  std::vector<Option> options = parsed.command->options();
  options.insert(options.end(), program.common.begin(), program.common.end());
  const std::size_t all = options.size();
  if (!parsed.help_all) std::erase_if(options, [&](const Option& each) { return is_rare(each, parsed.dialect); });
  const std::size_t omitted = all - options.size();
  options.push_back(help_option());
  if (omitted > 0 || parsed.help_all) options.push_back(help_all_option());
  std::string out;
  for (const OptionGroup& group : groups_of(options)) {
    out += fmt::format("\n{}:\n", group.heading);
    for (const Option* option : group.options) out += help_of(*option, columns);
  }
  return out;
}

std::string help_of(const Program& program, const Parsed& parsed, std::size_t columns) {
  const Command& command = *parsed.command;
  const std::size_t width = help_width(columns);
  const std::string operand =
      command.min_operands == 0 && !command.operand.empty() ? "[" + command.operand + "]" : command.operand;
  std::string out = fmt::format("{}\nUsage: {} {} [OPTIONS]{}{}\n", described(command.doc, 0, width), program.name,
                                command.name, operand.empty() ? "" : " ", operand);
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const std::string& example : command.examples) out += fmt::format("  {} {}\n", program.name, example);
  if (!operand.empty()) {
    out += fmt::format("\nArguments:\n  {}\n{}{}", command.operand, described(command.operand_doc, 6, width),
                       help_of(command.operand_choices, width));
  }
  return out + options_help(program, parsed, width);
}

}  // namespace sparsecfg::cmd
