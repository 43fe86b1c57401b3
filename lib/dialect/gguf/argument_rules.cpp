#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/names.h"
#include "dialect/gguf/rules.h"

namespace sparsecfg::dialect::gguf {

using source::ShellWord;

DIAGNOSTIC(GG103, file_type_unknown, error, (Text), "llama-quantize has no type `{}`",
           "The last word of the command is the type of the file.", "use a type such as `Q4_K_M`")

DIAGNOSTIC(GG116, converter_type_unknown, error, (Text), "convert_hf_to_gguf.py writes no files of the type `{}`",
           "The converter writes F32, F16, BF16, Q8_0, TQ1_0 and TQ2_0, and stops at other types. `llama-quantize` "
           "converts its file to other types.",
           "write `--outtype bf16`, and quantize the file with `llama-quantize`")

DIAGNOSTIC(GG117, option_after_files, error, (Text), "llama-quantize reads `{}` only before the file names",
           "The options end at the first word without `--`. Words after the type are the number of threads, at which "
           "the program stops, or are silently ignored.",
           "write the options before the input")

DIAGNOSTIC(GG118, option_unknown, error, (Text), "llama-quantize has no option `{}`",
           "The program compares whole words and reads each value from the next word. It prints its usage and exits at "
           "other options.",
           "use an option of `llama-quantize --help`")

DIAGNOSTIC(
    GG123, pruned_layers_misread, silent_error, (Text, std::int64_t),
    "llama-quantize reads `{0}` in `--prune-layers` as the layer {1}",
    "The layers are numbers with commas between them. The program reads the digits at the start of each and ignores "
    "the rest, so a range removes only its first layer.",
    "write all layers, with commas between them")

DIAGNOSTIC(GG129, weights_exclusive, error, (), "llama-quantize rejects `--exclude-weights` beside `--include-weights`",
           "The matrix is used either for the weights that are included, or for all that are not excluded.",
           "delete `--exclude-weights`, since weights that are not included are excluded")

DIAGNOSTIC(
    GG130, weights_unmatched, silent_warning, (Text), "no tensor of an importance matrix has `{}` in its name",
    "`--include-weights` and `--exclude-weights` compare parts of the names of GGUF files, such as `attn_q`, not those "
    "of Hugging Face. Without a match, the first drops the whole matrix, and the second excludes nothing.",
    "use a part of a GGUF name")

DIAGNOSTIC(GG132, split_size_malformed, error, (Text), "convert_hf_to_gguf.py rejects the size `{}`",
           "A size is a whole number, with `K`, `M` or `G` as its unit.", "write a size such as `4G`")

DIAGNOSTIC(GG133, file_type_missing, error, (), "the command of llama-quantize names no type",
           "The type of the file follows the names of the files. The program stops without it.",
           "add a type such as `Q4_K_M`")

DIAGNOSTIC(GG134, threads_malformed, error, (Text), "llama-quantize reads `{}` as the number of threads",
           "The word after the type is the number of threads. The program stops if it is no number.",
           "write the files before the type")

namespace {

class ArgumentRules {
 public:
  ArgumentRules(const Command& command, const source::SourceFile& file, diag::Sink& sink)
      : command_(command), arguments_(command.arguments), file_(file), sink_(sink) {}

  void check() {
    if (command_.tool == Tool::convert) {
      check_converter_type();
      check_split_size();
      return;
    }
    for (const Argument& option : arguments_.options) check_option(option);
    if (!check_order()) check_file_type();
    check_pruned_layers();
    check_weights();
    check_names();
  }

 private:
  // --- convert_hf_to_gguf.py --------------------------------------------------------------------------

