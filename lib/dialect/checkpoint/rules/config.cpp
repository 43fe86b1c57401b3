#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/lists.h"
#include "dialect/checkpoint/values.h"
#include "dialect/words.h"
#include "emit/literal.h"
#include "regex/literal.h"

// Checks of the method, its keys and its values.
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(QC101, no_quant_method, error, (Text), "`{}` has no `quant_method`",
           "`quant_method` selects the code that loads the weights. Without it, transformers and vLLM stop. MLX writes "
           "such a copy of its key `quantization`.",
           "add the method of the weights, such as `\"quant_method\": \"gptq\"`")

DIAGNOSTIC(
    QC102, unknown_quant_method, error, (Text, Text), "{1} does not know the method `{0}`",
    "transformers ignores a method that it does not know, with one warning, and builds the model without "
    "quantization. Packed weights then do not fit. vLLM stops. Names are case-sensitive, except `awq` and `gptq` "
    "in vLLM.",
    "correct the name of the method")

DIAGNOSTIC(QC103, rejected_quant_value, error, (Text, Text), "{0} is rejected by {1}",
           "A program checks the values of a method when it loads the config, and stops.", "correct the value")

DIAGNOSTIC(QC104, key_of_other_method, silent_warning, (Text, Text), "`{0}` has no effect with the method `{1}`",
           "Each method has its own key for modules. Most lists name modules that stay unquantized, but that of `gptq` "
           "names those that are quantized. Programs ignore the keys of other methods.",
           "use the key of the method")

DIAGNOSTIC(QC105, unknown_quant_key, silent_warning, (Text, Text), "no program reads `{0}` of the method `{1}`",
           "Programs silently ignore unknown keys of `quantization_config`.", "delete the key, or correct its name")

DIAGNOSTIC(QC106, list_read_by_letter, silent_warning, (Text, Text), "{1} reads `{0}` letter by letter",
           "A list of modules must be a list. transformers iterates over a string, so each letter is an entry that "
           "matches all names that start or end with it. vLLM compares the letters of AWQ as substrings.",
           "write a list with one string")

DIAGNOSTIC(QC107, invalid_entry_pattern, error, (Text, Text), "{1} rejects the entry `{0}`, which is no valid pattern",
           "transformers compiles each entry as a regular expression and stops at the first invalid one. Globs such as "
           "`*.lm_head` are not supported.",
           "write a regular expression that matches from the start of the name")

DIAGNOSTIC(QC108, two_different_lists, silent_warning, (),
           "the file has two different lists, and programs read different ones",
           "transformers reads `modules_to_not_convert`. vLLM reads `ignored_layers` unless it is empty. SGLang reads "
           "`ignored_layers` if it is present.",
           "keep one list, or make both equal")

DIAGNOSTIC(QC109, rejected_list, error, (Text, Text), "{1} rejects the list `{0}`",
           "A program checks the types of lists and entries when it loads the config, and stops.",
           "write a list of strings")

DIAGNOSTIC(QC110, method_of_one_program, info, (Text, Text, Text), "{0} loads the method `{1}`, but {2} does not",
           "Each program supports its own set of methods.", "select the program with `--runtime`")

DIAGNOSTIC(QC111, unsupported_layer_format, error, (Text), "{} has no code for the format of a layer",
           "vLLM loads static and dynamic FP8, static INT8 and MX formats of Quark. Each layer must have one of them.",
           "quantize the model in a format that the program supports")

DIAGNOSTIC(
    QC309, block_size_absent, silent_warning, (),
    "without `weight_block_size`, transformers expects blocks of 128 x 128, and vLLM one scale per tensor",
    "The default of transformers is `[128, 128]`, that of vLLM and SGLang is null. The stored scales fit only one "
    "of them: `weight_scale_inv` has one scale for each block, `weight_scale` one for the whole weight.",
    "write `weight_block_size: [128, 128]` if the weights have blocks, or else `weight_block_size: null`")

DIAGNOSTIC(QC113, bits_flag_absent, silent_warning, (Text), "without `load_in_4bit` or `load_in_8bit`, transformers {}",
           "The flags select the number of bits. A `BitsAndBytesConfig` without them quantizes to 4 bits, also if "
           "`load_in_4bit=False` was written to turn the quantization off. In a saved model, transformers ignores a "
           "configuration without them.",
           "add `load_in_4bit=True`")

