#include "compile/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "architecture/user_model.h"
#include "base/text.h"
#include "compile/memory.h"
#include "compile/parts.h"
#include "dialect/compressed_tensors/runtimes.h"
#include "dialect/dialect.h"
#include "dialect/quantizers/quantized_base.h"
#include "dialect/quantizers/script_code.h"
#include "dialect/runtime_option.h"
#include "dialect/schemes/ignoring.h"
#include "emit/literal.h"
#include "outcome/summary.h"

namespace sparsecfg {

using architecture::View;

// Returns true for dialects with the names of llm-compressor, which splits experts into layers.
static bool splits_experts(const dialect::Dialect& dialect) {
  return dialect.name == "llm-compressor" || dialect.name == "compressed-tensors";
}

// Returns true for dialects whose files describe a quantized model. Its derived tensors are not those of its files.
static bool is_quantized(const dialect::Dialect& dialect) {
  return dialect.name == "checkpoint" || dialect.name == "mlx";
}

// Runtimes read the names of checkpoints, transformers and MLX those of their own modules.
static View view_of(const dialect::Dialect& dialect, const dialect::ReadOptions& options) {
  if (splits_experts(dialect)) return View::linearized;
  if (dialect.name == "modelopt") return View::transformers;  // quantizers are inserted into the loaded model
  const std::string_view runtime = dialect::runtime_name(options);
  const bool by_runtime = runtime.starts_with("vllm") || runtime == "sglang";
  if (by_runtime) return View::checkpoint;
  // Both split experts when they load a model.
  if (dialect.name == "gptqmodel" || dialect.name == "autoround") return View::linearized;
  return dialect.name == "torchao" || is_quantized(dialect) ? View::transformers : View::checkpoint;
}

bool infers_modules(const dialect::Dialect& dialect) { return dialect.name == "llm-compressor"; }

// Returns names of a model with the limit of the options. `owner` keeps them.
static const model::ModelNames* limited(const CompileOptions& options, const model::ModelNames& names,
                                        std::shared_ptr<const model::ModelNames>& owner) {
  if (options.limit == nullptr) {
    return &names;
  }
  owner = std::make_shared<const model::ModelNames>(names.limited_by(options.limit));
  return owner.get();
}

// Returns true if the framework wraps a model in DataParallel before it reads the recipe.
static bool wraps_models(const dialect::Dialect& dialect) { return dialect.name == "distiller"; }

// Returns the build of a model for a recipe of a dialect. The release of llm-compressor implies that of transformers,
// but only if an option or the build itself names it.
static architecture::Build build_for(const CompileOptions& options, const dialect::Dialect& dialect) {
  architecture::Build out = options.build;
  out.parallel = out.parallel && wraps_models(dialect);
  if (dialect.name != "llm-compressor" || out.llmcompressor) {
    return out;
  }
  const auto release = options.read.given({.name = "llmc", .doc = ""});
  const auto implied = release ? architecture::build_of_llmcompressor(*release) : std::nullopt;
  if (!implied) {
    return out;
  }
  out.llmcompressor = implied->llmcompressor;
  if (!out.transformers) out.transformers = implied->transformers;
  return out;
}

// Returns the names of the model for recipes of a dialect.
static const architecture::Names& names_for(const CompileOptions& options, const dialect::Dialect& dialect) {
  return options.model->in(view_of(dialect, options.read), build_for(options, dialect));
}

// Returns true if the release of llm-compressor may run with a transformers whose modules have the names of
// checkpoints. A build with such releases decides the names itself.
static bool names_checkpoints(const architecture::Build& build) {
  constexpr architecture::Version kLater{0, 7};
  return build.llmcompressor && build.llmcompressor->first < kLater;
}

std::string title_of(const CompileOptions& options, const dialect::Dialect& dialect) {
  const std::string& title = options.model->title();
  const std::string& built = names_for(options, dialect).architecture;
  const std::size_t origin = title.find(" (");
  return built.empty() || origin == std::string::npos ? title : built + title.substr(origin);
}

bool names_parallel_model(const CompileOptions& options, const dialect::Dialect& dialect,
                          const doc::Document& document) {
  constexpr std::string_view kWrapped = "module.";
  if (!wraps_models(dialect) || options.model == nullptr || !options.model->rejection().empty()) return false;
  const auto& known = names_for(options, dialect).parameters;
  const auto is_wrapped = [&](std::string_view name) { return name.starts_with(kWrapped); };
  if (!known || std::ranges::any_of(known->list(), is_wrapped)) return false;
  const auto wrapped = [&](const doc::Node& node) {
    return node.kind == doc::Kind::scalar && is_wrapped(node.text) && known->knows(node.text.substr(kWrapped.size()));
  };
  const auto plain = [&](const doc::Node& node) { return node.kind == doc::Kind::scalar && known->knows(node.text); };
  return std::ranges::any_of(document.nodes, wrapped) && std::ranges::none_of(document.nodes, plain);
}

// Returns the number of weights in routed experts, which are one module of a block or one for each expert.
static std::uint64_t weights_of_experts(const std::vector<architecture::Layer>& layers) {
  std::uint64_t out = 0;
  for (const architecture::Layer& layer : layers) {
    if (!layer.name.ends_with(".experts") && layer.name.find(".experts.") == std::string::npos) continue;
    for (const architecture::Tensor& tensor : layer.tensors) {
      if (!tensor.buffer) out += model::elements_of(tensor.shape).value_or(0);
    }
  }
  return out;
}

void forget_names(CompileOptions& options) {
  options.modules = nullptr;
  options.parameters = nullptr;
  options.read.modules = nullptr;
  options.read.parameters = nullptr;
  options.read.stored_names = nullptr;
}

void use_model(CompileOptions& options, const dialect::Dialect& dialect, bool is_source) {
  const auto& model = options.model;
  if (model == nullptr || !model->rejection().empty()) {
    return;
  }
  const architecture::Names& names = names_for(options, dialect);
  if (names.module_names && options.modules == nullptr && (!names.inferred || infers_modules(dialect))) {
    options.modules = limited(options, *names.module_names, options.of_model[1]);
    options.read.modules = names.modules;
    if (!names_checkpoints(build_for(options, dialect))) options.read.stored_names = names.stored_names;
    const auto tied = std::ranges::find_if(names.layers, [](const auto& layer) { return !layer.tied.empty(); });
    if (tied != names.layers.end()) options.read.tied_layer = tied->name;
    options.read.expert_weights = weights_of_experts(names.layers);
    if (model->derived() != nullptr) options.read.experts_per_token = model->derived()->experts_per_token;
  }
  // Names of a derived model are not those of quantized files.
  if (names.parameters && options.parameters == nullptr &&
      (names.stored || is_source ||
       !(splits_experts(dialect) || is_quantized(dialect) || dialect.name == "modelopt"))) {
    options.parameters = limited(options, *names.parameters, options.of_model[0]);
    options.read.parameters = options.parameters;
  }
}

// Returns the range of the releases of transformers that a requirement allows; nullopt if it allows none that is known.
static std::optional<architecture::Releases> allowed_by(const Requirement& requirement) {
  constexpr int kLastOfFour = 57;
  std::optional<architecture::Releases> out;
  const auto add = [&](architecture::Version version) {
    if (!requirement.allows(to_string(version))) return;
    out = architecture::Releases{out ? out->first : version, version};
  };
  for (int minor = 0; minor <= kLastOfFour; ++minor) add({4, minor});
  for (int minor = 0; minor <= architecture::kNewestTransformers.minor; ++minor) add({5, minor});
  return out;
}

std::optional<architecture::Releases> required_transformers(const CompileOptions& options) {
  const auto& requirement = options.requirements.transformers;
  const auto allowed = requirement ? allowed_by(*requirement) : std::nullopt;
  if (!allowed || allowed->last == architecture::kNewestTransformers) {
    return std::nullopt;
  }
  const architecture::Releases newest{allowed->last, allowed->last};
  const auto release = options.read.given({.name = "llmc", .doc = ""});
  const auto implied = release ? architecture::transformers_for(*release) : std::nullopt;
  if (!implied || requirement->is_exact()) {
    return newest;
  }
  const architecture::Releases both{std::max(allowed->first, implied->first), std::min(allowed->last, implied->last)};
  return both.first <= both.last ? both : newest;
}

void use_build(CompileOptions& options, const std::optional<ir::CallModel>& passed) {
  if (passed && !passed->loader.empty()) options.build.loader = passed->loader;
  if (!options.build.transformers) options.build.transformers = required_transformers(options);
}

Requirements requirements_of(const source::SourceFile& file, const Requirements& project) {
  const std::string extension = extension_of(file.name());
  Requirements out;
  if (extension == "py" || extension == "ipynb") out = installed_by(file.text(), file.name());
  out.add(project);
  return out;
}

void use_model_of(const Compilation& compilation, CompileOptions& options) {
  options.model = compilation.model;
  options.build.parallel = compilation.parallel;
  options.requirements = requirements_of(*compilation.file, options.requirements);
  if (const auto& release = compilation.release) {
    dialect::set_reader_option(release->option, release->value, options.read);
  }
  // The server moves the recipes of scripts out of a compilation.
  const bool listed = compilation.chosen && *compilation.chosen < compilation.recipes.size();
  use_build(options, listed ? compilation.recipes[*compilation.chosen].model : std::nullopt);
  const dialect::Dialect* dialect = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
  if (dialect != nullptr) use_model(options, *dialect);
}

FoundModel find_model(const CompileOptions& options, const std::string& path,
                      const std::optional<ir::CallModel>& passed) {
  const bool named = options.model != nullptr || options.modules != nullptr || options.parameters != nullptr;
  if (named || !options.find_model) {
    return {options.model, {}};
  }
  if (!passed) {
    return {options.find_model(path, ""), {}};
  }
  if (passed->id.empty()) {
    return {nullptr, passed->unknown.message()};
  }
  if (!passed->modules.empty()) {
    return {architecture::UserModel::of_modules(passed->modules, fmt::format("`{}` of the script", passed->id)), {}};
  }
  auto model = options.find_model(path, passed->id);
  std::string unknown;
  if (model == nullptr) {
    const std::string_view meant = architecture::UserModel::meant_id(passed->id);
    unknown = fmt::format("`{}` is neither a well-known model id nor a folder with a `config.json`{}", passed->id,
                          meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant));
  }
  return {std::move(model), std::move(unknown)};
}

