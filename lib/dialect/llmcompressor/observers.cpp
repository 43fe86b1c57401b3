#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/record/types.h"
#include "dialect/schemes/records.h"

// Checks the observers that compute quantization scales, and their arguments.
namespace sparsecfg::dialect::llmcompressor {

using schemes::kObservers;
using source::Value;

namespace {

constexpr std::string_view kSearchArguments[] = {"maxshrink", "patience", "grid", "norm", "chunk_size", "expand"};
constexpr std::string_view kImatrixArguments[] = {"maxshrink",  "patience", "grid",  "norm",
                                                  "chunk_size", "expand",   "strict"};
constexpr std::string_view kMeanArguments[] = {"averaging_constant"};
constexpr std::string_view kMeanSearchArguments[] = {"averaging_constant", "maxshrink", "patience", "grid", "norm",
                                                     "chunk_size",         "expand"};

// Normalizes an observer name: lower case and one kind of separator.
std::string plain_name(std::string_view name) {
  std::string out = base::to_lower(name);
  std::ranges::replace_if(
      out, [](char c) { return c == '-' || c == ' '; }, '_');
  return out;
}

std::span<const std::string_view> arguments_of(std::string_view observer, bool of_weights) {
  if (observer == "imatrix_mse") return kImatrixArguments;
  if (observer == "memoryless_mse" || observer == "nvfp4_expanded_mse") return kSearchArguments;
  if (observer == "mse") return of_weights ? std::span<const std::string_view>(kSearchArguments) : kMeanSearchArguments;
  if (observer == "minmax" && !of_weights) return kMeanArguments;
  return {};
}

bool is_observer(std::string_view name) { return base::contains(kObservers, plain_name(name)); }

void report_observer(const Reading& reading, const Value& observer) {
  const auto& text = *observer.get<std::string>();
  const auto guess = base::nearest(plain_name(text), kObservers);
  reading.sink.report(diag::observer_unknown, observer.span, base::printable(text))
      .with_help(base::did_you_mean(guess, fmt::format("write one of `{}`", fmt::join(kObservers, "`, `"))))
      .with_fix(guess ? diag::Fix::unsafe().content(observer.span, std::string(*guess)) : diag::Fix());
}

void check_observer_arguments(const Reading& reading, const Value* arguments, const std::string& observer,
                              std::span<const std::string_view> known) {
  const auto* map = arguments == nullptr ? nullptr : arguments->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    const std::string name = source::python_str(key);
    const auto number = as_real(value);
    if (!base::contains(known, name)) {
      const auto guess = base::nearest(name, known);
      reading.sink.report(diag::observer_kwarg_unknown, key.span, base::printable(name), observer)
          .with_help(base::did_you_mean(
              guess, known.empty() ? "delete it" : fmt::format("write one of `{}`", fmt::join(known, "`, `"))))
          .with_fix(guess ? diag::Fix::unsafe().content(key.span, std::string(*guess)) : diag::Fix());
    } else if (number && ((name == "chunk_size" && *number <= 0) || (name == "expand" && *number < 1))) {
      report_stop(reading, value.span,
                  fmt::format("`{}` is {}, but calibration fails below {}", name, source::python_str(value), 1))
          .with_help("delete it");
    }
  }
}

// Checks observers that replace those of the schemes. They only apply to parts with a static scale.
void check_override(const Reading& reading, const Modifier& modifier, const Value* name, const Part Group::*part) {
  const auto* text = name == nullptr ? nullptr : name->get<std::string>();
  const std::vector<Group> groups = groups_of(modifier);
  const bool used = std::ranges::any_of(groups, [&](const Group& group) {
    return (group.*part).numbers.present && (group.*part).numbers.dynamic != Dynamic::yes;
  });
  if (text != nullptr && used && !is_observer(*text)) {
    report_observer(reading, *name);
  }
}

}  // namespace

void check_observer(const Reading& reading, const Value& arguments, bool of_weights) {
  const Value* observer = arguments.find("observer");
  const auto* text = observer == nullptr ? nullptr : observer->get<std::string>();
  if (text != nullptr && !is_observer(*text)) {
    report_observer(reading, *observer);
    return;
  }
  const std::string name = text != nullptr ? plain_name(*text) : "memoryless_minmax";
  check_observer_arguments(reading, arguments.find("observer_kwargs"), name, arguments_of(name, of_weights));
}

void check_observers(const Reading& reading, const Modifier& modifier) {
  constexpr std::pair<std::string_view, Part Group::*> kParts[] = {
      {"weights", &Group::weights}, {"input", &Group::inputs}, {"output", &Group::outputs}};
  constexpr std::string_view kFields[] = {"weight_observer", "input_observer", "output_observer"};
  const Value* all = modifier.given("observer");
  for (std::size_t at = 0; at < std::size(kParts); ++at) {
    check_override(reading, modifier, modifier.given(kFields[at]), kParts[at].second);
    if (all != nullptr) check_override(reading, modifier, all->find(kParts[at].first), kParts[at].second);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
