#include "create/create.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "architecture/user_model.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "create/one_shot.h"
#include "dialect/back_ends.h"
#include "ir/clock.h"
#include "model/names.h"

namespace sparsecfg::cmd {

struct CreateOptions {
  create::Choices choices;
  std::vector<std::string> variables;  // NAME=VALUE
  std::string variable_file;           // empty means no file
  std::string parameters;              // file with the parameters of the model; empty selects all prunable ones
  std::string to = "sparseml";
  std::optional<std::size_t> steps_per_epoch;
  Output output;
  std::string sensitivities;  // file with the sensitivities of parameters; empty means no file
  create::Rules rules;
  bool report_json = false;
  std::string scheme;            // --scheme; empty: none
  std::string method;            // --method; empty: by the scheme
  std::uint64_t group_size = 0;  // --group-size; 0: by the scheme
  std::string model;             // --model; empty: unknown
  bool script = false;           // --script
  std::set<std::string> given;   // the options of the command line
};

// The recipes that options describe.
enum class Recipes : std::uint8_t { training, one_shot, of_quantizer };

// An option that does not describe every kind of recipe.
struct Use {
  std::string_view option;
  bool training;
  bool one_shot;
  bool of_quantizer;
};

constexpr Use kUses[] = {
    {"--pruning", true, true, false},
    {"--quantization", true, false, false},
    {"--lr", true, false, false},
    {"--target", true, false, false},
    {"--distillation", true, false, false},
    {"--set", true, true, false},
    {"--variables", true, true, false},
    {"--params", true, false, false},
    {"--scheme", false, true, true},
    {"--method", false, true, false},
    {"--group-size", false, true, false},
    {"--model", false, true, false},
    {"--script", false, true, false},
    {"--skip-first-last", true, false, false},
    {"--skip-depthwise", true, false, false},
    {"--sensitivity", true, false, false},
    {"--steps-per-epoch", true, false, false},
};

static bool is_used(const Use& use, Recipes recipes) {
  return recipes == Recipes::training ? use.training : recipes == Recipes::one_shot ? use.one_shot : use.of_quantizer;
}

// Returns an error message about the options of the command line that the recipe does not use; nullopt if it uses all.
static std::optional<std::string> useless_options(const CreateOptions& options, Recipes recipes) {
  std::vector<std::string> elsewhere;  // those that recipes of llm-compressor use
  std::vector<std::string> useless;
  for (const Use& use : kUses) {
    if (is_used(use, recipes) || !options.given.contains(std::string(use.option))) continue;
    (use.one_shot ? elsewhere : useless).emplace_back(use.option);
  }
  if (!elsewhere.empty()) {
    return fmt::format("{} require{} --to llm-compressor", base::join_and(elsewhere), elsewhere.size() == 1 ? "s" : "");
  }
  if (useless.empty()) return std::nullopt;
  return fmt::format("{} {} no effect with --to {}", base::join_and(useless), useless.size() == 1 ? "has" : "have",
                     options.to);
}

static int refuse(const std::string& why, const Streams& streams) {
  streams.err << "sparsecfg: error: " << printable_lines(why) << '\n';
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
  const auto read = model::load_parameters(options.parameters);
  if (const auto* failure = std::get_if<source::LoadError>(&read)) {
    return fmt::format("{}: {}", base::printable(options.parameters), failure->reason);
  }
  const auto& parameters = std::get<model::Parameters>(read);
  const auto known = [](const std::optional<model::Shape>& shape) { return shape.has_value(); };
  if (options.rules.skip_depthwise && std::ranges::none_of(parameters.shapes, known)) {
    return fmt::format("{}: --skip-depthwise requires a file with parameter shapes",
                       base::printable(options.parameters));
  }
  create::set_parameters(choices, parameters, options.rules);
  return choices.parameters.empty()
             ? std::optional(fmt::format("{}: no prunable parameter; prunable parameters are named `.weight` "
                                         "and have at least two dimensions",
                                         base::printable(options.parameters)))
             : std::nullopt;
}

// Returns the modules of a model folder, of a `config.json` or of a well-known id, as llm-compressor sees them, or an
// error message.
static std::variant<std::vector<model::Module>, std::string> read_modules(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !architecture::UserModel::is_described("", path)) {
    return std::string("not a model folder, a `config.json` or a well-known model id");
  }
  const auto loaded = architecture::UserModel::load("", path);
  if (const auto* failure = std::get_if<source::LoadError>(&loaded)) return failure->reason;
  const auto& model = std::get<std::shared_ptr<const architecture::UserModel>>(loaded);
  if (!model->rejection().empty()) return model->rejection();
  const architecture::Names& names = model->in(architecture::View::linearized);
  return names.modules == nullptr ? std::vector<model::Module>() : *names.modules;
}

