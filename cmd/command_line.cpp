#include "cmd/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/edit_distance.h"
#include "base/text.h"

namespace sparsecfg::cmd {

static std::string code_text(std::string_view text) { return fmt::format("`{}`", base::printable(text)); }

// "; did you mean `validate`?", or `otherwise` if nothing is near.
static std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::string otherwise) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto guess = base::nearest(word, candidates);
  return guess ? fmt::format("; did you mean `{}`?", *guess) : std::move(otherwise);
}

namespace {

class CommandLineParser {
 public:
  CommandLineParser(const Program& program, std::span<const std::string> arguments)
      : program_(program), rest_(arguments) {}

  Parsed run() {
    while (!rest_.empty() && out_.error.empty()) {
      const std::string word = rest_.front();
      rest_ = rest_.subspan(1);
      take(word);
    }
    if (out_.error.empty() && !out_.help && !out_.version) check_complete();
    return std::move(out_);
  }

 private:
  void take(const std::string& word) {
    const bool is_option = !only_operands_ && word.size() > 1 && word.starts_with('-');
    if (is_option && word == "--") {
      only_operands_ = true;
    } else if (is_option) {
      take_option(word);
    } else if (out_.command == nullptr) {
      take_command(word);
    } else {
      take_operand(word);
    }
  }

  void take_command(const std::string& word) {
    if (word == "help" && !out_.help) {
      out_.help = true;
      return;
    }
    const auto found = std::ranges::find(program_.commands, word, &Command::name);
    if (found != program_.commands.end()) {
      out_.command = &*found;
      return;
    }
    std::vector<std::string> names = {"help"};
    for (const Command& command : program_.commands) names.push_back(command.name);
    const bool is_file = word.find_first_of("./") != std::string::npos;
    fail(fmt::format("unknown command {}{}", code_text(word),
                     is_file ? fmt::format("; to check a file, write `{} validate {}`", program_.name,
                                           base::printable(word))
                             : did_you_mean(word, names, fmt::format("; `{} help` lists them", program_.name))));
  }

  void take_operand(const std::string& word) {
    const Command& command = *out_.command;
    if (out_.operands.size() < command.max_operands || out_.help) {
      out_.operands.push_back(word);
    } else if (command.max_operands == 0) {
      fail(fmt::format("unexpected argument {}: `{}` takes options alone", code_text(word), command.name));
    } else {
      fail(fmt::format("unexpected argument {}: `{}` takes one {}", code_text(word), command.name, command.operand));
    }
  }

  void take_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    const std::string name = is_long ? word.substr(0, equals) : word.substr(0, 2);
    if (name == "--help" || name == "-h") {
      out_.help = true;
    } else if (name == "--version" || name == "-V") {
      out_.version = true;
    } else if (const Option* option = find(name)) {
      const bool attached = equals != std::string::npos || (!is_long && word.size() > 2);
      take_value(*option, name, attached, is_long && attached ? word.substr(equals + 1) : word.substr(name.size()));
    } else {
      fail_unknown(name);
    }
  }

  void take_value(const Option& option, const std::string& name, bool attached, std::string value) {
    if (option.value.empty() && attached) {
      fail(fmt::format("{} takes no value", code_text(name)));
      return;
    }
    if (!option.value.empty() && !attached) {
      if (rest_.empty()) {
        fail(fmt::format("{0} needs a value; write `{1} {2}`", code_text(name), name, option.value));
        return;
      }
      value = rest_.front();
      rest_ = rest_.subspan(1);
    }
    given_.push_back(option.name);
    if (const auto expected = option.set(value)) {
      fail(fmt::format("{} must be {}, not {}{}", code_text(name), *expected, code_text(value),
                       did_you_mean(value, option.choices, "")));
    }
  }

  [[nodiscard]] const Option* find(std::string_view name) const {
    const auto fits = [&](const Option& option) {
      return option.name == name || (option.letter != 0 && name == std::string{'-', option.letter});
    };
    for (const auto* options : {&program_.common, out_.command == nullptr ? nullptr : &out_.command->options}) {
      const auto found = options == nullptr ? program_.common.end() : std::ranges::find_if(*options, fits);
      if (options != nullptr && found != options->end()) return &*found;
    }
    return nullptr;
  }

  void fail_unknown(const std::string& name) {
    const Command* command = out_.command;
    std::vector<std::string> known = {"--help", "--version"};
    for (const Option& option : program_.common) known.push_back(option.name);
    if (command != nullptr) {
      for (const Option& option : command->options) known.push_back(option.name);
      const std::string hint = fmt::format("; `{} help {}` lists them", program_.name, command->name);
      fail(fmt::format("unknown option {} of `{}`{}", code_text(name), command->name, did_you_mean(name, known, hint)));
      return;
    }
    const auto has_option = [&](const Command& each) {
      return std::ranges::find(each.options, name, &Option::name) != each.options.end();
    };
    const bool misplaced = std::ranges::any_of(program_.commands, has_option);
    fail(fmt::format("unknown option {}{}", code_text(name),
                     misplaced ? " before the command; write it after the command"
                               : did_you_mean(name, known, fmt::format("; `{} help` lists them", program_.name))));
  }