  void check_converter_type() {
    constexpr std::string_view kTypes[] = {"f32", "f16", "bf16", "q8_0", "tq1_0", "tq2_0", "auto"};
    constexpr std::pair<std::string_view, std::string_view> kMeant[] = {
        {"fp32", "f32"}, {"float32", "f32"},   {"fp16", "f16"},  {"float16", "f16"},
        {"half", "f16"}, {"bfloat16", "bf16"}, {"int8", "q8_0"}, {"8bit", "q8_0"},
        {"q8", "q8_0"},  {"8", "q8_0"},        {"16", "f16"},    {"32", "f32"}};
    const Argument* option = arguments_.find("--outtype");
    if (option == nullptr || option->value.unknown || option->value.span.empty()) return;
    const std::string& text = option->value.text;
    if (base::contains(kTypes, text)) return;
    auto& report = sink_.report(diag::converter_type_unknown, option->value.span, text);
    const std::string lower = base::to_lower(text);
    if (base::contains(kTypes, lower)) {
      report.with_help(fmt::format("write `{}`", lower)).with_fix(diag::Fix::safe().replace(option->value.span, lower));
    } else if (is_file_type(text) && !base::is_digit(text.front())) {
      report.with_help(two_steps(text));
    } else if (const auto* meant = std::ranges::find(kMeant, std::string_view(lower),
                                                     &std::pair<std::string_view, std::string_view>::first);
               meant != std::end(kMeant)) {
      report.with_help(fmt::format("write `{}`", meant->second));
    } else if (const auto near = base::nearest(lower, kTypes)) {
      report.with_help(fmt::format("did you mean `{}`?", *near));
    }
  }

  // Returns the help for a type that only llama-quantize writes.
  [[nodiscard]] std::string two_steps(const std::string& type) const {
    const std::string mix = base::to_upper(type);
    std::string quantized = "model-" + mix;
    if (command_.output) quantized = source::without_quotes(file_.text(command_.output->word.span));
    if (quantized.ends_with(kFileEnding)) quantized.resize(quantized.size() - kFileEnding.size());
    std::string plain = quantized;
    const std::size_t at = base::to_lower(plain).rfind(base::to_lower(type));
    if (at == plain.npos) plain += "-BF16";
    if (at < plain.size()) plain.replace(at, type.size(), "BF16");
    return fmt::format("write `--outtype bf16 --outfile {0}{2}`, and add `llama-quantize {0}{2} {1}{2} {3}`", plain,
                       quantized, kFileEnding, mix);
  }

  void check_split_size() {
    const Argument* option = arguments_.find("--split-max-size");
    if (option == nullptr || option->value.unknown || option->value.text.empty()) return;
    const std::string& text = option->value.text;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string unit = text.substr(digits);
    if (digits > 0 && (unit.empty() || unit == "K" || unit == "M" || unit == "G")) return;
    auto& report = sink_.report(diag::split_size_malformed, option->value.span, text);
    const std::string upper = base::to_upper(unit).substr(0, 1);
    if (digits > 0 && (upper == "K" || upper == "M" || upper == "G")) {
      report.with_help(fmt::format("write `{}{}`", text.substr(0, digits), upper));
    }
  }

  // --- llama-quantize ---------------------------------------------------------------------------------

  void check_option(const Argument& option) {
    const std::string& text = option.name.text;
    if (option.row != nullptr || option.name.unknown || text == "--") return;
    const OptionRow* meant = option_meant(Tool::quantize, text);
    const std::size_t equals = text.find('=');
    if (meant == nullptr && command_.program == Program::ik_llama) return;
    auto& report = sink_.report(diag::option_unknown, option.name.span, text);
    // Another release may have options that are not known here.
    if (meant == nullptr) report.with_severity(diag::Severity::warning);
    if (meant == nullptr && text.find("thread") != text.npos) {
      report.with_help("write the number of threads after the type of the file");
    } else if (meant != nullptr && equals != text.npos && meant->has_value) {
      report.with_help(fmt::format("write `{} {}`", meant->name, text.substr(equals + 1)));
    } else if (meant != nullptr) {
      report.with_help(fmt::format("write `{}`", meant->name));
    }
  }

  static bool is_option(const ShellWord& word) { return word.text.starts_with("--"); }

  // Reports words in places where the program reads others. Returns false if there are none.
  bool check_order() {
    const std::vector<ShellWord>& words = arguments_.words;
    if (const auto option = std::ranges::find_if(words, is_option); option != words.end()) {
      if (option_meant(Tool::quantize, option->text) == nullptr) return true;
      auto& report = sink_.report(diag::option_after_files, option->span, option->text);
      report.with_help(
          fmt::format("write `{}` before `{}`", options_from(words, option), file_.text(words.front().span)));
      return true;
    }
    if (!arguments_.exact || command_.rest.empty()) return false;
    const ShellWord& threads = command_.rest.front();
    const std::size_t digit = threads.text.find_first_not_of(" +-");
    if (threads.unknown || threads.text.empty() ||
        (digit != threads.text.npos && base::is_digit(threads.text[digit]))) {
      return false;
    }
    auto& report = sink_.report(diag::threads_malformed, threads.span, threads.text);
    if (threads.text.ends_with(kFileEnding)) {
      report.with_help(fmt::format("write `{}` before `{}`", file_.text(threads.span), command_.file_type->text));
    } else {
      report.with_help("delete the word, or write a number");
    }
    return true;
  }

