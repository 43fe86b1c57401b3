#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/read.h"
#include "dialect/nni/schedule.h"
#include "dialect/nni/selectors.h"
#include "dialect/nni/speedup.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

static const double* ratio_of(const Target& target) {
  const Value* ratio = target.get("sparse_ratio");
  return ratio == nullptr ? nullptr : ratio->get<double>();
}

// Targets with the same group id.
struct Group {
  const Value* id;
  std::vector<const Target*> members;
};

static std::vector<Group> groups_of(const std::vector<Target>& targets, std::string_view key, auto belongs) {
  std::vector<Group> groups;
  std::map<GroupId, std::size_t> known;
  for (const Target& target : targets) {
    const Value* id = target.get(key);
    if (id == nullptr || !belongs(target)) {
      continue;
    }
    const auto [place, is_new] = known.emplace(group_id_of(*id), groups.size());
    if (is_new) {
      groups.push_back({id, {}});
    }
    groups[place->second].members.push_back(&target);
  }
  return groups;
}

// Without a name, the type identifies the modules.
static std::string key_of(const std::string& module, const std::string& type, const std::string& tensor) {
  return (module.empty() ? type : module) + "\n" + tensor;
}

// Returns false for the bias of a layer without a bias.
static bool is_there(const Target& target, const Context& context) {
  return !target.is_parameter() || !context.model.lacks(target.module.name, target.name);
}

// The targets of a compressor, and what their checks share.
struct Masks {
  Masks(Compressor& of, const std::vector<Target>& all, const Context& in) : compressor(of), targets(all), context(in) {
    for (const Target& target : targets) {
      if (target.is_rated() && is_there(target, context)) {
        masked.insert(key_of(target.module.name, target.module.type, target.name));
      }
      const Value* unit = target.get("granularity");
      const auto* text = unit == nullptr ? nullptr : unit->get<std::string>();
      if (text != nullptr && *text == "in_channel") ranked_by_inputs.emplace(target.module.name, target.name);
    }
  }

  Compressor& compressor;
  const std::vector<Target>& targets;
  const Context& context;
  std::set<std::string> masked;                                    // targets that have their own mask
  std::set<std::pair<std::string, std::string>> ranked_by_inputs;  // modules and tensors
};

static Entry& entry_of(const Masks& masks, const Target& target) { return masks.compressor.entries[target.entry]; }

// Reports a value of a target, and marks its entry as not valid.
template <class... Args>
static diag::Diagnostic& reject(const Masks& masks, const Target& target, const Value* place,
                                const diag::Def<Args...>& rule, const std::type_identity_t<Args>&... args) {
  Entry& entry = entry_of(masks, target);
  entry.valid = false;
  return masks.context.sink.report(rule, entry.place(place), args...);
}

static std::string name_of_group(const Group& group) { return source::python_str(*group.id); }

DIAGNOSTIC(SP416, group_mismatch, error, (Text, Text), "ratio {} differs from ratio {} in the same group",
           "All members of a group must have exactly the same ratio. NNI stops with an error when it creates the first "
           "masks.",
           "set the same ratio, from 0 to 1, for all members of the group")

// Returns the greatest fraction of the target ratio that masks are made with. If `total_times` is not a whole number,
// the schedule exceeds the ratio. If the only masks are made before the first update, it is 0.
static double greatest_share(const Masks& masks) {
  const auto goals = uneven_goals_of(masks.compressor);
  if (goals && !goals->shares.empty()) return *std::ranges::max_element(goals->shares);
  const ir::StepSchedule counted = counted_of(masks.compressor);
  return counted.times > 0 && counted.lag >= counted.times ? 0 : 1;
}

// Returns the ids of the groups of a compressor.
static std::set<std::string> ids_of(const Masks& masks, std::string_view key) {
  std::set<std::string> out;
  for (const Target& target : masks.targets) {
    if (const Value* id = target.get(key)) out.insert(source::python_str(*id));
  }
  return out;
}

