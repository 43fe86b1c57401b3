#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/lower.h"
#include "dialect/sparseml/rules/rules.h"
#include "ir/trigger.h"

// Errors at run time (docs/semantics/sparseml.md#c3, #c4) that follow from the recipe, the training length and the
// number of steps per epoch.
namespace sparsecfg::dialect::sparseml {

using source::Value;

// Formats a sparsity so that YAML reads a float.
static std::string as_float(double sparsity) {
  const std::string text = fmt::format("{:.4g}", sparsity);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

DIAGNOSTIC(SP405, mask_type_unknown, error, (Text, Text), "{} is not a `mask_type` of `{}`",
           "The kind of mask is looked up when the modifier is applied to the model. A list must be a block of two "
           "ints. A longer list is cut to two if all further items are 1. An N:M mask must be quoted, because `2:4` "
           "is a number in YAML 1.1.",
           "write `unstructured`, `block4`, a quoted N:M mask or a block of two ints")

// Reports an N:M mask with N above M, which no sparsity fits. Returns false for other masks.
static bool report_swapped_mask(const Modifier& modifier, const Field& mask, diag::Sink& sink) {
  const auto structure = read_structure(modifier, mask.value);
  if (!structure || structure->n <= structure->m) {
    return false;
  }
  const std::string meant = fmt::format("\"{}:{}\"", structure->m, structure->n);
  sink.report(diag::mask_type_unknown, mask.value.span,
              fmt::format("`{}` with N above M", source::python_str(mask.value)), modifier.spec->name)
      .with_help(fmt::format("write `{}`, which keeps {} of every {} weights", meant, structure->m, structure->n))
      .with_fix(diag::Fix::unsafe().replace(mask.value.span, meant));
  return true;
}

static bool unknown_run_is_long(const Run& run) { return !run.epochs || *run.epochs <= 0; }

// SparseML never reaches a start such as -0.5 or NaN. check_load() has reported it.
static bool never_starts(const Modifier& modifier) {
  const double start = modifier.start();
  return std::isnan(start) || (start > -1 && start < 0 && !is_tensorflow(modifier.framework));
}

// Returns the epochs of fields that count steps: "`start: 1.0` and `end: 8.0`".
static std::string in_epochs(const Record& modifier, double steps_per_epoch) {
  constexpr double kLeastSteps = 10;
  std::vector<std::string> out;
  for (const std::string_view name : {"start", "start_epoch", "end", "end_epoch", "update", "update_frequency"}) {
    const auto steps = modifier.number(name);
    if (!steps || *steps < kLeastSteps || modifier.readable(name) == nullptr) continue;
    const double epoch = std::round(*steps / steps_per_epoch * 1000) / 1000;
    out.push_back(fmt::format("`{}: {}`", name, base::python_repr(epoch)));
  }
  return base::join_and(out);
}

// Starts far beyond the training are probably steps.
std::string advice_on_late_start(const Record& modifier, double start, std::string_view field, double epochs,
                                 std::optional<std::size_t> steps_per_epoch) {
  if (start < 10 * epochs || start < 100) {
    return fmt::format("write a `{}` below {}, or train until epoch {}", field, epochs, std::floor(start) + 1);
  }
  return steps_per_epoch
             ? fmt::format("a modifier counts epochs, not steps: write {}",
                           in_epochs(modifier, static_cast<double>(*steps_per_epoch)))
             : fmt::format("`{}` counts epochs: divide {} by the steps of an epoch, if it counts steps", field, start);
}

static void check_start_is_reached(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const bool late = !unknown_run_is_long(run) && !run.reaches(modifier.start());
  if (late && modifier.spec->kind != ClassKind::epoch_range) {
    const source::Span start = modifier.place("start_epoch");
    auto& report = sink.report(diag::starts_after_training, start, modifier.start(), *run.epochs);
    report.with_severity(later(modifier))
        .with_caret(fmt::format("start of `{}`", modifier.spec->name))
        .with_help(advice_on_late_start(modifier, modifier.start(), "start_epoch", *run.epochs, run.steps_per_epoch));
    if (!run.end.empty() && run.end != start) report.with_label(run.end, "training ends here");
    if (run.end == start) {  // the start itself ends the training, so an earlier one would do the same
      report.with_help(fmt::format(
          "add an `EpochRangeModifier` from `start_epoch: 0.0` to `end_epoch: {}`, or another modifier with a "
          "later end",
          base::python_repr(modifier.start() + 1)));
    }
  }
}

// --- ramps ------------------------------------------------------------------------------------

static diag::Fix start_at_once(const Modifier& modifier) {
  const Field* start = modifier.find("start_epoch");
  return start == nullptr || start->evaluated ? diag::Fix() : diag::Fix::unsafe().replace(start->value.span, "0.0");
}

static const Value* final_value(const Modifier& modifier) { return &modifier.find("final_sparsity")->value; }

// Returns the final sparsities, one for each ramp of the modifier.
static std::vector<double> finals(const Modifier& modifier) {
  std::vector<double> out;
  if (const auto* map = final_value(modifier)->get<source::Map>()) {
    for (const auto& [sparsity, selectors] : *map) out.push_back(sparsity.number().value_or(0));
  } else if (const auto sparsity = final_value(modifier)->number()) {
    out.push_back(*sparsity);
  }
  return out;
}

static std::optional<double> initial(const Modifier& modifier) {
  return modifier.find("init_sparsity")->value.number();
}

static bool is_flat(const Modifier& modifier) {
  return std::ranges::all_of(finals(modifier), [&](double sparsity) { return initial(modifier) == sparsity; });
}

static bool end_step_runs(const Modifier& modifier, const Run& run) {
  return !run.epochs || *run.epochs <= 0 || !run.steps_per_epoch ||
         ir::first_step_at(modifier.end(), *run.steps_per_epoch) < ir::steps_of(*run.epochs, *run.steps_per_epoch);
}

static bool reaches_end(const Modifier& modifier, const Run& run) {
  return modifier.end() != -1 && (!run.epochs || modifier.end() < *run.epochs || *run.epochs <= 0) &&
         end_step_runs(modifier, run);
}

DIAGNOSTIC(SP313, overshoot_crashes_inverse_cubic, error, (Text, std::size_t),
           "no step falls on end epoch {} ({} steps per epoch), so `inverse_cubic` fails",
           "The first step after the end is past the end of the ramp. The cube root of a negative number is complex "
           "in Python, and comparing it stops the training.",
           "use `cubic`, or end at an epoch on which a step falls")

static void check_overshoot(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (modifier.text("inter_func") != "inverse_cubic" || !run.steps_per_epoch || !reaches_end(modifier, run)) {
    return;
  }
  const std::size_t steps = *run.steps_per_epoch;
  if (ir::epoch_of(ir::first_step_at(modifier.end(), steps), steps) > modifier.end()) {
    sink.report(diag::overshoot_crashes_inverse_cubic, modifier.place("end_epoch"), base::python_repr(modifier.end()),
                steps)
        .with_help("write `inter_func: cubic`, or move `end_epoch` to the start of a step");
  }
}

// Returns the epoch of the first update after the start. Returns nullopt if it is not before the end.
static std::optional<double> second_update(const Modifier& modifier, const Run& run) {
  double next = std::max(modifier.start(), 0.0) + std::max(modifier.number("update_frequency").value_or(-1), 0.0);
  if (const auto steps = run.steps_per_epoch) {
    ir::Trigger trigger(cadence_of(modifier), *steps);
    (void)trigger.next();
    next = ir::epoch_of(trigger.next().step, *steps);
  }
  return next < modifier.end() && run.reaches(next) ? std::optional(next) : std::nullopt;
}

static ir::Shape shape(const Modifier& modifier) {
  const std::string name = modifier.text("inter_func");
  return name == "linear" ? ir::Shape::linear : name == "cubic" ? ir::Shape::cubic : ir::Shape::inverse_cubic;
}

// Returns the sparsity of the first update. The ramp has already begun if no step is exactly at the start.
static double first_sparsity(const Modifier& modifier, const Run& run, double from, double to) {
  if (!run.steps_per_epoch || modifier.start() < 0 || modifier.end() <= modifier.start()) {
    return from;
  }
  const double epoch = ir::epoch_of(ir::first_step_at(modifier.start(), *run.steps_per_epoch), *run.steps_per_epoch);
  return epoch < modifier.end()
             ? ir::interpolate(shape(modifier), (epoch - modifier.start()) / (modifier.end() - modifier.start()), from,
                               to)
                   .value_or(from)
             : to;
}

DIAGNOSTIC(SP403, nm_sparsity_mismatch, error, (Text, Text, Text, Text),
           "mask `{}` requires a sparsity of {}, but the sparsity {} is {}",
           "An N:M mask keeps N of every M weights, so every applied sparsity must be 0 or within 0.01 of 1 - N/M. A "
           "ramp passes through other values, and the first of them stops the training. Use the same value for the "
           "initial and final sparsity, or start at 0.0 and make `update_frequency` longer than the window.",
           "set the initial and the final sparsity to {1}")

// Values that a fix writes for fields.
using NewValues = std::vector<std::pair<std::string_view, std::string>>;

static std::string text_of(const NewValues& values) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : values) texts.push_back(fmt::format("`{}: {}`", name, value));
  return base::join_and(texts);
}

