#include "dialect/schemes/meant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/schemes/emit.h"
#include "dialect/schemes/presets.h"
#include "dialect/schemes/records.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

namespace {

constexpr std::int64_t kUsualGroup = 128;

// Returns the number after a prefix: 4 for "w4" and "w". Returns nullopt for other words.
std::optional<std::int64_t> number_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix) || word.size() == prefix.size()) return std::nullopt;
  const std::string_view digits = word.substr(prefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

// "W4A16_G32" -> "w4", "a16", "g32"
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : base::to_lower(name)) {
    const bool letter = base::is_letter(c);
    const bool joint = !letter && !base::is_digit(c);
    const bool next = letter && !words.back().empty() && base::is_digit(words.back().back());
    if ((joint || next) && !words.back().empty()) words.emplace_back();
    if (!joint) words.back() += c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Words of formats whose inputs have a type as well: `FP8`, `NVFP4`.
constexpr std::string_view kFloatPresets[] = {"fp8", "float8", "nvfp4", "mxfp4", "mxfp8"};
// Words that name an algorithm, a tool or nothing.
constexpr std::string_view kNoise[] = {"awq",         "gptq", "rtn",     "cfg",    "config", "default",
                                       "smoothquant", "sq",   "quant",   "format", "scheme", "ptq",
                                       "modelopt",    "ct",   "torchao", "weight", "linear", "weights",
                                       "wo",          "only", "lite",    "full",   "per",    "int"};

// Reads the words of a name, one after the other.
class NameReader {
 public:
  explicit NameReader(std::string_view name) : words_(words_in(name)) {}

  std::optional<ir::Scheme> read() {
    activation_ = has("activation") || has("act");
    for (at_ = 0; at_ < words_.size(); ++at_) {
      if (!read_word(words_[at_])) return std::nullopt;
    }
    return scheme();
  }

  // Returns true if a size of groups was read that no preset has.
  [[nodiscard]] bool has_group() const { return group_.has_value(); }

 private:
  [[nodiscard]] bool has(std::string_view word) const { return std::ranges::find(words_, word) != words_.end(); }

  bool read_word(const std::string& word) {
    if (const auto bits = number_after(word, "w")) return set(weights_, *bits);
    if (const auto bits = number_after(word, "a")) return set(inputs_, *bits);
    for (const std::string_view prefix : {"g", "gs", "group", "groupsize"}) {
      if (const auto size = number_after(word, prefix)) return set(group_, *size);
    }
    if (word == "asym" || word == "asymmetric") return (symmetric_ = false, true);
    if (word == "sym" || word == "symmetric") return true;
    if (word == "dynamic" || word == "dyn") return (dynamic_ = true);
    if (word == "activation" || word == "act" || base::contains(kNoise, word)) return true;
    if (const auto bits = number_after(word, "int"); bits || word == "uint4") return read_type("int", bits.value_or(4));
    return base::contains(kFloatPresets, word) && read_type(word == "float8" ? "fp8" : word, 0);
  }

  // The first of two types is that of the inputs, as in `int8_dynamic_activation_int4_weight`.
  bool read_type(std::string_view type, std::int64_t bits) {
    const bool of_inputs = activation_ && type_.empty() && input_type_.empty();
    if (type == "int")
      return of_inputs ? (input_type_ = "int", set(inputs_, bits)) : (type_ = "int", set(weights_, bits));
    std::string& place = of_inputs ? input_type_ : type_;
    return place.empty() && (place = type, true);
  }

  static bool set(std::optional<std::int64_t>& place, std::int64_t value) {
    const bool fresh = !place || *place == value;
    place = value;
    return fresh && value > 0;
  }

  [[nodiscard]] std::optional<ir::Scheme> scheme() const {
    const bool only_weights = has("only") || has("wo");
    if (type_ == "fp8") return float_scheme(only_weights);
    if (!type_.empty() && type_ != "int")
      return preset_scheme_named(base::to_upper(type_) + (only_weights || inputs_ == 16 ? "A16" : ""));
    if (!weights_ || *weights_ < 2 || *weights_ > 8) return std::nullopt;
    const std::int64_t bits = inputs_.value_or(only_weights || *weights_ < 8 || group_ ? 16 : 8);
    auto out = preset_scheme_named(fmt::format("W{}A{}", *weights_, bits));
    if (!out || (input_type_ == "fp8")) return std::nullopt;
    if (!symmetric_) out->weights.front().symmetric = false;
    if (group_) set_argument(*out, "group_size", {*group_, {}});
    return out;
  }

  [[nodiscard]] std::optional<ir::Scheme> float_scheme(bool only_weights) const {
    if (weights_ && *weights_ == 4) return preset_scheme_named("W4AFP8");
    if (only_weights || !(dynamic_ || activation_) || group_) return std::nullopt;
    return preset_scheme_named("FP8_DYNAMIC");
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::optional<std::int64_t> weights_;
  std::optional<std::int64_t> inputs_;
  std::optional<std::int64_t> group_;
  std::string type_;
  std::string input_type_;
  bool symmetric_ = true;
  bool dynamic_ = false;
  bool activation_ = false;
};

// Returns the nearest scheme of a GGUF type: `Q4_K_M`, `IQ4_XS`, `Q8_0`.
std::optional<std::int64_t> bits_of_gguf(std::string_view name) {
  std::string lower = base::to_lower(name);
  if (lower.starts_with("iq")) lower.erase(0, 1);
  const bool type = lower.size() >= 4 && lower[0] == 'q' && base::is_digit(lower[1]) && lower[2] == '_' &&
                    (lower[3] == 'k' || base::is_digit(lower[3]) || lower[3] == 'x' || lower[3] == 'n');
  const std::int64_t bits = type ? lower[1] - '0' : 0;
  return bits >= 2 && bits <= 8 ? std::optional(bits) : std::nullopt;
}

ir::TensorFormat& weights_of(ir::Scheme& scheme) {
  if (scheme.weights.empty()) scheme.weights.emplace_back();
  return scheme.weights.front();
}

bool set_group(ir::TensorFormat& format, std::int64_t size) {
  if (size == 0 || size < -1) return false;
  format.granularity = size > 0 ? ir::Granularity::group : ir::Granularity::channel;
  format.group_size = std::max<std::int64_t>(size, 0);
  return true;
}

bool set_strategy(ir::TensorFormat& format, std::string_view name) {
  const Strategy strategy = schemes::strategy_of(name);
  format.tensor_scale = false;
  switch (strategy) {
    case Strategy::tensor: format.granularity = ir::Granularity::tensor; return true;
    case Strategy::channel: format.granularity = ir::Granularity::channel; return true;
    case Strategy::group: return set_group(format, format.group_size > 0 ? format.group_size : kUsualGroup);
    default: return false;
  }
}

}  // namespace

ir::Scheme integer_weights(std::int64_t bits) {
  ir::Scheme out = preset_scheme("W4A16");
  out.weights.front().bits = bits;
  return out;
}

std::optional<ir::Scheme> preset_scheme_named(const std::string& name) {
  const Preset* preset = find_preset(name);
  return preset == nullptr ? std::nullopt : std::optional(preset_scheme(std::string(preset->name)));
}

bool set_argument(ir::Scheme& scheme, std::string_view argument, const Value& value) {
  ir::TensorFormat& weights = weights_of(scheme);
  const auto number = as_real(value);
  const auto* text = value.get<std::string>();
  if (argument == "num_bits" && number)
    return (weights.bits = static_cast<std::int64_t>(*number), weights.bits >= 2 && weights.bits <= 8);
  if (argument == "group_size" && number) return set_group(weights, static_cast<std::int64_t>(*number));
  if (argument == "symmetric" && as_boolean(value)) return (weights.symmetric = *as_boolean(value), true);
  if (argument == "strategy" && text != nullptr) return set_strategy(weights, *text);
  if (argument == "type" && text != nullptr && (*text == "int" || *text == "float")) {
    weights.type = *text == "int" ? ir::NumberType::integer : ir::NumberType::floating;
    return true;
  }
  if (argument == "actorder" && text != nullptr) return (weights.order = base::to_lower(*text), true);
  return false;
}

std::string_view preset_of(const ir::Scheme& scheme) {
  for (const Preset& preset : presets()) {
    if (preset_scheme(std::string(preset.name)) == scheme) return preset.name;
  }
  return {};
}

std::optional<SchemeMeant> scheme_named(std::string_view name) {
  if (name.size() > 60) return std::nullopt;
  if (const auto bits = bits_of_gguf(name)) {
    return SchemeMeant{preset_scheme(fmt::format("W{}A16", *bits)),
                       "the nearest format; GGUF types exist only in GGUF files"};
  }
  NameReader reader(name);
  auto scheme = reader.read();
  if (!scheme) return std::nullopt;
  const bool preset = !preset_of(*scheme).empty();
  return SchemeMeant{std::move(*scheme), preset ? "the preset for this format" : "no preset has this format"};
}

std::string weights_text(const ir::Scheme& scheme) {
  return scheme.weights.empty() ? "" : flow_text(arguments_of(scheme.weights.front(), true));
}

std::string inputs_text(const ir::Scheme& scheme) {
  return scheme.inputs.empty() ? "" : flow_text(arguments_of(scheme.inputs.front(), false));
}

Value targets_value(const std::vector<std::string>& targets) {
  source::List names;
  for (const std::string& target : targets) names.push_back({target, {}});
  if (names.empty()) names.push_back({std::string("Linear"), {}});
  return {std::move(names), {}};
}

std::string group_text(const ir::Scheme& scheme, const std::vector<std::string>& targets) {
  source::Map group;
  const auto put = [&](std::string_view key, Value value) {
    group.emplace_back(Value{std::string(key), {}}, std::move(value));
  };
  put("targets", targets_value(targets));
  if (!scheme.weights.empty()) put("weights", arguments_of(scheme.weights.front(), true));
  if (!scheme.inputs.empty()) put("input_activations", arguments_of(scheme.inputs.front(), false));
  return flow_text({std::move(group), {}});
}

namespace {

// Returns true for a name of float8: `fp8`, `float8_e4m3fn`, `fp8_e4m3`, `e4m3`.
bool is_float8(std::string_view lower) {
  return lower.starts_with("fp8") || lower.starts_with("float8") || lower.starts_with("e4m3");
}

// The cache has static scales per tensor, as runtimes read them.
Value cache_arguments(bool is_float) {
  const auto text = [](std::string_view word) { return Value{std::string(word), {}}; };
  return {source::Map{{text("num_bits"), {std::int64_t{8}, {}}},
                      {text("type"), text(is_float ? "float" : "int")},
                      {text("symmetric"), {true, {}}},
                      {text("strategy"), text("tensor")},
                      {text("dynamic"), {false, {}}}},
          {}};
}

// Returns the scheme of a format or a preset. The inputs of float8 are dynamic, which needs no data.
std::optional<ir::Scheme> scheme_of_format(const std::string& name, bool inputs) {
  const std::string lower = base::to_lower(name);
  if (is_float8(lower) && (inputs || lower != "fp8_block")) {
    return preset_scheme_named(lower == "fp8_block" ? "FP8_BLOCK" : "FP8_DYNAMIC");
  }
  if (inputs && lower.starts_with("int8")) return preset_scheme_named("W8A8");
  if (auto preset = preset_scheme_named(name)) return preset;
  auto other = scheme_named(name);
  return other ? std::optional(std::move(other->scheme)) : std::nullopt;
}

}  // namespace

std::optional<Value> arguments_named(std::string_view field, const std::string& name) {
  const std::string lower = base::to_lower(name);
  if (field == "kv_cache_scheme") {
    const bool is_float = is_float8(lower);
    return is_float || lower == "int8" ? std::optional(cache_arguments(is_float)) : std::nullopt;
  }
  const bool inputs = field == "input_activations";
  if (!inputs && field != "weights") return std::nullopt;
  const auto scheme = scheme_of_format(name, inputs);
  if (!scheme || (inputs ? scheme->inputs : scheme->weights).empty()) return std::nullopt;
  return arguments_of(inputs ? scheme->inputs.front() : scheme->weights.front(), !inputs);
}

std::optional<source::Entry> group_part(const source::Entry& written) {
  static constexpr std::string_view kParts[] = {"weights", "input_activations", "output_activations"};
  const auto* name = written.first.get<std::string>();
  if (name == nullptr) return std::nullopt;
  const Word* word = find_word(Word::Place::field, kQuantizationScheme.name, *name, kParts);
  const std::string_view part = base::contains(kParts, std::string_view(*name)) ? std::string_view(*name)
                                : word == nullptr                               ? std::string_view()
                                                                                : word->ours;
  if (part.empty()) return std::nullopt;
  const Value key{std::string(part), {}};
  const auto* text = written.second.get<std::string>();
  if (text == nullptr) {
    return written.second.get<source::Map>() == nullptr ? std::nullopt
                                                        : std::optional(source::Entry{key, written.second});
  }
  auto arguments = arguments_named(part, *text);
  return arguments ? std::optional(source::Entry{key, *std::move(arguments)}) : std::nullopt;
}

void suggest_arguments(diag::Diagnostic& report, const InvalidValue& invalid) {
  const auto* name = invalid.text();
  if (name == nullptr || invalid.spec.record != &kQuantizationArgs) return;
  const auto arguments = arguments_named(invalid.name, *name);
  if (!arguments) return;
  const std::string text = flow_text(*arguments);
  report.with_help(fmt::format("write `{}: {}`", invalid.name, text))
      .with_fix(invalid.evaluated ? diag::Fix() : diag::Fix::unsafe().replace(invalid.value.span, text));
}

bool report_preset_in_group(const Record& group, const Field& field, diag::Sink& sink) {
  const auto* name = field.value.get<std::string>();
  if (group.spec != &kQuantizationScheme || name == nullptr || group.find("weights") != nullptr) return false;
  if (field.name != "scheme" && field.name != "preset" && field.name != "quant_scheme") return false;
  auto scheme = preset_scheme_named(*name);
  if (const auto other = scheme ? std::nullopt : scheme_named(*name)) scheme = other->scheme;
  if (!scheme || scheme->weights.empty()) return false;
  const std::string weights = weights_text(*scheme);
  const std::string inputs = group.find("input_activations") == nullptr ? inputs_text(*scheme) : "";
  diag::Fix fix = diag::Fix::unsafe().content(field.key, "weights").replace(field.value.span, weights);
  if (!inputs.empty()) fix.add_entry(field.key, "input_activations: " + inputs);
  sink.report(diag::unknown_field, field.key, field.name, "a group")
      .with_caret("a group has no preset")
      .with_help(fmt::format("write `weights: {}`{}", weights,
                             inputs.empty() ? "" : fmt::format(" and `input_activations: {}`", inputs)))
      .with_fix(std::move(fix));
  return true;
}

}  // namespace sparsecfg::dialect::schemes
