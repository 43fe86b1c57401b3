#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/read.h"
#include "dialect/autoround/table.h"
#include "emit/literal.h"

// Command lines of `auto-round` (docs/semantics/autoround.md#a2-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR107, autoround_unknown_option, error, (Text, Text), "`auto-round` rejects the option `{}`: {}",
           "The program accepts each option by a start of its name that no other option has, and stops at others.",
           "list the options with `auto-round --help`")

DIAGNOSTIC(AR108, autoround_word_not_read, silent_warning, (Text, Text), "`{}` is not a part of `{}`",
           "Each option has one value. Further words are read as the model, and the last of them counts.",
           "delete the word, or put the value in quotes")

DIAGNOSTIC(
    AR109, autoround_layer_config_text, error, (Text), "`--layer_config` cannot be read: {}",
    "The program reads JSON, or a short form such as `{{mlp:{{bits:8}}}}`, in which names must not contain `{{`, `}}`, "
    "`:` or `,`.",
    "write JSON in single quotes: `--layer_config '{{\"mlp\": {{\"bits\": 8}}}}'`")

DIAGNOSTIC(AR138, autoround_unknown_choice, error, (Text, Text), "`{}` does not accept `{}`",
           "The option has a fixed list of values. The program prints it and stops before it loads the model.",
           "list the values with `auto-round --help`")

namespace {

struct Option {
  std::string_view name;
  bool flag = false;
};

constexpr Option kOptions[] = {{"scheme"},
                               {"bits"},
                               {"group_size"},
                               {"asym", true},
                               {"data_type"},
                               {"dtype"},
                               {"act_bits"},
                               {"act_group_size"},
                               {"act_asym", true},
                               {"act_data_type"},
                               {"act_dtype"},
                               {"disable_act_dynamic", true},
                               {"super_bits"},
                               {"super_group_size"},
                               {"scale_dtype"},
                               {"ignore_layers"},
                               {"fp_layers"},
                               {"quant_lm_head", true},
                               {"no-quant_lm_head", true},
                               {"to_quant_block_names"},
                               {"model_name"},
                               {"model"},
                               {"model_name_or_path"},
                               {"model_dtype"},
                               {"platform"},
                               {"batch_size"},
                               {"train_bs"},
                               {"bs"},
                               {"seqlen"},
                               {"seq_len"},
                               {"nsamples"},
                               {"nsample"},
                               {"device_map"},
                               {"device"},
                               {"devices"},
                               {"dataset"},
                               {"seed"},
                               {"format"},
                               {"formats"},
                               {"algorithm"},
                               {"algorithms"},
                               {"alg"},
                               {"algs"},
                               {"output_dir"},
                               {"avg_bits"},
                               {"target_bits"},
                               {"options"},
                               {"low_gpu_mem_usage", true},
                               {"low_cpu_mem_usage", true},
                               {"disable_low_cpu_mem_usage", true},
                               {"enable_torch_compile", true},
                               {"disable_torch_compile", true},
                               {"disable_trust_remote_code", true},
                               {"layer_config"},
                               {"shared_layers"},
                               {"static_kv_dtype"},
                               {"static_kv_granularity"},
                               {"static_attention_dtype"},
                               {"static_attention_granularity"},
                               {"tasks"},
                               {"task"},
                               {"eval_bs"},
                               {"limit"},
                               {"num_fewshot"},
                               {"eval_gen_kwargs"},
                               {"fewshot_as_multiturn", true},
                               {"eval_task_by_task", true},
                               {"eval_backend"},
                               {"vllm_args"},
                               {"eval_model_dtype"},
                               {"add_bos_token", true},
                               {"ignore_scale_zp_bits", true},
                               {"disable_amp", true},
                               {"disable_deterministic_algorithms", true},
                               {"enable_deterministic_algorithms", true},
                               {"model_free", true},
                               {"disable_model_free", true},
                               {"mllm", true},
                               {"quant_nontext_module", true},
                               {"extra_data_dir"},
                               {"template"},
                               {"prompt_file"},
                               {"prompt"},
                               {"metrics"},
                               {"image_save_dir"},
                               {"guidance_scale"},
                               {"num_inference_steps"},
                               {"generator_seed"},
                               {"iters"},
                               {"iter"},
                               {"lr"},
                               {"minmax_lr"},
                               {"momentum"},
                               {"gradient_accumulate_steps"},
                               {"nblocks"},
                               {"enable_minmax_tuning", true},
                               {"disable_minmax_tuning", true},
                               {"enable_norm_bias_tuning", true},
                               {"disable_quanted_input", true},
                               {"enable_quanted_input", true},
                               {"not_use_best_mse", true},
                               {"enable_adam", true},
                               {"adam", true},
                               {"enable_alg_ext", true},
                               {"disable_opt_rtn", true},
                               {"enable_opt_rtn", true},
                               {"awq_apply_clip", true},
                               {"awq-apply-clip", true},
                               {"awq_clip_as_init", true},
                               {"awq-clip-as-init", true},
                               {"awq_seqlen"},
                               {"awq_duo_scaling"},
                               {"awq-duo-scaling"},
                               {"awq_n_grid"},
                               {"awq-n-grid"},
                               {"rotation_type"},
                               {"rotation-hadamard-type"},
                               {"rotation_backend"},
                               {"rotation_block_size"},
                               {"fuse_online_to_weight", true},
                               {"allow_online_rotation", true},
                               {"enable_lfq", true},
                               {"eval", true},
                               {"trust_remote_code", true},
                               {"rotation_config"},
                               {"truncation", true},
                               {"sampler"},
                               {"dynamic_max_gap"}};

// Options whose values are items with commas.
constexpr std::string_view kLists[] = {"--ignore_layers", "--fp_layers", "--to_quant_block_names",
                                       "--format",        "--formats",   "--tasks",
                                       "--task",          "--options"};

// Options that accept only some values.
struct Choices {
  std::string_view option;
  std::string_view values;  // with `, ` between them
};

constexpr Choices kChoices[] = {
    {"scale_dtype", "fp16, float16, bf16, bfloat16, fp32, float32"},
    {"static_kv_dtype", "fp8, float8_e4m3fn"},
    {"static_attention_dtype", "fp8, float8_e4m3fn"},
    {"eval_backend", "hf, vllm"},
};

// Names that AutoRound reads under another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"dtype", "data_type"}, {"act_dtype", "act_data_type"}, {"formats", "format"}, {"algorithms", "algorithm"},
    {"alg", "algorithm"},   {"algs", "algorithm"},          {"seq_len", "seqlen"}, {"nsample", "nsamples"},
    {"iter", "iters"},      {"target_bits", "avg_bits"}};

