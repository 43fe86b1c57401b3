#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/config.h"
#include "dialect/autoround/formats.h"
#include "dialect/autoround/table.h"
#include "dialect/quantizers/runtime.h"

// The formats of the saved model (docs/semantics/autoround.md#a3-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR113, autoround_head_format, error, (Text), "the format `{}` can't have a quantized `lm_head`",
           "Only the formats `auto_round`, `mlx` and `fake` can have a quantized output layer. The command stops with "
           "ValueError.",
           "write `--format auto_round`, or delete `--quant_lm_head`")

DIAGNOSTIC(AR114, autoround_unknown_format, error, (Text), "AutoRound has no format `{}`",
           "The name of a format is not that of an algorithm. AutoRound stops with ValueError at other names.",
           "write `auto_round`, `auto_gptq`, `auto_awq`, `llm_compressor` or a type such as `gguf:q4_k_m`")

DIAGNOSTIC(
    AR115, autoround_format_rejects, error, (Text, Text), "the format `{}` has no {}",
    "AutoRound compares the scheme with the format and stops if the format has no such numbers. The usual format "
    "`auto_round` stands for `auto_gptq` or `auto_awq` if the weights are integers.",
    "use another format or scheme")

DIAGNOSTIC(
    AR116, autoround_saved_plain, silent_warning, (Text, Text),
    "AutoRound saves {1} as 16-bit weights in the format `{0}`",
    "The formats of GPTQ and AWQ have no quantized inputs. AutoRound then logs a warning and saves the model in the "
    "format `fake`: in full size and without a quantization config.",
    "write `format=\"llm_compressor\"`")

DIAGNOSTIC(AR117, autoround_gguf_decides, silent_warning, (Text, std::int64_t),
           "the format `{}` replaces the scheme by one of {} bits",
           "A type of GGUF replaces the bits, groups and symmetry of the scheme. AutoRound does not report it.",
           "delete the scheme, or write the format of these bits")

DIAGNOSTIC(AR118, autoround_gguf_scheme_format, warning, (Text, Text),
           "AutoRound saves the scheme `{1}` as GGUF, not as `{0}`",
           "A scheme of GGUF has only one format. AutoRound replaces the other one and logs a warning.",
           "write `format=\"{1}\"`")

DIAGNOSTIC(AR119, autoround_gguf_alone, error, (Text), "GGUF can't be saved together with {}",
           "AutoRound stops with an error if the formats contain GGUF and others than `fake`.",
           "save each format in its own run")

DIAGNOSTIC(AR120, autoround_format_not_read, silent_warning, (Text, Text),
           "`{}` has no effect, because the model is saved as `{}`",
           "The first format that an object gets is that of all later calls. AutoRound does not report another one.",
           "delete one of the formats")

DIAGNOSTIC(AR121, autoround_saved_too_early, silent_error, (),
           "`save_quantized` saves nothing, because the model is not quantized",
           "Without a call of `quantize` before, AutoRound only logs a message and returns.",
           "call `quantize_and_save`")

DIAGNOSTIC(
    AR137, autoround_not_model_free, error, (Text), "the path without a model has no {}",
    "`model_free` rounds the files of a checkpoint to integers of 2, 4 or 8 bits, or to MXFP4 or MXFP8. AutoRound "
    "stops with ValueError at other schemes, and at other formats than `auto_round` and `llm_compressor`.",
    "delete `model_free`")

DIAGNOSTIC(AR306, autoround_vllm_without_kernel, error, (Text), "vLLM does not load {} in the format `auto_gptq`",
           "`auto_gptq` saves a model of the method `gptq`, of which vLLM loads only layers with 4 or 8 bits and "
           "symmetric weights. It stops at any other layer.",
           "write `format=\"auto_round\"`")

std::string setting(const Form& form, std::string_view name, std::string_view text) {
  return form.command ? fmt::format("--{} {}", name, text) : fmt::format("{}=\"{}\"", name, text);
}

