#include "dialect/gptqmodel/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/methods.h"
#include "dialect/gptqmodel/settings.h"
#include "dialect/gptqmodel/table.h"
#include "dialect/gptqmodel/values.h"
#include "dialect/quantizers/calls.h"
#include "dialect/record/field_names.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::gptqmodel {

using source::Value;

bool Context::is_unknown(const Value& value) const { return quantizers::has_unknown(value, unknown); }

DIAGNOSTIC(GQ101, gptq_key_dropped, silent_warning, (Text, Text), "`{}` is not a setting of {} and has no effect",
           "GPTQModel silently drops names that it does not know, in a call and in an entry of `dynamic`. The value "
           "of the configuration or the default applies.",
           "correct the name of `{0}`, or delete it")

DIAGNOSTIC(GQ102, gptq_act_order_conflict, error, (), "`desc_act` and `act_group_aware` cannot both be true",
           "Both settings decide the order of the columns. The constructor of GPTQModel rejects the combination.",
           "write `act_group_aware: false`, or delete `desc_act`")

DIAGNOSTIC(GQ103, gptq_format_changes_method, warning, (Text, Text, Text),
           "the format `{0}` belongs to {1}, so the layers are quantized by {1} and not by {2}",
           "If format and method do not belong together, the format decides, and GPTQModel only prints a warning.",
           "write `format: gptq`, or write the method of the format")

DIAGNOSTIC(GQ104, gptq_string_is_true, warning, (Text, Text), "the string `{}` of `{}` counts as true",
           "GPTQModel does not check the type of this setting, and every string that is not empty is true.",
           "write `{1}: false`")

DIAGNOSTIC(GQ105, gptq_planar_format, info, (std::int64_t), "only GPTQModel can load layers with {} bits",
           "For 5, 6 and 7 bits, GPTQModel changes the format to `gptq_p`. vLLM and transformers cannot read it.",
           "write `bits: 4` or `bits: 8` for other programs")

DIAGNOSTIC(GQ106, gptq_saved_without_sym, warning, (), "the file has no `sym`, so GPTQModel assumes true",
           "GPTQModel prints a warning. If the layers were quantized with zero points, the results are wrong.",
           "add `sym: true`, or `sym: false` if the layers have zero points")

DIAGNOSTIC(GQ417, gptq_threshold_of_tokens, silent_warning, (Text), "the threshold `{}` is a number of tokens",
           "A number is compared with the tokens that a module has seen, and a text with a percent sign with the share "
           "of all tokens. Below one token, only modules without any token use the fallback. The default is `0.5%`.",
           "write a share such as `\"0.5%\"`")

void check_threshold(double threshold, source::Span place, diag::Sink& sink) {
  if (!(threshold > 0 && threshold < 1)) return;
  sink.report(diag::gptq_threshold_of_tokens, place, fmt::format("{}", threshold))
      .with_help(fmt::format("write `\"{:g}%\"`, a share of the tokens", threshold * 100));
}

namespace {

constexpr std::pair<std::string_view, std::string_view> kSavedNames[] = {{"w_bit", "bits"},
                                                                         {"wbits", "bits"},
                                                                         {"q_group_size", "group_size"},
                                                                         {"version", "format"},
                                                                         {"checkpoint_format", "format"},
                                                                         {"quant_method", "method"}};

// Names that other programs write into the file, and which GPTQModel drops without loss.
constexpr std::string_view kForeignNames[] = {"model_name_or_path",
                                              "model_file_base_name",
                                              "modules_in_block_to_quantize",
                                              "block_name_to_quantize",
                                              "zero_point",
                                              "backend",
                                              "dataset",
                                              "batch_size",
                                              "use_cuda_fp16",
                                              "model_seqlen",
                                              "module_name_preceding_first_block",
                                              "pad_token_id",
                                              "use_exllama",
                                              "disable_exllama",
                                              "exllama_config",
                                              "cache_block_outputs",
                                              "max_input_length",
                                              "tokenizer",
                                              "modules_to_not_convert",
                                              "is_marlin_format",
                                              "packing_backend",
                                              "**"};

// Reads a configuration.
class Constructor {
 public:
  Constructor(const Context& context, const Value& config, Form form, source::Span name)
      : context_(context), config_(config), form_(form), name_(name) {}

