#include "dialect/gguf/command.h"

#include <algorithm>
#include <charconv>
#include <variant>

#include "base/limit_table.h"
#include "base/text.h"
#include "source/load.h"

namespace sparsecfg::dialect::gguf {

using source::ShellCommand;
using source::ShellWord;

bool Command::has(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }

bool is_program(std::string_view word) {
  std::string_view name = word.substr(word.find_last_of("/\\") + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  return name == "llama-quantize";
}

// Options with a value. Others are flags.
constexpr std::string_view kWithValue[] = {
    "--tensor-type",   "--tensor-type-file", "--custom-q",        "--output-tensor-type", "--token-embedding-type",
    "--imatrix",       "--include-weights",  "--exclude-weights", "--override-kv",        "--prune-layers",
    "--attn-q-type",   "--attn-k-type",      "--attn-v-type",     "--attn-qkv-type",      "--attn-output-type",
    "--ffn-gate-type", "--ffn-down-type",    "--ffn-up-type"};

static void add_numbers(std::string_view text, std::vector<std::int64_t>& out) {
  for (const char* at = text.data(); at < text.data() + text.size();) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error != std::errc()) return;
    out.push_back(number);
    at = end + 1;
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
    return;
  }
  // Places in other files can't be shown, so their entries are at the name of the file.
  for (TypeEntry& entry : entries_of_file(*content)) out.entries.push_back({std::move(entry.text), word.span});
}

// The entries of ik_llama.cpp are separated by commas, even inside of a pattern.
static void add_custom(const ShellWord& word, Command& out) {
  out.program = Program::ik_llama;
  for (std::string_view rest = word.text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    out.entries.push_back({std::string(rest.substr(0, comma)), word.span});
    if (comma == rest.size()) return;
    rest.remove_prefix(comma + 1);
  }
}

static void add_option(std::string_view name, const ShellWord& value, const std::string& folder, Command& out) {
  if (value.unknown) out.unknown = value.span;
  if (name == "--tensor-type") out.entries.push_back({value.text, value.span});
  if (name == "--tensor-type-file") add_file(value, folder, out);
  if (name == "--custom-q") add_custom(value, out);
  if (name == "--output-tensor-type") out.output_type = TypeEntry{value.text, value.span};
  if (name == "--token-embedding-type") out.embedding_type = TypeEntry{value.text, value.span};
  if (name == "--prune-layers") add_numbers(value.text, out.pruned_layers);
}

// The words after the options are the model, optionally the output, the type, and optionally the number of threads.
static void add_positional(const std::vector<ShellWord>& words, std::size_t first, Command& out) {
  if (first < words.size() && !words[first].unknown) out.model = {words[first].text, words[first].span};
  for (std::size_t at = first + 1; at < words.size() && at < first + 3; ++at) {
    if (words[at].text.ends_with(".gguf")) continue;
    out.file_type = TypeEntry{words[at].text, words[at].span};
    if (words[at].unknown) out.unknown = words[at].span;
    return;
  }
}

static Command command_of(const std::vector<ShellWord>& words, std::size_t program, const std::string& folder) {
  Command out;
  out.span = words[program].span;
  std::size_t at = program + 1;
  for (; at < words.size() && words[at].text.starts_with("--"); ++at) {
    const std::string& name = words[at].text;
    out.flags.push_back(name);
    if (base::contains(kWithValue, name) && at + 1 < words.size()) add_option(name, words[++at], folder, out);
  }
  add_positional(words, at, out);
  return out;
}

std::optional<Command> find_command(std::string_view script, const std::string& folder) {
  for (const ShellCommand& command : source::shell_commands(script)) {
    const auto found = std::ranges::find_if(command.words, [](const ShellWord& word) { return is_program(word.text); });
    if (found == command.words.end()) continue;
    return command_of(command.words, static_cast<std::size_t>(found - command.words.begin()), folder);
  }
  return std::nullopt;
}

}  // namespace sparsecfg::dialect::gguf
