#include "dialect/sparseml/read/lower.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <md5.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/last_epoch.h"

namespace sparsecfg::dialect::sparseml {

static std::string md5_of(const std::string& text) {
  char digest[MD5_DIGEST_STRING_LENGTH];
  MD5Data(reinterpret_cast<const uint8_t*>(text.data()), text.size(), digest);
  return digest;
}

// Orders keys as Python compares numbers and strings. Returns false for keys that Python cannot compare.
static bool comes_first(const source::Value& a, const source::Value& b) {
  const auto* text = a.get<std::string>();
  const auto* other = b.get<std::string>();
  if (text != nullptr && other != nullptr) {
    return *text < *other;
  }
  return a.number() && b.number() && *a.number() < *b.number();
}

// SparseML writes and reads the recipe once more before it builds modifiers. That sorts the keys of all mappings.
static source::Value sorted(source::Value value) {
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (source::Value& item : *list) item = sorted(std::move(item));
  } else if (auto* map = std::get_if<source::Map>(&value.data)) {
    for (auto& [key, item] : *map) item = sorted(std::move(item));
    std::ranges::stable_sort(*map, comes_first, [](const auto& entry) -> const source::Value& { return entry.first; });
  }
  return value;
}

// Returns the arguments that the modifier stores. It replaces `ExponentialLR` by `StepLR` with steps of one epoch.
static std::string stored_arguments(const Modifier& modifier, const Field& field) {
  source::Value value = sorted(field.value);
  if (auto* map = std::get_if<source::Map>(&value.data);
      map != nullptr && modifier.text("lr_class") == "ExponentialLR") {
    const auto has_name = [](const auto& entry) { return entry.first.data == source::Value::Data("step_size"); };
    const auto size = std::ranges::find_if(*map, has_name);
    if (size == map->end()) {
      map->push_back({source::Value{std::string("step_size"), {}}, source::Value{1.0, {}}});
    } else {
      size->second.data = 1.0;
    }
  }
  return source::python_str(value);
}

static bool is_stored_as_bool(std::string_view name) {
  return name == "constant_logging" || name == "trainable" || name == "params_strict";
}

// Returns Python str() of the property set from a field. Epochs and rates are floats there.
static std::string property(const Modifier& modifier, const FieldSpec& spec, const Field* field) {
  if (spec.name == "end_epoch" || spec.name == "start_epoch") {
    return base::python_repr(spec.name == "end_epoch" ? modifier.end() : modifier.start());
  }
  if (!spec.no_effect.empty()) {
    return std::string(spec.default_value);
  }
  if (spec.type == Type::real) {
    if (const auto number = modifier.number(spec.name);
        number && (field == nullptr || field->value.get<std::int64_t>() == nullptr)) {
      return base::python_repr(*number);
    }
  }
  if (field != nullptr && spec.name == "lr_class" && modifier.text("lr_class") == "ExponentialLR") {
    return "StepLR";
  }
  if (field != nullptr && is_stored_as_bool(spec.name)) {
    return counts_as_true(field->value) ? "True" : "False";
  }
  if (field != nullptr) {
    return stored_arguments(modifier, *field);
  }
  return spec.default_value == "true"    ? "True"
         : spec.default_value == "false" ? "False"
                                         : std::string(spec.default_value);
}

std::string identifier(const Modifier& modifier) {
  std::vector<std::string> properties;
  properties.reserve(modifier.spec->fields.size());
  for (const FieldSpec& spec : modifier.spec->fields) {
    const Field* field = modifier.find(spec.name);
    const bool null = field == nullptr ? spec.default_value == "null" : field->value.is_null();
    if (!null) {
      const std::string value = property(modifier, spec, field);
      std::string& text = properties.emplace_back();
      text.reserve(spec.name.size() + 1 + value.size());
      text.append(spec.name).append(1, ':').append(value);
    }
  }
  std::ranges::sort(properties);
  std::string list;  // formatted as in Python
  for (const std::string& text : properties) {
    list += list.empty() ? "[" : ", ";
    list += base::python_repr(text);
  }
  list += list.empty() ? "[]" : "]";
  return std::string(modifier.spec->name) + "-" + md5_of(list);
}

static double end_rank(double end) { return end == -1 ? std::numeric_limits<double>::infinity() : end; }

