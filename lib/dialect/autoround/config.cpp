#include "dialect/autoround/config.h"
#include "dialect/quantizers/calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/table.h"
#include "dialect/quantizers/false_words.h"
#include "dialect/quantizers/selection.h"
#include "dialect/record/field_names.h"
#include "dialect/record/suggest.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::autoround {

using source::Value;

bool Context::is_unknown(const Value& value) const { return quantizers::has_unknown(value, unknown); }

std::optional<double> number_in(const Value& value) {
  const auto* text = value.get<std::string>();
  return text == nullptr ? value.number() : base::parse_double(*text);
}

bool Context::is_layer(std::string_view name) const {
  return modules != nullptr && std::ranges::any_of(*modules, [&](const model::Module& module) {
           return module.name == name && quantizers::is_linear(module);
         });
}

DIAGNOSTIC(AR101, autoround_empty_item, error, (Text), "`{}` has an empty item",
           "AutoRound splits the string at commas and reads the last letter of each item, so an empty item stops it "
           "with an IndexError.",
           "write the items without a leading, trailing or repeated comma: `lm_head,mlp.gate`")

DIAGNOSTIC(AR102, autoround_type_needs_bits, error, (Text), "the type `{}` requires `bits`",
           "Types that end in `_dq` have no default number of bits, and AutoRound stops.", "add `bits=4`")

DIAGNOSTIC(AR103, autoround_bits_not_stored, warning, (std::int64_t), "layers with {} bits are not quantized",
           "AutoRound does not check the number of bits. It treats more than 8 bits as 16, but writes the number to "
           "the file.",
           "write 2, 3, 4 or 8 bits, or 16 to keep the layer")

DIAGNOSTIC(AR104, autoround_argument_not_read, silent_warning, (Text), "`{}` is not an argument of `AutoRound`",
           "AutoRound accepts any keyword and only logs those that it does not use.",
           "correct the name, or delete `{0}`")

DIAGNOSTIC(AR105, autoround_same_key, silent_warning, (Text),
           "`{}` keeps its position in `layer_config`, so a later pattern overrides it",
           "An item of `ignore_layers` that is also a key of `layer_config` is applied at the position of the key. A "
           "later pattern for the same layers quantizes them.",
           "delete `{0}` in `layer_config`")

DIAGNOSTIC(AR110, autoround_string_is_true, warning, (Text, Text), "the string `{}` of `{}` counts as true",
           "AutoRound does not convert the value, and Python counts every string that is not empty as true.",
           "write `{1}=False`")

DIAGNOSTIC(AR111, autoround_fixed_group, error, (Text, std::int64_t), "`{}` has groups of 16, not of {}",
           "A single argument overrides the scheme. AutoRound quantizes NVFP4 only with groups of 16, and stops with "
           "AssertionError after the calibration data are read.",
           "delete `group_size`")

DIAGNOSTIC(AR112, autoround_small_rate, warning, (Text, Text),
           "with `lr={}`, the rounding of a weight moves by at most {} of a step",
           "AutoRound moves the rounding of each weight by exactly `lr` in each step, whatever the gradient is, and "
           "the rate falls to 0. A weight is rounded differently only if its offset can move by up to 0.5. Learning "
           "rates of trainings are too small for that, so the result is that of rounding to the nearest number.",
           "delete `lr`: it is then 1 / `iters`")

DIAGNOSTIC(AR136, autoround_old_name, silent_warning, (), "`fp_layers` has no effect since AutoRound 0.13",
           "AutoRound 0.12 renamed the argument. Later releases only log it, and quantize the layers. The option "
           "`--fp_layers` of the command still exists.",
           "write `ignore_layers`")

DIAGNOSTIC(AR122, autoround_beside_gguf, warning, (Text, Text), "`{}` has no effect beside the scheme `{}`",
           "A type of GGUF has fixed bits, groups and symmetry. AutoRound logs a warning and ignores single arguments.",
           "delete `{0}`")

namespace {

// Reads the arguments of a call.
class ArgumentReader {
 public:
  ArgumentReader(const Context& context, const Value& call, const Form& form)
      : context_(context), call_(call), form_(form) {
    out_.span = form.name;
    out_.layer_config = form.name;
  }

