#include "dialect/gguf/arguments.h"

#include <algorithm>
#include <string>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/gguf/mix.h"

namespace sparsecfg::dialect::gguf {

using source::ShellWord;

constexpr OptionRow kQuantizeOptions[] = {
    {"--allow-requantize"},
    {"--leave-output-tensor"},
    {"--pure"},
    {"--keep-split"},
    {"--dry-run"},
    {"--help"},
    {"--imatrix", Reads::text},
    {"--include-weights", Reads::text},
    {"--exclude-weights", Reads::text},
    {"--output-tensor-type", Reads::tensor_type},
    {"--token-embedding-type", Reads::tensor_type},
    {"--tensor-type", Reads::text},
    {"--tensor-type-file", Reads::text},
    {"--prune-layers", Reads::text},
    {"--override-kv", Reads::text},
    {"--target-bpw", Reads::text},
    {"--state-file", Reads::text},
    {"--custom-q", Reads::text, true},
    {"--attn-q-type", Reads::text, true},
    {"--attn-k-type", Reads::text, true},
    {"--attn-v-type", Reads::text, true},
    {"--attn-qkv-type", Reads::text, true},
    {"--attn-output-type", Reads::text, true},
    {"--ffn-gate-type", Reads::text, true},
    {"--ffn-down-type", Reads::text, true},
    {"--ffn-up-type", Reads::text, true},
    {"--repack-pattern", Reads::text, true},
    {"--repack", Reads::nothing, true},
    {"--hide-imatrix", Reads::nothing, true},
    {"--ignore-imatrix-rules", Reads::nothing, true},
    {"--partial-requant", Reads::nothing, true},
};

constexpr OptionRow kConvertOptions[] = {
    {"--outfile", Reads::text},
    {"--outtype", Reads::text},
    {"--model-name", Reads::text},
    {"--metadata", Reads::text},
    {"--split-max-size", Reads::text},
    {"--split-max-tensors", Reads::text},
    {"--awq-path", Reads::text},
    {"--target-model-dir", Reads::text},
    {"--remote"},
    {"--mmproj"},
    {"--vocab-only"},
    {"--bigendian"},
    {"--use-temp-file"},
    {"--no-lazy"},
    {"--verbose"},
    {"--dry-run"},
    {"--no-tensor-first-split"},
    {"--print-supported-models"},
    {"--mistral-format"},
    {"--disable-mistral-community-chat-template"},
    {"--sentence-transformers-dense-modules"},
    {"--fuse-gate-up-exps"},
};

constexpr OptionRow kMatrixOptions[] = {
    {"--model", Reads::text},
    {"-m", Reads::text, false, "--model"},
    {"--output-file", Reads::text},
    {"--output", Reads::text, false, "--output-file"},
    {"-o", Reads::text, false, "--output-file"},
    {"--process-output"},
};

std::span<const OptionRow> options_of(Tool tool) {
  if (tool == Tool::quantize) return kQuantizeOptions;
  if (tool == Tool::convert) return kConvertOptions;
  return tool == Tool::imatrix ? std::span<const OptionRow>(kMatrixOptions) : std::span<const OptionRow>();
}

struct ToolName {
  std::string_view name;
  Tool tool;
};

constexpr ToolName kTools[] = {{"llama-quantize", Tool::quantize},
                               {"llama-imatrix", Tool::imatrix},
                               {"llama-gguf-split", Tool::split},
                               {"convert_hf_to_gguf.py", Tool::convert}};

Tool tool_called(std::string_view word) {
  std::string_view name = word.substr(word.find_last_of("/\\") + 1);
  if (name.starts_with('@')) name.remove_prefix(1);  // of a Makefile, does not print the command
  if (name.ends_with(".exe")) name.remove_suffix(4);
  const auto* found = std::ranges::find(kTools, name, &ToolName::name);
  return found == std::end(kTools) ? Tool::none : found->tool;
}

const Argument* Arguments::find(std::string_view name) const {
  const Argument* found = nullptr;
  for (const Argument& option : options) {
    if (option.row == nullptr) continue;
    if (option.row->name == name || option.row->same_as == name) found = &option;
  }
  return found;
}

static const OptionRow* option_called(Tool tool, std::string_view name) {
  const auto rows = options_of(tool);
  const auto found = std::ranges::find(rows, name, &OptionRow::name);
  return found == rows.end() ? nullptr : &*found;
}

const OptionRow* option_meant(Tool tool, std::string_view name) {
  std::string plain(name.substr(0, name.find('=')));
  std::ranges::replace(plain, '_', '-');
  if (const OptionRow* row = option_called(tool, plain)) return row;
  std::vector<std::string_view> names;
  for (const OptionRow& row : options_of(tool)) names.push_back(row.name);
  const auto near = base::nearest(plain, names);
  return near ? option_called(tool, *near) : nullptr;
}

// An option of argparse, which also reads `--name=value`, and the begin of a name that no other option has.
static const OptionRow* option_of_argparse(std::string_view name) {
  if (const OptionRow* row = option_called(Tool::convert, name)) return row;
  const auto begins = [&](const OptionRow& row) { return row.name.starts_with(name); };
  const bool one = name.starts_with("--") && std::ranges::count_if(kConvertOptions, begins) == 1;
  return one ? std::ranges::find_if(kConvertOptions, begins) : nullptr;
}

static ShellWord part_of(const ShellWord& word, std::size_t begin) {
  ShellWord out = word;
  out.text = word.text.substr(begin);
  out.identity = word.identity.substr(std::min(word.identity.find('=') + 1, word.identity.size()));
  return out;
}

static Arguments arguments_of_argparse(std::span<const ShellWord> words) {
  Arguments out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (words[at].splits) out.exact = false;
    if (!text.starts_with("--")) {
      out.words.push_back(words[at]);
      continue;
    }
    const std::size_t equals = text.find('=');
    Argument& option = out.options.emplace_back(Argument{words[at]});
    option.row = option_of_argparse(std::string_view(text).substr(0, equals));
    if (option.row == nullptr) out.exact = false;
    if (equals != text.npos) {
      option.value = part_of(words[at], equals + 1);
    } else if (option.row != nullptr && option.row->reads != Reads::nothing && at + 1 < words.size()) {
      option.value = words[++at];
    }
  }
  return out;
}