// Reads the short form of `--layer_config`.
class ShortForm {
 public:
  ShortForm(std::string_view text, source::Span span) : text_(text), span_(span) {}

  // Returns null and sets `error` if the program stops.
  std::optional<Value> run() {
    const auto out = value();
    return error_.empty() ? out : std::nullopt;
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  static bool is_mark(char letter) { return letter == '{' || letter == '}' || letter == ':' || letter == ','; }

  // Returns the next token; empty at the end.
  std::string next() {
    while (at_ < text_.size() && std::string_view(" \t\n").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ == text_.size()) return {};
    const char first = text_[at_];
    if (is_mark(first)) return std::string(1, text_[at_++]);
    const bool quoted = first == '"' || first == '\'';
    const std::size_t close = quoted ? text_.find(first, at_ + 1) : std::string_view::npos;
    std::size_t end = at_;
    if (close != std::string_view::npos) {
      end = close + 1;
    } else {
      while (end < text_.size() && !is_mark(text_[end])) ++end;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    at_ = end;
    return std::string(base::trim(token));
  }

  static std::string unquoted(std::string token) {
    std::erase_if(token, [](char letter) { return letter == '"' || letter == '\''; });
    return token;
  }

  std::optional<Value> fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return std::nullopt;
  }

  std::optional<Value> value() {
    const std::string token = next();
    if (token.empty()) return fail("it ends too early");
    return token == "{" ? mapping() : scalar(token);
  }

  Value scalar(const std::string& token) const {
    const std::string word = base::to_lower(unquoted(token));
    if (word == "true" || word == "false") return {word == "true", span_};
    if (word == "none" || word == "null") return {std::monostate(), span_};
    const std::size_t digits = word.find_first_not_of("0123456789", word.starts_with('-') ? 1 : 0);
    const bool number = digits == std::string::npos && !word.empty() && word != "-" && token == unquoted(token);
    return number ? Value{source::integer_of(word), span_} : Value{unquoted(token), span_};
  }

  // The last of repeated keys counts.
  std::optional<Value> mapping() {
    source::Map out;
    for (;;) {
      const std::string key = next();
      if (key.empty()) return fail("it ends too early");
      if (key == "}") return Value{std::move(out), span_};
      if (key == ",") continue;
      const std::string colon = next();
      if (colon.empty()) return fail("it ends too early");
      if (colon != ":")
        return fail(
            fmt::format("`:` must follow `{}`, but this is `{}`", base::printable(key), base::printable(colon)));
      auto each = value();
      if (!each) return std::nullopt;
      put(out, unquoted(key), std::move(*each));
    }
  }

  void put(source::Map& map, const std::string& key, Value each) const {
    const Value name{key, span_};
    const auto known = std::ranges::find(map, name, &source::Entry::first);
    if (known == map.end()) {
      map.emplace_back(name, std::move(each));
    } else {
      known->second = std::move(each);
    }
  }

  std::string_view text_;
  source::Span span_;
  std::size_t at_ = 0;
  std::string error_;
};

// Sets the span of all parts of a value.
void set_span(Value& value, source::Span span) {
  value.span = span;
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (Value& each : *list) set_span(each, span);
  }
  if (auto* map = std::get_if<source::Map>(&value.data)) {
    for (auto& [key, each] : *map) {
      set_span(key, span);
      set_span(each, span);
    }
  }
}