// Writes a recipe of llm-compressor, or a script with it.
static int create_one_shot(const CreateOptions& options, const create::Choices& given, const Streams& streams) {
  create::OneShotChoices choices;
  const bool is_default = options.scheme.empty() && options.method.empty() && !given.pruning_given;
  choices.scheme = is_default ? "W4A16" : options.scheme;
  choices.method = options.method;
  choices.group_size = static_cast<std::int64_t>(options.group_size);
  choices.model = options.model;
  if (given.pruning_given && given.pruning != "false") {
    choices.sparsity = given.sparsity;
    choices.mask_structure = given.mask_type == "2:4" ? "2:4" : "0:0";
  }
  std::vector<model::Module> modules;
  if (!options.model.empty()) {
    auto read = read_modules(options.model);
    if (const auto* why = std::get_if<std::string>(&read)) {
      return refuse(fmt::format("{}: {}", base::printable(options.model), *why), streams);
    }
    modules = std::get<std::vector<model::Module>>(std::move(read));
    choices.modules = &modules;
  }
  const auto created = create::one_shot_recipe(choices);
  if (const auto* why = std::get_if<std::string>(&created)) return refuse(*why, streams);
  const auto& recipe = std::get<create::OneShotRecipe>(created);
  if (!streams.quiet && !options.report_json) {
    show_report(
        fmt::format("{}{}\n",
                    recipe.needs_data ? "apply the recipe once to a trained model, with a calibration dataset"
                                      : "apply the recipe once to a trained model, without a dataset",
                    options.model.empty() ? "; pass --model DIR to ignore routers and other parts of a model" : ""),
        streams);
    for (const std::string& note : recipe.notes) show_report(note + "\n", streams);
  }
  const std::string text = options.script ? recipe.script : recipe.text;
  return write_and_name(options.output, {}, text, streams);
}

// Returns true if files of the dialect describe a quantized model, and are no recipes.
static bool describes_model(const dialect::Dialect& dialect) {
  const dialect::BackEnd* back_end = dialect::back_end_of(dialect);
  return back_end != nullptr && back_end->is_result;
}

// Returns true if the dialect writes new recipes for a scheme.
static bool creates_by_scheme(const dialect::Dialect& dialect) {
  const dialect::BackEnd* back_end = dialect::back_end_of(dialect);
  return back_end != nullptr && back_end->create != nullptr;
}

// Writes a recipe of a quantizer for its usual layers.
static int create_for_quantizer(const CreateOptions& options, const dialect::Dialect& to, const Streams& streams) {
  const create::QuantizerRecipe created =
      create::quantizer_recipe(options.scheme.empty() ? "W4A16" : options.scheme, to);
  return created.text.empty() ? refuse(created.error, streams)
                              : write_and_name(options.output, {}, created.text, streams);
}

static int create(const CreateOptions& options, const std::vector<std::string>&, const Streams& streams) {
  const dialect::Dialect& to = *dialect::find_dialect(options.to);
  const Recipes recipes = creates_by_scheme(to) ? Recipes::of_quantizer
                          : to.trains           ? Recipes::training
                                                : Recipes::one_shot;
  if (const auto why = useless_options(options, recipes)) return refuse(*why, streams);
  if (recipes == Recipes::of_quantizer) return create_for_quantizer(options, to, streams);
  create::Choices choices = options.choices;
  for (const auto& why : {read_mapping(choices, options.variable_file, create::read_variables, streams),
                          read_mapping(choices, options.sensitivities, create::read_sensitivities, streams),
                          set_variables(choices, options), read_parameters(choices, options)}) {
    if (why) return refuse(*why, streams);
  }
  if (recipes == Recipes::one_shot) return create_one_shot(options, choices, streams);
  const bool converts = options.to != CreateOptions{}.to;
  choices.global_sparsity = choices.global_sparsity && (choices.global_given || !converts);
  if (const auto why = create::resolve(choices)) return refuse(*why, streams);
  const create::Created created =
      create::create(choices, {options.to, options.steps_per_epoch}, options.output.path.ends_with(".md"));
  if (options.report_json) {
    streams.err << created.report_json;
  } else {
    show_report(printable_lines(created.report_text), streams);
  }
  const auto write = options.report_json ? static_cast<decltype(&write_and_name)>(write_output) : write_and_name;
  return created.text.empty() ? kErrors : write(options.output, {options.variable_file}, created.text, streams);
}