static bool moves_rate(const Modifier& modifier) {
  return modifier.spec->kind == ClassKind::set_learning_rate || modifier.spec->kind == ClassKind::learning_rate ||
         modifier.spec->kind == ClassKind::learning_rate_function;
}

// Returns true if two lists of parameters have an entry in common, or one of them selects all parameters.
static bool share_parameters(const Modifier& a, const Modifier& b) {
  const auto texts_of = [](const Modifier& modifier) {
    std::set<std::string> out;
    const Field* field = modifier.find("params");
    const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
    if (list != nullptr) {
      for (const source::Value& each : *list) out.insert(source::python_str(each));
    } else if (field != nullptr) {
      out.insert(source::python_str(field->value));
    }
    return out;
  };
  const std::set<std::string> mine = texts_of(a);
  const std::set<std::string> theirs = texts_of(b);
  return mine.contains("__ALL__") || theirs.contains("__ALL__") ||
         std::ranges::any_of(mine, [&](const std::string& text) { return theirs.contains(text); });
}

// Returns true for two modifiers of which one freezes parameters and the other one does not.
static bool switch_training(const Modifier& a, const Modifier& b) {
  const bool both = a.spec->kind == ClassKind::trainable && b.spec->kind == ClassKind::trainable;
  return both && a.flag("trainable") != b.flag("trainable") && share_parameters(a, b);
}

static bool tied(const Modifier& a, const Modifier& b) {
  return a.spec == b.spec && a.stage == b.stage && a.end() == b.end() && a.start() == b.start();
}

// Returns true if both modifiers select parameter groups of the optimizer, and none of the groups is the same.
static bool groups_differ(const Modifier& a, const Modifier& b) {
  const auto groups_of = [](const Modifier& modifier) {
    const Field* field = modifier.find("param_groups");
    return field == nullptr ? nullptr : field->value.get<source::List>();
  };
  const auto* mine = groups_of(a);
  const auto* theirs = groups_of(b);
  return mine != nullptr && theirs != nullptr && !mine->empty() && !theirs->empty() &&
         std::ranges::none_of(*mine, [&](const source::Value& group) {
           return std::ranges::find(*theirs, group.data, &source::Value::data) != theirs->end();
         });
}

DIAGNOSTIC(SP503, lr_tie_broken_by_hash, warning, (Text),
           "{} act in the same step; a hash of their fields decides their order",
           "SparseML sorts modifiers by their end, start, class name and an MD5 hash of their fields. Here only the "
           "hash differs, so a change of any field can change the result.",
           "set different epochs")

static void report_ties(const std::vector<Modifier>& modifiers, const std::vector<std::size_t>& order,
                        diag::Sink& sink) {
  for (std::size_t at = 1; at < order.size(); ++at) {
    const Modifier& before = modifiers[order[at - 1]];
    const Modifier& after = modifiers[order[at]];
    if (!tied(before, after) || !before.valid || !after.valid) continue;
    const bool switches = switch_training(before, after);
    if ((switches || moves_rate(after)) && !groups_differ(before, after) && identifier(before) != identifier(after)) {
      auto& report = sink.report(diag::lr_tie_broken_by_hash, after.key, fmt::format("two `{}`", after.spec->name));
      report.with_caret("this modifier is applied last").with_label(before.key, "this modifier is applied first");
      if (switches && after.start() < 0)
        report.with_help("add `start_epoch: 0.0` to the modifier that must be applied last: -1 comes before it");
    }
  }
}

// Sort key of stages in SparseML. `end` is the last end of a stage. A stage without any end comes last.
struct StageRank {
  double end = -1;
  double start = std::numeric_limits<double>::infinity();
  std::string identifier;
  friend auto operator<=>(const StageRank&, const StageRank&) = default;
};

struct StageOrder {
  std::string name;
  int first;  // ordinal of its first modifier
  source::Span place;
  StageRank rank;
  double start = std::numeric_limits<double>::infinity();  // first explicit start; -1 does not count
  double acts = std::numeric_limits<double>::infinity();   // the same without ranges of the training
};

