#include <fmt/format.h>

#include <set>

#include "architecture/user_model.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/file_names.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/rules.h"

// Files that are quantized again, to a type with more bits (docs/semantics/gguf.md#a1-10).
namespace sparsecfg::dialect::gguf {

DIAGNOSTIC(
    GG136, requantized_to_more_bits, warning, (Text, Text), "the `{0}` file is not more accurate than its `{1}` source",
    "llama-quantize computes the new values from rounded ones. A type with more bits makes the file larger, and does "
    "not restore what the first quantization lost. Without `--allow-requantize`, the program stops.",
    "quantize the file in 16 bits")

namespace {

using source::ShellWord;

class Requantized {
 public:
  Requantized(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
              diag::Sink& sink)
      : script_(script), commands_(commands), file_(file), sink_(sink) {}

  void check(const Command& command) {
    const Argument* option = command.arguments.find("--allow-requantize");
    if (option == nullptr || !command.input || !command.file_type || command.has("--dry-run")) return;
    const Command* writer = writer_of(command);
    const std::string source = source_type(command, writer);
    const std::string target = full_name(command.file_type->text);
    if (!has_more_bits(target, source)) return;
    auto& report = sink_.report(diag::requantized_to_more_bits, option->name.span, target, source);
    report.with_label(command.input->word.span, fmt::format("has the bits of `{}`", source));
    if (writer == nullptr) return report_file(command, report);
    if (writer->tool == Tool::convert) {
      report.with_help("write `--outtype bf16` in the command that converts the model, without `--allow-requantize`");
    } else if (writer->input) {
      report.with_help(fmt::format("write `{}`", command_with(command, raw(writer->input->word))));
    }
  }

 private:
  // Returns the last command before another one that writes its input; null if there is none.
  [[nodiscard]] const Command* writer_of(const Command& command) const {
    const Command* found = nullptr;
    for (const Command& each : commands_) {
      const bool writes = each.output && !each.output->identity.empty() && each.number < command.number;
      if (writes && each.output->identity == command.input->identity) found = &each;
    }
    return found;
  }

  // Returns the type of the input, as an earlier command or its name says; empty if it is not known.
  static std::string source_type(const Command& command, const Command* writer) {
    if (writer == nullptr) return full_name(typed_name(command.input->word.text).type);
    return writer->file_type ? full_name(writer->file_type->text) : std::string();
  }

  static bool has_more_bits(std::string_view target, std::string_view source) {
    if (source.empty() || !is_file_type(source) || is_plain_file_type(source) || is_plain_file_type(target))
      return false;
    const TensorType* one = type_called(base_type(target));
    const TensorType* other = type_called(base_type(source));
    return one != nullptr && other != nullptr && one->bits > other->bits;
  }

  [[nodiscard]] std::string raw(const ShellWord& word) const {
    return std::string(source::without_quotes(file_.text(word.span)));
  }

  // Returns the command with another input and without the option.
  [[nodiscard]] std::string command_with(const Command& command, std::string_view input) const {
    std::string out(file_.text(command.span));
    for (const ShellWord& word : script_.commands[command.number].words) {
      if (word.span.begin <= command.span.begin || word.text == "--allow-requantize") continue;
      out += fmt::format(" {}", word.span == command.input->word.span ? input : file_.text(word.span));
    }
    return out;
  }

  // Offers the commands that start from the checkpoint. The name of the file says of which model it is.
  void report_file(const Command& command, diag::Diagnostic& report) const {
    const std::string written = raw(command.input->word);
    const std::string& name = written.starts_with('$') ? command.input->word.text : written;
    const std::string_view model = typed_name(name).model;
    if (model.empty()) return;
    const std::string plain = fmt::format("{}-bf16{}", model, kFileEnding);
    report.with_help(fmt::format("write `python convert_hf_to_gguf.py {} --outtype bf16 --outfile {}` and `{}`",
                                 checkpoint_of(model), plain, command_with(command, plain)));
  }

  // Returns the argument of the converter for a model: a well-known id, or the folder of this name.
  static std::string checkpoint_of(std::string_view model) {
    const std::string name = base::to_lower(model.substr(model.find_last_of("/\\") + 1));
    for (const std::string_view id : architecture::UserModel::known_ids()) {
      if (base::to_lower(id.substr(id.rfind('/') + 1)) == name) return fmt::format("--remote {}", id);
    }
    return fmt::format("{}{}", model.find_first_of("/\\") == model.npos ? "./" : "", model);
  }

  const Script& script_;
  const std::vector<Command>& commands_;
  const source::SourceFile& file_;
  diag::Sink& sink_;
};

}  // namespace

void check_requantized(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
                       diag::Sink& sink) {
  std::set<source::Span> seen;  // a loop has several commands at one place
  for (const Command& command : commands) {
    const bool is_new = command.tool == Tool::quantize && seen.insert(command.span).second;
    if (is_new) Requantized(script, commands, file, sink).check(command);
  }
}

}  // namespace sparsecfg::dialect::gguf
