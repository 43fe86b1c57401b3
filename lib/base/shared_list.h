#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sparsecfg::base {

// A list that does not change. Copies share their items, so that many holders of a long one take no more memory than
// one.
template <class T>
class SharedList {
 public:
  SharedList() = default;

  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): a list is one of the same items
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

  // Remembers the last lists that were equal: two holders of long lists compare them again and again.
  friend bool operator==(const SharedList& a, const SharedList& b) {
    static thread_local std::pair<Items, Items> equal;
    if (a.items_ == b.items_ || (equal.first == a.items_ && equal.second == b.items_)) return true;
    if (a.items() != b.items()) return false;
    equal = {a.items_, b.items_};
    return true;
  }

 private:
  using Items = std::shared_ptr<const std::vector<T>>;

  Items items_;  // null: none
};

// Skips work on lists that are the same one: their holders often stand in a row.
template <class T>
class LastList {
 public:
  // Returns true if `list` does not share its items with the last one that was given. Both must outlive this.
  bool changes_to(const SharedList<T>& list) { return std::exchange(items_, &list.items()) != &list.items(); }

 private:
  const std::vector<T>* items_ = nullptr;
};

}  // namespace sparsecfg::base