// Returns no fix if a value comes from a variable, or if the field is absent.
static diag::Fix written(const Modifier& modifier, const NewValues& values) {
  diag::Fix fix = diag::Fix::unsafe();
  for (const auto& [name, value] : values) {
    const Field* field = modifier.find(name);
    const bool plain = field != nullptr && !field->evaluated && field->value.number() && !field->value.span.empty();
    if (!plain) return {};
    fix.replace(field->value.span, value);
  }
  return fix;
}

// An N:M mask and the sparsities of one of its ramps.
class MaskedRamp {
 public:
  MaskedRamp(const Modifier& modifier, const Run& run, const Field& mask, double needed, double final_sparsity)
      : modifier_(modifier), run_(run), mask_(mask), needed_(needed), final_(final_sparsity) {}

  // Reports the first sparsity that the mask does not allow. Returns false if it has reported one.
  bool check(diag::Sink& sink) const {
    const double first = first_sparsity(modifier_, run_, from_, final_);
    if (initial(modifier_) && !fits(first) && modifier_.start() >= 0) {
      return report_start(sink, first);
    }
    if (const auto between = second_sparsity(from_); between && !fits(*between)) return report_between(sink, *between);
    return reaches_end(modifier_, run_) && !fits(final_)
               ? report(sink, "final_sparsity", "at the end", final_, {{"final_sparsity", as_float(needed_)}})
               : true;
  }

