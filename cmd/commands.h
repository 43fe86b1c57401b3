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
  std::string framework = "pytorch";
  std::vector<std::string> set;  // NAME=VALUE
  std::string parameters;        // --params FILE; empty: not given
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
};
[[nodiscard]] int validate(const ValidateOptions& options, const Streams& streams);

struct ConvertOptions {
  ReadingOptions reading;
  std::string path;
  std::string to;
  std::string output;  // empty: standard output
};
[[nodiscard]] int convert(const ConvertOptions& options, const Streams& streams);

struct ExplainOptions {
  std::string topic;  // a code, its name, a modifier, `modifiers` or `codes`
};
[[nodiscard]] int explain(const ExplainOptions& options, const Streams& streams);

}  // namespace sparsecfg::cmd
