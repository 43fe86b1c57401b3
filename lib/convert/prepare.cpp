#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>

#include "base/text.h"
#include "compile/model.h"
#include "convert/convert.h"
#include "convert/parts.h"
#include "doc/readers.h"

namespace sparsecfg::convert {

bool is_onto_itself(const ir::Recipe& recipe, const dialect::Dialect& to) {
  return to.is_lossless() || to.name == recipe.dialect;
}

bool has_steps(const ir::Recipe& recipe, const dialect::Dialect& to) {
  const dialect::Dialect* from = dialect::find_dialect(recipe.dialect);
  return to.trains && (from == nullptr || from->trains);
}

// Returns the last epoch at which an action ends, or nullopt if no action ends.
static std::optional<double> last_end_of(const ir::Recipe& recipe) {
  double last = 0;
  for (const ir::Action& action : recipe.actions) {
    last = std::max(last, action.cadence.end_or(0));
  }
  return last > 0 ? std::optional(last) : std::nullopt;
}

std::optional<timeline::Run> run_of(const ir::Recipe& recipe, const Request& request) {
  const auto& read = request.compile.read;
  const auto epochs = read.epochs     ? read.epochs
                      : recipe.length ? std::optional(recipe.length->epochs)
                                      : last_end_of(recipe);
  if (!epochs || !recipe.has_timeline() || !has_steps(recipe, *request.to)) {
    return std::nullopt;
  }
  const std::size_t steps =
      read.steps_per_epoch.value_or(recipe.steps_per_epoch.value_or(timeline::kAssumedStepsPerEpoch));
  return timeline::Run{steps,
                       *epochs,
                       recipe.has_rates ? request.initial_rate : std::nullopt,
                       request.compile.parameters,
                       request.compile.modules,
                       read.parameter_groups.value_or(1)};
}

// Returns the fraction of a normal distribution within `deviations` standard deviations of the mean.
static double fraction_within(double deviations) { return std::erf(deviations / std::numbers::sqrt2); }

static bool is_of_names(const model::Selector& selector) {
  return std::ranges::all_of(selector.terms,
                             [](const model::Term& term) { return term.kind == model::Term::Kind::exact; });
}

// Adds the threshold as a level. Exact names with the same level share a target.
static void add(std::vector<ir::Target>& targets, const ir::ThresholdPrune::Threshold& threshold) {
  const double level = fraction_within(*threshold.deviations);
  const auto same = std::ranges::find_if(targets, [&](const ir::Target& target) {
    return target.sparsity.value == level && is_of_names(target.selector) && is_of_names(threshold.selector);
  });
  if (same == targets.end()) {
    targets.push_back({{level, threshold.value.span}, threshold.selector});
  } else {
    std::ranges::copy(threshold.selector.terms, std::back_inserter(same->selector.terms));
  }
}

std::vector<Assumption> assume_gaussian(ir::Recipe& recipe) {
  std::vector<Assumption> out;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const auto* prune = std::get_if<ir::ThresholdPrune>(&recipe.actions[index].effect);
    const auto has_deviations = [](const auto& threshold) { return threshold.deviations.has_value(); };
    if (prune == nullptr || prune->thresholds.empty() || !std::ranges::all_of(prune->thresholds, has_deviations)) {
      continue;
    }
    std::string reason = "its thresholds are converted to levels that assume normally distributed weights";
    if (prune->criterion != "sensitivity") reason += " and that no pruned weight becomes nonzero again";
    ir::Prune levels{ir::Constant{}, {}, {}, "magnitude"};
    for (const auto& threshold : prune->thresholds) {
      add(levels.targets, threshold);
    }
    recipe.actions[index].effect = std::move(levels);
    out.push_back({index, std::move(reason)});
  }
  return out;
}

static std::string_view recipe_in(const source::SourceFile& file) {
  const auto front = doc::is_markdown(file.name()) ? doc::find_front_matter(file.text()) : std::nullopt;
  return front ? file.text(front->yaml) : file.text();
}

static bool is_tool_comment(std::string_view comment) {
  return comment.find("yaml-language-server:") != std::string_view::npos ||
         comment.find("sparsecfg:") != std::string_view::npos;
}

std::string header_of(const source::SourceFile& file, bool for_another) {
  std::string_view text = recipe_in(file);
  std::string header;
  std::string gap;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = base::trim(text.substr(0, end + 1));
    if (line.starts_with('#') && !(for_another && is_tool_comment(line))) {
      header += gap + (for_another ? base::printable(line) : std::string(line)) + "\n";
      gap.clear();
    } else if (line.empty()) {
      gap = header.empty() ? "" : "\n";
    } else if (!line.starts_with('#')) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return header + (header.empty() ? "" : "\n");
}

std::string instructions_of(const dialect::WriteResult& written, const ir::Recipe& recipe) {
  std::string out;
  for (const dialect::ActionStatus& status : written.statuses) {
    if (status.kind == dialect::ActionStatus::Kind::not_converted) {
      const std::string& name = recipe.actions[status.action].origin.class_name;
      out += fmt::format("#   {}: {}\n", base::printable(name), base::printable(status.reason));
    }
  }
  for (const std::string& line : written.instructions) {
    out += fmt::format("#   {}\n", base::printable(line));
  }
  return out.empty() ? out : "# Settings to make outside this file:\n" + out + "\n";
}

doc::Limits output_limits(doc::Limits limits) {
  return {limits.bytes, limits.depth + 16, limits.nodes * 2, limits.scalar_bytes * 2};
}

// Such an option applies to the input: the output contains only the selected part, and only the framework of the output
// can reject it.
static bool is_of_input(std::string_view option) {
  const auto options = dialect::reader_options();
  const auto found = std::ranges::find(options, option, &dialect::ReaderOption::name);
  return found != options.end() && (found->selects_part || found->only_checks);
}

CompileOptions options_of_output(const Request& request, const ir::Recipe& recipe,
                                 const dialect::WriteResult& written) {
  const auto is_kept = [&](const auto& variable) {
    return request.keep_variables &&
           std::ranges::find(recipe.variables, variable.first, &ir::Variable::name) != recipe.variables.end();
  };
  CompileOptions options = request.compile;
  options.from = std::string(request.to->name);
  std::erase_if(options.read.variables, [&](const auto& variable) { return !is_kept(variable); });
  std::erase_if(options.read.reader_options, [](const auto& option) { return is_of_input(option.first); });
  std::ranges::copy(written.read_with, std::back_inserter(options.read.reader_options));
  options.limits = output_limits(options.limits);
  return options;
}

// Names that the user lists are the same in all systems.
CompileOptions with_names_of(CompileOptions options, const dialect::Dialect& to) {
  if (options.model == nullptr) return options;
  forget_names(options);
  use_model(options, to);
  return options;
}

}  // namespace sparsecfg::convert
