#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/record/types.h"
#include "dialect/schemes/records.h"

// Checks the observers that compute quantization scales, and their arguments.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

std::string plain_observer_name(std::string_view name) {
  std::string out = base::to_lower(name);
  std::ranges::replace_if(
      out, [](char c) { return c == '-' || c == ' '; }, '_');
  return out;
}

DIAGNOSTIC(
    LC210, observer_unknown, error, (Text), "unknown observer `{}`",
    "The name is looked up when calibration begins, so an error is found late. Case, `_`, `-` and spaces are ignored.",
    "use an observer that `sparsecfg explain` lists for this release, such as `minmax` or `mse`")

DIAGNOSTIC(LC211, observer_kwarg_unknown, warning, (Text, Text), "`{}` is ignored by observer `{}`",
           "Each observer reads its arguments from `observer_kwargs` and silently ignores all others.", "delete `{0}`")

DIAGNOSTIC(LC221, observer_kwarg_range, error, (Text, Text), "`{}` is {}, but calibration fails below 1",
           "The observer does not check the number when the recipe is loaded.", "delete `{0}`")

namespace {

// Returns the first release with an observer.
constexpr Release since(std::string_view observer) {
  if (observer == "imatrix_mse") return Release::v0_11;
  if (observer == "nvfp4_expanded_mse") return Release::main;
  return observer == "minmax" || observer == "mse" ? Release::v0_1 : Release::v0_9;
}

constexpr std::string_view kSearchArguments[] = {"maxshrink", "patience", "grid", "norm", "chunk_size", "expand"};
constexpr std::string_view kImatrixArguments[] = {"maxshrink",  "patience", "grid",  "norm",
                                                  "chunk_size", "expand",   "strict"};
constexpr std::string_view kMeanArguments[] = {"averaging_constant"};
constexpr std::string_view kMeanSearchArguments[] = {"averaging_constant", "maxshrink", "patience", "grid", "norm",
                                                     "chunk_size",         "expand"};

std::span<const std::string_view> arguments_of(std::string_view observer, bool of_weights) {
  if (observer == "imatrix_mse") return kImatrixArguments;
  if (observer == "memoryless_mse" || observer == "nvfp4_expanded_mse") return kSearchArguments;
  if (observer == "mse") return of_weights ? std::span<const std::string_view>(kSearchArguments) : kMeanSearchArguments;
  if (observer == "minmax" && !of_weights) return kMeanArguments;
  return {};
}

// Returns the names of the observers that a release has.
std::vector<std::string_view> observers_in(Release release) {
  std::vector<std::string_view> out;
  std::ranges::copy_if(schemes::kObservers, std::back_inserter(out),
                       [&](std::string_view name) { return is_at_least(release, since(name)); });
  return out;
}

// Reports an observer that does not exist, or only in later releases. Returns true if it did.
bool report_observer(const Context& context, const Value& observer, Release release) {
  const auto& text = *observer.get<std::string>();
  const std::string name = plain_observer_name(text);
  const std::vector<std::string_view> names = observers_in(release);
  if (base::contains(names, name)) {
    return false;
  }
  const std::string choice = fmt::format("write one of `{}`", fmt::join(names, "`, `"));
  if (base::contains(schemes::kObservers, name)) {
    context.sink
        .report(diag::newer_field, observer.span, fmt::format("observer `{}`", name), first_release_with(since(name)),
                to_string(release))
        .with_severity(diag::Severity::error)
        .with_help(choice + ", or update llm-compressor");
    return true;
  }
  const auto guess = base::nearest(name, names);
  context.sink.report(diag::observer_unknown, observer.span, text)
      .with_help(base::did_you_mean(guess, choice))
      .with_fix(guess ? diag::Fix::unsafe().content(observer.span, std::string(*guess)) : diag::Fix());
  return true;
}

// Returns true if an argument has a value at which calibration fails. `expand` is checked since 0.14, but not by
// imatrix_mse.
bool is_too_small(std::string_view name, double number, std::string_view observer, Release release) {
  const bool expands = name == "expand" && observer != "imatrix_mse" && is_at_least(release, Release::main);
  return (name == "chunk_size" && number <= 0) || (expands && number < 1);
}

void check_observer_arguments(const Context& context, const Value* arguments, const std::string& observer,
                              std::span<const std::string_view> all, Release release) {
  std::vector<std::string_view> known(all.begin(), all.end());
  if (!is_at_least(release, Release::main)) std::erase(known, "expand");
  const auto* map = arguments == nullptr ? nullptr : arguments->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    const std::string name = source::python_str(key);
    const auto number = as_real(value);
    if (!base::contains(known, name)) {
      const auto guess = base::nearest(name, known);
      context.sink.report(diag::observer_kwarg_unknown, key.span, name, observer)
          .with_help(base::did_you_mean(
              guess, known.empty() ? "delete it" : fmt::format("write one of `{}`", fmt::join(known, "`, `"))))
          .with_fix(guess ? diag::Fix::unsafe().content(key.span, std::string(*guess)) : diag::Fix());
    } else if (number && is_too_small(name, *number, observer, release)) {
      context.sink.report(diag::observer_kwarg_range, value.span, name, source::python_str(value));
    }
  }
}

// Checks observers that replace those of the schemes. They only apply to parts with a static scale.
void check_override(const Context& context, const Quantization& quantization, const Value* name,
                    const Part Group::*part, Release release) {
  const auto* text = name == nullptr ? nullptr : name->get<std::string>();
  const bool used = std::ranges::any_of(quantization.groups, [&](const Group& group) {
    return (group.*part).args.present && (group.*part).args.dynamic != Dynamic::yes;
  });
  if (text != nullptr && used) report_observer(context, *name, release);
}

}  // namespace

void check_observer(const Context& context, const Value& arguments, bool of_weights, Release release) {
  const Value* observer = arguments.find("observer");
  const auto* text = observer == nullptr ? nullptr : observer->get<std::string>();
  if (text != nullptr && report_observer(context, *observer, release)) {
    return;
  }
  const std::string name = text != nullptr ? plain_observer_name(*text) : "memoryless_minmax";
  check_observer_arguments(context, arguments.find("observer_kwargs"), name, arguments_of(name, of_weights), release);
}

void check_observers(const Context& context, const Quantization& quantization, Release release) {
  const Value* all = quantization.observer.given();
  const auto check = [&](const Setting<std::string>& single, std::string_view key, const Part Group::*part) {
    check_override(context, quantization, single.given(), part, release);
    if (all != nullptr) check_override(context, quantization, all->find(key), part, release);
  };
  check(quantization.weight_observer, "weights", &Group::weights);
  check(quantization.input_observer, "input", &Group::inputs);
  check(quantization.output_observer, "output", &Group::outputs);
}

}  // namespace sparsecfg::dialect::llmcompressor