  std::optional<Config> run() {
    collect();
    check_names(values_, kQuantizeConfig, "`QuantizeConfig`");
    report_old_format();
    read_method();
    read_layer();
    read_dynamic();
    check_rest();
    out_.span = name_;
    out_.values = config_;
    out_.saved = form_ == Form::saved;
    return valid_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  // Collects the settings under their current names.
  void collect() {
    const auto* map = config_.get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const auto& [key, value] = (*map)[at];
      const auto* name = key.get<std::string>();
      if (name == nullptr) continue;
      if (*name == "**") out_.unknown = true;
      values_.push_back({form_ == Form::saved ? base::to_lower(*name) : *name, key.span, value});
    }
  }

  // Returns the last value of a setting under any of its names; null if it is absent.
  [[nodiscard]] const Value* find(std::string_view name) const {
    const Value* out = nullptr;
    for (const Setting& each : values_) {
      if (each.name == name) out = &each.value;
    }
    for (const auto& [other, ours] : kSavedNames) {
      const bool read = form_ == Form::saved || other == "quant_method" || other == "checkpoint_format";
      if (out == nullptr && ours == name && read) out = find_as_written(other);
    }
    return out;
  }

  [[nodiscard]] const Value* find_as_written(std::string_view name) const {
    const auto found = std::ranges::find(values_, name, &Setting::name);
    return found == values_.end() ? nullptr : &found->value;
  }

  void reject() { valid_ = false; }

  void report_type(std::string_view name, const Value& value, std::string_view expected, std::string help) {
    reject();
    context_.sink.report(diag::wrong_type, value.span, name, expected, source::describe(value))
        .with_help(std::move(help));
  }

  static std::vector<std::string_view> names_of(const ClassSpec& spec) {
    std::vector<std::string_view> out;
    for (const FieldSpec& field : spec.fields) out.push_back(field.name);
    return out;
  }

  // The settings of ParoQuant are many and have no effect on the scheme.
  static bool is_of_paroquant(std::string_view name) { return name == "krot" || name.starts_with("opt_"); }

  // Fields of the class of AutoGPTQ, which GPTQModel does not have.
  [[nodiscard]] bool is_of_auto_gptq(std::string_view name) const {
    const std::string_view call = context_.file.text().substr(name_.begin, name_.end - name_.begin);
    return call.ends_with("BaseQuantizeConfig") && (name == "model_name_or_path" || name == "model_file_base_name");
  }

  // Reports names that no row has.
  void check_names(const std::vector<Setting>& values, const ClassSpec& spec, std::string_view owner) {
    const std::vector<std::string_view> names = names_of(spec);
    for (const Setting& each : values) {
      const bool saved_name = form_ == Form::saved && std::ranges::any_of(kSavedNames, [&](const auto& pair) {
                                return pair.first == each.name;
                              });
      const bool foreign = form_ == Form::saved && base::contains(kForeignNames, each.name);
      if (spec.find(each.name) != nullptr || saved_name || foreign || each.name == "**" || is_of_paroquant(each.name) ||
          is_of_auto_gptq(each.name)) {
        continue;
      }
      const Meant meant =
          field_meant_by(spec.name, each.name, each.value, names,
                         fmt::format("delete `{}`; `sparsecfg explain {}` lists the settings", each.name, spec.name));
      auto& report = context_.sink.report(diag::gptq_key_dropped, each.key, each.name, owner);
      report.with_help(meant.help).with_fix(meant.fix(each.key, each.value.span));
      if (spec.find("dynamic") != nullptr && find_as_written("dynamic") == nullptr) offer_skipped(report, each);
    }
  }

