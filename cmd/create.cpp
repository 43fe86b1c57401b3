#include "create/create.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "source/names.h"

namespace sparsecfg::cmd {

struct CreateOptions {
  create::Choices choices;
  std::vector<std::string> variables;  // NAME=VALUE
  std::string variable_file;           // empty: none
  std::string parameters;              // path of a file with the model's names; empty: every prunable parameter
  std::string to = "sparseml";
  std::optional<std::size_t> steps_per_epoch;
  Output output;
  std::string sensitivities;  // path of a file with what was measured of parameters; empty: nothing
  create::Rules rules;
  bool report_json = false;
};

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

// Reads a YAML or JSON mapping into the choices.
static std::optional<std::string> read_mapping(create::Choices& choices, const std::string& path,
                                               std::optional<std::string> (*read)(create::Choices&, const std::string&),
                                               const Streams& streams) {
  if (path.empty()) return std::nullopt;
  const source::Loaded loaded =
      path == "-" ? source::read_stdin(streams.in, doc::Limits{}.bytes) : source::read_file(path, doc::Limits{}.bytes);
  if (const auto* failure = std::get_if<source::LoadError>(&loaded)) {
    return fmt::format("{}: {}", base::printable(path), failure->reason);
  }
  const auto why = read(choices, std::get<std::string>(loaded));
  return why ? std::optional(fmt::format("{}: {}", base::printable(path), *why)) : std::nullopt;
}

static std::optional<std::string> read_parameters(create::Choices& choices, const CreateOptions& options) {
  if (options.parameters.empty()) return std::nullopt;
  const auto read = source::load_parameters(options.parameters);
  if (const auto* failure = std::get_if<source::LoadError>(&read)) {
    return fmt::format("{}: {}", base::printable(options.parameters), failure->reason);
  }
  const auto& parameters = std::get<source::Parameters>(read);
  const auto known = [](const std::optional<source::Shape>& shape) { return shape.has_value(); };
  if (options.rules.skip_depthwise && std::ranges::none_of(parameters.shapes, known)) {
    return fmt::format("{}: --skip-depthwise needs the shapes of parameters", base::printable(options.parameters));
  }
  create::take_parameters(choices, parameters, options.rules);
  return choices.parameters.empty()
             ? std::optional(fmt::format("{}: no parameter in it can be pruned: none is a `.weight` "
                                         "of two dimensions or more",
                                         base::printable(options.parameters)))
             : std::nullopt;
}

static int create(const CreateOptions& options, const std::vector<std::string>&, const Streams& streams) {
  create::Choices choices = options.choices;
  for (const auto& why : {read_mapping(choices, options.variable_file, create::read_variables, streams),
                          read_mapping(choices, options.sensitivities, create::read_sensitivities, streams),
                          set_variables(choices, options), read_parameters(choices, options)}) {
    if (why) return refuse(*why, streams);
  }
  const bool elsewhere = options.to != CreateOptions{}.to;
  if (choices.compat && elsewhere) return refuse("--compat writes a recipe of SparseML's: leave --to out", streams);
  choices.global_sparsity = choices.global_sparsity && (choices.global_given || !elsewhere);
  if (const auto why = create::resolve(choices)) return refuse(*why, streams);
  const create::Created created =
      create::create(choices, {options.to, options.steps_per_epoch}, options.output.path.ends_with(".md"));
  streams.err << (options.report_json ? created.report_json : created.report_text);
  return created.text.empty() ? kErrors : write_output(options.output, {options.variable_file}, created.text, streams);
}

static std::vector<Option> options_of(CreateOptions& own) {
  create::Choices& choices = own.choices;
  const auto truth = [](bool& out) { return [&out](const std::string& word) { out = word == "true"; }; };
  const auto writes = [](const dialect::Dialect& dialect) {
    return dialect.write != nullptr && dialect.read != nullptr && !dialect.keeps_any();
  };
  std::vector<Option> out = {
      text("--pruning", "ALGORITHM", choices.pruning,
           "How to prune: true (gradual magnitude), acdc, mfac, movement, obs, constant, structured or false (default: "
           "true)"),
      choice("--quantization", "BOOL", {"true", "false"}, truth(choices.quantization),
             "Quantization-aware training at the end (default: true)"),
      choice(
          "--lr", "SCHEDULE", {create::kRates.begin(), create::kRates.end()},
          [&choices](const std::string& name) { choices.rate = name; }, "Learning-rate schedule (default: linear)"),
      choice(
          "--target", "HARDWARE", {"vnni", "tensorrt", "none"},
          [&choices](const std::string& name) { choices.target = name; },
          "Hardware that decides the structure of the zeros (default: none)"),
      flag("--distillation", choices.distillation, "Distil from a teacher"),
      list("--set", "NAME=VALUE", own.variables, false, "Set a variable; `sparsecfg schema create` lists them"),
      text("--variables", "FILE", own.variable_file, "Variables as a YAML or JSON mapping"),
      text("--params", "FILE", own.parameters,
           "Parameters of the model, to name those to prune instead of `__ALL_PRUNABLE__`"),
      flag("--skip-first-last", own.rules.skip_first_last, "Leave the first and the last of them out"),
      flag("--skip-depthwise", own.rules.skip_depthwise,
           "Leave depthwise convolutions out where a third of all are such, as in MobileNet; `--params` must have "
           "shapes"),
      text("--sensitivity", "FILE", own.sensitivities,
           "What was measured of parameters, as a YAML or JSON mapping: those that suffer more are pruned less"),
      flag("--compat", choices.compat, "Write the text of SparseML's own old generator, where SparseML loads it"),
      choice(
          "--to", "DIALECT", dialects_that(writes), [&own](const std::string& name) { own.to = name; },
          "What to write (default: sparseml)"),
      whole_number(
          "--steps-per-epoch", "N", [&own](std::uint64_t steps) { own.steps_per_epoch = steps; }, 1,
          ir::kMaxStepsPerEpoch, "Optimizer steps in an epoch, for a dialect that counts them"),
      text_or_json("--report", own.report_json, "How to report what the recipe does"),
      output(own.output),
      force(own.output),
  };
  return out;
}

Command create_command() {
  return with_options<CreateOptions>({"create", "Write a new recipe from a few choices", "", ""}, options_of, create);
}

}  // namespace sparsecfg::cmd