 private:
  [[nodiscard]] bool fits(double sparsity) const { return sparsity == 0 || std::abs(sparsity - needed_) <= 0.01; }

  // Returns the sparsity of the first update between start and end, for an initial sparsity.
  [[nodiscard]] std::optional<double> second_sparsity(double from) const {
    const auto epoch = second_update(modifier_, run_);
    if (!epoch || (fits(final_) && fits(from) && from != 0)) return std::nullopt;
    return ir::interpolate(shape(modifier_), (*epoch - modifier_.start()) / (modifier_.end() - modifier_.start()), from,
                           final_);
  }

  [[nodiscard]] std::string whole_window() const { return base::python_repr(modifier_.end() - modifier_.start()); }

  // A constant sparsity needs no rarer updates. A ramp from 0 does, and may have a wrong end as well.
  bool report_between(diag::Sink& sink, double between) const {
    NewValues values;
    if (!fits(from_)) values.emplace_back("init_sparsity", as_float(needed_));
    if (!fits(final_)) values.emplace_back("final_sparsity", as_float(needed_));
    if (from_ == 0) values.emplace_back("update_frequency", whole_window());
    return report(sink, values.front().first, "between start and end", between, values,
                  from_ == 0 ? "so that no update falls between start and end" : "");
  }

  bool report_start(diag::Sink& sink, double first) const {
    const std::string shown = as_float(needed_);
    if (fits(from_)) {
      return report(sink, "init_sparsity", "at the start", first, {}, "move `start_epoch` to the start of a step");
    }
    if (!fits(final_)) {
      return report(sink, "init_sparsity", "at the start", first,
                    {{"init_sparsity", shown}, {"final_sparsity", shown}});
    }
    NewValues later = {{"init_sparsity", "0.0"}};
    if (const auto between = second_sparsity(0); between && !fits(*between)) {
      later.emplace_back("update_frequency", whole_window());
    }
    return report(sink, "init_sparsity", "at the start", first, {{"init_sparsity", shown}},
                  fmt::format("or {} to prune only at the end", text_of(later)));
  }

