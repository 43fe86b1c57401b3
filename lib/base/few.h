#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

namespace sparsecfg::base {

// A list of at most N elements without allocation, for constant tables.
template <class T, std::size_t N>
class Few {
 public:
  constexpr Few() = default;

  // More than N elements in a constant do not compile.
  constexpr Few(std::initializer_list<T> elements) {
    for (const T& element : elements) elements_[size_++] = element;
  }

  [[nodiscard]] constexpr const T* begin() const { return elements_.data(); }

  [[nodiscard]] constexpr const T* end() const { return elements_.data() + size_; }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }

  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  [[nodiscard]] constexpr bool contains(const T& element) const {
    for (const T& each : *this) {
      if (each == element) return true;
    }
    return false;
  }

 private:
  std::array<T, N> elements_{};
  std::size_t size_ = 0;
};

}  // namespace sparsecfg::base