// Returns an id that no group of a kind has.
static std::string free_id(const Masks& masks, std::string_view key) {
  const std::set<std::string> used = ids_of(masks, key);
  int id = 1;
  while (used.contains(std::to_string(id))) ++id;
  return std::to_string(id);
}

// Offers the ratio of the other member, or another group.
static void offer_same_ratio(diag::Diagnostic& report, const Masks& masks, const Target& member, const Target& first) {
  const std::string_view key = member.get("dependency_group_id") != nullptr ? "dependency_group_id" : "global_group_id";
  const std::string ratio = base::python_repr(*ratio_of(first));
  const auto written = [&](std::string_view name, const std::string& value) {
    return masks.context.in_script ? fmt::format("`'{}': {}`", name, value) : fmt::format("`{}: {}`", name, value);
  };
  const Value* place = member.get("sparse_ratio");
  report.with_help(fmt::format("write {}, as the other member; for a ratio of its own, write {}",
                               written("sparse_ratio", ratio), written(key, free_id(masks, key))));
  if (!place->span.empty()) report.with_fix(diag::Fix::unsafe().replace(place->span, ratio));
}

// Reports members with different ratios, unless all masks are made without them. Returns false if any are reported.
// `first`: the first member with a ratio.
static bool agrees(const Masks& masks, const Group& group, const Target*& first) {
  for (const Target* member : group.members) {
    const double* ratio = ratio_of(*member);
    if (ratio == nullptr) {
      continue;
    }
    if (first != nullptr && *ratio != *ratio_of(*first) && greatest_share(masks) > 0) {
      const Value* other = first->get("sparse_ratio");
      auto& report = reject(masks, *member, member->get("sparse_ratio"), diag::group_mismatch,
                            base::python_repr(*ratio), base::python_repr(*ratio_of(*first)));
      if (!other->span.empty()) report.with_label(other->span, "the other ratio");
      offer_same_ratio(report, masks, *member, *first);
      return false;
    }
    first = member;
  }
  return true;
}

// Returns false if the blocks of the target depend on the class, which is unknown.
static bool divides_alike(const Masks& masks, const Target& target) {
  const Value* granularity = target.get("granularity");
  const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
  return masks.compressor.mask_class() != nullptr || word == nullptr || *word != "default";
}

// Returns true if the metrics of all members have the same shape, or if a shape is unknown.
static bool fits_in_group(const Masks& masks, const Group& group, const ClassSpec* maker) {
  std::optional<model::Shape> expected;
  for (const Target* member : group.members) {
    const auto shape = masks.context.model.shape(member->module.name, member->name);
    const auto ranked = shape ? metric_shape(blocks_of(*member, maker), *shape) : std::nullopt;
    if (!ranked) return true;
    if (expected && *expected != *ranked) return false;
    expected = ranked;
  }
  return true;
}

static std::uint64_t with_part(std::uint64_t parts, const Target& member) {
  const Value* given = member.get("internal_metric_block");
  const auto* own = given == nullptr ? nullptr : given->get<std::int64_t>();
  constexpr std::uint64_t kMaxParts = 1 << 24;
  return own == nullptr || *own <= 0 || parts > kMaxParts ? parts : std::lcm(parts, static_cast<std::uint64_t>(*own));
}

DIAGNOSTIC(SP430, group_shapes_differ, error, (Text, Text, Text, Text),
           "`{}` has a metric of shape {} and `{}` one of {}, so they can't share a group",
           "The members of a dependency group are ranked by the mean of their metrics, which have one number for each "
           "block of a tensor. NNI stops with an error if the shapes differ. This check needs shapes.",
           "use a separate group for tensors with another number of blocks")

DIAGNOSTIC(SP429, metric_parts, error, (std::uint64_t, std::uint64_t, Text),
           "{} parts of equal size do not divide the {} metric values of the group {}",
           "With `internal_metric_block`, NNI divides the metric into parts of equal size and ranks each of them "
           "separately. It stops with an error if the sizes differ. This check needs shapes.",
           "write an `internal_metric_block` that divides the number of blocks")

