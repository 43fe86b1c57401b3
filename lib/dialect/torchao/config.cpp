#include "dialect/torchao/config.h"
#include "dialect/class_of_numbers.h"
#include "dialect/quantizers/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/field_names.h"
#include "dialect/torchao/classes.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/constructor.h"
#include "dialect/torchao/exported.h"
#include "dialect/torchao/serialized.h"
#include "regex/pattern.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA101, torchao_no_such_class, error, (Text), "torchao cannot read a configuration of the class `{}`",
           "torchao looks for the class in a list of its modules and stops with a ValueError if it is in none. Classes "
           "that were removed, types as strings, and prototypes outside of these modules are such cases.",
           "write a current class, such as `Int4WeightOnlyConfig`")

DIAGNOSTIC(TA102, torchao_not_serialized, error, (Text), "a configuration requires `_type` and `_data`, but this is {}",
           "torchao reads a mapping with the class, its version and its fields, and rejects everything else.",
           "write `{{\"_type\": \"Int4WeightOnlyConfig\", \"_version\": 2, \"_data\": {{\"group_size\": 128}}}}`")

DIAGNOSTIC(TA103, torchao_version_removed, error, (Text, std::int64_t),
           "torchao no longer supports version {1} of `{0}`",
           "A missing `_version` counts as 1. Configurations of a removed version are rejected, some only when they "
           "are applied to a layer.",
           "write `\"_version\": 2`")
DIAGNOSTIC(TA217, torchao_later_version, warning, (Text, std::int64_t), "torchao has no version {1} of `{0}`",
           "torchao warns about a version that its class does not have, and reads the fields as those of the class. "
           "Some classes are then rejected when they are applied.",
           "write `\"_version\": 2`, or use the release of torchao that wrote the file")

DIAGNOSTIC(TA104, torchao_two_maps, error, (), "`fqn_to_config` and `module_fqn_to_config` differ",
           "Both keys are names of the same map. torchao stops if they have different values.",
           "delete `module_fqn_to_config`")

DIAGNOSTIC(TA204, torchao_default_key, warning, (), "`_default` will be removed",
           "torchao prints a DeprecationWarning for each use.", "write `re:.*_proj`, or another pattern for the layers")

bool Context::is_unknown(const Value& value) const { return quantizers::has_unknown(value, unknown); }

namespace {

constexpr std::string_view kMaps[] = {"FqnToConfig", "ModuleFqnToConfig", "AOPerModuleConfig"};
constexpr std::string_view kParts[] = {"PerRow",
                                       "PerTensor",
                                       "PerGroup",
                                       "PerAxis",
                                       "PerBlock",
                                       "PerToken",
                                       "Float8MMConfig",
                                       "MappingType",
                                       "KernelPreference",
                                       "Float8PackingFormat",
                                       "Int4PackingFormat",
                                       "Int4ChooseQParamsAlgorithm",
                                       "IntxPackingFormat",
                                       "IntxChooseQParamsAlgorithm",
                                       "ScaleCalculationMode",
                                       "torch.dtype",
                                       "QuantizationStep",
                                       "QATStep"};

// Current forms of names that were removed.
constexpr std::pair<std::string_view, std::string_view> kCurrentForms[] = {
    {"int4_weight_only", "Int4WeightOnlyConfig(group_size=128)"},
    {"int8_weight_only", "Int8WeightOnlyConfig()"},
    {"int8_dynamic_activation_int8_weight", "Int8DynamicActivationInt8WeightConfig()"},
    {"int8_dynamic_activation_int4_weight", "Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4)"},
    {"Int8DynamicActivationInt4WeightConfig", "Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4)"},
    {"UIntXWeightOnlyConfig", "IntxWeightOnlyConfig(weight_dtype=torch.int4)"},
    {"GemliteUIntXWeightOnlyConfig", "IntxWeightOnlyConfig(weight_dtype=torch.int4)"},
    {"FPXWeightOnlyConfig", "Float8WeightOnlyConfig()"},
    {"PrototypeInt4WeightOnlyConfig", "Int4WeightOnlyConfig(group_size=128)"},
    {"float8_weight_only", "Float8WeightOnlyConfig()"},
    {"float8_dynamic_activation_float8_weight", "Float8DynamicActivationFloat8WeightConfig()"}};

}  // namespace

std::string_view current_form(std::string_view name) {
  const auto* form = std::ranges::find(kCurrentForms, name, &std::pair<std::string_view, std::string_view>::first);
  return form == std::end(kCurrentForms) ? std::string_view() : form->second;
}

