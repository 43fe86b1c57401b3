#include "script/library/sorting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "script/interpreter.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

namespace {

struct Keyed {
  Ref key;
  Ref item;
};

Ref key_of_item(Interpreter& in, const Ref& key, const Ref& item, const python::Node& node) {
  if (key == nullptr || types_of(*key) == types::none) return item;
  Arguments one;
  one.positional.push_back(item);
  return in.call_value(key, one, node);
}

// Returns true if all pairs of keys can be compared, and the order is total: std::sort requires it.
bool are_sortable(const std::vector<Keyed>& items) {
  const auto is_sortable = [&](const Keyed& each) {
    const Value& key = *each.key;
    const auto* real = std::get_if<double>(&key.data);
    return key.kind == Kind::scalar && key.data.index() == items.front().key->data.index() &&
           (real == nullptr || !std::isnan(*real));
  };
  return std::ranges::all_of(items, is_sortable);
}

bool is_known_key(const Ref& key) {
  return key == nullptr || key->kind == Kind::function || types_of(*key) == types::none ||
         (key->kind == Kind::name && !key->imported && find_function("builtins." + key->path) != nullptr);
}

}  // namespace

std::optional<std::vector<Ref>> sorted_items(Interpreter& in, const std::vector<Ref>& items, const Ref& key,
                                             const Ref& reverse, const python::Node& node) {
  const auto descending = reverse == nullptr ? std::optional(false) : in.truth(reverse);
  const std::size_t rounds = items.size() * static_cast<std::size_t>(std::bit_width(items.size()));
  if (!descending || !is_known_key(key) || !in.visits(rounds)) return std::nullopt;
  std::vector<Keyed> keyed;
  for (const Ref& item : items) keyed.push_back({key_of_item(in, key, item, node), item});
  bool known = are_sortable(keyed);
  const auto less = [&](const Keyed& one, const Keyed& other) {
    const auto result = known ? in.compare("<", one.key, other.key) : std::nullopt;
    known = known && result.has_value();
    return known && *result;
  };
  for (std::size_t at = 1; at < keyed.size() && known; ++at) less(keyed[at - 1], keyed[at]);
  if (!known) return std::nullopt;
  if (*descending) std::ranges::reverse(keyed);
  std::ranges::stable_sort(keyed, less);
  if (*descending) std::ranges::reverse(keyed);
  if (!known) return std::nullopt;
  std::vector<Ref> out;
  for (const Keyed& each : keyed) out.push_back(each.item);
  return out;
}

Ref extreme_item(Interpreter& in, const std::vector<Ref>& items, bool largest, const Ref& key,
                 const python::Node& node) {
  Keyed best;
  for (const Ref& item : items) {
    const Keyed next{key_of_item(in, key, item, node), item};
    const auto better =
        best.item == nullptr ? std::optional(true) : in.compare(largest ? ">" : "<", next.key, best.key);
    if (!better) return nullptr;
    if (*better) best = next;
  }
  return best.item;
}

}  // namespace sparsecfg::script
