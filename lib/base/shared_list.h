#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
      : node_(items.empty() ? nullptr : std::make_shared<Node>(std::move(items))) {}

  [[nodiscard]] const std::vector<T>& items() const {
    static const std::vector<T> kNone;
    return node_ ? node_->items : kNone;
  }

  operator const std::vector<T>&() const { return items(); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] auto begin() const { return items().begin(); }

  [[nodiscard]] auto end() const { return items().end(); }

  [[nodiscard]] bool empty() const { return node_ == nullptr; }

  [[nodiscard]] std::size_t size() const { return items().size(); }

  // Lists that were found to be equal get the same group, because the same two long lists are often compared
  // repeatedly.
  friend bool operator==(const SharedList& a, const SharedList& b) {
    if (a.node_ == b.node_) return true;
    if (a.node_ == nullptr || b.node_ == nullptr) return false;
    if (a.node_->group == b.node_->group) return true;
    if (a.items() != b.items()) return false;
    b.node_->group = a.node_->group.load();
    return true;
  }

 private:
  struct Node {
    explicit Node(std::vector<T> list) : items(std::move(list)) {}

    static std::uint64_t next_group() {
      static std::atomic<std::uint64_t> last{0};
      return ++last;
    }

    const std::vector<T> items;
    std::atomic<std::uint64_t> group = next_group();  // lists of one group are equal
  };

  std::shared_ptr<Node> node_;  // null if empty
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