// Returns an argument for a class that has its field, as the class spells it; empty if it has none. Classes with a
// field for the granularity have the size of groups in it.
static std::string argument_for(const ClassSpec& spec, const std::string& name, std::string_view value) {
  if (spec.find(name) != nullptr) return fmt::format("{}={}", name, value);
  const ClassTraits* traits = traits_of(spec.name);
  const bool groups = traits != nullptr && (traits->granularities & granularities::group) != 0;
  if (name != "group_size" || !groups || value == "None") return {};
  return fmt::format("{}=PerGroup({})", spec.find("granularity") != nullptr ? "granularity" : "weight_granularity",
                     value);
}

Construction construction_of(std::string_view form, const Value& given, const source::SourceFile& file) {
  const std::size_t open = form.find('(');
  Construction out{{}, std::string(form.substr(0, open)), {}};
  const std::string_view usual = form.substr(open + 1, form.size() - open - 2);
  const ClassSpec* spec = find_class(out.name);
  const auto* map = given.get<source::Map>();
  std::vector<std::string> arguments;
  for (std::size_t at = 0; spec != nullptr && map != nullptr && at < map->size(); ++at) {
    const std::string name = source::python_str((*map)[at].first);
    const std::string_view value = file.text((*map)[at].second.span);
    const std::string argument = value.empty() || value.starts_with('{') ? "" : argument_for(*spec, name, value);
    if (argument.empty()) continue;
    arguments.push_back(argument);
    out.arguments.push_back(fmt::format("`{}`", name));
  }
  const std::string field(usual.substr(0, usual.find('=')));
  if (!field.empty() && given.find(field) == nullptr) arguments.insert(arguments.begin(), std::string(usual));
  out.text = fmt::format("{}({})", out.name, fmt::join(arguments, ", "));
  return out;
}

namespace {

bool is_type_of_torch(std::string_view name) {
  constexpr std::string_view kTypes[] = {"bool",
                                         "half",
                                         "float",
                                         "double",
                                         "bfloat16",
                                         "float16",
                                         "float32",
                                         "float64",
                                         "float4_e2m1fn_x2",
                                         "float8_e4m3fn",
                                         "float8_e5m2",
                                         "float8_e4m3fnuz",
                                         "float8_e5m2fnuz",
                                         "float8_e8m0fnu"};
  if (base::contains(kTypes, name)) return true;
  std::string_view digits = name.starts_with("uint")  ? name.substr(4)
                            : name.starts_with("int") ? name.substr(3)
                                                      : std::string_view();
  if (digits.size() == 1) return digits[0] >= '1' && digits[0] <= '8';
  return digits == "16" || digits == "32" || digits == "64";
}

constexpr std::int64_t kLastVersion = 2;  // of all classes

// Reads the configurations of a value.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(const Context& context) : context_(context) {}