  std::optional<Arguments> run() {
    check_names();
    out_.unknown = call_.find("**") != nullptr;
    read_base();
    read_layer_config();
    read_ignored();
    read_blocks();
    read_switches();
    if (valid_) check_settings();
    return valid_ && !out_.stops ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  void reject() { valid_ = false; }

  // Reports the first setting that stops AutoRound, and all others that have another effect than written.
  void check_settings() {
    check_algorithm(context_, call_, form_, out_);
    if (!out_.stops) check_auto_scheme(context_, call_, form_, out_);
    if (!out_.stops) check_data(context_, call_, form_, out_);
    if (!out_.stops) check_saving(context_, call_, form_, out_);
  }

  void report_type(std::string_view name, const Value& value, std::string_view expected, std::string help) {
    reject();
    context_.sink.report(diag::wrong_type, value.span, name, expected, source::describe(value))
        .with_help(std::move(help));
  }

  void check_names() {
    std::vector<std::string_view> names;
    for (const FieldSpec& field : kAutoRound.fields) names.push_back(field.name);
    const auto* map = call_.get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const std::string name = source::python_str((*map)[at].first);
      const source::Span key = (*map)[at].first.span;
      const Value& value = (*map)[at].second;
      if (const FieldSpec* field = kAutoRound.find(name)) check_truth(*field, value);
      if (name == "fp_layers" && !form_.command) report_old_name(key, value);
      if (name == "**" || kAutoRound.find(name) != nullptr) continue;
      if (form_.command && base::contains(kAutomaticOptions, std::string_view(name))) continue;
      const Meant meant = field_meant_by(kAutoRound.name, name, value, names, fmt::format("delete `{}`", name));
      auto& report = context_.sink.report(diag::autoround_argument_not_read, key, name);
      report.with_help(meant.help).with_fix(meant.fix(key, value.span));
      if (meant.name == "ignore_layers") offer_string(report, key, value);
    }
  }

  // Returns true if the constructor reads the old name of `ignore_layers`.
  [[nodiscard]] bool reads_old_name() const {
    return form_.command || !quantizers::is_at_least("0.13", kReaderOptions[0], context_.options);
  }

  void report_old_name(source::Span key, const Value& value) {
    if (reads_old_name() || value.is_null()) return;
    context_.sink.report(diag::autoround_old_name, key).with_fix(diag::Fix::unsafe().content(key, "ignore_layers"));
  }

  void check_truth(const FieldSpec& field, const Value& value) {
    if (field.type != Type::truth || !quantizers::says_false(value)) return;
    context_.sink.report(diag::autoround_string_is_true, value.span, source::python_str(value), field.name)
        .with_fix(diag::Fix::unsafe().replace(value.span, "false"));
  }

  // Returns a list of names as the string with commas of AutoRound; empty if it has no such form. AutoRound compares
  // parts of names, so patterns lose `re:` and the text that stands for any name.
  static std::string as_string(const Value& value) {
    const auto* list = value.get<source::List>();
    std::string out;
    for (const Value& item : list == nullptr ? source::List() : *list) {
      const auto* text = item.get<std::string>();
      if (text == nullptr) return {};
      std::string_view name = *text;
      if (name.starts_with("re:")) name.remove_prefix(3);
      if (name.starts_with(".*")) name.remove_prefix(2);
      if (name.ends_with('$')) name.remove_suffix(1);
      if (name.empty() || name.find_first_of(",\"\\") != std::string::npos) return {};
      out += (out.empty() ? "" : ",") + std::string(name);
    }
    return out;
  }

  // Offers the list of names that another system has as the string of AutoRound.
  static void offer_string(diag::Diagnostic& report, source::Span key, const Value& value) {
    const std::string text = as_string(value);
    if (text.empty()) return;
    report.with_help(fmt::format("write `ignore_layers=\"{}\"`: a string with commas", text))
        .with_fix(diag::Fix::unsafe().content(key, "ignore_layers").replace(value.span, fmt::format("\"{}\"", text)));
  }