static void check_metrics(const Masks& masks, const Group& group, double ratio, const ClassSpec* maker) {
  const Target* first = nullptr;
  std::optional<model::Shape> expected;
  std::uint64_t parts = 1;
  for (const Target* member : group.members) {
    const auto shape = masks.context.model.shape(member->module.name, member->name);
    const auto ranked = shape ? metric_shape(blocks_of(*member, maker), *shape) : std::nullopt;
    if (!ranked) {
      return;
    }
    if (expected && *expected != *ranked) {
      reject(masks, *member, member->get("dependency_group_id"), diag::group_shapes_differ, member->shown(),
             model::to_text(*ranked), first->shown(), model::to_text(*expected));
      return;
    }
    first = first == nullptr ? member : first;
    expected = ranked;
    parts = with_part(parts, *member);
  }
  const std::uint64_t count = model::elements_of(*expected).value_or(0);
  if (ratio > 0 && ratio < 1 && count % parts != 0) {
    reject(masks, *first, first->get("internal_metric_block"), diag::metric_parts, parts, count, name_of_group(group));
  }
}

// Members are ranked by the mean of their metrics, so all metrics must have the same shape. Parts of a group are
// ranked separately. Without a class, blocks by default are single weights or whole outputs: the group is rejected
// only if its members fit in neither case.
static void check_dependency_fit(const Masks& masks, const Group& group, double ratio) {
  const ClassSpec* by_weight = find_class("LevelPruner");
  if (std::ranges::all_of(group.members, [&](const Target* member) { return divides_alike(masks, *member); })) {
    check_metrics(masks, group, ratio, masks.compressor.mask_class());
  } else if (!fits_in_group(masks, group, by_weight) && !fits_in_group(masks, group, find_class("L1NormPruner"))) {
    check_metrics(masks, group, ratio, by_weight);
  }
}

DIAGNOSTIC(SP424, group_without_ratio, error, (Text), "the group {} requires a ratio",
           "A group is masked by the ratio of its members. A threshold is not enough, and NNI stops with an error when "
           "it creates the first masks.",
           "set the same ratio, from 0 to 1, for all members of the group")

DIAGNOSTIC(SP425, member_without_ratio, error, (Text, Text), "`{}` requires a ratio, because it is in the group {}",
           "All members of a group need a ratio or a threshold. NNI stops with an error when it creates the first "
           "masks.",
           "set the ratio of the group, or delete the group from this entry")

// Returns a member with the ratio of the group. Returns null after it has reported that the ratio is missing or not the
// same.
static const Target* rated_member(const Masks& masks, const Group& group) {
  const Target* rated = nullptr;
  if (!agrees(masks, group, rated)) {
    return nullptr;
  }
  const auto bare = std::ranges::find_if(group.members, [](const Target* member) { return !member->is_rated(); });
  if (rated == nullptr) {
    reject(masks, *group.members.front(), group.id, diag::group_without_ratio, name_of_group(group));
    return nullptr;
  }
  if (bare != group.members.end()) {
    reject(masks, **bare, group.id, diag::member_without_ratio, (*bare)->shown(), name_of_group(group));
    return nullptr;
  }
  return rated;
}

DIAGNOSTIC(SP426, dependency_ratio_range, error, (Text), "the ratio {} of a dependency group is not between 0 and 1",
           "NNI removes this fraction of the blocks of each member. It stops with an error when it creates the first "
           "masks.",
           "write a ratio from 0 to 1")

DIAGNOSTIC(
    SP427, scheduled_ratio_range, error, (Text, Text),
    "the ratio {} of a dependency group exceeds 1 when its schedule multiplies it by {}",
    "If `total_times` is not a whole number, the last update multiplies the ratio by a factor above 1. NNI stops "
    "with an error at this update.",
    "write a whole `total_times`, or a lower ratio")