  // Returns the options after the files as they are written, with their values.
  [[nodiscard]] std::string options_from(const std::vector<ShellWord>& words,
                                         std::vector<ShellWord>::const_iterator at) const {
    std::string out;
    for (; at != words.end(); ++at) {
      const OptionRow* row = is_option(*at) ? option_meant(Tool::quantize, at->text) : nullptr;
      if (row == nullptr) continue;
      out.append(out.empty() ? "" : " ").append(file_.text(at->span));
      const bool has_value = row->has_value && at->text == row->name && at + 1 != words.end();
      if (has_value) out.append(" ").append(file_.text((++at)->span));
    }
    return out;
  }

  void check_file_type() {
    const bool ik = command_.program == Program::ik_llama;
    if (command_.file_type) {
      const bool known = ik || is_file_type(command_.file_type->text);
      if (!known) sink_.report(diag::file_type_unknown, command_.file_type->span, command_.file_type->text);
      return;
    }
    const std::vector<ShellWord>& words = arguments_.words;
    const bool known = arguments_.exact && words.size() == 2 && !words[1].unknown;
    if (known) sink_.report(diag::file_type_missing, words[1].span);
  }

  void check_pruned_layers() {
    const Argument* option = arguments_.find("--prune-layers");
    if (option == nullptr || option->value.unknown) return;
    std::string meant;
    std::optional<std::pair<std::string, std::int64_t>> wrong;
    for (const std::string_view part : base::parts_of(option->value.text, ',')) {
      std::int64_t first = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), first);
      const std::string_view rest = part.substr(static_cast<std::size_t>(end - part.data()));
      const bool misread = error == std::errc() && !rest.empty();
      if (misread && !wrong) wrong.emplace(part, first);
      const std::string layers = misread ? range_after(first, rest) : std::string(part);
      if (layers.empty()) meant = "?";
      if (meant != "?") meant += (meant.empty() ? "" : ",") + layers;
    }
    if (!wrong) return;
    auto& report = sink_.report(diag::pruned_layers_misread, option->value.span, wrong->first, wrong->second);
    if (meant != "?") report.with_help(fmt::format("write `--prune-layers {}`", meant));
  }

  // Returns the layers of a range `10-15`, of which `first` was read; empty if the rest is no end of a range.
  static std::string range_after(std::int64_t first, std::string_view rest) {
    constexpr std::int64_t kMost = 100;
    const std::size_t digit = rest.find_first_of("0123456789");
    if (digit == rest.npos || digit > 2) return {};
    std::int64_t last = 0;
    const auto [end, error] = std::from_chars(rest.data() + digit, rest.data() + rest.size(), last);
    if (error != std::errc() || end != rest.data() + rest.size() || last <= first || last - first > kMost) return {};
    std::string layers = std::to_string(first);
    for (std::int64_t layer = first + 1; layer <= last; ++layer) layers += ',' + std::to_string(layer);
    return layers;
  }

  void check_weights() {
    const Argument* excluded = arguments_.find("--exclude-weights");
    if (excluded == nullptr || !command_.has("--include-weights")) return;
    sink_.report(diag::weights_exclusive, excluded->name.span)
        .with_label(arguments_.find("--include-weights")->name.span, "the other option")
        .with_help(fmt::format("delete `--exclude-weights {}`, since weights that are not included are excluded",
                               file_.text(excluded->value.span)));
  }

  // Reports names of Hugging Face.
  void check_names() {
    for (const Argument& option : arguments_.options) {
      const bool weights = option.row != nullptr && option.row->name.ends_with("clude-weights");
      if (!weights || option.value.unknown || option.value.span.empty()) continue;
      const std::string& text = option.value.text;
      const std::string meant = translated(text);
      if (meant == text || text.starts_with("blk.")) continue;
      sink_.report(diag::weights_unmatched, option.value.span, text).with_help(fmt::format("write `{}`", meant));
    }
  }

  const Command& command_;
  const Arguments& arguments_;
  const source::SourceFile& file_;
  diag::Sink& sink_;
};

}  // namespace

void check_arguments(const Command& command, const source::SourceFile& file, diag::Sink& sink) {
  ArgumentRules(command, file, sink).check();
}

}  // namespace sparsecfg::dialect::gguf
