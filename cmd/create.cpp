#include "create/create.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/reading.h"
#include "source/names.h"

namespace sparsecfg::cmd {

static int refuse(const std::string& why, const Streams& streams) {
  streams.err << "sparsecfg: error: " << why << '\n';
  return kUsage;
}

static std::optional<std::string> set_variables(create::Choices& choices, const CreateOptions& options) {
  for (const std::string& assignment : options.variables) {
    const auto parts = project::split_assignment(assignment);
    if (!parts) return fmt::format("--set {}: write NAME=VALUE", base::printable(assignment));
    if (auto why = create::set_variable(choices, parts->first, parts->second)) return why;
  }
  return std::nullopt;
}

// Reads a YAML or JSON mapping of variables.
static std::optional<std::string> read_variables(create::Choices& choices, const std::string& path,
                                                 const Streams& streams) {
  if (path.empty()) return std::nullopt;
  const source::Loaded loaded = path == "-" ? source::read_stdin(streams.in, doc::Limits{}.bytes)
                                            : source::read_file(path, doc::Limits{}.bytes);
  if (const auto* failure = std::get_if<source::LoadError>(&loaded)) {
    return fmt::format("{}: {}", base::printable(path), failure->reason);
  }
  const auto why = create::read_variables(choices, std::get<std::string>(loaded));
  return why ? std::optional(fmt::format("{}: {}", base::printable(path), *why)) : std::nullopt;
}

static std::optional<std::string> read_parameters(create::Choices& choices, const CreateOptions& options) {
  if (options.parameters.empty()) return std::nullopt;
  const auto read = source::load_parameters(options.parameters);
  if (const auto* failure = std::get_if<source::LoadError>(&read)) {
    return fmt::format("{}: {}", base::printable(options.parameters), failure->reason);
  }
  choices.parameters = create::prunable(std::get<source::Parameters>(read), options.skip_first_last);
  return choices.parameters.empty() ? std::optional(fmt::format("{}: no parameter in it can be pruned: none is a `.weight` "
                                                                "of two dimensions or more",
                                                                base::printable(options.parameters)))
                                    : std::nullopt;
}

int create(const CreateOptions& options, const Streams& streams) {
  create::Choices choices = options.choices;
  for (const auto& why : {read_variables(choices, options.variable_file, streams), set_variables(choices, options),
                          read_parameters(choices, options)}) {
    if (why) return refuse(*why, streams);
  }
  if (const auto why = create::resolve(choices)) return refuse(*why, streams);
  const create::Created created = create::create(choices, options.to, options.output.path.ends_with(".md"));
  streams.err << (options.report_json ? created.report_json : created.report_text);
  return created.text.empty() ? kErrors : write_output(options.output, options.variable_file, created.text, streams);
}

}  // namespace sparsecfg::cmd