static std::vector<StageOrder> rank_stages(const std::vector<Modifier>& modifiers) {
  std::vector<StageOrder> stages;
  for (const Modifier& modifier : modifiers) {
    auto stage = std::ranges::find(stages, modifier.stage, &StageOrder::name);
    if (stage == stages.end()) {
      stage = stages.insert(
          stages.end(), {modifier.stage, modifier.ordinal, modifier.key, {}, std::numeric_limits<double>::infinity()});
    }
    const double start = modifier.start();
    stage->rank.end = std::max(stage->rank.end, modifier.end());
    stage->rank.start = std::min(stage->rank.start, start);
    stage->start = start < 0 ? stage->start : std::min(stage->start, start);
    const bool range = modifier.spec->kind == ClassKind::epoch_range;
    stage->acts = range ? stage->acts : std::min(stage->acts, std::max(start, 0.0));
    if (!modifier.stage.empty()) {
      stage->rank.identifier = std::max(stage->rank.identifier, identifier(modifier));
    }
  }
  for (StageOrder& stage : stages) {
    stage.rank.end = end_rank(stage.rank.end);
  }
  std::ranges::stable_sort(stages, {}, &StageOrder::rank);
  return stages;
}

DIAGNOSTIC(SP213, stage_order, info, (Text, Text), "stage `{}` runs before `{}`, but comes after it in the file",
           "SparseML sorts stages by their last end, then by their first start. It ignores their order in the file.",
           "reorder the stages in the file, or change their epochs")

static void report_stage_order(const std::vector<StageOrder>& stages, diag::Sink& sink) {
  for (std::size_t at = 1; at < stages.size(); ++at) {
    if (stages[at].first < stages[at - 1].first) {
      sink.report(diag::stage_order, stages[at - 1].place, stages[at - 1].name, stages[at].name)
          .with_caret("this stage runs first")
          .with_label(stages[at].place, "this stage runs later");
    }
  }
}

static bool prunes(const Modifier& modifier) {
  const auto kind = modifier.spec->kind.as<ClassKind>();
  return kind == ClassKind::gradual_pruning || kind == ClassKind::acdc || kind == ClassKind::topkast ||
         kind == ClassKind::rigl;
}

static bool quantizes(const Modifier& modifier) {
  return modifier.spec->kind == ClassKind::quantization || modifier.spec->kind == ClassKind::legacy_quantization;
}

static bool any_of_stage(const std::vector<Modifier>& modifiers, const StageOrder& stage, auto is_one) {
  return std::ranges::any_of(modifiers, [&](const Modifier& each) { return each.stage == stage.name && is_one(each); });
}

// Returns the stages as they are meant to follow each other: as in the file, but quantization after pruning.
static std::vector<StageOrder> intended_order(const std::vector<Modifier>& modifiers, std::vector<StageOrder> stages) {
  const auto comes_late = [&](const StageOrder& stage) {
    return any_of_stage(modifiers, stage, quantizes) && !any_of_stage(modifiers, stage, prunes);
  };
  std::ranges::stable_sort(stages, {}, &StageOrder::first);
  std::ranges::stable_partition(stages, [&](const StageOrder& stage) { return !comes_late(stage); });
  return stages;
}

// The epochs of a stage after it is moved.
struct MovedEpochs {
  source::Span first;              // the first start of the stage
  std::vector<std::string> shown;  // "`start_epoch: 40.0`", without repetitions
  diag::Fix fix = diag::Fix::unsafe();
  std::vector<std::string> variables{};  // whose definitions are changed
  std::vector<std::string> sums{};       // variables in sums with a number; empty for other expressions

  // Returns false if an epoch is the result of an expression that the changes do not move.
  [[nodiscard]] bool literal() const {
    return std::ranges::all_of(
        sums, [&](const std::string& name) { return std::ranges::find(variables, name) != variables.end(); });
  }
};

static void move_epoch(const Field& field, double epoch, double by, MovedEpochs& out) {
  const std::string moved = base::python_repr(epoch + by);
  const bool variable = !field.definition.empty();
  const std::string shown = fmt::format("`{}: {}`", variable ? field.variable : field.name, moved);
  if (field.evaluated && !variable) {
    out.sums.push_back(field.variable);
    return;
  }
  const bool known = std::ranges::find(out.shown, shown) != out.shown.end();
  if (!known) out.shown.push_back(shown);
  if (variable) out.variables.push_back(field.variable);
  if (!variable || !known) out.fix.replace(variable ? field.definition : field.value.span, moved);
}