std::string switched_on(const Form& form, std::string_view name) {
  return form.command ? fmt::format("--{}", name) : fmt::format("{}=True", name);
}

namespace {

// The formats that an object gets, and their place.
struct Choice {
  std::string text;
  source::Span span;  // empty: no call states the format
};

class SavingCheck {
 public:
  SavingCheck(const Context& context, const Value& call, const Form& form, Arguments& arguments)
      : context_(context), call_(call), form_(form), arguments_(arguments) {}

  void run() {
    check_order();
    const auto choice = chosen();
    if (!choice) return;
    choice_ = *choice;
    check_later_formats();
    names_ = format_names(choice_.text, arguments_.base.bits.value_or(4));
    if (!check_names()) return;
    forget_automatic_path();
    if (!check_model_free() || !check_gguf()) return;
    check_head();
    if (!arguments_.stops && !arguments_.unknown && !arguments_.exported) check_scheme();
    if (!arguments_.stops && !arguments_.unknown && !arguments_.exported) check_vllm();
  }

 private:
  void stop() { arguments_.stops = true; }

  [[nodiscard]] bool is_at_least(std::string_view release) const {
    return quantizers::is_at_least(release, kReaderOptions[0], context_.options);
  }

  // Returns the formats of the constructor or, without them, of the first call that saves. Nullopt: none, or unknown.
  [[nodiscard]] std::optional<Choice> chosen() const {
    const Value* own = call_.given("format");
    if (own != nullptr) return choice_of(*own, context_.is_unknown(*own));
    if (form_.command) return Choice{std::string(kUsualFormat), {}};
    if (call_.find("**") != nullptr) return std::nullopt;
    const auto saves = [](const Save& save) { return save.method != "quantize"; };
    const auto first = std::ranges::find_if(form_.saves, saves);
    if (first == form_.saves.end() || first->method.empty()) return std::nullopt;
    return choice_of(first->format, first->is_unknown);
  }

  [[nodiscard]] static std::optional<Choice> choice_of(const Value& value, bool unknown) {
    if (value.is_null() && !unknown) return Choice{std::string(kUsualFormat), {}};
    const auto* text = value.get<std::string>();
    return unknown || text == nullptr ? std::nullopt : std::optional(Choice{*text, value.span});
  }

  // Reports a model that is saved before it is quantized.
  void check_order() {
    if (form_.saves.empty() || form_.saves.front().method != "save_quantized" || arguments_.model_free) return;
    const source::Span place = form_.saves.front().place;
    auto& report = context_.sink.report(diag::autoround_saved_too_early, place);
    const auto* format = form_.saves.front().format.get<std::string>();
    if (format != nullptr)
      report.with_help(fmt::format("call `quantize_and_save(..., format=\"{}\")` instead", base::printable(*format)));
    stop();
  }

  // Returns true if every run that reaches `second` has passed `first`. No line between them may end the block of
  // `first`.
  [[nodiscard]] bool precedes(source::Span first, source::Span second) const {
    const std::string_view text = context_.file.text();
    if (first.begin >= second.begin || second.begin > text.size()) return false;
    const auto indent = [&](std::size_t line) { return text.find_first_not_of(" \t", line) - line; };
    const std::size_t begin = text.rfind('\n', first.begin) + 1;
    for (std::size_t end = text.find('\n', first.end); end < second.begin; end = text.find('\n', end + 1)) {
      if (indent(end + 1) < indent(begin) && text[text.find_first_not_of(" \t", end + 1)] != '\n') return false;
    }
    return true;
  }

  // Reports the formats of later calls, which AutoRound does not read.
  void check_later_formats() const {
    if (!is_at_least("0.12")) return;
    for (const Save& save : form_.saves) {
      const auto* text = save.format.get<std::string>();
      if (text == nullptr || save.is_unknown || save.format.span == choice_.span) continue;
      const auto names = format_names(*text, 4);
      if (names.empty() || names == format_names(choice_.text, 4)) continue;
      if (call_.given("format") == nullptr && !precedes(choice_.span, save.format.span)) continue;
      auto& report = context_.sink.report(diag::autoround_format_not_read, save.format.span,
                                          setting(form_, "format", *text), choice_.text);
      if (!choice_.span.empty()) report.with_label(choice_.span, "the format of the object");
      report.with_help(call_.given("format") != nullptr
                           ? "delete `format` in one of the calls"
                           : fmt::format("write `format=\"{},{}\"` in the first call", choice_.text, *text));
    }
  }

