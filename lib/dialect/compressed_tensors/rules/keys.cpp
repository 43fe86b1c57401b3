#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/record/check.h"
#include "dialect/record/types.h"
#include "dialect/schemes/arguments.h"
#include "dialect/schemes/meant.h"
#include "dialect/schemes/records.h"
#include "dialect/words.h"
#include "emit/literal.h"
#include "regex/literal.h"

// Checks the keys of the file and the types of their values, as pydantic does.
namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

// Names of other quantization methods for keys of this file.
struct OtherName {
  std::string_view name;
  std::string_view meant;
};

constexpr OtherName kOtherNames[] = {
    {"exclude", "ignore"},           {"exclude_modules", "ignore"},         {"modules_to_not_convert", "ignore"},
    {"ignored", "ignore"},           {"ignored_layers", "ignore"},          {"ignore_modules", "ignore"},
    {"kv_cache", "kv_cache_scheme"}, {"kv_cache_quant", "kv_cache_scheme"}, {"kv_scheme", "kv_cache_scheme"},
    {"quant_type", "quant_method"},  {"status", "quantization_status"},     {"groups", "config_groups"},
};

// The classes of the library for enumerated values.
constexpr OtherName kEnums[] = {{"type", "QuantizationType"},
                                {"strategy", "QuantizationStrategy"},
                                {"actorder", "ActivationOrdering"},
                                {"dynamic", "DynamicType"}};

// Fields that only the library reads.
constexpr std::string_view kLibraryOnly[] = {"quant_method", "quantization_status", "global_compression_ratio"};

// Returns the message of pydantic for a value of the wrong type; empty if it also depends on other facts.
static std::string_view words_for(const FieldSpec& spec) {
  if (allows(spec.type, Type::choice)) return {};
  if (allows(spec.type, Type::named_records) || allows(spec.type, Type::mapping))
    return "Input should be a valid dictionary";
  if (allows(spec.type, Type::record)) return "Input should be a valid dictionary or instance of QuantizationArgs";
  if (allows(spec.type, Type::texts)) return "Input should be a valid list";
  if (allows(spec.type, Type::text)) return "Input should be a valid string";
  if (allows(spec.type, Type::whole)) return "Input should be a valid integer";
  if (allows(spec.type, Type::real)) return "Input should be a valid number";
  return allows(spec.type, Type::boolean) ? "Input should be a valid boolean" : std::string_view();
}

DIAGNOSTIC(CT102, key_vanishes, silent_warning, (Text, Text), "`{}` is silently ignored by {}",
           "compressed-tensors drops keys of `quantization_config` that it does not know, such as `ignored` or "
           "`modules_to_not_convert`. The model is then quantized as if the key were absent.",
           "delete `{0}`, or correct its name")

class KeyPolicy : public Policy {
 public:
  // `of_cache` is true for the arguments of the cache, of which vLLM reads only some.
  KeyPolicy(const Context& context, bool of_cache)
      : Policy(context.file, context.sink, "compressed-tensors"), context_(context), of_cache_(of_cache) {}

  // The runtimes read these fields themselves.
  bool is_late(const Record& record, const Field& field) const override {
    return record.spec == &config_table() && (field.name == "kv_cache_scheme" || field.name == "transform_config");
  }

  // A preset has a list of targets instead of a mapping.
  std::optional<diag::Severity> severity(const InvalidValue& invalid) const override {
    if (invalid.kind == InvalidValue::Kind::not_a_record && fits(invalid.value, Type::texts)) {
      return std::nullopt;
    }
    return is_lenient(invalid) ? diag::Severity::warning : diag::Severity::error;
  }

  void report(const InvalidValue& invalid) const override {
    if (invalid.kind == InvalidValue::Kind::choice) {
      report_choice(invalid);
      return;
    }
    if (invalid.kind != InvalidValue::Kind::type) {
      Policy::report(invalid);
      return;
    }
    const std::string_view words = words_for(invalid.spec);
    auto& report = report_type(invalid);
    schemes::suggest_arguments(report, invalid);
    if (!words.empty()) report.with_caret(schemes::quoted_error(words));
  }

