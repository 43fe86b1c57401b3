#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gptqmodel/calls.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/methods.h"
#include "dialect/quantizers/data_sets.h"
#include "dialect/quantizers/program.h"

// The calibration data of `quantize`.
namespace sparsecfg::dialect::gptqmodel {

using script::Ref;
using Kind = script::Value::Kind;

DIAGNOSTIC(GQ410, gptq_no_data, error, (Text), "{} needs calibration data, but `quantize` receives none",
           "Only FP8, GGUF, bitsandbytes and `weight_only` quantize without data. Without them, or with an empty list, "
           "`quantize` raises a ValueError.",
           "pass a list of texts: `model.quantize(calibration)`")

DIAGNOSTIC(GQ411, gptq_data_is_text, error, (Text), "calibration data must be a list of texts, not the string `{}`",
           "GPTQModel has no named data sets, and raises a ValueError for a string.",
           "pass a list of texts, such as `[text]`")

DIAGNOSTIC(
    GQ412, gptq_data_is_splits, error, (), "without `split`, the calibration data are the names of the splits",
    "`load_dataset` then returns a dictionary of all splits. GPTQModel reads its keys, such as `train`, as texts, "
    "removes them because they are short, and stops with a ZeroDivisionError.",
    "add `split=\"train\"`")

DIAGNOSTIC(GQ413, gptq_row_without_text, error, (Text), "GPTQModel reads no text from {}",
           "A row is a string, a list of token ids, or a dictionary with `messages`, `text` or `input_ids`. `quantize` "
           "raises a ValueError for other rows.",
           "pass strings, or rows with the key `text`")

DIAGNOSTIC(GQ414, gptq_texts_too_short, error, (std::size_t),
           "all {} calibration texts have at most 10 tokens, so that none is left",
           "GPTQModel removes texts of at most 10 tokens. If all are removed, it stops with a ZeroDivisionError.",
           "use longer texts, such as those of a data set")

DIAGNOSTIC(GQ415, gptq_length_not_passed, silent_warning, (), "`calibration_data_min_length` has no effect",
           "`quantize` accepts the argument and does not pass it on. It always removes texts of at most 10 tokens.",
           "delete `calibration_data_min_length`")

DIAGNOSTIC(GQ416, gptq_data_without_length, error, (Text), "{} have no length, which `quantize` needs",
           "GPTQModel calls `len` for the calibration data before it reads them. It raises a TypeError for a streamed "
           "data set and for a generator.",
           "pass a list: `list(...)`")

namespace {

constexpr std::string_view kReadKeys[] = {"messages", "text", "input_ids"};

// --- the method -------------------------------------------------------------------------------------

// Returns the setting of a configuration that is a call or a dictionary.
Ref setting_of(const script::Value& config, std::string_view name) {
  if (config.kind == Kind::dictionary) return script::find(config, name);
  return name == "bits" ? config.argument(name, 0) : config.argument(name);
}

// Returns the row of the method that a configuration without `method` and `format` has; null if it is not known.
const MethodRow* usual_method(const script::Value& config) {
  if (config.kind == Kind::dictionary) return script::is_closed_mapping(config) ? &row_of(Method::gptq) : nullptr;
  const bool known = config.kind == Kind::object && !config.open && !config.possible && !config.escaped &&
                     config.argument("**") == nullptr && (!config.imported || config.path.starts_with("gptqmodel."));
  const std::string_view name = known ? base::last_part(config.path) : std::string_view();
  return name == "AWQConfig"                                ? &row_of(Method::awq)
         : name == "QuantizeConfig" || name == "GPTQConfig" ? &row_of(Method::gptq)
                                                            : nullptr;
}

// Returns the word of a setting in lower case: a string, or the name of a member of an enum. Empty if it is not known.
std::string word_of_setting(const Ref& value) {
  if (value->kind == Kind::name) return base::to_lower(base::last_part(value->path));
  const std::string* text = script::whole_string(value);
  return text == nullptr ? std::string() : base::to_lower(*text);
}

bool quantizes_with_data(Method method) {
  return method != Method::fp8 && method != Method::gguf && method != Method::bitsandbytes;
}

// Returns the method of a call of `quantize` if it certainly needs data.
const MethodRow* method_with_data(const script::Value& quantize) {
  const script::Value& load = *quantize.owner;
  const Ref config = load.open || load.possible ? nullptr : load.argument("quantize_config", 1);
  const MethodRow* out = config == nullptr ? nullptr : usual_method(*config);
  if (out == nullptr || setting_of(*config, "weight_only") != nullptr) return nullptr;
  for (const std::string_view name : {"format", "checkpoint_format", "method", "quant_method"}) {
    const Ref value = setting_of(*config, name);
    if (value == nullptr) continue;
    const std::string word = word_of_setting(value);
    const MethodRow* row = name.ends_with("method") ? find_method(word) : owner_of(word);
    if (row == nullptr || !quantizes_with_data(row->method)) return nullptr;
    out = row;
  }
  const Ref bits = setting_of(*config, "bits");
  return bits != nullptr && (bits->kind != Kind::scalar || bits->string() != nullptr) ? nullptr : out;
}

// --- data sets --------------------------------------------------------------------------------------

// Columns of data sets without a column that GPTQModel reads.
struct DatasetRow {
  std::string_view id;
  std::string_view column;  // the column to pass as text
};

constexpr DatasetRow kDatasets[] = {{"openai/gsm8k", "question"},
                                    {"gsm8k", "question"},
                                    {"databricks/databricks-dolly-15k", "instruction"},
                                    {"yahma/alpaca-cleaned", "instruction"},
                                    {"Open-Orca/OpenOrca", "question"},
                                    {"teknium/OpenHermes-2.5", "conversations"}};

// Reports a data set that has no rows of text. Returns true for a data set.
bool check_dataset(const script::Value& data, diag::Sink& sink) {
  constexpr std::size_t kSplit = 4;
  const script::Value* load = quantizers::loaded_dataset(data);
  if (load == nullptr) return false;
  const Ref split = load->argument("split", kSplit);
  if (split == nullptr || script::is_none(*split)) {
    if (load == &data) sink.report(diag::gptq_data_is_splits, load->span);
    return true;
  }
  if (script::is_true(load->argument("streaming"))) {
    sink.report(diag::gptq_data_without_length, data.span, "streamed data sets");
    return true;
  }
  const Ref id = load->argument("path", 0);
  const std::string* name = id == nullptr ? nullptr : id->string();
  const auto* row = name == nullptr ? std::end(kDatasets) : std::ranges::find(kDatasets, *name, &DatasetRow::id);
  if (row == std::end(kDatasets)) return true;
  sink.report(diag::gptq_row_without_text, id->span, fmt::format("the columns of `{}`", row->id))
      .with_help(fmt::format("pass a list of texts, such as `list(dataset[\"{}\"])`", row->column));
  return true;
}

// --- rows -------------------------------------------------------------------------------------------

// Returns the keys of a dictionary if all are known.
std::vector<Ref> keys_of(const script::Value& row) {
  std::vector<Ref> out;
  for (std::size_t at = 0; at + 1 < row.items.size(); at += 2) {
    if (row.items[at] == nullptr || row.items[at]->string() == nullptr) return {};
    out.push_back(row.items[at]);
  }
  return out;
}

bool reports_keys(const script::Value& row, diag::Sink& sink) {
  const std::vector<Ref> keys = script::is_closed_mapping(row) ? keys_of(row) : std::vector<Ref>();
  const auto is_read = [](const Ref& key) { return base::contains(kReadKeys, std::string_view(*key->string())); };
  if (keys.empty() || std::ranges::any_of(keys, is_read)) return false;
  std::vector<std::string> names;
  for (const Ref& key : keys) names.push_back(*key->string());
  auto& report =
      sink.report(diag::gptq_row_without_text, keys.front()->span,
                  fmt::format("rows with the key{} `{}`", names.size() > 1 ? "s" : "", fmt::join(names, "` and `")));
  if (base::contains(std::vector<std::string_view>(names.begin(), names.end()), "role")) {
    report.with_help("write the messages of a chat as `{\"messages\": [...]}`");
  } else {
    report.with_help(fmt::format("write `\"text\"` in place of `\"{}\"`", names.front()))
        .with_fix(names.size() == 1 ? diag::Fix::unsafe().replace(keys.front()->span, "\"text\"") : diag::Fix());
  }
  return true;
}

// Reports a row that is a list of other values than token ids.
bool reports_list(const script::Value& row, diag::Sink& sink) {
  if (!script::is_sequence(row) || row.kind == Kind::set || row.items.empty()) return false;
  const Ref& first = row.items.front();
  const bool text = first != nullptr && first->string() != nullptr;
  if (first == nullptr || (!text && first->kind != Kind::dictionary)) return false;
  sink.report(diag::gptq_row_without_text, row.span,
              text ? "rows that are lists of texts" : "rows that are lists of messages")
      .with_help(text ? "pass the texts without inner lists" : "write each row as `{\"messages\": [...]}`");
  return true;
}

// Reports texts that are certainly too short. A text of n bytes has at most n tokens, and the tokenizer adds up to two.
void check_lengths(const script::Value& data, diag::Sink& sink) {
  constexpr std::size_t kMost = 8;
  const bool all_short = std::ranges::all_of(data.items, [&](const Ref& row) {
    const std::string* text = script::whole_string(row);
    return text != nullptr && text->size() <= kMost;
  });
  if (all_short) sink.report(diag::gptq_texts_too_short, data.span, data.items.size());
}

void check_rows(const script::Value& data, diag::Sink& sink) {
  for (const Ref& row : data.items) {
    if (row != nullptr && (reports_keys(*row, sink) || reports_list(*row, sink))) return;
  }
  check_lengths(data, sink);
}

void check_data(const script::Value& data, const MethodRow& method, diag::Sink& sink) {
  const bool list = data.kind == Kind::list || data.kind == Kind::tuple;
  if (script::is_none(data) ||
      (script::is_sequence(data) && data.items.empty() && data.role == script::Value::Role::plain)) {
    sink.report(diag::gptq_no_data, data.span, method.name);
  } else if (const std::string* text = data.string()) {
    sink.report(diag::gptq_data_is_text, data.span, *text);
  } else if (data.role == script::Value::Role::generator) {
    sink.report(diag::gptq_data_without_length, data.span, "generators");
  } else if (!check_dataset(data, sink) && list && script::is_sequence(data) &&
             data.role == script::Value::Role::plain) {
    check_rows(data, sink);
  }
}

}  // namespace

void check_calibration(const script::Value& call, diag::Sink& sink) {
  const Ref length = call.argument("calibration_data_min_length", 8);
  if (length != nullptr) sink.report(diag::gptq_length_not_passed, length->span);
  const MethodRow* method = method_with_data(call);
  if (method == nullptr || call.argument("**") != nullptr) return;
  const Ref data = call.argument("calibration", 0);
  if (data != nullptr) return check_data(*data, *method, sink);
  const bool renamed = std::ranges::any_of(call.names, [](const auto& name) {
    return name.value.find("calib") != std::string::npos || name.value == "dataset" || name.value == "examples";
  });
  if (!renamed && !call.open) sink.report(diag::gptq_no_data, call.name_span, method->name);
}

}  // namespace sparsecfg::dialect::gptqmodel