// Returns the layers of the model, in the order of the modules that a recipe was compiled with; empty if they are
// unknown.
const std::vector<architecture::Layer>& layers_of(const ir::Recipe& recipe, const CompileOptions& options) {
  static const std::vector<architecture::Layer> kNone;
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (options.model == nullptr || dialect == nullptr) {
    return kNone;
  }
  const architecture::Names& names = names_for(options, *dialect);
  return options.read.modules == names.modules ? names.layers : kNone;
}

// Returns a call of a class with another class and the same arguments, on one line; empty for other calls, and for
// calls with comments.
static std::string call_of(const source::SourceFile& file, source::Span call, std::string_view loader,
                           std::string_view instead) {
  const std::string_view text = call.end <= file.text().size() ? file.text(call) : std::string_view();
  const std::size_t at = text.find(std::string(loader) + ".from_pretrained(");
  if (at == text.npos || text.find('#') != text.npos || !text.ends_with(')')) return {};
  std::string out = std::string(text.substr(0, at)) + std::string(instead);
  for (const std::string_view line : base::parts_of(text.substr(at + loader.size()), '\n')) {
    const std::string_view part = base::trim(line);
    const bool blank = out.ends_with(',') && !part.starts_with(')');
    if (part.starts_with(')') && out.ends_with(',')) out.pop_back();
    out += (blank ? " " : "") + std::string(part);
  }
  return out;
}