  // Advises to write a preset: `key` is that of an argument or a key `scheme`; without it, the value is the scheme of a
  // layer.
  static void advise_on_preset(diag::Diagnostic& report, const PresetMeant& meant, const Value& value,
                               std::optional<source::Span> key) {
    if (meant.name.empty()) {
      report.with_help(meant.help);
      return;
    }
    std::vector<std::string> arguments;
    std::vector<std::string> entries{fmt::format("scheme: {}", meant.name)};
    diag::Fix fix = diag::Fix::unsafe();
    if (key) fix.content(value.span, std::string(meant.name));
    for (const PresetMeant::Change& each : meant.changes) {
      entries.push_back(fmt::format("{}: {}", each.argument, flow_text(each.value)));
      arguments.push_back(fmt::format("`{}={}`", each.argument, source::python_str(each.value)));
      if (key) fix.add_entry(*key, entries.back());
    }
    const std::string whole = fmt::format("{{{}}}", fmt::join(entries, ", "));
    if (meant.changes.empty()) {
      report.with_help(fmt::format("write `{}`, the AutoRound name of this format", meant.name))
          .with_fix(diag::Fix::unsafe().content(value.span, std::string(meant.name)));
    } else if (key) {
      report.with_help(fmt::format("write `{}`, and add {}", meant.name, base::join_and(arguments)))
          .with_fix(std::move(fix));
    } else {
      report.with_help(fmt::format("write `{}`", whole)).with_fix(diag::Fix::unsafe().replace(value.span, whole));
    }
  }

  // Returns the key of an entry `scheme`.
  static std::optional<source::Span> key_of_scheme(const source::Map& map) {
    const auto found =
        std::ranges::find_if(map, [](const source::Entry& each) { return source::python_str(each.first) == "scheme"; });
    return found == map.end() ? std::nullopt : std::optional(found->first.span);
  }

  // Returns the fields of a preset, or nullopt after a report.
  std::optional<Fields> preset_of(std::string_view field, const Value& value, std::optional<source::Span> key = {}) {
    const auto* text = value.get<std::string>();
    if (text == nullptr) {
      report_type(field, value, "the name of a preset", "write `W4A16`");
      return std::nullopt;
    }
    auto found = preset(*text);
    if (!found) {
      reject();
      base::Guesses guesses(preset_names());
      const auto guess = guesses.nearest(base::to_upper(*text));
      const auto names = preset_names();
      const auto meant = preset_meant_by(*text);
      auto& report = context_.sink.report(diag::unknown_choice, value.span, *text, field);
      report.with_help(guess ? fmt::format("write `{}`", *guess)
                             : fmt::format("use one of `{}`", fmt::join(names, "`, `")));
      if (meant) advise_on_preset(report, *meant, value, key);
    }
    return found;
  }

  // Single arguments override the scheme.
  void read_base() {
    const Value* scheme = call_.find("scheme");
    Fields start = *preset("W4A16");
    const bool automatic =
        call_.given("avg_bits") != nullptr || (scheme != nullptr && scheme->find(kAutoScheme) != nullptr);
    if (automatic || (scheme != nullptr && context_.is_unknown(*scheme))) {
      out_.unknown = true;
    } else if (scheme != nullptr && scheme->get<source::Map>() != nullptr) {
      start = fields_of(*scheme);
    } else if (scheme != nullptr && !scheme->is_null()) {
      start = preset_of("scheme", *scheme, key_of_scheme(*call_.get<source::Map>())).value_or(start);
    }
    const auto* preset_name = scheme == nullptr ? nullptr : scheme->get<std::string>();
    out_.gguf = preset_name != nullptr && !out_.unknown && is_gguf(*preset_name);
    if (out_.gguf) report_without_effect(*preset_name);
    const Fields changes = out_.gguf ? Fields() : fields_of(call_);
    for (const std::string_view name : {"bits", "group_size", "sym", "data_type", "act_bits"}) {
      const Value* value = call_.find(name);
      out_.unknown = out_.unknown || (value != nullptr && context_.is_unknown(*value));
    }
    if (changes.data_type && changes.data_type->ends_with("_dq") && !changes.bits) {
      reject();
      context_.sink.report(diag::autoround_type_needs_bits, call_.find("data_type")->span, *changes.data_type);
    }
    const bool inputs = changes.act_data_type.has_value();
    start = merged(std::move(start), changes);
    if (changes.data_type) use_digits(start.data_type, start.bits, true);
    if (inputs) use_digits(start.act_data_type, start.act_bits, true);
    fill(start);
    out_.base = std::move(start);
    check_group(out_.base);
    report_bits(call_.find("bits"), out_.base);
  }

