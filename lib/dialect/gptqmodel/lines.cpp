#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gptqmodel/calls.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/quantizers/data_sets.h"
#include "dialect/quantizers/program.h"

// Calibration data whose rows are single lines.
namespace sparsecfg::dialect::gptqmodel {

using script::Ref;

DIAGNOSTIC(GQ418, gptq_rows_are_lines, warning, (std::size_t, std::size_t),
           "{0} rows of wikitext are about {1} tokens, because each row is a line",
           "More than a third of the lines are blank or headings, which GPTQModel removes, and the others are short "
           "paragraphs. GPTQ is usually calibrated with 128 sequences of 2048 tokens.",
           "join the lines, such as 40 to one text")

namespace {

constexpr std::size_t kMostRows = 1024;    // more have enough tokens
constexpr std::size_t kTokensPerRow = 62;  // docs/semantics/gptqmodel.md#a3-7
constexpr std::size_t kSplit = 4;          // among the arguments of `load_dataset`

// Reads the methods and subscripts after a data set.
class Chain {
 public:
  explicit Chain(std::string_view text) : text_(text) {}

  // Returns true if all parts are known: those that reduce the rows, and the column of the texts.
  bool read() {
    while (!(text_ = base::trim(text_)).empty()) {
      if (!skip("[\"text\"]") && !skip("['text']") && !shuffles() && !selects()) return false;
    }
    return true;
  }

  // The smallest number of rows; nullopt: all.
  std::optional<std::size_t> rows{};

 private:
  bool skip(std::string_view part) {
    const bool found = text_.starts_with(part);
    if (found) text_.remove_prefix(part.size());
    return found;
  }

  bool shuffles() {
    if (!skip(".shuffle(")) return false;
    text_.remove_prefix(std::min(text_.find(')'), text_.size() - 1) + 1);
    return true;
  }

  bool selects() {
    const bool method = skip(".select(range(");
    if (!method && !skip("[:")) return false;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    rows = std::min(rows.value_or(number), number);
    return error == std::errc() && skip(method ? "))" : "]");
  }

  std::string_view text_;
};

// Returns the call of `load_dataset` for wikitext that calibration data come from; null if there is none.
const script::Value* loaded_lines(const script::Trace& trace, const script::Value& data) {
  for (const Ref& call : trace.objects) {
    const Ref id = call->path == "datasets.load_dataset" ? call->argument("path", 0) : nullptr;
    const std::string* name = script::whole_string(id);
    const bool lines = name != nullptr && (*name == "wikitext" || name->ends_with("/wikitext"));
    // A value that is not known states the call, or the methods after it, as the reason.
    const bool source = call->span.begin == data.why.begin || call->span.begin == data.span.begin;
    if (lines && source && !call->span.empty()) return call.get();
  }
  return nullptr;
}

// Returns true if a name is assigned in one line of a script.
bool is_assigned_once(std::string_view text, std::string_view name) {
  const std::string line = fmt::format("\n{} = ", name);
  const std::size_t first = text.find(line);
  return first != text.npos && text.find(line, first + 1) == text.npos;
}

// Returns what follows the call in the expression of the data, which begins with the call or with the only name of its
// result. Nullopt for other expressions.
std::optional<std::string> after_load(const script::Trace& trace, const script::Value& load, source::Span data) {
  const std::string_view text = quantizers::text_at(trace, data);
  if (data.begin == load.span.begin && data.end >= load.span.end)
    return std::string(trace.text.substr(load.span.end, data.end - load.span.end));
  const std::string_view name = quantizers::assigned_name(trace, load.span);
  const bool once = !name.empty() && is_assigned_once(trace.text, name);
  if (!once || !text.starts_with(name)) return std::nullopt;
  const std::string_view line = trace.text.substr(load.span.end);
  return std::string(line.substr(0, line.find_first_of("\n;#"))) + std::string(text.substr(name.size()));
}

// A split, such as `train[:128]`.
struct Split {
  std::string_view name;
  std::optional<std::size_t> rows{};
};

std::optional<Split> split_of(std::string_view text) {
  const std::size_t bracket = text.find("[:");
  if (bracket == text.npos) return text.find('[') == text.npos ? std::optional(Split{text}) : std::nullopt;
  std::size_t rows = 0;
  const char* begin = text.data() + bracket + 2;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), rows);
  const bool whole = error == std::errc() && std::string_view(end, text.data() + text.size()) == "]";
  return whole ? std::optional(Split{text.substr(0, bracket), rows}) : std::nullopt;
}

// Returns the statements that read long texts: all rows of the split, and a list of joined rows.
std::string joined(const script::Trace& trace, const script::Value& load, const std::string& split, const Split& parts,
                   std::size_t rows, std::string_view name) {
  constexpr std::size_t kLeast = 512;  // GPTQModel recommends more than 256
  constexpr std::size_t kMost = 900;   // of 36,718 lines
  std::string call(quantizers::text_at(trace, load.span));
  if (const std::size_t at = call.find(split); at != call.npos) call.replace(at, split.size(), parts.name);
  const std::string end = parts.name == "train" ? fmt::format("{} * 40", std::clamp(rows, kLeast, kMost)) : "len(rows)";
  return fmt::format(
      "write `rows = {}[\"text\"]`, and then `{} = [\"\".join(rows[i:i + 40]) for i in range(0, {}, 40)]`", call,
      name.empty() ? "calibration" : name, end);
}

}  // namespace

void check_lines(const script::Trace& trace, const script::Value& call, diag::Sink& sink) {
  const Ref data = call.argument("calibration", 0);
  const script::Value* load = data == nullptr ? nullptr : loaded_lines(trace, *data);
  const std::string* split = load == nullptr ? nullptr : script::whole_string(load->argument("split", kSplit));
  const auto parts = split == nullptr ? std::nullopt : split_of(*split);
  const auto after = parts ? after_load(trace, *load, data->span) : std::nullopt;
  Chain chain(after ? std::string_view(*after) : std::string_view());
  if (!after || !chain.read()) return;
  const std::size_t rows = std::min(parts->rows.value_or(kMostRows), chain.rows.value_or(kMostRows));
  if (rows == 0 || rows >= kMostRows) return;
  sink.report(diag::gptq_rows_are_lines, load->span, rows, rows * kTokensPerRow)
      .with_label(call.name_span, "calibrates with them")
      .with_help(joined(trace, *load, *split, *parts, rows, quantizers::assigned_name(trace, data->span)));
}

}  // namespace sparsecfg::dialect::gptqmodel