void check_loader(const CompileOptions& options, const dialect::Dialect& dialect, const source::SourceFile& file,
                  source::Span call, std::string_view id, diag::Sink& sink) {
  if (options.model == nullptr || options.build.loader.empty()) return;
  const std::optional<architecture::MissingClass>& missing = names_for(options, dialect).missing;
  if (!missing || !missing->always || missing->instead.empty()) return;
  const std::string written = call_of(file, call, missing->loader, missing->instead);
  const std::string code = written.empty() ? fmt::format("model={}.from_pretrained({})", missing->instead,
                                                         emit::literal(emit::Syntax::python, std::string(id)))
                                           : written;
  std::string help = fmt::format("write `{}`", code);
  const dialect::quantizers::Exported name[] = {{"transformers", missing->instead}};
  dialect::quantizers::name_imports(help, file, name);
  sink.report(diag::loader_without_class, call, missing->loader, missing->model_type).with_help(std::move(help));
}

void check_base(const CompileOptions& options, const dialect::Dialect& dialect, std::string_view called,
                source::Span place, diag::Sink& sink) {
  if (options.model == nullptr) return;
  dialect::quantizers::check_base(dialect.name, called, options.model->quantization(), options.read, place, sink);
}

// Reports an entry that quantizes a layer which shares its weight with another one (MD917).
static void check_tied(const ir::Recipe& recipe, const outcome::Outcome& outcome,
                       const std::vector<architecture::Layer>& layers, diag::Sink& sink) {
  const auto tied = std::ranges::find_if(layers, [](const architecture::Layer& each) { return !each.tied.empty(); });
  if (tied == layers.end() || layers.size() != outcome.of_names.size()) {
    return;
  }
  const outcome::State& state = outcome.at(static_cast<std::size_t>(tied - layers.begin()));
  const ir::Rule* rule = state.assigned ? outcome.rule(state.assigned->by) : nullptr;
  if (state.scheme.weights.empty() || rule == nullptr) {
    return;
  }
  const ir::Origin& origin = recipe.actions[state.assigned->by.action].origin;
  auto& report =
      sink.report(diag::tied_head, rule->span.empty() ? origin.span : rule->span, rule->entry, tied->name, tied->tied);
  const auto embedding = std::ranges::find(layers, tied->tied, &architecture::Layer::name);
  const bool quantized = embedding != layers.end() &&
                         outcome.at(static_cast<std::size_t>(embedding - layers.begin())).assigned.has_value();
  if (quantized && rule->entry == tied->name) {
    report.with_help(fmt::format("write `{}` in place of `{}`: both use its weight", tied->tied, tied->name))
        .with_fix(diag::Fix::unsafe().content(rule->span, tied->tied));
    return;
  }
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (dialect != nullptr && !dialect->remedies.tied_head.empty()) {
    report.with_help(std::string(dialect->remedies.tied_head));
    return;
  }
  dialect::schemes::advise_to_ignore(report, recipe, origin, tied->name);
}

