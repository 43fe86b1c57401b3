#include "dialect/compressed_tensors/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/runtime_targets.h"
#include "dialect/compressed_tensors/weights.h"
#include "dialect/record/check.h"
#include "dialect/runtime_option.h"
#include "dialect/schemes/operations.h"
#include "dialect/schemes/schemes.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "model/folder_weights.h"

namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

DIAGNOSTIC(CT101, no_quantization_config, error, (), "the file lacks the key `quantization_config`",
           "transformers, vLLM and SGLang read the key `quantization_config` of a `config.json`. Without this key, "
           "they load the model without quantization. Older releases wrote the key `compression_config`, which "
           "current releases ignore.",
           "rename the key of the mapping that contains `config_groups` to `quantization_config`")

DIAGNOSTIC(CT107, method_with_underscore, error, (Text), "{} does not know the method `compressed_tensors`",
           "Only vLLM replaces the underscore. transformers ignores a method that it does not know, and loads the "
           "stored weights without quantization. SGLang stops.",
           "write `compressed-tensors`")

// Reports a name of the method that the selected program does not know.
static void check_method(const Record& record, const ReadOptions& options, diag::Sink& sink) {
  const std::string_view program = runtime_name(options);
  const Field* method = record.find("quant_method");
  const auto* name = method == nullptr ? nullptr : method->value.get<std::string>();
  if (name == nullptr || *name != "compressed_tensors") return;
  if (program != "sglang" && program != "transformers") return;
  sink.report(diag::method_with_underscore, method->value.span, title_of_program(program))
      .with_fix(diag::Fix::safe().content(method->value.span, "compressed-tensors"));
}

static void report_absent(const doc::Document& document, diag::Sink& sink) {
  const auto old = find_old_key(document);
  auto& report = sink.report(diag::no_quantization_config, document[old.value_or(document.root)].span);
  if (old) {
    report.with_help("rename `compression_config` to `quantization_config`")
        .with_fix(diag::Fix::unsafe().content(document[*old].span, "quantization_config"));
  }
}

// Returns the tensors of the weights in the folder of a `config.json`, or null if they are not known. Reports weights
// that are not read because of a limit.
static std::shared_ptr<const model::ModelNames> weights_beside(const source::SourceFile& file,
                                                               model::FolderWeights& weights, source::Span place,
                                                               diag::Sink& sink) {
  constexpr std::string_view kName = "config.json";
  if (file.name() != kName && !file.name().ends_with("/config.json")) {
    return nullptr;
  }
  const auto [names, refusal] = weights.beside(file.name());
  if (!refusal.empty()) {
    sink.report(diag::limits_exceeded, place, "the file is not compared with the weights in its folder: " + refusal)
        .with_severity(diag::Severity::warning)
        .with_help("pass the weights with `--params`");
  }
  return names;
}

// Returns the groups as one action, which replaces all others.
static ir::Action action_of(const Config& config, const Modules* modules, bool valid) {
  const auto cache = config.cache == nullptr ? std::nullopt : std::optional(config.cache->span);
  ir::Action action{schemes::quantize(config.plain_groups(), config.ignore, config.record.key, modules, cache),
                    ir::Cadence{},
                    {"QuantizationConfig", 1, {}, {}, config.record.key, {}},
                    valid,
                    false};
  for (const Field& field : config.record.fields) {
    action.origin.fields.push_back({field.name, field.key, field.value, false});
  }
  if (valid) action.operations = schemes::scheme_operations(action.origin, {});
  return action;
}

// Runs the checks that depend on the layers.
static void check_layers(const Context& context, Config& config, const doc::Document& document, std::size_t before) {
  check_loading(context, config);
  check_applying(context, config);
  if (context.choice.runtime != Runtime::library || context.sink.count(diag::Severity::error) == before) {
    check_serving(context, config);
    if (context.modules == nullptr) check_tied(context, config, document);
  }
}

// Returns the first error of a file; empty without one.
static std::string first_error(const Context& context, Config config, const doc::Document& document) {
  diag::Sink sink(true);
  check_layers(Context{context.file, sink, context.modules, context.choice}, config, document, 0);
  for (const diag::Diagnostic& each : sink.take()) {
    if (each.severity == diag::Severity::error) return each.message;
  }
  return {};
}

// Checks the layers as if a list under an unknown key were read, so that its consequences are no findings of their own.
static void check_as_meant(const Context& context, const Config& config, Config& meant, const UnreadList& unread,
                           const doc::Document& document, std::size_t before) {
  const std::string error = first_error(context, config, document);
  const bool same = !error.empty() && first_error(context, meant, document) == error;
  report_unread_list(context, unread, same ? std::string() : error);
  check_layers(context, meant, document, before + (same || error.empty() ? 0 : 1));
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  doc::check_json(source.file, sink);
  ir::Recipe recipe{"compressed-tensors", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  recipe.is_result = true;
  const auto node = find_config(source.document);
  if (!node) {
    report_absent(source.document, sink);
    return recipe;
  }
  const Value value = doc::construct(source.document, *node, sink);
  const auto* map = value.get<source::Map>();
  if (map == nullptr) {
    sink.report(diag::wrong_type, value.span, "quantization_config", "a mapping of fields", source::describe(value))
        .with_help("write a mapping with `config_groups`");
    return recipe;
  }
  const std::size_t before = sink.count(diag::Severity::error);
  Record record{&config_table(), {value.span.begin, value.span.begin + 1}, fields_of(*map), true, {}, {}, 1};
  check_method(record, options, sink);
  const RuntimeChoice choice = runtime_of(options);
  Context context{source.file, sink, options.modules.get(), choice};
  check_keys(context, record);
  Config config = config_of(std::move(record));
  context.modules = modules_for(config, context.modules, sink);
  Config meant = config;
  if (const auto unread = unread_list(context, config.record)) {
    meant.ignore = unread->entries;
    check_as_meant(context, config, meant, *unread, source.document, before);
  } else {
    check_layers(context, config, source.document, before);
  }
  model::FolderWeights unshared;
  model::FolderWeights& weights = options.folder_weights != nullptr ? *options.folder_weights : unshared;
  const auto beside =
      options.parameters == nullptr ? weights_beside(source.file, weights, config.record.key, sink) : nullptr;
  const model::ModelNames* tensors = beside != nullptr ? beside.get() : options.parameters;
  if (tensors != nullptr && sink.count(diag::Severity::error) == before) check_weights(context, meant, *tensors);
  recipe.actions.push_back(action_of(config, context.modules, sink.count(diag::Severity::error) == before));
  return recipe;
}

}  // namespace sparsecfg::dialect::compressed_tensors
