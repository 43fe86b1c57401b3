#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

// Returns the text of a rate. NaN of either sign is `nan`, as Python prints it.
static std::string rate_text(double rate) { return std::isnan(rate) ? "nan" : fmt::format("{:.6g}", rate); }

// Returns the name of the field or class that sets the training length.
static std::string name_of(const ir::Recipe& recipe, const ir::TrainingLength& length) {
  return length.field.empty() ? base::printable(recipe.actions[length.action].origin.class_name)
                              : base::printable(length.field);
}

// A component that no policy schedules has the ordinal 0.
static bool is_scheduled(const ir::Action& action) { return action.origin.ordinal > 0; }

// Fewer equal items than this are listed one by one.
constexpr std::size_t kFewEqual = 3;

// A phase in words. Phases of several actions differ only in their names.
struct PhaseText {
  std::string start;  // "pruning           2.0 to 40.0   "
  std::string end;    // ", observers off at 30"
};

static PhaseText phase_text(const ir::Action& action, const Overview::Phase& phase, const Run& run) {
  std::string window = "never";
  if (phase.start) {
    window =
        fmt::format("{} to {}", epoch_text(run, *phase.start), phase.end ? epoch_text(run, *phase.end) : "the end");
  }
  PhaseText out{fmt::format("  {:<17} {:<20} ", ir::kind_of(action.effect), window), {}};
  if (std::holds_alternative<ir::ThresholdPrune>(action.effect)) out.end += ", amount depends on the weights";
  if (phase.observers_off) out.end += fmt::format(", observers off at {}", epoch_text(run, *phase.observers_off));
  if (phase.batch_norm_frozen)
    out.end += fmt::format(", batch norm frozen at {}", epoch_text(run, *phase.batch_norm_frozen));
  return out;
}

// "pruning           2.0 to 40.0   GMPruningModifier#4"
static std::string phase_line(const ir::Action& action, const Overview::Phase& phase, const Run& run) {
  const PhaseText text = phase_text(action, phase, run);
  return text.start + ir::printable_name(action.origin) + text.end + "\n";
}

// Returns a line for each phase. Equal phases of several actions of one class share a line.
static std::string phase_lines(const ir::Recipe& recipe, const Overview& overview, const Run& run) {
  using Key = std::pair<std::string, std::string>;  // text and class
  std::vector<Key> keys(recipe.actions.size());
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (!is_scheduled(recipe.actions[at])) continue;
    const PhaseText text = phase_text(recipe.actions[at], overview.phases[at], run);
    keys[at] = {text.start + text.end, recipe.actions[at].origin.class_name};
    groups[keys[at]].push_back(at);
  }
  std::string out;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (!is_scheduled(recipe.actions[at])) continue;
    const std::vector<std::size_t>& group = groups[keys[at]];
    if (group.size() < kFewEqual) {
      out += phase_line(recipe.actions[at], overview.phases[at], run);
    } else if (group.front() == at) {
      const PhaseText text = phase_text(recipe.actions[at], overview.phases[at], run);
      std::vector<int> ordinals;
      for (const std::size_t each : group) ordinals.push_back(recipe.actions[each].origin.ordinal);
      out += fmt::format("{}{} ({}){}\n", text.start,
                         ir::joined_names(recipe.actions[at].origin.class_name, std::move(ordinals)), group.size(),
                         text.end);
    }
  }
  return out;
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
    return {fmt::format("learning rate: {} to {} times the initial rate (set it with --initial-lr)\n",
                        rate_text(*overview.min_rate), rate_text(*overview.max_rate))};
  }
  std::vector<std::string> lines = {
      fmt::format("learning rate: {} to {}\n", rate_text(*overview.min_rate), rate_text(*overview.max_rate))};
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

// Returns "reaches 0.8", or the reason why there is no value.
static std::string result_text(const ir::Recipe& recipe, const Overview& overview, std::size_t index) {
  const Column& column = overview.columns[index];
  const auto& prune = std::get<ir::Prune>(recipe.actions[column.action].effect);
  const auto& reached = overview.reached[index];
  const std::string text = reached ? reaches(*reached, prune.targets[column.target].sparsity.value) : "no value";
  return text + (column.unknown.empty() ? "" : fmt::format(" ({})", column.unknown));
}

static std::string selects_text(const ir::Recipe& recipe, const Column& column) {
  const auto& prune = std::get<ir::Prune>(recipe.actions[column.action].effect);
  return ir::selector_text(prune.targets[column.target].selector);
}

// Returns the lines of columns. Columns with the same schedule and result share their lines.
static std::string column_lines(const ir::Recipe& recipe, const Overview& overview) {
  using Key = std::pair<std::size_t, std::string>;  // track and result
  std::vector<Key> keys;
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t at = 0; at < overview.columns.size(); ++at) {
    keys.emplace_back(overview.columns[at].track, result_text(recipe, overview, at));
    groups[keys.back()].push_back(at);
  }
  std::string out;
  for (std::size_t at = 0; at < overview.columns.size(); ++at) {
    const Column& column = overview.columns[at];
    const std::vector<std::size_t>& group = groups[keys[at]];
    const std::string& result = keys[at].second;
    if (group.size() < kFewEqual) {
      out += fmt::format("  [{}] {}: {}\n      {}\n", at + 1, column.label, result, selects_text(recipe, column));
    } else if (group.front() == at) {
      const Column& second = overview.columns[group[1]];
      out +=
          fmt::format("  [{}] {} and {} more: {}\n      {}, {} and {} more\n", at + 1, column.label, group.size() - 1,
                      result, selects_text(recipe, column), selects_text(recipe, second), group.size() - 2);
    }
  }
  return out;
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
  out += phase_lines(recipe, overview, run);
  if (!overview.columns.empty()) {
    out += "sparsity\n";
  }
  out += column_lines(recipe, overview);
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
