#include "dialect/checkpoint/read.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "dialect/checkpoint/base.h"
#include "dialect/checkpoint/calls.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/lower.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantization_config.h"
#include "dialect/runtime_option.h"
#include "dialect/weights_beside.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::checkpoint {

// Returns the program that the user has selected, or nullopt. Quark files are read by Quark instead of transformers.
static std::optional<Program> selected_program(const ReadOptions& options, std::string_view method) {
  const std::string_view name = runtime_name(options);
  if (name.starts_with("vllm")) return Program::vllm;
  if (name == "sglang") return Program::sglang;
  if (name == "transformers") return method == "quark" ? Program::quark : Program::transformers;
  return std::nullopt;
}

// Returns the programs whose readings are compared, the printed one first.
static std::vector<Program> programs_for(const Input& input, const std::optional<Program>& selected) {
  if (selected) return {*selected};
  std::vector<Program> out = {input.method == "quark" ? Program::quark : Program::transformers, Program::vllm};
  if (find_loading(Program::sglang, input.method.value_or("")) != nullptr) out.push_back(Program::sglang);
  return out;
}

// Returns the type of the parameters in a `config.json`, whose key was `torch_dtype` before transformers 4.56.
static source::Located<std::string> type_of_parameters(const doc::Document& document) {
  for (const std::string_view name : {"dtype", "torch_dtype"}) {
    const auto found = member(document, document.root, name);
    if (!found) continue;
    const doc::Node& node = document[document.resolve(*found)];
    if (node.kind == doc::Kind::scalar) return {std::string(node.text), node.span};
  }
  return {};
}

static void check(const Context& context) {
  if (!check_config(context)) return;
  check_hardware(context);
  check_kernels(context);
  check_layers(context, check_entries(context));
}

static ir::Recipe empty_recipe() {
  ir::Recipe recipe{"checkpoint", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  return recipe;
}

// Reads a config as programs do. The recipe has the effect of the first one. `selected`: the user names the program.
static void read_by(std::span<const Program> programs, bool selected, const Input& input, source::Span key,
                    const Source& source, const ReadOptions& options, diag::Sink& sink, ir::Recipe& recipe) {
  std::vector<Reading> readings;
  SharedUnits units(input.modules, input.architecture);
  for (const Program program : programs) readings.push_back(read_as(program, input, units));
  check({sink, input, source.file, key, readings, selected, gpus_of(options), gpus_per_expert(options), gpu_of(options),
         release_of_vllm(options), options.before_transformers_5, names_release(options), options.expert_weights,
         options.loaded_model});
  lower(readings.front(), input, key, recipe);
}

// A script runs transformers, which quantizes the model with the configuration.
static ir::Recipe read_call(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  ir::Recipe recipe = empty_recipe();
  const Value root = doc::construct(source.document, source.document.root, sink);
  const auto call = config_of_call(root, doc::places_with(source.document, doc::kNotLiteralTag));
  if (!call || call->unknown) {
    recipe.incomplete = true;
    return recipe;
  }
  const Input input{
      call->config, text_of(call->config.find("quant_method")), "", options.modules.get(), nullptr, true, {}};
  const Program program = selected_program(options, "").value_or(Program::transformers);
  read_by({&program, 1}, true, input, call->name, source, options, sink, recipe);
  recipe.is_result = false;
  return recipe;
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  if (is_call(source.document)) return read_call(source, options, sink);
  doc::check_json(source.file, sink);
  ir::Recipe recipe = empty_recipe();
  const auto found = find_quantization(source.document);
  if (!found) {
    sink.report(diag::no_quant_method, source.document[source.document.root].span, "the file");
    return recipe;
  }
  const Value config = doc::construct(source.document, found->config, sink);
  const source::Span key = found->whole_file ? source::Span{config.span.begin, config.span.begin + 1} : found->key;
  const std::string architecture = architecture_of(source.document);
  std::optional<StoredModules> stored;
  const auto tensors = weights_beside(source.file, options, key, sink);
  const model::ModelNames* names = tensors != nullptr ? tensors.get() : options.parameters;
  if (names != nullptr) stored.emplace(*names);
  const Input input{
      config, text_of(config.find("quant_method")), architecture, options.modules.get(), stored ? &*stored : nullptr,
      false,  type_of_parameters(source.document)};
  const std::optional<Program> selected = selected_program(options, found->method);
  read_by(programs_for(input, selected), selected.has_value(), input, key, source, options, sink, recipe);
  return recipe;
}

}  // namespace sparsecfg::dialect::checkpoint