DIAGNOSTIC(QC114, method_needs_option, error, (Text), "vLLM loads `{}` only with `--allow-deprecated-quantization`",
           "vLLM still has code for this method, but stops with ValueError unless an option allows deprecated methods.",
           "pass `--allow-deprecated-quantization`, or quantize the model in the format of compressed-tensors")

DIAGNOSTIC(QC115, key_of_other_reader, error, (Text, Text), "transformers does not read `{0}`: its key is `{1}`",
           "AutoAWQ has two names for the bits and the groups. vLLM and SGLang read both. transformers reads only "
           "`bits` and `group_size`, and expects 4 bits in groups of 128 without them, so the stored scales do not "
           "fit.",
           "write `{1}`, which all programs read")

// --- helpers ----------------------------------------------------------------------------------------

std::string titles_of(const std::vector<const Reading*>& readings) {
  std::vector<std::string> titles;
  for (const Reading* reading : readings) titles.emplace_back(title_of(reading->program));
  return base::join_and(titles);
}

static const Value* key_of(const Value& config, std::string_view name) {
  const auto* map = config.get<source::Map>();
  if (map == nullptr) return nullptr;
  const auto found =
      std::ranges::find_if(*map, [&](const source::Entry& each) { return text_of(&each.first) == name; });
  return found == map->end() ? nullptr : &found->first;
}

source::Span Context::place_of(std::string_view name) const {
  const Value* found = key_of(input.config, name);
  return found == nullptr ? key : found->span;
}

source::Span Context::place_of(const EntryList& list) const {
  for (const std::string_view field : list.reader.fields) {
    if (const Value* found = key_of(input.config, field)) return found->span;
  }
  return key;
}

static std::string printed_method(const Context& context) {
  return method_name(context.printed().program, context.input);
}

static bool is_refused(const Reading& reading, Refusal::Reason reason) {
  return reading.refusal && reading.refusal->reason == reason;
}

// Returns the key that an unknown one means for a method. The names of GPTQModel are those of most methods.
static Meant meant_by_key(const Context& context, const Method& method, std::string_view name, const Value& value) {
  std::vector<std::string_view> candidates;
  for (const Key& each : method.keys) {
    if (context.input.config.find(each.name) == nullptr) candidates.push_back(each.name);
  }
  Meant own = field_meant_by(method.name, name, value, candidates, "");
  return own.help.empty() ? field_meant_by("QuantizeConfig", name, value, candidates, "") : own;
}

static bool is_known(const Method& method, std::string_view name) {
  return std::ranges::find(method.keys, name, &Key::name) != method.keys.end();
}

// Returns the place of a key that has the name of another system, or belongs to another method, and is reported
// itself. Missing keys are then its consequence. Empty: none.
static source::Span foreign_key(const Context& context) {
  const Method* method = find_method(printed_method(context));
  const auto* map = context.input.config.get<source::Map>();
  for (const source::Entry& each : method == nullptr || map == nullptr ? source::Map() : *map) {
    const auto name = text_of(&each.first);
    if (!name || is_known(*method, *name)) continue;
    if (*name == "config_groups" || meant_by_key(context, *method, *name, each.second).name) return each.first.span;
  }
  return {};
}

// --- the method -------------------------------------------------------------------------------------

static void suggest_method(const Context& context, diag::Diagnostic& report) {
  std::vector<std::string_view> names;
  for (const Method& method : methods()) names.push_back(method.name);
  const Value* value = context.input.config.find("quant_method");
  const auto near = base::nearest(context.input.method.value_or(""), names);
  if (!near || value == nullptr) return;
  report.with_help(fmt::format("did you mean `{}`?", *near))
      .with_fix(diag::Fix::unsafe().content(value->span, std::string(*near)));
}

// A file of bitsandbytes without flags.
static bool lacks_flags(const Reading& reading, std::string_view name) {
  return reading.program == Program::transformers && name == "bitsandbytes";
}

