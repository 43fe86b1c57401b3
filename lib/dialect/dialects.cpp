#include "dialect/dialects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "dialect/dialect.h"
#include "dialect/listed_value.h"
#include "dialect/look_alikes.h"
#include "dialect/quantized_dialects.h"
#include "dialect/quantizers.h"

namespace sparsecfg::dialect {

constexpr const Dialect* kDialects[] = {
    &schedule::kDialect,   &mlx::kDialect,       &gguf::kDialect,          &compressed_tensors::kDialect,
    &modelopt::kDialect,   &autoround::kDialect, &torchao::kDialect,       &gptqmodel::kDialect,
    &checkpoint::kDialect, &nni::kDialect,       &llmcompressor::kDialect, &sparseml::kDialect,
    &distiller::kDialect,  &ai8x::kDialect,      &pytorch::kDialect};

constexpr std::string_view kAutoRoundNames[] = {"auto-round", "auto_round", "auto-round-best", "auto-round-light",
                                                "auto-round-mllm"};
constexpr std::string_view kAutoRoundModel[] = {"--model", "--model_name", "--model_name_or_path"};

constexpr std::string_view kMlxConvert[] = {"mlx_lm.convert", "mlx_lm convert"};
constexpr std::string_view kMlxDwq[] = {"mlx_lm.dwq", "mlx_lm dwq", "mlx_lm.quant.dwq"};
constexpr std::string_view kMlxAwq[] = {"mlx_lm.awq", "mlx_lm awq", "mlx_lm.quant.awq"};
constexpr std::string_view kMlxGptq[] = {"mlx_lm.gptq", "mlx_lm gptq", "mlx_lm.quant.gptq"};
constexpr std::string_view kMlxDynamic[] = {"mlx_lm.dynamic_quant", "mlx_lm dynamic_quant",
                                            "mlx_lm.quant.dynamic_quant"};
constexpr std::string_view kMlxFuse[] = {"mlx_lm.fuse", "mlx_lm fuse"};
constexpr std::string_view kMlxVlmConvert[] = {"mlx_vlm.convert", "mlx_vlm convert"};
constexpr std::string_view kMlxModel[] = {"--hf-path", "--model", "-m"};

constexpr std::string_view kHfPtq[] = {"hf_ptq.py"};
constexpr std::string_view kHfPtqModel[] = {"--pyt_ckpt_path", "--model"};

constexpr CommandNames kCommandNames[] = {
    {&modelopt::kDialect, kHfPtq, kHfPtqModel, "AutoModelForCausalLM"},
    {&autoround::kDialect, kAutoRoundNames, kAutoRoundModel, "AutoModelForCausalLM"},
    {&mlx::kDialect, kMlxConvert, kMlxModel, {}, mlx::check_commands},
    {&mlx::kDialect, kMlxDwq, kMlxModel},
    {&mlx::kDialect, kMlxAwq, kMlxModel},
    {&mlx::kDialect, kMlxGptq, kMlxModel},
    {&mlx::kDialect, kMlxDynamic, kMlxModel},
    {&mlx::kDialect, kMlxFuse, kMlxModel},
    {&mlx::kDialect, kMlxVlmConvert, kMlxModel}};

std::span<const Dialect* const> dialects() { return kDialects; }

std::span<const CommandNames> command_names() { return kCommandNames; }

CalledProgram called_program(const source::ShellCommand& command) {
  constexpr std::size_t kMostWords = 8;
  const std::vector<source::ShellWord>& words = command.words;
  for (std::size_t at = 0; at < std::min(words.size(), kMostWords); ++at) {
    const std::string_view name = source::program_name(words[at].text);
    const std::string two = at + 1 < words.size() ? fmt::format("{} {}", name, words[at + 1].text) : std::string();
    for (const CommandNames& row : kCommandNames) {
      if (base::contains(row.names, name)) return {&row, at + 1};
      if (base::contains(row.names, two)) return {&row, at + 2};
    }
  }
  return {};
}

const Dialect* find_dialect(std::string_view name) {
  const auto* const found = std::ranges::find(kDialects, name, &Dialect::name);
  return found == std::end(kDialects) ? nullptr : *found;
}

std::vector<ReaderOption> reader_options() {
  std::vector<ReaderOption> options;
  for (const Dialect* dialect : kDialects) {
    options.insert(options.end(), dialect->options.begin(), dialect->options.end());
  }
  std::ranges::sort(options, {}, &ReaderOption::name);
  return options;
}

bool set_reader_option(std::string_view name, std::string_view value, ReadOptions& options) {
  for (const ReaderOption& option : reader_options()) {
    const std::string_view listed = listed_value(option, value);
    if (option.name == name && option.accepts(listed)) {
      options.reader_options.emplace_back(option.name, listed);
      return true;
    }
  }
  return false;
}

static bool mentions(std::string_view text, const Dialect& dialect) {
  return std::ranges::any_of(dialect.words,
                             [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

static const Dialect* first(auto fits) {
  const auto found = std::ranges::find_if(dialects(), [&](const Dialect* dialect) { return fits(*dialect); });
  return found == dialects().end() ? nullptr : *found;
}

const Dialect* detect(const doc::Document& document) {
  return first([&](const Dialect& dialect) { return dialect.claims(document); });
}

// Two dialects with the same form.
struct LookAlikes {
  const Dialect* first;
  const Dialect* second;
  bool (*unmarked)(const doc::Document&);    // returns true if a document of the first one has no mark of it
  std::span<const std::string_view> others;  // rules of the first one about what only the second one has or does
  void (*report)(source::Span root, const diag::Diagnostic& error, diag::Sink& sink);  // that the second one reads it
};

// Training masks, unknown classes, classes outside of groups, and removed fields. All other errors are mistakes for
// llm-compressor.
constexpr std::string_view kRulesOfSparseml[] = {"LC102", "LC307", "LC309", "LC701", "SP102"};

constexpr LookAlikes kLookAlikes[] = {{&llmcompressor::kDialect, &sparseml::kDialect, llmcompressor::may_be_sparseml,
                                       kRulesOfSparseml, llmcompressor::report_sparseml}};

std::vector<const Dialect*> readers_of(const doc::Document& document) {
  const Dialect* claiming = detect(document);
  if (claiming == nullptr) return {};
  std::vector<const Dialect*> out{claiming};
  for (const LookAlikes& row : kLookAlikes) {
    if (row.first == claiming && row.unmarked(document) && row.second->claims(document)) out.push_back(row.second);
  }
  return out;
}

bool proves_dialect(const Dialect& dialect, std::string_view rule) {
  return std::ranges::any_of(kLookAlikes, [&](const LookAlikes& row) {
    return row.first == &dialect && std::ranges::find(row.others, rule) == row.others.end();
  });
}

void report_other_reader(const doc::Document& document, const diag::Diagnostic& error, diag::Sink& sink) {
  const Dialect* first = detect(document);
  const auto* const row = std::ranges::find(kLookAlikes, first, &LookAlikes::first);
  if (row != std::end(kLookAlikes)) row->report(document[document.root].span, error, sink);
}

Marked marked(const source::SourceFile& file) {
  for (const Dialect* dialect : kDialects) {
    const auto part = dialect->marked_part == nullptr ? std::nullopt : dialect->marked_part(file);
    if (part) return {dialect, *part};
  }
  return {};
}

// Returns UTF-16 text as ASCII, without the zero bytes of its letters, so that a recipe saved as "Unicode" is
// recognized.
static std::string without_zeros(std::string_view text) {
  std::string out(text);
  std::erase(out, '\0');
  return out;
}

static bool may_be_utf16(std::string_view text) {
  return text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE") ||
         text.substr(0, 2).find('\0') != std::string_view::npos;
}

const Dialect* detect(std::string_view unreadable) {
  if (may_be_utf16(unreadable)) {
    const std::string text = without_zeros(unreadable);
    return first([&](const Dialect& dialect) { return mentions(text, dialect); });
  }
  return first([&](const Dialect& dialect) { return mentions(unreadable, dialect); });
}

static bool imports_module(std::string_view script, const Dialect& dialect) {
  const std::string module(dialect.module);
  return !module.empty() && (script.find("from " + module) != std::string_view::npos ||
                             script.find("import " + module) != std::string_view::npos);
}

// A script may read its lists from a file, so that it has no word of them.
const Dialect* detect_in_script(std::string_view script) {
  const Dialect* const found =
      first([&](const Dialect& dialect) { return dialect.scripts && mentions(script, dialect); });
  return found != nullptr
             ? found
             : first([&](const Dialect& dialect) { return dialect.scripts && imports_module(script, dialect); });
}

bool imports(std::string_view script, const Dialect& dialect) {
  const auto words = std::ranges::count_if(
      dialect.words, [&](std::string_view word) { return script.find(word) != std::string_view::npos; });
  return words > 1 || imports_module(script, dialect);
}

// A reader option lists the newest release first, after the main branch. Other options, such as the runtime of a model,
// only list words.
std::string releases_of(const Dialect& dialect) {
  if (!dialect.releases.empty()) return std::string(dialect.releases);
  if (dialect.options.empty()) return {};
  const auto values = dialect.options.front().values;
  const auto newest = std::ranges::find_if(values, [](std::string_view name) { return base::is_digit(name.front()); });
  return newest == values.end() ? std::string() : fmt::format("{} to {}", values.back(), *newest);
}

}  // namespace sparsecfg::dialect
