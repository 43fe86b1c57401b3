#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "compile.h"

// One function for each subcommand. Options arrive parsed; no command knows the parser.
namespace sparsecfg::cmd {

// Options that mean the same in every command that reads recipes.
struct ReadingOptions {
  std::optional<std::string> from;
  dialect::Framework framework = dialect::Framework::pytorch;
  std::string stdin_filename = "-";  // what standard input is called, so that its ending counts
  std::vector<std::string> set;      // NAME=VALUE
  std::string parameters;            // --params FILE; empty: not given
  std::string modules;               // --modules FILE; empty: not given
  dialect::NniRelease nni = dialect::NniRelease::v3_0;
  std::optional<double> epochs;
  std::optional<std::size_t> steps_per_epoch;
  doc::Limits limits;
  bool verbose = false;
};

enum class Format { text, json };

struct ValidateOptions {
  ReadingOptions reading;
  std::vector<std::string> paths;
  Format format = Format::text;
  bool skip_unknown = false;
  std::vector<std::string> select;  // codes, beginnings of codes or names
  std::vector<std::string> ignore;
  std::vector<std::string> severity;      // CODE=LEVEL
  std::optional<diag::Severity> fail_on;  // nothing: as settled, else error
  bool fix = false;                       // fixes the files
  bool diff = false;                      // prints what that would change and writes nothing
  bool unsafe_fixes = false;
};

[[nodiscard]] int validate(const ValidateOptions& options, const Streams& streams);

struct ConvertOptions {
  ReadingOptions reading;
  std::string path;
  std::string to;
  std::string output;  // empty: standard output
  std::optional<double> initial_rate;
  Format report = Format::text;
  bool allow_loss = false;
  bool keep_variables = false;
};

[[nodiscard]] int convert(const ConvertOptions& options, const Streams& streams);

struct NormalizeOptions {
  ReadingOptions reading;
  std::vector<std::string> paths;
  std::optional<double> initial_rate;
  bool check = false;
  bool diff = false;
  bool write = false;
  bool keep_variables = false;
};

[[nodiscard]] int normalize(const NormalizeOptions& options, const Streams& streams);

enum class TimelineFormat { table, csv, jsonl, svg, json };

struct TimelineOptions {
  ReadingOptions reading;
  std::string path;
  TimelineFormat format = TimelineFormat::table;
  std::string output;  // empty: standard output
  std::optional<double> initial_rate;
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
  Format format = Format::text;
};

[[nodiscard]] int match(const MatchOptions& options, const Streams& streams);

struct ExplainOptions {
  std::string topic;  // a code, its name, a modifier, `modifiers` or `codes`
};

[[nodiscard]] int explain(const ExplainOptions& options, const Streams& streams);

struct SchemaOptions {
  std::string dialect;
  dialect::Framework framework = dialect::Framework::pytorch;
};

[[nodiscard]] int schema(const SchemaOptions& options, const Streams& streams);

}  // namespace sparsecfg::cmd
