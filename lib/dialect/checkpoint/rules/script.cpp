#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/base.h"
#include "dialect/checkpoint/calls.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantizers/program.h"
#include "dialect/quantizers/quantized_base.h"
#include "dialect/quantizers/script_code.h"
#include "script/model.h"
#include "script/trace.h"
#include "script/value.h"

// Calls of `from_pretrained` and of methods of the model that it returns.
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(
    QC405, bits_as_argument, error, (Text), "`from_pretrained` of transformers 5 has no argument `{}`",
    "transformers 5 reads the bits only from a `BitsAndBytesConfig`. It passes unknown arguments to the class of "
    "the model, which stops with TypeError. In transformers 4, the argument works, but not beside "
    "`quantization_config`.",
    "write `quantization_config=BitsAndBytesConfig({}=True)`")

DIAGNOSTIC(QC406, configuration_not_passed, silent_warning, (Text),
           "no call receives `{}`, so `from_pretrained` loads the model without quantization",
           "A configuration has no effect until it is passed to `from_pretrained`.",
           "pass `quantization_config={}` to `from_pretrained`")

DIAGNOSTIC(QC407, configuration_by_other_name, error, (Text), "`from_pretrained` has no argument `{}`",
           "transformers reads the configuration of a quantization only from `quantization_config`. It passes unknown "
           "arguments to the class of the model, which stops with TypeError.",
           "write `quantization_config=`")

DIAGNOSTIC(QC408, cast_of_quantized_model, error, (Text), "a quantized model does not support `{}`",
           "The weights are packed, so that transformers does not convert them. The call stops with ValueError. The "
           "type of the other parameters is an argument of `from_pretrained`.",
           "delete the call")

DIAGNOSTIC(QC409, configuration_beside_gguf, error, (), "`gguf_file` excludes `quantization_config`",
           "transformers converts the tensors of a GGUF file to 16 bits and does not quantize them again. "
           "`from_pretrained` stops with ValueError.",
           "delete `quantization_config`, or load the model in full precision without `gguf_file`")

