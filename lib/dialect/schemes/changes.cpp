#include "dialect/schemes/changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/assigned.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

namespace {

// A group before and after; null: there is none.
struct GroupPair {
  std::string name;
  const Value* before = nullptr;
  const Value* after = nullptr;
};

constexpr std::pair<std::string_view, std::string_view> kTensors[] = {
    {"weights", "weights"}, {"input_activations", "inputs"}, {"output_activations", "outputs"}};

// Arguments that `QuantizationArgs` describes.
constexpr std::string_view kDescribed[] = {"num_bits",  "type",    "strategy", "group_size",
                                           "symmetric", "dynamic", "zp_dtype"};

}  // namespace

static const Value* find_group(const source::Map& groups, const std::string& name) {
  const auto found =
      std::ranges::find_if(groups, [&](const source::Entry& entry) { return source::python_str(entry.first) == name; });
  return found == groups.end() ? nullptr : &found->second;
}

static std::vector<GroupPair> pairs_of(const source::Map& before, const source::Map& after) {
  std::vector<GroupPair> out;
  std::vector<const source::Entry*> fresh;
  for (const source::Entry& entry : after) {
    if (find_group(before, source::python_str(entry.first)) == nullptr) fresh.push_back(&entry);
  }
  std::size_t next = 0;
  for (const source::Entry& entry : before) {
    GroupPair pair{source::python_str(entry.first), &entry.second, nullptr};
    pair.after = find_group(after, pair.name);
    if (pair.after == nullptr && next < fresh.size()) {
      pair.name += " -> " + source::python_str(fresh[next]->first);
      pair.after = &fresh[next++]->second;
    }
    out.push_back(std::move(pair));
  }
  for (; next < fresh.size(); ++next) {
    out.push_back({source::python_str(fresh[next]->first), nullptr, &fresh[next]->second});
  }
  return out;
}

static std::string granularity_of(const QuantizationArgs& args) {
  switch (args.strategy) {
    case Strategy::group:
    case Strategy::tensor_group: return fmt::format("groups of {}", args.group_size);
    case Strategy::block: return "blocks";
    default: return fmt::format("per {}", to_string(args.strategy));
  }
}

// Returns "groups of 128 -> 64" instead of "groups of 128 -> groups of 64".
static std::string arrow(std::string_view before, std::string_view after) {
  constexpr std::string_view kGroups = "groups of ";
  const bool same_kind = before.starts_with(kGroups) && after.starts_with(kGroups);
  return fmt::format("{} -> {}", before, same_kind ? after.substr(kGroups.size()) : after);
}

// Returns the changed properties of one tensor.
static std::vector<std::string> tensor_changes(const Part& before, const Part& after) {
  std::vector<std::string> out;
  const QuantizationArgs& one = before.args;
  const QuantizationArgs& other = after.args;
  const auto add = [&](const std::string& a, const std::string& b) {
    if (a != b) out.push_back(arrow(a, b));
  };
  const auto type = [](const QuantizationArgs& each) {
    return fmt::format("{}{}", each.is_float ? "float" : "int", each.bits);
  };
  const auto range = [](const QuantizationArgs& each) {
    return std::string(each.dynamic == Dynamic::no ? "static" : "dynamic");
  };
  if (one.present != other.present) {
    add(one.present ? describe(one) : "not quantized", other.present ? describe(other) : "not quantized");
    return out;
  }
  if (!one.present) return out;
  add(type(one), type(other));
  add(granularity_of(one), granularity_of(other));
  add(one.symmetric ? "symmetric" : "asymmetric", other.symmetric ? "symmetric" : "asymmetric");
  add(range(one), range(other));
  const auto* arguments = before.value->get<source::Map>();
  for (const auto& [key, value] : *arguments) {
    const std::string name = source::python_str(key);
    const Value* now = after.value->find(name);
    if (base::contains(kDescribed, name) || now == nullptr || *now == value) continue;
    out.push_back(fmt::format("{} {} -> {}", name, source::python_str(value), source::python_str(*now)));
  }
  return out;
}

// Returns "re:.*k_proj.* and 5 more".
static std::string targets_text(const Value& group) {
  const std::vector<Entry> targets = entries_of(group.find("targets"));
  if (targets.empty()) return "no targets";
  const std::string first = base::printable(targets.front().text);
  return targets.size() == 1 ? first : fmt::format("{} and {} more", first, targets.size() - 1);
}

