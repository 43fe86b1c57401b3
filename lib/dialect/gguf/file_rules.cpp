#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "architecture/user_model.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/file_names.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/rules.h"

namespace sparsecfg::dialect::gguf {

using source::ShellCommand;
using source::ShellWord;

DIAGNOSTIC(
    GG114, source_quantized, error, (Text, Text), "llama-quantize stops at `{}`, which is already quantized to `{}`",
    "llama-quantize stops at a tensor that is quantized (\"requantizing from type q8_0 is disabled\"), unless it is "
    "copied or `--allow-requantize` is given. The losses of both quantizations then add up.",
    "start from the F16 or BF16 file of the model, or add `--allow-requantize`, which loses more")

DIAGNOSTIC(
    GG119, matrix_unused, silent_warning, (Text), "no command of the script uses the importance matrix `{}`",
    "llama-quantize reads a matrix only with `--imatrix`. Without it, the types with few bits lose more precision, "
    "and some tensors get other types.",
    "add `--imatrix`")

DIAGNOSTIC(
    GG120, file_not_written, warning, (Text), "no earlier command of the script writes `{}`",
    "`llama-imatrix` writes `imatrix.gguf` without `-o`, and wrote `imatrix.dat` before 2025-07. The converter names "
    "its file after the model without `--outfile`. The program that reads the file stops without it.",
    "use the name of the file that the script writes")

DIAGNOSTIC(
    GG126, checkpoint_quantized, warning, (Text, Text),
    "`{0}` seems to be quantized with {1}, which the converter does not read",
    "convert_hf_to_gguf.py reads checkpoints in 16 bits, and those of FP8, GPTQ, BitNet, MXFP4, compressed-tensors "
    "and ModelOpt. It stops at other methods.",
    "convert the checkpoint that is not quantized")

DIAGNOSTIC(GG127, model_not_folder, warning, (Text), "convert_hf_to_gguf.py reads `{}` as a folder",
           "The converter reads a folder with the files of the model, and stops if there is none. It reads an id of "
           "Hugging Face only with `--remote`.",
           "add `--remote`, or download the model first")

DIAGNOSTIC(GG128, output_overwritten, silent_warning, (Text, std::size_t, Text),
           "`{0}` is written {1} times, and only `{2}` remains", "llama-quantize overwrites the file that it writes.",
           "write each type to its own file")

DIAGNOSTIC(GG131, output_is_input, error, (Text), "llama-quantize reads and writes `{}`",
           "The program stops if both files are the same. Releases before 2026 overwrite the input while they read it.",
           "write another file")

namespace {

constexpr char kRequantize[] = "add `--allow-requantize` before it, which loses more";

// A file that a command of the script writes.
struct Written {
  StepFile file;
  const Step* step = nullptr;
  const Command* writer = nullptr;  // the step as a command that writes a model; null: it writes a matrix
};

// Returns the last part of a path, or of the identity of a file.
std::string_view name_in(std::string_view path) { return path.substr(path.find_last_of("/\\:") + 1); }

// Returns the default name of the matrix as a word without a place in the file.
ShellWord default_matrix(const Step& step) {
  ShellWord word;
  word.text = word.identity = "imatrix.gguf";
  word.span = step.span;
  return word;
}

StepFile matrix_of(const Step& step) {
  const Argument* output = step.arguments.find("--output-file");
  return file_of(step, output == nullptr || output->value.span.empty() ? default_matrix(step) : output->value);
}

// Returns true if a step writes a file without a word that names it.
bool has_default_name(const Step& step, const ShellWord& word) { return word.span == step.span; }

// Returns the name of a file that a step writes, as the script contains it or by default.
std::string written_name(const Step& step, const ShellWord& word, const source::SourceFile& file) {
  return has_default_name(step, word) ? word.text : std::string(file.text(word.span));
}

// Returns a name of a file with a type at its end: `model-Q4_K_M.gguf`. `name` ends with `.gguf`.
std::string name_with_type(std::string_view name, std::string_view type) {
  return fmt::format("{}-{}{}", name.substr(0, name.size() - kFileEnding.size()), type, kFileEnding);
}

class FileRules {
 public:
  FileRules(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
            diag::Sink& sink)
      : script_(script), commands_(commands), file_(file), sink_(sink) {
    for (const Command& command : commands_) add_output(command);
    for (const Step& step : script_.steps) {
      if (step.tool == Tool::imatrix) written_.push_back({matrix_of(step), &step});
    }
    std::ranges::stable_sort(written_, {}, [](const Written& each) { return each.step->number; });
  }