// Offers the programs that load a method. Returns false if there are none.
static bool offer_programs(const Reading& reading, std::string_view name, diag::Diagnostic& report) {
  std::vector<std::string_view> titles;
  for (const Program each : {Program::transformers, Program::vllm, Program::sglang}) {
    if (each != reading.program && find_loading(each, name) != nullptr) titles.push_back(title_of(each));
  }
  if (titles.empty()) return false;
  report.with_help(
      fmt::format("load the model with {}, or quantize it again with llm-compressor, whose format {} loads",
                  fmt::join(titles, " or "), title_of(reading.program)));
  return true;
}

static void report_unknown(const Context& context, const Reading& reading) {
  const std::string name = method_name(reading.program, context.input);
  const Value* value = context.input.config.find("quant_method");
  if (lacks_flags(reading, name)) {
    context.sink.report(diag::bits_flag_absent, context.place_of("quant_method"), "ignores the configuration")
        .with_help("add `\"load_in_4bit\": true`")
        .with_cause(foreign_key(context));
    return;
  }
  if (is_refused(reading, Refusal::Reason::deprecated)) {
    context.sink.report(diag::method_needs_option, context.place_of("quant_method"), name);
    return;
  }
  auto& report = context.sink.report(diag::unknown_quant_method, value == nullptr ? context.key : value->span, name,
                                     std::string(title_of(reading.program)));
  // A program that ignores the method builds the model without quantization, if another program loads the file.
  const bool loads =
      std::ranges::any_of(context.readings, [](const Reading& each) { return each.known() && !each.ignored; });
  report.with_severity(reading.ignored && (loads || context.selected) ? diag::Severity::warning
                                                                      : context.severity_of(reading));
  if (!offer_programs(reading, name, report)) suggest_method(context, report);
  if (find_method(name) != nullptr) report.with_cause(foreign_key(context));
}

// A method that one program loads and another does not know is no error unless the user selects the program.
static void report_known_elsewhere(const Context& context, const std::vector<const Reading*>& without,
                                   const std::vector<const Reading*>& with) {
  const Value* value = context.input.config.find("quant_method");
  context.sink.report(diag::method_of_one_program, value == nullptr ? context.key : value->span, titles_of(with),
                      std::string(context.input.method.value_or("")), titles_of(without));
}

static bool lacks_method(const Reading& reading) {
  return reading.ignored || is_refused(reading, Refusal::Reason::unknown_method) ||
         is_refused(reading, Refusal::Reason::deprecated);
}

// transformers selects bitsandbytes by its flags, so only the other programs require the key then.
static void report_no_method(const Context& context, const Reading& reading) {
  auto& report = context.sink.report(diag::no_quant_method, context.key, std::string("quantization_config"));
  if (&reading == &context.printed()) return;
  report.with_severity(context.severity_of(reading))
      .with_caret(fmt::format("{} stops without it", title_of(reading.program)))
      .with_help(fmt::format("add `\"quant_method\": \"{}\"`", printed_method(context)));
}

static void check_method(const Context& context) {
  std::vector<const Reading*> with;
  std::vector<const Reading*> without;
  for (const Reading& reading : context.readings) {
    if (is_refused(reading, Refusal::Reason::no_method)) return report_no_method(context, reading);
    if (lacks_method(reading)) without.push_back(&reading);
    if (reading.loading != nullptr) with.push_back(&reading);
  }
  if (without.empty()) return;
  if (lacks_method(context.printed())) {
    report_unknown(context, context.printed());
  } else if (!with.empty()) {
    report_known_elsewhere(context, without, with);
  }
}

// --- values -----------------------------------------------------------------------------------------

// Keys that describe the stored weights.
constexpr std::string_view kStored[] = {"bits", "sym", "bnb_4bit_quant_storage"};

