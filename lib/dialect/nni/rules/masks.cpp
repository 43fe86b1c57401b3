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

DIAGNOSTIC(SP411, ratio_bounds_crossed, warning, (Text, Text),
           "`min_sparse_ratio` {} exceeds `max_sparse_ratio` {}, which overrides it",
           "NNI first raises the ratio to the minimum and then lowers it to the maximum, so the maximum decides.",
           "swap the two values, or delete one")

DIAGNOSTIC(SP417, align_without_source, error, (Text, Text),
           "`{}` is aligned to `{}`, which is not masked independently",
           "An aligned target copies the mask of another target. The mask must come from a ratio, a threshold or a "
           "group, not from another alignment. By default a bias is aligned to its weight, so NNI stops if a bias is "
           "selected and its weight lacks a ratio.",
           "set a `sparse_ratio` for the source of the alignment")

DIAGNOSTIC(SP418, global_ratio_masks_nothing, warning, (Text),
           "a global ratio of {} has no effect without `max_sparse_ratio`",
           "If the ratio of a global group is 1 or more, NNI masks each member with its `max_sparse_ratio`. Members "
           "without a `max_sparse_ratio` are not masked.",
           "add `max_sparse_ratio` to the entries of the group")

class MaskCheck {
 public:
  MaskCheck(Compressor& compressor, const std::vector<Target>& targets, const Context& context)
      : compressor_(compressor), targets_(targets), context_(context), sink_(context.sink) {
    for (const Target& target : targets) {
      if (has_own_mask(target) && is_there(target)) {
        masked_.insert(key_of(target.module.name, target.module.type, target.name));
      }
      const Value* unit = target.get("granularity");
      const auto* text = unit == nullptr ? nullptr : unit->get<std::string>();
      if (text != nullptr && *text == "in_channel") ranked_by_inputs_.emplace(target.module.name, target.name);
    }
  }

  void run() {
    const auto there = [&](const Target& target) { return is_there(target); };
    for (const Group& group : groups_of(targets_, "dependency_group_id", there)) {
      check_dependent(group);
    }
    const auto independent = [&](const Target& target) {
      return is_there(target) && target.get("dependency_group_id") == nullptr;
    };
    for (const Group& group : groups_of(targets_, "global_group_id", independent)) {
      check_global(group);
    }
    for (const Target& target : targets_) {
      check_bounds(target);
      check_alignment(target);
    }
    const Value* times = negative_times();
    const auto fails = [&](const Target& target) { return is_there(target) && !fails_if_negated(target).empty(); };
    const auto first = std::ranges::find_if(targets_, fails);
    if (times != nullptr && first != targets_.end()) report_negated(*first, *times);
  }

 private:
  Entry& entry_of(const Target& target) { return compressor_.entries[target.entry]; }

  void reject(const Target& target, const Value* place, const std::string& what, const Value* label = nullptr,
              const char* text = "") {
    Entry& entry = entry_of(target);
    entry.valid = false;
    auto& report = sink_.report(diag::group_mismatch, entry.place(place), what);
    if (label != nullptr && !label->span.empty()) {
      report.with_label(label->span, text);
    }
  }

  static std::string shown(const Group& group) { return fmt::format("the group {}", source::python_str(*group.id)); }

  // Reports members with different ratios. Returns false if any are reported. `first`: the first member with a ratio.
  bool agrees(const Group& group, const Target*& first) {
    for (const Target* member : group.members) {
      const double* ratio = ratio_of(*member);
      if (ratio == nullptr) {
        continue;
      }
      if (first != nullptr && *ratio != *ratio_of(*first)) {
        reject(*member, member->get("sparse_ratio"),
               fmt::format("ratio {} differs from ratio {} in the same group", base::python_repr(*ratio),
                           base::python_repr(*ratio_of(*first))),
               first->get("sparse_ratio"), "the other ratio");
        return false;
      }
      first = member;
    }
    return true;
  }

  void check_dependent(const Group& group) {
    const Target* rated = nullptr;
    if (!agrees(group, rated)) {
      return;
    }
    const auto idle = std::ranges::find_if(group.members, [](const Target* member) { return !has_own_mask(*member); });
    if (rated == nullptr) {
      reject(*group.members.front(), group.id, shown(group) + " requires a ratio");
    } else if (idle != group.members.end()) {
      reject(**idle, group.id,
             fmt::format("`{}` requires a ratio, because it is in {}", (*idle)->shown(), shown(group)));
    } else if (const double ratio = *ratio_of(*rated); !(ratio >= 0 && ratio <= 1)) {
      reject(*rated, rated->get("sparse_ratio"),
             fmt::format("the ratio {} of a dependency group is not between 0 and 1", base::python_repr(ratio)));
    } else if (const double most = greatest_share(); ratio * most > 1) {
      reject(*rated, rated->get("sparse_ratio"),
             fmt::format("the ratio {} of a dependency group exceeds 1 when its schedule multiplies it by {:.4g}",
                         base::python_repr(ratio), most));
    } else {
      check_fit(group, ratio);
    }
  }

