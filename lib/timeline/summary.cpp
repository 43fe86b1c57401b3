#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ir/describe.h"
#include "source/json_number.h"
#include "timeline/writers.h"

namespace sparsecfg::timeline {

using Json = nlohmann::ordered_json;

// Six digits are enough for display.
static std::string epoch_text(const Run& run, std::uint64_t step) { return fmt::format("{:.6g}", run.epoch_of(step)); }

// Returns the name of the field or class that sets the training length.
static std::string name_of(const ir::Recipe& recipe, const ir::TrainingLength& length) {
  return length.field.empty() ? base::printable(recipe.actions[length.action].origin.class_name)
                              : base::printable(length.field);
}

// A component that no policy schedules has the ordinal 0.
static bool is_scheduled(const ir::Action& action) { return action.origin.ordinal > 0; }

// "pruning           2.0 to 40.0   GMPruningModifier#4"
static std::string phase_line(const ir::Action& action, const Overview::Phase& phase, const Run& run) {
  std::string window = "never";
  if (phase.start) {
    window =
        fmt::format("{} to {}", epoch_text(run, *phase.start), phase.end ? epoch_text(run, *phase.end) : "the end");
  }
  std::string line =
      fmt::format("  {:<17} {:<20} {}", ir::kind_of(action.effect), window, ir::printable_name(action.origin));
  if (std::holds_alternative<ir::ThresholdPrune>(action.effect)) line += ", amount depends on the weights";
  if (phase.observers_off) line += fmt::format(", observers off at {}", epoch_text(run, *phase.observers_off));
  if (phase.batch_norm_frozen)
    line += fmt::format(", batch norm frozen at {}", epoch_text(run, *phase.batch_norm_frozen));
  return line + "\n";
}

static std::string length_line(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file) {
  std::string line = fmt::format("{}: {} epochs of {} steps, {} steps in total\n", base::printable(file.name()),
                                 fmt::format("{:.6g}", run.epochs), run.steps_per_epoch, run.steps());
  if (recipe.length) {
    const std::string who = name_of(recipe, *recipe.length);
    const std::uint32_t where = file.position(recipe.length->span.begin).line;
    line += recipe.length->epochs == run.epochs
                ? fmt::format("  length set by `{}`, line {}\n", who, where)
                : fmt::format("  the recipe sets {} epochs: `{}`, line {}\n", recipe.length->epochs, who, where);
  }
  return line;
}

static std::vector<std::string> rate_lines(const ir::Recipe& recipe, const Overview& overview, const Run& run) {
  if (!recipe.has_rates) {
    return {"learning rate: set by the training script, not by this file\n"};
  }
  if (!overview.min_rate) {
    return {"learning rate: set by the training script\n"};
  }
  if (overview.factors) {
    return {fmt::format("learning rate: {:.6g} to {:.6g} times the initial rate (set it with --initial-lr)\n",
                        *overview.min_rate, *overview.max_rate)};
  }
  std::vector<std::string> lines = {
      fmt::format("learning rate: {:.6g} to {:.6g}\n", *overview.min_rate, *overview.max_rate)};
  if (overview.rate_known_from > 0) {
    lines.push_back(fmt::format("  set by the training script until epoch {} (pass it with --initial-lr)\n",
                                epoch_text(run, overview.rate_known_from)));
  }
  return lines;
}

// Returns "reaches 0.8" or "reaches 0.7252 instead of 0.8" with six digits, or "reaches just below 0.8" if six digits
// do not show the difference.
static std::string reaches(double reached, double asked) {
  const std::string text = fmt::format("{:.6g}", reached);
  const std::string other = fmt::format("{:.6g}", asked);
  return text != other      ? fmt::format("reaches {} instead of {}", text, other)
         : reached == asked ? "reaches " + text
                            : fmt::format("reaches just {} {}", reached < asked ? "below" : "above", other);
}

static std::string column_line(const ir::Recipe& recipe, const Overview& overview, std::size_t index) {
  const Column& column = overview.columns[index];
  const auto& prune = std::get<ir::Prune>(recipe.actions[column.action].effect);
  const auto& reached = overview.reached[index];
  std::string line = fmt::format("  [{}] {}: {}", index + 1, column.label,
                                 reached ? reaches(*reached, prune.targets[column.target].sparsity.value) : "no value");
  line += column.unknown.empty() ? "\n" : fmt::format(" ({})\n", column.unknown);
  return line + "      " + ir::selector_text(prune.targets[column.target].selector) + "\n";
}

std::vector<std::string> figures_of(const ir::Recipe& recipe, const Run& run) {
  const Overview overview = survey(recipe, run, limits::kMaxChanges);
  std::vector<std::string> out;
  if (recipe.has_rates) {
    out = rate_lines(recipe, overview, run);
  }
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    if (is_scheduled(recipe.actions[index]))
      out.push_back(phase_line(recipe.actions[index], overview.phases[index], run));
  }
  for (std::size_t index = 0; index < overview.columns.size(); ++index) {
    const auto& reached = overview.reached[index];
    if (reached) {
      out.push_back(fmt::format("  {} reaches {}", overview.columns[index].label, base::python_repr(*reached)));
    }
  }
  return out;
}