  bool report(diag::Sink& sink, std::string_view field, std::string_view when, double sparsity, const NewValues& values,
              std::string_view more = {}) const {
    if (report_swapped_mask(modifier_, mask_, sink)) return false;
    if (std::abs(final_ - (1 - needed_)) <= 0.01 && !fits(final_)) return report_kept(sink, when);
    const std::string text = values.empty() ? "" : "write " + text_of(values);
    sink.report(diag::nm_sparsity_mismatch, modifier_.place(field), source::python_str(mask_.value), as_float(needed_),
                when, fmt::format("{:.4g}", sparsity))
        .with_label(mask_.value.span, "the mask")
        .with_help(fmt::format("{}{}{}", text, text.empty() || more.empty() ? "" : ", ", more))
        .with_fix(values.empty() ? diag::Fix() : written(modifier_, values));
    return false;
  }

  // Reports a mask whose N counts the zeros: `3:4` for a sparsity of 0.75. N is the number of weights that are kept.
  bool report_kept(diag::Sink& sink, std::string_view when) const {
    const ir::Structure mask = *read_structure(modifier_, mask_.value);
    const std::string meant = fmt::format("{}:{}", mask.m - mask.n, mask.m);
    sink.report(diag::nm_sparsity_mismatch, mask_.value.span, source::python_str(mask_.value), as_float(needed_), when,
                fmt::format("{:.4g}", final_))
        .with_label(modifier_.place("final_sparsity"), "the sparsity")
        .with_help(fmt::format("write `mask_type: '{}'`, which keeps {} of {} weights", meant, mask.m - mask.n, mask.m))
        .with_fix(mask_.evaluated ? diag::Fix() : diag::Fix::unsafe().content(mask_.value.span, meant));
    return false;
  }

  const Modifier& modifier_;
  const Run& run_;
  const Field& mask_;
  double needed_;
  double final_;
  double from_ = initial(modifier_).value_or(0);
};

static void check_n_of_m(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* mask = modifier.find("mask_type");
  const auto structure = mask == nullptr ? std::nullopt : read_structure(modifier, mask->value);
  if (!structure || structure->kind != ir::Structure::Kind::n_of_m) {
    return;
  }
  const double needed = 1 - static_cast<double>(structure->n) / static_cast<double>(structure->m);
  for (const double final_sparsity : finals(modifier)) {
    if (!MaskedRamp(modifier, run, *mask, needed, final_sparsity).check(sink)) return;
  }
}