static void check_dependent(const Masks& masks, const Group& group) {
  const Target* rated = rated_member(masks, group);
  if (rated == nullptr) {
    return;
  }
  const double ratio = *ratio_of(*rated);
  const double most = greatest_share(masks);
  const Value* place = rated->get("sparse_ratio");
  if (!(ratio >= 0 && ratio <= 1) && most > 0) {
    reject(masks, *rated, place, diag::dependency_ratio_range, base::python_repr(ratio));
  } else if (ratio * most > 1) {
    reject(masks, *rated, place, diag::scheduled_ratio_range, base::python_repr(ratio), fmt::format("{:.4g}", most));
  } else {
    check_dependency_fit(masks, group, ratio);
  }
}

DIAGNOSTIC(SP428, group_ratio_not_finite, error, (Text, Text), "the ratio {} of the group {} is not finite",
           "NNI multiplies the number of weights in the group by the ratio and converts the result to an int, which "
           "fails.",
           "write a ratio from 0 to 1")

DIAGNOSTIC(SP418, global_ratio_masks_nothing, warning, (Text),
           "a global ratio of {} has no effect without `max_sparse_ratio`",
           "If the ratio of a global group is 1 or more, NNI masks each member with its `max_sparse_ratio`. Members "
           "without a `max_sparse_ratio` are not masked.",
           "add `max_sparse_ratio` to the entries of the group")

DIAGNOSTIC(
    SP438, group_can_empty_layer, warning, (Text, Text),
    "a layer of the group {} can lose all of its {}, because no `max_sparse_ratio` limits it",
    "One ranking decides which structures of all members of a global group are masked. A layer with small weights "
    "can lose all of them. The network is then interrupted, and `ModelSpeedup` fails.",
    "add `max_sparse_ratio` to the entries of the group")

// Whole structures of several layers are ranked together. A low ratio hardly empties a layer.
static void check_limit(const Masks& masks, const Group& group, const Target& rated, double ratio) {
  constexpr double kHigh = 0.7;
  constexpr double kUsual = 0.9;
  const auto kind = structure_of(masks.compressor, rated).kind;
  const bool whole = kind == ir::Structure::Kind::filter || kind == ir::Structure::Kind::channel;
  const bool limited = std::ranges::any_of(
      group.members, [](const Target* member) { return member->get("max_sparse_ratio") != nullptr; });
  if (!whole || limited || ratio < kHigh || ratio >= 1 || group.members.size() < 2) return;
  const double limit = std::max(kUsual, (1 + ratio) / 2);
  masks.context.sink
      .report(diag::group_can_empty_layer, entry_of(masks, rated).place(group.id), name_of_group(group),
              kind == ir::Structure::Kind::filter ? "outputs" : "inputs")
      .with_help(fmt::format("add `max_sparse_ratio: {}` to the entry", base::python_repr(limit)));
}

static void check_global(const Masks& masks, const Group& group) {
  const Target* rated = rated_member(masks, group);
  if (rated == nullptr) {
    return;
  }
  const double ratio = *ratio_of(*rated);
  const Value* place = rated->get("sparse_ratio");
  const bool limited = std::ranges::none_of(
      group.members, [](const Target* member) { return member->get("max_sparse_ratio") == nullptr; });
  if (!std::isfinite(ratio)) {
    reject(masks, *rated, place, diag::group_ratio_not_finite, base::python_repr(ratio), name_of_group(group));
  } else if (ratio >= 1 && !limited) {
    masks.context.sink.report(diag::global_ratio_masks_nothing, entry_of(masks, *rated).place(place),
                              base::python_repr(ratio));
  } else {
    check_limit(masks, group, *rated, ratio);
  }
}

DIAGNOSTIC(SP411, ratio_bounds_crossed, warning, (Text, Text),
           "`min_sparse_ratio` {} exceeds `max_sparse_ratio` {}, which overrides it",
           "NNI first raises the ratio to the minimum and then lowers it to the maximum, so the maximum decides.",
           "swap the two values, or delete one")