// Returns true if the range of a stage starts after an epoch. Then the epochs of the stage that are earlier are a
// mistake, and the others count from the start of the training.
static bool has_range_after(const std::vector<Modifier>& modifiers, const StageOrder& stage, double epoch) {
  return any_of_stage(modifiers, stage, [&](const Modifier& modifier) {
    return modifier.spec->kind == ClassKind::epoch_range && modifier.start() >= epoch;
  });
}

// `begin`: the epochs from this one on stay.
static MovedEpochs move_stage(const std::vector<Modifier>& modifiers, const StageOrder& stage, double by,
                              double begin) {
  MovedEpochs out;
  bool acts = false;  // true if `first` is the start of a modifier that acts, and not of a range
  for (const Modifier& modifier : modifiers) {
    for (const Field& field : modifier.fields) {
      const auto epoch = field.value.number();
      const bool is_epoch = modifier.stage == stage.name && field.name.ends_with("_epoch") && epoch && *epoch >= 0;
      if (!is_epoch || *epoch >= begin) continue;
      const bool starts = field.name == "start_epoch" && *epoch == stage.start;
      if (starts && (out.first.empty() || !acts)) {
        out.first = field.definition.empty() ? field.value.span : field.definition;
      }
      acts = acts || (starts && modifier.spec->kind != ClassKind::epoch_range);
      move_epoch(field, *epoch, by, out);
    }
  }
  return out;
}

static bool has_milestones(const std::vector<Modifier>& modifiers, const StageOrder& stage) {
  return any_of_stage(modifiers, stage, [](const Modifier& modifier) {
    const Field* field = modifier.find("lr_kwargs");
    return field != nullptr && field->value.find("milestones") != nullptr;
  });
}

// A stage that starts before an earlier one has ended.
struct Overlap {
  const StageOrder* before = nullptr;
  const StageOrder* after = nullptr;
  double by = 0;  // epochs by which it starts too early, after the stages before it are moved
};

// The remedy of an overlap: "add 10 to the epochs of `pruning_stage`: write ...".
static std::string advice_on(const std::vector<Modifier>& modifiers, const Overlap& overlap, const MovedEpochs& moved) {
  constexpr std::size_t kMaxShown = 4;
  const StageOrder& after = *overlap.after;
  const std::string sum = fmt::format("add {} to the epochs of `{}`", overlap.by, after.name);
  if (!std::isfinite(after.rank.end)) {  // its start would be the end of the training
    return fmt::format("{}, and add an `EpochRangeModifier` with a later end to it", sum);
  }
  const bool shown = moved.literal() && moved.shown.size() <= kMaxShown;
  return shown ? fmt::format("{}: write {}{}", sum, base::join_and(moved.shown),
                             has_milestones(modifiers, after) ? ", and move its milestones" : "")
               : sum;
}

static bool moves_all(const std::vector<Modifier>& modifiers, const Overlap& overlap, const MovedEpochs& moved) {
  return std::isfinite(overlap.after->rank.end) && moved.literal() && !has_milestones(modifiers, *overlap.after);
}

// Reports stages that count their epochs from their own start as one finding.
static void report_overlaps(const std::vector<Modifier>& modifiers, const std::vector<Overlap>& overlaps,
                            diag::Sink& sink) {
  diag::Diagnostic* report = nullptr;
  std::vector<std::string> advice;
  diag::Fix fix = diag::Fix::unsafe();
  bool movable = true;
  for (const Overlap& overlap : overlaps) {
    const auto& [before, after, by] = overlap;
    const bool mixed = has_range_after(modifiers, *after, before->rank.end);
    const double begin = mixed ? before->rank.end : std::numeric_limits<double>::infinity();
    const MovedEpochs moved = move_stage(modifiers, *after, by, begin);
    const source::Span place = moved.first.empty() ? after->place : moved.first;
    if (report == nullptr) {
      report = &sink.report(diag::stages_overlap, place, after->name, after->start, before->name, before->rank.end);
      report->with_label(before->place, "this stage has not ended");
    } else {
      report->with_label(place, fmt::format("`{}` starts at epoch {}", after->name, after->start));
    }
    advice.push_back(mixed && moved.literal() ? fmt::format("write {}", base::join_and(moved.shown))
                                              : advice_on(modifiers, overlap, moved));
    movable = movable && moves_all(modifiers, overlap, moved);
    std::ranges::copy(moved.fix.edits, std::back_inserter(fix.edits));
  }
  report->with_help(fmt::format("{}", fmt::join(advice, "; ")));
  if (movable) report->with_fix(std::move(fix));
}