namespace {

using script::Ref;

constexpr quantizers::Exported kTorch[] = {{"torch"}};
constexpr std::string_view kConfiguration = "quantization_config";

// Returns true for `from_pretrained` of a model class of transformers.
bool is_load(const script::Value& call) {
  return call.imported && call.path.starts_with("transformers.") && call.path.ends_with(".from_pretrained") &&
         script::is_model(call);
}

// Returns the value of a named argument, or null, and the place of its name.
std::pair<Ref, source::Span> named(const script::Value& call, std::string_view name) {
  for (const auto& each : call.names) {
    if (each.value == name) return {call.argument(name), each.span};
  }
  return {};
}

// Returns the class of a configuration, such as "BitsAndBytesConfig"; empty for other values.
std::string_view class_name(const Ref& value) {
  if (value == nullptr || value->possible) return {};
  if (const ClassRow* row = row_of(*value)) return row->name();
  const bool torchao = value->kind == script::Value::Kind::object && value->path == "transformers.TorchAoConfig";
  return torchao ? "TorchAoConfig" : std::string_view();
}

// --- arguments --------------------------------------------------------------------------------------

void report_flag(const script::Trace& trace, std::string_view flag, source::Span name, const script::Value& value,
                 diag::Sink& sink) {
  const std::string_view text = quantizers::text_at(trace, value.span);
  static constexpr quantizers::Exported kClass[] = {{"transformers", "BitsAndBytesConfig"}};
  const quantizers::ScriptCode call = quantizers::code_for(
      trace.imported, fmt::format("quantization_config=BitsAndBytesConfig({}={})", flag, text), kClass);
  auto& report = sink.report(diag::bits_as_argument, name, std::string(flag));
  if (text.empty()) return;
  report.with_help(fmt::format("write {}", call.shown()));
  if (call.imports.empty()) report.with_fix(diag::Fix::unsafe().replace({name.begin, value.span.end}, call.text));
}

// The flags of bitsandbytes as arguments.
void check_flags(const script::Trace& trace, const script::Value& call, const ReadOptions& options, diag::Sink& sink) {
  const auto [config, place] = named(call, kConfiguration);
  for (const std::string_view flag : kBitsFlags) {
    const auto [value, name] = named(call, flag);
    if (value == nullptr) continue;
    if (script::is_given(config)) {
      auto& report = sink.report(diag::bits_as_argument, name, std::string(flag));
      report.with_label(place, "decides the bits");
      report.with_help(fmt::format("delete `{}={}`", flag, quantizers::text_at(trace, value->span)));
      return;
    }
    const bool* on = std::get_if<bool>(&value->data);
    if (options.before_transformers_5) return;
    if (value->kind == script::Value::Kind::scalar && (on == nullptr || !*on)) {
      sink.report(diag::bits_as_argument, name, std::string(flag)).with_help("delete the argument");
    } else {
      report_flag(trace, flag, name, *value, sink);
    }
    return;
  }
}

// A configuration under the name of another argument. A model with custom code may accept any name.
void check_names(const script::Trace& trace, const script::Value& call, diag::Sink& sink) {
  if (script::is_given(call.argument("trust_remote_code"))) return;
  for (const auto& name : call.names) {
    const Ref value = call.argument(name.value);
    if (name.value == kConfiguration || name.value == "**" || class_name(value).empty()) continue;
    auto& report = sink.report(diag::configuration_by_other_name, name.span, name.value);
    if (call.argument(kConfiguration) != nullptr) continue;
    if (const std::string_view text = quantizers::text_at(trace, value->span); text.find('\n') == text.npos) {
      report.with_help(fmt::format("write `{}={}`", kConfiguration, text));
    }
    report.with_fix(diag::Fix::safe().replace(name.span, std::string(kConfiguration)));
  }
}

void check_gguf(const script::Value& call, diag::Sink& sink) {
  const auto [config, place] = named(call, kConfiguration);
  const auto [file, label] = named(call, "gguf_file");
  const bool both = !class_name(config).empty() && file != nullptr && file->string() != nullptr;
  if (both) sink.report(diag::configuration_beside_gguf, place).with_label(label, "is not quantized again");
}

// --- casts ------------------------------------------------------------------------------------------

bool is_type_of_torch(const script::Value& value) {
  static constexpr std::string_view kTypes[] = {"torch.float16", "torch.bfloat16", "torch.float32", "torch.float64",
                                                "torch.half",    "torch.float",    "torch.double"};
  return value.kind == script::Value::Kind::name && value.imported && base::contains(kTypes, value.path);
}

bool names_type(const script::Value& call) {
  return call.argument("dtype") != nullptr ||
         std::ranges::any_of(call.items, [](const Ref& item) { return is_type_of_torch(*item); });
}

bool has_eight_bits(const script::Value& config) { return script::is_true(config.argument(kEightBits, 0)); }

// Returns the method of a quantized model that the call of it does not support, or an empty text.
std::string_view unsupported_cast(const script::Value& call, const script::Value& config,
                                  std::string_view config_class) {
  for (const std::string_view name : {"half", "float"}) {
    if (quantizers::is_method(call, name)) return name;
  }
  const bool bitsandbytes = config_class == "BitsAndBytesConfig";
  if (quantizers::is_method(call, "to") && (bitsandbytes || config_class == "GPTQConfig") && names_type(call)) {
    return "to";
  }
  return bitsandbytes && quantizers::is_method(call, "cuda") && has_eight_bits(config) ? "cuda" : std::string_view();
}

// Returns the type that the script asks for: "float16" for `.half()`.
std::string type_of_cast(const script::Value& call, std::string_view method) {
  if (method == "half") return "float16";
  if (method == "float") return "float32";
  const Ref named = call.argument("dtype");
  for (const Ref& item : call.items) {
    if (is_type_of_torch(*item)) return std::string(base::last_part(item->path));
  }
  return named != nullptr && is_type_of_torch(*named) ? std::string(base::last_part(named->path)) : std::string();
}

// Returns the place of `.method(...)` in a call of a method.
source::Span place_of_method(const script::Trace& trace, const script::Value& call, std::string_view method) {
  const std::size_t at = quantizers::text_at(trace, call.span).rfind(fmt::format(".{}(", method));
  return at == std::string_view::npos ? call.span
                                      : source::Span{call.span.begin + static_cast<std::uint32_t>(at), call.span.end};
}

void check_cast(const script::Trace& trace, const script::Value& call, diag::Sink& sink) {
  if (call.owner == nullptr || !is_load(*call.owner) || call.owner->escaped || call.owner->possible) return;
  const Ref config = call.owner->argument(kConfiguration);
  const std::string_view config_class = class_name(config);
  if (config_class.empty() || config->argument("dequantize") != nullptr || config->argument("**") != nullptr) return;
  const std::string_view method = unsupported_cast(call, *config, config_class);
  if (method.empty()) return;
  const source::Span place = place_of_method(trace, call, method);
  const std::string type = type_of_cast(call, method);
  const std::string_view text = quantizers::text_at(trace, place);
  auto& report = sink.report(diag::cast_of_quantized_model, place, fmt::format(".{}()", method));
  report.with_label(config->name_span, "quantizes it");
  if (text.empty()) return;
  report.with_help(
      method == "cuda" ? fmt::format("delete `{}`: the model is on the GPU already", text)
      : type.empty()
          ? fmt::format("delete `{}`", text)
          : fmt::format("delete `{}`, and in `from_pretrained`, write {}", text,
                        quantizers::code_for(trace.imported, fmt::format("dtype=torch.{}", type), kTorch).shown()));
}

// --- configurations that no call receives -----------------------------------------------------------

// Returns the name that a statement `name = call` assigns; empty for other places of the call.
std::string_view assigned_name(std::string_view text, source::Span call) {
  if (call.end > text.size()) return {};
  const std::size_t line = text.rfind('\n', call.begin) + 1;  // 0 if there is none
  std::string_view before = base::trim(text.substr(line, call.begin - line));
  if (!before.ends_with('=')) return {};
  before = base::trim(before.substr(0, before.size() - 1));
  const bool name = !before.empty() && std::ranges::all_of(before, base::is_name_letter);
  return name ? before : std::string_view();
}

// Returns a line without its comment. A line with quotes before `#` has no comment.
std::string_view without_comment(std::string_view line) {
  const std::string_view code = line.substr(0, line.find('#'));
  return code.find_first_of("\"'") == std::string_view::npos ? code : line;
}

// Returns the names of a text that are written only once outside of comments.
std::unordered_set<std::string_view> names_written_once(std::string_view text) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const std::string_view line : base::lines_of(text)) {
    const std::string_view code = without_comment(line);
    for (auto at = code.begin(); at != code.end();) {
      const auto begin = std::find_if(at, code.end(), base::is_name_letter);
      at = std::find_if_not(begin, code.end(), base::is_name_letter);
      if (begin != at) ++counts[std::string_view(begin, at)];
    }
  }
  std::unordered_set<std::string_view> out;
  for (const auto& [name, count] : counts) {
    if (count == 1) out.insert(name);
  }
  return out;
}