  // Reports arguments beside a scheme of GGUF, which AutoRound does not read.
  void report_without_effect(const std::string& scheme) {
    for (const FieldSpec& field : kLayerConfig.fields) {
      const Value* value = call_.given(field.name);
      if (value == nullptr || !is_scheme_field(field.name)) continue;
      context_.sink.report(diag::autoround_beside_gguf, value->span, field.name, scheme)
          .with_help(fmt::format("delete `{}`, or write it in `layer_config`", field.name));
    }
  }

  static bool is_scheme_field(std::string_view name) {
    constexpr std::string_view kNames[] = {"bits",           "group_size", "sym",           "data_type",  "act_bits",
                                           "act_group_size", "act_sym",    "act_data_type", "act_dynamic"};
    return base::contains(kNames, name);
  }

  // Fills in the fields of the inputs from those of the weights.
  static void fill(Fields& fields) {
    if (!fields.act_bits) fields.act_bits = 16;
    if (!fields.act_dynamic) fields.act_dynamic = true;
    if (!fields.act_group_size) fields.act_group_size = fields.group_size;
    if (!fields.act_sym) fields.act_sym = fields.sym;
    if (!fields.act_data_type)
      fields.act_data_type = *fields.act_bits < 16 ? fields.data_type : std::optional<std::string>("float");
  }

  // Reports a group size that the type of the weights can't have.
  void check_group(const Fields& fields) {
    constexpr std::int64_t kGroup = 16;
    const Value* value = call_.find("group_size");
    const std::string_view type = fields.data_type ? std::string_view(*fields.data_type) : std::string_view();
    const bool fixed = type.starts_with("nv_fp") || type.starts_with("nvfp");
    if (!fixed || value == nullptr || context_.is_unknown(*value) || !fields.group_size) return;
    if (fields.group_size->size == kGroup) return;
    reject();
    const Value* scheme = call_.find("scheme");
    const auto* name = scheme == nullptr ? nullptr : scheme->get<std::string>();
    auto& report = context_.sink.report(diag::autoround_fixed_group, value->span,
                                        name == nullptr ? std::string(type) : *name, fields.group_size->size);
    if (scheme != nullptr && !scheme->span.empty()) report.with_label(scheme->span, "overridden");
  }

  void report_bits(const Value* value, const Fields& fields) {
    if (value != nullptr && fields.bits && *fields.bits > 8 && *fields.bits != 16)
      context_.sink.report(diag::autoround_bits_not_stored, value->span, *fields.bits);
  }

  void read_layer_config() {
    const Value* config = call_.find("layer_config");
    if (config == nullptr || config->is_null()) return;
    out_.layer_config = config->span;
    const auto* map = config->get<source::Map>();
    if (map == nullptr) {
      if (context_.is_unknown(*config)) {
        out_.unknown = true;
      } else if (const auto* text = config->get<std::string>(); text == nullptr || !text->empty()) {
        report_type("layer_config", *config, "a mapping from names to settings",
                    "write `{\"down_proj\": {\"bits\": 8}}`");
      }
      return;
    }
    for (const auto& [key, value] : *map) add_entry(source::python_str(key), key, value);
  }

  void add_entry(const std::string& name, const Value& key, const Value& value) {
    if (name == "**") {
      out_.unknown = true;
      return;
    }
    LayerSetting entry{name, key.span, {}};
    entry.unknown = context_.is_unknown(value) || context_.is_unknown(key);
    if (!entry.unknown) entry.fields = fields_of_entry(name, value);
    out_.entries.push_back(std::move(entry));
  }