  void report_choice(const InvalidValue& invalid) const {
    const auto type = std::ranges::find(kEnums, invalid.name, &OtherName::name);
    const std::string text = *invalid.text();
    auto& report = sink_.report(diag::unknown_choice, invalid.value.span, text, invalid.name);
    suggest_choice(report, invalid);
    report.with_severity(severity(invalid).value_or(diag::Severity::error));
    if (type != std::end(kEnums)) {
      report.with_caret(
          schemes::quoted_error(fmt::format("'{}' is not a valid {}", base::to_lower(text), type->meant)));
    }
  }

  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    if (schemes::report_preset_in_group(record, field, sink_)) return false;
    if (context_.choice.runtime != Runtime::library && (record.spec == &schemes::kQuantizationScheme || of_cache_)) {
      sink_.report(diag::key_vanishes, field.key, field.name, title_of(context_.choice.runtime))
          .with_help("delete it; compressed-tensors rejects files with this key");
      return true;
    }
    return Policy::report_unknown(record, field, names);
  }

  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override {
    if (context_.choice.runtime == Runtime::vllm && spec.name == "config_groups") {
      sink_.report(diag::missing_required, record.key, record.spec->name, spec.name)
          .with_severity(diag::Severity::warning)
          .with_help("add `\"config_groups\": {}`; compressed-tensors rejects files without this key");
      return true;
    }
    if (spec.name == "config_groups" && report_flat_weights(record)) return false;
    if (const std::string_view other = method_of_keys(record); spec.name == "config_groups" && !other.empty()) {
      sink_.report(diag::missing_required, record.key, record.spec->name, spec.name)
          .with_help(fmt::format("the other keys are those of {0}: write `quant_method: {0}`, or describe the weights "
                                 "in `config_groups`",
                                 other));
      return false;
    }
    return Policy::report_missing(record, spec, names);
  }

 private:
  // Reports keys for the weights beside `quant_method`, as other methods have them, with the group that they mean.
  bool report_flat_weights(const Record& record) const {
    const auto find = [&](std::string_view key) {
      const auto found = std::ranges::find_if(record.fields, [&](const Field& field) { return field.name == key; });
      return found == record.fields.end() ? nullptr : &*found;
    };
    const Field* bits = find("bits") == nullptr ? find("num_bits") : find("bits");
    if (bits == nullptr) return false;
    ir::Scheme scheme = schemes::integer_weights(4);
    std::vector<std::string> names;
    diag::Fix fix = diag::Fix::unsafe();
    for (const auto& [key, argument] : kFlatKeys) {
      const Field* field = find(key);
      if (field == nullptr) continue;
      if (!schemes::set_argument(scheme, argument, field->value)) return false;
      names.push_back(fmt::format("`{}`", key));
      if (field != bits) fix.remove(field->key);
    }
    const std::string groups = fmt::format("{{group_0: {}}}", schemes::group_text(scheme, {}));
    fix.content(bits->key, "config_groups").replace(bits->value.span, groups);
    sink_.report(diag::missing_required, record.key, record.spec->name, "config_groups")
        .with_label(bits->key, "not read by compressed-tensors")
        .with_help(fmt::format("write `config_groups: {}` instead of {}", groups, base::join_and(names)))
        .with_fix(std::move(fix));
    return true;
  }

  // Keys of other methods for arguments of the weights.
  static constexpr std::pair<std::string_view, std::string_view> kFlatKeys[] = {
      {"bits", "num_bits"},       {"num_bits", "num_bits"}, {"group_size", "group_size"}, {"sym", "symmetric"},
      {"symmetric", "symmetric"}, {"type", "type"},         {"strategy", "strategy"}};

  // Returns the method of transformers that the keys of a file belong to; empty if unknown.
  static std::string_view method_of_keys(const Record& record) {
    static constexpr std::pair<std::string_view, std::string_view> kKeys[] = {{"desc_act", "gptq"},
                                                                              {"true_sequential", "gptq"},
                                                                              {"zero_point", "awq"},
                                                                              {"w_bit", "awq"},
                                                                              {"q_group_size", "awq"},
                                                                              {"load_in_4bit", "bitsandbytes"},
                                                                              {"load_in_8bit", "bitsandbytes"},
                                                                              {"quant_algo", "modelopt"},
                                                                              {"weight_block_size", "fp8"},
                                                                              {"activation_scheme", "fp8"}};
    for (const auto& [key, method] : kKeys) {
      if (record.find(key) != nullptr) return method;
    }
    return {};
  }

  [[nodiscard]] bool is_lenient(const InvalidValue& invalid) const {
    if (context_.choice.runtime == Runtime::library) {
      return false;
    }
    const bool list = invalid.name == "ignore" || invalid.name == "targets";
    const bool top = invalid.record.spec == &config_table();
    const bool cached = of_cache_ && invalid.record.spec == &schemes::kQuantizationArgs;
    return cached || (list && invalid.text() != nullptr) ||
           (top && (invalid.name == "format" || base::contains(kLibraryOnly, invalid.name)));
  }

  const Context& context_;
  bool of_cache_;
};

