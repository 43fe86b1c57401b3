#include "outcome/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "outcome/words.h"

namespace sparsecfg::outcome {

using Names = std::vector<std::uint32_t>;

// --- methods ----------------------------------------------------------------------------------------------------

static const ir::MethodSetting* find_setting(const ir::Method& method, std::string_view name) {
  const auto found = std::ranges::find(method.settings, name, &ir::MethodSetting::name);
  return found == method.settings.end() ? nullptr : &*found;
}

std::vector<std::string> method_changes(const ir::Method& before, const ir::Method& after) {
  std::vector<std::string> out;
  if (before.name.empty() || after.name.empty()) return {};
  if (before.name != after.name) return {fmt::format("{} -> {}", before.text(), after.text())};
  const auto is_unknown = [](const ir::MethodSetting* setting) { return setting != nullptr && setting->unknown; };
  const auto text = [&](const ir::MethodSetting* setting) {
    return setting == nullptr ? "not set" : is_unknown(setting) ? "unknown" : setting->value;
  };
  const auto add = [&](const std::string& name, const ir::MethodSetting* one, const ir::MethodSetting* other) {
    const bool both = one != nullptr && other != nullptr;
    const bool same = both ? *one == *other : (one != nullptr ? one : other)->usual;
    if (!same && !(is_unknown(one) && is_unknown(other)))
      out.push_back(fmt::format("{} {} {} -> {}", before.text(), name, text(one), text(other)));
  };
  for (const ir::MethodSetting& one : before.settings) add(one.name, &one, find_setting(after, one.name));
  for (const ir::MethodSetting& other : after.settings) {
    if (find_setting(before, other.name) == nullptr) add(other.name, nullptr, &other);
  }
  return out;
}

// Returns true if a method has an unknown setting.
static bool has_unknown(const ir::Method& method) {
  return std::ranges::any_of(method.settings, &ir::MethodSetting::unknown);
}

// --- states -----------------------------------------------------------------------------------------------------

namespace {

// A difference of two states, without the names of the modules.
struct PartChange {
  std::string text;    // "int4 -> 16 bits"
  std::string detail;  // empty: none

  friend auto operator<=>(const PartChange&, const PartChange&) = default;
};

// Compares two states.
class StateComparison {
 public:
  StateComparison(const Outcome& before, const State& one, const Outcome& after, const State& other)
      : before_(before), one_(one), after_(after), other_(other) {}

  std::vector<PartChange> run() {
    compare_schemes();
    compare_caches();
    if (before_.recipe->is_result || after_.recipe->is_result) return std::move(out_);
    compare_prunings();
    const std::size_t methods = out_.size();
    compare_transforms();
    if (out_.size() == methods) compare_order();
    return std::move(out_);
  }

 private:
  void add(std::string text, std::string detail = {}) { out_.push_back({std::move(text), std::move(detail)}); }

  void compare_schemes() {
    const bool stored = before_.recipe->is_result || after_.recipe->is_result || uses_another_method();
    const ir::Scheme one = stored ? stored_part(one_.scheme) : one_.scheme;
    const ir::Scheme other = stored ? stored_part(other_.scheme) : other_.scheme;
    if (one != other) {
      const std::string before = ir::short_name(one);
      const std::string after = ir::short_name(other);
      const std::string all = ir::changes(one, other);
      const bool short_text = before != after;
      add(short_text ? fmt::format("{} -> {}", before, after) : all,
          short_text && !one.is_empty() && !other.is_empty() ? all : "");
    }
    if (!one.is_empty() && !other.is_empty()) compare_methods(*one_.assigned, *other_.assigned);
  }

  // The settings of two methods can't be compared.
  bool uses_another_method() const {
    return one_.assigned && other_.assigned &&
           before_.method(*one_.assigned).name != after_.method(*other_.assigned).name;
  }

  void compare_methods(const Step& one, const Step& other) {
    for (std::string& change : method_changes(before_.method(one), after_.method(other))) add(std::move(change));
  }

  void compare_prunings() {
    const std::string one = pruning_text(before_, one_);
    const std::string other = pruning_text(after_, other_);
    if (one != other) {
      add(fmt::format("{} -> {}", one, other));
    } else if (one_.pruned && other_.pruned) {
      compare_methods(*one_.pruned, *other_.pruned);
    }
  }