// Programs that reject the same key cause one finding.
static void check_values(const Context& context) {
  std::vector<std::string_view> seen;
  for (const Reading& reading : context.readings) {
    if (!is_refused(reading, Refusal::Reason::value)) continue;
    const ValueCheck& check = *reading.refusal->check;
    if (base::contains(seen, check.key)) continue;
    seen.push_back(check.key);
    std::vector<const Reading*> same;
    for (const Reading& other : context.readings) {
      if (is_refused(other, Refusal::Reason::value) && other.refusal->check->key == check.key) same.push_back(&other);
    }
    const Value* value = context.input.config.find(check.key);
    const std::string what = fmt::format("{} `{}`", value == nullptr ? "a missing" : "the value of", check.key);
    auto& report = context.sink.report(diag::rejected_quant_value, value == nullptr ? context.key : value->span, what,
                                       titles_of(same));
    report.with_severity(context.severity_of(reading)).with_help(fmt::format("write {}", check.accepted));
    report.with_cause(foreign_key(context));
    if (value != nullptr && !context.input.constructed && base::contains(kStored, check.key)) {
      report.with_help(fmt::format("quantize and save the model again with `{}` {}: the stored weights have this value",
                                   check.key, check.accepted));
    }
    if (value == nullptr && std::string_view(check.accepted).starts_with("`true` or `false`")) {
      report.with_help(
          fmt::format("add `\"{0}\": false`, or `\"{0}\": true`, as the weights were quantized", check.key));
    }
    const auto correction = value == nullptr || check.correct == nullptr ? std::nullopt : check.correct(*value);
    if (correction) {
      report.with_caret(std::string(correction->problem)).with_help(fmt::format("write `{}`", correction->text));
      if (context.input.constructed) report.with_fix(diag::Fix::unsafe().replace(value->span, correction->text));
    }
    const auto text = text_of(value);
    if (text && !text->empty() && std::ranges::all_of(*text, base::is_digit)) {
      report.with_help(fmt::format("write `{}`, without quotes", *text))
          .with_fix(diag::Fix::unsafe().replace(value->span, std::string(*text)));
    }
  }
}

static void check_formats(const Context& context) {
  for (const Reading& reading : context.readings) {
    if (!is_refused(reading, Refusal::Reason::format)) continue;
    context.sink.report(diag::unsupported_layer_format, context.key, std::string(title_of(reading.program)))
        .with_severity(context.severity_of(reading));
  }
}

// --- lists ------------------------------------------------------------------------------------------

// Returns the key of the file that a reader uses.
static std::string field_of(const Context& context, const selectors::Reader* reader) {
  for (const std::string_view field : reader == nullptr ? decltype(reader->fields)() : reader->fields) {
    if (context.input.config.find(field) != nullptr) return std::string(field);
  }
  return "modules_to_not_convert";
}

static bool is_read_by_letter(const selectors::Reader& reader, const Value* list) {
  const auto text = text_of(list);
  return text && !text->empty() && reader.string_for_list == selectors::StringForList::letters;
}

static void report_list(const Context& context, const Reading& reading) {
  const selectors::Rejection& rejection = *reading.refusal->rejection;
  const std::string title(title_of(reading.program));
  const source::Span place = rejection.span.empty() ? context.key : rejection.span;
  using Reason = selectors::Rejection::Reason;
  if (rejection.reason == Reason::bad_pattern) {
    const auto* reader = reading.refusal->reader;
    const Value* list = reader == nullptr ? nullptr : selectors::list_of(*reader, context.input.config);
    if (reader != nullptr && is_read_by_letter(*reader, list)) return;  // reported with the string
    const auto* elements = list == nullptr ? nullptr : list->get<source::List>();
    const bool known = elements != nullptr && rejection.place && *rejection.place < elements->size();
    const std::string text = known ? source::python_str((*elements)[*rejection.place]) : std::string();
    context.sink.report(diag::invalid_entry_pattern, place, text, title)
        .with_severity(context.severity_of(reading))
        .with_caret(rejection.detail);
  } else if (rejection.reason == Reason::string_for_list || rejection.reason == Reason::not_a_string) {
    const std::string field = field_of(context, reading.refusal->reader);
    context.sink.report(diag::rejected_list, place, field, title).with_severity(context.severity_of(reading));
  }
}

// Some programs stop at letters that match all names, because no layer is left. All stop at a letter such as `*`.
static void explain_stop(const Context& context, const Reading& reading, diag::Diagnostic& report) {
  const selectors::Rejection& rejection = *reading.refusal->rejection;
  report.with_severity(context.severity_of(reading));
  if (rejection.reason == selectors::Rejection::Reason::bad_pattern) {
    report.with_caret(fmt::format("a letter is no valid pattern: {}", rejection.detail));
  }
}

