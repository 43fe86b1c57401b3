#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/quantizers/data_sets.h"
#include "script/trace.h"

namespace sparsecfg::dialect::llmcompressor {

using script::Ref;
using Form = script::Value::Kind;

static bool is_ours(std::string_view path) {
  return path.starts_with("llmcompressor.") || path.starts_with("compressed_tensors.");
}

static bool is_model_free(const script::Value& object) {
  return object.kind == Form::object && base::last_part(object.path) == kModelFreeName &&
         (object.imported ? is_ours(object.path) : object.path == kModelFreeName);
}

// A class that no import names is ours if the table has it: documents often leave imports out.
static bool makes(const script::Value& object) {
  const std::string_view name = base::last_part(object.path);
  if (is_model_free(object)) return true;
  return object.kind == Form::object && name.ends_with(stages::kModifierEnd) &&
         (object.imported ? object.path.starts_with("llmcompressor.")
                          : name == object.path && table().find(name) != nullptr);
}

static constexpr std::string_view kRecords[] = {"AWQMapping",       "LayerMap",           "NormMapping",
                                                "QuantizationArgs", "QuantizationScheme", "SpinQuantMapping",
                                                "TransformArgs",    "TransformConfig",    "TransformScheme"};

// Classes of trainers with an argument `recipe` derive from those of transformers and TRL.
static constexpr RecipeCall kCalls[] = {
    {"oneshot", Runner::one_shot},
    {"Oneshot", Runner::one_shot},
    {"train", Runner::training},
    {"Trainer", Runner::training, true},
};

// Without imports, any code may have a function `train`.
static bool keeps_arguments(std::string_view path) {
  const std::string_view name = base::last_part(path);
  if (!path.starts_with('.')) {
    return is_ours(path);
  }
  const RecipeCall* call = find_call(kCalls, name);
  return name.size() + 1 == path.size() &&
         (base::contains(kRecords, name) || (call != nullptr && call->runner == Runner::one_shot) ||
          table().find(name) != nullptr);
}

// The parameters of `model_free_ptq`, in order. Those without a field do not change what is quantized.
struct FunctionParameter {
  std::string_view name;
  std::string_view field;
};

static constexpr FunctionParameter kModelFreeParameters[] = {
    {"model_stub", {}},   {"save_directory", {}}, {"scheme", "scheme"}, {"config", {}},
    {"ignore", "ignore"}, {"max_workers", {}},    {"device", {}},       {"converter", {}},
};

// A scheme object becomes the only group.
static Ref group_of(const Ref& scheme) {
  return script::container(Form::dictionary, scheme->span,
                           {script::scalar(scheme->span, std::string("config_group_0")), scheme});
}

static void put(script::Value& object, std::string_view name, source::Span span, Ref value) {
  object.names.push_back({std::string(name), span});
  object.items.push_back(std::move(value));
}

// Adds the arguments of a `QuantizationConfig` that have fields.
static void put_config(script::Value& object, const script::Value& config) {
  static constexpr std::string_view kFields[] = {"config_groups", "ignore", "kv_cache_scheme"};
  const std::size_t positional = config.items.size() - config.names.size();
  for (std::size_t at = 0; at < config.names.size(); ++at) {
    const source::Located<std::string>& name = config.names[at];
    if (base::contains(kFields, name.value)) put(object, name.value, name.span, config.items[positional + at]);
  }
}

// Returns the call with the fields of its row as arguments.
static Ref with_fields(const script::Value& call) {
  auto out = std::make_shared<script::Value>(call);
  out->names.clear();
  out->items.clear();
  for (std::size_t at = 0; at < std::size(kModelFreeParameters); ++at) {
    const FunctionParameter& parameter = kModelFreeParameters[at];
    const Ref value = call.argument(parameter.name, at);
    if (value == nullptr) continue;
    const bool is_config = parameter.name == "config" && value->kind == Form::object;
    const bool is_scheme = parameter.name == "scheme" && value->string() == nullptr && value->kind != Form::scalar;
    if (is_config) put_config(*out, *value);
    if (is_scheme) put(*out, "config_groups", value->span, value->kind == Form::unknown ? value : group_of(value));
    if (!is_config && !is_scheme && !parameter.field.empty()) put(*out, parameter.field, value->span, value);
  }
  return out;
}

static void mark_constructed(script::Value& value, std::set<const script::Value*>& seen, int depth = 0) {
  constexpr int kMaxDepth = 6;
  value.constructed = value.kind == Form::dictionary;
  if (depth > kMaxDepth || !seen.insert(&value).second) return;
  for (const Ref& item : value.items) mark_constructed(*item, seen, depth + 1);
}

// Returns true for an argument of the old `AWQModifier` that belongs to a QuantizationModifier since 0.11.
static bool is_moved(std::string_view argument) { return is_moved_field(*table().find("AWQModifier"), argument); }

// Until 0.10, `AWQModifier` also quantizes. Since 0.11, its old import is a function that returns two modifiers. A
// document that leaves imports out means this function if it passes arguments that only the function accepts.
static bool is_function_for_two(const script::Value& object) {
  const bool of_both = std::ranges::any_of(object.names, [](const auto& name) { return is_moved(name.value); });
  return base::last_part(object.path) == "AWQModifier" &&
         (object.path.starts_with("llmcompressor.modifiers.awq.") || (!object.imported && of_both));
}

static std::vector<Ref> elements(const Ref& object, const ReadOptions& options, base::Budget& budget) {
  if (is_model_free(*object)) return {with_fields(*object)};
  if (!is_function_for_two(*object) || !is_at_least(release_of(options), Release::v0_11)) {
    return {object};
  }
  auto first = std::make_shared<script::Value>(*object);
  auto second = std::make_shared<script::Value>(*object);
  second->path = "llmcompressor.modifiers.quantization.QuantizationModifier";
  for (const Ref& part : {first, second}) {
    const std::size_t positional = object->items.size() - object->names.size();
    part->items.resize(part == first ? positional : 0);
    part->names.clear();
    for (std::size_t at = 0; at < object->names.size(); ++at) {
      if (is_moved(object->names[at].value) == (part == second)) {
        const Ref whole = script::copy(object->items[positional + at], budget, 100'000);
        part->items.push_back(whole == nullptr ? script::unknown(object->span, "it is too large") : whole);
        std::set<const script::Value*> seen;
        mark_constructed(*part->items.back(), seen);
        part->names.push_back(object->names[at]);
      }
    }
  }
  return {first, second};
}

class Dictionary {
 public:
  explicit Dictionary(source::Span span) : span_(span), out_(script::container(Form::dictionary, span)) {}

  void put(std::string_view key, source::Value::Data data) { put(key, script::scalar(span_, std::move(data))); }

  void put(std::string_view key, Ref value) {
    out_->items.push_back(script::scalar(span_, std::string(key)));
    out_->items.push_back(std::move(value));
  }

  [[nodiscard]] Ref take() { return std::move(out_); }

 private:
  source::Span span_;
  Ref out_;
};

static Ref arguments_of(const QuantizationArgs& args, source::Span span) {
  Dictionary out(span);
  out.put("num_bits", args.bits);
  out.put("type", std::string(args.is_float ? "float" : "int"));
  out.put("strategy", std::string(to_string(args.strategy)));
  out.put("symmetric", args.symmetric);
  out.put("dynamic", args.dynamic == Dynamic::local ? source::Value::Data(std::string("local"))
                                                    : source::Value::Data(args.dynamic == Dynamic::yes));
  if (args.group_size > 0) {
    out.put("group_size", args.group_size);
  }
  if (args.strategy == Strategy::block) {
    out.put("block_structure",
            script::container(Form::list, span,
                              {script::scalar(span, std::int64_t{128}), script::scalar(span, std::int64_t{128})}));
  }
  Ref arguments = out.take();
  arguments->constructed = true;
  return arguments;
}

static Ref scheme_of(const Preset& preset, source::Span span, Ref targets) {
  Dictionary out(span);
  if (targets != nullptr) out.put("targets", std::move(targets));
  if (preset.weights.present) out.put("weights", arguments_of(preset.weights, span));
  if (preset.inputs.present) out.put("input_activations", arguments_of(preset.inputs, span));
  return out.take();
}

static Ref constant(std::string_view path, source::Span span) {
  const Preset* preset =
      path.starts_with("compressed_tensors.quantization.") ? find_preset(base::last_part(path)) : nullptr;
  if (preset == nullptr || base::last_part(path) != preset->name) {
    return nullptr;
  }
  Ref out = scheme_of(*preset, span, nullptr);
  out->path = preset->name;
  return out;
}

// Enums count as strings, such as `QuantizationStrategy.GROUP`; so do the types of torch.
static Ref plain_name(const script::Value& value) {
  const std::string_view name = base::last_part(value.path);
  const std::string_view owner =
      name.size() == value.path.size()
          ? std::string_view()
          : base::last_part(std::string_view(value.path).substr(0, value.path.size() - name.size() - 1));
  static constexpr std::string_view kEnums[] = {"ActivationOrdering", "DynamicType",          "QuantizationStatus",
                                                "QuantizationType",   "QuantizationStrategy", "TransformLocation"};
  if (base::contains(kEnums, owner)) {
    return script::scalar(value.span, base::to_lower(name));
  }
  return owner == "torch" ? script::scalar(value.span, value.path) : nullptr;
}

// The dataclasses, whose arguments may be positional. They keep the lists that they get.
struct Dataclass {
  std::string_view name;
  std::array<std::string_view, 3> parameters;
};

static constexpr Dataclass kDataclasses[] = {
    {"AWQMapping", {"smooth_layer", "balance_layers", "activation_hook_target"}},
    {"LayerMap", {"balance_layers", "smooth_layers"}},
    {"NormMapping", {"norm", "linears"}},
};

static const Dataclass* find_dataclass(std::string_view path) {
  const auto* found = std::ranges::find(kDataclasses, base::last_part(path), &Dataclass::name);
  return found == std::end(kDataclasses) ? nullptr : found;
}

// Returns the names of the positional parameters of a class.
static std::vector<std::string_view> parameters_of(std::string_view name) {
  const Dataclass* const found = find_dataclass(name);
  if (found == nullptr) return {};
  std::vector<std::string_view> out(found->parameters.begin(), found->parameters.end());
  std::erase(out, std::string_view());
  return out;
}

static bool keeps_references(std::string_view path) { return find_dataclass(path) != nullptr; }

// Names the positional arguments of a dataclass.
static void name_arguments(script::Value& object) {
  const std::vector<std::string_view> parameters = parameters_of(object.path);
  const std::size_t positional = object.items.size() - object.names.size();
  if (parameters.empty() || positional > parameters.size()) return;
  std::vector<source::Located<std::string>> names;
  for (std::size_t at = 0; at < positional; ++at) {
    if (object.items[at]->kind == Form::unknown && object.open) return;
    names.push_back({std::string(parameters[at]), object.items[at]->span});
  }
  object.names.insert(object.names.begin(), names.begin(), names.end());
}

constexpr std::string_view kTargetsField = "targets";
constexpr std::string_view kModule = "compressed_tensors.quantization.";
constexpr std::string_view kSchemeClass = "QuantizationScheme";
constexpr std::string_view kArgumentsClass = "QuantizationArgs";

// `preset_name_to_scheme(name, targets)` constructs a scheme from a copy of the preset as it is now.
static void fill_preset(script::Value& object, const script::Builder& builder) {
  const std::size_t positional = object.items.size() - object.names.size();
  const Ref name = positional > 0 ? object.items[0] : object.argument("name");
  const Ref targets = positional > 1 ? object.items[1] : object.argument(kTargetsField);
  if (object.items.size() != 2 || name == nullptr || targets == nullptr) return;
  const Preset* const preset =
      name->string() == nullptr || !name->is_whole() || !name->assumed.empty() ? nullptr : find_preset(*name->string());
  const Ref known = preset == nullptr ? nullptr : builder.constant(std::string(kModule) + std::string(preset->name));
  if (known == nullptr || known->open || known->escaped) return;
  const Ref scheme = builder.copy(known);
  if (scheme->kind != Form::dictionary) return;
  if (script::find(*scheme, kTargetsField) != nullptr) return;  // an exception: `targets` is passed twice
  object.path = std::string(kModule) + std::string(kSchemeClass);
  object.items = {targets};
  object.names = {{std::string(kTargetsField), targets->span}};
  for (std::size_t at = 0; at + 1 < scheme->items.size(); at += 2) {
    object.items.push_back(scheme->items[at + 1]);
    object.names.push_back({*scheme->items[at]->string(), object.span});
  }
}

static void construct(script::Value& object, const script::Builder& builder) {
  constexpr std::string_view kPresetFunction = "preset_name_to_scheme";
  if (base::last_part(object.path) == kPresetFunction) return fill_preset(object, builder);
  name_arguments(object);
}

// How a validator changes an argument.
enum class Conversion : std::uint8_t {
  none,       // the field has the argument
  list,       // a string becomes a list with it, and a tuple a list
  arguments,  // a mapping becomes QuantizationArgs
  schemes,    // the values of a mapping become QuantizationScheme
};

struct FieldRow {
  std::string_view name;
  Conversion conversion;
};

// Fields whose values a script can read back. Other values may be converted to enums or to floats.
static constexpr FieldRow kReadFields[] = {
    {kTargetsField, Conversion::list},
    {"ignore", Conversion::list},
    {"scheme", Conversion::none},
    {"mappings", Conversion::list},
    {"config_groups", Conversion::schemes},
    {"kv_cache_scheme", Conversion::arguments},
    {"weights", Conversion::arguments},
    {"input_activations", Conversion::arguments},
    {"output_activations", Conversion::arguments},
    {"num_bits", Conversion::none},
    {"group_size", Conversion::none},
    {"block_size", Conversion::none},
    {"mask_structure", Conversion::none},
    {"observer", Conversion::none},
};

// Returns the object that a validator makes of a mapping; null if a key is unknown.
static Ref object_of_mapping(const Ref& mapping, std::string_view name) {
  if (mapping->constructed || mapping->kind != Form::dictionary) return mapping;
  if (mapping->open || mapping->escaped) return nullptr;
  auto out = std::make_shared<script::Value>();
  out->kind = Form::object;
  out->imported = true;
  out->path = std::string(kModule) + std::string(name);
  out->span = mapping->span;
  out->name_span = mapping->span;
  for (std::size_t at = 0; at + 1 < mapping->items.size(); at += 2) {
    const std::string* key = mapping->items[at]->string();
    if (key == nullptr || !mapping->items[at]->is_whole()) return nullptr;
    out->items.push_back(mapping->items[at + 1]);
    out->names.push_back({*key, mapping->items[at]->span});
  }
  return out;
}

static Ref schemes_of(const Ref& mapping) {
  if (mapping->kind != Form::dictionary) return mapping;
  if (mapping->open || mapping->escaped) return nullptr;
  Ref out = script::container(Form::dictionary, mapping->span, mapping->items);
  bool changed = false;
  for (std::size_t at = 1; at < out->items.size(); at += 2) {
    const Ref before = out->items[at];
    out->items[at] = object_of_mapping(before, kSchemeClass);
    if (out->items[at] == nullptr || before->kind == Form::list) return nullptr;
    changed = changed || out->items[at] != before;
  }
  return changed ? out : mapping;
}

// Returns true for the classes whose validator makes a list of a string in `targets`.
static bool lists_targets(std::string_view path) {
  const std::string_view name = base::last_part(path);
  const ClassSpec* const spec = table().find(name);
  if (spec == nullptr) return false;
  const ClassKind kind = spec->kind.as<ClassKind>();
  return kind == ClassKind::quantization || kind == ClassKind::gptq || kind == ClassKind::auto_round;
}

static Ref list_of(const Ref& value, bool lists_text) {
  if (value->string() != nullptr)
    return lists_text && value->is_whole() ? script::container(Form::list, value->span, {value}) : nullptr;
  if (value->kind == Form::tuple && !value->open) return script::container(Form::list, value->span, value->items);
  return value->kind == Form::list || value->kind == Form::scalar ? value : nullptr;
}

// Returns true for a value that every type of field keeps. A float field makes a float of an int.
static bool is_kept(const script::Value& value) {
  return value.kind == Form::object ||
         (value.kind == Form::scalar &&
          (std::holds_alternative<bool>(value.data) || std::holds_alternative<double>(value.data) ||
           std::holds_alternative<std::monostate>(value.data)));
}

static Ref field_value(std::string_view path, std::string_view field, const Ref& argument) {
  if (find_dataclass(path) != nullptr) return argument;
  const auto* const row = std::ranges::find(kReadFields, field, &FieldRow::name);
  if (row == std::end(kReadFields)) return is_kept(*argument) ? argument : nullptr;
  switch (row->conversion) {
    case Conversion::none: return argument->kind == Form::scalar ? argument : nullptr;
    case Conversion::list: return list_of(argument, field == kTargetsField && lists_targets(path));
    case Conversion::arguments: return object_of_mapping(argument, kArgumentsClass);
    case Conversion::schemes: return schemes_of(argument);
  }
  return nullptr;
}

static Ref plain(const script::Value& value) {
  if (value.kind == Form::name) {
    return plain_name(value);
  }
  const std::string_view name = base::last_part(value.path);
  const std::size_t positional = value.items.size() - value.names.size();
  if (value.path == "torch.device" && value.items.size() == 1) {
    return value.items.front();
  }
  if (name == "preset_name_to_scheme" && value.items.size() == 2) {
    const Preset* preset = value.items[0]->string() == nullptr ? nullptr : find_preset(*value.items[0]->string());
    return preset == nullptr ? nullptr : scheme_of(*preset, value.span, value.items[1]);
  }
  const bool record = value.kind == Form::object &&
                      (base::contains(kRecords, name) ||
                       (value.imported && is_ours(value.path) && name.front() >= 'A' && name.front() <= 'Z'));
  const std::vector<std::string_view> parameters = parameters_of(name);
  const bool whole =
      !value.open && std::ranges::none_of(value.names, [](const auto& each) { return each.value == "**"; });
  if (!record || !whole || positional > parameters.size()) {
    return nullptr;
  }
  Dictionary out(value.span);
  Ref result = out.take();
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    const source::Span key = at < positional ? value.items[at]->span : value.names[at - positional].span;
    result->items.push_back(
        script::scalar(key, at < positional ? std::string(parameters[at]) : value.names[at - positional].value));
    result->items.push_back(value.items[at]);
  }
  result->constructed = true;
  result->reassigned = value.reassigned;
  if (name == "AWQMapping" && script::find(*result, "activation_hook_target") == nullptr) {
    result->items.push_back(script::scalar(value.span, std::string("activation_hook_target")));
    result->items.push_back(script::scalar(value.span, std::monostate()));
  }
  return result;
}

// The argument `group` names the group of the saved recipe.
static Ref without_group(const Ref& modifier) {
  auto out = std::make_shared<script::Value>(*modifier);
  for (std::size_t at = out->names.size(); at-- > 0;) {
    if (out->names[at].value == "group") {
      out->items.erase(out->items.end() - static_cast<std::ptrdiff_t>(out->names.size() - at));
      out->names.erase(out->names.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return out;
}

// Modifiers of the same class get separate groups, because all of them run.
static doc::Document document(const std::vector<Ref>& modifiers, source::Span root, base::Budget& budget) {
  ObjectWriter writer(plain, budget);
  const source::Span begin{root.begin, root.begin};
  std::vector<doc::NodeId> groups;
  std::vector<doc::NodeId> group;
  std::set<std::string_view> classes;
  const auto close_group = [&] {
    const std::size_t number = groups.size() / 2 + 1;
    const std::string name = number == 1 ? "default_modifiers" : fmt::format("default_{}_modifiers", number);
    groups.push_back(writer.text(name, begin));
    groups.push_back(writer.mapping(std::move(group), root));
    group.clear();
    classes.clear();
  };
  for (const Ref& modifier : modifiers) {
    const std::string_view name = base::last_part(modifier->path);
    if (classes.contains(name)) close_group();
    classes.insert(name);
    group.push_back(writer.text(name, modifier->name_span));
    group.push_back(writer.arguments(*without_group(modifier)));
  }
  close_group();
  const doc::NodeId stage = writer.text("default_stage", begin);
  const doc::NodeId stages = writer.mapping(std::move(groups), root);
  return writer.take(writer.mapping({stage, stages}, root));
}

static constexpr std::string_view kObjectWords[] = {"Modifier(", "Modifier (", kModelFreeName};
static constexpr ModelCall kModelCalls[] = {{kModelFreeName, "llmcompressor", {"model_stub", 0}}};

// Modules of the other modifiers differ between releases.
static constexpr quantizers::Exported kExported[] = {{"llmcompressor.modifiers.quantization", "QuantizationModifier"}};

const Objects kObjects{kObjectWords,
                       kCalls,
                       makes,
                       elements,
                       keeps_arguments,
                       constant,
                       plain,
                       document,
                       check_elements,
                       check_script,
                       constructed_origins,
                       construct,
                       keeps_references,
                       field_value,
                       kModelCalls,
                       quantizers::keeps_dataset,
                       nullptr,
                       kExported};

}  // namespace sparsecfg::dialect::llmcompressor