  // Returns the formats with one of them replaced.
  [[nodiscard]] std::string with(std::string_view name, std::string_view other) const {
    std::vector<std::string> out;
    for (const std::string& each : names_) out.emplace_back(each == name ? other : std::string_view(each));
    return fmt::format("{}", fmt::join(out, ","));
  }

  // Offers another text for the formats, if they are written as one string.
  void offer(diag::Diagnostic& report, const std::string& text) const {
    if (choice_.span.empty()) return;
    const std::string_view written = context_.file.text(choice_.span);
    const bool bare = written == choice_.text;
    const bool quoted =
        written.size() == choice_.text.size() + 2 && written.substr(1, choice_.text.size()) == choice_.text;
    if (bare) report.with_fix(diag::Fix::unsafe().replace(choice_.span, text));
    if (quoted) report.with_fix(diag::Fix::unsafe().content(choice_.span, text));
  }

  [[nodiscard]] bool is_known(std::string_view name) const {
    if (is_gguf(name)) return preset(name).has_value();
    const Format* format = find_format(name);
    return format != nullptr && is_at_least(format->since);
  }

  // Returns false after a report if a format does not exist.
  bool check_names() {
    for (const std::string& name : names_) {
      if (is_known(name)) continue;
      auto& report = context_.sink.report(diag::autoround_unknown_format, choice_.span, base::printable(name));
      if (const std::string_view meant = meant_by(name); !meant.empty()) {
        const std::string text = with(name, meant);
        report.with_help(fmt::format("write `{}`", setting(form_, "format", text)));
        offer(report, text);
      }
      stop();
      return false;
    }
    return true;
  }

  [[nodiscard]] static std::string_view meant_by(std::string_view name) {
    if (const std::string_view meant = format_meant_by(name); !meant.empty()) return meant;
    std::vector<std::string_view> all{kUsualFormat, "auto_gptq", "auto_awq", "llm_compressor", "mlx", "fake"};
    for (const std::string_view each : gguf_names()) all.push_back(each);
    return base::Guesses(all).nearest(name).value_or(std::string_view());
  }

  // Returns true if the path without a model has the numbers of a scheme.
  [[nodiscard]] static bool is_model_free(const Fields& fields) {
    const std::string type = fields.data_type.value_or("int");
    const std::int64_t bits = fields.bits.value_or(16);
    const bool four_or_eight = bits == 4 || bits == 8;
    if (type.starts_with("mx_fp")) return four_or_eight;
    if (type == "nvfp4_v2" || bits >= 16) return true;
    return type == "int" && fields.act_bits.value_or(16) >= 16 && (four_or_eight || bits == 2);
  }

  // AutoRound selects the path without a model itself only for some schemes, and if the first format is its own. Calls
  // that save have no effect on this choice.
  void forget_automatic_path() {
    const bool decides = form_.command || call_.given("format") != nullptr;
    const bool other = decides && !names_.empty() && names_.front() != kUsualFormat;
    if (arguments_.asks_for_model_free || arguments_.unknown) return;
    if (other || !is_model_free(arguments_.base)) arguments_.model_free = false;
  }

