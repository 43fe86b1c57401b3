#include "dialect/gguf/arguments.h"

#include <algorithm>
#include <string>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/argparse.h"
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
    {"--imatrix", true},
    {"--include-weights", true},
    {"--exclude-weights", true},
    {"--output-tensor-type", true},
    {"--token-embedding-type", true},
    {"--tensor-type", true},
    {"--tensor-type-file", true},
    {"--prune-layers", true},
    {"--override-kv", true},
    {"--target-bpw", true},
    {"--state-file", true},
    {"--custom-q", true, true},
    {"--attn-q-type", true, true},
    {"--attn-k-type", true, true},
    {"--attn-v-type", true, true},
    {"--attn-qkv-type", true, true},
    {"--attn-output-type", true, true},
    {"--ffn-gate-type", true, true},
    {"--ffn-down-type", true, true},
    {"--ffn-up-type", true, true},
    {"--repack-pattern", true, true},
    {"--repack", false, true},
    {"--hide-imatrix", false, true},
    {"--ignore-imatrix-rules", false, true},
    {"--partial-requant", false, true},
};

constexpr OptionRow kConvertOptions[] = {
    {"--outfile", true},
    {"--outtype", true},
    {"--model-name", true},
    {"--metadata", true},
    {"--split-max-size", true},
    {"--split-max-tensors", true},
    {"--awq-path", true},
    {"--target-model-dir", true},
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
    {"--model", true},
    {"-m", true, false, "--model"},
    {"--output-file", true},
    {"--output", true, false, "--output-file"},
    {"-o", true, false, "--output-file"},
    {"--process-output"},
};

// Returns the options that a program is known to have.
static std::span<const OptionRow> options_of(Tool tool) {
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
    option.row = option_of_argparse<OptionRow>(kConvertOptions, std::string_view(text).substr(0, equals));
    if (option.row == nullptr) out.exact = false;
    if (equals != text.npos) {
      option.value = part_of(words[at], equals + 1);
    } else if (option.row != nullptr && option.row->has_value && at + 1 < words.size()) {
      option.value = words[++at];
    }
  }
  return out;
}

// Returns true if the first word may expand to options.
static bool may_expand_to_options(std::span<const ShellWord> words) {
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
    if (!option && !may_expand_to_options(words.subspan(at))) break;
    out.exact = out.exact && !words[at].splits;
    if (!option) continue;
    Argument& argument = out.options.emplace_back(Argument{words[at], option_called(Tool::quantize, text)});
    const OptionRow* row = argument.row;
    if (row == nullptr && text.find('=') == text.npos) {
      row = option_meant(Tool::quantize, text);
      out.exact = out.exact && row != nullptr;
    }
    if (row != nullptr && row->has_value && at + 1 < words.size()) argument.value = words[++at];
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
    if (row->has_value && at + 1 < words.size()) option.value = words[++at];
  }
  return out;
}

Arguments arguments_of(Tool tool, std::span<const ShellWord> words) {
  if (tool == Tool::quantize) return arguments_of_quantize(words);
  return tool == Tool::convert ? arguments_of_argparse(words) : arguments_of_others(tool, words);
}

}  // namespace sparsecfg::dialect::gguf