  void report_old_format() {
    const Value* marlin = find_as_written("is_marlin_format");
    if (marlin != nullptr && (form_ == Form::saved || is_true(marlin))) {
      report_type("is_marlin_format", *marlin, "absent", "delete `is_marlin_format`, and write `format: marlin`");
    }
    const Value* meta = find_as_written("meta");
    if (meta != nullptr && !meta->is_null() && meta->get<source::Map>() == nullptr && !context_.is_unknown(*meta)) {
      report_type("meta", *meta, "a mapping", "delete `meta`");
    }
  }

  void report_choice(std::string_view name, const Value& value, const std::vector<std::string_view>& choices) {
    reject();
    const std::string text = source::python_str(value);
    base::Guesses guesses(choices);
    const Word* word = find_word(Word::Place::value, std::string(name), text, choices);
    const auto guess = word != nullptr ? std::optional(word->ours) : guesses.nearest(text);
    context_.sink.report(diag::unknown_choice, value.span, text, name)
        .with_help(word != nullptr ? fmt::format("write `{}: {}`: {}", name, word->ours, word->reason)
                   : guess         ? fmt::format("write `{}: {}`", name, *guess)
                                   : fmt::format("use one of `{}`", fmt::join(choices, "`, `")));
  }

  [[nodiscard]] static std::vector<std::string_view> words() {
    std::vector<std::string_view> out;
    for (const MethodRow& row : methods()) out.push_back(row.word);
    return out;
  }

  [[nodiscard]] static std::vector<std::string_view> formats() {
    std::vector<std::string_view> out;
    for (const MethodRow& row : methods()) {
      for (const std::string_view format : row.formats) {
        if (!format.empty()) out.push_back(format);
      }
    }
    return out;
  }

  // Of method and format, the format decides (docs/semantics/gptqmodel.md#a1-6).
  void read_method() {
    const Value* method = find("method");
    const Value* format = find("format");
    if (method == nullptr) {
      const Value* only = find_as_written("weight_only");
      method = only == nullptr ? nullptr : only->given("method");
      if (lower_text(method) == "rtn") method = nullptr;
    }
    if (method != nullptr && method->is_null() && form_ == Form::saved) {
      return report_type("quant_method", *method, "the name of a method", "write `quant_method: gptq`");
    }
    for (const Value* value : {method, format})
      out_.unknown = out_.unknown || (value != nullptr && context_.is_unknown(*value));
    if (!out_.unknown) choose_method(method, format);
  }

  void choose_method(const Value* method, const Value* format) {
    std::optional<std::string> word = lower_text(method);
    std::optional<std::string> form = lower_text(format);
    if (word == "marlin" || word == "bitblas") {
      if (!form) form = word;
      word = "gptq";
    }
    const MethodRow* owner = form ? owner_of(*form) : nullptr;
    if (form && owner == nullptr) return report_choice("format", *format, formats());
    const MethodRow& awq = row_of(Method::awq);
    const bool either = form && has_format(awq, *form) && has_format(row_of(Method::gptq), *form);
    if (either && word == "awq") owner = &awq;
    const auto bits = lower_text(find("bits"));
    if (bits && is_gguf_type(*bits) && (!word || word == "gguf")) owner = &row_of(Method::gguf);
    const MethodRow* row = word ? find_method(*word) : nullptr;
    const bool known = row != nullptr;
    const bool alone = owner != nullptr && (owner->method == Method::bitsandbytes || owner->method == Method::fp8 ||
                                            owner->method == Method::exl3 || owner->method == Method::gguf);
    if (word && !known && !alone) return report_choice("method", *method, words());
    const bool keeps_awq = known && row->method == Method::awq && owner != nullptr && owner->method == Method::gptq;
    const MethodRow& chosen = keeps_awq ? awq : owner != nullptr ? *owner : known ? *row : row_of(Method::gptq);
    if (known && owner != nullptr && !keeps_awq && chosen.method != row->method && format != nullptr) {
      context_.sink.report(diag::gptq_format_changes_method, format->span, *form, chosen.name, row->name)
          .with_help(fmt::format("write `format: {}`, or write `method: {}`", row->formats.front(), chosen.word));
    }
    out_.method = chosen.method;
    out_.format = form && !keeps_awq ? *form : std::string(chosen.formats.front());
  }