  // Returns false after a report if the path without a model, which the user requests, can't save the model.
  bool check_model_free() {
    if (!arguments_.asks_for_model_free || !is_at_least("0.13")) return true;
    const std::string flag = switched_on(form_, "model_free");
    const auto has_format = [](const std::string& name) { return !is_gguf(name) && find_format(name)->model_free; };
    const auto other = std::ranges::find_if_not(names_, has_format);
    const bool rejects_scheme = !arguments_.unknown && !is_model_free(arguments_.base);
    if (other == names_.end() && !rejects_scheme) return true;
    stop();
    if (rejects_scheme) {
      context_.sink.report(diag::autoround_not_model_free, place_of_scheme(), numbers_of(arguments_.base))
          .with_help(fmt::format("delete `{}`, or write `{}`", flag, setting(form_, "scheme", "W4A16")));
      return false;
    }
    auto& report =
        context_.sink.report(diag::autoround_not_model_free, choice_.span, fmt::format("format `{}`", *other));
    report.with_help(
        fmt::format("write `{}`, or delete `{}`", setting(form_, "format", with(*other, kUsualFormat)), flag));
    offer(report, with(*other, kUsualFormat));
    return false;
  }

  // Handles formats and schemes of GGUF. Returns false after a report of an error.
  bool check_gguf() {
    const auto is_other = [](const std::string& name) { return !is_gguf(name) && name != "fake"; };
    const auto gguf = std::ranges::find_if(names_, is_gguf);
    const auto other = std::ranges::find_if(names_, is_other);
    if (gguf != names_.end() && std::ranges::count_if(names_, is_other) > 1) {
      context_.sink.report(diag::autoround_gguf_alone, choice_.span, fmt::format("`{}`", *other));
      stop();
      return false;
    }
    if (arguments_.gguf && other != names_.end() && gguf == names_.end()) report_scheme_of_gguf(*other);
    if (gguf != names_.end() && !arguments_.gguf && !arguments_.unknown) report_bits_of_gguf(*gguf);
    arguments_.exported = arguments_.gguf || gguf != names_.end();
    return true;
  }

  void report_scheme_of_gguf(const std::string& other) const {
    const Value* scheme = call_.find("scheme");
    const auto* name = scheme == nullptr ? nullptr : scheme->get<std::string>();
    if (name == nullptr || choice_.span.empty()) return;
    const std::string type = base::to_lower(*name);
    auto& report = context_.sink.report(diag::autoround_gguf_scheme_format, choice_.span, other, type);
    report.with_help(
        fmt::format("write `{}`, or `{}`", setting(form_, "format", type), setting(form_, "scheme", "W4A16")));
    offer(report, type);
  }

  void report_bits_of_gguf(const std::string& name) const {
    const std::int64_t bits = preset(name)->bits.value_or(16);
    const Value* cause = call_.given("bits") != nullptr ? call_.given("bits") : call_.given("scheme");
    const std::int64_t own = arguments_.base.bits.value_or(16);
    if (cause == nullptr || own == bits) return;
    auto& report = context_.sink.report(diag::autoround_gguf_decides, cause->span, name, bits);
    if (!choice_.span.empty()) report.with_label(choice_.span, "replaces the scheme");
    const std::string_view usual = gguf_name_for(own);
    if (usual.empty()) return;
    report.with_help(fmt::format("write `{}`, or delete `{}`", setting(form_, "format", with(name, usual)),
                                 call_.given("bits") != nullptr ? "bits" : "scheme"));
    offer(report, with(name, usual));
  }

  // Reports a format that can't have a quantized output layer. Only the command checks it.
  void check_head() {
    if (!form_.command || !arguments_.quantizes_head || choice_.span.empty()) return;
    static constexpr std::string_view kHeadFormats[] = {"auto_round", "fake", "mlx"};
    for (const std::string& name : names_) {
      const bool fits = std::ranges::any_of(
          kHeadFormats, [&](std::string_view each) { return name.find(each) != std::string::npos; });
      if (fits) continue;
      stop();
      context_.sink.report(diag::autoround_head_format, choice_.span, name)
          .with_label(arguments_.head, "the output layer is quantized");
      return;
    }
  }