// Returns the targets of `one` that `other` lacks.
static std::vector<std::string> targets_without(const Value& one, const Value& other) {
  std::vector<std::string> out;
  const std::vector<Entry> known = entries_of(other.find("targets"));
  for (const Entry& entry : entries_of(one.find("targets"))) {
    if (std::ranges::find(known, entry.text, &Entry::text) == known.end()) out.push_back(base::printable(entry.text));
  }
  return out;
}

static std::vector<std::string> changes_of(const Value& before, const Value& after) {
  std::vector<std::string> out;
  for (const auto& [key, name] : kTensors) {
    const auto changes = tensor_changes(part_of(before, key), part_of(after, key));
    if (!changes.empty()) out.push_back(fmt::format("{} {}", name, fmt::join(changes, ", ")));
  }
  const std::vector<std::string> gone = targets_without(before, after);
  const std::vector<std::string> fresh = targets_without(after, before);
  if (!gone.empty()) out.push_back(fmt::format("no longer targets {}", fmt::join(gone, ", ")));
  if (!fresh.empty()) out.push_back(fmt::format("now targets {}", fmt::join(fresh, ", ")));
  return out;
}

// Returns the line of a pair, or an empty string if its groups are equal.
static std::string line_of(const GroupPair& pair) {
  const Value& shown = pair.before != nullptr ? *pair.before : *pair.after;
  const std::string start = fmt::format("{}  {}  ", base::printable(pair.name), targets_text(shown));
  if (pair.before == nullptr) return start + "added: " + describe_group(*pair.after);
  if (pair.after == nullptr) return start + "removed: " + describe_group(*pair.before);
  const std::vector<std::string> changes = changes_of(*pair.before, *pair.after);
  return changes.empty() ? "" : fmt::format("{}{}", start, fmt::join(changes, "; "));
}

std::vector<std::string> group_changes(const ir::Origin& before, const ir::Origin& after) {
  const source::Map one = groups_of(before);
  const source::Map other = groups_of(after);
  std::vector<std::string> out;
  for (const GroupPair& pair : pairs_of(one, other)) {
    if (std::string line = line_of(pair); !line.empty()) out.push_back(std::move(line));
  }
  return out;
}

std::optional<BitsChange> bits_change(const ir::Recipe& before, const ir::Recipe& after,
                                      const std::vector<model::Module>& modules) {
  const Assignment one = assign(before, modules);
  const Assignment other = assign(after, modules);
  if (!one.complete || !other.complete) {
    return std::nullopt;
  }
  const auto group_of = [](const Assignment& assignment, std::size_t at) {
    const auto group = assignment.groups_of_modules[at];
    return group ? &assignment.groups[*group] : nullptr;
  };
  const auto is_equal = [&](std::size_t at) {
    const Value* first = group_of(one, at);
    const Value* second = group_of(other, at);
    return first == nullptr || second == nullptr ? first == second : *first == *second;
  };
  double weights = 0;
  BitsChange bits{0, 0};
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const auto count = modules[at].shape ? model::elements_of(*modules[at].shape) : std::nullopt;
    if (!count || is_equal(at)) continue;
    weights += static_cast<double>(*count);
    bits.first += bits_of(one, modules, at);
    bits.second += bits_of(other, modules, at);
  }
  return weights > 0 ? std::optional(BitsChange{bits.first / weights, bits.second / weights}) : std::nullopt;
}

std::optional<BitsChange> bits_change(const ir::Origin& before, const ir::Origin& after) {
  const source::Map one = groups_of(before);
  const source::Map other = groups_of(after);
  std::optional<BitsChange> out;
  for (const GroupPair& pair : pairs_of(one, other)) {
    if (line_of(pair).empty()) continue;
    if (out || pair.before == nullptr || pair.after == nullptr) return std::nullopt;
    const auto bits = std::pair(known_bits_per_weight(*pair.before), known_bits_per_weight(*pair.after));
    if (!bits.first || !bits.second || *bits.first == *bits.second) return std::nullopt;
    out = BitsChange{*bits.first, *bits.second};
  }
  return out;
}

}  // namespace sparsecfg::dialect::schemes