  void check() {
    for (const Command& command : commands_) {
      if (command.tool == Tool::convert) {
        check_checkpoint(command);
        check_folder(command);
      } else {
        check_source(command);
        check_same_file(command);
        check_matrix(command);
        check_default_name(command);
      }
    }
    report_sources();
    check_unused_matrices();
    check_overwritten();
  }

 private:
  // Some options change the names of the files that a program writes, or prevent them.
  void add_output(const Command& command) {
    if (!command.output || command.output->identity.empty()) return;
    constexpr std::string_view kOther[] = {"--split-max-size", "--split-max-tensors", "--keep-split", "--dry-run",
                                           "--mmproj",         "--vocab-only"};
    if (std::ranges::any_of(kOther, [&](std::string_view option) { return command.has(option); })) return;
    const bool named_by_type = command.tool == Tool::convert && command.output->identity.find('{') != std::string::npos;
    if (!named_by_type) written_.push_back({*command.output, &command, &command});
  }

  // --- the commands of a script -----------------------------------------------------------------------

  // Returns true if a command names a file, in any folder.
  static bool mentions(const ShellCommand& command, std::string_view name) {
    return std::ranges::any_of(command.words, [&](const ShellWord& word) {
      return word.identity.find(name) != std::string::npos || word.text.find('*') != std::string::npos;
    });
  }

  // Returns true if a command other than those of llama.cpp may write the file.
  [[nodiscard]] bool may_write(std::size_t at, std::string_view name) const {
    constexpr std::string_view kReading[] = {"ls", "echo", "du",        "stat",   "test",
                                             "[",  "[[",   "sha256sum", "md5sum", "rm"};
    const ShellCommand& command = script_.commands[at];
    const bool step = std::ranges::binary_search(script_.steps, at, {}, &Step::number);
    const std::string_view program = name_in(command.words.front().text);
    return !step && !base::contains(kReading, program) && !program.starts_with("llama-") && mentions(command, name);
  }

  [[nodiscard]] bool may_write_between(std::size_t begin, std::size_t end, std::string_view name) const {
    for (std::size_t at = begin; at < end; ++at) {
      if (may_write(at, name)) return true;
    }
    return false;
  }

  // Returns the last command before another one that writes the file; null if there is none, or if it is not known.
  [[nodiscard]] const Written* writer_of(const StepFile& file, std::size_t before) const {
    const Written* found = nullptr;
    for (const Written& each : written_) {
      const bool same = !file.identity.empty() && each.file.identity == file.identity;
      if (same && each.step->number < before) found = &each;
    }
    if (found == nullptr || may_write_between(found->step->number + 1, before, name_in(file.identity))) return nullptr;
    return found;
  }

  [[nodiscard]] std::size_t line_of(source::Span span) const { return file_.position(span.begin).line; }

  // Returns a word as the file contains it, without quotes around it.
  [[nodiscard]] std::string raw(const ShellWord& word) const {
    return std::string(source::without_quotes(file_.text(word.span)));
  }

  // --- quantized sources ------------------------------------------------------------------------------

  // Reports a source with tensors that are quantized to another type, as an earlier command or its name says.
  void check_source(const Command& command) {
    if (!command.input || command.has("--allow-requantize") || command.has("--dry-run")) return;
    const std::string target = command.file_type ? full_name(command.file_type->text) : std::string();
    if (target == "COPY") return;
    const Written* writer = writer_of(*command.input, command.number);
    if (writer != nullptr && writer->writer != nullptr) {
      const auto& type = writer->writer->file_type;
      if (!type || !is_file_type(type->text) || is_plain_file_type(type->text) || full_name(type->text) == target)
        return;
      readers_[writer].push_back(&command);
    } else if (writer == nullptr) {
      check_name(command, target);
    }
  }

  // Reports an input that is quantized by its name, which ends with the type: `llama-Q8_0.gguf`.
  void check_name(const Command& command, const std::string& target) {
    const std::string_view type = typed_name(command.input->word.text).type;
    if (type.empty() || is_plain_file_type(type)) return;
    if (full_name(type) == target) return;
    const std::string written = raw(command.input->word);
    const source::Span use = command.input->word.span;
    const source::Span definition = definition_of(written);
    auto& report =
        sink_.report(diag::source_quantized, definition.empty() ? use : definition, written, base::to_upper(type));
    report.with_caret("its name says so");
    if (!definition.empty()) report.with_label(use, "llama-quantize stops here");
    const std::string own(definition.empty() ? std::string_view(written) : file_.text(definition));
    const std::size_t place = own.rfind(type);
    report.with_help(place == own.npos
                         ? std::string("write the F16 or BF16 file of the model, or ") + kRequantize
                         : fmt::format("write the F16 or BF16 file of the model, such as `{}BF16{}`, or {}",
                                       own.substr(0, place), own.substr(place + type.size()), kRequantize));
  }

