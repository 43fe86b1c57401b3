#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/config.h"
#include "dialect/autoround/table.h"

// Algorithms, and arguments of algorithms that do not run (docs/semantics/autoround.md#a6-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(
    AR131, autoround_algorithm_is_off, silent_warning, (Text, Text), "AutoRound ignores {} without the algorithm `{}`",
    "AutoRound only logs arguments of an algorithm that does not run. A format such as `auto_awq` does not select an "
    "algorithm.",
    "add `algorithm=\"{1}\"`")

DIAGNOSTIC(AR132, autoround_nothing_is_tuned, silent_warning, (Text),
           "AutoRound ignores {}, because `iters` 0 tunes nothing",
           "With 0 steps, AutoRound rounds to the nearest number. It only logs arguments of the tuning.",
           "delete it, or write `iters=200`")

DIAGNOSTIC(AR133, autoround_unknown_algorithm, error, (Text), "AutoRound has no algorithm `{}`",
           "AutoRound stops with ValueError at other names. GPTQ is only a format of the saved file here.",
           "write `auto_round`, `rtn` or `awq`")

namespace {

constexpr std::string_view kAlgorithms[] = {"rtn", "auto_round", "autoround",       "sign_round", "signround",
                                            "awq", "svdquant",   "random_hadamard", "hadamard",   "quarot_hadamard"};

constexpr std::string_view kOfAwq[] = {"duo_scaling", "n_grid",       "apply_smooth",      "smooth_iters",
                                       "apply_clip",  "clip_as_init", "clip_n_grid",       "clip_max_shrink",
                                       "awq_seqlen",  "skip_moe",     "smooth_batch_size", "clip_n_sample_token",
                                       "mappings"};

constexpr std::string_view kOfTuning[] = {
    "lr", "minmax_lr", "lr_scheduler", "momentum", "gradient_accumulate_steps", "enable_adam"};

// Formats of files that users write as algorithms.
constexpr std::string_view kFileFormats[] = {"gptq", "auto_gptq", "gptqmodel"};

class AlgorithmCheck {
 public:
  AlgorithmCheck(const Context& context, const Value& call, const Form& form, Arguments& arguments)
      : context_(context), call_(call), form_(form), arguments_(arguments) {}

  void run() {
    if (call_.find("**") != nullptr) return;
    const Value* name = call_.given("algorithm") != nullptr ? call_.given("algorithm") : call_.given("alg_configs");
    if (name == nullptr) {
      if (!form_.command) report_ignored(diag::autoround_algorithm_is_off, kOfAwq);
      const Value* steps = call_.given("iters");
      if (steps != nullptr && !context_.is_unknown(*steps) && number_in(*steps) == 0) report_tuning();
    } else if (const auto* text = name->get<std::string>(); text != nullptr && !context_.is_unknown(*name)) {
      check_names(*text, name->span);
    }
  }

 private:
  // Returns the arguments of a list that are set to something else than their default.
  [[nodiscard]] std::vector<const source::Entry*> set_of(std::span<const std::string_view> names) const {
    std::vector<const source::Entry*> out;
    const auto* map = call_.get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const auto& [key, value] = (*map)[at];
      const std::string name = source::python_str(key);
      if (!base::contains(names, std::string_view(name)) || value.is_null() || context_.is_unknown(value)) continue;
      const std::string text = base::to_lower(source::python_str(value));
      if (text != kAutoRound.find(name)->default_value) out.push_back(&(*map)[at]);
    }
    return out;
  }

  [[nodiscard]] static std::string listed(const std::vector<const source::Entry*>& entries) {
    std::vector<std::string> names;
    for (const source::Entry* each : entries) names.push_back(fmt::format("`{}`", source::python_str(each->first)));
    return base::join_and(names);
  }

  void report_ignored(const auto& rule, std::span<const std::string_view> names) const {
    const auto set = set_of(names);
    if (!set.empty()) context_.sink.report(rule, set.front()->first.span, listed(set), "awq");
  }

  void report_tuning() const {
    const auto set = set_of(kOfTuning);
    if (set.empty()) return;
    const Value& steps = *call_.given("iters");
    context_.sink.report(diag::autoround_nothing_is_tuned, set.front()->first.span, listed(set))
        .with_label(steps.span, "no steps")
        .with_help(fmt::format("delete {}, or write `{}`", set.size() == 1 ? "it" : "them",
                               form_.command ? "--iters 200" : "iters=200"));
  }

  void check_names(const std::string& text, source::Span place) {
    if (!quantizers::is_at_least("0.14", kReaderOptions[0], context_.options)) return;
    for (const std::string_view part : base::parts_of(text, ',')) {
      const std::string name = base::to_lower(base::trim(part));
      if (name.empty() || base::contains(kAlgorithms, std::string_view(name))) continue;
      arguments_.stops = true;
      auto& report = context_.sink.report(diag::autoround_unknown_algorithm, place, base::printable(name));
      const bool format = base::contains(kFileFormats, std::string_view(name));
      const auto guess = base::Guesses(std::span<const std::string_view>(kAlgorithms)).nearest(name);
      const std::string_view meant = format ? "auto_round" : guess.value_or("");
      const std::string extra =
          format ? fmt::format(", and `{}` for the file", setting(form_, "format", "auto_gptq")) : "";
      if (!meant.empty()) report.with_help(fmt::format("write `{}`{}", setting(form_, "algorithm", meant), extra));
      return;
    }
  }

  const Context& context_;
  const Value& call_;
  const Form& form_;
  Arguments& arguments_;
};

}  // namespace

void check_algorithm(const Context& context, const Value& call, const Form& form, Arguments& arguments) {
  AlgorithmCheck(context, call, form, arguments).run();
}

}  // namespace sparsecfg::dialect::autoround