  [[nodiscard]] bool has_own_group() const {
    return out_.method != Method::fp8 && out_.method != Method::bitsandbytes && out_.method != Method::exl3 &&
           out_.method != Method::gguf;
  }

  // Returns the text that keeps modules in 16 bits. `pattern` is empty outside of `dynamic`.
  static std::string help_for_plain(std::string_view pattern) {
    if (pattern.starts_with("-:") || pattern.starts_with("+:")) pattern.remove_prefix(2);
    return pattern.empty() ? "write `bits: 8`"
                           : fmt::format("write `{{'-:{}': {{}}}}` to keep these layers in 16 bits", pattern);
  }

  // Returns the bits of a value; nullopt after a report.
  std::optional<std::int64_t> bits_of(const Value& value, std::int64_t least, std::string_view pattern = {}) {
    std::optional<double> number = value.get<bool>() == nullptr ? value.number() : std::nullopt;
    if (const auto* text = value.get<std::string>()) {
      const std::string word = base::to_lower(base::trim(*text));
      int whole = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), whole);
      if (error == std::errc() && end == word.data() + word.size()) number = whole;
      if (is_gguf_type(word)) number = word[1] - '0';
    }
    const double least_bits = static_cast<double>(least);
    if (number && out_.method == Method::exl3) return static_cast<std::int64_t>(*number);
    if (number && *number == std::floor(*number) && *number >= least_bits && *number <= 8)
      return static_cast<std::int64_t>(*number);
    report_type("bits", value, fmt::format("a whole number from {} to 8", least),
                number && *number >= 16 ? help_for_plain(pattern) : "write `bits: 4`");
    return std::nullopt;
  }

  std::optional<std::int64_t> group_of(const Value& value) {
    const auto number = value.number();
    if (number && (*number > 0 || *number == -1)) return static_cast<std::int64_t>(*number);
    const auto* text = value.get<std::string>();
    const bool channel = text != nullptr && text->find("channel") != std::string::npos;
    report_type("group_size", value, "a number above 0, or -1",
                channel ? "write `group_size: -1`: one group for each channel"
                        : "write `group_size: 128`, or `group_size: -1` for one group for each channel");
    return std::nullopt;
  }

  void read_truth(std::string_view name, bool& out) {
    const Value* value = find(name);
    if (value == nullptr || note_unknown(*value)) return;
    out = is_true(value);
    warn_of_string(name, *value);
  }

  void warn_of_string(std::string_view name, const Value& value) {
    const auto* text = value.get<std::string>();
    const std::string word = text == nullptr ? "" : base::to_lower(*text);
    if (word == "false" || word == "no" || word == "off" || word == "0") {
      context_.sink.report(diag::gptq_string_is_true, value.span, *text, name);
    }
  }

  bool note_unknown(const Value& value) {
    const bool unknown = context_.is_unknown(value);
    out_.unknown = out_.unknown || unknown;
    return unknown;
  }

  void read_layer() {
    out_.base.bits = out_.method == Method::fp8 ? 8 : 4;
    const bool strict = out_.method == Method::gptq || out_.method == Method::awq || out_.method == Method::qqq ||
                        out_.method == Method::paroquant;
    if (const Value* bits = find("bits"); bits != nullptr && !note_unknown(*bits)) {
      out_.base.bits = bits_of(*bits, strict ? 2 : 1).value_or(4);
    }
    if (out_.method == Method::gguf && is_gguf_type(out_.format)) out_.base.bits = out_.format[1] - '0';
    if (const Value* group = find("group_size"); group != nullptr && !note_unknown(*group)) {
      out_.base.group_size = group_of(*group).value_or(128);
    }
    read_truth("sym", out_.base.symmetric);
    const Value* zero_point = find_as_written("zero_point");
    if (form_ == Form::saved && find("sym") == nullptr && zero_point != nullptr)
      out_.base.symmetric = !is_true(zero_point);
    out_.base.desc_act = out_.method == Method::paroquant;
    read_truth("desc_act", out_.base.desc_act);
    out_.base.group_aware = out_.method == Method::gptq;
    read_truth("act_group_aware", out_.base.group_aware);
    if (!has_own_group()) {
      out_.base.group_size = out_.method == Method::bitsandbytes ? block_size() : -1;
      out_.base.symmetric = true;
    }
    check_bitsandbytes();
    read_truth("lm_head", out_.lm_head);
    if (out_.method == Method::gptq) report_planar(out_.base.bits, find("bits"));
  }

  // Returns the weights that share a scale in bitsandbytes.
  [[nodiscard]] std::int64_t block_size() const {
    constexpr std::int64_t kUsual = 64;
    const Value* size = find_as_written("block_size");
    const auto number = size == nullptr ? std::nullopt : size->number();
    return number && *number > 0 ? static_cast<std::int64_t>(*number) : kUsual;
  }

  void report_planar(std::int64_t bits, const Value* value) {
    if (value != nullptr && bits >= 5 && bits <= 7) context_.sink.report(diag::gptq_planar_format, value->span, bits);
  }

  void check_bitsandbytes() {
    const Value* format = find("format");
    if (out_.method == Method::bitsandbytes && out_.base.bits == 4 && format != nullptr &&
        lower_text(format) == "int8") {
      report_type("format", *format, "`fp4` or `nf4` with 4 bits", "write `format: nf4`, or `bits: 8`");
    }
  }

  void read_dynamic() {
    const Value* dynamic = find("dynamic");
    if (dynamic == nullptr || dynamic->is_null()) return;
    const auto* map = dynamic->get<source::Map>();
    if (map == nullptr) {
      if (!note_unknown(*dynamic)) {
        report_type("dynamic", *dynamic, "a mapping from patterns to values", "write `dynamic: {\"-:.*q_proj\": {}}`");
      }
      return;
    }
    out_.has_dynamic = true;
    for (const auto& [key, value] : *map) read_entry(key, value);
    out_.as_written = out_.dynamic;
    std::ranges::stable_partition(out_.dynamic, [](const Entry& entry) { return entry.pattern.starts_with('-'); });
  }

  void read_entry(const Value& key, const Value& value) {
    const std::string pattern = source::python_str(key);
    if (pattern == "**") {
      out_.unknown = true;
      return;
    }
    const bool unknown = context_.is_unknown(key) || context_.is_unknown(value);
    if (value.get<source::Map>() == nullptr && !unknown) {
      return report_type(pattern, value, "a mapping of values",
                         value.data == Value::Data(false)
                             ? fmt::format("write `\"-:{}\": {{}}`, which skips the modules", pattern)
                             : "write `{\"bits\": 8}`, or `{}` after a pattern with `-:`");
    }
    out_.dynamic.push_back({pattern, key.span, value, unknown});
    if (unknown) return;
    if (!pattern.starts_with('-')) check_fields(pattern, value);
    check_sizes(pattern, value);
  }

  void check_fields(const std::string& pattern, const Value& value) {
    std::vector<Setting> values;
    for (const auto& [key, each] : *value.get<source::Map>())
      values.push_back({source::python_str(key), key.span, each});
    check_names(values, kDynamicEntry, fmt::format("`{}`", pattern));
    if (const Value* symmetric = value.find("sym")) warn_of_string("sym", *symmetric);
  }

  // GPTQModel also checks the values of entries that skip modules.
  void check_sizes(const std::string& pattern, const Value& value) {
    if (const Value* bits = value.find("bits")) {
      const auto number = bits_of(*bits, out_.method == Method::gguf ? 1 : 2, pattern);
      if (number && out_.method == Method::gptq) report_planar(*number, bits);
    }
    if (const Value* group = value.find("group_size")) {
      if (has_own_group() || group->number() == -1) {
        group_of(*group);
      } else {
        report_type("group_size", *group, fmt::format("absent, because {} does not use it", name_of(out_.method)),
                    "delete `group_size`");
      }
    }
  }

  void check_rest() {
    const Value* grouped = find_as_written("act_group_aware");
    if (out_.method == Method::gptq && is_true(find_as_written("desc_act")) && is_true(grouped) && !out_.unknown) {
      reject();
      context_.sink.report(diag::gptq_act_order_conflict, grouped->span);
    }
    check_damping();
    check_records();
    check_fallback();
    check_pack_dtype();
    const bool uses_sym = out_.method == Method::gptq || out_.method == Method::awq || out_.method == Method::qqq;
    const bool has_sym = find("sym") != nullptr || find_as_written("zero_point") != nullptr;
    if (form_ == Form::saved && uses_sym && !has_sym && valid_)
      context_.sink.report(diag::gptq_saved_without_sym, name_);
  }

  void check_damping() {
    const Value* damping = find_as_written("damp_percent");
    if (damping == nullptr || damping->is_null() || context_.is_unknown(*damping)) return;
    const auto number = damping->number();
    if (number && *number > 0 && *number < 1) return;
    const bool percent = number && *number >= 1 && *number < 100;
    report_type("damp_percent", *damping, "a number above 0 and below 1",
                fmt::format("write `damp_percent: {}`", percent ? base::python_repr(*number / 100) : "0.05"));
  }

  // Settings that are records, which earlier releases had as switches.
  void check_records() {
    for (const std::string_view name : {"gptaq", "foem", "hessian"}) {
      const Value* value = find_as_written(name);
      if (value == nullptr || value->is_null() || value->get<source::Map>() != nullptr || context_.is_unknown(*value))
        continue;
      report_type(
          name, *value, "a mapping",
          name == "gptaq" && is_true(value) ? "write `gptaq: {\"alpha\": 0.25}`" : fmt::format("delete `{}`", name));
    }
  }

  void check_fallback() {
    constexpr std::string_view kStrategies[] = {"rtn", "midpoint", "mean", "median", "stdclip"};
    const Value* fallback = find_as_written("fallback");
    if (fallback == nullptr) return;
    const Value* threshold = fallback->get<source::Map>() == nullptr ? fallback : fallback->given("threshold");
    const auto* share = threshold == nullptr ? nullptr : threshold->get<double>();
    if (share != nullptr) check_threshold(*share, threshold->span, context_.sink);
    const Value* strategy = fallback->given("strategy");
    const auto word = lower_text(strategy);
    if (word && !base::contains(kStrategies, *word) && !context_.is_unknown(*strategy)) {
      report_choice("strategy", *strategy, {std::begin(kStrategies), std::end(kStrategies)});
    }
  }

  void check_pack_dtype() {
    constexpr std::string_view kTypes[] = {"int32", "int16", "int8", "int64"};
    const Value* type = find_as_written("pack_dtype");
    const auto word = lower_text(type);
    if (!word || context_.is_unknown(*type)) return;
    const std::string name = word->starts_with("torch.") ? word->substr(6) : *word;
    if (!base::contains(kTypes, name)) report_choice("pack_dtype", *type, {std::begin(kTypes), std::end(kTypes)});
  }

  const Context& context_;
  const Value& config_;
  Form form_;
  source::Span name_;
  std::vector<Setting> values_;
  Config out_;
  bool valid_ = true;
};

}  // namespace

std::optional<Config> construct(const Context& context, const Value& config, Form form, source::Span name) {
  return Constructor(context, config, form, name).run();
}

}  // namespace sparsecfg::dialect::gptqmodel
