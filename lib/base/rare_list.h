#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sparsecfg::base {

// A list that is usually empty, with the interface of a vector. An empty list takes the size of a pointer, so that an
// object can have many of them. Copies are deep.
template <class T>
class RareList {
 public:
  using value_type = T;
  using Items = std::vector<T>;

  RareList() = default;

  RareList(Items items)  // NOLINT(google-explicit-constructor): intended conversion from the items
      : items_(items.empty() ? nullptr : std::make_unique<Items>(std::move(items))) {}

  RareList(const RareList& other) : items_(other.items_ ? std::make_unique<Items>(*other.items_) : nullptr) {}

  RareList(RareList&&) noexcept = default;

  RareList& operator=(const RareList& other) {
    if (this != &other) *this = RareList(other);
    return *this;
  }

  RareList& operator=(RareList&&) noexcept = default;
  ~RareList() = default;

  [[nodiscard]] const Items& items() const {
    static const Items kNone;
    return items_ ? *items_ : kNone;
  }

  operator const Items&() const { return items(); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool empty() const { return items_ == nullptr || items_->empty(); }

  [[nodiscard]] std::size_t size() const { return items_ ? items_->size() : 0; }

  [[nodiscard]] auto begin() const { return items().cbegin(); }

  [[nodiscard]] auto end() const { return items().cend(); }

  [[nodiscard]] auto begin() { return own().begin(); }

  [[nodiscard]] auto end() { return own().end(); }

  [[nodiscard]] const T& operator[](std::size_t at) const { return (*items_)[at]; }

  [[nodiscard]] T& operator[](std::size_t at) { return (*items_)[at]; }

  [[nodiscard]] const T& front() const { return items_->front(); }

  [[nodiscard]] T& front() { return items_->front(); }

  [[nodiscard]] const T& back() const { return items_->back(); }

  [[nodiscard]] T& back() { return items_->back(); }

  void push_back(T item) { own().push_back(std::move(item)); }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    return own().emplace_back(std::forward<Args>(args)...);
  }

  void clear() { items_.reset(); }

 private:
  Items& own() {
    if (!items_) items_ = std::make_unique<Items>();
    return *items_;
  }

  std::unique_ptr<Items> items_;  // null: empty
};

}  // namespace sparsecfg::base