  // Returns the value of a variable that a word consists of, if the script sets it once; empty otherwise.
  [[nodiscard]] source::Span definition_of(std::string_view written) const {
    if (!written.starts_with('$')) return {};
    written.remove_prefix(1);
    if (written.starts_with('{') && written.ends_with('}')) written = written.substr(1, written.size() - 2);
    if (written.empty() || !std::ranges::all_of(written, base::is_name_letter)) return {};
    const std::string start = fmt::format("\n{}=", written);
    const std::string_view text = file_.text();
    const std::size_t at = text.find(start);
    if (at == text.npos || text.find(start, at + 1) != text.npos) return {};
    const std::size_t begin = at + start.size();
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void report_sources() {
    for (const Written& writer : written_) {
      const auto found = readers_.find(&writer);
      if (found == readers_.end()) continue;
      if (writer.step->tool == Tool::convert) {
        report_conversion(writer, found->second);
      } else {
        for (const Command* reader : found->second) report_reader(writer, *reader);
      }
    }
  }

  [[nodiscard]] static diag::Severity severity_of(const Written& writer) {
    return writer.step->conditional ? diag::Severity::warning : diag::Severity::error;
  }

  // The type of the conversion is the mistake.
  void report_conversion(const Written& writer, const std::vector<const Command*>& readers) {
    const TypeEntry& type = *writer.writer->file_type;
    auto& report = sink_.report(diag::source_quantized, type.span, raw(writer.file.word), base::to_upper(type.text));
    report.with_severity(severity_of(writer));
    std::vector<source::Span> spans;
    for (const Command* reader : readers) {
      if (std::ranges::find(spans, reader->input->word.span) == spans.end()) spans.push_back(reader->input->word.span);
    }
    for (std::size_t at = 0; at < spans.size() && at < 2; ++at)
      report.with_label(spans[at], "llama-quantize stops here");
    const std::string lower = base::to_lower(raw(writer.file.word));
    const std::size_t at = lower.rfind(base::to_lower(type.text));
    if (at == lower.npos) {
      report.with_help("write `--outtype bf16`");
      return;
    }
    std::string renamed = raw(writer.file.word);
    const bool upper = renamed[at] >= 'A' && renamed[at] <= 'Z';
    renamed.replace(at, type.text.size(), upper ? "BF16" : "bf16");
    report.with_help(fmt::format("write `--outtype bf16`, and `{}` in {}", renamed, lines_with(writer.file)));
  }

  // Returns the lines of the words that name a file: "lines 3 and 5".
  [[nodiscard]] std::string lines_with(const StepFile& file) const {
    std::vector<std::string> lines;
    const std::string path = plain_path(file.word.identity);
    for (const ShellCommand& command : script_.commands) {
      for (const ShellWord& word : command.words) {
        if (plain_path(word.identity) != path) continue;
        std::string line = std::to_string(line_of(word.span));
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
      }
    }
    return (lines.size() == 1 ? "line " : "lines ") + base::join_and(lines);
  }

  // The first quantization is wanted, so the source of the second is the mistake.
  void report_reader(const Written& writer, const Command& reader) {
    const TypeEntry& type = *writer.writer->file_type;
    auto& report =
        sink_.report(diag::source_quantized, reader.input->word.span, raw(reader.input->word), full_name(type.text));
    report.with_severity(severity_of(writer))
        .with_label(type.span, "quantizes it")
        .with_caret("llama-quantize stops here");
    if (writer.writer->input) {
      report.with_help(fmt::format("write `{}`, the source of line {}, or {}", raw(writer.writer->input->word),
                                   line_of(writer.writer->span), kRequantize));
    }
  }

  void check_same_file(const Command& command) {
    if (!command.input || !command.output || command.has("--keep-split") || command.has("--dry-run")) return;
    if (command.input->identity.empty() || command.input->identity != command.output->identity) return;
    const std::string written = raw(command.output->word);
    auto& report = sink_.report(diag::output_is_input, command.output->word.span, written);
    if (!written.ends_with(kFileEnding) || !command.file_type) return;
    report.with_help(fmt::format("write `{}`", name_with_type(written, full_name(command.file_type->text))));
  }

  // --- importance matrices ----------------------------------------------------------------------------

  // Returns true if the matrix is that of the input of a command.
  static bool is_of_input(const Step& matrix, const Command& command) {
    const Argument* model = matrix.arguments.find("--model");
    if (model == nullptr || model->value.span.empty() || !command.input) return false;
    const std::string identity = file_of(matrix, model->value).identity;
    return !identity.empty() && identity == command.input->identity;
  }

  [[nodiscard]] bool is_mentioned_elsewhere(std::string_view name, std::size_t but) const {
    for (std::size_t at = 0; at < script_.commands.size(); ++at) {
      if (at != but && mentions(script_.commands[at], name)) return true;
    }
    return false;
  }

  // Reports a matrix that another name was given when the script created it.
  void check_matrix(const Command& command) {
    const Argument* option = command.arguments.find("--imatrix");
    if (option == nullptr || option->value.span.empty() || option->value.unknown) return;
    const StepFile file = file_of(command, option->value);
    const Written* other = nullptr;
    for (const Written& each : written_) {
      if (each.writer != nullptr || !is_of_input(*each.step, command)) continue;
      if (each.file.identity == file.identity || each.file.word.unknown) return;
      other = &each;
    }
    const std::string_view name = name_in(option->value.text);
    if (other == nullptr || is_mentioned_elsewhere(name, command.number)) return;
    auto& report = sink_.report(diag::file_not_written, option->value.span, raw(option->value));
    const std::string name_in_file = written_name(*other->step, other->file.word, file_);
    const std::string_view made = source::without_quotes(name_in_file);
    report.with_label(other->file.word.span, fmt::format("writes `{}`", made));
    report.with_help(has_default_name(*other->step, other->file.word)
                         ? fmt::format("write `--imatrix {}`, or `llama-imatrix -o {}` in line {}", made,
                                       raw(option->value), line_of(other->step->span))
                         : fmt::format("write `--imatrix {}`", made));
  }

  // Types that llama-quantize computes without a matrix.
  static bool ignores_matrix(const Command& command) {
    constexpr std::string_view kTypes[] = {"Q8_0", "TQ1_0", "TQ2_0", "MXFP4_MOE", "NVFP4"};
    return !command.file_type || is_plain_file_type(command.file_type->text) ||
           base::contains(kTypes, full_name(command.file_type->text));
  }

  void check_unused_matrices() {
    for (const Written& each : written_) {
      if (each.writer != nullptr || each.step->conditional || each.file.word.text.empty()) continue;
      const std::string name(name_in(each.file.identity));
      if (is_mentioned_elsewhere(name, each.step->number)) continue;
      const auto reads = [&](const Command& command) {
        return command.tool == Tool::quantize && command.number > each.step->number && !command.has("--imatrix") &&
               command.arguments.exact && !ignores_matrix(command) && is_of_input(*each.step, command);
      };
      const auto command = std::ranges::find_if(commands_, reads);
      if (command == commands_.end()) continue;
      const std::string made = written_name(*each.step, each.file.word, file_);
      sink_.report(diag::matrix_unused, command->span, std::string(source::without_quotes(made)))
          .with_label(each.file.word.span, "the matrix is written here")
          .with_help(fmt::format("write `{} --imatrix {}`", file_.text(command->span), made))
          .not_beside(diag::imatrix_needed);
    }
  }

  // --- conversions ------------------------------------------------------------------------------------

  // Reports the default name that the converter used before 2024-07.
  void check_default_name(const Command& command) {
    if (!command.input || command.input->word.unknown) return;
    const std::string& path = command.input->word.text;
    if (!name_in(path).starts_with("ggml-model-") || writer_of(*command.input, command.number) != nullptr) return;
    for (const Command& conversion : commands_) {
      const bool before = conversion.tool == Tool::convert && conversion.number < command.number;
      if (!before || conversion.output || !conversion.input || !conversion.arguments.exact) continue;
      if (plain_path(folder_in(path)) != plain_path(conversion.input->word.text + "/")) continue;
      if (is_mentioned_elsewhere(name_in(path), command.number)) return;
      sink_.report(diag::file_not_written, conversion.span, path)
          .with_caret("names its file after the model, without `--outfile`")
          .with_label(command.input->word.span, "is read here")
          .with_help(
              fmt::format("write `--outfile {}` after `{}`", raw(command.input->word), raw(conversion.input->word)));
      return;
    }
  }

  struct Ending {
    std::string_view text;
    std::string_view method;
  };

  void check_checkpoint(const Command& command) {
    static constexpr Ending kEndings[] = {{"-awq", "AWQ"},
                                          {"-awq-int4", "AWQ"},
                                          {"-bnb-4bit", "bitsandbytes"},
                                          {"-bnb-8bit", "bitsandbytes"},
                                          {"-hqq", "HQQ"},
                                          {"-eetq", "EETQ"},
                                          {"-aqlm", "AQLM"},
                                          {"-exl2", "ExLlamaV2"},
                                          {"-exl3", "ExLlamaV3"}};
    if (!command.input || command.input->word.unknown) return;
    std::string path = command.input->word.text;
    while (path.ends_with('/')) path.pop_back();
    const std::string lower = base::to_lower(path);
    for (const Ending& ending : kEndings) {
      if (!lower.ends_with(ending.text)) continue;
      std::string_view stem = std::string_view(path).substr(0, path.size() - ending.text.size());
      if (base::to_lower(stem).ends_with("-unsloth")) stem.remove_suffix(std::string_view("-unsloth").size());
      sink_.report(diag::checkpoint_quantized, command.input->word.span, path, std::string(ending.method))
          .with_help(fmt::format("write `{}`, and download this model", stem));
      return;
    }
  }

  // Reports the id of a model in place of its folder. The script may create a folder of this name.
  void check_folder(const Command& command) {
    if (!command.input || command.input->word.unknown || command.has("--remote")) return;
    const std::string& id = command.input->word.text;
    const std::size_t slash = id.find('/');
    if (slash == id.npos || !base::contains(architecture::UserModel::known_ids(), id)) return;
    const std::string_view owner = std::string_view(id).substr(0, slash);
    for (std::size_t at = 0; at < command.number; ++at) {
      const ShellCommand& other = script_.commands[at];
      if (other.words.front().text == "cd" || mentions(other, owner)) return;
    }
    sink_.report(diag::model_not_folder, command.input->word.span, id)
        .with_help(
            fmt::format("write `--remote {0}`, or download it first with `hf download {0} --local-dir {0}`", id));
  }

  // --- outputs ----------------------------------------------------------------------------------------

  // Reports files that several commands write while no other command reads them.
  void check_overwritten() {
    std::set<std::string_view> overwritten;
    for (const Written& first : written_) {
      const bool quantizes = first.step->tool == Tool::quantize && !first.step->conditional;
      if (!quantizes || overwritten.contains(first.file.identity)) continue;
      std::vector<const Written*> all;
      for (const Written& each : written_) {
        const bool same = each.step->tool == Tool::quantize && each.file.identity == first.file.identity;
        if (same && each.step->number >= first.step->number) all.push_back(&each);
      }
      if (all.size() < 2) continue;
      overwritten.insert(first.file.identity);
      report_overwritten(all);
    }
  }

  void report_overwritten(const std::vector<const Written*>& all) {
    const Command& first = *all.front()->writer;
    const Command& last = *all.back()->writer;
    const std::string_view name = name_in(all.front()->file.identity);
    bool differ = false;
    for (const Written* each : all) {
      if (each->step->conditional || !each->writer->file_type) return;
      differ = differ || full_name(each->writer->file_type->text) != full_name(first.file_type->text);
    }
    for (std::size_t at = first.number + 1; at < last.number; ++at) {
      const bool writes = std::ranges::any_of(all, [&](const Written* each) { return each->step->number == at; });
      if (!writes && mentions(script_.commands[at], name)) return;
    }
    if (!differ) return;
    const ShellWord& word = first.output->word;
    const bool in_loop = first.span == last.span;
    const std::string written(source::without_quotes(written_name(first, word, file_)));
    const std::string type = in_loop ? raw({{}, first.file_type->span}) : full_name(last.file_type->text);
    auto& report =
        sink_.report(diag::output_overwritten, word.span, written, all.size(), full_name(last.file_type->text));
    if (!in_loop) report.with_label(last.output->word.span, "overwrites it");
    if (!written.ends_with(kFileEnding) || has_default_name(first, word)) return;
    report.with_help(fmt::format("write `{}`{}", name_with_type(written, type),
                                 in_loop ? "" : fmt::format(" in line {}", line_of(last.span))));
  }

  const Script& script_;
  const std::vector<Command>& commands_;
  const source::SourceFile& file_;
  diag::Sink& sink_;
  std::vector<Written> written_;
  std::map<const Written*, std::vector<const Command*>> readers_;
};

}  // namespace

void check_files(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
                 diag::Sink& sink) {
  constexpr std::size_t kMaxSteps = 256;  // because each step is compared with the others
  if (script.steps.size() <= kMaxSteps) FileRules(script, commands, file, sink).check();
}

std::string matrix_before(const Script& script, const Command& command, const source::SourceFile& file) {
  std::string out;
  for (const Step& step : script.steps) {
    if (step.tool != Tool::imatrix || step.number > command.number) continue;
    out = written_name(step, matrix_of(step).word, file);
  }
  return out;
}

}  // namespace sparsecfg::dialect::gguf