class CommandLine {
 public:
  CommandLine(const Context& context, const source::List& words) : context_(context), words_(words) {}

  std::optional<Value> run() {
    for (std::size_t at = 0; valid_ && at < words_.size(); ++at) at = read(at);
    if (!valid_) return std::nullopt;
    return Value{std::move(out_),
                 words_.empty() ? source::Span() : source::Span{words_.front().span.begin, words_.back().span.end}};
  }

 private:
  static std::string text_of(const Value& word) { return source::python_str(word); }

  void reject(const Value& word, const std::string& name, std::string why, std::string help = {}) {
    valid_ = false;
    context_.sink.report(diag::autoround_unknown_option, word.span, name, why).with_help(std::move(help));
  }

  // Reads the word at an index. Returns the index of the last word that belongs to it.
  std::size_t read(std::size_t at) {
    if (context_.is_unknown(words_[at])) return at;
    const std::string word = text_of(words_[at]);
    if (!word.starts_with("--")) return read_extra(at);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Option* option = option_of(words_[at], name);
    if (option == nullptr) return at;
    last_ = "--" + std::string(option->name);
    value_ = at;
    if (option->flag) {
      put(option->name, {true, words_[at].span});
      return at;
    }
    if (equals != std::string::npos) {
      put_text(option->name, word.substr(equals + 1), words_[at].span);
      return at;
    }
    if (at + 1 == words_.size() || text_of(words_[at + 1]).starts_with("--")) {
      reject(words_[at], word, "it has no value", fmt::format("add a value after `{}`", word));
      return at;
    }
    if (context_.is_unknown(words_[at + 1])) {
      put(option->name, words_[at + 1]);
    } else {
      put_text(option->name, text_of(words_[at + 1]), words_[at + 1].span);
    }
    value_ = at + 1;
    return at + 1;
  }

  // Words without an option are the model, and the last of them counts.
  std::size_t read_extra(std::size_t at) {
    std::size_t end = at;
    while (end + 1 < words_.size() && !text_of(words_[end + 1]).starts_with("--")) ++end;
    if (last_.empty()) return end;
    auto& report = context_.sink.report(diag::autoround_word_not_read, words_[at].span, text_of(words_[at]), last_);
    report.with_caret("the model is then " + text_of(words_[end]));
    if (base::contains(kLists, std::string_view(last_))) offer_one_word(report, end);
    return end;
  }

  // Offers the value of the last option and all words up to `end` as one word with commas.
  void offer_one_word(diag::Diagnostic& report, std::size_t end) const {
    const std::string first = text_of(words_[value_]);
    if (context_.is_unknown(words_[value_])) return;
    std::vector<std::string> items;
    for (std::size_t at = value_; at <= end; ++at) {
      const std::string item = text_of(words_[at]);
      const std::size_t begin = item.find_first_not_of(',');
      if (begin != item.npos) items.push_back(item.substr(begin, item.find_last_not_of(',') - begin + 1));
    }
    const std::string text = emit::literal(emit::Syntax::shell, fmt::format("{}", fmt::join(items, ",")));
    report.with_help(fmt::format("write `{}{}`", first.starts_with("--") ? "" : last_ + " ", text))
        .with_fix(diag::Fix::unsafe().replace({words_[value_].span.begin, words_[end].span.end}, text));
  }

