#include "diff/actions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "ir/describe.h"

namespace sparsecfg::diff {

using ir::OriginField;

// --- differences of two actions ---------------------------------------------------------------------

static std::string shown(const OriginField* field) {
  constexpr std::size_t kMaxLength = 60;
  if (field == nullptr) {
    return "(not set)";
  }
  const std::string text = base::printable(source::python_str(field->value));
  return text.size() <= kMaxLength ? text : text.substr(0, kMaxLength) + "...";
}

// Adds the differences of two values, each with the keys that lead to it: "group_0.weights.num_bits: 4 -> 3".
static void add_changes(const std::string& path, const source::Value& before, const source::Value& after,
                        std::vector<std::string>& out) {
  const auto* one = before.get<source::Map>();
  const auto* other = after.get<source::Map>();
  const auto short_text = [](const source::Value& value) {
    const OriginField field{{}, {}, value};
    return shown(&field);
  };
  if (before == after) return;
  if (one == nullptr || other == nullptr) {
    const std::string now = short_text(after);
    const std::string then = short_text(before);
    out.push_back(fmt::format("{}{}{}", path, path.empty() ? "" : ": ",
                              now == then ? then + " changed" : fmt::format("{} -> {}", then, now)));
    return;
  }
  const auto joined = [&](const source::Value& key) {
    return fmt::format("{}{}{}", path, path.empty() ? "" : ".", base::printable(source::python_str(key)));
  };
  for (const auto& [key, value] : *one) {
    const source::Value* now = after.find(source::python_str(key));
    if (now == nullptr) out.push_back(joined(key) + " removed");
    if (now != nullptr) add_changes(joined(key), value, *now, out);
  }
  for (const auto& [key, value] : *other) {
    if (before.find(source::python_str(key)) == nullptr) out.push_back(joined(key) + ": " + short_text(value));
  }
}

static std::string list_changes(const source::Value& before, const source::Value& after) {
  constexpr std::size_t kMaxShown = 4;
  std::vector<std::string> all;
  add_changes("", before, after, all);
  const std::size_t more = all.size() - std::min(all.size(), kMaxShown);
  all.resize(all.size() - more);
  return fmt::format("{}{}", fmt::join(all, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// A mapping or a long value may differ only after the shown part.
static std::string change_of(const std::string& name, const OriginField* before, const OriginField* after) {
  const std::string one = shown(before);
  const std::string other = shown(after);
  const bool is_mapping = before != nullptr && after != nullptr && before->value.get<source::Map>() != nullptr;
  return fmt::format("`{}`: {}", base::printable(name),
                     is_mapping || one == other ? list_changes(before->value, after->value) : one + " -> " + other);
}

std::vector<std::string> different_fields(const ir::Recipe& before, const Action& one, const ir::Recipe& after,
                                          const Action& other) {
  const bool comparable = before.dialect == after.dialect && one.origin.class_name == other.origin.class_name;
  return comparable ? changed_fields(one, other) : std::vector<std::string>();
}

// Returns true if the values are equal. A number may be written as a string.
static bool is_same_value(const source::Value& one, const source::Value& other) {
  const auto number = [](const source::Value& value) {
    const auto* text = value.get<std::string>();
    return text != nullptr ? base::python_float(*text) : value.number();
  };
  return one == other || (number(one) && number(one) == number(other));
}

std::string setting_change(std::string_view name, const source::Value* before, const source::Value* after) {
  if (before == after || (before != nullptr && after != nullptr && is_same_value(*before, *after))) return {};
  const auto field = [](const source::Value* value) {
    return OriginField{{}, {}, value == nullptr ? source::Value() : *value};
  };
  const OriginField one = field(before);
  const OriginField other = field(after);
  return change_of(std::string(name), before == nullptr ? nullptr : &one, after == nullptr ? nullptr : &other);
}

std::vector<std::string> changed_fields(const Action& one, const Action& other) {
  std::vector<std::string> out;
  for (const OriginField& field : one.origin.fields) {
    const OriginField* now = other.origin.find(field.name);
    if (now == nullptr || !is_same_value(field.value, now->value)) out.push_back(change_of(field.name, &field, now));
  }
  for (const OriginField& field : other.origin.fields) {
    if (one.origin.find(field.name) == nullptr) out.push_back(change_of(field.name, nullptr, &field));
  }
  return out;
}

bool is_same_time(const ir::Cadence& one, const ir::Cadence& other) {
  ir::Cadence a = one;
  ir::Cadence b = other;
  for (ir::Cadence* each : {&a, &b}) {
    if (each->start.value == -1) each->start.value = 0;
  }
  return a == b;
}

// Returns true if one value is a string and the other one a list with only this string. If the effects of two actions
// are equal, both mean the same.
static bool is_same_item(const source::Value& one, const source::Value& other) {
  const auto lists = [](const source::Value& list, const source::Value& item) {
    const auto* items = list.get<source::List>();
    return items != nullptr && items->size() == 1 && item.get<std::string>() != nullptr && items->front() == item;
  };
  return lists(one, other) || lists(other, one);
}

std::vector<std::string> unmodelled_fields(const Action& one, const Action& other) {
  std::vector<std::string> out;
  if (one.origin.class_name != other.origin.class_name || one.effect != other.effect || one.cadence != other.cadence) {
    return out;
  }
  for (const OriginField& field : one.origin.fields) {
    const OriginField* now = other.origin.find(field.name);
    if (now != nullptr && !is_same_value(field.value, now->value) && !is_same_item(field.value, now->value)) {
      out.push_back(change_of(field.name, &field, now));
    }
  }
  return out;
}

std::vector<std::string> different_choices(const ir::Prune& before, const ir::Prune& after) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view what, const std::string& one, const std::string& other) {
    if (one != other) out.push_back(fmt::format("{}: {} -> {}", what, one, other));
  };
  const auto ranked = [](const ir::Prune& prune) { return std::string(prune.global ? "together" : "separately"); };
  add("removes", ir::text_of(before.structure), ir::text_of(after.structure));
  add("ranked by", before.criterion, after.criterion);
  add("parameters are ranked", ranked(before), ranked(after));
  return out;
}

// --- pairs of actions -------------------------------------------------------------------------------

std::vector<std::size_t> actions_with(const ir::Recipe& recipe, const std::function<bool(const Action&)>& test) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (test(recipe.actions[at])) out.push_back(at);
  }
  std::ranges::sort(out, {}, [&](std::size_t at) { return recipe.actions[at].origin.span; });
  return out;
}

