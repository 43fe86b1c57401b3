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

// Defines the option types and the options that several commands share.
namespace sparsecfg::cmd {

// Make options of the usual types. `value` is the placeholder in the help text. A choice with an empty list accepts any
// value.
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

// Returns the option with an additional one-letter name.
[[nodiscard]] Option with_letter(Option option, char letter);

void append(std::vector<Option>& options, std::vector<Option> more);

// Returns the sorted names of the dialects for which `can` returns true.
[[nodiscard]] std::vector<std::string> dialects_that(bool (*can)(const dialect::Dialect& dialect));

// Values of the options that every command that reads recipes accepts.
struct ReadingOptions {
  project::Request request;
  std::string stdin_filename = "-";     // file name assumed for standard input; its extension selects the format
  std::optional<std::size_t> recipe{};  // number of the recipe in a file with several, from 1
  bool skip_unknown = false;            // skips files that are no recipes
};

// Destination of the output of a command.
struct Output {
  std::string path;    // empty or `-`: standard output
  bool force = false;  // overwrites an existing file
};

// Returns the options that control how recipes are read, in the order of the help text.
[[nodiscard]] std::vector<Option> reading_options(ReadingOptions& reading);

// Returns the dialect-specific reader options. They append pairs of name and value to `out`.
[[nodiscard]] std::vector<Option> reader_option_list(std::vector<std::pair<std::string, std::string>>& out);

// Returns the options --select, --ignore and --severity.
[[nodiscard]] std::vector<Option> level_options(project::Settings& settings);

// Returns the option `name` with the values text (the default) and json.
[[nodiscard]] Option text_or_json(std::string name, bool& json, const std::string& doc);

// Adds options to a command. `options_of` returns the options, which set members of an `Options` object. `run` executes
// the command with that object.
template <class Options>
[[nodiscard]] Command with_options(Command command, std::vector<Option> (*options_of)(Options&), auto run) {
  const auto options = std::make_shared<Options>();
  command.options = [=] { return options_of(*options); };
  command.run = [=](const std::vector<std::string>& operands, const Streams& streams) {
    return run(*options, operands, streams);
  };
  return command;
}

// Like `with_options`, for commands that read a few recipes at once. One limit covers the work for the patterns of
// these recipes, because there may be thousands of patterns.
template <class Options>
[[nodiscard]] Command recipes_command(Command command, std::vector<Option> (*options_of)(Options&), auto run) {
  return with_options<Options>(std::move(command), options_of,
                               [run](Options& options, const std::vector<std::string>& files, const Streams& streams) {
                                 options.reading.request.limit = std::make_shared<model::WorkLimit>();
                                 return run(options, files, streams);
                               });
}

// Like `recipes_command`, for commands that read one recipe. The operand is stored in the member `path` of `Options`.
template <class Options>
[[nodiscard]] Command recipe_command(std::string name, std::string doc, std::vector<Option> (*options_of)(Options&),
                                     int (*run)(const Options&, const Streams&)) {
  Command command{std::move(name), std::move(doc), "FILE", "Recipe file, or - for standard input", 1, 1};
  return recipes_command<Options>(
      std::move(command), options_of,
      [run](Options& options, const std::vector<std::string>& files, const Streams& streams) {
        options.path = files.front();
        return run(options, streams);
      });
}

// Returns the option --recipe, for commands that read one recipe of a file.
[[nodiscard]] Option recipe_number(ReadingOptions& reading);
[[nodiscard]] Option initial_rate(ReadingOptions& reading);
[[nodiscard]] Option output(Output& out);
[[nodiscard]] Option force(Output& out);

}  // namespace sparsecfg::cmd