  void compare_caches() {
    const std::string one = cache_text(before_, one_);
    const std::string other = cache_text(after_, other_);
    if (one != other) {
      add(fmt::format("cache {} -> {}", one, other));
    } else if (one_.cached && other_.cached) {
      compare_methods(*one_.cached, *other_.cached);
    }
  }

  // Pairs transforms of the same method in order.
  void compare_transforms() {
    std::vector<Step> left = other_.transforms;
    for (const Step& step : one_.transforms) {
      const ir::Method& method = before_.method(step);
      const auto same = [&](const Step& each) { return after_.method(each).name == method.name; };
      const auto found = std::ranges::find_if(left, same);
      if (found == left.end()) {
        add("no longer " + transform_text(before_, step));
      } else {
        compare_methods(step, *found);
        left.erase(found);
      }
    }
    for (const Step& step : left) add("now " + transform_text(after_, step));
  }

  void compare_order() {
    const std::vector<std::string> one = order_of(before_, one_);
    const std::vector<std::string> other = order_of(after_, other_);
    if (one == other || !std::ranges::is_permutation(one, other)) return;
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (one[at] != other[at]) return add(fmt::format("{} now runs after {}", one[at], other[at]));
    }
  }

  static std::vector<std::string> order_of(const Outcome& outcome, const State& state) {
    std::vector<std::string> out;
    for (const Step& step : state.order) out.push_back(outcome.method(step).text());
    return out;
  }

  const Outcome& before_;
  const State& one_;
  const Outcome& after_;
  const State& other_;
  std::vector<PartChange> out_;
};

// Returns true if a part of a state depends on an unknown value.
bool depends_on_unknown(const Outcome& outcome, const State& state) {
  const auto unknown = [&](const Step& step) { return has_unknown(outcome.method(step)); };
  return state.unknown || std::ranges::any_of(state.order, unknown);
}

void add_actions(const State& state, std::vector<std::uint32_t>& out) {
  const auto add = [&](const Step& step) {
    if (std::ranges::find(out, step.by.action) == out.end()) out.push_back(step.by.action);
  };
  if (state.assigned) add(*state.assigned);
  std::ranges::for_each(state.order, add);
}

}  // namespace

Difference difference(const Outcome& before, const Outcome& after, const std::vector<model::Module>& modules) {
  Difference out;
  if (!before.complete || !after.complete || before.of_names.size() != after.of_names.size()) {
    out.not_compared.emplace_back(before.complete && after.complete ? "the recipes apply to different layers"
                                                                    : "the rules are too many patterns for the model");
    return out;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Names> pairs;
  for (std::uint32_t at = 0; at < before.of_names.size(); ++at) {
    pairs[{before.of_names[at], after.of_names[at]}].push_back(at);
  }
  std::map<PartChange, Change> changes;
  std::size_t unknown = 0;
  for (const auto& [states, names] : pairs) {
    const State& one = before.states[states.first];
    const State& other = after.states[states.second];
    if (depends_on_unknown(before, one) || depends_on_unknown(after, other)) unknown += names.size();
    if (one.unknown != other.unknown) continue;
    for (PartChange& part : StateComparison(before, one, after, other).run()) {
      Change& change = changes[std::move(part)];
      change.names.insert(change.names.end(), names.begin(), names.end());
      add_actions(one, change.before);
      add_actions(other, change.after);
    }
  }
  for (auto& [part, change] : changes) {
    std::ranges::sort(change.names);
    change.what = fmt::format("{}: {}", layers_text(change.names, names_of(*before.recipe, modules)), part.text);
    if (!part.detail.empty()) change.details.push_back(part.detail);
    out.changes.push_back(std::move(change));
  }
  std::ranges::sort(out.changes, {}, [](const Change& change) { return change.names.front(); });
  if (unknown > 0) {
    out.not_compared.push_back(
        fmt::format("{} on values that are not known",
                    unknown == 1 ? "1 layer depends" : fmt::format("{} layers depend", unknown)));
  }
  return out;
}

}  // namespace sparsecfg::outcome
