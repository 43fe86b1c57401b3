#include "dialect/dialect.h"

#include "base/text.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers.h"
#include "dialect/quantizers/calls.h"
#include "dialect/torchao/program.h"
#include "dialect/torchao/read.h"
#include "dialect/torchao/table.h"
#include "doc/document.h"
#include "script/value.h"

namespace sparsecfg::dialect::torchao {

constexpr std::string_view kParameters[] = {"model", "config", "filter_fn", "device"};
constexpr std::string_view kConfigParameters[] = {"quant_type", "modules_to_not_convert",
                                                  "include_input_output_embeddings", "untie_embedding_weights"};

constexpr quantizers::Callable kCallables[] = {{"quantize_", "torchao", kParameters},
                                               {"TorchAoConfig", "transformers", kConfigParameters},
                                               {"TorchAoConfig", "diffusers", kConfigParameters}};

std::span<const quantizers::Callable> callables() { return kCallables; }

// --- detection --------------------------------------------------------------------------------------

static bool claims(const doc::Document& document) {
  return quantizers::is_call(document, kCallables) || has_quantization_of(document, "torchao");
}

// --- objects of scripts -----------------------------------------------------------------------------

static bool keeps_arguments(std::string_view path) {
  return path.starts_with("torchao.") || path == ".quantize_" || path == "torch.compile" ||
         path == "transformers.TorchAoConfig" || path == "diffusers.TorchAoConfig" ||
         (path.starts_with('.') && path.ends_with("Config"));
}

// Writes values in the form of torchao.
class Serializer {
 public:
  explicit Serializer(source::Span span)
      : span_(span), out_(script::container(script::Value::Kind::dictionary, span)) {}

  Serializer& put(std::string_view key, script::Ref value, source::Span key_span) {
    out_->items.push_back(script::scalar(key_span, std::string(key)));
    out_->items.push_back(std::move(value));
    return *this;
  }

  Serializer& put(std::string_view key, source::Value::Data data) {
    return put(key, script::scalar(span_, std::move(data)), span_);
  }

  [[nodiscard]] script::Ref take() { return std::move(out_); }

 private:
  source::Span span_;
  script::Ref out_;
};

static script::Ref typed(std::string_view type, std::int64_t version, script::Ref data, source::Span span) {
  Serializer out(span);
  out.put("_type", std::string(type));
  if (version > 0) out.put("_version", version);
  return out.put("_data", std::move(data), span).take();
}

constexpr std::string_view kEnums[] = {"MappingType",
                                       "KernelPreference",
                                       "Float8PackingFormat",
                                       "Int4PackingFormat",
                                       "Int4ChooseQParamsAlgorithm",
                                       "IntxPackingFormat",
                                       "IntxChooseQParamsAlgorithm",
                                       "ScaleCalculationMode",
                                       "QuantizationStep",
                                       "QATStep"};

// Types of torch, and members of enums.
static script::Ref serialized_name(const script::Value& value) {
  const std::string_view name = base::last_part(value.path);
  const std::string_view before =
      std::string_view(value.path).substr(0, value.path.size() - std::min(value.path.size(), name.size() + 1));
  const std::string_view owner = base::last_part(before);
  if (value.path.starts_with("torchao.") && find_class(name) != nullptr) {  // a class without a call
    return script::scalar(value.span, std::string(name));
  }
  const bool known = owner == "torch" || base::contains(kEnums, owner);
  return known ? typed(owner == "torch" ? "torch.dtype" : owner, 0, script::scalar(value.span, std::string(name)),
                       value.span)
               : nullptr;
}

// Returns the names of the first parameters of a class.
static std::vector<std::string_view> parameters_of(std::string_view name) {
  if (name == "PerGroup") return {"group_size"};
  if (name == "PerAxis") return {"axis"};
  if (name == "PerRow") return {"dim"};
  if (name == "PerBlock") return {"block_size"};
  if (name == "FqnToConfig") return {"fqn_to_config"};
  if (name == "ModuleFqnToConfig" || name == "AOPerModuleConfig") return {"module_fqn_to_config"};
  std::vector<std::string_view> out;
  const ClassSpec* spec = find_class(name);
  for (std::size_t at = 0; spec != nullptr && at < spec->fields.size(); ++at) out.push_back(spec->fields[at].name);
  return out;
}

static script::Ref serialized_object(const script::Value& value) {
  const std::string_view name = base::last_part(value.path);
  if (name == "config_from_dict") return value.items.size() == 1 ? value.items.front() : nullptr;
  // Classes of prototypes can be applied, although their files cannot be read.
  const bool removed = value.imported && value.path.starts_with("torchao.") && is_removed(name) &&
                       value.path.find(".prototype.") == std::string::npos;
  const ClassSpec* spec = find_class(name);
  const bool part = name.starts_with("Per") || name == "Float8MMConfig" || name == "FqnToConfig" ||
                    name == "ModuleFqnToConfig" || name == "AOPerModuleConfig";
  if ((!removed && spec == nullptr && !part) || value.open) return nullptr;
  const std::vector<std::string_view> parameters = parameters_of(name);
  const std::size_t positional = value.items.size() - value.names.size();
  if (positional > parameters.size() && (spec != nullptr || part)) return nullptr;
  Serializer data(value.span);
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    if (at < positional && at >= parameters.size()) continue;
    const bool by_name = at >= positional;
    data.put(by_name ? std::string_view(value.names[at - positional].value) : parameters[at], value.items[at],
             by_name ? value.names[at - positional].span : value.items[at]->span);
  }
  return typed(name, spec == nullptr ? 1 : static_cast<std::int64_t>(spec->flags), data.take(), value.span);
}

static script::Ref plain(const script::Value& value) {
  return value.kind == script::Value::Kind::name     ? serialized_name(value)
         : value.kind == script::Value::Kind::object ? serialized_object(value)
                                                     : nullptr;
}

constexpr std::string_view kObjectWords[] = {"quantize_(", "TorchAoConfig("};

constexpr Parameter kConfig{"quantization_config", 1};
constexpr ModelCall kModelCalls[] = {{"quantize_", "torchao", {"model", 0}},
                                     {"from_pretrained", "transformers", {}, kConfig},
                                     {"from_pretrained", "diffusers", {}, kConfig}};

constexpr Objects kObjects = [] {
  Objects out = quantizers::objects_of_calls<kCallables, plain>(kObjectWords, keeps_arguments, kModelCalls);
  out.program = program_around;
  return out;
}();

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes())
    pages.push_back(page_of(*spec, spec == &kTorchAoConfig ? "transformers" : "torchao"));
  return pages;
}

constexpr std::string_view kWords[] = {"torchao", "TorchAoConfig(", "\"quant_method\": \"torchao\""};

constexpr std::string_view kServedBy[] = {"vllm"};

const Dialect kDialect{
    .name{"torchao"},
    .title = "torchao",
    .text = "a configuration of torchao",
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
    .runtimes = {.programs = kServedBy, .kernels = true},
    .module = "torchao",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::torchao