// Returns true if a stage has no end and begins inside another one. It lasts until the training ends, so its epochs are
// those of the training.
static bool lasts(const StageOrder& stage) { return stage.start > 0 && !std::isfinite(stage.rank.end); }

// Reports the stages that start before the stages before them have ended. Returns true if there is one.
static bool report_overlapping_stages(const std::vector<Modifier>& modifiers, const std::vector<StageOrder>& stages,
                                      diag::Sink& sink) {
  const std::vector<StageOrder> order = intended_order(modifiers, stages);
  const StageOrder* longest = nullptr;
  double moved = 0;  // the epochs by which `longest` is moved
  std::vector<Overlap> overlaps;
  for (const StageOrder& stage : order) {
    const bool ends = stage.rank.end >= 0 && std::isfinite(stage.rank.end);
    if (stage.name.empty()) continue;
    const bool later = longest != nullptr && longest->acts >= stage.rank.end && std::isfinite(longest->acts);
    const bool overlap = longest != nullptr && stage.start < longest->rank.end && longest->start < stage.rank.end &&
                         !later && !lasts(stage);
    const double by = overlap ? longest->rank.end + moved - stage.start : 0;
    if (overlap) overlaps.push_back({longest, &stage, by});
    if (!ends || (longest != nullptr && stage.rank.end + by <= longest->rank.end + moved)) continue;
    longest = &stage;
    moved = by;
  }
  if (!overlaps.empty()) report_overlaps(modifiers, overlaps, sink);
  return !overlaps.empty();
}

// Sort key of modifiers in SparseML, without the hash of their fields.
struct OrderKey {
  std::ptrdiff_t stage = 0;
  double end = 0;
  double start = 0;
  std::string_view class_name;
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

// The 2020 releases sort by start, then by end.
static std::vector<std::size_t> order_of_2020(const std::vector<Modifier>& modifiers) {
  std::vector<std::size_t> order(modifiers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t index) { return modifiers[index].start() + modifiers[index].end() * 1e-6; });
  return order;
}

std::vector<std::size_t> application_order(const std::vector<Modifier>& modifiers, diag::Sink& sink) {
  if (std::ranges::any_of(modifiers, [](const Modifier& one) { return one.framework == Framework::pytorch_2020; })) {
    return order_of_2020(modifiers);
  }
  const std::vector<StageOrder> stages = rank_stages(modifiers);
  std::vector<std::size_t> order(modifiers.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<OrderKey> keys;
  keys.reserve(modifiers.size());
  for (const Modifier& modifier : modifiers) {
    const auto stage = std::ranges::find(stages, modifier.stage, &StageOrder::name) - stages.begin();
    keys.push_back({stage, end_rank(modifier.end()), modifier.start(), modifier.spec->name});
  }
  std::vector<std::string> identifiers(modifiers.size());  // computed only for ties, once for each modifier
  const auto identifier_of = [&](std::size_t index) -> const std::string& {
    if (identifiers[index].empty()) identifiers[index] = identifier(modifiers[index]);
    return identifiers[index];
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : identifier_of(a) < identifier_of(b);
  });
  report_ties(modifiers, order, sink);
  if (std::ranges::all_of(modifiers, &Modifier::valid)) {
    if (!report_overlapping_stages(modifiers, stages, sink)) report_stage_order(stages, sink);
  }
  return order;
}

std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers) {
  LastEpoch last(-1);
  for (std::size_t index = 0; index < modifiers.size(); ++index) {
    last.note(modifiers[index].end(), modifiers[index].place("end_epoch"), index);
    last.note(modifiers[index].start(), modifiers[index].place("start_epoch"), index);
  }
  return last.length();
}

}  // namespace sparsecfg::dialect::sparseml