// Returns the largest divisor of a number that is not above a limit.
static std::uint64_t divisor_up_to(std::uint64_t number, std::uint64_t limit) {
  while (number % limit != 0) --limit;
  return limit;
}

// Returns true if GPUs share the heads of keys and values evenly: each has as many heads, or each head as many GPUs.
static bool share_evenly(std::uint64_t heads, std::uint64_t gpus) { return heads % gpus == 0 || gpus % heads == 0; }

// Reports a number of GPUs that cannot split the query heads, or the heads of keys and values. Returns true then.
// Advises a power of 2, because the sizes of layers are rarely divisible by other numbers.
static bool report_heads(const architecture::Derived& model, std::uint64_t gpus, std::string_view runtime,
                         const GpuOption& option, diag::Sink& sink) {
  if (!model.heads) return false;
  const std::uint64_t key_values = model.key_value_heads.value_or(*model.heads);
  const auto fits = [&](std::uint64_t each) { return *model.heads % each == 0 && share_evenly(key_values, each); };
  if (fits(gpus)) return false;
  const bool queries = *model.heads % gpus != 0;
  const std::uint64_t possible = dialect::power_of_two_gpus(gpus, fits);
  sink.report(diag::heads_not_divisible, option.place, queries ? *model.heads : key_values,
              queries ? "attention heads" : "heads of keys and values", gpus, runtime)
      .with_help(fmt::format("use `{} {}`", option.name, possible));
  return true;
}

// Reports a number of GPUs that cannot split the embedding, whose rows are padded. Returns true then.
static bool report_vocabulary(const architecture::Derived& model, std::uint64_t gpus, std::string_view runtime,
                              const GpuOption& option, diag::Sink& sink) {
  constexpr std::uint64_t kPadding = 64;  // docs/semantics/compressed-tensors.md#d3-21
  if (!model.vocabulary) return false;
  const std::uint64_t rows = (*model.vocabulary + kPadding - 1) / kPadding * kPadding;
  if (rows % gpus == 0) return false;
  const auto fits = [&](std::uint64_t each) { return rows % each == 0; };
  sink.report(diag::vocabulary_not_divisible, option.place, rows, gpus, runtime)
      .with_help(fmt::format("use `{} {}`", option.name, dialect::power_of_two_gpus(gpus, fits)));
  return true;
}

namespace {

// Why GPUs cannot hold whole experts.
struct ExpertFault {
  std::string reason;
  std::uint64_t possible = 0;  // a number of GPUs that can; 0: none
  bool starts = false;         // true if the runtime starts anyway
};

}  // namespace