  // Reports the first layers for which vLLM has no GPTQ kernel.
  void check_vllm() {
    constexpr std::string_view kGptq = "auto_gptq";
    const bool served = quantizers::runtime_of(context_.options) == quantizers::Runtime::vllm;
    if (!served || names_.size() != 1 || names_.front() != kGptq) return;
    if (!loads(arguments_.base)) return report_kernel(arguments_.base, place_of_kernel());
    for (const LayerSetting& entry : arguments_.entries) {
      const Fields fields = merged(arguments_.base, entry.fields);
      if (!entry.unknown && !entry.ignored && !loads(fields)) return report_kernel(fields, entry.span);
    }
  }

  static bool loads(const Fields& fields) {
    const std::int64_t bits = fields.bits.value_or(16);
    return bits > kMostBits || quantizers::vllm_loads_gptq(bits, fields.sym.value_or(true));
  }

  // Returns the place of the argument without which vLLM loads the base, or that of the format.
  [[nodiscard]] source::Span place_of_kernel() const {
    const bool bits = !quantizers::vllm_loads_gptq(arguments_.base.bits.value_or(16), true);
    const Value* symmetric = bits ? nullptr : call_.given("sym");
    return bits ? place_of_scheme() : symmetric == nullptr ? choice_.span : symmetric->span;
  }

  void report_kernel(const Fields& fields, source::Span place) {
    stop();
    const std::int64_t bits = fields.bits.value_or(16);
    const bool symmetric = fields.sym.value_or(true);
    auto& report = context_.sink.report(diag::autoround_vllm_without_kernel, place,
                                        fmt::format("{}int{} weights", symmetric ? "" : "asymmetric ", bits));
    if (place != choice_.span) report.with_label(choice_.span, "decides the kernel");
    report.with_help(help_for_kernel(bits, symmetric, place));
  }

  // Returns the edits after which vLLM loads the layers. `auto_round` has kernels for all bits of symmetric weights.
  [[nodiscard]] std::string help_for_kernel(std::int64_t bits, bool symmetric, source::Span place) const {
    const std::string_view other = symmetric ? kUsualFormat : bits == 4 ? "auto_awq" : "";
    const std::string format =
        other.empty() ? std::string() : fmt::format("write `{}`", setting(form_, "format", with("auto_gptq", other)));
    const Value* flag = call_.given("sym");
    const bool is_flag = flag != nullptr && flag->span == place;
    const std::string own = symmetric       ? ""
                            : !is_flag      ? "make the weights of these layers symmetric"
                            : form_.command ? "delete `--asym`"
                                            : "write `sym=True`";
    return fmt::format("{}{}{}", own, own.empty() || format.empty() ? "" : ", or ", format);
  }

  // Returns true if all layers have 4 or 16 bits.
  [[nodiscard]] bool only_four() const {
    return std::ranges::all_of(arguments_.entries, [&](const LayerSetting& entry) {
      const std::int64_t bits = merged(arguments_.base, entry.fields).bits.value_or(16);
      return bits == 4 || bits >= 16;
    });
  }

  void check_scheme() {
    bool all_plain = !names_.empty();
    for (const std::string& name : names_) {
      const Storage storage = storage_of(*find_format(name), arguments_.base, only_four());
      all_plain = all_plain && (storage.kind == Storage::Kind::plain || name == "fake");
      if (storage.kind == Storage::Kind::stops) return report_rejected(name, storage);
      if (storage.kind == Storage::Kind::plain) report_plain(name, storage);
      if (storage.kind == Storage::Kind::stored && !check_layers(name)) return;
    }
    const bool only_fake = std::ranges::all_of(names_, [](const std::string& name) { return name == "fake"; });
    if (all_plain && !only_fake) make_plain();
  }

  // The saved model has weights of 16 bits.
  void make_plain() {
    arguments_.base = plain_fields();
    for (LayerSetting& entry : arguments_.entries) entry.fields = plain_fields();
  }

  // Returns the place of the scheme: that of the argument that sets it.
  [[nodiscard]] source::Span place_of_scheme() const {
    for (const std::string_view name : {"scheme", "bits", "data_type", "act_bits"}) {
      const Value* value = call_.given(name);
      if (value != nullptr && !value->span.empty()) return value->span;
    }
    return form_.name;
  }