// Returns true if a list is read by letter. Its entries then have no meaning that further checks could examine.
static bool check_letters(const Context& context) {
  for (const Reading& reading : context.readings) {
    for (const selectors::Reader* reader :
         reading.loading == nullptr ? decltype(Loading::readers)() : reading.loading->readers) {
      const Value* list = selectors::list_of(*reader, context.input.config);
      if (!is_read_by_letter(*reader, list)) continue;
      const auto text = text_of(list);
      auto& report = context.sink.report(diag::list_read_by_letter, list->span, std::string(*text),
                                         std::string(title_of(reading.program)));
      if (is_refused(reading, Refusal::Reason::list)) explain_stop(context, reading, report);
      report.with_help(fmt::format("write `[\"{}\"]`", *text))
          .with_fix(diag::Fix::unsafe().replace(list->span, fmt::format("[\"{}\"]", *text)));
      return true;
    }
  }
  return false;
}

static void check_two_lists(const Context& context) {
  const Value* one = context.input.config.given("modules_to_not_convert");
  const Value* other = context.input.config.given("ignored_layers");
  const bool reads_both = std::ranges::any_of(context.readings, [](const Reading& reading) {
    return reading.loading != nullptr &&
           std::ranges::any_of(reading.loading->readers,
                               [](const selectors::Reader* each) { return each->fields.size() > 1; });
  });
  if (!reads_both || one == nullptr || other == nullptr || *one == *other) return;
  context.sink.report(diag::two_different_lists, context.place_of("ignored_layers"))
      .with_label(context.place_of("modules_to_not_convert"), "the other list");
}

// --- keys -------------------------------------------------------------------------------------------

// Keys of lists in all methods and in other tools.
constexpr std::string_view kListKeys[] = {"modules_to_not_convert",
                                          "ignored_layers",
                                          "ignore",
                                          "skip_modules",
                                          "llm_int8_skip_modules",
                                          "exclude",
                                          "exclude_layers",
                                          "exclude_modules",
                                          "linear_weights_not_to_quantize",
                                          "modules_in_block_to_quantize",
                                          "not_convert_modules",
                                          "layer_quant_config"};
// Keys that tools write beside those of every method.
constexpr std::string_view kCommonKeys[] = {
    "quant_method", "quant_type", "version",   "producer",   "creator",
    "meta",         "metadata",   "quantizer", "quant_algo", "is_marlin_format"};

static std::string list_key_of(const Method& method) {
  for (const Key& key : method.keys) {
    if (base::contains(kListKeys, key.name)) return std::string(key.name);
  }
  return {};
}

// Returns true for a list of modules that are quantized.
static bool lists_quantized(std::string_view key) { return key == "modules_in_block_to_quantize"; }

// Returns the name of a module within its block: `mlp.up_proj` of `model.layers.0.mlp.up_proj`. Empty outside of
// blocks.
static std::string_view name_in_block(std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    if (end < name.size() && std::ranges::all_of(name.substr(begin, end - begin), base::is_digit))
      return name.substr(end + 1);
    begin = end + 1;
  }
  return {};
}

// The layers that a list does not name, as names within blocks. Nullopt if blocks differ, or if they are too many.
class OtherLayers {
 public:
  OtherLayers(const std::vector<model::Module>& modules, const Value& list) {
    for (const Value& item : list_of(list)) {
      if (const auto* inner = item.get<source::List>()) {
        for (const Value& each : *inner) add(each);
      } else {
        add(item);
      }
    }
    for (const model::Module& module : modules) {
      if (module.type == "Linear") add(module.name);
    }
  }

  [[nodiscard]] std::optional<std::vector<std::string>> names() const {
    constexpr std::size_t kMost = 16;
    const bool known = !differ_ && !others_.empty() && others_.size() <= kMost && others_.size() < seen_.size();
    return known ? std::optional(others_) : std::nullopt;
  }

 private:
  static const source::List& list_of(const Value& value) {
    static const source::List kNone;
    const auto* list = value.get<source::List>();
    return list == nullptr ? kNone : *list;
  }

  void add(const Value& item) {
    if (const auto text = text_of(&item)) entries_.emplace_back(*text);
  }