// Returns the number of gradients that an update needs if between `least` and `most` of the weights are pruned before
// it: that of the first sparsity in `num_grads` which is not exceeded, or of the last one. The least one if several
// are possible.
static double gradients_needed(const Modifier& modifier, double least, double most) {
  const Field* given = modifier.find("num_grads");
  const auto* map = given == nullptr ? nullptr : given->value.get<source::Map>();
  if (map == nullptr || map->empty()) {
    return modifier.number("num_grads").value_or(0);
  }
  std::vector<std::pair<double, double>> rows;
  for (const auto& [sparsity, count] : *map) {
    rows.emplace_back(sparsity.number().value_or(0), count.number().value_or(0));
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
  const auto row_of = [&](double sparsity) {
    const auto found = std::ranges::find_if(rows, [&](const auto& row) { return row.first >= sparsity; });
    return std::min(found, rows.end() - 1);
  };
  const auto number_of = [](const auto& row) { return row.second; };
  return number_of(*std::min_element(row_of(least), row_of(most) + 1,
                                     [&](const auto& a, const auto& b) { return number_of(a) < number_of(b); }));
}

// Returns the least and the greatest share of zeros in the masks after the update at an epoch. Masks have whole numbers
// of zeros, so small layers can differ from the target.
static std::pair<double, double> pruned_at(const Modifier& modifier, double epoch) {
  constexpr double kRounding = 0.02;
  const std::vector<double> targets = finals(modifier);
  const auto from = initial(modifier);
  const double share =
      modifier.end() > modifier.start() ? (epoch - modifier.start()) / (modifier.end() - modifier.start()) : 1;
  const auto pruned = from && targets.size() == 1 && modifier.start() >= 0
                          ? ir::interpolate(shape(modifier), std::min(share, 1.0), *from, targets.front())
                          : std::nullopt;
  return pruned ? std::pair(*pruned - kRounding, *pruned + kRounding) : std::pair(0.0, 1.0);
}

DIAGNOSTIC(SP439, gradients_by_epoch, silent_warning, (Text, Text),
           "`num_grads` has the key {}, but its keys are sparsities, from 0 to 1: only `{}` is used once weights are "
           "pruned",
           "The number of gradients is that of the smallest key that is not below the sparsity of the masks. Every "
           "sparsity is below a key such as 10.0.",
           "write sparsities from 0 to 1 as keys")

using Counts = std::map<double, const Value*>;

// Returns the counts by sparsity that are meant by counts from epochs on: each holds up to the sparsity at which the
// next one begins. Percentages are divided. Empty if neither is possible.
static std::vector<std::string> counts_by_sparsity(const Modifier& modifier, const Counts& counts) {
  const std::vector<double> targets = finals(modifier);
  const auto from = initial(modifier);
  const double length = modifier.end() - modifier.start();
  const bool epochs = counts.rbegin()->first <= modifier.end() && length > 0 && from && targets.size() == 1;
  std::vector<std::string> out{fmt::format("0.0: {}", source::python_str(*counts.begin()->second))};
  for (auto at = std::next(counts.begin()); at != counts.end(); ++at) {
    if (!epochs && at->first > 100) return {};
    const auto begins =
        epochs ? ir::interpolate(shape(modifier), (at->first - modifier.start()) / length, *from, targets.front())
               : at->first / 100;
    const Value& count = epochs ? *std::prev(at)->second : *at->second;
    if (!begins || !(*begins > 0)) return {};
    out.push_back(fmt::format("{:.2f}: {}", std::ceil(*begins * 100) / 100, source::python_str(count)));
  }
  if (epochs) out.push_back(fmt::format("1.0: {}", source::python_str(*counts.rbegin()->second)));
  return out;
}

DIAGNOSTIC(SP442, gradients_without_zero, error, (), "`num_grads` has no key 0, at which the sparsity begins",
           "The keys are sparsities. SparseML stops with ValueError if 0.0 is not among them.", "add the key 0.0")

static void report_without_zero(const Modifier& modifier, const Field& given, Counts counts, diag::Sink& sink) {
  const Value& first = *counts.begin()->second;
  auto& report = sink.report(diag::gradients_without_zero, given.value.span);
  if (counts.rbegin()->first <= 1) {
    report.with_help(fmt::format("add `0.0: {}`", source::python_str(first)));
    return;
  }
  counts.emplace(0, &first);
  const std::vector<std::string> meant = counts_by_sparsity(modifier, counts);
  if (!meant.empty())
    report.with_help(fmt::format("write `num_grads: {{{}}}`: the keys go up to 1", fmt::join(meant, ", ")));
}

// Returns the counts by key; empty if `num_grads` has other keys than numbers.
static Counts counts_of(const Field& given) {
  Counts out;
  const auto* map = given.value.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto number = (*map)[at].first.number();
    if (!number || std::isnan(*number)) return {};  // a NaN has no place in an order
    out.emplace(*number, &(*map)[at].second);
  }
  return out;
}

// Reports keys without a 0, and keys that are all above 1, except the 0.
static void check_gradient_keys(const Modifier& modifier, diag::Sink& sink) {
  const Field* given = modifier.find("num_grads");
  const Counts counts = given == nullptr ? Counts() : counts_of(*given);
  if (counts.empty()) return;
  if (!counts.contains(0)) return report_without_zero(modifier, *given, counts, sink);
  if (counts.begin()->first < 0 || counts.size() < 2 || std::next(counts.begin())->first <= 1) return;
  const auto& [least, count] = *std::next(counts.begin());
  const auto is_least = [&](const source::Entry& entry) { return entry.first.number() == least; };
  const Value& key = std::ranges::find_if(*given->value.get<source::Map>(), is_least)->first;
  auto& report = sink.report(diag::gradients_by_epoch, key.span, source::python_str(key), source::python_str(*count));
  const std::vector<std::string> meant = counts_by_sparsity(modifier, counts);
  if (!meant.empty()) report.with_help(fmt::format("write `num_grads: {{{}}}`", fmt::join(meant, ", ")));
}

DIAGNOSTIC(SP318, too_few_gradients, error, (Text, std::uint64_t, double),
           "at epoch {}, the buffer contains {} gradients, but `num_grads` requires {}",
           "With `use_gradient_buffering: true`, each step adds one gradient to a buffer, and each update of the mask "
           "empties it. SparseML stops at an update for which the buffer contains fewer gradients than `num_grads`.",
           "lower `num_grads`, or use longer intervals between updates")