  // Returns false if the blocks of the target depend on the class, which is unknown.
  bool divides_alike(const Target& target) const {
    const Value* granularity = target.get("granularity");
    const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
    return compressor_.maker() != nullptr || word == nullptr || *word != "default";
  }

  // If `total_times` is not a whole number, the schedule exceeds the target ratio.
  double greatest_share() const {
    const auto goals = uneven_goals_of(compressor_);
    return goals && !goals->shares.empty() ? *std::ranges::max_element(goals->shares) : 1;
  }

  // Members are ranked by the mean of their metrics, so all metrics must have the same shape. Parts of a group are
  // ranked separately. Without a class, blocks by default are single weights or whole outputs: the group is rejected
  // only if its members fit in neither case.
  void check_fit(const Group& group, double ratio) {
    const ClassSpec* by_weight = find_class("LevelPruner");
    if (std::ranges::all_of(group.members, [&](const Target* member) { return divides_alike(*member); })) {
      check_fit(group, ratio, compressor_.maker());
    } else if (!fits(group, by_weight) && !fits(group, find_class("L1NormPruner"))) {
      check_fit(group, ratio, by_weight);
    }
  }

  // Returns true if the metrics of all members have the same shape, or if a shape is unknown.
  bool fits(const Group& group, const ClassSpec* maker) const {
    std::optional<model::Shape> expected;
    for (const Target* member : group.members) {
      const auto shape = context_.model.shape(member->module.name, member->name);
      const auto ranked = shape ? metric_shape(blocks_of(*member, maker), *shape) : std::nullopt;
      if (!ranked) return true;
      if (expected && *expected != *ranked) return false;
      expected = ranked;
    }
    return true;
  }

  void check_fit(const Group& group, double ratio, const ClassSpec* maker) {
    const Target* first = nullptr;
    std::optional<model::Shape> expected;
    std::uint64_t parts = 1;
    for (const Target* member : group.members) {
      const auto shape = context_.model.shape(member->module.name, member->name);
      const auto ranked = shape ? metric_shape(blocks_of(*member, maker), *shape) : std::nullopt;
      if (!ranked) {
        return;
      }
      if (expected && *expected != *ranked) {
        report_fit(*first, *expected, *member, *ranked);
        return;
      }
      first = first == nullptr ? member : first;
      expected = ranked;
      parts = with_part(parts, *member);
    }
    const std::uint64_t count = model::elements_of(*expected).value_or(0);
    if (ratio > 0 && ratio < 1 && count % parts != 0) {
      reject(
          *first, first->get("internal_metric_block"),
          fmt::format("{} parts of equal size do not divide the {} metric values of {}", parts, count, shown(group)));
    }
  }

  static std::uint64_t with_part(std::uint64_t parts, const Target& member) {
    const Value* given = member.get("internal_metric_block");
    const auto* own = given == nullptr ? nullptr : given->get<std::int64_t>();
    constexpr std::uint64_t kMaxParts = 1 << 24;
    return own == nullptr || *own <= 0 || parts > kMaxParts ? parts : std::lcm(parts, static_cast<std::uint64_t>(*own));
  }

  void report_fit(const Target& first, const model::Shape& expected, const Target& other, const model::Shape& shape) {
    const Value* id = other.get("dependency_group_id");
    reject(other, id,
           fmt::format("`{}` has a metric of shape {} and `{}` one of {}, so they can't share a group", other.shown(),
                       model::to_text(shape), first.shown(), model::to_text(expected)));
  }

  void check_global(const Group& group) {
    const Target* rated = nullptr;
    if (!agrees(group, rated)) {
      return;
    }
    const auto bare = std::ranges::find_if(group.members, [](const Target* member) { return !has_own_mask(*member); });
    if (rated == nullptr) {
      reject(*group.members.front(), group.id, shown(group) + " requires a ratio");
    } else if (bare != group.members.end()) {
      reject(**bare, group.id,
             fmt::format("`{}` requires a ratio, because it is in {}", (*bare)->shown(), shown(group)));
    } else if (!std::isfinite(*ratio_of(*rated))) {
      reject(*rated, rated->get("sparse_ratio"),
             fmt::format("the ratio {} of {} is not finite", base::python_repr(*ratio_of(*rated)), shown(group)));
    } else if (*ratio_of(*rated) >= 1 && std::ranges::any_of(group.members, [](const Target* member) {
                 return member->get("max_sparse_ratio") == nullptr;
               })) {
      const Entry& entry = entry_of(*rated);
      sink_.report(diag::global_ratio_masks_nothing, entry.place(rated->get("sparse_ratio")),
                   base::python_repr(*ratio_of(*rated)));
    }
  }

  void check_bounds(const Target& target) {
    const auto min = plain_number(target.get("min_sparse_ratio"));
    const auto max = plain_number(target.get("max_sparse_ratio"));
    if (min && max && *min > *max) {
      sink_.report(diag::ratio_bounds_crossed, entry_of(target).place(target.get("min_sparse_ratio")),
                   base::python_repr(*min), base::python_repr(*max));
    }
  }

