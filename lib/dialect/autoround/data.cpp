#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/config.h"

// Calibration data (docs/semantics/autoround.md#a4-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR123, autoround_short_texts, error, (std::size_t, Text), "none of the {} texts has `seqlen` tokens ({})",
           "AutoRound skips each text that has fewer tokens than `seqlen`, and does not join texts. Without a sample, "
           "it exits after the model is loaded. A text has at most as many tokens as bytes.",
           "write `dataset=\"NeelNanda/pile-10k\"`, or a `seqlen` that the texts reach")

DIAGNOSTIC(AR124, autoround_unknown_dataset, error, (Text), "`{}` is not a calibration set of AutoRound",
           "AutoRound has its own list of data sets and does not load others from Hugging Face. It accepts a part of a "
           "name in the list, and an existing file whose path contains `json`. It stops with ValueError at other "
           "names.",
           "write `dataset=\"NeelNanda/pile-10k\"`, or the path of a JSON file with texts")

DIAGNOSTIC(
    AR125, autoround_dataset_option, silent_warning, (Text, Text), "the option `{}` of the data set `{}` is not read",
    "AutoRound reads only `split`, `num`, `concat`, `apply_chat_template` and `system_prompt` after the name of a data "
    "set.",
    "write `num=` for the number of samples")

namespace {

// Names for text, images with text, audio and diffusion models.
constexpr std::string_view kDataSets[] = {"NeelNanda/pile-10k",
                                          "swift/pile-val-backup",
                                          "BAAI/CCI3-HQ",
                                          "codeparrot/github-code-clean",
                                          "nvidia/OpenCodeInstruct",
                                          "opencode-instruct",
                                          "HuggingFaceH4/ultrachat_200k",
                                          "openbmb/Ultra-FineWeb",
                                          "madao33/new-title-chinese",
                                          "google-research-datasets/mbpp",
                                          "audiocaps",
                                          "AudioCaps",
                                          "local",
                                          "liuhaotian/llava",
                                          "liuhaotian/llava_conv_58k",
                                          "liuhaotian/llava_instruct_80k",
                                          "liuhaotian/llava_instruct_150k",
                                          "coco2014"};

constexpr std::string_view kReadOptions[] = {"split", "num", "concat", "apply_chat_template", "system_prompt"};

// Other words for the number of samples of a data set.
constexpr std::string_view kNumbers[] = {"nsamples", "nsample", "samples", "num_samples", "n"};

class DataCheck {
 public:
  DataCheck(const Context& context, const Value& call, const Form& form, Arguments& arguments)
      : context_(context), call_(call), form_(form), arguments_(arguments) {}

  void run() {
    const Value* data = call_.given("dataset");
    if (data == nullptr || context_.is_unknown(*data) || !needs_data()) return;
    if (const auto* text = data->get<std::string>()) return check_names(*text, data->span);
    if (const auto* list = data->get<source::List>()) check_texts(*list, data->span);
  }

 private:
  // Returns true if AutoRound reads data for certain: it tunes the rounding.
  [[nodiscard]] bool needs_data() const {
    const Value* steps = call_.given("iters");
    const bool tunes = steps == nullptr || (!context_.is_unknown(*steps) && number_in(*steps).value_or(0) > 0);
    const bool other = call_.given("algorithm") != nullptr || call_.given("alg_configs") != nullptr;
    return tunes && !other && !arguments_.model_free && call_.find("**") == nullptr && !arguments_.base.is_plain();
  }

  void check_texts(const source::List& list, source::Span place) {
    constexpr std::size_t kSpecial = 4;  // tokens at the begin and the end
    std::size_t longest = 0;
    for (const Value& each : list) {
      const auto* text = each.get<std::string>();
      if (text == nullptr) return;
      longest = std::max(longest, text->size());
    }
    const Value* length = call_.given("seqlen");
    if (length != nullptr && context_.is_unknown(*length)) return;
    const double needed = length == nullptr ? 2048 : number_in(*length).value_or(0);
    if (list.empty() || static_cast<double>(longest + kSpecial) >= needed) return;
    arguments_.stops = true;
    auto& report = context_.sink.report(diag::autoround_short_texts, place, list.size(),
                                        length == nullptr ? std::string("2048") : source::python_str(*length));
    if (length != nullptr) report.with_label(length->span, "each text needs as many tokens");
  }

  // Checks names with options, separated by commas.
  void check_names(const std::string& text, source::Span place) {
    for (const std::string_view part : base::parts_of(text, ',')) {
      if (!check_name(base::trim(part), place)) return;
    }
  }

  // Returns false after a report of an error.
  bool check_name(std::string_view item, source::Span place) {
    const std::string_view name = item.substr(0, item.find(':'));
    if (!is_known(name)) {
      arguments_.stops = true;
      auto& report = context_.sink.report(diag::autoround_unknown_dataset, place, base::printable(name));
      report.with_help(help_for(name));
      return false;
    }
    for (std::size_t at = item.find(':'); at < item.size(); at = item.find(':', at + 1)) {
      const std::string_view option = item.substr(at + 1, item.find(':', at + 1) - at - 1);
      check_option(option.substr(0, option.find('=')), name, place);
    }
    return true;
  }

  void check_option(std::string_view key, std::string_view name, source::Span place) const {
    if (key.empty() || base::contains(kReadOptions, key)) return;
    auto& report =
        context_.sink.report(diag::autoround_dataset_option, place, base::printable(key), base::printable(name));
    if (!base::contains(kNumbers, key)) report.with_help(fmt::format("delete `{}`", base::printable(key)));
  }

  // A path counts only if its file exists, and contains `json` or `txt`.
  static bool is_known(std::string_view name) {
    if (name.find("json") != name.npos || name.find("txt") != name.npos) return true;
    const std::string_view last = name.substr(name.rfind('/') + 1);
    return std::ranges::any_of(kDataSets, [&](std::string_view each) { return each.find(last) != each.npos; });
  }

  [[nodiscard]] std::string help_for(std::string_view name) const {
    constexpr std::string_view kFiles[] = {".csv", ".parquet", ".arrow", ".tsv"};
    for (const std::string_view ending : kFiles) {
      if (!name.ends_with(ending)) continue;
      const std::string_view stem = name.substr(0, name.size() - ending.size());
      return fmt::format("convert the file to JSON, and write `{}`",
                         setting(form_, "dataset", base::printable(stem) + ".jsonl"));
    }
    return fmt::format("write `{}`, or the path of a JSON file with texts",
                       setting(form_, "dataset", "NeelNanda/pile-10k"));
  }

  const Context& context_;
  const Value& call_;
  const Form& form_;
  Arguments& arguments_;
};

}  // namespace

void check_data(const Context& context, const Value& call, const Form& form, Arguments& arguments) {
  DataCheck(context, call, form, arguments).run();
}

}  // namespace sparsecfg::dialect::autoround