DIAGNOSTIC(SP435, ratio_limited, warning, (Text, Text), "`sparse_ratio` {} is limited by `max_sparse_ratio` {}",
           "Outside of groups, NNI lowers the ratio of a target to its maximum, so that the maximum is the ratio.",
           "write a `max_sparse_ratio` of at least the ratio")

static void check_limit(const Masks& masks, const Target& target) {
  const double* ratio = ratio_of(target);
  const auto max = plain_number(target.get("max_sparse_ratio"));
  const bool grouped = target.get("global_group_id") != nullptr || target.get("dependency_group_id") != nullptr;
  const bool crossed = max && plain_number(target.get("min_sparse_ratio")).value_or(0) > *max;  // reported by itself
  if (grouped || ratio == nullptr || !max || *max >= *ratio || *ratio > 1 || crossed) return;
  const Value& limit = *target.get("max_sparse_ratio");
  auto& report = masks.context.sink.report(diag::ratio_limited, entry_of(masks, target).place(&limit),
                                           base::python_repr(*ratio), base::python_repr(*max));
  const Value& own = *target.get("sparse_ratio");
  if (!own.span.empty()) report.with_label(own.span, "the ratio");
  report.with_help(
      fmt::format("delete `max_sparse_ratio` for a ratio of {}, or add `global_group_id: 1` to limit single "
                  "layers of a common ratio",
                  base::python_repr(*ratio)));
}

static void check_bounds(const Masks& masks, const Target& target) {
  const auto min = plain_number(target.get("min_sparse_ratio"));
  const auto max = plain_number(target.get("max_sparse_ratio"));
  if (min && max && *min > *max) {
    masks.context.sink.report(diag::ratio_bounds_crossed, entry_of(masks, target).place(target.get("min_sparse_ratio")),
                              base::python_repr(*min), base::python_repr(*max));
  }
}

// Returns `total_times` if it is negative and its update comes, or null. The only update then multiplies all ratios
// and their bounds by a negative number.
static const Value* negative_times(const Masks& masks) {
  const ConstructorCall* main = masks.compressor.main ? &*masks.compressor.main : nullptr;
  if (main == nullptr || main->spec == nullptr || main->spec->kind.as<Schedule>() != Schedule::repeated) {
    return nullptr;
  }
  const double interval = argument_of(*main, "interval_steps");
  const bool updates = interval > 0 && interval == std::floor(interval);
  return updates && argument_of(*main, "total_times") < 0 ? find_value(main->arguments, "total_times") : nullptr;
}

// Returns the field whose value NNI rejects if it becomes negative, or "". NNI uses 0 for a negative ratio without
// bounds.
static std::string_view fails_if_negated(const Target& target) {
  const double* ratio = ratio_of(target);
  if (ratio == nullptr) {
    return "";
  }
  if (target.get("dependency_group_id") != nullptr) {
    return *ratio > 0 ? "sparse_ratio" : "";
  }
  const auto has = [&](std::string_view bound) { return plain_number(target.get(bound)).value_or(0) != 0; };
  if (target.get("global_group_id") == nullptr && has("max_sparse_ratio")) {
    return "max_sparse_ratio";
  }
  return *ratio > 0 && has("min_sparse_ratio") ? "min_sparse_ratio" : "";
}

DIAGNOSTIC(SP327, negative_times, error, (Text, Text, Text), "`total_times` {} makes `{}` of `{}` negative",
           "The only update multiplies all ratios and their bounds by a negative number. NNI rejects a negative bound "
           "and a negative ratio of a dependency group.",
           "write a whole number greater than 0")

static void report_negated(const Masks& masks, const Target& target, const Value& times) {
  Entry& entry = entry_of(masks, target);
  entry.valid = false;
  const std::string_view name = fails_if_negated(target);
  masks.context.sink.report(diag::negative_times, times.span, source::python_str(times), name, target.shown())
      .with_label(entry.place(target.get(name)), "negative after the update");
}

