#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/table.h"

namespace sparsecfg::dialect::llmcompressor {

using script::Ref;
using Form = script::Value::Kind;

static bool is_ours(std::string_view path) {
  return path.starts_with("llmcompressor.") || path.starts_with("compressed_tensors.");
}

// A class that no import names is ours if the table has it: documents often leave imports out.
static bool makes(const script::Value& object) {
  const std::string_view name = base::last_part(object.path);
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

// Returns the names of the positional parameters of a class.
static std::vector<std::string_view> parameters_of(std::string_view name) {
  if (name == "AWQMapping" || name == "LayerMap" || name == "NormMapping") {
    return name == "AWQMapping"
               ? std::vector<std::string_view>{"smooth_layer", "balance_layers", "activation_hook_target"}
           : name == "LayerMap" ? std::vector<std::string_view>{"balance_layers", "smooth_layers"}
                                : std::vector<std::string_view>{"norm", "linears"};
  }
  return {};
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

static constexpr std::string_view kObjectWords[] = {"Modifier(", "Modifier ("};

const Objects kObjects{kObjectWords, kCalls,   makes,          elements,     keeps_arguments,    constant,
                       plain,        document, check_elements, check_script, constructed_origins};

}  // namespace sparsecfg::dialect::llmcompressor