static std::optional<ExpertFault> expert_fault(std::uint64_t experts,
                                               const dialect::compressed_tensors::RuntimeChoice& choice) {
  const bool is_vllm = choice.runtime == dialect::compressed_tensors::Runtime::vllm;
  const std::uint64_t gpus = choice.expert_gpus;
  if (gpus <= 1) return std::nullopt;
  if (experts == 0) return ExpertFault{"the model has no experts"};
  if (is_vllm && gpus % choice.gpus != 0) {
    return ExpertFault{fmt::format("it is no multiple of the {} GPUs of each other layer", choice.gpus), choice.gpus};
  }
  const bool holds = gpus <= experts && (is_vllm || experts % gpus == 0);
  return holds ? std::nullopt
               : std::optional(ExpertFault{fmt::format("each layer has {} experts", experts),
                                           divisor_up_to(experts, std::min(gpus, experts)), is_vllm});
}

// Reports a number of GPUs that cannot hold whole experts. Returns true then.
static bool report_experts(std::uint64_t experts, const dialect::compressed_tensors::RuntimeChoice& choice,
                           std::string_view runtime, diag::Sink& sink) {
  const auto fault = expert_fault(experts, choice);
  if (!fault) return false;
  auto& finding = sink.report(diag::experts_not_distributed, {}, fault->reason, choice.expert_gpus, runtime);
  finding.with_help(fault->possible == 0 ? std::string("delete `--expert-parallel`")
                                         : fmt::format("use `--expert-parallel {}`", fault->possible));
  if (fault->starts) finding.with_severity(diag::Severity::warning);
  return true;
}

void check_gpus(CompileOptions& options, const dialect::Dialect& dialect, diag::Sink& sink, const GpuOption& option) {
  using dialect::compressed_tensors::Runtime;
  const auto choice = dialect::compressed_tensors::runtime_of(options.read);
  const architecture::Derived* model = options.model == nullptr ? nullptr : options.model->derived();
  if (!dialect.runtimes.splits || choice.runtime == Runtime::library || model == nullptr || choice.gpus == 0) return;
  const std::string_view runtime = dialect::compressed_tensors::title_of(choice.runtime);
  const bool rejects = report_heads(*model, choice.gpus, runtime, option, sink) ||
                       report_vocabulary(*model, choice.gpus, runtime, option, sink) ||
                       (model->experts && report_experts(*model->experts, choice, runtime, sink));
  if (!rejects) return;
  options.gpus_rejected = true;
  std::erase_if(options.read.reader_options,
                [](const auto& each) { return each.first == "tensor-parallel" || each.first == "expert-parallel"; });
}

// Returns the shape of a tensor that a unit is named after, with all dimensions but the last one joined.
static std::optional<model::Shape> shape_of_part(const std::map<std::string_view, const architecture::Layer*>& layers,
                                                 std::string_view unit) {
  const std::string_view tensor = base::last_part(unit);
  const auto layer = layers.find(unit.substr(0, unit.size() - std::min(unit.size(), tensor.size() + 1)));
  const auto* found = layer == layers.end() ? nullptr : layer->second->find(tensor);
  if (found == nullptr || found->buffer || found->shape.size() < 2) return std::nullopt;
  std::uint64_t rows = 1;
  for (std::size_t at = 0; at + 1 < found->shape.size(); ++at) rows *= found->shape[at];
  return model::Shape{rows, found->shape.back()};
}

void add_unit_shapes(ir::Recipe& recipe, const CompileOptions& options) {
  if (recipe.units.empty() || recipe.units_are_parameters) return;
  std::map<std::string_view, const architecture::Layer*> layers;
  for (const architecture::Layer& layer : layers_of(recipe, options)) layers.emplace(layer.name, &layer);
  std::vector<model::Module> units = recipe.units.items();
  for (model::Module& unit : units) {
    if (!unit.shape) unit.shape = shape_of_part(layers, unit.name);
  }
  recipe.units = std::move(units);
}

// Why a run, or the use of its result, fails whatever the recipe is.
struct Failure {
  std::string why;
  std::string_view help;  // empty: it depends on how the model is loaded, and is no finding
};