  std::optional<Configuration> run(const Value& value) {
    Configuration out;
    out.span = value.span;
    if (context_.is_unknown(value) && value.get<source::Map>() == nullptr) {
      out.unknown = true;
      return out;
    }
    if (!is_serialized(value)) return std::nullopt;
    if (base::contains(kMaps, *type_of(value))) {
      read_map(*data_of(value), out);
    } else {
      out.all = read_config(value);
    }
    return valid_ ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  [[nodiscard]] std::string shown(std::string_view code) const { return code_for(context_.file, code).shown(); }

  bool is_serialized(const Value& value) {
    if (value.get<source::Map>() != nullptr && type_of(value) != nullptr && data_of(value) != nullptr) return true;
    valid_ = false;
    const std::string* text = value.get<std::string>();
    if (text != nullptr) {
      report_class(value.span, *text, value);
    } else {
      context_.sink.report(diag::torchao_not_serialized, value.span, source::describe(value));
    }
    return false;
  }

  void report_class(source::Span span, const std::string& name, const Value& data) {
    const std::string_view form = current_form(name);
    std::vector<std::string_view> names;
    for (const ClassSpec* spec : config_classes()) names.push_back(spec->name);
    base::Guesses guesses(names);
    const auto guess = guesses.nearest(name);
    context_.sink.report(diag::torchao_no_such_class, span, name)
        .with_help(!form.empty() ? fmt::format("write {}", shown(construction_of(form, data, context_.file).text))
                   : guess       ? fmt::format("write {}", shown(*guess))
                                 : std::string());
  }

  // A value of the map that is no configuration is accepted, and fails only when it is applied.
  void read_map(const Value& data, Configuration& out) {
    out.is_map = true;
    const Value* current = data.find("fqn_to_config");
    const Value* old = data.find("module_fqn_to_config");
    const auto filled = [](const Value* value) {
      return value != nullptr && !value->is_null() &&
             (value->get<source::Map>() == nullptr || !value->get<source::Map>()->empty());
    };
    if (filled(current) && filled(old) && !(*current == *old)) {
      valid_ = false;
      context_.sink.report(diag::torchao_two_maps, old->span);
    }
    const Value* used = filled(current) ? current : filled(old) ? old : current != nullptr ? current : old;
    if (used == nullptr) return;
    const auto* map = used->get<source::Map>();
    if (map == nullptr) return report_map(*used, out);
    for (const auto& [key, value] : *map) add_entry(key, value, out);
  }

  void report_map(const Value& value, Configuration& out) {
    if (context_.is_unknown(value)) {
      out.unknown = true;
      return;
    }
    valid_ = false;
    context_.sink
        .report(diag::wrong_type, value.span, "fqn_to_config", "a mapping from names to configurations",
                source::describe(value))
        .with_help(fmt::format("write {}", shown("{\"re:.*_proj\": Int8WeightOnlyConfig()}")));
  }

  void add_entry(const Value& key, const Value& value, Configuration& out) {
    MapEntry entry{source::python_str(key), key.span, std::nullopt};
    if (entry.key == "**") {
      out.unknown = true;
      return;
    }
    if (value.get<source::Map>() != nullptr && value.find("_type") != nullptr) {
      if (!is_serialized(value)) return;
      entry.config = read_config(value);
    } else if (!value.is_null()) {
      entry.config = Config{nullptr, 1, value, value.span, context_.is_unknown(value)};
    }
    out.entries.push_back(std::move(entry));
  }

  std::optional<Config> read_config(const Value& value) {
    const std::string& name = *type_of(value);
    const ClassSpec* spec = find_class(name);
    if (spec == nullptr) {
      valid_ = false;
      report_class(value.find("_type")->span, name, *data_of(value));
      return std::nullopt;
    }
    if (is_wrapper(*spec)) return read_wrapper(*spec, value);
    const Value* version = value.find("_version");
    if (const Value* own = data_of(value)->given("version"); own != nullptr && spec->find("version") != nullptr)
      version = own;
    Config out{spec, version == nullptr ? 1 : static_cast<std::int64_t>(version->number().value_or(1)), *data_of(value),
               value.span};
    out.unknown = context_.is_unknown(out.data);
    check_fields(out);
    check_constructor(out, version == nullptr ? value.find("_type")->span : version->span);
    if (valid_) valid_ = check_values(context_, out);
    return out;
  }

  // Reads a configuration around another one.
  std::optional<Config> read_wrapper(const ClassSpec& wrapper, const Value& value) {
    const Value& data = *data_of(value);
    const Value* base = data.given("base_config");
    Config out;
    if (base != nullptr && base->get<source::Map>() != nullptr && type_of(*base) != nullptr && is_serialized(*base)) {
      auto inner = read_config(*base);
      if (!inner) return std::nullopt;
      out = std::move(*inner);
    } else {
      out.unknown = base != nullptr;
    }
    if (base != nullptr) out.base = base->span;
    check_fields({&wrapper, 1, data, value.span});
    const Value* step = data.find("step");
    const std::string word = word_in(data, "step");
    out.unknown = out.unknown || data.find("**") != nullptr || (step != nullptr && context_.is_unknown(*step));
    out.step = word == "convert" ? Step::convert : word == "prepare_for_loading" ? Step::none : Step::prepare;
    out.wrapper = &wrapper;
    out.span = value.span;
    return out;
  }

  void check_fields(const Config& config) {
    const auto* map = config.data.get<source::Map>();
    std::vector<std::string_view> names;
    for (const FieldSpec& field : config.spec->fields) names.push_back(field.name);
    FieldNames reports(context_.sink);
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const auto& [key, value] = (*map)[at];
      const std::string name = source::python_str(key);
      if (name == "granularity" && is_by_tensor(config) && value.get<std::string>() != nullptr) {
        report_granularity(value);
      } else if (!config.spec->open && config.spec->find(name) == nullptr && name != "**") {
        valid_ = false;
        reports.report_unknown(
            {key.span, name, fmt::format("`{}`", config.spec->name), names, fmt::format("delete `{}`", name)});
      } else {
        check_parts(name, value);
      }
    }
  }