DIAGNOSTIC(SP431, aligned_size_differs, error, (Text, std::uint64_t, Text, std::uint64_t),
           "`{}` has {} elements, but its mask from `{}` has {}",
           "An aligned target copies the mask of another target along the aligned dimensions. NNI stops with an error "
           "if the sizes differ. This check needs shapes.",
           "list only `weight` in `target_names`, or align other dimensions")

// An aligned mask has the size of the source mask along the aligned dimensions. The first dimension of the weight of
// a transposed convolution is its inputs, but its bias has one element per output. A target aligned to a source that
// is ranked by input channels gets one number for the whole tensor.
static void check_aligned_size(const Masks& masks, const Target& target, const Map& parts, const std::string& module,
                               const std::string& tensor) {
  const auto own = masks.context.model.shape(target.module.name, target.name);
  const auto source = masks.context.model.shape(module, tensor);
  const Value* dims = find_value(parts, "dims");
  const auto* list = dims == nullptr ? nullptr : dims->get<source::List>();
  const auto* first = list == nullptr || list->size() != 1 ? nullptr : list->front().get<std::int64_t>();
  if (masks.ranked_by_inputs.contains({module, tensor}) || !own || !source || own->size() != 1 || first == nullptr ||
      *first < 0 || *first >= static_cast<std::int64_t>(source->size())) {
    return;
  }
  const std::uint64_t followed = (*source)[static_cast<std::size_t>(*first)];
  if (followed != own->front() && followed != 1) {
    reject(masks, target, target.get("align"), diag::aligned_size_differs, target.shown(), own->front(),
           module + "." + tensor, followed);
  }
}

static std::string text_of(const Map& map, std::string_view key, const std::string& otherwise) {
  const Value* value = find_value(map, key);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? otherwise : *text;
}

DIAGNOSTIC(SP417, align_without_source, error, (Text, Text),
           "`{}` is aligned to `{}`, which is not masked independently",
           "An aligned target copies the mask of another target. The mask must come from a ratio, a threshold or a "
           "group, not from another alignment. By default a bias is aligned to its weight, so NNI stops if a bias is "
           "selected and its weight lacks a ratio.",
           "set a `sparse_ratio` for the source of the alignment")

// A target with a threshold is also aligned afterwards.
static void check_alignment(const Masks& masks, const Target& target) {
  const Value* align = target.get("align");
  const auto* parts = align == nullptr ? nullptr : align->get<Map>();
  if (!is_there(target, masks.context) || parts == nullptr || target.get("sparse_ratio") != nullptr) {
    return;
  }
  const std::string module = text_of(*parts, "module_name", target.module.name);
  std::string tensor = text_of(*parts, "target_name", "weight");
  tensor += tensor == "_input_" || tensor == "_output_" ? "0" : "";
  const bool found = masks.masked.contains(key_of(module, target.module.type, tensor));
  Entry& entry = entry_of(masks, target);
  if (!found && entry.valid) {
    entry.valid = false;
    const std::string source = module.empty() ? tensor : module + "." + tensor;
    masks.context.sink.report(diag::align_without_source, entry.place(align), target.shown(), source)
        .with_help("set a ratio for the other target, or exclude this target with `target_names`");
  } else if (found && entry.valid) {
    check_aligned_size(masks, target, *parts, module, tensor);
  }
}

// Returns true if it is known which entries select the same module: with a model, or if all entries name their modules.
static bool is_decided(const Compressor& compressor, const Context& context) {
  return context.model.known() || compressor.entries.size() == 1 ||
         std::ranges::all_of(compressor.entries, [](const Entry& entry) {
           const Selectors selected = selectors_of(entry.fields);
           return selected.types.empty() && selected.patterns.empty();
         });
}

