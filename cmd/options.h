#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/command_line.h"
#include "dialect/dialect.h"
#include "project/validation.h"

// The kinds of options, and those that several commands share.
namespace sparsecfg::cmd {

// Options of the usual kinds. A choice among no choices takes any value.
[[nodiscard]] Option flag(std::string name, bool& out, std::string doc);
[[nodiscard]] Option text(std::string name, std::string value, std::string& out, std::string doc);
[[nodiscard]] Option list(std::string name, std::string value, std::vector<std::string>& out, bool commas,
                          std::string doc);
[[nodiscard]] Option choice(std::string name, std::string value, std::vector<std::string> choices,
                            std::function<void(const std::string&)> set, std::string doc);
[[nodiscard]] Option number(std::string name, std::string value, std::optional<double>& out, double max,
                            std::string doc);
[[nodiscard]] Option whole_number(std::string name, std::string value, std::function<void(std::uint64_t)> set,
                                  std::uint64_t min, std::uint64_t max, std::string doc);

// The same option under a letter as well.
[[nodiscard]] Option with_letter(Option option, char letter);

void append(std::vector<Option>& options, std::vector<Option> more);

// The names of the dialects that can do something, sorted.
[[nodiscard]] std::vector<std::string> dialects_that(bool (*can)(const dialect::Dialect& dialect));

// Options that mean the same in every command that reads recipes.
struct ReadingOptions {
  project::Request request;
  std::string stdin_filename = "-";  // the name of standard input, whose ending counts
};

// Where a command writes.
struct Output {
  std::string path;    // empty or `-`: standard output
  bool force = false;  // replaces a file that exists
};

// Options that say how to read a recipe, in the order of the help.
[[nodiscard]] std::vector<Option> reading_options(ReadingOptions& reading);

// The options that dialects bring along, as pairs of a name and a value.
[[nodiscard]] std::vector<Option> reader_option_list(std::vector<std::pair<std::string, std::string>>& out);

// --select, --ignore and --severity.
[[nodiscard]] std::vector<Option> level_options(project::Settings& settings);

// `name` with the values text and json, the first of which is the default.
[[nodiscard]] Option text_or_json(std::string name, bool& json, const std::string& doc);

// Gives a command its options: `options_of` lists those that set members of an `Options`, with which `run` carries the
// command out.
template <class Options>
[[nodiscard]] Command with_options(Command command, std::vector<Option> (*options_of)(Options&), auto run) {
  const auto options = std::make_shared<Options>();
  command.options = [=] { return options_of(*options); };
  command.run = [=](const std::vector<std::string>& operands, const Streams& streams) {
    return run(*options, operands, streams);
  };
  return command;
}

// The same for a command on a few recipes at once: the work for patterns is limited for all of them together, and not
// for each pattern, of which there may be thousands.
template <class Options>
[[nodiscard]] Command recipes_command(Command command, std::vector<Option> (*options_of)(Options&), auto run) {
  return with_options<Options>(std::move(command), options_of,
                               [run](Options& options, const std::vector<std::string>& files, const Streams& streams) {
                                 const ir::PatternEffort effort;
                                 return run(options, files, streams);
                               });
}

// The same for a command on one recipe. `Options` has a `path` for the operand.
template <class Options>
[[nodiscard]] Command recipe_command(std::string name, std::string doc, std::vector<Option> (*options_of)(Options&),
                                     int (*run)(const Options&, const Streams&)) {
  Command command{std::move(name), std::move(doc), "FILE", "The recipe, or - for standard input", 1, 1};
  return recipes_command<Options>(
      std::move(command), options_of,
      [run](Options& options, const std::vector<std::string>& files, const Streams& streams) {
        options.path = files.front();
        return run(options, streams);
      });
}

[[nodiscard]] Option initial_rate(ReadingOptions& reading);
[[nodiscard]] Option output(Output& out);
[[nodiscard]] Option force(Output& out);

}  // namespace sparsecfg::cmd
