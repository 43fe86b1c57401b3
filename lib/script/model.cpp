#include "script/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "script/interpreter.h"
#include "script/network.h"

// Models: objects that `from_pretrained` returns. They stay known as long as only code runs that keeps their modules.
namespace sparsecfg::script {

using Kind = Value::Kind;

static constexpr std::string_view kLoad = ".from_pretrained";
static constexpr std::string_view kNetworks = "torchvision.models.";
static constexpr int kMaxPassed = 8;  // calls that pass a model on

// Libraries whose classes load models of transformers.
static constexpr std::string_view kLibraries[] = {"transformers.", "llmcompressor.", "sparseml.", "modelscope."};

// Functions that return their argument `model`, or the model that they load from it.
static constexpr std::string_view kReturnModel[] = {
    "llmcompressor.oneshot",
    "llmcompressor.transformers.oneshot",
    "llmcompressor.entrypoints.oneshot",
    "llmcompressor.modeling.replace_modules_for_calibration",
    "llmcompressor.modeling.prepare_for_calibration",
    "llmcompressor.modeling.prepare.replace_modules_for_calibration",
    "llmcompressor.modeling.prepare.prepare_for_calibration",
    "llmcompressor.utils.dispatch_for_generation",
    "llmcompressor.utils.dev.dispatch_for_generation",
    "compressed_tensors.offload.dispatch_model",
    "modelopt.torch.quantization.quantize",
    "modelopt.torch.sparsity.sparsify",
    "modelopt.torch.sparsity.export",
};

// Functions that return a tuple whose first element is their argument `model`.
static constexpr std::string_view kReturnModelFirst[] = {"modelopt.torch.quantization.auto_quantize"};

// Functions that change their argument `model` in place.
static constexpr std::string_view kChangeModel[] = {"modelopt.torch.quantization.quantize",
                                                    "modelopt.torch.quantization.auto_quantize",
                                                    "modelopt.torch.quantization.set_quantizer_by_cfg",
                                                    "modelopt.torch.quantization.disable_quantizer",
                                                    "modelopt.torch.quantization.enable_quantizer",
                                                    "modelopt.torch.sparsity.sparsify",
                                                    "modelopt.torch.sparsity.export"};

// Arguments of `from_pretrained` that do not change the modules.
static constexpr std::string_view kKeepModules[] = {
    "attn_implementation",
    "cache_dir",
    "code_revision",
    "device",
    "device_map",
    "dtype",
    "force_download",
    "ignore_mismatched_sizes",
    "load_in_4bit",
    "load_in_8bit",
    "local_files_only",
    "low_cpu_mem_usage",
    "max_memory",
    "offload_buffers",
    "offload_folder",
    "offload_state_dict",
    "proxies",
    "quantization_config",
    "recipe",
    "resume_download",
    "revision",
    "token",
    "torch_dtype",
    "trust_remote_code",
    "use_auth_token",
    "use_cache",
    "use_safetensors",
    "_attn_implementation",
    "use_flash_attention_2",
    "experts_implementation",
    "config",
    "pretrained_model_name_or_path",
};

// Methods of a model that return the model.
static constexpr std::string_view kReturnSelf[] = {
    "eval", "train", "to", "cuda", "cpu", "half", "bfloat16", "float", "double", "requires_grad_", "share_memory"};

// Methods of a model that neither change its modules nor return them.
static constexpr std::string_view kKeepSelf[] = {
    "generate",
    "save_pretrained",
    "push_to_hub",
    "parameters",
    "named_parameters",
    "buffers",
    "named_buffers",
    "state_dict",
    "num_parameters",
    "get_memory_footprint",
    "forward",
    "zero_grad",
    "tie_weights",
    "gradient_checkpointing_enable",
    "gradient_checkpointing_disable",
    "enable_input_require_grads",
    "can_generate",
    "disable_input_require_grads",
    "load_state_dict",
    "register_buffer",
};

// Methods of a model that return modules of it.
static constexpr std::string_view kReturnModules[] = {"named_modules",
                                                      "modules",
                                                      "children",
                                                      "named_children",
                                                      "get_decoder",
                                                      "get_submodule",
                                                      "get_input_embeddings",
                                                      "get_output_embeddings"};

// Attributes of modules that contain no modules.
static constexpr std::string_view kPlainAttributes[] = {
    "weight",        "bias",         "in_features", "out_features",      "in_channels", "out_channels",
    "num_features",  "kernel_size",  "config",      "generation_config", "device",      "dtype",
    "hf_device_map", "name_or_path", "training",    "num_parameters"};

bool is_plain_attribute(std::string_view name) { return base::contains(kPlainAttributes, name); }

static bool is_load(const Value& value) { return value.path.ends_with(kLoad); }

// Returns true for a class of a library. Documents leave imports out.
static bool is_of_library(const Value& value) {
  const auto begins = [&](std::string_view root) { return value.path.starts_with(root); };
  return value.imported ? std::ranges::any_of(kLibraries, begins)
                        : value.path.starts_with("Auto") && value.path.find('.') + kLoad.size() == value.path.size();
}

// Returns true for a function of torchvision that constructs a network, such as `torchvision.models.resnet50`.
static bool builds_network(const Value& value) {
  return value.imported && value.path.starts_with(kNetworks) &&
         value.path.find('.', kNetworks.size()) == std::string::npos;
}

static bool returns_model(const Value& value) { return value.imported && base::contains(kReturnModel, value.path); }

static std::string_view class_in(const Value& call) {
  return base::last_part(std::string_view(call.path).substr(0, call.path.size() - kLoad.size()));
}

static bool is_model_class(std::string_view name) {
  static constexpr std::string_view kOthers[] = {"Tokenizer", "TokenizerFast", "Processor",
                                                 "Config",    "Extractor",     "Pipeline"};
  return std::ranges::none_of(kOthers, [&](std::string_view ending) { return name.ends_with(ending); });
}

static bool is_config(const Value& value) {
  return value.kind == Kind::object && is_load(value) && class_in(value).ends_with("Config");
}

bool is_model(const Value& value) {
  return value.kind == Kind::object && ((is_load(value) && is_model_class(class_in(value))) || returns_model(value) ||
                                        builds_network(value) || is_network(value));
}

bool is_model_or_config(const Value& value) { return is_model(value) || is_config(value); }

bool is_under_construction(const Value& value) {
  return value.kind == Kind::instance && value.owner != nullptr && value.owner->role == Value::Role::network;
}

bool is_part_of_model(const Value& value) {
  return value.kind == Kind::unknown && !value.items.empty() && std::ranges::all_of(value.items, [](const Ref& item) {
           return is_model_or_config(*item) || is_under_construction(*item);
         });
}

bool loads_model(const Value& callee) {
  const bool loads = is_load(callee) && is_of_library(callee);
  return callee.kind == Kind::name && (loads || builds_network(callee));
}

static Model unknown_model(std::string why, source::Span cause) {
  Model out;
  out.why = std::move(why);
  out.cause = cause;
  return out;
}

// The reason of the value itself, if it has one.
static Model unknown_model(const Value& value, std::string_view why) {
  const bool has_reason = value.kind == Kind::unknown || value.kind == Kind::object || value.kind == Kind::name ||
                          value.open || value.escaped;
  return value.text.empty() || !has_reason ? unknown_model(std::string(why), value.span)
                                           : unknown_model(value.text, value.why.empty() ? value.span : value.why);
}

static Model model_in_string(const Value& value) {
  const bool here = value.path == "here";
  if (here || !value.is_whole() || value.string()->empty()) {
    const auto hole = std::ranges::find_if(value.pieces, &Piece::hole);
    return unknown_model(here                      ? "its folder is relative to the script"
                         : value.string()->empty() ? "its id is empty"
                                                   : "a part of its id is unknown",
                         hole == value.pieces.end() ? value.span : hole->span);
  }
  Model out;
  out.id = *value.string();
  out.assumed = value.assumed;
  return out;
}

// An id, or a folder as `pathlib.Path`.
static Model id_in(const Value& value) {
  if (value.string() != nullptr) return model_in_string(value);
  const bool path = value.kind == Kind::object && value.path == "pathlib.Path" && value.items.size() == 1 &&
                    !value.open && !value.escaped && value.items.front()->string() != nullptr;
  if (path) return model_in_string(*value.items.front());
  if (!value.assumed.empty())
    return unknown_model(fmt::format("it depends on the option `{}`", value.assumed), value.span);
  return unknown_model(value, "its id is not a string");
}

// Returns the first argument of a call or the argument of a name; null if the call has neither.
static const Value* first_argument(const Value& call, std::string_view name) {
  if (call.items.size() > call.names.size()) return call.items.front().get();
  const Ref named = call.argument(name);
  return named.get();
}

// Returns the argument that may change the modules; null if there is none. `id`: of the model.
static const source::Located<std::string>* changing_argument(const Value& call, const std::string& id) {
  for (const auto& name : call.names) {
    if (!base::contains(kKeepModules, name.value)) return &name;
    const Ref value = call.argument(name.value);
    if (name.value != "config" || (value->kind == Kind::scalar && value->string() == nullptr)) continue;
    const Value* from = is_config(*value) && !value->open && !value->escaped
                            ? first_argument(*value, "pretrained_model_name_or_path")
                            : nullptr;
    const bool same = from != nullptr && id_in(*from).id == id && changing_argument(*value, id) == nullptr;
    if (!same) return &name;
  }
  return nullptr;
}

static bool is_flag_set(const Value& call, std::string_view name) {
  const Ref value = call.argument(name);
  const auto* flag = value == nullptr || value->kind != Kind::scalar ? nullptr : std::get_if<bool>(&value->data);
  return value != nullptr && (flag == nullptr || *flag);
}

static Model loaded_model(const Value& call) {
  const std::string_view loader = class_in(call);
  if (!is_of_library(call) || !is_model_class(loader)) {
    return unknown_model(fmt::format("`{}` is not a model class of transformers", loader), call.span);
  }
  const Value* source = first_argument(call, "pretrained_model_name_or_path");
  if (source == nullptr) return unknown_model("its id is unknown", call.span);
  Model out = id_in(*source);
  if (out.id.empty()) return out;
  if (const auto* changing = changing_argument(call, out.id)) {
    const Ref value = call.argument(changing->value);
    return changing->value == "**"
               ? unknown_model(*value, "an argument is unknown")
               : unknown_model(fmt::format("the argument `{}` can change its modules", changing->value),
                               changing->span);
  }
  out.loader = loader;
  out.load = call.span;
  out.remote = loader.starts_with("Auto") && is_flag_set(call, "trust_remote_code");
  return out;
}

// Returns the number of classes as the end of an id: ":10". Empty without the argument, nullopt if it is not known.
static std::optional<std::string> classes_in(const Value& call) {
  const Ref value = call.argument("num_classes");
  if (value == nullptr) return std::string();
  const auto* number = value->kind == Kind::scalar ? std::get_if<std::int64_t>(&value->data) : nullptr;
  return number == nullptr || *number <= 0 ? std::nullopt : std::optional(fmt::format(":{}", *number));
}

// Returns the network of a call such as `resnet50(weights=..., num_classes=10)`. Other arguments change its layers.
static Model built_network(const Value& call) {
  static constexpr std::string_view kWeights[] = {"weights", "pretrained", "progress"};
  const bool by_name = call.path == std::string(kNetworks) + "get_model";
  const Value* name = by_name ? first_argument(call, "name") : nullptr;
  if (by_name && (name == nullptr || name->string() == nullptr || !name->is_whole()))
    return unknown_model("the name of the network is unknown", call.span);
  for (const auto& each : call.names) {
    const bool known = base::contains(kWeights, each.value) || (by_name && each.value == "name") ||
                       (each.value == "num_classes" && classes_in(call));
    if (known) continue;
    return unknown_model(fmt::format("the argument `{}` can change its layers", each.value), each.span);
  }
  Model out;
  out.id = fmt::format("torchvision:{}{}", by_name ? *name->string() : call.path.substr(kNetworks.size()),
                       classes_in(call).value_or(""));
  out.load = call.span;
  return out;
}

// Returns the network that the script builds.
static Model own_network(const Value& network) {
  Network modules = modules_of(network);
  if (!modules.why.empty()) return unknown_model(std::move(modules.why), modules.cause);
  Model out;
  out.id = class_of(network);
  out.load = network.span;
  out.layers = std::move(modules.layers);
  return out;
}

static bool is_same_model(const Model& one, const Model& other) {
  return one.id == other.id && one.loader == other.loader && one.layers == other.layers;
}

static Model model_in(const Value& value, int depth = 0) {
  if (depth > kMaxPassed) return unknown_model("it is nested too deeply", value.span);
  if (!is_model(value)) {
    if (value.kind == Kind::unknown && !value.variants.empty()) {
      Model first = model_in(*value.variants.front(), depth + 1);
      const bool all = std::ranges::all_of(
          value.variants, [&](const Ref& each) { return is_same_model(model_in(*each, depth + 1), first); });
      if (all && !first.id.empty()) return first;
    }
    const bool none = value.kind == Kind::scalar && value.string() == nullptr && value.assumed.empty();
    if (none) return unknown_model("the call receives no model", value.span);
    const bool path = value.string() != nullptr || value.path == "pathlib.Path" || !value.assumed.empty();
    return path ? id_in(value) : unknown_model(value, "it is not loaded with `from_pretrained`");
  }
  if (value.open || value.escaped) return unknown_model(value, "the script can change it");
  if (is_load(value)) return loaded_model(value);
  if (builds_network(value)) return built_network(value);
  if (is_network(value)) return own_network(value);
  const Value* received = first_argument(value, "model");
  Model out = received == nullptr ? unknown_model("it is not a constant", value.span) : model_in(*received, depth + 1);
  if (!out.id.empty() && out.loader.empty()) out.loader = kDefaultLoader;
  return out;
}

std::optional<std::vector<Ref>> parts_of_result(const Ref& call) {
  const bool pair = call->kind == Kind::object && call->imported && base::contains(kReturnModelFirst, call->path);
  const Ref model = pair ? call->argument("model", 0) : nullptr;
  if (model == nullptr) return std::nullopt;
  return std::vector<Ref>{model, unknown(call->span, fmt::format("it depends on `{}(...)`", call->path))};
}

// Returns the object that a script has passed through functions that return their argument `model`.
static const Value* changed_model(const Value& call) {
  const Value* out = call.argument("model", 0).get();
  for (int depth = 0; out != nullptr && out->kind == Kind::object && returns_model(*out) && depth < kMaxPassed; ++depth)
    out = out->argument("model", 0).get();
  return out;
}

// Returns true for a value that is one of several models, of which some are changed.
static bool may_be_changed(const Value& model) {
  return model.kind == Kind::unknown && std::ranges::any_of(model.variants, [](const Ref& each) {
           return each->kind == Kind::object ? base::contains(kChangeModel, each->path) : !each->variants.empty();
         });
}

// Links a call that changes a model in place with the call before it. If that one may have been skipped, the link is
// an unknown value.
void Interpreter::follow_model(const Ref& call) {
  constexpr std::size_t kMaxCalls = 64;  // of a model
  const bool changes = call->kind == Kind::object && call->imported && base::contains(kChangeModel, call->path);
  const Value* model = changes ? changed_model(*call) : nullptr;
  if (model == nullptr || !builds(sizeof(Ref))) return;
  std::vector<Ref>& before = changed_models_[model->identity()];
  const auto last = std::find_if(before.rbegin(), before.rend(), [&](const Ref& each) {
    return !trace_.branches.exclude_each_other(each->branch, branch_);
  });
  if (may_be_changed(*model)) {
    call->owner = unknown(call->span, "an earlier call may have changed the model");
  } else if (last != before.rend()) {
    const bool certain = trace_.branches.is_within(branch_, (*last)->branch);
    call->owner = certain ? *last : unknown(call->span, "an earlier call may have changed the model");
  }
  call->branch = branch_;
  if (before.size() < kMaxCalls) before.push_back(call);
}

// Copies the model that a call receives, as it is at this time.
void Interpreter::keep_model(Value& call) {
  const std::size_t positional = call.items.size() - call.names.size();
  std::size_t place = positional > 0 ? 0 : call.items.size();
  for (std::size_t at = 0; at < call.names.size(); ++at) {
    if (call.names[at].value == "model") place = positional + at;
  }
  const bool kept = place < call.items.size() && (is_model(*call.items[place]) || !call.items[place]->variants.empty());
  if (!kept) {
    return;
  }
  Ref& model = call.items[place];
  const Ref now = copy(model, budget_, limits::kMaxScriptCopied);
  model = now != nullptr ? now : unknown(call.span, "the model is too large to follow");
}

Model model_of_call(const Value& call) {
  if (is_load(call)) {
    Model out = loaded_model(call);
    out.named = true;
    return out;
  }
  const Ref named = call.argument("model");
  if (named != nullptr) {
    Model out = model_in(*named);
    out.named = true;
    out.remote = out.remote || (out.loader.empty() && is_flag_set(call, "trust_remote_code_model"));
    return out;
  }
  if (const Ref rest = call.argument("**")) {
    Model out = unknown_model(*rest, "the arguments are unknown");
    out.named = true;
    return out;
  }
  // The only argument of `from_yaml(text)` is a recipe.
  const bool positional = call.items.size() > call.names.size();
  if (positional && (place_of_recipe(call) || is_model(*call.items.front()))) return model_in(*call.items.front());
  Model out = unknown_model("the call receives no model", call.span);
  out.named = true;
  return out;
}

Model model_of_argument(const Value& argument) {
  const Ref compiled = argument.kind == Kind::object && argument.imported && argument.path == "torch.compile"
                           ? argument.argument("model", 0)
                           : nullptr;
  if (compiled != nullptr && compiled.get() != &argument) return model_of_argument(*compiled);
  Model out = model_in(argument);
  out.named = true;
  return out;
}

// A part of a model. A change of it changes the model.
static Ref part_of(const Ref& model, source::Span span) {
  Ref out = unknown(span, "it is a part of a model");
  out->items = {model};
  return out;
}

Ref Interpreter::model_attribute(const Ref& model, const std::string& name, Span span) {
  ++risks_;
  const bool plain = !is_config(*model) && is_plain_attribute(name);
  return plain ? unknown(span, "it is an attribute of a model") : part_of(model, span);
}

// A number or flag does not change the modules of a model, but those of its configuration. None can replace a module.
void Interpreter::set_model_attribute(const Ref& model, const std::string& name, const Ref& value, Span span) {
  ++risks_;
  const bool none = is_none(*value);
  const bool resized = is_network(*model) && name == "weight" && value->kind == Kind::object;
  const bool keeps = is_config(*model) ? base::contains(kKeepModules, name)
                                       : (value->kind == Kind::scalar && !none) || is_plain_attribute(name);
  if (keeps && !resized) return;
  if (is_network(*model) && (is_network(*value) || none)) return set_listed_attribute(model, name, value, span);
  escape(value, span, "it is an attribute of a model");
  escape(model, span, fmt::format("the script sets its attribute `{}`", name));
  run_escaped(span);
}

bool is_method_of_network(std::string_view name) {
  return name == "apply" || name == "add_module" || name == "register_module" || base::contains(kReturnSelf, name) ||
         base::contains(kReturnModules, name) || base::contains(kKeepSelf, name);
}

// Returns true for a call that changes no modules: of a tensor, as `normal_`, or of a function for numbers and types.
static bool keeps_modules(const python::Node& call) {
  static constexpr std::string_view kFunctions[] = {"isinstance", "hasattr", "type", "len", "float", "int",
                                                    "max",        "min",     "sqrt", "log", "size",  "numel"};
  if (call.kind == Form::call) return base::contains(kFunctions, call.text);
  const python::Node& callee = call.parts.front();
  const bool own = callee.parts.empty() || callee.parts.front().text == "self";
  const bool in_place = callee.text.ends_with('_') && !callee.text.ends_with("__");
  return callee.kind == Form::attribute && !own && (in_place || base::contains(kFunctions, callee.text));
}

static bool keeps_all_modules(const python::Node& node) {
  const bool calls = node.kind == Form::call || node.kind == Form::call_of;
  const bool hidden = node.function != nullptr || node.kind == Form::await || node.kind == Form::yield;
  return !hidden && (!calls || keeps_modules(node)) && std::ranges::all_of(node.parts, keeps_all_modules);
}

// Returns what a statement itself changes, without those in it.
static ModuleChange own_change(const python::Statement& statement) {
  const auto is_attribute = [](const python::Node& target) { return target.kind == Form::attribute; };
  const auto is_name = [](const python::Node& target) { return target.kind == Form::name; };
  if (std::ranges::any_of(statement.targets, is_attribute)) return ModuleChange::attributes;
  const bool keeps = std::ranges::all_of(statement.targets, is_name) && keeps_all_modules(statement.value) &&
                     std::ranges::all_of(statement.values, keeps_all_modules);
  return keeps ? ModuleChange::tensors : ModuleChange::parts;
}

static ModuleChange change_in(const std::vector<python::Statement>& block) {
  ModuleChange out = ModuleChange::tensors;
  for (const python::Statement& each : block) {
    out = std::max({out, own_change(each), change_in(each.body), change_in(each.clauses), change_in(each.otherwise),
                    change_in(each.last)});
  }
  return out;
}

// Reads a function once, because loops and networks can call it often.
ModuleChange Interpreter::change_by(const Statement& function) {
  const auto [known, is_new] = module_changes_.try_emplace(&function, ModuleChange::tensors);
  if (is_new) known->second = change_in(function.body);
  return known->second;
}

// `.apply(function)` calls a function for every module. Returns null if it may change them.
Ref Interpreter::apply_to_modules(const Ref& model, const Ref& function, Span span) {
  const bool method = function->kind == Kind::method && function->items.size() > 1;
  const Ref& code = method ? function->items[1] : function;
  const bool known = code->kind == Kind::function && code->function->kind == Statement::Kind::function;
  if (!known || change_by(*code->function) != ModuleChange::tensors) return nullptr;
  escape(code, span, "`.apply(...)` calls it");
  run_escaped(span);
  ++risks_;
  return model;
}

// `.add_module(name, module)`, and `.append(module)` of a `ModuleList`. Returns null if the module is not added.
Ref Interpreter::add_to_network(const Ref& network, const std::string& name, const std::vector<Ref>& arguments,
                                Span span) {
  const bool appends =
      name == "append" && arguments.size() == 1 && class_of(*network) == "ModuleList" && network->names.empty();
  const bool adds =
      name != "append" && arguments.size() == 2 && arguments[0]->string() != nullptr && arguments[0]->is_whole();
  if ((!appends && !adds) || !builds(sizeof(Value) + sizeof(Ref)) || !heap_.change(network)) return nullptr;
  ++risks_;
  if (adds) {
    set_argument(*network, *arguments[0]->string(), span, arguments[1]);
    return scalar(span, std::monostate());
  }
  if (network->items.empty()) network->items.push_back(made(container(Kind::list, span)));
  const Ref& list = network->items.front();
  if (list->kind != Kind::list || !heap_.change(list)) return nullptr;
  list->items.push_back(arguments[0]);
  return network;
}

// Returns true if the class of a network, or of a module in it, defines a method itself, and it may set attributes.
bool Interpreter::overrides(const Value& network, const std::string& name, int depth) {
  constexpr int kMaxDepth = 16;
  if (depth > kMaxDepth || !budget_.spend()) return true;
  const bool own = network.owner != nullptr && network.owner->role == Value::Role::network;
  const Ref method = own ? type_attribute(network.owner, name) : nullptr;
  const bool keeps = method == nullptr || (name == "forward" && method->kind == Kind::function &&
                                           change_by(*method->function) != ModuleChange::attributes);
  return !keeps || std::ranges::any_of(network.items, [&](const Ref& item) {
    return is_network(*item) && overrides(*item, name, depth + 1);
  });
}

// Records `model.name(...)`, which keeps the modules: a conversion, or a place where the model is saved.
void Interpreter::record_method(const Ref& model, const std::string& name, const Arguments& arguments, Span span) {
  Value callee;
  callee.path = "." + name;
  callee.owner = model;
  callee.span = span;
  record(object_of(callee, arguments, span));
}

// Returns null for a method that may change the modules.
Ref Interpreter::model_method(const Ref& model, const std::string& name, const Arguments& arguments, Span span) {
  const std::vector<Ref> given = arguments.is_open() ? std::vector<Ref>() : arguments.all();
  if (is_network(*model) && overrides(*model, name)) return nullptr;
  const bool grows = is_network(*model) || is_under_construction(*model);
  if (grows && (name == "add_module" || name == "register_module" || name == "append"))
    return add_to_network(model, name, given, span);
  if (grows && name == "apply") return given.size() == 1 ? apply_to_modules(model, given.front(), span) : nullptr;
  const bool self = base::contains(kReturnSelf, name);
  const bool modules = base::contains(kReturnModules, name);
  if (!self && !modules && !base::contains(kKeepSelf, name)) {
    return nullptr;
  }
  ++risks_;
  record_method(model, name, arguments, span);
  for (const Ref& argument : arguments.all()) {
    if (argument != model) escape(argument, span, fmt::format("`.{}(...)` can change it", name));
  }
  run_escaped(span);
  return self ? model : modules ? part_of(model, span) : unknown(span, "it is a result of a model");
}

}  // namespace sparsecfg::script