static void check_all(const Masks& masks) {
  const auto there = [&](const Target& target) { return is_there(target, masks.context); };
  for (const Group& group : groups_of(masks.targets, "dependency_group_id", there)) {
    check_dependent(masks, group);
  }
  const auto independent = [&](const Target& target) {
    return is_there(target, masks.context) && target.get("dependency_group_id") == nullptr;
  };
  for (const Group& group : groups_of(masks.targets, "global_group_id", independent)) {
    check_global(masks, group);
  }
  for (const Target& target : masks.targets) {
    check_bounds(masks, target);
    check_limit(masks, target);
    check_alignment(masks, target);
  }
  const Value* times = negative_times(masks);
  const auto fails = [&](const Target& target) {
    return is_there(target, masks.context) && !fails_if_negated(target).empty();
  };
  const auto first = std::ranges::find_if(masks.targets, fails);
  if (times != nullptr && first != masks.targets.end()) report_negated(masks, *first, *times);
}

// Returns true for members that are not the same module.
static bool are_different(const Target& one, const Target& other) {
  const bool by_types = one.module.name.empty() && other.module.name.empty();
  return by_types ? one.module.type != other.module.type : one.module.name != other.module.name;
}

// Warns of different ratios in a group whose members have different names or types. NNI stops only if the model has
// both.
static void check_ratios_of_types(const Masks& masks) {
  for (const std::string_view key : {"dependency_group_id", "global_group_id"}) {
    const auto rated = [](const Target& target) { return ratio_of(target) != nullptr; };
    for (const Group& group : groups_of(masks.targets, key, rated)) {
      const Target& first = *group.members.front();
      const auto differs = [&](const Target* member) {
        return are_different(*member, first) && *ratio_of(*member) != *ratio_of(first);
      };
      const auto member = std::ranges::find_if(group.members, differs);
      if (member == group.members.end()) continue;
      const Target& other = **member;
      auto& report =
          masks.context.sink.report(diag::group_mismatch, entry_of(masks, other).place(other.get("sparse_ratio")),
                                    base::python_repr(*ratio_of(other)), base::python_repr(*ratio_of(first)));
      report.with_severity(diag::Severity::warning);
      if (!first.get("sparse_ratio")->span.empty())
        report.with_label(first.get("sparse_ratio")->span, "the other ratio");
      offer_same_ratio(report, masks, other, first);
    }
  }
}

DIAGNOSTIC(SP834, speedup_of_single_weights, silent_warning, (Text),
           "`{}` masks single weights, so `ModelSpeedup` removes nothing",
           "`ModelSpeedup` removes channels whose weights are all masked. Masks of single weights leave every channel "
           "some weights, so the network keeps its shapes and its speed.",
           "use a pruner that masks whole channels, such as `L1NormPruner`")

// Returns true for a script that calls `ModelSpeedup`. Comments do not count.
static bool speeds_up(const Context& context) {
  const std::string_view text = context.in_script ? context.file.text() : std::string_view();
  for (std::size_t at = text.find("ModelSpeedup("); at != std::string_view::npos;
       at = text.find("ModelSpeedup(", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find('#') == std::string_view::npos) return true;
  }
  return false;
}

static void check_speedup(const Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  const ClassSpec* maker = compressor.mask_class();
  const auto is_single = [&](const Target& target) {
    return structure_of(compressor, target).kind == ir::Structure::Kind::unstructured;
  };
  if (maker == nullptr || targets.empty() || !std::ranges::all_of(targets, is_single) || !speeds_up(context)) return;
  context.sink.report(diag::speedup_of_single_weights, compressor.main->name.span, maker->name)
      .with_help("write `L1NormPruner`, which masks whole channels");
}

void check_masks(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  const bool whole = std::ranges::all_of(compressor.entries, &Entry::valid);
  const bool prunes = compressor.main || mode_of(compressor.entries) == Mode::pruning;
  if (!whole || !prunes || compressor.mode != Mode::pruning || !compressor.has_known_checks() ||
      !compressor.makes_masks) {
    return;
  }
  check_speedup(compressor, targets, context);
  if (compressor.main) {
    check_wrapped({compressor.speedup, compressor.compress_call, compressor.main->name}, context);
  }
  const Masks masks(compressor, targets, context);
  is_decided(compressor, context) ? check_all(masks) : check_ratios_of_types(masks);
}

}  // namespace sparsecfg::dialect::nni