// A buffer gets one gradient per step and is emptied by each update (docs/semantics/sparseml.md#c3-14).
static void check_buffer(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* buffers = modifier.find("use_gradient_buffering");
  if (buffers == nullptr || buffers->value.data != Value::Data(true) || !run.steps_per_epoch) {
    return;
  }
  constexpr int kMaxUpdates = 1000;
  std::pair<double, double> pruned;  // before the update
  ir::Trigger trigger(cadence_of(modifier), *run.steps_per_epoch);
  std::uint64_t next = 0;  // the first step whose gradient is in the buffer
  for (int count = 0; count < kMaxUpdates; ++count) {
    const std::uint64_t step = trigger.next().step;
    if (step == ir::kNever || !run.reaches(ir::epoch_of(step, *run.steps_per_epoch))) {
      return;
    }
    const double epoch = ir::epoch_of(step, *run.steps_per_epoch);
    const double needed = gradients_needed(modifier, pruned.first, pruned.second);
    if (static_cast<double>(step + 1 - next) < needed) {
      sink.report(diag::too_few_gradients, modifier.place("num_grads"), base::python_repr(epoch), step + 1 - next,
                  needed)
          .with_help("lower `num_grads`, use longer intervals between updates, or delete `use_gradient_buffering`");
      return;
    }
    next = step + 1;
    pruned = pruned_at(modifier, epoch);
  }
}

// Second-order pruners use these fields as slice indices.
static void check_counts(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const std::string_view name = modifier.spec->name;
  if (name != "OBSPruningModifier" && name != "MFACPruningModifier") {
    return;
  }
  for (const std::string_view field : {"fisher_block_size", "num_grads"}) {
    const Field* given = modifier.find(field);
    const bool counts = given == nullptr || given->value.get<std::int64_t>() != nullptr ||
                        given->value.get<bool>() != nullptr || given->value.get<source::Map>() != nullptr;
    if (!counts) {
      sink.report(diag::wrong_type, given->value.span, field, "an int", source::describe(given->value))
          .with_help("write a whole number without a decimal point and without quotes");
    }
  }
  if (name != "MFACPruningModifier") return;
  check_buffer(modifier, run, sink);
  check_gradient_keys(modifier, sink);
}

DIAGNOSTIC(SP208, open_ended_ramp, silent_error, (), "a ramp without an end never leaves its initial value",
           "With `end_epoch: -1` the progress along the ramp stays at 0, so every update applies the initial value.",
           "set `end_epoch` to the epoch at which the final value applies")

DIAGNOSTIC(SP209, start_minus_one_shifts_ramp, warning, (), "a start of -1 begins the ramp one epoch before training",
           "SparseML computes the progress from the start as written. At the first step the ramp has already "
           "progressed by one epoch, so the initial value is never applied.",
           "write `0.0`")

// Offers an end that leaves the last fifth of the training for recovery.
static void advise_on_end(diag::Diagnostic& report, const Modifier& modifier, const Run& run) {
  const double end = std::floor(run.epochs.value_or(0) * 0.8);
  if (!run.epochs || end <= modifier.start()) return;
  const std::string text = base::python_repr(end);
  report.with_help(
      fmt::format("write `end_epoch: {}`, before the training ends at epoch {}", text, base::python_repr(*run.epochs)));
  if (!run.end.empty()) report.with_label(run.end, "the training ends here");
  const Field* field = modifier.find("end_epoch");
  if (field != nullptr && !field->evaluated) report.with_fix(diag::Fix::unsafe().replace(field->value.span, text));
}

// Checks a gradual pruner over its window.
static void check_ramp(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (modifier.start() == modifier.end()) {
    sink.report(diag::zero_length_window, modifier.place("end_epoch"), modifier.start())
        .with_label(modifier.place("start_epoch"), "the ramp starts here")
        .with_help("write an `end_epoch` after the start");
    return;
  }
  if (modifier.end() == -1 && !is_flat(modifier)) {
    auto& report = sink.report(diag::open_ended_ramp, modifier.place("end_epoch"));
    report.with_help("write the epoch at which the final sparsity is reached");
    advise_on_end(report, modifier, run);
  } else if (modifier.start() == -1) {
    sink.report(diag::start_minus_one_shifts_ramp, modifier.place("start_epoch")).with_fix(start_at_once(modifier));
  }
  check_overshoot(modifier, run, sink);
  check_n_of_m(modifier, run, sink);
  check_counts(modifier, run, sink);
}