// Returns "num_epochs, target (none, vnni or tensorrt), ...".
static std::string variable_names() {
  std::string out;
  for (const create::Variable& variable : create::variables()) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", variable.name);
    if (!variable.choices.empty()) out += fmt::format(" ({})", fmt::join(variable.choices, ", "));
  }
  return out;
}

static std::vector<Option> options_of(CreateOptions& own) {
  create::Choices& choices = own.choices;
  const auto truth = [](bool& out) { return [&out](const std::string& word) { out = word == "true"; }; };
  const auto writes = [](const dialect::Dialect& dialect) {
    if (creates_by_scheme(dialect)) return true;
    return dialect.write != nullptr && dialect.read != nullptr && !dialect.is_lossless() && !describes_model(dialect);
  };
  std::vector<Option> out = {
      choice(
          "--pruning", "ALGORITHM", {},
          [&own](const std::string& name) {
            own.choices.pruning = name;
            own.choices.pruning_given = true;
          },
          "Pruning algorithm: true (gradual magnitude), acdc, mfac, movement, obs, constant, structured or false "
          "(default: true)"),
      choice("--quantization", "BOOL", {"true", "false"}, truth(choices.quantization),
             "Add quantization-aware training at the end (default: true)"),
      choice(
          "--lr", "SCHEDULE", {create::kRates.begin(), create::kRates.end()},
          [&choices](const std::string& name) { choices.rate = name; }, "Learning-rate schedule (default: linear)"),
      choice(
          "--target", "HARDWARE", {"vnni", "tensorrt", "none"},
          [&choices](const std::string& name) { choices.target = name; },
          "Hardware that determines the sparsity pattern (default: none)"),
      flag("--distillation", choices.distillation, "Distill from a teacher model"),
      list("--set", "NAME=VALUE", own.variables, false,
           fmt::format("Set a variable: {}; `sparsecfg schema create` describes them", variable_names())),
      text("--variables", "FILE", own.variable_file, "File with variables as a YAML or JSON mapping"),
      text("--params", "FILE", own.parameters,
           "Model parameters; the recipe then lists the pruned ones instead of `__ALL_PRUNABLE__`"),
      text("--scheme", "NAME", own.scheme,
           "Quantize with a preset scheme of compressed-tensors, such as W4A16 or FP8_DYNAMIC (only for one-shot "
           "recipes; default: W4A16)"),
      choice(
          "--method", "NAME", create::method_names(), [&own](const std::string& name) { own.method = name; },
          "How weights are quantized (only --to llm-compressor; default: gptq for integers, rtn for floats)"),
      whole_number(
          "--group-size", "N", [&own](std::uint64_t size) { own.group_size = size; }, 1, 4096,
          "Size of the groups of weights (only --to llm-compressor; default: 128, or less if it does not divide the "
          "columns of --model)"),
      text("--model", "MODEL", own.model,
           "Folder, `config.json` or well-known id of the model, whose heads, routers and vision parts the recipe "
           "ignores (only --to llm-compressor)"),
      flag("--script", own.script, "Write a Python script that calls `oneshot` (only --to llm-compressor)"),
      flag("--skip-first-last", own.rules.skip_first_last, "Do not prune the first and the last parameter"),
      flag("--skip-depthwise", own.rules.skip_depthwise,
           "Skip depthwise convolutions if they are at least 30 % of all convolutions (e.g. MobileNet); requires "
           "`--params` with shapes"),
      text("--sensitivity", "FILE", own.sensitivities,
           "Sensitivity per parameter as a YAML or JSON mapping; more sensitive ones are pruned less"),
      choice(
          "--to", "DIALECT", dialects_that(writes), [&own](const std::string& name) { own.to = name; },
          "Dialect to write (default: sparseml)"),
      whole_number(
          "--steps-per-epoch", "N", [&own](std::uint64_t steps) { own.steps_per_epoch = steps; }, 1,
          ir::kMaxStepsPerEpoch, "Optimizer steps per epoch; required for dialects that schedule in steps"),
      text_or_json("--report", own.report_json, "Format of the summary on standard error"),
      output(own.output),
      force(own.output),
  };
  for (Option& option : out) {
    option.set = [&own, name = option.name, set = std::move(option.set)](const std::string& value) {
      own.given.insert(name);
      return set(value);
    };
  }
  return out;
}

Command create_command() {
  return with_options<CreateOptions>({"create", "Generate a new recipe from a few options", "", ""}, options_of,
                                     create);
}

}  // namespace sparsecfg::cmd
