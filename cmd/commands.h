#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "create/choices.h"
#include "project/validation.h"

// One function for each command. Options arrive parsed; no command knows the parser.
namespace sparsecfg::cmd {

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

struct ValidateOptions {
  ReadingOptions reading;
  project::ValidationOptions files;
  std::string format;  // empty: the default of the streams
  Output output;
  bool exit_zero = false;
  bool statistics = false;
};

[[nodiscard]] int validate(const ValidateOptions& options, const Streams& streams);

struct ConvertOptions {
  ReadingOptions reading;
  std::string path;
  std::string to;
  Output output;
  bool report_json = false;
  bool allow_loss = false;
  bool assume_gaussian = false;
  bool keep_variables = false;
};

[[nodiscard]] int convert(const ConvertOptions& options, const Streams& streams);

struct NormalizeOptions {
  ReadingOptions reading;
  std::vector<std::string> paths;
  bool check = false;
  bool diff = false;
  bool write = false;
  bool resolve = false;       // replaces expressions by their values
  bool skip_unknown = false;  // skips named files that are not recipes
};

[[nodiscard]] int normalize(const NormalizeOptions& options, const Streams& streams);

struct TimelineOptions {
  ReadingOptions reading;
  std::string path;
  std::string format = "table";
  Output output;
  std::optional<double> from_epoch;
  std::optional<double> to_epoch;
  bool every_step = false;
  bool summary = false;
};

[[nodiscard]] int timeline(const TimelineOptions& options, const Streams& streams);

struct MatchOptions {
  ReadingOptions reading;
  std::string path;
  std::string name;  // --explain; empty: all names
  bool json = false;
};

[[nodiscard]] int match(const MatchOptions& options, const Streams& streams);

struct InspectOptions {
  ReadingOptions reading;
  std::string path;
  bool json = false;
};

[[nodiscard]] int inspect(const InspectOptions& options, const Streams& streams);

// `topic` is a code, its name, a modifier, `modifiers` or `codes`.
[[nodiscard]] int explain(const std::string& topic, const Streams& streams);

struct CreateOptions {
  create::Choices choices;
  std::vector<std::string> variables;  // NAME=VALUE
  std::string variable_file;           // empty: none
  std::string parameters;              // path of a file with the model's names; empty: every prunable parameter
  std::string to = "sparseml";
  Output output;
  bool skip_first_last = false;
  bool report_json = false;
};

[[nodiscard]] int create(const CreateOptions& options, const Streams& streams);

struct SchemaOptions {
  std::string subject;  // a dialect, `create`, `report` or `settings`
  dialect::ReadOptions read;
};

[[nodiscard]] int schema(const SchemaOptions& options, const Streams& streams);

}  // namespace sparsecfg::cmd