// The 2020 releases keep a mask dimension given by name as a string and then fail to index with it.
static void check_named_dimension(const Modifier& modifier, diag::Sink& sink) {
  const Field* mask = modifier.find("mask_type");
  const auto* name = mask == nullptr ? nullptr : mask->value.get<std::string>();
  if (name != nullptr && (*name == "channel" || *name == "filter")) {
    sink.report(diag::mask_type_unknown, mask->value.span, source::describe(mask->value), modifier.spec->name)
        .with_help(
            "write `unstructured` or a block such as `[1, 4]`: SparseML releases of 2020 fail at the first update");
  }
}

// RigL divides the update fraction by the length of its window.
static void check_exchange(const Modifier& modifier, diag::Sink& sink) {
  if (modifier.start() == modifier.end()) {
    sink.report(diag::zero_length_window, modifier.place("end_epoch"), modifier.start())
        .with_label(modifier.place("start_epoch"), "the ramp starts here")
        .with_help("write an `end_epoch` after the start");
  }
}

// PyTorch multiplies tensors by the weight decay.
static void check_decay(const Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.find("weight_decay");
  if (field != nullptr && field->value.get<bool>() != nullptr) {
    sink.report(diag::wrong_type, field->value.span, field->name, "a number", source::describe(field->value))
        .with_help("write the weight decay as a number, such as `0.0001`");
  }
}

// Checks a constant sparsity against the N:M mask. `when` is the time at which it applies, for the message.
static void check_n_of_m_of(const Modifier& modifier, std::string_view field, std::string_view when, diag::Sink& sink) {
  const Field* mask = modifier.find("mask_type");
  const auto structure = mask == nullptr ? std::nullopt : read_structure(modifier, mask->value);
  const auto sparsity = modifier.number(field);
  if (!structure || structure->kind != ir::Structure::Kind::n_of_m || !sparsity) {
    return;
  }
  const double needed = 1 - static_cast<double>(structure->n) / static_cast<double>(structure->m);
  if (*sparsity != 0 && std::abs(*sparsity - needed) > 0.01 && !report_swapped_mask(modifier, *mask, sink)) {
    const std::string shown = as_float(needed);
    sink.report(diag::nm_sparsity_mismatch, modifier.place(field), source::python_str(mask->value), shown, when,
                fmt::format("{:.4g}", *sparsity))
        .with_label(mask->value.span, "the mask")
        .with_help(fmt::format("write `{}`", shown));
  }
}

// Returns true if a compressed phase begins before the training ends. The second phase and the last one before the end
// are compressed.
static bool compresses(const Modifier& modifier, const Run& run) {
  const double frequency = modifier.number("update_frequency").value_or(1);
  const double first =
      modifier.end() - frequency <= std::max(modifier.start(), 0.0) ? modifier.start() : modifier.start() + frequency;
  return run.reaches(first);
}

bool is_idle(const Modifier& modifier, const Run& run) {
  const std::string_view name = modifier.spec->name;
  return run.steps_per_epoch == 1U && (name == "OBSPruningModifier" || name == "MFACPruningModifier");
}

static void check_pruning_run(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (!is_tensorflow(modifier.framework)) {
    check_ramp(modifier, run, sink);
  }
  if (modifier.framework == Framework::pytorch_2020) check_named_dimension(modifier, sink);
}

DIAGNOSTIC(SP316, frequency_zero_divides, error, (), "`update_frequency` 0 makes AC/DC divide by zero",
           "AC/DC determines its phase by dividing the epochs since its start by the frequency. A frequency of 0 "
           "stops the training with a ZeroDivisionError in the first step.",
           "write the number of epochs per phase, such as `update_frequency: 5.0`")

DIAGNOSTIC(SP221, no_dense_phase, silent_warning, (Text, Text),
           "`update_frequency` {} is not shorter than the {} epochs of the modifier, so no phase is dense",
           "The frequency is the length of one phase. Phases without and with pruning take turns, and the last one "
           "before the end always prunes.",
           "write a frequency of at most a quarter of the epochs")