  // Returns an argument without which the format stores the scheme; empty if there is none. Bits and types are what the
  // user wants.
  [[nodiscard]] std::string needless_argument(const Format& format) const {
    Fields without = arguments_.base;
    const Value* scheme = call_.given("scheme");
    const auto* name = scheme == nullptr ? nullptr : scheme->get<std::string>();
    const auto start = preset(name == nullptr ? "W4A16" : *name);
    if (!start || call_.given("group_size") == nullptr) return {};
    without.group_size = start->group_size;
    const bool fits = storage_of(format, without, only_four()).kind == Storage::Kind::stored;
    return fits ? "group_size" : "";
  }

  // Returns the settings of formats that store the scheme, as in "write `format="mlx"`".
  [[nodiscard]] std::string advice(const std::string& name) const {
    std::vector<std::string> out;
    for (const std::string_view each : formats_for(arguments_.base, only_four())) {
      const bool exists = is_at_least(find_format(each)->since);
      if (each != name && exists && out.size() < 2)
        out.push_back(fmt::format("`{}`", setting(form_, "format", with(name, each))));
    }
    return out.empty() ? std::string() : fmt::format("write {}", fmt::join(out, " or "));
  }

  // Returns the advice for a scheme that no format but `fake` stores.
  [[nodiscard]] std::string weights_only() const {
    const bool inputs = call_.given("act_bits") != nullptr;
    const std::string action =
        inputs ? "delete `act_bits`" : fmt::format("write `{}`", setting(form_, "scheme", "W4A16"));
    return action + ": only `fake` has these numbers";
  }

  void report_rejected(const std::string& name, const Storage& storage) {
    stop();
    const std::string needless = needless_argument(*find_format(name));
    const source::Span scheme = place_of_scheme();
    const source::Span place = !needless.empty()      ? call_.find(needless)->span
                               : choice_.span.empty() ? scheme
                                                      : choice_.span;
    auto& report = context_.sink.report(diag::autoround_format_rejects, place, name, storage.lacks);
    const bool labels_scheme = place != scheme && scheme != form_.name;
    if (labels_scheme) report.with_label(scheme, storage.lacks);
    const std::string formats = advice(name);
    if (!needless.empty()) {
      report.with_help(fmt::format("delete `{}`", needless));
    } else if (!formats.empty()) {
      report.with_help(formats);
    } else {
      report.with_help(weights_only());
    }
  }

  void report_plain(const std::string& name, const Storage& storage) const {
    const source::Span place = choice_.span.empty() ? place_of_scheme() : choice_.span;
    auto& report = context_.sink.report(diag::autoround_saved_plain, place, name, storage.lacks);
    const std::string formats = advice(name);
    report.with_help(formats.empty() ? weights_only() : formats);
  }

  // Reports layers that AutoAWQ can't pack. Returns false if there is one.
  bool check_layers(const std::string& name) {
    if (name != "auto_awq" && name != "auto_round:auto_awq") return true;
    for (const LayerSetting& entry : arguments_.entries) {
      const std::int64_t bits = merged(arguments_.base, entry.fields).bits.value_or(16);
      if (entry.unknown || entry.ignored || bits == 4 || bits > kMostBits) continue;
      stop();
      context_.sink.report(diag::autoround_format_rejects, entry.span, name, fmt::format("int{} weights", bits))
          .with_help(fmt::format("write `{}`", setting(form_, "format", with(name, kUsualFormat))));
      return false;
    }
    return true;
  }

  const Context& context_;
  const Value& call_;
  const Form& form_;
  Arguments& arguments_;
  Choice choice_;
  std::vector<std::string> names_;
};

}  // namespace

void check_saving(const Context& context, const Value& call, const Form& form, Arguments& arguments) {
  SavingCheck(context, call, form, arguments).run();
}

}  // namespace sparsecfg::dialect::autoround