class Pairing {
 public:
  Pairing(const ir::Recipe& before, const ir::Recipe& after, const std::function<bool(const Action&)>& compares)
      : before_(before), after_(after), one_(actions_with(before, compares)), other_(actions_with(after, compares)) {}

  std::vector<Pair> run() {
    take([&](const Action& a, const Action& b) { return is_same(a, b); }, false);
    take([](const Action& a, const Action& b) {
      return a.origin.class_name == b.origin.class_name && acts_alike(a, b);
    });
    take([](const Action& a, const Action& b) { return acts_alike(a, b); });
    take([](const Action& a, const Action& b) { return a.effect.index() == b.effect.index(); });
    add_moves();
    for (const std::size_t at : one_) out_.push_back({at, std::nullopt, {}});
    for (const std::size_t at : other_) out_.push_back({std::nullopt, at, {}});
    return std::move(out_);
  }

 private:
  // NaN differs even from itself, so effects with NaN are equal if their origins are.
  bool is_same(const Action& one, const Action& other) const {
    const bool effect =
        one.effect == other.effect || (one.effect != ir::Effect(one.effect) && one.origin == other.origin);
    const bool opaque = std::holds_alternative<ir::Opaque>(one.effect);
    if (!effect || !is_same_time(one.cadence, other.cadence)) return false;
    if (before_.dialect != after_.dialect) return !opaque;
    if (opaque || !describes_class(one.effect)) return has_same_class(one, other) && fields_agree(one, other, opaque);
    return unmodelled_fields(one, other).empty();
  }