// Returns true for a call that loads a model without any configuration.
bool is_plain_load(const script::Value& load) {
  const bool plain = !load.open && load.argument("**") == nullptr && load.argument(kConfiguration) == nullptr &&
                     load.argument("config") == nullptr && load.argument("gguf_file") == nullptr;
  if (!plain || quantizers::method_in_name(script::model_of_argument(load).id)) return false;
  return std::ranges::none_of(load.names, [&](const auto& name) {
    return base::contains(kBitsFlags, name.value) || !class_name(load.argument(name.value)).empty();
  });
}

// Finds configurations that no call receives.
class UnusedConfigurations {
 public:
  UnusedConfigurations(const script::Trace& trace, diag::Sink& sink) : trace_(trace), sink_(sink) {}

  void check(const script::Value& config) {
    if (config.escaped || row_of(config) == nullptr || !config.imported) return;
    const std::string_view name = assigned_name(trace_.text, config.span);
    const script::Value* load = name.empty() ? nullptr : load_after(config.span);
    if (load == nullptr) return;
    if (!names_) names_ = names_written_once(trace_.text);
    if (names_->contains(name)) report(config, name, *load);
  }

 private:
  // Returns the first call that loads a model after a place; null if a call may get a configuration.
  const script::Value* load_after(source::Span place) {
    if (!loads_) loads_ = loads();
    const auto begin = [](const script::Value* load) { return load->span.begin; };
    const auto found = std::ranges::upper_bound(*loads_, place.end, {}, begin);
    return found == loads_->end() ? nullptr : *found;
  }

  // Returns the calls that load a model and are written after all earlier ones; none if one may get a configuration.
  [[nodiscard]] std::vector<const script::Value*> loads() const {
    std::vector<const script::Value*> out;
    for (const Ref& call : trace_.objects) {
      if (!is_load(*call) || call->span.end > trace_.text.size()) continue;
      if (!is_plain_load(*call)) return {};
      if (out.empty() || call->span.begin > out.back()->span.begin) out.push_back(call.get());
    }
    return out;
  }

  void report(const script::Value& config, std::string_view name, const script::Value& load) {
    auto& report = sink_.report(diag::configuration_not_passed, config.name_span, std::string(name));
    report.with_label(load.name_span, "loads the model");
    const std::string_view text = quantizers::text_at(trace_, load.span);
    const bool one_line = text.ends_with(')') && text.find('\n') == text.npos && !text.ends_with(",)");
    if (!one_line) return;
    const source::Span end{load.span.end - 1, load.span.end - 1};
    report.with_fix(diag::Fix::unsafe().replace(end, fmt::format(", quantization_config={}", name)));
  }

  const script::Trace& trace_;
  diag::Sink& sink_;
  std::optional<std::unordered_set<std::string_view>> names_;
  std::optional<std::vector<const script::Value*>> loads_;
};

}  // namespace

void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink) {
  UnusedConfigurations configurations(trace, sink);
  for (const Ref& call : trace.objects) {
    check_cast(trace, *call, sink);
    configurations.check(*call);
    if (!is_load(*call)) continue;
    check_flags(trace, *call, options, sink);
    check_names(trace, *call, sink);
    check_gguf(*call, sink);
  }
}

}  // namespace sparsecfg::dialect::checkpoint