  // Returns the option that a start of a name selects, or null after a report.
  const Option* option_of(const Value& word, const std::string& name) {
    std::vector<const Option*> found;
    for (const Option& option : kOptions) {
      if (option.name == name) return &option;
      if (option.name.starts_with(name)) found.push_back(&option);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
      const bool symmetric = name == "sym" || name == "symmetric";
      reject(word, "--" + name, "it does not exist", symmetric ? "delete it: symmetric is the default" : "");
    } else {
      reject(word, "--" + name, fmt::format("it is the start of `--{}` and `--{}`", found[0]->name, found[1]->name),
             fmt::format("write `--{}` or `--{}`", found[0]->name, found[1]->name));
    }
    return nullptr;
  }

  void put(std::string_view name, Value value) {
    if (name == "asym") {
      name = "sym";
      value.data = false;
    }
    if (name == "fp_layers") name = "ignore_layers";
    for (const auto& [other, ours] : kOtherNames) {
      if (other == name) name = ours;
    }
    const bool automatic = base::contains(kAutomaticOptions, name);
    if (!automatic && kAutoRound.find(name) == nullptr) return;  // of the program, not of the quantization
    const Value key{std::string(name), value.span};
    const auto known = std::ranges::find(out_, key, &source::Entry::first);
    if (known == out_.end()) {
      out_.emplace_back(key, std::move(value));
    } else {
      known->second = std::move(value);
    }
  }

  static bool is_number(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    return !digits.empty() && std::ranges::all_of(digits, base::is_digit);
  }

  void put_text(std::string_view name, const std::string& text, source::Span span) {
    constexpr std::string_view kNumbers[] = {"bits",           "group_size", "act_bits",
                                             "act_group_size", "super_bits", "super_group_size",
                                             "iters",          "nsamples",   "seqlen"};
    if (!check_choice(name, text, span)) return;
    if (name == "layer_config") return put_layer_config(text, span);
    if (!base::contains(kNumbers, name)) return put(name, {text, span});
    source::List numbers;
    for (const std::string_view part : base::parts_of(text, ',')) {
      if (!is_number(part)) return put(name, {text, span});
      numbers.push_back({source::integer_of(part), span});
    }
    put(name, numbers.size() == 1 ? numbers.front() : Value{std::move(numbers), span});
  }

  // Returns false after a report if the option does not accept a value.
  bool check_choice(std::string_view name, const std::string& text, source::Span span) {
    const auto* row = std::ranges::find(kChoices, name, &Choices::option);
    if (row == std::end(kChoices) ||
        (", " + std::string(row->values) + ",").find(", " + text + ",") != std::string::npos)
      return true;
    valid_ = false;
    context_.sink.report(diag::autoround_unknown_choice, span, "--" + std::string(name), text)
        .with_help(fmt::format("write `--{} {}`", name, row->values.substr(0, row->values.find(','))));
    return false;
  }

  void put_layer_config(const std::string& text, source::Span span) {
    if (text.empty()) return;
    std::string repaired;
    for (const char letter : text) repaired += letter == '\\' ? "\\\\" : std::string(1, letter);
    for (const std::string& json : {text, repaired}) {
      auto read = source::read_json(json);
      auto* value = std::get_if<std::optional<Value>>(&read);
      if (value == nullptr || !*value) continue;
      set_span(**value, span);
      return put("layer_config", std::move(**value));
    }
    ShortForm form(text, span);
    if (auto value = form.run()) return put("layer_config", std::move(*value));
    valid_ = false;
    context_.sink.report(diag::autoround_layer_config_text, span, form.error());
  }

  const Context& context_;
  const source::List& words_;
  source::Map out_;
  std::string last_;       // the last option
  std::size_t value_ = 0;  // index of the word with its value
  bool valid_ = true;
};

}  // namespace

std::optional<Value> arguments_of(const Context& context, const Value& words) {
  const auto* list = words.get<source::List>();
  return list == nullptr ? std::nullopt : CommandLine(context, *list).run();
}

}  // namespace sparsecfg::dialect::autoround