// A phase without pruning must begin before the last phase (docs/semantics/sparseml.md#c4-1). One epoch has no phases.
static void check_dense_phase(const Modifier& modifier, diag::Sink& sink) {
  const Field* frequency = modifier.readable("update_frequency");
  const auto phase = frequency == nullptr ? std::nullopt : frequency->value.number();
  const double length = modifier.end() - modifier.start();
  if (!phase || !(*phase > 0) || modifier.end() < 0 || length <= 1 || *phase < length) return;
  sink.report(diag::no_dense_phase, frequency->value.span, base::python_repr(*phase), base::python_repr(length))
      .with_help(fmt::format("write `update_frequency: {}`, for {} phases",
                             base::python_repr(std::max(1.0, std::floor(length / 8))),
                             std::floor(length / std::max(1.0, std::floor(length / 8)))));
}

static void check_phases(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  check_dense_phase(modifier, sink);
  if (modifier.number("update_frequency") == 0.0) {
    sink.report(diag::frequency_zero_divides, modifier.place("update_frequency"))
        .with_help("write the number of epochs of one phase");
  } else if (compresses(modifier, run)) {
    check_n_of_m_of(modifier, "compression_sparsity", "in compressed phases", sink);
  }
}

DIAGNOSTIC(SP436, backward_sparser, silent_warning, (Text, Text),
           "`backward_sparsity` {} is above `forward_sparsity` {}",
           "TopKAST computes the output with the largest weights, and trains these and some more. With a larger "
           "sparsity in the backward pass it trains only a part of the weights that it uses, and no pruned weight can "
           "come back. The result has the sparsity of the forward pass.",
           "write a `backward_sparsity` below `forward_sparsity`")

// Reports a backward pass of TopKAST with fewer weights than the forward pass.
static void check_backward(const Modifier& modifier, diag::Sink& sink) {
  const Field* forward = modifier.find("forward_sparsity");
  const Field* backward = modifier.find("backward_sparsity");
  const auto least = forward == nullptr ? std::nullopt : forward->value.number();
  const auto most = backward == nullptr ? std::nullopt : backward->value.number();
  if (!least || !most || *most <= *least) return;
  const std::string lower = base::python_repr(*least > 0.5 ? 0.5 : *least / 2);
  sink.report(diag::backward_sparser, backward->value.span, base::python_repr(*most), base::python_repr(*least))
      .with_label(forward->value.span, "the sparsity of the result")
      .with_help(fmt::format("write `backward_sparsity: {}` to train more weights than the forward pass uses; "
                             "`forward_sparsity` decides the result",
                             lower))
      .with_fix(diag::Fix::unsafe().replace(backward->value.span, lower));
}

// Checks a modifier that starts within the run.
static void check_started(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  switch (modifier.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual_pruning: check_pruning_run(modifier, run, sink); break;
    case ClassKind::acdc: check_phases(modifier, run, sink); break;
    case ClassKind::learning_rate: check_rates(modifier, run, sink); break;
    case ClassKind::learning_rate_function:
      check_rates(modifier, run, sink);
      check_parameter_groups(modifier, run, sink);
      break;
    case ClassKind::set_learning_rate: check_parameter_groups(modifier, run, sink); break;
    case ClassKind::set_weight_decay:
      check_decay(modifier, sink);
      check_parameter_groups(modifier, run, sink);
      break;
    case ClassKind::rigl: check_exchange(modifier, sink); break;
    case ClassKind::topkast:
      check_n_of_m_of(modifier, "forward_sparsity", "in the forward pass", sink);
      check_n_of_m_of(modifier, "backward_sparsity", "in the backward pass", sink);
      check_backward(modifier, sink);
      break;
    case ClassKind::quantization:
    case ClassKind::legacy_quantization: check_quantization_run(modifier, run, sink); break;
    case ClassKind::epoch_range:
    case ClassKind::constant_pruning:
    case ClassKind::trainable:
    case ClassKind::set_param:
    case ClassKind::gradual_param:
    case ClassKind::distillation: break;
    case ClassKind::other:
      if (modifier.spec->name == "LayerPruningModifier") check_removed_layers(modifier, run, sink);
      break;
  }
}

void check_run(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (never_starts(modifier)) {
    return;
  }
  check_start_is_reached(modifier, run, sink);
  if (is_idle(modifier, run)) {
    sink.report(diag::never_starts, modifier.key, "the first mask")
        .with_help("use more than one step per epoch: otherwise this pruner treats the training as one-shot");
  } else if (run.reaches(modifier.start()) || unknown_run_is_long(run)) {
    check_started(modifier, run, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
