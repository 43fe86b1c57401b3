#include "dialect/gguf/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <variant>

#include "base/limit_table.h"
#include "base/text.h"
#include "dialect/gguf/mix.h"
#include "source/load.h"

namespace sparsecfg::dialect::gguf {

using source::ShellWord;

bool Command::has(std::string_view flag) const { return arguments.find(flag) != nullptr; }

// The program reads the digits at the start of each part, and ignores the rest.
static void add_numbers(std::string_view text, std::vector<std::int64_t>& out) {
  for (const std::string_view part : base::parts_of(text, ',')) {
    std::int64_t number = 0;
    if (std::from_chars(part.data(), part.data() + part.size(), number).ec == std::errc()) out.push_back(number);
  }
}

std::vector<TypeEntry> entries_of_file(std::string_view text) {
  std::vector<TypeEntry> out;
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  for (std::size_t at = text.find_first_not_of(kBlank); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    out.push_back(
        {std::string(text.substr(at, end - at)), {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}});
    at = text.find_first_not_of(kBlank, end);
  }
  return out;
}

std::string path_beside(const std::string& folder, const std::string& path) {
  const bool leaves = path.empty() || path.starts_with('/') || path.find("..") != path.npos;
  return leaves ? std::string() : folder.empty() ? path : folder + "/" + path;
}

static void add_file(const ShellWord& word, const std::string& folder, Command& out) {
  const auto text = source::read_file(path_beside(folder, word.text), limits::kMaxFileBytes);
  const auto* content = std::get_if<std::string>(&text);
  if (content == nullptr) {
    out.unknown = word.span;
    out.incomplete = true;
    return;
  }
  // Places in other files can't be shown, so their entries are at the name of the file.
  for (TypeEntry& entry : entries_of_file(*content)) {
    const auto begin = content->begin();
    const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(entry.span.begin), '\n');
    out.entries.push_back({std::move(entry.text), word.span, word.text, static_cast<std::size_t>(line)});
  }
}

// The entries of ik_llama.cpp are separated by commas, even inside of a pattern.
static void add_custom(const ShellWord& word, Command& out) {
  for (const std::string_view part : base::parts_of(word.text, ',')) {
    out.entries.push_back({std::string(part), word.span});
  }
}

static void add_option(const Argument& option, const std::string& folder, Command& out) {
  if (option.row == nullptr) return;
  const std::string_view name = option.row->name;
  const ShellWord& value = option.value;
  if (option.row->only_ik) out.program = Program::ik_llama;
  if (value.span.empty()) return;
  if (option.row->only_ik && name.ends_with("-type")) out.incomplete = true;
  if (value.unknown) {
    out.unknown = value.span;
    out.incomplete = out.incomplete || name.find("type") != name.npos || name == "--custom-q";
    return;
  }
  if (name == "--tensor-type") out.entries.push_back({value.text, value.span});
  if (name == "--tensor-type-file") add_file(value, folder, out);
  if (name == "--custom-q") add_custom(value, out);
  if (name == "--output-tensor-type") out.output_type = TypeEntry{value.text, value.span};
  if (name == "--token-embedding-type") out.embedding_type = TypeEntry{value.text, value.span};
  if (name == "--prune-layers") add_numbers(value.text, out.pruned_layers);
}

// Without an output, llama-quantize writes `ggml-model-Q4_K_M.gguf` in the folder of the input.
static StepFile default_output(const Step& step, const ShellWord& input, const ShellWord& type) {
  ShellWord word = input;
  const std::string name = "ggml-model-" + full_name(type.text) + std::string(kFileEnding);
  word.text = std::string(folder_in(input.text)) + name;
  word.identity = std::string(folder_in(input.identity)) + name;
  word.span = step.span;
  return file_of(step, word);
}

// The words after the options are the model, optionally the output, the type, and optionally the number of threads.
static void add_words(Command& out) {
  const std::vector<ShellWord>& words = out.arguments.words;
  if (words.empty()) return;
  out.input = file_of(out, words[0]);
  if (!words[0].unknown) out.model = {words[0].text, words[0].span};
  if (words.size() < 2) return;
  const auto is_type = [](const ShellWord& word) { return !word.unknown && is_file_type(word.text); };
  // A single word that is no name of a file is meant as the type.
  const bool named =
      !is_type(words[1]) && (words.size() > 2 || words[1].text.ends_with(kFileEnding) || words[1].unknown);
  const std::size_t at = named ? 2 : 1;
  if (named) out.output = file_of(out, words[1]);
  if (at >= words.size()) return;
  if (!named) out.output = default_output(out, words[0], words[1]);
  if (words[at].unknown) {
    out.unknown = words[at].span;
  } else {
    out.file_type = TypeEntry{words[at].text, words[at].span};
  }
  out.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
}

static void add_quantization(const std::string& folder, Command& out) {
  for (const Argument& option : out.arguments.options) add_option(option, folder, out);
  add_words(out);
}

// The types of a conversion are those of a file of this type. Those of ternary types keep the embedding and the output
// in 16 bits.
static void add_conversion(Command& out) {
  const Argument* type = out.arguments.find("--outtype");
  const Argument* file = out.arguments.find("--outfile");
  if (!out.arguments.words.empty()) out.input = file_of(out, out.arguments.words.front());
  if (file != nullptr && !file->value.span.empty()) out.output = file_of(out, file->value);
  if (type != nullptr && type->value.unknown) {
    out.unknown = type->value.span;
    return;
  }
  // Without a type, the converter writes 16 bits.
  const bool named = type != nullptr && !type->value.span.empty() && type->value.text != "auto";
  out.file_type = named ? TypeEntry{type->value.text, type->value.span} : TypeEntry{"F16", out.span};
  if (!out.file_type->text.starts_with("tq")) return;
  out.embedding_type = out.output_type = TypeEntry{"f16", type->value.span};
}

std::optional<Command> command_of(const Step& step, const std::string& folder) {
  if (step.tool != Tool::quantize && step.tool != Tool::convert) return std::nullopt;
  Command out{step};
  if (step.tool == Tool::quantize) {
    add_quantization(folder, out);
  } else {
    add_conversion(out);
  }
  return out;
}

}  // namespace sparsecfg::dialect::gguf
