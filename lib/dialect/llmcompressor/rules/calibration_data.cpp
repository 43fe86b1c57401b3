#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/quantizers/data_sets.h"
#include "script/trace.h"

// Checks the data sets that `oneshot` loads or gets.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(LC142, unknown_dataset, error, (Text), "`oneshot` has no data set `{}`",
           "A string is the name of a class that loads and prepares a data set, and no id of the Hugging Face Hub. "
           "`oneshot` stops when it prepares the calibration data.",
           "write one of the names, such as `dataset=\"open_platypus\"`, or pass a data set with tokens")

DIAGNOSTIC(LC143, dataset_needs_argument, error, (Text, Text), "the data set `{}` requires `{}`",
           "Without `splits`, `oneshot` reads the split `train`, and without `dataset_config_name` the only "
           "configuration of the data set. It stops when the data set does not have them.",
           "add the argument")

DIAGNOSTIC(LC144, dataset_without_text, error, (Text, Text), "`{}` has no column `text`: its columns are {}",
           "`oneshot` passes the columns that the tokenizer has as arguments, such as `text`, and removes the others. "
           "The tokenizer then stops with ValueError, because it gets no text.",
           "convert each sample to `input_ids` with `.map(...)` before this call")

namespace {

using script::Ref;

// A data set of the Hub, with the name of the class that prepares it.
struct Dataset {
  std::string_view name;  // empty: no class
  std::string_view id;
  std::string_view columns{};  // of a data set without the column `text`
  std::string_view splits{};   // an argument for a data set without a split `train`
  std::string_view config{};   // an argument for a data set with several configurations
  std::string_view alias{};
};

constexpr Dataset kDatasets[] = {
    {.name = "c4", .id = "allenai/c4"},
    {.name = "cnn_dailymail", .id = "abisee/cnn_dailymail"},
    {.name = "custom", .id = ""},
    {.name = "csv", .id = ""},
    {.name = "json", .id = ""},
    {.name = "evolcodealpaca", .id = "theblackcat102/evol-codealpaca-v1", .columns = "`instruction` and `output`"},
    {.name = "flickr", .id = "lmms-lab/flickr30k", .splits = "splits=\"test\"", .alias = "flickr30k"},
    {.name = "gsm8k",
     .id = "openai/gsm8k",
     .columns = "`question` and `answer`",
     .config = "dataset_config_name=\"main\""},
    {.name = "open_platypus", .id = "garage-bAInd/Open-Platypus", .columns = "`input`, `instruction` and `output`"},
    {.name = "peoples_speech", .id = "MLCommons/peoples_speech", .splits = "splits=\"test\""},
    {.name = "perfectblend", .id = "mlabonne/open-perfectblend", .columns = "`conversations` and `source`"},
    {.name = "ptb", .id = "ptb_text_only"},
    {.name = "ultrachat_200k",
     .id = "HuggingFaceH4/ultrachat_200k",
     .columns = "`prompt` and `messages`",
     .splits = "splits=\"train_sft\"",
     .alias = "ultrachat"},
    {.name = "wikitext", .id = "Salesforce/wikitext", .config = "dataset_config_name=\"wikitext-2-raw-v1\""},
};

// Returns a name as the registry compares it.
std::string standard(std::string_view name) {
  std::string out = base::to_lower(name);
  std::ranges::replace(out, '_', '-');
  std::ranges::replace(out, ' ', '-');
  return out;
}

const Dataset* find_name(std::string_view name) {
  const auto* found = std::ranges::find_if(kDatasets, [&](const Dataset& row) {
    return standard(row.name) == standard(name) || (!row.alias.empty() && standard(row.alias) == standard(name));
  });
  return found == std::end(kDatasets) ? nullptr : found;
}

// Returns the data set of an id, with or without its owner.
const Dataset* find_id(std::string_view id) {
  const auto last = [](std::string_view text) { return standard(text.substr(text.rfind('/') + 1)); };
  const auto* found =
      std::ranges::find_if(kDatasets, [&](const Dataset& row) { return !row.id.empty() && last(row.id) == last(id); });
  return found == std::end(kDatasets) ? nullptr : found;
}

// Returns the data set that a wrong name means; null if none is near.
const Dataset* meant(std::string_view name) {
  if (const Dataset* row = find_id(name)) return row;
  static const auto names = [] {
    std::array<std::string_view, std::size(kDatasets)> out;
    std::ranges::transform(kDatasets, out.begin(), &Dataset::name);
    return out;
  }();
  const auto begins = [&](std::string_view each) { return name.starts_with(each); };  // "wikitext2"
  if (const auto* found = std::ranges::find_if(names, begins); found != names.end()) return find_name(*found);
  const auto guess = base::nearest(std::string(name), names);
  return guess ? find_name(*guess) : nullptr;
}

// Returns the arguments for a data set: `dataset="wikitext", dataset_config_name="wikitext-2-raw-v1"`.
std::string arguments_for(const Dataset& row) {
  std::string out = fmt::format("dataset=\"{}\"", row.name);
  for (const std::string_view more : {row.splits, row.config}) {
    if (!more.empty()) out += fmt::format(", {}", more);
  }
  return out;
}

bool is_missing(const script::Value& call, std::string_view argument) {
  const Ref value = argument.empty() ? nullptr : call.argument(argument.substr(0, argument.find('=')));
  return !argument.empty() && (value == nullptr || script::is_none(*value));
}

void check_name(const script::Value& call, const script::Value& given, diag::Sink& sink) {
  if (call.argument("dataset_path") != nullptr) return;
  const std::string& name = *given.string();
  const Dataset* row = find_name(name);
  if (row == nullptr) {
    auto& report = sink.report(diag::unknown_dataset, given.span, name);
    if (const Dataset* other = meant(name)) report.with_help(fmt::format("write `{}`", arguments_for(*other)));
    return;
  }
  for (const std::string_view argument : {row->config, row->splits}) {
    if (!is_missing(call, argument)) continue;
    sink.report(diag::dataset_needs_argument, given.span, name, argument.substr(0, argument.find('=')))
        .with_help(fmt::format("add `{}` to this call", argument));
    return;
  }
}

constexpr std::size_t kPlaceOfSplit = 4;  // among the arguments of `load_dataset`

// Reports a data set of the Hub that is passed as it was loaded, or after methods that keep its columns.
void check_loaded(const script::Value& call, const script::Value& given, diag::Sink& sink) {
  const script::Value* load = quantizers::loaded_dataset(given);
  const Ref id = load == nullptr ? nullptr : load->argument("path", 0);
  const Dataset* row = id == nullptr || id->string() == nullptr ? nullptr : find_id(*id->string());
  constexpr std::string_view kReaders[] = {"preprocessing_func", "text_column"};
  const bool prepared =
      std::ranges::any_of(kReaders, [&](std::string_view name) { return call.argument(name) != nullptr; });
  if (row == nullptr || row->columns.empty() || prepared) return;
  const std::string* split = script::whole_string(load->argument("split", kPlaceOfSplit));
  const std::string own = split == nullptr ? std::string() : fmt::format("splits=\"{}\"", *split);
  Dataset meant = *row;
  if (!own.empty()) meant.splits = own;
  sink.report(diag::dataset_without_text, load->span, *id->string(), row->columns)
      .with_label(call.name_span, "receives it")
      .with_help(
          fmt::format("write `{}` in the call of `oneshot`: the class converts the samples", arguments_for(meant)));
}

}  // namespace

void check_calibration_data(const script::Trace& trace, diag::Sink& sink) {
  for (const Ref& call : trace.objects) {
    const bool known = is_oneshot(*call) && !call->open && call->argument("**") == nullptr;
    const Ref given = known ? call->argument("dataset") : nullptr;
    if (given == nullptr) continue;
    if (script::whole_string(given) != nullptr) check_name(*call, *given, sink);
    if (given->kind == script::Value::Kind::object) check_loaded(*call, *given, sink);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
