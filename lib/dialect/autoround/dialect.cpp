#include "dialect/dialect.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "dialect/autoround/read.h"
#include "dialect/autoround/schemes.h"
#include "dialect/autoround/table.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/program.h"
#include "doc/document.h"
#include "script/trace.h"
#include "script/value.h"

namespace sparsecfg::dialect::autoround {

constexpr std::string_view kParameters[] = {"model",   "tokenizer", "platform", "scheme",   "layer_config",
                                            "dataset", "iters",     "seqlen",   "nsamples", "batch_size"};

constexpr quantizers::Callable kCallables[] = {{"AutoRound", "auto_round", kParameters},
                                               {"AutoRoundLLM", "auto_round", kParameters},
                                               {"AutoRoundMLLM", "auto_round", kParameters},
                                               {"AutoRoundAdam", "auto_round", kParameters},
                                               {"AutoRoundCompatible", "auto_round", kParameters}};

std::span<const quantizers::Callable> callables() { return kCallables; }

// --- detection --------------------------------------------------------------------------------------

static bool claims(const doc::Document& document) {
  return quantizers::is_call(document, kCallables) || member(document, document.root, kProgram) ||
         has_quantization_of(document, "autoround");
}

// --- objects of scripts -----------------------------------------------------------------------------

static bool keeps_arguments(std::string_view path) { return path.starts_with("auto_round.") || path == ".AutoRound"; }

// An automatic scheme is a mapping whose only key is the name of the class.
static script::Ref automatic_scheme(const script::Value& value) {
  constexpr std::string_view kNames[] = {"avg_bits", "options", "shared_layers", "method", "ignore_scale_zp_bits"};
  script::Ref out = script::container(script::Value::Kind::dictionary, value.span);
  for (std::size_t at = 0; at < std::size(kNames); ++at) {
    const script::Ref argument = value.argument(kNames[at], at);
    if (argument == nullptr) continue;
    out->items.push_back(script::scalar(argument->span, std::string(kNames[at])));
    out->items.push_back(argument);
  }
  return script::container(script::Value::Kind::dictionary, value.span,
                           {script::scalar(value.span, std::string(kAutoScheme)), std::move(out)});
}

// A scheme object is the mapping of its arguments.
static script::Ref plain(const script::Value& value) {
  const bool automatic = value.kind == script::Value::Kind::object && base::last_part(value.path) == kAutoScheme;
  if (automatic && value.items.size() >= value.names.size() && !value.open && value.argument("**") == nullptr)
    return automatic_scheme(value);
  const bool scheme = value.kind == script::Value::Kind::object &&
                      base::last_part(value.path) == "QuantizationScheme" && value.items.size() == value.names.size() &&
                      !value.open;
  if (!scheme) return nullptr;
  script::Ref out = script::container(script::Value::Kind::dictionary, value.span);
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    out->items.push_back(script::scalar(value.names[at].span, value.names[at].value));
    out->items.push_back(value.items[at]);
  }
  return out;
}

// Returns a call of a method as a list of its name, and of the format if it is known.
static script::Ref method_call(const script::Value& call) {
  const std::string name = call.path.substr(1);
  const std::size_t position = name == "quantize" ? 0 : 1;
  const script::Ref format = position == 0 ? nullptr : call.argument("format", position);
  const bool stated = format != nullptr && !script::is_none(*format);
  const bool known =
      !call.open && call.argument("**") == nullptr && (!stated || script::whole_string(format) != nullptr);
  script::Ref out =
      script::container(script::Value::Kind::list, call.name_span, {script::scalar(call.name_span, name)});
  if (known) out->items.push_back(stated ? format : script::scalar(call.name_span, std::monostate()));
  return out;
}

// Returns the list of a call that may call the methods of an object. It has an empty name.
static script::Ref unnamed_call(source::Span span) {
  return script::container(script::Value::Kind::list, span, {script::scalar(span, std::string())});
}

// Returns the calls that quantize and save the model of an object. A call that receives the object has an empty name.
static script::Ref program_around(const script::Trace& trace, const script::Ref& object) {
  constexpr std::string_view kNames[] = {"quantize", "quantize_and_save", "save_quantized"};
  constexpr std::size_t kMostCalls = 2000;  // that are searched for each object
  script::Ref out = script::container(script::Value::Kind::list, object->span);
  if (trace.objects.size() > kMostCalls) {
    out->items.push_back(unnamed_call(object->span));
    return out;
  }
  for (const script::Ref& call : trace.objects) {
    const auto is = [&](std::string_view name) { return quantizers::is_method(*call, name); };
    if (quantizers::is_of(*call, *object) && std::ranges::any_of(kNames, is)) out->items.push_back(method_call(*call));
    if (quantizers::receives(*call, *object)) out->items.push_back(unnamed_call(call->span));
  }
  return out->items.empty() ? nullptr : out;
}

constexpr std::string_view kObjectWords[] = {"AutoRound("};

constexpr ModelCall kModelCalls[] = {{"AutoRound", "auto_round", {"model", 0}},
                                     {"AutoRoundLLM", "auto_round", {"model", 0}},
                                     {"AutoRoundMLLM", "auto_round", {"model", 0}},
                                     {"AutoRoundAdam", "auto_round", {"model", 0}},
                                     {"AutoRoundCompatible", "auto_round", {"model", 0}}};

constexpr Objects kObjects = [] {
  Objects out = quantizers::objects_of_calls<kCallables, plain>(kObjectWords, keeps_arguments, kModelCalls);
  out.check_script = check_script;
  out.program = program_around;
  return out;
}();

// Returns the formats of the presets, in the order of their names.
static const std::vector<std::string>& preset_texts() {
  static const auto texts = [] {
    std::vector<std::string> out;
    for (const std::string_view name : preset_names()) {
      const ir::Scheme scheme = scheme_of(preset(name).value_or(Fields()));
      out.push_back(scheme.is_empty() ? "The layers stay in 16 bits." : ir::describe(scheme));
    }
    return out;
  }();
  return texts;
}

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes()) pages.push_back(page_of(*spec, "AutoRound"));
  Page presets{"presets", "", "AutoRound", "Values of `scheme`, in any letter case.", {}, true};
  for (std::size_t at = 0; at < preset_names().size(); ++at) {
    presets.fields.push_back({preset_names()[at], preset_texts()[at], {}});
  }
  pages.push_back(std::move(presets));
  return pages;
}

constexpr std::string_view kWords[] = {"auto_round", "AutoRound(", "\"quant_method\": \"auto-round\""};

constexpr std::string_view kServedBy[] = {"vllm", "sglang"};

const Dialect kDialect{
    .name{"autoround"},
    .title = "AutoRound",
    .text = "a configuration of AutoRound",
    .claims = claims,
    .words = kWords,
    .scripts = true,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .maintained = true,
    .trains = false,
    .options = kReaderOptions,
    .runtimes = {.programs = kServedBy},
    .remedies = {.pattern_prefix = ""},
    .module = "auto_round",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::autoround