std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file) {
  return summarize(recipe, run, file, survey_for_display(recipe, run, limits::kMaxChanges));
}

std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file,
                      const Overview& overview) {
  std::string out = length_line(recipe, run, file);
  for (const std::string& line : rate_lines(recipe, overview, run)) out += line;
  if (!overview.complete) {
    out += fmt::format("the figures cover only the first {} changes of the run\n", overview.followed);
  }
  if (!recipe.actions.empty()) {
    out += "phases, in epochs\n";
  }
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    if (is_scheduled(recipe.actions[index])) out += phase_line(recipe.actions[index], overview.phases[index], run);
  }
  if (!overview.columns.empty()) {
    out += "sparsity\n";
  }
  for (std::size_t index = 0; index < overview.columns.size(); ++index) {
    out += column_line(recipe, overview, index);
  }
  if (overview.weights > 0) {
    out += fmt::format(
        "  all {} weights together: {}\n", overview.weights,
        overview.overall ? fmt::format("reaches {:.6g}", *overview.overall) : "unknown (some depend on the weights)");
  }
  return out;
}

static Json phase_json(const ir::Action& action, const Overview::Phase& phase, const Run& run) {
  const auto epoch = [&](const std::optional<std::uint64_t>& step) {
    return step ? Json(run.epoch_of(*step)) : Json(nullptr);
  };
  Json out = {{"action", ir::printable_name(action.origin)},
              {"effect", ir::name_of(action.effect)},
              {"start", epoch(phase.start)},
              {"end", epoch(phase.end)},
              {"last", epoch(phase.last)},
              {"updates", phase.updates}};
  if (std::holds_alternative<ir::Quantize>(action.effect)) {
    out["observers_off"] = epoch(phase.observers_off);
    out["batch_norm_frozen"] = epoch(phase.batch_norm_frozen);
  }
  return out;
}

static Json length_json(const ir::Recipe& recipe, const source::SourceFile& file) {
  if (!recipe.length) {
    return nullptr;
  }
  const ir::TrainingLength& length = *recipe.length;
  return {{"epochs", length.epochs},
          {"action", length.field.empty() ? ir::printable_name(recipe.actions[length.action].origin) : length.field},
          {"line", file.position(length.span.begin).line}};
}

static Json rates_json(const Overview& overview) {
  return {{"min", source::json_number(overview.min_rate)},
          {"max", source::json_number(overview.max_rate)},
          {"last", source::json_number(overview.last_rate)}};
}

static Json column_json(const ir::Recipe& recipe, const Column& column, const std::optional<double>& reached) {
  const auto& target = std::get<ir::Prune>(recipe.actions[column.action].effect).targets[column.target];
  return {{"column", column.label},
          {"selects", ir::selector_text(target.selector)},
          {"target", target.sparsity.value},
          {"reached", source::json_number(reached)}};
}

std::string summarize_json(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file) {
  const Overview overview = survey_for_display(recipe, run, limits::kMaxChanges);
  Json out = {{"format", 1},
              {"path", file.name()},
              {"dialect", recipe.dialect},
              {"epochs", run.epochs},
              {"steps_per_epoch", run.steps_per_epoch},
              {"steps", run.steps()},
              {"complete", overview.complete},
              {"length", length_json(recipe, file)}};
  out["lr"] = rates_json(overview.factors ? Overview() : overview);
  if (overview.factors) out["lr_factor"] = rates_json(overview);
  out["phases"] = Json::array();
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    if (is_scheduled(recipe.actions[index]))
      out["phases"].push_back(phase_json(recipe.actions[index], overview.phases[index], run));
  }
  out["sparsity"] = Json::array();
  for (std::size_t index = 0; index < overview.columns.size(); ++index) {
    out["sparsity"].push_back(column_json(recipe, overview.columns[index], overview.reached[index]));
  }
  if (overview.weights > 0) {
    out["overall"] = {{"weights", overview.weights}, {"reached", source::json_number(overview.overall)}};
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::timeline