// Returns true if a word that only a run knows precedes more words than a command without options has.
static bool holds_options(std::span<const ShellWord> words) {
  constexpr std::ptrdiff_t kMost = 2;  // the input and the output precede the type
  const auto is_type = [](const ShellWord& word) {
    return is_file_type(word.text) && !base::is_digit(word.text.front());
  };
  const bool option = words.size() > 1 && words[1].text.starts_with("--");
  return words.front().splits && (option || std::ranges::find_if(words, is_type) - words.begin() > kMost);
}

// Options precede the other words, and their values are separate words.
static Arguments arguments_of_quantize(std::span<const ShellWord> words) {
  Arguments out;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    const bool option = text.starts_with("--");
    if (!option && !holds_options(words.subspan(at))) break;
    out.exact = out.exact && !words[at].splits;
    if (!option) continue;
    Argument& argument = out.options.emplace_back(Argument{words[at], option_called(Tool::quantize, text)});
    const OptionRow* row = argument.row;
    if (row == nullptr && text.find('=') == text.npos) {
      row = option_meant(Tool::quantize, text);
      out.exact = out.exact && row != nullptr;
    }
    if (row != nullptr && row->reads != Reads::nothing && at + 1 < words.size()) argument.value = words[++at];
  }
  for (; at < words.size(); ++at) {
    out.exact = out.exact && !words[at].splits;
    out.words.push_back(words[at]);
  }
  return out;
}

// The other programs have many options, of which few are needed.
static Arguments arguments_of_others(Tool tool, std::span<const ShellWord> words) {
  Arguments out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    out.exact = out.exact && !words[at].splits;
    const OptionRow* row = option_called(tool, words[at].text);
    if (row == nullptr) {
      out.words.push_back(words[at]);
      continue;
    }
    Argument& option = out.options.emplace_back(Argument{words[at], row});
    if (row->reads != Reads::nothing && at + 1 < words.size()) option.value = words[++at];
  }
  return out;
}

Arguments arguments_of(Tool tool, std::span<const ShellWord> words) {
  if (tool == Tool::quantize) return arguments_of_quantize(words);
  return tool == Tool::convert ? arguments_of_argparse(words) : arguments_of_others(tool, words);
}

}  // namespace sparsecfg::dialect::gguf