  // Returns true if the effect is all that the class of an action does.
  static bool describes_class(const ir::Effect& effect) {
    return std::holds_alternative<ir::HoldMask>(effect) || std::holds_alternative<ir::SetTrainable>(effect) ||
           std::holds_alternative<ir::SetParameter>(effect);
  }

  static bool has_same_class(const Action& one, const Action& other) {
    return one.origin.class_name == other.origin.class_name;
  }

  // The fields of an opaque action are all that is known of it.
  static bool fields_agree(const Action& one, const Action& other, bool opaque) {
    return (opaque ? changed_fields(one, other) : unmodelled_fields(one, other)).empty();
  }

  // Returns true if both have the same kind of effect on the same selectors, at any time.
  static bool acts_alike(const Action& one, const Action& other) {
    const auto mine = ir::selectors_of(one.effect);
    const auto theirs = ir::selectors_of(other.effect);
    return one.effect.index() == other.effect.index() &&
           std::ranges::equal(mine, theirs, [](const auto* a, const auto* b) { return a->terms == b->terms; });
  }

  void take(auto belongs, bool differs = true) {
    std::erase_if(one_, [&](std::size_t at) {
      const auto found = std::ranges::find_if(
          other_, [&](std::size_t now) { return belongs(before_.actions[at], after_.actions[now]); });
      if (found == other_.end()) return false;
      if (differs) add(at, *found);
      if (!differs) same_.emplace_back(at, *found);
      other_.erase(found);
      return true;
    });
  }

  void add(std::size_t one, std::size_t other) {
    Pair pair{one, other, details(before_.actions[one], after_.actions[other])};
    pair.comparable = before_.dialect == after_.dialect || !pair.details.empty();
    out_.push_back(std::move(pair));
  }

  // Reports two actions of one kind that act in another order than before. Other actions do not depend on their order.
  void add_moves() {
    std::ranges::sort(same_);
    for (std::size_t at = 1; at < same_.size(); ++at) {
      const auto& [earlier, earlier_now] = same_[at - 1];
      const auto& [later, later_now] = same_[at];
      if (earlier_now < later_now || !depend(before_.actions[earlier], before_.actions[later])) continue;
      out_.push_back({earlier,
                      earlier_now,
                      {fmt::format("now acts after {}", ir::printable_name(before_.actions[later].origin))}});
    }
  }

  static bool depend(const Action& one, const Action& other) {
    return one.effect.index() == other.effect.index() && !std::holds_alternative<ir::Opaque>(one.effect) &&
           one.cadence.start.value == other.cadence.start.value && one.effect != other.effect;
  }

  std::vector<std::string> details(const Action& one, const Action& other) const {
    std::vector<std::string> out = different_fields(before_, one, after_, other);
    if (out.empty() && ir::when(one) != ir::when(other)) {
      out.push_back(fmt::format("{} -> {}", ir::when(one), ir::when(other)));
    }
    if (out.empty() && one.origin.class_name != other.origin.class_name && before_.dialect == after_.dialect) {
      out.push_back(fmt::format("{} -> {}", ir::printable_name(one.origin), ir::printable_name(other.origin)));
    }
    if (out.empty() && ir::describe(one) != ir::describe(other)) {
      out.push_back(fmt::format("{} -> {}", ir::describe(one), ir::describe(other)));
    }
    return out;
  }

  const ir::Recipe& before_;
  const ir::Recipe& after_;
  std::vector<std::size_t> one_;  // actions of `before` without a counterpart so far
  std::vector<std::size_t> other_;
  std::vector<std::pair<std::size_t, std::size_t>> same_;
  std::vector<Pair> out_;
};

std::vector<Pair> different_actions(const ir::Recipe& before, const ir::Recipe& after,
                                    const std::function<bool(const Action&)>& compares) {
  return Pairing(before, after, compares).run();
}

}  // namespace sparsecfg::diff