  Fields fields_of_entry(const std::string& name, const Value& value) {
    if (value.get<std::string>() != nullptr) return preset_of(name, value).value_or(Fields());
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      const auto* bits = value.get<std::int64_t>();
      report_type(name, value, "a preset or a mapping of settings",
                  fmt::format("write `{{\"bits\": {}}}`", bits == nullptr ? 8 : *bits));
      return {};
    }
    check_keys(name, *map);
    const Value* scheme = value.given("scheme");
    const Fields start =
        scheme == nullptr ? Fields() : preset_of("scheme", *scheme, key_of_scheme(*map)).value_or(Fields());
    Fields out = merged(start, fields_of(value));
    use_digit_of(value, "data_type", "bits", out.bits);
    use_digit_of(value, "act_data_type", "act_bits", out.act_bits);
    report_bits(value.find("bits"), out);
    return out;
  }

  // The digit of a type sets the bits unless the entry sets them itself.
  static void use_digit_of(const Value& value, std::string_view type, std::string_view bits,
                           std::optional<std::int64_t>& out) {
    const Value* word = value.find(type);
    const auto* text = word == nullptr ? nullptr : word->get<std::string>();
    if (text == nullptr || value.find(bits) != nullptr) return;
    std::optional<std::string> own = *text;
    std::optional<std::int64_t> digit;
    use_digits(own, digit, false);
    if (digit) out = digit;
  }

  void check_keys(const std::string& name, const source::Map& map) {
    std::vector<std::string_view> names;
    for (const FieldSpec& field : kLayerConfig.fields) names.push_back(field.name);
    for (const auto& [key, value] : map) {
      const std::string written = source::python_str(key);
      if (kLayerConfig.find(written) != nullptr || written == "**") continue;
      reject();
      // The words are those of the whole call.
      const Meant meant = field_meant_by(kAutoRound.name, written, value, names,
                                         "list the settings with `sparsecfg explain layer_config`");
      context_.sink.report(diag::unknown_field, key.span, written, fmt::format("`{}`", name))
          .with_help(meant.help)
          .with_fix(meant.fix(key.span, value.span));
    }
  }

  // `fp_layers` is the old name.
  void read_ignored() {
    for (const std::string_view name : {"ignore_layers", "fp_layers"}) {
      const Value* value = call_.find(name);
      if (value == nullptr || value->is_null() || (name == "fp_layers" && !reads_old_name())) continue;
      if (context_.is_unknown(*value)) {
        out_.unknown = true;
      } else if (const auto* text = value->get<std::string>()) {
        add_items(name, *value, *text);
      } else {
        report_ignored_type(name, *value);
      }
      return;
    }
  }

  void report_ignored_type(std::string_view name, const Value& value) {
    std::vector<std::string> items;
    if (const auto* list = value.get<source::List>()) {
      for (const Value& each : *list) items.push_back(source::python_str(each));
    }
    const bool empty_list = value.get<source::List>() != nullptr && items.empty();
    if (empty_list || (value.number() && *value.number() == 0)) return;  // counts as absent
    const std::string text = as_string(value);
    report_type(name, value, "a string with commas", fmt::format("write `\"{}\"`", text.empty() ? "lm_head" : text));
  }

  void add_items(std::string_view name, const Value& value, const std::string& text) {
    if (text.empty()) return;
    std::string plain = text;
    std::erase(plain, ' ');
    for (const std::string_view part : base::parts_of(plain, ',')) {
      if (add_item(std::string(part), value)) continue;
      reject();
      context_.sink.report(diag::autoround_empty_item, value.span, name);
      return;
    }
  }

  bool add_item(std::string item, const Value& value) {
    if (item.empty()) return false;
    const bool ends = quantizers::is_at_least("0.12", kReaderOptions[0], context_.options);
    if (ends && base::is_digit(item.back())) item += '.';
    const auto known = std::ranges::find(out_.entries, item, &LayerSetting::key);
    if (known != out_.entries.end()) {
      known->ignored = true;
      known->fields = plain_fields();
      if (known + 1 != out_.entries.end() && !known->item)
        context_.sink.report(diag::autoround_same_key, known->span, item);
      return true;
    }
    out_.entries.push_back({std::move(item), value.span, plain_fields(), true, true});
    return true;
  }

