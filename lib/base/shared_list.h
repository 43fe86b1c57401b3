#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sparsecfg::base {

// An immutable list. Copies share the items, so many copies of a long list need no extra memory.
template <class T>
class SharedList {
 public:
  SharedList() = default;

  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): intended conversion from the items
      : items_(items.empty() ? nullptr : std::make_shared<const std::vector<T>>(std::move(items))) {}

  [[nodiscard]] const std::vector<T>& items() const {
    static const std::vector<T> kNone;
    return items_ ? *items_ : kNone;
  }

  operator const std::vector<T>&() const { return items(); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] auto begin() const { return items().begin(); }

  [[nodiscard]] auto end() const { return items().end(); }

  [[nodiscard]] bool empty() const { return items_ == nullptr; }

  [[nodiscard]] std::size_t size() const { return items().size(); }

  // Caches the last pair of equal lists, because the same two long lists are often compared repeatedly.
  friend bool operator==(const SharedList& a, const SharedList& b) {
    static thread_local std::pair<Items, Items> equal;
    if (a.items_ == b.items_ || (equal.first == a.items_ && equal.second == b.items_)) return true;
    if (a.items() != b.items()) return false;
    equal = {a.items_, b.items_};
    return true;
  }

 private:
  using Items = std::shared_ptr<const std::vector<T>>;

  Items items_;  // null if empty
};

// Detects consecutive uses of the same list, so repeated work can be skipped.
template <class T>
class LastList {
 public:
  // Returns true if `list` does not share its items with the list of the previous call. Both lists must outlive this
  // object.
  bool changes_to(const SharedList<T>& list) { return std::exchange(items_, &list.items()) != &list.items(); }

 private:
  const std::vector<T>* items_ = nullptr;
};

}  // namespace sparsecfg::base