  // Returns `total_times` if it is negative and its update comes, or null. The only update then multiplies all ratios
  // and their bounds by a negative number.
  const Value* negative_times() const {
    const Part* main = compressor_.main ? &*compressor_.main : nullptr;
    if (main == nullptr || main->spec == nullptr || main->spec->meaning.as<Schedule>() != Schedule::repeated) {
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

  void report_negated(const Target& target, const Value& times) {
    Entry& entry = entry_of(target);
    entry.valid = false;
    const std::string_view name = fails_if_negated(target);
    auto& report = sink_.report(
        diag::nni_steps_mismatch, times.span,
        fmt::format("`total_times` {} makes `{}` of `{}` negative", source::python_str(times), name, target.shown()));
    report.with_label(entry.place(target.get(name)), "negative after the update")
        .with_help("write a whole number greater than 0");
  }

  // --- alignment -------------------------------------------------------------------------------------

  // Returns false for the bias of a layer without a bias.
  bool is_there(const Target& target) const {
    return !target.is_parameter() || !context_.model.lacks(target.module.name, target.name);
  }

  static bool has_own_mask(const Target& target) {
    return target.get("sparse_ratio") != nullptr || target.get("sparse_threshold") != nullptr;
  }

  // A target with a threshold is also aligned afterwards.
  void check_alignment(const Target& target) {
    const Value* align = target.get("align");
    const auto* parts = align == nullptr ? nullptr : align->get<Map>();
    if (!is_there(target) || parts == nullptr || target.get("sparse_ratio") != nullptr) {
      return;
    }
    const std::string module = text_of(*parts, "module_name", target.module.name);
    std::string tensor = text_of(*parts, "target_name", "weight");
    tensor += tensor == "_input_" || tensor == "_output_" ? "0" : "";
    const bool found = masked_.contains(key_of(module, target.module.type, tensor));
    Entry& entry = entry_of(target);
    if (!found && entry.valid) {
      entry.valid = false;
      const std::string source = module.empty() ? tensor : module + "." + tensor;
      sink_.report(diag::align_without_source, entry.place(align), target.shown(), source)
          .with_help("set a ratio for the other target, or exclude this target with `target_names`");
    } else if (found && entry.valid) {
      check_aligned_size(target, *parts, module, tensor);
    }
  }

  // An aligned mask has the size of the source mask along the aligned dimensions. The first dimension of the weight of
  // a transposed convolution is its inputs, but its bias has one element per output. A target aligned to a source that
  // is ranked by input channels gets one number for the whole tensor.
  void check_aligned_size(const Target& target, const Map& parts, const std::string& module,
                          const std::string& tensor) {
    const auto own = context_.model.shape(target.module.name, target.name);
    const auto source = context_.model.shape(module, tensor);
    const Value* dims = find_value(parts, "dims");
    const auto* list = dims == nullptr ? nullptr : dims->get<source::List>();
    const auto* first = list == nullptr || list->size() != 1 ? nullptr : list->front().get<std::int64_t>();
    if (ranked_by_inputs_.contains({module, tensor}) || !own || !source || own->size() != 1 || first == nullptr ||
        *first < 0 || *first >= static_cast<std::int64_t>(source->size())) {
      return;
    }
    const std::uint64_t followed = (*source)[static_cast<std::size_t>(*first)];
    if (followed != own->front() && followed != 1) {
      reject(target, target.get("align"),
             fmt::format("`{}` has {} elements, but its mask from `{}.{}` has {}", target.shown(), own->front(), module,
                         tensor, followed));
    }
  }

  // Without a name, the type identifies the modules.
  static std::string key_of(const std::string& module, const std::string& type, const std::string& tensor) {
    return (module.empty() ? type : module) + "\n" + tensor;
  }

  static std::string text_of(const Map& map, std::string_view key, const std::string& otherwise) {
    const Value* value = find_value(map, key);
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return text == nullptr ? otherwise : *text;
  }

  Compressor& compressor_;
  const std::vector<Target>& targets_;
  const Context& context_;
  diag::Sink& sink_;
  std::set<std::string> masked_;                                    // targets that have their own mask
  std::set<std::pair<std::string, std::string>> ranked_by_inputs_;  // modules and tensors
};

// Returns true if it is known which entries select the same module: with a model, or if all entries name their modules.
static bool is_decided(const Compressor& compressor, const Context& context) {
  return context.model.known() || compressor.entries.size() == 1 ||
         std::ranges::all_of(compressor.entries, [](const Entry& entry) {
           return texts_of(entry.fields, "op_types").empty() && texts_of(entry.fields, "op_names_re").empty();
         });
}

void check_masks(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  const bool whole = std::ranges::all_of(compressor.entries, &Entry::valid);
  const bool prunes = compressor.main || mode_of(compressor.entries) == Mode::pruning;
  if (whole && prunes && compressor.mode == Mode::pruning && compressor.has_known_checks() && compressor.makes_masks &&
      is_decided(compressor, context)) {
    MaskCheck(compressor, targets, context).run();
  }
}

}  // namespace sparsecfg::dialect::nni