static void check_late(const Context& context, const Record& record, std::string_view name, const Value& value,
                       bool of_cache) {
  check_value(KeyPolicy(context, of_cache), record, name, value, *config_table().find(name));
}

// Returns the key that an unknown key probably means.
static std::optional<std::string_view> meant_by(const Record& record, std::string_view name) {
  const auto other = std::ranges::find(kOtherNames, name, &OtherName::name);
  const std::vector<std::string_view> absent = absent_fields(record);
  const auto found = other != std::end(kOtherNames)
                         ? std::optional(other->meant)
                         : dialect::meant_by(Word::Place::field, record.spec->name, name, absent, "").name;
  return found && record.find(*found) == nullptr ? found : std::nullopt;
}

// Returns an entry of another method for layers that stay as they are. Other methods search for a part of the name.
static std::string as_entry(const std::string& entry) {
  const bool whole = entry.find('.') != std::string::npos || entry == "lm_head" || schemes::is_pattern(entry);
  return whole ? entry : fmt::format("re:.*\\.{}$", regex::literal(entry));
}

// Reports another name of `ignore` beside it. Returns false if its entries have no effect on the layers.
static bool report_second_list(const Context& context, const Record& record, const Field& field) {
  const auto other = std::ranges::find(kOtherNames, field.name, &OtherName::name);
  const Field* ignore = record.find("ignore");
  const bool list = ignore != nullptr && ignore->value.get<source::List>() != nullptr;
  if (other == std::end(kOtherNames) || other->meant != "ignore" || !list) return false;
  std::vector<std::string> known;
  for (const Entry& entry : schemes::entries_of(&ignore->value)) known.push_back(entry.text);
  std::vector<std::string> added;
  diag::Fix fix = diag::Fix::unsafe();
  for (const Entry& entry : schemes::entries_of(&field.value)) {
    const std::string text = as_entry(entry.text);
    if (std::ranges::find(known, text) != known.end()) continue;
    const model::Matcher matcher = schemes::matcher_of(text);
    const auto takes = [&](const model::Module& module) { return matcher.takes(module); };
    if (context.modules != nullptr && std::ranges::none_of(*context.modules, takes)) continue;
    added.push_back(fmt::format("`{}`", base::printable(text)));
    fix.append(ignore->value.span, text);
  }
  if (added.empty()) return false;
  context.sink.report(diag::key_vanishes, field.key, field.name, title_of(context.choice.runtime))
      .with_severity(diag::Severity::warning)
      .with_label(ignore->key, "the list that is read")
      .with_help(fmt::format("add {} to `ignore`, and delete `{}`", base::join_and(added), field.name))
      .with_fix(std::move(fix.remove(field.key)));
  return true;
}