static std::optional<Failure> failure_of(const ir::Recipe& recipe, const CompileOptions& options) {
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (dialect == nullptr || dialect->name != "llm-compressor") {
    return std::nullopt;
  }
  const architecture::Build build = build_for(options, *dialect);
  const architecture::Names& names = options.model->in(View::linearized, build);
  if (!names.raises.empty()) {
    return Failure{"llm-compressor fails to split the experts of this model: " + names.raises, {}};
  }
  // llm-compressor 0.12 splits experts, but transformers merges their quantized tensors again when it saves the model.
  constexpr architecture::Releases kMerging{{0, 12}, {0, 12}};
  const auto is_split = [](const architecture::Layer& layer) { return layer.type.starts_with("ExpertMLP"); };
  if (build.llmcompressor != kMerging || std::ranges::none_of(names.layers, is_split)) return std::nullopt;
  return Failure{"the result of this model cannot be loaded: llm-compressor 0.12 saves its split experts as one tensor",
                 "use llm-compressor 0.13 or later"};
}

void check_model(const ir::Recipe& recipe, const outcome::Outcome& outcome, const CompileOptions& options,
                 diag::Sink& sink) {
  check_memory(recipe, outcome, options, sink);
  const auto failure = options.model == nullptr ? std::nullopt : failure_of(recipe, options);
  if (failure && !failure->help.empty())
    sink.report(diag::model_not_quantized, {}, failure->why).with_help(std::string(failure->help));
  if (options.model == nullptr || !recipe.units.empty()) return;
  check_tied(recipe, outcome, layers_of(recipe, options), sink);
}

std::string other_names(const ir::Recipe& recipe, const CompileOptions& options) {
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  return dialect == nullptr || dialect->other_names == nullptr ? "" : dialect->other_names(options.read);
}

// Returns the modules with their names in checkpoints.
static std::vector<model::Module> with_stored_names(const dialect::ReadOptions& options) {
  std::vector<model::Module> out = *options.modules;
  for (std::size_t at = 0; at < out.size(); ++at) out[at].name = (*options.stored_names)[at];
  return out;
}

double bits_outside(const ir::Recipe& recipe, const std::vector<model::Module>& modules,
                    const CompileOptions& options) {
  if (recipe.units.empty() || recipe.units_are_parameters) return 0;
  const double all = outcome::unquantized_bits(modules, layers_of(recipe, options));
  return std::max(0.0, all - outcome::unquantized_bits(outcome::names_of(recipe, modules), {}));
}

static std::string summary_of(const outcome::Outcome& outcome, const std::vector<model::Module>& modules,
                              const CompileOptions& options) {
  const ir::Recipe& recipe = *outcome.recipe;
  const std::vector<architecture::Layer>& layers = layers_of(recipe, options);
  const std::vector<model::Module>& names = outcome::names_of(recipe, modules);
  return outcome::summary(outcome, names, layers, bits_outside(recipe, modules, options));
}

std::string effect_of(const ir::Recipe& recipe, const outcome::Outcome* outcome, const CompileOptions& options) {
  if (options.model == nullptr || outcome == nullptr) return {};
  if (const auto failure = failure_of(recipe, options)) return failure->why;
  const std::string effect = summary_of(*outcome, *options.read.modules, options);
  const std::string why = other_names(recipe, options);
  const auto stored = [&] {
    const std::vector<model::Module> modules = with_stored_names(options.read);
    return summary_of(outcome::evaluate(recipe, modules), modules, options);
  };
  const bool known = effect.empty() || why.empty() || stored() == effect;
  if (!known) return "the quantized layers are unknown: " + why;
  const std::string memory = effect.empty() ? std::string() : memory_text(recipe, *outcome, options);
  return memory.empty() ? effect : fmt::format("{}, {}", effect, memory);
}

std::string unused_model(const ir::Recipe& recipe, const CompileOptions& options) {
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (dialect == nullptr) {
    return {};
  }
  bool parameters = false;
  bool modules = false;
  for (const ir::Action& action : recipe.actions) {
    modules = modules || !action.operations.empty();
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      parameters = parameters || selector->over != model::Selector::Over::modules;
      modules = modules || selector->over != model::Selector::Over::parameters;
    }
  }
  const std::string unknown = options.model == nullptr ? "" : names_for(options, *dialect).unknown;
  if (modules && options.modules == nullptr && !unknown.empty()) {
    return "not used, because " + unknown;
  }
  const bool used = (parameters && options.parameters != nullptr) || (modules && options.modules != nullptr);
  const bool none = !parameters && !modules;
  if (used || (none && (recipe.actions.empty() || dialect->modules))) {
    return {};
  }
  return fmt::format("not used, because {} {}", dialect->text,
                     none         ? "selects no part of a model"
                     : parameters ? "selects parameters, which are unknown"
                                  : "selects modules, which are unknown");
}

}  // namespace sparsecfg