  void read_blocks() {
    const Value* blocks = call_.find("to_quant_block_names");
    if (blocks == nullptr || blocks->is_null()) return;
    if (context_.is_unknown(*blocks)) {
      out_.unknown = true;
    } else if (const auto* text = blocks->get<std::string>()) {
      for (const std::string& name : split(*text)) out_.blocks.push_back({name, blocks->span, false});
    } else if (const auto* list = blocks->get<source::List>()) {
      for (const Value& each : *list) add_blocks(each);
    }
  }

  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      out.emplace_back(base::trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return out;
  }

  void add_blocks(const Value& inner) {
    const auto* list = inner.get<source::List>();
    if (list == nullptr) {
      const std::string name = source::python_str(inner);
      return report_type("to_quant_block_names", inner, "a list of names",
                         fmt::format("write `\"{}\"` as one string with commas, or a list of lists", name));
    }
    for (const Value& each : *list) out_.blocks.push_back({source::python_str(each), each.span, true});
  }

  // Returns true for an argument that counts as true.
  [[nodiscard]] bool is_on(std::string_view name) const {
    const Value* value = call_.find(name);
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return value != nullptr && (value->number().value_or(0) != 0 || (text != nullptr && !text->empty())) &&
           !context_.is_unknown(*value);
  }

  // Reports a learning rate that moves no rounding. The rate falls linearly, so half of the sum of all steps remains.
  void check_rate() {
    constexpr double kLeast = 0.05;
    constexpr double kUsualSteps = 200;
    const Value* rate = call_.find("lr");
    const Value* steps = call_.find("iters");
    const auto lr = rate == nullptr || context_.is_unknown(*rate) ? std::nullopt : number_in(*rate);
    const auto count = steps == nullptr ? std::optional(kUsualSteps) : number_in(*steps);
    const Value* scheduler = call_.find("lr_scheduler");
    const bool adam = is_on("enable_adam") || (scheduler != nullptr && !scheduler->is_null()) ||
                      context_.file.text(out_.span).find("Adam") != std::string_view::npos;
    if (!lr || !count || *lr <= 0 || *count <= 0 || adam || out_.unknown) return;
    const double reach = *lr * *count / 2;
    if (reach >= kLeast) return;
    context_.sink
        .report(diag::autoround_small_rate, rate->span, source::python_str(*rate), fmt::format("{:.2g}", reach))
        .with_help(fmt::format("delete `lr`: it is then {:.2g}, 1 / `iters`", 1 / *count));
  }

  void read_switches() {
    out_.quantizes_head = is_on("quant_lm_head");
    if (out_.quantizes_head) out_.head = call_.find("quant_lm_head")->span;
    check_rate();
    out_.nontext = is_on("quant_nontext_module");
    const Value* iterations = call_.find("iters");
    const bool none = iterations != nullptr && iterations->number() == 0;
    out_.asks_for_model_free = is_on("model_free");
    const bool automatic = none && is_on("disable_opt_rtn") && !is_on("disable_model_free");
    const bool exists = quantizers::is_at_least("0.13", kReaderOptions[0], context_.options);
    out_.model_free = exists && (out_.asks_for_model_free || automatic);
    const Value* model = call_.find("model");
    const bool named = model != nullptr && model->get<std::string>() != nullptr && !context_.is_unknown(*model);
    out_.names_model = form_.command || named;
    if (out_.asks_for_model_free) add_free_switch("model_free");
    if (automatic) add_free_switch("disable_opt_rtn");
  }

  void add_free_switch(std::string_view name) {
    out_.free_switches.push_back({switched_on(form_, name), call_.find(name)->span});
  }

  const Context& context_;
  const Value& call_;
  const Form& form_;
  Arguments out_;
  bool valid_ = true;
};

}  // namespace

std::optional<Arguments> read_arguments(const Context& context, const Value& call, const Form& form) {
  return ArgumentReader(context, call, form).run();
}

}  // namespace sparsecfg::dialect::autoround