  void add(const std::string& name) {
    const std::string inner(name_in_block(name));
    if (inner.empty()) return;
    const bool listed =
        std::ranges::any_of(entries_, [&](const std::string& entry) { return name.find(entry) != std::string::npos; });
    const auto [known, is_new] = seen_.emplace(inner, listed);
    differ_ = differ_ || known->second != listed;
    if (is_new && !listed) others_.push_back(inner);
  }

  std::vector<std::string> entries_;
  std::map<std::string, bool> seen_;
  std::vector<std::string> others_;
  bool differ_ = false;
};

// Returns a key of `dynamic` that leaves the modules of an entry unquantized. GPTQModel, vLLM and SGLang match it from
// the start of a name. An entry is the name of a module or of a part of the model, or its last parts.
static std::string negative_rule(const std::vector<model::Module>* modules, std::string_view entry) {
  const std::string name = regex::literal(entry);
  const std::string inner = std::string(entry) + ".";
  const auto any = [&](auto test) {
    return modules != nullptr && std::ranges::any_of(*modules, test, &model::Module::name);
  };
  if (any([&](const std::string& each) { return each.starts_with(inner); })) return "-:" + name + "\\.";
  if (any([&](const std::string& each) { return each == entry; })) return "-:" + name + "$";
  return "-:.*" + name + "(\\.|$)";
}

// Offers `dynamic`, with which a config of `gptq` names single layers that stay unquantized.
static void offer_dynamic(const Context& context, diag::Diagnostic& report, const Value& key, const Value& value) {
  const auto* list = value.get<source::List>();
  std::vector<std::string> rules;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto entry = text_of(&(*list)[at]);
    if (!entry || *entry == "lm_head") continue;  // `lm_head` has its own key
    rules.push_back(
        fmt::format("{}: {{}}", emit::literal(emit::Syntax::json, negative_rule(context.input.modules, *entry))));
  }
  if (rules.empty() || context.input.config.find("dynamic") != nullptr) return;
  const std::string text = fmt::format("{{{}}}", fmt::join(rules, ", "));
  report.with_help(fmt::format("write `dynamic: {}`: rules that begin with `-:` leave layers unquantized", text))
      .with_fix(diag::Fix::unsafe().content(key.span, "dynamic").replace(value.span, text));
}

// Lists of modules that are quantized and of those that are not are complements.
static void offer_list(const Context& context, diag::Diagnostic& report, std::string_view own, const Value& key,
                       const Value& value) {
  const std::string_view what = lists_quantized(own) ? "are quantized" : "stay unquantized";
  report.with_help(fmt::format("`{}` lists the layers that {}: write those that this list does not name", own, what));
  const auto others =
      context.input.modules == nullptr ? std::nullopt : OtherLayers(*context.input.modules, value).names();
  if (!others && lists_quantized(own)) return offer_dynamic(context, report, key, value);
  if (!others) return;
  const std::string text =
      lists_quantized(own) ? list_of_groups(emit::Syntax::json, *others) : list_of_names(emit::Syntax::json, *others);
  report.with_help(fmt::format("write `{}: {}`: the layers that {}", own, text, what))
      .with_fix(diag::Fix::unsafe().content(key.span, std::string(own)).replace(value.span, text));
}

static bool is_bits_flag(std::string_view key) { return base::contains(kBitsFlags, key); }

// Returns true for a class of bitsandbytes in a script without the bits.
static bool lacks_bits(const Context& context) {
  return context.input.constructed && printed_method(context) == "bitsandbytes" && !sets_bits(context.input.config);
}

// Reports a class of bitsandbytes without the bits, unless a misspelled flag is reported.
static void check_flags_of_bitsandbytes(const Context& context) {
  if (!lacks_bits(context)) return;
  const Value* off = key_of(context.input.config, kFourBits);
  if (off == nullptr) off = key_of(context.input.config, kEightBits);
  auto& report =
      context.sink.report(diag::bits_flag_absent, off == nullptr ? context.key : off->span, "quantizes to 4 bits");
  if (off != nullptr) report.with_help("pass no `quantization_config` to load the model in full precision");
  report.with_cause(foreign_key(context));
}

// Arguments of transformers 4 that transformers 5 accepts and ignores.
struct FormerArgument {
  std::string_view method;
  std::string_view name;
  std::string_view help;
};

