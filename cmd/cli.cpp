#include "cmd/cli.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/text.h"
#include "base/version.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "dialect/dialect.h"
#include "dialect/runtime.h"

namespace sparsecfg::cmd {

// Values of the options that all commands accept.
struct CommonOptions {
  std::string color = "auto";
  bool verbose = false;
  bool quiet = false;
};

// Command lines for the help, by command.
static std::vector<std::string> examples_of(std::string_view command) {
  static const std::map<std::string_view, std::vector<std::string>> kExamples = {
      {"validate", {"validate recipes/ --params names.txt", "validate recipe.yaml --fix"}},
      {"convert",
       {"convert --to nni --steps-per-epoch 100 recipe.yaml", "convert --to pytorch recipe.yaml -o prune.py"}},
      {"timeline", {"timeline recipe.yaml --steps-per-epoch 100", "timeline recipe.yaml --format svg -o schedule.svg"}},
      {"normalize", {"normalize --check recipes/", "normalize --write recipe.yaml"}},
      {"match", {"match recipe.yaml --params names.txt", "match recipe.yaml --modules modules.tsv --explain lm_head"}},
      {"inspect", {"inspect recipe.yaml", "inspect recipe.yaml --format json"}},
      {"rescale", {"rescale recipe.yaml --epochs 30", "rescale recipe.yaml --factor 0.5 -o short.yaml"}},
      {"diff", {"diff old.yaml new.yaml", "diff HEAD~1 recipe.yaml"}},
      {"compose", {"compose prune.yaml quantize.yaml -o both.yaml", "compose --keep-epochs one.yaml two.yaml"}},
      {"explain", {"explain SP202", "explain GMPruningModifier"}},
      {"create",
       {"create --set num_epochs=20 -o recipe.yaml", "create --to llm-compressor --scheme W4A16 --model DIR"}},
      {"schema", {"schema llm-compressor > llm-compressor.schema.json", "schema report"}},
      {"init", {"init", "init project/"}},
      {"lsp", {"lsp"}},
      {"mcp", {"mcp"}}};
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? std::vector<std::string>() : found->second;
}

static std::vector<Command> commands() {
  std::vector<Command> out;
  for (const auto& make : {validate_command, convert_command, timeline_command, normalize_command, match_command,
                           inspect_command, rescale_command, diff_command, compose_command, explain_command,
                           create_command, schema_command, lsp_command, mcp_command, init_command}) {
    out.push_back(make());
    out.back().examples = examples_of(out.back().name);
  }
  return out;
}

static Program program_of(CommonOptions& common) {
  return {"sparsecfg",
          "Validate, convert and inspect neural-network sparsification recipes.",
          commands(),
          {{"check", "validate"},
           {"lint", "validate"},
           {"fix", "validate", {"--fix"}},
           {"format", "normalize", {"--write"}, {"--check", "--diff", "--write", "-"}},
           {"plan", "inspect"},
           {"rule", "explain"},
           {"server", "lsp"}},
          {choice(
               "--color", "WHEN", {"auto", "always", "never"}, [&](const std::string& when) { common.color = when; },
               "When to use colors (default: auto)"),
           with_letter(flag("--verbose", common.verbose, "Also print notes, progress and skipped checks"), 'v'),
           with_letter(flag("--quiet", common.quiet, "Print only findings, no summary"), 'q')}};
}

static Streams with_common(const Streams& streams, const CommonOptions& common) {
  Streams out = streams;
  out.color = common.color == "always" || (common.color == "auto" && streams.color);
  out.verbose = common.verbose;
  out.quiet = common.quiet;
  out.docs = base::docs_address();
  return out;
}

// The first line is for programs. The others list the releases of the frameworks.
static std::string version_text() {
  std::map<std::string, std::string> frameworks;  // sorted by name, ignoring case
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    const std::string releases = dialect::releases_of(*dialect);
    if (releases.empty()) continue;
    frameworks[base::to_lower(dialect->title)] = fmt::format("  {:18}  {}\n", dialect->title, releases);
  }
  for (const auto& [title, releases] : dialect::runtime_releases()) {
    frameworks[base::to_lower(title)] = fmt::format("  {:18}  {} (runtime)\n", title, releases);
  }
  std::string out = fmt::format("sparsecfg {}\n", base::long_version());
  for (const auto& [name, line] : frameworks) out += line;
  return out;
}

static int run_program(std::span<const std::string> arguments, const Streams& streams) {
  CommonOptions common;
  const Program program = program_of(common);
  const Parsed parsed = parse_command_line(program, arguments);
  if (!parsed.error.empty()) {
    streams.err << "sparsecfg: error: " << parsed.error << '\n';
    return kUsage;
  }
  if (parsed.version) {
    streams.out << version_text();
  } else if (parsed.help) {
    streams.out << (parsed.command != nullptr ? help_of(program, parsed, streams.columns)
                                              : help_of(program, streams.columns));
  } else if (parsed.command == nullptr) {
    streams.err << help_of(program, streams.columns);
    return kUsage;
  } else {
    return parsed.command->run(parsed.operands, with_common(streams, common));
  }
  return kClean;
}

int run(std::span<const std::string> arguments, const Streams& streams) {
  const int status = run_program(arguments, streams);
  streams.out.flush();
  if (!streams.out) {
    streams.err << "sparsecfg: cannot write to standard output\n";
    return kUsage;
  }
  return status;
}

}  // namespace sparsecfg::cmd