  void check_complete() {
    if (out_.command == nullptr) {
      return;
    }
    const Command& command = *out_.command;
    for (const std::string& name : command.required) {
      if (std::ranges::find(given_, name) == given_.end()) {
        const auto option = std::ranges::find(command.options, name, &Option::name);
        const std::string values =
            option->choices.empty() ? option->value : fmt::format("{}", fmt::join(option->choices, "|"));
        fail(fmt::format("`{}` needs an option; write `{} {}`", command.name, name, values));
        return;
      }
    }
    if (out_.operands.size() < command.min_operands) {
      fail(fmt::format("`{0}` needs a {1}; write `{2} {0} {1}`", command.name, command.operand, program_.name));
    }
  }

  void fail(std::string why) {
    if (out_.error.empty()) out_.error = std::move(why);
  }

  const Program& program_;
  std::span<const std::string> rest_;
  std::vector<std::string> given_;
  bool only_operands_ = false;
  Parsed out_;
};

}  // namespace

Parsed parse_command_line(const Program& program, std::span<const std::string> arguments) {
  return CommandLineParser(program, arguments).run();
}

// A description in lines of at most 80 columns that begin with `indent` spaces.
static std::string described(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::string out;
  std::string line(indent, ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() > indent && line.size() + 1 + end > kWidth) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    line += (line.size() > indent ? " " : "") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

static std::string help_of(const Option& option) {
  const std::string letter = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
  const std::string values =
      option.choices.empty() ? "" : described(fmt::format("Values: {}", fmt::join(option.choices, ", ")), 6);
  return fmt::format("  {}{}{}{}\n{}{}", letter, option.name, option.value.empty() ? "" : " ", option.value,
                     described(option.doc, 6), values);
}

static std::string help_of_common(const Program& program) {
  std::string out;
  for (const Option& option : program.common) out += help_of(option);
  return out + "  -h, --help\n      Print this help\n";
}

std::string help_of(const Program& program) {
  std::string out = described(program.doc, 0);
  out += fmt::format("\nUsage: {} [OPTIONS] COMMAND ...\n\nCommands:\n", program.name);
  for (const Command& command : program.commands) {
    out += fmt::format("  {:10}  {}\n", command.name, command.doc);
  }
  out += "  help        Print the help of a command\n\nOptions:\n" + help_of_common(program);
  return out + "  -V, --version\n      Print the version\n";
}

std::string help_of(const Program& program, const Command& command) {
  const std::string operand = command.min_operands == 0 && !command.operand.empty() ? "[" + command.operand + "]"
                                                                                     : command.operand;
  std::string out = fmt::format("{}\nUsage: {} {} [OPTIONS]{}{}\n", described(command.doc, 0), program.name,
                                command.name, operand.empty() ? "" : " ", operand);
  if (!operand.empty()) {
    out += fmt::format("\nArguments:\n  {}\n{}", command.operand, described(command.operand_doc, 6));
  }
  out += "\nOptions:\n";
  for (const Option& option : command.options) out += help_of(option);
  return out + help_of_common(program);
}

Option flag(std::string name, bool& out, std::string doc) {
  return {std::move(name), 0, "", std::move(doc), {}, [&out](const std::string&) {
            out = true;
            return std::nullopt;
          }};
}

Option text(std::string name, std::string value, std::string& out, std::string doc) {
  return {std::move(name), 0, std::move(value), std::move(doc), {}, [&out](const std::string& given) {
            out = given;
            return std::nullopt;
          }};
}

Option list(std::string name, std::string value, std::vector<std::string>& out, bool commas, std::string doc) {
  return {std::move(name), 0, std::move(value), std::move(doc), {}, [&out, commas](const std::string& given) {
            for (std::size_t begin = 0; begin <= given.size();) {
              const std::size_t end = commas ? std::min(given.find(',', begin), given.size()) : given.size();
              out.push_back(given.substr(begin, end - begin));
              begin = end + 1;
            }
            return std::nullopt;
          }};
}

Option choice(std::string name, std::string value, std::vector<std::string> choices,
              std::function<void(const std::string&)> set, std::string doc) {
  auto take = [choices, set = std::move(set)](const std::string& given) -> std::optional<std::string> {
    if (std::ranges::find(choices, given) == choices.end()) {
      return fmt::format("one of {}", fmt::join(choices, ", "));
    }
    set(given);
    return std::nullopt;
  };
  return {std::move(name), 0, std::move(value), std::move(doc), std::move(choices), std::move(take)};
}

Option number(std::string name, std::string value, std::optional<double>& out, double max, std::string doc) {
  auto take = [&out, max](const std::string& given) -> std::optional<std::string> {
    double read = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), read);
    if (error != std::errc() || end != given.data() + given.size() || !(read >= 0 && read <= max)) {
      return fmt::format("a number from 0 to {:g}", max);
    }
    out = read;
    return std::nullopt;
  };
  return {std::move(name), 0, std::move(value), std::move(doc), {}, std::move(take)};
}

Option whole_number(std::string name, std::string value, std::function<void(std::uint64_t)> set, std::uint64_t min,
                    std::uint64_t max, std::string doc) {
  auto take = [set = std::move(set), min, max](const std::string& given) -> std::optional<std::string> {
    std::uint64_t read = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), read);
    if (error != std::errc() || end != given.data() + given.size() || read < min || read > max) {
      return fmt::format("a whole number from {} to {}", min, max);
    }
    set(read);
    return std::nullopt;
  };
  return {std::move(name), 0, std::move(value), std::move(doc), {}, std::move(take)};
}

Option with_letter(Option option, char letter) {
  option.letter = letter;
  return option;
}

}  // namespace sparsecfg::cmd