constexpr std::string_view kWriteBackend = "delete it: `backend` selects the kernel, such as `backend=\"torch\"`";
constexpr std::string_view kDelete = "delete it: layers are no longer fused";
constexpr FormerArgument kFormerArguments[] = {
    {"gptq", "use_exllama", kWriteBackend},    {"gptq", "disable_exllama", kWriteBackend},
    {"gptq", "exllama_config", kWriteBackend}, {"gptq", "use_cuda_fp16", kWriteBackend},
    {"awq", "exllama_config", kWriteBackend},  {"awq", "do_fuse", kDelete},
    {"awq", "fuse_max_seq_len", kDelete},      {"awq", "modules_to_fuse", kDelete}};

static void check_former_arguments(const Context& context) {
  if (!context.input.constructed || context.before_transformers_5) return;
  source::Span first;
  for (const FormerArgument& each : kFormerArguments) {
    const Value* key = each.method == printed_method(context) ? key_of(context.input.config, each.name) : nullptr;
    if (key == nullptr || context.input.config.given(each.name) == nullptr) continue;
    auto& report =
        context.sink.report(diag::unknown_quant_key, key->span, std::string(each.name), std::string(each.method));
    report.with_caret("transformers 5 ignores it").with_help(std::string(each.help)).with_cause(first);
    if (first.empty()) first = key->span;
  }
}

// Reports names of AutoAWQ that transformers does not read, if the values differ from its defaults.
static void check_names_of_autoawq(const Context& context) {
  struct Names {
    std::string_view other;
    std::string_view read;
    double usual;
  };

  static constexpr Names kNames[] = {{"q_group_size", "group_size", 128}, {"w_bit", "bits", 4}};
  const auto reading = std::ranges::find(context.readings, Program::transformers, &Reading::program);
  const Value& config = context.input.config;
  if (reading == context.readings.end() || printed_method(context) != "awq") return;
  for (const Names& each : kNames) {
    const Value* value = config.find(each.other);
    const auto number = value == nullptr ? std::nullopt : value->number();
    if (!number || *number == each.usual || config.find(each.read) != nullptr) continue;
    const Value* key = key_of(config, each.other);
    context.sink.report(diag::key_of_other_reader, key->span, std::string(each.other), std::string(each.read))
        .with_severity(context.severity_of(*reading))
        .with_fix(diag::Fix::unsafe().content(key->span, std::string(each.read)));
  }
}

static void check_key(const Context& context, const Method& method, const Value& key, std::string_view name,
                      const Value& value) {
  if (is_known(method, name) || base::contains(kCommonKeys, name) || name.starts_with('_')) return;
  if (base::contains(kListKeys, name)) {
    const std::string own = list_key_of(method);
    auto& report =
        context.sink.report(diag::key_of_other_method, key.span, std::string(name), std::string(method.name));
    if (own.empty()) return;
    if (lists_quantized(own) != lists_quantized(name)) return offer_list(context, report, own, key, value);
    report.with_help(fmt::format("write `{}`, the key of this method", own));
    if (context.input.config.find(own) == nullptr)
      report.with_fix(diag::Fix::unsafe().content(key.span, std::string(own)));
    return;
  }
  const Meant meant = meant_by_key(context, method, name, value);
  auto& report = context.sink.report(diag::unknown_quant_key, key.span, std::string(name), std::string(method.name));
  report.with_help(meant.help).with_fix(meant.fix(key.span, value.span));
  if (meant.name && is_bits_flag(*meant.name) && lacks_bits(context)) {
    report.with_caret("without it, transformers quantizes to 4 bits");
  }
  const Value* given = context.input.config.find("quant_method");
  if (name == "config_groups" && given != nullptr) {
    report.with_help("write `\"quant_method\": \"compressed-tensors\"`: `config_groups` is a key of this method")
        .with_fix(diag::Fix::unsafe().content(given->span, "compressed-tensors"));
  }
}

static void check_keys(const Context& context) {
  const Method* method = find_method(printed_method(context));
  const auto* map = context.input.config.get<source::Map>();
  if (method == nullptr || map == nullptr) return;
  for (const source::Entry& each : *map) {
    if (const auto name = text_of(&each.first)) check_key(context, *method, each.first, *name, each.second);
  }
}