// Returns an entry of another method for the layers of a model: the own form of a name or of a part of names. Nullopt
// if no layer has it.
static std::optional<std::string> own_entry(const Context& context, const std::string& entry) {
  const bool glob = !schemes::is_pattern(entry) && entry.find('*') != std::string::npos;
  const std::string text = glob ? "re:" + base::pattern_meant_by(entry) : entry;
  const bool head = schemes::names_head(text) && text.find('.') == text.npos;
  if (context.modules == nullptr)
    return schemes::is_pattern(text) || head ? text : fmt::format("re:.*{}.*", regex::literal(text));
  const model::Matcher matcher = schemes::matcher_of(text);
  const auto takes = [&](const model::Module& each) { return schemes::takes_scheme(each) && matcher.takes(each); };
  return std::ranges::any_of(*context.modules, takes) ? text : schemes::entry_for_layers(*context.modules, text);
}

std::optional<UnreadList> unread_list(const Context& context, const Record& record) {
  for (const Field& field : record.fields) {
    const auto* list = field.spec == nullptr ? field.value.get<source::List>() : nullptr;
    if (list == nullptr || meant_by(record, field.name) != "ignore") continue;
    UnreadList out{field, {}};
    for (const Entry& entry : schemes::entries_of(&field.value)) {
      if (auto own = own_entry(context, entry.text)) out.entries.push_back({std::move(*own), entry.span});
    }
    if (!out.entries.empty() || list->empty()) return out;
  }
  return std::nullopt;
}

void report_unread_list(const Context& context, const UnreadList& unread, const std::string& consequence) {
  const std::string_view reader = title_of(context.choice.runtime);
  auto& report = context.sink.report(diag::key_vanishes, unread.field.key, unread.field.name, reader);
  if (unread.entries.empty()) {
    report.with_severity(diag::Severity::info)
        .with_help("delete it")
        .with_fix(diag::Fix::safe().remove(unread.field.key));
    return;
  }
  std::vector<std::string> entries;
  for (const Entry& entry : unread.entries) entries.push_back(emit::literal(emit::Syntax::yaml, entry.text));
  const std::string list = fmt::format("[{}]", fmt::join(entries, ", "));
  report.with_severity(consequence.empty() ? diag::Severity::warning : diag::Severity::error)
      .with_caret(consequence)
      .with_help(fmt::format("write `ignore: {}` instead of `{}`", list, base::printable(unread.field.name)))
      .with_fix(diag::Fix::unsafe().content(unread.field.key, "ignore").replace(unread.field.value.span, list));
}

static void check_vanishing(const Context& context, const Record& record) {
  const auto unread = unread_list(context, record);
  for (const Field& field : record.fields) {
    if (field.spec != nullptr || report_second_list(context, record, field)) continue;
    if (unread && unread->field.key == field.key) continue;  // see report_unread_list()
    const auto meant = meant_by(record, field.name);
    context.sink.report(diag::key_vanishes, field.key, field.name, title_of(context.choice.runtime))
        .with_severity(meant ? diag::Severity::warning : diag::Severity::info)
        .with_help(base::did_you_mean(meant, "delete it"))
        .with_fix(meant ? diag::Fix::unsafe().content(field.key, std::string(*meant)) : diag::Fix());
  }
}

std::optional<source::Span> unread_ignore(const Record& record, std::string_view layer) {
  for (const Field& field : record.fields) {
    const bool ignores = field.spec == nullptr && meant_by(record, field.name) == "ignore";
    if (ignores && schemes::matcher_of(schemes::entries_of(&field.value)).takes(layer)) return field.key;
  }
  return std::nullopt;
}

void check_keys(const Context& context, Record& record) {
  check_fields(KeyPolicy(context, false), record);
  check_vanishing(context, record);
  const Field* cache = record.find("kv_cache_scheme");
  if (cache != nullptr && !cache->value.is_null()) {
    check_late(context, record, cache->name, cache->value, true);
  }
  const Field* transform = record.find("transform_config");
  const auto* map = transform == nullptr ? nullptr : transform->value.get<source::Map>();
  if (transform != nullptr && !transform->value.is_null() && (map == nullptr || !map->empty())) {
    check_late(context, record, transform->name, transform->value, false);
  }
}

}  // namespace sparsecfg::dialect::compressed_tensors