  // The constructor rejects a word in place of an object.
  void report_granularity(const Value& value) {
    valid_ = false;
    const std::string word = base::to_lower(*value.get<std::string>());
    const std::string_view meant =
        word.find("row") != std::string::npos || word.find("channel") != std::string::npos ? "PerRow" : "PerTensor";
    context_.sink.report(diag::wrong_type, value.span, "granularity", "an object", source::describe(value))
        .with_help(fmt::format("write {}", shown(fmt::format("{}()", meant))));
  }

  // Checks nested parts: granularities, types and enums.
  void check_parts(const std::string& field, const Value& value) {
    if (const auto* list = value.get<source::List>()) {
      for (const Value& each : *list) check_parts(field, each);
    }
    if (value.get<source::Map>() == nullptr) return;
    const std::string* type = type_of(value);
    const Value* data = data_of(value);
    if (type == nullptr || data == nullptr) {
      if (field.find("granularity") != std::string::npos) {
        valid_ = false;
        context_.sink
            .report(diag::wrong_type, value.span, field, "a granularity with `_type` and `_data`",
                    "a mapping without them")
            .with_help("write `{\"_type\": \"PerRow\", \"_version\": 1, \"_data\": {}}`");
      }
      return;
    }
    if (!base::contains(kParts, *type) && find_class(*type) == nullptr) {
      valid_ = false;
      report_class(value.find("_type")->span, *type, {});
    } else if (*type == "torch.dtype" && !is_type_of_torch(source::python_str(*data))) {
      valid_ = false;
      context_.sink.report(diag::unknown_choice, data->span, source::python_str(*data), field)
          .with_help("write a type of torch, such as `int4`");
    }
  }

  void check_constructor(const Config& config, source::Span version) {
    const std::string_view name = config.spec->name;
    const bool int8_weights = name == "Int8WeightOnlyConfig";
    const Value* group = config.data.find("group_size");
    const bool old = (int8_weights || name == "Int8DynamicActivationInt8WeightConfig") && config.version == 1;
    if (old) {
      if (!quantizers::has_defect(kDefects, "TA103", kReaderOptions[0], context_.options)) return;
      valid_ = false;
      context_.sink.report(diag::torchao_version_removed, version, name, config.version);
    } else if (config.version > kLastVersion) {
      context_.sink.report(diag::torchao_later_version, version, name, config.version);
    } else if (int8_weights && group != nullptr && !group->is_null()) {
      valid_ = false;
      context_.sink.report(diag::wrong_type, group->span, "group_size", "null", source::describe(*group))
          .with_help(fmt::format("delete `group_size`, and write {}",
                                 shown(fmt::format("granularity=PerGroup({})", source::python_str(*group)))));
    }
    const Value* type = config.data.find("weight_dtype");
    if (name.find("Intx") != std::string_view::npos && type != nullptr && type->get<std::string>() != nullptr &&
        !context_.is_unknown(*type)) {
      valid_ = false;
      context_.sink.report(diag::wrong_type, type->span, "weight_dtype", "a type of torch", source::describe(*type))
          .with_help(fmt::format("write {}", shown("torch.int4")));
    }
    const Value* granularity = config.data.find("granularity");
    const std::string* block = granularity == nullptr ? nullptr : type_of(*granularity);
    if (name == "Float8DynamicActivationFloat8WeightConfig" && block != nullptr && *block == "PerBlock") {
      valid_ = false;
      context_.sink.report(diag::wrong_type, granularity->span, "granularity", "a list of two blocks", "one block")
          .with_help(fmt::format("write {}", shown("[PerBlock([1, 128]), PerBlock([128, 128])]")));
    }
  }

  const Context& context_;
  bool valid_ = true;
};

}  // namespace

bool is_removed(std::string_view name) { return !current_form(name).empty(); }

std::optional<Configuration> read_configuration(const Context& context, const Value& value) {
  return ConfigurationReader(context).run(value);
}

bool check_patterns(const Context& context, const Configuration& config) {
  bool valid = true;
  for (const MapEntry& entry : config.entries) {
    if (entry.key == "_default") context.sink.report(diag::torchao_default_key, entry.span);
    if (!entry.key.starts_with("re:")) continue;
    const auto error = regex::syntax_error_of(std::string_view(entry.key).substr(3));
    if (!error || error->unsupported) continue;
    advise_on_class(context.sink.report(diag::regex_syntax, entry.span, error->message), entry.key, entry.span);
    valid = false;
  }
  return valid;
}

bool is_by_tensor(const Config& config) { return config.spec->name == "Float8DynamicActivationFloat8WeightConfig"; }

}  // namespace sparsecfg::dialect::torchao