// Reports a config whose scales are those of blocks in one program and those of tensors in the others.
static void check_block_size(const Context& context) {
  if (context.selected || context.input.method != "fp8") return;
  const bool absent = context.input.config.find("weight_block_size") == nullptr;
  const bool dequantized = is_set(context.input.config, "dequantize");
  if (absent && !dequantized) context.sink.report(diag::block_size_absent, context.key);
}

DIAGNOSTIC(QC112, four_bits_of_eight, silent_warning, (Text), "`{}` has no effect with `load_in_8bit`",
           "The settings that begin with `bnb_4bit` belong to 4-bit weights. With `load_in_8bit`, bitsandbytes ignores "
           "them, and stores 8 bits for each weight.",
           "set `load_in_4bit` in place of `load_in_8bit`")

// Reports 4-bit settings beside 8-bit weights. transformers writes their defaults into every file.
static void check_bits_of_bitsandbytes(const Context& context) {
  const Value& config = context.input.config;
  if (!is_set(config, kEightBits) || is_set(config, kFourBits)) return;
  const Value* type = config.given("bnb_4bit_quant_type");
  const auto* name = type == nullptr ? nullptr : type->get<std::string>();
  const bool nf4 = name != nullptr && *name == "nf4";
  if (!nf4 && !is_set(config, "bnb_4bit_use_double_quant")) return;
  const std::string_view key = nf4 ? "bnb_4bit_quant_type" : "bnb_4bit_use_double_quant";
  const source::Span eight = context.place_of(kEightBits);
  auto& report = context.sink.report(diag::four_bits_of_eight, context.place_of(key), std::string(key));
  report.with_label(eight, "8 bits").with_help("write `load_in_4bit` in place of `load_in_8bit` for 4-bit weights");
  report.with_fix(diag::Fix::unsafe().content(eight, std::string(kFourBits)));
}

// A value that a class accepts, and that transformers or the library of the method rejects later.
struct LateCheck {
  ValueCheck check;
  std::string_view by{};  // empty: the library
};

constexpr LateCheck kLateChecks[] = {
    {{"activations", "`activations=None`",
      [](const Value& q) { return text_of(q.find("quant_method")) != "quanto" || q.given("activations") == nullptr; }},
     "transformers"},
    {{"bnb_4bit_quant_type", "`nf4` or `fp4`",
      [](const Value& q) {
        return is_one_of(q.find("bnb_4bit_quant_type"), {"nf4", "fp4"});
      }}},
    {{"nbits", "8, 6, 5, 4, 3, 2 or 1",
      [](const Value& q) {
        const Value* layers = q.find("quant_config");
        const Value* whole = layers == nullptr ? nullptr : layers->find("weight_quant_params");
        return whole == nullptr || is_number_in(whole->find("nbits"), {8, 6, 5, 4, 3, 2, 1});
      }}},
};

static void check_late_values(const Context& context) {
  if (!context.input.constructed) return;
  for (const auto& [check, by] : kLateChecks) {
    if (check.accepts(context.input.config)) continue;
    const Value* value = context.input.config.find(check.key);
    context.sink
        .report(diag::rejected_quant_value, value == nullptr ? context.key : value->span,
                fmt::format("the value of `{}`", check.key),
                std::string(by.empty() ? context.input.method.value_or("") : by))
        .with_help(fmt::format("write {}", check.accepted));
  }
}

bool check_config(const Context& context) {
  check_method(context);
  check_late_values(context);
  check_bits_of_bitsandbytes(context);
  check_flags_of_bitsandbytes(context);
  check_former_arguments(context);
  check_names_of_autoawq(context);
  check_keys(context);
  check_values(context);
  check_formats(context);
  check_block_size(context);
  std::set<std::uint32_t> places;  // programs that reject the same value cause one finding
  for (const Reading& reading : context.readings) {
    if (!is_refused(reading, Refusal::Reason::list)) continue;
    if (places.insert(reading.refusal->rejection->span.begin).second) report_list(context, reading);
  }
  check_two_lists(context);
  return !check_letters(context);
}

}  // namespace sparsecfg::dialect::checkpoint
